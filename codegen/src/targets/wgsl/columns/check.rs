//! Checks programs: that one computes its operation for all operands within their bounds, and stays within
//! its own.
//!
//! What stands here is trusted, and nothing of the variants is used. The method is that of
//! [`simd`](crate::targets::simd), on whole products. A program is gone through from its first instruction to
//! its last, and of each limb two things are kept:
//!
//! * its *range*, by which its word, read with a sign or without one, is the integer that it stands for;
//! * its *form*, a polynomial that it is equal to as an integer. Its symbols are the operands, their limbs
//!   but the lowest, quotients, and what is rounded: `⌊a/2^k⌋`. Then `a mod 2^k = a - 2^k·⌊a/2^k⌋`. A carry
//!   of a row of reduction is `(a + q·p0)/2^k`.
//!
//! Numbers are forms too, so that carries from limb to limb leave them as they are. It is then shown that
//!
//! * the number that the result's limbs make, times the power of two that the operation divides by, is the
//!   definition modulo `p`: the difference is divisible by `p`, coefficient by coefficient;
//! * it is within its bound, and the limbs are as tight as the bound says.
//!
//! The range of a form is found term by term; or as that of a number whose sign is known and what is left; or
//! as that of a number whose parts are stated, which have to add up to it, and what is left. A program that
//! reads signs is gone through once for each that they can have. What cannot be shown is refused, and nothing
//! is searched for.

use super::Sizes;
use super::ir::{Inst, Limb, Op, Parts, Program, Src};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::Unproven;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// What an operand or a result is said to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The number is below this.
    pub limit: BigUint,
    /// Limbs but the highest are in `(-loose·2^b, loose·2^b)`, limbs of an element having `b` bits; 0 where
    /// they are in `[0, 2^b)`.
    pub loose: u64,
}

/// Most numbers whose sign is read: a case for each way that they can go.
const SIGNS: usize = 4;

/// Symbols of a product, the smaller first; 0 stands for 1, and `k + 1` for symbol `k`.
type Mono = (u32, u32);

/// A polynomial, all of it times [`Machine::scale`].
type Form = BTreeMap<Mono, BigInt>;

/// The least and the largest value.
type Range = (BigInt, BigInt);

/// Shows that the program computes `op` within `out` for all operands within `operands`.
pub fn check(
    field: &FieldDesc,
    sizes: Sizes,
    op: &FieldOp,
    operands: &[Extent],
    program: &Program,
    out: &Extent,
) -> Result<(), Unproven> {
    let n = sizes.count;
    let right = op.fault(field, operands.len()).is_none()
        && program.inputs == operands.len()
        && program.output.len() == n
        && program.limbs as usize >= n * operands.len()
        && program.compared.len() <= SIGNS
        && field.p.bit(0);
    if !right {
        return Err(refused("has the shape of another operation"));
    }
    for case in 0..1u32 << program.compared.len() {
        let mut machine = Machine::new(program, sizes, case, 32 * field.words + sizes.limb as usize);
        for (k, extent) in operands.iter().enumerate() {
            machine.operand(k, BigInt::from(extent.limit.clone()) - 1, extent.loose);
        }
        if machine.goes_through()? {
            machine.concludes(field, op, out)?;
        }
    }
    Ok(())
}

/// That a program computes an operation for all words, and how large its result is.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The result, and what its symbols stand for.
    number: Form,
    scale: BigInt,
    symbols: Vec<Range>,
    operands: Vec<u32>,
    renamed: BTreeMap<u32, Form>,
}

/// Shows that the program computes `op` for all operands below `R`, but for the size of its result. It reads
/// no signs, and states no parts.
pub fn shown(field: &FieldDesc, sizes: Sizes, op: &FieldOp, program: &Program) -> Result<Shown, Unproven> {
    let right = op.fault(field, program.inputs).is_none()
        && program.output.len() == sizes.count
        && program.limbs as usize >= sizes.count * program.inputs
        && program.compared.is_empty()
        && program.parts.is_empty()
        && field.p.bit(0);
    if !right {
        return Err(refused("has the shape of another operation"));
    }
    let mut machine = Machine::new(program, sizes, 0, 32 * field.words + sizes.limb as usize);
    for k in 0..program.inputs {
        machine.operand(k, BigInt::from(field.r()) - 1, 0);
    }
    if !machine.goes_through()? {
        return Err(refused("has a limb that no operands give"));
    }
    machine.is_tight(0)?;
    let number = machine.number_of(&program.output, sizes.element)?;
    machine.is_definition(field, op, &number)?;
    let Machine { scale, symbols, operands, renamed, .. } = machine;
    Ok(Shown { number, scale, symbols, operands, renamed })
}

impl Shown {
    /// Shows that the result is below a limit, for operands below theirs. Its highest limb then is no more
    /// than a word.
    pub fn within(&self, operands: &[BigUint], limit: &BigUint) -> Result<(), Unproven> {
        let mut symbols = self.symbols.clone();
        if operands.len() != self.operands.len() {
            return Err(refused("has the shape of another operation"));
        }
        for (symbol, limit) in self.operands.iter().zip(operands) {
            let range = &mut symbols[*symbol as usize - 1];
            range.1 = BigInt::from(limit.clone()).min(&range.1 + 1) - 1;
        }
        // Of a number the symbols before it say how large it is, too.
        for (symbol, meaning) in &self.renamed {
            let (least, most) = by_terms(meaning, &symbols, &self.scale);
            let range = &mut symbols[*symbol as usize - 1];
            *range = (least.max(range.0.clone()), most.min(range.1.clone()));
        }
        let (least, most) = by_terms(&self.number, &symbols, &self.scale);
        is_within(&least, &most, limit)
    }
}

/// Shows that the program gives the number that its input makes, cut into limbs of as many bits as `to` says:
/// the input is cut as `from` says. `(limbs, bits)`; a highest limb holds what is left.
pub(in crate::targets::wgsl) fn check_regrouped(
    program: &Program,
    below: &BigInt,
    from: (usize, u32),
    to: (usize, u32),
) -> Result<(), Unproven> {
    let right = program.inputs == 1 && program.output.len() == to.0 && program.compared.is_empty();
    if !right || program.limbs < from.0 as u32 {
        return Err(refused("has the shape of another operation"));
    }
    let sizes = Sizes { count: from.0, element: from.1, limb: from.1, word: 32 };
    let mut machine = Machine::new(program, sizes, 0, 0);
    let mut number = Form::new();
    for i in 0..from.0 {
        let (at, end) = (power(from.1 as usize * i), power(from.1 as usize));
        let most = (below - 1u32) >> (from.1 as usize * i);
        let range = (BigInt::zero(), if i + 1 < from.0 { most.min(end - 1u32) } else { most });
        let form = machine.limb_of(range.clone());
        add(&mut number, &form, &at);
        machine.limbs[i] = Some((form, range));
    }
    machine.goes_through()?;
    for (i, limb) in program.output.iter().enumerate() {
        let (form, (least, most)) = machine.known(*limb)?;
        add(&mut number, &form, &-power(to.1 as usize * i));
        if least.is_negative() || i + 1 < to.0 && most >= power(to.1 as usize) {
            return Err(refused("has limbs looser than its bound"));
        }
    }
    match number.is_empty() {
        true => Ok(()),
        false => Err(refused("gives another number")),
    }
}

fn refused(reason: &str) -> Unproven {
    Unproven(format!("the program {reason}"))
}

fn power(k: usize) -> BigInt {
    BigInt::one() << k
}

/// A program in one case of its signs.
struct Machine<'a> {
    program: &'a Program,
    sizes: Sizes,
    /// Which of the numbers that are compared are negative.
    case: u32,
    /// Forms are times this, so that rows of reduction divide exactly.
    scale: BigInt,
    /// Of symbols.
    symbols: Vec<Range>,
    /// Symbols of operands.
    operands: Vec<u32>,
    /// `⌊a/2^k⌋`.
    floors: BTreeMap<(Limb, u32), u32>,
    /// Limbs that are floors, and of what.
    shifted: BTreeMap<Limb, (Limb, u32)>,
    /// What has been written.
    limbs: Vec<Option<(Form, Range)>>,
    /// Quotients: of what, by what, and how many bits.
    quotients: BTreeMap<Limb, (Limb, u32, u32)>,
    /// Numbers of a known sign.
    signs: Vec<(Form, bool)>,
    /// Numbers that have symbols of their own.
    renamed: BTreeMap<u32, Form>,
    /// Limbs that are negative, or not, as a number is.
    decided: BTreeMap<Limb, bool>,
}

impl<'a> Machine<'a> {
    fn new(program: &'a Program, sizes: Sizes, case: u32, scale: usize) -> Self {
        Machine {
            program,
            sizes,
            case,
            scale: power(scale),
            symbols: vec![],
            operands: vec![],
            floors: BTreeMap::new(),
            shifted: BTreeMap::new(),
            limbs: vec![None; program.limbs as usize],
            quotients: BTreeMap::new(),
            signs: vec![],
            renamed: BTreeMap::new(),
            decided: BTreeMap::new(),
        }
    }

    /// `2^(b·i)` of limbs inside of `b` bits.
    fn weight(&self, i: usize) -> BigInt {
        power(self.sizes.limb as usize * i)
    }

    /// Whether all words of a range are read as they are meant, with a sign or without one.
    fn reads_as(&self, (least, most): &Range, signed: bool) -> bool {
        let word = self.sizes.word as usize;
        match signed {
            true => *least >= -power(word - 1) && *most < power(word - 1),
            false => !least.is_negative() && *most < power(word),
        }
    }

    /// Limbs of an operand of at most `max`: the number is a symbol, and the lowest limb what the others
    /// leave of it.
    fn operand(&mut self, k: usize, max: BigInt, loose: u64) {
        let (n, bits) = (self.sizes.count, self.sizes.element as usize);
        let weight = |i: usize| power(bits * i);
        let mut lowest = self.symbol((BigInt::zero(), max.clone()));
        self.operands.push(self.symbols.len() as u32);
        let reach: BigInt = weight(1) * loose.max(1) - 1;
        let below = if loose == 0 { BigInt::zero() } else { reach.clone() };
        // What the limbs below the highest may take away or add.
        let rest: BigInt = (0..n - 1).map(weight).sum();
        for i in 0..n {
            let above = &max >> (bits * i);
            let range = match (loose, i + 1 == n) {
                (0, true) => (BigInt::zero(), above),
                (0, false) => (BigInt::zero(), reach.clone().min(above)),
                (_, true) => {
                    ((-(&rest * &reach)).div_floor(&weight(i)), (&max + &rest * &below).div_floor(&weight(i)))
                }
                (_, false) => (-below.clone(), reach.clone()),
            };
            if i == 0 {
                self.limbs[k * n] = Some((Form::new(), range));
                continue;
            }
            let form = self.limb_of(range.clone());
            add(&mut lowest, &form, &-weight(i));
            self.limbs[k * n + i] = Some((form, range));
        }
        if let Some((form, _)) = &mut self.limbs[k * n] {
            *form = lowest;
        }
    }

    /// A new symbol, as a form.
    fn symbol(&mut self, range: Range) -> Form {
        self.symbols.push(range);
        Form::from([((0, self.symbols.len() as u32), self.scale.clone())])
    }

    /// A new symbol, but for what is always zero.
    fn limb_of(&mut self, range: Range) -> Form {
        if range.0.is_zero() && range.1.is_zero() { Form::new() } else { self.symbol(range) }
    }

    fn known(&self, src: Src) -> Result<(Form, Range), Unproven> {
        match src {
            Src::Imm(value) => {
                let value = BigInt::from(value);
                Ok((Form::from([((0, 0), &value * &self.scale)]), (value.clone(), value)))
            }
            Src::Limb(limb) => {
                let known = self.limbs.get(limb.0 as usize).cloned().flatten();
                known.ok_or_else(|| refused("reads a limb that is not written yet"))
            }
        }
    }

    fn product(&self, a: &Form, b: &Form) -> Result<Form, Unproven> {
        let mut product = Form::new();
        for ((a0, a1), ka) in a {
            for ((b0, b1), kb) in b {
                let mono = match ((*a0, *a1), (*b0, *b1)) {
                    ((0, 0), mono) | (mono, (0, 0)) => mono,
                    ((0, a), (0, b)) => (a.min(b), a.max(b)),
                    _ => return Err(refused("multiplies products")),
                };
                let (k, rest) = (ka * kb).div_rem(&self.scale);
                if !rest.is_zero() {
                    return Err(refused("multiplies what a row of reduction has carried"));
                }
                *product.entry(mono).or_default() += k;
            }
        }
        product.retain(|_, k| !k.is_zero());
        Ok(product)
    }

    /// `⌊a/2^bits⌋`
    fn floor(&mut self, a: Limb, bits: u32) -> Result<(Form, Range), Unproven> {
        let (_, (least, most)) = self.known(a.into())?;
        let range = (least.div_floor(&power(bits as usize)), most.div_floor(&power(bits as usize)));
        if range.0.is_zero() && range.1.is_zero() {
            return Ok((Form::new(), range));
        }
        // What is shifted twice is shifted once by more.
        let of = self.shifted.get(&a).map_or((a, bits), |(of, before)| (*of, before + bits));
        let number = match self.floors.get(&of) {
            Some(number) => *number,
            None => {
                self.symbol(range.clone());
                self.floors.insert(of, self.symbols.len() as u32);
                self.symbols.len() as u32
            }
        };
        Ok((Form::from([((0, number), self.scale.clone())]), range))
    }

    /// Goes through all instructions. False where this case cannot be.
    fn goes_through(&mut self) -> Result<bool, Unproven> {
        let program = self.program;
        for inst in &program.insts {
            match inst {
                Inst::Write(limb, op) => self.write(*limb, op)?,
                Inst::Renamed(words) => self.renamed(words)?,
                Inst::Normal(words) => {
                    if !self.normal(words)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    fn write(&mut self, limb: Limb, op: &Op) -> Result<(), Unproven> {
        let free = self.limbs.get(limb.0 as usize).is_some_and(Option::is_none);
        if !free {
            return Err(refused("writes a limb twice, or one that it has not"));
        }
        let (form, range) = match *op {
            Op::Add(a, b) => sum(self.known(a)?, self.known(b)?, 1),
            Op::Sub(a, b) => sum(self.known(a)?, self.known(b)?, -1),
            Op::Mul { sum: to, a, b } => sum(self.known(to)?, self.multiplied(a, b)?, 1),
            Op::Quotient { a, by, bits } if bits < 32 => {
                self.known(a.into())?;
                self.quotients.insert(limb, (a, by, bits));
                let range = (BigInt::zero(), power(bits as usize) - 1);
                (self.symbol(range.clone()), range)
            }
            Op::Carry { a, q, p0, bits } if bits < 32 => self.carry(a, q, p0, bits)?,
            Op::Shift { a, bits, signed } if bits < 32 => {
                let (_, range) = self.known(a.into())?;
                if !self.reads_as(&range, signed) {
                    return Err(refused("reads a word with the wrong sign"));
                }
                let of = self.shifted.get(&a).map_or((a, bits), |(of, before)| (*of, before + bits));
                self.shifted.insert(limb, of);
                self.floor(a, bits)?
            }
            Op::Mask { a, bits } if bits < 32 => {
                let (mut form, _) = self.known(a.into())?;
                let (floor, whole) = self.floor(a, bits)?;
                let most = match whole.0.is_zero() && whole.1.is_zero() {
                    true => self.known(a.into())?.1,
                    false => (BigInt::zero(), power(bits as usize) - 1),
                };
                add(&mut form, &floor, &-power(bits as usize));
                (form, most)
            }
            Op::Double { a, bits } if bits < 32 => {
                let (form, (least, most)) = self.known(a.into())?;
                let k = power(bits as usize);
                let mut doubled = Form::new();
                add(&mut doubled, &form, &k);
                (doubled, (least * &k, most * k))
            }
            Op::Select { sign, a, b } => {
                let negative = self.decided.get(&sign);
                let negative = *negative.ok_or_else(|| refused("selects by what is no sign of a number"))?;
                if !self.reads_as(&self.known(sign.into())?.1, true) {
                    return Err(refused("reads a word with the wrong sign"));
                }
                let (chosen, other) = if negative { (a, b) } else { (b, a) };
                self.known(other)?;
                self.known(chosen)?
            }
            _ => return Err(refused("shifts by more than a word")),
        };
        if !self.reads_as(&range, true) && !self.reads_as(&range, false) {
            return Err(refused("has a limb that a word may not hold"));
        }
        self.limbs[limb.0 as usize] = Some((form, range));
        Ok(())
    }

    /// `a·b`
    fn multiplied(&self, a: Src, b: Src) -> Result<(Form, Range), Unproven> {
        let ((form_a, range_a), (form_b, range_b)) = (self.known(a)?, self.known(b)?);
        Ok((self.product(&form_a, &form_b)?, ends(&range_a, &range_b)))
    }

    /// `(a + q·p0)/2^bits`, an integer for the quotient `q` of `a` by `-1/p0`.
    fn carry(&mut self, a: Limb, q: Limb, p0: u32, bits: u32) -> Result<(Form, Range), Unproven> {
        let clears = |by: u32| (BigInt::from(by) * p0 + 1u32).is_multiple_of(&power(bits as usize));
        if !self.quotients.get(&q).is_some_and(|&(of, by, own)| (of, own) == (a, bits) && clears(by)) {
            return Err(refused("carries what a row of reduction does not clear"));
        }
        let (mut form, range) = sum(self.known(a.into())?, self.multiplied(q.into(), Src::Imm(p0))?, 1);
        if !self.reads_as(&range, false) {
            return Err(refused("has a limb that a word may not hold"));
        }
        for k in form.values_mut() {
            let (exact, rest) = k.div_rem(&power(bits as usize));
            if !rest.is_zero() {
                return Err(refused("has more rows of reduction than limbs"));
            }
            *k = exact;
        }
        let limb = power(bits as usize);
        Ok((form, (range.0.div_ceil(&limb), range.1.div_floor(&limb))))
    }

    /// The number that limbs inside make.
    fn number(&self, words: &[Src]) -> Result<Form, Unproven> {
        self.number_of(words, self.sizes.limb)
    }

    /// The number that limbs of so many bits make.
    fn number_of(&self, words: &[Src], bits: u32) -> Result<Form, Unproven> {
        let mut number = Form::new();
        for (i, word) in words.iter().enumerate() {
            add(&mut number, &self.known(*word)?.0, &power(bits as usize * i));
        }
        Ok(number)
    }

    /// That limbs but the highest have no more bits than a limb has, and no sign: what the number says of
    /// all of them. False where this case cannot be.
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
        let highest = ((&least - &one + 1u32).div_ceil(&one), most.div_floor(&one));
        if !self.narrowed(*top, highest)? {
            return Ok(false);
        }
        if !least.is_negative() {
            for (i, word) in lower.iter().enumerate() {
                if let Src::Limb(limb) = word
                    && !self.narrowed(*limb, (BigInt::zero(), &most >> (self.sizes.limb as usize * i)))?
                {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// A limb is within a range, too. False where it cannot be.
    fn narrowed(&mut self, limb: Limb, (from, to): Range) -> Result<bool, Unproven> {
        let slot = self.limbs[limb.0 as usize].as_mut().ok_or_else(|| refused("has no limbs in a number"))?;
        slot.1 = (from.max(slot.1.0.clone()), to.min(slot.1.1.clone()));
        Ok(slot.1.0 <= slot.1.1)
    }

    /// A number and its limbs get symbols, as those of an operand: what follows needs to know of it how large
    /// it is, by its form or by its limbs, and the definition what it is.
    fn renamed(&mut self, words: &[Src]) -> Result<(), Unproven> {
        let form = self.number(words)?;
        let (mut least, mut most) = self.range(&form)?;
        let (mut from, mut to) = (BigInt::zero(), BigInt::zero());
        for (i, word) in words.iter().enumerate() {
            let (_, range) = self.known(*word)?;
            from += range.0 * self.weight(i);
            to += range.1 * self.weight(i);
        }
        (least, most) = (least.max(from), most.min(to));
        let mut lowest = self.symbol((least, most));
        let number = self.symbols.len() as u32;
        let mut meaning = Form::new();
        for (mono, k) in &self.expanded(&form)? {
            let (k, rest) = k.div_rem(&self.scale);
            if !rest.is_zero() {
                return Err(refused("multiplies what a row of reduction has carried"));
            }
            meaning.insert(*mono, k);
        }
        self.renamed.insert(number, meaning);
        for (i, word) in words.iter().enumerate().rev() {
            let (_, range) = self.known(*word)?;
            let Src::Limb(limb) = *word else { return Err(refused("has no limbs in a number")) };
            let form = match i {
                0 => std::mem::take(&mut lowest),
                _ => self.limb_of(range.clone()),
            };
            add(&mut lowest, &form, &-self.weight(i));
            self.limbs[limb.0 as usize] = Some((form, range));
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
        by_terms(form, &self.symbols, &self.scale)
    }

    /// The range of a form that, times a power of two, is the sum of its parts; `None` of one that is not.
    fn by_parts(&self, form: &Form, parts: &Parts) -> Result<Option<Range>, Unproven> {
        let times = power(parts.shift as usize);
        let mut left = Form::new();
        add(&mut left, form, &times);
        let mut all = (BigInt::zero(), BigInt::zero());
        for (limb, factor) in &parts.limbs {
            let (part, range) = self.known(*limb)?;
            add(&mut left, &part, &-factor);
            let (from, to) = ends(&range, &(factor.clone(), factor.clone()));
            all = (all.0 + from, all.1 + to);
        }
        Ok(left.is_empty().then(|| (all.0.div_ceil(&times), all.1.div_floor(&times))))
    }

    /// The result is that of the operation, within its bound.
    fn concludes(&self, field: &FieldDesc, op: &FieldOp, out: &Extent) -> Result<(), Unproven> {
        self.is_tight(out.loose)?;
        let number = self.number_of(&self.program.output, self.sizes.element)?;
        let (least, most) = self.range(&number)?;
        is_within(&least, &most, &out.limit)?;
        self.is_definition(field, op, &number)
    }

    /// The limbs of the result but the highest are no looser than this.
    fn is_tight(&self, loose: u64) -> Result<(), Unproven> {
        let (_, lower) =
            self.program.output.split_last().ok_or_else(|| refused("has no limbs in a number"))?;
        let limb = power(self.sizes.element as usize);
        for word in lower {
            let (_, (least, most)) = self.known(*word)?;
            let tight = match loose {
                0 => !least.is_negative() && most < limb,
                loose => least.abs().max(most.abs()) < &limb * loose,
            };
            if !tight {
                return Err(refused("has limbs looser than its bound"));
            }
        }
        Ok(())
    }

    /// A number is the operation's, modulo `p`.
    fn is_definition(&self, field: &FieldDesc, op: &FieldOp, number: &Form) -> Result<(), Unproven> {
        let (definition, divided) =
            self.definition(field, op).ok_or_else(|| refused("has the shape of another operation"))?;
        let mut difference = Form::new();
        add(&mut difference, number, &power(divided));
        add(&mut difference, &definition, &-BigInt::one());
        let mut difference = if self.renamed.is_empty() { difference } else { self.expanded(&difference)? };
        if let FieldOp::MulTable { step, .. } = op {
            difference = self.of_one_entry(&difference, *step as usize);
        }
        let p = BigInt::from(field.p.clone());
        match difference.values().filter(|k| !k.is_multiple_of(&p)).count() {
            0 => Ok(()),
            terms => {
                Err(Unproven(format!("the result is not shown to be the operation's: {terms} terms differ")))
            }
        }
    }

    /// Entries of a table are the first one times `2^(32·step·i)`, modulo `p`.
    fn of_one_entry(&self, form: &Form, step: usize) -> Form {
        let mut all = Form::new();
        for ((a, b), k) in form {
            let entry = |symbol: &u32| self.operands[1..].iter().position(|other| other == symbol);
            let (mut factor, mut symbols) = (k.clone(), [*a, *b]);
            for symbol in &mut symbols {
                if let Some(i) = entry(symbol) {
                    factor *= power(32 * step * i);
                    *symbol = self.operands[1];
                }
            }
            let [a, b] = symbols;
            *all.entry((a.min(b), a.max(b))).or_default() += factor;
        }
        all
    }

    /// The definition of an operation on words, times a power of two by its exponent; `None` of one that is
    /// not known here.
    fn definition(&self, field: &FieldDesc, op: &FieldOp) -> Option<(Form, usize)> {
        let words = 32 * field.words;
        let linear = |terms: &[(usize, BigInt)], divided: usize| {
            let term = |(k, factor): &(usize, BigInt)| ((0, self.operands[*k]), factor * &self.scale);
            Some((terms.iter().map(term).collect::<Form>(), divided))
        };
        let products = |pairs: Vec<(usize, usize)>, divided: usize| {
            let mut form = Form::new();
            for (x, y) in pairs {
                *form.entry((self.operands[x], self.operands[y])).or_default() += &self.scale;
            }
            Some((form, divided))
        };
        match op {
            FieldOp::Add => linear(&[(0, 1.into()), (1, 1.into())], 0),
            FieldOp::Sub => linear(&[(0, 1.into()), (1, (-1).into())], 0),
            FieldOp::Neg => linear(&[(0, (-1).into())], 0),
            FieldOp::Dbl => linear(&[(0, 2.into())], 0),
            FieldOp::MulSmall(c) => linear(&[(0, (*c).into())], 0),
            FieldOp::MulConst(c) => linear(&[(0, c.clone().into())], 0),
            FieldOp::ReduceFull | FieldOp::ReduceWeak | FieldOp::IsZero | FieldOp::MaybeZero => {
                linear(&[(0, 1.into())], 0)
            }
            FieldOp::FromMont => linear(&[(0, 1.into())], words),
            FieldOp::Mul => products(vec![(0, 1)], words),
            FieldOp::Sqr => products(vec![(0, 0)], words),
            FieldOp::Dot(k) => products((0..*k).map(|i| (2 * i, 2 * i + 1)).collect(), words),
            FieldOp::MulTable { rows, .. } => products(vec![(0, 1)], 32 * *rows as usize),
            _ => None,
        }
    }
}

/// The range of a form, term by term.
fn by_terms(form: &Form, symbols: &[Range], scale: &BigInt) -> Range {
    let one = (BigInt::one(), BigInt::one());
    let of = |symbol: u32| match symbol {
        0 => &one,
        symbol => &symbols[symbol as usize - 1],
    };
    let (mut least, mut most) = (BigInt::zero(), BigInt::zero());
    for ((a, b), k) in form {
        let (from, to) = ends(of(*a), of(*b));
        let (from, to) = ends(&(from, to), &(k.clone(), k.clone()));
        least += from;
        most += to;
    }
    (least.div_ceil(scale), most.div_floor(scale))
}

fn is_within(least: &BigInt, most: &BigInt, limit: &BigUint) -> Result<(), Unproven> {
    match !least.is_negative() && *most < BigInt::from(limit.clone()) {
        true => Ok(()),
        false => Err(Unproven(format!("the result is in {least}..={most}, the bound is {limit}"))),
    }
}

/// `a ± b`, by the sign of `k`.
fn sum(
    (mut form, (least, most)): (Form, Range),
    (other, (from, to)): (Form, Range),
    k: i32,
) -> (Form, Range) {
    add(&mut form, &other, &k.into());
    let range = if k > 0 { (least + from, most + to) } else { (least - to, most - from) };
    (form, range)
}

/// The range of products.
fn ends(a: &Range, b: &Range) -> Range {
    let [first, rest @ ..] = [&a.0 * &b.0, &a.0 * &b.1, &a.1 * &b.0, &a.1 * &b.1];
    rest.into_iter()
        .fold((first.clone(), first), |(least, most), end| (least.min(end.clone()), most.max(end)))
}

fn add(to: &mut Form, other: &Form, k: &BigInt) {
    for (mono, c) in other {
        let sum = to.entry(*mono).or_default();
        *sum += c * k;
        if sum.is_zero() {
            to.remove(mono);
        }
    }
}
