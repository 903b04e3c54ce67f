//! MSM, NTT, SpMV, sort and pointwise operations as the runtime composes them, kernels run
//! by FIR's interpreter, against the CPU backend and the definitions.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, FftField, Field as _, PrimeField, UniformRand, Zero};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith_curves::toy::{toy_curve, toy17};
use curvesmith_runtime::RuntimeError;
use curvesmith_runtime::backend::{Backend, BinaryOp, Csr, DigitShape, Direction, UnaryOp};
use curvesmith_runtime::cpu::Cpu;
use curvesmith_runtime::device::KernelDevice;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use curvesmith_runtime::kernels::policy::{NttPolicy, Policy, windows_of};
use curvesmith_runtime::kernels::{Kernels, sort_pairs};
use curvesmith_tests::interpreter::{FirField, FirGroup, Interpreter};

type Fr97 = FirField<toy_curve::FrField>;
type F17 = FirField<toy17::FpField>;

fn backend() -> Kernels<Interpreter> {
    Kernels::new(Interpreter::default()).unwrap()
}

fn values<T: PrimeField>(n: usize, rng: &mut StdRng) -> Vec<T> {
    let special = [T::ZERO, T::ONE, -T::ONE];
    special.into_iter().chain(std::iter::repeat_with(|| T::rand(rng))).take(n).collect()
}

fn check_pointwise<F: Field>(n: usize) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    let (a, b): (Vec<F::Ark>, Vec<F::Ark>) = (values(n, &mut rng), values(n, &mut rng));
    let c = F::Ark::rand(&mut rng);
    let device = backend();
    let (x, y) = (device.upload::<F>(&a).unwrap(), device.upload::<F>(&b).unwrap());
    assert_eq!(device.download(&x).unwrap(), a);
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
        let found = device.download(&device.binary(op, &x, &y).unwrap()).unwrap();
        assert_eq!(found, Cpu.binary::<F>(op, &a, &b).unwrap(), "{op:?}");
    }
    for op in [UnaryOp::Neg, UnaryOp::Dbl, UnaryOp::Sqr] {
        let found = device.download(&device.unary(op, &x).unwrap()).unwrap();
        assert_eq!(found, Cpu.unary::<F>(op, &a).unwrap(), "{op:?}");
    }
    let found = device.download(&device.mul_const(&x, c).unwrap()).unwrap();
    assert_eq!(found, Cpu.mul_const::<F>(&a, c).unwrap());
    let found = device.download(&device.mul_sub(&x, &y, &x).unwrap()).unwrap();
    assert_eq!(found, Cpu.mul_sub::<F>(&a, &b, &a).unwrap());
}

#[test]
fn pointwise() {
    for n in [0, 1, 127, 128, 300] {
        check_pointwise::<Fr97>(n);
    }
}

fn check_ntts<F: Field>(max_log_n: u32, policy: NttPolicy) {
    let device = Interpreter::default();
    let policy = Policy { ntt: policy, ..Policy::for_device(&device.properties()) };
    let device = Kernels::with_policy(device, policy).unwrap();
    for log_n in 0..=max_log_n {
        let mut rng = StdRng::seed_from_u64(u64::from(log_n));
        let n = 1usize << log_n;
        let root = F::Ark::get_root_of_unity(n as u64).unwrap();
        for omega in [root, root.inverse().unwrap()] {
            let tables = device.ntt_tables::<F>(log_n, omega).unwrap();
            let cpu = Cpu.ntt_tables::<F>(log_n, omega).unwrap();
            for shift in [F::Ark::ONE, F::Ark::GENERATOR, F::Ark::GENERATOR.square()] {
                for direction in [Direction::Forward, Direction::Inverse, Direction::Inverse] {
                    let mut a = values::<F::Ark>(n, &mut rng);
                    let mut x = device.upload::<F>(&a).unwrap();
                    device.ntt(&tables, &mut x, direction, shift).unwrap();
                    Cpu.ntt::<F>(&cpu, &mut a, direction, shift).unwrap();
                    assert_eq!(device.download(&x).unwrap(), a, "2^{log_n} {direction:?} {shift}");
                }
            }
        }
    }
}

#[test]
fn ntt_with_and_without_cached_cosets() {
    for max_cached_log_n in [0, 24] {
        check_ntts::<Fr97>(5, NttPolicy { max_cached_log_n });
        check_ntts::<F17>(4, NttPolicy { max_cached_log_n });
    }
}

#[test]
fn sparse_products() {
    type T = <Fr97 as Field>::Ark;
    let mut rng = StdRng::seed_from_u64(9);
    for (rows, width, long) in [(0, 0, 0), (1, 1, 1), (9, 5, 0), (41, 12, 200)] {
        let mut csr = Csr { row_offsets: vec![0], columns: vec![], values: vec![], width };
        for row in 0..rows {
            let entries = if row == 3 { long } else { rng.gen_range(0..4) };
            for _ in 0..entries {
                csr.columns.push(rng.gen_range(0..width));
                csr.values.push(T::rand(&mut rng));
            }
            csr.row_offsets.push(csr.columns.len() as u32);
        }
        let x = values::<T>(width as usize, &mut rng);
        let device = backend();
        let matrix = device.matrix::<Fr97>(&csr).unwrap();
        let vector = device.upload::<Fr97>(&x).unwrap();
        for out_len in [rows, rows + 7] {
            let found = device.download(&device.spmv(&matrix, &vector, out_len).unwrap()).unwrap();
            assert_eq!(found, Cpu.spmv::<Fr97>(&csr, &x, out_len).unwrap());
        }
    }
}

#[test]
fn sorting_is_stable_for_every_length_and_width() {
    for (n, key_bits) in [(0, 8), (1, 8), (2, 1), (1023, 3), (1024, 9), (1025, 17), (2500, 32), (5000, 5)] {
        let mut rng = StdRng::seed_from_u64(n as u64);
        let mask = u32::MAX >> (32 - key_bits);
        let keys: Vec<u32> = (0..n).map(|_| rng.r#gen::<u32>() & mask).collect();
        let entries: Vec<u32> = (0..n).collect();
        let mut expected: Vec<(u32, u32)> = keys.iter().copied().zip(entries.iter().copied()).collect();
        expected.sort_by_key(|pair| pair.0);
        let (keys, entries) = sort_pairs(&backend(), &keys, &entries, key_bits).unwrap();
        let found: Vec<(u32, u32)> = keys.into_iter().zip(entries).collect();
        assert_eq!(found, expected, "{n} keys of {key_bits} bits");
    }
}

/// Points and scalars of one hard case.
type Case<G> = (&'static str, Vec<AffineOf<G>>, Vec<ScalarOf<G>>);

fn cases<G: Group>(n: usize, rng: &mut StdRng) -> Vec<Case<G>> {
    let g = ProjectiveOf::<G>::generator();
    let random: Vec<AffineOf<G>> = (0..n).map(|_| (g * ScalarOf::<G>::rand(rng)).into_affine()).collect();
    let scalars = values::<ScalarOf<G>>(n, rng);
    let identities = vec![AffineOf::<G>::zero(); n];
    let opposite = (0..n).map(|i| if i % 2 == 0 { random[i] } else { -random[i - 1] }).collect();
    vec![
        ("random", random.clone(), scalars.clone()),
        ("equal scalars", random.clone(), vec![scalars[n - 1]; n]),
        ("r - 1", random.clone(), vec![-ScalarOf::<G>::ONE; n]),
        ("zero scalars", random.clone(), vec![ScalarOf::<G>::ZERO; n]),
        ("equal points", vec![random[0]; n], vec![ScalarOf::<G>::ONE; n]),
        ("opposite points", opposite, vec![ScalarOf::<G>::from(3u64); n]),
        ("identities", identities, scalars),
    ]
}

fn check_msm<G: Group>(device: &Kernels<Interpreter>, n: usize, shape: Option<DigitShape>) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    for (name, points, scalars) in cases::<G>(n, &mut rng) {
        let expected: ProjectiveOf<G> = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        let shape = shape.unwrap_or_else(|| device.digit_shape::<G::Scalar>(n));
        let bases = device.bases::<G>(&points).unwrap();
        let digits = device.digits(&device.upload::<G::Scalar>(&scalars).unwrap(), shape).unwrap();
        assert_eq!(device.msm(&digits, &bases).unwrap(), expected, "{n} points, {name}, {shape:?}");
    }
}

#[test]
fn msm_of_hard_cases() {
    for n in [1, 2, 33, 300] {
        check_msm::<FirGroup<toy_curve::G1>>(&backend(), n, None);
    }
    check_msm::<FirGroup<toy_curve::G2>>(&backend(), 35, None);
}

#[test]
fn msm_with_every_window() {
    for window in 2..=10 {
        let shape = DigitShape { window, windows: windows_of(7, window) };
        check_msm::<FirGroup<toy_curve::G1>>(&backend(), 70, Some(shape));
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
        check_msm::<G>(&device, n, Some(DigitShape { window: 2, windows: 4 }));
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
    check_msm::<FirGroup<toy_curve::G1>>(&device, 33, None);
    assert_eq!(device.device().allocations(), 0);
}
