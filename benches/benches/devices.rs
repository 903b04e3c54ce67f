//! The same sums, transforms and proofs on several devices: CUDA, adapters of wgpu, the CPU.
//!
//! Not a Criterion benchmark. Of each task: the first call, which may compile kernels; the best and the
//! median of calls after it, with vectors in ordinary host memory; and one call by the device's clock, what
//! copies to it, its kernels and copies back took. BN254; sums are compared with the one that the bases'
//! discrete logarithms say, transforms go there and back, proofs are verified.
//!
//! `cargo bench -p curvesmith-benches --bench devices`, with `-- wgpu:0 cpu` for some devices by name, of
//! which `browser` is the first adapter without words of 64 bits, as a browser has it, and
//! `--log-n=18` for another size than 2^20, and `--kernels` for what each kernel took

use anyhow::{Result, ensure};
use ark_bn254::{Fr, G1Projective};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::UniformRand;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::snarkjs::ZkeyFile;
use curvesmith::{
    Detail, Device, Groth16, KeyOptions, Msm, MsmOptions, Ntt, NttOptions, Witness, bn254, verify,
};
use curvesmith_benches::fixture;
use curvesmith_runtime::wgpu::{WgpuDevice, WgpuOptions};
use curvesmith_runtime::{Kind, RuntimeError, Span, vocabulary::Direction};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// Calls that count.
const RUNS: usize = 20;
const LOG_N: u32 = 20;

fn main() -> Result<()> {
    let (options, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|arg| arg.starts_with('-'));
    let log_n = options.iter().find_map(|option| option.strip_prefix("--log-n=").map(str::parse));
    let log_n = log_n.transpose()?.unwrap_or(LOG_N);
    let names = if names.is_empty() { ["cuda", "wgpu", "cpu"].map(String::from).to_vec() } else { names };
    for name in names {
        let opened = match name.as_str() {
            "browser" => browser(),
            name => Device::parse(name),
        };
        let device = match opened {
            Ok(device) => device,
            Err(error) => {
                println!("{name}: no measurement: {error}\n");
                continue;
            }
        };
        println!("{name}, {}: milliseconds", device.name());
        sums(&device, log_n)?;
        transforms(&device, log_n)?;
        proofs(&device)?;
        println!();
    }
    Ok(())
}

fn browser() -> Result<Device, RuntimeError> {
    let options = WgpuOptions { words_64: false, ..WgpuOptions::default() };
    Ok(Device::with_kernels(Arc::new(WgpuDevice::with_options(0, options)?), None))
}

fn sums(device: &Device, log_n: u32) -> Result<()> {
    const CHUNK: usize = 1 << 10;
    let n = 1usize << log_n;
    let scalars = uniform(n);
    // The bases are 1 to n times the generator.
    let g = G1Projective::generator();
    let chunk = |first: usize| {
        let first = g * Fr::from(first as u64 + 1);
        let points: Vec<_> =
            std::iter::successors(Some(first), |point| Some(*point + g)).take(CHUNK).collect();
        G1Projective::normalize_batch(&points)
    };
    let bases: Vec<_> = (0..n.div_ceil(CHUNK)).into_par_iter().flat_map_iter(|k| chunk(k * CHUNK)).collect();
    let sum: Fr = scalars.par_iter().enumerate().map(|(i, scalar)| *scalar * Fr::from(i as u64 + 1)).sum();
    let plan = Msm::<bn254::G1>::new(device, &bases[..n], MsmOptions::default())?;
    measure(&format!("G1 MSM 2^{log_n}"), |detail| {
        let (found, report) = plan.run_with_report(&scalars, detail)?;
        ensure!(found == g * sum, "another sum");
        Ok(report.spans)
    })
}

fn transforms(device: &Device, log_n: u32) -> Result<()> {
    let values = uniform(1 << log_n);
    let plan = Ntt::<bn254::FrField>::new(device, log_n, NttOptions::default())?;
    let (mut there, mut back) = (values.clone(), values.clone());
    plan.run_into(&values, &mut there, Direction::Forward)?;
    plan.run_into(&there, &mut back, Direction::Inverse)?;
    ensure!(back == values, "another vector");
    measure(&format!("NTT 2^{log_n}"), |detail| {
        Ok(plan.run_into_with_report(&values, &mut there, Direction::Forward, detail)?.spans)
    })
}

fn proofs(device: &Device) -> Result<()> {
    let case = "bn128_semaphore20_ceremony";
    let key = ZkeyFile::open(&fixture(case, "circuit.zkey"))?.read::<bn254::Curve>(false)?;
    let witness = Witness::<bn254::Curve>::from_wtns(&fixture(case, "witness.wtns"))?;
    let prover = Groth16::from_zkey_parts(device, key, &KeyOptions::default())?;
    let public = &witness.values()[1..=prover.public_inputs()];
    let mut rng = StdRng::seed_from_u64(0);
    measure("proof, Semaphore-20", |detail| {
        let (proof, stats) = prover.prove_with_stats(&witness, &mut rng, detail)?;
        if detail == Detail::Kernels {
            verify::<bn254::Curve>(prover.verifying_key(), public, &proof)?;
        }
        Ok(stats.report.spans)
    })
}

/// Prints a line.
fn measure(task: &str, mut run: impl FnMut(Detail) -> Result<Vec<Span>>) -> Result<()> {
    let mut time = || -> Result<f64> {
        let began = Instant::now();
        run(Detail::Counts)?;
        Ok(1e3 * began.elapsed().as_secs_f64())
    };
    let first = time()?;
    let mut times = (0..RUNS).map(|_| time()).collect::<Result<Vec<_>>>()?;
    times.sort_by(f64::total_cmp);
    let spans = run(Detail::Kernels)?;
    let took = |what: &dyn Fn(&Span) -> bool| -> f64 {
        spans.iter().filter(|span| what(span)).map(|span| 1e3 * (span.end - span.begin)).sum()
    };
    println!(
        "  {task:20} first {first:9.2}, best {:8.2}, median {:8.2}; up {:6.2}, kernels {:8.2}, down {:6.2}",
        times[0],
        times[RUNS / 2],
        took(&|span| span.kind == Kind::Copy && span.name == "upload"),
        took(&|span| span.kind == Kind::Kernel),
        took(&|span| span.kind == Kind::Copy && span.name == "download"),
    );
    if std::env::args().any(|arg| arg == "--kernels") {
        let mut kernels = BTreeMap::<&str, (usize, f64)>::new();
        for span in spans.iter().filter(|span| span.kind == Kind::Kernel) {
            let (launches, time) = kernels.entry(&span.name).or_default();
            *launches += 1;
            *time += 1e3 * (span.end - span.begin);
        }
        let mut kernels: Vec<_> = kernels.into_iter().collect();
        kernels.sort_by(|(_, (_, a)), (_, (_, b))| b.total_cmp(a));
        for (name, (launches, time)) in kernels {
            println!("    {name:40} {launches:5} {time:8.3}");
        }
    }
    Ok(())
}

fn uniform(n: usize) -> Vec<Fr> {
    (0..n as u64).into_par_iter().map(|k| Fr::rand(&mut StdRng::seed_from_u64(k))).collect()
}
