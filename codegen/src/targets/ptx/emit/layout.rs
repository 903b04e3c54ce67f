//! Where things lie: elements in buffers, arrays and locals in shared memory, and how wide they are accessed.

use crate::error::EmitError;
use crate::fir::ir::{Holds, Kernel, Place, SharedDecl};
use curvesmith_abi::ParamKind;

/// What is known of where an address points: `past` words past a multiple of `unit` words, which are 1, 2 or
/// 4.
#[derive(Clone, Copy)]
pub(super) struct Aligned {
    unit: u32,
    past: u32,
}

impl Aligned {
    /// At a multiple of a number of words.
    pub(super) fn to(words: u32) -> Self {
        Aligned { unit: 1 << words.trailing_zeros().min(2), past: 0 }
    }

    /// So many words further.
    pub(super) fn offset(self, words: u32) -> Self {
        Aligned { past: (self.past + words) % self.unit, ..self }
    }

    /// Cuts `count` words into naturally aligned accesses of 4, 2 or 1 words: `(start, width)`.
    pub(super) fn runs(self, count: usize) -> Vec<(u32, u32)> {
        let mut runs = vec![];
        let (mut start, count) = (0, count as u32);
        while start < count {
            let fits = |width: &u32| {
                *width <= self.unit
                    && self.offset(start).past.is_multiple_of(*width)
                    && count - start >= *width
            };
            let width = [4, 2].into_iter().find(fits).unwrap_or(1);
            runs.push((start, width));
            start += width;
        }
        runs
    }
}

/// For all indices of a shared array some words, in a row, of what lies there. They are an array of their
/// own.
///
/// An array of words is one piece; an array of elements has one for each access of an element's words, so
/// that neighbouring lanes access neighbouring 16 bytes and no bank is asked twice.
pub(super) struct Piece {
    /// Name of the array.
    pub(super) name: String,
    /// Its length in words.
    pub(super) length: u32,
    /// The first of the words.
    pub(super) start: u32,
    /// How many: 1, 2 or 4.
    pub(super) width: u32,
}

/// The pieces of each shared array of a kernel.
pub(super) fn pieces(kernel: &Kernel) -> Vec<Vec<Piece>> {
    let words = kernel.field.as_ref().map_or(0, |f| f.words);
    let cut = |(i, s): (usize, &SharedDecl)| {
        let (cut, elements) = match s.holds {
            Holds::Words => (vec![(0, 1)], false),
            Holds::Elements(_) => (Aligned::to(4).runs(words), true),
        };
        let name = |start| match elements {
            false => format!("{}_shared{i}", kernel.symbol),
            true => format!("{}_shared{i}_{start}", kernel.symbol),
        };
        let piece = |(start, width)| Piece { name: name(start), length: s.length * width, start, width };
        cut.into_iter().map(piece).collect()
    };
    kernel.shared.iter().enumerate().map(cut).collect()
}

/// Whether a place is in a shared array of elements, which is read and written by pieces.
pub(super) fn in_pieces(kernel: &Kernel, place: &Place) -> bool {
    match place {
        Place::Shared { array, .. } => {
            matches!(kernel.shared[array.0 as usize].holds, Holds::Elements(_))
        }
        _ => false,
    }
}

/// Name and words of the array that locals in shared memory lie in: slots of four words for each thread of
/// the block.
pub(super) fn slots(kernel: &Kernel, slots: u32) -> Option<(String, u32)> {
    (slots > 0).then(|| (format!("{}_locals", kernel.symbol), slots * 4 * kernel.desc.block))
}

/// Words from a slot of a thread to its next one.
pub(super) fn slot_words(kernel: &Kernel) -> u32 {
    4 * kernel.desc.block
}

/// Words from one element of a buffer to the next.
pub(super) fn stride(kernel: &Kernel, param: u32) -> Result<u32, EmitError> {
    let words = kernel.field.as_ref().map_or(0, |f| f.words);
    match kernel.desc.params[param as usize].kind {
        ParamKind::Buffer(_, element) => {
            Ok((element.bytes(kernel.form, words, kernel.tower.degree()) / 4) as u32)
        }
        _ => Err(EmitError::Kernel {
            kernel: kernel.symbol.clone(),
            reason: format!("parameter {param} is not a buffer"),
        }),
    }
}

/// State space of a place, as PTX writes it.
pub(super) fn space(place: &Place) -> &'static str {
    match place {
        Place::Global { .. } | Place::Part { .. } => "global",
        Place::Shared { .. } => "shared",
    }
}

#[cfg(test)]
mod tests {
    use super::Aligned;

    #[test]
    fn accesses_are_aligned_and_cover_each_word_once() {
        let runs = |stride, offset, count| Aligned::to(stride).offset(offset).runs(count);
        assert_eq!(runs(4, 0, 8), [(0, 4), (4, 4)]);
        assert_eq!(runs(12, 0, 7), [(0, 4), (4, 2), (6, 1)]);
        assert_eq!(runs(8, 2, 4), [(0, 2), (2, 2)]);
        assert_eq!(runs(4, 1, 4), [(0, 1), (1, 2), (3, 1)]);
        assert_eq!(runs(1, 0, 3), [(0, 1), (1, 1), (2, 1)]);
        // Elements of two words are at multiples of 8 bytes.
        assert_eq!(runs(2, 0, 5), [(0, 2), (2, 2), (4, 1)]);
        assert_eq!(runs(6, 3, 4), [(0, 1), (1, 2), (3, 1)]);
    }
}
