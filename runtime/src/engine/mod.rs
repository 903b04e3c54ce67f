//! What computes: the traits of an engine, and values of which it alone knows what they are.
//!
//! An engine is a machine as plans see it. [`Engine`] has its facts and its tuning; [`Call`] is the
//! work of one call, in order; and of a call there is a trait for each kind of work on a field or
//! group, so that a plan compiles what it uses. `kernels` implements them over any
//! [`KernelDevice`](curvesmith_device::KernelDevice), `host` over arkworks' arithmetic. Above them
//! nothing asks which one it has.
//!
//! Traits take and return values as [`Held`], whose types users see in `values`. One of another
//! engine, or of another device, is refused with
//! [`RuntimeError::OtherDevice`](crate::RuntimeError::OtherDevice).

mod held;

pub(crate) use held::{Bases, Held, Room, other};

use crate::batch::Places;
use crate::csr::Csr;
use crate::error::Result;
use crate::field::Field;
use crate::group::{AffineOf, Group, ProjectiveOf};
use crate::owner::Owner;
use crate::policy::MeasuredWindows;
use crate::tier::Tier;
use crate::vocabulary::{
    Adding, BinaryOp, CurveForm, DigitShape, Report, SpMvSchedule, SpMvStrategy, Transform, UnaryOp,
};
use curvesmith_device::DeviceProperties;
use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// An engine on some machine.
pub(crate) trait Engine {
    /// Its name for the user.
    fn name(&self) -> String;

    /// The processor's instructions in use; `None` where they are not the host's.
    fn tier(&self) -> Option<Tier> {
        None
    }

    /// Static facts of the device; `None` on the host.
    fn properties(&self) -> Option<&DeviceProperties>;

    /// Whether values stay in the host's memory, where copies cost nothing.
    fn is_host(&self) -> bool {
        self.properties().is_none()
    }

    /// Makes all kernels of `owners` ready.
    fn preload(&self, owners: &[Owner]) -> Result<()>;

    /// Bytes that calls can get now; `None` where there is no limit, or none that can be told.
    fn free_memory(&self) -> Result<Option<u64>>;

    /// Gives memory that is kept for re-use back.
    fn release_unused(&self);

    /// Keeps measured windows for the engines of later processes, and tells where.
    ///
    /// Errors: [`RuntimeError::Input`](crate::RuntimeError::Input) where windows are not chosen by
    /// measuring, or cannot be written.
    fn keep_windows(&self, windows: &MeasuredWindows, directory: Option<&Path>) -> Result<PathBuf>;

    /// The engine's tuning of windows, where it has any; see [`tune_windows`](crate::tune_windows).
    fn windows(&self) -> Option<&dyn Windows>;

    /// The digits that it likes for `n` scalars of a field, below `2^bits`, with at most `most`
    /// multiples of each base.
    fn digit_shape(&self, scalars: &Owner, bits: u32, n: usize, most: u32) -> DigitShape;

    /// As [`Engine::digit_shape`], of bases that are stored times `2^0` to `2^tau`, `tau ≥ 1`.
    fn shape_with_doublings(&self, scalars: &Owner, n: usize, most: u32, tau: u32) -> DigitShape;

    /// As [`Engine::digit_shape`], of regular digits.
    fn regular_shape(&self, scalars: &Owner, n: usize, most: u32) -> DigitShape;

    /// Most multiples of a base that it likes to keep where the bases that share its memory take
    /// `bytes` bytes without any.
    fn most_multiples(&self, bytes: u64) -> u32;

    /// Whether it keeps bases with multiples, and in other forms of the curve, where that is asked
    /// for. Else they stay as they are declared, and sums are the same.
    fn prepares_bases(&self) -> bool;

    /// Whether there are sums whose work does not depend on scalars.
    fn has_constant_work(&self) -> bool;
}

/// What measuring windows asks of an engine that chooses them by a model.
pub(crate) trait Windows {
    /// The model's window for `n` scalars of `bits` bits with at most `most` multiples of each
    /// base.
    fn model(&self, bits: u32, n: usize, most: u32) -> u32;

    /// What identifies the kernels of a field.
    fn kernels(&self, field: &Owner) -> String;
}

/// One call's work, in the order in which it is submitted.
pub(crate) trait Call: Sized {
    /// Work that is ordered after what this has now, and otherwise independent, until
    /// [`Call::join`]. Where that can be, the kernels of urgent work go before others.
    fn fork(&self, urgent: bool) -> Result<Self>;

    /// Orders later work after all of a fork.
    fn join(&self, fork: Self) -> Result<()>;

    /// Orders later work after what a fork of this, or one that this is a fork of, has now.
    fn after(&self, other: &Self) -> Result<()>;

    /// Waits for all of it; the first failure, if there was one.
    fn finish(self) -> Result<Report>;

    /// [`RuntimeError::Cancelled`](crate::RuntimeError::Cancelled) once the call is to end.
    fn check_cancelled(&self) -> Result<()>;

    /// Has memory of this call zeroed when it ends, but for what it gives out, where that is not
    /// the host's.
    fn wipe_at_end(&self);

    /// Times a named part of the call.
    fn stage<T>(&self, name: &'static str, part: impl FnOnce() -> Result<T>) -> Result<T>;

    /// Times a named part of the call that the host does by itself.
    fn host_stage<T>(&self, name: &'static str, part: impl FnOnce() -> T) -> T;

    /// Room for so many bytes of sums.
    fn room_for_sums(&self, bytes: usize) -> Result<Held>;

    /// The bytes of that room, after all earlier work.
    fn download_sums(&self, room: &Held) -> Result<Vec<u8>>;
}

/// Copies of vectors.
pub(crate) trait Copies<F: Field> {
    /// A vector of these values.
    fn upload(&self, values: &[F::Ark]) -> Result<Held>;

    /// So many zeros.
    fn zeros(&self, len: usize) -> Result<Held>;

    /// The values of a vector, after all earlier work.
    fn download(&self, vector: &Held) -> Result<Vec<F::Ark>>;

    /// As [`Copies::download`], of a vector that nobody needs any more.
    fn take(&self, vector: Held) -> Result<Vec<F::Ark>> {
        self.download(&vector)
    }

    /// As [`Copies::download`], into as many values.
    fn download_into(&self, vector: &Held, values: &mut [F::Ark]) -> Result<()>;

    /// Room for so many values, to be filled by [`Copies::fill`].
    fn room(&self, len: usize) -> Result<Held>;

    /// Copies values to a room, zeros behind them where it is longer, whoever's the room is.
    fn fill(&self, room: &mut Held, values: &[F::Ark]) -> Result<()>;

    /// What was copied to a room, as operations take it.
    fn filled(&self, room: Held) -> Result<Held>;
}

/// Elementwise operations, on vectors of equal lengths.
pub(crate) trait Elementwise<F: Field> {
    /// `a ∘ b`.
    fn binary(&self, op: BinaryOp, a: &Held, b: &Held) -> Result<Held>;

    /// An operation on each element.
    fn unary(&self, op: UnaryOp, a: &Held) -> Result<Held>;

    /// `1/a`, with one inversion for many elements; 0 for 0.
    fn batch_inverse(&self, a: &Held) -> Result<Held>;

    /// `a · c`.
    fn mul_const(&self, a: &Held, c: F::Ark) -> Result<Held>;

    /// `a·b` into the last third of a vector, `a` and `b` being the others.
    fn mul_thirds(&self, thirds: &mut Held) -> Result<()>;

    /// `a·b - c`, of the thirds of a vector.
    fn mul_sub_thirds(&self, thirds: &Held) -> Result<Held>;
}

/// Number-theoretic transforms.
pub(crate) trait Transforms<F: Field> {
    /// Tables for a size that the field has and a root `omega` of exactly that order (both
    /// checked).
    fn tables(&self, n: usize, omega: F::Ark) -> Result<Held>;

    /// The transforms of the vectors at `places` of a vector, which are of the tables' size and
    /// within it, in place. After a failure the contents are undefined.
    fn in_place(&self, tables: &Held, vector: &mut Held, at: Places, what: Transform<F::Ark>) -> Result<()>;

    /// As [`Transforms::in_place`], to as many places of another vector, whose other elements stay.
    fn into(
        &self,
        tables: &Held,
        input: (&Held, Places),
        output: (&mut Held, Places),
        what: Transform<F::Ark>,
    ) -> Result<()>;
}

/// Products of sparse matrices and vectors.
pub(crate) trait SparseProducts<F: Field> {
    /// A matrix whose invariants hold, and who computes which rows where the engine shares them out
    /// beforehand.
    fn matrix(&self, matrix: &Csr<F::Ark>, strategy: SpMvStrategy) -> Result<(Held, Option<SpMvSchedule>)>;

    /// `matrix · x`, zero-extended to `out_len ≥ rows` elements.
    fn product(&self, matrix: &Held, x: &Held, out_len: usize) -> Result<Held>;
}

/// Scalars as the digits by which sums are computed.
pub(crate) trait ScalarDigits<F: Field> {
    /// Digits of scalars that are below `2^bits`, as integers from 0 on.
    fn digits(&self, scalars: &Held, bits: u32, shape: DigitShape) -> Result<Held>;
}

/// Sums of digits times bases.
pub(crate) trait GroupSums<G: Group> {
    /// Points, of which identities are allowed, in a form of the curve.
    fn bases(&self, points: Cow<'_, [AffineOf<G>]>, form: CurveForm) -> Result<Bases>;

    /// Bases with the multiples that digits of this shape ask for; they serve digits of no other.
    fn multiples(&self, bases: &Bases, shape: DigitShape) -> Result<Bases>;

    /// Room for so many bases as they are declared, to be filled by [`GroupSums::fill_bases`].
    fn room_for_bases(&self, len: usize) -> Result<Bases>;

    /// Copies points to the begin of a room, whoever's it is.
    fn fill_bases(&self, room: &mut Bases, points: &[AffineOf<G>]) -> Result<()>;

    /// The parts in which a sum over `n` scalars of the host does best: while one is worked on, the
    /// next is copied.
    fn parts(
        &self,
        n: usize,
        shape: DigitShape,
        form: CurveForm,
        adding: Adding,
    ) -> Result<Vec<Range<usize>>>;

    /// The digits, and the terms of a part, with which a sum over `n` terms of the host stays
    /// within `budget` bytes of the engine's memory; with a window, where it is given.
    ///
    /// Errors: [`RuntimeError::InsufficientMemory`](crate::RuntimeError::InsufficientMemory), with
    /// the least budget for any window, where not even the buckets and one term fit.
    fn parts_within(&self, n: usize, wish: (Option<u32>, Adding), budget: u64)
    -> Result<(DigitShape, usize)>;

    /// [`RuntimeError::InsufficientMemory`](crate::RuntimeError::InsufficientMemory) unless a sum
    /// over `n` bases can have the memory that it takes at least, with so many scalars that are
    /// copied, and that is at most `limit` bytes.
    fn check_memory(&self, n: usize, copied: usize, shape: DigitShape, limit: Option<u64>) -> Result<()>;

    /// As [`GroupSums::check_memory`], for `n` bases that are to be kept in a form, with the
    /// multiples and doublings of a shape.
    fn check_base_memory(&self, n: usize, form: CurveForm, shape: Option<DigitShape>) -> Result<()>;

    /// `Σ scalars[i] · bases[i]`, as the stage `msm`, where the engine adds what lies in the host's
    /// memory; `None` where terms are copied.
    fn sum_in_place(
        &self,
        bases: &[AffineOf<G>],
        scalars: &[<G::Scalar as Field>::Ark],
    ) -> Result<Option<Box<dyn PendingSum<G>>>>;

    /// Empty buckets for bases in a form and digits of a shape, to which is added as `adding` says,
    /// or as the engine likes.
    fn buckets(&self, form: CurveForm, shape: DigitShape, adding: Adding) -> Result<Held>;

    /// Makes buckets ready for a second part, of `n` scalars: on a fork, beside the work on the
    /// first.
    fn prepare(&self, buckets: &mut Held, n: usize) -> Result<()>;

    /// Adds digits times a range of the bases.
    fn add(&self, buckets: &mut Held, digits: &Held, bases: &Bases, range: Range<usize>) -> Result<()>;

    /// Bytes of a [`Room`] that a sum by digits of a shape takes.
    fn sum_bytes(&self, shape: DigitShape) -> usize;

    /// The sum of all buckets, each times its number, in a room.
    fn sum(&self, buckets: Held, room: &Room) -> Result<Box<dyn PendingSum<G>>>;

    /// As [`GroupSums::sum_bytes`], for [`GroupSums::window_sums`].
    fn window_bytes(&self, shape: DigitShape) -> usize;

    /// As [`GroupSums::sum`], each set of buckets by itself; one sum of them all where the engine
    /// cuts scalars up in its own way.
    fn window_sums(&self, buckets: Held, room: &Room) -> Result<Box<dyn PendingSum<G>>>;
}

/// A sum that may still be on its way.
pub(crate) trait PendingSum<G: Group>: Send + Sync {
    /// The sum, with the bytes of the room that it lies in.
    fn point(&self, room: &[u8]) -> Result<ProjectiveOf<G>>;

    /// The points that it is made of.
    fn points(&self, room: &[u8]) -> Result<Vec<ProjectiveOf<G>>>;
}
