//! Products that cost less together: sums of products with one reduction, and several products with a
//! shared operand.
//!
//! 1. `a·b ± c·d`, where nobody else needs the single products, is a dot product; a difference negates
//!    an operand of what is subtracted.
//! 2. At least [`LEAST_SHARED`] products by one operand, all of whose other operands are known where
//!    the first is computed, are computed together.
//!
//! Whether that pays the cost model says, for canonical operands.

use crate::declaration::{FieldDesc, FieldOp};
use crate::fir::ir::{Block, Kernel, Op, Stmt, Value};
use crate::fir::rewrite::Rewriter;
use crate::targets::{Bound, Choice, Machine, cheapest};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// Fewest products that share an operand: of two the tables of multiples cost what they save.
const LEAST_SHARED: usize = 3;

/// The kernel with its products joined.
pub fn join_products<T: Machine>(kernel: &Kernel) -> Kernel {
    let Some(field) = &kernel.field else { return kernel.clone() };
    let mut uses = vec![0; kernel.values().count()];
    count_uses(kernel, &kernel.body, &mut uses);
    let dots = Dots { prices: Prices::<T>::of(field), uses };
    let joined = Rewriter::new(kernel).rebuild(|r, v, _, out| dots.value(r, v, out));
    let mut shared = Shared { prices: Prices::<T>::of(field), parts: BTreeMap::new() };
    Rewriter::new(&joined).rebuild(|r, v, rest, out| shared.value(r, v, rest, out))
}

/// The time to expect of operations on canonical operands.
pub(super) struct Prices<'a, T> {
    field: &'a FieldDesc,
    target: PhantomData<T>,
    known: RefCell<BTreeMap<FieldOp, u64>>,
}

impl<'a, T: Machine> Prices<'a, T> {
    pub(super) fn of(field: &'a FieldDesc) -> Self {
        Prices { field, target: PhantomData, known: RefCell::default() }
    }

    pub(super) fn price(&self, op: &FieldOp) -> u64 {
        if let Some(known) = self.known.borrow().get(op) {
            return *known;
        }
        let price = self.cheapest(op).map_or(DEAR, |choice| T::time(&choice.cost));
        self.known.borrow_mut().insert(op.clone(), price);
        price
    }

    /// As [`Prices::price`], and dear where the program needs more registers than there are.
    pub(super) fn price_within(&self, op: &FieldOp, registers: u32) -> u64 {
        let fits = |choice: &Choice<T>| T::pressure(choice.program()) <= registers;
        self.cheapest(op).filter(fits).map_or(DEAR, |choice| T::time(&choice.cost))
    }

    fn cheapest(&self, op: &FieldOp) -> Option<Choice<T>> {
        let operands = vec![T::Bound::CANONICAL; op.operands(self.field)];
        let build = |variant| T::build(self.field, op, &operands, variant);
        cheapest(&mut T::offers(self.field, op, &operands), build, |_| true, T::rank).cloned()
    }
}

/// The price of what the target does not have: more than that of anything that it has.
const DEAR: u64 = u32::MAX as u64;

/// Step 1.
struct Dots<'a, T> {
    prices: Prices<'a, T>,
    /// Uses of each old value.
    uses: Vec<u32>,
}

impl<T: Machine> Dots<'_, T> {
    fn value(&self, r: &mut Rewriter<'_>, old: Value, out: &mut Block) -> Value {
        let sum = match r.old[old].field() {
            Some((FieldOp::Add, &[a, b])) => Some((a, b, false)),
            Some((FieldOp::Sub, &[a, b])) => Some((a, b, true)),
            _ => None,
        };
        let joined = sum.and_then(|(a, b, subtracts)| {
            let (left, right) = (self.terms(r, a)?, self.terms(r, b)?);
            self.pays(left.len(), right.len(), subtracts).then_some((left, right, subtracts))
        });
        let Some((mut terms, right, subtracts)) = joined else { return r.compute(r.op(old), out) };
        for (x, y) in right {
            let x = if subtracts { r.compute(Op::Field(FieldOp::Neg, vec![x]), out) } else { x };
            terms.push((x, y));
        }
        // A later sum may take these terms in turn; the single products die of disuse.
        let args = terms.iter().flat_map(|(x, y)| [*x, *y]).collect();
        r.compute(Op::Field(FieldOp::Dot(terms.len()), args), out)
    }

    /// The new terms of an old value that is a sum of products and used once.
    fn terms(&self, r: &Rewriter<'_>, old: Value) -> Option<Vec<(Value, Value)>> {
        if self.uses[old.0 as usize] != 1 {
            return None;
        }
        match r.new[r.get(old)].field() {
            Some((FieldOp::Mul, &[a, b])) => Some(vec![(a, b)]),
            Some((FieldOp::Sqr, &[a])) => Some(vec![(a, a)]),
            Some((FieldOp::Dot(_), args)) => {
                Some(args.chunks_exact(2).map(|term| (term[0], term[1])).collect())
            }
            _ => None,
        }
    }

    fn pays(&self, left: usize, right: usize, subtracts: bool) -> bool {
        let price = |op: FieldOp| self.prices.price(&op);
        let sum = |terms: usize| price(if terms == 1 { FieldOp::Mul } else { FieldOp::Dot(terms) });
        let apart = sum(left) + sum(right) + price(if subtracts { FieldOp::Sub } else { FieldOp::Add });
        let negations = if subtracts { right as u64 * price(FieldOp::Neg) } else { 0 };
        sum(left + right) + negations < apart
    }
}

fn count_uses(kernel: &Kernel, block: &Block, uses: &mut [u32]) {
    for stmt in block {
        let read = match stmt {
            Stmt::Let(v) => kernel[*v].args(),
            _ => stmt.uses(),
        };
        read.iter().for_each(|v| uses[v.0 as usize] += 1);
        match stmt {
            Stmt::If { then, otherwise, .. } => {
                count_uses(kernel, then, uses);
                count_uses(kernel, otherwise, uses);
            }
            Stmt::Loop(body) => count_uses(kernel, body, uses),
            _ => {}
        }
    }
}

/// Step 2.
struct Shared<'a, T> {
    prices: Prices<'a, T>,
    /// Old products that were computed with an earlier one: the new products and which of them.
    parts: BTreeMap<Value, (Value, u32)>,
}

impl<T: Machine> Shared<'_, T> {
    fn value(&mut self, r: &mut Rewriter<'_>, old: Value, rest: &[Stmt], out: &mut Block) -> Value {
        self.share(r, old, rest, out);
        let op = match self.parts.get(&old) {
            Some((all, which)) => Op::Part(*all, *which),
            None => r.op(old),
        };
        r.compute(op, out)
    }

    /// If `v` is the first of enough products by one operand, computes them all.
    fn share(&mut self, r: &mut Rewriter<'_>, v: Value, rest: &[Stmt], out: &mut Block) {
        let kernel = r.old;
        let Some((FieldOp::Mul, &[a, b])) = kernel[v].field() else { return };
        if self.parts.contains_key(&v) {
            return;
        }
        for (x, y) in [(a, b), (b, a)] {
            let mut group = vec![(v, x)];
            for stmt in rest {
                let Stmt::Let(w) = stmt else { continue };
                let other = match kernel[*w].field() {
                    Some((FieldOp::Mul, &[c, d])) if d == y => c,
                    Some((FieldOp::Mul, &[c, d])) if c == y => d,
                    _ => continue,
                };
                if other != y && r.has(other) && !self.parts.contains_key(w) {
                    group.push((*w, other));
                }
            }
            let m = group.len();
            let together = self.prices.price(&FieldOp::MulShared(m));
            if x == y || m < LEAST_SHARED || together >= m as u64 * self.prices.price(&FieldOp::Mul) {
                continue;
            }
            let factors = group.iter().map(|(_, x)| *x).chain([y]).map(|x| r.get(x)).collect();
            let all = r.compute(Op::Field(FieldOp::MulShared(m), factors), out);
            for (which, (w, _)) in group.into_iter().enumerate() {
                self.parts.insert(w, (all, which as u32));
            }
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::build::Builder;
    use crate::fir::interp::{Argument, from_words, launch, to_words};
    use crate::fir::verify::verify;
    use crate::passes::simplify;
    use crate::targets::ptx::Ptx;
    use curvesmith_abi::Geometry;
    use curvesmith_abi::kernels::FieldMulSub;
    use num_bigint::BigUint;

    fn bn254() -> FieldDesc {
        let p = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
        FieldDesc::new("bn254_fq", BigUint::parse_bytes(p.as_bytes(), 16).expect("hexadecimal"))
    }

    fn count(kernel: &Kernel, f: impl Fn(&Op) -> bool) -> usize {
        kernel.values().filter(|v| f(&kernel[*v])).count()
    }

    /// `terms` products, number `k` subtracted where bit `k` of `signs` is one: one after another, or two
    /// sums joined.
    fn signed_sum(terms: usize, signs: u32, halves: bool) -> Kernel {
        let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &bn254());
        let i = b.global_index();
        b.return_if(i.ge(b.scalar("n")));
        let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
        let products = [x * y, y * z, z * x, z.sqr()];
        let join = |from: usize, to: usize| {
            let signed = |sum, k| if signs >> k & 1 == 1 { sum - products[k] } else { sum + products[k] };
            (from + 1..to).fold(products[from], signed)
        };
        let sum = match (halves, signs & 1) {
            (false, _) => join(0, terms),
            (true, 0) => join(0, terms / 2) + join(terms / 2, terms),
            (true, _) => join(0, terms / 2) - join(terms / 2, terms),
        };
        b.buffer("out").set_field(i, sum);
        b.finish()
    }

    fn result(kernel: &Kernel) -> Vec<BigUint> {
        let element = |x: u32| Argument::Buffer(to_words(&bn254(), &[x.into()]));
        let mut args = vec![element(3), element(5), element(11), element(0), Argument::U32(1)];
        launch(kernel, 1, &mut args).expect("the kernel runs");
        let Argument::Buffer(out) = &args[3] else { unreachable!("a buffer") };
        from_words(&bn254(), out)
    }

    #[test]
    fn joined_sums_keep_their_signs() {
        let mut longest = [0; 2];
        for (terms, signs, halves) in
            (2..=4).flat_map(|n| (0..1 << n).flat_map(move |signs| [(n, signs, false), (n, signs, true)]))
        {
            let written = signed_sum(terms, signs, halves);
            let kernel = simplify(&join_products::<Ptx>(&simplify(&written)));
            assert_eq!(verify(&kernel), Ok(()));
            assert_eq!(result(&kernel), result(&written), "{terms} products, {signs:b}, halves: {halves}");
            let whole = |op: &Op| matches!(op, Op::Field(FieldOp::Dot(n), _) if *n == terms);
            longest[usize::from(signs > 1)] += count(&kernel, whole);
        }
        assert!(longest.iter().all(|n| *n > 0), "no sum was joined as a whole: {longest:?}");
    }
}
