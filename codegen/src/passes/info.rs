//! What a back end needs to know of a kernel besides its text.

use super::gate::Checked;
use crate::fir::ir::{Local, Value};
use crate::target::ptx::{Bound, Choice};

/// What is known of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Bound of a field value, or of each of several; `None` for others.
    pub bound: Option<Bound>,
    /// How a field operation is computed, and the operand bounds it was chosen for. `None` for
    /// values that need no program: constants, loads, selections, integers.
    pub choice: Option<(Choice, Vec<Bound>)>,
}

impl Fact {
    pub(super) const NONE: Fact = Fact { bound: None, choice: None };
}

/// Bounds and variants of one kernel, as the placing pass has found and chosen them. They are claims until the
/// [gate](super::gate) has let them through together with the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    pub(super) facts: Vec<Fact>,
    /// Bound of what each field local may hold, at any time.
    pub(super) locals: Vec<Option<Bound>>,
}

impl KernelInfo {
    /// Bound of a field value.
    pub fn bound(&self, v: Value) -> Option<Bound> {
        self.facts[v.0 as usize].bound
    }

    /// The program of a field operation.
    pub fn choice(&self, v: Value) -> Option<&Choice> {
        self.facts[v.0 as usize].choice.as_ref().map(|(c, _)| c)
    }

    /// Bound of what a field local may hold.
    pub fn local(&self, l: Local) -> Option<Bound> {
        self.locals[l.0 as usize]
    }
}

/// The kernel's text with the bound and variant of every field operation, for snapshots.
pub fn annotate(checked: &Checked) -> String {
    let (kernel, info) = (checked.kernel(), checked.info());
    let Some(field) = &kernel.field else { return String::new() };
    let mut out = String::new();
    for v in kernel.values() {
        let fact = &info.facts[v.0 as usize];
        let (Some(bound), choice) = (fact.bound, &fact.choice) else { continue };
        let variant = choice.as_ref().map_or("", |(c, _)| c.variant);
        out.push_str(&format!("{v} {} {variant}\n", bound.display(field)).replace(" \n", "\n"));
    }
    out
}
