use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 101;
        fr = 29;
        g1: short_weierstrass over fq { a = 1; b = 3; generator = (4, 24); cofactor = 3; edwards_form; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
