//! Roots of unity as kernels take them.

use super::super::convert;
use super::super::mixed::MixedRoots;
use super::{Pass, Roots};
use crate::domain::Domain;
use crate::field::Field;
use ark_ff::{Field as _, LegendreSymbol, PrimeField};

/// What the kernels take for these passes over `2^log` elements and this root of order `n`.
pub(crate) fn roots<F: Field>(domain: &Domain, passes: &[Pass], omega: F::Ark) -> Roots {
    let part = 1u64 << domain.log;
    let of_part = omega.pow([domain.n as u64 / part]);
    let (turn, own) = match passes.iter().map(|pass| pass.log_r).max() {
        Some(log_r) => {
            let root = of_part.pow([part >> log_r]);
            let turn = turn::<F>(root, log_r);
            (turn, root.pow([u64::from(turn)]))
        }
        None => (1, F::Ark::ONE),
    };
    let squarings = passes.iter().map(|pass| convert::squarings::<F>(of_part.pow([part >> pass.end()])));
    let size_inv = F::Ark::from(domain.n as u64).inverse().expect("the size divides p - 1");
    let mixed = (domain.power > 0).then(|| MixedRoots {
        levels: domain
            .orders()
            .map(|order| convert::squarings::<F>(omega.pow([domain.n as u64 / order as u64])))
            .collect(),
    });
    let size_inv = convert::device_bytes::<F>(&[size_inv]);
    let inner = convert::squarings::<F>(own);
    Roots { size_inv, turn, inner, squarings: squarings.collect(), mixed }
}

/// The odd `t < 2^log_r` with `root^t = W`, `W = z^((p-1)/2^log_r)` for the least nonresidue `z`: the rule by
/// which the compiler chose the root in its kernels. `root` has order `2^log_r`; `log_r` is 1 or more, and
/// small.
fn turn<F: Field>(root: F::Ark, log_r: u32) -> u32 {
    let nonresidue = (2u64..).map(F::Ark::from).find(|z| z.legendre() == LegendreSymbol::QuadraticNonResidue);
    // p - 1 is p without its lowest bit, which the shift drops.
    let exponent = F::Ark::MODULUS >> log_r;
    let own = nonresidue.expect("half of the units are no squares").pow(exponent);
    let turn = (1..=1 << log_r).step_by(2).find(|&t| root.pow([t]) == own);
    turn.expect("the roots of one order are the odd powers of any of them") as u32
}
