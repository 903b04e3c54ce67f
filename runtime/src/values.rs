//! Values that live on a device.

use crate::cpu::{CpuBases, CpuDigits};
use crate::csr::Csr;
use crate::error::Result;
use crate::field::Field;
use crate::gpu::Buffer;
use crate::group::{AffineOf, Group};
use crate::handle::Device;
use ark_poly::Radix2EvaluationDomain;
use curvesmith_abi::layout;
use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use crate::algorithms::{msm::GpuDigits, ntt::GpuTables, spmv::GpuMatrix};

/// A value of the CPU, or one in a GPU's memory.
#[derive(Debug)]
pub(crate) enum Repr<C, G> {
    Cpu(C),
    Gpu(G),
}

/// Field elements in the memory of a device, in any form the device likes.
///
/// Made by [`DeviceVec::upload`] or by an operation of a plan, read by [`DeviceVec::download`]; plans work on it
/// without the host between. Its memory goes back to the device's pool when it is dropped.
pub struct DeviceVec<F: Field> {
    pub(crate) device: Device,
    pub(crate) repr: Repr<Vec<F::Ark>, Buffer<layout::Field>>,
}

/// Affine points in the memory of a device, for any number of [`Msm`](crate::Msm) plans.
pub struct DeviceBases<G: Group> {
    pub(crate) device: Device,
    pub(crate) repr: Repr<CpuBases<G>, Buffer<layout::Affine>>,
}

/// Scalars cut into digits and sorted by bucket; one serves any number of MSMs.
#[derive(Debug)]
pub struct Digits {
    /// The scalars' arkworks type.
    pub(crate) field: TypeId,
    pub(crate) repr: Repr<CpuDigits, Arc<GpuDigits>>,
}

/// A sparse matrix on a device.
#[derive(Debug)]
pub struct Matrix<F: Field> {
    pub(crate) repr: Repr<Csr<F::Ark>, Arc<GpuMatrix>>,
}

/// Twiddles of one size and root on a device.
#[derive(Debug)]
pub struct NttTables<F: Field> {
    pub(crate) repr: Repr<Radix2EvaluationDomain<F::Ark>, Arc<GpuTables>>,
}

impl<F: Field> DeviceVec<F> {
    /// Copies values to a device.
    pub fn upload(device: &Device, values: &[F::Ark]) -> Result<Self> {
        let work = device.work()?;
        let vector = work.upload::<F>(values)?;
        work.finish()?;
        Ok(vector)
    }

    /// Copies the values to the host.
    pub fn download(&self) -> Result<Vec<F::Ark>> {
        let work = self.device.work()?;
        let values = work.download(self)?;
        work.finish()?;
        Ok(values)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        match &self.repr {
            Repr::Cpu(values) => values.len(),
            Repr::Gpu(buffer) => buffer.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The device that holds the values.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<F: Field> fmt::Debug for DeviceVec<F> {
    // Values can be secret: only their number is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceVec<{}>[{}] on {}", F::NAME, self.len(), self.device.name())
    }
}

impl<G: Group> DeviceBases<G> {
    /// Copies points to a device: points of the group, the identity allowed. That they are is the caller's
    /// promise, as for [`Msm::new`](crate::Msm::new).
    pub fn upload(device: &Device, points: &[AffineOf<G>]) -> Result<Self> {
        let work = device.work()?;
        let bases = work.bases::<G>(points.into())?;
        work.finish()?;
        Ok(bases)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        match &self.repr {
            Repr::Cpu(bases) => bases.len(),
            Repr::Gpu(buffer) => buffer.len(),
        }
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The device that holds the points.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<G: Group> fmt::Debug for DeviceBases<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceBases<{}>[{}] on {}", G::NAME, self.len(), self.device.name())
    }
}
