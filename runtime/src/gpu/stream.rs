//! The work of one call, in order.

use super::buffer::Buffer;
use super::launch::Entry;
use super::pool::{Arena, Block, rounded};
use super::record::Account;
use super::ring::Ring;
use super::{Gpu, Lane};
use crate::error::{Result, RuntimeError};
use crate::job::Cancel;
use crate::owner::Owner;
use crate::platform::Instant;
use crate::vocabulary::{Detail, Kind, Report};
use curvesmith_abi::{Geometry, Kernel, KernelDesc, Layout, layout};
use curvesmith_device::{self as device, KernelDevice, Launch};
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Work of one call on one stream of the device, with the memory it uses.
///
/// Operations are submitted in order and done later. [`Stream::finish`] waits for them and says whether all
/// went well; a stream that is dropped waits as well. Memory that is dropped meanwhile is re-used in the
/// stream's order. Independent parts of a call run on [forks](Stream::fork).
pub struct Stream {
    pub(super) gpu: Gpu,
    pub(super) lane: Option<Lane>,
    pub(super) arena: Arc<Arena>,
    pub(super) ring: Mutex<Ring>,
    pub(super) account: Arc<Account>,
    /// Forks that this stream waits for.
    joined: Mutex<Vec<Joined>>,
    /// What the work uses and others could drop.
    held: Mutex<Vec<Arc<dyn Any + Send + Sync>>>,
    cancel: Cancel,
    /// Whether memory that the call gave up is zeroed when it ends.
    wipes: AtomicBool,
}

/// What is left of a fork: it is waited for together with the stream that joined it.
struct Joined {
    lane: Lane,
    ring: Ring,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream[{}]", self.lane.as_ref().map_or(0, |lane| lane.number))
    }
}

impl Stream {
    pub(super) fn start(gpu: Gpu, detail: Detail, cancel: Cancel) -> Result<Stream> {
        let lane = gpu.lane(false)?;
        let account = Arc::new(Account::new(gpu.device(), &lane.raw, detail)?);
        Ok(Stream::on(gpu, lane, account, cancel))
    }

    fn on(gpu: Gpu, lane: Lane, account: Arc<Account>, cancel: Cancel) -> Stream {
        let arena = Arena::new(Arc::clone(&gpu.shared.pool));
        Stream {
            gpu,
            lane: Some(lane),
            arena,
            ring: Mutex::default(),
            account,
            joined: Mutex::default(),
            held: Mutex::default(),
            cancel,
            wipes: AtomicBool::new(false),
        }
    }

    /// The device that the work is for.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// A stream whose work is ordered after what this one has now, and not after what follows.
    /// Memory of this stream that it uses must live until [`Stream::join`].
    pub fn fork(&self) -> Result<Stream> {
        self.fork_on(self.gpu.lane(false)?)
    }

    /// As [`Stream::fork`], on a [stream that goes first](KernelDevice::urgent_stream).
    pub fn fork_urgent(&self) -> Result<Stream> {
        self.fork_on(self.gpu.lane(true)?)
    }

    fn fork_on(&self, lane: Lane) -> Result<Stream> {
        let event = self.device().record(self.raw(), false)?;
        self.device().wait(&lane.raw, &event)?;
        let fork = Stream::on(self.gpu.clone(), lane, Arc::clone(&self.account), self.cancel.clone());
        fork.wipes.store(self.wipes.load(Ordering::Relaxed), Ordering::Relaxed);
        Ok(fork)
    }

    /// Orders later work of this stream after all work of `fork`, whose memory follows.
    pub fn join(&self, mut fork: Stream) -> Result<()> {
        let event = self.device().record(fork.raw(), false)?;
        self.device().wait(self.raw(), &event)?;
        fork.arena.join(&self.arena);
        self.held().append(&mut fork.held());
        let mut joined = self.joined();
        joined.append(&mut fork.joined());
        if let Some(lane) = fork.lane.take() {
            joined.push(Joined { lane, ring: std::mem::take(&mut *fork.ring()) });
        }
        Ok(())
    }

    /// Orders later work of this stream after what `other`, of the same call, has now. Memory stays in the
    /// order of its own stream.
    pub fn after(&self, other: &Stream) -> Result<()> {
        let event = self.device().record(other.raw(), false)?;
        self.device().wait(self.raw(), &event)
    }

    /// Has the memory that the call gives up zeroed when it ends, before anyone else gets it; that of forks
    /// made from now on too. Memory of a call that fails goes back to the device.
    pub fn wipe_at_end(&self) {
        self.wipes.store(true, Ordering::Relaxed);
    }

    /// Waits for all work; the failure of it, or else of a joined fork.
    pub fn finish(mut self) -> Result<Report> {
        self.settle()?;
        self.account.report(self.device())
    }

    /// Waits for all work submitted so far, and goes on.
    pub fn synchronize(&self) -> Result<()> {
        // Forks read what this stream wrote before them: its failure is told first, and theirs may follow
        // from it.
        self.device().synchronize(self.raw())?;
        self.joined().iter().try_for_each(|joined| self.device().synchronize(&joined.lane.raw))
    }

    /// `len` words, contents undefined.
    pub fn words(&self, len: usize) -> Result<Buffer<layout::U32>> {
        self.alloc(len, 4)
    }

    /// `len` elements of the owner's field or points of its group, contents undefined.
    pub fn elements<L: Layout>(&self, owner: &Owner, len: usize) -> Result<Buffer<L>> {
        self.alloc(len, owner.bytes(L::ELEMENT))
    }

    fn alloc<L: Layout>(&self, len: usize, element_bytes: usize) -> Result<Buffer<L>> {
        let bytes = (len as u64).checked_mul(element_bytes as u64);
        let bytes = bytes.ok_or(RuntimeError::OutOfMemory { requested: u64::MAX })?;
        // An empty buffer still has an address: kernels are not launched on it, but may
        // take it as an operand that no thread reads.
        Ok(Buffer::new(self.block(bytes.max(1))?, len, element_bytes))
    }

    fn block(&self, bytes: u64) -> Result<Block> {
        let size = rounded(bytes);
        let pool = &self.gpu.shared.pool;
        let memory = match self.arena.take(size).or_else(|| pool.take(size)) {
            Some(memory) => memory,
            None => match self.device().alloc(size) {
                Err(RuntimeError::OutOfMemory { .. }) => self.alloc_after_all(size, bytes)?,
                other => other?,
            },
        };
        let block = Block::new(memory, &self.arena);
        self.device().reuse(self.raw(), block.memory(), bytes)?;
        Ok(block)
    }

    /// Unused memory of other sizes may be what is in the way: all that can be had without waiting for
    /// other calls goes back to the device.
    fn alloc_after_all(&self, size: u64, bytes: u64) -> Result<device::Memory> {
        self.device().synchronize(self.raw())?;
        if self.wipes.load(Ordering::Relaxed) {
            self.wipe(self.raw())?;
        }
        self.arena.clear();
        self.gpu.shared.pool.clear();
        self.device().alloc(size).map_err(|error| match error {
            RuntimeError::OutOfMemory { .. } => RuntimeError::OutOfMemory { requested: bytes },
            other => other,
        })
    }

    /// Keeps a shared value alive until the work submitted so far is done.
    pub(crate) fn hold(&self, value: Arc<dyn Any + Send + Sync>) {
        self.held().push(value);
    }

    fn held(&self) -> MutexGuard<'_, Vec<Arc<dyn Any + Send + Sync>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work of this stream is about to use a buffer: an error unless it is on the same device. Memory that
    /// does not follow this stream's order is kept until the work is done, whoever drops it meanwhile.
    pub fn uses<L: Layout>(&self, what: &'static str, buffer: &Buffer<L>) -> Result<()> {
        if !buffer.block.is_of(&self.gpu.shared.pool) {
            return Err(RuntimeError::OtherDevice { what });
        }
        if !buffer.block.follows(&self.arena) {
            self.hold(Arc::clone(&buffer.block) as Arc<dyn Any + Send + Sync>);
        }
        Ok(())
    }

    /// The sizes of blocks of the device's kernels.
    pub fn geometry(&self) -> &Geometry {
        &self.gpu.properties().geometry
    }

    /// Threads of a block of a kernel.
    pub fn block_threads<K: Kernel>(&self, owner: &Owner) -> u32 {
        owner.contract::<K>(self.geometry()).block
    }

    /// Launches at least `threads` threads; nothing for zero.
    pub fn launch<K: Kernel>(&self, owner: &Owner, threads: usize, kernel: &K) -> Result<()> {
        let blocks = (threads as u64).div_ceil(u64::from(self.block_threads::<K>(owner)));
        self.launch_blocks(owner, blocks, kernel)
    }

    /// Launches `blocks` blocks; nothing for zero.
    pub fn launch_blocks<K: Kernel>(&self, owner: &Owner, blocks: u64, kernel: &K) -> Result<()> {
        if blocks == 0 {
            return Ok(());
        }
        let desc = owner.contract::<K>(self.geometry());
        self.launch_entry(&*self.entry(owner, &desc)?, &desc, blocks, &kernel.args())
    }

    /// Blocks of the kernel that the whole device holds at once.
    pub fn resident_blocks<K: Kernel>(&self, owner: &Owner) -> Result<u32> {
        let desc = owner.contract::<K>(self.geometry());
        let blocks = self.entry(owner, &desc)?.resident_blocks(self.device(), desc.block)?;
        Ok(blocks.saturating_mul(self.gpu.properties().multiprocessors))
    }

    fn entry(&self, owner: &Owner, desc: &KernelDesc) -> Result<Arc<Entry>> {
        self.gpu.shared.modules.entry(self.gpu.properties(), owner, desc)
    }

    fn launch_entry(
        &self,
        entry: &Entry,
        desc: &KernelDesc,
        blocks: u64,
        args: &[curvesmith_abi::Arg],
    ) -> Result<()> {
        self.cancel.check()?;
        // The grid's x dimension is limited to 2^31 - 1 blocks by CUDA.
        let grid = u32::try_from(blocks).ok().filter(|&b| b < 1 << 31).ok_or(RuntimeError::TooLarge {
            what: "number of blocks of a launch",
            found: blocks,
            limit: (1 << 31) - 1,
        })?;
        let symbol = entry.symbol();
        if let Some(overlap) = desc.overlap(args) {
            return Err(RuntimeError::Overlap { symbol: symbol.into(), overlap });
        }
        let module = entry.module(self.device())?;
        self.account.count_launch();
        self.spanned(
            Kind::Kernel,
            || Cow::Owned(symbol.to_owned()),
            || {
                let launch = Launch { symbol, grid, block: desc.block, shared: 0, args };
                self.device().launch(self.raw(), &module, launch)
            },
        )?;
        if self.gpu.shared.synchronous {
            let named = |error| match error {
                RuntimeError::Device { call, reason } | RuntimeError::DeviceLost { call, reason } => {
                    RuntimeError::Launch { symbol: symbol.into(), grid, block: desc.block, call, reason }
                }
                other => other,
            };
            self.device().synchronize(self.raw()).map_err(named)?;
        }
        Ok(())
    }

    /// Zeroes a range of the elements of a buffer.
    pub fn zero<L: Layout>(&self, buffer: &Buffer<L>, range: Range<usize>) -> Result<()> {
        let bytes = |n: usize| (n * buffer.element_bytes()) as u64;
        if range.is_empty() {
            return Ok(());
        }
        self.device().fill(self.raw(), buffer.memory(), bytes(range.start), bytes(range.len()), 0)
    }

    /// Runs `work`, which submits a part of the call, and notes when the host and the device were at it.
    pub fn stage<T>(&self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = self.spanned(Kind::Stage, || Cow::Borrowed(name), work);
        self.account.host_span(name, start);
        result
    }

    /// A part of the call that the host does by itself.
    pub fn host_stage<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.account.host_span(name, start);
        result
    }

    pub(super) fn spanned<T>(
        &self,
        kind: Kind,
        name: impl FnOnce() -> Cow<'static, str>,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let Some(recorder) = self.account.recorder(kind) else { return work() };
        let begin = self.device().record(self.raw(), true)?;
        let result = work()?;
        let end = self.device().record(self.raw(), true)?;
        let number = self.lane.as_ref().map_or(0, |lane| lane.number);
        recorder.add(kind, name(), number, begin, end);
        Ok(result)
    }

    pub(crate) fn check_cancelled(&self) -> Result<()> {
        self.cancel.check()
    }

    pub(super) fn device(&self) -> &dyn KernelDevice {
        self.gpu.device()
    }

    pub(super) fn raw(&self) -> &device::Stream {
        &self.lane.as_ref().expect("only join and drop take it").raw
    }

    pub(super) fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn joined(&self) -> MutexGuard<'_, Vec<Joined>> {
        self.joined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits, and hands everything on to later calls. A stream that failed is not used again.
    fn settle(&mut self) -> Result<()> {
        let Some(lane) = self.lane.take() else { return Ok(()) };
        let (mut good, mut done) = self.wait_for_all(lane);
        self.held().clear();
        if self.wipes.load(Ordering::Relaxed) {
            if let (Ok(()), Some(lane)) = (&done, good.first()) {
                done = self.wipe(&lane.raw);
                good.truncate(if done.is_ok() { good.len() } else { 0 });
            }
            if done.is_err() {
                self.arena.clear();
            }
        }
        good.into_iter().for_each(|lane| self.gpu.put_back(lane));
        self.arena.close();
        done
    }

    /// Waits for this stream and the joined ones: those that did not fail, and the first failure.
    fn wait_for_all(&self, lane: Lane) -> (Vec<Lane>, Result<()>) {
        let joined = std::mem::take(&mut *self.joined());
        let ring = std::mem::take(&mut *self.ring());
        // As for `synchronize`: this stream's failure before its forks'.
        let all = [Joined { lane, ring }].into_iter().chain(joined);
        let (mut good, mut first) = (Vec::new(), Ok(()));
        for Joined { lane, ring } in all {
            let done = self.device().synchronize(&lane.raw);
            let copied = ring.retire(&self.gpu.shared.slots);
            match done.and(copied) {
                Ok(()) => good.push(lane),
                Err(error) => first = first.and(Err(error)),
            }
        }
        (good, first)
    }

    /// Zeroes what the call gave up, by this stream, and waits.
    fn wipe(&self, raw: &device::Stream) -> Result<()> {
        self.arena.each_unused(|memory| {
            // All of it, not only what its last owner had asked for.
            self.device().reuse(raw, memory, memory.bytes())?;
            self.device().fill(raw, memory, 0, memory.bytes(), 0)
        })?;
        self.device().synchronize(raw)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if let Err(error) = self.settle() {
            // The call has failed already, with an error of its own.
            tracing::debug!("work of a failed call: {error}");
        }
    }
}
