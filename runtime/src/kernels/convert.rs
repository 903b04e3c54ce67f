//! Between arkworks' values and device form: all that is generic over field or group on the way to a GPU.
//!
//! Where the device's `R` is arkworks' ([`Field::SAME_FORM`]), limbs are copied. Elsewhere, in fields of an
//! odd number of words, vectors are converted on the device by one product an element, and the few
//! constants and the points of a plan on the host.

use super::ntt::SQUARINGS;
use super::pointwise::scale;
use crate::error::{Result, RuntimeError};
use crate::field::{Field, MontLimbs};
use crate::gpu::{Buffer, Stream, not_canonical};
use crate::group::{AffineOf, CoordinateOf, EdwardsForm, Group, Points as _, ProjectiveOf};
use crate::owner::Owner;
use crate::vocabulary::CurveForm;
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field as _, PrimeField};
use curvesmith_abi::{Form, layout, padded_words};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of a padded element on the device.
pub(crate) fn element_bytes<F: Field>() -> usize {
    4 * padded_words(F::WORDS)
}

/// Elements in device form: Montgomery with the device's `R`, little-endian, padded with zeros.
pub(crate) fn device_bytes<F: Field>(values: &[F::Ark]) -> Vec<u8> {
    let each = element_bytes::<F>();
    let mut bytes = vec![0; values.len() * each];
    for (value, bytes) in values.iter().zip(bytes.chunks_exact_mut(each)) {
        write_element::<F>(value, bytes);
    }
    bytes
}

/// `base^(2^j)` in device form, as kernels take them to make powers.
pub(crate) fn squarings<F: Field>(base: F::Ark) -> Vec<u8> {
    let pows: Vec<F::Ark> = std::iter::successors(Some(base), |b| Some(b.square())).take(SQUARINGS).collect();
    device_bytes::<F>(&pows)
}

fn write_element<F: Field>(value: &F::Ark, bytes: &mut [u8]) {
    if F::SAME_FORM {
        write_limbs(value.mont_limbs(), bytes);
    } else {
        let r = F::Ark::from(2u64).pow([32 * F::WORDS as u64]);
        write_limbs((*value * r).into_bigint().as_ref(), bytes);
    }
}

/// Limbs as little-endian bytes, cut or zero-extended to the length of `bytes`, a multiple of 4.
#[inline(always)]
fn write_limbs(limbs: &[u64], bytes: &mut [u8]) {
    let (whole, rest) = bytes.as_chunks_mut::<8>();
    let mut limbs = limbs.iter();
    for out in whole {
        *out = limbs.next().copied().unwrap_or(0).to_le_bytes();
    }
    let half = limbs.next().copied().unwrap_or(0).to_le_bytes();
    rest.copy_from_slice(&half[..rest.len()]);
}

/// An element in device form; `None` unless it is canonical.
fn read_element<F: Field>(bytes: &[u8]) -> Option<F::Ark> {
    if F::SAME_FORM {
        let mut value = F::Ark::ZERO;
        return F::Ark::read_limbs(bytes, bytes.len(), std::slice::from_mut(&mut value)).map(|()| value);
    }
    let mut big = <F::Ark as PrimeField>::BigInt::default();
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    for (i, word) in words.enumerate() {
        match big.as_mut().get_mut(i / 2) {
            Some(limb) => *limb |= u64::from(word) << (32 * (i % 2)),
            None if word == 0 => {}
            None => return None,
        }
    }
    let r = F::Ark::from(2u64).pow([32 * F::WORDS as u64]);
    let r_inv = r.inverse().expect("R is a power of two and p is odd");
    F::Ark::from_bigint(big).map(|v| v * r_inv)
}

/// `2^exponent mod p` as words: what a product in the device's form multiplies by to change the form.
fn power_of_two<F: Field>(exponent: usize) -> Vec<u8> {
    let mut bytes = vec![0; element_bytes::<F>()];
    write_limbs(F::Ark::from(2u64).pow([exponent as u64]).into_bigint().as_ref(), &mut bytes);
    bytes
}

/// Values to the device.
pub(crate) fn upload<F: Field>(stream: &Stream, values: &[F::Ark]) -> Result<Buffer<layout::Field>> {
    let field = Owner::field::<F>();
    crate::kernels::index32("vector length", values.len())?;
    let buffer = stream.elements(&field, values.len())?;
    upload_limbs::<F>(stream, &buffer, values)?;
    in_device_form::<F>(stream, buffer)
}

/// Values to the device as they are there before [`in_device_form`], into a buffer that may be longer: zeros
/// follow.
pub(crate) fn upload_limbs<F: Field>(
    stream: &Stream,
    buffer: &Buffer<layout::Field>,
    values: &[F::Ark],
) -> Result<()> {
    let each = element_bytes::<F>();
    stream.upload(buffer, &|range, bytes| {
        let given = range.start.min(values.len())..range.end.min(values.len());
        let (bytes, zeros) = bytes.split_at_mut(given.len() * each);
        F::Ark::write_limbs(&values[given], each, bytes);
        zeros.fill(0);
    })
}

/// What [`upload_limbs`] brought, in the form that kernels take.
pub(crate) fn in_device_form<F: Field>(
    stream: &Stream,
    buffer: Buffer<layout::Field>,
) -> Result<Buffer<layout::Field>> {
    // With W words and arkworks' R = 2^(32W + 32): x·2^(32W + 32) · 2^(32W - 32) / 2^(32W) = x·2^(32W).
    change_form::<F>(stream, &Owner::field::<F>(), buffer, 32 * F::WORDS.saturating_sub(1))
}

/// Values from the device into as many on the host, once all earlier work of the stream is done.
pub(crate) fn download<F: Field>(
    stream: &Stream,
    buffer: &Buffer<layout::Field>,
    values: &mut [F::Ark],
) -> Result<()> {
    crate::csr::check_len("values to download", buffer.len(), values.len())?;
    if F::SAME_FORM {
        return download_limbs::<F>(stream, buffer, values);
    }
    let field = Owner::field::<F>();
    let factor = upload_factor::<F>(stream, &field, 32 * F::WORDS + 32)?;
    let converted = stream.elements(&field, buffer.len())?;
    scale(stream, &field, buffer, &factor, &converted)?;
    download_limbs::<F>(stream, &converted, values)
}

/// Zeros: all cores touch the new memory first, while the device may still be at work.
pub(crate) fn zeros<F: Field>(len: usize) -> Vec<F::Ark> {
    crate::parallel::collect(len, &|_| F::Ark::ZERO)
}

fn download_limbs<F: Field>(
    stream: &Stream,
    buffer: &Buffer<layout::Field>,
    values: &mut [F::Ark],
) -> Result<()> {
    let each = element_bytes::<F>();
    stream.download_into(buffer, values, |bytes, values| {
        F::Ark::read_limbs(bytes, each, values).ok_or_else(|| not_canonical(F::NAME))
    })
}

/// Each element times `2^exponent / R`, in fields whose form is not arkworks'.
fn change_form<F: Field>(
    stream: &Stream,
    field: &Owner,
    buffer: Buffer<layout::Field>,
    exponent: usize,
) -> Result<Buffer<layout::Field>> {
    if F::SAME_FORM {
        return Ok(buffer);
    }
    let factor = upload_factor::<F>(stream, field, exponent)?;
    let converted = stream.elements(field, buffer.len())?;
    scale(stream, field, &buffer, &factor, &converted)?;
    Ok(converted)
}

fn upload_factor<F: Field>(stream: &Stream, field: &Owner, exponent: usize) -> Result<Buffer<layout::Field>> {
    let factor = stream.elements(field, 1)?;
    stream.upload_bytes(&factor, &power_of_two::<F>(exponent))?;
    Ok(factor)
}

/// Points to the device, as the kernels of `group` take them: the group's own, or those of its Edwards form.
pub(crate) fn upload_points<G: Group>(
    stream: &Stream,
    group: &Owner,
    points: &[AffineOf<G>],
) -> Result<Buffer<layout::Affine>> {
    crate::kernels::index32("number of bases", points.len())?;
    let buffer: Buffer<layout::Affine> = stream.elements(group, points.len())?;
    upload_first_points::<G>(stream, group, &buffer, points)?;
    Ok(buffer)
}

/// As [`upload_points`], to the begin of a buffer that may be longer.
pub(crate) fn upload_first_points<G: Group>(
    stream: &Stream,
    group: &Owner,
    buffer: &Buffer<layout::Affine>,
    points: &[AffineOf<G>],
) -> Result<()> {
    let each = buffer.element_bytes();
    let Some(form) = G::edwards_form().filter(|_| group.form == Form::Niels) else {
        return stream.upload_first(buffer, points.len(), &|range, bytes| {
            for (point, bytes) in points[range].iter().zip(bytes.chunks_exact_mut(each)) {
                write_point::<G>(point, bytes);
            }
        });
    };
    let without_image = AtomicUsize::new(usize::MAX);
    stream.upload_first(buffer, points.len(), &|range, bytes| {
        let first = range.start;
        if let Err(i) = write_bases::<G>(&form, &points[range], bytes) {
            without_image.fetch_min(first + i, Ordering::Relaxed);
        }
    })?;
    match without_image.into_inner() {
        usize::MAX => Ok(()),
        i => {
            let reason =
                format!("number {i} has order 2 or 4 and no image on the Edwards form of {}", G::NAME);
            Err(RuntimeError::Input { what: "bases", reason })
        }
    }
}

/// Points on the Edwards form as its kernels take them, or all ones for the identity. The number of the first
/// that has no image is the error; what is written then is undefined.
fn write_bases<G: Group>(
    form: &EdwardsForm<CoordinateOf<G>>,
    points: &[AffineOf<G>],
    bytes: &mut [u8],
) -> std::result::Result<(), usize> {
    let finite: Vec<usize> = (0..points.len()).filter(|&i| !points[i].is_zero()).collect();
    let coordinates: Vec<_> = finite.iter().filter_map(|&i| points[i].xy()).map(|(x, y)| [x, y]).collect();
    let bases = form.bases(&coordinates).map_err(|i| finite[i])?;
    bytes.fill(0xff);
    let each = 3 * G::DEGREE * element_bytes::<G::Base>();
    for (i, base) in finite.into_iter().zip(bases) {
        write_coordinates::<G>(&base, &mut bytes[i * each..(i + 1) * each]);
    }
    Ok(())
}

/// An affine point: `2·DEGREE` padded elements, or all ones for the identity.
fn write_point<G: Group>(point: &AffineOf<G>, bytes: &mut [u8]) {
    let Some((x, y)) = point.xy() else { return bytes.fill(0xff) };
    write_coordinates::<G>(&[x, y], bytes);
}

fn write_coordinates<G: Group>(coordinates: &[CoordinateOf<G>], bytes: &mut [u8]) {
    let elements = coordinates.iter().flat_map(|x| x.to_base_prime_field_elements());
    for (value, bytes) in elements.zip(bytes.chunks_exact_mut(element_bytes::<G::Base>())) {
        write_element::<G::Base>(&value, bytes);
    }
}

/// A point in the coordinates that kernels of a form have.
pub(crate) fn read_point<G: Group>(bytes: &[u8], form: CurveForm) -> Result<ProjectiveOf<G>> {
    let elements = bytes.chunks_exact(element_bytes::<G::Base>()).map(read_element::<G::Base>);
    let elements: Option<Vec<_>> = elements.collect();
    let elements = elements.ok_or_else(|| not_canonical(G::NAME))?;
    let mut coordinates = elements.chunks_exact(G::DEGREE).map(|c| {
        CoordinateOf::<G>::from_base_prime_field_elems(c.iter().copied())
            .expect("DEGREE is the extension degree of the coordinates")
    });
    let mut next = |_| coordinates.next().expect("a point has four coordinates");
    let coordinates = std::array::from_fn(&mut next);
    let coordinates = match form {
        CurveForm::Declared => Some(coordinates),
        CurveForm::Edwards => G::edwards_form().and_then(|form| form.xyzz(coordinates)),
    };
    coordinates.and_then(ProjectiveOf::<G>::of_form).ok_or_else(|| {
        let reason = format!("the coordinates of a point of {} are of no point", G::NAME);
        RuntimeError::Device { call: "download", reason }
    })
}

/// Points in device form.
pub(crate) fn read_points<G: Group>(bytes: &[u8], form: CurveForm) -> Result<Vec<ProjectiveOf<G>>> {
    let points = bytes.chunks_exact(4 * G::DEGREE * element_bytes::<G::Base>());
    points.map(|bytes| read_point::<G>(bytes, form)).collect()
}

/// `Σ 2^e·point` over points in device form, on a form of the curve, and their exponents, by Horner's rule.
pub(crate) fn combine_sums<G: Group>(
    sums: &[u8],
    form: CurveForm,
    exponents: impl Iterator<Item = usize>,
) -> Result<ProjectiveOf<G>> {
    let mut points: Vec<_> = exponents.zip(read_points::<G>(sums, form)?).collect();
    points.sort_by_key(|(exponent, _)| *exponent);
    let (mut total, mut at) = (ProjectiveOf::<G>::ZERO, 0);
    for (exponent, point) in points.into_iter().rev() {
        (exponent..at).for_each(|_| {
            total.double_in_place();
        });
        total += point;
        at = exponent;
    }
    (0..at).for_each(|_| {
        total.double_in_place();
    });
    Ok(total)
}

#[cfg(test)]
mod tests;
