use curvesmith_field_dsl::{curve, field};

field! {
    pub mod fe {
        crate = curvesmith_runtime;
        p = 2^255 - 19;
    }
}

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = (2 << 7) - 57 { generator = 1 + 2; };
        fr = 97 { generator = 5; };
        g1: short_weierstrass over fq { a = 2; b = 2**4; generator = (112, 13^2 - 2); cofactor = 2; };
    }
}

fn main() {
    let _ = (fe::FpField, toy::FqField, toy::FrField, toy::G1);
    let _: Option<(fe::Fp, toy::G1Affine, toy::G1Projective)> = None;
}
