//! Sums and transforms on the CPU beside arkworks: both in turn, the best of several, results compared.
//!
//! `cargo bench -p curvesmith-benches --bench host -- [LOG_N…]` prints a table with tabs between columns.

use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use ark_std::{UniformRand, Zero};
use curvesmith::{
    AffineOf, Device, Direction, Field, Group, Msm, MsmOptions, Ntt, NttOptions, ProjectiveOf, ScalarOf,
};
use curvesmith::{bls12_381, bn254, mnt4_753};
use std::time::{Duration, Instant};

/// Times that each side runs; the best is told.
const RUNS: usize = 5;

fn main() {
    let logs: Vec<u32> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let logs = if logs.is_empty() { vec![14, 16, 18] } else { logs };
    println!("what\tlog n\tkind\tarkworks ms\tours ms\tratio");
    for log in logs {
        msms::<bn254::G1>(log);
        msms::<bls12_381::G1>(log);
        if log <= 16 {
            msm::<bn254::G2>(log, "random", random);
            msm::<bls12_381::G2>(log, "random", random);
            msm::<mnt4_753::G1>(log, "random", random);
        }
        ntt::<bn254::FrField>("bn254_fr", log);
        ntt::<bls12_381::FrField>("bls12_381_fr", log);
    }
}

type Scalars<G> = fn(usize, &mut StdRng) -> Vec<ScalarOf<G>>;

fn msms<G: Group>(log: u32) {
    let kinds: [(&str, Scalars<G>); 4] = [
        ("random", random),
        ("witness-like", |n, rng| {
            // Two fifths each are 0 and 1, a tenth each are short and full.
            let scalar = |rng: &mut StdRng| match rng.gen_range(0..10) {
                0..4 => ScalarOf::<G>::zero(),
                4..8 => 1u64.into(),
                8 => rng.gen_range(0..1u64 << 24).into(),
                _ => ScalarOf::<G>::rand(rng),
            };
            (0..n).map(|_| scalar(rng)).collect()
        }),
        ("32 distinct", |n, rng| {
            let few: Vec<_> = (0..32).map(|_| ScalarOf::<G>::rand(rng)).collect();
            (0..n).map(|_| few[rng.gen_range(0..32)]).collect()
        }),
        ("one scalar", |n, rng| vec![ScalarOf::<G>::rand(rng); n]),
    ];
    for (kind, scalars) in kinds {
        msm::<G>(log, kind, scalars);
    }
    let rng = &mut StdRng::seed_from_u64(2);
    let bases = vec![ProjectiveOf::<G>::rand(rng).into_affine(); 1 << log];
    compare_msm::<G>(log, "equal bases", &bases, &random(1 << log, rng));
}

fn random<F: UniformRand>(n: usize, rng: &mut StdRng) -> Vec<F> {
    (0..n).map(|_| F::rand(rng)).collect()
}

fn msm<G: Group>(log: u32, kind: &str, scalars: impl Fn(usize, &mut StdRng) -> Vec<ScalarOf<G>>) {
    let rng = &mut StdRng::seed_from_u64(1);
    let (mut point, step) = (ProjectiveOf::<G>::rand(rng), ProjectiveOf::<G>::generator());
    let points = std::iter::repeat_with(|| {
        point += step;
        point
    });
    let bases = ProjectiveOf::<G>::normalize_batch(&points.take(1 << log).collect::<Vec<_>>());
    compare_msm::<G>(log, kind, &bases, &scalars(1 << log, rng));
}

fn compare_msm<G: Group>(log: u32, kind: &str, bases: &[AffineOf<G>], scalars: &[ScalarOf<G>]) {
    let plan = Msm::<G>::new(&Device::cpu(), bases, MsmOptions::default()).expect("memory for the bases");
    let ark = || ProjectiveOf::<G>::msm(bases, scalars).expect("as many scalars as bases");
    compare(G::NAME, log, kind, ark, || plan.run(scalars).expect("a sum"));
}

fn ntt<F: Field>(name: &str, log: u32) {
    let values = random::<F::Ark>(1 << log, &mut StdRng::seed_from_u64(3));
    let plan = Ntt::<F>::new(&Device::cpu(), log, NttOptions::default()).expect("a size of the field");
    let domain = Radix2EvaluationDomain::<F::Ark>::new(1 << log).expect("a size of the field");
    let ours = || plan.run(&values, Direction::Forward).expect("a transform");
    compare(name, log, "forward", || domain.fft(&values), ours);
}

fn compare<T: PartialEq>(name: &str, log: u32, kind: &str, ark: impl Fn() -> T, ours: impl Fn() -> T) {
    let (mut best_ark, mut best_ours) = (Duration::MAX, Duration::MAX);
    for _ in 0..RUNS {
        let (expected, time) = timed(&ark);
        best_ark = best_ark.min(time);
        let (found, time) = timed(&ours);
        best_ours = best_ours.min(time);
        assert!(found == expected, "{name} of 2^{log}, {kind}: another result than arkworks'");
    }
    let [ark, ours] = [best_ark, best_ours].map(|time| time.as_secs_f64() * 1e3);
    println!("{name}\t{log}\t{kind}\t{ark:.2}\t{ours:.2}\t{:.2}", ark / ours);
}

fn timed<T>(run: impl Fn() -> T) -> (T, Duration) {
    let start = Instant::now();
    (run(), start.elapsed())
}
