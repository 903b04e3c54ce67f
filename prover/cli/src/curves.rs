//! The built-in curves by name.

use crate::failure::Failure;
use clap::ValueEnum;
use curvesmith::snarkjs::SnarkjsCurve;

/// Evaluates an expression with `$module` standing for the module that declares the curve.
macro_rules! with_module {
    ($curve:expr, $module:ident => $body:expr) => {{
        use $crate::curves::Curve;
        match $curve {
            Curve::Bn254 => {
                use curvesmith::bn254 as $module;
                $body
            }
            Curve::Bls12377 => {
                use curvesmith::bls12_377 as $module;
                $body
            }
            Curve::Bls12381 => {
                use curvesmith::bls12_381 as $module;
                $body
            }
            Curve::Bw6761 => {
                use curvesmith::bw6_761 as $module;
                $body
            }
            Curve::Mnt4298 => {
                use curvesmith::mnt4_298 as $module;
                $body
            }
            Curve::Mnt4753 => {
                use curvesmith::mnt4_753 as $module;
                $body
            }
            Curve::Mnt6298 => {
                use curvesmith::mnt6_298 as $module;
                $body
            }
            Curve::Mnt6753 => {
                use curvesmith::mnt6_753 as $module;
                $body
            }
            Curve::Bandersnatch => {
                use curvesmith::bandersnatch as $module;
                $body
            }
            Curve::Bls24315 => {
                use curvesmith::bls24_315 as $module;
                $body
            }
            Curve::Bn462 => {
                use curvesmith::bn462 as $module;
                $body
            }
            Curve::Curve25519 => {
                use curvesmith::curve25519 as $module;
                $body
            }
            Curve::Grumpkin => {
                use curvesmith::grumpkin as $module;
                $body
            }
            Curve::Jubjub => {
                use curvesmith::jubjub as $module;
                $body
            }
            Curve::Pallas => {
                use curvesmith::pallas as $module;
                $body
            }
            Curve::Secp256k1 => {
                use curvesmith::secp256k1 as $module;
                $body
            }
            Curve::Secp256r1 => {
                use curvesmith::secp256r1 as $module;
                $body
            }
            Curve::Vesta => {
                use curvesmith::vesta as $module;
                $body
            }
        }
    }};
}
pub(crate) use with_module;

/// Evaluates an expression, a result, with the type alias `$C` standing for the curve's marker; a [`Failure`] on curves that have no
/// pairing.
macro_rules! with_curve {
    ($curve:expr, $C:ident => $body:expr) => {{
        use $crate::curves::Curve;
        match Curve::from($curve) {
            Curve::Bn254 => {
                type $C = curvesmith::bn254::Curve;
                $body
            }
            Curve::Bls12377 => {
                type $C = curvesmith::bls12_377::Curve;
                $body
            }
            Curve::Bls12381 => {
                type $C = curvesmith::bls12_381::Curve;
                $body
            }
            Curve::Bw6761 => {
                type $C = curvesmith::bw6_761::Curve;
                $body
            }
            Curve::Mnt4298 => {
                type $C = curvesmith::mnt4_298::Curve;
                $body
            }
            Curve::Mnt4753 => {
                type $C = curvesmith::mnt4_753::Curve;
                $body
            }
            Curve::Mnt6298 => {
                type $C = curvesmith::mnt6_298::Curve;
                $body
            }
            Curve::Mnt6753 => {
                type $C = curvesmith::mnt6_753::Curve;
                $body
            }
            curve => Err(curve.has_no_pairing()),
        }
    }};
}
pub(crate) use with_curve;

/// A built-in curve.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Curve {
    /// BN254, snarkjs' bn128.
    #[value(name = "bn254", alias = "bn128")]
    Bn254,
    /// BLS12-377.
    #[value(name = "bls12_377", aliases = ["bls12377", "bls12-377"])]
    Bls12377,
    /// BLS12-381, snarkjs' bls12381.
    #[value(name = "bls12_381", aliases = ["bls12381", "bls12-381"])]
    Bls12381,
    /// BW6-761.
    #[value(name = "bw6_761", aliases = ["bw6761", "bw6-761"])]
    Bw6761,
    /// MNT4-298.
    #[value(name = "mnt4_298", aliases = ["mnt4298", "mnt4-298"])]
    Mnt4298,
    /// MNT4-753.
    #[value(name = "mnt4_753", aliases = ["mnt4753", "mnt4-753"])]
    Mnt4753,
    /// MNT6-298.
    #[value(name = "mnt6_298", aliases = ["mnt6298", "mnt6-298"])]
    Mnt6298,
    /// MNT6-753.
    #[value(name = "mnt6_753", aliases = ["mnt6753", "mnt6-753"])]
    Mnt6753,
    /// Bandersnatch, twisted Edwards.
    #[value(name = "bandersnatch")]
    Bandersnatch,
    /// BLS24-315, without its pairing.
    #[value(name = "bls24_315", aliases = ["bls24315", "bls24-315"])]
    Bls24315,
    /// BN462, without its pairing.
    #[value(name = "bn462")]
    Bn462,
    /// Curve25519 as edwards25519, twisted Edwards.
    #[value(name = "curve25519", alias = "ed25519")]
    Curve25519,
    /// Grumpkin.
    #[value(name = "grumpkin")]
    Grumpkin,
    /// Jubjub, twisted Edwards.
    #[value(name = "jubjub")]
    Jubjub,
    /// Pallas.
    #[value(name = "pallas")]
    Pallas,
    /// secp256k1.
    #[value(name = "secp256k1")]
    Secp256k1,
    /// secp256r1, NIST P-256.
    #[value(name = "secp256r1", alias = "p256")]
    Secp256r1,
    /// Vesta.
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

    pub(crate) fn has_no_pairing(self) -> Failure {
        Failure::Input(format!("{} has no pairing", self.name()))
    }
}

impl From<SnarkjsCurve> for Curve {
    fn from(curve: SnarkjsCurve) -> Self {
        match curve {
            SnarkjsCurve::Bn128 => Curve::Bn254,
            SnarkjsCurve::Bls12381 => Curve::Bls12381,
        }
    }
}
