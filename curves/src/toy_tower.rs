//! A test curve over towers.

use curvesmith_field_dsl::curve;

curve! {
    /// Groups over a cubic extension and over two levels of quadratic ones, each with a subgroup of 97
    /// points, and every other level that has a name. Both orders are counted.
    pub mod toy_tower {
        crate = curvesmith_runtime;
        fq = 13 { generator = 2; };
        fr = 97 { generator = 5; };
        fq2 = fq[u] / (u^2 - 2);
        fq3 = fq[v] / (v^3 - 2);
        fq4 = fq2[w] / (w^2 - [2, 1]);
        fq6 = fq2[v] / (v^3 - [0, 1]);
        fq12 = fq6[w] / (w^2 - [0, 0, 1, 0, 0, 0]);
        g1: short_weierstrass over fq3 {
            a = [2, 9, 8];
            b = [9, 0, 1];
            generator = ([11, 3, 8], [11, 5, 3]);
            cofactor = 22;
        };
        g2: short_weierstrass over fq4 {
            a = [12, 11, 5, 7];
            b = [5, 6, 12, 8];
            generator = ([5, 8, 4, 5], [2, 7, 7, 12]);
            cofactor = 296;
        };
    }
}
