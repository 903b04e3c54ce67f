use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 65609;
        fr = 97 { generator = 5; };
        g1: short_weierstrass over fq { a = 35; b = 4; generator = (55902, 15152); cofactor = 679; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
