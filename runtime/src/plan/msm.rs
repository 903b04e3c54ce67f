//! The multi-scalar multiplication plan.

mod batch;
mod options;
mod tune;

pub use options::MsmOptions;
pub use tune::{TuneOptions, Tuned, tune_windows};

use super::call;
use crate::csr::{check_len, check_range};
use crate::error::{Result, RuntimeError};
use crate::field::modulus_bits;
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::handle::Device;
use crate::job::{Cancel, Job};
use crate::owner::Owner;
use crate::parallel::collect;
use crate::values::{DeviceBases, DeviceVec, Digits};
use crate::vocabulary::{Adding, CurveForm, Detail, DigitShape, Report};
use crate::work::{Sum, Sums, Work};
use ark_ff::{AdditiveGroup, BigInteger, PrimeField, UniformRand};
use ark_std::rand::{CryptoRng, RngCore};
use curvesmith_abi::Element;
use options::Multiples;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use zeroize::Zeroizing;

/// `Σ scalar_i · base_i` for bases that stay on the device. Clones share the bases.
pub struct Msm<G: Group> {
    bases: Arc<DeviceBases<G>>,
    /// Fixed by the options.
    window: Option<u32>,
    adding: Adding,
    /// Most bytes of a call.
    memory: Option<u64>,
    /// Whether the work does not depend on scalars.
    constant: bool,
}

/// Integers that scalars of a group are given by.
type IntegerOf<G> = <ScalarOf<G> as PrimeField>::BigInt;

impl<G: Group> Clone for Msm<G> {
    fn clone(&self) -> Self {
        Msm { bases: Arc::clone(&self.bases), ..*self }
    }
}

impl<G: Group> Msm<G> {
    /// Moves `bases` to the device: points of the group, the identity allowed. That they lie on the curve and
    /// in the subgroup of order `r` is the caller's promise; the book's page on declarations says what is
    /// computed for points outside of it.
    ///
    /// Errors: options that the group or the device does not have; [`RuntimeError::Input`] where bases have
    /// no image on the [form](MsmOptions::form) that is asked for; [`RuntimeError::InsufficientMemory`] where
    /// the device has no room for the bases, before any is copied.
    pub fn new(device: &Device, bases: &[AffineOf<G>], options: MsmOptions) -> Result<Self> {
        options.check_kernels::<G>(device)?;
        let work = device.work()?;
        let most = match options.multiples {
            Multiples::Most(most) => most,
            Multiples::ThatFit => {
                let bytes =
                    bases.len() as u64 * Owner::group_in::<G>(options.form)?.bytes(Element::Affine) as u64;
                work.most_multiples(bytes.saturating_mul(u64::from(options.doublings) + 1)).max(1)
            }
        };
        let shape = match (most, options.doublings, options.shape::<G>(most)?) {
            (0 | 1, 0, _) => None,
            (_, _, Some(shape)) => Some(shape),
            (most, _, None) if options.constant => Some(work.regular_shape::<G::Scalar>(bases.len(), most)),
            (most, tau, None) => Some(work.shape_with_doublings::<G::Scalar>(bases.len(), most, tau)),
        };
        work.check_base_memory::<G>(bases.len(), options.form, shape)?;
        work.finish()?;
        let bases = match shape {
            None => DeviceBases::upload_in(device, bases, options.form)?,
            Some(shape) => DeviceBases::upload_for(device, bases, options.form, shape)?,
        };
        let MsmOptions { window, adding, memory, constant, .. } = options;
        Ok(Msm { bases: Arc::new(bases), window, adding, memory, constant })
    }

    /// A plan for bases that are on their device already, in the form that they have there. Their multiples
    /// decide on the window: options that ask for a window or for multiples do not go with them, nor does
    /// another form.
    pub fn with_bases(bases: Arc<DeviceBases<G>>, options: MsmOptions) -> Result<Self> {
        let form = if options.form == CurveForm::Declared { bases.form() } else { options.form };
        let options = options.form(form);
        options.check_kernels::<G>(bases.device())?;
        if form != bases.form() && bases.device().engine().prepares_bases() {
            let reason =
                "bases are converted when they are uploaded, these have the declared form".to_owned();
            return Err(RuntimeError::Input { what: "form", reason });
        }
        let multiples = match options.multiples {
            Multiples::Most(most) => most,
            Multiples::ThatFit => u32::MAX,
        };
        let shape = options.shape::<G>(multiples)?;
        let wants_multiples = options.wants_multiples();
        if let (Some(own), true) = (bases.shape(), shape.is_some() || wants_multiples) {
            let reason = format!("the bases have multiples for windows of {} bits", own.window);
            return Err(RuntimeError::Input { what: "options", reason });
        }
        let of_bases = bases.shape().is_some_and(|shape| shape.is_constant());
        if options.constant && bases.shape().is_some() && !of_bases {
            let reason = "the bases have multiples for digits of other work".to_owned();
            return Err(RuntimeError::Input { what: "constant work", reason });
        }
        if wants_multiples {
            let reason = "multiples are made when bases are uploaded, these have none".to_owned();
            return Err(RuntimeError::Input { what: "options", reason });
        }
        let MsmOptions { window, adding, memory, constant, .. } = options;
        Ok(Msm { bases, window, adding, memory, constant: constant || of_bases })
    }

    /// The sum, for as many scalars as there are bases.
    ///
    /// Errors: [`RuntimeError::Length`]; [`RuntimeError::InsufficientMemory`] where the call takes more
    /// memory than the device has free or the options allow, before anything is launched.
    pub fn run(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        self.run_with_report(scalars, Detail::Counts).map(|(sum, _)| sum)
    }

    /// [`Msm::run`], by the name that it has in arkworks' `VariableBaseMSM`.
    pub fn msm(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        self.run(scalars)
    }

    /// As [`Msm::run`], for scalars of a range of the bases: `Σ scalars[i] · bases[range.start + i]`, for as
    /// many scalars as the range is long.
    ///
    /// Errors: [`RuntimeError::Length`] where the range ends behind the bases, or is not as long as the
    /// scalars; [`RuntimeError::Input`] where it ends before it begins.
    pub fn run_range(&self, range: Range<usize>, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        self.check_terms(&range, scalars.len())?;
        let bits = modulus_bits::<G::Scalar>();
        self.run_from(range.start, scalars, bits, Detail::Counts, &Cancel::default()).map(|(sum, _)| sum)
    }

    /// A range of the bases, and as many scalars as it is long.
    fn check_terms(&self, range: &Range<usize>, scalars: usize) -> Result<()> {
        if range.start > range.end {
            let reason = format!("it begins at {} and ends at {}", range.start, range.end);
            return Err(RuntimeError::Input { what: "range of bases", reason });
        }
        check_range(range, self.len())?;
        check_len("scalars of the MSM", range.len(), scalars)
    }

    /// As [`Msm::run`], with the scalars `s` as `(s - t) + t` for random `t`: what the device works on are
    /// two vectors that have nothing to do with `s` each, in one sum of twice as many products. The book's
    /// page on secrets says what that protects. Both vectors are wiped on the host; the device's memory is
    /// not.
    pub fn run_masked<R: CryptoRng + RngCore + ?Sized>(
        &self,
        scalars: &[ScalarOf<G>],
        rng: &mut R,
    ) -> Result<ProjectiveOf<G>> {
        check_len("scalars of the MSM", self.len(), scalars.len())?;
        let masks: Vec<_> = scalars.iter().map(|_| ScalarOf::<G>::rand(rng)).collect();
        let masks = Zeroizing::new(masks);
        let masked = Zeroizing::new(collect(scalars.len(), &|i| scalars[i] - masks[i]));
        let bits = modulus_bits::<G::Scalar>();
        let sum = call(self.device(), Detail::Counts, &Cancel::default(), |work| {
            if self.is_empty() {
                return Ok(ProjectiveOf::<G>::ZERO);
            }
            let shape = self.shape(work, scalars.len(), bits);
            work.check_msm_memory::<G>(scalars.len(), scalars.len(), shape.1, self.memory)?;
            self.sum_of_parts(work, shape, &[(&masked, 0), (&masks, 0)])
        });
        sum.map(|(sum, _)| sum)
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
        self.run_resident_from(0..self.len(), scalars, detail)
    }

    /// As [`Msm::run_range`], for scalars on the device: polynomials shorter than the bases among them.
    pub fn run_range_resident(
        &self,
        range: Range<usize>,
        scalars: &DeviceVec<G::Scalar>,
    ) -> Result<ProjectiveOf<G>> {
        self.run_resident_from(range, scalars, Detail::Counts).map(|(sum, _)| sum)
    }

    fn run_resident_from(
        &self,
        range: Range<usize>,
        scalars: &DeviceVec<G::Scalar>,
        detail: Detail,
    ) -> Result<(ProjectiveOf<G>, Report)> {
        self.check_terms(&range, scalars.len())?;
        let bits = modulus_bits::<G::Scalar>();
        call(self.device(), detail, &Cancel::default(), |work| {
            let shape = self.shape(work, scalars.len(), bits);
            work.check_msm_memory::<G>(scalars.len(), 0, shape.1, self.memory)?;
            self.sum(work, scalars, range.start, shape)
        })
    }

    /// As [`Msm::run`], for integers below `r`. The longest of them decides how many windows there are,
    /// unless the bases have multiples or the work is constant.
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
        self.run_from(0, scalars, bits, detail, cancel)
    }

    /// For scalars of the bases from `start` on.
    fn run_from(
        &self,
        start: usize,
        scalars: &[ScalarOf<G>],
        bits: u32,
        detail: Detail,
        cancel: &Cancel,
    ) -> Result<(ProjectiveOf<G>, Report)> {
        call(self.device(), detail, cancel, |work| {
            let shape = self.shape(work, scalars.len(), bits);
            let parts = work.msm_parts::<G>(scalars.len(), shape.1, self.bases.form(), self.adding)?;
            let longest = parts.iter().map(Range::len).max().unwrap_or_default();
            work.check_msm_memory::<G>(longest, longest, shape.1, self.memory)?;
            if parts.len() > 1 {
                let parts: Vec<_> =
                    parts.into_iter().map(|part| (&scalars[part.clone()], start + part.start)).collect();
                return self.sum_of_parts(work, shape, &parts);
            }
            let scalars = work.stage("upload", |work| work.upload::<G::Scalar>(scalars))?;
            self.sum(work, &scalars, start, shape)
        })
    }

    /// Copies go on beside the work on the parts before: scalars, and the first of their bases.
    fn sum_of_parts(
        &self,
        work: &Work,
        (bits, shape): (u32, DigitShape),
        parts: &[(&[ScalarOf<G>], usize)],
    ) -> Result<ProjectiveOf<G>> {
        let sums = work.sums(work.sum_bytes::<G>(shape))?;
        let mut buckets = work.buckets::<G>(self.bases.form(), shape, self.adding)?;
        // Forks of what is there now: later work does not hold the copies up.
        let copies = parts.iter().map(|_| work.fork()).collect::<Result<Vec<_>>>()?;
        for (i, ((scalars, start), copy)) in parts.iter().zip(copies).enumerate() {
            let range = *start..start + scalars.len();
            let scalars = copy.stage("upload", |copy| {
                if i == 1 {
                    copy.prepare_buckets(&mut buckets, scalars.len())?;
                }
                copy.upload::<G::Scalar>(scalars)
            })?;
            work.join(copy)?;
            let digits =
                work.stage("digits", |work| work.digits_below::<G::Scalar>(&scalars, bits, shape))?;
            work.stage("msm", |work| work.add_to_buckets(&mut buckets, &digits, &self.bases, range))?;
        }
        let sum = work.stage("msm", |work| work.sum_of_buckets(buckets, &sums))?;
        let bytes = work.download_sums(&sums)?;
        work.host_stage("combine", || sum.point(&bytes))
    }

    /// The shape of digits for so many scalars below `2^bits`, and the bits that it is for: multiples of the
    /// bases and regular digits are for scalars of all lengths.
    fn shape(&self, work: &Work, n: usize, bits: u32) -> (u32, DigitShape) {
        let all = modulus_bits::<G::Scalar>();
        match (self.bases.shape(), self.window) {
            (Some(shape), _) => (all, shape),
            (None, Some(window)) if self.constant => (all, DigitShape::regular(all, window, 1)),
            (None, None) if self.constant => (all, work.regular_shape::<G::Scalar>(n, 1)),
            (None, Some(window)) => (bits, DigitShape::new(bits, window)),
            (None, None) => (bits, work.digit_shape_below::<G::Scalar>(bits, n)),
        }
    }

    /// For scalars on the device, of the bases from `start` on.
    fn sum(
        &self,
        work: &Work,
        scalars: &DeviceVec<G::Scalar>,
        start: usize,
        (bits, shape): (u32, DigitShape),
    ) -> Result<ProjectiveOf<G>> {
        if scalars.is_empty() {
            return Ok(ProjectiveOf::<G>::ZERO);
        }
        let digits = work.stage("digits", |work| work.digits_below::<G::Scalar>(scalars, bits, shape))?;
        let sums = work.sums(work.sum_bytes::<G>(shape))?;
        let range = start..start + scalars.len();
        let sum = work.stage("msm", |work| self.add_up(work, &digits, shape, range, &sums))?;
        let bytes = work.download_sums(&sums)?;
        work.host_stage("combine", || sum.point(&bytes))
    }

    /// Digits of a shape times a range of the bases.
    fn add_up(
        &self,
        work: &Work,
        digits: &Digits,
        shape: DigitShape,
        range: Range<usize>,
        sums: &Sums,
    ) -> Result<Sum<G>> {
        let mut buckets = work.buckets::<G>(self.bases.form(), shape, self.adding)?;
        work.add_to_buckets(&mut buckets, digits, &self.bases, range)?;
        work.sum_of_buckets(buckets, sums)
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

impl<G: Group> fmt::Debug for Msm<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Msm<{}>[{}] on {}", G::NAME, self.len(), self.device().name())
    }
}
