//! The kernels as FIR.

use super::checks;
use ark_ec::AffineRepr;
use ark_ff::{Fp768, MontBackend, MontConfig, Zero};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use checks::values;
use curvesmith_abi::Geometry;
use curvesmith_curves::toy::{toy_curve, toy_tower, toy17, toy433};
use curvesmith_device::KernelDevice;
use curvesmith_runtime::field::{ElementOf, Field};
use curvesmith_runtime::group::{AffineOf, ProjectiveOf};
use curvesmith_runtime::policy::Policy;
use curvesmith_runtime::vocabulary::DigitShape;
use curvesmith_runtime::{Device, RuntimeError};
use curvesmith_tests::Size;
use curvesmith_tests::interpreter::{FirField, FirGroup, Interpreter};
use std::sync::Arc;

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
    fn images() -> &'static [u8] {
        &[]
    }
}

impl ElementOf<Mnt4> for Fp768<MontBackend<Mnt4Config, 12>> {}

type Fr97 = FirField<toy_curve::FrField>;
type F17 = FirField<toy17::FpField>;

fn device() -> Device {
    on(&Interpreter::default())
}

fn on(interpreter: &Interpreter) -> Device {
    Device::with_kernels(Arc::new(interpreter.clone()), None)
}

#[test]
fn pointwise() {
    for n in [0, 1, 127, 128, 300] {
        checks::pointwise::<Fr97>(&device(), n);
    }
}

#[test]
fn ntt() {
    checks::ntts::<Fr97>(Interpreter::default(), 0..=5);
    checks::ntts::<F17>(Interpreter::default(), 0..=4);
}

#[test]
fn ntt_in_24_words() {
    checks::ntts::<FirField<Mnt4>>(Interpreter::default(), [0, 1, 3, 5]);
}

#[test]
fn mixed_ntt() {
    let sizes = Size::from_env().pick(&[3, 18][..], &[3, 12, 54]);
    checks::mixed_ntts::<FirField<toy433::FpField>>(Interpreter::default(), sizes.iter().copied());
}

#[test]
fn sparse_products() {
    checks::sparse_products::<Fr97>(&device(), 200);
}

#[test]
fn sort() {
    let tile = Geometry::PTX.radix_tile;
    for (n, windows, key_bits) in [(0, 3, 8), (1, 1, 8), (2, 5, 1), (tile - 1, 2, 9), (tile + 1, 1, 17)] {
        checks::sort(&device(), n, windows, key_bits);
    }
}

#[test]
fn msm_of_hard_cases() {
    for n in [1, 2, 33, 300] {
        checks::msm::<FirGroup<toy_curve::G1>>(&device(), n, None);
    }
    checks::msm::<FirGroup<toy_curve::G2>>(&device(), 35, None);
    checks::msm::<FirGroup<toy_tower::G1>>(&device(), 33, None);
    checks::msm::<FirGroup<toy_tower::G2>>(&device(), 20, None);
}

#[test]
fn msm_with_every_window() {
    for window in 2..=10 {
        let shape = DigitShape::new(7, window);
        checks::msm::<FirGroup<toy_curve::G1>>(&device(), 70, Some(shape));
    }
}

#[test]
fn constant_work_adds_up() {
    // The last has more buckets than entries.
    for (n, window) in [(1, 2), (33, 3), Size::from_env().pick((20, 9), (70, 17))] {
        checks::msm::<FirGroup<toy_curve::G1>>(&device(), n, Some(DigitShape::regular(7, window, 1)));
    }
}

#[test]
fn long_msms_run_in_parts() {
    type G = FirGroup<toy_curve::G1>;
    let interpreter = Interpreter::default();
    let mut policy = Policy::for_device(interpreter.properties());
    policy.msm.max_entries = 60;
    let device = Device::with_kernels(Arc::new(interpreter), Some(policy));
    for n in [1, 14, 15, 40] {
        checks::msm::<G>(&device, n, Some(DigitShape::new(7, 2)));
    }
}

#[test]
fn empty_msms_launch_nothing() {
    type G = FirGroup<toy_curve::G1>;
    let interpreter = Interpreter::default();
    let sum = checks::call(&on(&interpreter), |work| {
        let bases = work.bases::<G>(vec![].into())?;
        let digits = work.digits(&work.upload::<Fr97>(&[])?, work.digit_shape::<Fr97>(0))?;
        work.msm(&digits, &bases)
    });
    assert_eq!(sum.unwrap(), ProjectiveOf::<G>::zero());
    assert!(interpreter.launches().is_empty());
}

#[test]
fn arguments_that_do_not_fit_are_errors() {
    type G = FirGroup<toy_curve::G1>;
    let work = device().work().unwrap();
    let bases = work.bases::<G>(vec![AffineOf::<G>::generator(); 3].into()).unwrap();
    let scalars = work.upload::<Fr97>(&values(2, &mut StdRng::seed_from_u64(0))).unwrap();
    let digits = work.digits(&scalars, work.digit_shape::<Fr97>(2)).unwrap();
    let error = work.msm(&digits, &bases).unwrap_err();
    assert!(matches!(error, RuntimeError::Length { expected: 3, found: 2, .. }), "{error}");
    let other = work.upload::<F17>(&values(3, &mut StdRng::seed_from_u64(0))).unwrap();
    let digits = work.digits(&other, work.digit_shape::<F17>(3)).unwrap();
    let error = work.msm(&digits, &bases).unwrap_err();
    assert!(matches!(error, RuntimeError::Input { what: "digits", .. }), "{error}");
    let bad = DigitShape { window: 25, ..DigitShape::new(1, 2) };
    assert!(matches!(work.digits(&other, bad), Err(RuntimeError::Input { .. })));
    work.finish().unwrap();
}

#[test]
fn everything_is_freed() {
    let interpreter = Interpreter::default();
    let device = on(&interpreter);
    checks::msm::<FirGroup<toy_curve::G1>>(&device, 33, None);
    checks::pointwise::<Fr97>(&device, 33);
    // What calls leave is kept for others.
    assert!(interpreter.allocations() > 0);
    device.release_unused();
    assert_eq!(interpreter.allocations(), 0);
    checks::msm::<FirGroup<toy_curve::G1>>(&device, 33, None);
    drop(device);
    assert_eq!(interpreter.allocations(), 0);
}

#[test]
fn values_stay_on_the_device() {
    super::resident::chain_of::<Fr97, FirGroup<toy_curve::G1>>(&device());
}
