//! Chooses a variant for every field operation and puts in the reductions that pay.
//!
//! Every operation has a legal variant for all operand bounds, so legality never forces a
//! reduction; price does. An operation is computed directly, or after its loosest operands have
//! been reduced weakly, whichever the cost model prefers; a reduced copy serves all later users in
//! its scope. Two things ask for a certain bound: a word of an element (canonical) and a local.
//!
//! A local has one bound for the whole kernel. It starts at the first `Set` and is widened by the
//! join of all of them, [`WIDENINGS`] times; after that it is pinned, and a `Set` beyond it is
//! reduced. So the search ends for every field, with or without spare bits.
//!
//! Laziness is not always a bargain: where there is no spare bit a lazy value makes its users dear.
//! The whole kernel is therefore placed under a few policies and the cheapest result is kept.

use super::info::{Fact, KernelInfo, limb_op};
use super::rewrite::Rewriter;
use crate::error::PassError;
use crate::fir::ir::{Block, Kernel, Op, Stmt, Type, Value};
use crate::limb::{Bound, Choice, LimbOp, choices};
use crate::spec::FieldDesc;

/// Rounds in which the bounds of locals may grow.
const WIDENINGS: usize = 3;
/// How many times a loop body is thought to run, for the cost of a kernel.
const LOOP_WEIGHT: u64 = 16;

/// How lazy results may be, and how far locals may widen.
#[derive(Clone, Copy)]
struct Policy {
    /// Results of additions are canonical.
    tight_sums: bool,
    /// Results of multiplications are canonical.
    tight_products: bool,
    widenings: usize,
}

const POLICIES: [Policy; 5] = [
    Policy { tight_sums: false, tight_products: false, widenings: WIDENINGS },
    Policy { tight_sums: false, tight_products: false, widenings: 0 },
    Policy { tight_sums: true, tight_products: false, widenings: WIDENINGS },
    Policy { tight_sums: false, tight_products: true, widenings: 0 },
    Policy { tight_sums: true, tight_products: true, widenings: 0 },
];

/// The kernel with reductions, and the bound and variant of each of its values.
pub fn place_reductions(kernel: &Kernel) -> Result<(Kernel, KernelInfo), PassError> {
    let Some(field) = &kernel.field else {
        let facts = vec![Fact::NONE; kernel.values().count()];
        return Ok((kernel.clone(), KernelInfo { facts, locals: vec![None; kernel.locals.len()] }));
    };
    let mut menu = Menu { field, seen: vec![] };
    let mut best: Option<Placed> = None;
    for policy in POLICIES {
        let placed = settle(kernel, &mut menu, policy)?;
        if best.as_ref().is_none_or(|b| placed.cost < b.cost) {
            best = Some(placed);
        }
    }
    let best = best.expect("there is at least one policy");
    Ok((best.kernel, best.info))
}

/// The variants on offer, remembered: a block costs more to build than to find.
struct Menu<'a> {
    field: &'a FieldDesc,
    seen: Vec<(LimbOp, Vec<Bound>, Vec<Choice>)>,
}

impl Menu<'_> {
    fn choices(&mut self, op: &LimbOp, operands: &[Bound]) -> &[Choice] {
        let at = self.seen.iter().position(|(o, b, _)| o == op && b == operands);
        let at = at.unwrap_or_else(|| {
            self.seen.push((op.clone(), operands.to_vec(), choices(self.field, op, operands)));
            self.seen.len() - 1
        });
        &self.seen[at].2
    }

    /// The cheapest variant whose result is within `limit`.
    fn within(&mut self, op: &LimbOp, operands: &[Bound], limit: Option<Bound>) -> Option<Choice> {
        let field = self.field;
        let legal = |c: &&Choice| limit.is_none_or(|l| c.out.within(l, field));
        self.choices(op, operands).iter().filter(legal).min_by_key(|c| weight(c)).cloned()
    }
}

/// One number for a cost: work on both pipes.
fn weight(choice: &Choice) -> u64 {
    u64::from(choice.cost.fma) + u64::from(choice.cost.alu)
}

struct Placed {
    kernel: Kernel,
    info: KernelInfo,
    cost: u64,
}

/// Places under growing bounds of the locals until no `Set` exceeds them.
fn settle(kernel: &Kernel, menu: &mut Menu<'_>, policy: Policy) -> Result<Placed, PassError> {
    let mut locals: Vec<Option<Bound>> = vec![None; kernel.locals.len()];
    for round in 0.. {
        let pinned = round > policy.widenings;
        let mut p = Placer {
            r: Rewriter::new(kernel),
            menu: &mut *menu,
            policy,
            facts: vec![],
            copies: vec![],
            sets: locals.clone(),
            locals,
            pinned,
            weight: 1,
            cost: 0,
        };
        let body = p.block(&kernel.body)?;
        let Placer { r, facts, sets, cost, locals: assumed, .. } = p;
        if sets == assumed {
            let mut kernel = r.new;
            kernel.body = body;
            return Ok(Placed { kernel, info: KernelInfo { facts, locals: sets }, cost });
        }
        assert!(!pinned, "pinned locals do not grow");
        locals = sets;
    }
    unreachable!("the loop ends in the pinned round")
}

struct Placer<'a, 'm, 'f> {
    r: Rewriter<'a>,
    menu: &'m mut Menu<'f>,
    policy: Policy,
    facts: Vec<Fact>,
    /// Reduced copies made in the open blocks: the old value and what stood for it before.
    copies: Vec<(Value, Value)>,
    /// Bounds that `Get` relies on.
    locals: Vec<Option<Bound>>,
    /// Join of the bounds of all `Set`s so far.
    sets: Vec<Option<Bound>>,
    pinned: bool,
    weight: u64,
    cost: u64,
}

impl Placer<'_, '_, '_> {
    fn block(&mut self, block: &Block) -> Result<Block, PassError> {
        let mark = self.copies.len();
        let mut out = Block::new();
        for stmt in block {
            match stmt {
                Stmt::Let(v) => self.define(*v, &mut out)?,
                Stmt::Set(l, v) => {
                    let new = self.set_local(l.0 as usize, *v, &mut out)?;
                    out.push(Stmt::Set(*l, new));
                }
                Stmt::If { cond, then, otherwise } => {
                    let cond = self.r.get(*cond);
                    let then = self.block(then)?;
                    let otherwise = self.block(otherwise)?;
                    out.push(Stmt::If { cond, then, otherwise });
                }
                Stmt::Loop(body) => {
                    self.weight = self.weight.saturating_mul(LOOP_WEIGHT);
                    let body = self.block(body)?;
                    self.weight /= LOOP_WEIGHT;
                    out.push(Stmt::Loop(body));
                }
                _ => {
                    let stmt = self.r.effect(stmt);
                    self.facts.resize(self.r.new.values().count(), Fact::NONE);
                    out.push(stmt);
                }
            }
        }
        while self.copies.len() > mark {
            let (old, before) = self.copies.pop().expect("longer than the mark");
            self.r.set(old, Some(before));
        }
        Ok(out)
    }

    fn field(&self) -> &FieldDesc {
        self.menu.field
    }

    /// Bound of an old field value as it stands now.
    fn bound(&self, old: Value) -> Bound {
        self.bound_of_new(self.r.get(old))
    }

    fn bound_of_new(&self, new: Value) -> Bound {
        self.facts[new.0 as usize].bound.expect("field values have a bound")
    }

    fn push(&mut self, op: Op, fact: Fact, out: &mut Block) -> Value {
        if let Some((choice, _)) = &fact.choice {
            self.cost += weight(choice) * self.weight;
        }
        let v = self.r.new.push(op);
        self.facts.push(fact);
        out.push(Stmt::Let(v));
        v
    }

    /// Makes an old `Let`.
    fn define(&mut self, old: Value, out: &mut Block) -> Result<(), PassError> {
        let op = &self.r.old[old];
        let fact = match op {
            Op::Word(a, _) => {
                self.bring_within(*a, Bound::Canonical, out)?;
                Fact::NONE
            }
            Op::Get(l) if self.r.old.ty(old) == Type::Field => {
                let held = self.locals[l.0 as usize].or(self.sets[l.0 as usize]);
                Fact { bound: Some(held.expect("a local is set before it is read")), choice: None }
            }
            Op::Const(_) | Op::FromWords(_) => Fact { bound: Some(Bound::Canonical), choice: None },
            Op::Part(a, _) => Fact { bound: Some(self.bound(*a)), choice: None },
            Op::Select(_, a, b) if self.r.old.ty(old) == Type::Field => {
                let bound = self.bound(*a).join(self.bound(*b), self.menu.field);
                Fact { bound: Some(bound), choice: None }
            }
            _ => match limb_op(op) {
                Some(limb) => self.choose(old, &limb, out)?,
                None => Fact::NONE,
            },
        };
        let op = self.r.op(old);
        let new = self.push(op, fact, out);
        self.r.set(old, Some(new));
        Ok(())
    }

    /// The cheapest way to compute an operation, its operands reduced first where that pays.
    fn choose(&mut self, old: Value, limb: &LimbOp, out: &mut Block) -> Result<Fact, PassError> {
        let args = self.r.old[old].args();
        let limit = self.limit(limb);
        let mut bounds: Vec<Bound> = args.iter().map(|a| self.bound(*a)).collect();
        let missing = || PassError::NoVariant { value: old, op: format!("{limb:?}") };
        let mut best = self.menu.within(limb, &bounds, limit).ok_or_else(missing)?;
        let (mut spent, mut price) = (0, weight(&best));
        let (mut reduced, mut take) = (vec![], 0);
        // Loosest first; each distinct operand once.
        let mut order = args.clone();
        order.sort_by_key(|a| (std::cmp::Reverse(self.bound(*a).units(self.field())), *a));
        order.dedup();
        for a in order {
            let Some(weak) = self.menu.within(&LimbOp::ReduceWeak, &[self.bound(a)], None) else { break };
            if weak.out == self.bound(a) || !weak.out.within(self.bound(a), self.menu.field) {
                break;
            }
            spent += weight(&weak);
            for (b, x) in bounds.iter_mut().zip(&args) {
                if *x == a {
                    *b = weak.out;
                }
            }
            reduced.push(a);
            let Some(then) = self.menu.within(limb, &bounds, limit) else { break };
            if spent + weight(&then) < price {
                price = spent + weight(&then);
                best = then;
                take = reduced.len();
            }
        }
        for a in reduced.into_iter().take(take) {
            self.copy(a, &LimbOp::ReduceWeak, out)?;
        }
        let bounds = args.iter().map(|a| self.bound(*a)).collect();
        let bound = (!matches!(limb, LimbOp::IsZero | LimbOp::MaybeZero)).then_some(best.out);
        Ok(Fact { bound, choice: Some((best, bounds)) })
    }

    /// What the policy asks of a result.
    fn limit(&self, limb: &LimbOp) -> Option<Bound> {
        let tight = match limb {
            LimbOp::Add | LimbOp::Sub | LimbOp::Neg | LimbOp::Dbl | LimbOp::MulSmall(_) => {
                self.policy.tight_sums
            }
            LimbOp::Mul
            | LimbOp::Sqr
            | LimbOp::Dot(_)
            | LimbOp::MulConst(_)
            | LimbOp::MulShared(_)
            | LimbOp::MulTable { .. } => self.policy.tight_products,
            _ => false,
        };
        tight.then_some(Bound::Canonical)
    }

    /// A reduced copy of an old value; later users in this block see it.
    fn copy(&mut self, old: Value, limb: &LimbOp, out: &mut Block) -> Result<(), PassError> {
        let now = self.r.get(old);
        let bounds = vec![self.bound(old)];
        let missing = || PassError::NoVariant { value: old, op: format!("{limb:?}") };
        let choice = self.menu.within(limb, &bounds, None).ok_or_else(missing)?;
        let op = if *limb == LimbOp::ReduceWeak { Op::Weak(now, 1) } else { Op::Reduce(now) };
        let fact = Fact { bound: Some(choice.out), choice: Some((choice, bounds)) };
        let new = self.push(op, fact, out);
        self.r.set(old, Some(new));
        self.copies.push((old, now));
        Ok(())
    }

    /// Makes an old value stand within `limit`: by another variant where it was computed, or by a
    /// reduced copy.
    fn bring_within(&mut self, old: Value, limit: Bound, out: &mut Block) -> Result<(), PassError> {
        let field = self.menu.field;
        if self.bound(old).within(limit, field) {
            return Ok(());
        }
        let bounds = [self.bound(old)];
        let weak = self.menu.within(&LimbOp::ReduceWeak, &bounds, Some(limit));
        let full = self.menu.within(&LimbOp::ReduceFull, &bounds, Some(limit));
        let copy_cost = weak.iter().chain(&full).map(weight).min();
        let now = self.r.get(old);
        if let Some((was, assumed)) = &self.facts[now.0 as usize].choice
            && let Some(limb) = limb_op(&self.r.new[now])
            && let Some(tighter) = self.menu.within(&limb, assumed, Some(limit))
            && copy_cost.is_none_or(|c| weight(&tighter) <= weight(was) + c)
        {
            // Counted at the weight of this place, not of the definition's: at least as much.
            self.cost += weight(&tighter).saturating_sub(weight(was)) * self.weight;
            let fact = &mut self.facts[now.0 as usize];
            fact.bound = Some(tighter.out);
            fact.choice.as_mut().expect("it was there above").0 = tighter;
            return Ok(());
        }
        let use_weak = match (&weak, &full) {
            (Some(w), Some(f)) => weight(w) < weight(f),
            (Some(_), None) => true,
            _ => false,
        };
        self.copy(old, if use_weak { &LimbOp::ReduceWeak } else { &LimbOp::ReduceFull }, out)
    }

    /// Accounts for a `Set`; the new value to store.
    fn set_local(&mut self, l: usize, v: Value, out: &mut Block) -> Result<Value, PassError> {
        if self.r.old.ty(v) != Type::Field {
            return Ok(self.r.get(v));
        }
        if self.pinned
            && let Some(limit) = self.locals[l]
        {
            self.bring_within(v, limit, out)?;
        }
        let bound = self.bound(v);
        if self.sets[l].is_none_or(|held| !bound.within(held, self.menu.field)) {
            self.sets[l] = Some(bound);
        }
        Ok(self.r.get(v))
    }
}
