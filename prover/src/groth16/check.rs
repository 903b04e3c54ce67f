//! The check of a proof: whether it may be returned, and who is at fault if it may not.

use super::assemble::{Blinding, Opening};
use super::stages::{DeviceKey, Place, Source};
use super::{Fault, Groth16, ProveError, Scalar};
use crate::verify::{Factor, PreparedVk, check_point, check_proof};
use ark_groth16::Proof;
use curvesmith_runtime::group::{AffineOf, PairingCurve};
use curvesmith_runtime::parallel::join;
use curvesmith_runtime::{Cancel, Detail, Device};

/// The check of a proof whose points become known one after the other, in parts that may run at once.
///
/// Points are tested for their groups always: what a key's points of small order put into them would tell the
/// witness (`subgroup`). A part that is `None` refuses the proof.
pub(super) struct Check<'a, C: PairingCurve> {
    pub(super) verifier: &'a PreparedVk<C>,
    /// Is the equation checked?
    pub(super) equation: bool,
}

impl<C: PairingCurve> Check<'_, C> {
    /// The part of the public inputs, `public`, without the leading one.
    pub(super) fn inputs(&self, public: &[Scalar<C>]) -> Option<Factor<C>> {
        if self.equation { self.verifier.factor_of_inputs(public).ok() } else { Some(Factor::ONE) }
    }

    pub(super) fn a_b(&self, a: AffineOf<C::G1>, b: AffineOf<C::G2>) -> Option<Factor<C>> {
        let (in_groups, factor) = join(
            || check_point::<C::G1>(&a).and_then(|()| check_point::<C::G2>(&b)).is_ok(),
            || if self.equation { Factor::of_a_b(a, b) } else { Factor::ONE },
        );
        in_groups.then_some(factor)
    }

    pub(super) fn c(&self, c: AffineOf<C::G1>) -> Option<Factor<C>> {
        let (in_group, factor) = join(
            || check_point::<C::G1>(&c).is_ok(),
            || if self.equation { self.verifier.factor_of_c(c) } else { Factor::ONE },
        );
        in_group.then_some(factor)
    }

    /// May the proof of these parts be returned?
    pub(super) fn holds(&self, parts: [Option<Factor<C>>; 3]) -> bool {
        match parts {
            [Some(inputs), Some(a_b), Some(c)] => !self.equation || self.verifier.holds([inputs, a_b, c]),
            _ => false,
        }
    }
}

impl<C: PairingCurve> Groth16<C> {
    /// Proves again on the CPU with the same r and s: who made the first proof fail?
    pub(super) fn blame(
        &self,
        values: &[Scalar<C>],
        proof: &Proof<C::Engine>,
        randomness: &[Scalar<C>; 2],
        cancel: &Cancel,
    ) -> Result<ProveError, ProveError> {
        let cpu = Device::cpu().work_with(Detail::Counts, cancel)?;
        let sums = match &self.host {
            Some(key) => DeviceKey::new(&Device::cpu(), Source::Keep(key), Place::OnDevice)?
                .submit(&cpu, values, None)?,
            None => self.key.submit(&cpu, values, None)?,
        };
        let (opening, closing) = sums.opening(&cpu)?;
        let blinding = Blinding::new(&self.deltas, randomness);
        let opening = Opening::new(&self.points, &opening, &blinding);
        let c = closing.closing(&cpu)?.c(opening.share_of_c(&blinding));
        let reference = Proof { a: opening.a, b: opening.b, c };
        let public = &values[1..=self.public_inputs()];
        if let Err((point, problem)) = check_proof::<C>(&reference) {
            return Ok(ProveError::Point { point, problem, device: self.device.name() });
        }
        let valid = self.verifier.verify_equation(public, &reference).is_ok();
        let fault = match (valid, reference == *proof) {
            (true, _) => Fault::Device,
            (false, true) => Fault::Witness,
            (false, false) => Fault::WitnessAndDevice,
        };
        Ok(ProveError::SelfCheck { fault, device: self.device.name() })
    }
}
