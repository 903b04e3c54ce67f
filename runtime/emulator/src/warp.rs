//! One warp: divergence, calls, and the instructions that are not lane-wise.
//!
//! Divergence is a stack of (position, meeting point, lanes). The top runs; when it reaches its
//! meeting point it is popped, and the entry below, which waits there, goes on with all its lanes.

use super::counts::OpCounts;
use super::error::FaultKind;
use super::exec::{Constants, Registers};
use super::memory::{Checks, GlobalView, LocalMemory, SharedMemory};
use super::program::*;
use super::race::RaceState;

/// Deepest nesting of calls.
const CALL_DEPTH: usize = 64;

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
    /// Whether warps hash what they execute.
    pub(super) trace: bool,
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
pub(super) struct Entry {
    pc: u32,
    meet: u32,
    mask: u32,
}

#[derive(Debug)]
pub(super) struct Frame {
    function: usize,
    /// Height of the divergence stack below this frame.
    floor: usize,
    mask: u32,
    caller_window: Slots,
    pub(super) local_base: u64,
    local_end: u64,
}

/// A strong read since the last effect of this warp.
#[derive(Clone, Debug)]
pub(super) struct Polled {
    pub(super) at: (usize, u32),
    pub(super) addresses: u64,
    pub(super) values: u64,
    pub(super) counts: OpCounts,
}

/// A warp of a running block.
pub(super) struct Warp {
    pub(super) index: u32,
    /// Lanes that have not ended; the last warp of a block may start with fewer than 32.
    pub(super) live: u32,
    pub(super) counts: OpCounts,
    pub(super) regs: Registers,
    pub(super) local: LocalMemory,
    pub(super) stack: Vec<Entry>,
    pub(super) frames: Vec<Frame>,
    pub(super) polled: Vec<Polled>,
    /// Since its last fruitless poll the warp saw and did nothing new.
    pub(super) idle: bool,
    steps: u64,
    /// Hash of what it executed.
    pub(super) trace: u64,
    pub(super) hint: usize,
}

/// A hash of a sequence, one number after the other (a round of SplitMix64).
pub(super) fn mix(hash: u64, next: u64) -> u64 {
    let mut z = (hash ^ next).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
            trace: 0,
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
    #[inline(always)]
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
            let frame_function = frame.function;
            let function = &ctx.program.functions[frame_function];
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
                if ctx.trace {
                    let at = (frame_function as u64) << 32 | u64::from(pc);
                    self.trace = mix(mix(self.trace, at), u64::from(mask));
                }
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
}
