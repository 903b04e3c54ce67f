//! The embedded builder: kernels written in Rust that read like the algorithm.
//!
//! A [`Builder`] is shared by reference; values are small copyable handles with operators. What they compute
//! is in `values` and `tower`, buffers and shared arrays in `memory`, branches, loops and what lanes say to
//! each other in `control`.
//! ```
//! use curvesmith_abi::{Geometry, kernels::FieldMul};
//! use curvesmith_codegen::{declaration::FieldDesc, fir::build::Builder};
//!
//! let field = FieldDesc::new("toy", 13u32.into());
//! let b = Builder::for_field::<FieldMul>(&Geometry::PTX, &field);
//! let i = b.global_index();
//! b.return_if(i.ge(b.scalar("n")));
//! let product = b.buffer("a").field(i) * b.buffer("b").field(i);
//! b.buffer("out").set_field(i, product);
//! let kernel = b.finish();
//! assert_eq!(kernel.symbol, "toy_mul");
//! ```

mod control;
mod function;
mod memory;
mod tower;
mod values;

pub use control::FULL_MASK;
pub use memory::{Buffer, Shared, SharedElements, Table};

use super::ir::*;
use crate::declaration::{FieldDesc, GroupDesc, Tower};
use curvesmith_abi::{Geometry, KernelDesc, ParamKind};
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
    /// Whether it is for values of a type.
    fn holds(ty: Type) -> bool;
    /// Wraps a value of that type.
    fn wrap(b: &'k Builder, id: Value) -> Self;
    /// The value.
    fn id(self) -> Value;
}

macro_rules! handles {
    ($($(#[$meta:meta])* $name:ident = $($ty:pat_param)|+),*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'k> { b: &'k Builder, id: Value }
        impl<'k> Handle<'k> for $name<'k> {
            fn holds(ty: Type) -> bool { matches!(ty, $($ty)|+) }
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
    Pred = Type::Pred,
    /// A 32-bit word.
    U32 = Type::U32,
    /// A 64-bit word.
    U64 = Type::U64,
    /// A field element.
    Fe = Type::Field | Type::Ext(_)
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

impl Builder {
    /// A kernel of a field's image.
    pub fn for_field<K: curvesmith_abi::Kernel>(geometry: &Geometry, field: &FieldDesc) -> Builder {
        let desc = K::desc(geometry).of_width(field.words, 1);
        Builder::new(format!("{}_{}", field.name, desc.name), desc, Some(field.clone()), Tower::prime())
    }

    /// A kernel of a group's image.
    pub fn for_group<K: curvesmith_abi::Kernel>(geometry: &Geometry, group: &GroupDesc) -> Builder {
        let symbol = format!("{}_{}", group.name, K::NAME);
        let desc = K::desc(geometry).of_width(group.base.words, group.degree());
        let b = Builder::new(symbol, desc, Some(group.base.clone()), group.tower.clone());
        b.state.borrow_mut().kernel.form = group.equation.form();
        b
    }

    /// A field-independent kernel.
    pub fn common<K: curvesmith_abi::Kernel>(geometry: &Geometry) -> Builder {
        Builder::new(format!("common_{}", K::NAME), K::desc(geometry), None, Tower::prime())
    }

    /// A kernel from its parts.
    pub fn new(symbol: String, desc: KernelDesc, field: Option<FieldDesc>, tower: Tower) -> Builder {
        Builder::of(Kernel::new(symbol, desc, field, tower))
    }

    fn of(kernel: Kernel) -> Builder {
        Builder { state: RefCell::new(State { kernel, blocks: vec![vec![]] }) }
    }

    /// Threads of a block.
    pub fn threads(&self) -> u32 {
        self.state.borrow().kernel.desc.block
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

    /// The levels above the field.
    pub fn tower(&self) -> Tower {
        self.state.borrow().kernel.tower.clone()
    }

    fn stmt(&self, stmt: Stmt) {
        let mut s = self.state.borrow_mut();
        s.blocks.last_mut().expect("the outermost block is open").push(stmt);
    }

    fn push<'k, T: Handle<'k>>(&'k self, op: Op) -> T {
        let id = self.state.borrow_mut().kernel.push(op);
        debug_assert!(T::holds(self.state.borrow().kernel.ty(id)));
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

    /// Wishes for so many blocks on a multiprocessor at once.
    pub fn resident_blocks(&self, blocks: u32) {
        self.state.borrow_mut().kernel.resident = blocks;
    }

    /// Has all lanes execute every instruction of a field operation, in the kernel and in functions that are
    /// made in it from here on.
    pub fn unguarded(&self) {
        self.state.borrow_mut().kernel.unguarded = true;
    }

    /// A new local with its first content.
    pub fn var<'k, T: Handle<'k>>(&'k self, init: T) -> Var<'k, T> {
        let local = {
            let mut s = self.state.borrow_mut();
            let ty = s.kernel.ty(init.id());
            s.kernel.locals.push(LocalDecl { ty });
            Local(s.kernel.locals.len() as u32 - 1)
        };
        let var = Var { b: self, local, ty: PhantomData };
        var.set(init);
        var
    }
}
