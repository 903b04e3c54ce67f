//! MSMs on a GPU: sizes beside rivals on the same model, what each stage takes, and other scalars than uniform ones.
//!
//! Not a Criterion benchmark: medians of a few calls, scalars in ordinary host memory, bases resident, every sum compared with the
//! one that the bases' discrete logarithms say. Without a GPU it says so and measures nothing.
//!
//! `cargo bench -p curvesmith-benches --bench msm`, with `-- sizes` for one of `sizes`, `stages`, `scalars`

use anyhow::{Result, ensure};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{Field as _, UniformRand, Zero};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith::{Detail, Device, Group, Msm, MsmOptions, bls12_381, bn254};
use curvesmith_runtime::Kind;
use curvesmith_runtime::group::{AffineOf, ProjectiveOf, ScalarOf};
use rayon::prelude::*;
use std::time::{Duration, Instant};

/// Calls of which the median counts, after one that does not.
const RUNS: usize = 10;
/// Most multiples of each base, where some are kept.
const MULTIPLES: u32 = 32;
/// Where stages and other scalars are measured.
const LOG_N: u32 = 20;

/// Best of sppark 17278d7 and icicle v2.8.0 without tables, on an H200 with driver 580.159.04, scalars in page-locked memory, medians of
/// five, 2026-11-21: group, logarithm of the size, milliseconds.
const RIVALS: [(&str, u32, f64); 12] = [
    ("bn254_g1", 16, 4.05),
    ("bn254_g1", 18, 5.64),
    ("bn254_g1", 20, 10.2),
    ("bn254_g1", 22, 27.2),
    ("bls12_381_g1", 16, 6.64),
    ("bls12_381_g1", 18, 13.1),
    ("bls12_381_g1", 20, 19.9),
    ("bls12_381_g1", 22, 51.9),
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
    let wanted = |part: &str| only.is_empty() || only.iter().any(|name| name == part);
    measure::<bn254::G1>(&device, &[16, 18, 20, 22], &wanted)?;
    measure::<bls12_381::G1>(&device, &[16, 18, 20, 22], &wanted)?;
    measure::<bn254::G2>(&device, &[18, 20], &wanted)?;
    measure::<bls12_381::G2>(&device, &[18, 20], &wanted)
}

fn measure<G: Group>(device: &Device, sizes: &[u32], wanted: &dyn Fn(&str) -> bool) -> Result<()> {
    let largest = sizes.iter().copied().max().filter(|_| wanted("sizes")).unwrap_or(LOG_N);
    let bases = Bases::<G>::new(1 << largest);
    if wanted("sizes") {
        println!("{}: alone, with up to {MULTIPLES} multiples of each base, a rival", G::NAME);
        for &log_n in sizes {
            let scalars = uniform::<G>(1 << log_n);
            let [alone, multiples] = [1, MULTIPLES].map(|most| bases.time(device, &scalars, most));
            let rival = RIVALS.iter().find(|(name, size, _)| (*name, *size) == (G::NAME, log_n));
            let rival = rival.map_or("-".to_owned(), |(.., ms)| format!("{ms:.2}"));
            println!("  2^{log_n}: {:8.2} {:8.2} {rival:>8}", millis(alone?), millis(multiples?));
        }
    }
    if wanted("stages") {
        for most in [1, MULTIPLES] {
            println!("{}, 2^{LOG_N}, up to {most} multiples: stages on the device", G::NAME);
            bases.stages(device, most)?;
        }
    }
    if wanted("scalars") {
        println!("{}, 2^{LOG_N}: scalars, alone and with multiples, and times uniform ones' time", G::NAME);
        let mut first: Option<[Duration; 2]> = None;
        for (name, scalars) in kinds::<G>(1 << LOG_N) {
            let alone = bases.time(device, &scalars, 1)?;
            let multiples = bases.time(device, &scalars, MULTIPLES)?;
            let uniform = first.get_or_insert([alone, multiples]);
            let ratio = |time: Duration, uniform: Duration| time.as_secs_f64() / uniform.as_secs_f64();
            let ratios = (ratio(alone, uniform[0]), ratio(multiples, uniform[1]));
            let (alone, multiples) = (millis(alone), millis(multiples));
            println!("  {name:16} {alone:8.2} {multiples:8.2}   {:.2} {:.2}", ratios.0, ratios.1);
        }
    }
    println!();
    Ok(())
}

/// Points whose discrete logarithms are `start + i·step`.
struct Bases<G: Group> {
    points: Vec<AffineOf<G>>,
    start: ScalarOf<G>,
    step: ScalarOf<G>,
}

impl<G: Group> Bases<G> {
    fn new(n: usize) -> Self {
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
        Bases { points, start, step }
    }

    fn sum(&self, scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
        let term = |(i, scalar): (usize, &ScalarOf<G>)| {
            *scalar * (self.start + self.step * ScalarOf::<G>::from(i as u64))
        };
        let sum: ScalarOf<G> = scalars.par_iter().enumerate().map(term).sum();
        ProjectiveOf::<G>::generator() * sum
    }

    fn plan(&self, device: &Device, n: usize, most: u32) -> Result<Msm<G>> {
        Ok(Msm::new(device, &self.points[..n], MsmOptions::default().multiples(most))?)
    }

    fn time(&self, device: &Device, scalars: &[ScalarOf<G>], most: u32) -> Result<Duration> {
        let plan = self.plan(device, scalars.len(), most)?;
        ensure!(plan.run(scalars)? == self.sum(scalars), "{}: another sum", G::NAME);
        let mut times = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            let start = Instant::now();
            plan.run(scalars)?;
            times.push(start.elapsed());
        }
        Ok(median(times))
    }

    /// Prints the stages of a call in their order, with what is left of the call's time on the host.
    fn stages(&self, device: &Device, most: u32) -> Result<()> {
        let scalars = uniform::<G>(1 << LOG_N);
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
