//! Where the vectors of a batch lie.

use crate::csr::check_len;
use crate::error::{Result, RuntimeError};

/// Where the vectors of a batch of transforms lie among the elements of a slice or of a device's vector:
/// element `i` of vector `v` is at `v·vector_stride + i·element_stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NttBatch {
    count: usize,
    strides: Strides,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strides {
    Rows,
    Columns,
    Any { vector: usize, element: usize },
}

impl NttBatch {
    /// So many vectors one after the other: the rows of a matrix that is stored by rows. They are the whole
    /// of what is given.
    pub fn rows(count: usize) -> Self {
        NttBatch { count, strides: Strides::Rows }
    }

    /// So many vectors that are the columns of a matrix stored by rows, as traces and low-degree extensions
    /// are in FRI-based proof systems: a stride of 1 between vectors and of `count` between elements. They
    /// are the whole of what is given.
    pub fn columns(count: usize) -> Self {
        NttBatch { count, strides: Strides::Columns }
    }

    /// So many vectors anywhere. Strides are in elements, 1 or more, and no two vectors have an element in
    /// common; there may be others in between and behind, which a transform leaves as they are.
    pub fn strided(count: usize, vector_stride: usize, element_stride: usize) -> Self {
        NttBatch { count, strides: Strides::Any { vector: vector_stride, element: element_stride } }
    }

    /// The places of vectors of `n` elements among `len`.
    ///
    /// [`RuntimeError::Length`] where they are not as many as there should be, [`RuntimeError::ZeroStride`],
    /// [`RuntimeError::OverlappingVectors`], or [`RuntimeError::Input`] for no vectors.
    pub(crate) fn places(&self, what: &'static str, n: usize, len: usize) -> Result<Places> {
        let NttBatch { count, strides } = *self;
        if count == 0 {
            return Err(RuntimeError::Input { what: "batch", reason: "it has no vectors".into() });
        }
        let (vector, element) = match strides {
            Strides::Rows => (n, 1),
            Strides::Columns => (1, count),
            Strides::Any { vector, element } => (vector, element),
        };
        if vector == 0 || element == 0 {
            return Err(RuntimeError::ZeroStride);
        }
        // Vectors v and v + d meet where d·vector is i·element, d < count and i < n: first for the least
        // common multiple.
        let common = gcd(vector, element);
        if element / common < count && vector / common < n {
            return Err(RuntimeError::OverlappingVectors { vector, element });
        }
        let last =
            || (count - 1).checked_mul(vector)?.checked_add((n - 1).checked_mul(element)?)?.checked_add(1);
        let least = last().unwrap_or(usize::MAX);
        match strides {
            Strides::Any { .. } if least <= len => {}
            _ => check_len(what, least, len)?,
        }
        Ok(Places { n, count, vector, element })
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `count` vectors of `n` elements, the first from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) n: usize,
    pub(crate) count: usize,
    /// Strides between vectors and between elements.
    pub(crate) vector: usize,
    pub(crate) element: usize,
}

impl Places {
    /// Vectors one after the other.
    pub(crate) fn rows(n: usize, count: usize) -> Self {
        Places { n, count, vector: n, element: 1 }
    }

    /// The same vectors one after the other.
    pub(crate) fn as_rows(self) -> Self {
        Places::rows(self.n, self.count)
    }

    pub(crate) fn is_rows(self) -> bool {
        self == self.as_rows()
    }

    /// Elements of all vectors.
    pub(crate) fn elements(self) -> usize {
        self.n * self.count
    }

    /// Whether `len` elements are all theirs.
    pub(crate) fn is_whole(self, len: usize) -> bool {
        self.elements() == len
    }

    /// The stride between parts of `2^log` elements: that between vectors, where these are not cut.
    pub(crate) fn part(self, log: u32) -> usize {
        if self.n >> log == 1 { self.vector } else { self.element << log }
    }

    /// Where an element is.
    pub(crate) fn at(self, vector: usize, i: usize) -> usize {
        vector * self.vector + i * self.element
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// All small strides: vectors that the check lets through have no element in common, and others have.
    #[test]
    fn vectors_that_overlap_are_refused() {
        for (n, count) in (1..5).flat_map(|n| (1..5).map(move |count| (n, count))) {
            for (vector, element) in (0..9).flat_map(|vector| (0..9).map(move |element| (vector, element))) {
                let batch = NttBatch::strided(count, vector, element);
                let all = (0..count).flat_map(|v| (0..n).map(move |i| v * vector + i * element));
                let (distinct, last) = (all.clone().collect::<BTreeSet<_>>().len(), all.max().unwrap());
                let found = batch.places("values", n, last + 1);
                if vector == 0 || element == 0 {
                    assert!(matches!(found, Err(RuntimeError::ZeroStride)), "{found:?}");
                } else if distinct < n * count {
                    assert!(matches!(found, Err(RuntimeError::OverlappingVectors { .. })), "{batch:?} {n}");
                } else {
                    assert_eq!(found.unwrap(), Places { n, count, vector, element });
                    let error = batch.places("values", n, last).unwrap_err();
                    assert!(matches!(error, RuntimeError::Length { found, .. } if found == last), "{error}");
                }
            }
        }
    }

    #[test]
    fn matrices_are_whole() {
        assert_eq!(NttBatch::rows(3).places("values", 8, 24).unwrap(), Places::rows(8, 3));
        let columns = NttBatch::columns(3).places("values", 8, 24).unwrap();
        assert_eq!(columns, Places { n: 8, count: 3, vector: 1, element: 3 });
        for (batch, len) in [(NttBatch::rows(3), 25), (NttBatch::columns(3), 25), (NttBatch::rows(3), 23)] {
            let error = batch.places("values", 8, len).unwrap_err();
            assert!(
                matches!(error, RuntimeError::Length { expected: 24, found, .. } if found == len),
                "{error}"
            );
        }
        let error = NttBatch::rows(0).places("values", 8, 0).unwrap_err();
        assert!(matches!(error, RuntimeError::Input { what: "batch", .. }), "{error}");
        let error = NttBatch::strided(2, usize::MAX, 1).places("values", 8, 99).unwrap_err();
        assert!(matches!(error, RuntimeError::Length { .. }), "{error}");
    }
}
