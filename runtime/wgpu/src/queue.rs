//! Work that is collected and submitted: the order of all streams.

use crate::clock::Clock;
use crate::cost::{Cost, SUBMISSION_SECONDS, Work};
use crate::gpu::Gpu;
use crate::lock;
use crate::memory;
use crate::module::Pipeline;
use crate::staging::Mapping;
use crate::wait;
use crate::words::Bound;
use curvesmith_device::{Result, RuntimeError};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use web_time::{Duration, Instant};

/// Launches of a submission. One costs the host some 10 µs and a submission 100 to 200, so that these add a
/// tenth at most; and a device that has nothing to do waits for 3 ms of the host's at most.
pub(crate) const MOST_LAUNCHES: usize = 256;

/// Bytes of what a submission brings along: blocks of parameters, and short uploads.
const ARENA_BYTES: u64 = 1 << 20;

/// Uploads up to here travel with the submission; longer ones are worth one of their own.
pub(crate) const SHORT_UPLOAD: u64 = 64 << 10;

/// Bytes of long copies after which they are submitted: the bus takes longer for them than a submission does.
const COPIED_BYTES: u64 = 4 << 20;

/// Bytes of uploads after which they are submitted, where wgpu copies them.
const STAGED_BYTES: u64 = 64 << 20;

/// Bytes of uploads that wgpu keeps copies of at once: the host waits before there are more.
const MOST_STAGED_BYTES: u64 = 4 * STAGED_BYTES;

/// Blocks in a row of a dispatch: what every adapter allows.
const ROW: u32 = 65535;

/// The number of a submission, from 1.
pub(crate) type Serial = u64;

/// What a stream is, apart from its place in the queue.
#[derive(Default)]
pub(crate) struct StreamState(Mutex<Progress>);

#[derive(Default)]
struct Progress {
    /// The first error.
    failure: Option<RuntimeError>,
    /// The last submission with work of it.
    last: Serial,
}

impl StreamState {
    /// The first error.
    pub(crate) fn failure(&self) -> Option<RuntimeError> {
        lock(&self.0).failure.clone()
    }

    /// The last submission with work of it.
    pub(crate) fn last(&self) -> Serial {
        lock(&self.0).last
    }

    fn fail(&self, error: &RuntimeError) {
        lock(&self.0).failure.get_or_insert_with(|| error.clone());
    }
}

/// A launch whose arguments were found right.
pub(crate) struct Dispatch<'a> {
    pub(crate) pipeline: &'a Pipeline,
    pub(crate) block: &'a [u8],
    pub(crate) bounds: &'a [(wgpu::Buffer, Bound)],
    pub(crate) grid: u32,
    pub(crate) cost: &'a Arc<Cost>,
    /// Threads in all.
    pub(crate) threads: f64,
}

/// The queue of a device.
pub(crate) struct Queue {
    gpu: Gpu,
    /// Each submission writes it anew before its commands, after those of the last one are done.
    arena: wgpu::Buffer,
    /// Bytes that a block of parameters begins at a multiple of.
    alignment: u64,
    pending: Pending,
    submitted: Serial,
    running: VecDeque<Running>,
    /// When the last submission known to be done was done, or later.
    idle_since: Instant,
}

/// What is not yet submitted.
#[derive(Default)]
struct Pending {
    encoder: Option<wgpu::CommandEncoder>,
    /// Of the encoder; while it is open, the encoder takes nothing else.
    pass: Option<wgpu::ComputePass<'static>>,
    arena: Vec<u8>,
    work: Work,
    streams: Vec<Arc<StreamState>>,
    /// What the host maps once it is done.
    mappings: Vec<Arc<Mapping>>,
    /// Bytes of long copies from and to mapped memory.
    copied: u64,
    /// Bytes of long uploads, which wgpu has taken.
    staged: u64,
}

/// A submission that is not known to be done.
struct Running {
    serial: Serial,
    index: wgpu::SubmissionIndex,
    at: Instant,
    work: Work,
    staged: u64,
}

impl Queue {
    pub(crate) fn new(gpu: &Gpu, limits: &wgpu::Limits) -> Result<Queue> {
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        Ok(Queue {
            gpu: gpu.clone(),
            arena: memory::create(gpu, ARENA_BYTES, usage)?,
            alignment: u64::from(limits.min_uniform_buffer_offset_alignment).max(16),
            pending: Pending::default(),
            submitted: 0,
            running: VecDeque::new(),
            idle_since: Instant::now(),
        })
    }

    /// Encodes a launch. An error means that it is not.
    pub(crate) fn dispatch(
        &mut self,
        stream: &Arc<StreamState>,
        dispatch: &Dispatch<'_>,
    ) -> std::result::Result<(), crate::gpu::Refusal> {
        let Dispatch { pipeline, block, bounds, grid, cost, threads } = *dispatch;
        let offset = self.place(block, self.alignment);
        let binding = |binding, buffer, offset, size| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset,
                size: wgpu::BufferSize::new(size),
            }),
        };
        let numbered = (0u32..).zip(bounds);
        let mut entries: Vec<_> = numbered
            .map(|(number, (buffer, bound))| binding(number, buffer, bound.offset, bound.size))
            .collect();
        entries.push(binding(bounds.len() as u32, &self.arena, offset, block.len() as u64));
        let descriptor =
            wgpu::BindGroupDescriptor { label: None, layout: &pipeline.layout, entries: &entries };
        let group = self.gpu.noted(|| self.gpu.device.create_bind_group(&descriptor))?;
        let pass = self.pass();
        pass.set_pipeline(&pipeline.raw);
        pass.set_bind_group(0, &group, &[]);
        let columns = grid.clamp(1, ROW);
        pass.dispatch_workgroups(columns, grid.div_ceil(columns), 1);
        self.pending.work.add(cost, threads);
        self.involve(stream);
        if self.pending.work.launches() >= MOST_LAUNCHES || self.pending.work.seconds() >= SUBMISSION_SECONDS
        {
            self.flush();
        }
        Ok(())
    }

    /// Copies whole words to a buffer at a whole word.
    pub(crate) fn upload(&mut self, stream: &Arc<StreamState>, to: &wgpu::Buffer, offset: u64, bytes: &[u8]) {
        let len = bytes.len() as u64;
        if len == 0 {
            return;
        }
        if len <= SHORT_UPLOAD {
            let at = self.place(bytes, 4);
            let arena = self.arena.clone();
            self.encoder().copy_buffer_to_buffer(&arena, at, to, offset, len);
            self.involve(stream);
            return;
        }
        self.throttle(len);
        // wgpu copies before the commands of the next submission, so nothing else may be in it before this.
        self.submit_commands();
        match self.gpu.noted(|| self.gpu.queue.write_buffer(to, offset, bytes)) {
            Ok(()) => {
                self.involve(stream);
                self.pending.staged += len;
            }
            Err(refusal) => stream.fail(&refusal.of("Queue::write_buffer")),
        }
        if self.pending.staged >= STAGED_BYTES {
            self.flush();
        }
    }

    /// Copies whole words that the host has left in mapped memory to a buffer at a whole word.
    pub(crate) fn upload_mapped(
        &mut self,
        stream: &Arc<StreamState>,
        from: (&Arc<Mapping>, u64),
        to: &wgpu::Buffer,
        offset: u64,
        len: u64,
    ) {
        let (mapping, skip) = from;
        self.encoder().copy_buffer_to_buffer(&mapping.buffer, skip, to, offset, len);
        self.copied(stream, mapping, len);
    }

    /// Sets whole words of a buffer to zero.
    pub(crate) fn clear(&mut self, stream: &Arc<StreamState>, to: &wgpu::Buffer, offset: u64, len: u64) {
        if len > 0 {
            self.encoder().clear_buffer(to, offset, Some(len));
            self.involve(stream);
        }
    }

    /// Copies whole words to the host; short copies submit all work.
    pub(crate) fn download(
        &mut self,
        stream: &Arc<StreamState>,
        from: &wgpu::Buffer,
        offset: u64,
        to: &Arc<Mapping>,
    ) {
        let len = to.buffer.size();
        self.encoder().copy_buffer_to_buffer(from, offset, &to.buffer, 0, len);
        self.copied(stream, to, len);
        if len <= SHORT_UPLOAD {
            self.flush();
        }
    }

    /// A copy from or to mapped memory was encoded.
    fn copied(&mut self, stream: &Arc<StreamState>, mapping: &Arc<Mapping>, len: u64) {
        self.pending.mappings.push(Arc::clone(mapping));
        self.pending.copied += len;
        self.involve(stream);
        if self.pending.copied >= COPIED_BYTES {
            self.flush();
        }
    }

    /// Notes the time when a stream has come here.
    pub(crate) fn mark(&mut self, stream: &Arc<StreamState>, clock: &Clock, slot: u32) {
        clock.mark(self.encoder(), slot);
        self.involve(stream);
    }

    /// Copies two times to the host, and submits all work.
    pub(crate) fn read_clock(&mut self, clock: &Clock, slots: [u32; 2], to: &Arc<Mapping>) {
        clock.copy(self.encoder(), slots, &to.buffer);
        self.pending.mappings.push(Arc::clone(to));
        self.flush();
    }

    /// Submits what there is.
    pub(crate) fn flush(&mut self) {
        self.submit_commands();
        if self.pending.staged > 0 {
            self.submit(None);
        }
    }

    /// Submits commands, if there are any. Where there are none, uploads that wgpu has taken stay where they
    /// are: the next submission begins with them.
    fn submit_commands(&mut self) {
        drop(self.pending.pass.take());
        if let Some(encoder) = self.pending.encoder.take() {
            self.submit(Some(encoder));
        }
    }

    fn submit(&mut self, encoder: Option<wgpu::CommandEncoder>) {
        let Pending { arena, work, streams, mappings, staged, .. } = std::mem::take(&mut self.pending);
        let gpu = &self.gpu;
        let submitted = gpu.noted(|| {
            if !arena.is_empty() {
                gpu.queue.write_buffer(&self.arena, 0, &arena);
            }
            gpu.queue.submit(encoder.map(wgpu::CommandEncoder::finish))
        });
        match submitted {
            Ok(index) => {
                self.submitted += 1;
                let serial = self.submitted;
                for stream in &streams {
                    lock(&stream.0).last = serial;
                }
                for mapping in mappings {
                    map(gpu, &mapping, serial);
                }
                let staged = staged + arena.len() as u64;
                self.running.push_back(Running { serial, index, at: Instant::now(), work, staged });
            }
            Err(refusal) => {
                let error = refusal.of("Queue::submit");
                streams.iter().for_each(|stream| stream.fail(&error));
                for mapping in mappings {
                    let _ = mapping.outcome.set(Err(error.clone()));
                }
            }
        }
    }

    /// The last submission.
    pub(crate) fn submitted(&self) -> Serial {
        self.submitted
    }

    /// The submission to wait for, and its number, so that one of this number is done; `None` if it is.
    pub(crate) fn awaited(&self, serial: Serial) -> Option<(Serial, wgpu::SubmissionIndex)> {
        let running = self.running.iter().find(|running| running.serial >= serial)?;
        Some((running.serial, running.index.clone()))
    }

    /// All submissions up to this one are done, for which somebody has waited since `began`.
    pub(crate) fn finished(&mut self, serial: Serial, began: Instant) {
        let count = self.running.partition_point(|running| running.serial <= serial);
        let Some(first) = self.running.front().filter(|_| count > 0) else { return };
        let (now, start) = (Instant::now(), first.at.max(self.idle_since));
        let seconds = now.saturating_duration_since(start).as_secs_f64();
        // Done before anybody waited: nobody knows when.
        let at_most = now.saturating_duration_since(began) < Duration::from_micros(50);
        let done: Vec<Running> = self.running.drain(..count).collect();
        let expected: f64 = done.iter().map(|running| running.work.seconds()).sum();
        for running in done.iter().filter(|running| running.work.launches() > 0) {
            running.work.took(seconds * running.work.seconds() / expected, at_most);
        }
        self.idle_since = now;
    }

    /// Waits until `bytes` more can be staged.
    fn throttle(&mut self, bytes: u64) {
        loop {
            let staged: u64 = self.running.iter().map(|running| running.staged).sum();
            if staged + self.pending.staged + bytes <= MOST_STAGED_BYTES {
                return;
            }
            let Some(oldest) = self.running.front() else { return };
            let (serial, index, began) = (oldest.serial, oldest.index.clone(), Instant::now());
            // Of a lost device others hear where they wait.
            let _ = self.gpu.wait(index);
            self.finished(serial, began);
        }
    }

    /// Puts bytes where the submission's commands find them.
    fn place(&mut self, bytes: &[u8], alignment: u64) -> u64 {
        let end = |arena: &Vec<u8>| (arena.len() as u64).next_multiple_of(alignment);
        if end(&self.pending.arena) + bytes.len() as u64 > ARENA_BYTES {
            self.flush();
        }
        let at = end(&self.pending.arena);
        self.pending.arena.resize(at as usize, 0);
        self.pending.arena.extend_from_slice(bytes);
        at
    }

    fn involve(&mut self, stream: &Arc<StreamState>) {
        if !self.pending.streams.iter().any(|other| Arc::ptr_eq(other, stream)) {
            self.pending.streams.push(Arc::clone(stream));
        }
    }

    /// Where commands outside of a pass go.
    fn encoder(&mut self) -> &mut wgpu::CommandEncoder {
        drop(self.pending.pass.take());
        let device = &self.gpu.device;
        self.pending
            .encoder
            .get_or_insert_with(|| device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default()))
    }

    /// Where dispatches go.
    fn pass(&mut self) -> &mut wgpu::ComputePass<'static> {
        if self.pending.pass.is_none() {
            let pass = self.encoder().begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            self.pending.pass = Some(pass.forget_lifetime());
        }
        self.pending.pass.as_mut().expect("it was just opened")
    }

    /// Encodes what wgpu refuses when it is submitted.
    #[cfg(test)]
    pub(crate) fn spoil(&mut self, stream: &Arc<StreamState>) {
        let arena = self.arena.clone();
        self.encoder().copy_buffer_to_buffer(&arena, 0, &arena, 0, 1);
        self.involve(stream);
    }
}

/// Maps the memory once the submission is done.
fn map(gpu: &Gpu, mapping: &Arc<Mapping>, serial: Serial) {
    const CALL: &str = "Buffer::map_async";
    let _ = mapping.serial.set(serial);
    // Its buffer keeps the callback.
    let mapped = Arc::downgrade(mapping);
    let callback = move |outcome: std::result::Result<(), wgpu::BufferAsyncError>| {
        let failed =
            |error: wgpu::BufferAsyncError| RuntimeError::Device { call: CALL, reason: error.to_string() };
        if let Some(mapping) = mapped.upgrade() {
            let _ = mapping.outcome.set(outcome.map_err(failed));
        }
        wait::wake();
    };
    let asked = gpu.noted(|| mapping.buffer.map_async(mapping.mode, .., callback));
    if let Err(refusal) = asked {
        let _ = mapping.outcome.set(Err(refusal.of(CALL)));
    }
}
