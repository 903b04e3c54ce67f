//! How much a kernel multiplies.

use crate::fir::ir::{Kernel, Op};
use crate::targets::Machine;

/// Σ over the multiplications of a kernel of words², those of extensions by the schemes they are made with.
pub(crate) fn multiplication<T: Machine>(kernel: &Kernel) -> usize {
    let Some(field) = &kernel.field else { return 0 };
    let kernel = super::lower_towers::<T>(kernel);
    let products: usize = kernel.values().map(|v| products(&kernel[v])).sum();
    products * field.words * field.words
}

/// Multiplications of one operation.
pub(crate) fn products(op: &Op) -> usize {
    op.field().map_or(0, |(op, _)| op.products())
}
