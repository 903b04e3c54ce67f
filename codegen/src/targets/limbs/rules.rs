//! What each variant asks and promises, evaluated on big integers.
//!
//! Written from the definitions, not from the variants: with `X` the largest operand, `C` what an element
//! holds, and `k` the least integer with `k·p ≥ Y`, at least 1,
//!
//! | variant | asks | at most |
//! | --- | --- | --- |
//! | `add.lazy`, `dbl.lazy`, `mul_small.lazy` | result `< C` | `Σ cᵢ·Xᵢ` |
//! | `sub.lazy`, `neg.lazy` | result `< C` | `X + k·p` |
//! | `sub.borrow`, `neg.borrow` | result `< C` | `max(X, k·p - 1)` |
//! | products, lazy | result `< C` | `⌊(Σ X·Y + (R-1)·p)/R⌋` |
//! | `from_mont.lazy` | result `< C` | `⌊(X + (R-1)·p)/R⌋` |
//! | `mul_table.lazy`, `D = 2^(B·rows)` | result `< C` | `⌊(Σ X'·W + (D-1)·p)/D⌋`, `X'` the most that the limbs of an entry make |
//! | `reduce.weak` | result `< C` | `2p - 1` |
//! | copies | result `< C` | `X` |
//! | any canonical | | `p - 1` |

use super::Limbs;
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::{Outcome, Rules};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;

/// The numbers of a field, of which the rules are made.
pub struct Numbers {
    p: BigUint,
    unit: BigUint,
    capacity: BigUint,
    /// Bits of a limb, and limbs of an element.
    bits: usize,
    limbs: usize,
    of_layout: bool,
}

impl Rules for Numbers {
    fn unit(&self) -> &BigUint {
        &self.unit
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
                "copy" if *c == 1 => self.form("lazy", x[0].clone()),
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
            (FieldOp::ReduceFull, "reduce") => match form {
                "ladder" => self.form("canonical", BigUint::ZERO),
                "copy" if x[0] < self.p => self.form("lazy", x[0].clone()),
                _ => None,
            },
            (FieldOp::ReduceWeak, "reduce") => match form {
                "weak" => self.form("lazy", &self.p * 2u32 - 1u32),
                "copy" => self.form("lazy", x[0].clone()),
                _ => None,
            },
            (FieldOp::FromMont, "from_mont") if self.of_layout => self.product(form, x[0].clone()),
            (FieldOp::MulTable { step, rows }, "mul_table") if self.of_layout => {
                let (step, rows) = (*step as usize, *rows as usize);
                let of = |(i, w): (usize, &BigUint)| self.part(&x[0], i * step, (i + 1) * step) * w;
                self.divided(form, x[1..].iter().enumerate().map(of).sum(), rows)
            }
            (FieldOp::IsZero, "is_zero") | (FieldOp::MaybeZero, "maybe_zero") => {
                let right = form == "ladder" || form == "copy" && x[0] < self.p;
                right.then(|| Outcome { max: None, conditions: vec![] })
            }
            _ => None,
        }
    }
}

impl Numbers {
    pub(in crate::targets) fn of<T: Limbs>(field: &FieldDesc) -> Self {
        Numbers {
            p: field.p.clone(),
            unit: T::unit(field),
            capacity: T::capacity(field),
            bits: T::BITS,
            limbs: T::limbs(field),
            of_layout: T::of_layout(field),
        }
    }

    /// At most `max`, which an element must hold, or canonical.
    fn form(&self, form: &str, max: BigUint) -> Option<Outcome> {
        match form {
            "lazy" => {
                let least = (&max + 1u32).max(self.p.clone());
                Some(Outcome { max: Some(max), conditions: vec![(least, self.capacity.clone())] })
            }
            "canonical" => Some(Outcome { max: Some(&self.p - 1u32), conditions: vec![] }),
            _ => None,
        }
    }

    fn difference(&self, form: &str, x: &BigUint, y: &BigUint) -> Option<Outcome> {
        let above = y.div_ceil(&self.p).max(BigUint::one()) * &self.p;
        match form {
            "borrow" => self.form("lazy", x.max(&(above - 1u32)).clone()),
            _ => self.form(form, x + above),
        }
    }

    fn product(&self, form: &str, sum: BigUint) -> Option<Outcome> {
        self.divided(form, sum, self.limbs)
    }

    /// A sum that is divided by this many limbs.
    fn divided(&self, form: &str, sum: BigUint, rows: usize) -> Option<Outcome> {
        let divisor = BigUint::one() << (self.bits * rows);
        self.form(form, (sum + (&divisor - 1u32) * &self.p) / &divisor)
    }

    /// The most that limbs `from..to` make of a number up to `x`, limb by limb.
    fn part(&self, x: &BigUint, from: usize, to: usize) -> BigUint {
        let limb = (BigUint::one() << self.bits) - 1u32;
        let of = |i: usize| (x >> (self.bits * i)).min(limb.clone()) << (self.bits * (i - from));
        (from..to.min(self.limbs)).map(of).sum()
    }

    fn by_constant(&self, form: &str, x: &BigUint, c: &BigUint) -> Option<Outcome> {
        self.product(form, x * ((c << (self.bits * self.limbs)) % &self.p))
    }
}
