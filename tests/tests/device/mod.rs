//! Launches of PTX on the emulator, with its checks.

use curvesmith_abi::Arg;
use curvesmith_codegen::fir::interp::Argument;
use curvesmith_device::{self as device, KernelDevice, Launch, read_bytes, write_bytes};
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
        let d = &self.device;
        let stream = d.stream().unwrap();
        let mut memory = vec![];
        let mut raw = vec![];
        for arg in args.iter() {
            raw.push(match arg {
                Argument::Buffer(words) => {
                    let m = d.alloc(4 * words.len().max(1) as u64).unwrap();
                    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                    write_bytes(d, &stream, &m, 0, &bytes).unwrap();
                    let range = m.whole();
                    memory.push(m);
                    Arg::Buffer(range)
                }
                Argument::U32(x) => Arg::U32(*x),
                Argument::U64(x) => Arg::U64(*x),
            });
        }
        let launch = Launch { symbol, grid, block, shared: 0, args: &raw };
        d.launch(&stream, &self.module, launch).unwrap_or_else(|e| panic!("{e}"));
        d.synchronize(&stream).unwrap_or_else(|e| panic!("{e}"));
        let mut memory = memory.iter();
        for arg in args {
            if let Argument::Buffer(words) = arg {
                let bytes = read_bytes(d, &stream, memory.next().unwrap(), 0, 4 * words.len()).unwrap();
                *words = bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect();
            }
        }
    }
}
