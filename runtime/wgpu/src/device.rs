//! The device.

use crate::adapter::{self, AdapterInfo, RESIDENT_THREADS};
use crate::clock::{Clock, Time, WgpuEvent, timeless};
use crate::gpu::Gpu;
use crate::lock;
use crate::memory::{Buffers, WgpuMemory};
use crate::module::{Variant, WgpuModule, refused};
use crate::queue::{Dispatch, Queue, Serial, StreamState};
use crate::staging::{Mapping, WgpuStaging};
use crate::wait::ready;
use crate::words::{self, Bound, LEAST};
use curvesmith_abi::{Arg, ByteRange, Features, Flavour, Image, KernelEntry, Needs};
use curvesmith_device::{
    DeviceProperties, Event, KernelDevice, Launch, Memory, Module, Result, RuntimeError, Source, Staging,
    Stream,
};
use std::any::Any;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};
use web_time::Instant;

/// A device of wgpu. Clones are the same device.
#[derive(Clone)]
pub struct WgpuDevice {
    shared: Arc<Shared>,
}

/// What the objects of a device have in common.
pub(crate) struct Shared {
    pub(crate) gpu: Gpu,
    pub(crate) limits: wgpu::Limits,
    pub(crate) buffers: Buffers,
    /// `None` where the device tells no times.
    pub(crate) clock: Option<Clock>,
    pub(crate) queue: Mutex<Queue>,
    /// What sets bits of words.
    bits: OnceLock<Result<WgpuModule>>,
    info: AdapterInfo,
    properties: DeviceProperties,
    driver: String,
}

/// Inside a [`Module`].
struct Loaded {
    module: WgpuModule,
    owner: Arc<Shared>,
}

/// Inside a [`Stream`].
struct WgpuStream {
    state: Arc<StreamState>,
    owner: Arc<Shared>,
}

/// What belongs to one device.
trait Owned {
    const WHAT: &'static str;
    fn owner(&self) -> &Arc<Shared>;
}

macro_rules! owned {
    ($($name:ident $what:literal)*) => {$(
        impl Owned for $name {
            const WHAT: &'static str = $what;
            fn owner(&self) -> &Arc<Shared> {
                &self.owner
            }
        }
    )*};
}
owned! {
    WgpuMemory "memory"
    Loaded "module"
    WgpuStream "stream"
    WgpuEvent "event"
    WgpuStaging "staging"
}

impl Shared {
    /// Submits what there is.
    pub(crate) fn flush(&self) {
        lock(&self.queue).flush();
    }

    /// Waits until a submission is done.
    pub(crate) fn wait(&self, serial: Serial) -> Result<()> {
        let Some((serial, index)) = lock(&self.queue).awaited(serial) else { return Ok(()) };
        let began = Instant::now();
        self.gpu.wait(index)?;
        lock(&self.queue).finished(serial, began);
        Ok(())
    }

    /// Submits what there is, and waits for all work.
    pub(crate) fn drain(&self) -> Result<()> {
        let last = {
            let mut queue = lock(&self.queue);
            queue.flush();
            queue.submitted()
        };
        self.wait(last)
    }

    /// Submits what there is, and waits for the work of a stream.
    fn finish(&self, stream: &StreamState) -> Result<()> {
        self.flush();
        self.wait(stream.last())
    }

    fn launch(&self, stream: &Arc<StreamState>, module: &WgpuModule, launch: &Launch<'_>) -> Result<()> {
        const CALL: &str = "launch";
        self.gpu.alive(CALL)?;
        let kernel = module.kernel(launch.symbol)?;
        self.properties.admit(&kernel.entry)?;
        let refuse = |reason| refused(launch, CALL, reason);
        if let Some(reason) = kernel.contract.refuse(launch.args) {
            return Err(refuse(reason));
        }
        if launch.block != kernel.contract.block {
            return Err(refuse(format!("its blocks have {} threads", kernel.contract.block)));
        }
        if launch.grid == 0 || launch.shared != 0 {
            return Err(refuse("it takes at least one block, and no dynamic shared memory".into()));
        }
        let bounds = launch.args.iter().filter_map(|arg| match arg {
            Arg::Buffer(range) => Some(self.bind(range, launch.symbol, &refuse)),
            Arg::U32(_) | Arg::U64(_) => None,
        });
        let bounds: Vec<_> = bounds.collect::<Result<_>>()?;
        let variant = match words::is_mixed(&kernel.contract, launch.args) {
            true => Variant::AllWritten,
            false => Variant::AsDeclared,
        };
        let pipeline = module.pipeline(&self.gpu, kernel, variant, launch)?;
        let block = words::block(launch.grid, launch.args, bounds.iter().map(|(_, bound)| *bound));
        let dispatch = Dispatch {
            pipeline,
            block: &block,
            bounds: &bounds,
            grid: launch.grid,
            cost: &kernel.cost,
            threads: f64::from(launch.grid) * f64::from(launch.block),
        };
        if stream.failure().is_some() {
            return Ok(());
        }
        lock(&self.queue).dispatch(stream, &dispatch).map_err(|refusal| {
            refusal.or(CALL, |reason| refused(launch, "Device::create_bind_group", reason))
        })
    }

    fn bind(
        &self,
        range: &ByteRange,
        symbol: &str,
        refuse: &dyn Fn(String) -> RuntimeError,
    ) -> Result<(wgpu::Buffer, Bound)> {
        let buffer = self.buffers.find(range).map_err(refuse)?;
        let alignment = u64::from(self.limits.min_storage_buffer_offset_alignment).max(LEAST);
        let bound = Bound::new(range, buffer.size(), alignment);
        self.properties.reach(symbol, bound.size)?;
        Ok((buffer, bound))
    }

    /// Sets those bits of words that `mask` has: `len` bytes, all of them a word's, at a whole word.
    fn set_bits(
        &self,
        stream: &Arc<StreamState>,
        memory: &WgpuMemory,
        (offset, len): (u64, u64),
        (value, mask): (u32, u32),
    ) -> Result<()> {
        let module = self.bits.get_or_init(|| WgpuModule::load(&self.gpu, &bits_source()));
        let module = module.as_ref().map_err(Clone::clone)?;
        let most = ((self.properties.binding.min(1 << 31) / 2) & !255).max(256);
        let mut start = offset;
        while start < offset + len {
            let end = (offset + len).min(start + most);
            let words = ((end - start) / 4) as u32;
            let args = [
                Arg::Buffer(ByteRange { buffer: memory.id, start, end }),
                Arg::U32(words),
                Arg::U32(value),
                Arg::U32(mask),
            ];
            let grid = words.div_ceil(BITS_BLOCK);
            let launch = Launch { symbol: BITS, grid, block: BITS_BLOCK, shared: 0, args: &args };
            self.launch(stream, module, &launch)?;
            start = end;
        }
        Ok(())
    }

    /// Writes bytes that may begin and end within words. `byte` tells each of them; `body` writes the whole
    /// words among them, given where these are and how many of the bytes precede them.
    fn write(
        &self,
        stream: &Arc<StreamState>,
        memory: &WgpuMemory,
        (offset, len): (u64, u64),
        byte: &dyn Fn(u64) -> u8,
        body: &dyn Fn(u64, u64, u64) -> Result<()>,
    ) -> Result<()> {
        let end = offset + len;
        // Of the word at `at` the bytes from `from` to `to`.
        let part = |at: u64, from: u64, to: u64| {
            let (mut value, mut mask) = ([0; 4], [0; 4]);
            for place in from..to {
                value[(place - at) as usize] = byte(place - offset);
                mask[(place - at) as usize] = u8::MAX;
            }
            let bits = (u32::from_le_bytes(value), u32::from_le_bytes(mask));
            self.set_bits(stream, memory, (at, 4), bits)
        };
        let (first, last) = (offset.next_multiple_of(4), end & !3);
        if first > last {
            return part(last, offset, end);
        }
        if offset < first {
            part(first - 4, offset, first)?;
        }
        if first < last {
            body(first, last - first, first - offset)?;
        }
        if last < end {
            part(last, last, end)?;
        }
        Ok(())
    }
}

/// What the device itself needs: words whose bits under a mask are set.
const BITS: &str = "set_bits";
const BITS_BLOCK: u32 = 256;

fn bits_source() -> Source {
    let kernel = KernelEntry {
        symbol: BITS.into(),
        name: BITS.into(),
        signature: format!("Common {BITS}[{BITS_BLOCK}](words: inout u32, n: u32, value: u32, mask: u32)"),
        needs: Needs { threads: BITS_BLOCK, shared: 0, buffers: 1, features: Features::NONE },
    };
    let image = Image {
        name: BITS.into(),
        declaration: String::new(),
        emitter: String::new(),
        flavour: Flavour::WGSL,
        kernels: vec![kernel],
    };
    Source::new(image, include_str!("set_bits.wgsl").into())
}

/// What a device takes of an adapter, for programs that are to run on smaller ones too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WgpuOptions {
    /// Launches take at most so many bytes of a buffer.
    pub binding_bytes: u64,
    /// Products of words are made by words of 64 bits where the adapter has them; else by half products, as
    /// everywhere.
    pub words_64: bool,
}

/// All that the adapter has.
impl Default for WgpuOptions {
    fn default() -> WgpuOptions {
        WgpuOptions { binding_bytes: u64::MAX, words_64: true }
    }
}

impl WgpuDevice {
    /// The device with this ordinal among [`adapters`](crate::adapters), or [`RuntimeError::NoDevice`] with
    /// the reason.
    pub fn new(ordinal: usize) -> Result<WgpuDevice> {
        WgpuDevice::with_options(ordinal, WgpuOptions::default())
    }

    /// As [`WgpuDevice::new`], with less than the adapter has.
    pub fn with_options(ordinal: usize, options: WgpuOptions) -> Result<WgpuDevice> {
        let (adapter, mut info) = adapter::open(ordinal)?;
        info.binding_bytes = info.binding_bytes.min(options.binding_bytes);
        if !options.words_64 {
            info.limits.features = Features::NONE;
        }
        let limits = wgpu::Limits { max_storage_buffer_binding_size: info.binding_bytes, ..adapter.limits() };
        let no_device = |reason: String| RuntimeError::NoDevice {
            device: format!("wgpu:{ordinal}"),
            reason: format!("{}: {reason}", info.name),
        };
        let descriptor = wgpu::DeviceDescriptor {
            required_features: info.features(),
            required_limits: limits.clone(),
            ..wgpu::DeviceDescriptor::default()
        };
        let (device, queue) =
            ready(adapter.request_device(&descriptor)).map_err(|error| no_device(error.to_string()))?;
        let gpu = Gpu::new(device, queue);
        let clock = info.has_timestamps.then(|| Clock::new(&gpu)).transpose()?;
        let shared = Shared {
            queue: Mutex::new(Queue::new(&gpu, &limits)?),
            gpu,
            limits,
            buffers: Buffers::default(),
            clock,
            bits: OnceLock::new(),
            properties: info.properties(),
            driver: info.driver.clone(),
            info,
        };
        Ok(WgpuDevice { shared: Arc::new(shared) })
    }

    /// Kernels that the driver has compiled so far, those counted twice that were launched on one buffer that
    /// they read and write.
    pub fn compiled(&self) -> usize {
        self.shared.gpu.compiled.load(Ordering::Relaxed)
    }

    /// What it runs on.
    pub fn adapter(&self) -> &AdapterInfo {
        &self.shared.info
    }

    #[cfg(test)]
    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    #[cfg(test)]
    pub(crate) fn spoil(&self, stream: &Stream) -> Result<()> {
        let stream: &WgpuStream = self.own(stream.get())?;
        lock(&self.shared.queue).spoil(&stream.state);
        Ok(())
    }

    fn check_owner<T: Owned>(&self, object: &T) -> Result<()> {
        if Arc::ptr_eq(object.owner(), &self.shared) {
            return Ok(());
        }
        Err(RuntimeError::Device { call: T::WHAT, reason: "it belongs to another device".into() })
    }

    /// An object of this device, not of another one of wgpu.
    fn own<'a, T: Owned>(&self, object: Result<&'a T>) -> Result<&'a T> {
        let object = object?;
        self.check_owner(object)?;
        Ok(object)
    }

    fn staged<'a>(
        &self,
        call: &'static str,
        staging: &'a mut dyn Staging,
        len: usize,
    ) -> Result<&'a mut WgpuStaging> {
        let object: &mut dyn Any = staging;
        let staging = object.downcast_mut::<WgpuStaging>().ok_or(RuntimeError::Device {
            call: WgpuStaging::WHAT,
            reason: "it belongs to another device".into(),
        })?;
        self.check_owner(staging)?;
        staging.check(call, len)?;
        Ok(staging)
    }
}

impl KernelDevice for WgpuDevice {
    fn properties(&self) -> &DeviceProperties {
        &self.shared.properties
    }

    fn driver(&self) -> &str {
        &self.shared.driver
    }

    fn load(&self, source: &Source) -> Result<Module> {
        self.shared.gpu.alive("load")?;
        let module = WgpuModule::load(&self.shared.gpu, source)?;
        Ok(Module::new(Loaded { module, owner: Arc::clone(&self.shared) }))
    }

    /// Nothing in a browser, which has one thread for it.
    fn prepare(&self, module: &Module, symbol: &str) {
        let Ok(Loaded { module, .. }) = self.own(module.get()) else { return };
        if let (false, Ok(kernel)) = (cfg!(target_family = "wasm"), module.kernel(symbol)) {
            let launch = Launch { symbol, grid: 1, block: kernel.contract.block, shared: 0, args: &[] };
            // A launch finds the error, too.
            let _ = module.pipeline(&self.shared.gpu, kernel, Variant::AsDeclared, &launch);
        }
    }

    /// wgpu does not tell: 512 threads are assumed.
    fn resident_blocks(&self, module: &Module, symbol: &str, block: u32) -> Result<u32> {
        let module: &Loaded = self.own(module.get())?;
        module.module.kernel(symbol)?;
        Ok((RESIDENT_THREADS / block.max(1)).max(1))
    }

    fn alloc(&self, bytes: u64) -> Result<Memory> {
        let memory = WgpuMemory::new(&self.shared, bytes)?;
        let id = memory.id;
        Ok(Memory::new(memory, id, bytes))
    }

    fn reuse(&self, stream: &Stream, memory: &Memory, bytes: u64) -> Result<()> {
        let _: &WgpuStream = self.own(stream.get())?;
        let _: &WgpuMemory = self.own(memory.get())?;
        memory.range("reuse", 0, bytes).map(drop)
    }

    fn staging(&self, bytes: usize) -> Result<Box<dyn Staging>> {
        Ok(Box::new(WgpuStaging::new(bytes, Arc::clone(&self.shared))?))
    }

    fn stream(&self) -> Result<Stream> {
        self.shared.gpu.alive("stream")?;
        Ok(Stream::new(WgpuStream { state: Arc::default(), owner: Arc::clone(&self.shared) }))
    }

    fn upload(
        &self,
        stream: &Stream,
        dst: &Memory,
        offset: u64,
        src: &mut dyn Staging,
        len: usize,
    ) -> Result<()> {
        const CALL: &str = "upload";
        self.shared.gpu.alive(CALL)?;
        let stream: &WgpuStream = self.own(stream.get())?;
        let memory: &WgpuMemory = self.own(dst.get())?;
        dst.range(CALL, offset, len as u64)?;
        let staging = self.staged(CALL, src, len)?;
        staging.settle()?;
        if stream.state.failure().is_some() {
            return Ok(());
        }
        // Copies are of whole words on both sides.
        let mapping = if offset.is_multiple_of(4) { staging.depart(len)? } else { None };
        let bytes = &staging.settled()[..len];
        let body = |at, len: u64, skipped: u64| {
            let mut queue = lock(&self.shared.queue);
            match &mapping {
                Some(mapping) => {
                    queue.upload_mapped(&stream.state, (mapping, skipped), &memory.buffer, at, len);
                }
                None => {
                    let bytes = &bytes[skipped as usize..][..len as usize];
                    queue.upload(&stream.state, &memory.buffer, at, bytes);
                }
            }
            Ok(())
        };
        let byte = |place: u64| bytes[place as usize];
        self.shared.write(&stream.state, memory, (offset, len as u64), &byte, &body)
    }

    fn download(
        &self,
        stream: &Stream,
        src: &Memory,
        offset: u64,
        dst: &mut dyn Staging,
        len: usize,
    ) -> Result<()> {
        const CALL: &str = "download";
        self.shared.gpu.alive(CALL)?;
        let stream: &WgpuStream = self.own(stream.get())?;
        let memory: &WgpuMemory = self.own(src.get())?;
        let range = src.range(CALL, offset, len as u64)?;
        let staging = self.staged(CALL, dst, len)?;
        // What arrives from before would overtake it.
        staging.bytes()?;
        if len == 0 {
            return Ok(());
        }
        let start = range.start & !3;
        let mapping = Mapping::to_host(&self.shared, range.end.next_multiple_of(4) - start)?;
        match stream.state.failure() {
            Some(error) => drop(mapping.outcome.set(Err(error))),
            None => lock(&self.shared.queue).download(&stream.state, &memory.buffer, start, &mapping),
        }
        staging.expect(mapping, (range.start - start) as usize, len);
        Ok(())
    }

    fn fill(&self, stream: &Stream, dst: &Memory, offset: u64, len: u64, byte: u8) -> Result<()> {
        const CALL: &str = "fill";
        self.shared.gpu.alive(CALL)?;
        let stream: &WgpuStream = self.own(stream.get())?;
        let memory: &WgpuMemory = self.own(dst.get())?;
        dst.range(CALL, offset, len)?;
        if stream.state.failure().is_some() {
            return Ok(());
        }
        let body = |at, len, _| match byte {
            0 => {
                lock(&self.shared.queue).clear(&stream.state, &memory.buffer, at, len);
                Ok(())
            }
            byte => {
                let bits = (u32::from_le_bytes([byte; 4]), u32::MAX);
                self.shared.set_bits(&stream.state, memory, (at, len), bits)
            }
        };
        self.shared.write(&stream.state, memory, (offset, len), &|_| byte, &body)
    }

    fn launch(&self, stream: &Stream, module: &Module, launch: Launch<'_>) -> Result<()> {
        let stream: &WgpuStream = self.own(stream.get())?;
        let module: &Loaded = self.own(module.get())?;
        self.shared.launch(&stream.state, &module.module, &launch)
    }

    /// Costs nothing unless it is `timed`. Where the device tells no times, a timed event waits for all work
    /// of its stream, and has the host's.
    fn record(&self, stream: &Stream, timed: bool) -> Result<Event> {
        self.shared.gpu.alive("record")?;
        let stream: &WgpuStream = self.own(stream.get())?;
        let clock = self.shared.clock.as_ref();
        let time = match clock.zip(clock.and_then(Clock::slot)) {
            _ if !timed => Time::None,
            _ if stream.state.failure().is_some() => Time::Never,
            Some((clock, slot)) => {
                lock(&self.shared.queue).mark(&stream.state, clock, slot);
                Time::Device(slot)
            }
            None => {
                self.shared.finish(&stream.state)?;
                Time::Host(Instant::now())
            }
        };
        Ok(Event::new(WgpuEvent { time, owner: Arc::clone(&self.shared) }))
    }

    /// Nothing: an event is recorded before it is waited for, and streams share their queue.
    fn wait(&self, stream: &Stream, event: &Event) -> Result<()> {
        let _: &WgpuStream = self.own(stream.get())?;
        self.own::<WgpuEvent>(event.get()).map(drop)
    }

    fn elapsed(&self, from: &Event, to: &Event) -> Result<f64> {
        const CALL: &str = "elapsed";
        self.shared.gpu.alive(CALL)?;
        let (from, to): (&WgpuEvent, &WgpuEvent) = (self.own(from.get())?, self.own(to.get())?);
        match (&from.time, &to.time, &self.shared.clock) {
            (Time::None, ..) | (_, Time::None, _) => Err(timeless("was recorded without time")),
            (Time::Never, ..) | (_, Time::Never, _) => Err(timeless("has not happened")),
            (Time::Device(from), Time::Device(to), Some(clock)) => {
                let mapping = Mapping::to_host(&self.shared, 16)?;
                lock(&self.shared.queue).read_clock(clock, [*from, *to], &mapping);
                mapping.read(&self.shared, |bytes| clock.seconds(bytes))
            }
            (Time::Host(from), Time::Host(to), _) => Ok(match to.checked_duration_since(*from) {
                Some(later) => later.as_secs_f64(),
                None => -from.duration_since(*to).as_secs_f64(),
            }),
            _ => Err(timeless("has the host's time, and the other one the device's: too many are kept")),
        }
    }

    fn synchronize(&self, stream: &Stream) -> Result<()> {
        let stream: &WgpuStream = self.own(stream.get())?;
        let finished = self.shared.finish(&stream.state);
        match stream.state.failure() {
            Some(error) => Err(error),
            None => finished.and(self.shared.gpu.alive("synchronize")).and(self.shared.gpu.uncaptured()),
        }
    }
}

impl fmt::Debug for WgpuDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WgpuDevice").field(&self.shared.properties).finish()
    }
}
