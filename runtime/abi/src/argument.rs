//! Arguments of launches: words, and ranges of buffers.

use crate::{Access, KernelDesc, Layout, ParamKind};
use std::fmt;
use std::marker::PhantomData;

/// An allocation of a device. What the number is, only the device knows; no two live allocations of
/// it have the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferId(pub u64);

/// Bytes `start..end` of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ByteRange {
    /// The buffer.
    pub buffer: BufferId,
    /// The first byte.
    pub start: u64,
    /// One past the last byte.
    pub end: u64,
}

impl ByteRange {
    /// Whether both have a byte in common.
    pub const fn overlaps(&self, other: &ByteRange) -> bool {
        let start = if self.start > other.start { self.start } else { other.start };
        let end = if self.end < other.end { self.end } else { other.end };
        self.buffer.0 == other.buffer.0 && start < end
    }
}

impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bytes {}..{}", self.start, self.end)
    }
}

/// A launch argument as the device sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arg {
    /// 32-bit parameter.
    U32(u32),
    /// 64-bit parameter.
    U64(u64),
    /// Part of a buffer, or all of it.
    Buffer(ByteRange),
}

/// Elements of layout `L` in a buffer: the argument of a kernel's buffer parameter.
#[derive(Debug)]
pub struct Slice<L> {
    /// Where they are.
    pub range: ByteRange,
    layout: PhantomData<fn() -> L>,
}

impl<L> Clone for Slice<L> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<L> Copy for Slice<L> {}

impl<L> Slice<L> {
    /// Names the layout of the elements at `range`; the caller promises it, and that the range lies
    /// within its buffer.
    pub fn new(range: ByteRange) -> Self {
        Slice { range, layout: PhantomData }
    }

    /// All but the first `bytes`, of which there are as many.
    #[must_use]
    pub fn skip(self, bytes: u64) -> Self {
        let ByteRange { buffer, start, end } = self.range;
        debug_assert!(bytes <= end - start, "{bytes} bytes of {}", self.range);
        Slice::new(ByteRange { buffer, start: start + bytes, end })
    }

    /// The same bytes as elements of another layout; the caller promises it.
    #[must_use]
    pub fn cast<M: Layout>(self) -> Slice<M> {
        Slice::new(self.range)
    }
}

/// Two buffers of a launch with bytes in common, one of them written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The parameter that is written, and where it is.
    pub written: (&'static str, ByteRange),
    /// The other parameter, and where it is.
    pub other: (&'static str, ByteRange),
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overlap { written: (written, to), other: (other, from) } = self;
        write!(f, "`{written}` is written at {to} of a buffer, of which `{other}` is {from}")
    }
}

impl KernelDesc {
    /// A written buffer among `args` that has bytes in common with another one.
    pub fn overlap(&self, args: &[Arg]) -> Option<Overlap> {
        let buffers = || {
            self.params.iter().zip(args).filter_map(|(param, arg)| match (param.kind, arg) {
                (ParamKind::Buffer(access, _), Arg::Buffer(range)) => Some((param.name, access, *range)),
                _ => None,
            })
        };
        let written = buffers().filter(|(_, access, _)| *access == Access::InOut);
        written.flat_map(|w| buffers().map(move |other| (w, other))).find_map(
            |((written, _, to), (other, _, from))| {
                let found = Overlap { written: (written, to), other: (other, from) };
                (written != other && to.overlaps(&from)).then_some(found)
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{FieldMul, RadixScatter};
    use crate::{Geometry, Kernel as _};
    use std::ops::Range;

    fn slice<L>(buffer: u64, Range { start, end }: Range<u64>) -> Slice<L> {
        Slice::new(ByteRange { buffer: BufferId(buffer), start, end })
    }

    #[test]
    fn a_written_buffer_overlaps_no_other() {
        let overlap = |a, b, out| {
            let kernel = FieldMul { a: slice(1, a), b: slice(1, b), out: slice(1, out), n: 2 };
            FieldMul::desc(&Geometry::PTX)
                .overlap(&kernel.args())
                .map(|found| (found.written.0, found.other.0))
        };
        assert_eq!(overlap(16..32, 32..48, 48..64), None, "neighbours");
        assert_eq!(overlap(16..32, 16..32, 48..64), None, "what is read only may be read twice");
        assert_eq!(overlap(16..32, 24..40, 48..64), None, "and in part");
        assert_eq!(overlap(16..32, 32..48, 16..32), Some(("out", "a")));
        assert_eq!(overlap(16..32, 32..48, 32..48), Some(("out", "b")));
        assert_eq!(overlap(16..32, 32..48, 47..63), Some(("out", "b")), "one byte");
        assert_eq!(overlap(16..32, 32..48, 0..17), Some(("out", "a")), "one byte from before");
        assert_eq!(overlap(16..32, 32..48, 20..24), Some(("out", "a")), "within");
        assert_eq!(overlap(16..32, 32..48, 20..20), None, "nothing");
        let others = FieldMul { a: slice(1, 0..9), b: slice(2, 0..9), out: slice(3, 0..9), n: 1 };
        assert_eq!(FieldMul::desc(&Geometry::PTX).overlap(&others.args()), None, "other buffers");
        let kernel = FieldMul { a: slice(1, 0..32), b: slice(2, 0..32), out: slice(2, 16..48), n: 2 };
        let text = "`out` is written at bytes 16..48 of a buffer, of which `b` is bytes 0..32";
        assert_eq!(
            FieldMul::desc(&Geometry::PTX).overlap(&kernel.args()).map(|o| o.to_string()),
            Some(text.into())
        );
    }

    /// Two written ones; numbers are no buffers.
    #[test]
    fn all_pairs_of_buffers_are_compared() {
        let mut scatter = RadixScatter {
            keys_in: slice(1, 0..16),
            entries_in: slice(2, 0..16),
            keys_out: slice(3, 0..16),
            entries_out: slice(3, 8..24),
            offsets: slice(4, 0..16),
            states: slice(5, 0..16),
            first: 3,
            shift: 0,
            bits: 8,
            segments: 3,
            tiles: 3,
        };
        let found = RadixScatter::desc(&Geometry::PTX).overlap(&scatter.args()).unwrap();
        assert_eq!((found.written.0, found.other.0), ("keys_out", "entries_out"));
        scatter.entries_out = slice(3, 16..32);
        assert_eq!(RadixScatter::desc(&Geometry::PTX).overlap(&scatter.args()), None);
    }

    #[test]
    fn slices_keep_their_end() {
        let all: Slice<crate::layout::U32> = slice(1, 8..40);
        assert_eq!(all.skip(12).range, ByteRange { buffer: BufferId(1), start: 20, end: 40 });
        assert_eq!(all.skip(32).cast::<crate::layout::Field>().range.start, 40);
    }
}
