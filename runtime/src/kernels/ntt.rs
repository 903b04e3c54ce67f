//! Number-theoretic transforms: passes of up to eight stages each, in small fields nine.
//!
//! A pass reads vectors and writes others, the first without twiddles. A transform of `2^k` elements moves
//! them `⌈k/8⌉` times, and the passes are about equally long; in fields too long for four elements a thread
//! they have up to seven stages. The inverse runs with the twiddles of `omega` as well: its results are those
//! of the forward transform at the negated indices, and only the pass that has natural order on its outer
//! side knows. Vectors of a batch are transformed by the same launches; the first pass reads them where they
//! are, the last one writes them where they are wanted.
//!
//! In natural order passes are Stockham's. With one side bit-reversed each writes where it reads; from
//! reversed to natural order these are the same passes with the same twiddles, and from natural to reversed
//! order they come the other way round, each with the twiddles of the one before it.
//!
//! A transform over the coset `shift·<omega>` is one over `<omega>` of the coefficients times powers of
//! `shift`; the inverse multiplies by powers of `1/shift`, and by `1/n`. What goes before a transform, and
//! `1/n` alone, are the first pass's to multiply by.
//!
//! Sizes with an odd factor are [`mixed`](super::mixed)'s: the passes are those of their parts.

mod roots;
mod tables;

pub(crate) use roots::roots;
pub(crate) use tables::{GpuTables, Pass, Roots, passes_of, tables, upload_squarings};

use super::convert;
use super::index32;
use super::pointwise::scale;
use crate::batch::Places;
use crate::csr::invert_shift;
use crate::error::Result;
use crate::field::Field;
use crate::gpu::{Buffer, Stream};
use crate::vocabulary::{Direction, Order, Transform};
use ark_ff::One as _;
use curvesmith_abi::kernels::{FieldScalePowers, NttPass, NttScale};
use curvesmith_abi::{Slice, layout};
use std::sync::Arc;
use tables::{coset, fits_cache};

type Vector = Buffer<layout::Field>;

/// Squarings `base^(2^j)` that kernels take to make powers of a base.
pub(crate) const SQUARINGS: usize = 32;

/// What is computed of every vector.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) direction: Direction,
    pub(crate) order: Order,
    /// The [`SQUARINGS`] of the coset's shift forward, of its inverse on the way back; `None` for the
    /// subgroup itself.
    pub(crate) powers: Option<Vec<u8>>,
}

impl Call {
    /// What kernels take for a transform.
    ///
    /// Errors: [`RuntimeError::Input`](crate::RuntimeError::Input) for a shift of zero.
    pub(crate) fn of<F: Field>(transform: &Transform<F::Ark>) -> Result<Call> {
        let Transform { direction, shift, order } = *transform;
        let inverse = invert_shift::<F>(shift)?;
        let base = match direction {
            Direction::Forward => shift,
            Direction::Inverse => inverse,
        };
        let powers = (!shift.is_one()).then(|| convert::squarings::<F>(base));
        Ok(Call { direction, order, powers })
    }

    /// The powers by whose products kernels make a coset's factors in the order of the coefficients: bit `j`
    /// of an index stands for `base^(2^j)`, or for that of the reversed bit.
    fn ordered_powers(&self, tables: &GpuTables) -> Option<Vec<u8>> {
        let powers = self.powers.as_deref()?;
        if self.order != Order::ReversedCoefficients {
            return Some(powers.to_vec());
        }
        let each = powers.len() / SQUARINGS;
        let (own, rest) = powers.split_at(each * tables.log_n as usize);
        Some(own.rchunks(each).flatten().chain(rest).copied().collect())
    }

    fn flow(&self) -> Flow {
        match (self.order, self.direction) {
            (Order::Natural, _) => Flow::Natural,
            (Order::ReversedEvaluations, Direction::Forward)
            | (Order::ReversedCoefficients, Direction::Inverse) => Flow::ToReversed,
            (Order::ReversedEvaluations, Direction::Inverse)
            | (Order::ReversedCoefficients, Direction::Forward) => Flow::FromReversed,
        }
    }
}

/// Which passes make a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Natural,
    FromReversed,
    ToReversed,
}

/// What the elements of every vector are multiplied by before its transform.
#[derive(Clone, Debug)]
enum Factors {
    None,
    /// `1/n`.
    SizeInv,
    /// One for each.
    Each(Arc<Vector>),
}

/// What moves all elements from one buffer to another.
#[derive(Clone, Debug)]
enum Step {
    /// The pass of that number in natural order, with what a first one multiplies by.
    Pass(usize, Factors),
    /// Copies, times a factor for each element of a vector.
    Scale(Option<Arc<Vector>>),
    /// Multiplies by powers whose squarings these are; between vectors that lie one after the other.
    Powers(Vec<u8>),
}

/// Vectors on the device.
#[derive(Clone, Copy, Debug)]
struct At {
    first: Slice<layout::Field>,
    places: Places,
}

/// The transforms of the vectors at `places` of `vector`, in place; the buffer may be replaced by another.
pub(crate) fn transform(
    stream: &Stream,
    tables: &GpuTables,
    vector: &mut Vector,
    places: Places,
    call: &Call,
) -> Result<()> {
    stream.uses("tables", &tables.size_inv)?;
    index32("NTT vector", vector.len())?;
    if tables.n == 1 {
        return Ok(());
    }
    let all: Vector = stream.elements(&tables.field, places.elements())?;
    let rows = places.as_rows();
    if tables.mixed.is_some() {
        let mut all = all;
        if places.is_rows() && places.is_whole(vector.len()) {
            return transform_mixed(stream, tables, vector, &mut all, call);
        }
        let at = At { first: vector.whole(), places };
        scale_vectors(stream, tables, None, at, At { first: all.whole(), places: rows })?;
        let mut spare = stream.elements(&tables.field, places.elements())?;
        transform_mixed(stream, tables, &mut all, &mut spare, call)?;
        return scale_vectors(stream, tables, None, At { first: all.whole(), places: rows }, at);
    }
    let mut steps = steps(stream, tables, call)?;
    complete(&mut steps, places, places);
    let at = |buffer: &Vector| At { first: buffer.whole(), places };
    if places.is_whole(vector.len()) {
        // No element is anybody else's: the results may be in the other buffer.
        let (odd, [a, b]) = (steps.len() % 2 == 1, [vector.whole(), all.whole()]);
        let to = if odd { at(&all) } else { at(vector) };
        run(stream, tables, call, &steps, at(vector), to, if odd { [a, b] } else { [b, a] })?;
        if odd {
            *vector = all;
        }
        return Ok(());
    }
    if steps.len() == 1 {
        steps.insert(0, Step::Scale(None));
    }
    let second: Option<Vector> =
        (steps.len() > 2).then(|| stream.elements(&tables.field, places.elements())).transpose()?;
    let temporary = [all.whole(), second.as_ref().unwrap_or(&all).whole()];
    run(stream, tables, call, &steps, at(vector), at(vector), temporary)
}

/// The transforms of the vectors at `from` of `input`, to those at `to` of `output`, as many and another
/// buffer. What is elsewhere in `output` stays.
pub(crate) fn transform_into(
    stream: &Stream,
    tables: &GpuTables,
    (input, from): (&Vector, Places),
    (output, to): (&Vector, Places),
    call: &Call,
) -> Result<()> {
    stream.uses("tables", &tables.size_inv)?;
    index32("NTT vector", input.len().max(output.len()))?;
    let (source, target) =
        (At { first: input.whole(), places: from }, At { first: output.whole(), places: to });
    if tables.n == 1 {
        return scale_vectors(stream, tables, None, source, target);
    }
    let room = || -> Result<Vector> { stream.elements(&tables.field, from.elements()) };
    if tables.mixed.is_some() {
        let (mut all, mut spare) = (room()?, room()?);
        scale_vectors(stream, tables, None, source, At { first: all.whole(), places: from.as_rows() })?;
        transform_mixed(stream, tables, &mut all, &mut spare, call)?;
        return scale_vectors(
            stream,
            tables,
            None,
            At { first: all.whole(), places: from.as_rows() },
            target,
        );
    }
    let mut steps = steps(stream, tables, call)?;
    complete(&mut steps, from, to);
    // The output, where all of it is written at last, or others, as many as it takes.
    let others = if to.is_whole(output.len()) { steps.len().min(2) } else { steps.len().min(3) } - 1;
    let others: Vec<Vector> = (0..others).map(|_| room()).collect::<Result<_>>()?;
    let temporary = [0, 1].map(|i| others.get(i).unwrap_or(output).whole());
    run(stream, tables, call, &steps, source, target, temporary)
}

/// What makes a transform of a power of two.
fn steps(stream: &Stream, tables: &GpuTables, call: &Call) -> Result<Vec<Step>> {
    let (mut steps, mut after, mut first) = (vec![], None, Factors::None);
    let cached = |powers: &[u8]| match fits_cache(stream, tables) {
        true => coset(stream, tables, call.direction, powers).map(Some),
        false => Ok(None),
    };
    match (call.direction, call.ordered_powers(tables)) {
        (Direction::Forward, None) => {}
        (Direction::Inverse, None) => first = Factors::SizeInv,
        (Direction::Forward, Some(powers)) => match cached(&powers)? {
            Some(factors) => first = Factors::Each(factors),
            None => steps.push(Step::Powers(powers)),
        },
        (Direction::Inverse, Some(powers)) => match cached(&powers)? {
            Some(factors) => after = Some(Step::Scale(Some(factors))),
            None => (first, after) = (Factors::SizeInv, Some(Step::Powers(powers))),
        },
    }
    let count = tables.passes.len();
    let passes = (0..count).map(|i| if call.flow() == Flow::ToReversed { count - 1 - i } else { i });
    steps.extend(passes.map(|pass| Step::Pass(pass, std::mem::replace(&mut first, Factors::None))));
    steps.extend(after);
    Ok(steps)
}

/// Has steps begin and end with such as can read and write anywhere, where that is asked for.
fn complete(steps: &mut Vec<Step>, from: Places, to: Places) {
    if matches!(steps.first(), Some(Step::Powers(_))) && !from.is_rows() {
        steps.insert(0, Step::Scale(None));
    }
    if matches!(steps.last(), Some(Step::Powers(_))) && !to.is_rows() {
        steps.push(Step::Scale(None));
    }
}

/// Steps from one place to another. In between vectors lie one after the other, in the first of two buffers
/// before the last step and by turns in them before that.
fn run(
    stream: &Stream,
    tables: &GpuTables,
    call: &Call,
    steps: &[Step],
    mut from: At,
    to: At,
    temporary: [Slice<layout::Field>; 2],
) -> Result<()> {
    for (i, step) in steps.iter().enumerate() {
        let left = steps.len() - 1 - i;
        let next = match left {
            0 => to,
            _ => At { first: temporary[(left - 1) % 2], places: to.places.as_rows() },
        };
        match step {
            Step::Pass(number, factors) => {
                launch_pass(stream, tables, call.direction, call.flow(), (*number, factors), from, next)?;
                // The cache may let go of them before the kernels have run.
                if let Factors::Each(factors) = factors {
                    stream.hold(Arc::clone(factors) as _);
                }
            }
            Step::Scale(factors) => {
                scale_vectors(stream, tables, factors.as_deref(), from, next)?;
                factors.iter().for_each(|factors| stream.hold(Arc::clone(factors) as _));
            }
            Step::Powers(powers) => {
                let base_pows = upload_squarings(stream, &tables.field, powers)?;
                for v in 0..from.places.count {
                    let n = index32("vector", tables.n)?;
                    let (a, out) = (from.vector(tables, v), next.vector(tables, v));
                    let kernel = FieldScalePowers { a, base_pows: base_pows.whole(), out, start: 0, n };
                    stream.launch(&tables.field, tables.n, &kernel)?;
                }
            }
        }
        from = next;
    }
    Ok(())
}

impl At {
    /// From where a vector begins on.
    fn vector(&self, tables: &GpuTables, v: usize) -> Slice<layout::Field> {
        let each = tables.size_inv.element_bytes();
        self.first.skip((v * self.places.vector * each) as u64)
    }
}

/// A pass over all vectors.
fn launch_pass(
    stream: &Stream,
    tables: &GpuTables,
    direction: Direction,
    flow: Flow,
    (number, first): (usize, &Factors),
    from: At,
    to: At,
) -> Result<()> {
    let GpuTables { log_n, log_inner, turn, field, passes, .. } = tables;
    let (Pass { log_r, log_done }, own) = &passes[number];
    let (log_n, log_r, log_done, log_inner) = (*log_n, *log_r, *log_done, *log_inner);
    let (log_from, reverse) = match flow {
        Flow::Natural => (log_n - log_r, 0),
        Flow::FromReversed => (log_done, 1),
        Flow::ToReversed => (log_done, 2),
    };
    // Those of the pass that was before this one, which comes after it in natural order.
    let (twiddles, log_before) = match (flow, passes.get(number + 1)) {
        (Flow::ToReversed, Some((before, twiddles))) => (twiddles, before.log_r),
        (Flow::ToReversed, None) => (&None, 0),
        _ => (own, 0),
    };
    let done = 1u32 << log_done;
    let (factors, scaled, step, mask) = match (twiddles, first) {
        (Some(twiddles), _) => (twiddles.whole(), 1, done, done - 1),
        (None, Factors::None) => (from.first, 0, 0, 0),
        (None, Factors::SizeInv) => (tables.size_inv.whole(), 1, 0, 0),
        (None, Factors::Each(factors)) => (factors.whole(), 2, 0, 0),
    };
    // Negated indices, in the pass with natural order outside.
    let outer = direction == Direction::Inverse && log_done + log_r == log_n;
    let (sign_from, sign) = match (outer, flow) {
        (false, _) => (1, 1),
        (true, Flow::ToReversed) => (u32::MAX, 1),
        (true, _) => (1, u32::MAX),
    };
    let count = to.places.count * (to.places.n >> log_n);
    let [(element_from, vector_from), (element_to, vector_to)] =
        [from, to].map(|at| (at.places.element as u32, at.places.part(log_n) as u32));
    let kernel = NttPass {
        a: from.first,
        factors,
        inner: tables.inner.whole(),
        out: to.first,
        log_n,
        log_r,
        log_from,
        log_to: log_done,
        reverse,
        scaled,
        step,
        mask,
        log_before,
        log_inner,
        turn: *turn,
        sign_from,
        sign,
        element_from,
        vector_from,
        element_to,
        vector_to,
    };
    let blocks = count * stream.geometry().ntt_blocks(field.words, log_n);
    stream.launch_blocks(field, blocks as u64, &kernel)
}

/// Copies vectors, times a factor for each of their elements.
fn scale_vectors(
    stream: &Stream,
    tables: &GpuTables,
    factors: Option<&Vector>,
    from: At,
    to: At,
) -> Result<()> {
    let (n, count) = (tables.n, from.places.count);
    let launch = |a, out, log_n, len| {
        let kernel = NttScale {
            a,
            factors: factors.map_or(a, Buffer::whole),
            out,
            log_n,
            scaled: factors.is_some().into(),
            element_from: from.places.element as u32,
            vector_from: from.places.vector as u32,
            element_to: to.places.element as u32,
            vector_to: to.places.vector as u32,
            n: index32("NTT vector", len)?,
        };
        stream.launch(&tables.field, len, &kernel)
    };
    if n.is_power_of_two() {
        return launch(from.first, to.first, n.trailing_zeros(), n * count);
    }
    (0..count).try_for_each(|v| launch(from.vector(tables, v), to.vector(tables, v), 31, n))
}

/// Transforms of a size with an odd factor, in natural order, of vectors that are all of `vector` one after
/// the other; `spare` is as long.
fn transform_mixed(
    stream: &Stream,
    tables: &GpuTables,
    vector: &mut Vector,
    spare: &mut Vector,
    call: &Call,
) -> Result<()> {
    let Some(mixed) = &tables.mixed else { return Ok(()) };
    let (field, direction) = (&tables.field, call.direction);
    let rows = Places::rows(tables.n, vector.len() / tables.n);
    let at = |vector: &Vector| At { first: vector.whole(), places: rows };
    let by_powers = |vector: &mut Vector, spare: &mut Vector, powers: &[u8]| -> Result<()> {
        let step = match fits_cache(stream, tables) {
            true => Step::Scale(Some(coset(stream, tables, direction, powers)?)),
            false => Step::Powers(powers.to_vec()),
        };
        run(stream, tables, call, &[step], at(vector), at(spare), [vector.whole(); 2])?;
        std::mem::swap(vector, spare);
        Ok(())
    };
    let by_size = match &call.powers {
        Some(powers) if direction == Direction::Forward => {
            by_powers(vector, spare, powers)?;
            false
        }
        // Otherwise the factors have it.
        Some(_) => direction == Direction::Inverse && !fits_cache(stream, tables),
        None => direction == Direction::Inverse,
    };
    let mut first = if by_size { Factors::SizeInv } else { Factors::None };
    if by_size && tables.passes.is_empty() {
        scale(stream, field, vector, &tables.size_inv, spare)?;
        std::mem::swap(vector, spare);
    }
    mixed.split(stream, field, direction, vector, spare)?;
    std::mem::swap(vector, spare);
    for number in 0..tables.passes.len() {
        let pass = (number, &std::mem::replace(&mut first, Factors::None));
        launch_pass(stream, tables, Direction::Forward, Flow::Natural, pass, at(vector), at(spare))?;
        std::mem::swap(vector, spare);
    }
    mixed.join(stream, field, vector, spare)?;
    match &call.powers {
        Some(powers) if direction == Direction::Inverse => by_powers(vector, spare, powers),
        _ => Ok(()),
    }
}
