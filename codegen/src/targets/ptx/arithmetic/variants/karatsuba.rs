//! Full products by subtractive Karatsuba, with masks for the signs.
//!
//! With `x = x0 + x1·H` and `y = y0 + y1·H`, `H = 2^(32h)`:
//!
//! ```text
//! x·y = P0 + (P0 + P2 + (x0 - x1)·(y1 - y0))·H + P2·H²      P0 = x0·y0, P2 = x1·y1
//! ```
//!
//! The differences are kept modulo `H` with their borrows as masks: `d = x0 - x1 + bd·H` and
//! `e = y1 - y0 + be·H`, so that `(x0 - x1)·(y1 - y0) = d·e - bd·e·H - be·d·H + bd·be·H²`. The masked
//! subtractions are logic and additions on an idle pipe; ptxas makes branches of predicated ones.
//!
//! **Carries.** From the middle words upwards everything is computed modulo a word more than the
//! middle has, in two's complement: its top word loses carries and borrows on purpose. What results is
//! exact, since the middle, `x0·y1 + x1·y0` plus the words it is added to, is non-negative and fits.
//! The words above are a plain sum whose total is `x·y`.

use num_bigint::BigUint;

use super::acc::{Acc, ZERO, all_ones, school};
use super::{immediates, words_for};
use crate::targets::ptx::arithmetic::ir::{Builder, Carry, CarryOut, Logic, Src};

/// Words and the largest value they hold.
#[derive(Clone, Debug)]
pub(super) struct Wide {
    pub(super) words: Vec<Src>,
    pub(super) max: BigUint,
}

impl Wide {
    pub(super) fn new(words: Vec<Src>, max: BigUint) -> Self {
        Wide { words, max }
    }

    /// A constant in `n` words.
    pub(super) fn constant(x: &BigUint, n: usize) -> Self {
        Wide { words: immediates(x, n), max: x.clone() }
    }

    /// The lowest `h` words, and the rest.
    pub(super) fn split(&self, h: usize) -> (Wide, Wide) {
        let low = Wide::new(self.words[..h].to_vec(), (&self.max).min(&all_ones(h)).clone());
        (low, Wide::new(self.words[h..].to_vec(), &self.max >> (32 * h)))
    }

    /// The value, where all words are constants.
    fn value(&self) -> Option<BigUint> {
        let word = |&src: &Src| match src {
            Src::Imm(value) => Some(value),
            Src::Word(_) => None,
        };
        self.words.iter().map(word).collect::<Option<Vec<u32>>>().map(BigUint::new)
    }
}

/// Products of words that [`product`] makes at least, of operands of so many words none of which is known.
pub(super) fn word_products(words: usize, levels: u32) -> usize {
    if levels == 0 || words < 2 {
        return words * words;
    }
    let h = words.div_ceil(2);
    2 * word_products(h, levels - 1) + word_products(words - h, levels - 1)
}

/// `x·y` in `2n` words, for `x` and `y` of `n` words, by so many levels of Karatsuba over rows. A
/// constant goes last.
pub(super) fn product(b: &mut Builder, x: &Wide, y: &Wide, levels: u32) -> Wide {
    let n = x.words.len();
    debug_assert_eq!(n, y.words.len());
    let max = &x.max * &y.max;
    if levels == 0 || n < 2 {
        let acc = school(b, Acc::new(), (&x.words, &x.max), (&y.words, &y.max));
        return Wide::new(acc.merge(b, 0, 2 * n), max);
    }
    let h = n.div_ceil(2);
    let ((x0, x1), (y0, y1)) = (x.split(h), y.split(h));
    let (p0, p2) = (product(b, &x0, &y0, levels - 1), product(b, &x1, &y1, levels - 1));
    let signs = Differences::of(b, (&x0, &x1), (&y0, &y1), h);
    let (middle, top, carry) = outer(b, &p0.words, &p2.words, h);
    let (middle, top) = signs.correct(b, middle, top, h);
    let (low, high) = middle.split_at(h);
    let inner = signs.inner(b, low, levels - 1, h);
    // The carry of `outer` belongs to the first word of `high`.
    let (_, carry) = b.add(carry, Src::Imm(u32::MAX), None, CarryOut::Flag);
    let (high, carry) = add_chain(b, &inner[h..], high, carry, CarryOut::Flag);
    let (top, _) = b.add(top, ZERO, carry, CarryOut::Lost);
    let middle: Vec<Src> = inner[..h].iter().copied().chain(high).collect();
    Wide::new(join(b, &p0.words, middle, top, &p2.words), max)
}

/// `P0_high + P2_low + P0 + P2` in `2h` words at `H`: the words, the word above them, and a carry that
/// has yet to be added to the word in the middle, at `H²`.
pub(super) fn outer(b: &mut Builder, p0: &[Src], p2: &[Src], h: usize) -> (Vec<Src>, Src, Src) {
    let p2 = padded(p2, 2 * h);
    let ((l0, h0), (l2, h2)) = (p0.split_at(h), p2.split_at(h));
    let (shared, carry) = b.add_words(h0, l2, CarryOut::Flag);
    let (carry, _) = b.add(ZERO, ZERO, carry, CarryOut::Never);
    let (middle, above) = b.add_words(&[&shared[..], &shared].concat(), &[l0, h2].concat(), CarryOut::Flag);
    // The shared words' carry counts at H² and at H³.
    let (top, _) = b.add(carry, ZERO, above, CarryOut::Never);
    (middle, top, carry)
}

/// The product from the low half of `P0`, the middle `2h` words, the word above them, and the high
/// half of `P2`.
pub(super) fn join(b: &mut Builder, p0: &[Src], middle: Vec<Src>, top: Src, p2: &[Src]) -> Vec<Src> {
    let h = p0.len() / 2;
    // The total is the product, which has no more words.
    let high = match &p2[h.min(p2.len())..] {
        [] => Vec::new(),
        high => b.add_words(high, &[top], CarryOut::Never).0,
    };
    let words: Vec<Src> = p0[..h].iter().copied().chain(middle).chain(high).collect();
    words[..2 * h + p2.len()].to_vec()
}

/// `x0 - x1` and `y1 - y0`, modulo `H`, and masks of their signs.
struct Differences {
    d: Wide,
    d_negative: Src,
    e: Wide,
    /// `None` for constants, which are ordered.
    e_negative: Option<Src>,
}

impl Differences {
    fn of(b: &mut Builder, (x0, x1): (&Wide, &Wide), (y0, y1): (&Wide, &Wide), h: usize) -> Self {
        let (d, e, e_negative, swap);
        if let (Some(low), Some(high)) = (y0.value(), y1.value()) {
            swap = high < low;
            let value = if swap { low - high } else { high - low };
            (e, e_negative) = (Wide::constant(&value, h), None);
        } else {
            swap = false;
            let (words, negative) = difference(b, &y1.words, &y0.words, h);
            (e, e_negative) = (Wide::new(words, all_ones(h)), Some(negative));
        }
        let (from, minus) = if swap { (x1, x0) } else { (x0, x1) };
        let (words, d_negative) = difference(b, &from.words, &minus.words, h);
        d = Wide::new(words, all_ones(h));
        Differences { d, d_negative, e, e_negative }
    }

    /// Adds `-bd·e - be·d + bd·be·H` to the upper half of the middle and the word above.
    fn correct(&self, b: &mut Builder, mut middle: Vec<Src>, mut top: Src, h: usize) -> (Vec<Src>, Src) {
        let mut subtract = |b: &mut Builder, top: Src, words: &[Src], mask: Src, more: Src| {
            let masked: Vec<Src> = words.iter().map(|&word| b.logic(Logic::And, word, mask)).collect();
            let (high, borrow) = b.sub_words(&middle[h..], &masked, CarryOut::Flag);
            middle.truncate(h);
            middle.extend(high);
            b.sub(top, more, borrow, CarryOut::Lost).0
        };
        top = subtract(b, top, &self.e.words, self.d_negative, ZERO);
        if let Some(e_negative) = self.e_negative {
            // Where both are negative the mask is -1, which is subtracted.
            let both = b.logic(Logic::And, self.d_negative, e_negative);
            top = subtract(b, top, &self.d.words, e_negative, both);
        }
        (middle, top)
    }

    /// `d·e` plus the lower half of the middle: at most `(H - 1)² + H - 1 < H²`.
    fn inner(&self, b: &mut Builder, low: &[Src], levels: u32, h: usize) -> Vec<Src> {
        if levels == 0 {
            let mut acc = Acc::new();
            acc.load(0, 0, low, &all_ones(h));
            let acc = school(b, acc, (&self.d.words, &self.d.max), (&self.e.words, &self.e.max));
            return acc.merge(b, 0, 2 * h);
        }
        let inner = product(b, &self.d, &self.e, levels);
        b.add_words(&inner.words, low, CarryOut::Never).0
    }
}

/// `x - y` modulo `2^(32h)`, and the mask of its borrow.
pub(super) fn difference(b: &mut Builder, x: &[Src], y: &[Src], h: usize) -> (Vec<Src>, Src) {
    let (words, borrow) = b.sub_words(&padded(x, h), &padded(y, h), CarryOut::Flag);
    let (mask, _) = b.sub(ZERO, ZERO, borrow, CarryOut::Lost);
    (words, mask)
}

/// `x + y + carry` of equally many words.
pub(super) fn add_chain(
    b: &mut Builder,
    x: &[Src],
    y: &[Src],
    mut carry: Option<Carry>,
    last: CarryOut,
) -> (Vec<Src>, Option<Carry>) {
    let n = x.len();
    let mut words = Vec::with_capacity(n);
    for k in 0..n {
        let (word, next) = b.add(x[k], y[k], carry, if k + 1 == n { last } else { CarryOut::Flag });
        words.push(word);
        carry = next;
    }
    (words, carry)
}

/// `x + y·2^(32·pos)`, at most `max`, in as many words as `x` has or `max` needs.
pub(super) fn add_at(b: &mut Builder, mut x: Vec<Src>, y: &[Src], pos: usize, max: &BigUint) -> Vec<Src> {
    let n = x.len().max(words_for(max));
    x.resize(n, ZERO);
    if y.is_empty() || pos >= n {
        return x;
    }
    let (high, _) = b.add_words(&x[pos..], y, CarryOut::Never);
    x.truncate(pos);
    x.extend(high);
    x
}

fn padded(x: &[Src], n: usize) -> Vec<Src> {
    let mut x = x.to_vec();
    x.resize(n.max(x.len()), ZERO);
    x
}
