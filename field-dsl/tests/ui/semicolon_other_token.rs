use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 97 : 1;
        g1: short_weierstrass over fq { a = 2; b = 16, generator = (112, 167); cofactor = 2; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
