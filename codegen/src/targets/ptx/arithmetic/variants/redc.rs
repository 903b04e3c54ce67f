//! Montgomery reduction of a product that stands in words: `T → T/R (mod p)`.
//!
//! - **Rows**: `n` Montgomery rows.
//! - **M rows**: with `M = 2^(-32k) mod p`, `T/2^(32k) ≡ ⌊T/2^(32k)⌋ + (T mod 2^(32k))·M`: `k` rows whose
//!   factors are `T`'s own words, known from the start, in place of `k` Montgomery rows, and no
//!   `m` for them. `n - k` Montgomery rows remain. The rows alternate, which keeps the window narrow.
//! - **M block**: the same with `k = n/2` and the product by `M` made by Karatsuba.
//!
//! The result is at most `(V + (2^(32(n-k)) - 1)·p)/2^(32(n-k))` for `V` at most
//! `⌊T/2^(32k)⌋ + (2^(32k) - 1)·M`: about `T/R + p`, and `M·2^(32(2k-n))` more, which counts for `k = n/2`
//! only. No operand has a bound of its own, only `T` has.

use num_bigint::BigUint;

use super::acc::{Acc, Modulus, all_ones, school, terms};
use super::karatsuba::{Wide, add_at, product};
use super::product::row_products;
use super::{nonzero, words_for};
use crate::declaration::FieldDesc;
use crate::targets::ptx::arithmetic::ir::{Builder, Src};

/// How to reduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reduction {
    /// Montgomery rows only.
    Rows,
    /// The most M rows that cost no bound: `k < n/2`.
    MRows,
    /// `k = n/2` M rows, even `n`.
    MHalf,
    /// A block of `k = n/2` words by so many levels of Karatsuba, even `n`.
    MBlock(u32),
}

impl Reduction {
    /// Whether it is one of its own at `n` words.
    pub(super) fn exists(self, n: usize) -> bool {
        match self {
            Reduction::Rows => true,
            Reduction::MRows => n > 2,
            Reduction::MHalf => n.is_multiple_of(2),
            // Each level halves the words.
            Reduction::MBlock(levels) => n.is_multiple_of(2) && (n / 2) >> levels > 1,
        }
    }

    /// Words that are multiplied by `M`.
    fn k(self, n: usize) -> usize {
        match self {
            Reduction::Rows => 0,
            Reduction::MRows => (n - 1) / 2,
            Reduction::MHalf | Reduction::MBlock(_) => n / 2,
        }
    }

    /// Products of words that it makes at least.
    pub(super) fn products(self, f: &FieldDesc) -> usize {
        let k = self.k(f.words);
        let block = match self {
            Reduction::MRows | Reduction::MHalf => k * nonzero(&m_of(f, k)),
            // Of a block's words some may be zero, and so may differences of its halves.
            Reduction::Rows | Reduction::MBlock(_) => 0,
        };
        block + (f.words - k) * row_products(f)
    }

    /// The largest result for `T ≤ max`.
    pub(super) fn max(self, f: &FieldDesc, max: &BigUint) -> BigUint {
        let rows = 32 * (f.words - self.k(f.words));
        (self.block_max(f, max) + &f.p * ((BigUint::from(1u32) << rows) - 1u32)) >> rows
    }

    /// The largest `V`.
    fn block_max(self, f: &FieldDesc, max: &BigUint) -> BigUint {
        let k = self.k(f.words);
        (max >> (32 * k)) + m_of(f, k) * all_ones(k)
    }

    /// `T/R` modulo `p`, in `n` words or as many more as its bound needs.
    pub(super) fn emit(self, b: &mut Builder, f: &FieldDesc, t: &Wide) -> Vec<Src> {
        let max = self.max(f, &t.max);
        match self {
            Reduction::Rows => rows(b, f, &t.words, f.words, &max),
            Reduction::MRows | Reduction::MHalf => m_rows(b, f, &t.words, self.k(f.words), &max),
            Reduction::MBlock(levels) => {
                let v = m_block(b, f, t, levels, &self.block_max(f, &t.max));
                rows(b, f, &v, f.words - self.k(f.words), &max)
            }
        }
    }
}

/// `2^(-32k) mod p`.
fn m_of(f: &FieldDesc, k: usize) -> BigUint {
    let n0 = f.n0();
    let mut m = BigUint::from(1u32);
    for _ in 0..k {
        let low = m.iter_u32_digits().next().unwrap_or(0);
        m = (m + &f.p * low.wrapping_mul(n0)) >> 32;
    }
    m % &f.p
}

/// `count` Montgomery rows on `v`; the result is at most `max`.
///
/// The rows work on the lowest `n` words: before row `j` they hold `(v + q·p)/2^(32j)` with `v < R` and
/// `q < 2^(32j)`, so that no row overflows a window of `n + 1` words, for any `p`.
fn rows(b: &mut Builder, f: &FieldDesc, v: &[Src], count: usize, max: &BigUint) -> Vec<Src> {
    let n = f.words;
    let modulus = Modulus::of(f);
    let mut acc = Acc::new();
    acc.load(0, 0, &v[..n], &all_ones(n));
    for row in 0..count {
        acc.montgomery(b, &modulus, row);
    }
    finish(b, acc, count, n, &v[n..], max)
}

/// `k` M rows, alternating with Montgomery rows, and the remaining Montgomery rows.
fn m_rows(b: &mut Builder, f: &FieldDesc, t: &[Src], k: usize, max: &BigUint) -> Vec<Src> {
    let n = f.words;
    let (m, modulus) = (m_of(f, k), Modulus::of(f));
    let m_terms = terms(&super::immediates(&m, n));
    // Whole pairs of words only.
    let loaded = k + n - n % 2;
    let mut acc = Acc::new();
    acc.load(k % 2, k, &t[k..loaded], &all_ones(loaded - k));
    // There are at least as many Montgomery rows as M rows.
    let words = t[..k].iter().map(Some).chain(std::iter::repeat(None));
    for (pos, word) in (k..n).zip(words) {
        if let Some(&word) = word {
            acc.row(b, &m_terms, &m, word, pos);
        }
        acc.montgomery(b, &modulus, pos);
    }
    finish(b, acc, n, loaded, &t[loaded..], max)
}

/// The words of `acc` from `from` and `rest` at `at`, at most `max` together.
fn finish(b: &mut Builder, mut acc: Acc, from: usize, at: usize, rest: &[Src], max: &BigUint) -> Vec<Src> {
    // What is added later is not negative.
    acc.limit(&(((max + 1u32) << (32 * from)) - 1u32));
    let words = acc.merge(b, from, from + words_for(max).max(at - from + rest.len()).max(1));
    let words = add_at(b, words, rest, at - from, max);
    words[..words_for(max).max(1)].to_vec()
}

/// `⌊T/2^(32k)⌋ + (T mod 2^(32k))·M ≤ max` for `k = n/2`.
fn m_block(b: &mut Builder, f: &FieldDesc, t: &Wide, levels: u32, max: &BigUint) -> Vec<Src> {
    let n = f.words;
    let k = n / 2;
    let (low, high) = t.split(k);
    let (m_low, m_high) = Wide::constant(&m_of(f, k), n).split(k);
    let u = product(b, &low, &m_low, levels);
    let v = if levels == 0 {
        let mut acc = Acc::new();
        acc.load(0, 0, &u.words[k..], &all_ones(k));
        school(b, acc, (&m_high.words, &m_high.max), (&low.words, &low.max)).merge(b, 0, n)
    } else {
        let v = product(b, &low, &m_high, levels);
        // (2^(32k) - 1)·M_high + 2^(32k) - 1 < 2^(64k)
        add_at(b, v.words, &u.words[k..], 0, &all_ones(n))
    };
    let product: Vec<Src> = u.words[..k].iter().copied().chain(v).collect();
    if product.len() > high.words.len() {
        add_at(b, product, &high.words, 0, max)
    } else {
        add_at(b, high.words, &product, 0, max)
    }
}
