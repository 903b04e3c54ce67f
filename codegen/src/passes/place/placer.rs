//! One walk through a kernel, forwards, under a plan.
//!
//! An operation is computed directly, or after its loosest operands have been reduced weakly, whichever is
//! cheaper; a reduced copy serves all later users in its scope. Three things ask for a certain bound: a word
//! of an element, an argument of a call, and a local in a loop. Words of an element that belong together are
//! read of one value: not some of them before it is reduced, and some after.
//!
//! The bound of a local is that of what it holds at each point. At a loop's head it must hold in every round:
//! it starts as what is held before the loop and is widened by the join with what comes around, some rounds;
//! after that it is pinned, and a `Set` beyond it is reduced. So the walk ends for every field, with or
//! without spare bits. Rare code never widens a local: what it sets is brought within what the local holds
//! otherwise. A function's results are to its arguments what comes around is to what stood at the head.

use super::menu::Menu;
use super::{Subject, score};
use crate::declaration::{FieldDesc, FieldOp};
use crate::error::PassError;
use crate::fir::ir::{Below, Block, Kernel, Op, Stmt, Type, Value};
use crate::fir::rewrite::Rewriter;
use crate::passes::info::{Contract, Fact, KernelInfo};
use crate::targets::{Arithmetic, Bound, Choice, Load, Machine, Offer};
use std::collections::BTreeMap;

/// What is asked of the result of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// Nothing.
    Lazy,
    /// That it is reduced weakly, once for all users.
    Weak,
    /// That it is below `2p`, where that fits the words.
    Near,
    /// That it is canonical.
    Canonical,
}

/// How lazy to be.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Results of additions are canonical.
    pub(super) tight_sums: bool,
    /// Results of multiplications are canonical.
    pub(super) tight_products: bool,
    /// Results of multiplications by constants are below `2p`: of two tables the one with more rows.
    pub(super) near_constants: bool,
    /// Rounds in which the bounds of locals may grow.
    pub(super) widenings: usize,
    /// What the formula as a whole keeps busy.
    pub(super) load: Load,
    /// What is asked of single operations of the kernel before placing, whatever the rest says.
    pub(super) wishes: BTreeMap<Value, Wish>,
}

impl Plan {
    fn price<T: Machine>(&self, choice: &Choice<T>) -> u64 {
        self.price_of::<T>(&choice.cost)
    }

    fn price_of<T: Machine>(&self, cost: &T::Cost) -> u64 {
        T::price(cost, self.load)
    }

    fn wish(&self, old: Value, limb: &FieldOp) -> Wish {
        if let Some(wish) = self.wishes.get(&old) {
            return *wish;
        }
        if self.near_constants && matches!(limb, FieldOp::MulConst(_)) {
            return Wish::Near;
        }
        let tight = (limb.is_sum() && self.tight_sums) || (limb.products() > 0 && self.tight_products);
        if tight { Wish::Canonical } else { Wish::Lazy }
    }
}

/// The kernel with the plan's variants and reductions.
pub(super) fn walk<T: Machine>(
    subject: &Subject<'_, T>,
    menu: &mut Menu<'_, T>,
    plan: &Plan,
) -> Result<(Kernel, KernelInfo<T>), PassError> {
    if let Some(bound) = T::resident(menu.field) {
        return walk_given(subject, menu, plan, Given { bound, limit: Some(bound) });
    }
    // What a function may be given.
    let mut given = T::Bound::CANONICAL;
    for round in 0.. {
        let limit = (round > plan.widenings).then_some(given);
        let (kernel, info) = walk_given(subject, menu, plan, Given { bound: given, limit })?;
        let most = info.contract.results.iter().flatten().fold(given, |a, b| a.join(*b, menu.field));
        if most == given {
            return Ok((kernel, info));
        }
        given = most;
    }
    unreachable!("the walk with a limit is the last")
}

/// What a function's arguments are assumed to be within.
#[derive(Clone, Copy)]
struct Given<T: Machine> {
    bound: T::Bound,
    /// What its results have to be within.
    limit: Option<T::Bound>,
}

fn walk_given<T: Machine>(
    subject: &Subject<'_, T>,
    menu: &mut Menu<'_, T>,
    plan: &Plan,
    given: Given<T>,
) -> Result<(Kernel, KernelInfo<T>), PassError> {
    let kernel = subject.kernel;
    let unset = vec![None; kernel.locals.len()];
    let (r, locals) = (Rewriter::new(kernel), unset.clone());
    let at = Position { r, facts: vec![], copies: vec![], read: vec![], locals };
    let (pins, held, breaks) = (unset.clone(), unset, vec![]);
    let contract = Contract::NONE;
    let mut placer = Placer { at, menu, subject, plan, given, pins, held, breaks, rare: false, contract };
    let mut body = Block::new();
    placer.block(&kernel.body, &mut body)?;
    let mut new = placer.at.r.new;
    new.body = body;
    let mut contract = placer.contract;
    if let Some(signature) = &kernel.function {
        let bound = |ty: &Type| (*ty == Type::Field).then_some(given.bound);
        contract.arguments = signature.arguments.iter().map(bound).collect();
    }
    Ok((new, KernelInfo { facts: placer.at.facts, locals: placer.held, contract }))
}

/// Bounds of the field locals; `None` where a local is not set, or no field element.
type Locals<T> = Vec<Option<<T as Arithmetic>::Bound>>;

/// How far the walk has come.
#[derive(Clone)]
struct Position<'a, T: Machine> {
    r: Rewriter<'a>,
    facts: Vec<Fact<T>>,
    /// Reduced copies made in the open blocks: the old value and what stood for it before.
    copies: Vec<(Value, Value)>,
    /// The old values that words were read of in the open blocks, under which bound, and what stood for them.
    read: Vec<(Value, Below, Value)>,
    /// What the locals hold here.
    locals: Locals<T>,
}

struct Placer<'a, 'm, 'f, T: Machine> {
    at: Position<'a, T>,
    menu: &'m mut Menu<'f, T>,
    subject: &'m Subject<'a, T>,
    plan: &'m Plan,
    given: Given<T>,
    /// Bounds that the loops around can no longer widen.
    pins: Locals<T>,
    /// The most that a local ever holds.
    held: Locals<T>,
    /// What the locals hold where the open loops are left.
    breaks: Vec<Option<Locals<T>>>,
    /// Within an arm that is hardly ever taken.
    rare: bool,
    /// What the function gives, once that is known.
    contract: Contract<T>,
}

impl<T: Machine> Placer<'_, '_, '_, T> {
    /// True when control reaches the end of the block.
    fn block(&mut self, block: &Block, out: &mut Block) -> Result<bool, PassError> {
        let (mark, read) = (self.at.copies.len(), self.at.read.len());
        let mut falls = true;
        for stmt in block {
            match stmt {
                Stmt::Let(v) => self.define(*v, out)?,
                Stmt::Set(l, v) => {
                    let new = self.set_local(l.0 as usize, *v, out)?;
                    out.push(Stmt::Set(*l, new));
                }
                Stmt::If { cond, then, otherwise } => falls = self.branch(*cond, then, otherwise, out)?,
                Stmt::Loop(body) => {
                    let (body, leaves) = self.repeat(body)?;
                    falls = leaves;
                    out.push(Stmt::Loop(body));
                }
                Stmt::Break => {
                    let field = self.menu.field;
                    let left = self.breaks.last_mut().expect("verified: breaks stand in loops");
                    *left = Some(match left.take() {
                        Some(before) => join::<T>(&before, &self.at.locals, field),
                        None => self.at.locals.clone(),
                    });
                    out.push(Stmt::Break);
                    falls = false;
                }
                Stmt::Return => {
                    out.push(Stmt::Return);
                    falls = false;
                }
                Stmt::Call { results, function, args } => {
                    let callee = self.subject.callees[function.0 as usize];
                    for (arg, limit) in args.iter().zip(&callee.arguments) {
                        limit.map_or(Ok(()), |limit| self.bring_within(*arg, limit, out))?;
                    }
                    self.effect(stmt, out);
                    for (result, bound) in results.iter().zip(&callee.results) {
                        let new = self.at.r.get(*result);
                        self.at.facts[new.0 as usize].bound = *bound;
                    }
                }
                Stmt::Shuffle { result, value, .. } => {
                    let bound = self.at.facts[self.at.r.get(*value).0 as usize].bound;
                    self.effect(stmt, out);
                    let new = self.at.r.get(*result);
                    self.at.facts[new.0 as usize].bound = bound;
                }
                Stmt::Yield(values) => {
                    self.give(values, out)?;
                    self.effect(stmt, out);
                    falls = false;
                }
                _ => self.effect(stmt, out),
            }
            if !falls {
                break;
            }
        }
        while self.at.copies.len() > mark {
            let (old, before) = self.at.copies.pop().expect("longer than the mark");
            self.at.r.set(old, Some(before));
        }
        self.at.read.truncate(read);
        Ok(falls)
    }

    /// Appends a statement that is nothing to bounds.
    fn effect(&mut self, stmt: &Stmt, out: &mut Block) {
        let stmt = self.at.r.effect(stmt);
        self.at.facts.resize(self.at.r.new.values().count(), Fact::NONE);
        out.push(stmt);
    }

    /// Accounts for what the function gives.
    fn give(&mut self, values: &[Value], out: &mut Block) -> Result<(), PassError> {
        for &v in values {
            let is_field = self.at.r.old.ty(v) == Type::Field;
            if let Some(limit) = self.given.limit.filter(|_| is_field) {
                self.bring_within(v, limit, out)?;
            }
            let bound = is_field.then(|| self.bound(v));
            self.contract.results.push(bound);
        }
        Ok(())
    }

    fn branch(
        &mut self,
        cond: Value,
        then: &Block,
        otherwise: &Block,
        out: &mut Block,
    ) -> Result<bool, PassError> {
        let rare = self.rare;
        let (yes, no) = score::rare_arms(self.at.r.old, cond);
        let before = self.at.locals.clone();
        let mut arm = |rare_arm: bool, block: &Block| -> Result<(Block, bool, Locals<T>), PassError> {
            self.at.locals.clone_from(&before);
            self.rare = rare || rare_arm;
            let mut placed = Block::new();
            let falls = self.block(block, &mut placed)?;
            Ok((placed, falls, self.at.locals.clone()))
        };
        let (then, then_falls, after_then) = arm(yes, then)?;
        let (otherwise, otherwise_falls, after_otherwise) = arm(no, otherwise)?;
        self.rare = rare;
        self.at.locals = match (then_falls, otherwise_falls) {
            (true, true) => join::<T>(&after_then, &after_otherwise, self.menu.field),
            (true, false) => after_then,
            _ => after_otherwise,
        };
        out.push(Stmt::If { cond: self.at.r.get(cond), then, otherwise });
        Ok(then_falls || otherwise_falls)
    }

    /// Walks a loop's body until what comes around is within what was assumed. The body, and
    /// whether control leaves the loop.
    fn repeat(&mut self, body: &Block) -> Result<(Block, bool), PassError> {
        let (before, pins) = (self.at.clone(), self.pins.clone());
        let mut head = before.locals.clone();
        for round in 0.. {
            let pinned = round > self.plan.widenings;
            self.at.locals.clone_from(&head);
            if pinned {
                for (pin, held) in self.pins.iter_mut().zip(&head) {
                    *pin = held.or(*pin);
                }
            }
            self.breaks.push(None);
            let mut out = Block::new();
            let comes_around = self.block(body, &mut out)?;
            let left = self.breaks.pop().expect("pushed above");
            let grown = join_set::<T>(&head, &self.at.locals, self.menu.field);
            if !comes_around || grown == head {
                self.pins = pins;
                let leaves = left.is_some();
                self.at.locals = left.unwrap_or(head);
                return Ok((out, leaves));
            }
            assert!(!pinned, "pinned locals do not grow");
            head = grown;
            self.at = before.clone();
        }
        unreachable!("the loop ends in the pinned round")
    }

    fn field(&self) -> &FieldDesc {
        self.menu.field
    }

    /// Bound of an old field value as it stands now.
    fn bound(&self, old: Value) -> T::Bound {
        self.at.facts[self.at.r.get(old).0 as usize].bound.expect("field values have a bound")
    }

    fn within(&mut self, op: &FieldOp, operands: &[T::Bound], limit: Option<T::Bound>) -> Option<Choice<T>> {
        self.within_parts(op, operands, limit, u32::MAX)
    }

    /// The same of variants with so many products side by side at most.
    fn within_parts(
        &mut self,
        op: &FieldOp,
        operands: &[T::Bound],
        limit: Option<T::Bound>,
        parts: u32,
    ) -> Option<Choice<T>> {
        let (plan, field) = (self.plan, self.menu.field);
        let legal = |c: &Offer<T>| c.parts <= parts && limit.is_none_or(|l| c.out.within(l, field));
        self.menu.cheapest(op, operands, legal, |cost| plan.price_of::<T>(cost))
    }

    fn push(&mut self, op: Op, fact: Fact<T>, out: &mut Block) -> Value {
        let v = self.at.r.new.push(op);
        self.at.facts.push(fact);
        out.push(Stmt::Let(v));
        v
    }

    /// Makes an old `Let`.
    fn define(&mut self, old: Value, out: &mut Block) -> Result<(), PassError> {
        let op = self.arranged(old);
        let mut wish = Wish::Lazy;
        let fact = match &op {
            Op::Word(a, i, below) => {
                let word = Op::Word(self.words_of(*a, *below, out)?, *i, *below);
                let new = self.push(word, Fact::NONE, out);
                self.at.r.set(old, Some(new));
                return Ok(());
            }
            Op::Get(l) if self.at.r.old.ty(old) == Type::Field => {
                let held = self.at.locals[l.0 as usize].expect("verified: a local is set before it is read");
                Fact { bound: Some(held), choice: None }
            }
            Op::Const(_) => Fact { bound: Some(T::Bound::CANONICAL), choice: None },
            Op::FromWords(_, below) => Fact { bound: Some(self.under(*below)?), choice: None },
            Op::Argument(_) if self.at.r.old.ty(old) == Type::Field => {
                Fact { bound: Some(self.given.bound), choice: None }
            }
            Op::Part(a, _) => Fact { bound: Some(self.bound(*a)), choice: None },
            Op::Select(_, a, b) if self.at.r.old.ty(old) == Type::Field => {
                let bound = self.bound(*a).join(self.bound(*b), self.menu.field);
                Fact { bound: Some(bound), choice: None }
            }
            Op::Field(field_op, args) => {
                wish = self.plan.wish(old, field_op);
                self.choose(old, args.clone(), field_op, wish, out)?
            }
            _ => Fact::NONE,
        };
        let op = op.map_args(|a| self.at.r.get(a));
        let new = self.push(op, fact, out);
        self.at.r.set(old, Some(new));
        if wish == Wish::Weak {
            let before = self.bound(old);
            let weak = self.within(&FieldOp::ReduceWeak, &[before], None);
            if weak.is_some_and(|w| w.out != before && w.out.within(before, self.menu.field)) {
                self.copy(old, &FieldOp::ReduceWeak, None, out)?;
            }
        }
        Ok(())
    }

    /// An old operation; where it is called, with its factors and terms in the order of their bounds, so that
    /// products under the same bounds are one function.
    fn arranged(&self, old: Value) -> Op {
        if !self.subject.crowd.calls {
            return self.at.r.old[old].clone();
        }
        let units = |a: &Value| self.bound(*a).units(self.menu.field);
        let pair = |a: Value, b: Value| if units(&b) < units(&a) { (b, a) } else { (a, b) };
        let op = &self.at.r.old[old];
        match op.field() {
            Some((FieldOp::Mul, &[a, b])) => {
                let (a, b) = pair(a, b);
                Op::Field(FieldOp::Mul, vec![a, b])
            }
            Some((FieldOp::Dot(k), args)) => {
                let mut terms: Vec<_> = args.chunks_exact(2).map(|term| pair(term[0], term[1])).collect();
                terms.sort_by_key(|(a, b)| (units(a), units(b)));
                Op::Field(FieldOp::Dot(*k), terms.iter().flat_map(|(a, b)| [*a, *b]).collect())
            }
            Some((fq2 @ FieldOp::DotFq2 { .. }, args)) => {
                let bounds = |x: &[Value]| [units(&x[0]), units(&x[1])];
                let smaller_first = |term: &[Value]| match term.split_at(2) {
                    (x, y) if bounds(y) < bounds(x) => [y, x].concat(),
                    _ => term.to_vec(),
                };
                let mut terms: Vec<_> = args.chunks_exact(4).map(smaller_first).collect();
                terms.sort_by_key(|term| [bounds(&term[..2]), bounds(&term[2..])]);
                Op::Field(fq2.clone(), terms.concat())
            }
            _ => op.clone(),
        }
    }

    /// The cheapest way to compute an operation on old operands, which are reduced first where that pays.
    fn choose(
        &mut self,
        old: Value,
        args: Vec<Value>,
        limb: &FieldOp,
        wish: Wish,
        out: &mut Block,
    ) -> Result<Fact<T>, PassError> {
        let limit = match wish {
            Wish::Canonical => Some(T::Bound::CANONICAL),
            Wish::Near => T::Bound::below(self.field(), &(&self.field().p * 2u32)),
            Wish::Lazy | Wish::Weak => None,
        };
        let mut bounds: Vec<T::Bound> = args.iter().map(|a| self.bound(*a)).collect();
        let missing = || PassError::NoVariant { value: old, op: format!("{limb:?}") };
        let parts = if self.subject.crowd.has(old) { 1 } else { u32::MAX };
        let mut best = self.within_parts(limb, &bounds, limit, parts).ok_or_else(missing)?;
        let (mut spent, mut price) = (0, self.plan.price(&best));
        let (mut reduced, mut take) = (vec![], 0);
        // Loosest first; each distinct operand once.
        let mut order = args.clone();
        order.sort_by_key(|a| (std::cmp::Reverse(self.bound(*a).units(self.field())), *a));
        order.dedup();
        for a in order {
            let Some(weak) = self.within(&FieldOp::ReduceWeak, &[self.bound(a)], None) else { break };
            if weak.out == self.bound(a) || !weak.out.within(self.bound(a), self.menu.field) {
                break;
            }
            spent += self.plan.price(&weak);
            for (b, x) in bounds.iter_mut().zip(&args) {
                if *x == a {
                    *b = weak.out;
                }
            }
            reduced.push(a);
            let Some(then) = self.within_parts(limb, &bounds, limit, parts) else { break };
            if spent + self.plan.price(&then) < price {
                price = spent + self.plan.price(&then);
                best = then;
                take = reduced.len();
            }
        }
        for a in reduced.into_iter().take(take) {
            self.copy(a, &FieldOp::ReduceWeak, None, out)?;
        }
        let bounds = args.iter().map(|a| self.bound(*a)).collect();
        let bound = (!matches!(limb, FieldOp::IsZero | FieldOp::MaybeZero)).then_some(best.out);
        Ok(Fact { bound, choice: Some((best, bounds)) })
    }

    /// A reduced copy of an old value, within a limit; later users in this block see it.
    fn copy(
        &mut self,
        old: Value,
        limb: &FieldOp,
        limit: Option<T::Bound>,
        out: &mut Block,
    ) -> Result<(), PassError> {
        let now = self.at.r.get(old);
        let bounds = vec![self.bound(old)];
        let missing = || PassError::NoVariant { value: old, op: format!("{limb:?}") };
        let choice = self.within(limb, &bounds, limit).ok_or_else(missing)?;
        let op = Op::Field(limb.clone(), vec![now]);
        let fact = Fact { bound: Some(choice.out), choice: Some((choice, bounds)) };
        let new = self.push(op, fact, out);
        self.at.r.set(old, Some(new));
        self.at.copies.push((old, now));
        Ok(())
    }

    /// What the words of an old value are read of.
    fn words_of(&mut self, old: Value, below: Below, out: &mut Block) -> Result<Value, PassError> {
        if let Some((.., read)) = self.at.read.iter().rfind(|(v, b, _)| (*v, *b) == (old, below)) {
            return Ok(*read);
        }
        let limit = T::Bound::at_most(self.field(), &below.limit(self.field()));
        self.bring_within(old, limit, out)?;
        let now = self.at.r.get(old);
        self.at.read.push((old, below, now));
        Ok(now)
    }

    /// The bound of what is made of words.
    fn under(&self, below: Below) -> Result<T::Bound, PassError> {
        let bound = T::Bound::below(self.field(), &below.limit(self.field()));
        bound.ok_or_else(|| PassError::Unsupported(format!("elements below {}p", below.0)))
    }

    /// Makes an old value stand within `limit`: by another variant where it was computed, or by a
    /// reduced copy.
    fn bring_within(&mut self, old: Value, limit: T::Bound, out: &mut Block) -> Result<(), PassError> {
        let field = self.menu.field;
        if self.bound(old).within(limit, field) {
            return Ok(());
        }
        let bounds = [self.bound(old)];
        let weak = self.within(&FieldOp::ReduceWeak, &bounds, Some(limit));
        let full = self.within(&FieldOp::ReduceFull, &bounds, Some(limit));
        let plan = self.plan;
        let copy_price = weak.iter().chain(&full).map(|c| plan.price(c)).min();
        let now = self.at.r.get(old);
        // Code that hardly ever runs asks nothing of what always runs.
        if !self.rare
            && let Some((was, assumed)) = self.at.facts[now.0 as usize].choice.clone()
            && let Some((op, _)) = self.at.r.new[now].clone().field()
            && let Some(tighter) = self.within_parts(op, &assumed, Some(limit), was.parts)
            && copy_price.is_none_or(|c| plan.price(&tighter) <= plan.price(&was) + c)
        {
            self.at.facts[now.0 as usize] =
                Fact { bound: Some(tighter.out), choice: Some((tighter, assumed)) };
            return Ok(());
        }
        let use_weak = match (&weak, &full) {
            (Some(w), Some(f)) => plan.price(w) < plan.price(f),
            (Some(_), None) => true,
            _ => false,
        };
        let limb = if use_weak { &FieldOp::ReduceWeak } else { &FieldOp::ReduceFull };
        self.copy(old, limb, Some(limit), out)
    }

    /// Accounts for a `Set`; the new value to store.
    fn set_local(&mut self, l: usize, v: Value, out: &mut Block) -> Result<Value, PassError> {
        if self.at.r.old.ty(v) != Type::Field {
            return Ok(self.at.r.get(v));
        }
        let otherwise = self.at.locals[l].filter(|_| self.rare);
        if let Some(limit) = self.pins[l].or(otherwise) {
            self.bring_within(v, limit, out)?;
        }
        let bound = self.bound(v);
        self.at.locals[l] = Some(bound);
        self.held[l] = Some(self.held[l].map_or(bound, |held| held.join(bound, self.menu.field)));
        Ok(self.at.r.get(v))
    }
}

/// What holds after either of two ways: a local that only one has set is not read before it is set again.
fn join<T: Machine>(a: &Locals<T>, b: &Locals<T>, field: &FieldDesc) -> Locals<T> {
    a.iter().zip(b).map(|(a, b)| Some((*a)?.join((*b)?, field))).collect()
}

/// `a` widened to hold `b` too; locals that `a` does not know stay unknown.
fn join_set<T: Machine>(a: &Locals<T>, b: &Locals<T>, field: &FieldDesc) -> Locals<T> {
    a.iter().zip(b).map(|(a, b)| a.map(|a| b.map_or(a, |b| a.join(b, field)))).collect()
}
