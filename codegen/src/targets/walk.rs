//! The walk over the statements of a kernel that writers share: order, control, and what is read where.
//!
//! Values are computed once and locals are mutable, so that a language without phi functions takes a kernel
//! as it stands. A value is a list of atoms: one for a word, a 64-bit word or a predicate, and one for each
//! limb of a field element, as the target's [layout](BackEnd::layout) has them.

use super::{BackEnd, Choice, Machine as _};
use crate::error::EmitError;
use crate::fir::ir::*;
use crate::passes::{Checked, rereadable};

/// What a writer plugs into the [walk](fn@write).
pub trait Language {
    /// The target that it writes for.
    type Target: BackEnd;
    /// A scalar, as it stands where it is used.
    type Atom: Clone;
    /// An open conditional.
    type Fork;
    /// An open loop.
    type Round;

    /// Opens a conditional and its first arm.
    fn fork(&mut self, cond: &Self::Atom, has_otherwise: bool) -> Result<Self::Fork, EmitError>;
    /// Ends the first arm, whose end is reached or not, and opens the second.
    fn otherwise(&mut self, fork: &mut Self::Fork, reached: bool) -> Result<(), EmitError>;
    /// Ends the last arm, whose end is `reached` or not, and goes on after the conditional if control
    /// `goes_on`.
    fn join(&mut self, fork: Self::Fork, reached: bool, goes_on: bool) -> Result<(), EmitError>;
    /// Opens a loop.
    fn begin_loop(&mut self) -> Result<Self::Round, EmitError>;
    /// Leaves a loop.
    fn leave(&mut self, round: &Self::Round) -> Result<(), EmitError>;
    /// Ends the body of a loop, whose end is `reached` or not, and goes on after it if control `goes_on`.
    fn end_loop(&mut self, round: Self::Round, reached: bool, goes_on: bool) -> Result<(), EmitError>;
    /// Ends the thread.
    fn end(&mut self) -> Result<(), EmitError>;
    /// Ends a function with these words.
    fn give(&mut self, words: &[Self::Atom]) -> Result<(), EmitError>;

    /// What a local holds.
    fn get(&mut self, local: Local) -> Result<Vec<Self::Atom>, EmitError>;
    /// Writes a local.
    fn set(&mut self, local: Local, value: &[Self::Atom]) -> Result<(), EmitError>;

    /// A constant: of a predicate 0 or 1.
    fn literal(&mut self, ty: Type, value: u64) -> Result<Self::Atom, EmitError>;
    /// A launch position.
    fn special(&mut self, special: Special) -> Result<Self::Atom, EmitError>;
    /// A scalar parameter of a kernel.
    fn param(&mut self, param: ParamId) -> Result<Self::Atom, EmitError>;
    /// A word of a function's arguments.
    fn argument(&mut self, word: usize) -> Result<Self::Atom, EmitError>;
    /// An operation on two scalars of a type; amounts of shifts are words.
    fn int(&mut self, op: IntOp, ty: Type, a: &Self::Atom, b: &Self::Atom) -> Result<Self::Atom, EmitError>;
    /// Complement.
    fn not(&mut self, ty: Type, a: &Self::Atom) -> Result<Self::Atom, EmitError>;
    /// An operation on a word.
    fn bit(&mut self, op: BitOp, a: &Self::Atom) -> Result<Self::Atom, EmitError>;
    /// Compares two scalars of a type.
    fn cmp(&mut self, op: CmpOp, ty: Type, a: &Self::Atom, b: &Self::Atom) -> Result<Self::Atom, EmitError>;
    /// A word as 64 bits.
    fn widen(&mut self, a: &Self::Atom) -> Result<Self::Atom, EmitError>;
    /// The low word of 64 bits.
    fn narrow(&mut self, a: &Self::Atom) -> Result<Self::Atom, EmitError>;
    /// A predicate as a word, 0 or 1.
    fn word_of_truth(&mut self, a: &Self::Atom) -> Result<Self::Atom, EmitError>;
    /// `cond ? a : b` of scalars.
    fn select(
        &mut self,
        ty: Type,
        cond: &Self::Atom,
        a: &Self::Atom,
        b: &Self::Atom,
    ) -> Result<Self::Atom, EmitError>;
    /// `cond ? a : b` of elements, word by word.
    fn select_element(
        &mut self,
        cond: &Self::Atom,
        a: &[Self::Atom],
        b: &[Self::Atom],
    ) -> Result<Vec<Self::Atom>, EmitError> {
        a.iter().zip(b).map(|(a, b)| self.select(Type::U32, cond, a, b)).collect()
    }
    /// A field operation by its program; the words that this gives, of a test the one that is zero or not.
    fn program(
        &mut self,
        op: &Op,
        choice: &Choice<Self::Target>,
        inputs: &[Self::Atom],
    ) -> Result<Vec<Self::Atom>, EmitError>;
    /// The words that a function gives for these.
    fn call(&mut self, function: FunctionId, inputs: &[Self::Atom]) -> Result<Vec<Self::Atom>, EmitError>;

    /// Reads words in a row, one for each result.
    fn load(
        &mut self,
        results: &[Value],
        place: &Place,
        index: &Index<Self::Atom>,
    ) -> Result<Vec<Self::Atom>, EmitError>;
    /// Writes words in a row.
    fn store(
        &mut self,
        place: &Place,
        index: &Index<Self::Atom>,
        words: &[Self::Atom],
    ) -> Result<(), EmitError>;
    /// The address of a word, as an operand of [`Language::effect`].
    fn address(&mut self, place: &Place, index: &Index<Self::Atom>) -> Result<Self::Atom, EmitError>;
    /// What speaks to other threads or orders memory. The operands are the address where there is one, and
    /// what the statement reads besides in the order of [`Stmt::uses`]; of an element that is shuffled one
    /// word.
    fn effect(&mut self, stmt: &Stmt, operands: &[Self::Atom]) -> Result<Option<Self::Atom>, EmitError>;
}

/// Which element of a buffer or array, and of a point which part, as words.
#[derive(Clone, Debug)]
pub struct Index<A> {
    /// The element.
    pub element: A,
    /// The part.
    pub part: Option<A>,
}

/// Words of a value when it goes into a function or comes out.
pub fn words_of<T: BackEnd>(kernel: &Kernel, ty: Type) -> usize {
    match ty {
        Type::Field => T::layout(kernel.field()).limbs,
        Type::U64 => 2,
        _ => 1,
    }
}

/// Writes the body of a kernel or function.
pub fn write<L: Language>(language: &mut L, checked: &Checked<L::Target>) -> Result<(), EmitError> {
    let kernel = checked.kernel();
    let mut walk = Walk {
        checked,
        kernel,
        values: vec![vec![]; kernel.values().count()],
        rereadable: rereadable(kernel, &L::Target::in_memory(kernel)),
        rounds: vec![],
        language,
    };
    match walk.block(&kernel.body)? {
        true => walk.language.end(),
        false => Ok(()),
    }
}

struct Walk<'a, L: Language> {
    checked: &'a Checked<L::Target>,
    kernel: &'a Kernel,
    values: Vec<Vec<L::Atom>>,
    /// By value, whether it is a `get` that is read at every use.
    rereadable: Vec<bool>,
    /// The loops around, innermost last, and whether they were left.
    rounds: Vec<(L::Round, bool)>,
    language: &'a mut L,
}

impl<L: Language> Walk<'_, L> {
    fn values(&self, v: Value) -> &[L::Atom] {
        &self.values[v.0 as usize]
    }

    fn value(&self, v: Value) -> L::Atom {
        self.values[v.0 as usize][0].clone()
    }

    fn set(&mut self, v: Value, atoms: Vec<L::Atom>) {
        self.values[v.0 as usize] = atoms;
    }

    /// True when control reaches the end of the block.
    fn block(&mut self, block: &Block) -> Result<bool, EmitError> {
        let mut fresh = vec![];
        for stmt in block {
            fresh = self.reread(stmt, &fresh)?;
            if !self.stmt(stmt)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Loads what the statement reads of locals in memory, but for what the last one read; what that is.
    fn reread(&mut self, stmt: &Stmt, fresh: &[Value]) -> Result<Vec<Value>, EmitError> {
        let mut read = match stmt {
            Stmt::Let(v) => self.kernel[*v].args(),
            _ => stmt.uses(),
        };
        read.retain(|v| self.rereadable[v.0 as usize]);
        for v in &read {
            if !fresh.contains(v) {
                let atoms = self.op(*v)?;
                self.set(*v, atoms);
            }
        }
        Ok(read)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<bool, EmitError> {
        match stmt {
            Stmt::Let(v) if self.rereadable[v.0 as usize] => {}
            Stmt::Let(v) => {
                let atoms = self.op(*v)?;
                self.set(*v, atoms);
            }
            Stmt::Set(l, v) => self.language.set(*l, &self.values[v.0 as usize])?,
            Stmt::If { cond, then, otherwise } => return self.branch(*cond, then, otherwise),
            Stmt::Loop(body) => return self.repeat(body),
            Stmt::Break => {
                let (round, left) = self.rounds.last_mut().expect("the verifier keeps breaks within loops");
                *left = true;
                self.language.leave(round)?;
                return Ok(false);
            }
            Stmt::Return => {
                self.language.end()?;
                return Ok(false);
            }
            Stmt::Yield(values) => {
                let words = self.as_words(values)?;
                self.language.give(&words)?;
                return Ok(false);
            }
            _ => self.effect(stmt)?,
        }
        Ok(true)
    }

    fn branch(&mut self, cond: Value, then: &Block, otherwise: &Block) -> Result<bool, EmitError> {
        let cond = self.value(cond);
        let mut fork = self.language.fork(&cond, !otherwise.is_empty())?;
        let mut reached = self.block(then)?;
        let mut goes_on = reached || otherwise.is_empty();
        if !otherwise.is_empty() {
            self.language.otherwise(&mut fork, reached)?;
            reached = self.block(otherwise)?;
            goes_on |= reached;
        }
        self.language.join(fork, reached, goes_on)?;
        Ok(goes_on)
    }

    fn repeat(&mut self, body: &Block) -> Result<bool, EmitError> {
        let round = self.language.begin_loop()?;
        self.rounds.push((round, false));
        let reached = self.block(body)?;
        let (round, left) = self.rounds.pop().expect("pushed above");
        self.language.end_loop(round, reached, left)?;
        Ok(left)
    }

    fn op(&mut self, v: Value) -> Result<Vec<L::Atom>, EmitError> {
        let kernel = self.kernel;
        let op = &kernel[v];
        if let Some(choice) = self.checked.info().choice(v) {
            return self.field_op(op, choice);
        }
        let single = match op {
            Op::Get(l) => return self.language.get(*l),
            Op::Const(c) => {
                let field = kernel.field();
                let limbs = L::Target::layout(field).cut(&field.to_mont(c));
                return limbs.into_iter().map(|limb| self.language.literal(Type::U32, limb)).collect();
            }
            Op::FromWords(words, _) => {
                return Ok(words.iter().map(|w| self.value(*w)).collect());
            }
            Op::Part(a, i) => {
                let all =
                    self.values(*a).chunks_exact(L::Target::layout(kernel.field()).limbs).nth(*i as usize);
                return all.map(<[_]>::to_vec).ok_or_else(|| self.fault(format!("{v} is no part of {a}")));
            }
            Op::Select(c, x, y) => {
                let (cond, ty) = (self.value(*c), kernel.ty(v));
                if ty == Type::Field {
                    let (x, y) = (&self.values[x.0 as usize], &self.values[y.0 as usize]);
                    return self.language.select_element(&cond, x, y);
                }
                self.language.select(ty, &cond, &self.value(*x), &self.value(*y))?
            }
            Op::Word(x, i, _) => self.values[x.0 as usize][*i as usize].clone(),
            Op::Param(p) => self.language.param(*p)?,
            Op::Argument(i) => return self.argument(*i as usize),
            Op::Special(s) => self.language.special(*s)?,
            Op::Bool(x) => self.language.literal(Type::Pred, (*x).into())?,
            Op::U32(x) => self.language.literal(Type::U32, (*x).into())?,
            Op::U64(x) => self.language.literal(Type::U64, *x)?,
            Op::Int(o, x, y) => self.language.int(*o, kernel.ty(v), &self.value(*x), &self.value(*y))?,
            Op::Not(x) => self.language.not(kernel.ty(v), &self.value(*x))?,
            Op::Bit(o, x) => self.language.bit(*o, &self.value(*x))?,
            Op::Cmp(o, x, y) => {
                let ty = kernel.ty(*x);
                self.language.cmp(*o, ty, &self.value(*x), &self.value(*y))?
            }
            Op::Widen(x) => self.language.widen(&self.value(*x))?,
            Op::Narrow(x) => self.language.narrow(&self.value(*x))?,
            Op::Result(_) | Op::Field(..) | Op::Compose(..) | Op::Coefficient(..) => {
                return Err(self.fault(format!("{v} has no program")));
            }
        };
        Ok(vec![single])
    }

    fn field_op(&mut self, op: &Op, choice: &Choice<L::Target>) -> Result<Vec<L::Atom>, EmitError> {
        let inputs: Vec<L::Atom> = op.args().iter().flat_map(|a| self.values(*a).to_vec()).collect();
        let words = self.language.program(op, choice, &inputs)?;
        match op {
            Op::Field(op, _) if op.tests_zero() => {
                let zero = self.language.literal(Type::U32, 0)?;
                Ok(vec![self.language.cmp(CmpOp::Ne, Type::U32, &words[0], &zero)?])
            }
            _ => Ok(words),
        }
    }

    fn effect(&mut self, stmt: &Stmt) -> Result<(), EmitError> {
        match stmt {
            Stmt::Load { results, place } => {
                let words = self.language.load(results, place, &self.index(place))?;
                for (v, w) in results.iter().zip(words) {
                    self.set(*v, vec![w]);
                }
            }
            Stmt::Store { place, words } => {
                let words: Vec<L::Atom> = words.iter().map(|w| self.value(*w)).collect();
                self.language.store(place, &self.index(place), &words)?;
            }
            Stmt::Call { results, function, args } => self.call(results, *function, args)?,
            Stmt::Shuffle { result, value, arg, mask, .. } => {
                let (arg, mask) = (self.value(*arg), self.value(*mask));
                let mut words = vec![];
                for word in self.values(*value).to_vec() {
                    words.extend(self.language.effect(stmt, &[word, arg.clone(), mask.clone()])?);
                }
                self.set(*result, words);
            }
            Stmt::Prefetch { place } => self.at(stmt, place, &[])?,
            Stmt::LoadOrdered { place, .. } => self.at(stmt, place, &[])?,
            Stmt::StoreOrdered { place, value, .. } | Stmt::Atomic { place, value, .. } => {
                self.at(stmt, place, &[*value])?;
            }
            _ => {
                let operands: Vec<L::Atom> = stmt.uses().into_iter().map(|v| self.value(v)).collect();
                self.exchange(stmt, &operands)?;
            }
        }
        Ok(())
    }

    /// An effect on a word of memory.
    fn at(&mut self, stmt: &Stmt, place: &Place, values: &[Value]) -> Result<(), EmitError> {
        let mut operands = vec![self.language.address(place, &self.index(place))?];
        operands.extend(values.iter().map(|v| self.value(*v)));
        self.exchange(stmt, &operands)
    }

    fn exchange(&mut self, stmt: &Stmt, operands: &[L::Atom]) -> Result<(), EmitError> {
        let given = self.language.effect(stmt, operands)?;
        for (result, atom) in stmt.results().into_iter().zip(given) {
            self.set(result, vec![atom]);
        }
        Ok(())
    }

    fn index(&self, place: &Place) -> Index<L::Atom> {
        match place {
            Place::Global { index, .. } | Place::Shared { index, .. } => {
                Index { element: self.value(*index), part: None }
            }
            Place::Part { index, part, .. } => {
                Index { element: self.value(*index), part: Some(self.value(*part)) }
            }
        }
    }

    fn call(&mut self, results: &[Value], function: FunctionId, args: &[Value]) -> Result<(), EmitError> {
        let inputs = self.as_words(args)?;
        let given = self.language.call(function, &inputs)?;
        let mut rest = &given[..];
        for v in results {
            let ty = self.kernel.ty(*v);
            let (words, others) = rest.split_at(words_of::<L::Target>(self.kernel, ty));
            let value = self.of_words(ty, words)?;
            self.set(*v, value);
            rest = others;
        }
        Ok(())
    }

    fn argument(&mut self, i: usize) -> Result<Vec<L::Atom>, EmitError> {
        let signature = self.kernel.function.clone().unwrap_or_default();
        let words = |ty: &Type| words_of::<L::Target>(self.kernel, *ty);
        let first: usize = signature.arguments[..i].iter().map(words).sum();
        let ty = signature.arguments[i];
        let given: Result<Vec<L::Atom>, EmitError> =
            (first..first + words(&ty)).map(|word| self.language.argument(word)).collect();
        self.of_words(ty, &given?)
    }

    /// The values as they go into a function or come out of one.
    fn as_words(&mut self, values: &[Value]) -> Result<Vec<L::Atom>, EmitError> {
        let mut words = vec![];
        for v in values {
            match self.kernel.ty(*v) {
                Type::Pred => words.push(self.language.word_of_truth(&self.value(*v))?),
                Type::U64 => {
                    let low = self.value(*v);
                    let half = self.language.literal(Type::U32, 32)?;
                    let high = self.language.int(IntOp::Shr, Type::U64, &low, &half)?;
                    for half in [low, high] {
                        words.push(self.language.narrow(&half)?);
                    }
                }
                _ => words.extend_from_slice(self.values(*v)),
            }
        }
        Ok(words)
    }

    /// A value of a type from its words; the inverse of [`Walk::as_words`].
    fn of_words(&mut self, ty: Type, words: &[L::Atom]) -> Result<Vec<L::Atom>, EmitError> {
        match ty {
            Type::Pred => {
                let zero = self.language.literal(Type::U32, 0)?;
                Ok(vec![self.language.cmp(CmpOp::Ne, Type::U32, &words[0], &zero)?])
            }
            Type::U64 => {
                let (low, high) = (self.language.widen(&words[0])?, self.language.widen(&words[1])?);
                let half = self.language.literal(Type::U32, 32)?;
                let high = self.language.int(IntOp::Shl, Type::U64, &high, &half)?;
                Ok(vec![self.language.int(IntOp::Or, Type::U64, &low, &high)?])
            }
            _ => Ok(words.to_vec()),
        }
    }

    fn fault(&self, reason: String) -> EmitError {
        EmitError::Kernel { kernel: self.kernel.symbol.clone(), reason }
    }
}
