//! What each variant asks and promises, evaluated on big integers.
//!
//! Written from the definitions, not from the variants: with `X` the largest operand, `R = 2^(32n)`
//! and `k` the least integer with `k·p ≥ Y` (at least 1); for products `B = 2^32`, `k` rows are by
//! `M = B^-k mod p`, by the scheme's name: none, `m` as many as are fewer than `n/2`, `mhalf` and `mk` `n/2`,
//!
//! | variant | asks | at most |
//! | --- | --- | --- |
//! | `add.lazy`, `dbl.lazy`, `mul_small.lazy` | result `< R` | `Σ cᵢ·Xᵢ` |
//! | `sub.lazy` | result `< R` | `X + k·p` |
//! | `sub.borrow` | result `< R` | `max(X, k·p - 1)` |
//! | `neg.lazy` | result `< R` | `k·p` |
//! | products, lazy | result `< R` | `⌊(V + (B^(n-k)-1)·p)/B^(n-k)⌋`, `V = ⌊T/B^k⌋ + (B^k-1)·M`, `T = Σ X·Y` |
//! | `table.lazy`, `mul_const.table….lazy` | result `< R` | `⌊(Σ xⱼ·W + (B^rows-1)·p)/B^rows⌋` |
//! | `shared.rows….lazy` | result `< R` | the same with the `W` that Montgomery rows make of `Y` |
//! | `dot_fq2.dots.lazy` | result `< R` | a product's, `T` the larger of `Σ X0·Y0 + n·X1·Y1` and `Σ X0·Y1 + X1·Y0`; `X1` is `k·p` for `n < 0` |
//! | `dot_fq2.u….lazy` | the same, `X0 + X1`, `Y0 + Y1 < R`, `Σ (X0 + X1)·(Y0 + Y1) < R²` | the same; for `n < 0` instead the least `k·p·R/B ≥ n·ΣX1·Y1` |
//! | `dot_fq2.u….canonical` | `X0 + X1`, `Y0 + Y1 < R`, `Σ (X0 + X1)·(Y0 + Y1) < R²` | `p - 1` |
//! | `reduce.weak` | | as its steps leave |
//! | any canonical | | `p - 1` |

use crate::declaration::FieldOp;
use crate::targets::{Outcome, Rules};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;

/// The numbers of a field, of which the rules are made.
pub struct Numbers {
    p: BigUint,
    /// `2^(32n)`
    r: BigUint,
    /// `R/2^32`
    unit: BigUint,
}

impl Rules for Numbers {
    fn unit(&self) -> &BigUint {
        &self.unit
    }

    fn capacity(&self) -> &BigUint {
        &self.r
    }

    fn outcome(&self, op: &FieldOp, variant: &str, x: &[BigUint]) -> Option<Outcome> {
        let (family, form) = variant.split_once('.')?;
        match (op, family) {
            (FieldOp::Add, "add") => self.sum(form, &x[0] + &x[1]),
            (FieldOp::Dbl, "dbl") => self.sum(form, &x[0] * 2u32),
            (FieldOp::Sub, "sub") => self.sub(form, &x[0], &x[1]),
            (FieldOp::Neg, "neg") => self.neg(form, &x[0]),
            (FieldOp::MulSmall(c), "mul_small") => self.mul_small(form, &x[0], *c),
            (FieldOp::Mul, "mul") => self.product(form, &[(&x[0], &x[1])]),
            (FieldOp::Dot(_), "dot") => {
                let pairs: Vec<_> = x.chunks_exact(2).map(|pair| (&pair[0], &pair[1])).collect();
                self.product(form, &pairs)
            }
            (FieldOp::Sqr, "sqr") => match form.strip_prefix("mul.") {
                Some(form) => self.product(form, &[(&x[0], &x[0])]),
                None => self.montgomery(form, &(&x[0] * &x[0])),
            },
            (FieldOp::MulConst(c), "mul_const") if form.starts_with("table") => {
                let (rows, form) = form.strip_prefix("table")?.split_once('.')?;
                let rows: usize = rows.parse().ok()?;
                let entry = |i: usize| (c << (32 * (rows + i))) % &self.p;
                let entries: Vec<BigUint> = (0..self.words()).map(entry).collect();
                self.table(form, &x[0], &entries, 1, rows)
            }
            (FieldOp::MulTable { step, rows }, "table") => {
                self.table(form, &x[0], &x[1..], *step as usize, *rows as usize)
            }
            (FieldOp::MulShared(_), "shared") => {
                let (y, xs) = x.split_last()?;
                self.shared(form, xs.iter().max()?, y)
            }
            (FieldOp::DotFq2 { nonresidue, .. }, "dot_fq2") => self.dot_fq2(form, x, *nonresidue),
            (FieldOp::MulConst(c), "mul_const") => self.by_constant(form, &x[0], c),
            (FieldOp::FromMont, "from_mont") => (form == "canonical").then(|| self.canonical()),
            (FieldOp::ReduceFull, "reduce") => match form {
                "ladder" => Some(self.canonical()),
                _ => self.reduce(form, &x[0]).filter(|o| o.max.as_ref().is_some_and(|max| *max < self.p)),
            },
            (FieldOp::ReduceWeak, "reduce") => self.reduce(form, &x[0]),
            (FieldOp::IsZero, "is_zero") => matches!(form, "multiples" | "ladder").then(none),
            (FieldOp::MaybeZero, "maybe_zero") => matches!(form, "low_word" | "never_sure").then(none),
            _ => None,
        }
    }
}

impl Numbers {
    pub(super) fn new(p: &BigUint, words: usize) -> Self {
        let unit = BigUint::one() << (32 * (words - 1));
        Numbers { p: p.clone(), r: &unit << 32, unit }
    }

    fn canonical(&self) -> Outcome {
        Outcome { max: Some(&self.p - 1u32), conditions: vec![] }
    }

    /// At most `max`, which must be less than `R`. What is below `p` counts as canonical: no bound is lower.
    fn fits(&self, max: BigUint) -> Outcome {
        let condition = ((&max + 1u32).max(self.p.clone()), self.r.clone());
        Outcome { max: Some(max), conditions: vec![condition] }
    }

    /// The least multiple of `p` that `y` does not exceed, at least `p`.
    fn multiple_above(&self, y: &BigUint) -> BigUint {
        y.div_ceil(&self.p).max(BigUint::one()) * &self.p
    }

    fn sum(&self, form: &str, max: BigUint) -> Option<Outcome> {
        match form {
            "lazy" => Some(self.fits(max)),
            "canonical" => Some(self.canonical()),
            _ => None,
        }
    }

    fn sub(&self, form: &str, x: &BigUint, y: &BigUint) -> Option<Outcome> {
        let kp = self.multiple_above(y);
        match form {
            "lazy" => Some(self.fits(x + kp)),
            "borrow" => Some(self.fits(x.clone().max(kp - 1u32))),
            "canonical" => Some(self.canonical()),
            _ => None,
        }
    }

    fn neg(&self, form: &str, x: &BigUint) -> Option<Outcome> {
        match form {
            "lazy" => Some(self.fits(self.multiple_above(x))),
            "canonical" => Some(Outcome { conditions: vec![(x + 1u32, self.p.clone())], ..self.canonical() }),
            "ladder" => Some(self.canonical()),
            _ => None,
        }
    }

    fn mul_small(&self, form: &str, x: &BigUint, c: u32) -> Option<Outcome> {
        match form {
            "zero" if c == 0 => Some(self.canonical()),
            "copy" if c == 1 => Some(self.fits(x.clone())),
            "lazy" | "canonical" => self.sum(form, x * c),
            _ => self.by_constant(form.strip_prefix("const.")?, x, &(BigUint::from(c) % &self.p)),
        }
    }

    fn product(&self, form: &str, pairs: &[(&BigUint, &BigUint)]) -> Option<Outcome> {
        self.montgomery(form, &pairs.iter().map(|(x, y)| *x * *y).sum())
    }

    /// The constant's Montgomery form, `c·R mod p`, makes the rows.
    fn by_constant(&self, form: &str, x: &BigUint, c: &BigUint) -> Option<Outcome> {
        let c = c * &self.r % &self.p;
        self.montgomery(form, &(x * c))
    }

    /// `Σ xⱼ·w_(j/step)·2^(32·(j mod step))` over the words of `x`, divided by `2^(32·rows)` after adding
    /// a multiple of `p` that is less.
    fn table(&self, form: &str, x: &BigUint, w: &[BigUint], step: usize, rows: usize) -> Option<Outcome> {
        let word = BigUint::one() << 32;
        let mut sum = BigUint::ZERO;
        for j in 0..self.words() {
            let most = (x >> (32 * j)).min(&word - 1u32);
            sum += (most * w.get(j / step)?) << (32 * (j % step));
        }
        self.sum(form, self.rows(sum, rows))
    }

    /// The words of `R`.
    fn words(&self) -> usize {
        self.r.bits() as usize / 32
    }

    /// `(sum + m·p)/B^rows` for a multiple `m < B^rows` that makes it exact.
    fn rows(&self, sum: BigUint, rows: usize) -> BigUint {
        let divisor = BigUint::one() << (32 * rows);
        (sum + (&divisor - 1u32) * &self.p) / divisor
    }

    /// A reduction of a sum `T` of products, by the scheme that the variant's name ends with.
    fn montgomery(&self, form: &str, sum: &BigUint) -> Option<Outcome> {
        let (scheme, form) = form.rsplit_once('.').unwrap_or(("", form));
        let n = self.words();
        let k = match scheme.rsplit('.').next()? {
            "" | "wide" | "rows" => 0,
            "m" => (n - 1) / 2,
            "mhalf" | "mk1" | "mk2" => n / 2,
            _ => return None,
        };
        let power = BigUint::one() << (32 * k);
        let m = power.modinv(&self.p)?;
        self.sum(form, self.rows(sum / &power + (&power - 1u32) * m, n - k))
    }

    /// Products by `Y` and by `Y·B^-1`, `Y·B^-2`, …, each a Montgomery row of the one before: the highest
    /// `rows` words of `x` meet `Y`, every lower one a multiple of its own.
    fn shared(&self, form: &str, x: &BigUint, y: &BigUint) -> Option<Outcome> {
        let (scheme, form) = form.split_once('.')?;
        if scheme == "apart" {
            return self.montgomery(form, &(x * y));
        }
        let rows: usize = scheme.strip_prefix("rows")?.parse().ok()?;
        let low = self.words().checked_sub(rows)?;
        let (mut sum, mut multiple) = ((x >> (32 * low)) * y, y.clone());
        for _ in 0..low {
            multiple = self.rows(multiple, 1);
            sum += &multiple * u32::MAX;
        }
        self.sum(form, self.rows(sum, rows))
    }

    /// Both coordinates within one bound. A negative multiple of `x1·y1` is made positive by `k·p` in place
    /// of `x1` (dots), or by the least multiple of `p·R/B` that exceeds it, where the sums must fit (`u`).
    fn dot_fq2(&self, form: &str, x: &[BigUint], nonresidue: i32) -> Option<Outcome> {
        let (scheme, form) = form.split_once('.')?;
        let (times, negative) = (nonresidue.unsigned_abs(), nonresidue < 0);
        let (mut real, mut second, mut imaginary) = (BigUint::ZERO, BigUint::ZERO, BigUint::ZERO);
        let (mut conditions, mut w) = (vec![], BigUint::ZERO);
        for term in x.chunks_exact(4) {
            let x1 =
                if negative && scheme == "dots" { self.multiple_above(&term[1]) } else { term[1].clone() };
            real += &term[0] * &term[2];
            second += x1 * &term[3] * times;
            imaginary += &term[0] * &term[3] + &term[1] * &term[2];
            let sums = [&term[0] + &term[1], &term[2] + &term[3]];
            w += &sums[0] * &sums[1];
            conditions.extend(sums.map(|sum| (sum + 1u32, self.r.clone())));
        }
        conditions.push((w / &self.r + 1u32, self.r.clone()));
        match scheme {
            "dots" => conditions.clear(),
            "u" if negative => {
                let step = &self.p * &self.unit;
                second = second.div_ceil(&step) * step;
            }
            "u" => {}
            _ => return None,
        }
        let mut outcome = self.montgomery(form, &(real + second).max(imaginary))?;
        outcome.conditions.extend(conditions);
        Some(outcome)
    }

    fn reduce(&self, form: &str, x: &BigUint) -> Option<Outcome> {
        match form {
            "copy" => Some(self.fits(x.clone())),
            "weak" => Some(self.fits(self.weak(x.clone()))),
            // The product by R mod p, which stands for 1.
            _ => self.by_constant(form.strip_prefix("mont.")?, x, &BigUint::one()),
        }
    }

    /// What subtractions of multiples of `p` leave of values up to `max`, when only the top word says
    /// whether to subtract: `m·p` is taken from values whose top word reaches `⌈m·p/unit⌉`, so that
    /// others may still be just below that many units. As long as it helps, `m` halves the range,
    /// or is 1.
    fn weak(&self, mut max: BigUint) -> BigUint {
        loop {
            let half = (&max + 1u32).div_ceil(&(&self.p * 2u32));
            let step = |m: &BigUint| {
                let c = m * &self.p;
                let kept = c.div_ceil(&self.unit) * &self.unit - 1u32;
                (kept < max).then(|| kept.max(&max - c))
            };
            match step(&half).or_else(|| step(&BigUint::one())) {
                Some(less) => max = less,
                None => return max,
            }
        }
    }
}

/// A truth value: no bound.
fn none() -> Outcome {
    Outcome { max: None, conditions: vec![] }
}
