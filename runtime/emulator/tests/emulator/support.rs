//! Launching small kernels.

use curvesmith_abi::Arg;
use curvesmith_device::{KernelDevice, Launch, Memory, Module, Result, Staging, Stream};
use curvesmith_emulator::{Emulator, EmulatorOptions};

/// A kernel `k(in, out, n)` around a body. The prologue leaves the thread's global index in `%r0`,
/// `in` in `%rd0`, `out` in `%rd1`, `n` in `%r1`, and the addresses of `in[4·i]` and `out[4·i]` (32-bit
/// words) in `%rd2`, `%rd3`.
pub(crate) fn kernel(body: &str) -> String {
    module("", body)
}

/// As [`kernel`], with module-level text before it.
pub(crate) fn module(before: &str, body: &str) -> String {
    format!(
        "//\n// text\n//\n.version 6.3\n.target sm_75\n.address_size 64\n{before}\n\
         .visible .entry k(\n\t.param .u64 k_param_0,\n\t.param .u64 k_param_1,\n\t.param .u32 k_param_2\n)\n\
         .maxntid 1024, 1, 1\n{{\n\
         .reg .pred %p<32>;\n.reg .b16 %rs<32>;\n.reg .b32 %r<64>;\n.reg .b64 %rd<64>;\n\
         ld.param.u64 %rd0, [k_param_0];\nld.param.u64 %rd1, [k_param_1];\nld.param.u32 %r1, [k_param_2];\n\
         mov.u32 %r60, %ctaid.x;\nmov.u32 %r61, %ntid.x;\nmov.u32 %r62, %tid.x;\n\
         mad.lo.s32 %r0, %r60, %r61, %r62;\n\
         mul.wide.u32 %rd2, %r0, 16;\nadd.s64 %rd3, %rd1, %rd2;\nadd.s64 %rd2, %rd0, %rd2;\n\
         {body}\nret;\n}}\n"
    )
}

/// A small emulator.
pub(crate) fn emulator() -> Emulator {
    Emulator::new(EmulatorOptions::default().threads(2))
}

/// Submits a copy of host bytes. The drop of what it returns waits for it.
pub(crate) fn upload(
    e: &Emulator,
    s: &Stream,
    to: &Memory,
    offset: u64,
    bytes: &[u8],
) -> Result<Box<dyn Staging>> {
    let mut staging = e.staging(bytes.len())?;
    staging.bytes()?.copy_from_slice(bytes);
    e.upload(s, to, offset, &mut *staging, bytes.len())?;
    Ok(staging)
}

/// Copies device bytes to the host.
pub(crate) fn download(e: &Emulator, s: &Stream, from: &Memory, offset: u64, len: usize) -> Result<Vec<u8>> {
    let mut staging = e.staging(len)?;
    e.download(s, from, offset, &mut *staging, len)?;
    Ok(staging.bytes()?.to_vec())
}

/// Device memory with the given words.
pub(crate) fn words(e: &Emulator, data: &[u32]) -> Memory {
    let s = e.stream().unwrap();
    let m = e.alloc(4 * data.len() as u64).unwrap();
    let bytes: Vec<u8> = data.iter().flat_map(|w| w.to_le_bytes()).collect();
    upload(e, &s, &m, 0, &bytes).unwrap();
    e.synchronize(&s).unwrap();
    m
}

/// The words of an allocation.
pub(crate) fn read(e: &Emulator, m: &Memory, n: usize) -> Vec<u32> {
    let bytes = download(e, &e.stream().unwrap(), m, 0, 4 * n).unwrap();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().unwrap())).collect()
}

/// Submits `symbol(input, output, 0)`.
pub(crate) fn launch(
    e: &Emulator,
    s: &Stream,
    module: &Module,
    symbol: &str,
    (grid, block): (u32, u32),
    (input, output): (&Memory, &Memory),
) -> Result<()> {
    let args = [Arg::Buffer(input.whole()), Arg::Buffer(output.whole()), Arg::U32(0)];
    e.launch(s, module, Launch { symbol, grid, block, shared: 0, args: &args })
}

/// Runs `k` on `input`; the output has `out` words, all zero before.
pub(crate) fn run(
    e: &Emulator,
    ptx: &str,
    grid: u32,
    block: u32,
    input: &[u32],
    out: usize,
) -> Result<Vec<u32>> {
    run_shared(e, ptx, (grid, block, 0), input, out)
}

/// As [`run`], with dynamic shared memory: `(grid, block, bytes)`.
pub(crate) fn run_shared(
    e: &Emulator,
    ptx: &str,
    (grid, block, shared): (u32, u32, u32),
    input: &[u32],
    out: usize,
) -> Result<Vec<u32>> {
    let module = e.load_ptx(ptx).unwrap_or_else(|e| panic!("{e}\n{ptx}"));
    let input_memory = words(e, input);
    let output = words(e, &vec![0; out]);
    let s = e.stream()?;
    let args = [Arg::Buffer(input_memory.whole()), Arg::Buffer(output.whole()), Arg::U32(input.len() as u32)];
    e.launch(&s, &module, Launch { symbol: "k", grid, block, shared, args: &args })?;
    e.synchronize(&s)?;
    Ok(read(e, &output, out))
}
