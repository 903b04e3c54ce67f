//! `curvesmith bench`: one algorithm, some sizes, one device, results checked.

mod work;

use super::DeviceName;
use crate::curves::Curve;
use crate::failure::Failure;
use crate::output::{OneFile, print, show, show_bytes, spinner};
use crate::trace;
use clap::ValueEnum;
use curvesmith::{Detail, Device, Report};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to measure
    algorithm: Algorithm,
    /// Curve
    #[arg(long)]
    curve: Curve,
    /// Logarithm of the size, or a range of them: 16 or 16..24. At most 28, and for `ntt` and the
    /// chain of `groth16` what the scalar field has transforms of
    #[arg(long)]
    log_n: Sizes,
    /// What `groth16` proves
    #[arg(long, default_value = "chain")]
    circuit: Circuit,
    /// auto, cpu, cuda, cuda:N, wgpu, wgpu:N or emulator
    #[arg(long, default_value = "auto")]
    device: DeviceName,
    /// Group of `msm`; only pairing-friendly curves have a second one
    #[arg(long, default_value = "g1")]
    group: GroupName,
    /// Window of `msm` in bits, 2 to 17, and with multiples 2 to 24; by default the device's policy chooses
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=24))]
    window: Option<u32>,
    /// Most precomputed multiples of each base that the device keeps; by default 1 for `msm`, and for
    /// `groth16` what the device's policy chooses, where 1 means none
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    multiples: Option<u32>,
    /// Inputs and results stay on the device; without it they come from and go to ordinary host memory
    #[arg(long)]
    resident: bool,
    /// Measured runs a size, after one that is not
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Write a trace of one more run of each size, for Perfetto or chrome://tracing
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print JSON, a line a size
    #[arg(long)]
    json: bool,
}

/// Above `2^28` no field has a transform, and indices of matrices end.
const MAX_LOG_N: u32 = 28;

/// Sizes from one logarithm to another.
#[derive(Clone, Debug)]
pub(super) struct Sizes(RangeInclusive<u32>);

impl Sizes {
    /// The logarithms, ascending.
    pub(super) fn logarithms(&self) -> RangeInclusive<u32> {
        self.0.clone()
    }
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| match text.parse::<u32>() {
            Ok(log_n) if (1..=MAX_LOG_N).contains(&log_n) => Ok(log_n),
            _ => Err(format!("{text:?} is not in 1..{MAX_LOG_N}")),
        };
        let (first, last) = match text.split_once("..") {
            None => (number(text)?, number(text)?),
            Some((first, last)) => (number(first)?, number(last.trim_start_matches('='))?),
        };
        if first > last { Err(format!("{first} is above {last}")) } else { Ok(Sizes(first..=last)) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Algorithm {
    /// Σ scalar·point, uniformly random scalars
    Msm,
    /// Forward transform
    Ntt,
    /// Sparse matrix of three entries a row, times a vector
    Spmv,
    /// Proof of a circuit, self-check included
    Groth16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Circuit {
    /// A chain of multiplications that fills a domain of 2^LOG_N; all values are large
    Chain,
    /// SHA-256 of 2^LOG_N bits, at least 8; all values are bits: 11 for a domain of 2^17
    Sha256,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GroupName {
    G1,
    G2,
}

/// One run: what it took, and what it did.
struct Run {
    wall: Duration,
    report: Report,
}

/// Measures runs of something that was prepared: `runs` of them, then one that is watched as closely as
/// asked.
type Measure<'a> = Box<dyn FnMut(Detail) -> Result<Run, Failure> + 'a>;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    work::check_size(arguments)?;
    let device = arguments.device.open()?;
    let trace_file = arguments.trace.as_ref().map(|path| OneFile::create(path, &[])).transpose()?;
    let name = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    if !arguments.json {
        let group = match arguments.algorithm {
            Algorithm::Msm => format!(" {}", name(&arguments.group)),
            Algorithm::Groth16 => format!(" {}", name(&arguments.circuit)),
            Algorithm::Ntt | Algorithm::Spmv => String::new(),
        };
        let place = if arguments.resident { "resident" } else { "host to host" };
        let (algorithm, curve) = (name(&arguments.algorithm), arguments.curve.name());
        print(&format!(
            "{algorithm}{group} on {curve}, {}, {place}, {} runs\n",
            device.name(),
            arguments.runs
        ));
        print(&format!(
            "{:>6}{:>12}{:>12}{:>12}{:>8}{:>12}{:>12}{:>10}\n",
            "log_n", "median", "best", "device", "busy", "up", "down", "launches"
        ));
    }
    let mut traces = Vec::new();
    for log_n in arguments.log_n.logarithms() {
        let (mut walls, timed, watched) = measure(arguments, &device, log_n)?;
        walls.sort();
        let (median, best) = (walls[walls.len() / 2], walls[0]);
        let busy = watched.busy_share();
        // On the CPU nothing is timed by a device.
        let on_device = (!device.is_cpu()).then(|| Duration::from_secs_f64(timed.device_seconds()));
        print(&match arguments.json {
            false => format!(
                "{log_n:>6}{:>12}{:>12}{:>12}{:>8}{:>12}{:>12}{:>10}\n",
                show(median),
                show(best),
                on_device.map_or_else(|| "-".into(), show),
                busy.map_or_else(|| "-".into(), |share| format!("{:.0} %", 100.0 * share)),
                show_bytes(timed.bytes_up),
                show_bytes(timed.bytes_down),
                timed.launches
            ),
            true => {
                let value = serde_json::json!({
                    "algorithm": name(&arguments.algorithm),
                    "curve": arguments.curve.name(),
                    "circuit": name(&arguments.circuit),
                    "group": name(&arguments.group),
                    "log_n": log_n,
                    "device": device.name(),
                    "resident": arguments.resident,
                    "median_s": median.as_secs_f64(),
                    "best_s": best.as_secs_f64(),
                    "device_s": on_device.map(|time| time.as_secs_f64()),
                    "busy_share": busy,
                    "bytes_up": timed.bytes_up,
                    "bytes_down": timed.bytes_down,
                    "launches": timed.launches,
                    "runs": walls.len(),
                });
                format!("{value}\n")
            }
        });
        traces.push((format!("2^{log_n}"), watched));
    }
    if let Some(file) = trace_file {
        let calls: Vec<(&str, &Report)> =
            traces.iter().map(|(name, report)| (name.as_str(), report)).collect();
        file.finish(&trace::text(&calls))?;
    }
    Ok(())
}

/// The times of the runs, a run with its stages timed, and one with its kernels timed.
fn measure(
    arguments: &Arguments,
    device: &Device,
    log_n: u32,
) -> Result<(Vec<Duration>, Report, Report), Failure> {
    let progress = spinner(format!("2^{log_n}: making inputs"));
    let note = |text: &str| progress.suspend(|| eprintln!("note: 2^{log_n}: {text}"));
    let mut run = work::prepare(arguments, device, log_n, &note)?;
    progress.set_message(format!("2^{log_n}: measuring"));
    run(Detail::Counts)?;
    let walls = (0..arguments.runs).map(|_| Ok(run(Detail::Counts)?.wall));
    let walls = walls.collect::<Result<_, Failure>>()?;
    let timed = run(Detail::Stages)?.report;
    let watched = run(Detail::Kernels)?.report;
    Ok((walls, timed, watched))
}
