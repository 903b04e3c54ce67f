//! The block of parameters of a launch, and the ranges that it binds.

use crate::contract::Contract;
use curvesmith_abi::{Arg, ByteRange};

/// Bytes that are bound at least, and a divisor of their number: the largest thing that a kernel reads at
/// once, four words.
pub(crate) const LEAST: u64 = 16;

/// What is bound for a range of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// Where it begins in the buffer, aligned.
    pub(crate) offset: u64,
    /// Bytes from there, a multiple of [`LEAST`].
    pub(crate) size: u64,
    /// The range's first word from there.
    pub(crate) word: u32,
}

impl Bound {
    /// For a range, which begins at a word, of a buffer of `size` bytes: a multiple of [`LEAST`], and not
    /// nothing. `alignment` is a power of two, at least that.
    pub(crate) fn new(range: &ByteRange, size: u64, alignment: u64) -> Bound {
        // Nothing cannot be bound; of an empty range at the end of the buffer, what is before is.
        let offset = range.start.min(size - LEAST) & !(alignment - 1);
        let end = range.end.next_multiple_of(LEAST).max(offset + LEAST);
        // Below the alignment in words.
        let word = ((range.start - offset) / 4) as u32;
        Bound { offset, size: end - offset, word }
    }
}

/// Whether a buffer that one argument reads is written by another one.
pub(crate) fn is_mixed(contract: &Contract, args: &[Arg]) -> bool {
    let buffers = args.iter().filter_map(|arg| match arg {
        Arg::Buffer(range) => Some(range.buffer),
        Arg::U32(_) | Arg::U64(_) => None,
    });
    let uses: Vec<_> = buffers.zip(contract.buffers()).collect();
    uses.iter().any(|a| uses.iter().any(|b| a.0 == b.0 && a.1 != b.1))
}

/// Little-endian bytes of the block of parameters. `bounds` are those of the buffers among the arguments.
pub(crate) fn block(grid: u32, args: &[Arg], bounds: impl IntoIterator<Item = Bound>) -> Vec<u8> {
    let mut bounds = bounds.into_iter();
    let mut words = vec![grid];
    for arg in args {
        match *arg {
            Arg::U32(value) => words.push(value),
            Arg::U64(value) => words.extend([value as u32, (value >> 32) as u32]),
            Arg::Buffer(_) => words.extend(bounds.next().map(|bound| bound.word)),
        }
    }
    words.resize(words.len().next_multiple_of(4), 0);
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use curvesmith_abi::BufferId;

    fn range(buffer: u64, start: u64, end: u64) -> ByteRange {
        ByteRange { buffer: BufferId(buffer), start, end }
    }

    #[test]
    fn ranges_are_bound_from_an_aligned_byte() {
        for (start, end, bound) in [
            (0, 512, (0, 512, 0)),
            (256, 512, (256, 256, 0)),
            (252, 260, (0, 272, 63)),
            (260, 261, (256, 16, 1)),
            (256, 256, (256, 16, 0)),
            (512, 512, (256, 256, 64)),
            (0, 0, (0, 16, 0)),
        ] {
            let Bound { offset, size, word } = Bound::new(&range(1, start, end), 512, 256);
            assert_eq!((offset, size, word), bound, "{start}..{end}");
        }
    }

    #[test]
    fn parameters_are_words() {
        let bound = |word| Bound { offset: 0, size: 4, word };
        let args = [
            Arg::Buffer(range(1, 0, 4)),
            Arg::U64(0x0102_0304_0506_0708),
            Arg::Buffer(range(2, 0, 4)),
            Arg::U32(9),
        ];
        let bytes = block(5, &args, [bound(7), bound(3)]);
        let words: Vec<_> = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
        assert_eq!(words, [5, 7, 0x0506_0708, 0x0102_0304, 3, 9, 0, 0]);
        assert_eq!(block(1, &[], []).len(), 16);
    }

    #[test]
    fn reads_of_what_is_written_are_noticed() {
        let contract = Contract::parse("Common x[1](n: u32, a: in u32, b: in u32, out: inout u32)");
        let contract = contract.expect("it is one");
        let mixed = |a, b, out| {
            let buffer = |id| Arg::Buffer(range(id, 0, 4));
            is_mixed(&contract, &[Arg::U32(1), buffer(a), buffer(b), buffer(out)])
        };
        assert!(!mixed(1, 2, 3));
        assert!(!mixed(1, 1, 3), "two reads");
        assert!(mixed(1, 2, 1) && mixed(1, 2, 2) && mixed(1, 1, 1));
    }
}
