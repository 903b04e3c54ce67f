//! What each instruction writes: its definition, as PTX has it.

use super::Refused;
use super::certificate::{Bits, Halves, Poly, Proof, Use, Val, Var, Written};
use super::sum::{B, Context, Sum, compute, poly_of};
use crate::targets::ptx::arithmetic::ir::{Block, CarryOut, Cmp, Flag, Inst, Logic, Pred, Src, Word};
use crate::targets::ptx::arithmetic::num::Num;

/// The block as far as it was gone through.
pub(super) struct Machine<'c> {
    pub(super) cx: Context,
    pub(super) block: &'c Block,
    words: Vec<Option<Val>>,
    preds: Vec<Option<Poly>>,
    /// The flag, and the guard of the instruction that set it: where that does not hold nothing is known of
    /// it.
    flag: Option<(Flag, Poly, Option<Pred>)>,
    pub(super) at: usize,
}

/// An addition or subtraction: `± b`, and `± cin`, to a first operand.
struct Chain {
    d: Word,
    kind: Flag,
    cin: bool,
    out: CarryOut,
    guard: Option<Pred>,
}

impl<'c> Machine<'c> {
    pub(super) fn new(cx: Context, block: &'c Block) -> Machine<'c> {
        let (words, preds) = (vec![None; block.words()], vec![None; block.preds()]);
        Machine { cx, block, words, preds, flag: None, at: 0 }
    }

    /// The next instruction.
    pub(super) fn inst(&mut self, written: &Written) -> Result<(), Refused> {
        let inst = *self.block.insts().get(self.at).ok_or(Refused("goes past the last instruction"))?;
        self.at += 1;
        match (inst, written) {
            (Inst::Add { d, a, b, cin, out, guard }, _) => self.chain(
                Chain { d, kind: Flag::Carry, cin, out, guard },
                self.get(a)?,
                self.get(b)?,
                written,
            ),
            (Inst::Sub { d, a, b, cin, out, guard }, _) => self.chain(
                Chain { d, kind: Flag::Borrow, cin, out, guard },
                self.get(a)?,
                self.get(b)?,
                written,
            ),
            (Inst::MadLo { d, a, b, c, cin, out }, Written::Sum { product: Some(halves), .. }) => {
                self.multiplied(a, b, halves)?;
                let chain = Chain { d, kind: Flag::Carry, cin, out, guard: None };
                self.chain(chain, halves.low, self.get(c)?, written)
            }
            (Inst::MadHi { d, a, b, c, cin, out }, Written::Sum { product: Some(halves), .. }) => {
                self.multiplied(a, b, halves)?;
                let chain = Chain { d, kind: Flag::Carry, cin, out, guard: None };
                self.chain(chain, halves.high, self.get(c)?, written)
            }
            (Inst::MulLo { d, a, b }, Written::Half(halves)) => {
                self.multiplied(a, b, halves)?;
                self.set(d, halves.low)
            }
            (Inst::MulHi { d, a, b }, Written::Half(halves)) => {
                self.multiplied(a, b, halves)?;
                self.set(d, halves.high)
            }
            (Inst::MulWide { lo, hi, a, b }, Written::Half(halves)) => {
                self.multiplied(a, b, halves)?;
                self.set(lo, halves.low)?;
                self.set(hi, halves.high)
            }
            (Inst::Shl { d, a, by }, Written::Half(halves)) => {
                self.shifted(a, by, halves)?;
                self.set(d, halves.low)
            }
            (Inst::Shr { d, a, by }, Written::Half(halves)) => {
                self.shifted(a, 32u32.wrapping_sub(by), halves)?;
                self.set(d, halves.high)
            }
            (Inst::ShfL { d, lo, hi, by }, Written::Funnel { upper, lower, word, uses }) => {
                self.shifted(hi, by, upper)?;
                self.shifted(lo, by, lower)?;
                let parts = [upper.low, lower.high];
                self.is(*word, uses, |cx, sum, k| {
                    parts.iter().try_for_each(|&part| sum.word(cx, part, k, &[]))
                })?;
                self.set(d, *word)
            }
            (Inst::Logic { op, d, a, b }, Written::Bits(bits)) => {
                self.bits(op, self.get(a)?, self.get(b)?, bits)?;
                self.set(d, bits.word)
            }
            (Inst::Setp { q, cmp, a, b }, Written::Compare { holds, differs, range }) => {
                self.compare(cmp, self.get(a)?, self.get(b)?, (holds, differs.as_ref(), range))?;
                write(&mut self.preds, q.index(), holds.clone())
            }
            (Inst::Selp { d, a, b, q }, Written::Select { word, uses }) => {
                let (q, a, b) = (self.pred(q)?, poly_of(self.get(a)?), self.get(b)?);
                self.is(*word, uses, |cx, sum, k| choose(cx, sum, (&q, &a, b), k))?;
                self.set(d, *word)
            }
            _ => Err(Refused("is about another instruction")),
        }
    }

    /// `a ± b ± cin`: the only integers `word` in `[0, 2^32)` and `carry` with `word ± 2^32·carry` equal to
    /// it.
    fn chain(&mut self, chain: Chain, a: Val, b: Val, written: &Written) -> Result<(), Refused> {
        let sign = if chain.kind == Flag::Carry { 1 } else { -1 };
        let cin = match &self.flag {
            _ if !chain.cin => Poly::default(),
            Some((kind, carry, guard))
                if *kind == chain.kind && (guard.is_none() || *guard == chain.guard) =>
            {
                carry.clone()
            }
            _ => return Err(Refused("reads a flag of the other kind, or none")),
        };
        let carry = match (chain.guard, written) {
            (None, Written::Sum { word, carry, uses, .. }) => {
                let sum = poly_of(*word);
                self.sum((a, b, &cin, sign), (&sum, carry), uses)?;
                if !self.is_word(*word)? {
                    return Err(Refused("writes what is no word"));
                }
                if let ([(carry, 1)], 0) = (carry.terms.as_slice(), carry.constant) {
                    self.cx.limit(*carry, (0, 1));
                }
                self.set(chain.d, *word)?;
                carry
            }
            (Some(q), Written::Guarded { sum, carry, uses, range, word, kept }) => {
                let q = self.pred(q)?;
                self.guarded(&q, (a, b, &cin, sign), (sum, carry), (uses, range))?;
                self.is(*word, kept, |cx, whole, k| choose(cx, whole, (&q, sum, a), k))?;
                self.set(chain.d, *word)?;
                carry
            }
            _ => return Err(Refused("is about another instruction")),
        };
        match chain.out {
            CarryOut::Flag => self.flag = Some((chain.kind, carry.clone(), chain.guard)),
            CarryOut::Never if *carry != Poly::default() => return Err(Refused("drops a carry")),
            CarryOut::Never | CarryOut::Lost => {}
        }
        Ok(())
    }

    /// The sum where the guard holds.
    fn guarded(
        &mut self,
        q: &Poly,
        value: (Val, Val, &Poly, i128),
        (sum, carry): (&Poly, &Poly),
        (uses, range): (&[Use], &[Proof; 2]),
    ) -> Result<(), Refused> {
        let holds: &[(Var, u32)] = match (q.terms.as_slice(), q.constant) {
            ([(var, 1)], 0) => &[(*var, 1)],
            ([(var, -1)], 1) => &[(*var, 0)],
            _ => &[],
        };
        let before = self.cx.assumed.len();
        self.cx.assumed.extend(holds);
        let top = Poly { terms: vec![], constant: B - 1 };
        let shown = self.sum(value, (sum, carry), uses);
        let shown = shown.and_then(|()| {
            self.cx.not_negative(&range[0], &|cx, target, k| target.poly(cx, sum, k, &[]))?;
            self.cx.not_negative(&range[1], &|cx, target, k| {
                target.poly(cx, &top, k, &[])?;
                target.poly(cx, sum, &-k, &[])
            })
        });
        self.cx.assumed.truncate(before);
        shown
    }

    /// Shows `word + sign·2^32·carry = a + sign·(b + cin)`.
    fn sum(
        &self,
        (a, b, cin, sign): (Val, Val, &Poly, i128),
        (word, carry): (&Poly, &Poly),
        uses: &[Use],
    ) -> Result<(), Refused> {
        let (mut sum, sign, cx) = (Sum::new(), Num::from(sign), &self.cx);
        sum.poly(cx, word, &(-1).into(), &[])?;
        sum.poly(cx, carry, &sign.times(-B), &[])?;
        sum.word(cx, a, &1.into(), &[])?;
        sum.word(cx, b, &sign, &[])?;
        sum.poly(cx, cin, &sign, &[])?;
        sum.vanishes(cx, uses, None)
    }

    fn multiplied(&mut self, a: Src, b: Src, halves: &Halves) -> Result<(), Refused> {
        let (a, b) = (poly_of(self.get(a)?), poly_of(self.get(b)?));
        self.halves(halves, |cx, sum| sum.product(cx, &a, &b, &1.into()))
    }

    fn shifted(&mut self, a: Src, by: u32, halves: &Halves) -> Result<(), Refused> {
        if !(1..32).contains(&by) {
            return Err(Refused("shifts by no or all bits"));
        }
        let a = self.get(a)?;
        self.halves(halves, |cx, sum| sum.word(cx, a, &Num::from(1 << by), &[]))
    }

    /// Shows `low + 2^32·high = value`, with `low` in `[0, 2^32)`.
    fn halves(
        &mut self,
        Halves { low, high, uses }: &Halves,
        value: impl Fn(&Context, &mut Sum) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        if !self.is_word(*low)? {
            return Err(Refused("writes what is no word"));
        }
        let mut sum = Sum::new();
        value(&self.cx, &mut sum)?;
        sum.number(&self.cx, [*low, *high], (-1).into())?;
        sum.vanishes(&self.cx, uses, None)
    }

    /// Shows that `bits.word` is `a op b`.
    fn bits(&mut self, op: Logic, a: Val, b: Val, bits: &Bits) -> Result<(), Refused> {
        if let (Val::Const(a), Val::Const(b), Val::Const(word)) = (a, b, bits.word)
            && word == compute(op, a, b)
        {
            return Ok(());
        }
        if let Val::Node(var) = bits.word
            && self.cx.is_logic(var, op, a, b)?
        {
            return Ok(());
        }
        let (Some((q, first)), true) = (&bits.mask, op != Logic::Or) else {
            return Err(Refused("writes other bits"));
        };
        let (mask, other) = if *first { (a, b) } else { (b, a) };
        let (range, mut sum, one) = (self.cx.interval(q)?, Sum::new(), Num::from(1));
        if range.0 < 0 || range.1 > 1 {
            return Err(Refused("takes a mask of what is no boolean"));
        }
        sum.word(&self.cx, mask, &one, &[])?;
        sum.poly(&self.cx, q, &(1 - B).into(), &[])?;
        sum.vanishes(&self.cx, &[], None)?;
        let other = poly_of(other);
        self.is(bits.word, &bits.uses, |cx, sum, k| match op {
            Logic::And => sum.product(cx, q, &other, k),
            // Each bit b becomes q + b - 2·q·b.
            _ => {
                sum.poly(cx, &other, k, &[])?;
                sum.poly(cx, q, &k.times(B - 1), &[])?;
                sum.product(cx, q, &other, &k.times(-2))
            }
        })
    }

    /// Shows that `holds` is `[a cmp b]`: where it is 1 a number is not negative, where it is 0 it is.
    fn compare(
        &mut self,
        cmp: Cmp,
        a: Val,
        b: Val,
        (holds, differs, range): (&Poly, Option<&Bits>, &[Proof; 2]),
    ) -> Result<(), Refused> {
        let zero = Val::Const(0);
        // What is compared with what, and whether the predicate is that it is not less.
        let (a, b, is) = match (cmp, differs) {
            (Cmp::Ge, None) => (a, b, true),
            (Cmp::Eq | Cmp::Ne, None) if a == zero || b == zero => {
                (if a == zero { b } else { a }, Val::Const(1), cmp == Cmp::Ne)
            }
            (Cmp::Eq | Cmp::Ne, Some(bits)) => {
                self.bits(Logic::Xor, a, b, bits)?;
                (bits.word, Val::Const(1), cmp == Cmp::Ne)
            }
            _ => return Err(Refused("is about another instruction")),
        };
        if !self.is_word(a)? || !self.is_word(b)? {
            return Err(Refused("compares what is no word"));
        }
        // The number is f = a - b in (-2^32, 2^32), q is `holds` or its opposite: f + 2^32·(1 - q) and
        // 2^32·q - 1 - f are not negative.
        let sign = if is { 1 } else { -1 };
        let q = |cx: &Context, sum: &mut Sum, k: &Num| {
            sum.poly(cx, holds, &k.times(sign), &[])?;
            sum.term(cx, &[], if is { Num::default() } else { k.clone() })
        };
        self.cx.not_negative(&range[0], &|cx, sum, k| {
            sum.number(cx, [a], k.clone())?;
            sum.number(cx, [b], -k)?;
            sum.term(cx, &[], k.times(B))?;
            q(cx, sum, &k.times(-B))
        })?;
        self.cx.not_negative(&range[1], &|cx, sum, k| {
            sum.number(cx, [a], -k)?;
            sum.number(cx, [b], k.clone())?;
            sum.term(cx, &[], -k)?;
            q(cx, sum, &k.times(B))
        })
    }

    /// Shows that a word is a value, known to be in `[0, 2^32)`, which is then known of the word.
    fn is(
        &mut self,
        word: Val,
        uses: &[Use],
        value: impl Fn(&Context, &mut Sum, &Num) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let mut sum = Sum::new();
        value(&self.cx, &mut sum, &1.into())?;
        sum.word(&self.cx, word, &(-1).into(), &[])?;
        sum.vanishes(&self.cx, uses, None)?;
        if let Val::Node(var) = word {
            self.cx.limit(var, (0, B - 1));
        }
        Ok(())
    }

    /// Another value for a word that was written: equal modulo `2^32`, and in `[0, 2^32)` too.
    pub(super) fn rename(&mut self, word: usize, to: Val, uses: &[Use]) -> Result<(), Refused> {
        let known =
            self.words.get(word).copied().flatten().ok_or(Refused("reads a word that is not written"))?;
        let mut sum = Sum::new();
        sum.word(&self.cx, known, &1.into(), &[])?;
        sum.word(&self.cx, to, &(-1).into(), &[])?;
        sum.vanishes(&self.cx, uses, Some(&B.into()))?;
        if !self.is_word(to)? {
            return Err(Refused("writes what is no word"));
        }
        self.words[word] = Some(to);
        Ok(())
    }

    fn is_word(&self, val: Val) -> Result<bool, Refused> {
        self.cx.range(val).map(|(least, most)| least >= 0 && most < B)
    }

    pub(super) fn set(&mut self, word: Word, value: Val) -> Result<(), Refused> {
        write(&mut self.words, word.index(), value)
    }

    pub(super) fn get(&self, src: Src) -> Result<Val, Refused> {
        match src {
            Src::Imm(value) => Ok(Val::Const(value)),
            Src::Word(word) => {
                let value = self.words.get(word.index()).copied().flatten();
                value.ok_or(Refused("reads a word that is not written"))
            }
        }
    }

    fn pred(&self, q: Pred) -> Result<Poly, Refused> {
        let value = self.preds.get(q.index()).cloned().flatten();
        value.ok_or(Refused("reads a predicate that is not written"))
    }
}

/// Adds `k` times `q ? a : b`.
fn choose(cx: &Context, sum: &mut Sum, (q, a, b): (&Poly, &Poly, Val), k: &Num) -> Result<(), Refused> {
    sum.word(cx, b, k, &[])?;
    sum.product(cx, q, a, k)?;
    sum.product(cx, q, &poly_of(b), &-k)
}

/// Each word and each predicate is written once.
fn write<T>(slots: &mut [Option<T>], index: usize, value: T) -> Result<(), Refused> {
    match slots.get_mut(index) {
        Some(slot @ None) => {
            *slot = Some(value);
            Ok(())
        }
        _ => Err(Refused("writes a word again")),
    }
}
