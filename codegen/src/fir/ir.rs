//! Entities, operations, statements, kernels.

use crate::spec::FieldDesc;
use curvesmith_abi::{KernelDesc, TableShape};
use num_bigint::BigUint;
use std::fmt;
use std::ops::{Index, IndexMut};

macro_rules! entity {
    ($(#[$meta:meta])* $name:ident, $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

entity!(
    /// A value: computed once, at its [`Stmt::Let`] or by the statement that names it.
    Value, "v"
);
entity!(
    /// A mutable local variable; how loops carry values.
    Local, "l"
);
entity!(
    /// A parameter of the kernel, by position.
    ParamId, "p"
);
entity!(
    /// A shared-memory array of words.
    SharedId, "s"
);

/// Type of a value or local.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A truth value.
    Pred,
    /// 32-bit unsigned, wrapping.
    U32,
    /// 64-bit unsigned, wrapping.
    U64,
    /// An element of the kernel's field.
    Field,
    /// Several elements, the results of [`Op::MulShared`]; only [`Op::Part`] reads them.
    Fields,
}

/// Binary operations on integers (both operands and result of one type), and the
/// bitwise ones on predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntOp {
    /// Wrapping sum.
    Add,
    /// Wrapping difference.
    Sub,
    /// Low half of the product.
    Mul,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Left shift; amount (u32) below the width.
    Shl,
    /// Logical right shift; amount (u32) below the width.
    Shr,
    /// Unsigned minimum.
    Min,
    /// Unsigned maximum.
    Max,
    /// Unsigned quotient; the divisor is not zero.
    Div,
    /// Unsigned remainder; the divisor is not zero.
    Rem,
}

/// Unsigned comparisons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CmpOp {
    /// `a = b`
    Eq,
    /// `a ≠ b`
    Ne,
    /// `a < b`
    Lt,
    /// `a ≤ b`
    Le,
}

/// Operations on one 32-bit word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BitOp {
    /// Number of ones.
    Popc,
    /// Leading zeros; 32 for zero.
    Clz,
    /// Bits in reverse order.
    Brev,
}

/// Where a thread stands in the launch; all one-dimensional.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Special {
    /// Thread in its block.
    Thread,
    /// Block in the grid.
    Block,
    /// Threads a block.
    BlockSize,
    /// Blocks in the grid.
    GridSize,
    /// Lane in its warp of 32.
    Lane,
}

/// How a value is computed. No operation writes memory or a local.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Defined by the statement that names it.
    Result(Type),
    /// The local's content at this point.
    Get(Local),
    /// A scalar parameter.
    Param(ParamId),
    /// Launch position.
    Special(Special),
    /// A predicate constant.
    Bool(bool),
    /// A word constant.
    U32(u32),
    /// A 64-bit constant.
    U64(u64),
    /// Integer (or bitwise predicate) operation.
    Int(IntOp, Value, Value),
    /// Bitwise complement of a u32 or u64, or negation of a predicate.
    Not(Value),
    /// Unary operation on a word.
    Bit(BitOp, Value),
    /// Unsigned comparison of two u32 or two u64.
    Cmp(CmpOp, Value, Value),
    /// u32 to u64.
    Widen(Value),
    /// u64 to u32, low half.
    Narrow(Value),
    /// `cond ? a : b` for any type.
    Select(Value, Value, Value),

    /// A canonical field constant, `< p`.
    Const(BigUint),
    /// `a + b`
    Add(Value, Value),
    /// `a - b`
    Sub(Value, Value),
    /// `-a`
    Neg(Value),
    /// `2a`
    Dbl(Value),
    /// `a·b`
    Mul(Value, Value),
    /// `a²`
    Sqr(Value),
    /// `k·a` for a small integer.
    MulSmall(Value, u32),
    /// `a·c` for a canonical constant.
    MulConst(Value, BigUint),
    /// `Σ a_i·b_i`, at least one term.
    Dot(Vec<(Value, Value)>),
    /// The products `x_i·y` of at least one `x_i` by one `y`.
    MulShared(Vec<Value>, Value),
    /// Product `i` of a [`Op::MulShared`].
    Part(Value, u32),
    /// `a·w` for the constant `w` whose table is given: the Montgomery words of entry `i` are the
    /// integer `w·2^(32·(rows + step·i)) mod p`, `1 ≤ step ≤ rows`.
    MulTable(Value, Vec<Value>, TableShape),
    /// Whether the element is zero.
    IsZero(Value),
    /// True wherever the element is zero, and perhaps elsewhere: the cheap test before the exact one.
    MaybeZero(Value),
    /// `a/R`: the element whose Montgomery words are the canonical integer `a`.
    FromMont(Value),
    /// The element with these Montgomery words, `words` of them; the kernel promises that they are canonical.
    FromWords(Vec<Value>),
    /// Word `i` of the canonical Montgomery representation.
    Word(Value, u32),
    /// The same element, with a canonical representation. Placed by the pass, never written by hand.
    Reduce(Value),
    /// The same element, with `multiple·p` subtracted where the top word exceeds that of
    /// `multiple·p`. Placed by the pass, never written by hand.
    Weak(Value, u64),
}

impl Op {
    /// The operands, in order.
    pub fn args(&self) -> Vec<Value> {
        use Op::*;
        match self {
            Result(_) | Get(_) | Param(_) | Special(_) | Bool(_) | U32(_) | U64(_) | Const(_) => vec![],
            Not(a)
            | Bit(_, a)
            | Widen(a)
            | Narrow(a)
            | Neg(a)
            | Dbl(a)
            | Sqr(a)
            | MulSmall(a, _)
            | MulConst(a, _)
            | IsZero(a)
            | MaybeZero(a)
            | FromMont(a)
            | Word(a, _)
            | Part(a, _)
            | Reduce(a)
            | Weak(a, _) => vec![*a],
            Int(_, a, b) | Cmp(_, a, b) | Add(a, b) | Sub(a, b) | Mul(a, b) => vec![*a, *b],
            Select(c, a, b) => vec![*c, *a, *b],
            Dot(terms) => terms.iter().flat_map(|(a, b)| [*a, *b]).collect(),
            MulShared(xs, y) => xs.iter().chain([y]).copied().collect(),
            MulTable(a, table, _) => std::iter::once(a).chain(table).copied().collect(),
            FromWords(words) => words.clone(),
        }
    }

    /// The same operation with `f` applied to every operand.
    pub fn map_args(&self, mut f: impl FnMut(Value) -> Value) -> Op {
        use Op::*;
        match self {
            Result(_) | Get(_) | Param(_) | Special(_) | Bool(_) | U32(_) | U64(_) | Const(_) => self.clone(),
            Int(op, a, b) => Int(*op, f(*a), f(*b)),
            Not(a) => Not(f(*a)),
            Bit(op, a) => Bit(*op, f(*a)),
            Cmp(op, a, b) => Cmp(*op, f(*a), f(*b)),
            Widen(a) => Widen(f(*a)),
            Narrow(a) => Narrow(f(*a)),
            Select(c, a, b) => Select(f(*c), f(*a), f(*b)),
            Add(a, b) => Add(f(*a), f(*b)),
            Sub(a, b) => Sub(f(*a), f(*b)),
            Neg(a) => Neg(f(*a)),
            Dbl(a) => Dbl(f(*a)),
            Mul(a, b) => Mul(f(*a), f(*b)),
            Sqr(a) => Sqr(f(*a)),
            MulSmall(a, k) => MulSmall(f(*a), *k),
            MulConst(a, c) => MulConst(f(*a), c.clone()),
            Dot(terms) => Dot(terms.iter().map(|(a, b)| (f(*a), f(*b))).collect()),
            MulShared(xs, y) => MulShared(xs.iter().map(|x| f(*x)).collect(), f(*y)),
            Part(a, i) => Part(f(*a), *i),
            MulTable(a, table, shape) => MulTable(f(*a), table.iter().map(|w| f(*w)).collect(), *shape),
            IsZero(a) => IsZero(f(*a)),
            MaybeZero(a) => MaybeZero(f(*a)),
            FromMont(a) => FromMont(f(*a)),
            FromWords(words) => FromWords(words.iter().map(|w| f(*w)).collect()),
            Word(a, i) => Word(f(*a), *i),
            Reduce(a) => Reduce(f(*a)),
            Weak(a, k) => Weak(f(*a), *k),
        }
    }
}

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
    /// Word `index` (u32) of a shared array.
    Shared {
        /// The array.
        array: SharedId,
        /// Word index, u32.
        index: Value,
    },
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

/// Memory order of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// No ordering.
    Relaxed,
    /// Acquire and release.
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
    /// Reads a word with acquire semantics.
    LoadAcquire {
        /// The u32 read.
        result: Value,
        /// The word.
        place: Place,
        /// Whom it synchronises with.
        scope: Scope,
    },
    /// Writes a word with release semantics.
    StoreRelease {
        /// The word.
        place: Place,
        /// The u32 written.
        value: Value,
        /// Whom it synchronises with.
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
    /// Reads another lane's word.
    Shuffle {
        /// The u32 read.
        result: Value,
        /// Which lane.
        mode: ShuffleMode,
        /// Own word.
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
    /// The lanes of the mask whose word equals the own.
    MatchAny {
        /// One bit a lane.
        result: Value,
        /// Own word.
        value: Value,
        /// Lanes that take part, u32.
        mask: Value,
    },
}

impl Stmt {
    /// Values that the statement defines.
    pub fn results(&self) -> Vec<Value> {
        match self {
            Stmt::Let(v) => vec![*v],
            Stmt::Load { results, .. } => results.clone(),
            Stmt::LoadAcquire { result, .. }
            | Stmt::Atomic { result, .. }
            | Stmt::Shuffle { result, .. }
            | Stmt::Ballot { result, .. }
            | Stmt::MatchAny { result, .. } => vec![*result],
            _ => vec![],
        }
    }

    /// Values that the statement itself reads (not those of nested blocks, nor a `Let`'s operands).
    pub fn uses(&self) -> Vec<Value> {
        let place = |p: &Place| match *p {
            Place::Global { index, .. } | Place::Shared { index, .. } => index,
        };
        match self {
            Stmt::Let(_) | Stmt::Loop(_) | Stmt::Break | Stmt::Return | Stmt::Barrier | Stmt::Fence(_) => {
                vec![]
            }
            Stmt::Set(_, v) => vec![*v],
            Stmt::If { cond, .. } => vec![*cond],
            Stmt::Load { place: p, .. } | Stmt::LoadAcquire { place: p, .. } => vec![place(p)],
            Stmt::Store { place: p, words } => {
                std::iter::once(place(p)).chain(words.iter().copied()).collect()
            }
            Stmt::StoreRelease { place: p, value, .. } | Stmt::Atomic { place: p, value, .. } => {
                vec![place(p), *value]
            }
            Stmt::SyncWarp { mask } => vec![*mask],
            Stmt::Shuffle { value, arg, mask, .. } => vec![*value, *arg, *mask],
            Stmt::Ballot { cond, mask, .. } => vec![*cond, *mask],
            Stmt::MatchAny { value, mask, .. } => vec![*value, *mask],
        }
    }
}

/// A mutable local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalDecl {
    /// Its type.
    pub ty: Type,
}

/// A shared-memory array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDecl {
    /// Words in the array.
    pub words: u32,
}

/// One GPU kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Entry point: `<field or group>_<name>`.
    pub symbol: String,
    /// The contract: parameters, layouts, block size.
    pub desc: KernelDesc,
    /// The field that field values belong to; `None` for field-independent kernels.
    pub field: Option<FieldDesc>,
    /// Extension degree of the coordinates in point layouts; 1 where there are none.
    pub degree: usize,
    ops: Vec<Op>,
    types: Vec<Type>,
    /// Locals by [`Local`].
    pub locals: Vec<LocalDecl>,
    /// Shared arrays by [`SharedId`].
    pub shared: Vec<SharedDecl>,
    /// The program.
    pub body: Block,
}

impl Kernel {
    /// A kernel without values or statements.
    pub fn new(symbol: String, desc: KernelDesc, field: Option<FieldDesc>, degree: usize) -> Self {
        Kernel {
            symbol,
            desc,
            field,
            degree,
            ops: vec![],
            types: vec![],
            locals: vec![],
            shared: vec![],
            body: vec![],
        }
    }

    /// Adds a value; the caller puts it into the statement tree.
    pub fn push(&mut self, op: Op) -> Value {
        let ty = self.type_of_op(&op);
        self.ops.push(op);
        self.types.push(ty);
        Value(self.ops.len() as u32 - 1)
    }

    /// Type of a value.
    pub fn ty(&self, v: Value) -> Type {
        self.types[v.0 as usize]
    }

    /// All values, in order of creation. Operands are older than their users.
    pub fn values(&self) -> impl Iterator<Item = Value> + use<> {
        (0..self.ops.len() as u32).map(Value)
    }

    /// The field; for kernels that have one.
    pub fn field(&self) -> &FieldDesc {
        self.field.as_ref().expect("only kernels with a field hold field values")
    }

    fn type_of_op(&self, op: &Op) -> Type {
        use Op::*;
        match op {
            Result(ty) => *ty,
            Get(l) => self.locals[l.0 as usize].ty,
            Param(p) => match self.desc.params[p.0 as usize].kind {
                curvesmith_abi::ParamKind::U64 => Type::U64,
                _ => Type::U32,
            },
            Bool(_) | Cmp(..) | IsZero(_) | MaybeZero(_) => Type::Pred,
            Special(_) | U32(_) | Bit(..) | Narrow(_) | Word(..) => Type::U32,
            U64(_) | Widen(_) => Type::U64,
            MulShared(..) => Type::Fields,
            Int(_, a, _) | Not(a) | Select(_, a, _) => self.ty(*a),
            Const(_) | Add(..) | Sub(..) | Neg(_) | Dbl(_) | Mul(..) | Sqr(_) | MulSmall(..)
            | MulConst(..) | Dot(_) | Part(..) | MulTable(..) | FromMont(_) | FromWords(_) | Reduce(_)
            | Weak(..) => Type::Field,
        }
    }
}

impl Index<Value> for Kernel {
    type Output = Op;
    fn index(&self, v: Value) -> &Op {
        &self.ops[v.0 as usize]
    }
}

impl IndexMut<Value> for Kernel {
    fn index_mut(&mut self, v: Value) -> &mut Op {
        &mut self.ops[v.0 as usize]
    }
}

/// A fact per value of one kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueMap<T>(Vec<T>);

impl<T: Clone> ValueMap<T> {
    /// The same fact for every value.
    pub fn filled(kernel: &Kernel, fact: T) -> Self {
        ValueMap(vec![fact; kernel.ops.len()])
    }
}
impl<T> Index<Value> for ValueMap<T> {
    type Output = T;
    fn index(&self, v: Value) -> &T {
        &self.0[v.0 as usize]
    }
}
impl<T> IndexMut<Value> for ValueMap<T> {
    fn index_mut(&mut self, v: Value) -> &mut T {
        &mut self.0[v.0 as usize]
    }
}
