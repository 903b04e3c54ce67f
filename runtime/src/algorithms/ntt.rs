//! Number-theoretic transforms: passes of up to four stages each, natural order throughout.
//!
//! A pass reads one vector and writes another (Stockham), the first without twiddles. With radix 16 a
//! transform of `2^k` elements moves them `⌈k/4⌉` times; the passes are about equally long. In fields too long for 16 elements a thread the most is 8 or 4. The inverse runs
//! with the twiddles of `omega` as well: its results are those of the forward transform at the
//! negated indices, and only the last pass knows.
//!
//! Every pass has twiddles of its own, so that neighbouring threads read neighbouring elements. In fields
//! with room the earlier passes take them as tables for a cheaper product, four times as long;
//! the last passes of large transforms, which would wait for that memory, take plain elements
//! ([`NttPolicy`](super::policy::NttPolicy)).
//!
//! Between passes in radix 8 elements may stay below several times `p`: the first pass reads canonical ones, the last one writes
//! such, and no pass is both.
//!
//! A transform over the coset `shift·<omega>` is one over `<omega>` of the coefficients
//! times powers of `shift`; the inverse multiplies by powers of `1/shift`, and by `1/n`.
//!
//! Sizes with an odd factor are [`mixed`](super::mixed)'s: the passes are those of their parts.

use super::index32;
use super::mixed::{Mixed, MixedRoots};
use super::pointwise::scale;
use crate::csr::check_len;
use crate::domain::Domain;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::work::Direction;
use curvesmith_abi::kernels::{
    FieldMul, FieldScalePowers, NTT_TABLE, NTT_TABLE_LOG_RADIX, NttRadix2, NttRadix4, NttRadix8,
    NttRadix8First, NttRadix8Last, NttRadix8Lazy, NttRadix8Table, NttRadix16, NttRadix16Table,
    NttTwiddleTables, NttTwiddles, Powers, ntt_has_lazy, ntt_has_tables, ntt_later_log_radix,
    ntt_max_log_radix,
};
use curvesmith_abi::layout;
use std::sync::{Arc, Mutex, PoisonError};

type Vector = Buffer<layout::Field>;

/// Squarings `base^(2^j)` that kernels take to make powers of a base.
pub(crate) const SQUARINGS: usize = 32;

/// Coset tables kept for one size and root: a prover uses one shift in two directions.
const MAX_COSETS: usize = 4;

/// Twiddles of one size and root on a device.
#[derive(Debug)]
pub(crate) struct GpuTables {
    field: Owner,
    n: usize,
    /// Elements of a part as a logarithm; there is one part where the size is a power of two.
    log_n: u32,
    mixed: Option<Mixed>,
    /// `1/n`.
    size_inv: Vector,
    /// The odd `t < r` with `omega^(t·n/r) = W_r` for the kernels' roots `W_r`, in every radix `r` of the
    /// passes up to a multiple of `r`.
    turn: u32,
    passes: Vec<(Pass, Twiddles)>,
    cosets: Mutex<Vec<Coset>>,
}

/// The twiddles of a pass.
#[derive(Debug)]
enum Twiddles {
    /// It is the first.
    None,
    Elements(Vector),
    Tables(Vector),
}

/// Factors of every element for one shift and direction: `shift^i`, or `shift^-i / n`.
#[derive(Debug)]
struct Coset {
    direction: Direction,
    powers: Vec<u8>,
    factors: Arc<Vector>,
}

/// What the host computes for the tables; elements in device form.
#[derive(Debug)]
pub(crate) struct Roots {
    /// `1/n`.
    pub(crate) size_inv: Vec<u8>,
    /// See [`GpuTables`].
    pub(crate) turn: u32,
    /// For each pass, the [`SQUARINGS`] of the root of order `2^end`.
    pub(crate) squarings: Vec<Vec<u8>>,
    /// For a size that is no power of two.
    pub(crate) mixed: Option<MixedRoots>,
}

/// One pass over a vector: `log_r` stages after `log_done` others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pass {
    pub(crate) log_r: u32,
    log_done: u32,
}

impl Pass {
    /// Stages done after it.
    pub(crate) fn end(self) -> u32 {
        self.log_done + self.log_r
    }

    /// Twiddles other than one: `q` in `1..r`, `k < 2^log_done`.
    fn twiddles(self) -> usize {
        ((1 << self.log_r) - 1) << self.log_done
    }
}

/// The passes of a transform of size `2^log_n` in order: as few as radix `2^most` allows, and as equal as
/// it goes when none after the first is shorter than `least` stages, which is `most` or less. The longest come
/// first: the first needs no twiddles, and waits for memory anyway.
fn passes(log_n: u32, least: u32, most: u32) -> Vec<Pass> {
    let (mut passes, mut log_done) = (vec![], log_n);
    for left in (1..=log_n.div_ceil(most)).rev() {
        let log_r = (log_done / left).max(least).min(log_done);
        log_done -= log_r;
        passes.push(Pass { log_r, log_done });
    }
    passes.reverse();
    passes
}

/// The passes of a transform in `field` under the device's policy.
pub(crate) fn passes_of(stream: &Stream, field: &Owner, log_n: u32) -> Vec<Pass> {
    let least = ntt_later_log_radix(field.words);
    let most = stream.gpu().policy().ntt.max_log_radix.clamp(least, ntt_max_log_radix(field.words));
    passes(log_n, least, most)
}

/// The tables for [`passes_of`] the domain's power of two.
pub(crate) fn make_tables(stream: &Stream, field: Owner, domain: Domain, roots: &Roots) -> Result<GpuTables> {
    let passes = passes_of(stream, &field, domain.log).into_iter().zip(&roots.squarings);
    let passes = passes.map(|(pass, squarings)| Ok((pass, twiddles(stream, &field, pass, squarings)?)));
    let passes = passes.collect::<Result<_>>()?;
    let size_inv = stream.elements(&field, 1)?;
    stream.upload_bytes(&size_inv, &roots.size_inv)?;
    let mixed = roots.mixed.as_ref().map(|roots| Mixed::new(stream, &field, domain, roots)).transpose()?;
    let (Domain { n, log: log_n, .. }, turn) = (domain, roots.turn);
    Ok(GpuTables { field, n, log_n, mixed, size_inv, turn, passes, cosets: Mutex::default() })
}

fn twiddles(stream: &Stream, field: &Owner, pass: Pass, squarings: &[u8]) -> Result<Twiddles> {
    if pass.log_done == 0 {
        return Ok(Twiddles::None);
    }
    let (count, log_done) = (pass.twiddles(), pass.log_done);
    let n = index32("twiddles", count)?;
    let base_pows = upload_squarings(stream, field, squarings)?;
    let has_tables = pass.log_r >= NTT_TABLE_LOG_RADIX && ntt_has_tables(field.words, field.bits as usize);
    let entries = NTT_TABLE.fit(field.words).entries(field.words);
    // Kernels count elements in 31 bits.
    let fits = index32("tables", count.saturating_mul(entries)).is_ok();
    if has_tables && fits && pass.end() <= stream.gpu().policy().ntt.max_table_log_n {
        let out: Vector = stream.elements(field, count * entries)?;
        let kernel = NttTwiddleTables { base_pows: base_pows.ptr(), out: out.ptr(), log_done, n };
        stream.launch(field, count, &kernel)?;
        return Ok(Twiddles::Tables(out));
    }
    let out: Vector = stream.elements(field, count)?;
    let kernel = NttTwiddles { base_pows: base_pows.ptr(), out: out.ptr(), log_done, n };
    stream.launch(field, count, &kernel)?;
    Ok(Twiddles::Elements(out))
}

pub(super) fn upload_squarings(stream: &Stream, field: &Owner, squarings: &[u8]) -> Result<Vector> {
    let buffer = stream.elements(field, SQUARINGS)?;
    stream.upload_bytes(&buffer, squarings)?;
    Ok(buffer)
}

/// The transform of `vector`, which this stream may keep or replace. `powers` are the [`SQUARINGS`] of
/// the coset's shift forward, of its inverse on the way back; `None` for the subgroup itself.
pub(crate) fn transform(
    stream: &Stream,
    tables: &GpuTables,
    vector: &mut Vector,
    direction: Direction,
    powers: Option<&[u8]>,
) -> Result<()> {
    stream.uses("tables", &tables.size_inv)?;
    check_len("NTT vector", tables.n, vector.len())?;
    if tables.n == 1 {
        return Ok(());
    }
    let mut spare: Vector = stream.elements(&tables.field, vector.len())?;
    if direction == Direction::Forward
        && let Some(powers) = powers
    {
        scale_by_powers(stream, tables, vector, direction, powers, &spare)?;
        std::mem::swap(vector, &mut spare);
    }
    match &tables.mixed {
        None => run_passes(stream, tables, direction, vector, &mut spare)?,
        Some(mixed) => {
            mixed.split(stream, &tables.field, direction, vector, &spare)?;
            std::mem::swap(vector, &mut spare);
            run_passes(stream, tables, Direction::Forward, vector, &mut spare)?;
            mixed.join(stream, &tables.field, vector, &mut spare)?;
        }
    }
    if direction == Direction::Inverse {
        match powers {
            None => scale(stream, &tables.field, vector, &tables.size_inv, &spare)?,
            Some(powers) => scale_by_powers(stream, tables, vector, direction, powers, &spare)?,
        }
        std::mem::swap(vector, &mut spare);
    }
    Ok(())
}

/// All passes over every part of `vector`, without factors.
fn run_passes(
    stream: &Stream,
    tables: &GpuTables,
    direction: Direction,
    vector: &mut Vector,
    spare: &mut Vector,
) -> Result<()> {
    for (at, exchange) in exchanges(stream, tables).into_iter().enumerate() {
        for start in (0..tables.n).step_by(1 << tables.log_n) {
            run_pass(stream, tables, at, exchange, direction, Part { from: vector, to: spare, start })?;
        }
        std::mem::swap(vector, spare);
    }
    Ok(())
}

/// What elements are under before a pass and after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exchange {
    reads_lazy: bool,
    writes_lazy: bool,
}

/// The exchanges of all passes. What one writes, the next one reads: vectors between two passes are lazy where both are in
/// radix 8 and neither has tables. Canonical elements are read by a later pass as lazy ones wherever it can.
fn exchanges(stream: &Stream, tables: &GpuTables) -> Vec<Exchange> {
    let field = &tables.field;
    let lazy = stream.gpu().policy().ntt.lazy && ntt_has_lazy(field.words, field.bits as usize);
    let kinds: Vec<Kind> = tables.passes.iter().map(|(pass, twiddles)| kind(*pass, twiddles)).collect();
    exchanges_of(&kinds, lazy && kinds.len() > 1)
}

/// What a pass in radix 8 may exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It has no kernels for lazy elements.
    Canonical,
    /// It is the first.
    First,
    Later,
}

fn kind(pass: Pass, twiddles: &Twiddles) -> Kind {
    match twiddles {
        Twiddles::None if pass.log_r == 3 => Kind::First,
        Twiddles::Elements(_) if pass.log_r == 3 => Kind::Later,
        _ => Kind::Canonical,
    }
}

fn exchanges_of(kinds: &[Kind], lazy: bool) -> Vec<Exchange> {
    let reads = |at: usize| lazy && kinds.get(at) == Some(&Kind::Later);
    let exchange = |(at, kind): (usize, &Kind)| Exchange {
        reads_lazy: reads(at),
        writes_lazy: *kind != Kind::Canonical && reads(at + 1),
    };
    kinds.iter().enumerate().map(exchange).collect()
}

/// A part of a vector from `start` on, and where a pass writes it.
#[derive(Clone, Copy)]
struct Part<'a> {
    from: &'a Vector,
    to: &'a Vector,
    start: usize,
}

/// Pass number `at` over a part.
fn run_pass(
    stream: &Stream,
    tables: &GpuTables,
    at: usize,
    exchange: Exchange,
    direction: Direction,
    Part { from, to, start }: Part<'_>,
) -> Result<()> {
    let GpuTables { log_n, turn, field, .. } = tables;
    let (pass, twiddles) = &tables.passes[at];
    let (log_n, Pass { log_r, log_done }) = (*log_n, *pass);
    // Negated indices; the kernels take `turn` mod r.
    let negate = pass.end() == log_n && direction == Direction::Inverse;
    let (turn, sign) = if negate { (turn.wrapping_neg(), u32::MAX) } else { (*turn, 1) };
    let threads = 1usize << (log_n - log_r);
    let by_table = matches!(twiddles, Twiddles::Tables(_));
    let twiddles = match twiddles {
        // The first pass reads none.
        Twiddles::None => from.ptr_at(start),
        Twiddles::Elements(buffer) | Twiddles::Tables(buffer) => buffer.ptr(),
    };
    macro_rules! launch {
        ($kernel:ident, $a:expr, $out:expr) => {{
            let (a, out) = ($a, $out);
            stream.launch(field, threads, &$kernel { a, twiddles, out, log_n, log_done, turn, sign })
        }};
        ($kernel:ident) => {
            launch!($kernel, from.ptr_at(start), to.ptr_at(start))
        };
    }
    match (exchange.reads_lazy, exchange.writes_lazy) {
        (false, true) => return launch!(NttRadix8First, from.ptr_at(start), to.lazy_ptr_at(start)),
        (true, true) => return launch!(NttRadix8Lazy, from.lazy_ptr_at(start), to.lazy_ptr_at(start)),
        (true, false) => return launch!(NttRadix8Last, from.lazy_ptr_at(start), to.ptr_at(start)),
        (false, false) => {}
    }
    match (log_r, by_table) {
        (1, _) => launch!(NttRadix2),
        (2, _) => launch!(NttRadix4),
        (3, false) => launch!(NttRadix8),
        (3, true) => launch!(NttRadix8Table),
        (_, false) => launch!(NttRadix16),
        (_, true) => launch!(NttRadix16Table),
    }
}

/// `out[i] = a[i] · base^i`, and `/n` on the way back; `powers` are the base's.
fn scale_by_powers(
    stream: &Stream,
    tables: &GpuTables,
    a: &Vector,
    direction: Direction,
    powers: &[u8],
    out: &Vector,
) -> Result<()> {
    let (field, len) = (&tables.field, a.len());
    let n = index32("vector", len)?;
    let log_len = len.next_power_of_two().trailing_zeros();
    if log_len <= stream.gpu().policy().ntt.max_cached_log_n {
        let factors = coset(stream, tables, direction, powers)?;
        stream.launch(field, len, &FieldMul { a: a.ptr(), b: factors.ptr(), out: out.ptr(), n })?;
        // The cache may let go of them before the kernel has run.
        stream.hold(factors);
        return Ok(());
    }
    let base_pows = upload_squarings(stream, field, powers)?;
    let mut kernel = FieldScalePowers { a: a.ptr(), base_pows: base_pows.ptr(), out: out.ptr(), start: 0, n };
    if direction == Direction::Forward {
        return stream.launch(field, len, &kernel);
    }
    let scaled: Vector = stream.elements(field, len)?;
    kernel.out = scaled.ptr();
    stream.launch(field, len, &kernel)?;
    scale(stream, field, &scaled, &tables.size_inv, out)
}

/// The cached factors of a coset, made now if they are not there.
fn coset(stream: &Stream, tables: &GpuTables, direction: Direction, powers: &[u8]) -> Result<Arc<Vector>> {
    let lock = || tables.cosets.lock().unwrap_or_else(PoisonError::into_inner);
    let cached =
        lock().iter().find(|c| c.direction == direction && c.powers == powers).map(|c| c.factors.clone());
    if let Some(factors) = cached {
        return Ok(factors);
    }
    let (field, len) = (&tables.field, tables.n);
    let mut factors: Vector = stream.elements(field, len)?;
    let base_pows = upload_squarings(stream, field, powers)?;
    let kernel = Powers { base_pows: base_pows.ptr(), out: factors.ptr(), n: index32("powers", len)? };
    stream.launch(field, len, &kernel)?;
    if direction == Direction::Inverse {
        let scaled = stream.elements(field, len)?;
        scale(stream, field, &factors, &tables.size_inv, &scaled)?;
        factors = scaled;
    }
    // Other streams may take them from the cache without waiting for this one.
    stream.synchronize()?;
    let factors = Arc::new(factors);
    let mut cosets = lock();
    if cosets.len() == MAX_COSETS {
        cosets.remove(0);
    }
    cosets.push(Coset { direction, powers: powers.to_vec(), factors: Arc::clone(&factors) });
    Ok(factors)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes too large to run: all stages are there, and every index a pass computes stays in range.
    #[test]
    fn passes_of_large_sizes_stay_in_range() {
        for (log_n, most) in (0..=31).flat_map(|log_n| (1..=4).map(move |most| (log_n, most))) {
            let least = most.min(3);
            let (n, mut done, passes) = (1u64 << log_n, 0, passes(log_n, least, most));
            assert_eq!(passes.len() as u32, log_n.div_ceil(most), "2^{log_n}, {most}");
            for pass in &passes {
                assert_eq!(pass.log_done, done);
                let Pass { log_r, .. } = *pass;
                let shortest = if done == 0 { 1 } else { least };
                assert!((shortest..=most).contains(&log_r), "2^{log_n}, {most}");
                done += log_r;
                let threads = (n >> log_r).div_ceil(128) * 128;
                assert!(threads <= u64::from(u32::MAX), "thread index");
                let s = 1u64 << pass.log_done;
                let largest = ((1 << log_r) - 2) * s + (s - 1);
                assert_eq!(largest + 1, pass.twiddles() as u64, "twiddle index");
                assert!(largest < n && pass.end() == done);
            }
            assert_eq!(done, log_n);
        }
    }

    /// What a pass writes, the next one can read, the first reads and the last writes canonical elements, and no kernel is asked
    /// for that there is not: the one that reads canonical and writes lazy elements is that of a first pass.
    #[test]
    fn passes_agree_on_what_lies_between_them() {
        use Kind::{Canonical, First, Later};
        let passes = |length: usize| {
            let later = (0..1 << (length - 1)).map(move |bits: u32| {
                (0..length - 1).map(move |i| if bits >> i & 1 == 1 { Later } else { Canonical }).collect()
            });
            later.flat_map(|later: Vec<Kind>| [First, Canonical].map(|first| [&[first][..], &later].concat()))
        };
        let mut lazy = 0;
        for kinds in (1..=5).flat_map(passes) {
            let all = exchanges_of(&kinds, true);
            assert!(!all[0].reads_lazy && !all[kinds.len() - 1].writes_lazy, "{kinds:?}");
            for (at, (kind, exchange)) in kinds.iter().zip(&all).enumerate() {
                let next = all.get(at + 1).is_some_and(|next| next.reads_lazy);
                assert!(next || !exchange.writes_lazy, "{kinds:?} {at}");
                match exchange {
                    Exchange { reads_lazy: true, .. } => assert_eq!(*kind, Later),
                    Exchange { writes_lazy: true, .. } => assert_eq!(*kind, First),
                    _ => {}
                }
                lazy += usize::from(exchange.writes_lazy);
            }
            let none = exchanges_of(&kinds, false);
            assert!(none.iter().all(|e| !e.reads_lazy && !e.writes_lazy), "{kinds:?}");
        }
        let three = exchanges_of(&[First, Later, Later], true);
        assert_eq!(three.iter().filter(|e| e.writes_lazy).count(), 2);
        assert!(lazy > 10, "{lazy}");
    }

    #[test]
    fn radix_16_takes_the_fewest_passes() {
        let lengths = |log_n| passes(log_n, 3, 4).iter().map(|pass| pass.log_r).collect::<Vec<_>>();
        assert_eq!(lengths(24), [4; 6]);
        assert_eq!(lengths(21), [4, 4, 4, 3, 3, 3]);
        assert_eq!((lengths(9), lengths(5), lengths(0)), (vec![3; 3], vec![2, 3], vec![]));
    }
}
