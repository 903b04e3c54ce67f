//! Markers without kernels, for tests that run on the CPU.

use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{Group, PairingCurve};

macro_rules! markers {
    ($module:ident, $engine:ty, $ark:ident, $fq_words:literal, $name:literal) => {
        pub(crate) mod $module {
            use super::*;

            #[derive(Clone, Copy, Debug)]
            pub(crate) struct Fq;
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct Fr;
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct G1;
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct G2;
            #[derive(Clone, Copy, Debug)]
            pub(crate) struct Curve;

            impl Field for Fq {
                type Ark = $ark::Fq;
                const NAME: &'static str = concat!($name, "_fq");
                const WORDS: usize = $fq_words;
                fn images() -> &'static [&'static [u8]] {
                    &[]
                }
            }
            impl Field for Fr {
                type Ark = $ark::Fr;
                const NAME: &'static str = concat!($name, "_fr");
                const WORDS: usize = 8;
                fn images() -> &'static [&'static [u8]] {
                    &[]
                }
            }
            impl Group for G1 {
                type Config = $ark::g1::Config;
                type Base = Fq;
                type Scalar = Fr;
                const NAME: &'static str = concat!($name, "_g1");
                const DEGREE: usize = 1;
                fn images() -> &'static [&'static [u8]] {
                    &[]
                }
            }
            impl Group for G2 {
                type Config = $ark::g2::Config;
                type Base = Fq;
                type Scalar = Fr;
                const NAME: &'static str = concat!($name, "_g2");
                const DEGREE: usize = 2;
                fn images() -> &'static [&'static [u8]] {
                    &[]
                }
            }
            impl PairingCurve for Curve {
                type Engine = $engine;
                type Fq = Fq;
                type Fr = Fr;
                type G1 = G1;
                type G2 = G2;
                const NAME: &'static str = $name;
            }
        }
    };
}

markers!(bn254, ark_bn254::Bn254, ark_bn254, 8, "bn254");
markers!(bls12_381, ark_bls12_381::Bls12_381, ark_bls12_381, 12, "bls12_381");
