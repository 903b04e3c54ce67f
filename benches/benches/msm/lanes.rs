//! A point a lane and a point a pair of lanes, in turn.

use super::{Bases, RUNS, median, millis, uniform};
use anyhow::{Result, ensure};
use curvesmith::{Detail, Device, Group, Msm, MsmOptions, MsmStrategy, PointLanes};
use curvesmith_runtime::Kind;
use std::time::{Duration, Instant};

/// Prints whole MSMs and their accumulation, both in milliseconds, by equal slices alone and with what the
/// policy does before them.
pub(super) fn print<G: Group>(device: &Device, wanted: &dyn Fn(&str) -> bool) -> Result<()> {
    if !wanted(G::NAME) {
        return Ok(());
    }
    let sizes = [16, 18, 20];
    let bases = Bases::<G>::new(1 << sizes[2], MsmOptions::default());
    println!("{}: a point a lane, and a pair of lanes; the accumulations' part of it", G::NAME);
    for log_n in sizes {
        let scalars = uniform::<G>(1 << log_n);
        for (name, strategy) in [("equal slices", Some(MsmStrategy::EqualSlices)), ("policy", None)] {
            let plan = |lanes| -> Result<Msm<G>> {
                let options = MsmOptions::default().lanes(lanes);
                let options = strategy.map_or(options.clone(), |strategy| options.strategy(strategy));
                Ok(Msm::new(device, &bases.points[..1 << log_n], options)?)
            };
            let plans = [plan(PointLanes::Single)?, plan(PointLanes::Pair)?];
            let expected = bases.sum(&scalars);
            for plan in &plans {
                ensure!(plan.run(&scalars)? == expected, "{}: another sum", G::NAME);
            }
            let mut times = [vec![], vec![]];
            let mut parts = [vec![], vec![]];
            for i in 0..2 * RUNS {
                let start = Instant::now();
                plans[i % 2].run(&scalars)?;
                times[i % 2].push(start.elapsed());
                let (_, report) = plans[i % 2].run_with_report(&scalars, Detail::Kernels)?;
                let launches = report.spans.iter().filter(|span| span.kind == Kind::Kernel);
                let sums = launches.filter(|span| span.name.contains("accumulate"));
                parts[i % 2].push(Duration::from_secs_f64(sums.map(|span| span.end - span.begin).sum()));
            }
            let [single, pair] = times.map(|times| millis(median(times)));
            let [single_part, pair_part] = parts.map(|parts| millis(median(parts)));
            println!(
                "  2^{log_n} {name:12} {single:8.2} {pair:8.2} {:5.2}   {single_part:8.2} {pair_part:8.2} {:5.2}",
                pair / single,
                pair_part / single_part
            );
        }
    }
    println!();
    Ok(())
}
