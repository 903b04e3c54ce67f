//! Full squares: rows above the diagonal, doubled, and subtractive Karatsuba.
//!
//! `x² = P0 + (P0 + P2 - (x0 - x1)²)·H + P2·H²` with `P0 = x0²`, `P2 = x1²`; the difference enters as
//! its absolute value. The middle is `2·x0·x1 ≥ 0`; for the carries see [`super::karatsuba`].

use super::acc::{Acc, ZERO, all_ones, term, terms};
use super::karatsuba::{Wide, difference, join, outer};
use crate::targets::ptx::arithmetic::ir::{Builder, CarryOut, Logic, Src};

/// Products of words that [`square`] makes at least.
pub(super) fn word_products(words: usize, levels: u32) -> usize {
    if levels == 0 || words < 2 {
        return words * (words + 1) / 2;
    }
    let h = words.div_ceil(2);
    2 * word_products(h, levels - 1) + word_products(words - h, levels - 1)
}

/// `x²` in `2n` words, by so many levels of Karatsuba.
pub(super) fn square(b: &mut Builder, x: &Wide, levels: u32) -> Wide {
    let n = x.words.len();
    let max = &x.max * &x.max;
    if levels == 0 || n < 2 {
        return Wide::new(school(b, x), max);
    }
    let h = n.div_ceil(2);
    let (x0, x1) = x.split(h);
    let (p0, p2) = (square(b, &x0, levels - 1), square(b, &x1, levels - 1));
    let (d, negative) = difference(b, &x0.words, &x1.words, h);
    // |d| = (d ^ mask) - mask; nothing is left of the last borrow, since |d| < H.
    let flipped: Vec<Src> = d.iter().map(|&word| b.logic(Logic::Xor, word, negative)).collect();
    let (d, _) = b.sub_words(&flipped, &vec![negative; h], CarryOut::Lost);
    let d = square(b, &Wide::new(d, all_ones(h)), levels - 1);
    let (middle, top, carry) = outer(b, &p0.words, &p2.words, h);
    let (middle, borrow) = b.sub_words(&middle, &d.words, CarryOut::Flag);
    let (top, _) = b.sub(top, ZERO, borrow, CarryOut::Lost);
    let (high, carry) = b.add_words(&middle[h..], &[carry], CarryOut::Flag);
    let (top, _) = b.add(top, ZERO, carry, CarryOut::Lost);
    let middle: Vec<Src> = middle[..h].iter().copied().chain(high).collect();
    Wide::new(join(b, &p0.words, middle, top, &p2.words), max)
}

/// The products above the diagonal once, twice that, and the squares of the words in one chain.
fn school(b: &mut Builder, x: &Wide) -> Vec<Src> {
    let n = x.words.len();
    let mut cross = Acc::new();
    for i in 0..n - 1 {
        let row = &x.words[i + 1..];
        cross.row(b, &terms(row), &all_ones(row.len()), x.words[i], 2 * i + 1);
    }
    let mut acc = Acc::new();
    if n > 1 {
        let cross = cross.merge(b, 1, 2 * n - 1);
        let mut doubled = vec![ZERO, b.shl(cross[0], 1)];
        doubled.extend(cross.windows(2).map(|pair| b.shf_l(pair[0], pair[1], 1)));
        doubled.push(b.shr(cross[cross.len() - 1], 31));
        acc.load(0, 0, &doubled, &(&x.max * &x.max));
    }
    let squares: Vec<_> = x.words.iter().map(|&word| (term(word), word)).collect();
    acc.products(b, 0, &squares, &(&x.max * &x.max));
    acc.merge(b, 0, 2 * n)
}
