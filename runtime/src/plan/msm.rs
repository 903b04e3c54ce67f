//! The multi-scalar multiplication plan.

use super::call;
use crate::cpu::collect;
use crate::csr::check_len;
use crate::error::{Result, RuntimeError};
use crate::field::modulus_bits;
use crate::gpu::{Detail, Report};
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::handle::Device;
use crate::job::{Cancel, Job};
use crate::values::{DeviceBases, DeviceVec};
use crate::work::{DigitShape, Work};
use ark_ff::{AdditiveGroup, BigInteger, PrimeField};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Options of an [`Msm`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MsmOptions {
    window: Option<u32>,
    multiples: u32,
}

impl MsmOptions {
    /// Fixes the window width in bits, 2 to 16, with multiples of the bases to 24; by default it follows the number of bases.
    /// The CPU chooses its own.
    pub fn window(mut self, bits: u32) -> Self {
        self.window = Some(bits);
        self
    }

    /// Keeps up to so many precomputed multiples of each base on the device, the base itself among them, which takes that many
    /// times the memory: windows then share buckets, of which there are fewer and larger sets. By default there is the base alone.
    /// The CPU keeps no multiples.
    pub fn multiples(mut self, most: u32) -> Self {
        self.multiples = most;
        self
    }
}

/// `Σ scalar_i · base_i` for bases that stay on the device. Clones share the bases.
pub struct Msm<G: Group> {
    bases: Arc<DeviceBases<G>>,
    /// Fixed by the options.
    window: Option<u32>,
}

/// Integers that scalars of a group are given by.
type IntegerOf<G> = <ScalarOf<G> as PrimeField>::BigInt;

impl<G: Group> Clone for Msm<G> {
    fn clone(&self) -> Self {
        Msm { bases: Arc::clone(&self.bases), window: self.window }
    }
}

impl<G: Group> Msm<G> {
    /// Moves `bases` to the device: points of the group, the identity allowed. That they
    /// lie on the curve and in the subgroup of order `r` is the caller's promise; the book's page on declarations says what
    /// is computed for points outside of it.
    pub fn new(device: &Device, bases: &[AffineOf<G>], options: MsmOptions) -> Result<Self> {
        let shape = shape::<G>(&options)?;
        let bases = match (options.multiples, shape) {
            (0 | 1, _) => DeviceBases::upload(device, bases)?,
            (most, None) => DeviceBases::upload_with_multiples(device, bases, most)?,
            (_, Some(shape)) => DeviceBases::upload_for(device, bases, shape)?,
        };
        Ok(Msm { bases: Arc::new(bases), window: options.window })
    }

    /// A plan for bases that are on their device already. Their multiples decide on the window: of the options, only the default
    /// goes with multiples.
    pub fn with_bases(bases: Arc<DeviceBases<G>>, options: MsmOptions) -> Result<Self> {
        let shape = shape::<G>(&options)?;
        if let (Some(own), true) = (bases.shape(), shape.is_some() || options.multiples > 1) {
            let reason = format!("the bases have multiples for windows of {} bits", own.window);
            return Err(RuntimeError::Input { what: "options", reason });
        }
        if options.multiples > 1 {
            let reason = "multiples are made when bases are uploaded, these have none".to_owned();
            return Err(RuntimeError::Input { what: "options", reason });
        }
        Ok(Msm { bases, window: options.window })
    }

    /// The sum, for as many scalars as there are bases.
    pub fn run(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        self.run_with_report(scalars, Detail::Counts).map(|(sum, _)| sum)
    }

    /// As [`Msm::run`], with what the call did.
    pub fn run_with_report(
        &self,
        scalars: &[ScalarOf<G>],
        detail: Detail,
    ) -> Result<(ProjectiveOf<G>, Report)> {
        self.run_cancellable(scalars, detail, &Cancel::default())
    }

    /// As [`Msm::run`], for scalars on the device.
    pub fn run_resident(&self, scalars: &DeviceVec<G::Scalar>) -> Result<ProjectiveOf<G>> {
        self.run_resident_with_report(scalars, Detail::Counts).map(|(sum, _)| sum)
    }

    /// As [`Msm::run_resident`], with what the call did.
    pub fn run_resident_with_report(
        &self,
        scalars: &DeviceVec<G::Scalar>,
        detail: Detail,
    ) -> Result<(ProjectiveOf<G>, Report)> {
        check_len("scalars of the MSM", self.len(), scalars.len())?;
        let bits = modulus_bits::<G::Scalar>();
        call(self.device(), detail, &Cancel::default(), |work| self.sum(work, scalars, bits))
    }

    /// As [`Msm::run`], for integers below `r`. The longest of them decides how many windows there are, unless the bases have
    /// multiples.
    pub fn msm_bigint(&self, scalars: &[IntegerOf<G>]) -> Result<ProjectiveOf<G>> {
        let field: Vec<Option<ScalarOf<G>>> =
            collect(scalars.len(), &|i| ScalarOf::<G>::from_bigint(scalars[i]));
        if let Some(i) = field.iter().position(Option::is_none) {
            let reason = format!("number {i} is not below the order of {}", G::NAME);
            return Err(RuntimeError::Input { what: "scalars", reason });
        }
        let bits = scalars.iter().map(|scalar| scalar.num_bits()).max().unwrap_or_default();
        let field: Vec<ScalarOf<G>> = field.into_iter().flatten().collect();
        self.run_below(&field, bits.max(1), Detail::Counts, &Cancel::default()).map(|(sum, _)| sum)
    }

    /// As [`Msm::run`], for scalars of 0 and 1.
    pub fn msm_u1(&self, scalars: &[bool]) -> Result<ProjectiveOf<G>> {
        self.integers(scalars, 1)
    }

    /// As [`Msm::run`], for integers of 8 bits.
    pub fn msm_u8(&self, scalars: &[u8]) -> Result<ProjectiveOf<G>> {
        self.integers(scalars, u8::BITS)
    }

    /// As [`Msm::run`], for integers of 16 bits.
    pub fn msm_u16(&self, scalars: &[u16]) -> Result<ProjectiveOf<G>> {
        self.integers(scalars, u16::BITS)
    }

    /// As [`Msm::run`], for integers of 32 bits.
    pub fn msm_u32(&self, scalars: &[u32]) -> Result<ProjectiveOf<G>> {
        self.integers(scalars, u32::BITS)
    }

    /// As [`Msm::run`], for integers of 64 bits.
    pub fn msm_u64(&self, scalars: &[u64]) -> Result<ProjectiveOf<G>> {
        self.integers(scalars, u64::BITS)
    }

    /// They are taken modulo `r`, as arkworks does.
    fn integers<T: Copy + Into<u64> + Sync>(&self, scalars: &[T], bits: u32) -> Result<ProjectiveOf<G>> {
        let field = collect(scalars.len(), &|i| ScalarOf::<G>::from(scalars[i].into()));
        let bits = bits.min(modulus_bits::<G::Scalar>());
        self.run_below(&field, bits, Detail::Counts, &Cancel::default()).map(|(sum, _)| sum)
    }

    /// As [`Msm::run`], beside the caller.
    pub fn submit(&self, scalars: Vec<ScalarOf<G>>) -> Job<ProjectiveOf<G>> {
        let plan = self.clone();
        Job::start(move |cancel| plan.run_cancellable(&scalars, Detail::Counts, &cancel).map(|(sum, _)| sum))
    }

    pub(super) fn run_cancellable(
        &self,
        scalars: &[ScalarOf<G>],
        detail: Detail,
        cancel: &Cancel,
    ) -> Result<(ProjectiveOf<G>, Report)> {
        self.run_below(scalars, modulus_bits::<G::Scalar>(), detail, cancel)
    }

    /// For scalars below `2^bits`, as integers from 0 on.
    fn run_below(
        &self,
        scalars: &[ScalarOf<G>],
        bits: u32,
        detail: Detail,
        cancel: &Cancel,
    ) -> Result<(ProjectiveOf<G>, Report)> {
        check_len("scalars of the MSM", self.len(), scalars.len())?;
        call(self.device(), detail, cancel, |work| {
            let (bits_of_shape, shape) = self.shape(work, self.len(), bits);
            let parts = work.msm_parts::<G>(scalars.len(), shape);
            if parts.len() > 1 {
                return self.sum_of_parts(work, scalars, (bits_of_shape, shape), &parts);
            }
            let scalars = work.stage("upload", |work| work.upload::<G::Scalar>(scalars))?;
            self.sum(work, &scalars, bits)
        })
    }

    /// Copies go on beside the work on the parts before.
    fn sum_of_parts(
        &self,
        work: &Work,
        scalars: &[ScalarOf<G>],
        (bits, shape): (u32, DigitShape),
        parts: &[Range<usize>],
    ) -> Result<ProjectiveOf<G>> {
        let sums = work.sums(work.sum_bytes::<G>(shape))?;
        let mut buckets = work.buckets::<G>(shape);
        // Forks of what is there now: later work does not hold the copies up.
        let copies = parts.iter().map(|_| work.fork()).collect::<Result<Vec<_>>>()?;
        for (i, (part, copy)) in parts.iter().zip(copies).enumerate() {
            let scalars = copy.stage("upload", |copy| {
                if i == 1 {
                    copy.prepare_buckets(&mut buckets)?;
                }
                copy.upload::<G::Scalar>(&scalars[part.clone()])
            })?;
            work.join(copy)?;
            let digits =
                work.stage("digits", |work| work.digits_below::<G::Scalar>(&scalars, bits, shape))?;
            work.stage("msm", |work| work.add_to_buckets(&mut buckets, &digits, &self.bases, part.clone()))?;
        }
        let sum = work.stage("msm", |work| work.sum_of_buckets(buckets, &sums))?;
        let bytes = work.download_sums(&sums)?;
        work.host_stage("combine", || sum.point(&bytes))
    }

    /// The shape of digits for so many scalars below `2^bits`, and the bits that it is for: multiples of the bases are made for
    /// scalars of all lengths.
    fn shape(&self, work: &Work, n: usize, bits: u32) -> (u32, DigitShape) {
        match (self.bases.shape(), self.window) {
            (Some(shape), _) => (modulus_bits::<G::Scalar>(), shape),
            (None, Some(window)) => (bits, DigitShape::new(bits, window)),
            (None, None) => (bits, work.digit_shape_below(bits, n)),
        }
    }

    fn sum(&self, work: &Work, scalars: &DeviceVec<G::Scalar>, bits: u32) -> Result<ProjectiveOf<G>> {
        if self.is_empty() {
            return Ok(ProjectiveOf::<G>::ZERO);
        }
        let (bits, shape) = self.shape(work, self.len(), bits);
        let digits = work.stage("digits", |work| work.digits_below::<G::Scalar>(scalars, bits, shape))?;
        work.stage("msm", |work| work.msm::<G>(&digits, &self.bases))
    }

    /// Number of bases.
    pub fn len(&self) -> usize {
        self.bases.len()
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.bases.is_empty()
    }

    /// The bases, which other plans may share.
    pub fn bases(&self) -> &Arc<DeviceBases<G>> {
        &self.bases
    }

    /// The device that holds the bases.
    pub fn device(&self) -> &Device {
        self.bases.device()
    }
}

fn shape<G: Group>(options: &MsmOptions) -> Result<Option<DigitShape>> {
    let shape = options.window.map(|window| {
        let widest = if options.multiples > 1 { 24 } else { 16 };
        if !(2..=widest).contains(&window) {
            let reason = format!("it is {window} bits, 2 to {widest} are supported");
            return Err(RuntimeError::Input { what: "window", reason });
        }
        Ok(DigitShape::with_multiples(modulus_bits::<G::Scalar>(), window, options.multiples))
    });
    shape.transpose()
}

impl<G: Group> fmt::Debug for Msm<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Msm<{}>[{}] on {}", G::NAME, self.len(), self.device().name())
    }
}
