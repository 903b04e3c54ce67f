//! What a back end needs to know of a kernel besides its text.

use super::gate::Checked;
use crate::fir::ir::{Local, Value};
use crate::targets::{Arithmetic, Bound, Choice};

/// What is known of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact<T: Arithmetic> {
    /// Bound of a field value, or of each of several; `None` for others.
    pub bound: Option<T::Bound>,
    /// How a field operation is computed, and the operand bounds it was chosen for. `None` for
    /// values that need no program: constants, loads, selections, integers.
    pub choice: Option<(Choice<T>, Vec<T::Bound>)>,
}

impl<T: Arithmetic> Fact<T> {
    pub(super) const NONE: Self = Fact { bound: None, choice: None };
}

/// Bounds of what a function takes and gives; `None` for what is no field element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract<T: Arithmetic> {
    /// What it may be given.
    pub arguments: Vec<Option<T::Bound>>,
    /// What it gives.
    pub results: Vec<Option<T::Bound>>,
}

impl<T: Arithmetic> Contract<T> {
    /// Of what is no function.
    pub(super) const NONE: Self = Contract { arguments: vec![], results: vec![] };
}

/// Bounds and variants of one kernel, as the placing pass has found and chosen them. They are claims until
/// the [gate](super::gate) has let them through together with the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo<T: Arithmetic> {
    pub(super) facts: Vec<Fact<T>>,
    /// Bound of what each field local may hold, at any time.
    pub(super) locals: Vec<Option<T::Bound>>,
    /// Bounds of a function's arguments and results.
    pub(super) contract: Contract<T>,
}

impl<T: Arithmetic> KernelInfo<T> {
    /// Bound of a field value.
    pub fn bound(&self, v: Value) -> Option<T::Bound> {
        self.facts[v.0 as usize].bound
    }

    /// The program of a field operation.
    pub fn choice(&self, v: Value) -> Option<&Choice<T>> {
        self.facts[v.0 as usize].choice.as_ref().map(|(c, _)| c)
    }

    /// Bounds of a function's arguments and results.
    pub fn contract(&self) -> &Contract<T> {
        &self.contract
    }

    /// Bound of what a field local may hold.
    pub fn local(&self, l: Local) -> Option<T::Bound> {
        self.locals[l.0 as usize]
    }
}

/// The kernel's text with the bound and variant of every field operation, for snapshots.
pub fn annotate<T: Arithmetic>(checked: &Checked<T>) -> String {
    let (kernel, info) = (checked.kernel(), checked.info());
    let Some(field) = &kernel.field else { return String::new() };
    let mut out = String::new();
    for v in kernel.values() {
        let fact = &info.facts[v.0 as usize];
        let (Some(bound), choice) = (fact.bound, &fact.choice) else { continue };
        let variant = choice.as_ref().map_or("", |(c, _)| c.variant);
        out.push_str(&format!("{v} {} {variant}\n", bound.text(field)).replace(" \n", "\n"));
    }
    out
}
