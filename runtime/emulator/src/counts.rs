//! Counts of executed instructions.

/// Classes in which executed instructions are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[non_exhaustive]
pub enum OpClass {
    /// Low halves of products: `mul.lo`, `mad.lo`, with or without carries.
    MulLo,
    /// High halves of products: `mul.hi`, `mad.hi`.
    MulHi,
    /// 32 × 32 → 64 bit: `mul.wide`, `mad.wide`.
    MulWide,
    /// `add`, `sub` and their carry forms.
    Add,
    /// Bitwise logic, shifts, permutations and bit counts.
    Logic,
    /// `setp`, `selp`, `min`, `max` and predicate logic.
    Select,
    /// `mov`, `cvt`, `cvta`, special registers and parameters.
    Move,
    /// Division and remainder.
    Divide,
    /// Loads from global or constant memory.
    LoadGlobal,
    /// Stores to global memory.
    StoreGlobal,
    /// Loads from shared memory.
    LoadShared,
    /// Stores to shared memory.
    StoreShared,
    /// Loads and stores of local memory, and through generic addresses.
    Local,
    /// Atomics.
    Atomic,
    /// Barriers, fences and warp synchronisation.
    Sync,
    /// `shfl`, `vote`, `match`, `activemask`.
    Exchange,
    /// Branches, calls and returns.
    Control,
    /// Helper steps of another instruction: not counted.
    Uncounted,
}

impl OpClass {
    /// Every counted class.
    pub const ALL: [OpClass; 17] = [
        OpClass::MulLo,
        OpClass::MulHi,
        OpClass::MulWide,
        OpClass::Add,
        OpClass::Logic,
        OpClass::Select,
        OpClass::Move,
        OpClass::Divide,
        OpClass::LoadGlobal,
        OpClass::StoreGlobal,
        OpClass::LoadShared,
        OpClass::StoreShared,
        OpClass::Local,
        OpClass::Atomic,
        OpClass::Sync,
        OpClass::Exchange,
        OpClass::Control,
    ];
}

/// Instructions executed, per [`OpClass`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpCounts {
    pub(super) warp: [u64; OpClass::ALL.len()],
    pub(super) lane: [u64; OpClass::ALL.len()],
    pub(super) polls: u64,
    pub(super) bank_conflicts: u64,
}

impl Default for OpCounts {
    fn default() -> Self {
        OpCounts { warp: [0; OpClass::ALL.len()], lane: [0; OpClass::ALL.len()], polls: 0, bank_conflicts: 0 }
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

    /// Turns that accesses to shared memory took beyond their first: a warp's lanes, at 8 bytes each half of
    /// them and at 16 a quarter, access 32 banks of 4 bytes at once, and different words of one bank in
    /// turns. Lanes of an atomic that meet in a word are not counted.
    pub fn bank_conflicts(&self) -> u64 {
        self.bank_conflicts
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
        self.bank_conflicts += other.bank_conflicts;
    }
}
