//! The built-in curves by name.

use clap::ValueEnum;
use curvesmith::snarkjs::SnarkjsCurve;

/// Evaluates an expression with the type alias `$C` standing for the curve's marker.
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
        }
    }};
}
pub(crate) use with_curve;

/// A built-in curve with a pairing.
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
}

impl Curve {
    /// The one spelling of its name: that of `--curve`, of `curvesmith curves`, and of what is printed.
    pub(crate) fn name(self) -> &'static str {
        with_curve!(self, C => <C as curvesmith::PairingCurve>::NAME)
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
