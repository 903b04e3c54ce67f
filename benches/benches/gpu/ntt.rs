//! Transforms of vectors that lie on the device, for several limits of the radix and of the tables of twiddles.

use anyhow::{Context, Result};
use ark_ff::{FftField, UniformRand};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{Device, Direction, Field, bls12_381, bn254};
use curvesmith_abi::kernels::{ntt_has_lazy, ntt_has_tables};
use curvesmith_device::KernelDevice;
use curvesmith_runtime::algorithms::policy::{NttPolicy, Policy};
use curvesmith_runtime::cuda::Cuda;
use curvesmith_runtime::field::modulus_bits;
use std::sync::Arc;
use std::time::{Duration, Instant};

const SIZES: [u32; 7] = [12, 16, 20, 21, 22, 23, 24];
/// `max_log_radix`.
const RADICES: [u32; 2] = [3, 4];
/// `max_table_log_n`; 0 is for no tables.
const TABLES: [u32; 5] = [0, 12, 15, 16, 18];
/// `lazy`.
const LAZY: [bool; 2] = [false, true];
/// Transforms in a row between two looks at the clock.
const RUNS: u32 = 20;

pub(crate) fn report(cuda: &Cuda) -> Result<()> {
    println!(
        "transforms on the device: microseconds, and ns per 1000 butterflies, by the limit of the tables\n  \
         (0 for none); a line for passes up to radix 8, one for the same with lazy elements between passes where the field \
         has that, and one for passes up to radix 16"
    );
    measure::<bn254::FrField>(cuda)?;
    measure::<bls12_381::FrField>(cuda)
}

fn measure<F: Field>(cuda: &Cuda) -> Result<()> {
    let bits = modulus_bits::<F>() as usize;
    let (has_tables, has_lazy) = (ntt_has_tables(F::WORDS, bits), ntt_has_lazy(F::WORDS, bits));
    let forms = RADICES.into_iter().flat_map(|radix| LAZY.map(|lazy| (radix, lazy)));
    let forms = forms.filter(|(radix, lazy)| !lazy || (has_lazy && *radix == 3));
    for log_n in SIZES {
        let root = F::Ark::get_root_of_unity(1 << log_n).context("the field has the root")?;
        let mut rng = StdRng::seed_from_u64(1);
        let values: Vec<F::Ark> = (0..1 << log_n).map(|_| F::Ark::rand(&mut rng)).collect();
        for (max_log_radix, lazy) in forms.clone() {
            let name = if lazy { ", lazy" } else { "" };
            let mut line = format!("  {:12} 2^{log_n}, radix {:2}{name}:", F::NAME, 1 << max_log_radix);
            let limits = TABLES.iter().filter(|limit| has_tables || **limit == 0);
            for &max_table_log_n in limits {
                let ntt = NttPolicy { max_cached_log_n: 24, max_table_log_n, max_log_radix, lazy };
                let policy = Policy { ntt, ..Policy::for_device(cuda.properties()) };
                let device = Device::with_kernels(Arc::new(cuda.clone()), Some(policy));
                let time = transform::<F>(&device, log_n, root, &values)?;
                let butterflies = f64::from(log_n) * (values.len() / 2) as f64;
                let each = time.as_secs_f64() * 1e12 / butterflies;
                line += &format!("  {max_table_log_n}: {:.0} ({each:.1})", time.as_secs_f64() * 1e6);
            }
            println!("{line}");
        }
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
    Ok(runs(RUNS)? / RUNS)
}
