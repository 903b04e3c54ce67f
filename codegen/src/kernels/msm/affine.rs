//! Sums of pairs of affine points, with one inversion for all pairs of a thread.

use super::group_kernel;
use crate::declaration::GroupDesc;
use crate::fir::build::{Buffer, Fe, Pred, U32};
use crate::fir::ir::Kernel;
use crate::formulas::{AffineWords, Curve};
use crate::kernels::inverse::invert_element;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{NO_ENTRY, PairSums};

pub(in super::super) fn pair_sums(geometry: &Geometry, group: &GroupDesc) -> Kernel {
    group_kernel::<PairSums>(geometry, group, pair_sums_body)
}

/// Montgomery's trick: forwards, the product of the denominators before each; then the inverse of all, and
/// backwards the sums. The products before wait in the places of the sums' `x`.
fn pair_sums_body(curve: Curve<'_>) {
    let b = curve.b;
    let (t, threads) = (b.global_index(), b.scalar("threads"));
    let n = b.buffer("starts").word(b.scalar("buckets"));
    b.return_if(t.ge(n.min(threads)));
    let sums = b.buffer("sums");
    let pairs =
        Pairs { curve, points: b.buffer("points"), lefts: b.buffer("lefts"), rights: b.buffer("rights") };

    let i = b.var(t);
    let product = b.var(curve.one());
    // Its last round looks past the end only if n ≥ 2^31, which the contract excludes.
    b.while_(
        || i.get().lt(n),
        || {
            let (at, before) = (i.get(), product.get());
            sums.set_coordinate(at, 0, before);
            pairs.denominator(at, |denominator| product.set(before * denominator));
            i.set(at + threads);
        },
    );
    let inverse = b.var(invert_element(b, product.get()));
    b.loop_(|| {
        let at = i.get() - threads;
        pairs.sum(at, sums, |denominator| {
            let (before, after) = (sums.coordinate(at, 0), inverse.get());
            inverse.set(after * denominator);
            before * after
        });
        i.set(at);
        b.break_if(at.eq(t));
    });
}

/// The pairs of a launch.
#[derive(Clone, Copy)]
struct Pairs<'k> {
    curve: Curve<'k>,
    points: Buffer<'k>,
    lefts: Buffer<'k>,
    rights: Buffer<'k>,
}

/// One entry of a pair: its base, and whether it is subtracted.
#[derive(Clone, Copy)]
struct Entry<'k> {
    index: U32<'k>,
    negative: Pred<'k>,
}

impl<'k> Entry<'k> {
    fn of(entry: U32<'k>) -> Entry<'k> {
        Entry { index: entry & 0x7fff_ffff, negative: entry.ge(entry.builder().u32(1 << 31)) }
    }
}

impl<'k> Pairs<'k> {
    /// Both entries, the left one twice where it is alone, and whether it is.
    fn entries(self, at: U32<'k>) -> ([Entry<'k>; 2], Pred<'k>) {
        let (left, right) = (self.lefts.word(at), self.rights.word(at));
        let alone = right.is(NO_ENTRY);
        ([left, alone.select(left, right)].map(Entry::of), alone)
    }

    /// Calls `then` with the denominator of the pair, where it has one: that is, where there are two points.
    fn denominator(self, at: U32<'k>, then: impl FnOnce(Fe<'k>)) {
        let Pairs { curve, points, .. } = self;
        let (entries, alone) = self.entries(at);
        let x = entries.map(|entry| curve.load_coordinate(points, entry.index, 0));
        self.if_two(&x, alone, || {
            let y = || {
                entries.map(|entry| {
                    let y = curve.coordinate(&curve.load_coordinate(points, entry.index, 1));
                    entry.negative.select(-y, y)
                })
            };
            then(curve.denominator([curve.coordinate(&x[0]), curve.coordinate(&x[1])], y));
        });
    }

    /// Writes the sum of the pair; `invert` gives the inverse of the denominator where there is one.
    fn sum(self, at: U32<'k>, sums: Buffer<'k>, invert: impl FnOnce(Fe<'k>) -> Fe<'k>) {
        let Pairs { curve, points, .. } = self;
        let b = curve.b;
        let (entries, alone) = self.entries(at);
        let words = entries.map(|entry| curve.load_affine(points, entry.index));
        let point = |i: usize| curve.neg_if(entries[i].negative, curve.affine(&words[i]));
        let two = || {
            let chord = curve.chord(point(0), point(1));
            let sum = curve.third_point(chord, invert(chord.denominator.get()));
            b.if_else(
                chord.vanishes.get(),
                || curve.store_affine_identity(sums, at),
                || curve.store_affine(sums, at, sum),
            );
        };
        let one = || {
            let left = !words[0].is_identity;
            b.if_else(
                left,
                || curve.store_affine(sums, at, point(0)),
                || {
                    b.if_else(
                        words[1].is_identity,
                        || curve.store_affine_identity(sums, at),
                        || curve.store_affine(sums, at, point(1)),
                    );
                },
            );
        };
        b.if_else(self.are_two(&words, alone), two, one);
    }

    fn are_two(self, words: &[AffineWords<'k>; 2], alone: Pred<'k>) -> Pred<'k> {
        !(alone | words[0].is_identity | words[1].is_identity)
    }

    fn if_two(self, words: &[AffineWords<'k>; 2], alone: Pred<'k>, then: impl FnOnce()) {
        self.curve.b.if_(self.are_two(words, alone), then);
    }
}
