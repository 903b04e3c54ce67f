//! The kernels as FIR.

use super::checks;
use ark_ec::AffineRepr;
use ark_ff::{Fp768, MontBackend, MontConfig, Zero};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use checks::values;
use curvesmith_curves::toy::{toy_curve, toy17};
use curvesmith_runtime::RuntimeError;
use curvesmith_runtime::backend::{Backend, DigitShape};
use curvesmith_runtime::device::KernelDevice;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, ProjectiveOf};
use curvesmith_runtime::kernels::Kernels;
use curvesmith_runtime::kernels::policy::{Policy, windows_of};
use curvesmith_tests::interpreter::{FirField, FirGroup, Interpreter};

/// The base field of MNT4-753: 24 words, too long for passes in radix 8.
#[derive(MontConfig)]
#[modulus = "41898490967918953402344214791240637128170709919953949071783502921025352812571106773058893763790338921418070971888253786114353726529584385201591605722013126468931404347949840543007986327743462853720628051692141265303114721689601"]
#[generator = "17"]
struct Mnt4Config;

#[derive(Clone, Copy, Debug)]
struct Mnt4;

impl Field for Mnt4 {
    type Ark = Fp768<MontBackend<Mnt4Config, 12>>;
    const NAME: &'static str = "mnt4_753_fq";
    const WORDS: usize = 24;
    fn images() -> &'static [&'static [u8]] {
        &[]
    }
}

type Fr97 = FirField<toy_curve::FrField>;
type F17 = FirField<toy17::FpField>;

fn backend() -> Kernels<Interpreter> {
    Kernels::new(Interpreter::default()).unwrap()
}

#[test]
fn pointwise() {
    for n in [0, 1, 127, 128, 300] {
        checks::pointwise::<_, Fr97>(&backend(), n);
    }
}

#[test]
fn ntt() {
    checks::ntts::<_, Fr97>(&Interpreter::default(), 0..=5);
    checks::ntts::<_, F17>(&Interpreter::default(), 0..=4);
    checks::ntts::<_, FirField<Mnt4>>(&Interpreter::default(), 0..=5);
}

#[test]
fn sparse_products() {
    checks::sparse_products::<_, Fr97>(&backend(), 200);
}

#[test]
fn sort() {
    for (n, key_bits) in [(0, 8), (1, 8), (2, 1), (1023, 3), (1024, 9), (1025, 17), (2500, 32), (5000, 5)] {
        checks::sort(&backend(), n, key_bits);
    }
}

#[test]
fn msm_of_hard_cases() {
    for n in [1, 2, 33, 300] {
        checks::msm::<_, FirGroup<toy_curve::G1>>(&backend(), n, None);
    }
    checks::msm::<_, FirGroup<toy_curve::G2>>(&backend(), 35, None);
}

#[test]
fn msm_with_every_window() {
    for window in 2..=10 {
        let shape = DigitShape { window, windows: windows_of(7, window) };
        checks::msm::<_, FirGroup<toy_curve::G1>>(&backend(), 70, Some(shape));
    }
}

#[test]
fn long_msms_run_in_parts() {
    type G = FirGroup<toy_curve::G1>;
    let device = Interpreter::default();
    let mut policy = Policy::for_device(&device.properties());
    policy.msm.max_entries = 60;
    let device = Kernels::with_policy(device, policy).unwrap();
    for n in [1, 14, 15, 100] {
        checks::msm::<_, G>(&device, n, Some(DigitShape { window: 2, windows: 4 }));
    }
}

#[test]
fn empty_msms_launch_nothing() {
    type G = FirGroup<toy_curve::G1>;
    let device = backend();
    let bases = device.bases::<G>(&[]).unwrap();
    let digits = device.digits(&device.upload::<Fr97>(&[]).unwrap(), device.digit_shape::<Fr97>(0)).unwrap();
    assert_eq!(device.msm(&digits, &bases).unwrap(), ProjectiveOf::<G>::zero());
    assert!(device.device().launches().is_empty());
}

#[test]
fn arguments_that_do_not_fit_are_errors() {
    type G = FirGroup<toy_curve::G1>;
    let device = backend();
    let bases = device.bases::<G>(&[AffineOf::<G>::generator(); 3]).unwrap();
    let shape = device.digit_shape::<Fr97>(2);
    let digits =
        device.digits(&device.upload::<Fr97>(&values(2, &mut StdRng::seed_from_u64(0))).unwrap(), shape);
    let error = device.msm(&digits.unwrap(), &bases).unwrap_err();
    assert!(matches!(error, RuntimeError::Length { expected: 3, found: 2, .. }), "{error}");
    let other = device.upload::<F17>(&values(3, &mut StdRng::seed_from_u64(0))).unwrap();
    let shape = device.digit_shape::<F17>(3);
    let error = device.msm(&device.digits(&other, shape).unwrap(), &bases).unwrap_err();
    assert!(matches!(error, RuntimeError::Input { what: "digits", .. }), "{error}");
    let bad = DigitShape { window: 17, windows: 1 };
    assert!(matches!(device.digits(&other, bad), Err(RuntimeError::Input { .. })));
}

#[test]
fn everything_is_freed() {
    let device = backend();
    checks::msm::<_, FirGroup<toy_curve::G1>>(&device, 33, None);
    assert_eq!(device.device().allocations(), 0);
}
