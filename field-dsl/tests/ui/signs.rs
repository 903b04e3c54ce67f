use curvesmith_field_dsl::{curve, field};

field! {
    pub mod fe {
        crate = curvesmith_runtime;
        p = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
        generator = -3;
    }
}

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 199 { generator = -1; };
        fr = 97 { generator = -1; };
        fq2 = fq[u] / (u^2 - (-3));
        g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
    }
}

fn main() {
    let _ = (fe::FpField, toy::FqField, toy::FrField, toy::G1);
}
