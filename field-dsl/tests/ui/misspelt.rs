use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        Fq = 199;
        fr = 97 { genrator = 5; };
        g1: short_weierstras over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        g2: short_weierstrass over fp2 { a = 2; };
        arkwork { }
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
