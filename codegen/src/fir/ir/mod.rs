//! The text of kernels as data: ids and types here, pure operations in `op`, effects in `stmt`, and what
//! holds them together in `kernel`.

mod kernel;
mod op;
mod stmt;

pub use kernel::*;
pub use op::*;
pub use stmt::*;

use std::fmt;

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
    /// Several elements, the results of [`FieldOp::MulShared`](crate::spec::FieldOp::MulShared); only [`Op::Part`] reads them.
    Fields,
}
