//! Launches of PTX on the emulator, with its checks.

use curvesmith_codegen::fir::interp::Argument;
use curvesmith_device::{self as device};
use curvesmith_emulator::{Emulator, EmulatorOptions};

/// An emulator with one module.
pub(crate) struct Module {
    device: Emulator,
    module: device::Module,
}

impl Module {
    pub(crate) fn load(ptx: &str) -> Module {
        let device = Emulator::new(EmulatorOptions::default().memory(1 << 30));
        let module = device.load_ptx(ptx).unwrap_or_else(|e| panic!("{e}"));
        Module { device, module }
    }

    /// Runs a kernel; buffers in `args` are changed in place.
    pub(crate) fn launch(&self, symbol: &str, grid: u32, block: u32, args: &mut [Argument]) {
        let done = curvesmith_tests::launch(&self.device, &self.module, symbol, (grid, block), args);
        done.unwrap_or_else(|e| panic!("{e}"));
    }
}
