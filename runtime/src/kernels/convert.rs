//! Between arkworks values on the host and device form in device memory.
//!
//! Both ways go through a bounded host buffer, filled by all cores: a pass over the
//! values at about the speed of two multiplications an element.

use super::Kernels;
use crate::buffer::Buffer;
use crate::device::KernelDevice;
use crate::error::{Result, RuntimeError};
use crate::field::{Field, element_words, from_device, to_device};
use crate::group::{AffineOf, CoordinateOf, Group, ProjectiveOf};
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field as ArkField, Zero};
use curvesmith_abi::{IDENTITY_WORD, Layout, layout};
use rayon::prelude::*;

/// Bytes of the host buffer that conversion passes through.
const STAGING_BYTES: usize = 16 << 20;
/// Elements a thread converts at a time.
const GRAIN: usize = 2048;

// Words are uploaded as they lie in memory.
const _: () = assert!(cfg!(target_endian = "little"), "device words are little-endian");

impl<D: KernelDevice> Kernels<D> {
    pub(super) fn upload_words(&self, words: &[u32]) -> Result<Buffer<D, layout::U32>> {
        let buffer = self.words(words.len())?;
        if !words.is_empty() {
            let bytes = bytemuck::cast_slice(words);
            self.device().upload(self.stream(), buffer.memory(), 0, bytes)?;
        }
        Ok(buffer)
    }

    pub(super) fn download_words(&self, buffer: &Buffer<D, layout::U32>) -> Result<Vec<u32>> {
        let mut words = vec![0u32; buffer.len()];
        if !words.is_empty() {
            let bytes = bytemuck::cast_slice_mut(&mut words);
            self.device().download(self.stream(), buffer.memory(), 0, bytes)?;
        }
        Ok(words)
    }

    /// Fills `buffer` with `values`, as many as it has elements.
    pub(super) fn upload_elements<F: Field>(
        &self,
        buffer: &Buffer<D, layout::Field>,
        values: &[F::Ark],
    ) -> Result<()> {
        debug_assert_eq!(values.len(), buffer.len());
        let w = element_words::<F>();
        self.upload_with(buffer, values, w, |values, words| to_device::<F>(values, words))
    }

    pub(super) fn upload_points<G: Group>(
        &self,
        buffer: &Buffer<D, layout::Affine>,
        points: &[AffineOf<G>],
    ) -> Result<()> {
        debug_assert_eq!(points.len(), buffer.len());
        let w = 2 * G::DEGREE * element_words::<G::Base>();
        self.upload_with(buffer, points, w, |points, words| points_to_device::<G>(points, words))
    }

    fn upload_with<L: Layout, T: Sync>(
        &self,
        buffer: &Buffer<D, L>,
        values: &[T],
        words_each: usize,
        convert: impl Fn(&[T], &mut [u32]) + Sync,
    ) -> Result<()> {
        debug_assert_eq!(4 * words_each, buffer.element_bytes());
        let batch = (STAGING_BYTES / buffer.element_bytes()).max(1);
        let mut staging = vec![0u32; words_each * batch.min(values.len())];
        for (i, values) in values.chunks(batch).enumerate() {
            let words = &mut staging[..words_each * values.len()];
            let grains = values.par_chunks(GRAIN).zip(words.par_chunks_mut(GRAIN * words_each));
            grains.for_each(|(values, words)| convert(values, words));
            let offset = (i * batch * buffer.element_bytes()) as u64;
            self.device().upload(self.stream(), buffer.memory(), offset, bytemuck::cast_slice(words))?;
        }
        Ok(())
    }

    pub(super) fn download_elements<F: Field>(
        &self,
        buffer: &Buffer<D, layout::Field>,
    ) -> Result<Vec<F::Ark>> {
        let w = element_words::<F>();
        let batch = (STAGING_BYTES / buffer.element_bytes()).max(1);
        let mut staging = vec![0u32; w * batch.min(buffer.len())];
        let mut values = Vec::with_capacity(buffer.len());
        while values.len() < buffer.len() {
            let n = batch.min(buffer.len() - values.len());
            let words = &mut staging[..w * n];
            let offset = (values.len() * buffer.element_bytes()) as u64;
            let bytes = bytemuck::cast_slice_mut(&mut *words);
            self.device().download(self.stream(), buffer.memory(), offset, bytes)?;
            let grains: Option<Vec<Vec<F::Ark>>> =
                words.par_chunks(GRAIN * w).map(from_device::<F>).collect();
            values.extend(grains.ok_or_else(|| not_canonical(F::NAME))?.into_iter().flatten());
        }
        Ok(values)
    }

    /// Reads the XYZZ point at index 0.
    pub(super) fn download_point<G: Group>(
        &self,
        buffer: &Buffer<D, layout::Xyzz>,
    ) -> Result<ProjectiveOf<G>> {
        let mut words = vec![0u32; buffer.element_bytes() / 4];
        let bytes = bytemuck::cast_slice_mut(&mut words);
        self.device().download(self.stream(), buffer.memory(), 0, bytes)?;
        point_from_device::<G>(&words)
    }
}

fn not_canonical(name: &str) -> RuntimeError {
    RuntimeError::Device { call: "download", reason: format!("a value of {name} is not canonical") }
}

/// Writes affine points, `2·DEGREE` padded elements each.
fn points_to_device<G: Group>(points: &[AffineOf<G>], words: &mut [u32]) {
    let w = element_words::<G::Base>();
    let mut coordinates = Vec::with_capacity(2 * G::DEGREE);
    for (point, words) in points.iter().zip(words.chunks_exact_mut(2 * G::DEGREE * w)) {
        match point.xy() {
            None => words.fill(IDENTITY_WORD),
            Some((x, y)) => {
                coordinates.clear();
                coordinates.extend(x.to_base_prime_field_elements());
                coordinates.extend(y.to_base_prime_field_elements());
                to_device::<G::Base>(&coordinates, words);
            }
        }
    }
}

/// An XYZZ point as Jacobian coordinates, without an inversion.
///
/// With x = X/ZZ, y = Y/ZZZ and ZZ³ = ZZZ², the choice Z = ZZZ gives the Jacobian
/// numerators x·Z² = X·ZZ² and y·Z³ = Y·ZZZ².
fn point_from_device<G: Group>(words: &[u32]) -> Result<ProjectiveOf<G>> {
    let elements = from_device::<G::Base>(words).ok_or_else(|| not_canonical(G::NAME))?;
    let mut coordinates = elements.chunks_exact(G::DEGREE).map(|c| {
        CoordinateOf::<G>::from_base_prime_field_elems(c.iter().copied())
            .expect("DEGREE is the extension degree of the coordinates")
    });
    let mut next = || coordinates.next().expect("an XYZZ point has four coordinates");
    let (x, y, zz, zzz) = (next(), next(), next(), next());
    if zz.is_zero() {
        return Ok(ProjectiveOf::<G>::ZERO);
    }
    if zz.square() * zz != zzz.square() {
        let reason = format!("a point of {} has ZZ^3 other than ZZZ^2", G::NAME);
        return Err(RuntimeError::Device { call: "download", reason });
    }
    Ok(ProjectiveOf::<G>::new_unchecked(x * zz.square(), y * zzz.square(), zzz))
}

#[cfg(test)]
mod tests;
