use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 109;
        fr = 47;
        g1: short_weierstrass over fq { a = 1; b = 19; generator = (102, 66); cofactor = 2; edwards_form; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
