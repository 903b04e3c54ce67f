//! Loaded images.

use super::cache::{CubinCache, Key};
use super::stream::CudaStream;
use super::{Context, describe, failed, link};
use cudarc::driver::{DriverError, result, sys};
use curvesmith_abi::{Arg, Flavour};
use curvesmith_device::{Launch, Result, RuntimeError, Source};
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::sync::Arc;

/// A loaded image with its entry points.
pub(super) struct CudaModule {
    context: Arc<Context>,
    module: sys::CUmodule,
    functions: HashMap<String, sys::CUfunction>,
}

// SAFETY: module and function handles belong to the context, not to a thread; the driver
// allows their use from any thread, concurrently, while the context is current there.
unsafe impl Send for CudaModule {}
// SAFETY: as above; the struct has no interior mutability.
unsafe impl Sync for CudaModule {}

impl CudaModule {
    /// Loads an image, assembled before if the cache has it. The context is current.
    pub(super) fn load(
        context: &Arc<Context>,
        cache: &CubinCache,
        source: &Source,
        compute: u32,
        driver: &str,
    ) -> Result<CudaModule> {
        source.expect(&Flavour::PTX)?;
        let image = source.image();
        let refused = |reason: String| RuntimeError::Image { image: image.name.clone(), reason };
        let key = Key::new(source, compute, driver);
        let cached = cache.get(&key).and_then(|cubin| {
            // SAFETY: the cubin's hash is that of one this driver linked.
            unsafe { result::module::load_data(cubin.as_ptr().cast()) }.ok()
        });
        let module = match cached {
            Some(module) => module,
            None => {
                let cubin = link::link(source.text()?).map_err(refused)?;
                // SAFETY: the bytes are a whole cubin made by this driver for this device.
                let module = unsafe { result::module::load_data(cubin.as_ptr().cast()) };
                let module = module.map_err(|e| refused(format!("cuModuleLoadData: {}", describe(e))))?;
                cache.put(&key, &cubin);
                module
            }
        };
        // Owned from here on: an early return unloads it.
        let mut loaded = CudaModule { context: Arc::clone(context), module, functions: HashMap::new() };
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

    fn function(&self, symbol: &str) -> Result<sys::CUfunction> {
        self.functions.get(symbol).copied().ok_or_else(|| RuntimeError::Device {
            call: "cuModuleGetFunction",
            reason: format!("kernel `{symbol}` is not in the module"),
        })
    }

    /// Blocks of `block` threads that are resident at once on one multiprocessor. The context is current.
    pub(super) fn resident_blocks(&self, symbol: &str, block: u32) -> Result<u32> {
        let function = self.function(symbol)?;
        let mut blocks = 0;
        let block = i32::try_from(block).unwrap_or(i32::MAX);
        // SAFETY: the function belongs to a loaded module; the result is written on success.
        unsafe { sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, block, 0) }
            .result()
            .map_err(failed("cuOccupancyMaxActiveBlocksPerMultiprocessor"))?;
        Ok(blocks.max(1).unsigned_abs())
    }

    /// The context is current.
    pub(super) fn launch(&self, stream: &CudaStream, launch: Launch<'_>) -> Result<()> {
        let function = self.function(launch.symbol)?;
        // A 32-bit argument is the low half of its slot: devices and hosts are little-endian.
        let mut slots: Vec<u64> = launch
            .args
            .iter()
            .map(|arg| match *arg {
                Arg::U32(value) => u64::from(value),
                Arg::U64(value) => value,
                // The number of a buffer is its address.
                Arg::Buffer(range) => range.buffer.0.wrapping_add(range.start),
            })
            .collect();
        let mut params: Vec<*mut c_void> =
            slots.iter_mut().map(|slot| std::ptr::from_mut(slot).cast()).collect();
        // SAFETY: the function belongs to a loaded module; `params` has a slot for each
        // parameter, as the image's signature was compared with the ABI; the driver copies
        // them before it returns. Ranges are right by the promise of `Slice`, and their
        // buffers live until the work is done, because they are re-used in the order of streams.
        let launched = unsafe {
            result::launch_kernel(
                function,
                (launch.grid, 1, 1),
                (launch.block, 1, 1),
                launch.shared,
                stream.raw(),
                &mut params,
            )
        };
        launched.map_err(|error| match failed("cuLaunchKernel")(error) {
            RuntimeError::Device { call, reason } => RuntimeError::Launch {
                symbol: launch.symbol.into(),
                grid: launch.grid,
                block: launch.block,
                call,
                reason,
            },
            lost => lost,
        })
    }
}

impl Drop for CudaModule {
    fn drop(&mut self) {
        let unloaded = self.context.bind().map(|()| -> std::result::Result<(), DriverError> {
            // SAFETY: the context is current; it is waited for, so that no launch of the module is pending,
            // and this is its only owner.
            unsafe {
                sys::cuCtxSynchronize().result()?;
                result::module::unload(self.module)
            }
        });
        if let Ok(Err(error)) = unloaded {
            tracing::debug!("cuModuleUnload: {}", describe(error));
        }
    }
}
