//! An adapter, kernels and buffers.

use curvesmith_abi::{Arg, ByteRange, Features, Flavour, Image, KernelEntry, Needs};
use curvesmith_device::{
    KernelDevice as _, Launch, Memory, Module, Result, Source, Stream, read_bytes, write_bytes,
};
use curvesmith_wgpu::{WgpuDevice, adapters};

/// The variable with which a missing adapter is a failure.
const NEED: &str = "CURVESMITH_NEED_WGPU";

/// The first adapter; without one the test is skipped loudly, or fails.
pub(crate) fn adapter_or_skip() -> Option<WgpuDevice> {
    match adapters().iter().find(|adapter| adapter.unusable.is_none()) {
        Some(adapter) => Some(WgpuDevice::new(adapter.ordinal).expect("it is usable")),
        None if std::env::var_os(NEED).is_some() => panic!("{NEED} is set, and there is no adapter"),
        None => {
            eprintln!(
                "SKIPPED: no adapter for wgpu; install a Vulkan driver (mesa-vulkan-drivers has one for the CPU)"
            );
            None
        }
    }
}

/// A text, with the symbol, block and parameters of its kernels.
pub(crate) fn source(text: &str, kernels: &[(&str, u32, &str)]) -> Source {
    let kernel = |(symbol, block, params): &(&str, u32, &str)| KernelEntry {
        symbol: (*symbol).into(),
        name: (*symbol).into(),
        signature: format!("Common {symbol}[{block}]({params})"),
        needs: Needs {
            threads: *block,
            shared: 0,
            buffers: params.matches("in u32").count() as u32 + params.matches("inout u32").count() as u32,
            features: Features::NONE,
        },
    };
    let image = Image {
        name: "by_hand".into(),
        declaration: String::new(),
        emitter: "by hand".into(),
        flavour: Flavour::named("wgsl"),
        kernels: kernels.iter().map(kernel).collect(),
    };
    Source::new(image, text.into())
}

/// `out[i] = a[i] + b[i]`, `out[i] = a[i] · b[i]`, `out[i] += k`, and the block of parameters itself.
const TEXT: &str = "
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;
@group(0) @binding(3) var<uniform> binary_params: array<vec4<u32>, 2>;

@compute @workgroup_size(64)
fn add(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) ng: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let p = array<vec4<u32>, 2>(binary_params[0], binary_params[1]);
    let block = wg.x + wg.y * ng.x;
    let i = block * 64u + t;
    if (block >= p[0].x || i >= p[1].x) { return; }
    out[p[0].w + i] = a[p[0].y + i] + b[p[0].z + i];
}

@compute @workgroup_size(64)
fn mul(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) ng: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let p = array<vec4<u32>, 2>(binary_params[0], binary_params[1]);
    let block = wg.x + wg.y * ng.x;
    let i = block * 64u + t;
    if (block >= p[0].x || i >= p[1].x) { return; }
    out[p[0].w + i] = a[p[0].y + i] * b[p[0].z + i];
}

@group(0) @binding(0) var<storage, read_write> cells: array<u32>;
@group(0) @binding(1) var<uniform> cell_params: array<vec4<u32>, 1>;
@group(0) @binding(1) var<uniform> scalar_params: array<vec4<u32>, 2>;

@compute @workgroup_size(32)
fn bump(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) ng: vec3<u32>, @builtin(local_invocation_index) t: u32) {
    let block = wg.x + wg.y * ng.x;
    let i = block * 32u + t;
    if (block >= cell_params[0].x || i >= cell_params[0].z) { return; }
    let at = cell_params[0].y + i;
    cells[at] = cells[at] * 3u + cell_params[0].w;
}

@compute @workgroup_size(1)
fn scalars() {
    for (var i = 0u; i < 8u; i++) {
        cells[scalar_params[0].y + i] = scalar_params[i / 4u][i % 4u];
    }
}

@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>>;
@group(0) @binding(1) var<uniform> count_params: array<vec4<u32>, 1>;

@compute @workgroup_size(1)
fn count(@builtin(workgroup_id) wg: vec3<u32>, @builtin(num_workgroups) ng: vec3<u32>) {
    let block = wg.x + wg.y * ng.x;
    if (block >= count_params[0].x) { return; }
    let at = count_params[0].y;
    atomicAdd(&counts[at], 1u);
    atomicAdd(&counts[at + 1u], block);
    atomicMax(&counts[at + 2u], block);
}
";

/// A device with the kernels above and a stream.
pub(crate) struct Bench {
    pub(crate) device: WgpuDevice,
    pub(crate) module: Module,
    pub(crate) stream: Stream,
}

impl Bench {
    pub(crate) fn new() -> Option<Bench> {
        let device = adapter_or_skip()?;
        let kernels = [
            ("add", 64, "a: in u32, b: in u32, out: inout u32, n: u32"),
            ("mul", 64, "a: in u32, b: in u32, out: inout u32, n: u32"),
            ("bump", 32, "cells: inout u32, n: u32, k: u32"),
            ("scalars", 1, "cells: inout u32, x: u32, y: u64, z: u32, w: u64"),
            ("count", 1, "counts: inout u32"),
        ];
        let module = device.load(&source(TEXT, &kernels)).expect("it is a module");
        let stream = device.stream().expect("streams cost nothing");
        Some(Bench { device, module, stream })
    }

    pub(crate) fn alloc(&self, words: u64) -> Memory {
        self.device.alloc(4 * words).expect("there is room")
    }

    pub(crate) fn write(&self, memory: &Memory, word: u64, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        write_bytes(&self.device, &self.stream, memory, 4 * word, &bytes).expect("it is written");
    }

    pub(crate) fn read(&self, memory: &Memory, word: u64, words: usize) -> Vec<u32> {
        let bytes = read_bytes(&self.device, &self.stream, memory, 4 * word, 4 * words);
        let bytes = bytes.expect("it is read");
        bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
    }

    pub(crate) fn launch(&self, symbol: &str, grid: u32, block: u32, args: &[Arg]) -> Result<()> {
        let launch = Launch { symbol, grid, block, shared: 0, args };
        self.device.launch(&self.stream, &self.module, launch)
    }

    /// `cells[i] = 3·cells[i] + k`.
    pub(crate) fn bump(&self, cells: Arg, n: u32, k: u32) {
        self.launch("bump", n.div_ceil(32), 32, &[cells, Arg::U32(n), Arg::U32(k)]).expect("it is launched");
    }
}

/// Words `start..start + len` of an allocation.
pub(crate) fn words(memory: &Memory, start: u64, len: u64) -> Arg {
    Arg::Buffer(ByteRange { buffer: memory.id(), start: 4 * start, end: 4 * (start + len) })
}
