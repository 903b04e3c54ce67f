//! Transforms of `n = base^power·m` elements, where `m` is a power of two and `base` an odd prime.
//!
//! Decimation in time. With `parts = base^power`, part `c` of the input is `x[parts·j + c]`, and the passes
//! of [`ntt`](super::ntt) transform all parts. Then `power` levels join them, each `base` vectors of `s`
//! elements into one: with a root `z` of order `base·s`,
//!
//! ```text
//! out[g·base·s + e] = Σ_t a[g·s + e mod s + t·n/base]·z^(e·t)      e < base·s, t < base
//! ```
//!
//! by Horner's rule in `z^e`. Both sides are in natural order. The inverse is the forward transform of the
//! input at the negated indices, times `1/n`: only the split into parts knows.
//!
//! There are no kernels for it: the split is a sparse product, a level a sequence of products and sums of
//! slices. So no field has more code for a transform that few need, and the price is memory traffic, about
//! `6·(base - 1)` elements read or written a level and element.

use super::index32;
use crate::domain::Domain;
use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::owner::Owner;
use crate::vocabulary::Direction;
use curvesmith_abi::kernels::{FieldAdd, FieldMul, Powers, SpMvThread};
use curvesmith_abi::layout;

type Vector = Buffer<layout::Field>;
type Words = Buffer<layout::U32>;

/// What the host computes; elements in device form.
#[derive(Debug)]
pub(crate) struct MixedRoots {
    /// For each level, the squarings of the root of order `base·s`.
    pub(crate) levels: Vec<Vec<u8>>,
}

/// Tables of one size and root on a device.
#[derive(Debug)]
pub(crate) struct Mixed {
    n: usize,
    base: usize,
    /// A sparse matrix of a one a row: the rows, which are where their entries start, and the columns by
    /// direction. There are no other entries.
    rows: Words,
    forward: Words,
    inverse: Words,
    no_starts: Words,
    no_values: Vector,
    /// The powers of the root of each level, `base·s` of them.
    levels: Vec<Vector>,
}

impl Mixed {
    pub(crate) fn new(stream: &Stream, field: &Owner, domain: Domain, roots: &MixedRoots) -> Result<Mixed> {
        let n = index32("size of the NTT", domain.n)?;
        let rows: Vec<u32> = (0..=n).collect();
        let levels = domain.orders().zip(&roots.levels);
        Ok(Mixed {
            n: domain.n,
            base: domain.base,
            rows: stream.upload_words(&rows)?,
            forward: stream.upload_words(&sources(domain, Direction::Forward))?,
            inverse: stream.upload_words(&sources(domain, Direction::Inverse))?,
            no_starts: stream.upload_words(&vec![0; domain.n + 1])?,
            no_values: stream.elements(field, 0)?,
            levels: levels.map(|(order, root)| powers(stream, field, root, order)).collect::<Result<_>>()?,
        })
    }

    /// The parts of every vector in `from`, one after the other.
    pub(crate) fn split(
        &self,
        stream: &Stream,
        field: &Owner,
        direction: Direction,
        from: &Vector,
        to: &Vector,
    ) -> Result<()> {
        let units = match direction {
            Direction::Forward => self.forward.whole(),
            Direction::Inverse => self.inverse.whole(),
        };
        let (rows, unit_starts) = (self.rows.whole(), self.rows.whole());
        let (starts, columns, values) = (self.no_starts.whole(), units, self.no_values.whole());
        let n = index32("vector", self.n)?;
        for start in (0..from.len()).step_by(self.n) {
            let vector = start..start + self.n;
            let (x, out) = (from.part(vector.clone()), to.part(vector));
            let kernel = SpMvThread { rows, unit_starts, units, starts, columns, values, x, out, n };
            stream.launch(field, self.n, &kernel)?;
        }
        Ok(())
    }

    /// The transforms, in `vector`, of the vectors whose transformed parts it has; `spare` is as long.
    pub(crate) fn join(
        &self,
        stream: &Stream,
        field: &Owner,
        vector: &mut Vector,
        spare: &mut Vector,
    ) -> Result<()> {
        for roots in &self.levels {
            for start in (0..vector.len()).step_by(self.n) {
                self.level(stream, field, roots, (vector, spare), start)?;
            }
            std::mem::swap(vector, spare);
        }
        Ok(())
    }

    /// One level of the vector that begins at `start`, from vectors of `s = roots.len()/base` elements to
    /// such of `roots.len()`.
    fn level(
        &self,
        stream: &Stream,
        field: &Owner,
        roots: &Vector,
        (from, to): (&Vector, &Vector),
        start: usize,
    ) -> Result<()> {
        let (len, base, made) = (self.n, self.base, roots.len());
        let s = made / base;
        let n = index32("vector", s)?;
        let (product, sum): (Vector, Vector) = (stream.elements(field, s)?, stream.elements(field, s)?);
        for (group, slice) in (0..len / made).flat_map(|group| (0..base).map(move |slice| (group, slice))) {
            let part = |t: usize| {
                let at = start + group * s + t * (len / base);
                from.part(at..at + s)
            };
            let mut so_far = part(base - 1);
            for t in (0..base - 1).rev() {
                let kernel = FieldMul {
                    a: so_far,
                    b: roots.part(slice * s..(slice + 1) * s),
                    out: product.whole(),
                    n,
                };
                stream.launch(field, s, &kernel)?;
                let at = start + group * made + slice * s;
                let out = if t == 0 { to.part(at..at + s) } else { sum.whole() };
                stream.launch(field, s, &FieldAdd { a: product.whole(), b: part(t), out, n })?;
                so_far = sum.whole();
            }
        }
        Ok(())
    }
}

/// Where the elements of the parts, one part after the other, come from.
fn sources(domain: Domain, direction: Direction) -> Vec<u32> {
    let (n, m) = (domain.n, 1 << domain.log);
    let parts = n / m;
    let at = (0..parts).flat_map(|part| (0..m).map(move |j| parts * j + part));
    at.map(|at| if direction == Direction::Forward { at } else { (n - at) % n } as u32).collect()
}

/// The powers of a root below `n`.
fn powers(stream: &Stream, field: &Owner, squarings: &[u8], n: usize) -> Result<Vector> {
    let base_pows = super::ntt::upload_squarings(stream, field, squarings)?;
    let out: Vector = stream.elements(field, n)?;
    let kernel = Powers { base_pows: base_pows.whole(), out: out.whole(), n: index32("powers", n)? };
    stream.launch(field, n, &kernel)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_place() {
        let domain = Domain { n: 36, log: 2, base: 3, power: 2 };
        for direction in [Direction::Forward, Direction::Inverse] {
            let mut sources = sources(domain, direction);
            assert_eq!(sources[..2], if direction == Direction::Forward { [0, 9] } else { [0, 27] });
            sources.sort_unstable();
            assert_eq!(sources, (0..36).collect::<Vec<u32>>());
        }
    }
}
