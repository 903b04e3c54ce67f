//! The emulator: settings, memory table, and what executes an operation.

use super::decode::{self, DecodeError};
use super::device::{EmulatorMemory, EmulatorModule};
use super::error::EmulatorError;
use super::inject::{DeviceCall, InjectedFault, Injector, Verdict};
use super::launch::{LaunchRecord, Log};
use super::lock;
use super::memory::{Allocation, FIRST_ADDRESS, GAP};
use super::options::EmulatorOptions;
use super::parse::{self, ParseError};
use super::queue::{Execute, Mark, Operation, Queues, StreamState};
use super::race::RaceState;
use super::staging::with_bytes;
use curvesmith_abi::{Flavour, Geometry};
use curvesmith_device::{DeviceProperties, Module, Result, RuntimeError};
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Compute capability, `major * 10 + minor`.
const COMPUTE: u32 = 75;

/// A device that executes PTX on the CPU. Clones share memory, streams and log.
#[derive(Clone)]
pub struct Emulator {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) options: EmulatorOptions,
    pub(super) properties: DeviceProperties,
    pub(super) injector: Injector,
    table: RwLock<Table>,
    /// Where execution is lazy, locked while an operation is executed; elsewhere only to open and
    /// close streams.
    queues: Mutex<Queues>,
    pub(super) log: Mutex<Log>,
    pub(super) zeroed: RwLock<HashSet<String>>,
    pub(super) pool: Option<rayon::ThreadPool>,
    /// Held for one strong 64-bit access at a time: memory is 32-bit words.
    pub(super) wide: Arc<Mutex<()>>,
}

struct Table {
    allocations: BTreeMap<u64, Arc<Allocation>>,
    next: u64,
    used: u64,
    /// Most that was in use at a time.
    peak: u64,
    /// The allocations as launches see them; rebuilt after a change.
    view: Option<Arc<[Arc<Allocation>]>>,
}

/// Sizes only: memory may hold secrets, and what was freed is kept for its next owner.
impl fmt::Debug for Emulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emulator")
            .field("name", &self.inner.properties.name)
            .field("allocations", &self.allocations())
            .field("bytes", &self.memory_in_use())
            .finish_non_exhaustive()
    }
}

impl Emulator {
    /// A device with no memory in use.
    pub fn new(options: EmulatorOptions) -> Emulator {
        let pool = (options.threads != 1)
            .then(|| rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().ok())
            .flatten();
        let queues = Mutex::new(Queues::new(options.seed, options.racecheck));
        let properties = DeviceProperties {
            name: "emulator".into(),
            multiprocessors: options.multiprocessors,
            compute: COMPUTE,
            memory: options.memory,
            binding: u64::MAX,
            flavour: Flavour::PTX,
            geometry: Geometry::PTX,
            limits: options.limits,
        };
        let table = RwLock::new(Table {
            allocations: BTreeMap::new(),
            next: FIRST_ADDRESS,
            used: 0,
            peak: 0,
            view: None,
        });
        Emulator {
            inner: Arc::new(Inner {
                options,
                properties,
                injector: Injector::default(),
                table,
                queues,
                log: Mutex::default(),
                zeroed: RwLock::default(),
                pool,
                wide: Arc::default(),
            }),
        }
    }

    /// The settings.
    pub fn options(&self) -> &EmulatorOptions {
        &self.inner.options
    }

    /// Loads PTX text.
    pub fn load_ptx(&self, text: &str) -> std::result::Result<Module, EmulatorError> {
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
                .inner
                .allocate(layout.data.len() as u64)
                .map_err(|e| load("module".into(), 1, e.to_string()))?;
            memory.allocation.write(0, &layout.data);
            Some(memory)
        };
        let base = data.as_ref().map_or(0, |m| m.allocation.base);
        let mut program = decode::decode(&module, layout, base).map_err(from_decode)?;
        program.text = text.to_string();
        let owner = self.inner.clone();
        Ok(Module::new(EmulatorModule { program: Arc::new(program), owner, _data: data }))
    }

    /// The launches executed so far, oldest first. Only those that came to their end.
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

    /// Lets the next `passes` calls of kind `call` (`None`: of any kind) pass, and the one after them
    /// fail; 0 for the next one. Replaces what was asked before and has not happened. For tests of the
    /// code above.
    pub fn fail_after(&self, passes: u64, call: Option<DeviceCall>, fault: InjectedFault) {
        self.inner.injector.plan(passes, call, fault);
    }

    /// Takes back what [`Emulator::fail_after`] asked for and has not happened.
    pub fn fail_never(&self) {
        self.inner.injector.cancel();
    }

    /// Whether the fault of [`Emulator::fail_after`] has still to happen.
    pub fn fault_pending(&self) -> bool {
        self.inner.injector.pending()
    }

    /// Bytes of the allocations that are not freed, module variables included. Where execution is
    /// lazy, memory is freed only once the work queued before its drop is done.
    pub fn memory_in_use(&self) -> u64 {
        self.inner.table.read().unwrap_or_else(PoisonError::into_inner).used
    }

    /// Most bytes that were in use at a time, as for [`Emulator::memory_in_use`], since the emulator was made
    /// or since the last call of [`Emulator::forget_peak_memory`].
    pub fn peak_memory(&self) -> u64 {
        self.inner.table.read().unwrap_or_else(PoisonError::into_inner).peak
    }

    /// From now on [`Emulator::peak_memory`] looks at what is in use, and at what will be.
    pub fn forget_peak_memory(&self) {
        let mut table = self.inner.table.write().unwrap_or_else(PoisonError::into_inner);
        table.peak = table.used;
    }

    /// Allocations that are not freed, as for [`Emulator::memory_in_use`].
    pub fn allocations(&self) -> usize {
        self.inner.table.read().unwrap_or_else(PoisonError::into_inner).allocations.len()
    }
}

impl Inner {
    /// Whether operations wait until the host does.
    pub(super) fn lazy(&self) -> bool {
        self.options.seed != 0 || self.options.racecheck
    }

    /// Counts a call for [`Emulator::fail_after`]: the error that its work is to fail with, if any.
    pub(super) fn count(&self, call: DeviceCall, bytes: u64) -> Result<Option<RuntimeError>> {
        match self.injector.count(call, bytes)? {
            Verdict::Pass => Ok(None),
            Verdict::Fail(error) => Ok(Some(error)),
            Verdict::Lose(error) => {
                lock(&self.queues).abandon(&error, self);
                Err(error)
            }
        }
    }

    /// Counts a call that belongs to no stream.
    pub(super) fn count_now(&self, call: DeviceCall, bytes: u64) -> Result<()> {
        self.count(call, bytes)?.map_or(Ok(()), Err)
    }

    pub(super) fn open_stream(&self) -> Arc<StreamState> {
        lock(&self.queues).open()
    }

    pub(super) fn close_stream(&self, stream: &StreamState) {
        lock(&self.queues).close(stream.slot, self);
    }

    /// Executes an operation now, or queues it.
    pub(super) fn submit(&self, stream: &StreamState, operation: Operation, mark: Option<Arc<Mark>>) {
        if self.lazy() {
            return lock(&self.queues).push(stream.slot, operation, mark);
        }
        let mut failure = lock(&stream.failure);
        if failure.is_none() {
            *failure = self.execute(operation, None).err();
        }
        if let Some(mark) = mark {
            mark.pass(Vec::new(), failure.clone());
        }
    }

    /// Runs the work of `stream` to its end; its first error.
    pub(super) fn finish(&self, stream: &StreamState) -> Result<()> {
        if self.lazy() {
            lock(&self.queues).drain(stream.slot, self);
        }
        lock(&stream.failure).clone().map_or(Ok(()), Err)
    }

    /// Runs work until a mark is passed.
    pub(super) fn wait_for(&self, mark: &Mark) {
        if self.lazy() {
            lock(&self.queues).drain_to(mark, self);
        }
    }

    pub(super) fn allocate(self: &Arc<Self>, bytes: u64) -> Result<EmulatorMemory> {
        let allocation = match self.reserve(bytes) {
            Err(RuntimeError::OutOfMemory { .. }) if self.lazy() => {
                // Memory that only waits for queued work can be had by doing that work.
                lock(&self.queues).drain_all(&**self);
                self.reserve(bytes)?
            }
            other => other?,
        };
        Ok(EmulatorMemory { allocation, owner: self.clone() })
    }

    fn reserve(&self, bytes: u64) -> Result<Arc<Allocation>> {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if bytes > self.options.memory - table.used.min(self.options.memory)
            || usize::try_from(bytes).is_err()
        {
            return Err(RuntimeError::OutOfMemory { requested: bytes });
        }
        let base = table.next;
        let allocation = Arc::new(Allocation::new(base, bytes));
        table.next = base + bytes.next_multiple_of(GAP) + GAP;
        table.used += bytes;
        table.peak = table.peak.max(table.used);
        table.allocations.insert(base, allocation.clone());
        table.view = None;
        Ok(allocation)
    }

    /// Frees an allocation once the work queued so far is done.
    pub(super) fn free(&self, allocation: &Arc<Allocation>) {
        if !self.lazy() || !lock(&self.queues).free_later(allocation) {
            self.release(allocation);
        }
    }

    /// The allocations that are not freed, by address.
    pub(super) fn view(&self) -> Arc<[Arc<Allocation>]> {
        if let Some(v) = &self.table.read().unwrap_or_else(PoisonError::into_inner).view {
            return v.clone();
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let view: Arc<[Arc<Allocation>]> = table.allocations.values().cloned().collect();
        table.view = Some(view.clone());
        view
    }

    /// A copy or fill may not reach beyond what the last reuse left.
    fn check_live(&self, call: &'static str, allocation: &Allocation, offset: u64, bytes: u64) -> Result<()> {
        let live = allocation.live();
        if self.options.memcheck && live.checked_sub(bytes).is_none_or(|last| offset > last) {
            let reason = format!(
                "out of bounds: {bytes} bytes at {offset} of an allocation of which {live} bytes are in use"
            );
            return Err(RuntimeError::Device { call, reason });
        }
        Ok(())
    }
}

impl Execute for Inner {
    fn execute(&self, operation: Operation, race: Option<&mut RaceState>) -> Result<()> {
        self.injector.alive()?;
        match operation {
            Operation::Upload { allocation, offset, data, len } => {
                self.check_live("upload", &allocation, offset, len as u64)?;
                if let Some(race) = race {
                    race.host("upload", true, allocation.base + offset, len as u64)?;
                }
                with_bytes(&data, len, |bytes| allocation.write(offset, bytes));
            }
            Operation::Download { allocation, offset, data, len } => {
                self.check_live("download", &allocation, offset, len as u64)?;
                if let Some(race) = race {
                    race.host("download", false, allocation.base + offset, len as u64)?;
                }
                with_bytes(&data, len, |bytes| allocation.read(offset, bytes));
            }
            Operation::Fill { allocation, offset, len, byte } => {
                self.check_live("fill", &allocation, offset, len)?;
                if let Some(race) = race {
                    race.host("fill", true, allocation.base + offset, len)?;
                }
                let chunk = [byte; 4096];
                let mut at = offset;
                while at < offset + len {
                    let n = (offset + len - at).min(chunk.len() as u64);
                    allocation.write(at, &chunk[..n as usize]);
                    at += n;
                }
            }
            Operation::Reuse { allocation, bytes } => {
                if let Some(race) = race {
                    let capacity = allocation.capacity;
                    race.host("reuse", true, allocation.base, capacity)?;
                    race.forget(allocation.base, capacity);
                }
                allocation.reuse(bytes);
            }
            Operation::Launch(p) => self.launch(p, race)?,
            Operation::Fail(error) => return Err(error),
            Operation::Record | Operation::Wait(_) => {}
        }
        Ok(())
    }

    fn release(&self, allocation: &Allocation) {
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if table.allocations.remove(&allocation.base).is_some() {
            table.used -= allocation.capacity;
            table.view = None;
        }
    }
}
