//! Elements and points as arrays of 64-bit words.
//!
//! An element is as many words as its field has limbs, lowest first: 4 for the scalars of BN254 and
//! BLS12-381, 6 for the coordinates of BLS12-381. An element of an extension is its coefficients, lowest
//! first. A point is x, then y; the identity is all zero, which is no point of a curve with b ≠ 0.

use crate::error::{Error, ErrorKind, Result};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field as _, PrimeField, Zero};
use curvesmith::{AffineOf, Field, Group, ProjectiveOf};
use curvesmith_runtime::field::MontLimbs;
use curvesmith_runtime::group::{CoordinateOf, Points};
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the words of an element mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The number itself, below the prime.
    #[default]
    Canonical,
    /// The number times `2^(64·words)` modulo the prime: what gnark, arkworks and snarkjs' keys have in
    /// memory. Nothing is computed to take it or to give it.
    Montgomery,
}

/// Elements or points that one task converts.
const CHUNK: usize = 1 << 12;

/// Words of an element.
pub(crate) fn element_words<F: Field>() -> usize {
    <F::Ark as MontLimbs>::LIMBS
}

/// Words of a point.
pub(crate) fn point_words<G: Group>() -> usize {
    2 * G::DEGREE * element_words::<G::Base>()
}

/// Reads elements of one form.
struct Reader<F> {
    /// `2^(64·words)`, where numbers are canonical: their words are those of the number divided by it in
    /// Montgomery form.
    factor: Option<F>,
}

impl<F: PrimeField + MontLimbs> Reader<F> {
    fn new(form: Form) -> Self {
        let factor = || F::from(2u64).pow([64 * F::LIMBS as u64]);
        Self { factor: (form == Form::Canonical).then(factor) }
    }

    /// The element of these words; none if they are not below the prime.
    fn read(&self, words: &[u64]) -> Option<F> {
        let read = F::from_mont_limbs(words)?;
        Some(self.factor.map_or(read, |factor| read * factor))
    }
}

/// Writes an element.
fn write<F: PrimeField + MontLimbs>(value: &F, form: Form, out: &mut [u64]) {
    match form {
        Form::Montgomery => out.copy_from_slice(value.mont_limbs()),
        Form::Canonical => out.copy_from_slice(value.into_bigint().as_ref()),
    }
}

/// How many elements of so many words an array has.
pub(crate) fn count(what: &str, words: usize, each: usize) -> Result<usize> {
    if words.is_multiple_of(each) {
        return Ok(words / each);
    }
    Err(Error::input(format_args!("{what}: {words} words, expected a multiple of {each}")))
}

/// Reads an array of elements, on all cores. Errors: another length than a whole number of elements; one that
/// is not below the prime.
pub(crate) fn read_elements<F: Field>(what: &str, words: &[u64], form: Form) -> Result<Vec<F::Ark>> {
    let each = element_words::<F>();
    let reader = Reader::<F::Ark>::new(form);
    let refused = |at: usize| Error::input(format_args!("{what}: element {at} is not below the prime"));
    collect(count(what, words.len(), each)?, F::Ark::zero(), |at| {
        reader.read(&words[at * each..(at + 1) * each]).ok_or_else(|| refused(at))
    })
}

/// Writes an array of elements over `out`, on all cores.
pub(crate) fn write_elements<F: Field>(values: &[F::Ark], form: Form, out: &mut [u64]) {
    let each = element_words::<F>();
    let chunks = out.par_chunks_mut(CHUNK * each).zip(values.par_chunks(CHUNK));
    chunks.for_each(|(out, values)| {
        out.chunks_exact_mut(each).zip(values).for_each(|(out, value)| write(value, form, out));
    });
}

/// Reads an array of points, on all cores. Errors: those of [`read_elements`]; a point off the curve; a curve
/// whose identity cannot be written. That points are in the subgroup of order r is not checked.
pub(crate) fn read_points<G: Group>(words: &[u64], form: Form) -> Result<Vec<AffineOf<G>>> {
    let each = element_words::<G::Base>();
    if <ProjectiveOf<G> as Points>::COEFFICIENTS[1].is_zero() {
        return Err(Error::input(format_args!(
            "{}: points of a curve with b = 0 have no such form",
            G::NAME
        )));
    }
    let reader = Reader::<<G::Base as Field>::Ark>::new(form);
    let size = point_words::<G>();
    collect(count("bases", words.len(), size)?, AffineOf::<G>::zero(), |at| {
        let point = &words[at * size..(at + 1) * size];
        if point.iter().all(|word| *word == 0) {
            return Ok(AffineOf::<G>::zero());
        }
        let refused = |why: &str| Error::input(format_args!("bases: point {at} {why}"));
        let mut coordinates = point.chunks_exact(G::DEGREE * each).map(|coordinate| {
            let elements: Option<Vec<_>> =
                coordinate.chunks_exact(each).map(|words| reader.read(words)).collect();
            elements.and_then(CoordinateOf::<G>::from_base_prime_field_elems)
        });
        let (Some(Some(x)), Some(Some(y))) = (coordinates.next(), coordinates.next()) else {
            return Err(refused("has a coordinate that is not below the prime"));
        };
        let point = <ProjectiveOf<G> as Points>::affine(x, y);
        match <ProjectiveOf<G> as Points>::is_on_curve(&point) {
            true => Ok(point),
            false => Err(refused("is off the curve")),
        }
    })
}

/// Writes a point.
pub(crate) fn write_point<G: Group>(point: &ProjectiveOf<G>, form: Form) -> Vec<u64> {
    let mut out = vec![0; point_words::<G>()];
    if let Some((x, y)) = point.into_affine().xy() {
        let elements = x.to_base_prime_field_elements().chain(y.to_base_prime_field_elements());
        let words = out.chunks_exact_mut(element_words::<G::Base>());
        words.zip(elements).for_each(|(out, element)| write(&element, form, out));
    }
    out
}

/// `count` values, made on all cores; the error of the first that cannot be.
fn collect<T: Copy + Send + Sync>(
    count: usize,
    empty: T,
    make: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let mut values = Vec::new();
    let bytes = count.saturating_mul(size_of::<T>());
    let failed = |_| Error::new(ErrorKind::Internal, format_args!("no memory for {bytes} bytes"));
    values.try_reserve_exact(count).map_err(failed)?;
    let first = AtomicUsize::new(count);
    let each = |at| {
        make(at).unwrap_or_else(|_| {
            first.fetch_min(at, Ordering::Relaxed);
            empty
        })
    };
    (0..count).into_par_iter().with_min_len(CHUNK).map(each).collect_into_vec(&mut values);
    match first.into_inner() {
        at if at < count => {
            Err(make(at).err().unwrap_or_else(|| Error::input("values changed while they were read")))
        }
        _ => Ok(values),
    }
}
