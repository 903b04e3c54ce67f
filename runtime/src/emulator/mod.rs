//! A device that executes PTX text on the CPU, and checks it while doing so.
//!
//! It runs exactly the text that a GPU's driver would assemble, a warp at a time: registers are
//! lane-major arrays that the host's vector units work on, divergent lanes meet again at immediate
//! post-dominators, warps can be preempted at any instruction. Under the fixed schedule (seed 0) the
//! counts of executed instructions are the same in every run; under a seed the order of blocks, warps,
//! divergent paths and streams is random but repeatable.
//!
//! It is also the sanitizer of this project: see [`FaultKind`] for what it reports.
//!
//! Where it is stricter than hardware: divergent paths of a warp do not interleave, so lanes of one
//! warp that wait for each other are a deadlock; a `.sync` operation is executed by all its lanes at
//! the same place. Where it is laxer: memory is sequentially consistent, so that a missing fence shows
//! in the race check and not as a wrong value.

mod access;
mod cfg;
mod clock;
mod counts;
mod decode;
mod decode_alu;
mod decode_control;
mod decode_memory;
mod device;
mod effects;
mod error;
mod exec;
mod lex;
mod memory;
mod options;
mod parse;
mod program;
mod queue;
mod race;
mod regs;
mod schedule;
mod warp;

pub use counts::{OpClass, OpCounts};
pub use device::{Emulator, EmulatorEvent, EmulatorMemory, EmulatorModule, EmulatorStream, LaunchRecord};
pub use error::{EmulatorError, Fault, FaultKind, Space, Waiter};
pub use options::EmulatorOptions;
