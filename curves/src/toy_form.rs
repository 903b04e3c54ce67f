//! A short Weierstrass curve with an Edwards form, for tests; not for cryptography.

use curvesmith_field_dsl::curve;

curve! {
    /// A curve over a 10-bit field with a subgroup of 67 points, and as on BLS12-377's G1 four points at
    /// infinity of its Edwards form: the addition law there has exceptions. The order is counted.
    pub mod toy_form {
        crate = curvesmith_runtime;
        fq = 1009 { generator = 11; };
        fr = 67 { generator = 2; };
        g1: short_weierstrass over fq { a = 0; b = 13; generator = (158, 12); cofactor = 16; edwards_form; };
    }
}
