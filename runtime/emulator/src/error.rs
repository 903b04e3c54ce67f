//! What the emulator refuses or finds wrong.

use std::fmt;

/// Why a module did not load or a kernel was stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EmulatorError {
    /// The PTX uses something the emulator does not know, or is malformed: a bug in the emitter, or
    /// an opcode to be added to the emulator.
    #[error("{kernel}: line {line}: {reason}: `{text}`")]
    Load {
        /// Function in which it stands, or `module`.
        kernel: String,
        /// Line in the PTX, from 1.
        line: u32,
        /// That line.
        text: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A check failed while a kernel ran: a bug in the kernel or its launch.
    #[error(transparent)]
    Fault(Box<Fault>),
    /// The launch does not fit the kernel.
    #[error("{kernel}: {reason}")]
    Launch {
        /// Kernel symbol.
        kernel: String,
        /// What does not fit.
        reason: String,
    },
}

/// A failed check, with the place where it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// Kernel symbol.
    pub kernel: String,
    /// Line in the PTX, from 1.
    pub line: u32,
    /// That line.
    pub text: String,
    /// Block index.
    pub block: u32,
    /// Thread index in the block.
    pub thread: u32,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: line {}: block {}, thread {} (warp {}, lane {}): {} at `{}`",
            self.kernel,
            self.line,
            self.block,
            self.thread,
            self.thread / 32,
            self.thread % 32,
            self.kind,
            self.text
        )
    }
}

impl std::error::Error for Fault {}

/// A state space, as errors name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Device memory.
    Global,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Shared => "shared",
            Space::Local => "local",
        })
    }
}

/// A thread that cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// Block index.
    pub block: u32,
    /// Warp in the block.
    pub warp: u32,
    /// Line in the PTX.
    pub line: u32,
    /// What it waits for.
    pub reason: String,
}

/// The checks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// An access outside every live allocation (or across the end of one).
    #[error("{space} access of {bytes} bytes at {address:#x} is out of bounds")]
    OutOfBounds {
        /// State space.
        space: Space,
        /// Address in that space.
        address: u64,
        /// Bytes accessed.
        bytes: u32,
    },
    /// An address that is no multiple of the access size.
    #[error("{space} access of {bytes} bytes at {address:#x} is misaligned")]
    Misaligned {
        /// State space.
        space: Space,
        /// Address in that space.
        address: u64,
        /// Bytes accessed.
        bytes: u32,
    },
    /// A read of memory nobody wrote.
    #[error("{space} read of {bytes} bytes at {address:#x} is uninitialised")]
    Uninitialised {
        /// State space.
        space: Space,
        /// Address in that space.
        address: u64,
        /// Bytes accessed.
        bytes: u32,
    },
    /// Two accesses, at least one a write, that nothing orders.
    #[error("{space} race at {address:#x}: {access} here, {other}")]
    Race {
        /// State space.
        space: Space,
        /// Address of the 32-bit word.
        address: u64,
        /// `read` or `write`.
        access: &'static str,
        /// The earlier access: what, who and where.
        other: String,
    },
    /// A read through the cache for what no one writes (`ld.global.nc`) of memory that the same launch
    /// writes: the value is undefined, whatever orders the two. Looked for with the race check on.
    #[error("global {access} at {address:#x} of memory that the launch also {other}")]
    NonCoherent {
        /// Address of the 32-bit word.
        address: u64,
        /// `non-coherent read` or `write`.
        access: &'static str,
        /// The earlier access: what, and where.
        other: String,
    },
    /// A `.sync` operation whose mask is not the set of lanes that execute it.
    #[error("mask {mask:#010x} of a .sync operation, executed by lanes {executing:#010x}")]
    SyncMask {
        /// The mask operand.
        mask: u32,
        /// Lanes that execute it with this mask.
        executing: u32,
    },
    /// A shuffle reads a lane that does not take part in it.
    #[error("shuffle reads lane {source_lane}, which does not take part")]
    ShuffleSource {
        /// The lane read.
        source_lane: u32,
    },
    /// A barrier that some threads of the block do not reach.
    #[error("barrier reached by lanes {executing:#010x} of a warp with lanes {expected:#010x}")]
    BarrierDivergence {
        /// Lanes that execute it.
        executing: u32,
        /// Lanes of the warp that should.
        expected: u32,
    },
    /// A barrier waits for threads that ended.
    #[error("barrier waits for threads that have exited")]
    BarrierExited,
    /// Nothing can go on.
    #[error("no progress: {}", DisplayWaiters(.0))]
    Deadlock(Vec<Waiter>),
    /// The kernel trapped.
    #[error("trap")]
    Trap,
    /// Calls are nested deeper than the emulator's stack.
    #[error("calls are nested more than {0} deep")]
    CallDepth(usize),
    /// A warp executed more instructions than [`step_limit`](super::EmulatorOptions::step_limit).
    #[error("more than {0} instructions in one warp")]
    StepLimit(u64),
}

struct DisplayWaiters<'a>(&'a [Waiter]);

impl fmt::Display for DisplayWaiters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        for (i, w) in self.0.iter().take(SHOWN).enumerate() {
            let sep = if i == 0 { "" } else { "; " };
            write!(f, "{sep}block {} warp {} line {}: {}", w.block, w.warp, w.line, w.reason)?;
        }
        if self.0.len() > SHOWN {
            write!(f, "; and {} more", self.0.len() - SHOWN)?;
        }
        Ok(())
    }
}
