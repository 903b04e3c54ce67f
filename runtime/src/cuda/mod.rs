//! CUDA through the driver API, loaded at run time.
//!
//! The only module that knows the driver. It is found with `dlopen`, so the crate builds
//! and runs where there is none; [`Cuda::new`] then gives the reason. Everything above
//! [`KernelDevice`] is shared with the emulator.
//!
//! # Unsafe code
//! Every driver call is foreign code. What each needs is one of: a current context
//! (`Context::bind` precedes the calls), handles that are alive (they are
//! owned by values that keep the context alive), ranges inside an allocation (checked by
//! `Memory::range`), host memory that outlives a copy (page-locked memory waits for its copy before anyone
//! sees or frees it), and for launches the promise of
//! [`curvesmith_abi::Slice`]: ranges lie in buffers of the layout that the kernel names.
//!
//! # Failures
//! The driver reports an error of a kernel at some later call of anyone, and refuses everything from then on:
//! [`RuntimeError::DeviceLost`]. With `CURVESMITH_SYNC=1` each launch is waited for, and the error names it.
#![allow(unsafe_code, reason = "foreign calls of the CUDA driver; obligations in the module's text")]

mod cache;
mod link;
mod memory;
mod module;
mod stream;

use cache::CubinCache;
use cudarc::driver::{CudaContext, DriverError, result, sys};
use curvesmith_abi::{BufferId, Flavour, Geometry, Limits};
use curvesmith_device::{
    DeviceProperties, Event, KernelDevice, Launch, Memory, Module, Result, RuntimeError, Source, Staging,
    Stream,
};
use memory::{Allocation, Pinned};
use module::CudaModule;
use std::fmt;
use std::sync::Arc;
use stream::{CudaEvent, CudaStream};

/// Oldest driver that is tried, as the CUDA version it supports. Every driver function
/// named here exists from it on; a missing one would abort.
const MIN_DRIVER: i32 = 12_000;
/// Least compute capability that [`Flavour::PTX`] is for.
const MIN_COMPUTE: u32 = 75;

/// A CUDA device.
#[derive(Clone)]
pub struct Cuda {
    shared: Arc<Shared>,
}

struct Shared {
    context: Arc<Context>,
    properties: DeviceProperties,
    /// What the driver calls itself, for the cache of machine code.
    driver: String,
    cache: CubinCache,
}

/// The primary context of the device.
struct Context(Arc<CudaContext>);

impl Context {
    /// Makes the context current on this thread. Not cudarc's way, which also reports errors that other
    /// threads met.
    fn bind(&self) -> Result<()> {
        // SAFETY: the context is retained for as long as `self` lives.
        unsafe { result::ctx::set_current(self.0.cu_ctx()) }.map_err(failed("cuCtxSetCurrent"))
    }
}

impl Cuda {
    /// The device with this ordinal, or [`RuntimeError::NoDevice`] with the reason.
    pub fn new(ordinal: usize) -> Result<Cuda> {
        let name = format!("cuda:{ordinal}");
        let (driver, count) = driver(&name)?;
        let no_device = |reason: String| RuntimeError::NoDevice { device: name.clone(), reason };
        let unusable = |call: &str, e: DriverError| no_device(format!("{call}: {}", describe(e)));
        if ordinal >= count {
            return Err(no_device(format!("the driver sees {count} devices")));
        }
        let context = CudaContext::new(ordinal).map_err(|e| unusable("cuDevicePrimaryCtxRetain", e))?;
        let properties = properties(&context).map_err(|e| unusable("cuDeviceGetAttribute", e))?;
        if properties.compute < MIN_COMPUTE {
            return Err(no_device(format!(
                "{} has compute capability {}, at least {MIN_COMPUTE} is needed",
                properties.name, properties.compute
            )));
        }
        let driver = cache::driver_version(driver);
        let context = Arc::new(Context(context));
        let shared = Shared { context, properties, driver, cache: CubinCache::of_user() };
        Ok(Cuda { shared: Arc::new(shared) })
    }

    /// Number of devices that the driver shows to this process, or [`RuntimeError::NoDevice`] where there is
    /// no usable driver.
    pub fn count() -> Result<usize> {
        driver("cuda").map(|(_, count)| count)
    }

    fn bind(&self) -> Result<()> {
        self.shared.context.bind()
    }
}

/// The driver's version, initialised, and its number of devices, or why `device` is not to be had.
fn driver(device: &str) -> Result<(i32, usize)> {
    let no_device = |reason: String| RuntimeError::NoDevice { device: device.into(), reason };
    let unusable = |call: &str, e: DriverError| no_device(format!("{call}: {}", describe(e)));
    // SAFETY: looks for the library and unloads it again.
    if !unsafe { sys::is_culib_present() } {
        return Err(no_device("no CUDA driver is installed (libcuda was not found)".into()));
    }
    let mut driver = 0;
    // SAFETY: needs no initialisation; writes the integer.
    unsafe { sys::cuDriverGetVersion(&mut driver) }
        .result()
        .map_err(|e| unusable("cuDriverGetVersion", e))?;
    if driver < MIN_DRIVER {
        return Err(no_device(format!(
            "the driver supports CUDA {}, at least {} is needed",
            version(driver),
            version(MIN_DRIVER)
        )));
    }
    result::init().map_err(|e| unusable("cuInit", e))?;
    let count = result::device::get_count().map_err(|e| unusable("cuDeviceGetCount", e))?;
    Ok((driver, usize::try_from(count).unwrap_or_default()))
}

fn properties(context: &CudaContext) -> std::result::Result<DeviceProperties, DriverError> {
    let (major, minor) = context.compute_capability()?;
    let multiprocessors =
        context.attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let most = |attribute| context.attribute(attribute).map(|most| most.max(0).unsigned_abs());
    let threads = most(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
    let shared = most(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?;
    Ok(DeviceProperties {
        name: context.name()?,
        multiprocessors: multiprocessors.max(1).unsigned_abs(),
        compute: (10 * major + minor).max(0).unsigned_abs(),
        memory: context.total_mem()? as u64,
        binding: u64::MAX,
        flavour: Flavour::PTX,
        geometry: Geometry::PTX,
        limits: Limits { threads, shared, ..Limits::PTX },
    })
}

/// `12.4` for 12040.
fn version(driver: i32) -> String {
    format!("{}.{}", driver / 1000, driver % 1000 / 10)
}

fn describe(error: DriverError) -> String {
    match error.error_string() {
        Ok(text) => text.to_string_lossy().into_owned(),
        Err(_) => format!("{:?}", error.0),
    }
}

/// The error of a driver call: some mean that the device, or its context, is gone.
fn failed(call: &'static str) -> impl Fn(DriverError) -> RuntimeError {
    use sys::CUresult as Code;
    move |error| {
        let reason = describe(error);
        match error.0 {
            Code::CUDA_ERROR_ILLEGAL_ADDRESS
            | Code::CUDA_ERROR_MISALIGNED_ADDRESS
            | Code::CUDA_ERROR_INVALID_ADDRESS_SPACE
            | Code::CUDA_ERROR_INVALID_PC
            | Code::CUDA_ERROR_ILLEGAL_INSTRUCTION
            | Code::CUDA_ERROR_HARDWARE_STACK_ERROR
            | Code::CUDA_ERROR_LAUNCH_FAILED
            | Code::CUDA_ERROR_LAUNCH_TIMEOUT
            | Code::CUDA_ERROR_ASSERT
            | Code::CUDA_ERROR_ECC_UNCORRECTABLE
            | Code::CUDA_ERROR_CONTEXT_IS_DESTROYED
            | Code::CUDA_ERROR_DEINITIALIZED
            | Code::CUDA_ERROR_UNKNOWN => RuntimeError::DeviceLost { call, reason },
            _ => RuntimeError::Device { call, reason },
        }
    }
}

impl KernelDevice for Cuda {
    fn properties(&self) -> &DeviceProperties {
        &self.shared.properties
    }

    fn driver(&self) -> &str {
        &self.shared.driver
    }

    fn load(&self, source: &Source) -> Result<Module> {
        self.bind()?;
        let Shared { context, properties, driver, cache } = &*self.shared;
        Ok(Module::new(CudaModule::load(context, cache, source, properties.compute, driver)?))
    }

    fn resident_blocks(&self, module: &Module, symbol: &str, block: u32) -> Result<u32> {
        self.bind()?;
        module.get::<CudaModule>()?.resident_blocks(symbol, block)
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        self.bind()?;
        let (free, _) = cudarc::driver::result::mem_get_info().map_err(failed("cuMemGetInfo"))?;
        Ok(Some(free as u64))
    }

    fn alloc(&self, bytes: u64) -> Result<Memory> {
        self.bind()?;
        let allocation = Allocation::new(&self.shared.context, bytes)?;
        let address = allocation.address();
        Ok(Memory::new(allocation, BufferId(address), bytes))
    }

    fn reuse(&self, _stream: &Stream, memory: &Memory, bytes: u64) -> Result<()> {
        memory.range("reuse", 0, bytes).map(drop)
    }

    fn staging(&self, bytes: usize) -> Result<Box<dyn Staging>> {
        self.bind()?;
        Ok(Box::new(Pinned::new(&self.shared.context, bytes)?))
    }

    fn stream(&self) -> Result<Stream> {
        self.bind()?;
        Ok(Stream::new(CudaStream::new(&self.shared.context)?))
    }

    fn urgent_stream(&self) -> Result<Stream> {
        self.bind()?;
        Ok(Stream::new(CudaStream::urgent(&self.shared.context)?))
    }

    fn upload(
        &self,
        stream: &Stream,
        dst: &Memory,
        offset: u64,
        src: &mut dyn Staging,
        len: usize,
    ) -> Result<()> {
        self.bind()?;
        let range = dst.range("cuMemcpyHtoDAsync", offset, len as u64)?;
        let address = dst.get::<Allocation>()?.address() + range.start;
        Pinned::of(src)?.upload(stream.get()?, address, len)
    }

    fn download(
        &self,
        stream: &Stream,
        src: &Memory,
        offset: u64,
        dst: &mut dyn Staging,
        len: usize,
    ) -> Result<()> {
        self.bind()?;
        let range = src.range("cuMemcpyDtoHAsync", offset, len as u64)?;
        let address = src.get::<Allocation>()?.address() + range.start;
        Pinned::of(dst)?.download(stream.get()?, address, len)
    }

    fn fill(&self, stream: &Stream, dst: &Memory, offset: u64, len: u64, byte: u8) -> Result<()> {
        self.bind()?;
        let range = dst.range("cuMemsetD8Async", offset, len)?;
        let address = dst.get::<Allocation>()?.address() + range.start;
        let stream: &CudaStream = stream.get()?;
        // SAFETY: the range is inside the allocation, which is reused only after its work.
        unsafe { result::memset_d8_async(address, byte, len as usize, stream.raw()) }
            .map_err(failed("cuMemsetD8Async"))
    }

    fn launch(&self, stream: &Stream, module: &Module, launch: Launch<'_>) -> Result<()> {
        self.bind()?;
        module.get::<CudaModule>()?.launch(stream.get()?, launch)
    }

    fn record(&self, stream: &Stream, timed: bool) -> Result<Event> {
        self.bind()?;
        let event = CudaEvent::new(&self.shared.context, timed)?;
        event.record(stream.get()?)?;
        Ok(Event::new(event))
    }

    fn wait(&self, stream: &Stream, event: &Event) -> Result<()> {
        self.bind()?;
        stream.get::<CudaStream>()?.wait(event.get()?)
    }

    fn elapsed(&self, from: &Event, to: &Event) -> Result<f64> {
        self.bind()?;
        CudaEvent::elapsed(from.get()?, to.get()?)
    }

    fn synchronize(&self, stream: &Stream) -> Result<()> {
        self.bind()?;
        stream.get::<CudaStream>()?.synchronize()
    }
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cuda").field(&self.shared.properties).finish()
    }
}
