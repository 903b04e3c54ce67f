//! Jubjub (Bowe, 2017; Zcash's protocol specification, section 5.4.9.3), over the scalar field of BLS12-381.
//!
//! Constants: ark-ed-on-bls12-381 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// Jubjub: 255-bit coordinates, 252-bit scalars, a = -1; the addition law is complete.
    pub mod jubjub {
        crate = curvesmith_runtime;
        fq = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001 {
            generator = 7;
        };
        fr = 0xe7db4ea6533afa906673b0101343b00a6682093ccc81082d0970e5ed6f72cb7 {
            generator = 6;
        };
        g1: twisted_edwards over fq {
            a = -1;
            d = 0x2a9318e74bfa2b48f5fd9207e6bd7fd4292d7f6d37579d2601065fd6d6343eb1;
            generator = (
                0x11dafe5d23e1218086a365b99fbf3d3be72f6afd7d1f72623e6b071492d1122b,
                0x1d523cf1ddab1a1793132e78c866c0c33e26ba5cc220fed7cc3f870e59d292aa,
            );
            cofactor = 8;
        };
        arkworks {
            fq = ark_ed_on_bls12_381::Fq;
            fr = ark_ed_on_bls12_381::Fr;
            g1 = ark_ed_on_bls12_381::EdwardsProjective;
        }
    }
}
