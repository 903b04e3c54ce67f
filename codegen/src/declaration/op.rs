//! The operations of a field: what each is, in one place. Kernels are written with them, passes and back ends
//! ask here for operands, results, text and meaning.

use num_bigint::BigUint;

use super::FieldDesc;

/// Most rows of a product by a table: more only cost.
pub const MAX_ROWS: u32 = 33;

/// Largest nonresidue of [`FieldOp::DotFq2`], of either sign: others are multiplied with before.
pub const MAX_NONRESIDUE: u32 = 16;

/// A field operation. Field operands are in the order given here; on words they are inputs of `n` words each,
/// in Montgomery form with `R = 2^(32n)`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldOp {
    /// `x, y → x + y`.
    Add,
    /// `x, y → x - y`.
    Sub,
    /// `x → -x`.
    Neg,
    /// `x → 2x`.
    Dbl,
    /// `x, y → x·y`; on words `x·y/R`, the Montgomery product.
    Mul,
    /// `x → x²`; on words `x²/R`.
    Sqr,
    /// `x → c·x`, any `c`, an ordinary small integer.
    MulSmall(u32),
    /// `x → c·x` for a field element `c`, given canonically and *not* in Montgomery form; the words of
    /// `c·R mod p` become immediates. `MulConst(R mod p)` brings integers to Montgomery form.
    MulConst(BigUint),
    /// `x0, y0, x1, y1, … → Σ xᵢ·yᵢ` over this many products, at least one, with one reduction.
    Dot(usize),
    /// `x0, x1, …, y → x0·y, x1·y, …`, this many products, at least one.
    MulShared(usize),
    /// `x, w0, w1, … → x·w` for the constant `w` whose table is `w0, w1, …`: with `B = 2^32`, on words
    /// `wᵢ ≡ w·B^(rows + step·i)`, and `⌈words/step⌉` of them. Exactly: `Σ xᵢ·wᵢ/B^rows`, `xᵢ` being words
    /// `step·i..step·(i+1)` of `x`. `1 ≤ step ≤ rows`; at most [`MAX_ROWS`] rows.
    MulTable {
        /// Words of `x` that one entry serves.
        step: u32,
        /// Rows of reduction.
        rows: u32,
    },
    /// `x0, x1, y0, y1, … → Σ x0·y0 + nonresidue·Σ x1·y1, Σ (x0·y1 + x1·y0)` over this many products, at
    /// least one: the coordinates of `Σ (x0 + x1·u)·(y0 + y1·u)` where `u² = nonresidue`, an ordinary small
    /// integer other than 0 and at most [`MAX_NONRESIDUE`] from it. One reduction for each coordinate.
    DotFq2 {
        /// Products.
        terms: usize,
        /// `u²`.
        nonresidue: i32,
    },
    /// `x → x/R`: the element whose Montgomery words are the canonical integer `x`; on words the integer that
    /// a Montgomery form stands for, canonical.
    FromMont,
    /// `x → x`, canonical. Placed by a pass, never written by hand.
    ReduceFull,
    /// `x → x`, to the least bound that looking at top words can reach: about `<1p` plus `2^-30` of
    /// the top word's range. Placed by a pass, never written by hand.
    ReduceWeak,
    /// `x → x ≡ 0 (mod p)`, on words 0 or 1. The result's bound says nothing.
    IsZero,
    /// `x → 1` where `x ≡ 0 (mod p)`, 0 or 1 elsewhere: the cheap test before the exact one. The result's
    /// bound says nothing.
    MaybeZero,
}

/// What an operation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// A field element.
    Element,
    /// Several field elements.
    Elements,
    /// A truth value.
    Truth,
}

/// Operations whose text is a name and their operands.
const NAMES: [(&str, FieldOp); 11] = [
    ("add", FieldOp::Add),
    ("sub", FieldOp::Sub),
    ("neg", FieldOp::Neg),
    ("dbl", FieldOp::Dbl),
    ("mul", FieldOp::Mul),
    ("sqr", FieldOp::Sqr),
    ("from_mont", FieldOp::FromMont),
    ("reduce", FieldOp::ReduceFull),
    ("weak", FieldOp::ReduceWeak),
    ("is_zero", FieldOp::IsZero),
    ("maybe_zero", FieldOp::MaybeZero),
];

impl FieldOp {
    /// Number of field operands; that of a product by a table depends on the field.
    pub fn operands(&self, field: &FieldDesc) -> usize {
        self.arity().unwrap_or_else(|step| 1 + field.words.div_ceil(step))
    }

    /// The number of operands, or how many words of the factor an entry of the table serves.
    fn arity(&self) -> Result<usize, usize> {
        Ok(match self {
            FieldOp::MulTable { step, .. } => return Err((*step).max(1) as usize),
            FieldOp::MulShared(m) => m + 1,
            FieldOp::Dot(k) => 2 * k,
            FieldOp::DotFq2 { terms, .. } => 4 * terms,
            FieldOp::Add | FieldOp::Sub | FieldOp::Mul => 2,
            FieldOp::Neg
            | FieldOp::Dbl
            | FieldOp::Sqr
            | FieldOp::MulSmall(_)
            | FieldOp::MulConst(_)
            | FieldOp::FromMont
            | FieldOp::ReduceFull
            | FieldOp::ReduceWeak
            | FieldOp::IsZero
            | FieldOp::MaybeZero => 1,
        })
    }

    /// Number of results.
    pub fn results(&self) -> usize {
        match self {
            FieldOp::MulShared(m) => *m,
            FieldOp::DotFq2 { .. } => 2,
            _ => 1,
        }
    }

    /// What it gives.
    pub fn gives(&self) -> Gives {
        match self {
            FieldOp::MulShared(_) | FieldOp::DotFq2 { .. } => Gives::Elements,
            FieldOp::IsZero | FieldOp::MaybeZero => Gives::Truth,
            _ => Gives::Element,
        }
    }

    /// Why it is none of a field, if so, with this many operands.
    pub fn fault(&self, field: &FieldDesc, operands: usize) -> Option<String> {
        match self {
            FieldOp::MulConst(c) if *c >= field.p => return Some("constant is not below p".into()),
            FieldOp::Dot(0) | FieldOp::MulShared(0) | FieldOp::DotFq2 { terms: 0, .. } => {
                return Some("there is nothing to multiply".into());
            }
            FieldOp::MulTable { step, rows } if !(1..=*rows).contains(step) || *rows > MAX_ROWS => {
                return Some(format!("a step of {step} with {rows} rows"));
            }
            FieldOp::DotFq2 { nonresidue, .. }
                if !(1..=MAX_NONRESIDUE).contains(&nonresidue.unsigned_abs()) =>
            {
                return Some(format!("a nonresidue of {nonresidue}"));
            }
            _ => {}
        }
        let wanted = self.operands(field);
        (operands != wanted).then(|| format!("{operands} operands, expected {wanted}"))
    }

    /// Whether it is one of extensions, too.
    pub fn of_extensions(&self) -> bool {
        match self {
            FieldOp::Add
            | FieldOp::Sub
            | FieldOp::Neg
            | FieldOp::Dbl
            | FieldOp::Mul
            | FieldOp::Sqr
            | FieldOp::MulSmall(_)
            | FieldOp::Dot(_)
            | FieldOp::IsZero
            | FieldOp::MaybeZero => true,
            FieldOp::MulConst(_)
            | FieldOp::MulShared(_)
            | FieldOp::DotFq2 { .. }
            | FieldOp::MulTable { .. }
            | FieldOp::FromMont
            | FieldOp::ReduceFull
            | FieldOp::ReduceWeak => false,
        }
    }

    /// Multiplications that it takes.
    pub fn products(&self) -> usize {
        match self {
            FieldOp::Mul | FieldOp::Sqr | FieldOp::MulConst(_) | FieldOp::MulTable { .. } => 1,
            FieldOp::Dot(k) | FieldOp::MulShared(k) => *k,
            FieldOp::DotFq2 { terms, .. } => 3 * terms,
            _ => 0,
        }
    }

    /// Whether it adds or subtracts, and no more.
    pub fn is_sum(&self) -> bool {
        use FieldOp::{Add, Dbl, MulSmall, Neg, Sub};
        matches!(self, Add | Sub | Neg | Dbl | MulSmall(_))
    }

    /// Whether it is a test for zero.
    pub fn tests_zero(&self) -> bool {
        matches!(self, FieldOp::IsZero | FieldOp::MaybeZero)
    }

    /// Whether it changes the bound of an element only.
    pub fn reduces(&self) -> bool {
        matches!(self, FieldOp::ReduceFull | FieldOp::ReduceWeak)
    }

    /// Its name in texts, without operands and immediate.
    pub fn name(&self) -> String {
        let known = NAMES.iter().find(|(_, op)| op == self);
        match self {
            FieldOp::MulSmall(_) => "mul_small".into(),
            FieldOp::MulConst(_) => "mul_const".into(),
            FieldOp::Dot(_) => "dot".into(),
            FieldOp::MulShared(_) => "mul_shared".into(),
            FieldOp::MulTable { step, rows } => format!("mul_table.{step}.{rows}"),
            FieldOp::DotFq2 { nonresidue, .. } => format!("dot_fq2.{nonresidue}"),
            _ => known.expect("all others are in the table").0.into(),
        }
    }

    /// The number that its text ends with.
    pub fn immediate(&self) -> Option<BigUint> {
        match self {
            FieldOp::MulSmall(k) => Some((*k).into()),
            FieldOp::MulConst(c) => Some(c.clone()),
            _ => None,
        }
    }

    /// The operation with this name, cut at its points, on so many operands, before a number if there is one;
    /// the inverse of [`FieldOp::name`] and [`FieldOp::immediate`].
    pub fn parse(name: &[&str], operands: usize, immediate: Option<&BigUint>) -> Option<FieldOp> {
        let op = match (name, immediate) {
            (["mul_small"], Some(k)) => FieldOp::MulSmall(u32::try_from(k).ok()?),
            (["mul_const"], Some(c)) => FieldOp::MulConst(c.clone()),
            (["dot"], None) if operands > 0 => FieldOp::Dot(operands / 2),
            (["mul_shared"], None) if operands > 1 => FieldOp::MulShared(operands - 1),
            (["mul_table", step, rows], None) if operands > 0 => {
                FieldOp::MulTable { step: step.parse().ok()?, rows: rows.parse().ok()? }
            }
            (["dot_fq2", nonresidue], None) if operands > 0 => {
                FieldOp::DotFq2 { terms: operands / 4, nonresidue: nonresidue.parse().ok()? }
            }
            ([name], None) => NAMES.iter().find(|(known, _)| known == name)?.1.clone(),
            _ => return None,
        };
        let fits = op.arity().map_or(true, |arity| arity == operands);
        fits.then_some(op)
    }

    /// Its results, elements as numbers below `p`; a truth value is 0 or 1. `MaybeZero` says 1 for all even
    /// numbers: wrong for half of them, so that who relies on it is found out. The entries of a table are
    /// believed.
    pub fn values(&self, field: &FieldDesc, x: &[&BigUint]) -> Vec<BigUint> {
        let p = &field.p;
        let truth = |yes: bool| BigUint::from(u32::from(yes));
        let one = match self {
            FieldOp::Add => x[0] + x[1],
            FieldOp::Sub => x[0] + p - x[1],
            FieldOp::Neg => p - x[0],
            FieldOp::Dbl => x[0] * 2u32,
            FieldOp::Mul => x[0] * x[1],
            FieldOp::Sqr => x[0] * x[0],
            FieldOp::MulSmall(k) => x[0] * *k,
            FieldOp::MulConst(c) => x[0] * c,
            FieldOp::Dot(_) => x.chunks_exact(2).map(|pair| pair[0] * pair[1]).sum(),
            FieldOp::MulShared(m) => return x[..*m].iter().map(|factor| *factor * x[*m] % p).collect(),
            FieldOp::DotFq2 { nonresidue, .. } => {
                let mut sums = [BigUint::ZERO; 2];
                for term in x.chunks_exact(4) {
                    let square = term[1] * term[3] * nonresidue.unsigned_abs() % p;
                    sums[0] += term[0] * term[2] + if *nonresidue < 0 { p - square } else { square };
                    sums[1] += term[0] * term[3] + term[1] * term[2];
                }
                return sums.map(|sum| sum % p).to_vec();
            }
            // The element `w·B^rows/R` is the first entry.
            FieldOp::MulTable { rows, .. } => {
                x[0] * x[1] * field.power_of_two(32 * field.words as i64 - 32 * i64::from(*rows))
            }
            FieldOp::FromMont => x[0] * field.power_of_two(-(32 * field.words as i64)),
            FieldOp::ReduceFull | FieldOp::ReduceWeak => x[0].clone(),
            FieldOp::IsZero => return vec![truth(*x[0] == BigUint::ZERO)],
            FieldOp::MaybeZero => return vec![truth(*x[0] == BigUint::ZERO || x[0].bit(0))],
        };
        vec![one % p]
    }
}
