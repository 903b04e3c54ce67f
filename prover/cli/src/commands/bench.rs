//! `curvesmith bench`: one algorithm, one size, one device, results checked.

use super::DeviceName;
use crate::curves::{Curve, with_curve};
use crate::failure::Failure;
use crate::output::{print, show};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, UniformRand, Zero};
use ark_groth16::r1cs_to_qap::LibsnarkReduction;
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use clap::ValueEnum;
use curvesmith::sample::Chain;
use curvesmith::snarkjs::ZkeyCurve;
use curvesmith::{
    Csr, Device, Field, Groth16, Group, KeyOptions, Msm, MsmOptions, Ntt, NttOptions, PairingCurve, SpMv,
    SpMvOptions, Witness, constraints_of,
};
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to measure
    algorithm: Algorithm,
    /// Curve
    #[arg(long)]
    curve: Curve,
    /// Logarithm of the size
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=26))]
    log_n: u32,
    /// auto, cpu, cuda, cuda:N or emulator
    #[arg(long, default_value = "auto")]
    device: DeviceName,
    /// Group of `msm`
    #[arg(long, default_value = "g1")]
    group: GroupName,
    /// Measured runs, after one that is not
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Algorithm {
    /// Σ scalar·point, uniformly random scalars
    Msm,
    /// Forward transform
    Ntt,
    /// Sparse matrix of three entries a row, times a vector
    Spmv,
    /// Proof of a chain of multiplications that fills the domain, self-check included
    Groth16,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GroupName {
    G1,
    G2,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let device = arguments.device.open()?;
    let mut times = with_curve!(arguments.curve, C => measure::<C>(arguments, &device))?;
    times.sort();
    let (median, best) = (times[times.len() / 2], times[0]);
    let names = format!("{:?} on {:?}", arguments.algorithm, arguments.curve).to_lowercase();
    print(&match arguments.json {
        false => format!(
            "{names}, 2^{}, {}: median {}, best {} of {}\n",
            arguments.log_n,
            device.name(),
            show(median),
            show(best),
            times.len()
        ),
        true => {
            let value = serde_json::json!({
                "algorithm": format!("{:?}", arguments.algorithm).to_lowercase(),
                "curve": format!("{:?}", arguments.curve).to_lowercase(),
                "group": format!("{:?}", arguments.group).to_lowercase(),
                "log_n": arguments.log_n,
                "device": device.name(),
                "median_s": median.as_secs_f64(),
                "best_s": best.as_secs_f64(),
                "runs": times.len(),
            });
            format!("{value}\n")
        }
    });
    Ok(())
}

fn measure<C: ZkeyCurve>(arguments: &Arguments, device: &Device) -> Result<Vec<Duration>, Failure> {
    let (log_n, runs) = (arguments.log_n, arguments.runs);
    match (arguments.algorithm, arguments.group) {
        (Algorithm::Msm, GroupName::G1) => msm::<C::G1>(device, log_n, runs),
        (Algorithm::Msm, GroupName::G2) => msm::<C::G2>(device, log_n, runs),
        (Algorithm::Ntt, _) => ntt::<C::Fr>(device, log_n, runs),
        (Algorithm::Spmv, _) => spmv::<C::Fr>(device, log_n, runs),
        (Algorithm::Groth16, _) => groth16::<C>(device, log_n, runs),
    }
}

/// Runs `work` once and then `runs` times; every result must be `expected`.
fn time<T: PartialEq>(
    runs: u32,
    expected: &T,
    mut work: impl FnMut() -> Result<T, Failure>,
) -> Result<Vec<Duration>, Failure> {
    let mut times = Vec::new();
    for _ in 0..=runs {
        let start = Instant::now();
        let found = work()?;
        times.push(start.elapsed());
        if found != *expected {
            return Err(Failure::Internal("the result is wrong".into()));
        }
    }
    times.remove(0);
    Ok(times)
}

fn msm<G: Group>(device: &Device, log_n: u32, runs: u32) -> Result<Vec<Duration>, Failure> {
    type Projective<G> = ark_ec::short_weierstrass::Projective<<G as Group>::Config>;
    type Ark<G> = <<G as Group>::Scalar as Field>::Ark;
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let n = 1u64 << log_n;
    // Base i is (first + i·step)·G, so that the sum is known without an MSM.
    let (first, step) = (Ark::<G>::rand(&mut rng), Ark::<G>::rand(&mut rng));
    let generator = Projective::<G>::generator();
    let increment = (generator * step).into_affine();
    let mut point = generator * first;
    let mut points = Vec::with_capacity(n as usize);
    for _ in 0..n {
        points.push(point);
        point += increment;
    }
    let bases = Projective::<G>::normalize_batch(&points);
    let scalars: Vec<Ark<G>> = (0..n).map(|_| Ark::<G>::rand(&mut rng)).collect();
    let (mut sum, mut logarithm) = (Ark::<G>::zero(), first);
    for scalar in &scalars {
        sum += *scalar * logarithm;
        logarithm += step;
    }
    let expected = generator * sum;
    let plan = Msm::<G>::new(device, &bases, MsmOptions::default())?;
    time(runs, &expected, || Ok(plan.run(&scalars)?))
}

fn ntt<F: Field>(device: &Device, log_n: u32, runs: u32) -> Result<Vec<Duration>, Failure> {
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let values: Vec<F::Ark> = (0..1u64 << log_n).map(|_| F::Ark::rand(&mut rng)).collect();
    let plan = Ntt::<F>::new(device, log_n, NttOptions::default())?;
    let evaluations = plan.forward(&values)?;
    if plan.inverse(&evaluations)? != values || evaluations[0] != values.iter().sum::<F::Ark>() {
        return Err(Failure::Internal("the result is wrong".into()));
    }
    time(runs, &evaluations, || Ok(plan.forward(&values)?))
}

fn spmv<F: Field>(device: &Device, log_n: u32, runs: u32) -> Result<Vec<Duration>, Failure> {
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let n = 1u32 << log_n;
    let columns: Vec<u32> = (0..3 * n).map(|_| rng.gen_range(0..n)).collect();
    let values: Vec<F::Ark> = (0..3 * n).map(|_| F::Ark::rand(&mut rng)).collect();
    let x: Vec<F::Ark> = (0..n).map(|_| F::Ark::rand(&mut rng)).collect();
    let row = |row: usize| {
        let entries = 3 * row..3 * row + 3;
        entries.fold(F::Ark::ZERO, |sum, i| sum + values[i] * x[columns[i] as usize])
    };
    let expected: Vec<F::Ark> = (0..n as usize).map(row).collect();
    let row_offsets = (0..=n).map(|row| 3 * row).collect();
    let matrix = Csr { row_offsets, columns: columns.clone(), values: values.clone(), width: n };
    let plan = SpMv::<F>::new(device, &matrix, SpMvOptions::default())?;
    time(runs, &expected, || Ok(plan.run(&x)?))
}

fn groth16<C: PairingCurve>(device: &Device, log_n: u32, runs: u32) -> Result<Vec<Duration>, Failure> {
    type Ark<C> = ark_groth16::Groth16<<C as PairingCurve>::Engine, LibsnarkReduction>;
    type Scalar<C> = <<C as PairingCurve>::Fr as Field>::Ark;
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let circuit = Chain::<Scalar<C>>::filling(log_n.max(2));
    let internal = |error: &dyn std::fmt::Display| Failure::Internal(error.to_string());
    let key = Ark::<C>::generate_random_parameters_with_reduction(circuit.clone(), &mut rng)
        .map_err(|error| internal(&error))?;
    let r1cs = constraints_of(circuit.clone()).map_err(|error| internal(&error))?;
    let prover = Groth16::<C>::from_ark(device, &key, r1cs, &KeyOptions::default())
        .map_err(|error| internal(&error))?;
    let witness = Witness::<C>::new(circuit.assignment());
    // Proofs are random: that they verify is the self-check's doing.
    time(runs, &(), || match prover.prove(&witness, &mut rng) {
        Ok(_) => Ok(()),
        Err(error) => Err(Failure::of_proof(error, Path::new("chain"))),
    })
}
