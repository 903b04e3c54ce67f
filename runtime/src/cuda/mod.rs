//! CUDA through the driver API, loaded at run time.
//!
//! The only module that knows the driver. It is found with `dlopen`, so the crate builds
//! and runs where there is none; [`Cuda::new`] then gives the reason. Everything above
//! [`KernelDevice`] is shared with the emulator.
//!
//! # Unsafe code
//! Every driver call is foreign code. What each needs is one of: a current context
//! ([`CudaContext::bind_to_thread`] precedes the calls), handles that are alive (they are
//! owned by values that keep the context alive), ranges inside an allocation (checked in
//! `Memory::range`), and for launches the promise of
//! [`curvesmith_abi::Ptr`]: addresses point to buffers of the layout that the kernel names.
#![allow(unsafe_code, reason = "foreign calls of the CUDA driver; obligations in the module's text")]

mod cache;
mod link;
mod pool;

use crate::device::{DeviceProperties, KernelDevice, Launch};
use crate::error::{Result, RuntimeError};
use cache::CubinCache;
use cudarc::driver::{CudaContext, CudaEvent, CudaStream, DriverError, result, sys};
use curvesmith_abi::{Arg, Image};
use pool::{Pool, RawMemory};
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::fmt;
use std::sync::Arc;

/// Oldest driver that is tried, as the CUDA version it supports. Every driver function
/// named here exists from it on; a missing one would abort.
const MIN_DRIVER: i32 = 12_000;
/// Least compute capability that images are emitted for.
const MIN_COMPUTE: u32 = 75;

/// A CUDA device.
#[derive(Clone)]
pub struct Cuda {
    shared: Arc<Shared>,
}

struct Shared {
    raw: Raw,
    pool: Pool,
    properties: DeviceProperties,
    driver: i32,
    cache: CubinCache,
}

/// The calls the pool makes.
struct Raw {
    context: Arc<CudaContext>,
}

/// An allocation; it returns to the device's pool when dropped.
pub struct Memory {
    shared: Arc<Shared>,
    address: u64,
    len: u64,
}

/// A loaded image with its entry points.
pub struct Module {
    context: Arc<CudaContext>,
    module: sys::CUmodule,
    functions: HashMap<String, sys::CUfunction>,
}

// SAFETY: module and function handles belong to the context, not to a thread; the driver
// allows their use from any thread, concurrently, while the context is current there.
unsafe impl Send for Module {}
// SAFETY: as above; the struct has no interior mutability.
unsafe impl Sync for Module {}

impl Cuda {
    /// The device with this ordinal, or [`RuntimeError::NoDevice`] with the reason.
    pub fn new(ordinal: usize) -> Result<Cuda> {
        let no_device = |reason: String| RuntimeError::NoDevice { device: format!("cuda:{ordinal}"), reason };
        let failed = |call: &str, e: DriverError| no_device(format!("{call}: {}", describe(e)));
        // SAFETY: looks for the library and unloads it again.
        if !unsafe { sys::is_culib_present() } {
            return Err(no_device("no CUDA driver is installed (libcuda was not found)".into()));
        }
        let mut driver = 0;
        // SAFETY: needs no initialisation; writes the integer.
        unsafe { sys::cuDriverGetVersion(&mut driver) }
            .result()
            .map_err(|e| failed("cuDriverGetVersion", e))?;
        if driver < MIN_DRIVER {
            return Err(no_device(format!(
                "the driver supports CUDA {}, at least {} is needed",
                version(driver),
                version(MIN_DRIVER)
            )));
        }
        result::init().map_err(|e| failed("cuInit", e))?;
        let count = result::device::get_count().map_err(|e| failed("cuDeviceGetCount", e))?;
        if usize::try_from(count).is_ok_and(|count| ordinal >= count) {
            return Err(no_device(format!("the driver sees {count} devices")));
        }
        let context = CudaContext::new(ordinal).map_err(|e| failed("cuDevicePrimaryCtxRetain", e))?;
        let properties = properties(&context).map_err(|e| failed("cuDeviceGetAttribute", e))?;
        if properties.compute < MIN_COMPUTE {
            return Err(no_device(format!(
                "{} has compute capability {}, at least {MIN_COMPUTE} is needed",
                properties.name, properties.compute
            )));
        }
        let shared = Shared {
            raw: Raw { context },
            pool: Pool::default(),
            properties,
            driver,
            cache: CubinCache::of_user(),
        };
        Ok(Cuda { shared: Arc::new(shared) })
    }

    fn bind(&self) -> Result<()> {
        self.shared.raw.bind()
    }
}

fn properties(context: &CudaContext) -> std::result::Result<DeviceProperties, DriverError> {
    let (major, minor) = context.compute_capability()?;
    let multiprocessors =
        context.attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    Ok(DeviceProperties {
        name: context.name()?,
        multiprocessors: multiprocessors.max(1).unsigned_abs(),
        compute: (10 * major + minor).max(0).unsigned_abs(),
        memory: context.total_mem()? as u64,
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

fn device_error(call: &'static str) -> impl Fn(DriverError) -> RuntimeError {
    move |error| RuntimeError::Device { call, reason: describe(error) }
}

impl Raw {
    fn bind(&self) -> Result<()> {
        self.context.bind_to_thread().map_err(device_error("cuCtxSetCurrent"))
    }
}

impl RawMemory for Raw {
    fn alloc(&self, bytes: u64) -> Result<Option<u64>> {
        self.bind()?;
        let Ok(size) = usize::try_from(bytes) else { return Ok(None) };
        // SAFETY: the context is current.
        match unsafe { result::malloc_sync(size) } {
            Ok(address) => Ok(Some(address)),
            Err(DriverError(sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY)) => Ok(None),
            Err(error) => Err(device_error("cuMemAlloc")(error)),
        }
    }

    fn free(&self, address: u64) {
        let freed = self.context.bind_to_thread().and_then(|()| {
            // SAFETY: the pool frees an address once, after all work on it.
            unsafe { result::free_sync(address) }
        });
        if let Err(error) = freed {
            tracing::warn!("cuMemFree: {}", describe(error));
        }
    }

    fn synchronize(&self) -> Result<()> {
        self.context.synchronize().map_err(device_error("cuCtxSynchronize"))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.pool.clear(&self.raw);
    }
}

impl Memory {
    /// Address of `offset..offset + len`, which must lie inside the allocation.
    fn range(&self, call: &'static str, offset: u64, len: u64) -> Result<u64> {
        match offset.checked_add(len) {
            Some(end) if end <= self.len => Ok(self.address + offset),
            _ => Err(RuntimeError::Device {
                call,
                reason: format!("{len} bytes at {offset} of an allocation of {} bytes", self.len),
            }),
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.shared.pool.release(self.address, self.len);
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let unloaded = self.context.synchronize().and_then(|()| {
            // SAFETY: no launch of the module is pending, and this is its only owner.
            unsafe { result::module::unload(self.module) }
        });
        if let Err(error) = unloaded {
            tracing::warn!("cuModuleUnload: {}", describe(error));
        }
    }
}

impl KernelDevice for Cuda {
    type Memory = Memory;
    type Module = Module;
    type Stream = Arc<CudaStream>;
    type Event = CudaEvent;

    fn properties(&self) -> DeviceProperties {
        self.shared.properties.clone()
    }

    fn load(&self, image: &Image) -> Result<Module> {
        self.bind()?;
        let refused = |reason: String| RuntimeError::Image { image: image.name.clone(), reason };
        let key = cache::Key::new(image, self.shared.properties.compute, self.shared.driver);
        let cached = self.shared.cache.get(&key).and_then(|cubin| {
            // SAFETY: the cubin's hash is that of one this driver linked.
            unsafe { result::module::load_data(cubin.as_ptr().cast()) }.ok()
        });
        let module = match cached {
            Some(module) => module,
            None => {
                let cubin = link::link(crate::launch::decompress(image)?).map_err(refused)?;
                // SAFETY: the bytes are a whole cubin made by this driver for this device.
                let module = unsafe { result::module::load_data(cubin.as_ptr().cast()) };
                let module = module.map_err(|e| refused(format!("cuModuleLoadData: {}", describe(e))))?;
                self.shared.cache.put(&key, &cubin);
                module
            }
        };
        // Owned from here on: an early return unloads it.
        let mut loaded =
            Module { context: Arc::clone(&self.shared.raw.context), module, functions: HashMap::new() };
        for kernel in &image.kernels {
            let symbol = CString::new(kernel.symbol.as_str())
                .map_err(|_| refused(format!("symbol {:?} has a zero byte", kernel.symbol)))?;
            // SAFETY: the module is loaded.
            let function = unsafe { result::module::get_function(module, symbol) };
            let function =
                function.map_err(|e| refused(format!("kernel `{}`: {}", kernel.symbol, describe(e))))?;
            loaded.functions.insert(kernel.symbol.clone(), function);
        }
        Ok(loaded)
    }

    fn alloc(&self, bytes: u64) -> Result<Memory> {
        let address = self.shared.pool.acquire(&self.shared.raw, bytes)?;
        Ok(Memory { shared: Arc::clone(&self.shared), address, len: bytes })
    }

    fn address(&self, memory: &Memory) -> u64 {
        memory.address
    }

    fn stream(&self) -> Result<Arc<CudaStream>> {
        self.shared.raw.context.new_stream().map_err(device_error("cuStreamCreate"))
    }

    fn upload(&self, stream: &Arc<CudaStream>, dst: &Memory, offset: u64, src: &[u8]) -> Result<()> {
        self.bind()?;
        let address = dst.range("cuMemcpyHtoDAsync", offset, src.len() as u64)?;
        // SAFETY: the range is inside the allocation; the source outlives the copy, since
        // the stream is waited for (the driver does not promise it for pageable memory).
        unsafe { result::memcpy_htod_async(address, src, stream.cu_stream()) }
            .and_then(|()| stream.synchronize())
            .map_err(device_error("cuMemcpyHtoDAsync"))
    }

    fn download(&self, stream: &Arc<CudaStream>, src: &Memory, offset: u64, dst: &mut [u8]) -> Result<()> {
        self.bind()?;
        let address = src.range("cuMemcpyDtoHAsync", offset, dst.len() as u64)?;
        // SAFETY: the range is inside the allocation; `dst` is borrowed until the stream is done.
        let copied = unsafe { result::memcpy_dtoh_async(dst, address, stream.cu_stream()) };
        copied.and_then(|()| stream.synchronize()).map_err(device_error("cuMemcpyDtoHAsync"))
    }

    fn fill(&self, stream: &Arc<CudaStream>, dst: &Memory, offset: u64, len: u64, byte: u8) -> Result<()> {
        self.bind()?;
        let address = dst.range("cuMemsetD8Async", offset, len)?;
        // SAFETY: the range is inside the allocation, which is reused only after its work.
        unsafe { result::memset_d8_async(address, byte, len as usize, stream.cu_stream()) }
            .map_err(device_error("cuMemsetD8Async"))
    }

    fn launch(&self, stream: &Arc<CudaStream>, module: &Module, launch: Launch<'_>) -> Result<()> {
        self.bind()?;
        let refused = |call, reason| RuntimeError::Launch {
            symbol: launch.symbol.into(),
            grid: launch.grid,
            block: launch.block,
            call,
            reason,
        };
        let function = module.functions.get(launch.symbol);
        let function = *function.ok_or_else(|| refused("cuModuleGetFunction", "not in the module".into()))?;
        // A 32-bit argument is the low half of its slot: devices and hosts are little-endian.
        let mut slots: Vec<u64> = launch
            .args
            .iter()
            .map(|arg| match *arg {
                Arg::U32(value) => u64::from(value),
                Arg::U64(value) => value,
            })
            .collect();
        let mut params: Vec<*mut c_void> =
            slots.iter_mut().map(|slot| std::ptr::from_mut(slot).cast()).collect();
        // SAFETY: the function belongs to a loaded module; `params` has a slot for each
        // parameter, as the image's signature was compared with the ABI; the driver copies
        // them before it returns. Addresses are right by the promise of `Ptr`, and their
        // buffers live until the work is done, because the pool reuses them only then.
        unsafe {
            result::launch_kernel(
                function,
                (launch.grid, 1, 1),
                (launch.block, 1, 1),
                launch.shared,
                stream.cu_stream(),
                &mut params,
            )
        }
        .map_err(|error| refused("cuLaunchKernel", describe(error)))
    }

    fn record(&self, stream: &Arc<CudaStream>) -> Result<CudaEvent> {
        stream.record_event(None).map_err(device_error("cuEventRecord"))
    }

    fn wait(&self, stream: &Arc<CudaStream>, event: &CudaEvent) -> Result<()> {
        stream.wait(event).map_err(device_error("cuStreamWaitEvent"))
    }

    fn synchronize(&self, stream: &Arc<CudaStream>) -> Result<()> {
        stream.synchronize().map_err(device_error("cuStreamSynchronize"))
    }
}

impl fmt::Debug for Cuda {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Cuda").field(&self.shared.properties).finish()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory[{} bytes at {:#x}]", self.len, self.address)
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.functions.keys()).finish()
    }
}
