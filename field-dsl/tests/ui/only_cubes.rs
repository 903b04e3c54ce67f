use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 17 { generator = 3; };
        fr = 19;
        fq3 = fq[v] / (v^3 - 3);
        g1: short_weierstrass over fq { a = 2; b = 2; generator = (0, 6); cofactor = 1; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
