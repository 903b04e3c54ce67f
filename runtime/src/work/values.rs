//! Values that are made or read by a call of their own.

use crate::error::Result;
use crate::field::{ElementOf, Field};
use crate::group::{AffineOf, Group};
use crate::handle::Device;
use crate::values::{DeviceBases, DeviceVec};
use crate::vocabulary::{CurveForm, DigitShape};

impl<F: Field> DeviceVec<F> {
    /// Copies values to a device. Their type tells the field, where one declaration alone has it: see
    /// [`ElementOf`].
    // A parameter for the type: two mentions of `F::Ark` are not one type to inference before it knows `F`.
    pub fn upload<T: ElementOf<F>>(device: &Device, values: &[T]) -> Result<Self>
    where
        F: Field<Ark = T>,
    {
        let work = device.work()?;
        let vector = work.upload::<F>(values)?;
        work.finish()?;
        Ok(vector)
    }

    /// So many zeros on a device.
    pub fn zeros(device: &Device, len: usize) -> Result<Self> {
        let work = device.work()?;
        let vector = work.zeros::<F>(len)?;
        work.finish()?;
        Ok(vector)
    }

    /// Copies the values to the host.
    pub fn download(&self) -> Result<Vec<F::Ark>> {
        let work = self.device().work()?;
        let values = work.download(self)?;
        work.finish()?;
        Ok(values)
    }
}

impl<G: Group> DeviceBases<G> {
    /// Copies points to a device: points of the group, the identity allowed. That they are is the caller's
    /// promise, as for [`Msm::new`](crate::Msm::new).
    pub fn upload(device: &Device, points: &[AffineOf<G>]) -> Result<Self> {
        Self::upload_in(device, points, CurveForm::Declared)
    }

    /// As [`DeviceBases::upload`], in a form of the curve: that of every [`Msm`](crate::Msm) over them. See
    /// [`MsmOptions::form`](crate::MsmOptions::form) for what it asks of the points.
    pub fn upload_in(device: &Device, points: &[AffineOf<G>], form: CurveForm) -> Result<Self> {
        let work = device.work()?;
        let bases = work.bases_in::<G>(points.into(), form)?;
        work.finish()?;
        Ok(bases)
    }

    /// As [`DeviceBases::upload`], with precomputed multiples of each point, as many as the device likes and
    /// at most `most`, the point itself among them: an MSM by them adds into fewer and larger sets of
    /// buckets, for that many times the memory. The CPU keeps none.
    pub fn upload_with_multiples(device: &Device, points: &[AffineOf<G>], most: u32) -> Result<Self> {
        let shape = device.work()?.shape_with_multiples::<G::Scalar>(points.len(), most);
        Self::upload_for(device, points, CurveForm::Declared, shape)
    }

    /// As [`DeviceBases::upload`], with the multiples for digits of this shape.
    pub(crate) fn upload_for(
        device: &Device,
        points: &[AffineOf<G>],
        form: CurveForm,
        shape: DigitShape,
    ) -> Result<Self> {
        let work = device.work()?;
        let mut bases = work.bases_in::<G>(points.into(), form)?;
        if shape.stored() > 1 && device.engine().prepares_bases() {
            bases = work.multiples(&bases, shape)?;
        }
        work.finish()?;
        Ok(bases)
    }
}
