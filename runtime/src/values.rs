//! Values that live on a device.

use crate::engine::{Bases, Held};
use crate::field::Field;
use crate::group::Group;
use crate::handle::Device;
use crate::owner::Owner;
use crate::vocabulary::{CurveForm, DigitShape, SpMvSchedule};
use curvesmith_abi::Element;
use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

/// Field elements in the memory of a device, in any form the device likes.
///
/// Made by [`DeviceVec::upload`] or by an operation of a plan, read by [`DeviceVec::download`]; plans work on
/// it without the host between. Its memory goes back to the device's pool when it is dropped.
pub struct DeviceVec<F: Field> {
    device: Device,
    pub(crate) held: Held,
    len: usize,
    field: PhantomData<F>,
}

/// Affine points in the memory of a device, for any number of [`Msm`](crate::Msm) plans.
pub struct DeviceBases<G: Group> {
    device: Device,
    pub(crate) bases: Bases,
    group: PhantomData<G>,
}

/// Scalars cut into digits and sorted by bucket; one serves any number of MSMs.
#[derive(Debug)]
pub struct Digits {
    /// The scalars' arkworks type.
    pub(crate) field: TypeId,
    pub(crate) shape: DigitShape,
    pub(crate) held: Held,
}

/// A sparse matrix on a device.
#[derive(Debug)]
pub struct Matrix<F: Field> {
    pub(crate) held: Held,
    schedule: Option<SpMvSchedule>,
    field: PhantomData<F>,
}

impl<F: Field> Matrix<F> {
    pub(crate) fn new(held: Held, schedule: Option<SpMvSchedule>) -> Self {
        Matrix { held, schedule, field: PhantomData }
    }

    /// Who computes which rows; `None` on the CPU, whose threads take them as they come.
    pub fn schedule(&self) -> Option<SpMvSchedule> {
        self.schedule
    }
}

/// Twiddles of one size and root on a device.
pub struct NttTables<F: Field> {
    pub(crate) held: Held,
    size: usize,
    field: PhantomData<F>,
}

impl<F: Field> NttTables<F> {
    pub(crate) fn new(held: Held, size: usize) -> Self {
        NttTables { held, size, field: PhantomData }
    }

    /// Elements of a transform.
    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

impl<F: Field> fmt::Debug for NttTables<F> {
    // The shifts of cosets lie in them too.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NttTables<{}>[{}]", F::NAME, self.size())
    }
}

impl<F: Field> DeviceVec<F> {
    pub(crate) fn new(device: Device, held: Held, len: usize) -> Self {
        DeviceVec { device, held, len, field: PhantomData }
    }

    /// Bytes that so many elements take of the memory of a device that is not the CPU.
    pub fn bytes_for(len: usize) -> u64 {
        len as u64 * Owner::field::<F>().bytes(Element::Field) as u64
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.len
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
    pub(crate) fn new(device: Device, bases: Bases) -> Self {
        DeviceBases { device, bases, group: PhantomData }
    }

    /// The form of the curve that they are in. The CPU keeps points as they are declared.
    pub fn form(&self) -> CurveForm {
        self.bases.form
    }

    /// The shape of the digits that multiples of the points ask for, where there are any.
    pub(crate) fn shape(&self) -> Option<DigitShape> {
        self.bases.shape
    }

    /// Bytes that so many points, without multiples, take of the memory of a device that is not the CPU.
    pub fn bytes_for(points: usize) -> u64 {
        points as u64 * Owner::group::<G>().bytes(Element::Affine) as u64
    }

    /// Bytes of the device's memory, multiples included; those of the CPU are not counted.
    pub fn bytes(&self) -> u64 {
        self.bases.bytes
    }

    /// Multiples of each point on the device, the point itself among them, and stored doublings too.
    pub fn multiples(&self) -> u32 {
        self.shape().map_or(1, |shape| shape.stored())
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.bases.len
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
