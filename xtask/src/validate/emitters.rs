//! Machine code of both emitters: what LLVM's text and ours become.
//!
//! Both write the same statements, and `ptxas` does the rest, so their machine code has to be about as
//! long. Where it is not, one of them has lost something that the assembler cannot find again.

use super::assemble::{Image, assemble_all};
use super::{Assembled, images, tools};
use anyhow::{Result, bail};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Compute capability of the comparison.
const ARCH: u32 = 90;
/// Percent that the instructions of all kernels may differ by.
const TOLERANCE: f64 = 3.0;
/// Kernels that are printed: those that differ most.
const SHOWN: usize = 12;

/// Machine instructions by kernel.
type Totals = BTreeMap<String, u32>;

/// Has both emitters write the images of the curves declared there, assembles them, and prints which kernels
/// differ most; fails where they differ too much in all.
pub(super) fn run(
    tools: &tools::Tools,
    folder: &Path,
    sources: &[PathBuf],
    jobs: Option<usize>,
) -> Result<()> {
    let llvm = images("write", &folder.join("llvm"), sources)?;
    let mut own = images("write-own", &folder.join("own"), sources)?;
    // Machine code is kept by the name of its image.
    own.iter_mut().for_each(|image| image.name += ".own");
    let totals = |images: &[Image]| -> Result<Totals> {
        Ok(count(&assemble_all(tools, &images.iter().collect::<Vec<_>>(), &[ARCH], jobs)?))
    };
    print!("{}", compare(&totals(&llvm)?, &totals(&own)?)?);
    Ok(())
}

fn count(assembled: &[Assembled]) -> Totals {
    let outcomes = assembled.iter().flat_map(|one| &one.outcomes);
    outcomes.map(|outcome| (outcome.symbol.clone(), outcome.counts.total)).collect()
}

/// The report, or why the emitters differ too much.
fn compare(llvm: &Totals, own: &Totals) -> Result<String> {
    if !llvm.keys().eq(own.keys()) {
        bail!("the emitters wrote different kernels");
    }
    let percent = |(before, after): (u32, u32)| 100.0 * (f64::from(after) / f64::from(before.max(1)) - 1.0);
    let mut kernels: Vec<(&str, (u32, u32))> =
        llvm.iter().map(|(symbol, total)| (symbol.as_str(), (*total, own[symbol]))).collect();
    kernels.sort_by(|a, b| percent(b.1).abs().total_cmp(&percent(a.1).abs()));
    let all = kernels.iter().fold((0, 0), |sum, (_, each)| (sum.0 + each.0, sum.1 + each.1));
    let mut out = String::new();
    let mut line = |name: &str, each: (u32, u32)| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{name:<44} {:>9} {:>9} {:>+7.2} %", each.0, each.1, percent(each));
    };
    kernels.iter().take(SHOWN).for_each(|(symbol, each)| line(symbol, *each));
    line(&format!("sm_{ARCH}: {} kernels by LLVM and by us", kernels.len()), all);
    if percent(all).abs() > TOLERANCE {
        bail!("{out}the emitters' instructions differ by more than {TOLERANCE} %");
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(list: &[(&str, u32)]) -> Totals {
        list.iter().map(|(symbol, total)| ((*symbol).into(), *total)).collect()
    }

    #[test]
    fn emitters_may_differ_by_a_little() {
        let llvm = totals(&[("a", 1000), ("b", 100)]);
        let report = compare(&llvm, &totals(&[("a", 1010), ("b", 120)])).expect("2.7 % in all");
        assert!(
            report.starts_with("b ") && report.contains("+20.00 %") && report.contains("+2.73 %"),
            "{report}"
        );
        for other in
            [totals(&[("a", 1034), ("b", 100)]), totals(&[("a", 960), ("b", 100)]), totals(&[("a", 1000)])]
        {
            assert!(compare(&llvm, &other).is_err(), "{other:?}");
        }
    }
}
