//! The engine of kernels: a [`Gpu`], whose calls are [`Stream`]s.

use super::msm;
use super::ntt::GpuTables;
use super::spmv::GpuMatrix;
use super::{convert, index32, ntt, pointwise, spmv};
use crate::batch::Places;
use crate::csr::Csr;
use crate::domain::Domain;
use crate::engine::{
    Call, Copies, Elementwise, Engine, Held, ScalarDigits, SparseProducts, Transforms, Windows,
};
use crate::error::Result;
use crate::field::Field;
use crate::gpu::{Buffer, Gpu, Stream};
use crate::owner::Owner;
use crate::policy::{self, MeasuredWindows};
use crate::vocabulary::{BinaryOp, DigitShape, Report, SpMvSchedule, SpMvStrategy, Transform, UnaryOp};
use curvesmith_abi::layout;
use curvesmith_device::DeviceProperties;
use std::path::{Path, PathBuf};
use std::sync::Arc;

type Vector = Buffer<layout::Field>;

impl Engine for Gpu {
    fn name(&self) -> String {
        Gpu::properties(self).name.clone()
    }

    fn properties(&self) -> Option<&DeviceProperties> {
        Some(Gpu::properties(self))
    }

    fn preload(&self, owners: &[Owner]) -> Result<()> {
        Gpu::preload(self, owners)
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        Gpu::free_memory(self)
    }

    fn release_unused(&self) {
        Gpu::release_unused(self);
    }

    fn keep_windows(&self, windows: &MeasuredWindows, directory: Option<&Path>) -> Result<PathBuf> {
        policy::keep(self.device(), windows, directory)
    }

    fn windows(&self) -> Option<&dyn Windows> {
        Some(self)
    }

    fn digit_shape(&self, scalars: &Owner, bits: u32, n: usize, most: u32) -> DigitShape {
        // What was measured is for scalars of all lengths.
        match bits == scalars.bits {
            true => Gpu::digit_shape(self, scalars, n, most),
            false => self.policy().msm.shape_with_multiples(bits, n, most),
        }
    }

    fn shape_with_doublings(&self, scalars: &Owner, n: usize, most: u32, tau: u32) -> DigitShape {
        self.policy().msm.shape_with_doublings(scalars.bits, n, most, tau)
    }

    fn regular_shape(&self, scalars: &Owner, n: usize, most: u32) -> DigitShape {
        self.policy().msm.regular_shape(scalars.bits, n, most)
    }

    fn most_multiples(&self, bytes: u64) -> u32 {
        u32::try_from(self.policy().msm.multiples_bytes / bytes.max(1)).unwrap_or(u32::MAX)
    }

    fn prepares_bases(&self) -> bool {
        true
    }

    fn has_constant_work(&self) -> bool {
        true
    }
}

impl Windows for Gpu {
    fn model(&self, bits: u32, n: usize, most: u32) -> u32 {
        self.policy().msm.shape_with_multiples(bits, n, most).window
    }

    fn kernels(&self, field: &Owner) -> String {
        Gpu::kernels(self, field).to_string()
    }
}

impl Call for Stream {
    fn fork(&self, urgent: bool) -> Result<Self> {
        if urgent { self.fork_urgent() } else { Stream::fork(self) }
    }

    fn join(&self, fork: Self) -> Result<()> {
        Stream::join(self, fork)
    }

    fn after(&self, other: &Self) -> Result<()> {
        Stream::after(self, other)
    }

    fn finish(self) -> Result<Report> {
        Stream::finish(self)
    }

    fn check_cancelled(&self) -> Result<()> {
        Stream::check_cancelled(self)
    }

    fn wipe_at_end(&self) {
        Stream::wipe_at_end(self);
    }

    fn stage<T>(&self, name: &'static str, part: impl FnOnce() -> Result<T>) -> Result<T> {
        Stream::stage(self, name, part)
    }

    fn host_stage<T>(&self, name: &'static str, part: impl FnOnce() -> T) -> T {
        Stream::host_stage(self, name, part)
    }

    fn room_for_sums(&self, bytes: usize) -> Result<Held> {
        Ok(Held::new(self.words(bytes.div_ceil(4))?))
    }

    fn download_sums(&self, room: &Held) -> Result<Vec<u8>> {
        self.download_bytes(room.get::<Buffer<layout::U32>>("sums")?)
    }
}

/// A vector of this stream's device.
fn vector<'a>(stream: &Stream, what: &'static str, held: &'a Held) -> Result<&'a Vector> {
    let vector = held.get(what)?;
    stream.uses(what, vector)?;
    Ok(vector)
}

/// As [`vector`], to be changed.
fn vector_mut<'a>(stream: &Stream, what: &'static str, held: &'a mut Held) -> Result<&'a mut Vector> {
    let vector = held.get_mut(what)?;
    stream.uses(what, vector)?;
    Ok(vector)
}

impl<F: Field> Copies<F> for Stream {
    fn upload(&self, values: &[F::Ark]) -> Result<Held> {
        Ok(Held::new(convert::upload::<F>(self, values)?))
    }

    fn zeros(&self, len: usize) -> Result<Held> {
        let buffer: Vector = self.elements(&Owner::field::<F>(), len)?;
        self.zero(&buffer, 0..len)?;
        Ok(Held::new(buffer))
    }

    fn download(&self, held: &Held) -> Result<Vec<F::Ark>> {
        let vector = vector(self, "vector", held)?;
        let mut values = convert::zeros::<F>(vector.len());
        convert::download::<F>(self, vector, &mut values)?;
        Ok(values)
    }

    fn download_into(&self, held: &Held, values: &mut [F::Ark]) -> Result<()> {
        convert::download::<F>(self, vector(self, "vector", held)?, values)
    }

    fn room(&self, len: usize) -> Result<Held> {
        index32("vector length", len)?;
        Ok(Held::new::<Vector>(self.elements(&Owner::field::<F>(), len)?))
    }

    fn fill(&self, room: &mut Held, values: &[F::Ark]) -> Result<()> {
        convert::upload_limbs::<F>(self, room.get("scalars")?, values)
    }

    fn filled(&self, room: Held) -> Result<Held> {
        Ok(Held::new(convert::in_device_form::<F>(self, room.into("scalars")?)?))
    }
}

impl<F: Field> Elementwise<F> for Stream {
    fn binary(&self, op: BinaryOp, a: &Held, b: &Held) -> Result<Held> {
        let (a, b) = (vector(self, "left operand", a)?, vector(self, "right operand", b)?);
        Ok(Held::new(pointwise::binary(self, &Owner::field::<F>(), op, a, b)?))
    }

    fn unary(&self, op: UnaryOp, a: &Held) -> Result<Held> {
        Ok(Held::new(pointwise::unary(self, &Owner::field::<F>(), op, vector(self, "operand", a)?)?))
    }

    fn batch_inverse(&self, a: &Held) -> Result<Held> {
        Ok(Held::new(pointwise::batch_inverse(self, &Owner::field::<F>(), vector(self, "operand", a)?)?))
    }

    fn mul_const(&self, a: &Held, c: F::Ark) -> Result<Held> {
        let (a, c) = (vector(self, "operand", a)?, convert::device_bytes::<F>(&[c]));
        Ok(Held::new(pointwise::mul_const(self, &Owner::field::<F>(), a, &c)?))
    }

    fn mul_thirds(&self, thirds: &mut Held) -> Result<()> {
        pointwise::mul_thirds(self, &Owner::field::<F>(), vector(self, "vector", thirds)?)
    }

    fn mul_sub_thirds(&self, thirds: &Held) -> Result<Held> {
        let thirds = vector(self, "operand", thirds)?;
        Ok(Held::new(pointwise::mul_sub_thirds(self, &Owner::field::<F>(), thirds)?))
    }
}

impl<F: Field> Transforms<F> for Stream {
    /// Those that others of the device have already, if there are any.
    fn tables(&self, n: usize, omega: F::Ark) -> Result<Held> {
        let (domain, field) = (Domain::new::<F>(n)?, Owner::field::<F>());
        domain.check_omega(omega)?;
        let roots = || ntt::roots::<F>(&domain, &ntt::passes_of(self, &field, domain.log), omega);
        let bytes = convert::device_bytes::<F>(&[omega]);
        Ok(Held::new::<Arc<GpuTables>>(ntt::tables(self, field, domain, bytes, roots)?))
    }

    fn in_place(&self, tables: &Held, held: &mut Held, at: Places, what: Transform<F::Ark>) -> Result<()> {
        let tables: &Arc<GpuTables> = tables.get("tables")?;
        let vector = vector_mut(self, "vector", held)?;
        let call = ntt::Call::of::<F>(&what)?;
        self.hold(tables.clone());
        ntt::transform(self, tables, vector, at, &call)
    }

    fn into(
        &self,
        tables: &Held,
        (input, from): (&Held, Places),
        (output, to): (&mut Held, Places),
        what: Transform<F::Ark>,
    ) -> Result<()> {
        let tables: &Arc<GpuTables> = tables.get("tables")?;
        let (input, output) = (vector(self, "vector", input)?, vector_mut(self, "result", output)?);
        let call = ntt::Call::of::<F>(&what)?;
        self.hold(tables.clone());
        ntt::transform_into(self, tables, (input, from), (output, to), &call)
    }
}

impl<F: Field> SparseProducts<F> for Stream {
    fn matrix(&self, matrix: &Csr<F::Ark>, strategy: SpMvStrategy) -> Result<(Held, Option<SpMvSchedule>)> {
        let matrix = Arc::new(GpuMatrix::new::<F>(self, matrix, strategy)?);
        let schedule = matrix.schedule;
        Ok((Held::new(matrix), Some(schedule)))
    }

    fn product(&self, matrix: &Held, x: &Held, out_len: usize) -> Result<Held> {
        let matrix: &Arc<GpuMatrix> = matrix.get("matrix")?;
        matrix.used_by(self)?;
        self.hold(matrix.clone());
        let x = vector(self, "vector", x)?;
        Ok(Held::new(spmv::spmv(self, &Owner::field::<F>(), matrix, x, out_len)?))
    }
}

impl<F: Field> ScalarDigits<F> for Stream {
    fn digits(&self, scalars: &Held, bits: u32, shape: DigitShape) -> Result<Held> {
        let scalars = vector(self, "scalars", scalars)?;
        Ok(Held::new(msm::sorted_digits(self, &Owner::field::<F>(), scalars, bits, shape)?))
    }
}
