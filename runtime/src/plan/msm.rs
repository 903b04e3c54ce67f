//! The multi-scalar multiplication plan.

use crate::backend::{Backend, DigitShape, check_len};
use crate::error::{Result, RuntimeError};
use crate::field::modulus_bits;
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::handle::{Device, DeviceVisitor};
use crate::kernels::policy::windows_of;
use ark_ff::AdditiveGroup;
use std::fmt;

/// Options of an [`Msm`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct MsmOptions {
    window: Option<u32>,
}

impl MsmOptions {
    /// Fixes the window width in bits, 2 to 16; by default it follows the number of bases.
    /// The CPU chooses its own.
    pub fn window(mut self, bits: u32) -> Self {
        self.window = Some(bits);
        self
    }
}

/// `Σ scalar_i · base_i` for bases that stay on the device.
pub struct Msm<G: Group> {
    device: Device,
    len: usize,
    on_device: Box<dyn OnDevice<G>>,
}

trait OnDevice<G: Group>: Send + Sync {
    fn run(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>>;
}

struct Resident<B: Backend, G: Group> {
    backend: B,
    bases: B::Bases<G>,
    shape: DigitShape,
}

struct Make<'a, G: Group> {
    bases: &'a [AffineOf<G>],
    shape: Option<DigitShape>,
}

impl<G: Group> Msm<G> {
    /// Moves `bases` to the device: affine points of the curve, identities allowed. That
    /// they lie on the curve is the caller's promise.
    pub fn new(device: &Device, bases: &[AffineOf<G>], options: MsmOptions) -> Result<Self> {
        let shape = options.window.map(|window| {
            if !(2..=16).contains(&window) {
                let reason = format!("it is {window} bits, 2 to 16 are supported");
                return Err(RuntimeError::Input { what: "window", reason });
            }
            Ok(DigitShape { window, windows: windows_of(modulus_bits::<G::Scalar>(), window) })
        });
        let on_device = device.visit(Make::<G> { bases, shape: shape.transpose()? })?;
        Ok(Msm { device: device.clone(), len: bases.len(), on_device })
    }

    /// The sum, for as many scalars as there are bases.
    pub fn run(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        check_len("scalars of the MSM", self.len, scalars.len())?;
        if scalars.is_empty() {
            return Ok(ProjectiveOf::<G>::ZERO);
        }
        self.on_device.run(scalars)
    }

    /// Number of bases.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that holds the bases.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

impl<G: Group> fmt::Debug for Msm<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Msm<{}>[{}] on {}", G::NAME, self.len, self.device.name())
    }
}

impl<G: Group> DeviceVisitor for Make<'_, G> {
    type Output = Result<Box<dyn OnDevice<G>>>;

    fn visit<B: Backend>(self, backend: &B) -> Self::Output {
        let shape = self.shape.unwrap_or_else(|| backend.digit_shape::<G::Scalar>(self.bases.len()));
        let bases = backend.bases::<G>(self.bases)?;
        Ok(Box::new(Resident { backend: backend.clone(), bases, shape }))
    }
}

impl<B: Backend, G: Group> OnDevice<G> for Resident<B, G> {
    fn run(&self, scalars: &[ScalarOf<G>]) -> Result<ProjectiveOf<G>> {
        let scalars = self.backend.upload::<G::Scalar>(scalars)?;
        let digits = self.backend.digits::<G::Scalar>(&scalars, self.shape)?;
        self.backend.msm::<G>(&digits, &self.bases)
    }
}
