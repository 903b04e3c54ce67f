//! Checks programs: that one computes its operation for all operands within their bounds, and stays within
//! its own.
//!
//! What stands here is trusted, and nothing of who makes programs is used. The method is that of
//! [`simd`](crate::targets::simd), on whole products. A program is gone through from its first instruction to
//! its last, and of each limb two things are kept:
//!
//! * its *range*, within which a word is the integer that it stands for;
//! * its *form*, a polynomial that it is equal to as an integer. Its symbols are the operands, their limbs
//!   but the lowest, quotients, and what is rounded: `⌊a/2^k⌋`. Then `a mod 2^k = a - 2^k·⌊a/2^k⌋`. A carry
//!   of a row of reduction is `(a + q·p0)/2^k`.
//!
//! Numbers are forms too, so that carries from limb to limb leave them as they are. It is then shown that
//!
//! * the number that the result's limbs make, times the power of two that the operation divides by, is the
//!   definition modulo `p`: the difference is divisible by `p`, coefficient by coefficient;
//! * it is within its bound, and its limbs are those of a number.
//!
//! The range of a form is found term by term. What cannot be shown is refused, and nothing is searched for.

use super::Sizes;
use super::ir::{Inst, Limb, Op, Program, Src};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::Unproven;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use std::collections::BTreeMap;

/// Symbols of a product, the smaller first; 0 stands for 1, and `k + 1` for symbol `k`.
type Mono = (u32, u32);

/// A polynomial, all of it times [`Machine::scale`].
type Form = BTreeMap<Mono, BigInt>;

/// The least and the largest value.
type Range = (BigInt, BigInt);

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

/// Shows that the program computes `op` for all operands below these limits, but for the size of its result.
pub fn shown(
    field: &FieldDesc,
    sizes: Sizes,
    op: &FieldOp,
    operands: &[BigUint],
    program: &Program,
) -> Result<Shown, Unproven> {
    let right = op.fault(field, operands.len()).is_none()
        && program.inputs == operands.len()
        && program.output.len() == sizes.count
        && program.limbs as usize >= sizes.count * program.inputs
        && field.p.bit(0);
    if !right {
        return Err(refused("has the shape of another operation"));
    }
    let mut machine = Machine::new(program, sizes, 32 * field.words + sizes.limb as usize);
    for (k, limit) in operands.iter().enumerate() {
        machine.operand(k, BigInt::from(limit.clone()) - 1);
    }
    for inst in &program.insts {
        match inst {
            Inst::Write(limb, op) => machine.write(*limb, op)?,
            Inst::Renamed(words) => machine.renamed(words)?,
            Inst::Normal { limbs, lowest } => machine.normal(limbs, *lowest)?,
        }
    }
    machine.is_cut(&program.output)?;
    let number = machine.number(&program.output, sizes.element, sizes.element)?;
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

fn refused(reason: &str) -> Unproven {
    Unproven(format!("the program {reason}"))
}

fn power(k: usize) -> BigInt {
    BigInt::one() << k
}

/// A program, as far as it was gone through.
struct Machine {
    sizes: Sizes,
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
    /// Numbers that have symbols of their own.
    renamed: BTreeMap<u32, Form>,
}

impl Machine {
    fn new(program: &Program, sizes: Sizes, scale: usize) -> Self {
        Machine {
            sizes,
            scale: power(scale),
            symbols: vec![],
            operands: vec![],
            floors: BTreeMap::new(),
            shifted: BTreeMap::new(),
            limbs: vec![None; program.limbs as usize],
            quotients: BTreeMap::new(),
            renamed: BTreeMap::new(),
        }
    }

    /// `2^(b·i)` of limbs inside of `b` bits.
    fn weight(&self, i: usize) -> BigInt {
        power(self.sizes.limb as usize * i)
    }

    /// Whether a word holds all of a range.
    fn holds(&self, (least, most): &Range) -> bool {
        !least.is_negative() && *most < power(self.sizes.word as usize)
    }

    /// Limbs of an operand of at most `max`: the number is a symbol, and the lowest limb what the others
    /// leave of it.
    fn operand(&mut self, k: usize, max: BigInt) {
        let (n, bits) = (self.sizes.count, self.sizes.element as usize);
        let mut lowest = self.symbol((BigInt::zero(), max.clone()));
        self.operands.push(self.symbols.len() as u32);
        let range = |i: usize| {
            let above = &max >> (bits * i);
            (BigInt::zero(), if i + 1 == n { above } else { above.min(power(bits) - 1) })
        };
        for i in 1..n {
            let form = self.limb_of(range(i));
            add(&mut lowest, &form, &-power(bits * i));
            self.limbs[k * n + i] = Some((form, range(i)));
        }
        self.limbs[k * n] = Some((lowest, range(0)));
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

    fn write(&mut self, limb: Limb, op: &Op) -> Result<(), Unproven> {
        let free = self.limbs.get(limb.0 as usize).is_some_and(Option::is_none);
        if !free {
            return Err(refused("writes a limb twice, or one that it has not"));
        }
        let (form, range) = match *op {
            Op::Add(a, b) => sum(self.known(a)?, self.known(b)?),
            Op::Mul { sum: to, a, b } => sum(self.known(to)?, self.multiplied(a, b)?),
            Op::Quotient { a, by, bits } if bits < 32 => {
                self.known(a.into())?;
                self.quotients.insert(limb, (a, by, bits));
                let range = (BigInt::zero(), power(bits as usize) - 1);
                (self.symbol(range.clone()), range)
            }
            Op::Carry { a, q, p0, bits } if bits < 32 => self.carry(a, q, p0, bits)?,
            Op::Shift { a, bits } if bits < 32 => {
                self.known(a.into())?;
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
            _ => return Err(refused("shifts by more than a word")),
        };
        if !self.holds(&range) {
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
        let (mut form, range) = sum(self.known(a.into())?, self.multiplied(q.into(), Src::Imm(p0))?);
        if !self.holds(&range) {
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

    /// The number that limbs of so many bits make, the lowest one of `lowest`.
    fn number(&self, words: &[Src], lowest: u32, bits: u32) -> Result<Form, Unproven> {
        let mut number = Form::new();
        for (i, word) in words.iter().enumerate() {
            add(&mut number, &self.known(*word)?.0, &power(start(i, lowest, bits)));
        }
        Ok(number)
    }

    /// That limbs but the highest have no more bits than a limb has, the lowest no more than `lowest`: then
    /// none is more than the number has of it.
    fn normal(&mut self, words: &[Src], lowest: u32) -> Result<(), Unproven> {
        let bits = self.sizes.limb;
        let number = self.number(words, lowest, bits)?;
        let (_, most) = self.by_terms(&number);
        for (i, word) in words.iter().enumerate() {
            let (_, (_, own)) = self.known(*word)?;
            if i + 1 < words.len() && own >= power(if i == 0 { lowest } else { bits } as usize) {
                return Err(refused("has a limb that is not carried"));
            }
            let Src::Limb(limb) = word else { continue };
            if let Some((_, range)) = &mut self.limbs[limb.0 as usize] {
                range.1 = own.min(&most >> start(i, lowest, bits));
                if range.1 < range.0 {
                    return Err(refused("has a limb that no operands give"));
                }
            }
        }
        Ok(())
    }

    /// A number and its limbs get symbols, as those of an operand: what follows needs to know of it how large
    /// it is, by its form or by its limbs, and the definition what it is.
    fn renamed(&mut self, words: &[Src]) -> Result<(), Unproven> {
        let form = self.number(words, self.sizes.limb, self.sizes.limb)?;
        let (mut least, mut most) = self.by_terms(&form);
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

    fn by_terms(&self, form: &Form) -> Range {
        by_terms(form, &self.symbols, &self.scale)
    }

    /// The limbs of the result but the highest have no more bits than a limb of an element.
    fn is_cut(&self, output: &[Src]) -> Result<(), Unproven> {
        let (_, lower) = output.split_last().ok_or_else(|| refused("has no limbs in a number"))?;
        for word in lower {
            if self.known(*word)?.1.1 >= power(self.sizes.element as usize) {
                return Err(refused("has a result that is not carried"));
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
        let times = |factor: BigInt, divided: usize| {
            Some((Form::from([((0, self.operands[0]), factor * &self.scale)]), divided))
        };
        let products = |pairs: Vec<(usize, usize)>, divided: usize| {
            let mut form = Form::new();
            for (x, y) in pairs {
                *form.entry((self.operands[x], self.operands[y])).or_default() += &self.scale;
            }
            Some((form, divided))
        };
        match op {
            FieldOp::MulSmall(c) => times((*c).into(), 0),
            FieldOp::MulConst(c) => times(c.clone().into(), 0),
            FieldOp::FromMont => times(1.into(), words),
            FieldOp::Mul => products(vec![(0, 1)], words),
            FieldOp::Sqr => products(vec![(0, 0)], words),
            FieldOp::Dot(k) => products((0..*k).map(|i| (2 * i, 2 * i + 1)).collect(), words),
            FieldOp::MulTable { rows, .. } => products(vec![(0, 1)], 32 * *rows as usize),
            _ => None,
        }
    }
}

/// Where limb `i` begins of limbs of so many bits, the lowest one of `lowest`.
fn start(i: usize, lowest: u32, bits: u32) -> usize {
    if i == 0 { 0 } else { lowest as usize + bits as usize * (i - 1) }
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

/// `a + b`
fn sum((mut form, (least, most)): (Form, Range), (other, (from, to)): (Form, Range)) -> (Form, Range) {
    add(&mut form, &other, &BigInt::one());
    (form, (least + from, most + to))
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
