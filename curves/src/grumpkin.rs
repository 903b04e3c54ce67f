//! Grumpkin (Aztec), which makes a cycle with BN254: its coordinates are BN254's scalars.
//!
//! Constants: ark-grumpkin 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// Grumpkin: 254-bit coordinates and scalars; two-adicity 1 of `Fr`.
    pub mod grumpkin {
        crate = curvesmith_runtime;
        fq = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001 {
            generator = 5;
            small_subgroup = 3^2;
        };
        fr = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47 {
            generator = 3;
        };
        g1: short_weierstrass over fq {
            a = 0;
            b = -17;
            generator = (
                1,
                0x2cf135e7506a45d632d270d45f1181294833fc48d823f272c,
            );
            cofactor = 1;
        };
        arkworks {
            fq = ark_grumpkin::Fq;
            fr = ark_grumpkin::Fr;
            g1 = ark_grumpkin::Projective;
        }
    }
}
