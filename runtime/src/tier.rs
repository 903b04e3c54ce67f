//! Which instructions of the processor are used by what the host computes.

use crate::error::{Result, RuntimeError};
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// Instructions that the host's arithmetic uses, from the slowest to the fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Tier {
    /// arkworks' arithmetic, on any processor.
    Scalar,
    /// Eight elements at once in halves of four, by AVX2.
    Avx2,
    /// Eight elements at once, by AVX-512 with IFMA.
    Ifma512,
}

impl Tier {
    /// All.
    pub const ALL: [Tier; 3] = [Tier::Scalar, Tier::Avx2, Tier::Ifma512];

    /// Whether this processor has its instructions.
    pub fn is_available(self) -> bool {
        match self {
            Tier::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Tier::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Tier::Ifma512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma"),
            #[cfg(not(target_arch = "x86_64"))]
            Tier::Avx2 | Tier::Ifma512 => false,
        }
    }

    /// Those of this processor.
    pub fn available() -> impl Iterator<Item = Tier> {
        Tier::ALL.into_iter().filter(|tier| tier.is_available())
    }

    /// The fastest of this processor. With debug assertions, which builds have that are not optimised, it is
    /// the scalar one: without optimisation each vector instruction is a call.
    pub fn usual() -> Tier {
        match cfg!(debug_assertions) {
            true => Tier::Scalar,
            false => Tier::available().max().expect("the scalar one is"),
        }
    }

    /// As [`VARIABLE`] names it.
    pub fn name(self) -> &'static str {
        match self {
            Tier::Scalar => "scalar",
            Tier::Avx2 => "avx2",
            Tier::Ifma512 => "ifma512",
        }
    }
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Tier {
    type Err = RuntimeError;

    fn from_str(name: &str) -> Result<Tier> {
        Tier::ALL
            .into_iter()
            .find(|tier| tier.name() == name)
            .ok_or_else(|| fault(format!("`{name}` is none; there are: {}", names(Tier::ALL))))
    }
}

/// The environment's variable that names a tier to use.
pub const VARIABLE: &str = "CURVESMITH_CPU_TIER";

/// The tier in use: that of [`VARIABLE`], read once, else the [usual](Tier::usual) one.
///
/// Errors: the variable names no tier, or one that this processor lacks.
pub fn tier() -> Result<Tier> {
    static TIER: OnceLock<Result<Tier>> = OnceLock::new();
    TIER.get_or_init(|| {
        chosen(std::env::var_os(VARIABLE).map(|name| name.to_string_lossy().into_owned()).as_deref())
    })
    .clone()
}

fn chosen(named: Option<&str>) -> Result<Tier> {
    match named.filter(|name| !name.is_empty()) {
        None => Ok(Tier::usual()),
        Some(name) => check(name.parse()?),
    }
}

/// A tier that this processor has.
pub(crate) fn check(tier: Tier) -> Result<Tier> {
    match tier.is_available() {
        true => Ok(tier),
        false => Err(fault(format!("this processor lacks `{tier}`; it has: {}", names(Tier::available())))),
    }
}

fn names(tiers: impl IntoIterator<Item = Tier>) -> String {
    tiers.into_iter().map(Tier::name).collect::<Vec<_>>().join(", ")
}

fn fault(reason: String) -> RuntimeError {
    RuntimeError::NoDevice { device: "cpu".into(), reason: format!("{VARIABLE}: {reason}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tier_is_named_or_the_usual_one() {
        let fastest = Tier::available().last().unwrap();
        assert_eq!(chosen(None).unwrap(), if cfg!(debug_assertions) { Tier::Scalar } else { fastest });
        assert_eq!(chosen(Some("")).unwrap(), chosen(None).unwrap());
        assert_eq!(chosen(Some("scalar")).unwrap(), Tier::Scalar);
        let unknown = chosen(Some("avx9")).unwrap_err().to_string();
        assert_eq!(unknown, "cpu: CURVESMITH_CPU_TIER: `avx9` is none; there are: scalar, avx2, ifma512");
        let has = names(Tier::available());
        for tier in Tier::ALL {
            let forced = chosen(Some(tier.name()));
            match tier.is_available() {
                true => assert_eq!(forced.unwrap(), tier),
                false => {
                    let error = forced.unwrap_err().to_string();
                    assert!(error.ends_with(&format!("lacks `{tier}`; it has: {has}")), "{error}");
                }
            }
        }
    }
}
