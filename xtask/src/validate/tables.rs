//! Committed counts of every kernel, one file a compute capability.
//!
//! A kernel whose bound grows by more than [`TOLERANCE`] percent fails `cargo xtask validate`, and so
//! does one that a table lacks; `cargo xtask bless` rewrites the tables. One that improves by more
//! is noted: blessing it keeps what was won.

use super::assemble::Image;
use super::policy::Verdict;
use super::{Assembled, Outcome, rates::Rates, tools};
use crate::shell;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

/// Percent that a bound may grow.
const TOLERANCE: u32 = 1;

const COLUMNS: &str =
    "symbol\tbound\tregisters\ttotal\twide\timad\talu\tglobal\tshared\tlocal\tp2r_r2p\tcontrol\tother";

/// What to do about a finding.
const BLESS: &str = "if it is meant, run `cargo xtask bless` and commit the tables with the reason";

/// The lines of one compute capability by symbol: bound, registers, instructions by class.
type Rows = BTreeMap<String, [u32; 12]>;

/// The file of a compute capability.
fn path(arch: u32) -> PathBuf {
    shell::root().join(format!("xtask/tables/sm_{arch}.tsv"))
}

/// Compares what was assembled with the committed tables, which have lines for the kernels of `known` images
/// too.
pub(super) fn check(
    assembled: &[Assembled],
    known: &[&Image],
    targets: &[u32],
    verdict: &mut Verdict,
) -> Result<()> {
    let known: BTreeSet<&str> =
        known.iter().flat_map(|image| &image.kernels).map(|(symbol, _)| symbol.as_str()).collect();
    for (&arch, text) in targets.iter().zip(texts(targets)) {
        let committed = parse(&text?).with_context(|| format!("{} is not a table", path(arch).display()))?;
        compare(arch, &committed, &known, &rows(assembled, arch), verdict);
    }
    Ok(())
}

/// The tables as they are committed.
pub(super) fn texts(targets: &[u32]) -> impl Iterator<Item = Result<String>> {
    targets.iter().map(|&arch| {
        let path = path(arch);
        std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}; `cargo xtask bless` writes it", path.display()))
    })
}

/// Rewrites the tables.
pub(super) fn write(assembled: &[Assembled], targets: &[u32]) -> Result<()> {
    for &arch in targets {
        let path = path(arch);
        let folder = path.parent().expect("a table lies in a folder");
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        std::fs::write(&path, print(&rows(assembled, arch)))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn rows(assembled: &[Assembled], arch: u32) -> Rows {
    let outcomes = assembled.iter().filter(|one| one.arch == arch).flat_map(|one| &one.outcomes);
    outcomes.map(|outcome| (outcome.symbol.clone(), row(outcome))).collect()
}

fn row(outcome: &Outcome) -> [u32; 12] {
    let c = &outcome.counts;
    [
        c.bound(Rates::of(outcome.arch)),
        outcome.resources.registers,
        c.total,
        c.wide,
        c.imad,
        c.alu,
        c.global,
        c.shared,
        c.local,
        c.predicates,
        c.control,
        c.other(),
    ]
}

/// The first line pins the assembler.
pub(super) fn head() -> String {
    format!("# ptxas {}; written by `cargo xtask bless`", tools::VERSION)
}

fn print(rows: &Rows) -> String {
    let mut out = format!("{}\n{COLUMNS}\n", head());
    for (symbol, numbers) in rows {
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{symbol}\t{}", numbers.join("\t"));
    }
    out
}

fn parse(text: &str) -> Result<Rows> {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    if first != head() {
        bail!("its first line is `{first}`, not `{}`", head());
    }
    if lines.next() != Some(COLUMNS) {
        bail!("its columns are not `{COLUMNS}`");
    }
    let row = |line: &str| {
        let (symbol, numbers) = line.split_once('\t')?;
        let numbers: Option<Vec<u32>> = numbers.split('\t').map(|n| n.parse().ok()).collect();
        Some((symbol.to_owned(), numbers?.try_into().ok()?))
    };
    lines.map(|line| row(line).with_context(|| format!("`{line}` is no row"))).collect()
}

fn compare(arch: u32, committed: &Rows, known: &BTreeSet<&str>, now: &Rows, verdict: &mut Verdict) {
    for symbol in known.iter().filter(|symbol| !committed.contains_key(**symbol)) {
        verdict.failures.push(format!("{symbol} for sm_{arch} is in no table: {BLESS}"));
    }
    for (symbol, new) in now {
        let Some(old) = committed.get(symbol) else {
            verdict.failures.push(format!("{symbol} for sm_{arch} is in no table: {BLESS}"));
            continue;
        };
        let (before, after) = (u64::from(old[0]), u64::from(new[0]));
        let change = || {
            let percent = 100.0 * (after as f64 / before as f64 - 1.0);
            format!("{symbol} for sm_{arch}: bound {before} -> {after} ({percent:+.1} %)")
        };
        if 100 * after > u64::from(100 + TOLERANCE) * before {
            verdict.failures.push(format!("{}, {}: {BLESS}", change(), instructions(old, new)));
        } else if 100 * after < u64::from(100 - TOLERANCE) * before {
            verdict.notes.push(format!("{}: `cargo xtask bless` keeps it", change()));
        }
    }
    let is_kernel = |symbol: &String| now.contains_key(symbol) || known.contains(symbol.as_str());
    for symbol in committed.keys().filter(|symbol| !is_kernel(symbol)) {
        verdict.failures.push(format!("{symbol} for sm_{arch} is in the table and is no kernel: {BLESS}"));
    }
}

fn instructions(old: &[u32; 12], new: &[u32; 12]) -> String {
    format!("wide {} -> {}, imad {} -> {}, alu {} -> {}", old[3], new[3], old[4], new[4], old[5], new[5])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, u32)]) -> Rows {
        let row = |bound| [bound, 40, 183, 128, 8, 47, 0, 0, 0, 0, 0, 0];
        rows.iter().map(|(symbol, bound)| ((*symbol).to_owned(), row(*bound))).collect()
    }

    fn judged(committed: &[(&str, u32)], now: &[(&str, u32)]) -> Verdict {
        let mut verdict = Verdict::default();
        compare(90, &table(committed), &BTreeSet::new(), &table(now), &mut verdict);
        verdict
    }

    #[test]
    fn tables_read_back() {
        let rows = table(&[("a", 1), ("b", 2)]);
        assert_eq!(parse(&print(&rows)).expect("it was printed"), rows);
        let other = print(&rows).replace(tools::VERSION, "12.0.0");
        assert!(parse(&other).expect_err("another assembler").to_string().contains("12.0.0"));
        assert!(parse(&print(&rows).replace("\t183", "")).is_err());
        assert!(parse(&print(&rows).replace("bound\t", "")).is_err());
    }

    #[test]
    fn a_regression_fails_and_says_how_to_bless() {
        assert!(judged(&[("a", 1000)], &[("a", 1010)]).failures.is_empty());
        let verdict = judged(&[("a", 1000)], &[("a", 1011)]);
        assert_eq!(verdict.failures.len(), 1);
        let text = &verdict.failures[0];
        assert!(text.contains("bound 1000 -> 1011 (+1.1 %)") && text.contains("cargo xtask bless"), "{text}");
    }

    #[test]
    fn an_improvement_is_noted() {
        let verdict = judged(&[("a", 1000), ("b", 1000)], &[("a", 989), ("b", 991)]);
        assert_eq!((verdict.failures.len(), verdict.notes.len()), (0, 1));
    }

    #[test]
    fn kernels_of_known_images_are_in_the_tables() {
        let mut verdict = Verdict::default();
        let known = BTreeSet::from(["a", "b"]);
        compare(90, &table(&[("a", 10), ("gone", 10)]), &known, &table(&[]), &mut verdict);
        assert_eq!(verdict.failures.len(), 2);
        assert!(verdict.failures[0].starts_with("b for sm_90 is in no table"));
        assert!(verdict.failures[1].starts_with("gone for sm_90"));
    }

    #[test]
    fn kernels_and_lines_correspond() {
        let verdict = judged(&[("a", 10), ("gone", 10)], &[("a", 10), ("new", 10)]);
        assert_eq!(verdict.failures.len(), 2);
        assert!(verdict.failures.iter().any(|f| f.starts_with("new for sm_90")));
        assert!(verdict.failures.iter().any(|f| f.starts_with("gone for sm_90")));
    }
}
