//! The variants: what each operation can be computed by.

use super::bound::{Bound, N0, limbs, most, r, to_limbs};
use super::ir::{Limb, Pair, Program, Src, Step};
use super::{Choice, Cost};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::Bound as _;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

const ZERO: Src = Src::Imm(0);
/// The largest multiple of `p` below which a small multiple is reduced by subtractions.
const LADDER: u64 = 64;

/// The legal variants of a well-formed operation, in no particular order; none of one that the target does not have.
pub(in crate::targets::portable) fn offers(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
) -> Vec<Choice> {
    let n = limbs(field);
    let mut o = Offers { field, n, p: to_limbs(&field.p, n), operands, choices: vec![] };
    match op {
        FieldOp::Add => o.sum(["add.lazy", "add.canonical"], 0, 1),
        FieldOp::Dbl => o.sum(["dbl.lazy", "dbl.canonical"], 0, 0),
        FieldOp::Sub => o.difference(["sub.lazy", "sub.borrow", "sub.canonical"], Some(0), 1),
        FieldOp::Neg => o.difference(["neg.lazy", "neg.borrow", "neg.canonical"], None, 0),
        FieldOp::MulSmall(c) => o.multiple(*c),
        FieldOp::Mul => o.products(["mul.lazy", "mul.canonical"], &[(0, 1)]),
        FieldOp::Sqr => o.products(["sqr.lazy", "sqr.canonical"], &[(0, 0)]),
        FieldOp::Dot(k) => {
            let pairs: Vec<_> = (0..*k).map(|i| (2 * i, 2 * i + 1)).collect();
            o.products(["dot.lazy", "dot.canonical"], &pairs);
        }
        FieldOp::MulConst(c) => o.by_constant(["mul_const.lazy", "mul_const.canonical"], c),
        FieldOp::ReduceFull => o.reduced(["reduce.copy", "reduce.ladder"], 1),
        FieldOp::ReduceWeak => o.reduced(["reduce.copy", "reduce.weak"], 2),
        FieldOp::IsZero => o.reduced(["is_zero.copy", "is_zero.ladder"], 1),
        // What the target does not have.
        _ => {}
    }
    o.choices
}

/// Collects the variants of one operation.
struct Offers<'a> {
    field: &'a FieldDesc,
    n: usize,
    p: Vec<u64>,
    operands: &'a [Bound],
    choices: Vec<Choice>,
}

impl Offers<'_> {
    fn max(&self, k: usize) -> BigUint {
        self.operands[k].limit(self.field) - 1u32
    }

    /// `p` times `k`, of at least `n` limbs.
    fn times_p(&self, k: u64, n: usize) -> Vec<Src> {
        to_limbs(&(&self.field.p * k), n).into_iter().map(Src::Imm).collect()
    }

    fn push(&mut self, variant: &'static str, out: Bound, emit: impl FnOnce(&mut Program) -> Vec<Src>) {
        let mut program = Program::new(self.operands.len(), self.n);
        program.output = emit(&mut program);
        let cost = Cost::of(&program);
        self.choices.push(Choice { variant, out, parts: 1, cost, program });
    }

    /// Offers what `emit` makes, of `n + 1` words and at most `max`: lazy where that fits, and canonical after a ladder.
    fn forms(
        &mut self,
        [lazy, canonical]: [&'static str; 2],
        max: &BigUint,
        emit: impl Fn(&mut Program) -> Vec<Src>,
    ) {
        let (n, p) = (self.n, self.field.p.clone());
        if let Some(out) = Bound::below(self.field, &(max + 1u32)) {
            self.push(lazy, out, |program| {
                let words = emit(program);
                without_top(program, words, n)
            });
        }
        if *max >= p {
            let ladder = Ladder { p: &p, n, max: max.clone(), least: 1 };
            self.push(canonical, Bound(1), |program| {
                let words = emit(program);
                ladder.climb(program, words)
            });
        }
    }

    fn sum(&mut self, names: [&'static str; 2], x: usize, y: usize) {
        let (n, max) = (self.n, self.max(x) + self.max(y));
        self.forms(names, &max, |program| {
            let (mut words, carry) = program.add(&program.input(n, x), &program.input(n, y));
            words.push(carry.into());
            words
        });
    }

    /// `x - y`, or `-y`: lazy by adding a multiple of `p` that is above `y`, and by adding it where there is a borrow.
    fn difference(&mut self, [lazy, borrow, canonical]: [&'static str; 3], x: Option<usize>, y: usize) {
        let (n, k) = (self.n, self.operands[y].0);
        let above = self.times_p(k, n);
        let max = x.map_or(BigUint::ZERO, |x| self.max(x));
        if let Some(out) = Bound::below(self.field, &(&max + &self.field.p * k + 1u32)) {
            let above = above.clone();
            self.push(lazy, out, |program| {
                let minuend = match x {
                    Some(x) => {
                        let (sum, carry) = program.add(&program.input(n, x), &above);
                        program.steps.push(Step::Known(sum.clone(), carry));
                        sum
                    }
                    None => above,
                };
                let (words, borrow) = program.sub(&minuend, &program.input(n, y));
                program.steps.push(Step::Known(words.clone(), borrow));
                words
            });
        }
        let max = max.max(&self.field.p * k - 1u32);
        let borrowed = |program: &mut Program| {
            let minuend = x.map_or(vec![ZERO; n], |x| program.input(n, x));
            let (words, borrow) = program.sub(&minuend, &program.input(n, y));
            program.compared.push((words.clone(), borrow));
            let back = program.select(borrow, &above, &vec![ZERO; n]);
            let (words, carry) = program.add(&words, &back);
            program.steps.push(Step::Known(words.clone(), carry));
            [words, vec![ZERO]].concat()
        };
        self.forms([borrow, canonical], &max, borrowed);
    }

    fn multiple(&mut self, c: u32) {
        let (n, max) = (self.n, self.max(0) * c);
        match c {
            0 => self.push("mul_small.zero", Bound(1), |_| vec![ZERO; n]),
            1 => {
                self.push("mul_small.copy", self.operands[0], |program| program.input(n, 0));
                if self.operands[0].0 > 1 {
                    self.reduced(["mul_small.copy", "mul_small.canonical"], 1);
                }
            }
            _ if max >= &self.field.p * LADDER => {
                let c = BigUint::from(c) % &self.field.p;
                self.by_constant(["mul_small.const.lazy", "mul_small.const.canonical"], &c);
            }
            _ => self.forms(["mul_small.lazy", "mul_small.canonical"], &max, |program| {
                let (mut words, mut carry) = (vec![], ZERO);
                for x in program.input(n, 0) {
                    let (low, high) = program.pair(Pair::MulAdd(x, Src::Imm(c.into()), carry, ZERO));
                    words.push(low.into());
                    carry = high.into();
                }
                words.push(carry);
                words
            }),
        }
    }

    /// Sums of products of operands with one reduction.
    fn products(&mut self, names: [&'static str; 2], pairs: &[(usize, usize)]) {
        let n = self.n;
        let maxima: Vec<_> = pairs.iter().map(|&(x, y)| (self.max(x), self.max(y))).collect();
        self.montgomery(names, &maxima, |program| {
            pairs.iter().map(|&(x, y)| (program.input(n, x), program.input(n, y))).collect()
        });
    }

    /// The product by a constant: by its Montgomery form.
    fn by_constant(&mut self, names: [&'static str; 2], c: &BigUint) {
        let c = c * r(self.field) % &self.field.p;
        let (n, words) = (self.n, to_limbs(&c, self.n));
        let maxima = [(self.max(0), c)];
        self.montgomery(names, &maxima, |program| {
            vec![(program.input(n, 0), words.iter().copied().map(Src::Imm).collect())]
        });
    }

    fn montgomery(
        &mut self,
        names: [&'static str; 2],
        maxima: &[(BigUint, BigUint)],
        factors: impl Fn(&Program) -> Vec<(Vec<Src>, Vec<Src>)>,
    ) {
        let (r, p) = (r(self.field), &self.field.p);
        let sum: BigUint = maxima.iter().map(|(x, y)| x * y).sum();
        let max = (sum + (&r - 1u32) * p) / &r;
        let added = maxima.iter().map(|(_, y)| y).sum::<BigUint>() + p;
        let (n0, p) = (N0::of(self.field), self.p.clone());
        self.forms(names, &max, |program| {
            let mut rows = Rows { program, t: vec![ZERO; p.len() + 2], max: BigUint::ZERO };
            let factors = factors(rows.program);
            for i in 0..p.len() {
                factors.iter().for_each(|(x, y)| rows.add(x[i], y));
                rows.reduce(&p, n0, &added);
            }
            rows.t.truncate(p.len() + 1);
            rows.t
        });
    }

    /// The operand, below `least` times `p`.
    fn reduced(&mut self, [copy, ladder]: [&'static str; 2], least: u64) {
        let (n, p, operand) = (self.n, self.field.p.clone(), self.operands[0]);
        if operand.0 <= least {
            return self.push(copy, operand, |program| program.input(n, 0));
        }
        let steps = Ladder { p: &p, n, max: self.max(0), least };
        self.push(ladder, Bound(least), |program| {
            let words = [program.input(n, 0), vec![ZERO]].concat();
            steps.climb(program, words)
        });
    }
}

/// The words without the one above `n`, which is shown to be zero.
fn without_top(program: &mut Program, mut words: Vec<Src>, n: usize) -> Vec<Src> {
    if let Src::Limb(top) = words[n] {
        program.steps.push(Step::Known(words[..n].to_vec(), top));
    }
    program.above = words.split_off(n);
    words
}

/// Subtractions of `p` times powers of two, each where there is no borrow.
struct Ladder<'a> {
    p: &'a BigUint,
    n: usize,
    /// The most that the words are.
    max: BigUint,
    /// Below how many times `p` the result is to be.
    least: u64,
}

impl Ladder<'_> {
    fn climb(&self, program: &mut Program, mut words: Vec<Src>) -> Vec<Src> {
        let mut k = (&self.max / self.p + 1u32).to_u64().expect("a ladder is short");
        let top = words[self.n];
        let alone = top == ZERO || program.is_carry(top, words[self.n - 1]);
        if alone && self.max.bits() as usize <= 64 * self.n {
            words = without_top(program, words, self.n);
        }
        while k > self.least {
            // The largest power of two below `k`, which is at most twice that.
            k = 1 << (k - 1).ilog2();
            let multiple: Vec<Src> = to_limbs(&(self.p * k), words.len()).into_iter().map(Src::Imm).collect();
            program.above.clear();
            let (less, borrow) = program.sub(&words, &multiple);
            program.compared.push((less.clone(), borrow));
            words = program.select(borrow, &words, &less);
        }
        if words.len() > self.n { without_top(program, words, self.n) } else { words }
    }
}

/// Rows of a Montgomery product: an accumulator of two limbs more than an element.
struct Rows<'a> {
    program: &'a mut Program,
    t: Vec<Src>,
    /// The most that the accumulator is after a row.
    max: BigUint,
}

impl Rows<'_> {
    /// `a + b` and a carry that may be none.
    fn plus(&mut self, a: Src, b: Src) -> (Src, Option<Limb>) {
        if a == ZERO || b == ZERO {
            return (if a == ZERO { b } else { a }, None);
        }
        let (low, high) = self.program.pair(Pair::Add(a, b, ZERO));
        (low.into(), Some(high))
    }

    /// Adds a carry above the lowest `at` limbs, up to the end.
    fn carry(&mut self, at: usize, carry: Src) {
        let mut carry = Some(carry);
        for at in at..self.t.len() {
            let Some(with) = carry else { return };
            let (sum, next) = self.plus(self.t[at], with);
            self.t[at] = sum;
            carry = next.map(Src::Limb);
        }
        if let Some(Src::Limb(lost)) = carry {
            self.program.steps.push(Step::Known(self.t.clone(), lost));
        }
    }

    /// Adds `x·y`.
    fn add(&mut self, x: Src, y: &[Src]) {
        let mut carry = ZERO;
        for (j, &y) in y.iter().enumerate() {
            let (low, high) = self.program.pair(Pair::MulAdd(x, y, self.t[j], carry));
            self.t[j] = low.into();
            carry = high.into();
        }
        self.carry(y.len(), carry);
    }

    /// Adds the multiple of `p` that clears the lowest limb, and drops that. `added` is what a row adds at most, but for
    /// the limb that it is multiplied by.
    fn reduce(&mut self, p: &[u64], n0: N0, added: &BigUint) {
        let (m, _) = self.program.pair(Pair::MulAdd(self.t[0], Src::Imm(n0.0), ZERO, ZERO));
        let mut carry = ZERO;
        for (j, &p) in p.iter().enumerate() {
            let (low, high) = self.program.pair(Pair::MulAdd(m.into(), Src::Imm(p), self.t[j], carry));
            self.t[j] = low.into();
            carry = high.into();
            if j == 0 {
                self.program.steps.push(Step::Vanishes(low));
            }
        }
        self.carry(p.len(), carry);
        self.t.remove(0);
        self.t.push(ZERO);
        let word = BigUint::one() << 64;
        self.max = (&self.max + (&word - 1u32) * added) / &word;
        let n = p.len();
        if let Src::Limb(top) = self.t[n]
            && self.max.bits() as usize <= 64 * n
            && self.program.is_carry(self.t[n], self.t[n - 1])
        {
            self.program.steps.push(Step::Known(self.t[..n].to_vec(), top));
            self.t[n] = ZERO;
        }
    }
}

/// What a lazy variant has to spare.
pub(in crate::targets::portable) fn spare(field: &FieldDesc, out: Bound) -> u64 {
    most(field) - out.0
}
