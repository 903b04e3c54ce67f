//! A GPU with its clock rate, and launches of hand-written or generated PTX.

use anyhow::{Context, Result};
use curvesmith_abi::{Arg, Flavour, Image, KernelEntry, Needs};
use curvesmith_device::{KernelDevice, Launch, Memory, Module, Source, Stream, read_bytes, write_bytes};
use curvesmith_runtime::cuda::Cuda;
use std::time::{Duration, Instant};

/// Launches of which the shortest counts.
const RUNS: u32 = 6;

pub(crate) struct Gpu {
    cuda: Cuda,
    stream: Stream,
    megahertz: f64,
}

impl Gpu {
    /// Measures the clock under load: cycles of a spinning kernel over the time of its launch.
    pub(crate) fn new(cuda: Cuda) -> Result<Gpu> {
        let stream = cuda.stream()?;
        let mut gpu = Gpu { cuda, stream, megahertz: 0.0 };
        let module = gpu.load(CLOCK, "clock")?;
        let out = gpu.alloc(8)?;
        let mut best = 0.0f64;
        for _ in 0..RUNS {
            let args = [Arg::Buffer(out.whole())];
            let time = gpu.time(&module, "clock", gpu.multiprocessors(), 512, &args)?;
            let cycles = u64::from_le_bytes(gpu.read(&out, 8)?.try_into().unwrap_or_default());
            best = best.max(cycles as f64 / time.as_secs_f64() / 1e6);
        }
        gpu.megahertz = best;
        Ok(gpu)
    }

    pub(crate) fn name(&self) -> &str {
        &self.cuda.properties().name
    }

    pub(crate) fn multiprocessors(&self) -> u32 {
        self.cuda.properties().multiprocessors
    }

    pub(crate) fn megahertz(&self) -> f64 {
        self.megahertz
    }

    /// Cycles per warp and scheduler of `operations` on every lane of `warps` warps a scheduler.
    pub(crate) fn cycles(&self, time: Duration, warps: f64, operations: f64) -> f64 {
        time.as_secs_f64() * self.megahertz * 1e6 / (warps * operations)
    }

    pub(crate) fn alloc(&self, bytes: u64) -> Result<Memory> {
        Ok(self.cuda.alloc(bytes)?)
    }

    pub(crate) fn write(&self, memory: &Memory, bytes: &[u8]) -> Result<()> {
        Ok(write_bytes(&self.cuda, &self.stream, memory, 0, bytes)?)
    }

    pub(crate) fn read(&self, memory: &Memory, len: usize) -> Result<Vec<u8>> {
        Ok(read_bytes(&self.cuda, &self.stream, memory, 0, len)?)
    }

    /// Loads a PTX text with one kernel; the driver assembles it.
    pub(crate) fn load(&self, ptx: &str, symbol: &str) -> Result<Module> {
        let image = Image {
            name: "bench".into(),
            // The cache of machine code goes by the text, not by this.
            declaration: String::new(),
            emitter: String::new(),
            flavour: Flavour::PTX,
            kernels: vec![KernelEntry {
                symbol: symbol.into(),
                name: symbol.into(),
                signature: String::new(),
                needs: Needs::default(),
            }],
        };
        self.load_image(&Source::new(image, ptx.into()))
    }

    pub(crate) fn load_image(&self, source: &Source) -> Result<Module> {
        self.cuda.load(source).with_context(|| format!("image {}", source.image().name))
    }

    /// The shortest of some launches, start and end seen from the host.
    pub(crate) fn time(
        &self,
        module: &Module,
        symbol: &str,
        grid: u32,
        block: u32,
        args: &[Arg],
    ) -> Result<Duration> {
        self.time_in_a_row([1, RUNS], module, symbol, grid, block, args)
    }

    /// The mean of `runs` launches one after the other, the shortest of some `times`.
    pub(crate) fn time_in_a_row(
        &self,
        [runs, times]: [u32; 2],
        module: &Module,
        symbol: &str,
        grid: u32,
        block: u32,
        args: &[Arg],
    ) -> Result<Duration> {
        let mut best = Duration::MAX;
        for _ in 0..times {
            let start = Instant::now();
            for _ in 0..runs {
                self.cuda.launch(&self.stream, module, Launch { symbol, grid, block, shared: 0, args })?;
            }
            self.cuda.synchronize(&self.stream)?;
            best = best.min(start.elapsed() / runs);
        }
        Ok(best)
    }
}

/// A thread copies 16 bytes.
pub(crate) const COPY: &str = ".version 7.0
.target sm_75
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to)
{
.reg .u64 f, t; .reg .u32 i, n, k, a, b, c, d;
ld.param.u64 f, [from];
ld.param.u64 t, [to];
mov.u32 i, %ctaid.x; mov.u32 n, %ntid.x; mov.u32 k, %tid.x;
mad.lo.u32 i, i, n, k;
mad.wide.u32 f, i, 16, f;
mad.wide.u32 t, i, 16, t;
ld.global.v4.u32 {a, b, c, d}, [f];
st.global.v4.u32 [t], {a, b, c, d};
ret;
}
";

/// Spins for ten million cycles and writes how many it was.
const CLOCK: &str = ".version 7.0
.target sm_75
.address_size 64
.visible .entry clock(.param .u64 out)
{
.reg .u64 o, a, b; .reg .pred q;
ld.param.u64 o, [out];
mov.u64 a, %clock64;
again: mov.u64 b, %clock64; sub.u64 b, b, a; setp.lt.u64 q, b, 10000000; @q bra again;
st.global.u64 [o], b;
ret;
}
";
