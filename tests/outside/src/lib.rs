//! A curve and fields that curvesmith does not carry, declared by their user.

#[cfg(feature = "families")]
pub mod families;
pub mod fields;

use curvesmith::curve;

curve! {
    /// secp256k1 (SEC 2, version 2, section 2.4.1), with generated arkworks types: no spare bit in
    /// either field.
    pub mod secp256k1 {
        fq = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f;
        fr = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        g1: short_weierstrass over fq {
            a = 0;
            b = 7;
            generator = (
                0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
                0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8,
            );
            cofactor = 1;
        };
    }
}
