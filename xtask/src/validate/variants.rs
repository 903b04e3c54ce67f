//! Committed counts of every variant of the operations that have a target: what was chosen, and
//! what lost against it.

use super::assemble::{Image, assemble_all};
use super::sass::Counts;
use super::{clear, read, targets, tools};
use crate::{compiler, shell};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const COLUMNS: &str = "field\top\tvariant\tbound\ttime\tinstructions";

fn path() -> PathBuf {
    shell::root().join(format!("xtask/tables/variants_sm_{}.tsv", targets::ARCH))
}

/// Field and operation of every line of the committed table; none where there is no table.
pub(super) fn committed() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let line = |line: &str| {
        let (field, rest) = line.split_once('\t')?;
        Some((field.to_owned(), rest.split_once('\t')?.0.to_owned()))
    };
    text.lines().skip(2).filter_map(line).collect()
}

/// A chained variant as `variants.tsv` lists it.
type Row<'a> = [&'a str; 6];

/// Assembles every variant and rewrites the table.
pub(super) fn write(tools: &tools::Tools, folder: &Path, jobs: Option<usize>) -> Result<()> {
    clear(folder)?;
    let mut list = compiler::curvesmithc(shell::root());
    list.arg("variants").arg(folder).args(targets::fields());
    shell::run(list.args(compiler::from(&[])))?;
    let text = read(&folder.join("variants.tsv"))?;
    let rows: Vec<Row<'_>> = compiler::rows(&text).context("variants.tsv: a line is incomplete")?;
    // A canonical result is the lazy one and a ladder of subtractions, which nothing hot needs.
    let kept =
        |[field, op, _, canonical, ..]: &Row<'_>| *canonical == "false" && targets::wants_chain(field, op);
    let rows: Vec<_> = rows.into_iter().filter(kept).collect();
    let image = |[_, op, _, _, _, symbol]: &Row<'_>| Image {
        name: (*symbol).into(),
        file: folder.join(format!("{symbol}.ptx")),
        limbs: None,
        kernels: vec![((*symbol).into(), (*op).into())],
    };
    let images: Vec<Image> = rows.iter().map(image).collect();
    let assembled = assemble_all(tools, &images.iter().collect::<Vec<_>>(), &[targets::ARCH], jobs)?;
    let counts: BTreeMap<String, Counts> =
        assembled.into_iter().flat_map(|one| one.outcomes).map(|o| (o.symbol, o.counts)).collect();
    let table = table(&rows, &counts).context("variants.tsv does not fit the files")?;
    std::fs::write(path(), table).with_context(|| format!("cannot write {}", path().display()))
}

fn table(rows: &[Row<'_>], counts: &BTreeMap<String, Counts>) -> Option<String> {
    let mut chains: BTreeMap<(&str, &str, &str), BTreeMap<u32, &Counts>> = BTreeMap::new();
    for [field, op, variant, _, count, symbol] in rows {
        let chain = chains.entry((field, op, variant)).or_default();
        chain.insert(count.parse().ok()?, counts.get(*symbol)?);
    }
    let mut lines = Vec::new();
    for ((field, op, variant), chain) in chains {
        let ((few, short), (many, long)) = (chain.first_key_value()?, chain.last_key_value()?);
        let (bound, time, instructions) = targets::of_one(short, long, (many - few).max(1));
        lines.push((field, op, time, format!("{variant}\t{bound}\t{time}\t{instructions}")));
    }
    lines.sort();
    let mut out = format!("{}\n{COLUMNS}\n", super::tables::head());
    for (field, op, _, rest) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{field}\t{op}\t{rest}");
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_comes_first() {
        let counts = |total, wide| Counts { total, wide, ..Counts::default() };
        let all = [("a1", 10, 5), ("a4", 40, 35), ("b1", 10, 4), ("b4", 34, 25)];
        let all = all.iter().map(|(s, total, wide)| ((*s).to_owned(), counts(*total, *wide))).collect();
        let rows = [
            ["f", "mul", "mul.rows", "false", "1", "a1"],
            ["f", "mul", "mul.rows", "false", "4", "a4"],
            ["f", "mul", "mul.k1", "false", "1", "b1"],
            ["f", "mul", "mul.k1", "false", "4", "b4"],
        ];
        let text = table(&rows, &all).expect("every row has its counts");
        let lines: Vec<_> = text.lines().skip(2).collect();
        assert_eq!(lines, ["f\tmul\tmul.k1\t28\t28\t8", "f\tmul\tmul.rows\t40\t40\t10"]);
        assert_eq!(table(&rows, &BTreeMap::new()), None);
    }
}
