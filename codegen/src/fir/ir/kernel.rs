//! Kernels: the arena of operations and the tree of statements.

use super::{Below, Block, Op, Type, Value};
use crate::declaration::{FieldDesc, Gives, Tower, TowerField};
use curvesmith_abi::{Family, Form, KernelDesc};
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A mutable local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalDecl {
    /// Its type.
    pub ty: Type,
}

/// A shared-memory array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedDecl {
    /// Its length, in words or elements.
    pub length: u32,
    /// What it holds.
    pub holds: Holds,
}

/// What a shared-memory array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Words.
    Words,
    /// Elements of the prime field under a bound, read and written whole: all words of one, and nothing
    /// between them.
    Elements(Below),
}

impl SharedDecl {
    /// Words from one index to the next, in a kernel over a field of `words` words.
    pub fn stride(&self, words: usize) -> usize {
        match self.holds {
            Holds::Words => 1,
            Holds::Elements(_) => words,
        }
    }
}

/// What a function takes and gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Types of its arguments.
    pub arguments: Vec<Type>,
    /// Types of its results.
    pub results: Vec<Type>,
}

/// The contract of functions, which are not launched.
const FUNCTION: KernelDesc =
    KernelDesc { name: "function", family: Family::Common, block: 32, wide_block: 32, params: &[] };

/// One GPU kernel, or a function that kernels call: a function is pure, that is, it knows neither memory nor
/// threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Entry point: `<field or group>_<name>`.
    pub symbol: String,
    /// The contract: parameters, layouts, block size.
    pub desc: KernelDesc,
    /// What a function takes and gives; `None` for what is launched.
    pub function: Option<Signature>,
    /// What it calls, by [`FunctionId`](super::FunctionId).
    pub functions: Vec<Arc<Kernel>>,
    /// The field that field values belong to; `None` for field-independent kernels.
    pub field: Option<FieldDesc>,
    /// The levels above the field. The coordinates in point layouts are elements of the highest.
    pub tower: Tower,
    /// What the coordinates in point layouts are; says nothing where there are none.
    pub form: Form,
    ops: Vec<Op>,
    types: Vec<Type>,
    /// Locals by [`Local`](super::Local).
    pub locals: Vec<LocalDecl>,
    /// Shared arrays by [`SharedId`](super::SharedId).
    pub shared: Vec<SharedDecl>,
    /// Blocks that a multiprocessor is to hold at once: a wish, for which a target may give up registers.
    pub resident: u32,
    /// Whether all lanes execute every instruction of a field operation: what others do under a guard is
    /// selected.
    pub unguarded: bool,
    /// The program.
    pub body: Block,
}

impl Kernel {
    /// A kernel without values or statements; a group's points are in the form of short Weierstrass curves.
    pub fn new(symbol: String, desc: KernelDesc, field: Option<FieldDesc>, tower: Tower) -> Self {
        Kernel {
            symbol,
            desc,
            function: None,
            functions: vec![],
            field,
            tower,
            form: Form::Xyzz,
            ops: vec![],
            types: vec![],
            locals: vec![],
            shared: vec![],
            resident: 1,
            unguarded: false,
            body: vec![],
        }
    }

    /// A function without values or statements.
    pub fn new_function(
        symbol: String,
        signature: Signature,
        field: Option<FieldDesc>,
        tower: Tower,
    ) -> Self {
        Kernel { function: Some(signature), ..Kernel::new(symbol, FUNCTION, field, tower) }
    }

    /// The contract as text.
    pub fn signature(&self) -> String {
        self.desc.signature(self.form)
    }

    /// What it calls and what that calls, each once and before its callers.
    pub fn callees(&self) -> Vec<Arc<Kernel>> {
        let mut found: Vec<Arc<Kernel>> = vec![];
        for callee in self.functions.iter().flat_map(|f| f.callees().into_iter().chain([f.clone()])) {
            if !found.iter().any(|known| known.symbol == callee.symbol) {
                found.push(callee);
            }
        }
        found
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

    /// The field of the elements of a level, for exact arithmetic.
    pub fn level_field(&self, level: usize) -> TowerField {
        TowerField { p: self.field().p.clone(), tower: self.tower.clone() }.at(level)
    }

    fn type_of_op(&self, op: &Op) -> Type {
        use Op::*;
        match op {
            Result(ty) => *ty,
            Get(l) => self.locals[l.0 as usize].ty,
            Argument(i) => {
                let signature = self.function.as_ref().expect("only functions have arguments");
                signature.arguments[*i as usize]
            }
            Param(p) => match self.desc.params[p.0 as usize].kind {
                curvesmith_abi::ParamKind::U64 => Type::U64,
                _ => Type::U32,
            },
            Bool(_) | Cmp(..) => Type::Pred,
            Special(_) | U32(_) | Bit(..) | Narrow(_) | Word(..) => Type::U32,
            U64(_) | Widen(_) => Type::U64,
            Int(_, a, _) | Not(a) | Select(_, a, _) => self.ty(*a),
            Const(_) | Part(..) | FromWords(..) => Type::Field,
            Compose(level, _) => Type::element(usize::from(*level)),
            Coefficient(a, _) => {
                Type::element(self.ty(*a).level().map_or(0, |level| level.saturating_sub(1)))
            }
            Field(op, args) => match op.gives() {
                Gives::Element => args.first().map_or(Type::Field, |a| self.ty(*a)),
                Gives::Elements => Type::Fields,
                Gives::Truth => Type::Pred,
            },
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
