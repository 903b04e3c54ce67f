//! A device that executes PTX text on the CPU, and checks it while doing so.
//!
//! [`Emulator`] implements [`KernelDevice`](curvesmith_device::KernelDevice), as CUDA does, and takes
//! the same images. It needs no GPU, no driver and no LLVM.
//!
//! It runs exactly the text that a GPU's driver would assemble, a warp at a time: registers are lane-major
//! arrays that the host's vector units work on, divergent lanes meet again at immediate post-dominators,
//! warps can be preempted at any instruction. Under the fixed schedule (seed 0) the counts of executed
//! instructions, and of conflicts in the banks of shared memory, are the same in every run; under a seed the
//! order of blocks, warps, divergent paths and streams is random but repeatable.
//!
//! # Eager and lazy
//! With seed 0 and no race check an operation is executed by the thread that submits it, before the
//! call returns; threads that use different streams run in parallel. With a seed, or with the race
//! check, streams are queues: work runs when the host waits (`synchronize`, `Staging::bytes`, the drop
//! of a stream or of staging memory), in an order drawn from the seed that respects streams and events.
//!
//! # Errors
//! A call whose arguments do not fit is refused, and nothing is submitted. Whatever is wrong later
//! fails the stream, as the trait says. [`Emulator::fail_after`] makes calls fail on purpose.
//!
//! # What it checks
//! It is also the sanitizer of this project: see [`FaultKind`] for what it reports. Where it is stricter
//! than hardware: divergent paths of a warp do not interleave, so lanes of one warp that wait for each
//! other are a deadlock; a `.sync` operation is executed by all its lanes at the same place. Where it is
//! laxer: memory is sequentially consistent, so that a missing fence shows in the race check and not as
//! a wrong value.

mod access;
mod banks;
mod cfg;
mod clock;
mod counts;
mod decode;
mod decode_alu;
mod decode_control;
mod decode_memory;
mod device;
mod effects;
mod emulator;
mod error;
mod exec;
mod inject;
mod launch;
mod lex;
mod memory;
mod options;
mod parse;
mod program;
mod queue;
mod race;
mod regs;
mod schedule;
mod staging;
mod warp;
mod wide;

pub use counts::{OpClass, OpCounts};
pub use emulator::Emulator;
pub use error::{EmulatorError, Fault, FaultKind, Space, Waiter};
pub use inject::{DeviceCall, InjectedFault};
pub use launch::LaunchRecord;
pub use options::EmulatorOptions;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic while a lock was held left plain data behind, which stays usable.
fn lock<T: ?Sized>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}
