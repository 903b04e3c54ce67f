//! Checks lane programs: that one computes its operation for all operands within their bounds, and stays
//! within its own.
//!
//! What stands here is trusted, and nothing of the variants is used. A program is gone through from its first
//! instruction to its last, and of each limb two things are kept:
//!
//! * its *range*, by which no word of 64 bits overflows and what is multiplied fits the instruction;
//! * its *form*, a polynomial that it is equal to as an integer. Its symbols are the operands, their limbs
//!   but the lowest, quotients, and what instructions round away: `⌊a·b/2^52⌋` and `⌊a/2^k⌋`. What is left
//!   then has no symbol of its own: `a·b mod 2^52 = a·b - 2^52·⌊a·b/2^52⌋`, and
//!   `a mod 2^k = a - 2^k·⌊a/2^k⌋`. A carry of a row of reduction is `(a + q·p0 - 2^52·⌊q·p0/2^52⌋)/2^52`,
//!   and of whole products `(a + q·p0)/2^bits`.
//!
//! Numbers are forms too, so that carries from limb to limb leave them as they are. It is then shown that
//!
//! * the number that the result's limbs make, times `R`, is the definition modulo `p`: the difference is
//!   divisible by `p`, coefficient by coefficient;
//! * it is within its bound, and the limbs are as tight as the bound says.
//!
//! The range of a form is found term by term; or as that of a number whose sign is known and what is left; or
//! as that of a number whose parts are stated, which have to add up to it, and what is left. A program that
//! reads signs is gone through once for each that they can have. What cannot be shown is refused, and nothing
//! is searched for.

use super::bound::{Bound, Limbs, Products};
use super::ir::{Inst, Limb, Op, Parts, Program, Src};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::seal::OpenSeal;
use crate::targets::{self, Bound as _, Seal, Unproven};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

/// A program was shown to be right. Only `check` makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted(Seal);

impl targets::Accepted for Accepted {
    fn seal(&self) -> Seal {
        self.0
    }
}

/// Most numbers whose sign is read: a case for each way that they can go.
const SIGNS: usize = 6;

/// Symbols of a product, the smaller first; 0 stands for 1, and `k + 1` for symbol `k`.
type Mono = (u32, u32);

/// A polynomial, all of it times [`Machine::scale`].
type Form = BTreeMap<Mono, BigInt>;

/// The least and the largest value.
type Range = (BigInt, BigInt);

/// Shows that the program computes `op` within `out` for all operands within `operands`.
pub(in crate::targets::simd) fn check(
    products: Products,
    field: &FieldDesc,
    op: &FieldOp,
    operands: &[Bound],
    program: &Program,
    out: Bound,
) -> Result<Accepted, Unproven> {
    let seal = OpenSeal::new(field, op, program).within(operands, out);
    let limbs = Limbs::of(products, field);
    let n = limbs.n;
    let right = operands.len() == op.operands(field)
        && program.inputs == operands.len()
        && program.output.len() == n
        && program.limbs as usize >= n * operands.len()
        && program.compared.len() <= SIGNS
        && field.p.bit(0);
    if !right {
        return Err(refused("has the shape of another operation"));
    }
    // What is zero or not is a canonical value.
    let out = if op.tests_zero() { Bound::CANONICAL } else { out };
    for case in 0..1u32 << program.compared.len() {
        let mut machine = Machine::new(limbs, field, operands, program, case);
        let mut possible = true;
        for (at, inst) in program.insts.iter().enumerate() {
            machine.at = at;
            possible &= match inst {
                Inst::Write(limb, op) => machine.write(*limb, op).map(|()| true)?,
                Inst::Normal(words) => machine.normal(words)?,
                Inst::Renamed(words) => machine.renamed(words).map(|()| true)?,
            };
            if !possible {
                break;
            }
        }
        if possible {
            machine.concludes(field, op, out)?;
        }
    }
    Ok(Accepted(seal))
}

fn refused(reason: &str) -> Unproven {
    Unproven(format!("the program {reason}"))
}

fn power(k: usize) -> BigInt {
    BigInt::one() << k
}

/// The instruction that reads each limb last; none of a limb that something else reads, or an instruction
/// twice.
fn last_reads(program: &Program) -> Vec<Option<usize>> {
    let mut last = vec![None; program.limbs as usize];
    let mut read = |src: &Src, at: Option<usize>| {
        if let Src::Limb(limb) = src
            && let Some(last) = last.get_mut(limb.0 as usize)
        {
            *last = if *last == at { None } else { at };
        }
    };
    for (at, inst) in program.insts.iter().enumerate() {
        if let Inst::Write(_, op) = inst {
            op.reads().iter().for_each(|src| read(src, Some(at)));
        }
    }
    let of_insts = program.insts.iter().filter_map(|inst| match inst {
        Inst::Write(..) => None,
        Inst::Normal(words) | Inst::Renamed(words) => Some(words),
    });
    let numbers = of_insts.chain(&program.compared).chain(program.parts.iter().map(|(words, _)| words));
    let parts = program.parts.iter().flat_map(|(_, parts)| {
        let low = parts.low.iter().flat_map(|(a, b, _)| [a, b]);
        parts.limbs.iter().map(|(src, _)| src).chain(low)
    });
    numbers.flatten().chain(&program.output).chain(parts).for_each(|src| read(src, None));
    last
}

/// A program in one case of its signs.
struct Machine<'a> {
    program: &'a Program,
    of: Limbs,
    n: usize,
    /// The instruction that it is gone through.
    at: usize,
    last_reads: Vec<Option<usize>>,
    /// Which of the numbers that are compared are negative.
    case: u32,
    /// Forms are times this, so that rows of reduction divide exactly.
    scale: BigInt,
    /// Of symbols.
    symbols: Vec<Range>,
    /// Symbols by what they round: `⌊a·b/2^52⌋`.
    halves: BTreeMap<(Src, Src), u32>,
    /// `⌊a/2^k⌋`.
    floors: BTreeMap<(Limb, u32), u32>,
    written: Vec<bool>,
    /// What has been written, and is read still.
    limbs: Vec<Option<(Rc<Form>, Range)>>,
    quotients: BTreeMap<Limb, (Limb, u64)>,
    /// Numbers of a known sign.
    signs: Vec<(Form, bool)>,
    /// Numbers that have symbols of their own.
    renamed: BTreeMap<u32, Form>,
    /// Limbs that are negative, or not, as a number is.
    decided: BTreeMap<Limb, bool>,
}

impl<'a> Machine<'a> {
    fn new(of: Limbs, field: &FieldDesc, operands: &[Bound], program: &'a Program, case: u32) -> Self {
        let n = of.n;
        let mut machine = Machine {
            program,
            of,
            n,
            at: 0,
            last_reads: last_reads(program),
            case,
            scale: of.weight(n + 1).into(),
            symbols: vec![],
            halves: BTreeMap::new(),
            floors: BTreeMap::new(),
            written: vec![false; program.limbs as usize],
            limbs: vec![None; program.limbs as usize],
            quotients: BTreeMap::new(),
            signs: vec![],
            renamed: BTreeMap::new(),
            decided: BTreeMap::new(),
        };
        for (k, bound) in operands.iter().enumerate() {
            machine.operand(k, BigInt::from(bound.limit(field)) - 1, bound.loose);
        }
        machine
    }

    /// `2^(bits·i)`
    fn weight(&self, i: usize) -> BigInt {
        self.of.weight(i).into()
    }

    /// Limbs of an operand of at most `max`: the number is a symbol, and the lowest limb what the others
    /// leave of it.
    fn operand(&mut self, k: usize, max: BigInt, loose: u64) {
        let n = self.n;
        let mut lowest = self.symbol((BigInt::zero(), max.clone()));
        let reach: BigInt = self.weight(1) * loose.max(1) - 1;
        let below = if loose == 0 { BigInt::zero() } else { reach.clone() };
        // What the limbs below the highest may take away or add.
        let rest: BigInt = (0..n - 1).map(|i| self.weight(i)).sum();
        for i in 0..n {
            let range = if i + 1 == n {
                let least = (-(&rest * &reach)).div_floor(&self.weight(i));
                (
                    if loose == 0 { BigInt::zero() } else { least },
                    (&max + &rest * &below).div_floor(&self.weight(i)),
                )
            } else {
                let most = if loose == 0 {
                    reach.clone().min(&max >> (self.of.bits as usize * i))
                } else {
                    reach.clone()
                };
                (-below.clone(), most)
            };
            self.written[k * n + i] = true;
            if i == 0 {
                self.limbs[k * n] = Some((Rc::default(), range));
                continue;
            }
            let form = self.symbol(range.clone());
            add(&mut lowest, &form, &-self.weight(i));
            self.limbs[k * n + i] = Some((form.into(), range));
        }
        if let Some((form, _)) = &mut self.limbs[k * n] {
            *form = lowest.into();
        }
    }

    /// A new symbol, as a form.
    fn symbol(&mut self, range: Range) -> Form {
        self.symbols.push(range);
        Form::from([((0, self.symbols.len() as u32), self.scale.clone())])
    }

    fn constant(&self, value: &BigInt) -> Form {
        Form::from([((0, 0), value * &self.scale)])
    }

    fn known(&self, src: Src) -> Result<(Rc<Form>, Range), Unproven> {
        match src {
            Src::Imm(value) => Ok((self.constant(&value.into()).into(), (value.into(), value.into()))),
            Src::Limb(limb) => {
                let known = self.limbs.get(limb.0 as usize).cloned().flatten();
                known.ok_or_else(|| refused("reads a limb that is not written yet"))
            }
        }
    }

    /// The same; of a limb that is read for the last time nothing is kept, so that long sums are not copied.
    fn taken(&mut self, src: Src) -> Result<(Rc<Form>, Range), Unproven> {
        let known = self.known(src)?;
        if let Src::Limb(limb) = src
            && self.last_reads.get(limb.0 as usize) == Some(&Some(self.at))
        {
            self.limbs[limb.0 as usize] = None;
        }
        Ok(known)
    }

    /// A factor: its form and its largest value.
    fn factor(&self, src: Src) -> Result<(Rc<Form>, BigInt), Unproven> {
        let (form, (least, most)) = self.known(src)?;
        let end = match self.of.products {
            Products::Halves => power(52),
            Products::Whole => power(32),
        };
        if least.is_negative() || most >= end {
            return Err(refused("multiplies what is no factor"));
        }
        Ok((form, most))
    }

    fn product(&self, a: &Form, b: &Form) -> Result<Form, Unproven> {
        let mut product = Form::new();
        for ((a0, a1), ka) in a {
            for ((b0, b1), kb) in b {
                if *a0 != 0 || *b0 != 0 {
                    return Err(refused("multiplies products"));
                }
                let (k, rest) = (ka * kb).div_rem(&self.scale);
                if !rest.is_zero() {
                    return Err(refused("multiplies what a row of reduction has carried"));
                }
                *product.entry(((*a1).min(*b1), (*a1).max(*b1))).or_default() += k;
            }
        }
        Ok(product)
    }

    /// `⌊a·b/2^52⌋`
    fn half(&mut self, a: Src, b: Src) -> Result<(Rc<Form>, Range), Unproven> {
        if self.of.products == Products::Whole {
            return Err(refused("has an instruction of other processors"));
        }
        let range = (BigInt::zero(), (self.factor(a)?.1 * self.factor(b)?.1) >> 52u32);
        if range.1.is_zero() {
            return Ok((Rc::default(), range));
        }
        let key = (a.min(b), a.max(b));
        let number = match self.halves.get(&key) {
            Some(number) => *number,
            None => {
                self.symbol(range.clone());
                self.halves.insert(key, self.symbols.len() as u32);
                self.symbols.len() as u32
            }
        };
        Ok((Form::from([((0, number), self.scale.clone())]).into(), range))
    }

    /// `a·b mod 2^52`
    fn low(&mut self, a: Src, b: Src) -> Result<(Rc<Form>, Range), Unproven> {
        let ((form, most), (other, other_most)) = (self.factor(a)?, self.factor(b)?);
        let mut low = self.product(&form, &other)?;
        add(&mut low, &self.half(a, b)?.0, &-self.weight(1));
        Ok((low.into(), (BigInt::zero(), (most * other_most).min(self.weight(1) - 1))))
    }

    /// `a·b`
    fn whole(&self, a: Src, b: Src) -> Result<(Rc<Form>, Range), Unproven> {
        if self.of.products == Products::Halves {
            return Err(refused("has an instruction of other processors"));
        }
        let ((form, most), (other, other_most)) = (self.factor(a)?, self.factor(b)?);
        Ok((self.product(&form, &other)?.into(), (BigInt::zero(), most * other_most)))
    }

    /// `⌊a/2^bits⌋`
    fn floor(&mut self, a: Limb, bits: u32) -> Result<(Rc<Form>, Range), Unproven> {
        let (_, (least, most)) = self.known(a.into())?;
        let range = (least.div_floor(&power(bits as usize)), most.div_floor(&power(bits as usize)));
        let number = match self.floors.get(&(a, bits)) {
            Some(number) => *number,
            None => {
                self.symbol(range.clone());
                self.floors.insert((a, bits), self.symbols.len() as u32);
                self.symbols.len() as u32
            }
        };
        Ok((Form::from([((0, number), self.scale.clone())]).into(), range))
    }

    /// Goes through an instruction.
    fn write(&mut self, limb: Limb, op: &Op) -> Result<(), Unproven> {
        let free = self.written.get(limb.0 as usize).is_some_and(|written| !written);
        if !free {
            return Err(refused("writes a limb twice, or one that it has not"));
        }
        type Known = (Rc<Form>, Range);
        let sum = |(mut form, (least, most)): Known, (other, (from, to)): Known, k: i32| {
            add(Rc::make_mut(&mut form), &other, &k.into());
            let range = if k > 0 { (least + from, most + to) } else { (least - to, most - from) };
            (form, range)
        };
        let (form, range) = match *op {
            Op::Add(a, b) => sum(self.known(a)?, self.known(b)?, 1),
            Op::Sub(a, b) => sum(self.known(a)?, self.known(b)?, -1),
            Op::Low { sum: to, a, b } => sum(self.taken(to)?, self.low(a, b)?, 1),
            Op::High { sum: to, a, b } => sum(self.taken(to)?, self.half(a, b)?, 1),
            Op::Whole { sum: to, a, b } => sum(self.taken(to)?, self.whole(a, b)?, 1),
            Op::Quotient { a, by } => {
                self.known(a.into())?;
                if BigInt::from(by) >= self.weight(1) {
                    return Err(refused("multiplies what is no factor"));
                }
                self.quotients.insert(limb, (a, by));
                let range = (BigInt::zero(), self.weight(1) - 1);
                (self.symbol(range.clone()).into(), range)
            }
            Op::Carry { a, q, p0 } => self.carry(a, q, p0)?,
            Op::Shift { a, bits } if bits < 64 => {
                if self.of.products == Products::Whole && self.known(a.into())?.1.0.is_negative() {
                    return Err(refused("shifts what is negative"));
                }
                self.floor(a, bits)?
            }
            Op::Mask { a, bits } if bits < 63 => {
                let (mut form, _) = self.known(a.into())?;
                add(Rc::make_mut(&mut form), &self.floor(a, bits)?.0, &-power(bits as usize));
                (form, (BigInt::zero(), power(bits as usize) - 1))
            }
            Op::Double { a, bits } if bits < 64 => {
                let (form, (least, most)) = self.known(a.into())?;
                let k = power(bits as usize);
                let mut doubled = Form::new();
                add(&mut doubled, &form, &k);
                (doubled.into(), (least * &k, most * k))
            }
            Op::Shift { .. } | Op::Mask { .. } | Op::Double { .. } => {
                return Err(refused("shifts by more than a word"));
            }
            Op::Select { sign, a, b } => {
                let negative = self.decided.get(&sign);
                let negative = *negative.ok_or_else(|| refused("selects by what is no sign of a number"))?;
                let (chosen, other) = if negative { (a, b) } else { (b, a) };
                self.known(other)?;
                self.known(chosen)?
            }
        };
        if range.0.to_i64().is_none() || range.1.to_i64().is_none() {
            return Err(refused("has a limb that a word may not hold"));
        }
        self.written[limb.0 as usize] = true;
        self.limbs[limb.0 as usize] = Some((form, range));
        Ok(())
    }

    /// `⌈a/2^52⌉`, which is `(a + (q·p0 mod 2^52))/2^52` for the quotient `q` of `a` by `-1/p0`; or
    /// `(a + q·p0)/2^bits`.
    fn carry(&mut self, a: Limb, q: Limb, p0: u64) -> Result<(Rc<Form>, Range), Unproven> {
        let clears = |by: u64| (BigInt::from(by) * p0 + 1u32).is_multiple_of(&self.weight(1));
        if !self.quotients.get(&q).is_some_and(|&(of, by)| of == a && clears(by)) {
            return Err(refused("carries what a row of reduction does not clear"));
        }
        let p0 = Src::Imm(p0.to_i64().ok_or_else(|| refused("multiplies what is no factor"))?);
        let (mut known, (least, most)) = self.known(a.into())?;
        let form = Rc::make_mut(&mut known);
        let limb = self.weight(1);
        let (added, most_added) = match self.of.products {
            Products::Halves => (self.low(q.into(), p0)?.0, BigInt::zero()),
            Products::Whole => {
                let (added, (_, most_added)) = self.whole(q.into(), p0)?;
                (added, most_added)
            }
        };
        add(form, &added, &BigInt::one());
        let most = most + most_added;
        // By halves the instruction rounds up by adding before it shifts.
        if (&most + &limb).to_i64().is_none() {
            return Err(refused("has a limb that a word may not hold"));
        }
        if self.of.products == Products::Whole && least.is_negative() {
            return Err(refused("shifts what is negative"));
        }
        for k in form.values_mut() {
            let (exact, rest) = k.div_rem(&limb);
            if !rest.is_zero() {
                return Err(refused("has more rows of reduction than limbs"));
            }
            *k = exact;
        }
        Ok((known, (least.div_ceil(&limb), most.div_ceil(&limb))))
    }

    /// The number that limbs make.
    fn number(&self, words: &[Src]) -> Result<Form, Unproven> {
        let mut number = Form::new();
        for (i, word) in words.iter().enumerate() {
            add(&mut number, &self.known(*word)?.0, &self.weight(i));
        }
        Ok(number)
    }

    /// That limbs but the highest are in `[0, 2^bits)`: the highest is what the number says. False where this
    /// case cannot be.
    fn normal(&mut self, words: &[Src]) -> Result<bool, Unproven> {
        let Some((Src::Limb(top), lower)) = words.split_last() else {
            return Err(refused("has no limbs in a number"));
        };
        for word in lower {
            let (_, (least, most)) = self.known(*word)?;
            if least.is_negative() || most >= self.weight(1) {
                return Err(refused("has a limb that is not carried"));
            }
        }
        let number = self.number(words)?;
        let (mut least, mut most) = self.range(&number)?;
        if let Some(k) = self.program.compared.iter().position(|compared| compared == words) {
            let negative = self.case >> k & 1 == 1;
            match negative {
                true => most = most.min(-BigInt::one()),
                false => least = least.max(BigInt::zero()),
            }
            self.signs.push((number, negative));
            self.decided.insert(*top, negative);
        }
        // The lower limbs are less than one of the highest.
        let one = self.weight(lower.len());
        let (from, to) = ((least - &one + 1u32).div_ceil(&one), most.div_floor(&one));
        let slot = self.limbs[top.0 as usize].as_mut().ok_or_else(|| refused("has no limbs in a number"))?;
        let range = (from.max(slot.1.0.clone()), to.min(slot.1.1.clone()));
        slot.1 = range;
        Ok(slot.1.0 <= slot.1.1)
    }

    /// A number and its limbs get symbols, as those of an operand: what follows needs to know of it how large
    /// it is, and the definition what it is.
    fn renamed(&mut self, words: &[Src]) -> Result<(), Unproven> {
        let form = self.number(words)?;
        let range = self.range(&form)?;
        let mut lowest = self.symbol(range);
        self.renamed.insert(self.symbols.len() as u32, form);
        for (i, word) in words.iter().enumerate().rev() {
            let (_, range) = self.known(*word)?;
            let Src::Limb(limb) = *word else { return Err(refused("has no limbs in a number")) };
            let form = match i {
                0 => std::mem::take(&mut lowest),
                _ => self.symbol(range.clone()),
            };
            add(&mut lowest, &form, &-self.weight(i));
            self.limbs[limb.0 as usize] = Some((form.into(), range));
        }
        Ok(())
    }

    /// A form, times the [`scale`](Self::scale) twice, with what the symbols of numbers stand for.
    fn expanded(&self, form: &Form) -> Result<Form, Unproven> {
        let mut expanded = Form::new();
        let meaning = |symbol: u32| match self.renamed.get(&symbol) {
            Some(form) => form.clone(),
            None => Form::from([((0, symbol), self.scale.clone())]),
        };
        for ((a, b), k) in form {
            let product = self.product(&meaning(*a), &meaning(*b))?;
            add(&mut expanded, &product, k);
        }
        Ok(expanded)
    }

    /// The range of a number: term by term, by a number whose sign is known and what is left, or by its
    /// parts.
    fn range(&self, form: &Form) -> Result<Range, Unproven> {
        let (mut least, mut most) = self.by_terms(form);
        for (number, negative) in &self.signs {
            let mut rest = form.clone();
            add(&mut rest, number, &-BigInt::one());
            let (from, to) = self.by_terms(&rest);
            match negative {
                true => most = most.min(to - 1),
                false => least = least.max(from),
            }
        }
        for (words, parts) in &self.program.parts {
            // Parts may belong to what is not written yet.
            let written = |src: &Src| self.known(*src).is_ok();
            if words.iter().all(written) {
                let number = self.number(words)?;
                let mut rest = form.clone();
                add(&mut rest, &number, &-BigInt::one());
                if let Some((from, to)) = self.by_parts(&number, parts)? {
                    let (least_rest, most_rest) = self.by_terms(&rest);
                    least = least.max(from + least_rest);
                    most = most.min(to + most_rest);
                }
            }
        }
        Ok((least, most))
    }

    fn by_terms(&self, form: &Form) -> Range {
        let one = (BigInt::one(), BigInt::one());
        let of = |symbol: u32| match symbol {
            0 => &one,
            symbol => &self.symbols[symbol as usize - 1],
        };
        let (mut least, mut most) = (BigInt::zero(), BigInt::zero());
        for ((a, b), k) in form {
            let ((a0, a1), (b0, b1)) = (of(*a), of(*b));
            let products = [a0 * b0, a0 * b1, a1 * b0, a1 * b1].map(|product| product * k);
            let [first, rest @ ..] = products;
            let mut ends = (first.clone(), first);
            for product in rest {
                ends = (ends.0.min(product.clone()), ends.1.max(product));
            }
            least += ends.0;
            most += ends.1;
        }
        (least.div_ceil(&self.scale), most.div_floor(&self.scale))
    }

    /// The range of a form that, times a power of two, is the sum of its parts; `None` of one that is not.
    fn by_parts(&self, form: &Form, parts: &Parts) -> Result<Option<Range>, Unproven> {
        let mut left = Form::new();
        let times = power(parts.bits as usize);
        add(&mut left, form, &times);
        let (mut least, mut most) = (BigInt::zero(), BigInt::zero());
        let mut take = |(part, (from, to)): (Rc<Form>, Range), factor: &BigInt| {
            add(&mut left, &part, &-factor);
            let ends = [from * factor, to * factor];
            least += ends.iter().min().expect("there are two");
            most += ends.iter().max().expect("there are two");
        };
        for (limb, factor) in &parts.limbs {
            take(self.known(*limb)?, factor);
        }
        if let Some((a, b, factor)) = &parts.low {
            let ((form_a, most_a), (form_b, most_b)) = (self.factor(*a)?, self.factor(*b)?);
            let mut low = self.product(&form_a, &form_b)?;
            if most_a * most_b >= power(52) {
                let half = self.halves.get(&((*a).min(*b), (*a).max(*b)));
                let half = half.ok_or_else(|| refused("has parts of a product that it does not have"))?;
                add(&mut low, &Form::from([((0, *half), self.scale.clone())]), &-power(52));
            }
            take((low.into(), (BigInt::zero(), power(52) - 1)), factor);
        }
        match left.values().all(Zero::is_zero) {
            true => Ok(Some((least.div_ceil(&times), most.div_floor(&times)))),
            false => Ok(None),
        }
    }

    /// The result is that of the operation, within its bound.
    fn concludes(&self, field: &FieldDesc, op: &FieldOp, out: Bound) -> Result<(), Unproven> {
        let output = &self.program.output;
        for word in &output[..self.n - 1] {
            let (_, (least, most)) = self.known(*word)?;
            let tight = match out.loose {
                0 => !least.is_negative() && most < self.weight(1),
                loose => least.abs().max(most.abs()) < self.weight(1) * loose,
            };
            if !tight {
                return Err(refused("has limbs looser than its bound"));
            }
        }
        let number = self.number(output)?;
        let (least, most) = self.range(&number)?;
        let limit = BigInt::from(out.limit(field));
        if least.is_negative() || most >= limit {
            return Err(Unproven(format!("the result is in {least}..={most}, the bound is {limit}")));
        }
        let mut difference = Form::new();
        add(&mut difference, &number, &self.weight(self.n));
        let definition = self.definition(op).ok_or_else(|| refused("has the shape of another operation"))?;
        add(&mut difference, &definition, &-BigInt::one());
        let p = BigInt::from(field.p.clone());
        let difference = if self.renamed.is_empty() { difference } else { self.expanded(&difference)? };
        match difference.values().filter(|k| !k.is_multiple_of(&p)).count() {
            0 => Ok(()),
            terms => {
                Err(Unproven(format!("the result is not shown to be the operation's: {terms} terms differ")))
            }
        }
    }

    /// The definition of an operation, times `R`; `None` of one that is not known here.
    fn definition(&self, op: &FieldOp) -> Option<Form> {
        let n = self.n;
        // The symbols of an operand are itself and its limbs but the lowest.
        let operand = |k: usize| (k * n) as u32 + 1;
        let mut form = Form::new();
        let mut linear = |k: usize, factor: BigInt| {
            *form.entry((0, operand(k))).or_default() += factor * self.weight(n) * &self.scale;
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
            FieldOp::ReduceFull | FieldOp::ReduceWeak | FieldOp::IsZero => linear(0, 1.into()),
            FieldOp::Mul | FieldOp::Sqr | FieldOp::Dot(_) => {
                let pairs: Vec<(usize, usize)> = match op {
                    FieldOp::Sqr => vec![(0, 0)],
                    FieldOp::Dot(k) => (0..*k).map(|i| (2 * i, 2 * i + 1)).collect(),
                    _ => vec![(0, 1)],
                };
                for (x, y) in pairs {
                    *form.entry((operand(x), operand(y))).or_default() += &self.scale;
                }
            }
            _ => return None,
        }
        Some(form)
    }
}

fn add(to: &mut Form, other: &Form, k: &BigInt) {
    for (mono, c) in other {
        match to.entry(*mono) {
            Entry::Vacant(free) => {
                let term = c * k;
                if !term.is_zero() {
                    free.insert(term);
                }
            }
            Entry::Occupied(mut sum) => {
                *sum.get_mut() += c * k;
                if sum.get().is_zero() {
                    sum.remove();
                }
            }
        }
    }
}
