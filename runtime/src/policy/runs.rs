//! Which sums by bits of an MSM the device combines, and which are left to the host.

use crate::vocabulary::{DigitMap, DigitShape, OddDigits};

/// The sums by bits of all sets of buckets, one after the other, cut into runs of neighbours. Horner's rule
/// on the device makes one point of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Runs {
    pub(crate) shape: DigitShape,
    /// Sums of several sets, or of one, that are cut by themselves: no run ends within a set that is not its
    /// own.
    pub(crate) span: usize,
    /// Most sums of a run.
    pub(crate) each: usize,
    /// All sums.
    pub(crate) len: usize,
}

impl Runs {
    /// Runs of one sum each: nothing is left to the device.
    pub(crate) fn singles(shape: DigitShape) -> Self {
        Runs { shape, span: 1, each: 1, len: shape.sums() }
    }

    /// One run a set of signed digits.
    pub(crate) fn sets(shape: DigitShape) -> Self {
        Self::up_to(shape, shape.sums_of_set())
    }

    /// Runs of at most `most` sums, or of a sum: whole sets, where they are shorter, or equal parts of one.
    /// With stored doublings, whose sums have other weights, single ones.
    pub(crate) fn up_to(shape: DigitShape, most: usize) -> Self {
        if matches!(shape.map, DigitMap::Odd(OddDigits::Stored { .. })) {
            return Self::singles(shape);
        }
        let (set, most) = (shape.sums_of_set(), most.max(1));
        let span = set * (most / set).max(1);
        Runs { shape, span, each: span.div_ceil(span.div_ceil(most)), len: shape.sums() }
    }

    /// Runs of a span; of the last span, at most.
    pub(crate) fn parts(&self) -> usize {
        self.span.div_ceil(self.each)
    }

    /// The first sums of the runs.
    fn firsts(self) -> impl Iterator<Item = usize> {
        let Runs { span, each, len, .. } = self;
        (0..len).step_by(span).flat_map(move |lo| (lo..len.min(lo + span)).step_by(each))
    }

    /// Points that the device leaves.
    pub(crate) fn points(&self) -> usize {
        self.firsts().count()
    }

    /// Whether the device combines anything.
    pub(crate) fn combine(&self) -> bool {
        self.each > 1
    }

    /// The exponents of the powers of two with which the points are to be multiplied.
    pub(crate) fn exponents(self) -> impl Iterator<Item = usize> {
        let set = self.shape.sums_of_set();
        let window = self.shape.window as usize;
        self.firsts().map(move |q| window * (q / set) + exponent_in_set(self.shape.map, set, window, q % set))
    }
}

/// The exponent of sum `q` of a set: the total is the first, that of the numbers' bit `j` has place `j + 1`.
/// Bucket `b` is of the digit `b + 1`, or, where digits are odd, of `2b + 1`; even digits, which stored
/// doublings leave over, have the upper half of the places, whose bucket `b` is of `2b + 2`.
fn exponent_in_set(map: DigitMap, set: usize, window: usize, q: usize) -> usize {
    match (map, q) {
        (_, 0) => 0,
        (DigitMap::Signed, q) => q - 1,
        (DigitMap::Odd(OddDigits::Stored { tau }), q) if (tau as usize) + 1 < window && q + 1 == set => 0,
        (DigitMap::Odd(_), q) => q,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn firsts(runs: Runs) -> Vec<usize> {
        runs.firsts().collect()
    }

    #[test]
    fn runs_end_with_sets() {
        let shape = |window, sets| DigitShape { window, sets, multiples: 1, map: DigitMap::Signed };
        assert_eq!(firsts(Runs::singles(shape(3, 2))), [0, 1, 2, 3, 4, 5]);
        assert_eq!(firsts(Runs::sets(shape(13, 3))), [0, 13, 26]);
        assert_eq!(firsts(Runs::up_to(shape(13, 2), 9)), [0, 7, 13, 20]);
        assert_eq!(firsts(Runs::up_to(shape(24, 1), 9)), [0, 8, 16]);
        assert_eq!(firsts(Runs::up_to(shape(4, 5), 9)), [0, 8, 16]);
        assert_eq!(firsts(Runs::up_to(shape(9, 2), 9)), [0, 9]);
        assert_eq!(Runs::up_to(shape(5, 2), 1), Runs { span: 5, ..Runs::singles(shape(5, 2)) });
        assert!(firsts(Runs::sets(shape(5, 0))).is_empty());
    }

    #[test]
    fn weights_are_those_of_bits() {
        let shape = DigitShape { window: 3, sets: 2, multiples: 1, map: DigitMap::Signed };
        assert_eq!(Runs::singles(shape).exponents().collect::<Vec<_>>(), [0, 0, 1, 3, 3, 4]);
        assert_eq!(Runs::up_to(shape, 2).exponents().collect::<Vec<_>>(), [0, 1, 3, 4]);
        // Windows of 4 bits: of odd digits alone buckets 0 to 3 are of 1, 3, 5, 7; else 4 to 7 are of 2, 4,
        // 6, 8.
        let odd = |tau| DigitShape { window: 4, ..shape }.with_doublings(tau);
        assert_eq!(Runs::up_to(odd(3), 9).exponents().collect::<Vec<_>>(), [0, 1, 2, 4, 5, 6]);
        assert_eq!(Runs::up_to(odd(1), 9).exponents().collect::<Vec<_>>(), [0, 1, 2, 0, 4, 5, 6, 4]);
        // Regular digits are 1, 3, 5, … 15.
        let regular = Runs::singles(DigitShape::regular(12, 4, 1));
        assert_eq!(regular.exponents().collect::<Vec<_>>(), (0..12).collect::<Vec<_>>());
        assert_eq!(Runs::up_to(regular.shape, 3).exponents().collect::<Vec<_>>(), [0, 2, 4, 6, 8, 10]);
    }

    /// Windows that policies choose, for scalars of 253 to 256 bits.
    #[test]
    fn few_points_are_left() {
        for (window, bits) in (2..=24).flat_map(|window| [253, 254, 255, 256].map(|bits| (window, bits))) {
            let points = Runs::up_to(DigitShape::new(bits, window), 9).points();
            assert!(points <= 52, "{points} of windows of {window} bits");
        }
    }
}
