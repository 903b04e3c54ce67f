//! Eight elements at once, by the vector instructions of a processor.
//!
//! The compiler emits functions of elements into a declaration's expansion (target `simd`). The loops over them are here, for any
//! field: a declaration instantiates the [`passes`] with its functions, and hands out pointers to what comes of it, a
//! [`GroupLanes`]. Elements are limbs of 52 bits in Montgomery form, with `R = 2^(52·limbs)`. In memory a point is a
//! [row](rows) of limbs; while it is computed with, a vector holds one limb of eight points.
//!
//! Nothing here looks at what the processor can do: whoever calls a pass has seen that (`tier`).

mod able;
mod convert;
pub mod passes;
mod rows;
mod sums;

pub(super) use sums::Lanes;

use core::arch::x86_64::__m512i;
use std::fmt;

/// A limb of each lane.
pub type Vector = __m512i;

/// Elements in a vector.
pub const LANES: usize = 8;
/// Bits of a limb.
const BITS: u32 = 52;
/// Coordinates that a pair of points is, with the product of denominators before it and the inverse of that with its own.
pub const PAIR: usize = 6;

/// What sums of points of a group are made of. The functions are those of the [`passes`] of the same names, and need AVX-512F and
/// AVX-512 IFMA.
#[derive(Clone, Copy)]
pub struct GroupLanes {
    /// Vectors of eight elements of the prime field.
    pub limbs: usize,
    /// Elements of a coordinate.
    pub degree: usize,
    /// arkworks' Montgomery form to that of lanes, each element of the prime field.
    pub enter: unsafe fn(&mut [Vector]),
    /// The way back; canonical.
    pub leave: unsafe fn(&mut [Vector]),
    /// Reads pairs, and multiplies the denominators of their sums up; zero where points of a pair have the same `x`.
    pub distances: unsafe fn(&mut Block<'_>),
    /// The sums of pairs whose denominators were multiplied up and inverted.
    pub chords: unsafe fn(&mut Block<'_>),
    /// As `distances`, of any pairs; notes those whose sum is the identity.
    pub any_distances: unsafe fn(&mut Block<'_>),
    /// As `chords`, of any pairs.
    pub any_chords: unsafe fn(&mut Block<'_>),
}

impl GroupLanes {
    /// Words of a row.
    fn row(&self) -> usize {
        2 * self.degree * self.limbs
    }

    /// Vectors of a coordinate.
    fn coordinate(&self) -> usize {
        self.degree * self.limbs
    }

    /// Vectors of eight pairs.
    fn pair(&self) -> usize {
        PAIR * self.coordinate()
    }
}

impl fmt::Debug for GroupLanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupLanes")
            .field("limbs", &self.limbs)
            .field("degree", &self.degree)
            .finish_non_exhaustive()
    }
}

/// Pairs of points whose sums share an inversion.
#[derive(Debug)]
pub struct Block<'a> {
    /// Points.
    pub points: Rows<'a>,
    /// Two points each.
    pub pairs: &'a [[Place; 2]],
    /// Space for eight pairs, [`PAIR`] coordinates, as often as there are eight pairs.
    pub groups: &'a mut [Vector],
    /// A coordinate: the product of the denominators of all pairs, then its inverse.
    pub product: &'a mut [Vector],
    /// Lanes of each group whose sum is the identity.
    pub vanishing: &'a mut [u8],
    /// Rows for the sums: as many as pairs, up to a multiple of eight.
    pub sums: &'a mut [u64],
}

/// Where a point lies, and whether its opposite is meant: twice the index of its row, plus one for the opposite.
pub type Place = u32;

/// Points in two places, one row each.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Those of a caller.
    pub bases: &'a [u64],
    /// Sums of them; their indices go on where those of the bases end.
    pub sums: &'a [u64],
    /// Words of a row.
    pub words: usize,
}

impl<'a> Rows<'a> {
    /// The row of a point.
    #[inline]
    pub fn get(&self, place: Place) -> &'a [u64] {
        let at = (place >> 1) as usize * self.words;
        match at.checked_sub(self.bases.len()) {
            None => &self.bases[at..at + self.words],
            Some(at) => &self.sums[at..at + self.words],
        }
    }
}
