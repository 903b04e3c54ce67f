//! One warp: divergence, calls, and the instructions that are not lane-wise.
//!
//! Divergence is a stack of (position, meeting point, lanes). The top runs; when it reaches its
//! meeting point it is popped, and the entry below, which waits there, goes on with all its lanes.

use super::clock::Actor;
use super::decode::{LOCAL_WINDOW, SHARED_WINDOW};
use super::error::{FaultKind, Space};
use super::exec::{Constants, Registers};
use super::memory::{Checks, GlobalView, LocalMemory, SharedMemory};
use super::program::*;
use super::race::{RaceState, Touch};

/// Deepest nesting of calls.
const CALL_DEPTH: usize = 64;

/// Instructions executed, per [`OpClass`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpCounts {
    warp: [u64; OpClass::ALL.len()],
    lane: [u64; OpClass::ALL.len()],
    polls: u64,
}

impl Default for OpCounts {
    fn default() -> Self {
        OpCounts { warp: [0; OpClass::ALL.len()], lane: [0; OpClass::ALL.len()], polls: 0 }
    }
}

impl OpCounts {
    /// Instructions of a class, one per warp.
    pub fn warp(&self, class: OpClass) -> u64 {
        self.warp.get(class as usize).copied().unwrap_or(0)
    }

    /// Instructions of a class, one per active lane.
    pub fn lane(&self, class: OpClass) -> u64 {
        self.lane.get(class as usize).copied().unwrap_or(0)
    }

    /// Instructions of all classes, one per warp.
    pub fn warp_total(&self) -> u64 {
        self.warp.iter().sum()
    }

    /// Instructions of all classes, one per active lane.
    pub fn lane_total(&self) -> u64 {
        self.lane.iter().sum()
    }

    /// Fruitless rounds of spin loops. Their instructions are in no class.
    pub fn polls(&self) -> u64 {
        self.polls
    }

    /// Adds other counts.
    pub(super) fn add(&mut self, other: &OpCounts) {
        for (a, b) in self.warp.iter_mut().zip(other.warp) {
            *a += b;
        }
        for (a, b) in self.lane.iter_mut().zip(other.lane) {
            *a += b;
        }
        self.polls += other.polls;
    }
}

/// What all warps of a launch share.
pub(super) struct LaunchContext<'p> {
    pub(super) program: &'p Program,
    pub(super) kernel: usize,
    pub(super) grid: u32,
    pub(super) block: u32,
    pub(super) dynamic_shared: u32,
    pub(super) params: Vec<u8>,
    pub(super) global: GlobalView,
    pub(super) multiprocessors: u32,
    pub(super) step_limit: u64,
    pub(super) sync_check: bool,
    /// Fault injection: stores to global memory write zeros.
    pub(super) zero_stores: bool,
}

impl<'p> LaunchContext<'p> {
    fn constants(&self) -> Constants<'p> {
        Constants { c32: &self.program.constants32, c64: &self.program.constants64 }
    }

    pub(super) fn checks(&self) -> Checks {
        self.global.checks
    }
}

/// What a warp needs of its block while it runs.
pub(super) struct BlockContext<'b> {
    pub(super) index: u32,
    pub(super) shared: &'b mut SharedMemory,
    pub(super) race: Option<&'b mut RaceState>,
}

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// Its quantum is used up.
    Quantum,
    /// It arrived at a barrier.
    Barrier { id: u32, threads: Option<u32> },
    /// It read what it had read before, with nothing done in between.
    Poll,
    /// All its threads ended.
    Done,
}

/// A failed check and the lane it concerns.
#[derive(Debug)]
pub(super) struct LaneFault {
    pub(super) kind: FaultKind,
    pub(super) lane: u32,
    pub(super) line: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    pc: u32,
    meet: u32,
    mask: u32,
}

#[derive(Debug)]
struct Frame {
    function: usize,
    /// Height of the divergence stack below this frame.
    floor: usize,
    mask: u32,
    caller_window: Slots,
    local_base: u64,
    local_end: u64,
}

/// A strong read since the last effect of this warp.
#[derive(Clone, Debug)]
struct Polled {
    at: (usize, u32),
    addresses: u64,
    values: u64,
    counts: OpCounts,
}

/// A warp of a running block.
#[derive(Debug)]
pub(super) struct Warp {
    pub(super) index: u32,
    /// Lanes that have not ended; the last warp of a block may start with fewer than 32.
    pub(super) live: u32,
    pub(super) counts: OpCounts,
    regs: Registers,
    local: LocalMemory,
    stack: Vec<Entry>,
    frames: Vec<Frame>,
    polled: Vec<Polled>,
    /// Since its last fruitless poll the warp saw and did nothing new.
    pub(super) idle: bool,
    steps: u64,
    hint: usize,
}

/// Lanes of a mask, lowest first.
fn each(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            lane
        })
    })
}

impl Warp {
    pub(super) fn new(ctx: &LaunchContext<'_>, index: u32) -> Warp {
        let threads = ctx.block - index * LANES as u32;
        let lanes = if threads >= 32 { u32::MAX } else { (1 << threads) - 1 };
        let kernel = &ctx.program.functions[ctx.kernel];
        let mut regs = Registers::default();
        let caller_window = regs.push(kernel.slots);
        let mut local = LocalMemory::default();
        let local_base = local.push(kernel.local);
        Warp {
            index,
            live: lanes,
            counts: OpCounts::default(),
            regs,
            local,
            stack: vec![Entry { pc: 0, meet: NO_PC, mask: lanes }],
            frames: vec![Frame {
                function: ctx.kernel,
                floor: 0,
                mask: lanes,
                caller_window,
                local_base,
                local_end: 0,
            }],
            polled: Vec::new(),
            idle: false,
            steps: 0,
            hint: 0,
        }
    }

    /// Line of the instruction at which the warp stands (past a barrier it waits at).
    pub(super) fn line(&self, ctx: &LaunchContext<'_>, back: u32) -> u32 {
        let (Some(frame), Some(top)) = (self.frames.last(), self.stack.last()) else { return 0 };
        let code = &ctx.program.functions[frame.function].code;
        code.get(top.pc.saturating_sub(back) as usize).map_or(0, |d| d.line)
    }

    /// Runs at most `quantum` instructions. `take_first` decides which side of a divergent branch
    /// goes first.
    pub(super) fn run(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        quantum: u64,
        mut take_first: impl FnMut() -> bool,
    ) -> Result<Stop, LaneFault> {
        let k = ctx.constants();
        let mut budget = quantum;
        'frame: loop {
            let Some(frame) = self.frames.last() else { return Ok(Stop::Done) };
            let function = &ctx.program.functions[frame.function];
            let floor = frame.floor;
            let code = function.code.as_slice();
            let Some(&Entry { mut pc, mut meet, mask: mut active }) = self.stack.last() else {
                return Ok(Stop::Done);
            };
            loop {
                if pc == meet {
                    self.stack.pop();
                    let top = self.stack.last().expect("the entry that waits at the meeting point is below");
                    (pc, meet, active) = (top.pc, top.meet, top.mask);
                    continue;
                }
                if budget == 0 {
                    self.save(pc);
                    return Ok(Stop::Quantum);
                }
                budget -= 1;
                let d = &code[pc as usize];
                let mask = if d.guard == SINK {
                    active
                } else {
                    let p = self.regs.get_pred(d.guard);
                    active & if d.negated { !p } else { p }
                };
                if let Some(c) = self.counts.warp.get_mut(d.class as usize) {
                    *c += 1;
                    let lanes = if mask == u32::MAX { 32 } else { mask.count_ones() };
                    self.counts.lane[d.class as usize] += u64::from(lanes);
                }
                if let Inst::Alu { op, d, a, b, c } = d.inst {
                    if mask != 0 {
                        self.regs.alu(k, mask, op, [d, a, b, c]);
                    }
                    pc += 1;
                    continue;
                }
                self.steps += 1;
                if self.steps > ctx.step_limit {
                    return Err(LaneFault {
                        kind: FaultKind::StepLimit(ctx.step_limit),
                        lane: active.trailing_zeros(),
                        line: d.line,
                    });
                }
                let fault = |kind: FaultKind, lane: u32| LaneFault { kind, lane, line: d.line };
                match &d.inst {
                    Inst::Alu { .. } => {}
                    Inst::Branch { target } => {
                        if mask == active {
                            pc = *target;
                            continue;
                        }
                        if mask != 0 {
                            self.diverge(
                                function.reconverge[pc as usize],
                                meet,
                                [(*target, mask), (pc + 1, active & !mask)],
                                take_first(),
                            );
                            let top = self.stack.last().expect("divergence leaves an entry");
                            (pc, meet, active) = (top.pc, top.meet, top.mask);
                            continue;
                        }
                    }
                    Inst::Call(call) => {
                        if mask != 0 {
                            if self.frames.len() >= CALL_DEPTH {
                                return Err(fault(FaultKind::CallDepth(CALL_DEPTH), mask.trailing_zeros()));
                            }
                            self.save(pc + 1);
                            self.call(ctx, call, mask);
                            continue 'frame;
                        }
                    }
                    Inst::Ret => {
                        if mask != 0 {
                            self.save(pc + 1);
                            self.leave(ctx, mask, self.frames.len() == 1, floor);
                            continue 'frame;
                        }
                    }
                    Inst::Exit => {
                        if mask != 0 {
                            self.save(pc + 1);
                            self.leave(ctx, mask, true, floor);
                            continue 'frame;
                        }
                    }
                    Inst::Trap => {
                        if mask != 0 {
                            return Err(fault(FaultKind::Trap, mask.trailing_zeros()));
                        }
                    }
                    Inst::Barrier { id, threads } => {
                        if mask != 0 {
                            if ctx.sync_check && mask != self.live {
                                let kind =
                                    FaultKind::BarrierDivergence { executing: mask, expected: self.live };
                                return Err(fault(kind, mask.trailing_zeros()));
                            }
                            self.acted();
                            self.save(pc + 1);
                            return Ok(Stop::Barrier { id: *id, threads: *threads });
                        }
                    }
                    other => {
                        if mask != 0 {
                            let poll = self
                                .effect(ctx, block, k, mask, other, d.line)
                                .map_err(|(kind, lane)| fault(kind, lane))?;
                            if poll && self.repeated(pc) {
                                self.save(pc + 1);
                                return Ok(Stop::Poll);
                            }
                        }
                    }
                }
                pc += 1;
            }
        }
    }

    fn save(&mut self, pc: u32) {
        if let Some(top) = self.stack.last_mut() {
            top.pc = pc;
        }
    }

    fn diverge(&mut self, at: u32, meet: u32, mut sides: [(u32, u32); 2], take_first: bool) {
        if !take_first {
            sides.swap(0, 1);
        }
        if at == NO_PC || at == meet {
            self.stack.pop();
        } else {
            self.save(at);
        }
        // The side that goes first ends on top.
        let [first, second] = sides;
        for (pc, mask) in [second, first] {
            if pc != at || at == NO_PC {
                self.stack.push(Entry { pc, meet: at, mask });
            }
        }
    }

    fn call(&mut self, ctx: &LaunchContext<'_>, call: &Call, mask: u32) {
        let callee = &ctx.program.functions[call.function];
        let caller_window = self.regs.push(callee.slots);
        let window = self.regs.window();
        for (&from, &to) in call.args.iter().zip(&callee.param_words) {
            self.regs.copy32(mask, (window, to), (caller_window, from));
        }
        let local_end = self.local.end();
        let local_base = self.local.push(callee.local);
        self.frames.push(Frame {
            function: call.function,
            floor: self.stack.len(),
            mask,
            caller_window,
            local_base,
            local_end,
        });
        self.stack.push(Entry { pc: 0, meet: NO_PC, mask });
    }

    /// Lanes of `mask` return from the current function or, with `ends`, end altogether.
    fn leave(&mut self, ctx: &LaunchContext<'_>, mask: u32, ends: bool, floor: usize) {
        let from = if ends { 0 } else { floor };
        for e in &mut self.stack[from..] {
            e.mask &= !mask;
        }
        if ends {
            self.live &= !mask;
            for f in &mut self.frames {
                f.mask &= !mask;
            }
        }
        while let Some(frame) = self.frames.last() {
            while self.stack.len() > frame.floor && self.stack.last().is_some_and(|e| e.mask == 0) {
                self.stack.pop();
            }
            if self.stack.len() > frame.floor {
                return;
            }
            let frame = self.frames.pop().expect("the loop saw a frame");
            if let Some(caller) = self.frames.last() {
                let site = self.stack.last().map_or(0, |e| e.pc.saturating_sub(1));
                let code = &ctx.program.functions[caller.function].code;
                if let Some(Inst::Call(call)) = code.get(site as usize).map(|d| &d.inst)
                    && frame.mask != 0
                {
                    let callee = &ctx.program.functions[frame.function];
                    let window = self.regs.window();
                    for (&to, &from) in call.results.iter().zip(&callee.result_words) {
                        self.regs.copy32(frame.mask, (frame.caller_window, to), (window, from));
                    }
                }
                self.regs.pop(frame.caller_window);
                self.local.pop(frame.local_end);
            }
        }
    }

    /// Whether the strong read just made at `pc` found what it found before. The instructions since
    /// then are a fruitless round and taken out of the counts.
    fn repeated(&mut self, pc: u32) -> bool {
        let Some(new) = self.polled.last() else { return false };
        let at = (self.frames.len(), pc);
        let (addresses, values) = (new.addresses, new.values);
        let last = self.polled.len() - 1;
        let Some(i) = self.polled[..last].iter().position(|p| p.at == at) else {
            self.polled[last].at = at;
            self.polled[last].counts = self.counts.clone();
            self.idle = false;
            return false;
        };
        if self.polled[i].addresses != addresses {
            // Another place is read: progress.
            self.polled.drain(..last);
            self.polled[0].at = at;
            self.polled[0].counts = self.counts.clone();
            self.idle = false;
            return false;
        }
        self.polled.truncate(last);
        let polls = self.counts.polls + 1;
        let old = &mut self.polled[i];
        self.counts = old.counts.clone();
        self.counts.polls = polls;
        let same = old.values == values;
        old.values = values;
        self.idle = same;
        same
    }

    /// Instructions with an effect beyond their own lane. True if it was a strong read that changed
    /// nothing, noted as the last entry of `polled`.
    fn effect(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        k: Constants<'_>,
        mask: u32,
        inst: &Inst,
        line: u32,
    ) -> Result<bool, (FaultKind, u32)> {
        match inst {
            Inst::Special { d, which } => {
                let out = self.special(ctx, block.index, *which);
                self.regs.set32(mask, *d, &out);
            }
            Inst::Param { d, file, offset, bytes, signed } => {
                let mut raw = [0; 8];
                let n = usize::from(*bytes);
                let at = *offset as usize;
                raw[..n].copy_from_slice(&ctx.params[at..at + n]);
                let value = extend(u64::from_le_bytes(raw), *bytes, *signed);
                if *file == File::R64 {
                    self.regs.set64(mask, *d, &[value; LANES]);
                } else {
                    self.regs.set32(mask, *d, &[value as u32; LANES]);
                }
            }
            Inst::LocalBase { d, offset } => {
                let base = self.frames.last().map_or(0, |f| f.local_base);
                self.regs.set64(mask, *d, &[base.wrapping_add(*offset); LANES]);
            }
            Inst::Load(m) => return self.load(ctx, block, k, mask, m, line),
            Inst::Store(m) => {
                self.acted();
                self.store(ctx, block, k, mask, m, line)?;
            }
            Inst::Atomic(m) => return self.atomic(ctx, block, k, mask, m, line),
            Inst::WarpSync { mask: m } => {
                let masks = *self.regs.get32(k, *m);
                self.check_masks(ctx, mask, &masks)?;
                if let Some(race) = block.race.as_deref_mut() {
                    race.warp_sync(block.index, self.index, mask, &masks);
                }
            }
            Inst::Shfl(s) => {
                let masks = *self.regs.get32(k, s.mask);
                self.check_masks(ctx, mask, &masks)?;
                self.shuffle(ctx, k, mask, &masks, s)?;
            }
            Inst::Vote { mode, d, p, negated, mask: m } => {
                let masks = *self.regs.get32(k, *m);
                self.check_masks(ctx, mask, &masks)?;
                let p = self.regs.get_pred(*p) ^ if *negated { u32::MAX } else { 0 };
                let mut ballot = [0; LANES];
                let mut truth = 0;
                for lane in each(mask) {
                    let peers = masks[lane] & mask;
                    let votes = p & peers;
                    ballot[lane] = votes;
                    let yes = match mode {
                        VoteMode::Any | VoteMode::Ballot => votes != 0,
                        VoteMode::All => votes == peers,
                        VoteMode::Uni => votes == 0 || votes == peers,
                    };
                    truth |= u32::from(yes) << lane;
                }
                if *mode == VoteMode::Ballot {
                    self.regs.set32(mask, *d, &ballot);
                } else {
                    self.regs.set_pred(mask, *d, truth);
                }
            }
            Inst::Match { d, a, wide, mask: m } => {
                let masks = *self.regs.get32(k, *m);
                self.check_masks(ctx, mask, &masks)?;
                let values: Lanes64 =
                    if *wide { *self.regs.get64(k, *a) } else { self.regs.get32(k, *a).map(u64::from) };
                let mut out = [0; LANES];
                for lane in each(mask) {
                    out[lane] = each(masks[lane] & mask)
                        .filter(|&other| values[other] == values[lane])
                        .fold(0, |m, other| m | 1 << other);
                }
                self.regs.set32(mask, *d, &out);
            }
            Inst::ActiveMask { d } => self.regs.set32(mask, *d, &[mask; LANES]),
            Inst::Fence { scope } => {
                if let Some(race) = block.race.as_deref_mut() {
                    for lane in each(mask) {
                        race.fence(self.actor(block.index, lane), *scope);
                    }
                }
            }
            Inst::Alu { .. }
            | Inst::Branch { .. }
            | Inst::Call(_)
            | Inst::Ret
            | Inst::Exit
            | Inst::Trap
            | Inst::Barrier { .. } => {}
        }
        Ok(false)
    }

    fn actor(&self, block: u32, lane: usize) -> Actor {
        Actor { block, thread: self.index * LANES as u32 + lane as u32 }
    }

    fn special(&self, ctx: &LaunchContext<'_>, block: u32, which: Special) -> Lanes32 {
        let lane = |f: fn(u32) -> u32| std::array::from_fn(|i| f(i as u32));
        match which {
            Special::TidX => std::array::from_fn(|i| self.index * LANES as u32 + i as u32),
            Special::NtidX => [ctx.block; LANES],
            Special::CtaidX => [block; LANES],
            Special::NctaidX => [ctx.grid; LANES],
            Special::LaneId => lane(|i| i),
            Special::WarpId => [self.index; LANES],
            Special::NwarpId => [ctx.block.div_ceil(32); LANES],
            Special::SmId => [block % ctx.multiprocessors.max(1); LANES],
            Special::NsmId => [ctx.multiprocessors; LANES],
            Special::LanemaskEq => lane(|i| 1 << i),
            Special::LanemaskLt => lane(|i| (1 << i) - 1),
            Special::LanemaskLe => lane(|i| u32::MAX >> (31 - i)),
            Special::LanemaskGt => lane(|i| !(u32::MAX >> (31 - i))),
            Special::LanemaskGe => lane(|i| u32::MAX << i),
            Special::DynamicShared => [ctx.dynamic_shared; LANES],
            Special::Zero => [0; LANES],
            Special::One => [1; LANES],
        }
    }

    /// Every lane must be in its own mask, and the lanes that execute with this mask must be its lanes
    /// that have not ended.
    fn check_masks(
        &self,
        ctx: &LaunchContext<'_>,
        executing: u32,
        masks: &Lanes32,
    ) -> Result<(), (FaultKind, u32)> {
        if !ctx.sync_check {
            return Ok(());
        }
        let mut rest = executing;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let mask = masks[lane as usize];
            let with = each(executing).filter(|&l| masks[l] == mask).fold(0, |m, l| m | 1u32 << l);
            if mask & self.live != with {
                return Err((FaultKind::SyncMask { mask, executing: with }, lane));
            }
            rest &= !with;
        }
        Ok(())
    }

    fn shuffle(
        &mut self,
        ctx: &LaunchContext<'_>,
        k: Constants<'_>,
        mask: u32,
        masks: &Lanes32,
        s: &Shfl,
    ) -> Result<(), (FaultKind, u32)> {
        let (a, b, c) = (*self.regs.get32(k, s.a), *self.regs.get32(k, s.b), *self.regs.get32(k, s.c));
        let mut out = a;
        let mut valid = 0u32;
        for lane in each(mask) {
            let l = lane as u32;
            let clamp = c[lane] & 0x1f;
            let segment = (c[lane] >> 8) & 0x1f;
            let shift = b[lane] & 0x1f;
            let max = (l & segment) | (clamp & !segment);
            let min = l & segment;
            let (source, inside) = match s.mode {
                ShflMode::Up => (l.wrapping_sub(shift), l >= shift && (l - shift) >= max),
                ShflMode::Down => (l + shift, l + shift <= max),
                ShflMode::Bfly => (l ^ shift, (l ^ shift) <= max),
                ShflMode::Idx => {
                    let source = min | (shift & !segment);
                    (source, source <= max)
                }
            };
            if inside {
                let source = (source & 31) as usize;
                if ctx.sync_check && (masks[lane] & mask) >> source & 1 == 0 {
                    return Err((FaultKind::ShuffleSource { source_lane: source as u32 }, l));
                }
                out[lane] = a[source];
                valid |= 1 << lane;
            }
        }
        self.regs.set32(mask, s.d, &out);
        self.regs.set_pred(mask, s.p, valid);
        Ok(())
    }
}

/// Extends the low `bytes` of a value.
pub(super) fn extend(value: u64, bytes: u8, signed: bool) -> u64 {
    let shift = 64 - 8 * u32::from(bytes);
    if signed { (((value << shift) as i64) >> shift) as u64 } else { (value << shift) >> shift }
}

/// Where an address points once its window is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Global,
    Shared,
    Local,
}

impl Place {
    fn space(self) -> Space {
        match self {
            Place::Global => Space::Global,
            Place::Shared => Space::Shared,
            Place::Local => Space::Local,
        }
    }
}

fn resolve(window: Window, address: u64) -> (Place, u64) {
    match window {
        Window::Global => (Place::Global, address),
        Window::Shared => (Place::Shared, address),
        Window::Local => (Place::Local, address),
        Window::Generic if address >= LOCAL_WINDOW => (Place::Local, address - LOCAL_WINDOW),
        Window::Generic if address >= SHARED_WINDOW => (Place::Shared, address - SHARED_WINDOW),
        Window::Generic => (Place::Global, address),
    }
}

fn mix(h: u64, v: u64) -> u64 {
    (h ^ v).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

impl Warp {
    /// Forgets what was read: an effect of this warp makes the next round a new one.
    fn acted(&mut self) {
        self.polled.clear();
        self.idle = false;
    }

    fn note_read(&mut self, addresses: u64, values: u64) {
        self.polled.push(Polled { at: (0, NO_PC), addresses, values, counts: OpCounts::default() });
    }

    fn load(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        k: Constants<'_>,
        mask: u32,
        m: &Access,
        line: u32,
    ) -> Result<bool, (FaultKind, u32)> {
        let base = *self.regs.get64(k, m.base);
        let count = m.data.len();
        let total = u32::from(m.bytes) * count as u32;
        // Words of each lane; a vector has at most four elements of at most two words.
        let mut words = [[0u32; LANES]; 8];
        let per_element = if m.bytes == 8 { 2 } else { 1 };
        for lane in each(mask) {
            let (place, address) = resolve(m.window, base[lane].wrapping_add_signed(m.offset));
            let at = |kind| (kind, lane as u32);
            let address = self.aligned(ctx, place, address, total).map_err(at)?;
            if let Some(race) = block.race.as_deref_mut() {
                let (actor, space) = (self.actor(block.index, lane), place.space());
                let (order, scope) = (m.order, m.scope);
                race.load(Touch { actor, space, address, bytes: total, order, scope, line }).map_err(at)?;
            }
            match (place, m.bytes >= 4, total) {
                (Place::Global, true, 4) => {
                    let [v] = ctx.global.load_words(address, m.order, &mut self.hint).map_err(at)?;
                    words[0][lane] = v;
                }
                (Place::Global, true, 8) => {
                    let v: [u32; 2] = ctx.global.load_words(address, m.order, &mut self.hint).map_err(at)?;
                    words[0][lane] = v[0];
                    words[1][lane] = v[1];
                }
                (Place::Global, true, 16) => {
                    let v: [u32; 4] = ctx.global.load_words(address, m.order, &mut self.hint).map_err(at)?;
                    for (w, v) in words.iter_mut().zip(v) {
                        w[lane] = v;
                    }
                }
                (Place::Global, true, _) => {
                    let v: [u32; 8] = ctx.global.load_words(address, m.order, &mut self.hint).map_err(at)?;
                    for (w, v) in words.iter_mut().zip(v) {
                        w[lane] = v;
                    }
                }
                _ => {
                    let step = u32::from(m.bytes).min(4);
                    for (i, w) in words.iter_mut().enumerate().take(count * per_element) {
                        let address = address + u64::from(step) * i as u64;
                        w[lane] = match place {
                            Place::Global => ctx.global.load_narrow(address, step, &mut self.hint),
                            Place::Shared => block.shared.load(address, step),
                            Place::Local => self.local.load(ctx.checks(), lane, address, step),
                        }
                        .map_err(at)?;
                    }
                }
            }
        }
        let strong = m.order != Order::Weak;
        if strong {
            let (mut addresses, mut values) = (u64::from(mask), 0);
            for lane in each(mask) {
                addresses = mix(addresses, base[lane]);
                for w in words.iter().take(count * per_element) {
                    values = mix(values, u64::from(w[lane]));
                }
            }
            self.note_read(addresses, values);
        }
        for (i, &(d, file)) in m.data.iter().enumerate() {
            match (file, m.bytes) {
                (File::R64, 8) => {
                    let (low, high) = (&words[2 * i], &words[2 * i + 1]);
                    let out = std::array::from_fn(|l| u64::from(low[l]) | u64::from(high[l]) << 32);
                    self.regs.set64(mask, d, &out);
                }
                (File::R64, bytes) => {
                    let out = words[i].map(|w| extend(u64::from(w), bytes, m.signed));
                    self.regs.set64(mask, d, &out);
                }
                (_, 4) => self.regs.set32(mask, d, &words[i]),
                (_, bytes) => {
                    let out = words[i].map(|w| extend(u64::from(w), bytes, m.signed) as u32);
                    self.regs.set32(mask, d, &out);
                }
            }
        }
        Ok(strong)
    }

    /// Checks alignment; with checks off, rounds down as the hardware would not.
    fn aligned(
        &self,
        ctx: &LaunchContext<'_>,
        place: Place,
        address: u64,
        bytes: u32,
    ) -> Result<u64, FaultKind> {
        if address & u64::from(bytes - 1) == 0 {
            return Ok(address);
        }
        if ctx.checks().memory {
            return Err(FaultKind::Misaligned { space: place.space(), address, bytes });
        }
        Ok(address & !u64::from(bytes - 1))
    }

    fn store(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        k: Constants<'_>,
        mask: u32,
        m: &Access,
        line: u32,
    ) -> Result<(), (FaultKind, u32)> {
        let base = *self.regs.get64(k, m.base);
        let count = m.data.len();
        let total = u32::from(m.bytes) * count as u32;
        let per_element = if m.bytes == 8 { 2 } else { 1 };
        let mut words = [[0u32; LANES]; 8];
        for (i, &(r, file)) in m.data.iter().enumerate() {
            match (file, m.bytes) {
                (File::R64, 8) => {
                    let v = self.regs.get64(k, r);
                    words[2 * i] = v.map(|v| v as u32);
                    words[2 * i + 1] = v.map(|v| (v >> 32) as u32);
                }
                (File::R64, _) => words[i] = self.regs.get64(k, r).map(|v| v as u32),
                _ => words[i] = *self.regs.get32(k, r),
            }
        }
        if let Some(race) = block.race.as_deref_mut() {
            race.store_begins();
        }
        for lane in each(mask) {
            let (place, address) = resolve(m.window, base[lane].wrapping_add_signed(m.offset));
            let at = |kind| (kind, lane as u32);
            let address = self.aligned(ctx, place, address, total).map_err(at)?;
            if let Some(race) = block.race.as_deref_mut() {
                let (actor, space) = (self.actor(block.index, lane), place.space());
                let (order, scope) = (m.order, m.scope);
                let value = std::array::from_fn(|i| words[i][lane]);
                let touch = Touch { actor, space, address, bytes: total, order, scope, line };
                race.store(touch, value).map_err(at)?;
            }
            if place == Place::Global && ctx.zero_stores {
                for w in &mut words {
                    w[lane] = 0;
                }
            }
            let hint = &mut self.hint;
            let w = |i: usize| words[i][lane];
            match (place, m.bytes >= 4, total) {
                (Place::Global, true, 4) => ctx.global.store_words(address, [w(0)], m.order, hint),
                (Place::Global, true, 8) => ctx.global.store_words(address, [w(0), w(1)], m.order, hint),
                (Place::Global, true, 16) => {
                    ctx.global.store_words(address, [w(0), w(1), w(2), w(3)], m.order, hint)
                }
                (Place::Global, true, _) => {
                    ctx.global.store_words::<8>(address, std::array::from_fn(w), m.order, hint)
                }
                _ => {
                    let step = u32::from(m.bytes).min(4);
                    (0..count * per_element).try_for_each(|i| {
                        let address = address + u64::from(step) * i as u64;
                        match place {
                            Place::Global => ctx.global.store_narrow(address, step, w(i), hint),
                            Place::Shared => block.shared.store(address, step, w(i)),
                            Place::Local => self.local.store(ctx.checks(), lane, address, step, w(i)),
                        }
                    })
                }
            }
            .map_err(at)?;
        }
        Ok(())
    }

    fn atomic(
        &mut self,
        ctx: &LaunchContext<'_>,
        block: &mut BlockContext<'_>,
        k: Constants<'_>,
        mask: u32,
        m: &Atomic,
        line: u32,
    ) -> Result<bool, (FaultKind, u32)> {
        let base = *self.regs.get64(k, m.base);
        let wide = m.file == File::R64;
        let operand = |regs: &Registers, r: u32| -> Lanes64 {
            if r == SINK {
                [0; LANES]
            } else if wide {
                *regs.get64(k, r)
            } else {
                regs.get32(k, r).map(u64::from)
            }
        };
        let (b, c) = (operand(&self.regs, m.b), operand(&self.regs, m.c));
        let bytes = if wide { 8 } else { 4 };
        let mut out = [0u64; LANES];
        let mut changed = false;
        let (mut addresses, mut values) = (u64::from(mask), 0);
        for lane in each(mask) {
            let (place, address) = resolve(m.window, base[lane].wrapping_add_signed(m.offset));
            let at = |kind| (kind, lane as u32);
            let address = self.aligned(ctx, place, address, bytes).map_err(at)?;
            if let Some(race) = block.race.as_deref_mut() {
                let (actor, space) = (self.actor(block.index, lane), place.space());
                let (order, scope) = (m.order, m.scope);
                race.atomic(Touch { actor, space, address, bytes, order, scope, line }).map_err(at)?;
            }
            let zero = ctx.zero_stores && place == Place::Global;
            let apply = |old: u64| if zero { 0 } else { combine(m.op, wide, old, b[lane], c[lane]) };
            let hint = &mut self.hint;
            let old = match (place, wide) {
                (Place::Global, false) => {
                    ctx.global.update(address, hint, |v| apply(u64::from(v)) as u32).map(u64::from)
                }
                (Place::Global, true) => (|| {
                    let [low, high] = ctx.global.load_words(address, Order::Acquire, hint)?;
                    let old = u64::from(low) | u64::from(high) << 32;
                    let new = apply(old);
                    ctx.global.store_words(
                        address,
                        [new as u32, (new >> 32) as u32],
                        Order::Release,
                        hint,
                    )?;
                    Ok(old)
                })(),
                (Place::Shared, _) => (|| {
                    let mut old = u64::from(block.shared.load(address, 4)?);
                    if wide {
                        old |= u64::from(block.shared.load(address + 4, 4)?) << 32;
                    }
                    let new = apply(old);
                    block.shared.store(address, 4, new as u32)?;
                    if wide {
                        block.shared.store(address + 4, 4, (new >> 32) as u32)?;
                    }
                    Ok(old)
                })(),
                (Place::Local, _) => Err(FaultKind::OutOfBounds { space: Space::Local, address, bytes }),
            }
            .map_err(at)?;
            changed |= apply(old) != old;
            out[lane] = old;
            addresses = mix(addresses, base[lane]);
            values = mix(values, old);
        }
        if wide {
            self.regs.set64(mask, m.d, &out);
        } else {
            self.regs.set32(mask, m.d, &out.map(|v| v as u32));
        }
        if changed {
            self.acted();
            return Ok(false);
        }
        self.note_read(addresses, values);
        Ok(true)
    }
}

/// The new value of an atomic; 32-bit operands are zero-extended.
fn combine(op: AtomOp, wide: bool, old: u64, b: u64, c: u64) -> u64 {
    let signed = |v: u64| if wide { v as i64 } else { i64::from(v as u32 as i32) };
    let out = match op {
        AtomOp::Add => old.wrapping_add(b),
        AtomOp::MinU => old.min(b),
        AtomOp::MaxU => old.max(b),
        AtomOp::MinS => signed(old).min(signed(b)) as u64,
        AtomOp::MaxS => signed(old).max(signed(b)) as u64,
        AtomOp::Exch => b,
        AtomOp::Cas => {
            if old == b {
                c
            } else {
                old
            }
        }
        AtomOp::And => old & b,
        AtomOp::Or => old | b,
        AtomOp::Xor => old ^ b,
        AtomOp::Inc => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
    };
    if wide { out } else { u64::from(out as u32) }
}
