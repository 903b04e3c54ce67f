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
entity!(
    /// A function, by its place among those that a kernel calls.
    FunctionId, "f"
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
    /// An element of a level of the kernel's tower, from 1.
    Ext(u8),
    /// Several elements, the results of one operation; only [`Op::Part`] reads them.
    Fields,
}

impl Type {
    /// The type of the elements of a level of the kernel's tower; level 0 is the field.
    pub fn element(level: usize) -> Type {
        if level == 0 { Type::Field } else { Type::Ext(level as u8) }
    }

    /// The level whose elements are of this type.
    pub fn level(self) -> Option<usize> {
        match self {
            Type::Field => Some(0),
            Type::Ext(level) => Some(level.into()),
            Type::Pred | Type::U32 | Type::U64 | Type::Fields => None,
        }
    }
}
