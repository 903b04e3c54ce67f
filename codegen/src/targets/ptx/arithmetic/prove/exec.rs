//! Symbolic execution: every word of the block becomes a node.

mod cases;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::ProofError;
use super::model::{B, Kind, Model, Val, Zero};
use super::poly::{Id, Poly};
use super::query::{Known, Memory, Query, Search};
use super::record::{by_cases, fact, obvious, with};
use crate::targets::ptx::arithmetic::check::certificate::{Bits, Fact, Halves, Proof, Step, Use, Written};
use crate::targets::ptx::arithmetic::ir::{Block, CarryOut, Cmp, Flag, Inst, Logic, Pred, Src};
use crate::targets::ptx::arithmetic::num::Num;

/// Everything known after the last instruction.
pub(super) struct Exec<'a> {
    pub(super) model: Model,
    block: &'a Block,
    words: Vec<Option<Val>>,
    preds: Vec<Option<Poly>>,
    flag: Option<(Flag, Poly)>,
    /// Products of which the high word is used.
    wide: BTreeSet<(Src2, Src2)>,
    /// The words of differences, and of sums of two operands, lowest first, and which of them a word is of.
    differences: Vec<Vec<Id>>,
    difference_of: BTreeMap<Id, usize>,
    /// Words of which more is known modulo `2^32` than as numbers: sums of flags.
    lossy: BTreeSet<Id>,
    /// Words that read a carry: `(carry, word)`.
    pub(super) readers: Vec<(Id, Val)>,
    scale: usize,
    memory: Memory,
    at: usize,
}

/// A source with an order.
type Src2 = (bool, u32);

fn key(src: Src) -> Src2 {
    match src {
        Src::Imm(value) => (false, value),
        Src::Word(word) => (true, word.0),
    }
}

impl<'a> Exec<'a> {
    /// `operands` bounds the inputs in order: the largest value of each.
    pub(super) fn run(
        block: &'a Block,
        operands: &[BigInt],
        scale: usize,
        search: Search,
    ) -> Result<Exec<'a>, ProofError> {
        let mut exec = Exec {
            model: Model::new(scale),
            block,
            words: vec![None; block.words()],
            preds: vec![None; block.preds()],
            flag: None,
            wide: wide_products(block),
            differences: Vec::new(),
            difference_of: BTreeMap::new(),
            lossy: BTreeSet::new(),
            readers: Vec::new(),
            scale,
            memory: Memory::of(search),
            at: 0,
        };
        for (input, max) in block.inputs().iter().zip(operands) {
            exec.input(&input.words, max);
        }
        while exec.at < block.insts().len() {
            exec.at += exec.step()?;
        }
        Ok(exec)
    }

    fn input(&mut self, words: &[crate::targets::ptx::arithmetic::ir::Word], max: &BigInt) {
        let mut ids = Vec::with_capacity(words.len());
        for (k, word) in words.iter().enumerate() {
            let id = self.model.opaque(top_word(max, k));
            self.words[word.index()] = Some(Val::Node(id));
            ids.push(id);
        }
        self.model.group(ids, max.clone());
    }

    /// Executes the instruction at `at`, or the run that it starts; how many.
    fn step(&mut self) -> Result<usize, ProofError> {
        match self.block.insts()[self.at] {
            Inst::Add { guard: Some(q), .. } | Inst::Sub { guard: Some(q), .. } => return self.guarded(q),
            Inst::Selp { q, .. } => return self.selects(q),
            Inst::Setp { q, cmp, a, b } => {
                let (a, b) = (self.get(a)?, self.get(b)?);
                let (holds, differs, range) = self.compare(cmp, a, b);
                self.model.record.inst(Written::Compare { holds: holds.clone(), differs, range });
                self.preds[q.index()] = Some(holds);
            }
            Inst::MulWide { lo, hi, a, b } => {
                let halves = self.halves(a, b)?;
                self.words[lo.index()] = Some(halves.low);
                self.words[hi.index()] = Some(halves.high);
                self.model.record.inst(Written::Half(halves));
            }
            inst => {
                let (word, written) = self.value(&inst)?;
                self.model.record.inst(written);
                let d = inst.dst().expect("only setp writes no word");
                self.words[d.index()] = Some(word);
            }
        }
        Ok(1)
    }

    /// The word that an instruction writes.
    fn value(&mut self, inst: &Inst) -> Result<(Val, Written), ProofError> {
        Ok(match *inst {
            Inst::Add { a, b, cin, out, .. } => {
                let (a, b) = (self.term(a, out)?, self.term(b, out)?);
                self.sum([a, b], Flag::Carry, cin, out, None)?
            }
            Inst::Sub { a, b, cin, out, .. } => {
                let (a, b) = (self.term(a, out)?, self.term(b, out)?);
                self.sum([a, b], Flag::Borrow, cin, out, None)?
            }
            Inst::MulLo { a, b, .. } => {
                let alone = !self.wide.contains(&ordered(a, b));
                let (a, b) = (self.get(a)?, self.get(b)?);
                let halves = if alone { self.model.low_half(a, b) } else { self.model.halves(a, b) };
                (halves.low, Written::Half(halves))
            }
            Inst::MulHi { a, b, .. } => {
                let halves = self.halves(a, b)?;
                (halves.high, Written::Half(halves))
            }
            Inst::MadLo { a, b, c, cin, out, .. } => {
                let (halves, c) = (self.halves(a, b)?, self.get(c)?);
                self.sum([halves.low, c], Flag::Carry, cin, out, Some(halves))?
            }
            Inst::MadHi { a, b, c, cin, out, .. } => {
                let (halves, c) = (self.halves(a, b)?, self.get(c)?);
                self.sum([halves.high, c], Flag::Carry, cin, out, Some(halves))?
            }
            Inst::Logic { op, a, b, .. } => {
                let (a, b) = (self.get(a)?, self.get(b)?);
                let bits = self.logic(op, a, b);
                (bits.word, Written::Bits(bits))
            }
            Inst::Shl { a, by, .. } => {
                let (a, by) = (self.get(a)?, self.amount(by)?);
                let halves = self.model.shifted(a, by);
                (halves.low, Written::Half(halves))
            }
            // The bits that a shift to the left would push out.
            Inst::Shr { a, by, .. } => {
                let (a, by) = (self.get(a)?, self.amount(by)?);
                let halves = self.model.shifted(a, 32 - by);
                (halves.high, Written::Half(halves))
            }
            Inst::ShfL { lo, hi, by, .. } => {
                let (lo, hi, by) = (self.get(lo)?, self.get(hi)?, self.amount(by)?);
                let (upper, lower) = (self.model.shifted(hi, by), self.model.shifted(lo, by));
                let value = self.model.poly(upper.low).plus(1, &self.model.poly(lower.high));
                let word = self.model.exact(value.clone());
                (word, Written::Funnel { upper, lower, word, uses: self.model.defined(word, &value) })
            }
            Inst::Setp { .. } | Inst::Selp { .. } | Inst::MulWide { .. } => {
                return Err(self.error("is executed elsewhere"));
            }
        })
    }

    fn amount(&self, by: u32) -> Result<u32, ProofError> {
        if (1..32).contains(&by) { Ok(by) } else { Err(self.error("shifts by no or all bits")) }
    }

    fn halves(&mut self, a: Src, b: Src) -> Result<Halves, ProofError> {
        let (a, b) = (self.get(a)?, self.get(b)?);
        self.multiplied(a);
        self.multiplied(b);
        Ok(self.model.halves(a, b))
    }

    /// A word of a difference that is multiplied: forms may end at the words of the difference.
    fn multiplied(&mut self, word: Val) {
        let Val::Node(id) = word else { return };
        if let Some(&index) = self.difference_of.get(&id) {
            self.model.open_group(&self.differences[index]);
        }
    }

    /// The word of `a + b` plus the carry in, or of `a - b` minus the borrow in.
    fn sum(
        &mut self,
        [a, b]: [Val; 2],
        kind: Flag,
        cin: bool,
        out: CarryOut,
        product: Option<Halves>,
    ) -> Result<(Val, Written), ProofError> {
        let sign = sign(kind);
        let product_of_none = product.is_none();
        let (mut value, mut read) = (self.model.poly(a).plus(sign, &self.model.poly(b)), None);
        if cin {
            match &self.flag {
                Some((set, carry)) if *set == kind => {
                    value = value.plus(sign, carry);
                    read = carry.single();
                }
                _ => return Err(self.error("reads a flag of the other kind, or none")),
            }
        }
        let (word, carry) = match self.never(&value, sign, out, [a, b])? {
            Some(word) => (word, Poly::default()),
            None => self.split(value.clone(), sign, out)?,
        };
        let uses = self.model.defined_sum(word, &carry, &value, sign);
        if let Some(id) = read {
            self.readers.push((id, word));
        }
        if kind == Flag::Borrow || (product_of_none && self.is_operand(a) && self.is_operand(b)) {
            self.difference(word, cin);
        }
        if out == CarryOut::Flag {
            self.flag = Some((kind, carry.clone()));
        }
        Ok((word, Written::Sum { product, word, carry, uses }))
    }

    /// Whether it is a word of an operand of the block.
    fn is_operand(&self, word: Val) -> bool {
        let Val::Node(id) = word else { return false };
        self.model.node(id).group.is_some_and(|group| group < self.block.inputs().len())
    }

    /// Records a word of a difference, or of a sum of two operands, the next one if `continued`.
    fn difference(&mut self, word: Val, continued: bool) {
        if !continued {
            self.differences.push(Vec::new());
        }
        if let (Val::Node(id), Some(words)) = (word, self.differences.last_mut()) {
            words.push(id);
            self.difference_of.insert(id, self.differences.len() - 1);
        }
    }

    /// The word of a sum of two words of which the carry is denied.
    fn never(
        &mut self,
        value: &Poly,
        sign: i128,
        out: CarryOut,
        [a, b]: [Val; 2],
    ) -> Result<Option<Val>, ProofError> {
        let (lo, hi) = self.model.range(value);
        if out != CarryOut::Never || (lo >= 0 && hi < B) {
            return Ok(None);
        }
        let limit = if sign > 0 { (Some(B), None) } else { (None, Some(0)) };
        let Some([mut least, mut most]) = self.query().within(value, limit, &[]) else {
            return Err(self.error("drops a carry that is not shown to be zero"));
        };
        // Of a borrow alone: the checker knows the word then, so that it has to know the borrow too.
        if let ([(borrow, -1)], 0) = (value.terms.as_slice(), value.constant)
            && self.model.is_bool(*borrow)
        {
            let proofs = [obvious(), least.clone()];
            self.model.record.step(Step::Narrow { var: *borrow, range: [0, 0], proofs });
        }
        // The other end is that of the two words, which say more than what they abbreviate.
        if sign > 0 {
            least = Proof::Sum(self.model.ends([(a, Fact::AtLeast), (b, Fact::AtLeast)]));
        } else {
            most = Proof::Sum(self.model.ends([(a, Fact::AtMost), (b, Fact::AtLeast)]));
        }
        let word = self.model.exact(value.clone());
        self.model.record_word(word, value, [least, most]);
        Ok(Some(word))
    }

    /// Word and carry of `value`.
    fn split(&mut self, value: Poly, sign: i128, out: CarryOut) -> Result<(Val, Poly), ProofError> {
        let (lo, hi) = self.model.range(&value);
        if lo >= 0 && hi < B {
            return Ok((self.model.exact(value), Poly::default()));
        }
        if let Some(both) = self.split_booleans(&value, sign, out) {
            return Ok(both);
        }
        if out == CarryOut::Lost
            && let Some((carry, proofs)) = self.flag_that_is(&value, sign)
        {
            let value = value.plus(-sign * B, &Poly::of(carry));
            let word = self.model.exact(value.clone());
            self.model.record_word(word, &value, proofs);
            return Ok((word, Poly::of(carry)));
        }
        let residue = self.model.residue(&value);
        if let Some(low) = residue.value() {
            let low = low.rem_euclid(B) as u32;
            let carry = self.model.carry_of_constant(value, sign, low);
            return Ok((Val::Const(low), carry));
        }
        Ok(self.model.carry(value, sign))
    }

    /// The flag of a mask in `value` that is also the carry out of it, by a case split; why the word is one
    /// then.
    fn flag_that_is(&self, value: &Poly, sign: i128) -> Option<(Id, [Proof; 2])> {
        let mask = |&&(id, k): &&(Id, i128)| k.abs() == B - 1 && self.model.is_flag(id);
        let (flag, _) = *value.terms.iter().find(mask)?;
        let case = |holds| Known { id: flag, value: holds, facts: Vec::new() };
        let (with, without) =
            if sign > 0 { ((None, Some(B)), (Some(B), None)) } else { ((Some(0), None), (None, Some(0))) };
        let [least_without, most_without] = self.query().within(value, without, &[case(false)])?;
        let [least_with, most_with] = self.query().within(value, with, &[case(true)])?;
        let cases = |without, with| Proof::Cases(flag, Box::new([without, with]));
        Some((flag, [cases(least_without, least_with), cases(most_without, most_with)]))
    }

    /// As [`split`](Self::split) for a value made of booleans.
    fn split_booleans(&mut self, value: &Poly, sign: i128, out: CarryOut) -> Option<(Val, Poly)> {
        if let Some(booleans) = self.model.booleans(value) {
            // Of `c - b` that becomes a word, the range may say more than the corners.
            let few = booleans.len() <= 2 && self.model.corners(value, &booleans).len() <= 2;
            if few || (booleans.len() == 2 && out == CarryOut::Flag) {
                let word = self.model.tabulate(value, &booleans, |v| v.rem_euclid(B));
                let carry = self.model.tabulate(value, &booleans, |v| sign * v.div_euclid(B));
                // Of a product of flags nothing is known where it decides.
                if few || carry.terms.len() < 2 {
                    let value = self.model.exact(word.clone());
                    let cases = || by_cases(&booleans);
                    self.model.record_word(value, &word, [cases(), cases()]);
                    return Some((value, carry));
                }
            }
        }
        let residue = self.model.residue(value);
        // A sum of flags modulo 2^32, whatever the words on the way to it lost.
        if out == CarryOut::Lost && residue.height() < B / 4 && self.model.booleans(&residue).is_some() {
            let (word, carry) = self.model.carry(value.clone(), sign);
            if let Val::Node(id) = word {
                self.model.node_mut(id).residue = Some(residue);
                self.lossy.insert(id);
            }
            return Some((word, carry));
        }
        None
    }

    /// A term of a sum that is more than a sum modulo `2^32`.
    fn term(&mut self, src: Src, out: CarryOut) -> Result<Val, ProofError> {
        let value = self.get(src)?;
        let (Val::Node(id), true) = (value, out != CarryOut::Lost) else { return Ok(value) };
        if !self.lossy.remove(&id) {
            return Ok(value);
        }
        let residue = self.model.node(id).residue.clone().unwrap_or_else(|| Poly::of(id));
        let Some(proofs) = self.query().within(&residue, (Some(B), Some(0)), &[]) else {
            return Ok(value);
        };
        let exact = self.model.exact(residue.clone());
        self.model.record_word(exact, &residue, proofs);
        if let Src::Word(word) = src {
            let mut uses = self.model.residue_uses(&Poly::of(id));
            uses.extend(self.model.defined(exact, &residue));
            self.model.record.step(Step::Rename { word: word.0, to: exact, uses });
            self.words[word.index()] = Some(exact);
        }
        Ok(exact)
    }

    fn logic(&mut self, op: Logic, a: Val, b: Val) -> Bits {
        if let (Val::Const(a), Val::Const(b)) = (a, b) {
            let word = Val::Const(match op {
                Logic::And => a & b,
                Logic::Or => a | b,
                Logic::Xor => a ^ b,
            });
            return Bits { word, mask: None, uses: Vec::new() };
        }
        if op != Logic::Or {
            for (mask, other, first) in [(a, b, true), (b, a, false)] {
                if let Some((q, value, mut uses)) = self.masked(op, mask, other) {
                    let word = self.model.exact(value.clone());
                    uses.extend(self.model.defined(word, &value));
                    return Bits { word, mask: Some((q, first)), uses };
                }
            }
        }
        let most = |v: Val| self.model.val_range(v).1;
        let bits = 128 - (most(a) | most(b)).leading_zeros();
        let hi = if op == Logic::And { most(a).min(most(b)) } else { (1i128 << bits) - 1 };
        self.model.record.step(Step::Logic { op, a, b });
        let id = self.model.opaque(hi);
        self.model.node_mut(id).bits = Some((op, a, b));
        let zero = match (op, a, b) {
            (Logic::Or, Val::Node(a), Val::Node(b)) => {
                let mut words = self.vanishing(a);
                words.extend(self.vanishing(b));
                Some(Zero::All(words))
            }
            (Logic::Or, Val::Node(a), Val::Const(0)) | (Logic::Or, Val::Const(0), Val::Node(a)) => {
                Some(Zero::All(self.vanishing(a)))
            }
            (Logic::Xor, Val::Node(a), Val::Const(c)) | (Logic::Xor, Val::Const(c), Val::Node(a)) => {
                Some(Zero::Equals(a, c))
            }
            _ => None,
        };
        if let Some(zero) = zero {
            self.model.vanishes(id, zero);
        }
        Bits { word: Val::Node(id), mask: None, uses: Vec::new() }
    }

    /// The words that are zero where `id` is.
    fn vanishing(&self, id: Id) -> Vec<Id> {
        match &self.model.node(id).zero {
            Some(Zero::All(words)) => words.clone(),
            _ => vec![id],
        }
    }

    /// `q`, and `mask & other` or `mask ^ other`, where the mask is a boolean's: `(2^32 - 1)·q`.
    fn masked(&mut self, op: Logic, mask: Val, other: Val) -> Option<(Poly, Poly, Vec<Use>)> {
        let q = self.model.poly(mask).divided(B - 1)?;
        self.model.booleans(&q)?;
        let range = self.model.range(&q);
        if range.0 < 0 || range.1 > 1 {
            return None;
        }
        let other = self.model.poly(other);
        let (both, implied) = self.model.multiply(&q, &other)?;
        let (word, k) = match op {
            Logic::And => (both, -1),
            // w ^ (2^32 - 1) = 2^32 - 1 - w.
            _ => (other.plus(B - 1, &q).plus(-2, &both), 2),
        };
        let using = |(c, (index, by))| Use { fact: Fact::Implied(index), times: Num::from(k * c), by };
        Some((q, word, implied.into_iter().map(using).collect()))
    }

    /// The predicate, the word that is zero where the operands are equal, and why.
    fn compare(&mut self, cmp: Cmp, a: Val, b: Val) -> (Poly, Option<Bits>, [Proof; 2]) {
        if cmp == Cmp::Ge {
            let fact = self.model.poly(a).plus(-1, &self.model.poly(b));
            let q = self.model.boolean(fact.clone());
            let range = self.model.truth(&fact, &q);
            return (q, None, range);
        }
        let (word, differs) = match (a, b) {
            (word, Val::Const(0)) | (Val::Const(0), word) => (word, None),
            (word, other) => {
                let bits = self.logic(Logic::Xor, word, other);
                (bits.word, Some(bits))
            }
        };
        let (q, range) = self.nonzero(word);
        (if cmp == Cmp::Eq { q.times(-1).shifted(1) } else { q }, differs, range)
    }

    /// `[word ≠ 0]`, which is `[word - 1 ≥ 0]`.
    fn nonzero(&mut self, word: Val) -> (Poly, [Proof; 2]) {
        let poly = self.model.poly(word);
        if let Some(value) = poly.value() {
            return (Poly::constant(i128::from(value != 0)), [obvious(), obvious()]);
        }
        if let Some(booleans) = self.model.booleans(&poly).filter(|b| b.len() <= 2) {
            let q = self.model.tabulate(&poly, &booleans, |v| i128::from(v != 0));
            return (q, [by_cases(&booleans), by_cases(&booleans)]);
        }
        if let Some((borrow, range)) = self.borrow_of_top(word) {
            return (Poly::of(borrow), range);
        }
        let zero = match word {
            Val::Node(id) => self.model.node(id).zero.clone().or(Some(Zero::All(vec![id]))),
            Val::Const(_) => None,
        };
        let positive = poly.shifted(-1);
        let q = self.model.boolean(positive.clone());
        if let (Some(id), Some(zero)) = (q.single(), zero) {
            self.model.vanishes(id, zero);
        }
        let range = self.model.truth(&positive, &q);
        (q, range)
    }

    /// The borrow `q` of `word = v + 2^32·q` where `-2^32 < v ≤ 0`: the word is not zero where `q` is 1.
    fn borrow_of_top(&mut self, word: Val) -> Option<(Id, [Proof; 2])> {
        let Val::Node(id) = word else { return None };
        let Kind::Low(pair) = self.model.node(id).kind else { return None };
        let pair = self.model.pairs[pair].clone();
        if pair.sign > 0 {
            return None;
        }
        let [least, most] = self.query().within(&pair.value, (Some(1), Some(1 - B)), &[])?;
        let defined = |k| self.model.in_units(&[fact(Fact::Defined(pair.high), k)]);
        Some((pair.high, [with(least, &defined(1)), with(most, &defined(-1))]))
    }

    /// What is left of it when only bounds are asked for.
    pub(super) fn into_known(self) -> (Model, Memory) {
        (self.model, self.memory)
    }

    pub(super) fn query(&self) -> Query<'_> {
        Query::new(&self.model, self.scale, &self.memory)
    }

    /// The value of a source that is written.
    pub(super) fn get(&self, src: Src) -> Result<Val, ProofError> {
        match src {
            Src::Imm(value) => Ok(Val::Const(value)),
            Src::Word(word) => {
                let value = self.words.get(word.index()).copied().flatten();
                value.ok_or_else(|| self.error("reads a word that is not written"))
            }
        }
    }

    fn pred(&self, q: Pred) -> Result<Poly, ProofError> {
        let value = self.preds.get(q.index()).cloned().flatten();
        value.ok_or_else(|| self.error("reads a predicate that is not written"))
    }

    fn error(&self, reason: &'static str) -> ProofError {
        ProofError::Instruction { at: self.at, reason }
    }
}

/// The largest word `k` of a value of at most `max`.
pub(super) fn top_word(max: &BigInt, k: usize) -> i128 {
    i128::try_from((max >> (32 * k)).min(BigInt::from(B - 1))).expect("below 2^32")
}

fn sign(kind: Flag) -> i128 {
    if kind == Flag::Carry { 1 } else { -1 }
}

fn ordered(a: Src, b: Src) -> (Src2, Src2) {
    (key(a).min(key(b)), key(a).max(key(b)))
}

fn wide_products(block: &Block) -> BTreeSet<(Src2, Src2)> {
    let wide = block.insts().iter().filter_map(|inst| match *inst {
        Inst::MulHi { a, b, .. }
        | Inst::MulWide { a, b, .. }
        | Inst::MadLo { a, b, .. }
        | Inst::MadHi { a, b, .. } => Some(ordered(a, b)),
        _ => None,
    });
    wide.collect()
}
