//! The embedded PTX on the emulator.

use super::checks;
use curvesmith_curves::toy::{babybear, toy_curve, toy17};
use curvesmith_curves::{bls12_381, bn254};
use curvesmith_runtime::backend::DigitShape;
use curvesmith_runtime::device::KernelDevice;
use curvesmith_runtime::emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::kernels::Kernels;
use curvesmith_runtime::kernels::policy::{Policy, windows_of};

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
}

#[test]
fn ntt() {
    checks::ntts::<_, toy17::FpField>(&emulator(), 0..=4);
    checks::ntts::<_, babybear::FpField>(&emulator(), [11]);
    checks::ntts::<_, bn254::FrField>(&emulator(), [0, 1, 2, 5, 10]);
    checks::ntts::<_, bls12_381::FrField>(&emulator(), [8]);
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
    for seed in 0..4 {
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
fn msm_on_bls12_381() {
    checks::msm::<_, bls12_381::G1>(&backend(), 40, None);
    checks::msm::<_, bls12_381::G2>(&backend(), 10, None);
}
