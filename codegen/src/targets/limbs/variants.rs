//! The variants: what each operation can be computed by.

use super::ir::{Limb, Pair, Program, Src, Step};
use super::{Cost, Limbs};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::{Bound as _, Choice};
use num_bigint::BigUint;
use num_integer::Integer as _;
use num_traits::{One, ToPrimitive};
use std::marker::PhantomData;

const ZERO: Src = Src::Imm(0);
/// The largest multiple of `p` below which a small multiple is reduced by subtractions.
const LADDER: u64 = 64;

/// The legal variants of a well-formed operation, in no particular order; none of one that the target does
/// not have.
pub(in crate::targets) fn offers<T: Limbs>(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[T::Bound],
) -> Vec<Choice<T>> {
    let n = T::limbs(field);
    let mut o: Offers<'_, T> = Offers { field, n, p: T::to_limbs(&field.p, n), operands, choices: vec![] };
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
        FieldOp::MaybeZero => o.reduced(["maybe_zero.copy", "maybe_zero.ladder"], 1),
        FieldOp::FromMont if T::of_layout(field) => o.divided(["from_mont.lazy", "from_mont.canonical"]),
        FieldOp::MulTable { step, rows } if T::of_layout(field) => {
            o.by_table(["mul_table.lazy", "mul_table.canonical"], *step as usize, *rows as usize);
        }
        // What the target does not have.
        _ => {}
    }
    o.choices
}

/// Collects the variants of one operation.
struct Offers<'a, T: Limbs> {
    field: &'a FieldDesc,
    n: usize,
    p: Vec<u64>,
    operands: &'a [T::Bound],
    choices: Vec<Choice<T>>,
}

impl<T: Limbs> Offers<'_, T> {
    fn max(&self, k: usize) -> BigUint {
        self.operands[k].limit(self.field) - 1u32
    }

    /// `p` times `k`, of at least `n` limbs.
    fn times_p(&self, k: u64, n: usize) -> Vec<Src> {
        T::to_limbs(&(&self.field.p * k), n).into_iter().map(Src::Imm).collect()
    }

    /// The bound of what is below a limit, where an element may be so large.
    fn below(&self, limit: &BigUint) -> Option<T::Bound> {
        T::Bound::below(self.field, limit).filter(|bound| bound.limit(self.field) <= T::capacity(self.field))
    }

    fn push(&mut self, variant: &'static str, out: T::Bound, emit: impl FnOnce(&mut Program) -> Vec<Src>) {
        let mut program = Program::new(self.operands.len(), self.n);
        program.output = emit(&mut program);
        let cost = Cost::of(&program);
        self.choices.push(Choice { variant, out, parts: 1, cost, program });
    }

    /// Offers what `emit` makes, of `n + 1` words and at most `max`: lazy where that fits, and canonical
    /// after a ladder.
    fn forms(
        &mut self,
        [lazy, canonical]: [&'static str; 2],
        max: &BigUint,
        emit: impl Fn(&mut Program) -> Vec<Src>,
    ) {
        let (n, p) = (self.n, self.field.p.clone());
        if let Some(out) = self.below(&(max + 1u32)) {
            self.push(lazy, out, |program| {
                let words = emit(program);
                without_top(program, words, n)
            });
        }
        if *max >= p {
            let ladder: Ladder<'_, T> = Ladder::new(&p, n, max.clone(), 1);
            self.push(canonical, T::Bound::CANONICAL, |program| {
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

    /// `x - y`, or `-y`: lazy by adding a multiple of `p` that is above `y`, and by adding it where there is
    /// a borrow.
    fn difference(&mut self, [lazy, borrow, canonical]: [&'static str; 3], x: Option<usize>, y: usize) {
        let (n, p) = (self.n, &self.field.p);
        let k = self.max(y).div_ceil(p).to_u64().expect("limbs hold few multiples").max(1);
        let above = self.times_p(k, n);
        let max = x.map_or(BigUint::ZERO, |x| self.max(x));
        if let Some(out) = self.below(&(&max + &self.field.p * k + 1u32)) {
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
            let back = program.select(borrow, &above[..n], &vec![ZERO; n]);
            let (words, carry) = program.add(&words, &back);
            if above.len() > n {
                // What is added back is `R` and more: the borrow is that limb above, and the carry the
                // result's.
                return [words, vec![carry.into()]].concat();
            }
            program.steps.push(Step::Known(words.clone(), carry));
            [words, vec![ZERO]].concat()
        };
        self.forms([borrow, canonical], &max, borrowed);
    }

    fn multiple(&mut self, c: u32) {
        let (n, max) = (self.n, self.max(0) * c);
        match c {
            0 => self.push("mul_small.zero", T::Bound::CANONICAL, |_| vec![ZERO; n]),
            1 => {
                self.push("mul_small.copy", self.operands[0], |program| program.input(n, 0));
                if self.operands[0].limit(self.field) > self.field.p {
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
        let c = c * T::r(self.field) % &self.field.p;
        let (n, words) = (self.n, T::to_limbs(&c, self.n));
        let maxima = [(self.max(0), c)];
        self.montgomery(names, &maxima, |program| {
            vec![(program.input(n, 0), words.iter().copied().map(Src::Imm).collect())]
        });
    }

    /// `x/R`.
    fn divided(&mut self, names: [&'static str; 2]) {
        let (n, max) = (self.n, self.max(0));
        self.rows(names, n, &max, &BigUint::ZERO, |program| program.input(n, 0), |_, _| vec![]);
    }

    /// The product by a table of a constant.
    fn by_table(&mut self, names: [&'static str; 2], step: usize, rows: usize) {
        let n = self.n;
        if rows > n {
            return;
        }
        let chunks: Vec<usize> = (0..n.div_ceil(step)).collect();
        let limb = (BigUint::one() << T::BITS) - 1u32;
        let most = |chunk: usize| -> BigUint {
            let of = |i: usize| (self.max(0) >> (T::BITS * i)).min(limb.clone()) << (T::BITS * (i % step));
            (chunk * step..n.min((chunk + 1) * step)).map(of).sum()
        };
        let sum: BigUint = chunks.iter().map(|&chunk| most(chunk) * self.max(1 + chunk)).sum();
        let added: BigUint = chunks.iter().map(|&chunk| self.max(1 + chunk)).sum();
        let terms = |program: &Program, row: usize| {
            let x = program.input(n, 0);
            let entry = |&chunk: &usize| {
                let limb = x.get(chunk * step + row).filter(|_| row < step)?;
                Some((*limb, program.input(n, 1 + chunk)))
            };
            chunks.iter().filter_map(entry).collect()
        };
        self.rows(names, rows, &sum, &added, |_| vec![], terms);
    }

    fn montgomery(
        &mut self,
        names: [&'static str; 2],
        maxima: &[(BigUint, BigUint)],
        factors: impl Fn(&Program) -> Vec<(Vec<Src>, Vec<Src>)>,
    ) {
        let sum: BigUint = maxima.iter().map(|(x, y)| x * y).sum();
        let added = maxima.iter().map(|(_, y)| y).sum();
        let terms = |program: &Program, row: usize| {
            factors(program).into_iter().map(|(x, y)| (x[row], y)).collect::<Vec<_>>()
        };
        self.rows(names, self.n, &sum, &added, |_| vec![], terms);
    }

    /// Rows of a Montgomery reduction, each of which adds limbs times numbers, `added` in all but for the
    /// limbs, and divides by `2^B`. The accumulator begins with `start`; together they make at most `sum`.
    fn rows(
        &mut self,
        names: [&'static str; 2],
        count: usize,
        sum: &BigUint,
        added: &BigUint,
        start: impl Fn(&Program) -> Vec<Src>,
        terms: impl Fn(&Program, usize) -> Vec<(Src, Vec<Src>)>,
    ) {
        let (divisor, p, limbs) = (BigUint::one() << (T::BITS * count), &self.field.p, self.p.clone());
        let max = (sum + (&divisor - 1u32) * p) / &divisor;
        let (n, n0, added) = (self.n, n0::<T>(self.field), added + p);
        self.forms(names, &max, |program| {
            let mut t = start(program);
            let max = if t.is_empty() { BigUint::ZERO } else { sum.clone() };
            t.resize(n + 2, ZERO);
            let mut rows: Rows<'_, T> = Rows { program, t, max, alike: false, target: PhantomData };
            for row in 0..count {
                let terms = terms(rows.program, row);
                // Several terms leave a limb above an element in each row: the first adds to it too.
                rows.alike = T::ROLLED && row == 0 && terms.len() > 1;
                terms.iter().for_each(|(x, y)| rows.add(*x, y));
                rows.reduce(&limbs, n0, &added);
            }
            rows.t.truncate(n + 1);
            rows.t
        });
    }

    /// The operand, below `least` times `p`.
    fn reduced(&mut self, [copy, ladder]: [&'static str; 2], least: u64) {
        let (n, p, operand) = (self.n, self.field.p.clone(), self.operands[0]);
        let out = T::Bound::below(self.field, &(&p * least));
        match out {
            Some(out) if !operand.within(out, self.field) => {
                let steps: Ladder<'_, T> = Ladder::new(&p, n, self.max(0), least);
                self.push(ladder, out, |program| {
                    let words = [program.input(n, 0), vec![ZERO]].concat();
                    steps.climb(program, words)
                });
            }
            _ => self.push(copy, operand, |program| program.input(n, 0)),
        }
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
struct Ladder<'a, T> {
    p: &'a BigUint,
    n: usize,
    /// The most that the words are.
    max: BigUint,
    /// Below how many times `p` the result is to be.
    least: u64,
    target: PhantomData<T>,
}

impl<'a, T: Limbs> Ladder<'a, T> {
    fn new(p: &'a BigUint, n: usize, max: BigUint, least: u64) -> Self {
        Ladder { p, n, max, least, target: PhantomData }
    }

    fn climb(&self, program: &mut Program, mut words: Vec<Src>) -> Vec<Src> {
        let mut k = (&self.max / self.p + 1u32).to_u64().expect("a ladder is short");
        let top = words[self.n];
        let alone = top == ZERO || program.is_carry(top, words[self.n - 1]);
        if alone && self.max.bits() as usize <= T::BITS * self.n {
            words = without_top(program, words, self.n);
        }
        while k > self.least {
            // The largest power of two below `k`, which is at most twice that.
            k = 1 << (k - 1).ilog2();
            let multiple: Vec<Src> =
                T::to_limbs(&(self.p * k), words.len()).into_iter().map(Src::Imm).collect();
            program.above.clear();
            let (less, borrow) = program.sub(&words, &multiple);
            program.compared.push((less.clone(), borrow));
            words = program.select(borrow, &words, &less);
        }
        if words.len() > self.n { without_top(program, words, self.n) } else { words }
    }
}

/// Rows of a Montgomery product: an accumulator of two limbs more than an element.
struct Rows<'a, T> {
    program: &'a mut Program,
    t: Vec<Src>,
    /// The most that the accumulator is after a row.
    max: BigUint,
    /// Whether limbs above an element are added to where they are zero.
    alike: bool,
    target: PhantomData<T>,
}

impl<T: Limbs> Rows<'_, T> {
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
            let (sum, next) = match self.alike && self.t[at] == ZERO && at == self.t.len() - 2 {
                true => {
                    let (low, high) = self.program.pair(Pair::Add(ZERO, with, ZERO));
                    (low.into(), Some(high))
                }
                false => self.plus(self.t[at], with),
            };
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

    /// Adds the multiple of `p` that clears the lowest limb, and drops that. `added` is what a row adds at
    /// most, but for the limb that it is multiplied by.
    fn reduce(&mut self, p: &[u64], n0: u64, added: &BigUint) {
        let (m, _) = self.program.pair(Pair::MulAdd(self.t[0], Src::Imm(n0), ZERO, ZERO));
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
        let word = BigUint::one() << T::BITS;
        self.max = (&self.max + (&word - 1u32) * added) / &word;
        let n = p.len();
        if let Src::Limb(top) = self.t[n]
            && self.max.bits() as usize <= T::BITS * n
            && self.program.is_carry(self.t[n], self.t[n - 1])
        {
            self.program.steps.push(Step::Known(self.t[..n].to_vec(), top));
            self.t[n] = ZERO;
        }
    }
}

/// `-p⁻¹ mod 2^B`.
fn n0<T: Limbs>(field: &FieldDesc) -> u64 {
    let word = BigUint::one() << T::BITS;
    let inverse = field.p.modinv(&word).expect("p is odd");
    (word - inverse).to_u64().expect("below the word, as the inverse is odd")
}
