use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 97 { generator = 5; };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 2; b = 16; generator = (167, 112); cofactor = 2; };
        g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = ([184, 39], [90, 104]); cofactor = 406; };
    }
}

curve! {
    pub mod both {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 97 { generator = 5; };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = ([90, 104], [184, 39]); cofactor = 406; };
    }
}

// On this curve both are points, and one has another order.
curve! {
    pub mod symmetric {
        crate = curvesmith_runtime;
        fq = 199;
        fr = 53;
        g1: twisted_edwards over fq { a = 1; d = 11; generator = (191, 5); cofactor = 4; };
    }
}

fn main() {
    let _ = (toy::G1, toy::G2, both::G1, symmetric::G1);
}
