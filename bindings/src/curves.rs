//! The curves of this build, found by name or by a key's header.

use crate::error::{Error, Result};
use crate::key::{Unready, unready};
use crate::msm::{Plan as MsmPlan, plan as msm_plan};
use crate::ntt::{Plan as NttPlan, plan as ntt_plan};
use crate::verify::{Verdict, verdict};
use crate::words::element_words;
use ark_ff::PrimeField;
use curvesmith::snarkjs::json::JsonFile;
use curvesmith::snarkjs::{SnarkjsCurve, ZkeyCurve, ZkeyFile};
use curvesmith::{Field, Group, PairingCurve};

/// What can be done on a curve.
pub(crate) struct Entry {
    /// Its name in declarations: `bn254`.
    pub(crate) name: &'static str,
    /// snarkjs' curve of the same primes, found when it is asked for.
    snarkjs: fn() -> Option<SnarkjsCurve>,
    shapes: fn() -> Shapes,
    pub(crate) read_key: fn(&ZkeyFile, bool) -> Result<Unready>,
    pub(crate) verify: fn(&JsonFile, &str, &str) -> Result<Verdict>,
    /// Bits of a coordinate.
    pub(crate) coordinate_bits: u32,
    /// Of both groups.
    pub(crate) msm: [MsmPlan; 2],
    pub(crate) ntt: NttPlan,
}

const fn entry<C: ZkeyCurve>() -> Entry {
    Entry {
        name: <C as PairingCurve>::NAME,
        snarkjs: SnarkjsCurve::of::<C>,
        shapes: shapes_of::<C>,
        read_key: unready::<C>,
        verify: verdict::<C>,
        coordinate_bits: <<C::Fq as Field>::Ark as PrimeField>::MODULUS_BIT_SIZE,
        msm: [msm_plan::<C::G1>, msm_plan::<C::G2>],
        ntt: ntt_plan::<C::Fr>,
    }
}

// A static, whose code is compiled here alone: whoever inlines a function that reads a constant compiles all
// that it points to.
static CURVES: &[Entry] = &[
    #[cfg(feature = "bls12-377")]
    entry::<curvesmith::bls12_377::Curve>(),
    #[cfg(feature = "bls12-381")]
    entry::<curvesmith::bls12_381::Curve>(),
    #[cfg(feature = "bn254")]
    entry::<curvesmith::bn254::Curve>(),
    #[cfg(feature = "bw6-761")]
    entry::<curvesmith::bw6_761::Curve>(),
];

/// Names of the curves of this build, as calls take them.
pub fn curves() -> impl Iterator<Item = &'static str> {
    CURVES.iter().map(|entry| entry.name)
}

/// Sizes of what arrays of a curve hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shapes {
    /// Words of a scalar.
    pub scalar_words: usize,
    /// Words of an element of the field that coordinates are extensions of.
    pub base_words: usize,
    /// Such elements in a coordinate, of both groups.
    pub degrees: [usize; 2],
}

/// Sizes of what arrays of this curve hold. Errors: a curve that is not of this build.
pub fn shapes(curve: &str) -> Result<Shapes> {
    Ok((named(curve)?.shapes)())
}

fn shapes_of<C: ZkeyCurve>() -> Shapes {
    Shapes {
        scalar_words: element_words::<C::Fr>(),
        base_words: element_words::<<C::G1 as Group>::Base>(),
        degrees: [C::G1::DEGREE, C::G2::DEGREE],
    }
}

/// Bits of a coordinate, of the curve of this build that has the longest among those of keys.
pub fn most_coordinate_bits() -> u32 {
    CURVES
        .iter()
        .filter(|entry| (entry.snarkjs)().is_some())
        .map(|entry| entry.coordinate_bits)
        .max()
        .unwrap_or(0)
}

/// The curve of this name; letters and digits count, and snarkjs' names are known too.
pub(crate) fn named(name: &str) -> Result<&'static Entry> {
    let letters = |name: &str| name.to_ascii_lowercase().replace(|c: char| !c.is_ascii_alphanumeric(), "");
    let wanted = letters(name);
    let found = CURVES.iter().find(|entry| letters(entry.name) == wanted);
    let known = || SnarkjsCurve::from_name(name).and_then(|curve| of_snarkjs(curve).ok());
    found.or_else(known).ok_or_else(|| {
        let names = curves().collect::<Vec<_>>().join(", ");
        Error::input(format_args!("curve {name:?} is not built in, expected one of {names}"))
    })
}

/// The curve of a file.
pub(crate) fn of_snarkjs(curve: SnarkjsCurve) -> Result<&'static Entry> {
    let found = CURVES.iter().find(|entry| (entry.snarkjs)() == Some(curve));
    found.ok_or_else(|| Error::input(format_args!("{curve} is not built in")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_both_groups_have_a_shape() {
        let shapes = |curve| shapes(curve).unwrap();
        assert_eq!(shapes("bn128"), Shapes { scalar_words: 4, base_words: 4, degrees: [1, 2] });
        assert_eq!(shapes("bls12_381"), Shapes { scalar_words: 4, base_words: 6, degrees: [1, 2] });
    }

    #[test]
    fn curves_are_found_by_any_of_their_names() {
        for name in ["bn254", "bn128", "BN-254", "alt_bn128"] {
            assert_eq!(named(name).unwrap().name, "bn254", "{name}");
        }
        assert_eq!(named("BLS12-381").unwrap().name, "bls12_381");
        let error = named("secp256k1").map(|_| ()).unwrap_err();
        assert!(
            error.message.starts_with("curve \"secp256k1\" is not built in, expected one of "),
            "{error}"
        );
    }
}
