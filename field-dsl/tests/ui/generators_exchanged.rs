use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 97 { generator = 5; };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 2; b = 16; generator = ([39, 184], [104, 90]); cofactor = 2; };
        g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = (112, 167); cofactor = 406; };
    }
}

// Both groups are over the same field.
curve! {
    pub mod same {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 97 { generator = 5; };
        g1: short_weierstrass over fq { a = 2; b = 16; generator = (50, 142); cofactor = 2; };
        g2: short_weierstrass over fq { a = 32; b = 29; generator = (112, 167); cofactor = 2; };
    }
}

// One generator is written twice.
curve! {
    pub mod twice {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 97 { generator = 5; };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = (112, 167); cofactor = 406; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2, same::G1, twice::G2);
}
