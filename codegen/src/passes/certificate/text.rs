//! The text form: a line a loop, a line a value, limits in units (`p` for canonical).
//!
//! ```text
//! takes p, -
//! gives 1400000000
//! loop 0: l0 p, l3 1400000000
//! v12 mul.lazy(p, 1400000000) 1200000000 slack 7, 9
//! v13 1400000000
//! ```

use super::{Certificate, Claim, Limit, Step};
use std::fmt;
use std::str::FromStr;

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Canonical => f.write_str("p"),
            Limit::Units(units) => write!(f, "{units}"),
        }
    }
}

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "p" => Ok(Limit::Canonical),
            _ => Ok(Limit::Units(text.parse().map_err(|_| format!("limit `{text}`"))?)),
        }
    }
}

fn list(items: &[impl ToString]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (word, limits) in [("takes", &self.arguments), ("gives", &self.results)] {
            let limits = limits.iter().map(|limit| limit.map_or("-".to_owned(), |limit| limit.to_string()));
            match limits.collect::<Vec<_>>() {
                limits if limits.is_empty() => {}
                limits => writeln!(f, "{word} {}", limits.join(", "))?,
            }
        }
        for (i, locals) in self.loops.iter().enumerate() {
            let known = locals.iter().enumerate().filter_map(|(l, limit)| Some((l, (*limit)?)));
            let known: Vec<String> = known.map(|(l, limit)| format!("l{l} {limit}")).collect();
            writeln!(f, "loop {i} of {} locals: {}", locals.len(), known.join(", "))?;
        }
        for (v, claim) in self.values.iter().enumerate() {
            let Some(claim) = claim else { continue };
            write!(f, "v{v}")?;
            if let Some(step) = &claim.step {
                write!(f, " {}({})", step.variant, list(&step.operands))?;
            }
            if let Some(limit) = claim.limit {
                write!(f, " {limit}")?;
            }
            if let Some(step) = &claim.step {
                write!(f, " slack {}", list(&step.slack))?;
            }
            writeln!(f)?;
        }
        writeln!(f, "{} values", self.values.len())
    }
}

impl FromStr for Certificate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut certificate = Certificate::default();
        for line in text.lines() {
            let wrong = || format!("line `{line}`");
            if let Some(rest) = line.strip_prefix("loop ") {
                certificate.loops.push(invariant(rest).ok_or_else(wrong)?);
            } else if let Some(rest) = line.strip_prefix("takes ") {
                certificate.arguments = limits(rest).ok_or_else(wrong)?;
            } else if let Some(rest) = line.strip_prefix("gives ") {
                certificate.results = limits(rest).ok_or_else(wrong)?;
            } else if let Some(rest) = line.strip_prefix('v') {
                let (number, rest) = rest.split_once(' ').ok_or_else(wrong)?;
                let number: usize = number.parse().map_err(|_| wrong())?;
                certificate.values.resize(certificate.values.len().max(number + 1), None);
                certificate.values[number] = Some(claim(rest).ok_or_else(wrong)?);
            } else {
                let count = line.strip_suffix(" values").and_then(|n| n.parse().ok()).ok_or_else(wrong)?;
                certificate.values.resize(count, None);
            }
        }
        Ok(certificate)
    }
}

/// `p, -, 17`
fn limits(text: &str) -> Option<Vec<Option<Limit>>> {
    let limit = |item: &str| match item {
        "-" => Some(None),
        item => item.parse().ok().map(Some),
    };
    text.split(", ").map(limit).collect()
}

/// `0 of 3 locals: l0 p, l2 17`
fn invariant(text: &str) -> Option<Vec<Option<Limit>>> {
    let (_, rest) = text.split_once(" of ")?;
    let (count, list) = rest.split_once(" locals: ")?;
    let mut locals = vec![None; count.parse().ok()?];
    for item in list.split(", ").filter(|item| !item.is_empty()) {
        let (local, limit) = item.strip_prefix('l')?.split_once(' ')?;
        *locals.get_mut(local.parse::<usize>().ok()?)? = Some(limit.parse().ok()?);
    }
    Some(locals)
}

/// `mul.lazy(p, 17) 12 slack 7, 9`, or a limit alone.
fn claim(text: &str) -> Option<Claim> {
    let Some((variant, rest)) = text.split_once('(') else {
        return Some(Claim { limit: Some(text.parse().ok()?), step: None });
    };
    let numbers = |list: &str| list.split(", ").filter(|n| !n.is_empty()).map(|n| n.parse().ok()).collect();
    let (operands, rest) = rest.split_once(')')?;
    let operands: Option<Vec<Limit>> = operands.split(", ").map(|limit| limit.parse().ok()).collect();
    let (limit, slack) = rest.split_once("slack")?;
    let limit = match limit.trim() {
        "" => None,
        limit => Some(limit.parse().ok()?),
    };
    let slack: Option<Vec<u64>> = numbers(slack.trim());
    Some(Claim { limit, step: Some(Step { variant: variant.into(), operands: operands?, slack: slack? }) })
}
