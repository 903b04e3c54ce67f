//! Several multi-scalar multiplications in one call.

use super::Msm;
use crate::csr::check_len;
use crate::error::{Result, RuntimeError};
use crate::field::modulus_bits;
use crate::group::{Group, ProjectiveOf, ScalarOf};
use crate::job::Cancel;
use crate::plan::call;
use crate::vocabulary::{Detail, DigitShape, Report};
use crate::work::{Work, ahead};

impl<G: Group> Msm<G> {
    /// The sums for several vectors of scalars, each as long as there are bases, in the order of the vectors.
    /// One call: while the device works on one, the next is copied, and all sums come back together.
    ///
    /// Errors are those of [`Msm::run`], of any of the vectors.
    pub fn run_batch(&self, batch: &[&[ScalarOf<G>]]) -> Result<Vec<ProjectiveOf<G>>> {
        Self::run_all(&batch.iter().map(|scalars| (self, *scalars)).collect::<Vec<_>>())
    }

    /// As [`Msm::run_batch`], each vector with bases of its own, of any number: the plans are of one device.
    pub fn run_all(batch: &[(&Msm<G>, &[ScalarOf<G>])]) -> Result<Vec<ProjectiveOf<G>>> {
        Self::run_all_with_report(batch, Detail::Counts).map(|(sums, _)| sums)
    }

    /// As [`Msm::run_all`], with what the call did.
    pub fn run_all_with_report(
        batch: &[(&Msm<G>, &[ScalarOf<G>])],
        detail: Detail,
    ) -> Result<(Vec<ProjectiveOf<G>>, Report)> {
        for (plan, scalars) in batch {
            check_len("scalars of the MSM", plan.len(), scalars.len())?;
        }
        let Some((first, _)) = batch.first() else { return Ok((Vec::new(), Report::default())) };
        call(first.device(), detail, &Cancel::default(), |work| sum_all(work, batch))
    }

    /// The sums of the same scalars over these bases and those of `other`, in another group with the same
    /// scalar field or in this one: they are cut into digits and sorted once.
    ///
    /// Errors: [`RuntimeError::Length`] unless there are as many bases of each as scalars;
    /// [`RuntimeError::Input`] where the plans have other windows or multiples, or one of them constant work.
    pub fn run_with<H: Group<Scalar = G::Scalar>>(
        &self,
        other: &Msm<H>,
        scalars: &[ScalarOf<G>],
    ) -> Result<(ProjectiveOf<G>, ProjectiveOf<H>)> {
        check_len("scalars of the MSM", self.len(), scalars.len())?;
        check_len("bases of the other MSM", self.len(), other.len())?;
        let shape = (self.window, self.bases.shape(), self.constant);
        if shape != (other.window, other.bases.shape(), other.constant) {
            let reason = "windows, multiples or constant work are not those of the other MSM".to_owned();
            return Err(RuntimeError::Input { what: "options", reason });
        }
        let sums = call(self.device(), Detail::Counts, &Cancel::default(), |work| {
            let (bits, shape) = self.shape(work, self.len(), modulus_bits::<G::Scalar>());
            work.check_msm_memory::<G>(self.len(), self.len(), shape, self.memory)?;
            work.check_msm_memory::<H>(self.len(), self.len(), shape, other.memory)?;
            let scalars = work.stage("upload", |work| work.upload::<G::Scalar>(scalars))?;
            let digits =
                work.stage("digits", |work| work.digits_below::<G::Scalar>(&scalars, bits, shape))?;
            let sums = work.sums(work.sum_bytes::<G>(shape) + work.sum_bytes::<H>(shape))?;
            let (of_self, of_other) = work.stage("msm", |work| {
                let of_self = self.add_up(work, &digits, shape, 0..self.len(), &sums)?;
                Ok((of_self, other.add_up(work, &digits, shape, 0..self.len(), &sums)?))
            })?;
            let bytes = work.download_sums(&sums)?;
            work.host_stage("combine", || Ok((of_self.point(&bytes)?, of_other.point(&bytes)?)))
        });
        sums.map(|(sums, _)| sums)
    }
}

fn sum_all<G: Group>(work: &Work, batch: &[(&Msm<G>, &[ScalarOf<G>])]) -> Result<Vec<ProjectiveOf<G>>> {
    let bits = modulus_bits::<G::Scalar>();
    let shapes: Vec<(u32, DigitShape)> =
        batch.iter().map(|(plan, scalars)| plan.shape(work, scalars.len(), bits)).collect();
    for ((plan, scalars), (_, shape)) in batch.iter().zip(&shapes) {
        work.check_msm_memory::<G>(scalars.len(), scalars.len(), *shape, plan.memory)?;
    }
    let sums = work.sums(shapes.iter().map(|(_, shape)| work.sum_bytes::<G>(*shape)).sum())?;
    let mut found = Vec::with_capacity(batch.len());
    ahead(
        work,
        batch.len(),
        |work, i| work.room_for_scalars::<G::Scalar>(batch[i].1.len()),
        |copies, room, i| copies.fill_scalars(room, batch[i].1),
        |work, room, i| {
            let ((plan, scalars), (bits, shape)) = (&batch[i], shapes[i]);
            let digits = work.stage("digits", |work| {
                work.digits_below::<G::Scalar>(&work.scalars_in(room)?, bits, shape)
            })?;
            found.push(work.stage("msm", |work| plan.add_up(work, &digits, shape, 0..scalars.len(), &sums))?);
            Ok(())
        },
    )?;
    let bytes = work.download_sums(&sums)?;
    work.host_stage("combine", || found.iter().map(|sum| sum.point(&bytes)).collect())
}
