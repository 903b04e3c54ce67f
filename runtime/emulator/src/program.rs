//! Decoded kernels.
//!
//! A register operand is a `u32`: before [`regs::compact`](super::regs::compact) a virtual register,
//! afterwards a slot of its file. With [`CONSTANT`] set it names a constant of the module, kept
//! already spread over the lanes, so that immediates cost what registers cost.

use super::counts::OpClass;

/// Marks an operand as an index into the module's constants.
pub(super) const CONSTANT: u32 = 1 << 31;
/// A destination that is thrown away (`_`).
pub(super) const SINK: u32 = u32::MAX;
/// Lanes of a warp.
pub(super) const LANES: usize = 32;
/// One 32-bit register of a warp.
pub(super) type Lanes32 = [u32; LANES];
/// One 64-bit register of a warp.
pub(super) type Lanes64 = [u64; LANES];

/// A register file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    /// Operand not used.
    None,
    /// 32-bit, and 16-bit zero-extended.
    R32,
    /// 64-bit.
    R64,
    /// A lane mask.
    Pred,
}

/// Carry flag in and out. After an addition the flag is the carry, after a subtraction the borrow;
/// the decoder refuses code that takes one for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Carry {
    pub(super) cin: bool,
    pub(super) cout: bool,
}

/// Comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cmp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// How `setp` combines its comparison with a third predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combine {
    None,
    And,
    Or,
    Xor,
}

/// A lane-wise operation without memory; `d` is written in active lanes. Suffix `32` or `64` is the
/// width of the operands where the name does not say more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Mov32,
    Add32(Carry),
    Sub32(Carry),
    MadLo32(Carry),
    MadHiU32(Carry),
    MadHiS32(Carry),
    MulLo32,
    MulHiU32,
    MulHiS32,
    And32,
    Or32,
    Xor32,
    Not32,
    Neg32,
    Abs32,
    Shl32,
    ShrU32,
    ShrS32,
    /// Funnel shift: `a` low word, `b` high word, `c` amount; left takes the high word.
    ShfL {
        wrap: bool,
    },
    ShfR {
        wrap: bool,
    },
    MinU32,
    MaxU32,
    MinS32,
    MaxS32,
    Popc32,
    Clz32,
    BfindU32,
    BfindS32,
    Brev32,
    Prmt,
    DivU32,
    RemU32,
    DivS32,
    RemS32,
    Lop3(u8),
    /// Bit field extract: `a` value, `b` position, `c` length.
    BfeU32,
    BfeS32,
    /// Bits `0..n` kept and extended.
    ZeroExtend32(u8),
    SignExtend32(u8),
    /// `c` is a predicate.
    Selp32,

    Mov64,
    Add64(Carry),
    Sub64(Carry),
    MadLo64(Carry),
    MadHiU64(Carry),
    MulLo64,
    MulHiU64,
    MulHiS64,
    And64,
    Or64,
    Xor64,
    Not64,
    Neg64,
    Abs64,
    /// Shift amounts are 32-bit registers.
    Shl64,
    ShrU64,
    ShrS64,
    MinU64,
    MaxU64,
    MinS64,
    MaxS64,
    /// 32-bit result.
    Popc64,
    /// 32-bit result.
    Clz64,
    /// 32-bit result.
    BfindU64,
    /// Position and length are 32-bit registers.
    BfeU64,
    BfeS64,
    Brev64,
    DivU64,
    RemU64,
    DivS64,
    RemS64,
    ZeroExtend64(u8),
    SignExtend64(u8),
    Selp64,

    /// 32-bit factors, 64-bit product.
    MulWideU,
    MulWideS,
    /// As `MulWide*`, plus a 64-bit addend.
    MadWideU,
    MadWideS,
    /// Low word.
    Low,
    /// High word.
    High,
    /// Two words, low first.
    Pack,

    SetpU32(Cmp, Combine),
    SetpS32(Cmp, Combine),
    SetpU64(Cmp, Combine),
    SetpS64(Cmp, Combine),
    MovP,
    AndP,
    OrP,
    XorP,
    NotP,
}

impl Op {
    /// Files of `d, a, b, c`.
    pub(super) fn files(self) -> [File; 4] {
        use File::{None as N, Pred as P, R32 as A, R64 as B};
        use Op::*;
        match self {
            Mov32 | Not32 | Neg32 | Abs32 | Popc32 | Clz32 | BfindU32 | BfindS32 | Brev32
            | ZeroExtend32(_) | SignExtend32(_) => [A, A, N, N],
            Add32(_) | Sub32(_) | MulLo32 | MulHiU32 | MulHiS32 | And32 | Or32 | Xor32 | Shl32 | ShrU32
            | ShrS32 | MinU32 | MaxU32 | MinS32 | MaxS32 | DivU32 | RemU32 | DivS32 | RemS32 => [A, A, A, N],
            MadLo32(_)
            | MadHiU32(_)
            | MadHiS32(_)
            | ShfL { .. }
            | ShfR { .. }
            | Prmt
            | Lop3(_)
            | BfeU32
            | BfeS32 => [A, A, A, A],
            Selp32 => [A, A, A, P],
            Mov64 | Not64 | Neg64 | Abs64 | Brev64 | ZeroExtend64(_) | SignExtend64(_) => [B, B, N, N],
            Add64(_) | Sub64(_) | MulLo64 | MulHiU64 | MulHiS64 | And64 | Or64 | Xor64 | MinU64 | MaxU64
            | MinS64 | MaxS64 | DivU64 | RemU64 | DivS64 | RemS64 => [B, B, B, N],
            MadLo64(_) | MadHiU64(_) => [B, B, B, B],
            Shl64 | ShrU64 | ShrS64 => [B, B, A, N],
            BfeU64 | BfeS64 => [B, B, A, A],
            Selp64 => [B, B, B, P],
            Popc64 | Clz64 | BfindU64 | Low | High => [A, B, N, N],
            MulWideU | MulWideS => [B, A, A, N],
            MadWideU | MadWideS => [B, A, A, B],
            Pack => [B, A, A, N],
            SetpU32(_, c) | SetpS32(_, c) => [P, A, A, if c == Combine::None { N } else { P }],
            SetpU64(_, c) | SetpS64(_, c) => [P, B, B, if c == Combine::None { N } else { P }],
            MovP | NotP => [P, P, N, N],
            AndP | OrP | XorP => [P, P, P, N],
        }
    }
}

/// Address space of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Window {
    Global,
    Shared,
    Local,
    /// The address says.
    Generic,
}

/// Memory order of an access or fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Plain: may race.
    Weak,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
}

/// Threads that a strong operation or fence reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Cta,
    Gpu,
}

/// A load or store of 1, 2 or 4 registers.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) window: Window,
    pub(super) order: Order,
    pub(super) scope: Scope,
    /// Bytes of one element: 1, 2, 4 or 8.
    pub(super) bytes: u8,
    /// Sign-extend a narrow load.
    pub(super) signed: bool,
    /// A load through the cache that writes of the launch do not reach.
    pub(super) non_coherent: bool,
    /// 64-bit address register.
    pub(super) base: u32,
    pub(super) offset: i64,
    /// Data registers (or [`SINK`]) and their file.
    pub(super) data: Vec<(u32, File)>,
}

/// Atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtomOp {
    Add,
    MinU,
    MinS,
    MaxU,
    MaxS,
    Exch,
    Cas,
    And,
    Or,
    Xor,
    /// `old >= b ? 0 : old + 1`
    Inc,
    /// `old == 0 || old > b ? b : old - 1`
    Dec,
}

/// An atomic read-modify-write.
#[derive(Clone, Debug)]
pub(super) struct Atomic {
    pub(super) window: Window,
    pub(super) order: Order,
    pub(super) scope: Scope,
    pub(super) op: AtomOp,
    /// R32 or R64.
    pub(super) file: File,
    pub(super) base: u32,
    pub(super) offset: i64,
    /// [`SINK`] for `red`.
    pub(super) d: u32,
    pub(super) b: u32,
    /// Only for `Cas`.
    pub(super) c: u32,
}

/// Which lane `shfl` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ShflMode {
    Idx,
    Up,
    Down,
    Bfly,
}

/// Operands of `shfl.sync`.
#[derive(Clone, Debug)]
pub(super) struct Shfl {
    pub(super) mode: ShflMode,
    pub(super) d: u32,
    /// Predicate destination or [`SINK`].
    pub(super) p: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) c: u32,
    pub(super) mask: u32,
}

/// What `vote.sync` computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VoteMode {
    Any,
    All,
    Uni,
    Ballot,
}

/// Registers handed over at a call: pairs of file and caller register, in the order of the callee's
/// parameter (or result) words.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) function: usize,
    /// Caller's 32-bit registers holding the parameter words.
    pub(super) args: Vec<u32>,
    /// Caller's 32-bit registers receiving the result words.
    pub(super) results: Vec<u32>,
}

/// A special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    TidX,
    NtidX,
    CtaidX,
    NctaidX,
    LaneId,
    WarpId,
    NwarpId,
    SmId,
    NsmId,
    LanemaskEq,
    LanemaskLt,
    LanemaskLe,
    LanemaskGt,
    LanemaskGe,
    /// Bytes of dynamic shared memory.
    DynamicShared,
    Zero,
    One,
}

/// One decoded instruction.
#[derive(Clone, Debug)]
pub(super) enum Inst {
    Alu {
        op: Op,
        d: u32,
        a: u32,
        b: u32,
        c: u32,
    },
    Special {
        d: u32,
        which: Special,
    },
    /// Reads the launch's parameter bytes.
    Param {
        d: u32,
        file: File,
        offset: u32,
        bytes: u8,
        signed: bool,
    },
    /// Writes the address of this frame's local memory, plus an offset.
    LocalBase {
        d: u32,
        offset: u64,
    },
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Atomic>),
    Branch {
        target: u32,
    },
    Call(Box<Call>),
    /// Return from a function; the end of a kernel's thread.
    Ret,
    /// Ends the thread from any depth.
    Exit,
    Trap,
    /// Barrier number and optional thread count.
    Barrier {
        id: u32,
        threads: Option<u32>,
    },
    WarpSync {
        mask: u32,
    },
    Shfl(Box<Shfl>),
    Vote {
        mode: VoteMode,
        /// R32 for ballot, else a predicate.
        d: u32,
        p: u32,
        negated: bool,
        mask: u32,
    },
    /// `match.any`: lanes with an equal value.
    Match {
        d: u32,
        a: u32,
        wide: bool,
        mask: u32,
    },
    ActiveMask {
        d: u32,
    },
    Fence {
        scope: Scope,
    },
}

/// An instruction with its guard, counting class and source line.
#[derive(Clone, Debug)]
pub(super) struct Decoded {
    pub(super) inst: Inst,
    /// Predicate register, [`SINK`] for none.
    pub(super) guard: u32,
    pub(super) negated: bool,
    pub(super) class: OpClass,
    pub(super) line: u32,
}

/// "No reconvergence before the function's end".
pub(super) const NO_PC: u32 = u32::MAX;

/// A decoded function.
#[derive(Clone, Debug, Default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) entry: bool,
    pub(super) code: Vec<Decoded>,
    /// Per instruction: where the lanes of a divergent branch meet again; [`NO_PC`] elsewhere.
    pub(super) reconverge: Vec<u32>,
    /// Slots of each file.
    pub(super) slots: Slots,
    /// Registers that hold the parameter and result words (functions only).
    pub(super) param_words: Vec<u32>,
    pub(super) result_words: Vec<u32>,
    /// Local bytes of a thread.
    pub(super) local: u64,
    /// Static shared bytes of a block of this kernel.
    pub(super) static_shared: u64,
    /// Kernel parameters: offset and size (4 or 8) of each.
    pub(super) params: Vec<(u32, u32)>,
    pub(super) param_bytes: u32,
    pub(super) max_threads: Option<u64>,
    pub(super) exact_threads: Option<u64>,
    /// Blocks may observe each other's progress (global atomics with a result, strong accesses): runs
    /// in one fixed interleaving so that counts stay the same from run to run.
    pub(super) communicates: bool,
}

/// Number of registers in each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots {
    pub(super) r32: usize,
    pub(super) r64: usize,
    pub(super) pred: usize,
}

/// A decoded module.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) text: String,
    pub(super) functions: Vec<Function>,
    pub(super) constants32: Vec<Lanes32>,
    pub(super) constants64: Vec<Lanes64>,
    /// Where dynamic shared memory starts.
    pub(super) dynamic_shared: u64,
}

impl Program {
    /// Line `n` (from 1) of the text, trimmed.
    pub(super) fn line_text(&self, n: u32) -> String {
        self.text.lines().nth(n.saturating_sub(1) as usize).unwrap_or("").trim().to_string()
    }
}

impl Inst {
    /// Calls `f(file, is_definition, register)` for every register operand.
    pub(super) fn registers(&mut self, mut f: impl FnMut(File, bool, &mut u32)) {
        use File::{Pred, R32, R64};
        match self {
            Inst::Alu { op, d, a, b, c } => {
                let [fd, fa, fb, fc] = op.files();
                for (file, r) in [(fa, a), (fb, b), (fc, c)] {
                    if file != File::None {
                        f(file, false, r);
                    }
                }
                f(fd, true, d);
            }
            Inst::Special { d, .. } | Inst::ActiveMask { d } => f(R32, true, d),
            Inst::Param { d, file, .. } => f(*file, true, d),
            Inst::LocalBase { d, .. } => f(R64, true, d),
            Inst::Load(m) => {
                f(R64, false, &mut m.base);
                for (r, file) in &mut m.data {
                    f(*file, true, r);
                }
            }
            Inst::Store(m) => {
                f(R64, false, &mut m.base);
                for (r, file) in &mut m.data {
                    f(*file, false, r);
                }
            }
            Inst::Atomic(m) => {
                f(R64, false, &mut m.base);
                f(m.file, false, &mut m.b);
                if m.op == AtomOp::Cas {
                    f(m.file, false, &mut m.c);
                }
                f(m.file, true, &mut m.d);
            }
            Inst::Call(c) => {
                for r in &mut c.args {
                    f(R32, false, r);
                }
                for r in &mut c.results {
                    f(R32, true, r);
                }
            }
            Inst::WarpSync { mask } => f(R32, false, mask),
            Inst::Shfl(s) => {
                for r in [&mut s.a, &mut s.b, &mut s.c, &mut s.mask] {
                    f(R32, false, r);
                }
                f(R32, true, &mut s.d);
                f(Pred, true, &mut s.p);
            }
            Inst::Vote { mode, d, p, mask, .. } => {
                f(Pred, false, p);
                f(R32, false, mask);
                f(if *mode == VoteMode::Ballot { R32 } else { Pred }, true, d);
            }
            Inst::Match { d, a, wide, mask } => {
                f(if *wide { R64 } else { R32 }, false, a);
                f(R32, false, mask);
                f(R32, true, d);
            }
            Inst::Branch { .. }
            | Inst::Ret
            | Inst::Exit
            | Inst::Trap
            | Inst::Barrier { .. }
            | Inst::Fence { .. } => {}
        }
    }
}
