//! The embedded builder: kernels written in Rust that read like the algorithm.
//!
//! A [`Builder`] is shared by reference; values are small copyable handles with operators.
//! ```
//! use curvesmith_abi::{Kernel as _, kernels::FieldMul};
//! use curvesmith_codegen::{fir::build::Builder, spec::FieldDesc};
//!
//! let field = FieldDesc::new("toy", 13u32.into());
//! let b = Builder::for_field::<FieldMul>(&field);
//! let i = b.global_index();
//! b.return_if(i.ge(b.scalar("n")));
//! let product = b.buffer("a").field(i) * b.buffer("b").field(i);
//! b.buffer("out").set_field(i, product);
//! let kernel = b.finish();
//! assert_eq!(kernel.symbol, "toy_mul");
//! ```

use super::ir::*;
use crate::spec::{FieldDesc, GroupDesc};
use curvesmith_abi::{Element, KernelDesc, ParamKind, TableShape, padded_words};
use num_bigint::BigUint;
use std::cell::RefCell;
use std::marker::PhantomData;

/// A kernel under construction.
#[derive(Debug)]
pub struct Builder {
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    kernel: Kernel,
    /// The open blocks, outermost first.
    blocks: Vec<Block>,
}

/// A typed handle to a value.
pub trait Handle<'k>: Copy {
    /// The value's type.
    const TYPE: Type;
    /// Wraps a value of that type.
    fn wrap(b: &'k Builder, id: Value) -> Self;
    /// The value.
    fn id(self) -> Value;
}

macro_rules! handles {
    ($($(#[$meta:meta])* $name:ident = $ty:ident),*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'k> { b: &'k Builder, id: Value }
        impl<'k> Handle<'k> for $name<'k> {
            const TYPE: Type = Type::$ty;
            fn wrap(b: &'k Builder, id: Value) -> Self { $name { b, id } }
            fn id(self) -> Value { self.id }
        }
        impl<'k> $name<'k> {
            /// The builder it belongs to.
            pub fn builder(self) -> &'k Builder { self.b }
        }
    )*};
}

handles! {
    /// A predicate.
    Pred = Pred,
    /// A 32-bit word.
    U32 = U32,
    /// A 64-bit word.
    U64 = U64,
    /// A field element.
    Fe = Field
}

/// A mutable local of handle type `T`.
#[derive(Clone, Copy, Debug)]
pub struct Var<'k, T> {
    b: &'k Builder,
    local: Local,
    ty: PhantomData<T>,
}

impl<'k, T: Handle<'k>> Var<'k, T> {
    /// The content now.
    pub fn get(self) -> T {
        self.b.emit(Op::Get(self.local))
    }
    /// Replaces the content.
    pub fn set(self, value: T) {
        self.b.stmt(Stmt::Set(self.local, value.id()));
    }
}

/// A buffer parameter.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'k> {
    b: &'k Builder,
    id: ParamId,
}

/// A shared-memory array of words.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'k> {
    b: &'k Builder,
    id: SharedId,
}

/// The table of a constant, for [`Fe::mul_table`].
#[derive(Clone, Debug)]
pub struct Table<'k> {
    /// The elements whose Montgomery words are the entries.
    pub entries: Vec<Fe<'k>>,
    /// What the entries are.
    pub shape: TableShape,
}

/// All lanes of a warp.
pub const FULL_MASK: u32 = 0xffff_ffff;

impl Builder {
    /// A kernel of a field's image.
    pub fn for_field<K: curvesmith_abi::Kernel>(field: &FieldDesc) -> Builder {
        Builder::new(format!("{}_{}", field.name, K::DESC.name), K::DESC, Some(field.clone()), 1)
    }

    /// A kernel of a group's image.
    pub fn for_group<K: curvesmith_abi::Kernel>(group: &GroupDesc) -> Builder {
        Builder::new(
            format!("{}_{}", group.name, K::DESC.name),
            K::DESC,
            Some(group.base.clone()),
            group.degree(),
        )
    }

    /// A field-independent kernel.
    pub fn common<K: curvesmith_abi::Kernel>() -> Builder {
        Builder::new(format!("common_{}", K::DESC.name), K::DESC, None, 1)
    }

    /// A kernel from its parts.
    pub fn new(symbol: String, desc: KernelDesc, field: Option<FieldDesc>, degree: usize) -> Builder {
        let kernel = Kernel::new(symbol, desc, field, degree);
        Builder { state: RefCell::new(State { kernel, blocks: vec![vec![]] }) }
    }

    /// The finished kernel.
    pub fn finish(self) -> Kernel {
        let State { mut kernel, mut blocks } = self.state.into_inner();
        kernel.body = blocks.pop().expect("the outermost block is open until here");
        assert!(blocks.is_empty(), "every nested block is closed by its closure");
        kernel
    }

    /// The field of the kernel.
    pub fn field_desc(&self) -> FieldDesc {
        self.state.borrow().kernel.field().clone()
    }

    /// Extension degree of the coordinates.
    pub fn degree(&self) -> usize {
        self.state.borrow().kernel.degree
    }

    fn stmt(&self, stmt: Stmt) {
        let mut s = self.state.borrow_mut();
        s.blocks.last_mut().expect("the outermost block is open").push(stmt);
    }

    fn push<'k, T: Handle<'k>>(&'k self, op: Op) -> T {
        let id = self.state.borrow_mut().kernel.push(op);
        debug_assert_eq!(self.state.borrow().kernel.ty(id), T::TYPE);
        T::wrap(self, id)
    }

    fn emit<'k, T: Handle<'k>>(&'k self, op: Op) -> T {
        let handle: T = self.push(op);
        self.stmt(Stmt::Let(handle.id()));
        handle
    }

    fn result(&self) -> U32<'_> {
        self.push(Op::Result(Type::U32))
    }

    fn block(&self, body: impl FnOnce()) -> Block {
        self.state.borrow_mut().blocks.push(vec![]);
        body();
        self.state.borrow_mut().blocks.pop().expect("pushed above")
    }

    fn param(&self, name: &str) -> (ParamId, ParamKind) {
        let s = self.state.borrow();
        let i = s.kernel.desc.params.iter().position(|p| p.name == name);
        let i = i.unwrap_or_else(|| panic!("kernel {} has no parameter {name}", s.kernel.symbol));
        (ParamId(i as u32), s.kernel.desc.params[i].kind)
    }

    /// The u32 parameter of that name.
    pub fn scalar(&self, name: &str) -> U32<'_> {
        let (id, kind) = self.param(name);
        assert_eq!(kind, ParamKind::U32, "{name}");
        self.emit(Op::Param(id))
    }

    /// The buffer parameter of that name.
    pub fn buffer(&self, name: &str) -> Buffer<'_> {
        let (id, kind) = self.param(name);
        assert!(matches!(kind, ParamKind::Buffer(..)), "{name}");
        Buffer { b: self, id }
    }

    /// A new shared array.
    pub fn shared(&self, words: u32) -> Shared<'_> {
        let mut s = self.state.borrow_mut();
        s.kernel.shared.push(SharedDecl { words });
        Shared { b: self, id: SharedId(s.kernel.shared.len() as u32 - 1) }
    }

    /// A new local with its first content.
    pub fn var<'k, T: Handle<'k>>(&'k self, init: T) -> Var<'k, T> {
        let local = {
            let mut s = self.state.borrow_mut();
            s.kernel.locals.push(LocalDecl { ty: T::TYPE });
            Local(s.kernel.locals.len() as u32 - 1)
        };
        let var = Var { b: self, local, ty: PhantomData };
        var.set(init);
        var
    }

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
        self.emit(Op::Dot(terms.iter().map(|(a, b)| (a.id, b.id)).collect()))
    }

    /// The products `x·y` of every `x` by one `y`, which together cost less than one by one.
    pub fn mul_shared<'k>(&'k self, xs: &[Fe<'k>], y: Fe<'k>) -> Vec<Fe<'k>> {
        let all = {
            let mut s = self.state.borrow_mut();
            s.kernel.push(Op::MulShared(xs.iter().map(|x| x.id).collect(), y.id))
        };
        self.stmt(Stmt::Let(all));
        (0..xs.len() as u32).map(|i| self.emit(Op::Part(all, i))).collect()
    }

    /// The element with these canonical Montgomery words.
    pub fn from_words<'k>(&'k self, words: &[U32<'k>]) -> Fe<'k> {
        assert_eq!(words.len(), self.field_desc().words);
        self.emit(Op::FromWords(words.iter().map(|w| w.id).collect()))
    }

    /// Launch position.
    pub fn special(&self, s: Special) -> U32<'_> {
        self.emit(Op::Special(s))
    }

    /// Thread in the block.
    pub fn thread(&self) -> U32<'_> {
        self.special(Special::Thread)
    }

    /// Block in the grid.
    pub fn block_index(&self) -> U32<'_> {
        self.special(Special::Block)
    }

    /// Lane in the warp.
    pub fn lane(&self) -> U32<'_> {
        self.special(Special::Lane)
    }

    /// `block · block size + thread`.
    pub fn global_index(&self) -> U32<'_> {
        self.block_index() * self.special(Special::BlockSize) + self.thread()
    }

    /// Runs `then` where `cond` holds.
    pub fn if_(&self, cond: Pred<'_>, then: impl FnOnce()) {
        self.if_else(cond, then, || {});
    }

    /// Runs one of the two.
    pub fn if_else(&self, cond: Pred<'_>, then: impl FnOnce(), otherwise: impl FnOnce()) {
        let (then, otherwise) = (self.block(then), self.block(otherwise));
        self.stmt(Stmt::If { cond: cond.id, then, otherwise });
    }

    /// Runs `body` until [`Builder::break_if`] leaves it.
    pub fn loop_(&self, body: impl FnOnce()) {
        let body = self.block(body);
        self.stmt(Stmt::Loop(body));
    }

    /// Leaves the innermost loop where `cond` holds.
    pub fn break_if(&self, cond: Pred<'_>) {
        self.if_(cond, || self.stmt(Stmt::Break));
    }

    /// Ends the thread where `cond` holds.
    pub fn return_if(&self, cond: Pred<'_>) {
        self.if_(cond, || self.stmt(Stmt::Return));
    }

    /// Runs `body` while `cond`, evaluated before each round, holds.
    pub fn while_<'k>(&'k self, cond: impl FnOnce() -> Pred<'k>, body: impl FnOnce()) {
        self.loop_(|| {
            self.break_if(!cond());
            body();
        });
    }

    /// Runs `body(i)` for `i = start, start + step, …` below `end` (no wrap-around: `end + step ≤ 2^32`).
    pub fn for_<'k>(&'k self, start: U32<'k>, end: U32<'k>, step: u32, body: impl FnOnce(U32<'k>)) {
        let i = self.var(start);
        self.while_(
            || i.get().lt(end),
            || {
                let now = i.get();
                body(now);
                i.set(now + step);
            },
        );
    }

    /// All threads of the block meet.
    pub fn barrier(&self) {
        self.stmt(Stmt::Barrier);
    }

    /// The lanes of `mask` meet.
    pub fn sync_warp(&self, mask: U32<'_>) {
        self.stmt(Stmt::SyncWarp { mask: mask.id });
    }

    /// Orders this thread's accesses.
    pub fn fence(&self, scope: Scope) {
        self.stmt(Stmt::Fence(scope));
    }

    /// Another lane's word.
    pub fn shuffle<'k>(&'k self, mode: ShuffleMode, value: U32<'k>, arg: U32<'k>, mask: U32<'k>) -> U32<'k> {
        let result = self.result();
        self.stmt(Stmt::Shuffle { result: result.id, mode, value: value.id, arg: arg.id, mask: mask.id });
        result
    }

    /// One bit for each lane of `mask` where `cond` holds.
    pub fn ballot<'k>(&'k self, cond: Pred<'k>, mask: U32<'k>) -> U32<'k> {
        let result = self.result();
        self.stmt(Stmt::Ballot { result: result.id, cond: cond.id, mask: mask.id });
        result
    }

    /// One bit for each lane of `mask` whose word equals the own.
    pub fn match_any<'k>(&'k self, value: U32<'k>, mask: U32<'k>) -> U32<'k> {
        let result = self.result();
        self.stmt(Stmt::MatchAny { result: result.id, value: value.id, mask: mask.id });
        result
    }

    fn load<'k>(&'k self, place: Place, count: usize) -> Vec<U32<'k>> {
        let results: Vec<U32<'k>> = (0..count).map(|_| self.result()).collect();
        self.stmt(Stmt::Load { results: results.iter().map(|r| r.id).collect(), place });
        results
    }

    fn store(&self, place: Place, words: &[U32<'_>]) {
        self.stmt(Stmt::Store { place, words: words.iter().map(|w| w.id).collect() });
    }

    fn atomic(&self, op: AtomicOp, place: Place, value: U32<'_>, order: Order, scope: Scope) -> U32<'_> {
        let result = self.result();
        self.stmt(Stmt::Atomic { result: result.id, op, place, value: value.id, order, scope });
        result
    }
}

impl<'k> Buffer<'k> {
    fn place(self, index: U32<'k>, word: u32) -> Place {
        Place::Global { buffer: self.id, index: index.id, word }
    }

    /// The word at `index`, in a buffer of u32.
    pub fn word(self, index: U32<'k>) -> U32<'k> {
        self.b.load(self.place(index, 0), 1)[0]
    }

    /// Writes the word at `index`, in a buffer of u32.
    pub fn set_word(self, index: U32<'k>, value: U32<'k>) {
        self.b.store(self.place(index, 0), &[value]);
    }

    /// The raw words of field element `part` of element `index`, without padding.
    pub fn part_words(self, index: U32<'k>, part: usize) -> Vec<U32<'k>> {
        let words = self.b.field_desc().words;
        self.b.load(self.place(index, (part * padded_words(words)) as u32), words)
    }

    /// Field element `part` of element `index`: a coordinate of a point, or 0 in a field vector.
    pub fn part(self, index: U32<'k>, part: usize) -> Fe<'k> {
        let words = self.part_words(index, part);
        self.b.from_words(&words)
    }

    /// Writes field element `part` of element `index`, padding included.
    pub fn set_part(self, index: U32<'k>, part: usize, value: Fe<'k>) {
        let n = self.b.field_desc().words;
        let mut words = value.words();
        words.resize_with(padded_words(n), || self.b.u32(0));
        self.b.store(self.place(index, (part * padded_words(n)) as u32), &words);
    }

    /// Element `index` of a field vector.
    pub fn field(self, index: U32<'k>) -> Fe<'k> {
        self.part(index, 0)
    }

    /// The constant at `index`, in a buffer of tables.
    pub fn table(self, index: U32<'k>) -> Table<'k> {
        let (id, kind) = (self.id, self.b.state.borrow().kernel.desc.params[self.id.0 as usize].kind);
        let ParamKind::Buffer(_, Element::Table(shape)) = kind else { panic!("{id} holds no tables") };
        let words = self.b.field_desc().words;
        let shape = shape.fit(words);
        Table { entries: (0..shape.entries(words)).map(|i| self.part(index, i)).collect(), shape }
    }

    /// Writes element `index` of a field vector.
    pub fn set_field(self, index: U32<'k>, value: Fe<'k>) {
        self.set_part(index, 0, value);
    }

    /// Atomic operation on the word at `index`, in a buffer of u32; the word before.
    pub fn atomic(self, op: AtomicOp, index: U32<'k>, value: U32<'k>, order: Order) -> U32<'k> {
        self.b.atomic(op, self.place(index, 0), value, order, Scope::Device)
    }

    /// The word at `index`, ordered after the release it reads from.
    pub fn load_acquire(self, index: U32<'k>) -> U32<'k> {
        let result = self.b.result();
        let place = self.place(index, 0);
        self.b.stmt(Stmt::LoadAcquire { result: result.id, place, scope: Scope::Device });
        result
    }

    /// Writes the word at `index` after all earlier accesses of this thread.
    pub fn store_release(self, index: U32<'k>, value: U32<'k>) {
        let place = self.place(index, 0);
        self.b.stmt(Stmt::StoreRelease { place, value: value.id, scope: Scope::Device });
    }
}

impl<'k> Shared<'k> {
    fn place(self, index: U32<'k>) -> Place {
        Place::Shared { array: self.id, index: index.id }
    }

    /// The word at `index`.
    pub fn word(self, index: U32<'k>) -> U32<'k> {
        self.b.load(self.place(index), 1)[0]
    }

    /// Writes the word at `index`.
    pub fn set_word(self, index: U32<'k>, value: U32<'k>) {
        self.b.store(self.place(index), &[value]);
    }

    /// Atomic operation on the word at `index`; the word before.
    pub fn atomic(self, op: AtomicOp, index: U32<'k>, value: U32<'k>) -> U32<'k> {
        self.b.atomic(op, self.place(index), value, Order::Relaxed, Scope::Block)
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
binary!(Fe: Add add Op::Add, Sub sub Op::Sub, Mul mul Op::Mul);

impl std::ops::Neg for Fe<'_> {
    type Output = Self;
    fn neg(self) -> Self {
        self.b.emit(Op::Neg(self.id))
    }
}

impl<'k> Fe<'k> {
    /// `2·self`
    pub fn dbl(self) -> Self {
        self.b.emit(Op::Dbl(self.id))
    }
    /// `self²`
    pub fn sqr(self) -> Self {
        self.b.emit(Op::Sqr(self.id))
    }
    /// `k·self`
    pub fn mul_small(self, k: u32) -> Self {
        self.b.emit(Op::MulSmall(self.id, k))
    }
    /// `c·self`, `c` reduced mod `p`.
    pub fn mul_const(self, c: &BigUint) -> Self {
        let c = c % &self.b.field_desc().p;
        self.b.emit(Op::MulConst(self.id, c))
    }
    /// `self·w` for the constant `w` of a table.
    pub fn mul_table(self, table: &Table<'k>) -> Self {
        let entries = table.entries.iter().map(|w| w.id).collect();
        self.b.emit(Op::MulTable(self.id, entries, table.shape))
    }
    /// Whether it is zero.
    pub fn is_zero(self) -> Pred<'k> {
        self.b.emit(Op::IsZero(self.id))
    }
    /// True wherever it is zero, and perhaps elsewhere. For branches whose arm asks
    /// [`Fe::is_zero`].
    pub fn maybe_zero(self) -> Pred<'k> {
        self.b.emit(Op::MaybeZero(self.id))
    }
    /// The element whose Montgomery words are the canonical integer `self`.
    pub fn from_mont(self) -> Self {
        self.b.emit(Op::FromMont(self.id))
    }
    /// The words of the canonical Montgomery representation.
    pub fn words(self) -> Vec<U32<'k>> {
        let n = self.b.field_desc().words as u32;
        (0..n).map(|i| self.b.emit(Op::Word(self.id, i))).collect()
    }
}
