//! Whether a kernel's field operations are inlined or called.

use crate::fir::ir::{Kernel, Op};

/// Above this much multiplication in one kernel, field operations become calls.
///
/// In units of word products: operations times words². One mixed addition is 640 at 8 words and
/// 1440 at 12, a transform of 16 elements of 8 words 2048, and inlines well; with several formulas in a kernel
/// ptxas takes seconds and the code leaves the instruction cache, while calls cost 1 to 6 % more
/// instructions (measured with ptxas 13.5 on 12 and 24 words).
pub(crate) const INLINE_LIMIT: usize = 2048;

/// Whether the field operations of a kernel are functions of their own, run one after another.
pub(crate) fn calls(kernel: &Kernel) -> bool {
    kernel.degree > 1 || multiplication(kernel) > INLINE_LIMIT
}

/// Σ over the multiplications of a kernel of words².
pub(crate) fn multiplication(kernel: &Kernel) -> usize {
    let Some(field) = &kernel.field else { return 0 };
    let products: usize = kernel.values().map(|v| products(&kernel[v])).sum();
    products * field.words * field.words
}

/// Multiplications of one operation.
pub(crate) fn products(op: &Op) -> usize {
    match op {
        Op::Mul(..) | Op::Sqr(_) | Op::MulConst(..) | Op::MulTable(..) => 1,
        Op::Dot(terms) => terms.len(),
        Op::MulShared(xs, _) => xs.len(),
        _ => 0,
    }
}
