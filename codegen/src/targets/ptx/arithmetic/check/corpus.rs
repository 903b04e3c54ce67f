//! Certificates by hand: right ones, and wrong ones of which each breaks one rule of the checker. The tests
//! compile this file also on its own, with edits of the checker that it has to notice.

mod conclusions;
mod flags;
mod instructions;
mod operations;
mod zero;

use num_bigint::{BigInt, BigUint};

use super::certificate::*;
use crate::declaration::FieldDesc;
use crate::targets::ptx::arithmetic::ir::{Block, Builder, CarryOut, Cmp, Inst, Logic, Pred, Src};
use crate::targets::ptx::arithmetic::num::Num;
use crate::targets::ptx::{Bound, FieldOp};

const B: i128 = 1 << 32;
const SCALE: usize = 4;

/// A certificate, and whether it is right.
pub(in crate::targets::ptx) struct Entry {
    name: &'static str,
    right: bool,
    p: u64,
    pub(in crate::targets::ptx) op: FieldOp,
    pub(in crate::targets::ptx) block: Block,
    pub(in crate::targets::ptx) operands: Vec<Bound>,
    pub(in crate::targets::ptx) out: Bound,
    pub(in crate::targets::ptx) certificate: Certificate,
    /// Why each result is within `out`.
    pub(in crate::targets::ptx) bounds: Vec<Proof>,
    /// Operands for which the results are bounded, where they are not all of the claim.
    asked: Option<Vec<Bound>>,
}

/// What is judged wrongly by what says whether an entry over a field is accepted, and whether it is with its
/// bounds prepared, after others were looked at.
pub(in crate::targets::ptx) fn misjudged(
    accepted: &dyn Fn(&Entry, &FieldDesc) -> [bool; 2],
) -> Vec<&'static str> {
    let mut all = operations::operations();
    all.extend(zero::tests_for_zero());
    all.extend(instructions::instructions());
    all.extend(flags::flags());
    all.extend(flags::guards());
    all.extend(conclusions::conclusions());
    all.extend(conclusions::definitions());
    all.retain(|entry| {
        let [alone, prepared] = accepted(entry, &entry.field());
        let by_cases = entry.bounds.iter().any(|proof| matches!(proof, Proof::Cases(..)));
        alone != entry.right || prepared != (entry.right && !by_cases)
    });
    all.into_iter().map(|entry| entry.name).collect()
}

impl Entry {
    fn field(&self) -> FieldDesc {
        let p = BigUint::from(self.p);
        let words = (p.bits() as usize).div_ceil(32);
        FieldDesc { name: "p".into(), p, words }
    }

    /// The least operands that there are.
    pub(in crate::targets::ptx) fn narrow(&self) -> Vec<Bound> {
        vec![Bound::Units(1); self.operands.len()]
    }

    /// For which operands the results are within which bound.
    pub(in crate::targets::ptx) fn case(&self) -> (&[Bound], Bound) {
        (self.asked.as_ref().unwrap_or(&self.operands), self.out)
    }

    fn wrong(self, name: &'static str) -> Entry {
        Entry { name, right: false, ..self }
    }
}

/// A word that nothing reads.
fn ignore<T>(_: T) {}

fn unit() -> Num {
    Num::power(SCALE)
}

fn poly<const N: usize>(terms: [(Var, i128); N], constant: i128) -> Poly {
    Poly { terms: terms.to_vec(), constant }
}

fn once(fact: Fact, times: i128) -> Use {
    Use { fact, times: times.into(), by: vec![] }
}

/// A fact times some units.
fn units(fact: Fact, times: i128) -> Use {
    Use { fact, times: unit().times(times), by: vec![] }
}

/// A fact times a part of a unit.
fn part(fact: Fact, times: i128) -> Use {
    Use { fact, times: Num::power(SCALE - 1).times(times), by: vec![] }
}

fn by<const N: usize>(uses: [Use; N]) -> Proof {
    Proof::Sum(uses.to_vec())
}

fn obvious() -> Proof {
    by([])
}

fn cases(var: Var, zero: Proof, one: Proof) -> Proof {
    Proof::Cases(var, Box::new([zero, one]))
}

fn sum(word: Val, carry: Poly, uses: Vec<Use>) -> Step {
    Step::Inst(Written::Sum { product: None, word, carry, uses })
}

fn define(value: Poly) -> Step {
    Step::Let { value, inline: false }
}

fn at_most(var: Var, most: i128, proof: Proof) -> Step {
    Step::Narrow { var, range: [0, most], proofs: [obvious(), proof] }
}

/// The word of an input.
fn word(block: &Block, input: usize) -> crate::targets::ptx::arithmetic::ir::Word {
    block.inputs()[input].words[0]
}

fn entry(op: FieldOp, p: u64, block: Block, most: u64, steps: Vec<Step>, reason: Reason) -> Entry {
    let results = if matches!(op, FieldOp::IsZero | FieldOp::MaybeZero) { 0 } else { 1 };
    Entry {
        name: "a right one",
        right: true,
        p,
        op,
        block,
        operands: vec![Bound::Canonical],
        out: Bound::Units(most + 1),
        certificate: Certificate { scale: SCALE, steps, reason },
        bounds: vec![obvious(); results],
        asked: None,
    }
}

/// A block of two words that gives its operand back, and has some instructions more.
fn aside(
    name: &'static str,
    right: bool,
    insts: impl FnOnce(&mut Builder, Src, Src),
    steps: Vec<Step>,
) -> Entry {
    let mut b = Builder::new("aside");
    let x = b.input("x", 2);
    insts(&mut b, x[0], x[1]);
    b.output("r", x);
    let certificate = Certificate { scale: SCALE, steps, reason: Reason::Congruent(vec![vec![]]) };
    let operands = vec![Bound::ANY];
    Entry {
        name,
        right,
        p: (1 << 40) + 15,
        op: FieldOp::ReduceWeak,
        block: b.finish(),
        operands,
        out: Bound::ANY,
        certificate,
        bounds: vec![obvious()],
        asked: None,
    }
}

/// The sum of the words of the operand, 1 and 2: its carry 3 and its word 4.
fn divided() -> Vec<Step> {
    let value = poly([(1, 1), (2, 1)], 0);
    vec![
        Step::Divide { value, sign: 1 },
        sum(Val::Node(4), poly([(3, 1)], 0), vec![once(Fact::Defined(3), -1)]),
    ]
}

/// The truth value 3 of `x0 ≥ x1`, and an instruction that asks for it.
fn compared() -> Vec<Step> {
    vec![
        Step::Truth(poly([(1, 1), (2, -1)], 0)),
        Step::Inst(Written::Compare {
            holds: poly([(3, 1)], 0),
            differs: None,
            range: [by([units(Fact::Holds(3), 1)]), by([units(Fact::Fails(3), 1)])],
        }),
    ]
}

fn add(b: &mut Builder, x: Src, y: Src, out: CarryOut) -> Src {
    let (d, carry) = b.add(x, y, None, out);
    b.ignore(carry);
    d
}
