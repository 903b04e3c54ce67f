//! What each variant asks and promises, evaluated on big integers.
//!
//! Written from the definitions, not from the variants: with `X` the largest operand, `C` what an element
//! holds, and `k` the least integer with `k·p ≥ Y`, at least 1,
//!
//! | variant | asks | at most |
//! | --- | --- | --- |
//! | `add`, `dbl`, `mul_small`, loose or carried | result `< C` | `Σ cᵢ·Xᵢ` |
//! | `sub`, `neg`, loose or carried | result `< C` | `X + k·p` |
//! | products, loose or carried | result `< C` | `⌊(Σ X·Y + (R-1)·p)/R⌋` |
//! | `reduce.weak` | result `< C` | `2p - 1` |
//! | copies and `reduce.carried` | result `< C` | `X` |
//! | any canonical | | `p - 1` |
//!
//! How loose limbs are is no part of a certificate. It is part of every bound: the
//! [gate](crate::passes::gate) holds the bounds of operands against those of the values that they are.

use super::bound::Limbs;
use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::{Outcome, Rules};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;

/// The numbers of a field, of which the rules are made.
pub struct Numbers {
    p: BigUint,
    r: BigUint,
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
            (FieldOp::IsZero, "is_zero") => {
                let right = form == "canonical" || form == "copy" && x[0] < self.p;
                right.then(|| Outcome { max: None, conditions: vec![] })
            }
            _ => None,
        }
    }
}

impl Numbers {
    pub(super) fn new(limbs: Limbs, field: &FieldDesc) -> Self {
        Numbers { p: field.p.clone(), r: limbs.r(), capacity: &field.p * limbs.most(field) }
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
        self.form(form, (sum + (&self.r - 1u32) * &self.p) / &self.r)
    }

    fn by_constant(&self, form: &str, x: &BigUint, c: &BigUint) -> Option<Outcome> {
        self.product(form, x * (c * &self.r % &self.p))
    }
}
