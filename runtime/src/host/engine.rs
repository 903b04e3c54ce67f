//! The engine of the host: calls are done when they are submitted, values lie in the host's memory.

use super::arithmetic::Tables;
use super::msm::{HostBases, HostDigits};
use crate::batch::Places;
use crate::csr::Csr;
use crate::engine::{
    Bases, Call, Copies, Elementwise, Engine, GroupSums, Held, PendingSum, Room, ScalarDigits,
    SparseProducts, Transforms, Windows,
};
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::job::Cancel;
use crate::owner::Owner;
use crate::parallel::collect;
use crate::platform::Instant;
use crate::policy::MeasuredWindows;
use crate::tier::{Tier, tier};
use crate::vocabulary::{
    Adding, BinaryOp, CurveForm, DigitShape, Kind, Order, Report, SpMvSchedule, SpMvStrategy, Span,
    Transform, UnaryOp,
};
use ark_ff::{AdditiveGroup as _, Zero as _};
use curvesmith_device::DeviceProperties;
use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The processor that this program runs on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Host;

/// The window of digits whose shape says nothing: the host chooses windows of its own.
const WINDOW: u32 = 16;

impl Engine for Host {
    fn name(&self) -> String {
        "cpu".into()
    }

    /// One that was asked for and is not there has been an error before.
    fn tier(&self) -> Option<Tier> {
        tier().ok()
    }

    fn properties(&self) -> Option<&DeviceProperties> {
        None
    }

    fn preload(&self, _: &[Owner]) -> Result<()> {
        Ok(())
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    fn release_unused(&self) {}

    fn keep_windows(&self, _: &MeasuredWindows, _: Option<&Path>) -> Result<PathBuf> {
        let reason = "the CPU chooses windows of its own".to_owned();
        Err(RuntimeError::Input { what: "measured windows", reason })
    }

    fn windows(&self) -> Option<&dyn Windows> {
        None
    }

    fn digit_shape(&self, _: &Owner, bits: u32, _: usize, _: u32) -> DigitShape {
        DigitShape::new(bits, WINDOW)
    }

    fn shape_with_doublings(&self, scalars: &Owner, n: usize, most: u32, _: u32) -> DigitShape {
        self.digit_shape(scalars, scalars.bits, n, most)
    }

    fn regular_shape(&self, scalars: &Owner, _: usize, _: u32) -> DigitShape {
        DigitShape::regular(scalars.bits, WINDOW, 1)
    }

    fn most_multiples(&self, _: u64) -> u32 {
        1
    }

    fn prepares_bases(&self) -> bool {
        false
    }

    fn has_constant_work(&self) -> bool {
        false
    }
}

/// A call, and what was noted of it.
#[derive(Debug)]
pub(crate) struct HostCall {
    start: Instant,
    spans: Mutex<Vec<Span>>,
    cancel: Cancel,
}

impl HostCall {
    /// A call that begins now; `cancel` ends it early.
    pub(crate) fn new(cancel: Cancel) -> Self {
        HostCall { start: Instant::now(), spans: Mutex::default(), cancel }
    }

    fn spans(&self) -> MutexGuard<'_, Vec<Span>> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Call for HostCall {
    fn fork(&self, _: bool) -> Result<Self> {
        Ok(HostCall { start: self.start, spans: Mutex::default(), cancel: self.cancel.clone() })
    }

    fn join(&self, fork: Self) -> Result<()> {
        let spans = fork.spans.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.spans().extend(spans);
        Ok(())
    }

    fn after(&self, _: &Self) -> Result<()> {
        Ok(())
    }

    fn finish(self) -> Result<Report> {
        let spans = self.spans.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Report { start: Some(self.start), spans, ..Report::default() })
    }

    fn check_cancelled(&self) -> Result<()> {
        self.cancel.check()
    }

    fn wipe_at_end(&self) {}

    fn stage<T>(&self, name: &'static str, part: impl FnOnce() -> Result<T>) -> Result<T> {
        self.cancel.check()?;
        self.host_stage(name, part)
    }

    fn host_stage<T>(&self, name: &'static str, part: impl FnOnce() -> T) -> T {
        let begin = self.start.elapsed().as_secs_f64();
        let result = part();
        let end = self.start.elapsed().as_secs_f64();
        self.spans().push(Span { name: Cow::Borrowed(name), kind: Kind::Host, stream: 0, begin, end });
        result
    }

    /// Sums are there, and take no room.
    fn room_for_sums(&self, _: usize) -> Result<Held> {
        Ok(Held::new(()))
    }

    fn download_sums(&self, room: &Held) -> Result<Vec<u8>> {
        room.get::<()>("sums").map(|()| Vec::new())
    }
}

impl<F: Field> Copies<F> for HostCall {
    fn upload(&self, values: &[F::Ark]) -> Result<Held> {
        // A copy on one thread takes longer than many a transform: its pages are new.
        Ok(Held::new(collect(values.len(), &|i| values[i])))
    }

    fn zeros(&self, len: usize) -> Result<Held> {
        Ok(Held::new(vec![F::Ark::zero(); len]))
    }

    fn download(&self, vector: &Held) -> Result<Vec<F::Ark>> {
        let values = vector.get::<Vec<F::Ark>>("vector")?;
        Ok(collect(values.len(), &|i| values[i]))
    }

    fn take(&self, vector: Held) -> Result<Vec<F::Ark>> {
        vector.into("vector")
    }

    fn download_into(&self, vector: &Held, values: &mut [F::Ark]) -> Result<()> {
        values.copy_from_slice(vector.get::<Vec<F::Ark>>("vector")?);
        Ok(())
    }

    fn room(&self, len: usize) -> Result<Held> {
        Ok(Held::new(Vec::<F::Ark>::with_capacity(len)))
    }

    fn fill(&self, room: &mut Held, values: &[F::Ark]) -> Result<()> {
        room.get_mut::<Vec<F::Ark>>("scalars")?.extend_from_slice(values);
        Ok(())
    }

    fn filled(&self, room: Held) -> Result<Held> {
        Ok(room)
    }
}

/// The elements of a vector.
fn elements<'a, F: Field>(what: &'static str, held: &'a Held) -> Result<&'a Vec<F::Ark>> {
    held.get(what)
}

impl<F: Field> Elementwise<F> for HostCall {
    fn binary(&self, op: BinaryOp, a: &Held, b: &Held) -> Result<Held> {
        let (a, b) = (elements::<F>("left operand", a)?, elements::<F>("right operand", b)?);
        Ok(Held::new(super::binary::<F>(op, a, b)?))
    }

    fn unary(&self, op: UnaryOp, a: &Held) -> Result<Held> {
        Ok(Held::new(super::unary::<F>(op, elements::<F>("operand", a)?)?))
    }

    fn batch_inverse(&self, a: &Held) -> Result<Held> {
        Ok(Held::new(super::batch_inverse::<F>(elements::<F>("operand", a)?)?))
    }

    fn mul_const(&self, a: &Held, c: F::Ark) -> Result<Held> {
        Ok(Held::new(super::mul_const::<F>(elements::<F>("operand", a)?, c)?))
    }

    fn mul_thirds(&self, thirds: &mut Held) -> Result<()> {
        super::mul_thirds::<F>(thirds.get_mut::<Vec<F::Ark>>("vector")?)
    }

    fn mul_sub_thirds(&self, thirds: &Held) -> Result<Held> {
        Ok(Held::new(super::mul_sub_thirds::<F>(elements::<F>("operand", thirds)?)?))
    }
}

/// Tables, as values hold them.
type TablesOf<F> = Box<dyn Tables<F>>;

impl<F: Field> Transforms<F> for HostCall {
    fn tables(&self, n: usize, omega: F::Ark) -> Result<Held> {
        Ok(Held::new::<TablesOf<F>>(super::ntt_tables::<F>(n, omega)?))
    }

    fn in_place(&self, tables: &Held, held: &mut Held, at: Places, what: Transform<F::Ark>) -> Result<()> {
        let tables: &TablesOf<F> = tables.get("tables")?;
        let vector: &mut Vec<F::Ark> = held.get_mut("vector")?;
        if at.is_rows() && what.order == Order::Natural {
            return super::ntt::<F>(&**tables, vector, what.direction, what.shift);
        }
        let made = super::ntt_of::<F>(&**tables, vector, at, what)?;
        super::put(made, vector, at);
        Ok(())
    }

    fn into(
        &self,
        tables: &Held,
        (input, from): (&Held, Places),
        (output, to): (&mut Held, Places),
        what: Transform<F::Ark>,
    ) -> Result<()> {
        let tables: &TablesOf<F> = tables.get("tables")?;
        let made = super::ntt_of::<F>(&**tables, elements::<F>("vector", input)?, from, what)?;
        super::put(made, output.get_mut::<Vec<F::Ark>>("result")?, to);
        Ok(())
    }
}

impl<F: Field> SparseProducts<F> for HostCall {
    /// Threads take rows as they come.
    fn matrix(&self, matrix: &Csr<F::Ark>, _: SpMvStrategy) -> Result<(Held, Option<SpMvSchedule>)> {
        Ok((Held::new(matrix.clone()), None))
    }

    fn product(&self, matrix: &Held, x: &Held, out_len: usize) -> Result<Held> {
        let (matrix, x) = (matrix.get::<Csr<F::Ark>>("matrix")?, elements::<F>("vector", x)?);
        Ok(Held::new(super::spmv::<F>(matrix, x, out_len)?))
    }
}

impl<F: Field> ScalarDigits<F> for HostCall {
    fn digits(&self, scalars: &Held, _: u32, _: DigitShape) -> Result<Held> {
        Ok(Held::new(super::digits::<F>(elements::<F>("scalars", scalars)?)?))
    }
}

/// A sum that is there.
struct Known<P>(P);

impl<G: Group> PendingSum<G> for Known<ProjectiveOf<G>> {
    fn point(&self, _: &[u8]) -> Result<ProjectiveOf<G>> {
        Ok(self.0)
    }

    fn points(&self, _: &[u8]) -> Result<Vec<ProjectiveOf<G>>> {
        Ok(vec![self.0])
    }
}

impl<G: Group> GroupSums<G> for HostCall {
    /// Points that are owned stay as they are, in the declared form.
    fn bases(&self, points: Cow<'_, [AffineOf<G>]>, form: CurveForm) -> Result<Bases> {
        Owner::group_in::<G>(form)?;
        let len = points.len();
        let held = Held::new(super::bases::<G>(points)?);
        Ok(Bases { held, len, form: CurveForm::Declared, shape: None, bytes: 0 })
    }

    fn multiples(&self, _: &Bases, _: DigitShape) -> Result<Bases> {
        let reason = "the CPU keeps no multiples of bases".to_owned();
        Err(RuntimeError::Input { what: "multiples", reason })
    }

    fn room_for_bases(&self, _: usize) -> Result<Bases> {
        crate::engine::other("bases")
    }

    fn fill_bases(&self, _: &mut Bases, _: &[AffineOf<G>]) -> Result<()> {
        crate::engine::other("bases")
    }

    fn parts(&self, n: usize, _: DigitShape, _: CurveForm, _: Adding) -> Result<Vec<Range<usize>>> {
        Ok(std::iter::once(0..n).collect())
    }

    fn parts_within(&self, n: usize, _: (Option<u32>, Adding), _: u64) -> Result<(DigitShape, usize)> {
        let field = Owner::field::<G::Scalar>();
        Ok((Host.digit_shape(&field, field.bits, n, 1), n.max(1)))
    }

    fn check_memory(&self, _: usize, _: usize, _: DigitShape, _: Option<u64>) -> Result<()> {
        Ok(())
    }

    fn check_base_memory(&self, _: usize, _: CurveForm, _: Option<DigitShape>) -> Result<()> {
        Ok(())
    }

    fn sum_in_place(
        &self,
        bases: &[AffineOf<G>],
        scalars: &[ScalarOf<G>],
    ) -> Result<Option<Box<dyn PendingSum<G>>>> {
        tier()?;
        self.stage("msm", || Ok(Some(Box::new(Known(super::msm_of::<G>(bases, scalars))) as _)))
    }

    fn buckets(&self, _: CurveForm, _: DigitShape, _: Adding) -> Result<Held> {
        Ok(Held::new(ProjectiveOf::<G>::ZERO))
    }

    fn prepare(&self, _: &mut Held, _: usize) -> Result<()> {
        Ok(())
    }

    fn add(&self, buckets: &mut Held, digits: &Held, bases: &Bases, range: Range<usize>) -> Result<()> {
        let (digits, bases): (&HostDigits, &HostBases<G>) = (digits.get("digits")?, bases.held.get("bases")?);
        *buckets.get_mut::<ProjectiveOf<G>>("buckets")? += super::msm::<G>(digits, bases, range)?;
        Ok(())
    }

    fn sum_bytes(&self, _: DigitShape) -> usize {
        0
    }

    fn sum(&self, buckets: Held, _: &Room) -> Result<Box<dyn PendingSum<G>>> {
        Ok(Box::new(Known(buckets.into::<ProjectiveOf<G>>("buckets")?)))
    }

    fn window_bytes(&self, _: DigitShape) -> usize {
        0
    }

    fn window_sums(&self, buckets: Held, room: &Room) -> Result<Box<dyn PendingSum<G>>> {
        GroupSums::<G>::sum(self, buckets, room)
    }
}
