//! What each variant asks and promises, evaluated on big integers.
//!
//! Written from the definitions, not from the variants: with `X` the largest operand, `C` what an element
//! holds, `R` the radix of the layout, and `k` the least integer with `k·p ≥ Y`, at least 1,
//!
//! | variant | asks | at most |
//! | --- | --- | --- |
//! | `add`, `dbl`, `mul_small`, loose or carried | result `< C` | `Σ cᵢ·Xᵢ` |
//! | `sub`, `neg`, loose or carried | result `< C` | `X + k·p` |
//! | products, carried | result `< C` | `⌊(Σ X·Y + (R-1)·p)/R⌋` |
//! | `from_mont.carried` | result `< C` | `⌊(X + (R-1)·p)/R⌋` |
//! | `mul_table.carried`, `D = 2^(32·rows)` | result `< C` | `⌊(Σ X'·W + (D-1)·p)/D⌋`, `X'` the most that the words of an entry make, by the limbs |
//! | `reduce.weak` | result `< C` | `2p - 1` |
//! | copies and `reduce.carried` | result `< C` | `X` |
//! | any canonical | | `p - 1` |
//!
//! How loose limbs are is no part of a certificate, as on the target [`simd`](crate::targets::simd).

use super::bound::{MOST, by_limbs, limbs};
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::{Outcome, Rules};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;

/// The numbers of a field, of which the rules are made.
pub struct Numbers {
    p: BigUint,
    words: usize,
    limbs: usize,
    capacity: BigUint,
}

impl Rules for Numbers {
    fn unit(&self) -> &BigUint {
        &self.p
    }

    fn capacity(&self) -> &BigUint {
        &self.capacity
    }

    fn outcome(&self, op: &FieldOp, variant: &str, x: &[BigUint]) -> Option<Outcome> {
        let (family, form) = variant.split_once('.')?;
        match (op, family) {
            (FieldOp::Add, "add") => self.form(form, &x[0] + &x[1]),
            (FieldOp::Dbl, "dbl") => self.form(form, &x[0] * 2u32),
            (FieldOp::Sub, "sub") => self.difference(form, &x[0], &x[1]),
            (FieldOp::Neg, "neg") => self.difference(form, &BigUint::ZERO, &x[0]),
            (FieldOp::MulSmall(c), "mul_small") => match form {
                "zero" if *c == 0 => self.form("canonical", BigUint::ZERO),
                "copy" if *c == 1 => self.form("carried", x[0].clone()),
                "copied" if *c == 1 && x[0] < self.p => self.form("carried", x[0].clone()),
                "reduced" if *c == 1 => self.form("canonical", BigUint::ZERO),
                _ => match form.strip_prefix("const.") {
                    Some(form) => self.by_constant(form, &x[0], &(*c).into()),
                    None => self.form(form, &x[0] * *c),
                },
            },
            (FieldOp::Mul, "mul") => self.product(form, &x[0] * &x[1]),
            (FieldOp::Sqr, "sqr") => self.product(form, &x[0] * &x[0]),
            (FieldOp::Dot(_), "dot") => {
                self.product(form, x.chunks_exact(2).map(|pair| &pair[0] * &pair[1]).sum())
            }
            (FieldOp::MulConst(c), "mul_const") => self.by_constant(form, &x[0], c),
            (FieldOp::FromMont, "from_mont") => self.product(form, x[0].clone()),
            (FieldOp::MulTable { step, rows }, "mul_table") => {
                let all = by_limbs(&x[0], self.limbs);
                let of = |(i, w): (usize, &BigUint)| self.chunk(&all, *step as usize, i) * w;
                self.divided(form, x[1..].iter().enumerate().map(of).sum(), *rows as usize)
            }
            (FieldOp::ReduceFull, "reduce") => match form {
                "canonical" => self.form(form, BigUint::ZERO),
                "copy" if x[0] < self.p => self.form("carried", x[0].clone()),
                _ => None,
            },
            (FieldOp::ReduceWeak, "reduce") => match form {
                "weak" => self.form("carried", &self.p * 2u32 - 1u32),
                "copy" | "carried" => self.form("carried", x[0].clone()),
                _ => None,
            },
            (FieldOp::IsZero, "is_zero") | (FieldOp::MaybeZero, "maybe_zero") => {
                let right = form == "canonical" || form == "copy" && x[0] < self.p;
                right.then(|| Outcome { max: None, conditions: vec![] })
            }
            _ => None,
        }
    }
}

impl Numbers {
    pub(super) fn new(field: &FieldDesc) -> Self {
        Numbers { p: field.p.clone(), words: field.words, limbs: limbs(field), capacity: &field.p * MOST }
    }

    /// At most `max`, which an element must hold, or canonical.
    fn form(&self, form: &str, max: BigUint) -> Option<Outcome> {
        match form {
            "loose" | "carried" => {
                let least = (&max + 1u32).max(self.p.clone());
                Some(Outcome { max: Some(max), conditions: vec![(least, self.capacity.clone())] })
            }
            "canonical" => Some(Outcome { max: Some(&self.p - 1u32), conditions: vec![] }),
            _ => None,
        }
    }

    fn difference(&self, form: &str, x: &BigUint, y: &BigUint) -> Option<Outcome> {
        let above = y.div_ceil(&self.p).max(BigUint::one()) * &self.p;
        self.form(form, x + above)
    }

    fn product(&self, form: &str, sum: BigUint) -> Option<Outcome> {
        self.divided(form, sum, self.words)
    }

    /// A sum that is divided by this many words.
    fn divided(&self, form: &str, sum: BigUint, words: usize) -> Option<Outcome> {
        let divisor = BigUint::one() << (32 * words);
        self.form(form, (sum + (&divisor - 1u32) * &self.p) / &divisor)
    }

    /// The most that the words of entry `i` make of a number up to `x`; the last has all that is left.
    fn chunk(&self, x: &BigUint, step: usize, i: usize) -> BigUint {
        let all = x >> (32 * step * i);
        let is_last = (i + 1) * step >= self.words;
        if is_last { all } else { all.min((BigUint::one() << (32 * step)) - 1u32) }
    }

    fn by_constant(&self, form: &str, x: &BigUint, c: &BigUint) -> Option<Outcome> {
        self.product(form, x * ((c << (32 * self.words)) % &self.p))
    }
}
