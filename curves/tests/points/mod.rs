//! Points of a curve, in its subgroup or not.

use ark_ff::{Field as _, One};
use curvesmith_abi::Form;
use curvesmith_runtime::group::{AffineOf, CoordinateOf, Group, Points as _, ProjectiveOf};

/// By `x`, or by `y` on an Edwards curve, from 2.
pub(crate) fn of<G: Group>() -> impl Iterator<Item = AffineOf<G>> {
    let [a, other] = ProjectiveOf::<G>::COEFFICIENTS;
    (2u64..).filter_map(move |i| {
        let (one, c) = (CoordinateOf::<G>::one(), CoordinateOf::<G>::from(i));
        let (x, y) = match ProjectiveOf::<G>::FORM {
            Form::Xyzz => (c, ((c.square() + a) * c + other).sqrt()?),
            Form::Niels => unreachable!("no group is declared by its form"),
            Form::Extended => (((one - c.square()) * (a - other * c.square()).inverse()?).sqrt()?, c),
        };
        Some(ProjectiveOf::<G>::affine(x, y))
    })
}
