//! Operations whose result is known, or cheaper by another operation.

use super::Simplification::{self, *};
use crate::declaration::FieldOp;
use crate::fir::ir::{BitOp, CmpOp, IntOp, Kernel, Op, Type, Value};
use num_traits::{One, Zero};

/// What an operation is folded to.
pub(super) enum Folded {
    /// The operation's result is this value.
    Value(Value),
    /// The same result by another operation.
    Op(Op),
}

/// A rewrite that applies, and what it gives.
type Step = Option<(Simplification, Folded)>;

impl Simplification {
    fn value(self, v: Value) -> Step {
        Some((self, Folded::Value(v)))
    }

    fn op(self, op: Op) -> Step {
        Some((self, Folded::Op(op)))
    }

    fn field(self, op: FieldOp, args: &[Value]) -> Step {
        self.op(Op::Field(op, args.to_vec()))
    }

    fn zero(self) -> Step {
        self.op(Op::Const(Zero::zero()))
    }
}

/// One step of folding, over operands of the new kernel.
pub(super) fn fold(k: &Kernel, op: &Op) -> Step {
    match op {
        Op::Int(o, a, b) => fold_int(k, *o, *a, *b),
        Op::Not(a) => match (&k[*a], k.ty(*a)) {
            (Op::Bool(x), _) => NotConstant.op(Op::Bool(!x)),
            (Op::Not(x), _) => NotTwice.value(*x),
            (Op::U32(x), Type::U32) => NotConstant.op(Op::U32(!x)),
            (Op::U64(x), Type::U64) => NotConstant.op(Op::U64(!x)),
            _ => None,
        },
        Op::Bit(o, a) => match k[*a] {
            Op::U32(x) => BitConstant.op(Op::U32(match o {
                BitOp::Popc => x.count_ones(),
                BitOp::Clz => x.leading_zeros(),
                BitOp::Brev => x.reverse_bits(),
            })),
            _ => None,
        },
        Op::Cmp(o, a, b) => {
            if a == b {
                return CompareSame.op(Op::Bool(matches!(o, CmpOp::Eq | CmpOp::Le)));
            }
            match (constant(k, *a), constant(k, *b)) {
                (Some(x), Some(y)) => CompareConstants.op(Op::Bool(match o {
                    CmpOp::Eq => x == y,
                    CmpOp::Ne => x != y,
                    CmpOp::Lt => x < y,
                    CmpOp::Le => x <= y,
                })),
                _ => None,
            }
        }
        Op::Widen(a) => match k[*a] {
            Op::U32(x) => WidenConstant.op(Op::U64(x.into())),
            _ => None,
        },
        Op::Narrow(a) => match k[*a] {
            Op::U64(x) => NarrowConstant.op(Op::U32(x as u32)),
            Op::Widen(x) => NarrowWidened.value(x),
            _ => None,
        },
        Op::Select(c, a, b) => match k[*c] {
            Op::Bool(true) => SelectKnown.value(*a),
            Op::Bool(false) => SelectKnown.value(*b),
            _ if a == b => SelectSame.value(*a),
            _ => None,
        },
        _ => fold_field(k, op),
    }
}

fn constant(k: &Kernel, v: Value) -> Option<u64> {
    match k[v] {
        Op::U32(x) => Some(x.into()),
        Op::U64(x) => Some(x),
        Op::Bool(x) => Some(x.into()),
        _ => None,
    }
}

/// The constant of a type; bits above its width are dropped.
fn constant_op(ty: Type, x: u64) -> Op {
    match ty {
        Type::U32 => Op::U32(x as u32),
        Type::U64 => Op::U64(x),
        Type::Pred => Op::Bool(x & 1 == 1),
        Type::Field | Type::Ext(_) | Type::Fields => unreachable!("integer operations have integer types"),
    }
}

fn fold_int(k: &Kernel, o: IntOp, a: Value, b: Value) -> Step {
    use IntOp::*;
    let ty = k.ty(a);
    let bits = match ty {
        Type::U64 => 64,
        Type::U32 => 32,
        _ => 1,
    };
    let (x, y) = (constant(k, a), constant(k, b));
    if let (Some(x), Some(y)) = (x, y) {
        let folded = match o {
            Add => Some(x.wrapping_add(y)),
            Sub => Some(x.wrapping_sub(y)),
            Mul => Some(x.wrapping_mul(y)),
            And => Some(x & y),
            Or => Some(x | y),
            Xor => Some(x ^ y),
            // An amount at or above the width is the kernel's own fault; leave it visible.
            Shl => (y < bits).then(|| x << y),
            Shr => (y < bits).then(|| x >> y),
            Min => Some(x.min(y)),
            Max => Some(x.max(y)),
            Div => x.checked_div(y),
            Rem => x.checked_rem(y),
        };
        return IntConstants.op(constant_op(ty, folded?));
    }
    match (o, x, y) {
        (Add | Or | Xor, Some(0), _) => IntNeutralLeft.value(b),
        (Add | Sub | Or | Xor | Shl | Shr, _, Some(0)) => IntNeutral.value(a),
        (Mul, Some(1), _) => IntNeutralLeft.value(b),
        (Mul | Div, _, Some(1)) => IntNeutral.value(a),
        (Mul | And, Some(0), _) | (Mul | And, _, Some(0)) => IntTimesZero.op(constant_op(ty, 0)),
        (And | Or | Min | Max, _, _) if a == b => IntIdempotent.value(a),
        (Sub | Xor, _, _) if a == b => IntCancels.op(constant_op(ty, 0)),
        _ => None,
    }
}

fn fold_field(k: &Kernel, op: &Op) -> Step {
    match op {
        Op::Field(op, args) => fold_field_op(k, op, args),
        Op::Part(a, i) => match k[*a].field() {
            Some((FieldOp::MulShared(n), args)) => fold_part(k, *n, args[*i as usize], args[*n]),
            _ => None,
        },
        // Words under a bound are under every larger one.
        Op::Word(a, i, below) => match &k[*a] {
            Op::FromWords(words, known) if known <= below => WordOfWords.value(words[*i as usize]),
            _ => None,
        },
        _ => None,
    }
}

fn is_zero(k: &Kernel, v: Value) -> bool {
    matches!(&k[v], Op::Const(c) if c.is_zero())
}

fn is_one(k: &Kernel, v: Value) -> bool {
    matches!(&k[v], Op::Const(c) if c.is_one())
}

fn fold_field_op(k: &Kernel, op: &FieldOp, args: &[Value]) -> Step {
    use FieldOp::*;
    let (zero, one) = (|v: Value| is_zero(k, v), |v: Value| is_one(k, v));
    match (op, args) {
        (Add, &[a, b]) if zero(a) => ZeroPlus.value(b),
        (Add | Sub, &[a, b]) if zero(b) => PlusZero.value(a),
        (Sub, &[a, b]) if a == b => MinusSame.zero(),
        (Sub, &[a, b]) if zero(a) => ZeroMinus.field(Neg, &[b]),
        (Add, &[a, b]) if a == b => PlusSame.field(Dbl, &[a]),
        (Neg | Dbl | Sqr | MulSmall(_) | MulConst(_), &[a]) if zero(a) => OfZero.zero(),
        (Neg, &[a]) => match k[a].field() {
            Some((Neg, &[x])) => NegTwice.value(x),
            _ => None,
        },
        (Mul, &[a, b]) if zero(a) || zero(b) => TimesZero.zero(),
        (Mul, &[a, b]) if one(a) => OneTimes.value(b),
        (Mul, &[a, b]) if one(b) => TimesOne.value(a),
        (Mul, &[a, b]) if a == b => TimesSame.field(Sqr, &[a]),
        (MulSmall(0), _) => SmallZero.zero(),
        (MulSmall(1), &[a]) => SmallOne.value(a),
        (MulSmall(2), &[a]) => SmallTwo.field(Dbl, &[a]),
        (MulConst(c), _) if c.is_zero() => ConstantZero.zero(),
        (MulConst(c), &[a]) if c.is_one() => ConstantOne.value(a),
        (Dot(_), terms) if terms.iter().any(|v| zero(*v)) => {
            let left = terms.chunks_exact(2).filter(|term| !zero(term[0]) && !zero(term[1]));
            let left: Vec<Value> = left.flatten().copied().collect();
            if left.is_empty() { DotOfZeros.zero() } else { DotWithZero.field(Dot(left.len() / 2), &left) }
        }
        (Dot(1), term) => DotOfOne.field(Mul, term),
        (MulTable { .. }, [a, ..]) if zero(*a) => TableTimesZero.zero(),
        (IsZero, &[a]) => match &k[a] {
            Op::Const(c) => IsZeroConstant.op(Op::Bool(c.is_zero())),
            Op::Field(Neg, inner) => IsZeroNeg.field(IsZero, inner),
            _ => None,
        },
        _ => None,
    }
}

/// A product of several: none where a factor is 0 or 1, and an ordinary one where it is alone.
fn fold_part(k: &Kernel, products: usize, x: Value, y: Value) -> Step {
    if is_zero(k, x) || is_zero(k, y) {
        PartTimesZero.zero()
    } else if is_one(k, y) {
        PartTimesOne.value(x)
    } else if is_one(k, x) {
        PartTimesOne.value(y)
    } else if products == 1 {
        PartAlone.field(FieldOp::Mul, &[x, y])
    } else {
        None
    }
}
