//! Settings of an emulator.

use curvesmith_abi::Limits;

/// What an [`Emulator`](super::Emulator) checks and how it schedules; `Default` checks memory bounds,
/// alignment, initialisation and synchronisation under the fixed schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EmulatorOptions {
    /// Bounds and alignment.
    pub memcheck: bool,
    /// Reads of memory nobody wrote.
    pub initcheck: bool,
    /// Unordered conflicting accesses, and `.nc` reads of what the same launch writes, before or after.
    /// Costly: everything runs on one host thread with shadow memory.
    pub racecheck: bool,
    /// Masks of `.sync` operations and divergent barriers.
    pub synccheck: bool,
    /// Hashes of what every warp executes, [`LaunchRecord::trace`](super::LaunchRecord::trace).
    pub trace: bool,
    /// 0 for the fixed schedule; any other seed permutes blocks, warps, divergent paths and streams.
    pub seed: u64,
    /// Blocks that are scheduled at once, at least 1. Kernels whose blocks wait for each other must not
    /// need more.
    pub resident_blocks: u32,
    /// Blocks resident on one multiprocessor to report, at least 1, for launch policies. It does not
    /// change the schedule.
    pub blocks_per_multiprocessor: u32,
    /// Host threads; 0 for as many as there are cores.
    pub threads: usize,
    /// Bytes of device memory.
    pub memory: u64,
    /// Streaming multiprocessors to report, any number.
    pub multiprocessors: u32,
    /// What a launch may take: at most 1024 threads a block.
    pub limits: Limits,
    /// Instructions other than arithmetic that one warp may execute in a launch; stops endless loops.
    pub step_limit: u64,
}

impl Default for EmulatorOptions {
    fn default() -> Self {
        EmulatorOptions {
            memcheck: true,
            initcheck: true,
            racecheck: false,
            synccheck: true,
            trace: false,
            seed: 0,
            resident_blocks: 16,
            blocks_per_multiprocessor: 2,
            threads: 0,
            memory: 4 << 30,
            multiprocessors: 4,
            // Compute capability 7.5, where a launch can ask for more than the text declares.
            limits: Limits { shared: 64 << 10, ..Limits::PTX },
            step_limit: 1 << 32,
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $ty:ty)*) => {$(
        $(#[$doc])*
        pub fn $name(mut self, value: $ty) -> Self {
            self.$name = value;
            self
        }
    )*};
}

impl EmulatorOptions {
    setters! {
        /// Switches the bounds and alignment check.
        memcheck: bool
        /// Switches the check for uninitialised reads.
        initcheck: bool
        /// Switches the race check.
        racecheck: bool
        /// Switches the check of `.sync` masks and barriers.
        synccheck: bool
        /// Switches hashes of what warps execute.
        trace: bool
        /// Chooses the schedule.
        seed: u64
        /// Sets how many blocks are scheduled at once; 0 counts as 1.
        resident_blocks: u32
        /// Sets how many blocks a multiprocessor is reported to hold; 0 counts as 1.
        blocks_per_multiprocessor: u32
        /// Sets the number of host threads.
        threads: usize
        /// Sets the device memory in bytes.
        memory: u64
        /// Sets the number of multiprocessors.
        multiprocessors: u32
        /// Sets what a launch may take.
        limits: Limits
        /// Sets the step limit.
        step_limit: u64
    }
}
