//! `Fp6` over `Fp3`, of BW6 and MNT6.

use super::{same, same_all};
use ark_ff::Fp3Config;
use ark_ff::fields::fp6_2over3::Fp6Config;

/// `Fp3` and `Fp6` of two pairings over such towers.
pub(crate) fn same_towers<A: Fp6Config, B: Fp6Config>() {
    same_below::<A::Fp3Config, B::Fp3Config>();
    same(&A::NONRESIDUE, &B::NONRESIDUE);
    same_all(A::FROBENIUS_COEFF_FP6_C1, B::FROBENIUS_COEFF_FP6_C1);
}

fn same_below<A: Fp3Config, B: Fp3Config>() {
    same(&A::NONRESIDUE, &B::NONRESIDUE);
    same_all(A::FROBENIUS_COEFF_FP3_C1, B::FROBENIUS_COEFF_FP3_C1);
    same_all(A::FROBENIUS_COEFF_FP3_C2, B::FROBENIUS_COEFF_FP3_C2);
    assert_eq!((A::TWO_ADICITY, A::TRACE_MINUS_ONE_DIV_TWO), (B::TWO_ADICITY, B::TRACE_MINUS_ONE_DIV_TWO));
    same(&A::QUADRATIC_NONRESIDUE_TO_T, &B::QUADRATIC_NONRESIDUE_TO_T);
}
