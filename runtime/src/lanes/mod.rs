//! Eight elements at once, by the vector instructions of a processor.
//!
//! The compiler emits functions of elements into a declaration's expansion (target `simd`). The loops over
//! them are here, for any field and [tier](crate::tier): a declaration instantiates the
//! [passes](ifma512::passes) with its functions, and hands out pointers to what comes of it, a
//! [`GroupLanes`]. Elements are limbs in Montgomery form, with `R = 2^(bits·limbs)`; a vector holds one limb
//! of eight elements, on any tier. In memory a point is a row of words: its limbs, or those packed into words
//! of 64 bits, whichever is read sooner.
//!
//! Nothing here looks at what the processor can do: whoever calls a pass has seen that
//! ([`host`](crate::host)).

mod ahead;
pub mod avx2;
pub mod ifma512;
mod passes;
mod transforms;

pub(crate) use ahead::ask_for;

use core::arch::x86_64::__m512i;
use std::fmt;

/// A limb of each lane.
pub type Vector = __m512i;

/// Elements in a vector.
pub const LANES: usize = 8;
/// Bits of a word.
const WORD: usize = u64::BITS as usize;
/// Coordinates of a pair of points, with the product of the denominators before it and the inverse of that
/// times its own.
pub const PAIR: usize = 6;
/// Coordinates of a [`Block`]'s `terms` for eight additions: a point, and the product of the denominators
/// before.
pub const TERM: usize = 3;
/// Products that grow side by side, so that none waits for the one before. Groups take turns.
pub const CHAINS: usize = 2;

/// What transforms over a field are made of. The functions are those of a tier's
/// [transforms](ifma512::transforms) of the same names, and need its instructions. Eight elements are as many
/// vectors as an element has limbs.
#[derive(Clone, Copy)]
pub struct FieldLanes {
    /// Limbs of an element.
    pub limbs: usize,
    /// Eight elements as limbs of the same number, in arkworks' Montgomery form or any other.
    pub load: unsafe fn(&[&[u64]; LANES], &mut [Vector]),
    /// The way back; canonical.
    pub store: unsafe fn(&[Vector], &mut [&mut [u64]; LANES]),
    /// arkworks' Montgomery form to that of lanes.
    pub enter: unsafe fn(&mut [Vector]),
    /// Elements times those of another slice, or of its repetitions.
    pub multiply: unsafe fn(&mut [Vector], &[Vector]),
    /// An element of each row, from an index on; what follows it is asked for.
    pub take: unsafe fn(&mut [Vector], &[&[Vector]], usize),
    /// The inverse of `take`.
    pub give: unsafe fn(&[Vector], &mut [&mut [Vector]], usize),
    /// Eight times eight elements, of which lanes become vectors.
    pub turn: unsafe fn(&mut [Vector]),
    /// All levels of eight transforms whose size is the number of elements, which are in the order of their
    /// reversed indices.
    ///
    /// The factors are in the order of use: one for the lowest level if the number of levels is odd, then
    /// `u, v, w` of two levels at once for each index below the size of the lower level's halves.
    pub levels: unsafe fn(&mut [Vector], &[Vector]),
    /// The same where the factors of index 0 are 1, but for `w`.
    pub first_levels: unsafe fn(&mut [Vector], &[Vector]),
}

impl fmt::Debug for FieldLanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FieldLanes").field("limbs", &self.limbs).finish_non_exhaustive()
    }
}

/// What sums of points of a group are made of. The functions are those of a tier's [passes](ifma512::passes)
/// of the same names, and need its instructions.
#[derive(Clone, Copy)]
pub struct GroupLanes {
    /// Vectors of a coordinate of eight points.
    pub coordinate: usize,
    /// Words of a coordinate in arkworks' form.
    pub words: usize,
    /// Words of a point's row.
    pub row: usize,
    /// arkworks' Montgomery form to lanes, a coordinate.
    pub enter: unsafe fn(&[u64], &mut [Vector]),
    /// The way back; canonical.
    pub leave: unsafe fn(&[Vector], &mut [u64]),
    /// Eight points to rows.
    pub write: unsafe fn(&[Vector], &mut [u64]),
    /// The first term of each sum.
    pub read: unsafe fn(&mut Block<'_>),
    /// Reads terms, and multiplies the denominators of the additions up; zero where points of a pair have the
    /// same `x`.
    pub distances: unsafe fn(&mut Block<'_>),
    /// The sums of pairs whose denominators were multiplied up and inverted.
    pub chords: unsafe fn(&mut Block<'_>),
    /// As `distances`, of any pairs; notes those whose sum is the identity.
    pub any_distances: unsafe fn(&mut Block<'_>),
    /// As `chords`, of any pairs.
    pub any_chords: unsafe fn(&mut Block<'_>),
}

impl fmt::Debug for GroupLanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupLanes")
            .field("coordinate", &self.coordinate)
            .field("words", &self.words)
            .field("row", &self.row)
            .finish_non_exhaustive()
    }
}

/// Additions that share an inversion: one point to each of some sums, eight of which are a group.
pub struct Block<'a> {
    /// Where the points are.
    pub rows: Rows<'a>,
    /// The point for each sum; sums of the last group that have none stay as they are.
    pub places: &'a [Place],
    /// Two coordinates a group.
    pub sums: &'a mut [Vector],
    /// Lanes of each group that are the identity.
    pub empty: &'a mut [u8],
    /// [`TERM`] coordinates a group.
    pub terms: &'a mut [Vector],
    /// Lanes of each group whose sum will be the identity.
    pub vanishing: &'a mut [u8],
    /// A coordinate for each of the [`CHAINS`]: the product of the denominators, then its inverse.
    pub products: &'a mut [Vector],
}

/// Where a point lies, and whether its opposite is meant: twice the index of its row, plus one for the
/// opposite.
pub type Place = u32;

/// Words of a number in a row of `elements`: those of its limbs, or as many as they are packed, where that
/// saves a transposition.
pub const fn words_of_row(limbs: usize, packed: usize, elements: usize) -> usize {
    match (packed * elements).div_ceil(LANES) < (limbs * elements).div_ceil(LANES) {
        true => packed,
        false => limbs,
    }
}

/// Points, one after the other.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// The words of all.
    pub words: &'a [u64],
    /// Words of each.
    pub row: usize,
}

impl<'a> Rows<'a> {
    /// The row of a point.
    #[inline]
    pub fn get(&self, place: Place) -> &'a [u64] {
        &self.words[(place >> 1) as usize * self.row..][..self.row]
    }
}
