//! BLS12-377 of Zexe (Bowe et al., 2018): the curve of the Barreto-Lynn-Scott family at
//! x = 0x8508c00000000001, whose fields both have a large two-adicity.
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
        fq2 = fq[u] / (u^2 - (-5));
        g1: short_weierstrass over fq {
            a = 0;
            b = 1;
            generator = (
                0x8848defe740a67c8fc6225bf87ff5485951e2caa9d41bb188282c8bd37cb5cd5481512ffcd394eeab9b16eb21be9ef,
                0x1914a69c5102eff1f674f5d30afeec4bd7fb348ca3e52d96d182ad44fb82305c2fe3d3634a9591afd82de55559c8ea6,
            );
            cofactor = 0x170b5d44300000000000000000000000;
            edwards_form;
        };
        g2: short_weierstrass over fq2 {
            a = [0, 0];
            b = [0, 0x10222f6db0fd6f343bd03737460c589dc7b4f91cd5fd889129207b63c6bf8000dd39e5c1ccccccd1c9ed9999999999a];
            generator = (
                [
                    0x18480be71c785fec89630a2a3841d01c565f071203e50317ea501f557db6b9b71889f52bb53540274e3e48f7c005196,
                    0xea6040e700403170dc5a51b1b140d5532777ee6651cecbe7223ece0799c9de5cf89984bff76fe6b26bfefa6ea16afe,
                ],
                [
                    0x690d665d446f7bd960736bcbb2efb4de03ed7274b49a58e458c282f832d204f2cf88886d8c7c2ef094094409fd4ddf,
                    0xf8169fd28355189e549da3151a70aa61ef11ac3d591bf12463b01acee304c24279b83f5e52270bd9a1cdd185eb8f93,
                ],
            );
            cofactor = 0x26ba558ae9562addd88d99a6f6a829fbb36b00e1dcc40c8c505634fae2e189d693e8c36676bd09a0f3622fba094800452217cc900000000000000000000001;
        };
        arkworks {
            fq = ark_bls12_377::Fq;
            fr = ark_bls12_377::Fr;
            fq2 = ark_bls12_377::Fq2;
            g1 = ark_bls12_377::G1Projective;
            g2 = ark_bls12_377::G2Projective;
            engine = ark_bls12_377::Bls12_377;
        }
    }
}
