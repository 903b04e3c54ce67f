//! The built-in curves by name.

use crate::failure::Failure;
use clap::ValueEnum;
use curvesmith::snarkjs::SnarkjsCurve;

#[cfg(not(any(feature = "bls12-381", feature = "bn254")))]
compile_error!("one of the curves of keys is needed: bls12-381, bn254");

/// Evaluates an expression with `$module` standing for the module that declares the curve.
macro_rules! with_module {
    ($curve:expr, $module:ident => $body:expr) => {{
        match $curve {
            #[cfg(feature = "bn254")]
            $crate::curves::Curve::Bn254 => {
                use curvesmith::bn254 as $module;
                $body
            }
            #[cfg(feature = "bls12-377")]
            $crate::curves::Curve::Bls12377 => {
                use curvesmith::bls12_377 as $module;
                $body
            }
            #[cfg(feature = "bls12-381")]
            $crate::curves::Curve::Bls12381 => {
                use curvesmith::bls12_381 as $module;
                $body
            }
            #[cfg(feature = "bw6-761")]
            $crate::curves::Curve::Bw6761 => {
                use curvesmith::bw6_761 as $module;
                $body
            }
            #[cfg(feature = "mnt4-298")]
            $crate::curves::Curve::Mnt4298 => {
                use curvesmith::mnt4_298 as $module;
                $body
            }
            #[cfg(feature = "mnt4-753")]
            $crate::curves::Curve::Mnt4753 => {
                use curvesmith::mnt4_753 as $module;
                $body
            }
            #[cfg(feature = "mnt6-298")]
            $crate::curves::Curve::Mnt6298 => {
                use curvesmith::mnt6_298 as $module;
                $body
            }
            #[cfg(feature = "mnt6-753")]
            $crate::curves::Curve::Mnt6753 => {
                use curvesmith::mnt6_753 as $module;
                $body
            }
            #[cfg(feature = "bandersnatch")]
            $crate::curves::Curve::Bandersnatch => {
                use curvesmith::bandersnatch as $module;
                $body
            }
            #[cfg(feature = "bls24-315")]
            $crate::curves::Curve::Bls24315 => {
                use curvesmith::bls24_315 as $module;
                $body
            }
            #[cfg(feature = "bn462")]
            $crate::curves::Curve::Bn462 => {
                use curvesmith::bn462 as $module;
                $body
            }
            #[cfg(feature = "curve25519")]
            $crate::curves::Curve::Curve25519 => {
                use curvesmith::curve25519 as $module;
                $body
            }
            #[cfg(feature = "grumpkin")]
            $crate::curves::Curve::Grumpkin => {
                use curvesmith::grumpkin as $module;
                $body
            }
            #[cfg(feature = "jubjub")]
            $crate::curves::Curve::Jubjub => {
                use curvesmith::jubjub as $module;
                $body
            }
            #[cfg(feature = "pallas")]
            $crate::curves::Curve::Pallas => {
                use curvesmith::pallas as $module;
                $body
            }
            #[cfg(feature = "secp256k1")]
            $crate::curves::Curve::Secp256k1 => {
                use curvesmith::secp256k1 as $module;
                $body
            }
            #[cfg(feature = "secp256r1")]
            $crate::curves::Curve::Secp256r1 => {
                use curvesmith::secp256r1 as $module;
                $body
            }
            #[cfg(feature = "vesta")]
            $crate::curves::Curve::Vesta => {
                use curvesmith::vesta as $module;
                $body
            }
        }
    }};
}
pub(crate) use with_module;

/// Evaluates an expression, a result, with the type alias `$C` standing for the curve's marker; a [`Failure`]
/// on curves that have no pairing.
macro_rules! with_curve {
    ($curve:expr, $C:ident => $body:expr) => {{
        #[allow(unreachable_patterns, reason = "in builds of pairing curves alone")]
        match $curve {
            #[cfg(feature = "bn254")]
            $crate::curves::Curve::Bn254 => {
                type $C = curvesmith::bn254::Curve;
                $body
            }
            #[cfg(feature = "bls12-377")]
            $crate::curves::Curve::Bls12377 => {
                type $C = curvesmith::bls12_377::Curve;
                $body
            }
            #[cfg(feature = "bls12-381")]
            $crate::curves::Curve::Bls12381 => {
                type $C = curvesmith::bls12_381::Curve;
                $body
            }
            #[cfg(feature = "bw6-761")]
            $crate::curves::Curve::Bw6761 => {
                type $C = curvesmith::bw6_761::Curve;
                $body
            }
            #[cfg(feature = "mnt4-298")]
            $crate::curves::Curve::Mnt4298 => {
                type $C = curvesmith::mnt4_298::Curve;
                $body
            }
            #[cfg(feature = "mnt4-753")]
            $crate::curves::Curve::Mnt4753 => {
                type $C = curvesmith::mnt4_753::Curve;
                $body
            }
            #[cfg(feature = "mnt6-298")]
            $crate::curves::Curve::Mnt6298 => {
                type $C = curvesmith::mnt6_298::Curve;
                $body
            }
            #[cfg(feature = "mnt6-753")]
            $crate::curves::Curve::Mnt6753 => {
                type $C = curvesmith::mnt6_753::Curve;
                $body
            }
            curve => Err(curve.has_no_pairing()),
        }
    }};
}
pub(crate) use with_curve;

/// Evaluates an expression, a result, with the type alias `$G` standing for the marker of the curve's second
/// group; a [`Failure`] on curves that have none.
macro_rules! with_second_group {
    ($curve:expr, $G:ident => $body:expr) => {{
        match $curve {
            #[cfg(feature = "bls24-315")]
            $crate::curves::Curve::Bls24315 => {
                type $G = curvesmith::bls24_315::G2;
                $body
            }
            #[cfg(feature = "bn462")]
            $crate::curves::Curve::Bn462 => {
                type $G = curvesmith::bn462::G2;
                $body
            }
            curve => $crate::curves::with_curve!(curve, C => {
                type $G = <C as curvesmith::PairingCurve>::G2;
                $body
            }),
        }
    }};
}
pub(crate) use with_second_group;

/// A built-in curve.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Curve {
    /// BN254, snarkjs' bn128.
    #[cfg(feature = "bn254")]
    #[value(name = "bn254", alias = "bn128")]
    Bn254,
    /// BLS12-377.
    #[cfg(feature = "bls12-377")]
    #[value(name = "bls12_377", aliases = ["bls12377", "bls12-377"])]
    Bls12377,
    /// BLS12-381, snarkjs' bls12381.
    #[cfg(feature = "bls12-381")]
    #[value(name = "bls12_381", aliases = ["bls12381", "bls12-381"])]
    Bls12381,
    /// BW6-761.
    #[cfg(feature = "bw6-761")]
    #[value(name = "bw6_761", aliases = ["bw6761", "bw6-761"])]
    Bw6761,
    /// MNT4-298.
    #[cfg(feature = "mnt4-298")]
    #[value(name = "mnt4_298", aliases = ["mnt4298", "mnt4-298"])]
    Mnt4298,
    /// MNT4-753.
    #[cfg(feature = "mnt4-753")]
    #[value(name = "mnt4_753", aliases = ["mnt4753", "mnt4-753"])]
    Mnt4753,
    /// MNT6-298.
    #[cfg(feature = "mnt6-298")]
    #[value(name = "mnt6_298", aliases = ["mnt6298", "mnt6-298"])]
    Mnt6298,
    /// MNT6-753.
    #[cfg(feature = "mnt6-753")]
    #[value(name = "mnt6_753", aliases = ["mnt6753", "mnt6-753"])]
    Mnt6753,
    /// Bandersnatch, twisted Edwards.
    #[cfg(feature = "bandersnatch")]
    #[value(name = "bandersnatch")]
    Bandersnatch,
    /// BLS24-315, without its pairing.
    #[cfg(feature = "bls24-315")]
    #[value(name = "bls24_315", aliases = ["bls24315", "bls24-315"])]
    Bls24315,
    /// BN462, without its pairing.
    #[cfg(feature = "bn462")]
    #[value(name = "bn462")]
    Bn462,
    /// Curve25519 as edwards25519, twisted Edwards.
    #[cfg(feature = "curve25519")]
    #[value(name = "curve25519", alias = "ed25519")]
    Curve25519,
    /// Grumpkin.
    #[cfg(feature = "grumpkin")]
    #[value(name = "grumpkin")]
    Grumpkin,
    /// Jubjub, twisted Edwards.
    #[cfg(feature = "jubjub")]
    #[value(name = "jubjub")]
    Jubjub,
    /// Pallas.
    #[cfg(feature = "pallas")]
    #[value(name = "pallas")]
    Pallas,
    /// secp256k1.
    #[cfg(feature = "secp256k1")]
    #[value(name = "secp256k1")]
    Secp256k1,
    /// secp256r1, NIST P-256.
    #[cfg(feature = "secp256r1")]
    #[value(name = "secp256r1", alias = "p256")]
    Secp256r1,
    /// Vesta.
    #[cfg(feature = "vesta")]
    #[value(name = "vesta")]
    Vesta,
}

impl Curve {
    /// The one spelling of its name: that of `--curve`, of `curvesmith curves`, and of what is printed.
    pub(crate) fn name(self) -> &'static str {
        // A group's name is the curve's and the group's.
        let group = with_module!(self, m => <m::G1 as curvesmith::Group>::NAME);
        group.strip_suffix("_g1").expect("the first group of a declaration")
    }

    /// The curve of a file, if it was built in.
    pub(crate) fn of_file(curve: SnarkjsCurve) -> Result<Self, Failure> {
        match curve {
            #[cfg(feature = "bn254")]
            SnarkjsCurve::Bn128 => Ok(Curve::Bn254),
            #[cfg(feature = "bls12-381")]
            SnarkjsCurve::Bls12381 => Ok(Curve::Bls12381),
            #[allow(unreachable_patterns, reason = "in builds of both")]
            curve => Err(Failure::Input(format!("{curve} is not built in"))),
        }
    }

    pub(crate) fn has_no_pairing(self) -> Failure {
        Failure::Input(format!("{} has no pairing", self.name()))
    }
}
