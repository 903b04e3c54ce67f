//! Bucket accumulation: over equal slices (Chen et al., §4), and by balanced rows (cuZK, §4.1).

use super::group_kernel;
use crate::declaration::GroupDesc;
use crate::fir::build::{Builder, Pred, U32};
use crate::fir::ir::Kernel;
use crate::fir::lanes::spread_over_lanes;
use crate::formulas::{Accumulator, Curve};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{Accumulate, AccumulateLanes, AccumulateRows, ROW_CLASSES};

/// How the sorted entries are cut into slices.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Slices<'k> {
    /// Entries with a digit other than 0.
    pub(super) total: U32<'k>,
    /// Entries a slice: `⌈total/slices⌉`, or `least`, where that is more.
    pub(in super::super) len: U32<'k>,
}

impl<'k> Slices<'k> {
    /// From the kernel's parameters `starts`, `buckets`, `slices`, `least`.
    pub(in super::super) fn new(b: &'k Builder) -> Self {
        let total = b.buffer("starts").word(b.scalar("buckets"));
        let slices = b.scalar("slices");
        // With total < 2^31 and slices ≤ 2^20 the sum does not wrap.
        Slices { total, len: ((total + slices - 1) / slices).max(b.scalar("least")) }
    }

    /// First entry of slice `t < slices`, or past `total` for an empty slice. It does not wrap: `t·len` is
    /// below `slices·⌈total/slices⌉ < total + slices`, or `slices·least ≤ 2^30`.
    pub(super) fn start(self, t: U32<'k>) -> U32<'k> {
        t * self.len
    }

    /// The first slice that starts at entry `i` or later.
    pub(super) fn first_from(self, i: U32<'k>) -> U32<'k> {
        (i + self.len - 1) / self.len
    }
}

pub(in super::super) fn accumulate(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    group_kernel::<Accumulate>(geometry, group, |curve| {
        accumulate_body(curve, group.degree() * group.base.words)
    })
}

/// As [`accumulate`], a pair of lanes a slice; for short Weierstrass groups over quadratic extensions.
pub(in super::super) fn accumulate_lanes(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    let body = |curve: Curve<'_>| accumulate_body(curve, group.base.words);
    let kernel = group_kernel::<AccumulateLanes>(geometry, group, body);
    spread_over_lanes(&kernel).expect("it writes points and words of its own slice only")
}

/// Whether the next base is fetched during an addition where a thread has so many words of each coordinate: 3
/// to 5 % of an MSM on an H200 with 8 and 12 words, 1 % with 16. With 24 it is half a percent, and registers
/// that are not there.
fn fetches_ahead(words: usize) -> bool {
    words <= 16
}

fn accumulate_body<'k>(curve: Curve<'k>, words: usize) {
    let b = curve.b;
    let t = b.global_index();
    b.return_if(t.ge(b.scalar("slices")));
    let slices = Slices::new(b);
    let keys = b.buffer("keys");
    let (sums, partials) = (b.buffer("sums"), b.buffer("partials"));
    let start = slices.start(t).min(slices.total);
    let end = (start + slices.len).min(slices.total);

    let empty = start.ge(end);
    b.if_(empty, || curve.store(partials, t, curve.identity()));
    b.return_if(empty);

    let acc = curve.accumulator(curve.identity(), b.bool(true));
    let key = b.var(keys.word(start));
    let in_first_run = b.var(b.bool(true));
    let key_at = |i: U32<'k>| keys.word(i.min(end - 1));
    add_entries(curve, words, acc, start, end, key_at, |next_key, last| {
        b.if_(last | next_key.ne(key.get()), || {
            // A later run of this slice is nobody else's: its key's other entries, if any,
            // lie in the following slices' first runs.
            b.if_else(
                in_first_run.get(),
                || curve.store(partials, t, acc.point.get()),
                || curve.store(sums, key.get(), acc.point.get()),
            );
            acc.point.set(curve.identity());
            acc.is_identity.set(b.bool(true));
            in_first_run.set(b.bool(false));
            key.set(next_key);
        });
    });
}

/// Adds the bases of entries `start..end`, of which there are some, to `acc`, one a round. `ahead` asks for
/// what the end of a round needs of the next entry, whose index it has, `end` in the last round; `after` ends
/// the round with that, and knows whether it is the last. A thread has so many words of a coordinate.
fn add_entries<'k, A>(
    curve: Curve<'k>,
    words: usize,
    acc: Accumulator<'k>,
    start: U32<'k>,
    end: U32<'k>,
    ahead: impl FnOnce(U32<'k>) -> A,
    after: impl FnOnce(A, Pred<'k>),
) {
    let b = curve.b;
    let (bases, entries) = (b.buffer("bases"), b.buffer("entries"));
    let entry_at = |i: U32<'k>| entries.word(i.min(end - 1));
    let i = b.var(start);
    // The entry that a round adds; and the next one, where its base is fetched ahead.
    let this_entry = b.var(entries.word(start));
    let next_entry = fetches_ahead(words).then(|| b.var(entry_at(start + 1)));
    b.loop_(|| {
        // What the end of the round and the next ones ask for is on its way during the addition: keys and
        // entries to registers, the next base to the cache, since registers have no room for it.
        let entry = this_entry.get();
        let next = i.get() + 1;
        let last = next.ge(end);
        let asked = ahead(next);
        match next_entry {
            Some(next_entry) => {
                this_entry.set(next_entry.get());
                bases.prefetch(next_entry.get() & 0x7fff_ffff);
                next_entry.set(entry_at(next + 1));
            }
            None => this_entry.set(entry_at(next)),
        }
        let base = curve.load_affine(bases, entry & 0x7fff_ffff);
        b.if_(!base.is_identity, || {
            let negative = entry.ge(b.u32(1 << 31));
            curve.madd(acc, curve.neg_if(negative, curve.affine(&base)));
        });
        i.set(next);
        after(asked, last);
        b.break_if(last);
    });
}

pub(in super::super) fn accumulate_rows(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    group_kernel::<AccumulateRows>(geometry, group, accumulate_rows_body)
}

/// A thread never leaves its row: there is one sum, which is written when the loop is over. That of a whole
/// row begins with what `sums` has of it.
fn accumulate_rows_body(curve: Curve<'_>) {
    let b = curve.b;
    let t = b.global_index();
    let (starts, offsets, buckets) = (b.buffer("starts"), b.buffer("offsets"), b.scalar("buckets"));
    b.return_if(t.ge(offsets.word(buckets + 1 + b.scalar("tiles") * ROW_CLASSES)));
    let parts = offsets.word(buckets);
    let is_part = t.lt(parts);

    let zero = b.u32(0);
    let (row, start, end) = (b.var(zero), b.var(zero), b.var(zero));
    b.if_else(
        is_part,
        || {
            // Rows below `low` end at part `t` or before it, those from `high` on after it.
            let (low, high) = (b.var(zero), b.var(buckets));
            b.while_(
                || low.get().lt(high.get()),
                || {
                    let middle = low.get() + ((high.get() - low.get()) >> 1);
                    b.if_else(offsets.word(middle + 1).gt(t), || high.set(middle), || low.set(middle + 1));
                },
            );
            let this = low.get();
            let first = offsets.word(this);
            let (part, of) = (t - first, offsets.word(this + 1) - first);
            let row_start = starts.word(this);
            let entries = starts.word(this + 1) - row_start;
            // As many parts as `longer` have one entry more than others.
            let len = entries / of;
            let longer = entries - len * of;
            let part_start = row_start + part * len + part.min(longer);
            row.set(this);
            start.set(part_start);
            end.set(part_start + len + part.lt(longer).select(b.u32(1), zero));
            b.buffer("part_rows").set_word(t, this);
        },
        || {
            let this = b.buffer("order").word(t - parts);
            row.set(this);
            start.set(starts.word(this));
            end.set(starts.word(this + 1));
        },
    );

    let sums = b.buffer("sums");
    let acc = curve.accumulator(curve.identity(), b.bool(true));
    b.if_(!is_part, || {
        let sum = curve.load(sums, row.get());
        acc.is_identity.set(curve.is_identity(sum));
        acc.point.set(sum);
    });
    let words = curve.group.degree() * curve.group.base.words;
    add_entries(curve, words, acc, start.get(), end.get(), |_| (), |(), _| ());
    let sum = acc.point.get();
    b.if_else(is_part, || curve.store(b.buffer("partials"), t, sum), || curve.store(sums, row.get(), sum));
}
