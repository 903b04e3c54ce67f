//! Which warp runs next.
//!
//! The fixed schedule runs blocks in order and the warps of a block in turn, each until it cannot go
//! on. A seed permutes blocks, picks warps at random and preempts them at random.

use super::counts::OpCounts;
use super::error::{EmulatorError, Fault, FaultKind, Waiter};
use super::memory::SharedMemory;
use super::program::LANES;
use super::race::RaceState;
use super::warp::{BlockContext, LaneFault, LaunchContext, Stop, Warp};
use super::wide;
use rayon::prelude::*;

/// Warp steps of the fixed schedule before another warp has its turn.
const QUANTUM: u64 = 1 << 20;
/// Fruitless polls of every warp that can run, without anything else done, that count as a deadlock.
/// A loop that reads the same value a fixed number of times is told from a deadlock by this bound.
const FRUITLESS: u64 = 4096;

/// A small generator (SplitMix64) for schedules.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is at least 1.
    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Ready,
    Waiting { id: u32, threads: Option<u32> },
    Polling,
    Done,
}

struct Block {
    index: u32,
    shared: SharedMemory,
    warps: Vec<(Warp, State)>,
}

impl Block {
    fn new(ctx: &LaunchContext<'_>, index: u32) -> Block {
        let kernel = &ctx.program.functions[ctx.kernel];
        let shared = SharedMemory::new(
            kernel.static_shared,
            ctx.program.dynamic_shared,
            u64::from(ctx.dynamic_shared),
            ctx.checks(),
        );
        let warps =
            (0..ctx.block.div_ceil(LANES as u32)).map(|w| (Warp::new(ctx, w), State::Ready)).collect();
        Block { index, shared, warps }
    }

    fn done(&self) -> bool {
        self.warps.iter().all(|w| w.1 == State::Done)
    }

    /// Opens barrier `id` if everybody it waits for has arrived.
    fn release(&mut self, ctx: &LaunchContext<'_>, race: Option<&mut RaceState>) -> Result<bool, Box<Fault>> {
        let mut opened = false;
        let mut race = race;
        for id in 0..16 {
            let mut arrived = 0;
            let mut wanted = None;
            let mut first = None;
            for (i, (w, s)) in self.warps.iter().enumerate() {
                if let State::Waiting { id: at, threads } = s
                    && *at == id
                {
                    arrived += if threads.is_some() { LANES as u32 } else { w.live.count_ones() };
                    wanted = *threads;
                    first.get_or_insert(i);
                }
            }
            let Some(first) = first else { continue };
            let live: u32 = self.warps.iter().map(|w| w.0.live.count_ones()).sum();
            if wanted.is_none() && live != ctx.block && ctx.sync_check {
                let w = &self.warps[first].0;
                return Err(Box::new(fault(
                    ctx,
                    self.index,
                    w.index,
                    LaneFault {
                        kind: FaultKind::BarrierExited,
                        lane: w.live.trailing_zeros(),
                        line: w.line(ctx, 1),
                    },
                )));
            }
            if arrived >= wanted.unwrap_or(live) {
                let mut threads = Vec::new();
                for (w, s) in &mut self.warps {
                    if matches!(s, State::Waiting { id: at, .. } if *at == id) {
                        *s = State::Ready;
                        threads.extend((0..32).filter(|l| w.live >> l & 1 != 0).map(|l| w.index * 32 + l));
                    }
                }
                if let Some(race) = race.as_deref_mut() {
                    race.barrier(self.index, &threads, threads.len() == ctx.block as usize);
                }
                opened = true;
            }
        }
        Ok(opened)
    }
}

fn fault(ctx: &LaunchContext<'_>, block: u32, warp: u32, f: LaneFault) -> Fault {
    Fault {
        kind: f.kind,
        kernel: ctx.program.functions[ctx.kernel].name.clone(),
        line: f.line,
        text: ctx.program.line_text(f.line),
        block,
        thread: warp * LANES as u32 + f.lane.min(LANES as u32 - 1),
    }
}

/// How a launch is scheduled.
pub(super) struct Plan<'a> {
    /// Blocks on the device at once, at least 1.
    pub(super) resident: u32,
    /// `None` for the fixed schedule.
    pub(super) random: Option<Random>,
    /// Host threads for blocks that do not see each other; `None` for the caller's thread alone.
    pub(super) pool: Option<&'a rayon::ThreadPool>,
}

/// What a launch, or some of its blocks, executed.
#[derive(Debug, Default)]
pub(super) struct Executed {
    pub(super) counts: OpCounts,
    /// The trace of each warp of each block, in the blocks' order, where they are wanted; empty lists where
    /// not.
    pub(super) traces: Vec<Vec<u64>>,
}

/// Runs all blocks of a launch.
pub(super) fn run(
    ctx: &LaunchContext<'_>,
    plan: Plan<'_>,
    race: Option<&mut RaceState>,
) -> Result<Executed, EmulatorError> {
    let communicates = ctx.program.functions[ctx.kernel].communicates;
    if let (Some(pool), false, None, None) = (plan.pool, communicates, &plan.random, &race) {
        let blocks = (0..ctx.grid).into_par_iter().map(|b| interleave(ctx, b..b + 1, 1, None, None));
        let blocks: Vec<Executed> = pool.install(|| blocks.collect::<Result<_, _>>())?;
        let mut all = Executed::default();
        for block in blocks {
            all.counts.add(&block.counts);
            all.traces.extend(block.traces);
        }
        return Ok(all);
    }
    // Blocks that do not see each other need not be interleaved either.
    let resident = if communicates || plan.random.is_some() { plan.resident } else { 1 };
    interleave(ctx, 0..ctx.grid, resident, plan.random, race)
}

fn interleave(
    ctx: &LaunchContext<'_>,
    blocks: std::ops::Range<u32>,
    resident: u32,
    mut random: Option<Random>,
    mut race: Option<&mut RaceState>,
) -> Result<Executed, EmulatorError> {
    let first = blocks.start;
    let mut executed = Executed { counts: OpCounts::default(), traces: vec![vec![]; blocks.len()] };
    let mut order: Vec<u32> = blocks.rev().collect();
    if let Some(r) = &mut random {
        for i in (1..order.len()).rev() {
            order.swap(i, r.below(i + 1));
        }
    }
    let mut live: Vec<Block> = Vec::new();
    let mut turn = 0;
    let mut fruitless = 0;
    loop {
        while live.len() < resident as usize
            && let Some(index) = order.pop()
        {
            live.push(Block::new(ctx, index));
        }
        if live.is_empty() {
            return Ok(executed);
        }
        let ready = |b: &Block| b.warps.iter().any(|w| matches!(w.1, State::Ready | State::Polling));
        let candidates: Vec<usize> = (0..live.len()).filter(|&i| ready(&live[i])).collect();
        if candidates.is_empty() {
            return Err(deadlock(ctx, &live));
        }
        let b = match &mut random {
            Some(r) => candidates[r.below(candidates.len())],
            None => candidates.iter().copied().find(|&i| i >= turn).unwrap_or(candidates[0]),
        };
        turn = b + 1;
        let progress = step(ctx, &mut live[b], &mut random, race.as_deref_mut())?;
        let warps: usize = live.iter().map(|b| b.warps.len()).sum();
        fruitless = if progress { 0 } else { fruitless + 1 };
        if fruitless > FRUITLESS * warps as u64 {
            return Err(deadlock(ctx, &live));
        }
        if live[b].done() {
            let block = live.remove(b);
            block.warps.iter().for_each(|(warp, _)| executed.counts.add(&warp.counts));
            if ctx.trace {
                executed.traces[(block.index - first) as usize] =
                    block.warps.iter().map(|(warp, _)| warp.trace).collect();
            }
            turn = b;
            fruitless = 0;
        }
    }
}

/// Runs warps of one block: one of them under a seed, otherwise each that can run. False if all they
/// did was to poll.
fn step(
    ctx: &LaunchContext<'_>,
    block: &mut Block,
    random: &mut Option<Random>,
    mut race: Option<&mut RaceState>,
) -> Result<bool, EmulatorError> {
    let able: Vec<usize> = block
        .warps
        .iter()
        .enumerate()
        .filter(|(_, w)| matches!(w.1, State::Ready | State::Polling))
        .map(|(i, _)| i)
        .collect();
    let (chosen, quantum) = match random {
        Some(r) => {
            let one = able[r.below(able.len())];
            // Short steps find interleavings, long ones let somebody run far ahead.
            let quantum = match r.below(4) {
                0 => 1 + r.below(4) as u64,
                1 => 1 + r.below(32) as u64,
                2 => 1 + r.below(512) as u64,
                _ => QUANTUM,
            };
            (vec![one], quantum)
        }
        None => (able, QUANTUM),
    };
    let mut progress = false;
    for i in chosen {
        let (warp, state) = &mut block.warps[i];
        let mut context =
            BlockContext { index: block.index, shared: &mut block.shared, race: race.as_deref_mut() };
        let take_first = || random.as_mut().is_none_or(|r| r.next() & 1 == 0);
        let stop = wide::run(warp, ctx, &mut context, quantum, take_first)
            .map_err(|f| EmulatorError::Fault(Box::new(fault(ctx, block.index, warp.index, f))))?;
        progress |= stop != Stop::Poll && !warp.idle;
        *state = match stop {
            Stop::Quantum => State::Ready,
            Stop::Poll => State::Polling,
            Stop::Barrier { id, threads } => State::Waiting { id, threads },
            Stop::Done => State::Done,
        };
        if matches!(stop, Stop::Barrier { .. } | Stop::Done) {
            block.release(ctx, race.as_deref_mut()).map_err(EmulatorError::Fault)?;
        }
    }
    Ok(progress)
}

fn deadlock(ctx: &LaunchContext<'_>, live: &[Block]) -> EmulatorError {
    let mut waiters = Vec::new();
    for b in live {
        for (w, s) in &b.warps {
            let (line, reason) = match s {
                State::Done => continue,
                State::Waiting { id, .. } => (w.line(ctx, 1), format!("barrier {id}")),
                _ => (w.line(ctx, 1), "memory that does not change".into()),
            };
            waiters.push(Waiter { block: b.index, warp: w.index, line, reason });
        }
    }
    let (block, warp, line) = waiters.first().map_or((0, 0, 0), |w| (w.block, w.warp, w.line));
    let f = LaneFault { kind: FaultKind::Deadlock(waiters), lane: 0, line };
    EmulatorError::Fault(Box::new(fault(ctx, block, warp, f)))
}
