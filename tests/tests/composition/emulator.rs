//! The embedded PTX on the emulator.

use super::checks;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::FftField;
use curvesmith_curves::toy::{babybear, toy_curve, toy17, toy7681};
use curvesmith_curves::{bls12_377, bls12_381, bn254, bw6_761_fq, bw6_761_fr};
use curvesmith_runtime::RuntimeError;
use curvesmith_runtime::backend::{Backend, Csr, DigitShape, Direction};
use curvesmith_runtime::device::KernelDevice;
use curvesmith_runtime::emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::AffineOf;
use curvesmith_runtime::kernels::Kernels;
use curvesmith_runtime::kernels::policy::{NttPolicy, Policy, windows_of};
use curvesmith_tests::Size;
use std::collections::BTreeSet;

fn emulator() -> Emulator {
    Emulator::new(EmulatorOptions::default())
}

fn backend() -> Kernels<Emulator> {
    Kernels::new(emulator()).unwrap()
}

/// Slow, and stricter: every pair of conflicting accesses must be ordered.
fn racecheck(seed: u64) -> Emulator {
    Emulator::new(EmulatorOptions::default().racecheck(true).seed(seed).resident_blocks(3))
}

#[test]
fn pointwise() {
    for n in [0, 1, 127, 128, 300] {
        checks::pointwise::<_, toy_curve::FrField>(&backend(), n);
        checks::pointwise::<_, babybear::FpField>(&backend(), n);
        checks::pointwise::<_, bn254::FrField>(&backend(), n);
        checks::pointwise::<_, bls12_381::FqField>(&backend(), n);
    }
    checks::pointwise::<_, bls12_381::FrField>(&backend(), 40);
    checks::pointwise::<_, bn254::FqField>(&backend(), 40);
    checks::pointwise::<_, bls12_377::FqField>(&backend(), 40);
    checks::pointwise::<_, bls12_377::FrField>(&backend(), 300);
    checks::pointwise::<_, bw6_761_fq::FpField>(&backend(), 300);
    checks::pointwise::<_, bw6_761_fr::FpField>(&backend(), 40);
}

#[test]
fn ntt() {
    checks::ntts::<_, toy17::FpField>(&emulator(), 0..=4);
    checks::ntts::<_, toy7681::FpField>(&emulator(), 0..=9);
    checks::ntts::<_, toy_curve::FqField>(&emulator(), 0..=1);
    checks::ntts::<_, toy_curve::FrField>(&emulator(), 0..=5);
    checks::ntts::<_, babybear::FpField>(&emulator(), 0..=14);
    checks::ntts::<_, bn254::FqField>(&emulator(), 0..=1);
    checks::ntts::<_, bn254::FrField>(&emulator(), (0..=12).chain([14]));
    checks::ntts::<_, bls12_381::FqField>(&emulator(), 0..=1);
    checks::ntts::<_, bls12_381::FrField>(&emulator(), (0..=12).chain([14]));
    checks::ntts::<_, bls12_377::FrField>(&emulator(), [1, 7]);
    checks::ntts::<_, bw6_761_fq::FpField>(&emulator(), [0, 1]);
    checks::ntts::<_, bw6_761_fr::FpField>(&emulator(), [7]);
    checks::ntts::<_, bn254::FrField>(&racecheck(5), [6]);
}

#[test]
fn sparse_products() {
    checks::sparse_products::<_, toy_curve::FrField>(&backend(), 200);
    checks::sparse_products::<_, bn254::FrField>(&backend(), 3000);
    checks::sparse_products::<_, bn254::FrField>(&Kernels::new(racecheck(6)).unwrap(), 100);
}

#[test]
fn sort() {
    for (n, key_bits) in [(0, 8), (1, 8), (2, 1), (1023, 3), (1024, 9), (1025, 17), (2500, 32), (70_000, 21)]
    {
        checks::sort(&backend(), n, key_bits);
    }
    for seed in 0..Size::from_env().pick(1, 4, 32) {
        checks::sort(&Kernels::new(racecheck(seed)).unwrap(), 3000, 11);
    }
}

#[test]
fn msm_of_hard_cases_on_a_toy_curve() {
    for n in [1, 2, 33, 300] {
        checks::msm::<_, toy_curve::G1>(&backend(), n, None);
        checks::msm::<_, toy_curve::G2>(&backend(), n, None);
    }
    for window in 2..=16 {
        let shape = DigitShape { window, windows: windows_of(7, window) };
        checks::msm::<_, toy_curve::G1>(&backend(), 70, Some(shape));
    }
}

#[test]
fn msm_under_random_schedules_has_no_race() {
    for seed in 0..3 {
        checks::msm::<_, toy_curve::G1>(&Kernels::new(racecheck(seed)).unwrap(), 200, None);
    }
}

#[test]
fn msm_in_parts() {
    let mut policy = Policy::for_device(&emulator().properties());
    policy.msm.max_entries = 60;
    let device = Kernels::with_policy(emulator(), policy).unwrap();
    checks::msm::<_, toy_curve::G1>(&device, 100, Some(DigitShape { window: 2, windows: 4 }));
}

#[test]
fn msm_on_bn254() {
    for n in [1, 33] {
        checks::msm::<_, bn254::G1>(&backend(), n, None);
        checks::msm::<_, bn254::G2>(&backend(), n, None);
    }
    for window in [2, 13, 16] {
        let shape = DigitShape { window, windows: windows_of(254, window) };
        checks::msm::<_, bn254::G1>(&backend(), 5, Some(shape));
    }
    checks::msm::<_, bn254::G1>(&backend(), 1000, None);
}

#[test]
fn msm_on_bls12_377() {
    checks::msm::<_, bls12_377::G1>(&backend(), 40, None);
}

#[test]
fn msm_on_bls12_381() {
    checks::msm::<_, bls12_381::G1>(&backend(), 40, None);
    checks::msm::<_, bls12_381::G2>(&backend(), 10, None);
}

/// Scalars enough that the sort's counts need two levels of scan.
const N: u64 = 2400;

/// Discrete logarithms of the points, and scalars, half of which are equal: their bucket
/// spans many slices.
fn logs_and_scalars() -> (Vec<toy_curve::Fr>, Vec<toy_curve::Fr>) {
    let fr = |x: u64| toy_curve::Fr::from(x);
    (1..=N).map(|k| (fr(k), fr(if k % 2 == 0 { k } else { 5 }))).unzip()
}

/// An MSM, an NTT over a coset there and back, and a sparse product, as one list of field elements.
fn everything(device: &Kernels<Emulator>) -> Result<Vec<toy_curve::Fr>, RuntimeError> {
    type F = toy_curve::FrField;
    type G = toy_curve::G1;
    let (logs, scalars) = logs_and_scalars();
    let points: Vec<AffineOf<G>> =
        logs.iter().map(|k| (AffineOf::<G>::generator() * k).into_affine()).collect();
    let x = device.upload::<F>(&scalars)?;
    let digits = device.digits(&x, DigitShape { window: 8, windows: windows_of(7, 8) })?;
    let sum = device.msm::<G>(&digits, &device.bases::<G>(&points)?)?;
    let log = (0..97u64).map(toy_curve::Fr::from).find(|k| AffineOf::<G>::generator() * k == sum);

    let root = toy_curve::Fr::get_root_of_unity(32).unwrap();
    let tables = device.ntt_tables::<F>(5, root)?;
    let mut v = device.upload::<F>(&scalars[..32])?;
    device.ntt(&tables, &mut v, Direction::Forward, 5.into())?;
    let mut out = device.download(&v)?;
    device.ntt(&tables, &mut v, Direction::Inverse, 5.into())?;
    out.extend(device.download(&v)?);

    let csr = Csr {
        row_offsets: vec![0, 2, 3],
        columns: vec![1, 7, N as u32 - 1],
        values: scalars[..3].to_vec(),
        width: N as u32,
    };
    out.extend(device.download(&device.spmv(&device.matrix::<F>(&csr)?, &x, 2)?)?);
    out.push(log.unwrap_or(toy_curve::Fr::from(0u64)));
    Ok(out)
}

#[test]
fn a_kernel_that_writes_zeros_is_noticed() {
    let good = backend();
    let expected = everything(&good).unwrap();
    let (logs, scalars) = logs_and_scalars();
    let sum: toy_curve::Fr = logs.iter().zip(&scalars).map(|(k, s)| *k * s).sum();
    assert!(sum != toy_curve::Fr::from(0u64), "the identity is what zeros give");
    assert_eq!(expected.last(), Some(&sum));
    let symbols: BTreeSet<String> = good.device().launches().into_iter().map(|l| l.symbol).collect();
    assert!(symbols.len() >= 19, "{symbols:?}");
    for symbol in symbols {
        // Zeros are an identity, since ZZ = 0.
        if symbol.ends_with("_fill_identity") {
            continue;
        }
        let bad = backend();
        bad.device().replace_with_zeros(&symbol);
        assert!(everything(&bad).map_or(true, |found| found != expected), "{symbol} went unnoticed");
    }
}

/// Transforms of BN254 up to 2^8, with the twiddles as tables and as elements.
fn transforms(emulator: &Emulator) -> Result<Vec<bn254::Fr>, RuntimeError> {
    let mut out = vec![];
    for max_table_log_n in [24, 0] {
        let ntt = NttPolicy { max_cached_log_n: 24, max_table_log_n, max_log_radix: 4 };
        let policy = Policy { ntt, ..Policy::for_device(&emulator.properties()) };
        let device = Kernels::with_policy(emulator.clone(), policy)?;
        for log_n in [1, 2, 6, 8] {
            let n = 1u64 << log_n;
            let root = bn254::Fr::get_root_of_unity(n).unwrap();
            let tables = device.ntt_tables::<bn254::FrField>(log_n, root)?;
            let values: Vec<bn254::Fr> = (1..=n).map(bn254::Fr::from).collect();
            let mut v = device.upload::<bn254::FrField>(&values)?;
            device.ntt(&tables, &mut v, Direction::Forward, 5.into())?;
            out.extend(device.download(&v)?);
        }
    }
    Ok(out)
}

#[test]
fn a_transform_kernel_that_writes_zeros_is_noticed() {
    let good = emulator();
    let expected = transforms(&good).unwrap();
    let symbols: BTreeSet<String> = good.launches().into_iter().map(|l| l.symbol).collect();
    for kernel in [
        "ntt_radix2",
        "ntt_radix4",
        "ntt_radix8",
        "ntt_radix8_table",
        "ntt_radix16",
        "ntt_radix16_table",
        "ntt_twiddles",
        "ntt_twiddle_tables",
    ] {
        assert!(symbols.contains(&format!("bn254_fr_{kernel}")), "{kernel} did not run: {symbols:?}");
    }
    for symbol in symbols {
        let bad = emulator();
        bad.replace_with_zeros(&symbol);
        assert!(transforms(&bad).map_or(true, |found| found != expected), "{symbol} went unnoticed");
    }
}
