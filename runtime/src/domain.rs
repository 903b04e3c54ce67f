//! Sizes of transforms, and the roots of unity of one.
//!
//! A field has transforms of `2^log` elements up to its two-adicity and, with a small subgroup of order
//! `base^most`, of `2^log·base^power`: the domains of arkworks' `GeneralEvaluationDomain`.

use crate::error::{Result, RuntimeError};
use crate::field::Field;
use ark_ff::FftField;
use ark_poly::{EvaluationDomain, GeneralEvaluationDomain};

/// The largest transform has `2^28` elements: a few of them fit today's devices and the 32 bits of an index.
const MAX_LOG: u32 = 28;

/// The size that arkworks' `GeneralEvaluationDomain` takes for `n` values: the next power of two or, above
/// the largest of them, the least size with factors of the small subgroup. `None` where the field has none.
pub fn domain_size<F: FftField>(n: usize) -> Option<usize> {
    // arkworks doubles until it has found a size.
    (n <= 1 << 31).then(|| GeneralEvaluationDomain::<F>::compute_size_of_domain(n)).flatten()
}

/// The size `2^log·base^power` of a transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Domain {
    pub(crate) n: usize,
    pub(crate) log: u32,
    /// The odd prime of the field's small subgroup; 1 where there is none.
    pub(crate) base: usize,
    pub(crate) power: u32,
}

impl Domain {
    /// The domain of exactly `n` elements.
    pub(crate) fn new<F: Field>(n: usize) -> Result<Self> {
        let most_log = F::Ark::TWO_ADICITY.min(MAX_LOG);
        if n.is_power_of_two() && n.trailing_zeros() > most_log {
            let (found, limit) = (u64::from(n.trailing_zeros()), u64::from(most_log));
            return Err(RuntimeError::TooLarge { what: "log_n of the NTT", found, limit });
        }
        if n > 1 << MAX_LOG {
            let (found, limit) = (n as u64, 1 << MAX_LOG);
            return Err(RuntimeError::TooLarge { what: "size of the NTT", found, limit });
        }
        let (base, most) = match (F::Ark::SMALL_SUBGROUP_BASE, F::Ark::SMALL_SUBGROUP_BASE_ADICITY) {
            (Some(base), Some(most)) => (base as usize, most),
            _ => (1, 0),
        };
        let log = n.trailing_zeros().min(most_log);
        let odd = |power: u32| base.checked_pow(power) == Some(n >> log);
        match (0..=most).find(|power| odd(*power)) {
            Some(power) => Ok(Domain { n, log, base, power }),
            None => {
                let small =
                    if most > 0 { format!("·{base}^b with b ≤ {most} and") } else { " with".into() };
                let reason = format!("{n} is not 2^a{small} a ≤ {most_log}");
                Err(RuntimeError::Input { what: "size of the NTT", reason })
            }
        }
    }

    /// `Ok` when `omega` has order exactly `n`.
    pub(crate) fn check_omega<T: FftField>(&self, omega: T) -> Result<()> {
        let size = self.n as u64;
        let is_one = |exponent: u64| omega.pow([exponent]) == T::ONE;
        let less = (self.log > 0 && is_one(size / 2)) || (self.power > 0 && is_one(size / self.base as u64));
        if is_one(size) && !less { Ok(()) } else { Err(RuntimeError::NotARoot { size }) }
    }

    /// `2^log·base`, `2^log·base^2`, … `n`.
    pub(crate) fn orders(&self) -> impl Iterator<Item = usize> + use<> {
        let Domain { log, base, power, .. } = *self;
        (1..=power).map(move |level| base.pow(level) << log)
    }
}
