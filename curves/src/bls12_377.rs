//! BLS12-377 of Zexe (Bowe et al., 2018): the curve of the Barreto-Lynn-Scott family at
//! x = 0x8508c00000000001, whose fields both have a large two-adicity. Its first group alone.
//!
//! Constants: ark-bls12-377 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// BLS12-377: 377-bit coordinates, 253-bit scalars, two-adicity 47 of `Fr` and 46 of `Fq`.
    pub mod bls12_377 {
        crate = curvesmith_runtime;
        fq = 0x1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001 {
            generator = 15;
        };
        fr = 0x12ab655e9a2ca55660b44d1e5c37b00159aa76fed00000010a11800000000001 {
            generator = 22;
        };
        g1: short_weierstrass over fq {
            a = 0;
            b = 1;
            generator = (
                0x8848defe740a67c8fc6225bf87ff5485951e2caa9d41bb188282c8bd37cb5cd5481512ffcd394eeab9b16eb21be9ef,
                0x1914a69c5102eff1f674f5d30afeec4bd7fb348ca3e52d96d182ad44fb82305c2fe3d3634a9591afd82de55559c8ea6,
            );
            cofactor = 0x170b5d44300000000000000000000000;
        };
        arkworks {
            fq = ark_bls12_377::Fq;
            fr = ark_bls12_377::Fr;
            g1 = ark_bls12_377::G1Projective;
        }
    }
}
