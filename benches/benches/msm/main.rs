//! MSMs on a GPU: sizes beside rivals on the same model, what each stage of a call and each step on the
//! device takes, and other scalars than uniform ones.
//!
//! Not a Criterion benchmark: medians of a few calls, scalars in ordinary host memory, bases resident, every
//! sum compared with the one that the bases' discrete logarithms say. Without a GPU it says so and measures
//! nothing.
//!
//! `cargo bench -p curvesmith-benches --bench msm`, with `-- sizes` for one of `sizes`, `stages`, `steps`,
//! `scalars` and `devices` (bases shared out among all GPUs, where there are several), and the names of
//! groups; `--csv=FOLDER` writes the tables that the book's plots are drawn from; `--log-n=24` has stages,
//! steps and scalars measured at that size, `--edwards` has groups with an Edwards form measured on that, and
//! `--constant-work` those that are declared with it in constant work, all three not for the tables. Measured
//! only where they are named are `strategies`, sizes, scalars and steps of groups over prime fields by slices
//! and by rows, beside each other, and `lanes`, a point a lane and a point a pair of lanes

mod csv;
mod lanes;
mod steps;

use anyhow::{Result, ensure};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{Field as _, UniformRand, Zero};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use csv::Csv;
use curvesmith::{
    CurveForm, Detail, Device, Group, Msm, MsmOptions, MsmStrategy, ShardedMsm, bls12_377, bls12_381, bn254,
    mnt4_753,
};
use curvesmith_abi::kernels::msm_has_rows;
use curvesmith_runtime::Kind;
use curvesmith_runtime::group::{AffineOf, ProjectiveOf, ScalarOf};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Calls of which the median counts, after one that does not.
const RUNS: usize = 10;
/// Most multiples of each base, where some are kept.
const MULTIPLES: u32 = 32;
/// Where stages, steps and other scalars are measured, if nothing else is said.
const LOG_N: u32 = 20;
/// What can be asked for by itself.
const PARTS: [&str; 7] = ["sizes", "stages", "steps", "scalars", "devices", "strategies", "lanes"];
/// Strategies of groups over prime fields.
const STRATEGIES: [MsmStrategy; 2] = [MsmStrategy::EqualSlices, MsmStrategy::RowBalanced];

/// Best of sppark 17278d7 and icicle v2.8.0 without tables, for BLS12-377 yrrid's with 11 tables, on an H200
/// with driver 580.159.04, scalars in page-locked memory, medians of five, 2026-11-21: group, logarithm of
/// the size, milliseconds.
const RIVALS: [(&str, u32, f64); 17] = [
    ("bn254_g1", 16, 4.05),
    ("bn254_g1", 18, 5.64),
    ("bn254_g1", 20, 10.2),
    ("bn254_g1", 22, 27.2),
    ("bn254_g1", 24, 80.8),
    ("bls12_381_g1", 16, 6.64),
    ("bls12_381_g1", 18, 13.1),
    ("bls12_381_g1", 20, 19.9),
    ("bls12_381_g1", 22, 51.9),
    ("bls12_381_g1", 24, 156.0),
    ("bls12_377_g1", 20, 15.4),
    ("bls12_377_g1", 22, 25.8),
    ("bls12_377_g1", 24, 79.9),
    ("bn254_g2", 18, 16.8),
    ("bn254_g2", 20, 24.7),
    ("bls12_381_g2", 18, 27.5),
    ("bls12_381_g2", 20, 46.9),
];

fn main() -> Result<()> {
    let device = match Device::cuda(0) {
        Ok(device) => device,
        Err(error) => {
            println!("no measurement: {error}");
            return Ok(());
        }
    };
    println!("{}, medians of {RUNS}, milliseconds\n", device.name());
    let only: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    // Of the parts named, or all; and likewise of groups.
    let any = |names: &[&str]| only.iter().any(|name| names.contains(&name.as_str()));
    let (parts, groups) = (any(&PARTS), only.iter().any(|name| !PARTS.contains(&name.as_str())));
    let wanted = |name: &str| {
        let named = if PARTS.contains(&name) { parts } else { groups };
        if named { any(&[name]) } else { !["strategies", "lanes"].contains(&name) }
    };
    let log_n = std::env::args().find_map(|arg| arg.strip_prefix("--log-n=").map(str::parse));
    let log_n = log_n.transpose()?.unwrap_or(LOG_N);
    let mut csv = Csv::new(&device.name(), std::env::args());
    measure::<bn254::G1>(&device, &[16, 18, 20, 22, 24], log_n, &wanted, &mut csv)?;
    measure::<bls12_381::G1>(&device, &[16, 18, 20, 22, 24], log_n, &wanted, &mut csv)?;
    measure::<bls12_377::G1>(&device, &[20, 22, 24], log_n, &wanted, &mut csv)?;
    measure::<bn254::G2>(&device, &[18, 20], log_n, &wanted, &mut csv)?;
    measure::<bls12_381::G2>(&device, &[18, 20], log_n, &wanted, &mut csv)?;
    if wanted("lanes") {
        lanes::print::<bls12_381::G2>(&device, &wanted)?;
        lanes::print::<bls12_377::G2>(&device, &wanted)?;
        lanes::print::<mnt4_753::G2>(&device, &wanted)?;
    }
    csv.write()
}

fn measure<G: Group>(
    device: &Device,
    sizes: &[u32],
    log_n: u32,
    wanted: &dyn Fn(&str) -> bool,
    csv: &mut Csv,
) -> Result<()> {
    if !wanted(G::NAME) {
        return Ok(());
    }
    let all_sizes = ["sizes", "devices", "strategies"].into_iter().any(wanted);
    let asked = |option: &str| std::env::args().any(|arg| arg == option);
    let mut options = MsmOptions::default();
    if asked("--edwards") && G::edwards_form().is_some() {
        println!("{}: on its Edwards form", G::NAME);
        options = options.form(CurveForm::Edwards);
    }
    if asked("--constant-work") && G::constant_work().is_some() {
        println!("{}: in constant work", G::NAME);
        options = options.constant_work();
    }
    let largest = sizes.iter().copied().max().filter(|_| all_sizes).unwrap_or(log_n).max(log_n);
    let mut bases = Bases::<G>::new(1 << largest, options);
    if wanted("sizes") {
        println!("{}: alone, with up to {MULTIPLES} multiples of each base, a rival", G::NAME);
        for &log_n in sizes {
            let scalars = uniform::<G>(1 << log_n);
            let [alone, multiples] = [1, MULTIPLES].map(|most| bases.time(device, &scalars, most));
            let (alone, multiples) = (millis(alone?), millis(multiples?));
            let rival = RIVALS.iter().find(|(name, size, _)| (*name, *size) == (G::NAME, log_n));
            let rival = rival.map(|(.., ms)| *ms);
            csv.size(G::NAME, log_n, [alone, multiples], rival);
            let rival = rival.map_or("-".to_owned(), |ms| format!("{ms:.2}"));
            println!("  2^{log_n}: {alone:8.2} {multiples:8.2} {rival:>8}");
        }
    }
    if wanted("stages") {
        for most in [1, MULTIPLES] {
            println!("{}, 2^{log_n}, up to {most} multiples: stages on the device", G::NAME);
            bases.stages(device, most, log_n)?;
        }
    }
    if wanted("steps") {
        for most in [1, MULTIPLES] {
            println!(
                "{}, 2^{log_n}, up to {most} multiples, resident: launches, time, bound, its share",
                G::NAME
            );
            steps::print(&bases, device, most, log_n, csv)?;
        }
    }
    if wanted("devices") {
        let devices = Device::cuda_all()?;
        if devices.len() > 1 {
            println!("{}: on one and on {} devices, and how many times faster", G::NAME, devices.len());
            for &log_n in sizes {
                bases.shared_out(&devices, &uniform::<G>(1 << log_n), log_n)?;
            }
        }
    }
    if wanted("scalars") {
        println!("{}, 2^{log_n}: scalars, alone and with multiples, and times uniform ones' time", G::NAME);
        let mut first: Option<[Duration; 2]> = None;
        for (name, scalars) in kinds::<G>(1 << log_n) {
            let alone = bases.time(device, &scalars, 1)?;
            let multiples = bases.time(device, &scalars, MULTIPLES)?;
            let uniform = first.get_or_insert([alone, multiples]);
            let ratio = |time: Duration, uniform: Duration| time.as_secs_f64() / uniform.as_secs_f64();
            let ratios = (ratio(alone, uniform[0]), ratio(multiples, uniform[1]));
            let (alone, multiples) = (millis(alone), millis(multiples));
            csv.scalars(G::NAME, name, [alone, multiples]);
            println!("  {name:16} {alone:8.2} {multiples:8.2}   {:.2} {:.2}", ratios.0, ratios.1);
        }
    }
    if wanted("strategies") && msm_has_rows(G::DEGREE) {
        bases.by_strategies(device, sizes)?;
    }
    println!();
    Ok(())
}

/// Points whose discrete logarithms are `start + i·step`.
struct Bases<G: Group> {
    points: Vec<AffineOf<G>>,
    start: ScalarOf<G>,
    step: ScalarOf<G>,
    /// Of all plans.
    options: MsmOptions,
}

impl<G: Group> Bases<G> {
    fn new(n: usize, options: MsmOptions) -> Self {
        const CHUNK: usize = 1 << 12;
        let mut rng = StdRng::seed_from_u64(1);
        let [start, step] = [(); 2].map(|()| ScalarOf::<G>::rand(&mut rng));
        let g = ProjectiveOf::<G>::generator();
        let increment = (g * step).into_affine();
        let chunk = |first: usize| {
            let first_point = g * (start + step * ScalarOf::<G>::from(first as u64));
            let points = std::iter::successors(Some(first_point), |point| Some(*point + increment));
            let points: Vec<_> = points.take(CHUNK.min(n - first)).collect();
            ProjectiveOf::<G>::normalize_batch(&points)
        };
        let points = (0..n.div_ceil(CHUNK)).into_par_iter().flat_map_iter(|k| chunk(k * CHUNK)).collect();
        Bases { points, start, step, options }
    }

    fn sum(&self, scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
        let term = |(i, scalar): (usize, &ScalarOf<G>)| {
            *scalar * (self.start + self.step * ScalarOf::<G>::from(i as u64))
        };
        let sum: ScalarOf<G> = scalars.par_iter().enumerate().map(term).sum();
        ProjectiveOf::<G>::generator() * sum
    }

    fn plan(&self, device: &Device, n: usize, most: u32) -> Result<Msm<G>> {
        Ok(Msm::new(device, &self.points[..n], self.options.clone().multiples(most))?)
    }

    fn time(&self, device: &Device, scalars: &[ScalarOf<G>], most: u32) -> Result<Duration> {
        let plan = self.plan(device, scalars.len(), most)?;
        self.median_of(scalars, || Ok(plan.run(scalars)?))
    }

    fn median_of(
        &self,
        scalars: &[ScalarOf<G>],
        run: impl Fn() -> Result<ProjectiveOf<G>>,
    ) -> Result<Duration> {
        ensure!(run()? == self.sum(scalars), "{}: another sum", G::NAME);
        let mut times = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let start = Instant::now();
            run()?;
            times.push(start.elapsed());
        }
        Ok(median(times))
    }

    /// Prints sizes, scalars and steps by each strategy.
    fn by_strategies(&mut self, device: &Device, sizes: &[u32]) -> Result<()> {
        let options = self.options.clone();
        println!("{}: {STRATEGIES:?}, alone and with up to {MULTIPLES} multiples", G::NAME);
        let of_size = |log_n: &u32| (format!("2^{log_n}"), uniform::<G>(1 << log_n));
        let of_kind = |(name, scalars)| (format!("2^{LOG_N}, {name}"), scalars);
        let all = sizes.iter().map(of_size).chain(kinds::<G>(1 << LOG_N).into_iter().map(of_kind));
        for (name, scalars) in all {
            let mut line = format!("  {name:22}");
            for most in [1, MULTIPLES] {
                for strategy in STRATEGIES {
                    self.options = options.clone().strategy(strategy);
                    line += &format!(" {:8.3}", millis(self.time(device, &scalars, most)?));
                }
            }
            println!("{line}");
        }
        for (strategy, most) in
            STRATEGIES.into_iter().flat_map(|strategy| [(strategy, 1), (strategy, MULTIPLES)])
        {
            println!(
                "{}, 2^{LOG_N}, {strategy:?}, up to {most} multiples: launches, time, bound, its share",
                G::NAME
            );
            self.options = options.clone().strategy(strategy);
            steps::print(self, device, most, LOG_N, &mut Csv::new("", std::iter::empty()))?;
        }
        self.options = options;
        Ok(())
    }

    /// Prints what an MSM takes on the first device and on all.
    fn shared_out(&self, devices: &[Device], scalars: &[ScalarOf<G>], log_n: u32) -> Result<()> {
        let points = &self.points[..scalars.len()];
        let time = |devices: &[Device]| -> Result<Duration> {
            let plan = ShardedMsm::<G>::new(devices, points, MsmOptions::default())?;
            self.median_of(scalars, || Ok(plan.run(scalars)?))
        };
        let (one, all) = (time(&devices[..1])?, time(devices)?);
        let gain = one.as_secs_f64() / all.as_secs_f64();
        println!("  2^{log_n}: {:8.2} {:8.2} {gain:6.2}", millis(one), millis(all));
        Ok(())
    }

    /// Prints the stages of a call in their order, with what is left of the call's time on the host.
    fn stages(&self, device: &Device, most: u32, log_n: u32) -> Result<()> {
        let scalars = uniform::<G>(1 << log_n);
        let plan = self.plan(device, scalars.len(), most)?;
        plan.run(&scalars)?;
        let mut calls = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let start = Instant::now();
            let (_, report) = plan.run_with_report(&scalars, Detail::Stages)?;
            calls.push((start.elapsed(), report));
        }
        calls.sort_by_key(|(time, _)| *time);
        let (time, report) = &calls[RUNS / 2];
        for span in report.spans.iter().filter(|span| matches!(span.kind, Kind::Stage | Kind::Host)) {
            let place = if span.kind == Kind::Host { "host" } else { "" };
            println!("  {:24} {:8.3} {place}", span.name, 1e3 * (span.end - span.begin));
        }
        println!("  {:24} {:8.3}", "all", millis(*time));
        Ok(())
    }
}

fn uniform<G: Group>(n: usize) -> Vec<ScalarOf<G>> {
    let one = |k| ScalarOf::<G>::rand(&mut StdRng::seed_from_u64(k as u64));
    (0..n).into_par_iter().map(one).collect()
}

/// Scalars as circuits have them, and worse ones; uniform ones first.
fn kinds<G: Group>(n: usize) -> Vec<(&'static str, Vec<ScalarOf<G>>)> {
    let uniform = uniform::<G>(n);
    let mut rng = StdRng::seed_from_u64(2);
    let mut of = |scalar: &mut dyn FnMut(&mut StdRng, usize) -> ScalarOf<G>| -> Vec<_> {
        (0..n).map(|i| scalar(&mut rng, i)).collect()
    };
    let zero = ScalarOf::<G>::zero();
    let one = ScalarOf::<G>::ONE;
    let kinds = [
        ("all equal", of(&mut |_, _| uniform[0])),
        ("32 values", of(&mut |rng, _| uniform[rng.gen_range(0..32)])),
        ("half zeros", of(&mut |rng, i| if rng.r#gen() { zero } else { uniform[i] })),
        ("zeros and ones", of(&mut |rng, _| if rng.r#gen() { zero } else { one })),
        // As the wires of a circuit: nine in ten are bits.
        (
            "mostly bits",
            of(&mut |rng, i| match rng.gen_range(0..20) {
                0 | 1 => uniform[i],
                k if k % 2 == 0 => zero,
                _ => one,
            }),
        ),
        ("one huge bucket", of(&mut |rng, i| if rng.gen_range(0..100) == 0 { uniform[i] } else { one })),
        ("64 bits", of(&mut |rng, _| rng.r#gen::<u64>().into())),
        ("r - 1", of(&mut |_, _| -one)),
        ("zeros", of(&mut |_, _| zero)),
    ];
    std::iter::once(("uniform", uniform)).chain(kinds).collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    1e3 * time.as_secs_f64()
}
