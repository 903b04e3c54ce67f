//! Bandersnatch ([Masson, Sanso and Zhang](https://eprint.iacr.org/2021/1152)), over the scalar field of
//! BLS12-381.
//!
//! Constants: ark-ed-on-bls12-381-bandersnatch 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// Bandersnatch: 255-bit coordinates, 253-bit scalars. a = -5 is no square: the addition law holds
    /// between points of odd order.
    pub mod bandersnatch {
        crate = curvesmith_runtime;
        fq = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001 {
            generator = 7;
        };
        fr = 0x1cfb69d4ca675f520cce760202687600ff8f87007419047174fd06b52876e7e1 {
            generator = 7;
        };
        g1: twisted_edwards over fq {
            a = -5;
            d = 0x6389c12633c267cbc66e3bf86be3b6d8cb66677177e54f92b369f2f5188d58e7;
            generator = (
                0x29c132cc2c0b34c5743711777bbe42f32b79c022ad998465e1e71866a252ae18,
                0x2a6c669eda123e0f157d8b50badcd586358cad81eee464605e3167b6cc974166,
            );
            cofactor = 4;
        };
        arkworks {
            fq = ark_ed_on_bls12_381_bandersnatch::Fq;
            fr = ark_ed_on_bls12_381_bandersnatch::Fr;
            g1 = ark_ed_on_bls12_381_bandersnatch::EdwardsProjective;
        }
    }
}
