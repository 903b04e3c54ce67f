//! The emulator as a [`KernelDevice`].

use super::emulator::{Emulator, Inner};
use super::inject::DeviceCall;
use super::launch;
use super::memory::Allocation;
use super::program::Program;
use super::queue::{Mark, Operation, StreamState};
use super::staging::{EmulatorStaging, StagedBytes};
use curvesmith_abi::BufferId;
use curvesmith_device::{
    DeviceProperties, Event, KernelDevice, Launch, Memory, Module, Result, RuntimeError, Source, Staging,
    Stream,
};
use std::any::Any;
use std::sync::Arc;

/// Inside a [`Memory`]; freed on drop.
pub(super) struct EmulatorMemory {
    pub(super) allocation: Arc<Allocation>,
    pub(super) owner: Arc<Inner>,
}

/// Inside a [`Module`].
pub(super) struct EmulatorModule {
    pub(super) program: Arc<Program>,
    pub(super) owner: Arc<Inner>,
    /// Keeps the module's variables.
    pub(super) _data: Option<EmulatorMemory>,
}

/// Inside a [`Stream`].
struct EmulatorStream {
    state: Arc<StreamState>,
    owner: Arc<Inner>,
}

/// Inside an [`Event`].
struct EmulatorEvent {
    mark: Arc<Mark>,
    timed: bool,
    owner: Arc<Inner>,
}

/// What belongs to one emulator.
trait Owned {
    const WHAT: &'static str;
    fn owner(&self) -> &Arc<Inner>;
}

macro_rules! owned {
    ($($name:ident $what:literal)*) => {$(
        impl Owned for $name {
            const WHAT: &'static str = $what;
            fn owner(&self) -> &Arc<Inner> {
                &self.owner
            }
        }
    )*};
}
owned! {
    EmulatorMemory "memory"
    EmulatorModule "module"
    EmulatorStream "stream"
    EmulatorEvent "event"
    EmulatorStaging "staging"
}

impl Drop for EmulatorMemory {
    fn drop(&mut self) {
        self.owner.free(&self.allocation);
    }
}

impl Drop for EmulatorStream {
    fn drop(&mut self) {
        self.owner.close_stream(&self.state);
    }
}

impl Emulator {
    /// An object of this emulator, not of another one: addresses of two emulators are the same.
    fn check_owner<T: Owned>(&self, object: &T) -> Result<()> {
        if Arc::ptr_eq(object.owner(), &self.inner) {
            return Ok(());
        }
        Err(RuntimeError::Device { call: T::WHAT, reason: "it belongs to another emulator".into() })
    }

    fn own<'a, T: Owned>(&self, object: Result<&'a T>) -> Result<&'a T> {
        let object = object?;
        self.check_owner(object)?;
        Ok(object)
    }

    fn staged<'a>(&self, staging: &'a mut dyn Staging) -> Result<&'a mut EmulatorStaging> {
        let object: &mut dyn Any = staging;
        let staging = object.downcast_mut::<EmulatorStaging>().ok_or(RuntimeError::Device {
            call: EmulatorStaging::WHAT,
            reason: "it belongs to another device".into(),
        })?;
        self.check_owner(staging)?;
        Ok(staging)
    }

    /// Submits work of a stream, or the failure that [`Emulator::fail_after`] asks for in its place.
    fn submit(
        &self,
        stream: &Stream,
        call: DeviceCall,
        operation: Operation,
        mark: Option<Arc<Mark>>,
    ) -> Result<()> {
        let stream: &EmulatorStream = self.own(stream.get())?;
        let operation = self.inner.count(call, 0)?.map_or(operation, Operation::Fail);
        self.inner.submit(&stream.state, operation, mark);
        Ok(())
    }

    fn slot(&self, stream: &Stream) -> Result<usize> {
        let stream: &EmulatorStream = self.own(stream.get())?;
        Ok(stream.state.slot)
    }

    /// Submits a copy between the two, which `operation` makes.
    fn copy(
        &self,
        stream: &Stream,
        call: (DeviceCall, &'static str),
        (memory, offset): (&Memory, u64),
        (staging, len): (&mut dyn Staging, usize),
        operation: impl FnOnce(Arc<Allocation>, StagedBytes) -> Operation,
    ) -> Result<()> {
        let inside: &EmulatorMemory = self.own(memory.get())?;
        memory.range(call.1, offset, len as u64)?;
        let staging = self.staged(staging)?;
        let data = staging.share(call.1, len)?;
        let mark = Mark::new(self.slot(stream)?);
        self.submit(stream, call.0, operation(inside.allocation.clone(), data), Some(mark.clone()))?;
        staging.used_by(mark);
        Ok(())
    }
}

impl KernelDevice for Emulator {
    fn properties(&self) -> &DeviceProperties {
        &self.inner.properties
    }

    fn load(&self, source: &Source) -> Result<Module> {
        self.inner.count_now(DeviceCall::Load, 0)?;
        let image = source.image();
        let refuse = |reason: String| RuntimeError::Image { image: image.name.clone(), reason };
        source.expect(&self.inner.properties.flavour)?;
        self.load_ptx(&source.text()?).map_err(|e| refuse(e.to_string()))
    }

    fn resident_blocks(&self, module: &Module, symbol: &str, block: u32) -> Result<u32> {
        self.inner.injector.alive()?;
        let module: &EmulatorModule = self.own(module.get())?;
        launch::check_block(&module.program, symbol, block, &self.inner.options.limits)?;
        Ok(self.inner.options.blocks_per_multiprocessor.max(1))
    }

    fn free_memory(&self) -> Result<Option<u64>> {
        self.inner.injector.alive()?;
        Ok(Some(self.options().memory.saturating_sub(self.memory_in_use())))
    }

    fn alloc(&self, bytes: u64) -> Result<Memory> {
        self.inner.count_now(DeviceCall::Alloc, bytes)?;
        let bytes = bytes.max(1);
        let memory = self.inner.allocate(bytes)?;
        let address = memory.allocation.base;
        Ok(Memory::new(memory, BufferId(address), bytes))
    }

    fn reuse(&self, stream: &Stream, memory: &Memory, bytes: u64) -> Result<()> {
        self.inner.injector.alive()?;
        let stream: &EmulatorStream = self.own(stream.get())?;
        let inside: &EmulatorMemory = self.own(memory.get())?;
        memory.range("reuse", 0, bytes)?;
        let operation = Operation::Reuse { allocation: inside.allocation.clone(), bytes };
        self.inner.submit(&stream.state, operation, None);
        Ok(())
    }

    fn staging(&self, bytes: usize) -> Result<Box<dyn Staging>> {
        self.inner.count_now(DeviceCall::Staging, bytes as u64)?;
        Ok(Box::new(EmulatorStaging::new(bytes, self.inner.clone())?))
    }

    fn stream(&self) -> Result<Stream> {
        self.inner.count_now(DeviceCall::Stream, 0)?;
        let state = self.inner.open_stream();
        Ok(Stream::new(EmulatorStream { state, owner: self.inner.clone() }))
    }

    fn upload(
        &self,
        stream: &Stream,
        dst: &Memory,
        offset: u64,
        src: &mut dyn Staging,
        len: usize,
    ) -> Result<()> {
        let call = (DeviceCall::Upload, "upload");
        self.copy(stream, call, (dst, offset), (src, len), |allocation, data| Operation::Upload {
            allocation,
            offset,
            data,
            len,
        })
    }

    fn download(
        &self,
        stream: &Stream,
        src: &Memory,
        offset: u64,
        dst: &mut dyn Staging,
        len: usize,
    ) -> Result<()> {
        let call = (DeviceCall::Download, "download");
        self.copy(stream, call, (src, offset), (dst, len), |allocation, data| Operation::Download {
            allocation,
            offset,
            data,
            len,
        })
    }

    fn fill(&self, stream: &Stream, dst: &Memory, offset: u64, len: u64, byte: u8) -> Result<()> {
        let inside: &EmulatorMemory = self.own(dst.get())?;
        dst.range("fill", offset, len)?;
        let allocation = inside.allocation.clone();
        self.submit(stream, DeviceCall::Fill, Operation::Fill { allocation, offset, len, byte }, None)
    }

    fn launch(&self, stream: &Stream, module: &Module, launch: Launch<'_>) -> Result<()> {
        let module: &EmulatorModule = self.own(module.get())?;
        let prepared = launch::prepare(&module.program, &launch, &self.inner.options.limits)?;
        self.submit(stream, DeviceCall::Launch, Operation::Launch(prepared), None)
    }

    fn record(&self, stream: &Stream, timed: bool) -> Result<Event> {
        let mark = Mark::new(self.slot(stream)?);
        self.submit(stream, DeviceCall::Record, Operation::Record, Some(mark.clone()))?;
        Ok(Event::new(EmulatorEvent { mark, timed, owner: self.inner.clone() }))
    }

    fn wait(&self, stream: &Stream, event: &Event) -> Result<()> {
        let event: &EmulatorEvent = self.own(event.get())?;
        self.submit(stream, DeviceCall::Wait, Operation::Wait(event.mark.clone()), None)
    }

    fn elapsed(&self, from: &Event, to: &Event) -> Result<f64> {
        self.inner.injector.alive()?;
        let refuse =
            |reason: &str| RuntimeError::Device { call: "elapsed", reason: format!("an event {reason}") };
        let time = |event: &Event| {
            let event: &EmulatorEvent = self.own(event.get())?;
            if !event.timed {
                return Err(refuse("was recorded without time"));
            }
            event.mark.time().ok_or(refuse("has not happened"))
        };
        let (from, to) = (time(from)?, time(to)?);
        Ok(match to.checked_duration_since(from) {
            Some(later) => later.as_secs_f64(),
            None => -from.duration_since(to).as_secs_f64(),
        })
    }

    fn synchronize(&self, stream: &Stream) -> Result<()> {
        let stream: &EmulatorStream = self.own(stream.get())?;
        let outcome = self.inner.finish(&stream.state);
        // That comes first, even if it was lost meanwhile.
        self.inner.injector.alive()?;
        outcome
    }
}
