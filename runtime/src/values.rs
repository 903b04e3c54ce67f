//! Values that live on a device.

use crate::cpu::{CpuBases, CpuDigits};
use crate::csr::Csr;
use crate::field::Field;
use crate::gpu::Buffer;
use crate::group::Group;
use crate::handle::Device;
use crate::owner::Owner;
use crate::vocabulary::{CurveForm, DigitShape, SpMvSchedule};
use ark_poly::{EvaluationDomain, GeneralEvaluationDomain};
use curvesmith_abi::{Element, layout};
use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

use crate::kernels::{
    msm::{GpuBases, GpuDigits},
    ntt::GpuTables,
    spmv::GpuMatrix,
};

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
    pub(crate) repr: Repr<CpuBases<G>, GpuBases>,
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

impl<F: Field> Matrix<F> {
    /// Who computes which rows; `None` on the CPU, whose threads take them as they come.
    pub fn schedule(&self) -> Option<SpMvSchedule> {
        match &self.repr {
            Repr::Cpu(_) => None,
            Repr::Gpu(matrix) => Some(matrix.schedule),
        }
    }
}

/// Twiddles of one size and root on a device.
pub struct NttTables<F: Field> {
    pub(crate) repr: Repr<GeneralEvaluationDomain<F::Ark>, Arc<GpuTables>>,
}

impl<F: Field> NttTables<F> {
    /// Elements of a transform.
    pub(crate) fn size(&self) -> usize {
        match &self.repr {
            Repr::Cpu(domain) => domain.size(),
            Repr::Gpu(tables) => tables.size(),
        }
    }
}

impl<F: Field> fmt::Debug for NttTables<F> {
    // The shifts of cosets lie in them too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NttTables<{}>[{}]", F::NAME, self.size())
    }
}

impl<F: Field> DeviceVec<F> {
    /// Bytes that so many elements take of the memory of a device that is not the CPU.
    pub fn bytes_for(len: usize) -> u64 {
        len as u64 * Owner::field::<F>().bytes(Element::Field) as u64
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
    /// The form of the curve that they are in. The CPU keeps points as they are declared.
    pub fn form(&self) -> CurveForm {
        match &self.repr {
            Repr::Cpu(_) => CurveForm::Declared,
            Repr::Gpu(bases) => bases.form,
        }
    }

    /// The shape of the digits that multiples of the points ask for, where there are any.
    pub(crate) fn shape(&self) -> Option<DigitShape> {
        match &self.repr {
            Repr::Cpu(_) => None,
            Repr::Gpu(bases) => bases.shape(),
        }
    }

    /// Bytes that so many points, without multiples, take of the memory of a device that is not the CPU.
    pub fn bytes_for(points: usize) -> u64 {
        points as u64 * Owner::group::<G>().bytes(Element::Affine) as u64
    }

    /// Bytes of the device's memory, multiples included; those of the CPU are not counted.
    pub fn bytes(&self) -> u64 {
        match &self.repr {
            Repr::Cpu(_) => 0,
            Repr::Gpu(bases) => (bases.points.len() * bases.points.element_bytes()) as u64,
        }
    }

    /// Multiples of each point on the device, the point itself among them, and stored doublings too.
    pub fn multiples(&self) -> u32 {
        self.shape().map_or(1, |shape| shape.stored())
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        match &self.repr {
            Repr::Cpu(bases) => bases.len(),
            Repr::Gpu(bases) => bases.len(),
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
