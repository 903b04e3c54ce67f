//! The emulator as a [`KernelDevice`].
//!
//! Without a seed an operation is executed when it is submitted. With a seed, or with the race check,
//! streams are queues that run when the host waits, in an order drawn from the seed that respects
//! stream order and events.

use super::counts::OpCounts;
use super::decode::{self, DecodeError};
use super::error::EmulatorError;
use super::memory::{Allocation, Checks, FIRST_ADDRESS, GAP, GlobalView};
use super::options::EmulatorOptions;
use super::parse::{self, ParseError};
use super::program::Program;
use super::queue::{Operation, Queues};
use super::schedule::{self, Plan, Random};
use super::warp::LaunchContext;
use crate::device::{DeviceProperties, KernelDevice, Launch};
use crate::error::{Result, RuntimeError};
use curvesmith_abi::{Arg, Image};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// Most bytes of PTX text in one image; the largest kernels have a hundredth of it.
const TEXT_LIMIT: u64 = 1 << 28;
/// Compute capability, `major * 10 + minor`.
const COMPUTE: u32 = 75;
/// Most launches remembered.
const LOG_LIMIT: usize = 1 << 20;
/// Most shared memory a block can have on compute capability 7.5.
const SHARED_LIMIT: u64 = 64 << 10;

/// One executed launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRecord {
    /// Entry point.
    pub symbol: String,
    /// Blocks.
    pub grid: u32,
    /// Threads a block.
    pub block: u32,
    /// What was executed.
    pub counts: OpCounts,
}

/// A device that executes PTX on the CPU. Clones share memory, streams and log.
#[derive(Clone, Debug)]
pub struct Emulator {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: EmulatorOptions,
    table: RwLock<Table>,
    queues: Mutex<Queues>,
    log: Mutex<Log>,
    zeroed: RwLock<HashSet<String>>,
    pool: Option<rayon::ThreadPool>,
    /// Held by kernels whose blocks communicate: their 64-bit atomics are two words.
    communicating: Mutex<()>,
}

#[derive(Debug, Default)]
struct Log {
    records: Vec<LaunchRecord>,
    launched: u64,
}

#[derive(Debug)]
struct Table {
    allocations: BTreeMap<u64, Arc<Allocation>>,
    next: u64,
    used: u64,
    /// The allocations as launches see them; rebuilt after a change.
    view: Option<Arc<[Arc<Allocation>]>>,
}

/// An allocation on an [`Emulator`]; freed on drop.
#[derive(Debug)]
pub struct EmulatorMemory {
    allocation: Arc<Allocation>,
    owner: Arc<Inner>,
}

/// A loaded module.
#[derive(Clone, Debug)]
pub struct EmulatorModule {
    program: Arc<Program>,
    /// Keeps the module's variables.
    _data: Option<Arc<EmulatorMemory>>,
}

/// A stream of an [`Emulator`].
#[derive(Debug)]
pub struct EmulatorStream {
    id: usize,
    /// One operation of a stream at a time, and the first error.
    turn: Mutex<Option<RuntimeError>>,
}

/// A point in a stream of an [`Emulator`].
#[derive(Clone, Copy, Debug)]
pub struct EmulatorEvent {
    stream: usize,
    position: u64,
}

/// A launch whose arguments have been checked.
#[derive(Debug)]
pub(super) struct Prepared {
    program: Arc<Program>,
    kernel: usize,
    grid: u32,
    block: u32,
    shared: u32,
    params: Vec<u8>,
}

/// A panic while a lock was held left plain data behind, which stays usable.
fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Emulator {
    /// A device with no memory in use.
    pub fn new(options: EmulatorOptions) -> Emulator {
        let pool = (options.threads != 1)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().ok())
            .flatten();
        let queues = Mutex::new(Queues::new(options.seed, options.racecheck));
        Emulator {
            inner: Arc::new(Inner {
                options,
                table: RwLock::new(Table {
                    allocations: BTreeMap::new(),
                    next: FIRST_ADDRESS,
                    used: 0,
                    view: None,
                }),
                queues,
                log: Mutex::default(),
                zeroed: RwLock::default(),
                pool,
                communicating: Mutex::new(()),
            }),
        }
    }

    /// The settings.
    pub fn options(&self) -> &EmulatorOptions {
        &self.inner.options
    }

    /// Loads PTX text.
    pub fn load_ptx(&self, text: &str) -> std::result::Result<EmulatorModule, EmulatorError> {
        let line_text =
            |n: u32| text.lines().nth(n.saturating_sub(1) as usize).unwrap_or("").trim().to_string();
        let load = |kernel: String, line: u32, reason: String| EmulatorError::Load {
            kernel,
            line,
            text: line_text(line),
            reason,
        };
        let module = parse::parse(text)
            .map_err(|ParseError { function, line, reason }| load(function, line, reason))?;
        let from_decode = |DecodeError { function, line, reason }| load(function, line, reason);
        let layout = decode::layout(&module).map_err(from_decode)?;
        let data = if layout.data.is_empty() {
            None
        } else {
            let memory = self
                .allocate(layout.data.len() as u64)
                .map_err(|e| load("module".into(), 1, e.to_string()))?;
            memory.allocation.write(0, &layout.data);
            Some(Arc::new(memory))
        };
        let base = data.as_ref().map_or(0, |m| m.allocation.base);
        let mut program = decode::decode(&module, layout, base).map_err(from_decode)?;
        program.text = text.to_string();
        Ok(EmulatorModule { program: Arc::new(program), _data: data })
    }

    /// The launches executed so far, oldest first.
    pub fn launches(&self) -> Vec<LaunchRecord> {
        lock(&self.inner.log).records.clone()
    }

    /// Forgets the launches executed so far.
    pub fn clear_launches(&self) {
        lock(&self.inner.log).records.clear();
    }

    /// From now on every store of kernel `symbol` to device memory writes zeros. For tests, which
    /// must then fail.
    pub fn replace_with_zeros(&self, symbol: &str) {
        self.inner.zeroed.write().unwrap_or_else(PoisonError::into_inner).insert(symbol.to_string());
    }

    fn allocate(&self, bytes: u64) -> Result<EmulatorMemory> {
        let allocation = self.inner.reserve(bytes)?;
        Ok(EmulatorMemory { allocation, owner: self.inner.clone() })
    }

    fn lazy(&self) -> bool {
        self.inner.options.seed != 0 || self.inner.options.racecheck
    }

    /// Executes an operation now, or queues it.
    fn submit(&self, stream: &EmulatorStream, operation: Operation) -> Result<()> {
        if self.lazy() {
            lock(&self.inner.queues).push(stream.id, operation);
            return Ok(());
        }
        let mut turn = lock(&stream.turn);
        if turn.is_none() {
            *turn = self.inner.execute(operation, None).err();
        }
        Ok(())
    }

    /// Runs the queue of `stream` to its end and reports its first error.
    fn finish(&self, stream: &EmulatorStream) -> Result<()> {
        if self.lazy() {
            let mut queues = lock(&self.inner.queues);
            let inner = &self.inner;
            queues.drain(stream.id, |operation, race| inner.execute(operation, race));
            return queues.take_error(stream.id).map_or(Ok(()), Err);
        }
        lock(&stream.turn).take().map_or(Ok(()), Err)
    }

    fn range(memory: &EmulatorMemory, offset: u64, len: u64, call: &'static str) -> Result<()> {
        let total = memory.allocation.len;
        if offset > total || total - offset < len {
            let reason = format!("{len} bytes at {offset} of an allocation of {total}");
            return Err(RuntimeError::Device { call, reason });
        }
        Ok(())
    }

    fn prepare(&self, module: &EmulatorModule, launch: &Launch<'_>) -> Result<Prepared> {
        let refuse =
            |reason: String| launch_error(launch.symbol, launch.grid, launch.block, "launch", reason);
        let program = &module.program;
        let Some(kernel) = program.functions.iter().position(|f| f.entry && f.name == launch.symbol) else {
            return Err(refuse("no such kernel in the module".into()));
        };
        let f = &program.functions[kernel];
        if launch.grid == 0 || launch.block == 0 || launch.block > 1024 {
            return Err(refuse("a launch needs at least 1 block of 1 to 1024 threads".into()));
        }
        if let Some(n) = f.max_threads.filter(|&n| u64::from(launch.block) > n) {
            return Err(refuse(format!("the kernel allows at most {n} threads a block")));
        }
        if let Some(n) = f.exact_threads.filter(|&n| u64::from(launch.block) != n) {
            return Err(refuse(format!("the kernel requires {n} threads a block")));
        }
        let shared = f.static_shared + u64::from(launch.shared);
        if shared > SHARED_LIMIT {
            return Err(refuse(format!("{shared} bytes of shared memory, at most {SHARED_LIMIT}")));
        }
        if launch.args.len() != f.params.len() {
            return Err(refuse(format!("{} arguments for {} parameters", launch.args.len(), f.params.len())));
        }
        let mut params = vec![0; f.param_bytes as usize];
        for (i, (arg, &(offset, bytes))) in launch.args.iter().zip(&f.params).enumerate() {
            let (value, given) = match arg {
                Arg::U32(v) => (u64::from(*v), 4),
                Arg::U64(v) => (*v, 8),
            };
            if given != bytes {
                return Err(refuse(format!("argument {i} has {given} bytes, its parameter {bytes}")));
            }
            let at = offset as usize;
            params[at..at + given as usize].copy_from_slice(&value.to_le_bytes()[..given as usize]);
        }
        Ok(Prepared {
            program: program.clone(),
            kernel,
            grid: launch.grid,
            block: launch.block,
            shared: launch.shared,
            params,
        })
    }
}

fn launch_error(symbol: &str, grid: u32, block: u32, call: &'static str, reason: String) -> RuntimeError {
    RuntimeError::Launch { symbol: symbol.into(), grid, block, call, reason }
}

impl Inner {
    fn reserve(&self, bytes: u64) -> Result<Arc<Allocation>> {
        let out_of_memory = RuntimeError::OutOfMemory { requested: bytes };
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if bytes > self.options.memory - table.used.min(self.options.memory)
            || usize::try_from(bytes).is_err()
        {
            return Err(out_of_memory);
        }
        let base = table.next;
        let allocation = Arc::new(Allocation::new(base, bytes));
        table.next = base + bytes.next_multiple_of(GAP) + GAP;
        table.used += bytes;
        table.allocations.insert(base, allocation.clone());
        table.view = None;
        Ok(allocation)
    }

    pub(super) fn release(&self, allocation: &Allocation) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if table.allocations.remove(&allocation.base).is_some() {
            table.used -= allocation.len;
            table.view = None;
        }
    }

    fn view(&self) -> Arc<[Arc<Allocation>]> {
        if let Some(v) = &self.table.read().unwrap_or_else(PoisonError::into_inner).view {
            return v.clone();
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let view: Arc<[Arc<Allocation>]> = table.allocations.values().cloned().collect();
        table.view = Some(view.clone());
        view
    }

    fn execute(&self, operation: Operation, race: Option<&mut super::race::RaceState>) -> Result<()> {
        match operation {
            Operation::Write { allocation, offset, data } => {
                if let Some(race) = race {
                    race.host_write(allocation.base + offset, data.len() as u64)?;
                }
                allocation.write(offset, &data);
            }
            Operation::Fill { allocation, offset, len, byte } => {
                if let Some(race) = race {
                    race.host_write(allocation.base + offset, len)?;
                }
                let chunk = [byte; 4096];
                let mut at = offset;
                while at < offset + len {
                    let n = (offset + len - at).min(chunk.len() as u64);
                    allocation.write(at, &chunk[..n as usize]);
                    at += n;
                }
            }
            Operation::Launch(p) => self.launch(p, race)?,
            Operation::Record | Operation::Wait { .. } => {}
            Operation::Free(allocation) => self.release(&allocation),
        }
        Ok(())
    }

    fn launch(&self, p: Prepared, race: Option<&mut super::race::RaceState>) -> Result<()> {
        let function = &p.program.functions[p.kernel];
        let symbol = function.name.clone();
        let o = &self.options;
        let zero_stores = self.zeroed.read().unwrap_or_else(PoisonError::into_inner).contains(&symbol);
        let ctx = LaunchContext {
            program: &p.program,
            kernel: p.kernel,
            grid: p.grid,
            block: p.block,
            dynamic_shared: p.shared,
            params: p.params,
            global: GlobalView {
                allocations: self.view(),
                checks: Checks { memory: o.memcheck, init: o.initcheck },
            },
            multiprocessors: o.multiprocessors,
            step_limit: o.step_limit,
            sync_check: o.synccheck,
            zero_stores,
        };
        let _alone = function.communicates.then(|| lock(&self.communicating));
        let number = {
            let mut log = lock(&self.log);
            log.launched += 1;
            log.launched
        };
        let random = (o.seed != 0).then(|| Random::new(o.seed ^ number.wrapping_mul(0xd134_2543_de82_ef95)));
        let plan = Plan { resident: o.resident_blocks.max(1), random, pool: self.pool.as_ref() };
        let counts = schedule::run(&ctx, plan, race)
            .map_err(|e| launch_error(&symbol, p.grid, p.block, "emulator", e.to_string()))?;
        let mut log = lock(&self.log);
        if log.records.len() < LOG_LIMIT {
            log.records.push(LaunchRecord { symbol, grid: p.grid, block: p.block, counts });
        }
        Ok(())
    }
}

impl Drop for EmulatorMemory {
    fn drop(&mut self) {
        let lazy = self.owner.options.seed != 0 || self.owner.options.racecheck;
        if !lazy || !lock(&self.owner.queues).free_later(&self.allocation) {
            self.owner.release(&self.allocation);
        }
    }
}

impl KernelDevice for Emulator {
    type Memory = EmulatorMemory;
    type Module = EmulatorModule;
    type Stream = EmulatorStream;
    type Event = EmulatorEvent;

    fn properties(&self) -> DeviceProperties {
        DeviceProperties {
            name: "emulator".into(),
            multiprocessors: self.inner.options.multiprocessors,
            compute: COMPUTE,
            memory: self.inner.options.memory,
        }
    }

    fn load(&self, image: &Image) -> Result<EmulatorModule> {
        let refuse = |reason: String| RuntimeError::Image { image: image.name.clone(), reason };
        if image.min_compute > COMPUTE {
            return Err(refuse(format!(
                "needs compute capability {}, the emulator has {COMPUTE}",
                image.min_compute
            )));
        }
        if image.ptx_len > TEXT_LIMIT {
            return Err(refuse(format!("{} bytes of PTX, at most {TEXT_LIMIT}", image.ptx_len)));
        }
        let text = zstd::bulk::decompress(&image.ptx_zstd, image.ptx_len as usize)
            .map_err(|e| refuse(format!("PTX does not decompress: {e}")))?;
        if text.len() as u64 != image.ptx_len {
            return Err(refuse(format!("PTX has {} bytes, expected {}", text.len(), image.ptx_len)));
        }
        let text = String::from_utf8(text).map_err(|_| refuse("PTX is not UTF-8".into()))?;
        self.load_ptx(&text).map_err(|e| refuse(e.to_string()))
    }

    fn alloc(&self, bytes: u64) -> Result<EmulatorMemory> {
        match self.allocate(bytes.max(1)) {
            Err(RuntimeError::OutOfMemory { .. }) if self.lazy() => {
                // Memory that only waits for queued work can be had by doing that work.
                let inner = &self.inner;
                lock(&inner.queues).drain_all(|operation, race| inner.execute(operation, race));
                self.allocate(bytes.max(1))
            }
            other => other,
        }
    }

    fn address(&self, memory: &EmulatorMemory) -> u64 {
        memory.allocation.base
    }

    fn stream(&self) -> Result<EmulatorStream> {
        Ok(EmulatorStream { id: lock(&self.inner.queues).open(), turn: Mutex::new(None) })
    }

    fn upload(&self, stream: &EmulatorStream, dst: &EmulatorMemory, offset: u64, src: &[u8]) -> Result<()> {
        Self::range(dst, offset, src.len() as u64, "upload")?;
        if !self.lazy() {
            // Eagerly there is no need to own the bytes.
            let turn = lock(&stream.turn);
            if turn.is_none() {
                dst.allocation.write(offset, src);
            }
            return Ok(());
        }
        let data = src.to_vec();
        self.submit(stream, Operation::Write { allocation: dst.allocation.clone(), offset, data })
    }

    fn download(
        &self,
        stream: &EmulatorStream,
        src: &EmulatorMemory,
        offset: u64,
        dst: &mut [u8],
    ) -> Result<()> {
        Self::range(src, offset, dst.len() as u64, "download")?;
        self.finish(stream)?;
        if self.inner.options.racecheck {
            lock(&self.inner.queues).host_read(src.allocation.base + offset, dst.len() as u64)?;
        }
        src.allocation.read(offset, dst);
        Ok(())
    }

    fn fill(
        &self,
        stream: &EmulatorStream,
        dst: &EmulatorMemory,
        offset: u64,
        len: u64,
        byte: u8,
    ) -> Result<()> {
        Self::range(dst, offset, len, "fill")?;
        self.submit(stream, Operation::Fill { allocation: dst.allocation.clone(), offset, len, byte })
    }

    fn launch(&self, stream: &EmulatorStream, module: &EmulatorModule, launch: Launch<'_>) -> Result<()> {
        let prepared = self.prepare(module, &launch)?;
        self.submit(stream, Operation::Launch(prepared))
    }

    fn record(&self, stream: &EmulatorStream) -> Result<EmulatorEvent> {
        let mut queues = lock(&self.inner.queues);
        let position =
            if self.lazy() { queues.push(stream.id, Operation::Record) } else { queues.end(stream.id) };
        Ok(EmulatorEvent { stream: stream.id, position })
    }

    fn wait(&self, stream: &EmulatorStream, event: &EmulatorEvent) -> Result<()> {
        if self.lazy() {
            let wait = Operation::Wait { stream: event.stream, position: event.position };
            lock(&self.inner.queues).push(stream.id, wait);
        }
        Ok(())
    }

    fn synchronize(&self, stream: &EmulatorStream) -> Result<()> {
        self.finish(stream)
    }
}
