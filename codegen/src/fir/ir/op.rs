//! Pure operations: what a value is computed from.

use super::{Local, ParamId, Type, Value};
use crate::declaration::{FieldDesc, FieldOp};
use num_bigint::BigUint;

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

/// The bound that the words of an element are under: the number of times `p`.
///
/// Words below `p` are canonical, and an element has one such representative. Under a larger number it has
/// several, and what reads words may get those of any. The limit is then `k·p` rounded up to where the words
/// below the top one are zero, so that the top word says whether it holds; `k·p` fits the words, hence the
/// limit does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Below(pub u32);

impl Below {
    /// `< p`.
    pub const CANONICAL: Below = Below(1);

    /// The bound itself where the words of a field hold so much, or else the largest that they do hold.
    pub fn fit(self, field: &FieldDesc) -> Below {
        (1..=self.0).rev().map(Below).find(|below| below.fits(field)).unwrap_or(Below::CANONICAL)
    }

    /// Whether the words of a field hold `k·p`; nothing is below 0.
    pub fn fits(self, field: &FieldDesc) -> bool {
        self.0 > 0 && &field.p * self.0 <= field.r()
    }

    /// Words under the bound are less than this, which is at most `R` where the bound [fits](Below::fits).
    pub fn limit(self, field: &FieldDesc) -> BigUint {
        if self == Below::CANONICAL {
            return field.p.clone();
        }
        let low = 32 * (field.words - 1);
        let ones = (BigUint::from(1u32) << low) - 1u32;
        (&field.p * self.0 + ones) >> low << low
    }
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
    /// An argument of the function, by position.
    Argument(u32),
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
    /// An operation on elements of the field, or all of one level of the tower.
    Field(FieldOp, Vec<Value>),
    /// Result `i` of an operation with several.
    Part(Value, u32),
    /// The element with these Montgomery words, `words` of them; the kernel promises that they are under the
    /// bound.
    FromWords(Vec<Value>, Below),
    /// Word `i` of a Montgomery representative under the bound. The words of a value under one bound are of
    /// one representative where one of the operations dominates the others; else, and of equal elements, they
    /// need not be.
    Word(Value, u32, Below),
    /// The element of a level with these coefficients, elements of the level below; that of 1 first.
    Compose(u8, Vec<Value>),
    /// Coefficient `i` of an element of a level above the field.
    Coefficient(Value, u32),
}

impl Op {
    /// The operation of the field and its operands, if it is one.
    pub fn field(&self) -> Option<(&FieldOp, &[Value])> {
        match self {
            Op::Field(op, args) => Some((op, args)),
            _ => None,
        }
    }

    /// The operands, in order.
    pub fn args(&self) -> Vec<Value> {
        use Op::*;
        match self {
            Result(_) | Get(_) | Param(_) | Argument(_) | Special(_) | Bool(_) | U32(_) | U64(_)
            | Const(_) => vec![],
            Not(a) | Bit(_, a) | Widen(a) | Narrow(a) | Word(a, ..) | Part(a, _) | Coefficient(a, _) => {
                vec![*a]
            }
            Int(_, a, b) | Cmp(_, a, b) => vec![*a, *b],
            Select(c, a, b) => vec![*c, *a, *b],
            Field(_, values) | FromWords(values, _) | Compose(_, values) => values.clone(),
        }
    }

    /// The same operation with `f` applied to every operand.
    pub fn map_args(&self, mut f: impl FnMut(Value) -> Value) -> Op {
        use Op::*;
        match self {
            Result(_) | Get(_) | Param(_) | Argument(_) | Special(_) | Bool(_) | U32(_) | U64(_)
            | Const(_) => self.clone(),
            Int(op, a, b) => Int(*op, f(*a), f(*b)),
            Not(a) => Not(f(*a)),
            Bit(op, a) => Bit(*op, f(*a)),
            Cmp(op, a, b) => Cmp(*op, f(*a), f(*b)),
            Widen(a) => Widen(f(*a)),
            Narrow(a) => Narrow(f(*a)),
            Select(c, a, b) => Select(f(*c), f(*a), f(*b)),
            Field(op, args) => Field(op.clone(), args.iter().map(|a| f(*a)).collect()),
            Part(a, i) => Part(f(*a), *i),
            FromWords(words, below) => FromWords(words.iter().map(|w| f(*w)).collect(), *below),
            Word(a, i, below) => Word(f(*a), *i, *below),
            Compose(level, parts) => Compose(*level, parts.iter().map(|a| f(*a)).collect()),
            Coefficient(a, i) => Coefficient(f(*a), *i),
        }
    }
}
