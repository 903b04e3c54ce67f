//! Tests for zero: what the comparisons of a block say.

use std::collections::BTreeSet;

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;

use super::ProofError;
use super::goal::Goal;
use super::model::{Kind, Model, Val, Zero};
use super::poly::Id;
use super::record::{fact, obvious, scaled};
use crate::targets::ptx::arithmetic::check::certificate::{Fact, Proof, Reason, Test as Only, Use};
use crate::targets::ptx::arithmetic::ir::Logic;

/// A word that is 1 where distinct words equal constants.
struct Test {
    word: Id,
    /// 0 there.
    flag: Id,
    equals: Vec<Equal>,
}

/// A word that is zero where another equals a constant.
struct Equal {
    zero: Id,
    word: Id,
    constant: u32,
}

impl Goal<'_> {
    /// The word is 1 exactly where some words equal one of several numbers: these are all the multiples
    /// of `p` that the words can be, and the words are the operand modulo `p`.
    pub(super) fn is_zero(&mut self) -> Result<Reason, ProofError> {
        let model = &self.exec.model;
        let Val::Node(output) = self.output(0)?[0] else { return Err(self.undefined()) };
        let tests = disjunction(model, output).ok_or_else(|| self.undefined())?;
        let group = tests.first().and_then(|test| model.node(test.equals.first()?.word).group);
        let Some(group) = group.map(|group| &model.groups[group]) else { return Err(self.undefined()) };
        let Some(bound) = group.shown else { return Err(self.undefined()) };
        let words = group.words.clone();
        let p = BigInt::from(self.field.p.clone());
        let mut numbers = Vec::new();
        for test in &tests {
            let number =
                number(test, &words).filter(|number| BigInt::from(number.clone()).is_multiple_of(&p));
            numbers.push(number.ok_or_else(|| self.undefined())?);
        }
        let mut found = Vec::new();
        let mut multiple = BigUint::ZERO;
        while BigInt::from(multiple.clone()) <= group.max {
            let test =
                numbers.iter().position(|number| *number == multiple).ok_or_else(|| self.undefined())?;
            found.push(is_found(model, output, &tests[test]));
            multiple += &self.field.p;
        }
        let only = |(test, number)| only(model, test, &words, number);
        let tests = tests.iter().zip(numbers).map(only).collect();
        let none = Proof::Sum(model.in_units(&model.at_most_words(output)));
        let vals: Vec<Val> = words.iter().map(|&word| Val::Node(word)).collect();
        let same = self.congruent_words(0, &vals)?;
        Ok(Reason::Zero { bound, same, tests, none, found })
    }

    /// The word is 0 or 1, and 1 for every multiple of `p` within the bound.
    pub(super) fn maybe_zero(&mut self, max: &BigInt) -> Result<Reason, ProofError> {
        let model = &self.exec.model;
        let output = match self.output(0)?[0] {
            Val::Const(1) => return Ok(Reason::MaybeZero { always: true, found: vec![obvious()] }),
            Val::Const(_) => return Err(self.undefined()),
            Val::Node(output) => output,
        };
        let tests = disjunction(model, output).ok_or_else(|| self.undefined())?;
        let x = self.input(0);
        let (mut multiple, mut found) = (BigUint::ZERO, Vec::new());
        while BigInt::from(multiple.clone()) <= *max {
            let words = self.field.limbs(&multiple);
            let holds = |equal: &Equal| {
                x.iter().position(|x| *x == equal.word).is_some_and(|k| words[k] == equal.constant)
            };
            let test = tests.iter().find(|test| test.equals.iter().all(holds));
            found.push(is_found(model, output, test.ok_or_else(|| self.undefined())?));
            multiple += &self.field.p;
        }
        Ok(Reason::MaybeZero { always: false, found })
    }
}

/// The number that a test compares all the words with.
fn number(test: &Test, words: &[Id]) -> Option<BigUint> {
    let digit = |word: &Id| test.equals.iter().find(|equal| equal.word == *word).map(|equal| equal.constant);
    let digits: Option<Vec<u32>> = words.iter().map(digit).collect();
    let all = test.equals.iter().all(|equal| words.contains(&equal.word));
    digits.filter(|_| all).map(BigUint::new)
}

/// Why the output is 1 where the words of a test are its constants.
fn is_found(model: &Model, output: Id, test: &Test) -> Proof {
    let mut uses = model.in_units(&model.at_least_word(output, test.word).unwrap_or_default());
    // output - 1 ≥ test - 1 = -flag, an integer, and 2^32·flag ≤ 2^32 - 1 as the words that it speaks of are
    // zero.
    let part = model.unit() >> 32;
    let said = match model.node(test.flag).zero {
        Some(Zero::All(_)) => model.at_most_words(test.flag),
        _ => model.truth_of(test.flag)[0].clone(),
    };
    uses.extend(scaled(&said, &part));
    for equal in test.equals.iter().filter(|equal| equal.zero != equal.word) {
        let value = if model.node(equal.zero).bits.is_some() { Fact::Computed } else { Fact::Defined };
        uses.push(Use { fact: value(equal.zero), times: -&part, by: Vec::new() });
    }
    Proof::Sum(uses)
}

/// Why the words of a test are its constants where it holds.
fn only(model: &Model, test: &Test, words: &[Id], number: BigUint) -> Only {
    let of = |word: &Id| {
        let Some(equal) = test.equals.iter().find(|equal| equal.word == *word) else {
            return [obvious(), obvious()];
        };
        let (mut least, mut most) = (Vec::new(), model.zero_where_not(test.flag, equal.zero));
        match model.node(equal.zero).bits {
            _ if equal.zero == equal.word => {}
            Some((Logic::Xor, a, _)) => {
                let (left, right) = (fact(Fact::Left(equal.zero), 1), fact(Fact::Right(equal.zero), 1));
                least.clone_from(&most);
                let first = a == Val::Node(equal.word);
                least.push(if first { right.clone() } else { left.clone() });
                most.push(if first { left } else { right });
            }
            // The word is the constant less this one.
            _ => {
                std::mem::swap(&mut least, &mut most);
                least.push(fact(Fact::Defined(equal.zero), 1));
                most.push(fact(Fact::Defined(equal.zero), -1));
            }
        }
        [least, most].map(|uses| Proof::Sum(model.in_units(&uses)))
    };
    Only { flag: test.flag, value: 0, number, words: words.iter().map(of).collect() }
}

/// The tests of which a word that is 0 or 1 says that one holds.
fn disjunction(model: &Model, id: Id) -> Option<Vec<Test>> {
    match &model.node(id).zero {
        Some(Zero::All(words)) => words.iter().map(|&word| equality(model, word)).collect(),
        _ => Some(vec![equality(model, id)?]),
    }
}

/// The test of which a word is the truth value: `1 - q`, `q` being whether something is not zero. A test that
/// names a word twice is none: with two constants it never holds.
fn equality(model: &Model, word: Id) -> Option<Test> {
    let Kind::Exact(poly) = &model.node(word).kind else { return None };
    let (&[(flag, -1)], 1) = (poly.terms.as_slice(), poly.constant) else { return None };
    let node = model.node(flag);
    let equals: Vec<Equal> = match (&node.zero, &node.fact) {
        (Some(Zero::All(words)), _) => words.iter().map(|&id| equals(model, id)).collect::<Option<_>>()?,
        (Some(Zero::Equals(id, c)), Some(fact)) => {
            vec![Equal { zero: fact.terms.first()?.0, word: *id, constant: *c }]
        }
        (None, Some(fact)) if fact.constant == -1 => match fact.terms.as_slice() {
            [(id, 1)] => vec![equals(model, *id)?],
            _ => return None,
        },
        _ => return None,
    };
    let words: BTreeSet<Id> = equals.iter().map(|equal| equal.word).collect();
    (words.len() == equals.len()).then_some(Test { word, flag, equals })
}

/// What a word that is zero says of a word.
fn equals(model: &Model, zero: Id) -> Option<Equal> {
    let itself = Equal { zero, word: zero, constant: 0 };
    match (&model.node(zero).zero, &model.node(zero).kind) {
        (Some(Zero::Equals(word, c)), _) => Some(Equal { zero, word: *word, constant: *c }),
        // w ^ (2^32 - 1) is a difference.
        (None, Kind::Exact(poly)) => match poly.terms.as_slice() {
            [(word, -1)] => Some(Equal { zero, word: *word, constant: u32::try_from(poly.constant).ok()? }),
            _ => Some(itself),
        },
        (None, _) => Some(itself),
        (Some(Zero::All(_)), _) => None,
    }
}
