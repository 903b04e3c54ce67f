//! The variants: what each operation can be computed by.
//!
//! Each comes *loose*, limb by limb and with no carries where the operation allows that; *carried*, with the
//! carries of its limbs; and *canonical*. What multiplies reads limbs: an operand that is not normal is
//! carried first.

use super::bound::{Bound, LOOSEST, Limbs, Products};
use super::ir::{Inst, Op, Parts, Program, Src};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::Bound as _;
use crate::targets::simd::{Choice, Cost, Instructions};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

const ZERO: Src = Src::Imm(0);
/// Bits of an element, from its highest, that a quotient by `p` is estimated from.
const ESTIMATE: usize = 20;

/// Names of the forms of a variant.
type Names = [&'static str; 3];

/// The legal variants of a well-formed operation, in no particular order; none of one that the target does
/// not have.
pub(super) fn offers<I: Instructions>(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice<I>> {
    let reduce = Reduction { p: field.p.clone(), limbs: Limbs::of(I::PRODUCTS, field) };
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

    /// How many times `2^bits` its limbs are above zero at most, and below.
    fn reach(&self, k: usize) -> (u64, u64) {
        let loose = self.bound(k).loose;
        (loose.max(1), loose)
    }

    /// An operand as it is computed with.
    fn words(&self, program: &mut Program, k: usize) -> Vec<Src> {
        let words = program.input(self.reduce.limbs.n, k);
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
        if self.bound(k).loose > 0 { self.reduce.carried(program, words, Signs::Any) } else { words }
    }

    /// Two factors; of a square one.
    fn factors(&self, program: &mut Program, factors: &Factors) -> (Vec<Src>, Option<Vec<Src>>) {
        match factors {
            Factors::Operands(x, y) if x == y => (self.factor(program, *x), None),
            Factors::Operands(x, y) => (self.factor(program, *x), Some(self.factor(program, *y))),
            Factors::Constant(x, y) => (self.factor(program, *x), Some(y.clone())),
        }
    }

    /// Of sums of operands.
    fn signs(&self) -> Signs {
        match (0..self.bounds.len()).all(|k| self.bound(k).loose == 0) {
            true => Signs::Positive,
            false => Signs::Any,
        }
    }
}

/// What is known of the limbs of a number that is to be carried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signs {
    Any,
    /// None is negative.
    Positive,
}

/// Two factors: operands, or an operand and a constant. Those of a square are the same.
enum Factors {
    Operands(usize, usize),
    Constant(usize, Vec<Src>),
}

/// Collects the variants of one operation.
struct Offers<'a, I: Instructions> {
    given: Given<'a>,
    choices: Vec<Choice<I>>,
}

impl<I: Instructions> Offers<'_, I> {
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
        let mut program = Program::new(self.given.bounds.len(), self.given.reduce.limbs.n);
        program.output = emit(&mut program);
        let cost = Cost::of(&program);
        self.choices.push(Choice { variant, out, parts: 1, cost, program });
    }

    /// Offers what `emit` makes, at most `max` on limbs as loose as `loose` and of these signs, in each form
    /// that its bound allows; nothing where an element may not hold it.
    fn forms(
        &mut self,
        [loosely, with_carries, canonical]: Names,
        max: &BigUint,
        loose: u64,
        signs: Signs,
        emit: impl Fn(&mut Program) -> Vec<Src>,
    ) {
        let (field, reduce) = (self.given.field, self.given.reduce);
        let out = Bound::below(field, &(max + 1u32));
        let Some(out) = out.filter(|out| out.times <= reduce.limbs.most(field)) else { return };
        if !self.given.reduced {
            if loose <= LOOSEST {
                self.push(loosely, Bound { loose, ..out }, &emit);
            }
            self.push(with_carries, out, |program| {
                let words = emit(program);
                reduce.carried(program, words, signs)
            });
        }
        self.push(canonical, Bound::CANONICAL, |program| {
            let words = emit(program);
            let words = reduce.carried(program, words, signs);
            reduce.canonical(program, words, max)
        });
    }

    fn sum(&mut self, names: Names, x: usize, y: usize) {
        let given = self.given;
        let max = given.max(x) + given.max(y);
        let ((above, below), (above_y, below_y)) = (given.reach(x), given.reach(y));
        self.forms(names, &max, (above + above_y).max(below + below_y), given.signs(), |program| {
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
        let multiple = given.reduce.imms(&multiple);
        let (above, below) = x.map_or((0, 0), |x| given.reach(x));
        let (above_y, below_y) = given.reach(y);
        self.forms(names, &max, (below + above_y).max(above + below_y + 1), Signs::Any, |program| {
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
            0 => self.push("mul_small.zero", Bound::CANONICAL, |_| vec![ZERO; given.reduce.limbs.n]),
            1 => {
                self.push("mul_small.copy", bound, |program| given.words(program, 0));
                self.reduced_fully(["mul_small.copied", "mul_small.reduced"]);
            }
            _ if c <= SUMS
                && loose <= LOOSEST
                && bound.times * u64::from(c) <= given.reduce.limbs.most(given.field) =>
            {
                let names = ["mul_small.loose", "mul_small.carried", "mul_small.canonical"];
                self.forms(names, &(given.max(0) * c), loose, given.signs(), |program| {
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
        let factors: Vec<_> = pairs.iter().map(|&(x, y)| Factors::Operands(x, y)).collect();
        self.montgomery(names, &sum, &factors);
    }

    /// The product by a constant: by its Montgomery form.
    fn by_constant(&mut self, names: Names, c: &BigUint) {
        let given = self.given;
        let c = c * given.reduce.limbs.r() % &given.field.p;
        let factors = [Factors::Constant(0, given.reduce.imms(&c))];
        self.montgomery(names, &(given.max(0) * c), &factors);
    }

    /// A sum of products, at most `sum`, divided by `R`.
    fn montgomery(&mut self, names: Names, sum: &BigUint, factors: &[Factors]) {
        let (given, limbs) = (self.given, self.given.reduce.limbs);
        let (field, r) = (given.field, limbs.r());
        let loose = match limbs.products {
            // A column is a sum of low and high halves.
            Products::Halves => 2 * limbs.n as u64 * (factors.len() as u64 + 1) + 1,
            // Columns are far larger than limbs.
            Products::Whole => u64::MAX,
        };
        // Then sums of columns stay within words.
        let fits = match limbs.products {
            Products::Halves => loose <= 2 * LOOSEST + 1,
            Products::Whole => terms_of_row(factors) <= terms_of_column(limbs),
        };
        if !fits {
            return;
        }
        let max = (sum + (&r - 1u32) * &field.p) / &r;
        let (p, n0) = (limbs.split(&field.p), limbs.n0(field));
        self.forms(names, &max, loose, Signs::Positive, |program| {
            let columns = Columns { words: vec![ZERO; 2 * limbs.n], limbs };
            match limbs.products {
                Products::Halves => columns.by_products(program, given, factors, &p, n0),
                Products::Whole => columns.by_rows(program, given, factors, &p, n0),
            }
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

/// Columns of a product: sums of products of limbs, by weight.
struct Columns {
    words: Vec<Src>,
    limbs: Limbs,
}

impl Columns {
    fn low(&mut self, program: &mut Program, at: usize, a: Src, b: Src) {
        self.words[at] = program.write(Op::Low { sum: self.words[at], a, b }).into();
    }

    fn high(&mut self, program: &mut Program, at: usize, a: Src, b: Src) {
        self.words[at] = program.write(Op::High { sum: self.words[at], a, b }).into();
    }

    fn whole(&mut self, program: &mut Program, at: usize, a: Src, b: Src) {
        self.words[at] = program.write(Op::Whole { sum: self.words[at], a, b }).into();
    }

    /// Product by product, then row by row of the reduction: of halves there are few columns.
    fn by_products(
        mut self,
        program: &mut Program,
        given: Given<'_>,
        factors: &[Factors],
        p: &[u64],
        n0: u64,
    ) -> Vec<Src> {
        for factors in factors {
            match given.factors(program, factors) {
                (x, Some(y)) => self.product(program, &x, &y),
                (x, None) => self.square(program, &x),
            }
        }
        (0..self.limbs.n).for_each(|i| self.cleared(program, i, p, n0));
        self.words.split_off(self.limbs.n)
    }

    /// Row by row of products and reduction, so that few columns are in use at once.
    fn by_rows(
        mut self,
        program: &mut Program,
        given: Given<'_>,
        factors: &[Factors],
        p: &[u64],
        n0: u64,
    ) -> Vec<Src> {
        let n = self.limbs.n;
        // A product of different limbs of a square is there twice.
        let with_doubles = |program: &mut Program, factors: &Factors| {
            let (x, y) = given.factors(program, factors);
            let y = y.ok_or_else(|| x[1..].iter().map(|x| twice(program, *x)).collect::<Vec<_>>());
            (x, y)
        };
        let (of_row, most) = (terms_of_row(factors), terms_of_column(self.limbs));
        let factors: Vec<_> = factors.iter().map(|factors| with_doubles(program, factors)).collect();
        let mut terms = 0;
        for i in 0..n {
            if terms + of_row > most {
                self.lowered(program, i);
                terms = 1;
            }
            terms += of_row;
            for (x, y) in &factors {
                match y {
                    Ok(y) => (0..n).for_each(|j| self.whole(program, i + j, x[j], y[i])),
                    Err(doubles) => {
                        self.whole(program, 2 * i, x[i], x[i]);
                        (i + 1..n).for_each(|j| self.whole(program, i + j, doubles[j - 1], x[i]));
                    }
                }
            }
            self.cleared(program, i, p, n0);
        }
        self.words.split_off(n)
    }

    /// Carries from column to column, from `i` on, so that all are far below what a word holds.
    fn lowered(&mut self, program: &mut Program, i: usize) {
        let bits = self.limbs.bits;
        for k in i..i + self.limbs.n {
            if let Src::Limb(a) = self.words[k] {
                let high = program.write(Op::Shift { a, bits });
                self.words[k] = program.write(Op::Mask { a, bits }).into();
                self.words[k + 1] = program.write(Op::Add(self.words[k + 1], high.into())).into();
            }
        }
    }

    fn product(&mut self, program: &mut Program, x: &[Src], y: &[Src]) {
        for (i, &y) in y.iter().enumerate() {
            x.iter().enumerate().for_each(|(j, &x)| self.low(program, i + j, x, y));
            x.iter().enumerate().for_each(|(j, &x)| self.high(program, i + j + 1, x, y));
        }
    }

    /// Products of different limbs once, all doubled, then the squares. What is in the columns already is
    /// added last.
    fn square(&mut self, program: &mut Program, x: &[Src]) {
        let n = x.len();
        let before = std::mem::replace(&mut self.words, vec![ZERO; 2 * n]);
        for (i, &own) in x.iter().enumerate() {
            (i + 1..n).for_each(|j| self.low(program, i + j, x[j], own));
            (i + 1..n).for_each(|j| self.high(program, i + j + 1, x[j], own));
        }
        for column in &mut self.words {
            if let Src::Limb(a) = *column {
                *column = program.write(Op::Double { a, bits: 1 }).into();
            }
        }
        for (i, &own) in x.iter().enumerate() {
            self.low(program, 2 * i, own, own);
            self.high(program, 2 * i + 1, own, own);
        }
        for (column, before) in self.words.iter_mut().zip(before) {
            if before != ZERO {
                *column = program.write(Op::Add(*column, before)).into();
            }
        }
    }

    /// A row of the reduction: the multiple of `p` is added that clears column `i`, and what that carries.
    fn cleared(&mut self, program: &mut Program, i: usize, p: &[u64], n0: u64) {
        let n = p.len();
        let imm = |limb: u64| Src::Imm(limb as i64);
        let a = program.limb(self.words[i]);
        let q = program.write(Op::Quotient { a, by: n0 });
        // The lowest limb of q·p and the column are a multiple of a limb, so that only its carry is needed.
        let carry = program.write(Op::Carry { a, q, p0: p[0] });
        let rest = |j: &usize| p[*j] != 0;
        for j in (1..n).filter(rest) {
            match self.limbs.products {
                Products::Halves => self.low(program, i + j, q.into(), imm(p[j])),
                Products::Whole => self.whole(program, i + j, q.into(), imm(p[j])),
            }
        }
        self.words[i + 1] = program.write(Op::Add(self.words[i + 1], carry.into())).into();
        if self.limbs.products == Products::Halves {
            (0..n).filter(rest).for_each(|j| self.high(program, i + j + 1, q.into(), imm(p[j])));
        }
    }
}

/// Whole products of two limbs that a row adds to a column at most; of a square they are doubled.
fn terms_of_row(factors: &[Factors]) -> u64 {
    let terms = |factors: &Factors| match factors {
        Factors::Operands(x, y) if x == y => 2,
        _ => 1,
    };
    1 + factors.iter().map(terms).sum::<u64>()
}

/// Whole products of two limbs that a column holds, besides what is carried into it.
fn terms_of_column(limbs: Limbs) -> u64 {
    (1 << (63 - 2 * limbs.bits)) - 2
}

fn twice(program: &mut Program, x: Src) -> Src {
    let a = program.limb(x);
    program.write(Op::Double { a, bits: 1 }).into()
}

/// What reductions of a field are made of.
struct Reduction {
    p: BigUint,
    limbs: Limbs,
}

impl Reduction {
    /// `x < R` as constants.
    fn imms(&self, x: &BigUint) -> Vec<Src> {
        self.limbs.split(x).into_iter().map(|limb| Src::Imm(limb as i64)).collect()
    }

    /// The number on normal limbs; what is carried out of each is added to the next.
    fn carried(&self, program: &mut Program, mut words: Vec<Src>, signs: Signs) -> Vec<Src> {
        /// More than a limb that is to be carried is below zero.
        const UP: i64 = 1 << 60;
        let (n, bits) = (self.limbs.n, self.limbs.bits);
        // Without a shift of what is negative, a limb is moved up, and what that carries taken off again.
        let up = match (self.limbs.products, signs) {
            (Products::Whole, Signs::Any) => UP,
            _ => 0,
        };
        let moved = |program: &mut Program, word: Src, by: i64| match by {
            0 => word,
            _ => program.write(Op::Add(word, Src::Imm(by))).into(),
        };
        for i in 0..n - 1 {
            let by = if i == 0 { up } else { up - (up >> bits) };
            let word = moved(program, words[i], by);
            let a = program.limb(word);
            let high = program.write(Op::Shift { a, bits });
            words[i] = program.write(Op::Mask { a, bits }).into();
            words[i + 1] = program.write(Op::Add(words[i + 1], high.into())).into();
        }
        if n > 1 {
            words[n - 1] = moved(program, words[n - 1], -(up >> bits));
        }
        program.insts.push(Inst::Normal(words.clone()));
        words
    }

    /// As [`carried`](Self::carried), of a number whose sign is read.
    fn compared(&self, program: &mut Program, words: Vec<Src>) -> Vec<Src> {
        let words = self.carried(program, words, Signs::Any);
        program.compared.push(words.clone());
        words
    }

    /// A normal number below `2p`: less a multiple of `p`, by a quotient that its upper bits give.
    ///
    /// With `x = low + 2^e·top` and `c = ⌊2^(s+e)/p⌋` the quotient is `q = ⌊top·c / 2^s⌋`, and
    /// `2^s·(x - q·p) = 2^s·low + (2^(s+e) - c·p)·top + p·(top·c mod 2^s)`.
    fn weak(&self, program: &mut Program, words: Vec<Src>) -> Vec<Src> {
        let bits = self.limbs.bits;
        let of_p = self.p.bits() as usize;
        let e = of_p.saturating_sub(ESTIMATE);
        // Of whole products both factors are below 2^32: c is at most 2^31.
        let s = match self.limbs.products {
            Products::Halves => bits,
            Products::Whole => 30 + (of_p - e) as u32,
        };
        let (at, offset) = (e / bits as usize, e as u32 % bits);
        let power = |k: usize| BigInt::one() << k;
        let scale = |i: usize| power(bits as usize * i + s as usize);
        let c = (BigUint::one() << (s as usize + e)) / &self.p;
        let estimate = Src::Imm(c.to_i64().expect("at most 2^52"));
        let mut limbs: Vec<(Src, BigInt)> =
            words[..at].iter().enumerate().map(|(i, word)| (*word, scale(i))).collect();
        let mut top = words[at];
        if offset > 0 {
            let a = program.limb(words[at]);
            let low = program.write(Op::Mask { a, bits: offset });
            limbs.push((low.into(), scale(at)));
            top = program.write(Op::Shift { a, bits: offset }).into();
        }
        for (above, word) in (1..).zip(&words[at + 1..]) {
            let a = program.limb(*word);
            let above = program.write(Op::Double { a, bits: above * bits - offset });
            top = program.write(Op::Add(top, above.into())).into();
        }
        limbs.push((top, power(s as usize + e) - BigInt::from(c) * BigInt::from(self.p.clone())));
        let p = BigInt::from(self.p.clone());
        let (q, low): (Src, _) = match self.limbs.products {
            Products::Halves => {
                (program.write(Op::High { sum: ZERO, a: top, b: estimate }).into(), Some((top, estimate, p)))
            }
            Products::Whole => {
                let a = program.write(Op::Whole { sum: ZERO, a: top, b: estimate });
                limbs.push((program.write(Op::Mask { a, bits: s }).into(), p));
                (program.write(Op::Shift { a, bits: s }).into(), None)
            }
        };
        let less = self.less(program, &words, q);
        // What is carried out of the limbs changes the limbs and not the number.
        program.parts.push((less.clone(), Parts { bits: s, limbs, low }));
        self.carried(program, less, Signs::Any)
    }

    /// `x - q·p`, limb by limb.
    fn less(&self, program: &mut Program, words: &[Src], q: Src) -> Vec<Src> {
        let p = self.limbs.split(&self.p);
        let imm = |limb: u64| Src::Imm(limb as i64);
        let mut less = vec![];
        for (i, word) in words.iter().enumerate() {
            let mut product = ZERO;
            if p[i] != 0 {
                product = program
                    .write(match self.limbs.products {
                        Products::Halves => Op::Low { sum: product, a: q, b: imm(p[i]) },
                        Products::Whole => Op::Whole { sum: product, a: q, b: imm(p[i]) },
                    })
                    .into();
            }
            let below = p[..i].last().filter(|below| **below != 0);
            if let (Products::Halves, Some(&below)) = (self.limbs.products, below) {
                product = program.write(Op::High { sum: product, a: q, b: imm(below) }).into();
            }
            less.push(program.write(Op::Sub(*word, product)).into());
        }
        less
    }

    /// A number within a bound, normal and below `2p`.
    fn weakly(&self, program: &mut Program, words: Vec<Src>, bound: Bound) -> Vec<Src> {
        let words = if bound.loose > 0 { self.carried(program, words, Signs::Any) } else { words };
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
        let p = self.limbs.split(&self.p);
        let less: Vec<Src> = words
            .iter()
            .zip(p)
            .map(|(word, p)| program.write(Op::Sub(*word, Src::Imm(p as i64))).into())
            .collect();
        let less = self.compared(program, less);
        let sign = program.limb(less[self.limbs.n - 1]);
        words.iter().zip(less).map(|(&a, b)| program.write(Op::Select { sign, a, b }).into()).collect()
    }
}
