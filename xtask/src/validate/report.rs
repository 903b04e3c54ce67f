//! The findings as a table and as JSON.

use super::policy::Verdict;
use super::rates::Rates;
use super::{Assembled, Outcome, TARGETS};
use serde_json::{Value, json};
use std::fmt::Write;

const HEAD: [&str; 15] = [
    "kernel", "limbs", "regs", "shared", "stack", "total", "wide", "imad", "alu", "global", "lds/sts",
    "ldl/stl", "p2r/r2p", "bound", "ms",
];

/// Every kernel for one compute capability, then a line for each of all.
pub(super) fn table(assembled: &[Assembled], arch: u32) -> String {
    let mut rows: Vec<Vec<String>> = Vec::new();
    for one in assembled.iter().filter(|one| one.arch == arch) {
        rows.extend(one.outcomes.iter().map(row));
    }
    let mut out = format!(
        "sm_{arch}: instructions of each kernel, a loop's body once; bound in cycles per warp and scheduler; not run on a GPU\n"
    );
    write_rows(&mut out, &HEAD, &rows);
    out.push('\n');
    let summary = TARGETS.map(|arch| {
        let all = || assembled.iter().filter(|one| one.arch == arch);
        let kernels: Vec<_> = all().flat_map(|one| &one.outcomes).collect();
        let most = |f: fn(&Outcome) -> u32| kernels.iter().map(|o| f(o)).max().unwrap_or(0).to_string();
        let slowest = all().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        vec![
            format!("sm_{arch}"),
            all().count().to_string(),
            kernels.len().to_string(),
            most(|o| o.resources.registers),
            most(|o| o.resources.stack),
            kernels.iter().filter(|o| o.resources.stack > 0).count().to_string(),
            format!("{:.1}", all().map(|one| one.seconds).sum::<f64>()),
            slowest.map_or_else(String::new, |one| format!("{:.1} ({})", one.seconds, one.image)),
        ]
    });
    let head =
        ["target", "images", "kernels", "most regs", "most stack", "with stack", "seconds", "slowest image"];
    write_rows(&mut out, &head, &summary);
    out
}

fn row(outcome: &Outcome) -> Vec<String> {
    let (r, c) = (&outcome.resources, &outcome.counts);
    let limbs = outcome.limbs.map_or_else(|| "-".to_owned(), |l| l.to_string());
    let numbers = [
        r.registers,
        r.shared,
        r.stack,
        c.total,
        c.wide,
        c.imad,
        c.alu,
        c.global,
        c.shared,
        c.local,
        c.predicates,
        c.bound(Rates::of(outcome.arch)),
    ];
    let numbers = numbers.map(|n| n.to_string());
    [outcome.symbol.clone(), limbs].into_iter().chain(numbers).chain([format!("{:.0}", r.millis)]).collect()
}

/// First column to the left, the others to the right.
fn write_rows(out: &mut String, head: &[&str], rows: &[Vec<String>]) {
    let width = |i: usize| rows.iter().map(|r| r[i].len()).chain([head[i].len()]).max().unwrap_or(0);
    let widths: Vec<_> = (0..head.len()).map(width).collect();
    let head = head.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>();
    for row in std::iter::once(&head).chain(rows) {
        for (i, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            // Writing to a string cannot fail.
            let _ = if i == 0 { write!(out, "{cell:<width$}") } else { write!(out, "  {cell:>width$}") };
        }
        out.push('\n');
    }
}

/// Everything, for every compute capability.
pub(super) fn json(assembled: &[Assembled], verdict: &Verdict) -> Value {
    let images = assembled.iter().map(|one| {
        let kernels = one.outcomes.iter().map(|o| {
            let (r, c) = (&o.resources, &o.counts);
            json!({
                "symbol": o.symbol, "kernel": o.kernel, "limbs": o.limbs,
                "hot": o.subject().is_hot(), "multiplier": o.subject().is_multiplier(),
                "registers": r.registers, "shared_bytes": r.shared, "stack_bytes": r.stack,
                "spill_store_bytes": r.spills.0, "spill_load_bytes": r.spills.1, "assemble_ms": r.millis,
                "instructions": c.total, "wide": c.wide, "imad": c.imad, "alu": c.alu, "global": c.global,
                "shared": c.shared, "local": c.local, "p2r_r2p": c.predicates, "control": c.control, "other": c.other(),
                "bound_cycles": c.bound(Rates::of(o.arch)),
            })
        });
        json!({"image": one.image, "sm": one.arch, "seconds": one.seconds, "kernels": kernels.collect::<Vec<_>>()})
    });
    json!({"images": images.collect::<Vec<_>>(), "failures": verdict.failures, "notes": verdict.notes})
}

#[cfg(test)]
mod tests {
    use super::super::{ptxas::Resources, sass::Counts};
    use super::*;

    #[test]
    fn the_table_names_every_kernel_of_its_target() {
        let outcome = |arch| Outcome {
            kernel: "mul".into(),
            symbol: "toy_mul".into(),
            limbs: Some(1),
            arch,
            resources: Resources { registers: 14, ..Resources::default() },
            counts: Counts { total: 9, wide: 3, ..Counts::default() },
        };
        let one = |arch| Assembled { image: "toy".into(), arch, seconds: 0.5, outcomes: vec![outcome(arch)] };
        let assembled = [one(75), one(90)];
        let table = table(&assembled, 90);
        assert_eq!(table.matches("toy_mul").count(), 1, "{table}");
        assert_eq!(table.matches("0.5 (toy)").count(), 2, "{table}");
        let json = json(&assembled, &Verdict::default());
        assert_eq!(json["images"][1]["kernels"][0]["bound_cycles"], 12);
    }
}
