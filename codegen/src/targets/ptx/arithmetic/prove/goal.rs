//! The comparison of a block's outputs with the definition.

use std::cell::RefCell;

use num_bigint::BigInt;

use super::ProofError;
use super::exec::{Exec, top_word};
use super::expand::{self, Key, Terms};
use super::model::{Kind, Model, Val};
use super::poly::{Id, Poly};
use super::query::{Memory, Query, Search};
use super::record::obvious;
use crate::declaration::FieldDesc;
use crate::targets::ptx::arithmetic::check::certificate::{Certificate, Fact, Proof, Reason, Step, Use};
use crate::targets::ptx::arithmetic::check::definition::{Term, definition};
use crate::targets::ptx::arithmetic::ir::{Block, Src};
use crate::targets::ptx::arithmetic::num::Num;
use crate::targets::ptx::{Bound, FieldOp};

/// What the search knows of a block that computes its operation: enough to bound its results for narrower
/// operands.
pub(super) struct Found {
    field: FieldDesc,
    model: Model,
    scale: usize,
    memory: Memory,
    /// The words of the results, or none of an operation whose result is a bit.
    outputs: Vec<Vec<Poly>>,
}

impl Found {
    /// Searches for a certificate that a block computes an operation for `operands`.
    pub(super) fn search(
        field: &FieldDesc,
        op: &FieldOp,
        operands: &[Bound],
        block: &Block,
        search: Search,
    ) -> Result<(Found, Certificate), ProofError> {
        check_shape(field, op, operands, block)?;
        let maxima = maxima(field, operands);
        // Room for the division by R of a double-length value, and some more.
        let rows = if let FieldOp::MulTable { rows, .. } = op { *rows as usize } else { 0 };
        let scale = 2 * field.words + rows + 8;
        let exec = Exec::run(block, &maxima, scale, search)?;
        let mut goal = Goal { field, op, block, exec, scale };
        let (reason, results) = match op {
            FieldOp::IsZero => (goal.is_zero()?, 0),
            FieldOp::MaybeZero => (goal.maybe_zero(&maxima[0])?, 0),
            _ => {
                let congruent = (0..block.outputs().len()).map(|k| goal.congruent(k));
                (Reason::Congruent(congruent.collect::<Result<_, _>>()?), block.outputs().len())
            }
        };
        let steps = goal.exec.model.record.take();
        let words = |k| Ok(goal.output(k)?.into_iter().map(|word| goal.exec.model.poly(word)).collect());
        let outputs = (0..results).map(words).collect::<Result<_, ProofError>>()?;
        let (model, memory) = goal.exec.into_known();
        let certificate = Certificate { scale, steps, reason };
        Ok((Found { field: field.clone(), model, scale, memory, outputs }, certificate))
    }

    /// Why every result is within `out`, for operands within bounds of which none is weaker than that of the
    /// search.
    pub(super) fn bounds(&mut self, operands: &[Bound], out: Bound) -> Result<Vec<Proof>, ProofError> {
        self.narrow(&maxima(&self.field, operands));
        let bound = BigInt::from(out.max(&self.field));
        let query = Query::new(&self.model, self.scale, &self.memory);
        let proof = |words: &Vec<Poly>| {
            let (max, proof) = query.largest(words, &[], &bound);
            if max > bound {
                return Err(ProofError::Bound { max: max.to_string(), bound: bound.to_string() });
            }
            Ok(proof)
        };
        self.outputs.iter().map(proof).collect()
    }

    /// Bounds the inputs anew: what is known stays true.
    fn narrow(&mut self, operands: &[BigInt]) {
        for (input, max) in operands.iter().enumerate() {
            self.model.groups[input].max.clone_from(max);
            for (k, id) in self.model.groups[input].words.clone().into_iter().enumerate() {
                self.model.node_mut(id).hi = top_word(max, k);
            }
        }
    }
}

/// The largest value of each input.
fn maxima(field: &FieldDesc, operands: &[Bound]) -> Vec<BigInt> {
    operands.iter().map(|bound| bound.max(field).into()).collect()
}

fn check_shape(field: &FieldDesc, op: &FieldOp, operands: &[Bound], block: &Block) -> Result<(), ProofError> {
    let inputs = vec![field.words; op.operands(field)];
    let outputs = match op {
        FieldOp::IsZero | FieldOp::MaybeZero => vec![1],
        _ => vec![field.words; op.results()],
    };
    let right = operands.len() == op.operands(field)
        && block.inputs().iter().map(|input| input.words.len()).eq(inputs)
        && block.outputs().iter().map(|output| output.words.len()).eq(outputs);
    if right { Ok(()) } else { Err(ProofError::Shape(format!("{op:?}"))) }
}

pub(super) struct Goal<'a> {
    pub(super) field: &'a FieldDesc,
    pub(super) op: &'a FieldOp,
    block: &'a Block,
    pub(super) exec: Exec<'a>,
    /// Terms are compared times `2^(32·scale)`.
    scale: usize,
}

impl Goal<'_> {
    /// Output `k` is the definition modulo `p`.
    fn congruent(&mut self, k: usize) -> Result<Vec<Use>, ProofError> {
        let words = self.output(k)?;
        self.congruent_words(k, &words)
    }

    /// The words are the definition of output `k` modulo `p`.
    pub(super) fn congruent_words(&mut self, k: usize, words: &[Val]) -> Result<Vec<Use>, ProofError> {
        let mut terms = self.definition(k);
        let mut weight = -Num::power(self.scale);
        for &word in words {
            add_val(&mut terms, word, &weight);
            weight = weight << 32;
        }
        self.vanishes(terms)
    }

    /// The terms sum to zero modulo `p`: the equations of which multiples are taken off for that.
    fn vanishes(&mut self, terms: Terms) -> Result<Vec<Use>, ProofError> {
        let (exec, p) = (&self.exec, BigInt::from(self.field.p.clone()));
        let divides = |k: &Num| k.is_multiple_of(&p);
        let (carries, mut uses) = (RefCell::new(Carries::default()), Vec::new());
        let mut leaf = |terms: &mut Terms, id: Id, k: &Num| {
            Some(divides(k) || carry_is_zero(exec, terms, id, k, &mut carries.borrow_mut()))
        };
        let left = expand::fully(&exec.model, terms, &mut leaf, &mut uses);
        let left = left.map_or(usize::MAX, |left| left.values().filter(|k| !divides(k)).count());
        if left != 0 {
            return Err(ProofError::Definition { op: format!("{:?}", self.op), left });
        }
        let carries = carries.into_inner();
        uses.extend(carries.uses);
        carries.steps.into_iter().for_each(|step| self.exec.model.record.step(step));
        Ok(uses)
    }

    /// The terms of the definition of output `k`, times `2^(32·scale)`.
    fn definition(&self, k: usize) -> Terms {
        let mut sum = Sum { model: &self.exec.model, terms: Terms::new() };
        for Term { factor, x, y, down } in definition(self.op, self.field.words, k) {
            let (words, factor) = (&self.input(x.0)[x.1], factor << (32 * (self.scale - down)));
            match y {
                None => sum.linear(words, &factor),
                Some(y) => sum.product(words, &self.input(y), &factor),
            }
        }
        sum.terms
    }

    pub(super) fn undefined(&self) -> ProofError {
        ProofError::Definition { op: format!("{:?}", self.op), left: usize::MAX }
    }

    /// The words of an operand. Inputs are the first nodes, in order.
    pub(super) fn input(&self, index: usize) -> Vec<Id> {
        self.exec.model.groups[index].words.clone()
    }

    pub(super) fn output(&self, k: usize) -> Result<Vec<Val>, ProofError> {
        self.block.outputs()[k].words.iter().map(|&src: &Src| self.exec.get(src)).collect()
    }
}

/// What is shown of carries.
#[derive(Default)]
struct Carries {
    steps: Vec<Step>,
    uses: Vec<Use>,
}

/// Whether a carry with coefficient `k` contributes nothing, because it is zero, or because it was added
/// to a word that is: the word's definition is then added to the terms with the factor that cancels it.
fn carry_is_zero(exec: &Exec<'_>, terms: &mut Terms, id: Id, k: &Num, carries: &mut Carries) -> bool {
    let model = &exec.model;
    let reader = exec.readers.iter().find_map(|&(carry, word)| match word {
        Val::Node(word) if carry == id => Some(word),
        _ => None,
    });
    let mut zero = |id: Id| {
        let Some([_, most]) = exec.query().within(&Poly::of(id), (Some(1), None), &[]) else { return false };
        carries.steps.push(Step::Narrow {
            var: id,
            range: [model.node(id).lo, 0],
            proofs: [obvious(), most],
        });
        true
    };
    if let Some(word) = reader.filter(|&word| word != id)
        && let Kind::Exact(poly) = &model.node(word).kind
        && poly.terms.last() == Some(&(id, 1))
        && zero(word)
    {
        let mut rest = poly.clone();
        rest.terms.pop();
        add_poly(terms, &rest, &-k);
        carries.uses.push(Use { fact: Fact::Defined(word), times: -k, by: Vec::new() });
        return true;
    }
    zero(id)
}

fn mono(id: Id) -> Key {
    expand::key([id, 0, 0, 0])
}

fn add_poly(terms: &mut Terms, poly: &Poly, k: &Num) {
    *terms.entry(mono(0)).or_default() += &k.times(poly.constant);
    for &(id, c) in &poly.terms {
        *terms.entry(mono(id)).or_default() += &k.times(c);
    }
}

fn add_val(terms: &mut Terms, word: Val, k: &Num) {
    match word {
        Val::Const(c) => *terms.entry(mono(0)).or_default() += &k.times(c.into()),
        Val::Node(id) => *terms.entry(mono(id)).or_default() += k,
    }
}

/// A definition being written down.
struct Sum<'a> {
    model: &'a Model,
    terms: Terms,
}

impl Sum<'_> {
    fn linear(&mut self, x: &[Id], k: &Num) {
        for (i, &x) in x.iter().enumerate() {
            *self.terms.entry(mono(x)).or_default() += &(k << (32 * i));
        }
    }

    fn product(&mut self, x: &[Id], y: &[Id], k: &Num) {
        for (i, &x) in x.iter().enumerate() {
            for (j, &y) in y.iter().enumerate() {
                let (factors, _) = self.model.factors(&[x, y]).expect("two factors");
                let mut mono = [0; 4];
                for (slot, &id) in mono.iter_mut().zip(factors.iter().rev()) {
                    *slot = id;
                }
                *self.terms.entry(expand::key(mono)).or_default() += &(k << (32 * (i + j)));
            }
        }
    }
}
