//! Test fields and test curves, small enough that every check on them is a proof.
//!
//! Not for cryptography.

pub use crate::declared_toy_edwards::toy_edwards;
pub use crate::declared_toy_form::toy_form;
pub use crate::declared_toy_tower::toy_tower;

use curvesmith_field_dsl::{curve, field};

field! {
    /// A 5-bit prime field for exhaustive tests, two-adicity 4.
    pub mod toy17 {
        crate = curvesmith_runtime;
        p = 17;
        generator = 3;
    }
}

field! {
    /// A 9-bit prime field with transforms of `2^a·3^b` elements, `a ≤ 4` and `b ≤ 3`: all divisors of
    /// `p - 1`.
    pub mod toy433 {
        crate = curvesmith_runtime;
        p = 433;
        generator = 5;
        small_subgroup = 3^3;
    }
}

field! {
    /// A 13-bit prime field, `15·2^9 + 1`.
    pub mod toy7681 {
        crate = curvesmith_runtime;
        p = 7681;
        generator = 17;
    }
}

field! {
    /// BabyBear, `15·2^27 + 1`: one word.
    pub mod babybear {
        crate = curvesmith_runtime;
        p = 2013265921;
        generator = 31;
    }
}

curve! {
    /// A curve over an 8-bit field with a subgroup of 97 points in both groups; `a ≠ 0` and
    /// cofactors other than 1. Both orders are counted.
    pub mod toy_curve {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 97 { generator = 5; };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; constant_work; };
        g2: short_weierstrass over fq2 {
            a = [2, 5];
            b = [16, 45];
            generator = ([39, 184], [104, 90]);
            cofactor = 406;
            constant_work;
        };
    }
}
