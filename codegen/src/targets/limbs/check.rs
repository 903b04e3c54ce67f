//! Checks programs: that one computes its operation for all operands within their bounds, and stays within
//! its own.
//!
//! What stands here is trusted, and nothing of the variants is used. A program is taken as equations of
//! integers, one for each pair of limbs (`low ± 2^B·high = …`), and the operands as polynomials in their
//! limbs. For each way that the selections can go (each reads a carry or borrow, which is 0 in one case and 1
//! in the other) it is shown that
//!
//! * the result is the definition modulo `p`: both sides are rewritten from the newest limb to the oldest, by
//!   `low ± 2^B·high = …` where the two stand with the weights of one number, or where one of them is known.
//!   What is left must be divisible by `p`, coefficient by coefficient;
//! * the result is within its bound: the number that its limbs make is rewritten in the same way, and bounded
//!   term by term; operands as whole numbers, products one factor at a time;
//! * limbs are known, on the way: a carry is 0 because the number with it on top does not reach it
//!   ([`Step::Known`]), the lowest limb of a row is 0 because it is a multiple of `2^B` ([`Step::Vanishes`]).
//!
//! Where a borrow of `t - m` is known to be 1, `t = d + m - 2^Bk` for the words `d < 2^Bk` of the difference,
//! so that `t ≤ m - 1`: a bound is tried through each difference too.
//!
//! What cannot be shown is refused. Nothing is searched for: the steps stand in the program.

use super::Limbs;
use super::ir::{Inst, Limb, Pair, Program, Src, Step};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::seal::OpenSeal;
use crate::targets::{self, Bound as _, Seal, Unproven};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;

/// A program was shown to be right. Only `check` makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted(Seal);

impl targets::Accepted for Accepted {
    fn seal(&self) -> Seal {
        self.0
    }
}

/// Most selections of different bits: a case for each way that they can go.
const BITS: usize = 10;

/// A product of two limbs, by number and in order; 0 stands for 1, and `k + 1` for limb `k`.
type Mono = (u32, u32);
type Poly = BTreeMap<Mono, BigInt>;

/// Shows that the program computes `op` within `out` for all operands within `operands`.
pub(in crate::targets) fn check<T: Limbs>(
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[T::Bound],
    program: &Program,
    out: T::Bound,
) -> Result<Accepted, Unproven> {
    let seal = OpenSeal::new(field, op, program).within(operands, out);
    let n = T::limbs(field);
    let right = operands.len() == op.operands(field)
        && program.inputs == operands.len()
        && program.output.len() == n
        && field.p.bit(0);
    let wanted = definition::<T>(field, op).filter(|_| right);
    let wanted = wanted.ok_or_else(|| refused("has the shape of another operation"))?;
    let bits = well_formed::<T>(program, n)?;
    // What is zero or not is a canonical value.
    let out = if op.tests_zero() { T::Bound::CANONICAL } else { out };
    let maxima = operands.iter().map(|bound| BigInt::from(bound.limit(field) - 1u32)).collect();
    // What follows from no bit holds in every case.
    let writers = writers(program);
    let mut common: Machine<'_, T> = Machine {
        program,
        n,
        maxima: &maxima,
        writers: &writers,
        known: BTreeMap::new(),
        target: PhantomData,
    };
    let done = program.steps.iter().take_while(|step| common.step(step) == Ok(true)).count();
    for case in 0..1u32 << bits.len() {
        let bit = |(k, limb): (usize, &Limb)| (*limb, BigInt::from(case >> k & 1));
        let mut machine = Machine { known: common.known.clone(), ..common };
        machine.known.extend(bits.iter().enumerate().map(bit));
        if !machine.steps(&program.steps[done..])? {
            continue;
        }
        machine.nothing_above()?;
        machine.within(&(BigInt::from(out.limit(field)) - 1))?;
        machine.congruent(&wanted, &field.p.clone().into())?;
    }
    Ok(Accepted(seal))
}

fn refused(reason: &str) -> Unproven {
    Unproven(format!("the program {reason}"))
}

/// `2^(B·k)`
fn power<T: Limbs>(k: usize) -> BigInt {
    BigInt::one() << (T::BITS * k)
}

/// The definition of an operation, times `R`; `None` of one that is not known here.
fn definition<T: Limbs>(field: &FieldDesc, op: &FieldOp) -> Option<Poly> {
    let n = T::limbs(field);
    let mut poly = Poly::new();
    let limb = |x: usize, i: usize| (x * n + i) as u32 + 1;
    let mut linear = |x: usize, factor: BigInt| {
        for i in 0..n {
            *poly.entry((0, limb(x, i))).or_default() += &factor * power::<T>(n + i);
        }
    };
    match op {
        FieldOp::Add => {
            linear(0, 1.into());
            linear(1, 1.into());
        }
        FieldOp::Sub => {
            linear(0, 1.into());
            linear(1, (-1).into());
        }
        FieldOp::Neg => linear(0, (-1).into()),
        FieldOp::Dbl => linear(0, 2.into()),
        FieldOp::MulSmall(c) => linear(0, (*c).into()),
        FieldOp::MulConst(c) => linear(0, c.clone().into()),
        FieldOp::ReduceFull | FieldOp::ReduceWeak => linear(0, 1.into()),
        FieldOp::IsZero | FieldOp::MaybeZero => linear(0, 1.into()),
        FieldOp::FromMont if T::of_layout(field) => {
            for i in 0..n {
                poly.insert((0, limb(0, i)), power::<T>(i));
            }
        }
        FieldOp::MulTable { step, rows } if T::of_layout(field) && *rows as usize <= n => {
            let (step, rows) = (*step as usize, *rows as usize);
            // Times `R/2^(B·rows)`.
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                poly.insert((limb(0, i), limb(1 + i / step, j)), power::<T>(i % step + j + n - rows));
            }
        }
        FieldOp::Mul | FieldOp::Sqr | FieldOp::Dot(_) => {
            let pairs: Vec<(usize, usize)> = match op {
                FieldOp::Sqr => vec![(0, 0)],
                FieldOp::Dot(k) => (0..*k).map(|i| (2 * i, 2 * i + 1)).collect(),
                _ => vec![(0, 1)],
            };
            for (x, y) in pairs {
                for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    *poly.entry((limb(x, i), limb(y, j))).or_default() += power::<T>(i + j);
                }
            }
        }
        _ => return None,
    }
    Some(poly)
}

/// Each limb is written once and before it is read, and what is read as a bit is one. The bits that
/// selections read.
fn well_formed<T: Limbs>(program: &Program, n: usize) -> Result<Vec<Limb>, Unproven> {
    let mut written: BTreeSet<Limb> = (0..program.inputs * n).map(|limb| Limb(limb as u32)).collect();
    let (mut bits, mut chosen) = (BTreeSet::new(), BTreeSet::new());
    let has = |written: &BTreeSet<Limb>, src: &Src| match src {
        Src::Limb(limb) => written.contains(limb),
        Src::Imm(value) => BigInt::from(*value) < power::<T>(1),
    };
    for inst in &program.insts {
        if !inst.reads().iter().all(|src| has(&written, src)) {
            return Err(refused("reads a limb that is not written yet"));
        }
        if !inst.writes().into_iter().all(|limb| written.insert(limb)) {
            return Err(refused("writes a limb twice"));
        }
        match *inst {
            Inst::Pair { high, by: Pair::Add(_, _, carry) | Pair::Sub(_, _, carry), .. } => {
                let is_bit = match carry {
                    Src::Imm(value) => value < 2,
                    Src::Limb(limb) => bits.contains(&limb),
                };
                if !is_bit {
                    return Err(refused("adds a limb as a carry"));
                }
                bits.insert(high);
            }
            Inst::Pair { .. } => {}
            Inst::Select { bit, .. } if bits.contains(&bit) => {
                chosen.insert(bit);
            }
            Inst::Select { .. } => return Err(refused("selects by a limb")),
        }
    }
    if !program.output.iter().chain(&program.above).all(|src| has(&written, src)) || chosen.len() > BITS {
        return Err(refused("gives a limb that is not written, or has too many cases"));
    }
    Ok(chosen.into_iter().collect())
}

/// The instruction that writes each limb.
fn writers(program: &Program) -> BTreeMap<Limb, usize> {
    let insts = program.insts.iter().enumerate();
    insts.flat_map(|(at, inst)| inst.writes().into_iter().map(move |limb| (limb, at))).collect()
}

/// A program in one case.
struct Machine<'a, T> {
    program: &'a Program,
    n: usize,
    /// The largest operands.
    maxima: &'a Vec<BigInt>,
    writers: &'a BTreeMap<Limb, usize>,
    /// Limbs whose value is known in this case.
    known: BTreeMap<Limb, BigInt>,
    target: PhantomData<T>,
}

impl<T: Limbs> Machine<'_, T> {
    /// Goes through steps of the proof; false where this case cannot be.
    fn steps(&mut self, steps: &[Step]) -> Result<bool, Unproven> {
        for step in steps {
            if !self.step(step)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One step.
    fn step(&mut self, step: &Step) -> Result<bool, Unproven> {
        match step {
            Step::Vanishes(limb) => self.vanishes(*limb)?,
            Step::Known(words, limb) => {
                let (least, most) = self.range(words, *limb);
                if least > most {
                    return Ok(false);
                }
                if least < most {
                    return Err(refused("has a carry that is not known"));
                }
                self.known.insert(*limb, least);
            }
        }
        Ok(true)
    }

    /// The low limb that is written together with a limb, and by what.
    fn pair(&self, limb: Limb) -> Option<(Limb, &Pair)> {
        match &self.program.insts[*self.writers.get(&limb)?] {
            Inst::Pair { low, by, .. } => Some((*low, by)),
            Inst::Select { .. } => None,
        }
    }

    /// A low limb is zero: what it is the low limb of is a multiple of `2^B`.
    fn vanishes(&mut self, limb: Limb) -> Result<(), Unproven> {
        let word = power::<T>(1);
        let (low, by) = self
            .pair(limb)
            .filter(|(low, _)| *low == limb)
            .ok_or_else(|| refused("has another limb that vanishes"))?;
        let mut rest = self.equation(by);
        let zero = |rest: &Poly| rest.values().all(|k| k.is_multiple_of(&word));
        if !zero(&rest) {
            // The newest limb is the quotient: the low limb of a product.
            let newest = rest.keys().map(|(_, b)| *b).max().filter(|newest| *newest > 0);
            let newest = newest.ok_or_else(|| refused("has no multiple of 2^B"))?;
            let quotient = self.pair(Limb(newest - 1));
            if let Some((low, by)) = quotient
                && low == Limb(newest - 1)
                && let Some(k) = rest.remove(&(0, newest))
            {
                add(&mut rest, &self.equation(by), &k);
            }
            if !zero(&rest) {
                return Err(refused("has a limb that does not vanish"));
            }
        }
        self.known.insert(low, BigInt::zero());
        Ok(())
    }

    /// The least and the largest value of a carry or borrow, or of a high half, by the number that the words
    /// make with it.
    fn range(&self, words: &[Src], limb: Limb) -> (BigInt, BigInt) {
        let borrow = matches!(self.pair(limb), Some((low, Pair::Sub(..))) if low != limb);
        let room = power::<T>(words.len());
        let mut number = self.number(words);
        add(&mut number, &self.source(limb.into()), &if borrow { -&room } else { room.clone() });
        let most = self.most(&number);
        let least = -self.most(&negated(&number));
        let (low, high) = match borrow {
            false => ((least - &room + 1i32).div_ceil(&room), most.div_floor(&room)),
            true => ((-most).div_ceil(&room), (&room - 1i32 - least).div_floor(&room)),
        };
        (low.max(BigInt::zero()), high.min(self.widest(limb)))
    }

    /// The largest value of a limb, whatever the operands are.
    fn widest(&self, limb: Limb) -> BigInt {
        match self.pair(limb) {
            Some((low, Pair::Add(..) | Pair::Sub(..))) if low != limb => BigInt::one(),
            _ => power::<T>(1) - 1,
        }
    }

    /// What stands above the result is zero.
    fn nothing_above(&self) -> Result<(), Unproven> {
        let zero = |src: &Src| self.source(*src).iter().all(|(mono, k)| *mono == (0, 0) && k.is_zero());
        match self.program.above.iter().all(zero) {
            true => Ok(()),
            false => Err(refused("has a limb above its result")),
        }
    }

    /// The result, with the zeros above it, as it is written down: what is known of a limb is not put in its
    /// place, so that it can be rewritten together with the limbs below.
    fn result(&self) -> Poly {
        let mut number = Poly::new();
        for (i, src) in self.program.output.iter().chain(&self.program.above).enumerate() {
            let (mono, k) = match *src {
                Src::Imm(value) => ((0, 0), value.into()),
                Src::Limb(limb) => ((0, limb.0 + 1), BigInt::one()),
            };
            *number.entry(mono).or_default() += k * power::<T>(i);
        }
        number
    }

    fn within(&self, max: &BigInt) -> Result<(), Unproven> {
        let most = self.most(&self.result());
        if most <= *max {
            Ok(())
        } else {
            Err(Unproven(format!("the result may reach {most}, the bound is {max}")))
        }
    }

    fn congruent(&self, wanted: &Poly, p: &BigInt) -> Result<(), Unproven> {
        let mut rest = negated(wanted);
        add(&mut rest, &self.result(), &power::<T>(self.n));
        // Room for the rows' divisions.
        let scaled = rest.into_iter().map(|(mono, k)| (mono, k * power::<T>(self.n + 2))).collect();
        let left = self.rewritten(scaled).into_values().filter(|k| !k.is_multiple_of(p)).count();
        match left {
            0 => Ok(()),
            _ => Err(Unproven(format!("the result is not shown to be the operation's: {left} terms differ"))),
        }
    }

    /// The number that words make.
    fn number(&self, words: &[Src]) -> Poly {
        let mut number = Poly::new();
        for (i, &word) in words.iter().enumerate() {
            add(&mut number, &self.source(word), &power::<T>(i));
        }
        number
    }

    fn source(&self, src: Src) -> Poly {
        let (mono, k) = match src {
            Src::Imm(value) => ((0, 0), value.into()),
            Src::Limb(limb) => match self.known.get(&limb) {
                Some(value) => ((0, 0), value.clone()),
                None => ((0, limb.0 + 1), BigInt::one()),
            },
        };
        Poly::from([(mono, k)])
    }

    /// What `low ± 2^B·high` is.
    fn equation(&self, by: &Pair) -> Poly {
        let mut poly = Poly::new();
        let mut term = |src: Src, k: i32| add(&mut poly, &self.source(src), &k.into());
        match *by {
            Pair::Add(a, b, c) => [a, b, c].into_iter().for_each(|src| term(src, 1)),
            Pair::Sub(a, b, c) => {
                term(a, 1);
                term(b, -1);
                term(c, -1);
            }
            Pair::MulAdd(a, b, c, d) => {
                term(c, 1);
                term(d, 1);
                for ((_, a), ka) in self.source(a) {
                    for ((_, b), kb) in &self.source(b) {
                        let mono = if a == 0 || *b == 0 { (0, a.max(*b)) } else { (a, *b) };
                        *poly.entry(mono).or_default() += &ka * kb;
                    }
                }
            }
        }
        poly
    }

    /// The polynomial by the equations of the program, from its newest limb to its oldest.
    fn rewritten(&self, mut poly: Poly) -> Poly {
        // What is written later is not in it.
        let writer = |(mono, _): (&Mono, _)| self.writers.get(&Limb(mono.1.checked_sub(1)?));
        let newest = poly.iter().filter_map(writer).max().map_or(0, |at| at + 1);
        for inst in self.program.insts[..newest].iter().rev() {
            match *inst {
                Inst::Select { out, bit, a, b } => {
                    // Where the bit is open, so is what is selected.
                    let Some(bit) = self.known.get(&bit) else { continue };
                    let Some(k) = poly.remove(&(0, out.0 + 1)) else { continue };
                    let chosen = if bit.is_one() { a } else { b };
                    add(&mut poly, &self.source(chosen), &k);
                }
                Inst::Pair { low, high, ref by } => self.replace(&mut poly, low, high, by),
            }
        }
        poly.retain(|_, k| !k.is_zero());
        poly
    }

    fn replace(&self, poly: &mut Poly, low: Limb, high: Limb, by: &Pair) {
        let mut take = |limb: Limb| poly.remove(&(0, limb.0 + 1)).unwrap_or_default();
        let (of_low, of_high) = (take(low), take(high));
        if of_low.is_zero() && of_high.is_zero() {
            return;
        }
        let weight = if let Pair::Sub(..) = by { -power::<T>(1) } else { power::<T>(1) };
        let equation = self.equation(by);
        match (self.known.get(&low), self.known.get(&high)) {
            (_, Some(high)) => {
                add(poly, &equation, &of_low);
                *poly.entry((0, 0)).or_default() += (of_high - of_low * weight) * high;
            }
            (Some(low), None) if of_high.is_multiple_of(&weight) => {
                let k = &of_high / &weight;
                add(poly, &equation, &k);
                *poly.entry((0, 0)).or_default() += (of_low - k) * low;
            }
            (None, None) if of_high == &of_low * &weight => add(poly, &equation, &of_low),
            _ => {
                for (limb, k) in [(low, of_low), (high, of_high)] {
                    *poly.entry((0, limb.0 + 1)).or_default() += k;
                }
            }
        }
    }

    /// An upper bound: directly, or through a difference whose borrow is 1.
    fn most(&self, poly: &Poly) -> BigInt {
        // Room for the rows' divisions.
        let scale = power::<T>(self.n + 2);
        let bounded = |poly: Poly| {
            let scaled = poly.into_iter().map(|(mono, k)| (mono, k * &scale)).collect();
            self.bounded(&self.rewritten(scaled)).div_floor(&scale)
        };
        let mut most = bounded(poly.clone());
        for (words, borrow) in &self.program.compared {
            // Elsewhere it helps nothing.
            if !self.known.get(borrow).is_some_and(One::is_one) {
                continue;
            }
            // `poly = rest + d`, and `d` is below `room`.
            let (mut rest, room) = (poly.clone(), power::<T>(words.len()));
            add(&mut rest, &self.number(words), &(-BigInt::one()));
            most = most.min(bounded(rest) + room - 1);
        }
        most
    }

    /// An upper bound, term by term.
    fn bounded(&self, poly: &Poly) -> BigInt {
        let inputs = (self.maxima.len() * self.n) as u32;
        let operand = |limb: u32| (limb > 0 && limb <= inputs).then(|| (limb as usize - 1).div_rem(&self.n));
        let mut sum = BigInt::zero();
        let mut linear = vec![vec![BigInt::zero(); self.n]; self.maxima.len()];
        // Rows of products by the operands and the limb of the first.
        let mut rows: BTreeMap<(usize, usize, usize), Vec<BigInt>> = BTreeMap::new();
        for (&(a, b), k) in poly {
            match (operand(a), operand(b)) {
                _ if (a, b) == (0, 0) => sum += k,
                (None, Some((x, i))) if a == 0 => linear[x][i] += k,
                (Some((x, i)), Some((y, j))) => {
                    rows.entry((x, y, i)).or_insert_with(|| vec![BigInt::zero(); self.n])[j] += k;
                }
                _ if k.is_negative() => {}
                (_, _) if a == 0 => sum += k * self.widest(Limb(b - 1)),
                _ => sum += k * (power::<T>(1) - 1i32).pow(2),
            }
        }
        let mut products: BTreeMap<(usize, usize), Vec<BigInt>> = BTreeMap::new();
        for ((x, y, i), row) in rows {
            let most = self.largest(&row, &self.maxima[y]);
            products.entry((x, y)).or_insert_with(|| vec![BigInt::zero(); self.n])[i] = most;
        }
        sum += products.iter().map(|((x, _), row)| self.largest(row, &self.maxima[*x])).sum::<BigInt>();
        sum + linear.iter().zip(self.maxima).map(|(row, max)| self.largest(row, max)).sum::<BigInt>()
    }

    /// The most that `Σ row[i]·x[i]` is for the limbs of a number up to `max`: for any `k ≥ 0` it is at most
    /// `k·max` and what the coefficients have beyond `k·2^(Bi)`.
    fn largest(&self, row: &[BigInt], max: &BigInt) -> BigInt {
        let beyond = |k: &BigInt| -> BigInt {
            let part = |(i, c): (usize, &BigInt)| {
                let most = (max >> (T::BITS * i)).min(power::<T>(1) - 1);
                (c - k * power::<T>(i)).max(BigInt::zero()) * most
            };
            k * max + row.iter().enumerate().map(part).sum::<BigInt>()
        };
        let candidates = row.iter().enumerate().map(|(i, c)| (c >> (T::BITS * i)).max(BigInt::zero()));
        // Of one number's limbs they are mostly the same.
        let candidates: BTreeSet<BigInt> = candidates.chain([BigInt::zero()]).collect();
        candidates.iter().map(beyond).min().expect("there is one at least")
    }
}

fn add(to: &mut Poly, other: &Poly, k: &BigInt) {
    for (mono, c) in other {
        *to.entry(*mono).or_default() += c * k;
    }
}

fn negated(poly: &Poly) -> Poly {
    poly.iter().map(|(mono, k)| (*mono, -k)).collect()
}
