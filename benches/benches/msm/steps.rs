//! What the steps of one resident MSM take on the device, beside what they cannot take less than.

use crate::csv::Csv;
use crate::{Bases, RUNS, uniform};
use anyhow::{Result, ensure};
use curvesmith::{Detail, Device, DeviceVec, Group, Report};
use curvesmith_runtime::Kind;
use curvesmith_runtime::vocabulary::DigitShape;

/// The steps of the book's page on MSMs, and words in the symbols of their kernels.
const STEPS: [(&str, &[&str]); 7] = [
    ("digits", &["_digits"]),
    ("transposition", &["_radix_", "_scan_", "_bucket_"]),
    ("affine pairs", &["_pair_"]),
    ("order of rows", &["_row_"]),
    ("accumulation", &["_accumulate"]),
    ("merge", &["_merge_"]),
    ("buckets", &["_bit_"]),
];

/// Cycles of a scheduler that the busiest pipe needs for a mixed addition of a warp: `cargo xtask validate`,
/// compute capability 9.0.
const ADDITIONS: [(&str, f64); 3] =
    [("bn254_g1", 4388.0), ("bls12_381_g1", 9644.0), ("bls12_377_g1", 9116.0)];

/// GPUs by a word of their names: the clock under load in hertz, seen there, and bytes a second of their
/// memory by the data sheet.
const MACHINES: [(&str, f64, f64); 2] = [("H200", 1.98e9, 4.8e12), ("H100", 1.98e9, 3.35e12)];

/// Prints a line a step: launches, milliseconds, the bound and its share, where there is one.
pub(crate) fn print<G: Group>(
    bases: &Bases<G>,
    device: &Device,
    most: u32,
    log_n: u32,
    csv: &mut Csv,
) -> Result<()> {
    let n = 1 << log_n;
    let plan = bases.plan(device, n, most)?;
    let scalars = uniform::<G>(n);
    let expected = bases.sum(&scalars);
    let scalars = DeviceVec::upload(device, &scalars)?;
    let mut reports = Vec::with_capacity(RUNS);
    for _ in 0..=RUNS {
        let (sum, report) = plan.run_resident_with_report(&scalars, Detail::Kernels)?;
        ensure!(sum == expected, "{}: another sum", G::NAME);
        reports.push(report);
    }
    reports.remove(0);
    let kernels = |report: &Report| report.spans.iter().filter(|span| span.kind == Kind::Kernel).count();
    let work = device.work()?;
    let shape = match most {
        1 => work.digit_shape::<G::Scalar>(n),
        _ => work.shape_with_multiples::<G::Scalar>(n, most),
    };
    work.finish()?;
    for (step, words) in STEPS {
        let of_step = |name: &str| words.iter().any(|word| name.contains(word));
        let mut times: Vec<(f64, usize)> = reports.iter().map(|report| time(report, &of_step)).collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (seconds, launches) = times[RUNS / 2];
        if launches == 0 {
            continue;
        }
        let bound = bound::<G>(device, step, n, shape);
        csv.step(G::NAME, most, step, launches, 1e3 * seconds, bound.map(|seconds| 1e3 * seconds));
        let bound = bound.map_or("-".to_owned(), |bound| {
            format!("{:8.3}   {:3.0} %", 1e3 * bound, 100.0 * bound / seconds)
        });
        println!("  {step:16} {launches:4} {:8.3} {bound}", 1e3 * seconds);
    }
    let mut all: Vec<f64> = reports.iter().map(Report::device_seconds).collect();
    all.sort_by(f64::total_cmp);
    println!("  {:16} {:4} {:8.3}", "all, and between", kernels(&reports[0]), 1e3 * all[RUNS / 2]);
    Ok(())
}

/// Seconds and number of the kernels with such symbols.
fn time(report: &Report, of_step: &dyn Fn(&str) -> bool) -> (f64, usize) {
    let kernels = report.spans.iter().filter(|span| span.kind == Kind::Kernel && of_step(&span.name));
    kernels.fold((0.0, 0), |(seconds, count), span| (seconds + span.end - span.begin, count + 1))
}

/// Seconds that a step takes at least: of the memory, or of the multipliers.
fn bound<G: Group>(device: &Device, step: &str, n: usize, shape: DigitShape) -> Option<f64> {
    let properties = device.properties()?;
    let (_, hertz, memory) = MACHINES.into_iter().find(|(name, ..)| properties.name.contains(name))?;
    // A digit in 2^c is zero.
    let entries = n as f64 * f64::from(shape.windows()) * (1.0 - (-f64::from(shape.window)).exp2());
    match step {
        // A scalar is read, and the codes of its digits written.
        "digits" => Some((32.0 * n as f64 + 4.0 * entries) / memory),
        "transposition" => {
            // Codes are read to count, and by the first pass, which writes pairs; another reads pairs and
            // writes pairs.
            let further = (shape.window - 1).div_ceil(8).saturating_sub(1);
            Some(entries * (16.0 + 16.0 * f64::from(further)) / memory)
        }
        "accumulation" => {
            let (_, cycles) = ADDITIONS.into_iter().find(|(name, _)| *name == G::NAME)?;
            let warps_at_once = 4.0 * f64::from(properties.multiprocessors);
            Some(entries / 32.0 * cycles / warps_at_once / hertz)
        }
        _ => None,
    }
}
