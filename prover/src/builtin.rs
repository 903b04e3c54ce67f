//! Markers of the built-in curves, without kernels: they run on the CPU.

use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{Group, PairingCurve};

macro_rules! markers {
    ($(#[$meta:meta])* $module:ident, $engine:ty, $ark:ident, $fq_words:literal, $name:literal) => {
        $(#[$meta])*
        pub mod $module {
            use super::*;

            /// Base field.
            #[derive(Clone, Copy, Debug)]
            pub struct Fq;
            /// Scalar field.
            #[derive(Clone, Copy, Debug)]
            pub struct Fr;
            /// First source group.
            #[derive(Clone, Copy, Debug)]
            pub struct G1;
            /// Second source group.
            #[derive(Clone, Copy, Debug)]
            pub struct G2;
            /// The pairing curve.
            #[derive(Clone, Copy, Debug)]
            pub struct Curve;

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

#[cfg(feature = "bn254")]
markers!(
    /// BN254, which snarkjs calls `bn128`.
    bn254, ark_bn254::Bn254, ark_bn254, 8, "bn254"
);
#[cfg(feature = "bls12-381")]
markers!(
    /// BLS12-381.
    bls12_381, ark_bls12_381::Bls12_381, ark_bls12_381, 12, "bls12_381"
);
