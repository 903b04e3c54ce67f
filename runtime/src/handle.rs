//! The device handle that users and plans hold.

use crate::backend::Backend;
use crate::cpu::Cpu;
use crate::cuda::Cuda;
use crate::device::KernelDevice;
use crate::emulator::{Emulator, EmulatorOptions};
use crate::error::{Result, RuntimeError};
use crate::kernels::Kernels;

/// A device to compute on. Cheap to clone; clones share memory, streams and loaded kernels.
#[derive(Clone, Debug)]
pub struct Device {
    inner: Inner,
    fallback_reason: Option<std::sync::Arc<str>>,
}

#[derive(Clone, Debug)]
enum Inner {
    Cpu(Cpu),
    Cuda(Kernels<Cuda>),
    Emulator(Kernels<Emulator>),
}

/// Code that runs on whichever backend a [`Device`] has.
///
/// A visitor is how generic code enters: `visit` is compiled for every backend, and can
/// build values that keep the backend's own types behind a trait object.
pub trait DeviceVisitor {
    /// What the visit returns.
    type Output;
    /// Runs with the device's backend.
    fn visit<B: Backend>(self, backend: &B) -> Self::Output;
}

impl Device {
    /// CUDA if there is a usable device, else the CPU; [`Device::fallback_reason`] says why.
    pub fn auto() -> Device {
        match Device::cuda(0) {
            Ok(device) => device,
            Err(error) => {
                let reason = match error {
                    RuntimeError::NoDevice { reason, .. } => reason,
                    other => other.to_string(),
                };
                Device { fallback_reason: Some(reason.into()), ..Device::cpu() }
            }
        }
    }

    /// The CPU.
    pub fn cpu() -> Device {
        Device { inner: Inner::Cpu(Cpu), fallback_reason: None }
    }

    /// The CUDA device with this ordinal; [`RuntimeError::NoDevice`] says why it cannot be used.
    pub fn cuda(ordinal: usize) -> Result<Device> {
        let kernels = Kernels::new(Cuda::new(ordinal)?)?;
        Ok(Device { inner: Inner::Cuda(kernels), fallback_reason: None })
    }

    /// A device that executes the kernels' PTX on the CPU and checks it while doing so.
    pub fn emulator(options: EmulatorOptions) -> Result<Device> {
        let kernels = Kernels::new(Emulator::new(options))?;
        Ok(Device { inner: Inner::Emulator(kernels), fallback_reason: None })
    }

    /// The emulator below, for its log and its switches; `None` on other devices.
    pub fn as_emulator(&self) -> Option<&Emulator> {
        match &self.inner {
            Inner::Emulator(kernels) => Some(kernels.device()),
            _ => None,
        }
    }

    /// A device by name: `auto`, `cpu`, `cuda`, `cuda:N` or `emulator`.
    pub fn parse(name: &str) -> Result<Device> {
        match name {
            "auto" => Ok(Device::auto()),
            "cpu" => Ok(Device::cpu()),
            "cuda" => Device::cuda(0),
            "emulator" => Device::emulator(EmulatorOptions::default()),
            _ => match name.strip_prefix("cuda:").and_then(|n| n.parse().ok()) {
                Some(ordinal) => Device::cuda(ordinal),
                None => Err(RuntimeError::NoDevice {
                    device: name.into(),
                    reason: "no such device; expected auto, cpu, cuda, cuda:N or emulator".into(),
                }),
            },
        }
    }

    /// Name for the user: `cpu`, `emulator`, or the GPU's.
    pub fn name(&self) -> String {
        match &self.inner {
            Inner::Cpu(_) => "cpu".into(),
            Inner::Cuda(kernels) => kernels.device().properties().name,
            Inner::Emulator(_) => "emulator".into(),
        }
    }

    /// Why [`Device::auto`] took the CPU; `None` for a device that was asked for.
    pub fn fallback_reason(&self) -> Option<&str> {
        self.fallback_reason.as_deref()
    }

    /// Runs `visitor` with the backend of this device.
    pub fn visit<V: DeviceVisitor>(&self, visitor: V) -> V::Output {
        match &self.inner {
            Inner::Cpu(backend) => visitor.visit(backend),
            Inner::Cuda(backend) => visitor.visit(backend),
            Inner::Emulator(backend) => visitor.visit(backend),
        }
    }
}
