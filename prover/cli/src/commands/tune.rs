//! `curvesmith tune`: the fastest windows of MSMs on a device, and the faster products where it has two kinds
//! of them, kept for all programs that use it.

use super::DeviceName;
use super::bench::{GroupName, Sizes};
use crate::curves::{Curve, with_curve, with_module};
use crate::failure::Failure;
use crate::output::{print, show, spinner};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{Device, Group, MeasuredWindows, PairingCurve, TuneOptions, Tuned, tune_windows};
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Curve, or several
    #[arg(long, required = true, num_args = 1..)]
    curve: Vec<Curve>,
    /// Logarithm of the size, or a range of them: 16 or 16..24
    #[arg(long, default_value = "14..22")]
    log_n: Sizes,
    /// Group that is measured; its windows are those of all sums over the curve's scalars
    #[arg(long, default_value = "g1")]
    group: GroupName,
    /// auto, cuda, cuda:N, wgpu, wgpu:N or emulator; the CPU chooses windows of its own
    #[arg(long, default_value = "auto")]
    device: DeviceName,
    /// Most precomputed multiples of each base in the second measurement of a size; by default as many as the
    /// device likes to keep, 1 for none
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    multiples: Option<u32>,
    /// How many bits windows may differ from the model's
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=22))]
    reach: u32,
    /// Measured runs of each window, after one that is not
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Seconds for all of it; sizes that are not done by then are left out
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seconds: u64,
    /// Print what was found and keep nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON, a line a size, with the times of all windows
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let devices = arguments.device.open()?.by_each_product()?;
    let mut options = TuneOptions::default()
        .runs(arguments.runs)
        .reach(arguments.reach)
        .until(Instant::now() + Duration::from_secs(arguments.seconds));
    if let Some(most) = arguments.multiples {
        options = options.multiples(most);
    }
    let mut found = Vec::new();
    for device in &devices {
        if !arguments.json {
            let words = device.product_words().filter(|_| devices.len() > 1);
            let products =
                words.map(|bits| format!(", products of words of {bits} bits")).unwrap_or_default();
            print(&format!("windows of MSMs on {}{products}, {} runs\n", device.name(), arguments.runs));
            print(&format!(
                "{:<14}{:>10}{:>12}{:>8}{:>12}{:>8}{:>12}\n",
                "curve", "n", "multiples", "model", "takes", "best", "takes"
            ));
        }
        found.push(windows(arguments, device, &options)?);
    }
    if found.iter().all(|windows| windows.rows().is_empty()) {
        return Err(Failure::Input(format!("no size was measured within {} s", arguments.seconds)));
    }
    if arguments.json {
        return Ok(());
    }
    if let [by_words_64, by_words_32] = &found[..] {
        // Where time was over, nothing may be known of both.
        let faster = [(64, by_words_64, by_words_32), (32, by_words_32, by_words_64)];
        if let Some((bits, ..)) = faster.iter().find(|(_, own, other)| own.take_less_than(other)) {
            print(&format!("products of words of {bits} bits take less time\n"));
        }
    }
    if !arguments.dry_run {
        print("kept: devices that are opened from now on use these windows\n");
    }
    Ok(())
}

/// What comes of all curves on a device.
fn windows(
    arguments: &Arguments,
    device: &Device,
    options: &TuneOptions,
) -> Result<MeasuredWindows, Failure> {
    let mut windows = MeasuredWindows::default();
    for curve in &arguments.curve {
        let found = match arguments.group {
            GroupName::G1 => with_module!(*curve, m => tune::<m::G1>(arguments, *curve, device, options))?,
            GroupName::G2 => {
                with_curve!(*curve, C => tune::<<C as PairingCurve>::G2>(arguments, *curve, device, options))?
            }
        };
        for tuned in found {
            windows.insert(tuned.row);
        }
        // Kept as it comes: what follows may be interrupted.
        if !arguments.dry_run && !windows.rows().is_empty() {
            let path = device.keep_windows(&windows, None)?;
            tracing::info!("{} rows in {}", windows.rows().len(), path.display());
        }
    }
    Ok(windows)
}

fn tune<G: Group>(
    arguments: &Arguments,
    curve: Curve,
    device: &Device,
    options: &TuneOptions,
) -> Result<Vec<Tuned>, Failure> {
    let sizes: Vec<usize> = arguments.log_n.logarithms().map(|log_n| 1 << log_n).collect();
    let progress = spinner(format!("{}: measuring", curve.name()));
    let mut found = Vec::new();
    tune_windows::<G>(device, &sizes, options, &mut StdRng::seed_from_u64(1), &mut |tuned| {
        progress.suspend(|| print(&show_row(arguments, curve, device.product_words(), &tuned)));
        found.push(tuned);
    })?;
    Ok(found)
}

fn show_row(arguments: &Arguments, curve: Curve, words: Option<u32>, tuned: &Tuned) -> String {
    let Tuned { row, model, times, .. } = tuned;
    let own = times.iter().find(|(window, _)| window == model).map(|(_, time)| *time);
    if arguments.json {
        let times: Vec<_> =
            times.iter().map(|(window, time)| serde_json::json!([window, time.as_secs_f64()])).collect();
        let value = serde_json::json!({
            "curve": curve.name(),
            "words": words,
            "n": row.n,
            "most_multiples": row.most,
            "model_window": model,
            "window": row.window,
            "seconds": Duration::from_nanos(row.nanoseconds).as_secs_f64(),
            "times_s": times,
        });
        return format!("{value}\n");
    }
    format!(
        "{:<14}{:>10}{:>12}{:>8}{:>12}{:>8}{:>12}\n",
        curve.name(),
        row.n,
        row.most,
        model,
        own.map_or_else(|| "-".into(), show),
        row.window,
        show(Duration::from_nanos(row.nanoseconds))
    )
}
