//! Transforms of vectors that lie on the device, by the most stages of a pass; those of small fields beside a
//! copy of as many bytes.

use super::device::{COPY, Gpu};
use anyhow::{Context, Result};
use ark_ff::{FftField, UniformRand};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{Device, Direction, Field, bls12_381, bn254, field};
use curvesmith_abi::{Arg, padded_words};
use curvesmith_device::KernelDevice;
use curvesmith_runtime::cuda::Cuda;
use curvesmith_runtime::policy::{NttPolicy, Policy};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SIZES: [u32; 10] = [10, 12, 14, 16, 18, 20, 21, 22, 23, 24];
/// Most stages of a pass.
const RADICES: [u32; 4] = [5, 6, 7, 8];
/// The same of fields of one and two words, whose threads hold 16 elements.
const SMALL_RADICES: [u32; 4] = [7, 8, 9, 10];
/// Transforms in a row between two looks at the clock, the shortest of so many times.
const RUNS: u32 = 20;
const TIMES: u32 = 5;

field! {
    /// BabyBear, one word.
    pub mod babybear {
        p = 2013265921;
        generator = 31;
    }
}

field! {
    /// Goldilocks, two words and no spare bit.
    pub mod goldilocks {
        p = 0xffffffff00000001;
        generator = 7;
    }
}

pub(crate) fn report(cuda: &Cuda, gpu: &Gpu) -> Result<()> {
    println!(
        "transforms on the device: microseconds, and ns per 1000 butterflies, by the most stages of a pass"
    );
    measure::<bn254::FrField>(cuda, RADICES)?;
    measure::<bls12_381::FrField>(cuda, RADICES)?;
    measure::<babybear::FpField>(cuda, SMALL_RADICES)?;
    copies::<babybear::FpField>(gpu)?;
    measure::<goldilocks::FpField>(cuda, SMALL_RADICES)?;
    copies::<goldilocks::FpField>(gpu)
}

fn measure<F: Field>(cuda: &Cuda, radices: [u32; 4]) -> Result<()> {
    for log_n in SIZES {
        let root = F::Ark::get_root_of_unity(1 << log_n).context("the field has the root")?;
        let mut rng = StdRng::seed_from_u64(1);
        let values: Vec<F::Ark> = (0..1 << log_n).map(|_| F::Ark::rand(&mut rng)).collect();
        let mut line = format!("  {:12} 2^{log_n}:", F::NAME);
        for most in radices {
            let ntt = NttPolicy { max_cached_log_n: 24, max_log_radix: most, max_log_radix_of_short: most };
            let policy = Policy { ntt, ..Policy::for_device(cuda.properties()) };
            let device = Device::with_kernels(Arc::new(cuda.clone()), Some(policy));
            let time = transform::<F>(&device, log_n, root, &values)?;
            let butterflies = f64::from(log_n) * (values.len() / 2) as f64;
            let each = time.as_secs_f64() * 1e12 / butterflies;
            line += &format!("  {most}: {:.1} ({each:.1})", time.as_secs_f64() * 1e6);
        }
        println!("{line}");
    }
    Ok(())
}

/// What copies of a vector take: the least that a pass could.
fn copies<F: Field>(gpu: &Gpu) -> Result<()> {
    let module = gpu.load(COPY, "copy")?;
    for log_n in SIZES.into_iter().filter(|log_n| *log_n >= 20) {
        let bytes = (4 * padded_words(F::WORDS) as u64) << log_n;
        let (from, to) = (gpu.alloc(bytes)?, gpu.alloc(bytes)?);
        let args = [Arg::Buffer(from.whole()), Arg::Buffer(to.whole())];
        let time =
            gpu.time_in_a_row([RUNS, TIMES], &module, "copy", (bytes / 16 / 256) as u32, 256, &args)?;
        let rate = 2.0 * bytes as f64 / time.as_secs_f64() / 1e12;
        println!("  {:12} 2^{log_n}: a copy {:.1}, {rate:.2} TB/s", F::NAME, time.as_secs_f64() * 1e6);
    }
    Ok(())
}

fn transform<F: Field>(device: &Device, log_n: u32, root: F::Ark, values: &[F::Ark]) -> Result<Duration> {
    let work = device.work()?;
    let stream = work.stream().context("a device of kernels has one")?;
    let tables = work.ntt_tables::<F>(1 << log_n, root)?;
    let mut vector = work.upload::<F>(values)?;
    let one = F::Ark::from(1u64);
    let mut runs = |count| -> Result<Duration> {
        stream.synchronize()?;
        let start = Instant::now();
        for _ in 0..count {
            work.ntt(&tables, &mut vector, Direction::Forward, one)?;
        }
        stream.synchronize()?;
        Ok(start.elapsed())
    };
    runs(3)?;
    let times = (0..TIMES).map(|_| runs(RUNS)).collect::<Result<Vec<_>>>()?;
    Ok(times.into_iter().min().unwrap_or_default() / RUNS)
}
