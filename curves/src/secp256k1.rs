//! secp256k1 (SEC 2, version 2, section 2.4.1).
//!
//! Constants: ark-secp256k1 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// secp256k1: 256-bit coordinates without a spare bit.
    pub mod secp256k1 {
        crate = curvesmith_runtime;
        fq = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f {
            generator = 3;
            small_subgroup = 3^1;
        };
        fr = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141 {
            generator = 7;
            small_subgroup = 3^1;
        };
        g1: short_weierstrass over fq {
            a = 0;
            b = 7;
            generator = (
                0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
                0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8,
            );
            cofactor = 1;
        };
        arkworks {
            fq = ark_secp256k1::Fq;
            fr = ark_secp256k1::Fr;
            g1 = ark_secp256k1::Projective;
        }
    }
}
