//! Transforms of vectors that lie on the device, for several limits of the tables of twiddles.

use anyhow::{Context, Result};
use ark_ff::{FftField, UniformRand};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{Field, bls12_381, bn254};
use curvesmith_runtime::backend::{Backend, Direction};
use curvesmith_runtime::cuda::Cuda;
use curvesmith_runtime::device::KernelDevice;
use curvesmith_runtime::kernels::Kernels;
use curvesmith_runtime::kernels::policy::{NttPolicy, Policy};
use std::time::{Duration, Instant};

const SIZES: [u32; 4] = [12, 16, 20, 24];
/// `max_table_log_n`; 0 is for no tables.
const TABLES: [u32; 6] = [0, 12, 15, 18, 21, 24];
/// Transforms in a row between two looks at the clock.
const RUNS: u32 = 20;

pub(crate) fn report(cuda: &Cuda) -> Result<()> {
    println!(
        "transforms on the device: microseconds, and ns per 1000 butterflies, by the limit of the tables"
    );
    measure::<bn254::FrField>(cuda)?;
    measure::<bls12_381::FrField>(cuda)
}

fn measure<F: Field>(cuda: &Cuda) -> Result<()> {
    for log_n in SIZES {
        let root = F::Ark::get_root_of_unity(1 << log_n).context("the field has the root")?;
        let mut rng = StdRng::seed_from_u64(1);
        let values: Vec<F::Ark> = (0..1 << log_n).map(|_| F::Ark::rand(&mut rng)).collect();
        let mut line = format!("  {:12} 2^{log_n}:", F::NAME);
        for max_table_log_n in TABLES.into_iter().filter(|t| *t == 0 || *t < log_n + 3) {
            let ntt = NttPolicy { max_cached_log_n: 24, max_table_log_n };
            let policy = Policy { ntt, ..Policy::for_device(&cuda.properties()) };
            let kernels = Kernels::with_policy(cuda.clone(), policy)?;
            let time = transform::<F>(&kernels, log_n, root, &values)?;
            let butterflies = f64::from(log_n) * (values.len() / 2) as f64;
            let each = time.as_secs_f64() * 1e12 / butterflies;
            line += &format!("  {max_table_log_n}: {:.0} ({each:.1})", time.as_secs_f64() * 1e6);
        }
        println!("{line}");
    }
    Ok(())
}

fn transform<F: Field>(
    kernels: &Kernels<Cuda>,
    log_n: u32,
    root: F::Ark,
    values: &[F::Ark],
) -> Result<Duration> {
    let tables = kernels.ntt_tables::<F>(log_n, root)?;
    let mut vector = kernels.upload::<F>(values)?;
    let one = F::Ark::from(1u64);
    let mut runs = |count| -> Result<Duration> {
        kernels.synchronize()?;
        let start = Instant::now();
        for _ in 0..count {
            kernels.ntt(&tables, &mut vector, Direction::Forward, one)?;
        }
        kernels.synchronize()?;
        Ok(start.elapsed())
    };
    runs(3)?;
    Ok(runs(RUNS)? / RUNS)
}
