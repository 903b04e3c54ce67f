//! One launch of a kernel on any device, with the arguments of the interpreter.

use curvesmith_abi::Arg;
use curvesmith_codegen::fir::interp::Argument;
use curvesmith_device::{KernelDevice, Launch, Memory, Module, Result, read_bytes, write_bytes};

/// Runs `grid` blocks of `block` threads of a kernel, waits, and changes the buffers of `args` in place.
pub fn launch(
    device: &dyn KernelDevice,
    module: &Module,
    symbol: &str,
    (grid, block): (u32, u32),
    args: &mut [Argument],
) -> Result<()> {
    let stream = device.stream()?;
    let mut memory: Vec<Memory> = vec![];
    let mut values = vec![];
    for arg in args.iter() {
        values.push(match arg {
            Argument::Buffer(words) => {
                let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                let own = device.alloc(bytes.len().max(1) as u64)?;
                write_bytes(device, &stream, &own, 0, &bytes)?;
                let range = own.whole();
                memory.push(own);
                Arg::Buffer(range)
            }
            Argument::U32(x) => Arg::U32(*x),
            Argument::U64(x) => Arg::U64(*x),
        });
    }
    device.launch(&stream, module, Launch { symbol, grid, block, shared: 0, args: &values })?;
    device.synchronize(&stream)?;
    let buffers = args.iter_mut().filter_map(|arg| match arg {
        Argument::Buffer(words) => Some(words),
        Argument::U32(_) | Argument::U64(_) => None,
    });
    for (words, memory) in buffers.zip(&memory) {
        let bytes = read_bytes(device, &stream, memory, 0, 4 * words.len())?;
        *words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    }
    Ok(())
}
