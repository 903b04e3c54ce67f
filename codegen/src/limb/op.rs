//! The operations.

use num_bigint::BigUint;

use crate::spec::FieldDesc;

/// A field operation on words. Field operands are inputs of `n` words each, in the order given here.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LimbOp {
    /// `x, y → x + y`.
    Add,
    /// `x, y → x - y`.
    Sub,
    /// `x → -x`.
    Neg,
    /// `x → 2x`.
    Dbl,
    /// `x, y → x·y/R`, the Montgomery product.
    Mul,
    /// `x → x²/R`.
    Sqr,
    /// `x → c·x`, any `c`, an ordinary small integer.
    MulSmall(u32),
    /// `x → c·x` for a field element `c`, given canonically and *not* in Montgomery form; the words of
    /// `c·R mod p` become immediates. `MulConst(R mod p)` brings integers to Montgomery form.
    MulConst(BigUint),
    /// `x0, y0, x1, y1, … → Σ xᵢ·yᵢ/R` over this many products, with one reduction.
    Dot(usize),
    /// `x0, x1, …, y → x0·y/R, x1·y/R, …`, this many products.
    MulShared(usize),
    /// `x, w0, w1, … → x·w` for the constant `w` whose table is `w0, w1, …`: with `B = 2^32`,
    /// `wᵢ ≡ w·B^(rows + step·i)`, and `⌈words/step⌉` of them. Exactly: `Σ xᵢ·wᵢ/B^rows`, `xᵢ` being words
    /// `step·i..step·(i+1)` of `x`. `1 ≤ step ≤ rows`; at most [`MAX_ROWS`](super::MAX_ROWS) rows.
    MulTable {
        /// Words of `x` that one entry serves.
        step: u32,
        /// Rows of reduction.
        rows: u32,
    },
    /// `x → x/R`, canonical: the integer that a Montgomery form stands for.
    FromMont,
    /// `x → x`, canonical.
    ReduceFull,
    /// `x → x`, to the least bound that looking at top words can reach: about `<1p` plus `2^-30` of
    /// the top word's range.
    ReduceWeak,
    /// `x → x ≡ 0 (mod p)`, one word 0 or 1. The result's bound says nothing.
    IsZero,
    /// `x → 1` where `x ≡ 0 (mod p)`, 0 or 1 elsewhere. The result's bound says nothing.
    MaybeZero,
}

impl LimbOp {
    /// Number of field operands: the bounds that [`choices`](super::choices) takes.
    pub fn operands(&self, field: &FieldDesc) -> usize {
        match self {
            LimbOp::MulShared(m) => m + 1,
            LimbOp::MulTable { step, .. } => 1 + field.words.div_ceil((*step).max(1) as usize),
            LimbOp::Add | LimbOp::Sub | LimbOp::Mul => 2,
            LimbOp::Dot(k) => 2 * k,
            LimbOp::Neg
            | LimbOp::Dbl
            | LimbOp::Sqr
            | LimbOp::MulSmall(_)
            | LimbOp::MulConst(_)
            | LimbOp::FromMont
            | LimbOp::ReduceFull
            | LimbOp::ReduceWeak
            | LimbOp::IsZero
            | LimbOp::MaybeZero => 1,
        }
    }

    /// Number of results.
    pub fn results(&self) -> usize {
        match self {
            LimbOp::MulShared(m) => *m,
            _ => 1,
        }
    }
}
