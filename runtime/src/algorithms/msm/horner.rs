//! Which sums by bits of an MSM the device combines, and which are left to the host.

use crate::algorithms::index32;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::work::DigitShape;
use curvesmith_abi::kernels::BitHorner;
use curvesmith_abi::{Ptr, layout};

/// The sums by bits of all sets of buckets, one after the other, cut into runs of neighbours. Horner's rule on the device makes one point of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Runs {
    /// Bits of a window, and so sums of a set.
    window: usize,
    /// Sums of several sets, or of one, that are cut by themselves: no run ends within a set that is not its own.
    span: usize,
    /// Most sums of a run.
    each: usize,
    /// All sums.
    len: usize,
}

impl Runs {
    /// Runs of one sum each: nothing is left to the device.
    pub(crate) fn singles(shape: DigitShape) -> Self {
        Runs { window: shape.window as usize, span: 1, each: 1, len: shape.sums() }
    }

    /// One run a set.
    pub(crate) fn sets(shape: DigitShape) -> Self {
        let window = shape.window as usize;
        Runs { window, span: window, each: window, len: shape.sums() }
    }

    /// Runs of at most `most` sums, or of a sum: whole sets, where they are shorter, or equal parts of one.
    pub(crate) fn up_to(shape: DigitShape, most: usize) -> Self {
        let (window, most) = (shape.window.max(1) as usize, most.max(1));
        let span = window * (most / window).max(1);
        Runs { window, span, each: span.div_ceil(span.div_ceil(most)), len: shape.sums() }
    }

    /// Runs of a span; of the last span, at most.
    fn parts(&self) -> usize {
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
    pub(super) fn combine(&self) -> bool {
        self.each > 1
    }

    /// The exponents of the powers of two with which the points are to be multiplied, ascending. In a set the first sum, a total, and the
    /// second have the same weight.
    pub(crate) fn exponents(self) -> impl DoubleEndedIterator<Item = usize> {
        let exponents: Vec<usize> =
            self.firsts().map(|q| q - usize::from(!q.is_multiple_of(self.window))).collect();
        exponents.into_iter()
    }

    /// Combines sums on the device.
    pub(super) fn launch(
        &self,
        stream: &Stream,
        group: &Owner,
        sums: &Buffer<layout::Point>,
        out: Ptr<layout::Point>,
    ) -> Result<()> {
        let number = |n| index32("sums by bits", n);
        let kernel = BitHorner {
            sums: sums.ptr(),
            out,
            window: number(self.window)?,
            span: number(self.span)?,
            parts: number(self.parts())?,
            each: number(self.each)?,
            n: number(self.len)?,
            runs: number(self.points())?,
        };
        stream.launch(group, self.points(), &kernel)
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
        let shape = |window, sets| DigitShape { window, sets, multiples: 1 };
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
        let shape = DigitShape { window: 3, sets: 2, multiples: 1 };
        assert_eq!(Runs::singles(shape).exponents().collect::<Vec<_>>(), [0, 0, 1, 3, 3, 4]);
        assert_eq!(Runs::up_to(shape, 2).exponents().collect::<Vec<_>>(), [0, 1, 3, 4]);
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
