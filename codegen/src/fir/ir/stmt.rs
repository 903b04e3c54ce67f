//! Statements: effects, control, and where values are computed.

use super::{FunctionId, Local, ParamId, SharedId, Value};

/// A place in memory, counted in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Word `word` of element `index` (u32) of a buffer parameter. The element's layout and
    /// stride come from the kernel's contract.
    Global {
        /// The buffer.
        buffer: ParamId,
        /// Element index, u32.
        index: Value,
        /// First word within the element.
        word: u32,
    },
    /// Word `word`, counted from field element `part` (u32) on, of element `index` (u32) of a buffer
    /// parameter of points: lanes may have different parts of one point.
    Part {
        /// The buffer.
        buffer: ParamId,
        /// Element index, u32.
        index: Value,
        /// Which of its field elements, u32.
        part: Value,
        /// First word, of that or a later one.
        word: u32,
    },
    /// Word or element `index` (u32) of a shared array.
    Shared {
        /// The array.
        array: SharedId,
        /// Index of the word or element, u32.
        index: Value,
    },
}

impl Place {
    /// The values that say where it is.
    pub fn values(&self) -> Vec<Value> {
        match *self {
            Place::Global { index, .. } | Place::Shared { index, .. } => vec![index],
            Place::Part { index, part, .. } => vec![index, part],
        }
    }
}

/// Atomic read-modify-write operations on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// Wrapping sum.
    Add,
    /// Unsigned minimum.
    Min,
    /// Unsigned maximum.
    Max,
    /// Exchange.
    Exchange,
}

/// Threads that a fence, or an ordered access, speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The threads of the block.
    Block,
    /// All threads of the device.
    Device,
}

/// Memory order of an access that other threads see as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// No ordering.
    Relaxed,
    /// What it reads acquires, what it writes releases.
    AcquireRelease,
}

/// Which lane a shuffle reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShuffleMode {
    /// Lane `arg`.
    Index,
    /// Lane `self - arg`, or the own value where that is negative.
    Up,
    /// Lane `self + arg`, or the own value where that is above 31.
    Down,
    /// Lane `self ^ arg`.
    Xor,
}

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A step of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// Computes the value here.
    Let(Value),
    /// Writes a local.
    Set(Local, Value),
    /// Runs one of two blocks.
    If {
        /// A predicate.
        cond: Value,
        /// Where it holds.
        then: Block,
        /// Where it does not.
        otherwise: Block,
    },
    /// Runs the block until a [`Stmt::Break`].
    Loop(Block),
    /// Leaves the innermost loop.
    Break,
    /// Ends the thread.
    Return,
    /// Computes a function.
    Call {
        /// One a result of the function, of its type.
        results: Vec<Value>,
        /// Which.
        function: FunctionId,
        /// One an argument of the function, of its type.
        args: Vec<Value>,
    },
    /// What a function gives; its last statement, and of no kernel.
    Yield(Vec<Value>),
    /// Reads consecutive words.
    Load {
        /// One u32 result per word.
        results: Vec<Value>,
        /// First word.
        place: Place,
    },
    /// Writes consecutive words.
    Store {
        /// First word.
        place: Place,
        /// One u32 per word.
        words: Vec<Value>,
    },
    /// Has the second cache fetch what lies around a word of a buffer, which can be read.
    Prefetch {
        /// The word.
        place: Place,
    },
    /// Reads a word that others may write meanwhile.
    LoadOrdered {
        /// The u32 read.
        result: Value,
        /// The word.
        place: Place,
        /// Memory order.
        order: Order,
        /// Whom it speaks to.
        scope: Scope,
    },
    /// Writes a word that others may read meanwhile.
    StoreOrdered {
        /// The word.
        place: Place,
        /// The u32 written.
        value: Value,
        /// Memory order.
        order: Order,
        /// Whom it speaks to.
        scope: Scope,
    },
    /// Atomic read-modify-write of a word.
    Atomic {
        /// The word before.
        result: Value,
        /// What is done.
        op: AtomicOp,
        /// The word.
        place: Place,
        /// Operand.
        value: Value,
        /// Memory order.
        order: Order,
        /// Whom it speaks to.
        scope: Scope,
    },
    /// All threads of the block meet; orders shared and global memory within the block.
    Barrier,
    /// The lanes of the mask meet; orders memory among them.
    SyncWarp {
        /// Lanes, u32.
        mask: Value,
    },
    /// Orders this thread's accesses before and after.
    Fence(Scope),
    /// Reads another lane's word, or element of the field, of which all lanes have the bound.
    Shuffle {
        /// What is read, of the type of `value`.
        result: Value,
        /// Which lane.
        mode: ShuffleMode,
        /// Own word or element.
        value: Value,
        /// Argument of the mode, u32.
        arg: Value,
        /// Lanes that take part, u32.
        mask: Value,
    },
    /// Collects a predicate of all lanes of the mask.
    Ballot {
        /// One bit a lane.
        result: Value,
        /// Own predicate.
        cond: Value,
        /// Lanes that take part, u32.
        mask: Value,
    },
    /// The lanes of the mask whose word has the same low bits as the own.
    MatchAny {
        /// One bit a lane.
        result: Value,
        /// Own word.
        value: Value,
        /// How many bits are compared, 1 to 32.
        bits: u32,
        /// Lanes that take part, u32.
        mask: Value,
    },
}

impl Stmt {
    /// Values that the statement defines.
    pub fn results(&self) -> Vec<Value> {
        match self {
            Stmt::Let(v) => vec![*v],
            Stmt::Load { results, .. } | Stmt::Call { results, .. } => results.clone(),
            Stmt::LoadOrdered { result, .. }
            | Stmt::Atomic { result, .. }
            | Stmt::Shuffle { result, .. }
            | Stmt::Ballot { result, .. }
            | Stmt::MatchAny { result, .. } => vec![*result],
            _ => vec![],
        }
    }

    /// Values that the statement itself reads (not those of nested blocks, nor a `Let`'s operands).
    pub fn uses(&self) -> Vec<Value> {
        match self {
            Stmt::Let(_) | Stmt::Loop(_) | Stmt::Break | Stmt::Return | Stmt::Barrier | Stmt::Fence(_) => {
                vec![]
            }
            Stmt::Set(_, v) => vec![*v],
            Stmt::Call { args: values, .. } | Stmt::Yield(values) => values.clone(),
            Stmt::If { cond, .. } => vec![*cond],
            Stmt::Load { place: p, .. }
            | Stmt::LoadOrdered { place: p, .. }
            | Stmt::Prefetch { place: p } => p.values(),
            Stmt::Store { place: p, words } => [&p.values()[..], words].concat(),
            Stmt::StoreOrdered { place: p, value, .. } | Stmt::Atomic { place: p, value, .. } => {
                [&p.values()[..], &[*value]].concat()
            }
            Stmt::SyncWarp { mask } => vec![*mask],
            Stmt::Shuffle { value, arg, mask, .. } => vec![*value, *arg, *mask],
            Stmt::Ballot { cond, mask, .. } => vec![*cond, *mask],
            Stmt::MatchAny { value, mask, .. } => vec![*value, *mask],
        }
    }

    /// The blocks within the statement.
    pub fn blocks(&self) -> Vec<&Block> {
        match self {
            Stmt::If { then, otherwise, .. } => vec![then, otherwise],
            Stmt::Loop(body) => vec![body],
            _ => vec![],
        }
    }
}
