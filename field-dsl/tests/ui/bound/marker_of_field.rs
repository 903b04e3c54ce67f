curvesmith_field_dsl::curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        allow(weak_curve);
        fq = 199 { generator = 3; };
        fr = 97 { generator = 5; };
        g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
    }
}

// Each of them is another kind of thing.
pub struct First(pub curvesmith_runtime::DeviceVec<ark_bn254::Fr>);
pub struct Second(pub curvesmith_runtime::Ntt<toy::Fr>);
pub struct Third(pub curvesmith_runtime::Pointwise<toy::G1>);

fn main() {}
