//! Chooses a variant for every field operation and puts in the reductions that pay.
//!
//! Every operation has a legal variant for all operand bounds, so legality never forces a
//! reduction; price does. [`placer`] walks the kernel once, forwards, under a [`Plan`]; here plans are
//! compared by the [`score`] of what they lead to, and the best is improved by changing it one
//! operation at a time. Laziness is not always a bargain: where there is no spare bit a lazy value
//! makes its users dear.
//!
//! A function is placed once for all calls. What it may be given and what it gives are within one bound, so
//! that it takes its own results: the plans differ in how far that is widened, as for the locals of a loop.
//!
//! 1. [`hoist`] takes reductions of values that a loop does not change out of the loop.
//! 2. The search is bounded by trials, so that the time for a kernel is.

mod crowd;
mod hoist;
mod menu;
mod placer;
mod score;
#[cfg(test)]
mod tests;

use super::gate::{self, Checked};
use super::info::{Contract, Fact, KernelInfo};
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::{Kernel, Type, Value};
use crate::targets::{Choice, Load, Machine, Unproven};
use crowd::Crowd;
use menu::Menu;
use placer::{Plan, Wish};
use std::sync::Arc;

/// Trials that the improvement of one kernel may take.
const TRIALS: usize = 64;
/// Instructions of the programs that may be on offer for one kernel in the search: the price of a trial.
const EFFORT: usize = 40_000;

/// A kernel with its reductions.
struct Placed<T: Machine> {
    kernel: Kernel,
    info: KernelInfo<T>,
    score: u64,
}

/// The kernel with reductions, and the bound and variant of each of its values; `functions` are those it
/// calls.
pub fn place_reductions<T: Machine>(
    kernel: &Kernel,
    functions: &[Arc<Checked<T>>],
) -> Result<(Kernel, KernelInfo<T>), PassError> {
    let Some(field) = &kernel.field else {
        let facts = vec![Fact::NONE; kernel.values().count()];
        let signature = kernel.function.clone().unwrap_or_default();
        let contract = Contract {
            arguments: vec![None; signature.arguments.len()],
            results: vec![None; signature.results.len()],
        };
        return Ok((kernel.clone(), KernelInfo { facts, locals: vec![None; kernel.locals.len()], contract }));
    };
    place_from(kernel, functions, Menu::new(field))
}

/// What a placement is of.
struct Subject<'k, T: Machine> {
    kernel: &'k Kernel,
    /// Bounds of what it calls.
    callees: Vec<&'k Contract<T>>,
    crowd: Crowd,
}

/// As [`place_reductions`], with what is on a menu.
fn place_from<T: Machine>(
    kernel: &Kernel,
    functions: &[Arc<Checked<T>>],
    mut menu: Menu<'_, T>,
) -> Result<(Kernel, KernelInfo<T>), PassError> {
    let callees = functions.iter().map(|f| f.info().contract()).collect();
    let subject = Subject { kernel, callees, crowd: Crowd::of::<T>(kernel) };
    let field = menu.field;
    let mut unproven: Option<PassError> = None;
    let mut refused: Vec<&'static str> = vec![];
    loop {
        let placed = match (search(&subject, &mut menu), unproven.take()) {
            (Err(PassError::NoVariant { .. }), Some(unproven)) => return Err(unproven),
            (placed, _) => placed?,
        };
        // Every round takes a variant off the menu: a block that is not proven is not used, and where
        // nothing is left the kernel does not compile.
        let before = refused.len();
        for (op, choice, source) in unproven_blocks(field, &placed) {
            assert!(!refused[..before].contains(&choice.variant), "what is off the menu is not chosen");
            refused.push(choice.variant);
            menu.refuse(choice.variant);
            let op = format!("{op:?}");
            unproven = Some(PassError::Unproven { op, variant: choice.variant, source });
        }
        if unproven.is_none() {
            return Ok((placed.kernel, placed.info));
        }
    }
}

/// The best placement with what is on the menu.
fn search<T: Machine>(subject: &Subject<'_, T>, menu: &mut Menu<'_, T>) -> Result<Placed<T>, PassError> {
    let mut best: Option<(Plan, Placed<T>)> = None;
    for plan in plans(subject.kernel) {
        let placed = place(subject, menu, &plan)?;
        if best.as_ref().is_none_or(|(_, b)| placed.score < b.score) {
            best = Some((plan, placed));
        }
    }
    let (plan, placed) = best.expect("there is at least one plan");
    improve(subject, menu, plan, placed)
}

/// How lazy results may be, how far locals may widen, and what the formula as a whole is thought to keep
/// busy.
fn plans(kernel: &Kernel) -> Vec<Plan> {
    let plan = Plan::default;
    let mut plans = vec![
        Plan { widenings: 3, ..plan() },
        Plan { widenings: 3, load: Load::Products, ..plan() },
        plan(),
        Plan { load: Load::Products, ..plan() },
        Plan { widenings: 3, tight_sums: true, ..plan() },
        Plan { tight_products: true, ..plan() },
        Plan { tight_sums: true, tight_products: true, ..plan() },
    ];
    if score::is_additive(kernel) {
        plans.push(Plan { near_constants: true, load: Load::Sums, ..plan() });
        plans.push(Plan { tight_sums: true, tight_products: true, load: Load::Sums, ..plan() });
    }
    plans
}

/// The blocks of a placement that are not shown to be right for all operands.
fn unproven_blocks<'p, T: Machine>(
    field: &FieldDesc,
    placed: &'p Placed<T>,
) -> Vec<(FieldOp, &'p Choice<T>, Unproven)> {
    let (_, claims) = gate::claims(&placed.kernel, &placed.info);
    let proofs = T::prove(field, &claims).into_iter();
    claims
        .into_iter()
        .zip(proofs)
        .filter_map(|(claim, proof)| Some((claim.op, claim.choice, proof.err()?)))
        .collect()
}

fn place<T: Machine>(
    subject: &Subject<'_, T>,
    menu: &mut Menu<'_, T>,
    plan: &Plan,
) -> Result<Placed<T>, PassError> {
    let (mut kernel, info) = placer::walk(subject, menu, plan)?;
    hoist::reductions(&mut kernel);
    let score = score::of(&kernel, &info);
    Ok(Placed { kernel, info, score })
}

/// Changes the wish for one operation at a time, and keeps what scores better, until nothing does
/// or the trials are spent.
fn improve<T: Machine>(
    subject: &Subject<'_, T>,
    menu: &mut Menu<'_, T>,
    mut plan: Plan,
    mut best: Placed<T>,
) -> Result<Placed<T>, PassError> {
    let candidates = candidates(subject.kernel);
    let mut trials = TRIALS;
    let limit = menu.effort() + EFFORT;
    loop {
        let before = best.score;
        for &v in &candidates {
            for wish in [Wish::Weak, Wish::Canonical, Wish::Lazy] {
                if plan.wishes.get(&v) == Some(&wish) {
                    continue;
                }
                if trials == 0 || menu.effort() > limit {
                    return Ok(best);
                }
                trials -= 1;
                let was = plan.wishes.insert(v, wish);
                let placed = place(subject, menu, &plan)?;
                if placed.score < best.score {
                    best = placed;
                    continue;
                }
                match was {
                    Some(was) => plan.wishes.insert(v, was),
                    None => plan.wishes.remove(&v),
                };
            }
        }
        if best.score == before {
            return Ok(best);
        }
    }
}

/// The operations whose laziness is worth a trial: those in the busiest loop that others build on.
fn candidates(kernel: &Kernel) -> Vec<Value> {
    let weights = score::weights(kernel);
    let is_candidate =
        |v: &Value| kernel.ty(*v) == Type::Field && kernel[*v].field().is_some_and(|(op, _)| !op.reduces());
    let all: Vec<Value> = kernel.values().filter(is_candidate).collect();
    let most = all.iter().map(|v| weights[v.0 as usize]).max().unwrap_or(0);
    // A single operation has nothing to be lazy for.
    let hot: Vec<Value> = all.into_iter().filter(|v| weights[v.0 as usize] == most).collect();
    if hot.len() < 3 { vec![] } else { hot }
}
