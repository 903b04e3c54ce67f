//! Why the bounds of a kernel hold, as plain data that anyone can check.
//!
//! A certificate states the bound of every field value, for each operation the variant and the operand bounds
//! it was chosen for, what its preconditions leave over, and what every local holds at the head of each loop.
//! `certify` writes down what the placing pass has decided, the slack by the bounds of its variants;
//! [`check`] believes none of it: it evaluates every rule anew on big integers, from the
//! [rules](crate::targets::Rules) of the target, and shares no code with the pass, the variants or `certify`.

mod certify;
mod check;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use certify::certify;
pub use check::check;

pub use crate::targets::Limit;

/// How an operation is computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the variant.
    pub variant: String,
    /// What it relies on of each operand.
    pub operands: Vec<Limit>,
    /// Whole units that each of the variant's preconditions has to spare. A result below `p` counts as `p`.
    pub slack: Vec<u64>,
}

/// What is claimed of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its bound; `None` for what is no field element.
    pub limit: Option<Limit>,
    /// How it is computed; `None` where nothing is computed: constants, loads, selections, locals.
    pub step: Option<Step>,
}

/// The certificate of one kernel or function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Certificate {
    /// Claims by value; `None` for values that have nothing to do with the field.
    pub values: Vec<Option<Claim>>,
    /// For each loop, in the order of their heads, what each local holds there. `None` for a local that
    /// is not yet set or holds no field element.
    pub loops: Vec<Vec<Option<Limit>>>,
    /// What a function may be given; `None` for what is no field element. Nothing for a kernel.
    pub arguments: Vec<Option<Limit>>,
    /// What a function gives.
    pub results: Vec<Option<Limit>>,
}
