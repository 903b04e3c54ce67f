use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 199 { generator = 4; };
        fr = 99;
        fq2 = fq[u] / (u^2 - 199);
        g1: short_weierstrass over fq { a = ; b = 16; generator = (112, 167); cofactor = 2; };
        nonsense = 1;
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
