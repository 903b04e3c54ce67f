//! Launches: arguments, execution, log.

use super::counts::OpCounts;
use super::emulator::Inner;
use super::lock;
use super::memory::{Checks, GlobalView};
use super::program::{Function, Program};
use super::race::RaceState;
use super::schedule::{self, Plan, Random};
use super::warp::{LaunchContext, mix};
use curvesmith_abi::{Arg, Limits};
use curvesmith_device::{Launch, Result, RuntimeError};
use std::fmt;
use std::sync::{Arc, PoisonError};

/// Most launches remembered.
const LOG_LIMIT: usize = 1 << 20;
/// Most threads of a block whatever the options say: the lanes of 32 warps.
const BLOCK_LIMIT: u32 = 1024;

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
    /// Where [`EmulatorOptions::trace`](super::EmulatorOptions::trace) asks for it, a hash of the sequences
    /// of (function, position, lanes that execute the instruction) of all warps, in the order of blocks and
    /// warps: two launches with the same trace execute the same instructions on the same lanes in the same
    /// order, warp by warp, whatever the addresses and values. It depends on the program, and under a seed,
    /// which chooses which side of a divergent branch goes first, on the schedule.
    pub trace: Option<u64>,
}

impl fmt::Display for LaunchRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LaunchRecord { symbol, grid, block, counts, .. } = self;
        let (instructions, conflicts) = (counts.warp_total(), counts.bank_conflicts());
        write!(
            f,
            "{symbol} ({grid}, {block}): {instructions} instructions of warps, {conflicts} bank conflicts"
        )
    }
}

/// The launches executed so far.
#[derive(Debug, Default)]
pub(super) struct Log {
    pub(super) records: Vec<LaunchRecord>,
    launched: u64,
}

/// A launch whose arguments have been checked.
pub(super) struct Prepared {
    program: Arc<Program>,
    kernel: usize,
    grid: u32,
    block: u32,
    shared: u32,
    params: Vec<u8>,
}

fn launch_error(symbol: &str, grid: u32, block: u32, call: &'static str, reason: String) -> RuntimeError {
    RuntimeError::Launch { symbol: symbol.into(), grid, block, call, reason }
}

/// The entry point `symbol`, if it can run in blocks of `block` threads; otherwise why not.
fn entry<'a>(
    program: &'a Program,
    symbol: &str,
    block: u32,
    limits: &Limits,
) -> std::result::Result<(usize, &'a Function), String> {
    let found = program.functions.iter().enumerate().find(|(_, f)| f.entry && f.name == symbol);
    let (kernel, f) = found.ok_or("no such kernel in the module")?;
    let most = limits.threads.min(BLOCK_LIMIT);
    if block == 0 || block > most {
        return Err(format!("a block has 1 to {most} threads"));
    }
    if let Some(n) = f.max_threads.filter(|&n| u64::from(block) > n) {
        return Err(format!("the kernel allows at most {n} threads a block"));
    }
    if let Some(n) = f.exact_threads.filter(|&n| u64::from(block) != n) {
        return Err(format!("the kernel requires {n} threads a block"));
    }
    Ok((kernel, f))
}

/// Refuses what [`prepare`] would refuse of a kernel and its block size.
pub(super) fn check_block(program: &Program, symbol: &str, block: u32, limits: &Limits) -> Result<()> {
    entry(program, symbol, block, limits)
        .map(|_| ())
        .map_err(|reason| launch_error(symbol, 0, block, "resident_blocks", reason))
}

/// Checks a launch against its kernel.
pub(super) fn prepare(program: &Arc<Program>, launch: &Launch<'_>, limits: &Limits) -> Result<Prepared> {
    let refuse = |reason: String| launch_error(launch.symbol, launch.grid, launch.block, "launch", reason);
    let (kernel, f) = entry(program, launch.symbol, launch.block, limits).map_err(refuse)?;
    if launch.grid == 0 {
        return Err(refuse("a launch needs at least 1 block".into()));
    }
    let shared = f.static_shared + u64::from(launch.shared);
    if shared > u64::from(limits.shared) {
        return Err(refuse(format!("{shared} bytes of shared memory, at most {}", limits.shared)));
    }
    if launch.args.len() != f.params.len() {
        return Err(refuse(format!("{} arguments for {} parameters", launch.args.len(), f.params.len())));
    }
    let mut params = vec![0; f.param_bytes as usize];
    for (i, (arg, &(offset, bytes))) in launch.args.iter().zip(&f.params).enumerate() {
        let (value, given) = match arg {
            Arg::U32(v) => (u64::from(*v), 4),
            Arg::U64(v) => (*v, 8),
            // The number of a buffer is its address.
            Arg::Buffer(range) => (range.buffer.0.wrapping_add(range.start), 8),
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

impl Inner {
    /// Runs a launch to its end on this thread and those of the pool. No lock is held meanwhile, so
    /// that streams of several threads run side by side.
    pub(super) fn launch(&self, p: Prepared, race: Option<&mut RaceState>) -> Result<()> {
        let symbol = p.program.functions[p.kernel].name.clone();
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
                wide: self.wide.clone(),
            },
            multiprocessors: o.multiprocessors,
            step_limit: o.step_limit,
            sync_check: o.synccheck,
            trace: o.trace,
            zero_stores,
        };
        let number = {
            let mut log = lock(&self.log);
            log.launched += 1;
            log.launched
        };
        let random = (o.seed != 0).then(|| Random::new(o.seed ^ number.wrapping_mul(0xd134_2543_de82_ef95)));
        let plan = Plan { resident: o.resident_blocks.max(1), random, pool: self.pool.as_ref() };
        let executed = schedule::run(&ctx, plan, race)
            .map_err(|e| launch_error(&symbol, p.grid, p.block, "emulator", e.to_string()))?;
        let mut log = lock(&self.log);
        if log.records.len() < LOG_LIMIT {
            let counts = executed.counts;
            let trace =
                o.trace.then(|| executed.traces.iter().flatten().fold(0, |all, warp| mix(all, *warp)));
            let (grid, block) = (p.grid, p.block);
            log.records.push(LaunchRecord { symbol, grid, block, counts, trace });
        }
        Ok(())
    }
}
