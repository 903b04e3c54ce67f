//! The variants: what each operation can be computed by.
//!
//! Each comes *loose*, limb by limb and with no carries where the operation allows that; *carried*, with the
//! carries of its limbs; and *canonical*. What multiplies reads normal limbs: an operand that is not normal
//! is carried first.
//!
//! A product divides by `2^(32·words)`, the radix of the layout: its last row of reduction has the bits that
//! are left, and the limbs move by what a limb has more.

use super::bound::{BITS, Bound, LOOSEST, MOST, by_limbs, limbs, sizes, to_limbs};
use super::{Choice, Cost};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::Bound as _;
use crate::targets::wgsl::columns::ir::{Inst, Op, Parts, Program, Src};
use crate::targets::wgsl::columns::{self, Columns, Reduced, Term, rectangle, squares};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive};

const ZERO: Src = Src::Imm(0);
/// Bits of `p`, from its highest, that a quotient by it is estimated from.
const ESTIMATE: usize = 8;
/// By how many bits the product with the estimate is shifted: as many as words hold for a quotient of 64.
const SHIFT: u32 = 25;

/// Names of the forms of a variant.
type Names = [&'static str; 3];

/// The legal variants of a well-formed operation, in no particular order; none of one that the target does
/// not have.
pub(super) fn offers(field: &FieldDesc, op: &FieldOp, operands: &[Bound]) -> Vec<Choice> {
    let choices = |reduced: bool| {
        let given = Given { field, n: limbs(field), bounds: operands, reduced };
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
    n: usize,
    bounds: &'a [Bound],
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

    /// How many times `2^13` its limbs are above zero at most, and below.
    fn reach(&self, k: usize) -> (u64, u64) {
        let loose = self.bound(k).loose;
        (loose.max(1), loose)
    }

    /// An operand as it is computed with.
    fn words(&self, program: &mut Program, k: usize) -> Vec<Src> {
        let words = program.input(self.n, k);
        if !self.reduced {
            return words;
        }
        let words = self.weakly(program, words, self.bounds[k]);
        if self.bounds[k] != self.bound(k) {
            program.insts.push(Inst::Renamed(words.clone()));
        }
        words
    }

    /// An operand that is multiplied.
    fn factor(&self, program: &mut Program, k: usize) -> Vec<Src> {
        let mut words = self.words(program, k);
        if self.bound(k).loose > 0 {
            words = carried(program, words, true);
            program.insts.push(Inst::Renamed(words.clone()));
        }
        words
    }

    /// The most that each limb of a normal number up to `max` is.
    fn limbs_of(&self, max: &BigUint) -> Vec<u64> {
        let limb = |i: usize| {
            let above = (max >> (BITS as usize * i)).to_u64();
            if i + 1 == self.n { above.expect("it fits") } else { above.unwrap_or(u64::MAX).min(LIMB) }
        };
        (0..self.n).map(limb).collect()
    }

    /// A normal number up to `max`, brought below `2p`: less a multiple of `p`, by a quotient that its upper
    /// bits give.
    ///
    /// With `x = low + 2^e·top` and `c = ⌊2^(s+e)/p⌋` the quotient is `q = ⌊top·c / 2^s⌋`, and
    /// `2^s·(x - q·p) = 2^s·low + (2^(s+e) - c·p)·top + p·(top·c mod 2^s)`.
    fn weak(&self, program: &mut Program, words: Vec<Src>, max: &BigUint) -> Vec<Src> {
        let (p, bits) = (&self.field.p, BITS as usize);
        let e = (p.bits() as usize).saturating_sub(ESTIMATE);
        let (at, offset) = (e / bits, (e % bits) as u32);
        let power = |k: usize| BigInt::one() << k;
        let c = (BigUint::one() << (SHIFT as usize + e)) / p;
        let estimate = Src::Imm(c.to_u32().expect("at most 2^(s+1)"));
        let part = |i: usize| power(SHIFT as usize + bits * i);
        let mut parts: Vec<(Src, BigInt)> = (0..at).map(|i| (words[i], part(i))).collect();
        let mut top = words[at];
        if offset > 0 {
            let a = program.limb(top);
            let low = program.write(Op::Mask { a, bits: offset });
            parts.push((low.into(), part(at)));
            top = program.write(Op::Shift { a, bits: offset, signed: false }).into();
        }
        for (i, word) in words.iter().enumerate().skip(at + 1) {
            // A limb that is always zero is no part of the quotient.
            if max.bits() as usize <= bits * i {
                parts.push((*word, part(i)));
                continue;
            }
            let a = program.limb(*word);
            let above = program.write(Op::Double { a, bits: (bits * (i - at)) as u32 - offset });
            top = program.write(Op::Add(top, above.into())).into();
        }
        let scaled = program.write(Op::Mul { sum: ZERO, a: top, b: estimate });
        let q = program.write(Op::Shift { a: scaled, bits: SHIFT, signed: false });
        let rest = program.write(Op::Mask { a: scaled, bits: SHIFT });
        let signed = |x: &BigUint| BigInt::from(x.clone());
        parts.push((top, power(SHIFT as usize + e) - signed(&c) * signed(p)));
        parts.push((rest.into(), signed(p)));
        let product = |program: &mut Program, word: &Src, p: u64| match p {
            0 => *word,
            p => {
                let a = program.write(Op::Mul { sum: ZERO, a: q.into(), b: Src::Imm(p as u32) });
                program.write(Op::Sub(*word, a.into())).into()
            }
        };
        let p = to_limbs(p, self.n);
        let less: Vec<Src> = words.iter().zip(p).map(|(word, p)| product(program, word, p)).collect();
        program.parts.push((less.clone(), Parts { shift: SHIFT, limbs: parts }));
        carried(program, less, true)
    }

    /// A number within a bound, normal and below `2p`.
    fn weakly(&self, program: &mut Program, words: Vec<Src>, bound: Bound) -> Vec<Src> {
        let words = if bound.loose > 0 { carried(program, words, true) } else { words };
        let max = bound.limit(self.field) - 1u32;
        if bound.times > 2 { self.weak(program, words, &max) } else { words }
    }

    /// A normal number of at most `max`, reduced to below `p`.
    fn canonical(&self, program: &mut Program, mut words: Vec<Src>, max: &BigUint) -> Vec<Src> {
        let p = &self.field.p;
        if max < p {
            return words;
        }
        if *max >= p * 2u32 {
            words = self.weak(program, words, max);
        }
        let less: Vec<Src> = words
            .iter()
            .zip(to_limbs(p, self.n))
            .map(|(word, p)| program.write(Op::Sub(*word, Src::Imm(p as u32))).into())
            .collect();
        let less = carried(program, less, true);
        program.compared.push(less.clone());
        let sign = program.limb(less[self.n - 1]);
        words.iter().zip(less).map(|(&a, b)| program.write(Op::Select { sign, a, b }).into()).collect()
    }
}

/// The most that a normal limb is.
const LIMB: u64 = (1 << BITS) - 1;

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
            FieldOp::Mul => self.products(["mul.carried", "mul.canonical"], &[(0, 1)]),
            FieldOp::Sqr => self.products(["sqr.carried", "sqr.canonical"], &[(0, 0)]),
            FieldOp::Dot(k) => {
                let pairs: Vec<_> = (0..*k).map(|i| (2 * i, 2 * i + 1)).collect();
                self.products(["dot.carried", "dot.canonical"], &pairs);
            }
            FieldOp::MulConst(c) => self.by_constant(["mul_const.carried", "mul_const.canonical"], c),
            FieldOp::FromMont => self.divided(["from_mont.carried", "from_mont.canonical"]),
            FieldOp::MulTable { step, rows } => {
                self.by_table(["mul_table.carried", "mul_table.canonical"], *step as usize, *rows as usize);
            }
            FieldOp::ReduceFull => self.reduced_fully(["reduce.copy", "reduce.canonical"]),
            FieldOp::ReduceWeak => self.reduced_weakly(),
            FieldOp::IsZero => self.reduced_fully(["is_zero.copy", "is_zero.canonical"]),
            FieldOp::MaybeZero => self.reduced_fully(["maybe_zero.copy", "maybe_zero.canonical"]),
            // What the target does not have.
            FieldOp::MulShared(_) | FieldOp::DotFq2 { .. } => {}
        }
    }

    fn push(&mut self, variant: &'static str, out: Bound, emit: impl FnOnce(&mut Program) -> Vec<Src>) {
        let mut program = Program::new(self.given.bounds.len(), self.given.n);
        program.output = emit(&mut program);
        let cost = Cost::of(&program);
        self.choices.push(Choice { variant, out, parts: 1, cost, program });
    }

    /// Offers what `emit` makes, at most `max` on limbs as loose as `loose`, in each form that its bound
    /// allows; nothing where an element may not hold it.
    fn forms(
        &mut self,
        [loosely, with_carries, canonical]: Names,
        max: &BigUint,
        loose: u64,
        emit: impl Fn(&mut Program) -> Vec<Src>,
    ) {
        if Bound::below(self.given.field, &(max + 1u32)).is_none() {
            return;
        }
        // Powers of two, so that few bounds are different.
        let loose = loose.next_power_of_two();
        if !self.given.reduced && loose <= LOOSEST {
            let out = Bound::below(self.given.field, &(max + 1u32)).unwrap_or(Bound::CANONICAL);
            self.push(loosely, Bound { loose, ..out }, &emit);
        }
        self.normal_forms([with_carries, canonical], max, |program| {
            let words = emit(program);
            carried(program, words, true)
        });
    }

    /// The same of what is normal as it is made.
    fn normal_forms(
        &mut self,
        [with_carries, canonical]: [&'static str; 2],
        max: &BigUint,
        emit: impl Fn(&mut Program) -> Vec<Src>,
    ) {
        let given = self.given;
        let Some(out) = Bound::below(given.field, &(max + 1u32)) else { return };
        if !given.reduced {
            self.push(with_carries, out, &emit);
        }
        self.push(canonical, Bound::CANONICAL, |program| {
            let words = emit(program);
            given.canonical(program, words, max)
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
        let (above, below) = x.map_or((0, 0), |x| given.reach(x));
        let (above_y, below_y) = given.reach(y);
        let multiple = imms(&multiple, given.n);
        self.forms(names, &max, (below + above_y).max(above + below_y + 1), |program| {
            let y = given.words(program, y);
            let minuend = match x {
                Some(x) => {
                    let x = given.words(program, x);
                    x.iter().zip(&multiple).map(|(x, k)| program.plus(*x, *k)).collect()
                }
                None => multiple.clone(),
            };
            minuend.into_iter().zip(y).map(|(x, y)| program.write(Op::Sub(x, y)).into()).collect()
        });
    }

    fn multiple(&mut self, c: u32) {
        let given = self.given;
        let bound = given.bound(0);
        let loose = bound.loose.max(1) * u64::from(c);
        match c {
            0 => self.push("mul_small.zero", Bound::CANONICAL, |_| vec![ZERO; given.n]),
            1 => {
                self.push("mul_small.copy", bound, |program| given.words(program, 0));
                self.reduced_fully(["mul_small.copied", "mul_small.reduced"]);
            }
            _ if loose <= LOOSEST && bound.times * u64::from(c) <= MOST => {
                let names = ["mul_small.loose", "mul_small.carried", "mul_small.canonical"];
                self.forms(names, &(given.max(0) * c), loose, |program| {
                    let x = given.words(program, 0);
                    let times = |a: Src| program.write(Op::Mul { sum: ZERO, a, b: Src::Imm(c) }).into();
                    x.into_iter().map(times).collect()
                });
            }
            _ => {
                let c = BigUint::from(c) % &given.field.p;
                self.by_constant(["mul_small.const.carried", "mul_small.const.canonical"], &c);
            }
        }
    }

    /// Sums of products of operands with one reduction.
    fn products(&mut self, names: [&'static str; 2], pairs: &[(usize, usize)]) {
        let given = self.given;
        let sum = pairs.iter().map(|&(x, y)| given.max(x) * given.max(y)).sum();
        self.divided_by(names, given.field.words, &sum, |program| {
            let mut terms = vec![];
            for &(x, y) in pairs {
                let a = given.factor(program, x);
                let most = given.limbs_of(&given.max(x));
                if x == y {
                    terms.extend(squares(program, &a, &most));
                } else {
                    let b = given.factor(program, y);
                    terms.extend(rectangle(&a, &most, &b, &given.limbs_of(&given.max(y))));
                }
            }
            (vec![], terms)
        });
    }

    /// The product by a constant: by its Montgomery form.
    fn by_constant(&mut self, names: [&'static str; 2], c: &BigUint) {
        let given = self.given;
        let c = (c << (32 * given.field.words)) % &given.field.p;
        let (words, most) = (imms(&c, given.n), to_limbs(&c, given.n));
        self.divided_by(names, given.field.words, &(given.max(0) * &c), |program| {
            let x = given.factor(program, 0);
            (vec![], rectangle(&x, &given.limbs_of(&given.max(0)), &words, &most))
        });
    }

    /// `x/R`.
    fn divided(&mut self, names: [&'static str; 2]) {
        let given = self.given;
        self.divided_by(names, given.field.words, &given.max(0), |program| {
            (given.factor(program, 0).into_iter().zip(given.limbs_of(&given.max(0))).collect(), vec![])
        });
    }

    /// The product by a table of a constant.
    fn by_table(&mut self, names: [&'static str; 2], step: usize, rows: usize) {
        let given = self.given;
        let (words, bits) = (given.field.words, BITS as usize);
        if rows > words {
            return;
        }
        let count = words.div_ceil(step);
        let ones = (BigUint::one() << (32 * step)) - 1u32;
        let most = by_limbs(&given.max(0), self::limbs(given.field));
        let chunk = |i: usize| {
            let all = &most >> (32 * step * i);
            if i + 1 == count { all } else { all.min(ones.clone()) }
        };
        let sum = (0..count).map(|i| chunk(i) * given.max(1 + i)).sum();
        self.divided_by(names, rows, &sum, |program| {
            let x = given.factor(program, 0);
            let mut terms = vec![];
            for i in 0..count {
                let most = chunk(i);
                let n = (most.bits() as usize).div_ceil(bits).clamp(1, columns::rows(32 * rows, BITS).0 + 1);
                let from = 32 * step * i;
                let end = if i + 1 == count { usize::MAX } else { from + 32 * step };
                let limbs: Vec<Src> = (0..n)
                    .map(|j| {
                        let start = from + bits * j;
                        let to = if j + 1 == n { end } else { start + bits };
                        let part = cut(program, &x, start, to);
                        program.limb(part).into()
                    })
                    .collect();
                program.insts.push(Inst::Renamed(limbs.clone()));
                let parts: Vec<u64> = to_limbs(&most, n)
                    .into_iter()
                    .enumerate()
                    .map(|(j, top)| if j + 1 == n { top } else { LIMB })
                    .collect();
                let entry = given.factor(program, 1 + i);
                terms.extend(rectangle(&limbs, &parts, &entry, &given.limbs_of(&given.max(1 + i))));
            }
            (vec![], terms)
        });
    }

    /// Products of limbs, at most `sum` together, divided by so many words. `fill` says with what the columns
    /// begin, each with the most that it is.
    fn divided_by(
        &mut self,
        names: [&'static str; 2],
        words: usize,
        sum: &BigUint,
        fill: impl Fn(&mut Program) -> (Vec<(Src, u64)>, Vec<Term>),
    ) {
        let given = self.given;
        let divisor = BigUint::one() << (32 * words);
        let max = (sum + (&divisor - 1u32) * &given.field.p) / &divisor;
        self.normal_forms(names, &max, |program| {
            let (start, terms) = fill(program);
            let columns = Columns::new(program, sizes(given.field), start);
            let p = to_limbs(&given.field.p, given.n);
            let reduced = columns.divided(given.field, &p, words, &terms);
            moved(program, reduced, given.n)
        });
    }

    fn reduced_weakly(&mut self) {
        let given = self.given;
        let bound = given.bound(0);
        match bound.loose {
            0 => self.push("reduce.copy", bound, |program| given.words(program, 0)),
            _ => self.push("reduce.carried", Bound::normal(bound.times), |program| {
                let words = given.words(program, 0);
                carried(program, words, true)
            }),
        }
        if bound.times > 2 {
            self.push("reduce.weak", Bound::normal(2), |program| {
                let words = given.words(program, 0);
                given.weakly(program, words, bound)
            });
        }
    }

    fn reduced_fully(&mut self, [copy, canonical]: [&'static str; 2]) {
        let given = self.given;
        if given.bound(0) == Bound::CANONICAL {
            return self.push(copy, Bound::CANONICAL, |program| given.words(program, 0));
        }
        self.push(canonical, Bound::CANONICAL, |program| {
            let words = given.words(program, 0);
            let words = if given.bound(0).loose > 0 { carried(program, words, true) } else { words };
            given.canonical(program, words, &given.max(0))
        });
    }
}

/// A number as constants.
fn imms(x: &BigUint, n: usize) -> Vec<Src> {
    to_limbs(x, n).into_iter().map(|limb| Src::Imm(limb as u32)).collect()
}

/// Bits `start..end` of a normal number on limbs.
fn cut(program: &mut Program, x: &[Src], start: usize, end: usize) -> Src {
    let bits = BITS as usize;
    let mut sum = ZERO;
    for (i, limb) in x.iter().enumerate() {
        let (from, to) = (bits * i, if i + 1 == x.len() { usize::MAX } else { bits * (i + 1) });
        if to <= start || end <= from {
            continue;
        }
        let mut a = program.limb(*limb);
        if start > from {
            a = program.write(Op::Shift { a, bits: (start - from) as u32, signed: false });
        }
        if end < to {
            a = program.write(Op::Mask { a, bits: (end - start.max(from)) as u32 });
        }
        if from > start {
            a = program.write(Op::Double { a, bits: (from - start) as u32 });
        }
        sum = program.plus(sum, a.into());
    }
    sum
}

/// The number on normal limbs; what is carried out of each is added to the next.
fn carried(program: &mut Program, words: Vec<Src>, signed: bool) -> Vec<Src> {
    columns::carried(program, words, BITS, signed)
}

/// What is reduced on `n` normal limbs.
fn moved(program: &mut Program, Reduced { columns, by }: Reduced, n: usize) -> Vec<Src> {
    let mut words = vec![ZERO; n.max(columns.len())];
    words[0] = columns[0];
    for (i, &column) in columns[1..].iter().enumerate().filter(|(_, column)| **column != ZERO) {
        if by == 0 {
            words[i] = program.plus(words[i], column);
            continue;
        }
        let a = program.limb(column);
        let low = program.write(Op::Mask { a, bits: BITS - by });
        let high = program.write(Op::Shift { a, bits: BITS - by, signed: false });
        let low = program.write(Op::Double { a: low, bits: by });
        words[i] = program.plus(words[i], low.into());
        words[i + 1] = program.plus(words[i + 1], high.into());
    }
    // Columns above the limbs are part of the highest one.
    while words.len() > n {
        let above = words.pop().unwrap_or(ZERO);
        if let Src::Limb(a) = above {
            let at = words.len() - 1;
            let above = program.write(Op::Double { a, bits: BITS });
            words[at] = program.plus(words[at], above.into());
        }
    }
    carried(program, words, false)
}
