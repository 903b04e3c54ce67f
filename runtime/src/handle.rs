//! The device handle that users and plans hold.

use crate::engine::Engine;
use crate::engines::{AnyCall, AnyEngine};
use crate::error::{Result, RuntimeError};
use crate::gpu::Gpu;
use crate::host::Host;
use crate::job::Cancel;
use crate::owner::Owner;
use crate::platform::cuda;
use crate::policy::{self, MeasuredWindows, Policy};
use crate::tier::{Tier, tier};
use crate::vocabulary::Detail;
use curvesmith_abi::{Features, Flavour};
use curvesmith_device::{DeviceProperties, KernelDevice};
#[cfg(feature = "emulator")]
use curvesmith_emulator::{Emulator, EmulatorOptions};
#[cfg(feature = "wgpu")]
use curvesmith_wgpu::{AdapterKind, WgpuDevice, WgpuOptions};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A device to compute on. Cheap to clone; clones share memory, streams and loaded kernels.
#[derive(Clone)]
pub struct Device {
    engine: AnyEngine,
    fallback_reason: Option<Arc<str>>,
    #[cfg(feature = "emulator")]
    emulator: Option<Emulator>,
    /// The ordinal of its adapter.
    #[cfg(feature = "wgpu")]
    adapter: Option<usize>,
}

/// Its name: memory below may hold secrets.
impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name()).finish()
    }
}

impl Device {
    fn new(engine: AnyEngine) -> Device {
        Device {
            engine,
            fallback_reason: None,
            #[cfg(feature = "emulator")]
            emulator: None,
            #[cfg(feature = "wgpu")]
            adapter: None,
        }
    }

    /// CUDA if there is a usable device, else with feature `wgpu` the first GPU with memory of its own that
    /// it finds, else the CPU; [`Device::fallback_reason`] says why. One that shares the host's memory may be
    /// slower than the CPU. A browser does not tell, and has one thread for the CPU: there any GPU is taken.
    pub fn auto() -> Device {
        let gpus: &[fn() -> Result<Device>] = &[
            || Device::cuda(0),
            #[cfg(feature = "wgpu")]
            Device::wgpu_worthwhile,
        ];
        let mut reasons = Vec::new();
        for open in gpus {
            match open() {
                Ok(device) => return device,
                Err(RuntimeError::NoDevice { reason, .. }) => reasons.push(reason),
                Err(other) => reasons.push(other.to_string()),
            }
        }
        Device { fallback_reason: Some(reasons.join("; ").into()), ..Device::cpu() }
    }

    /// The CPU.
    pub fn cpu() -> Device {
        Device::new(AnyEngine::Host(Host))
    }

    /// The CUDA device with this ordinal, with the windows that were [measured](Device::keep_windows) on it;
    /// [`RuntimeError::NoDevice`] says why it cannot be used.
    pub fn cuda(ordinal: usize) -> Result<Device> {
        Ok(Device::as_measured(cuda::open(ordinal)?))
    }

    /// Every CUDA device that the driver shows to this process, of which `CUDA_VISIBLE_DEVICES` may hide
    /// some.
    ///
    /// Errors: no usable driver; no device; one that is too old, which is better hidden than passed over.
    pub fn cuda_all() -> Result<Vec<Device>> {
        let count = cuda::count()?;
        if count == 0 {
            let reason = "the driver sees 0 devices".to_owned();
            return Err(RuntimeError::NoDevice { device: "cuda".into(), reason });
        }
        (0..count).map(Device::cuda).collect()
    }

    /// The adapter with this ordinal among [`curvesmith_wgpu::adapters`], a GPU or what runs on the CPU, with
    /// the windows that were [measured](Device::keep_windows) on it; [`RuntimeError::NoDevice`] says why it
    /// cannot be used. Where it has words of 64 bits, products are made of them, unless those of words of 32
    /// bits were [measured](Device::by_each_product) to take less time.
    #[cfg(feature = "wgpu")]
    pub fn wgpu(ordinal: usize) -> Result<Device> {
        let device = WgpuDevice::new(ordinal)?;
        if policy::is_faster_by_words_32(&device) {
            tracing::info!("{}: products of words of 32 bits, as measured", device.adapter().name);
            return Device::by_words_32(ordinal);
        }
        Ok(Device { adapter: Some(ordinal), ..Device::as_measured(Arc::new(device)) })
    }

    #[cfg(feature = "wgpu")]
    fn by_words_32(ordinal: usize) -> Result<Device> {
        let options = WgpuOptions { words_64: false, ..WgpuOptions::default() };
        let device = WgpuDevice::with_options(ordinal, options)?;
        Ok(Device { adapter: Some(ordinal), ..Device::as_measured(Arc::new(device)) })
    }

    /// The same device once for each kind of products that it can make, to [measure](crate::tune_windows)
    /// which takes less time: an adapter with words of 64 bits by those and by words of 32 bits, and every
    /// other device by itself. What is [kept](Device::keep_windows) of both decides for [`Device::wgpu`].
    pub fn by_each_product(&self) -> Result<Vec<Device>> {
        #[cfg(feature = "wgpu")]
        if let Some(ordinal) = self.adapter {
            let device = WgpuDevice::new(ordinal)?;
            if device.adapter().limits.features.has(Features::WORDS_64) {
                let by_words_64 = Device::as_measured(Arc::new(device));
                let by_words_64 = Device { adapter: Some(ordinal), ..by_words_64 };
                return Ok(vec![by_words_64, Device::by_words_32(ordinal)?]);
            }
        }
        Ok(vec![self.clone()])
    }

    /// The first adapter that is faster than the CPU as far as anybody knows.
    #[cfg(feature = "wgpu")]
    fn wgpu_worthwhile() -> Result<Device> {
        let is_browser = cfg!(target_family = "wasm");
        let fits = |adapter: &curvesmith_wgpu::AdapterInfo| {
            adapter.unusable.is_none()
                && match is_browser {
                    true => adapter.kind != AdapterKind::Cpu,
                    false => adapter.kind == AdapterKind::Discrete,
                }
        };
        match curvesmith_wgpu::adapters().into_iter().find(fits) {
            Some(adapter) => Device::wgpu(adapter.ordinal),
            None => {
                let reason = match is_browser {
                    true => "the browser shows no GPU that it can use",
                    false => "no GPU with memory of its own was found through Vulkan or Direct3D 12",
                };
                Err(RuntimeError::NoDevice { device: "wgpu".into(), reason: reason.to_owned() })
            }
        }
    }

    /// A device that executes the kernels' PTX on the CPU and checks it while doing so.
    #[cfg(feature = "emulator")]
    pub fn emulator(options: EmulatorOptions) -> Result<Device> {
        Ok(Device::on_emulator(Emulator::new(options), None))
    }

    /// As [`Device::emulator`], with an emulator and launch policies of the caller's choice.
    #[cfg(feature = "emulator")]
    pub fn on_emulator(emulator: Emulator, policy: Option<Policy>) -> Device {
        let device = Device::with_kernels(Arc::new(emulator.clone()), policy);
        Device { emulator: Some(emulator), ..device }
    }

    /// Any device that runs kernels, with launch policies for its properties or of the caller's choice;
    /// results do not depend on them.
    pub fn with_kernels(device: Arc<dyn KernelDevice>, policy: Option<Policy>) -> Device {
        Device::new(AnyEngine::Kernels(Gpu::new(device, policy)))
    }

    /// A device with the policies for its properties and the user's table of windows.
    fn as_measured(device: Arc<dyn KernelDevice>) -> Device {
        let policy = Policy { windows: policy::of_user(&*device), ..Policy::for_device(device.properties()) };
        Device::with_kernels(device, Some(policy))
    }

    /// The emulator below, for its log and its switches; `None` on other devices.
    #[cfg(feature = "emulator")]
    pub fn as_emulator(&self) -> Option<&Emulator> {
        self.emulator.as_ref()
    }

    /// A device by name, with the windows that were [measured](Device::keep_windows) on it: `auto`, `cpu`,
    /// `cuda`, `cuda:N`, `wgpu`, `wgpu:N` or `emulator`.
    pub fn parse(name: &str) -> Result<Device> {
        let no_device =
            |reason: &str| Err(RuntimeError::NoDevice { device: name.into(), reason: reason.into() });
        match name {
            "auto" => Ok(Device::auto()),
            "cpu" => {
                tier()?;
                Ok(Device::cpu())
            }
            "cuda" => Device::cuda(0),
            #[cfg(feature = "emulator")]
            "emulator" => {
                let emulator = Emulator::new(EmulatorOptions::default());
                let device = Device::as_measured(Arc::new(emulator.clone()));
                Ok(Device { emulator: Some(emulator), ..device })
            }
            #[cfg(not(feature = "emulator"))]
            "emulator" => no_device("this program was built without the feature `emulator`"),
            #[cfg(feature = "wgpu")]
            "wgpu" => Device::wgpu(0),
            #[cfg(not(feature = "wgpu"))]
            _ if name == "wgpu" || name.starts_with("wgpu:") => no_device(
                "this program was built without the feature `wgpu`; build its package of curvesmith with it, or take another \
                 device",
            ),
            _ => match name.split_once(':').and_then(|(kind, n)| Some((kind, n.parse().ok()?))) {
                Some(("cuda", ordinal)) => Device::cuda(ordinal),
                #[cfg(feature = "wgpu")]
                Some(("wgpu", ordinal)) => Device::wgpu(ordinal),
                _ => no_device("no such device; expected auto, cpu, cuda, cuda:N, wgpu, wgpu:N or emulator"),
            },
        }
    }

    /// Name for the user: `cpu`, `emulator`, or the GPU's.
    pub fn name(&self) -> String {
        self.engine().name()
    }

    /// The processor's instructions that it computes with; `None` but for the CPU.
    pub fn tier(&self) -> Option<Tier> {
        self.engine().tier()
    }

    /// Static facts; `None` on the CPU.
    pub fn properties(&self) -> Option<&DeviceProperties> {
        self.engine().properties()
    }

    /// Bits of the words that products are made of: 64 or 32 on adapters of wgpu, which may have both; `None`
    /// on devices that have no choice.
    pub fn product_words(&self) -> Option<u32> {
        let properties = self.properties().filter(|properties| properties.flavour == Flavour::WGSL)?;
        Some(if properties.limits.features.has(Features::WORDS_64) { 64 } else { 32 })
    }

    /// Whether it is the CPU.
    pub fn is_cpu(&self) -> bool {
        self.engine().is_host()
    }

    /// Why [`Device::auto`] took the CPU; `None` for a device that was asked for.
    pub fn fallback_reason(&self) -> Option<&str> {
        self.fallback_reason.as_deref()
    }

    /// Loads all kernels of `owners` now, in parallel, instead of at first use: on a GPU never seen before
    /// the driver assembles them, which takes seconds. Nothing on the CPU.
    pub fn preload(&self, owners: &[Owner]) -> Result<()> {
        self.engine().preload(owners)
    }

    /// Bytes of device memory that calls of this process can get now; `None` on the CPU, and where the device
    /// cannot tell.
    pub fn free_memory(&self) -> Result<Option<u64>> {
        self.engine().free_memory()
    }

    /// Gives memory that is kept for re-use back to the device.
    pub fn release_unused(&self) {
        self.engine().release_unused();
    }

    /// Puts rows into the table of this device in the user's cache directory, or in `directory`, beside those
    /// that are there, and tells where that is. Devices that are opened from then on use it; this one goes on
    /// as it is.
    ///
    /// Errors: [`RuntimeError::Input`] on the CPU, and where the table cannot be written.
    pub fn keep_windows(&self, windows: &MeasuredWindows, directory: Option<&Path>) -> Result<PathBuf> {
        self.engine().keep_windows(windows, directory)
    }

    /// What computes.
    pub(crate) fn engine(&self) -> &dyn Engine {
        self.engine.get()
    }

    /// Begins a call.
    pub(crate) fn call(&self, detail: Detail, cancel: Cancel) -> Result<AnyCall> {
        self.engine.call(detail, cancel)
    }
}
