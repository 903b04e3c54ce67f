//! Twisted Edwards curves for tests; not for cryptography.

use curvesmith_field_dsl::curve;

curve! {
    /// Twisted Edwards curves over fields of 8 bits, with subgroups of 53 points. The law of the first is
    /// complete; on the second neither coefficient is a square. Both orders are counted.
    pub mod toy_edwards {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 53 { generator = 2; };
        fq2 = fq[u] / (u^2 - (-1));
        g1: twisted_edwards over fq { a = 2; d = 22; generator = (108, 122); cofactor = 4; constant_work; };
        g2: twisted_edwards over fq2 {
            a = [128, 27];
            d = [66, 20];
            generator = ([157, 180], [149, 12]);
            cofactor = 740;
        };
    }
}
