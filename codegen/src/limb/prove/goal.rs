//! The definitions, and the comparison of a block's outputs with them.

use std::collections::BTreeSet;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero as _};

use super::ProofError;
use super::exec::Exec;
use super::expand::{self, Mono, Terms};
use super::model::{Kind, Model, Val, Zero};
use super::poly::{Id, Poly};
use crate::limb::ir::{Block, Src};
use crate::limb::{Bound, LimbOp};
use crate::spec::FieldDesc;

/// Proves the block of a choice.
pub(super) fn prove(
    field: &FieldDesc,
    op: &LimbOp,
    operands: &[Bound],
    block: &Block,
    out: Bound,
) -> Result<(), ProofError> {
    prove_cases(field, op, operands, block, &[(operands, out)])?.into_iter().collect()
}

/// Proves a block for `operands`, and that its results are within the second bound for operands within
/// the first, which are within `operands`: an error of its own for each case.
pub(super) fn prove_cases(
    field: &FieldDesc,
    op: &LimbOp,
    operands: &[Bound],
    block: &Block,
    cases: &[(&[Bound], Bound)],
) -> Result<Vec<Result<(), ProofError>>, ProofError> {
    check_shape(field, op, operands, block)?;
    let maxima = maxima(field, operands);
    // Room for the division by R of a double-length value, and some more.
    let rows = if let LimbOp::MulTable { rows, .. } = op { *rows as usize } else { 0 };
    let scale = 2 * field.words + rows + 8;
    let exec = Exec::run(block, &maxima, scale)?;
    let mut goal = Goal { field, op, block, exec, scale };
    match op {
        LimbOp::IsZero => goal.is_zero()?,
        LimbOp::MaybeZero => goal.maybe_zero(&maxima[0])?,
        _ => (0..block.outputs().len()).try_for_each(|k| goal.congruent(k))?,
    }
    let case = |(operands, out): &(&[Bound], Bound)| {
        if let LimbOp::IsZero | LimbOp::MaybeZero = op {
            return Ok(());
        }
        goal.exec.narrow(&self::maxima(field, operands));
        goal.bounds(*out)
    };
    Ok(cases.iter().map(case).collect())
}

/// The largest value of each input.
fn maxima(field: &FieldDesc, operands: &[Bound]) -> Vec<BigInt> {
    operands.iter().map(|bound| bound.max(field).into()).collect()
}

fn check_shape(field: &FieldDesc, op: &LimbOp, operands: &[Bound], block: &Block) -> Result<(), ProofError> {
    let inputs = vec![field.words; op.operands(field)];
    let outputs = match op {
        LimbOp::IsZero | LimbOp::MaybeZero => vec![1],
        _ => vec![field.words; op.results()],
    };
    let right = operands.len() == op.operands(field)
        && block.inputs().iter().map(|input| input.words.len()).eq(inputs)
        && block.outputs().iter().map(|output| output.words.len()).eq(outputs);
    if right { Ok(()) } else { Err(ProofError::Shape(format!("{op:?}"))) }
}

struct Goal<'a> {
    field: &'a FieldDesc,
    op: &'a LimbOp,
    block: &'a Block,
    exec: Exec<'a>,
    /// Terms are compared times `2^(32·scale)`.
    scale: usize,
}

impl Goal<'_> {
    /// Output `k` is the definition modulo `p`.
    fn congruent(&mut self, k: usize) -> Result<(), ProofError> {
        let words = self.output(k)?;
        let mut terms = self.definition(k);
        let mut weight = -(BigInt::one() << (32 * self.scale));
        for word in words {
            add_val(&mut terms, word, &weight);
            weight <<= 32;
        }
        self.vanishes(terms)
    }

    /// The terms sum to zero modulo `p`.
    fn vanishes(&self, terms: Terms) -> Result<(), ProofError> {
        let (exec, p) = (&self.exec, BigInt::from(self.field.p.clone()));
        let divides = |k: &BigInt| k.is_multiple_of(&p);
        let mut leaf =
            |terms: &mut Terms, id: Id, k: &BigInt| Some(divides(k) || carry_is_zero(exec, terms, id, k));
        let left = expand::fully(&exec.model, terms, &mut leaf);
        let left = left.map_or(usize::MAX, |left| left.values().filter(|k| !divides(k)).count());
        if left == 0 { Ok(()) } else { Err(ProofError::Definition { op: format!("{:?}", self.op), left }) }
    }

    /// The terms of the definition of output `k`, times `2^(32·scale)`.
    fn definition(&self, k: usize) -> Terms {
        let n = self.field.words;
        let one = BigInt::one() << (32 * self.scale);
        let by_r: BigInt = &one >> (32 * n);
        let mut sum = Sum { model: &self.exec.model, terms: Terms::new() };
        let x = |i: usize| self.input(i);
        match self.op {
            LimbOp::Add => {
                sum.linear(&x(0), &one);
                sum.linear(&x(1), &one);
            }
            LimbOp::Sub => {
                sum.linear(&x(0), &one);
                sum.linear(&x(1), &-one);
            }
            LimbOp::Neg => sum.linear(&x(0), &-one),
            LimbOp::Dbl => sum.linear(&x(0), &(one * 2)),
            LimbOp::Mul => sum.product(&x(0), &x(1), &by_r),
            LimbOp::Sqr => sum.product(&x(0), &x(0), &by_r),
            LimbOp::MulSmall(c) => sum.linear(&x(0), &(one * c)),
            LimbOp::MulConst(c) => sum.linear(&x(0), &(one * BigInt::from(c.clone()))),
            LimbOp::Dot(m) => (0..*m).for_each(|i| sum.product(&x(2 * i), &x(2 * i + 1), &by_r)),
            LimbOp::MulShared(m) => sum.product(&x(k), &x(*m), &by_r),
            LimbOp::MulTable { step, rows } => {
                let by_rows: BigInt = &one >> (32 * rows);
                for (i, chunk) in x(0).chunks(*step as usize).enumerate() {
                    sum.product(chunk, &x(1 + i), &by_rows);
                }
            }
            LimbOp::FromMont => sum.linear(&x(0), &by_r),
            LimbOp::ReduceFull | LimbOp::ReduceWeak => sum.linear(&x(0), &one),
            LimbOp::IsZero | LimbOp::MaybeZero => {}
        }
        sum.terms
    }

    /// Every output is within its bound.
    fn bounds(&self, out: Bound) -> Result<(), ProofError> {
        let bound = BigInt::from(out.max(self.field));
        for k in 0..self.block.outputs().len() {
            let words: Vec<Poly> =
                self.output(k)?.into_iter().map(|word| self.exec.model.poly(word)).collect();
            let max = self.exec.query().largest(&words, &[], &bound);
            if max > bound {
                return Err(ProofError::Bound { max: max.to_string(), bound: bound.to_string() });
            }
        }
        Ok(())
    }

    /// The word is 1 exactly where some words equal one of several numbers: these are all the multiples
    /// of `p` that the words can be, and the words are the operand modulo `p`.
    fn is_zero(&mut self) -> Result<(), ProofError> {
        let model = &self.exec.model;
        let tests = disjunction(model, self.output(0)?[0]).ok_or_else(|| self.undefined())?;
        let group = tests.first().and_then(|test| model.node(test.first()?.0).group);
        let (words, max) = match group {
            Some(group) => (model.groups[group].words.clone(), &model.groups[group].max),
            None => return Err(self.undefined()),
        };
        let p = BigInt::from(self.field.p.clone());
        let mut numbers = Vec::new();
        for test in &tests {
            let mut number = BigInt::zero();
            for (k, &word) in words.iter().enumerate() {
                let Some(&(_, c)) = test.iter().find(|(id, _)| *id == word) else {
                    return Err(self.undefined());
                };
                number += BigInt::from(c) << (32 * k);
            }
            if test.iter().any(|(id, _)| !words.contains(id)) || !number.is_multiple_of(&p) {
                return Err(self.undefined());
            }
            numbers.push(number);
        }
        let mut multiple = BigInt::zero();
        while multiple <= *max {
            if !numbers.contains(&multiple) {
                return Err(self.undefined());
            }
            multiple += &p;
        }
        let mut terms = Terms::new();
        let mut weight = BigInt::one() << (32 * self.scale);
        let mut sum = Sum { model, terms: Terms::new() };
        sum.linear(&self.input(0), &-weight.clone());
        terms.append(&mut sum.terms);
        for &word in &words {
            add_val(&mut terms, Val::Node(word), &weight);
            weight <<= 32;
        }
        self.vanishes(terms)
    }

    /// The word is 0 or 1, and 1 for every multiple of `p` within the bound.
    fn maybe_zero(&mut self, max: &BigInt) -> Result<(), ProofError> {
        let model = &self.exec.model;
        let word = self.output(0)?[0];
        if word == Val::Const(1) {
            return Ok(());
        }
        let tests = disjunction(model, word).ok_or_else(|| self.undefined())?;
        let x = self.input(0);
        let mut multiple = BigUint::zero();
        while BigInt::from(multiple.clone()) <= *max {
            let words = self.field.limbs(&multiple);
            let holds = |(id, c): &(Id, u32)| x.iter().position(|x| x == id).is_some_and(|k| words[k] == *c);
            if !tests.iter().any(|test| test.iter().all(holds)) {
                return Err(self.undefined());
            }
            multiple += &self.field.p;
        }
        Ok(())
    }

    fn undefined(&self) -> ProofError {
        ProofError::Definition { op: format!("{:?}", self.op), left: usize::MAX }
    }

    /// The words of an operand. Inputs are the first nodes, in order.
    fn input(&self, index: usize) -> Vec<Id> {
        self.exec.model.groups[index].words.clone()
    }

    fn output(&self, k: usize) -> Result<Vec<Val>, ProofError> {
        self.block.outputs()[k].words.iter().map(|&src: &Src| self.exec.get(src)).collect()
    }
}

/// Distinct words and the constants that they all equal.
type Test = Vec<(Id, u32)>;

/// The tests of which a word that is 0 or 1 says that one holds.
fn disjunction(model: &Model, word: Val) -> Option<Vec<Test>> {
    let Val::Node(id) = word else { return None };
    match &model.node(id).zero {
        Some(Zero::All(words)) => words.iter().map(|&word| equality(model, word)).collect(),
        _ => Some(vec![equality(model, id)?]),
    }
}

/// The test of which a word is the truth value: `1 - q`, `q` being whether something is not zero. A test that names
/// a word twice is none: with two constants it never holds.
fn equality(model: &Model, word: Id) -> Option<Test> {
    let Kind::Exact(poly) = &model.node(word).kind else { return None };
    let (&[(q, -1)], 1) = (poly.terms.as_slice(), poly.constant) else { return None };
    let node = model.node(q);
    let test: Test = match (&node.zero, &node.fact) {
        (Some(Zero::All(words)), _) => words.iter().map(|&id| equals(model, id)).collect::<Option<_>>()?,
        (Some(Zero::Equals(id, c)), _) => vec![(*id, *c)],
        (None, Some(fact)) if fact.constant == -1 => match fact.terms.as_slice() {
            [(id, 1)] => vec![equals(model, *id)?],
            _ => return None,
        },
        _ => return None,
    };
    let words: BTreeSet<Id> = test.iter().map(|(word, _)| *word).collect();
    (words.len() == test.len()).then_some(test)
}

/// What a word that is zero says of a word.
fn equals(model: &Model, id: Id) -> Option<(Id, u32)> {
    match (&model.node(id).zero, &model.node(id).kind) {
        (Some(Zero::Equals(word, c)), _) => Some((*word, *c)),
        // w ^ (2^32 - 1) is a difference.
        (None, Kind::Exact(poly)) => match poly.terms.as_slice() {
            [(word, -1)] => Some((*word, u32::try_from(poly.constant).ok()?)),
            _ => Some((id, 0)),
        },
        (None, _) => Some((id, 0)),
        (Some(Zero::All(_)), _) => None,
    }
}

/// Whether a carry with coefficient `k` contributes nothing, because it is zero, or because it was added
/// to a word that is: the word's definition is then added to the terms with the factor that cancels it.
fn carry_is_zero(exec: &Exec<'_>, terms: &mut Terms, id: Id, k: &BigInt) -> bool {
    let model = &exec.model;
    let reader = exec.readers.iter().find_map(|&(carry, word)| match word {
        Val::Node(word) if carry == id => Some(word),
        _ => None,
    });
    let zero = |id: Id| exec.query().within(&Poly::of(id), (Some(1), None), &[]);
    if let Some(word) = reader.filter(|&word| word != id)
        && let Kind::Exact(poly) = &model.node(word).kind
        && poly.terms.last() == Some(&(id, 1))
        && zero(word)
    {
        let mut rest = poly.clone();
        rest.terms.pop();
        add_poly(terms, &rest, &-k);
        return true;
    }
    zero(id)
}

fn mono(id: Id) -> Mono {
    [id, 0, 0, 0]
}

fn add_poly(terms: &mut Terms, poly: &Poly, k: &BigInt) {
    *terms.entry(mono(0)).or_default() += k * poly.constant;
    for &(id, c) in &poly.terms {
        *terms.entry(mono(id)).or_default() += k * c;
    }
}

fn add_val(terms: &mut Terms, word: Val, k: &BigInt) {
    match word {
        Val::Const(c) => *terms.entry(mono(0)).or_default() += k * c,
        Val::Node(id) => *terms.entry(mono(id)).or_default() += k,
    }
}

/// A definition being written down.
struct Sum<'a> {
    model: &'a Model,
    terms: Terms,
}

impl Sum<'_> {
    fn linear(&mut self, x: &[Id], k: &BigInt) {
        for (i, &x) in x.iter().enumerate() {
            *self.terms.entry(mono(x)).or_default() += k << (32 * i);
        }
    }

    fn product(&mut self, x: &[Id], y: &[Id], k: &BigInt) {
        for (i, &x) in x.iter().enumerate() {
            for (j, &y) in y.iter().enumerate() {
                let factors = self.model.factors(&[x, y]).expect("two factors");
                let mut mono = [0; 4];
                for (slot, &id) in mono.iter_mut().zip(factors.iter().rev()) {
                    *slot = id;
                }
                *self.terms.entry(mono).or_default() += k << (32 * (i + j));
            }
        }
    }
}
