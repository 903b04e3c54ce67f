//! The variants: what each operation can be computed by.
//!
//! Each comes *loose*, limb by limb and with no carries where the operation allows that; *carried*, with the carries of its
//! limbs; and *canonical*. What multiplies reads limbs of 52 bits: an operand that is not normal is carried first.

use super::bound::{BITS, Bound, LOOSEST, limbs, most, n0, r, to_limbs};
use super::ir::{Inst, Op, Parts, Program, Src};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::Bound as _;
use crate::targets::simd::{Choice, Cost};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

const ZERO: Src = Src::Imm(0);
/// Bits of an element, from its highest, that a quotient by `p` is estimated from.
const ESTIMATE: usize = 20;

/// Names of the forms of a variant.
type Names = [&'static str; 3];

/// The legal variants of a well-formed operation, in no particular order; none of one that the target does not have.
pub(super) fn offers(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice> {
    let reduce = Reduction::new(field);
    let choices = |reduced: bool| {
        let given = Given { field, bounds: operands, reduce: &reduce, reduced };
        let mut offers = Offers { given, choices: vec![] };
        offers.offer(op);
        offers.choices
    };
    let lazy = choices(false);
    // Where a result would not fit, what is computed from operands that are reduced does.
    if lazy.is_empty() { choices(true) } else { lazy }
}

/// The operands of a variant.
#[derive(Clone, Copy)]
struct Given<'a> {
    field: &'a FieldDesc,
    bounds: &'a [Bound],
    reduce: &'a Reduction,
    /// Whether they are reduced weakly before anything else.
    reduced: bool,
}

impl Given<'_> {
    /// The bound that an operand is computed with.
    fn bound(&self, k: usize) -> Bound {
        let bound = self.bounds[k];
        if self.reduced { Bound::normal(bound.times.min(2)) } else { bound }
    }

    fn max(&self, k: usize) -> BigUint {
        self.bound(k).limit(self.field) - 1u32
    }

    /// How many times `2^52` its limbs are above zero at most, and below.
    fn reach(&self, k: usize) -> (u64, u64) {
        let loose = self.bound(k).loose;
        (loose.max(1), loose)
    }

    /// An operand as it is computed with.
    fn words(&self, program: &mut Program, k: usize) -> Vec<Src> {
        let words = program.input(self.reduce.n, k);
        match self.reduced {
            false => words,
            true => {
                let words = self.reduce.weakly(program, words, self.bounds[k]);
                if self.bounds[k].times > 2 {
                    program.insts.push(Inst::Renamed(words.clone()));
                }
                words
            }
        }
    }

    /// An operand that is multiplied.
    fn factor(&self, program: &mut Program, k: usize) -> Vec<Src> {
        let words = self.words(program, k);
        if self.bound(k).loose > 0 { carried(program, words) } else { words }
    }
}

/// Collects the variants of one operation.
struct Offers<'a> {
    given: Given<'a>,
    choices: Vec<Choice>,
}

impl Offers<'_> {
    fn offer(&mut self, op: &FieldOp) {
        match op {
            FieldOp::Add => self.sum(["add.loose", "add.carried", "add.canonical"], 0, 1),
            FieldOp::Dbl => self.sum(["dbl.loose", "dbl.carried", "dbl.canonical"], 0, 0),
            FieldOp::Sub => self.difference(["sub.loose", "sub.carried", "sub.canonical"], Some(0), 1),
            FieldOp::Neg => self.difference(["neg.loose", "neg.carried", "neg.canonical"], None, 0),
            FieldOp::MulSmall(c) => self.multiple(*c),
            FieldOp::Mul => self.products(["mul.loose", "mul.carried", "mul.canonical"], &[(0, 1)]),
            FieldOp::Sqr => self.products(["sqr.loose", "sqr.carried", "sqr.canonical"], &[(0, 0)]),
            FieldOp::Dot(k) => {
                let pairs: Vec<_> = (0..*k).map(|i| (2 * i, 2 * i + 1)).collect();
                self.products(["dot.loose", "dot.carried", "dot.canonical"], &pairs);
            }
            FieldOp::MulConst(c) => {
                self.by_constant(["mul_const.loose", "mul_const.carried", "mul_const.canonical"], c);
            }
            FieldOp::ReduceFull => self.reduced_fully(["reduce.copy", "reduce.canonical"]),
            FieldOp::ReduceWeak => self.reduced_weakly(),
            FieldOp::IsZero => self.reduced_fully(["is_zero.copy", "is_zero.canonical"]),
            // What the target does not have.
            _ => {}
        }
    }

    fn push(&mut self, variant: &'static str, out: Bound, emit: impl FnOnce(&mut Program) -> Vec<Src>) {
        let mut program = Program::new(self.given.bounds.len(), self.given.reduce.n);
        program.output = emit(&mut program);
        let cost = Cost::of(&program);
        self.choices.push(Choice { variant, out, parts: 1, cost, program });
    }

    /// Offers what `emit` makes, at most `max` on limbs as loose as `loose`, in each form that its bound allows; nothing
    /// where an element may not hold it.
    fn forms(
        &mut self,
        [loosely, with_carries, canonical]: Names,
        max: &BigUint,
        loose: u64,
        emit: impl Fn(&mut Program) -> Vec<Src>,
    ) {
        let Some(out) = Bound::below(self.given.field, &(max + 1u32)) else { return };
        if !self.given.reduced {
            if loose <= LOOSEST {
                self.push(loosely, Bound { loose, ..out }, &emit);
            }
            self.push(with_carries, out, |program| {
                let words = emit(program);
                carried(program, words)
            });
        }
        let reduce = self.given.reduce;
        self.push(canonical, Bound::CANONICAL, |program| {
            let words = emit(program);
            let words = carried(program, words);
            reduce.canonical(program, words, max)
        });
    }

    fn sum(&mut self, names: Names, x: usize, y: usize) {
        let given = self.given;
        let max = given.max(x) + given.max(y);
        let ((above, below), (above_y, below_y)) = (given.reach(x), given.reach(y));
        self.forms(names, &max, (above + above_y).max(below + below_y), |program| {
            let a = given.words(program, x);
            let b = if x == y { a.clone() } else { given.words(program, y) };
            a.into_iter().zip(b).map(|(a, b)| program.write(Op::Add(a, b)).into()).collect()
        });
    }

    /// `x - y`, or `-y`, and a multiple of `p` that is above `y`.
    fn difference(&mut self, names: Names, x: Option<usize>, y: usize) {
        let given = self.given;
        let multiple = &given.field.p * given.bound(y).times;
        let max = x.map_or(BigUint::ZERO, |x| given.max(x)) + &multiple;
        // A multiple that does not fit is of a difference that does not, and is not used.
        let multiple = imms(&multiple, given.reduce.n);
        let (above, below) = x.map_or((0, 0), |x| given.reach(x));
        let (above_y, below_y) = given.reach(y);
        self.forms(names, &max, (below + above_y).max(above + below_y + 1), |program| {
            let y = given.words(program, y);
            let minuend = match x {
                Some(x) => {
                    let x = given.words(program, x);
                    x.iter().zip(&multiple).map(|(x, k)| program.write(Op::Add(*x, *k)).into()).collect()
                }
                None => multiple.clone(),
            };
            minuend.into_iter().zip(y).map(|(x, y)| program.write(Op::Sub(x, y)).into()).collect()
        });
    }

    fn multiple(&mut self, c: u32) {
        /// Sums cost less than a product up to here.
        const SUMS: u32 = 64;
        let given = self.given;
        let bound = given.bound(0);
        let loose = bound.loose.max(1) * u64::from(c);
        match c {
            0 => self.push("mul_small.zero", Bound::CANONICAL, |_| vec![ZERO; given.reduce.n]),
            1 => {
                self.push("mul_small.copy", bound, |program| given.words(program, 0));
                self.reduced_fully(["mul_small.copied", "mul_small.reduced"]);
            }
            _ if c <= SUMS && loose <= LOOSEST && bound.times * u64::from(c) <= most(given.field) => {
                let names = ["mul_small.loose", "mul_small.carried", "mul_small.canonical"];
                self.forms(names, &(given.max(0) * c), loose, |program| {
                    let x = given.words(program, 0);
                    x.into_iter().map(|x| times(program, x, c)).collect()
                });
            }
            _ => {
                let c = BigUint::from(c) % &given.field.p;
                let names = ["mul_small.const.loose", "mul_small.const.carried", "mul_small.const.canonical"];
                self.by_constant(names, &c);
            }
        }
    }

    /// Sums of products of operands with one reduction.
    fn products(&mut self, names: Names, pairs: &[(usize, usize)]) {
        let given = self.given;
        let sum = pairs.iter().map(|&(x, y)| given.max(x) * given.max(y)).sum();
        self.montgomery(names, &sum, pairs.len(), |program, columns| {
            for &(x, y) in pairs {
                let a = given.factor(program, x);
                if x == y {
                    columns.square(program, &a);
                } else {
                    let b = given.factor(program, y);
                    columns.product(program, &a, &b);
                }
            }
        });
    }

    /// The product by a constant: by its Montgomery form.
    fn by_constant(&mut self, names: Names, c: &BigUint) {
        let given = self.given;
        let c = c * r(given.field) % &given.field.p;
        let words = imms(&c, given.reduce.n);
        self.montgomery(names, &(given.max(0) * c), 1, |program, columns| {
            let x = given.factor(program, 0);
            columns.product(program, &x, &words);
        });
    }

    /// Columns that `fill` makes of so many products, at most `sum` together, divided by `R`.
    fn montgomery(
        &mut self,
        names: Names,
        sum: &BigUint,
        products: usize,
        fill: impl Fn(&mut Program, &mut Columns),
    ) {
        let (field, n) = (self.given.field, self.given.reduce.n);
        // A column is a sum of low and high halves.
        let terms = 2 * n as u64 * (products as u64 + 1);
        // Then sums of columns stay within words.
        if terms > 2 * LOOSEST {
            return;
        }
        let r = r(field);
        let max = (sum + (&r - 1u32) * &field.p) / &r;
        let (p, n0) = (to_limbs(&field.p, n), n0(field));
        self.forms(names, &max, terms + 1, |program| {
            let mut columns = Columns(vec![ZERO; 2 * n]);
            fill(program, &mut columns);
            columns.reduced(program, &p, n0)
        });
    }

    fn reduced_weakly(&mut self) {
        let given = self.given;
        let bound = given.bound(0);
        match bound.loose {
            0 => self.push("reduce.copy", bound, |program| given.words(program, 0)),
            _ => self.push("reduce.carried", Bound::normal(bound.times), |program| given.factor(program, 0)),
        }
        if bound.times > 2 {
            self.push("reduce.weak", Bound::normal(2), |program| {
                let words = given.words(program, 0);
                given.reduce.weakly(program, words, bound)
            });
        }
    }

    fn reduced_fully(&mut self, [copy, canonical]: [&'static str; 2]) {
        let given = self.given;
        if given.bound(0) == Bound::CANONICAL {
            return self.push(copy, Bound::CANONICAL, |program| given.words(program, 0));
        }
        self.push(canonical, Bound::CANONICAL, |program| {
            let words = given.factor(program, 0);
            given.reduce.canonical(program, words, &given.max(0))
        });
    }
}

/// `x < 2^(52·n)` as constants.
fn imms(x: &BigUint, n: usize) -> Vec<Src> {
    to_limbs(x, n).into_iter().map(|limb| Src::Imm(limb as i64)).collect()
}

/// `c·x`, by doubling and adding.
fn times(program: &mut Program, x: Src, c: u32) -> Src {
    let limb = program.limb(x);
    let mut sum = None;
    for bit in (0..32).filter(|bit| c >> bit & 1 == 1) {
        let term = match bit {
            0 => x,
            bits => program.write(Op::Double { a: limb, bits }).into(),
        };
        sum = Some(match sum {
            Some(sum) => program.write(Op::Add(sum, term)).into(),
            None => term,
        });
    }
    sum.unwrap_or(ZERO)
}

/// The number on normal limbs; what is carried out of each is added to the next.
fn carried(program: &mut Program, mut words: Vec<Src>) -> Vec<Src> {
    for i in 0..words.len() - 1 {
        let a = program.limb(words[i]);
        let high = program.write(Op::Shift { a, bits: BITS });
        words[i] = program.write(Op::Mask { a, bits: BITS }).into();
        words[i + 1] = program.write(Op::Add(words[i + 1], high.into())).into();
    }
    program.insts.push(Inst::Normal(words.clone()));
    words
}

/// Columns of a product: sums of halves of products of limbs, by weight.
struct Columns(Vec<Src>);

impl Columns {
    fn low(&mut self, program: &mut Program, at: usize, a: Src, b: Src) {
        self.0[at] = program.write(Op::Low { sum: self.0[at], a, b }).into();
    }

    fn high(&mut self, program: &mut Program, at: usize, a: Src, b: Src) {
        self.0[at] = program.write(Op::High { sum: self.0[at], a, b }).into();
    }

    fn product(&mut self, program: &mut Program, x: &[Src], y: &[Src]) {
        for (i, &y) in y.iter().enumerate() {
            x.iter().enumerate().for_each(|(j, &x)| self.low(program, i + j, x, y));
            x.iter().enumerate().for_each(|(j, &x)| self.high(program, i + j + 1, x, y));
        }
    }

    /// Products of different limbs once, all doubled, then the squares. What is in the columns already is added last.
    fn square(&mut self, program: &mut Program, x: &[Src]) {
        let n = x.len();
        let before = std::mem::replace(&mut self.0, vec![ZERO; 2 * n]);
        for (i, &own) in x.iter().enumerate() {
            (i + 1..n).for_each(|j| self.low(program, i + j, x[j], own));
            (i + 1..n).for_each(|j| self.high(program, i + j + 1, x[j], own));
        }
        for column in &mut self.0 {
            if let Src::Limb(a) = *column {
                *column = program.write(Op::Double { a, bits: 1 }).into();
            }
        }
        for (i, &own) in x.iter().enumerate() {
            self.low(program, 2 * i, own, own);
            self.high(program, 2 * i + 1, own, own);
        }
        for (column, before) in self.0.iter_mut().zip(before) {
            if before != ZERO {
                *column = program.write(Op::Add(*column, before)).into();
            }
        }
    }

    /// Divided by `R`: row by row the multiple of `p` is added that clears the lowest column.
    fn reduced(mut self, program: &mut Program, p: &[u64], n0: u64) -> Vec<Src> {
        let n = p.len();
        let imm = |limb: u64| Src::Imm(limb as i64);
        for i in 0..n {
            let a = program.limb(self.0[i]);
            let q = program.write(Op::Quotient { a, by: n0 });
            // The low half of q·p0 and the column are a multiple of 2^52, so that only its carry is needed.
            let carry = program.write(Op::Carry { a, q, p0: p[0] });
            let rest = |j: &usize| p[*j] != 0;
            (1..n).filter(rest).for_each(|j| self.low(program, i + j, q.into(), imm(p[j])));
            self.0[i + 1] = program.write(Op::Add(self.0[i + 1], carry.into())).into();
            (0..n).filter(rest).for_each(|j| self.high(program, i + j + 1, q.into(), imm(p[j])));
        }
        self.0.split_off(n)
    }
}

/// What reductions of a field are made of.
struct Reduction {
    p: BigUint,
    n: usize,
}

impl Reduction {
    fn new(field: &FieldDesc) -> Self {
        Reduction { p: field.p.clone(), n: limbs(field) }
    }

    /// A normal number below `2p`: less a multiple of `p`, by a quotient that its upper bits give.
    ///
    /// With `x = low + 2^e·top` and `c = ⌊2^(52+e)/p⌋` the quotient is `q = ⌊top·c / 2^52⌋`, and
    /// `2^52·(x - q·p) = 2^52·low + (2^(52+e) - c·p)·top + p·(top·c mod 2^52)`.
    fn weak(&self, program: &mut Program, words: Vec<Src>) -> Vec<Src> {
        let (n, bits) = (self.n, BITS as usize);
        let e = (self.p.bits() as usize).saturating_sub(ESTIMATE);
        let (at, offset) = (e / bits, (e % bits) as u32);
        let power = |k: usize| BigInt::one() << k;
        let c = (BigUint::one() << (bits + e)) / &self.p;
        let estimate = Src::Imm(c.to_i64().expect("at most 2^52"));
        let mut limbs: Vec<(Src, BigInt)> =
            words[..at].iter().enumerate().map(|(i, word)| (*word, power(bits * (i + 1)))).collect();
        let mut top = words[at];
        if offset > 0 {
            let a = program.limb(words[at]);
            let low = program.write(Op::Mask { a, bits: offset });
            limbs.push((low.into(), power(bits * (at + 1))));
            top = program.write(Op::Shift { a, bits: offset }).into();
        }
        if let Some(above) = words.get(at + 1) {
            let a = program.limb(*above);
            let above = program.write(Op::Double { a, bits: BITS - offset });
            top = program.write(Op::Add(top, above.into())).into();
        }
        limbs.push((top, power(bits + e) - BigInt::from(c) * BigInt::from(self.p.clone())));
        let q: Src = program.write(Op::High { sum: ZERO, a: top, b: estimate }).into();
        let p = to_limbs(&self.p, n);
        let mut less = vec![];
        for i in 0..n {
            let mut product = ZERO;
            if p[i] != 0 {
                product = program.write(Op::Low { sum: product, a: q, b: Src::Imm(p[i] as i64) }).into();
            }
            if let Some(&below) = p[..i].last().filter(|below| **below != 0) {
                product = program.write(Op::High { sum: product, a: q, b: Src::Imm(below as i64) }).into();
            }
            less.push(program.write(Op::Sub(words[i], product)).into());
        }
        let parts = Parts { limbs, low: (top, estimate, self.p.clone().into()) };
        // What is carried out of the limbs changes the limbs and not the number.
        program.parts.push((less.clone(), parts));
        carried(program, less)
    }

    /// A number within a bound, normal and below `2p`.
    fn weakly(&self, program: &mut Program, words: Vec<Src>, bound: Bound) -> Vec<Src> {
        let words = if bound.loose > 0 { carried(program, words) } else { words };
        if bound.times > 2 { self.weak(program, words) } else { words }
    }

    /// A normal number of at most `max`, reduced to below `p`.
    fn canonical(&self, program: &mut Program, mut words: Vec<Src>, max: &BigUint) -> Vec<Src> {
        if *max < self.p {
            return words;
        }
        if *max >= &self.p * 2u32 {
            words = self.weak(program, words);
        }
        let p = to_limbs(&self.p, self.n);
        let less: Vec<Src> = words
            .iter()
            .zip(p)
            .map(|(word, p)| program.write(Op::Sub(*word, Src::Imm(p as i64))).into())
            .collect();
        let less = carried_compared(program, less);
        let sign = program.limb(less[self.n - 1]);
        words.iter().zip(less).map(|(&a, b)| program.write(Op::Select { sign, a, b }).into()).collect()
    }
}

/// As [`carried`], of a number whose sign is read.
fn carried_compared(program: &mut Program, words: Vec<Src>) -> Vec<Src> {
    let words = carried(program, words);
    program.compared.push(words.clone());
    words
}

/// What a variant with a bound has to spare.
pub(super) fn spare(field: &FieldDesc, out: Bound) -> u64 {
    most(field) - out.times
}
