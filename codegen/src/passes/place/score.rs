//! What a placed kernel costs: the bounds of its loop bodies, by how often they run.
//!
//! A loop body is priced as a whole, by the time to expect of the sums over its operations: where
//! the multiplier is busy an addition hides better than in a block of additions alone.

use crate::declaration::FieldOp;
use crate::fir::ir::{Block, Kernel, Op, Stmt, Value};
use crate::passes::info::KernelInfo;
use crate::passes::work::products;
use crate::targets::Machine;

/// How many times a loop body is thought to run.
const LOOP: u64 = 16;
/// One in so many runs takes the arm of a test for zero.
const RARE: u64 = 64;
/// Weight of code that runs once.
const ONCE: u64 = RARE * RARE;

/// Whether the arms of a branch are hardly ever taken. Elements are not zero by chance.
pub(super) fn rare_arms(kernel: &Kernel, cond: Value) -> (bool, bool) {
    let tests_zero = |v: Value| kernel[v].field().is_some_and(|(op, _)| op.tests_zero());
    match &kernel[cond] {
        Op::Not(c) => (false, tests_zero(*c)),
        _ => (tests_zero(cond), false),
    }
}

/// The weight of every value's statement.
pub(super) fn weights(kernel: &Kernel) -> Vec<u64> {
    let mut weights = vec![0; kernel.values().count()];
    visit(kernel, &kernel.body, ONCE, &mut |v, weight| weights[v.0 as usize] = weight);
    weights
}

/// Whether there are two additions for every product, as in a transform: then instructions that add may
/// outnumber those that multiply.
pub(super) fn is_additive(kernel: &Kernel) -> bool {
    let (mut sums, mut multiplied) = (0u64, 0u64);
    visit(kernel, &kernel.body, ONCE, &mut |v, weight| match &kernel[v] {
        Op::Field(FieldOp::Add | FieldOp::Sub | FieldOp::Neg | FieldOp::Dbl, _) => sums += weight,
        op => multiplied += weight * products(op) as u64,
    });
    multiplied > 0 && sums >= 2 * multiplied
}

fn visit(kernel: &Kernel, block: &Block, weight: u64, f: &mut impl FnMut(Value, u64)) {
    for stmt in block {
        match stmt {
            Stmt::Let(v) => f(*v, weight),
            Stmt::If { cond, then, otherwise } => {
                let arm = |rare| if rare { (weight / RARE).max(1) } else { weight };
                let (yes, no) = rare_arms(kernel, *cond);
                visit(kernel, then, arm(yes), f);
                visit(kernel, otherwise, arm(no), f);
            }
            Stmt::Loop(body) => visit(kernel, body, weight.saturating_mul(LOOP), f),
            _ => {}
        }
    }
}

/// The score: the less the better.
pub(super) fn of<T: Machine>(kernel: &Kernel, info: &KernelInfo<T>) -> u64 {
    // Code of one weight runs together.
    let mut sums: Vec<(u64, T::Cost)> = vec![];
    visit(kernel, &kernel.body, ONCE, &mut |v, weight| {
        let Some(choice) = info.choice(v) else { return };
        let at = sums.iter().position(|(w, _)| *w == weight).unwrap_or_else(|| {
            sums.push((weight, T::Cost::default()));
            sums.len() - 1
        });
        sums[at].1 += choice.cost;
    });
    sums.iter().map(|(weight, cost)| weight.saturating_mul(T::time(cost))).fold(0, u64::saturating_add)
}
