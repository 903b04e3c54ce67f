//! Constants, and what handles compute.

use super::{Builder, Fe, Handle, Pred, Table, U32, U64};
use crate::declaration::{FieldOp, Gives};
use crate::fir::ir::*;
use curvesmith_abi::TableShape;
use num_bigint::BigUint;

impl Builder {
    /// A word constant.
    pub fn u32(&self, x: u32) -> U32<'_> {
        self.emit(Op::U32(x))
    }

    /// A 64-bit constant.
    pub fn u64(&self, x: u64) -> U64<'_> {
        self.emit(Op::U64(x))
    }

    /// A predicate constant.
    pub fn bool(&self, x: bool) -> Pred<'_> {
        self.emit(Op::Bool(x))
    }

    /// A field constant, reduced mod `p`.
    pub fn constant(&self, x: &BigUint) -> Fe<'_> {
        let x = x % &self.field_desc().p;
        self.emit(Op::Const(x))
    }

    /// The zero of the field.
    pub fn zero(&self) -> Fe<'_> {
        self.emit(Op::Const(BigUint::ZERO))
    }

    /// The one of the field.
    pub fn one(&self) -> Fe<'_> {
        self.emit(Op::Const(1u32.into()))
    }

    /// `Σ a·b` with one reduction where the field has room.
    pub fn dot<'k>(&'k self, terms: &[(Fe<'k>, Fe<'k>)]) -> Fe<'k> {
        self.emit(Op::Field(
            FieldOp::Dot(terms.len()),
            terms.iter().flat_map(|(a, b)| [a.id, b.id]).collect(),
        ))
    }

    /// The products `x·y` of every `x` by one `y`, which together cost less than one by one.
    pub fn mul_shared<'k>(&'k self, xs: &[Fe<'k>], y: Fe<'k>) -> Vec<Fe<'k>> {
        self.apply(FieldOp::MulShared(xs.len()), &[xs, &[y]].concat())
    }

    /// The coordinates of `Σ (x0 + x1·u)·(y0 + y1·u)` with `u² = nonresidue`, which is not 0 and at most
    /// [`MAX_NONRESIDUE`](crate::declaration::MAX_NONRESIDUE) from it.
    pub fn dot_fq2<'k>(&'k self, terms: &[([Fe<'k>; 2], [Fe<'k>; 2])], nonresidue: i32) -> [Fe<'k>; 2] {
        let op = FieldOp::DotFq2 { terms: terms.len(), nonresidue };
        let operands: Vec<Fe<'k>> = terms.iter().flat_map(|(x, y)| [*x, *y].concat()).collect();
        let coordinates = self.apply(op, &operands);
        coordinates.try_into().expect("there are two")
    }

    /// The results of any operation whose results are elements.
    pub fn apply<'k>(&'k self, op: FieldOp, args: &[Fe<'k>]) -> Vec<Fe<'k>> {
        assert!(!op.tests_zero(), "{op:?} gives no element");
        let (gives, results) = (op.gives(), op.results() as u32);
        let op = Op::Field(op, args.iter().map(|x| x.id).collect());
        // One of several is still a part: of products by one operand there may be one.
        if gives == Gives::Element {
            return vec![self.emit(op)];
        }
        let all = self.state.borrow_mut().kernel.push(op);
        self.stmt(Stmt::Let(all));
        (0..results).map(|i| self.emit(Op::Part(all, i))).collect()
    }

    /// The element with these canonical Montgomery words.
    pub fn from_words<'k>(&'k self, words: &[U32<'k>]) -> Fe<'k> {
        self.from_words_below(words, Below::CANONICAL)
    }

    /// The element with these Montgomery words, which are under a bound.
    pub fn from_words_below<'k>(&'k self, words: &[U32<'k>], below: Below) -> Fe<'k> {
        assert_eq!(words.len(), self.field_desc().words);
        self.emit(Op::FromWords(words.iter().map(|w| w.id).collect(), below))
    }
}

macro_rules! int_ops {
    ($name:ident, $const:ident, $lit:ty: $($tr:ident $method:ident $op:ident),*) => {
        $(
            impl<'k> std::ops::$tr for $name<'k> {
                type Output = $name<'k>;
                fn $method(self, rhs: Self) -> Self { self.b.emit(Op::Int(IntOp::$op, self.id, rhs.id)) }
            }
            impl<'k> std::ops::$tr<$lit> for $name<'k> {
                type Output = $name<'k>;
                fn $method(self, rhs: $lit) -> Self { let rhs = self.b.$const(rhs); std::ops::$tr::$method(self, rhs) }
            }
        )*
        /// The amount is below the width.
        impl<'k> std::ops::Shl<U32<'k>> for $name<'k> {
            type Output = $name<'k>;
            fn shl(self, amount: U32<'k>) -> Self { self.b.emit(Op::Int(IntOp::Shl, self.id, amount.id)) }
        }
        /// The amount is below the width.
        impl<'k> std::ops::Shr<U32<'k>> for $name<'k> {
            type Output = $name<'k>;
            fn shr(self, amount: U32<'k>) -> Self { self.b.emit(Op::Int(IntOp::Shr, self.id, amount.id)) }
        }
        impl<'k> std::ops::Shl<u32> for $name<'k> {
            type Output = $name<'k>;
            fn shl(self, amount: u32) -> Self { self << self.b.u32(amount) }
        }
        impl<'k> std::ops::Shr<u32> for $name<'k> {
            type Output = $name<'k>;
            fn shr(self, amount: u32) -> Self { self >> self.b.u32(amount) }
        }
        impl<'k> std::ops::Not for $name<'k> {
            type Output = $name<'k>;
            fn not(self) -> Self { self.b.emit(Op::Not(self.id)) }
        }
        impl<'k> $name<'k> {
            /// `self < rhs`
            pub fn lt(self, rhs: Self) -> Pred<'k> { self.b.emit(Op::Cmp(CmpOp::Lt, self.id, rhs.id)) }
            /// `self ≤ rhs`
            pub fn le(self, rhs: Self) -> Pred<'k> { self.b.emit(Op::Cmp(CmpOp::Le, self.id, rhs.id)) }
            /// `self > rhs`
            pub fn gt(self, rhs: Self) -> Pred<'k> { rhs.lt(self) }
            /// `self ≥ rhs`
            pub fn ge(self, rhs: Self) -> Pred<'k> { rhs.le(self) }
            /// `self = rhs`
            pub fn eq(self, rhs: Self) -> Pred<'k> { self.b.emit(Op::Cmp(CmpOp::Eq, self.id, rhs.id)) }
            /// `self ≠ rhs`
            pub fn ne(self, rhs: Self) -> Pred<'k> { self.b.emit(Op::Cmp(CmpOp::Ne, self.id, rhs.id)) }
            /// The smaller.
            pub fn min(self, rhs: Self) -> Self { self.b.emit(Op::Int(IntOp::Min, self.id, rhs.id)) }
            /// The larger.
            pub fn max(self, rhs: Self) -> Self { self.b.emit(Op::Int(IntOp::Max, self.id, rhs.id)) }
        }
    };
}

int_ops!(U32, u32, u32: Add add Add, Sub sub Sub, Mul mul Mul, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor, Div div Div, Rem rem Rem);
int_ops!(U64, u64, u64: Add add Add, Sub sub Sub, Mul mul Mul, BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor, Div div Div, Rem rem Rem);

impl<'k> U32<'k> {
    /// Zero-extended.
    pub fn widen(self) -> U64<'k> {
        self.b.emit(Op::Widen(self.id))
    }
    /// Number of ones.
    pub fn popc(self) -> U32<'k> {
        self.b.emit(Op::Bit(BitOp::Popc, self.id))
    }
    /// Leading zeros; 32 for zero.
    pub fn clz(self) -> U32<'k> {
        self.b.emit(Op::Bit(BitOp::Clz, self.id))
    }
    /// Bits in reverse order.
    pub fn brev(self) -> U32<'k> {
        self.b.emit(Op::Bit(BitOp::Brev, self.id))
    }
    /// `self = x` for a constant.
    pub fn is(self, x: u32) -> Pred<'k> {
        self.eq(self.b.u32(x))
    }
}

impl<'k> U64<'k> {
    /// Low half.
    pub fn narrow(self) -> U32<'k> {
        self.b.emit(Op::Narrow(self.id))
    }
}

impl<'k> Pred<'k> {
    /// `self ? a : b`
    pub fn select<T: Handle<'k>>(self, a: T, b: T) -> T {
        self.b.emit(Op::Select(self.id, a.id(), b.id()))
    }
}

impl std::ops::Not for Pred<'_> {
    type Output = Self;
    fn not(self) -> Self {
        self.b.emit(Op::Not(self.id))
    }
}

macro_rules! binary {
    ($name:ident: $($tr:ident $method:ident $op:expr),*) => {$(
        impl<'k> std::ops::$tr for $name<'k> {
            type Output = $name<'k>;
            fn $method(self, rhs: Self) -> Self {
                let op: fn(Value, Value) -> Op = $op;
                self.b.emit(op(self.id, rhs.id))
            }
        }
    )*};
}

binary!(Pred: BitAnd bitand |a, b| Op::Int(IntOp::And, a, b), BitOr bitor |a, b| Op::Int(IntOp::Or, a, b), BitXor bitxor |a, b| Op::Int(IntOp::Xor, a, b));
binary!(Fe: Add add |a, b| Op::Field(FieldOp::Add, vec![a, b]), Sub sub |a, b| Op::Field(FieldOp::Sub, vec![a, b]), Mul mul |a, b| Op::Field(FieldOp::Mul, vec![a, b]));

impl std::ops::Neg for Fe<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.of(FieldOp::Neg)
    }
}

impl<'k> Fe<'k> {
    /// An operation of this element alone.
    fn of<T: Handle<'k>>(self, op: FieldOp) -> T {
        self.b.emit(Op::Field(op, vec![self.id]))
    }

    /// `2·self`
    pub fn dbl(self) -> Self {
        self.of(FieldOp::Dbl)
    }
    /// `self²`
    pub fn sqr(self) -> Self {
        self.of(FieldOp::Sqr)
    }
    /// `k·self`
    pub fn mul_small(self, k: u32) -> Self {
        self.of(FieldOp::MulSmall(k))
    }
    /// `c·self`, `c` reduced mod `p`.
    pub fn mul_const(self, c: &BigUint) -> Self {
        let c = c % &self.b.field_desc().p;
        self.of(FieldOp::MulConst(c))
    }
    /// `self·w` for the constant `w` of a table.
    pub fn mul_table(self, table: &Table<'k>) -> Self {
        let TableShape { step, rows } = table.shape;
        let args = [self].iter().chain(&table.entries).map(|x| x.id).collect();
        self.b.emit(Op::Field(FieldOp::MulTable { step, rows }, args))
    }
    /// Whether it is zero.
    pub fn is_zero(self) -> Pred<'k> {
        self.of(FieldOp::IsZero)
    }
    /// True wherever it is zero, and perhaps elsewhere. For branches whose arm asks
    /// [`Fe::is_zero`].
    pub fn maybe_zero(self) -> Pred<'k> {
        self.of(FieldOp::MaybeZero)
    }
    /// The element whose Montgomery words are the canonical integer `self`.
    pub fn from_mont(self) -> Self {
        self.of(FieldOp::FromMont)
    }
    /// The words of the canonical Montgomery representation.
    pub fn words(self) -> Vec<U32<'k>> {
        self.words_below(Below::CANONICAL)
    }
    /// The words of a Montgomery representative under a bound. Nothing but
    /// [`Builder::from_words_below`] may be made of them where there are several.
    pub fn words_below(self, below: Below) -> Vec<U32<'k>> {
        let n = self.b.field_desc().words as u32;
        (0..n).map(|i| self.b.emit(Op::Word(self.id, i, below))).collect()
    }
}
