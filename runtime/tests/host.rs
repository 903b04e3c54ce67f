//! The host's arithmetic against the definitions.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod common;

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{FftField, Field as _, UniformRand, Zero};
use ark_poly::{EvaluationDomain, GeneralEvaluationDomain};
use common::*;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use curvesmith_runtime::host;
use curvesmith_runtime::vocabulary::{BinaryOp, Direction, UnaryOp};
use curvesmith_runtime::{Csr, Device, DeviceVec, Ntt, NttOptions, RuntimeError, domain_size};

/// Nothing but the elements' type says which field it is.
#[test]
fn an_upload_finds_its_field() {
    let elements: Vec<ark_bn254::Fr> = values(5, &mut rng(2));
    let there = DeviceVec::upload(&Device::cpu(), &elements).unwrap();
    assert_eq!(format!("{there:?}"), "DeviceVec<bn254_fr>[5] on cpu");
    let there = DeviceVec::upload(&Device::cpu(), &elements[..2]).unwrap();
    assert_eq!(there.download().unwrap(), elements[..2]);
}

#[test]
fn pointwise() {
    let a: Vec<ark_bn254::Fr> = values(1500, &mut rng(1));
    let b: Vec<ark_bn254::Fr> = a.iter().rev().copied().collect();
    let zip = |f: &dyn Fn(ark_bn254::Fr, ark_bn254::Fr) -> ark_bn254::Fr| {
        a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect::<Vec<_>>()
    };
    assert_eq!(host::binary::<Fr>(BinaryOp::Add, &a, &b).unwrap(), zip(&|a, b| a + b));
    assert_eq!(host::binary::<Fr>(BinaryOp::Sub, &a, &b).unwrap(), zip(&|a, b| a - b));
    assert_eq!(host::binary::<Fr>(BinaryOp::Mul, &a, &b).unwrap(), zip(&|a, b| a * b));
    assert_eq!(host::unary::<Fr>(UnaryOp::Neg, &a).unwrap(), zip(&|a, _| -a));
    assert_eq!(host::unary::<Fr>(UnaryOp::Dbl, &a).unwrap(), zip(&|a, _| a + a));
    assert_eq!(host::unary::<Fr>(UnaryOp::Sqr, &a).unwrap(), zip(&|a, _| a * a));
    let inverses = zip(&|a, _| a.inverse().unwrap_or_default());
    assert!(inverses.contains(&Zero::zero()));
    assert_eq!(host::unary::<Fr>(UnaryOp::Inverse, &a).unwrap(), inverses);
    assert_eq!(host::batch_inverse::<Fr>(&a).unwrap(), inverses);
    assert_eq!(host::batch_inverse::<Fr>(&[]).unwrap(), vec![]);
    assert_eq!(host::mul_const::<Fr>(&a, b[7]).unwrap(), zip(&|a, _| a * b[7]));
    let mut thirds = [&a[..], &b, &a].concat();
    assert_eq!(host::mul_sub_thirds::<Fr>(&thirds).unwrap(), zip(&|a, b| a * b - a));
    host::mul_thirds::<Fr>(&mut thirds).unwrap();
    assert_eq!(thirds, [&a[..], &b, &zip(&|a, b| a * b)].concat());
    let uneven = host::mul_sub_thirds::<Fr>(&thirds[1..]);
    assert!(matches!(uneven, Err(RuntimeError::Length { expected: 4497, found: 4499, .. })));
    let short = host::binary::<Fr>(BinaryOp::Add, &a, &b[1..]);
    assert!(matches!(short, Err(RuntimeError::Length { expected: 1500, found: 1499, .. })));
}

#[test]
fn products_of_sparse_matrices() {
    let mut rng = rng(2);
    let m: Csr<ark_bn254::Fr> = matrix(37, 50, 40_000, &mut rng);
    let x = values(50, &mut rng);
    assert_eq!(host::spmv::<Fr>(&m, &x, 64).unwrap(), naive_product(&m, &x, 64));
    assert!(matches!(host::spmv::<Fr>(&m, &x, 36), Err(RuntimeError::Length { .. })));

    let empty = Csr { row_offsets: vec![0], columns: vec![], values: vec![], width: 0 };
    assert_eq!(host::spmv::<Fr>(&empty, &[], 2).unwrap(), vec![Zero::zero(); 2]);
}

#[test]
fn damaged_matrices_are_refused() {
    let good: Csr<ark_bn254::Fr> =
        Csr { row_offsets: vec![0, 1, 1], columns: vec![2], values: vec![1.into()], width: 3 };
    assert!(good.validate().is_ok());
    for bad in [
        Csr { row_offsets: vec![], ..good.clone() },
        Csr { row_offsets: vec![1, 1], ..good.clone() },
        Csr { row_offsets: vec![0, 1, 0, 1], ..good.clone() },
        Csr { row_offsets: vec![0, 2], ..good.clone() },
        Csr { values: vec![], ..good.clone() },
        Csr { width: 2, ..good.clone() },
    ] {
        assert!(Device::cpu().work().unwrap().matrix::<Fr>(&bad).is_err(), "{bad:?}");
    }
}

fn check_ntt<F: Field>(sizes: impl IntoIterator<Item = usize>) {
    for n in sizes {
        let mut rng = rng(n as u64);
        let ark_root = F::Ark::get_root_of_unity(n as u64).unwrap();
        // Another root of the same order, as snarkjs chooses on BLS12-381.
        for omega in [ark_root, ark_root.pow([n as u64 - 1])] {
            let tables = host::ntt_tables::<F>(n, omega).unwrap();
            for shift in [F::Ark::ONE, F::Ark::GENERATOR] {
                let a: Vec<F::Ark> = values(n, &mut rng);
                let mut v = a.clone();
                host::ntt::<F>(&*tables, &mut v, Direction::Forward, shift).unwrap();
                assert_eq!(v, naive_ntt(&a, omega, shift), "{n} elements");
                host::ntt::<F>(&*tables, &mut v, Direction::Inverse, shift).unwrap();
                assert_eq!(v, a, "{n} elements");
            }
        }
    }
}

#[test]
fn ntt_is_the_definition() {
    let powers = |most: u32| (0..=most).map(|log_n| 1 << log_n);
    check_ntt::<Fr>(powers(7));
    check_ntt::<Fr381>(powers(5));
    check_ntt::<F257>(powers(8));
}

#[test]
fn mixed_ntt_is_the_definition() {
    let sizes = |log: u32, power: u32| {
        (1..=power).flat_map(move |power| (0..=log).map(move |log| 3usize.pow(power) << log))
    };
    check_ntt::<F433>(sizes(4, 3));
    check_ntt::<Fr>(sizes(4, 2));
    check_ntt::<Fr381>(sizes(5, 1));
}

#[test]
fn sizes_that_are_no_domain_are_refused() {
    let reason = |n: usize| match host::ntt_tables::<F433>(n, 1.into()) {
        Err(RuntimeError::Input { what: "size of the NTT", reason }) => reason,
        other => panic!("{n}: {other:?}"),
    };
    assert_eq!(reason(5), "5 is not 2^a·3^b with b ≤ 3 and a ≤ 4");
    for n in [0, 7, 10, 81, 96, 162, 432 * 3] {
        assert!(reason(n).starts_with(&format!("{n} is not ")), "{n}");
    }
    for n in [(1 << 28) + 1, usize::MAX] {
        let tables = host::ntt_tables::<F433>(n, 1.into());
        assert!(matches!(tables, Err(RuntimeError::TooLarge { limit: 0x1000_0000, .. })), "{n}");
    }
    let without = host::ntt_tables::<F257>(3, 1.into());
    assert!(
        matches!(&without, Err(RuntimeError::Input { reason, .. }) if reason == "3 is not 2^a with a ≤ 8")
    );
    // More than the field has of one factor, where the other would have room.
    let too_large = host::ntt_tables::<F433>(32, 1.into());
    assert!(matches!(too_large, Err(RuntimeError::TooLarge { found: 5, limit: 4, .. })));
    // Of a third, and of a half of the order.
    let root = ark_ff::Fp64::<ark_ff::MontBackend<F433Config, 1>>::get_root_of_unity(108).unwrap();
    for factor in [2, 3] {
        let tables = host::ntt_tables::<F433>(108, root.pow([factor]));
        assert!(matches!(tables, Err(RuntimeError::NotARoot { size: 108 })), "{factor}");
    }
    assert!(matches!(host::ntt_tables::<F433>(108, 5.into()), Err(RuntimeError::NotARoot { .. })));
    assert!(host::ntt_tables::<F433>(108, root).is_ok());
}

#[test]
fn sizes_are_those_of_arkworks() {
    type T = <F433 as Field>::Ark;
    for n in (0..=433).chain([1 << 31, (1 << 31) + 1, usize::MAX]) {
        let theirs = (n <= 1 << 31).then(|| GeneralEvaluationDomain::<T>::new(n)).flatten();
        assert_eq!(domain_size::<T>(n), theirs.map(|domain| domain.size()), "{n}");
        let Some(domain) = theirs else { continue };
        let plan = Ntt::<F433>::of_size(&Device::cpu(), domain.size(), NttOptions::default()).unwrap();
        let values: Vec<T> = (0..domain.size() as u64).map(T::from).collect();
        assert_eq!(plan.forward(&values).unwrap(), domain.fft(&values), "{n}");
    }
    let refused = Ntt::<F433>::of_size(&Device::cpu(), 20, NttOptions::default());
    assert!(matches!(refused, Err(RuntimeError::Input { what: "size of the NTT", .. })));
}

#[test]
fn wrong_roots_and_shifts_are_refused() {
    let root = ark_bn254::Fr::get_root_of_unity(8).unwrap();
    for (log_n, omega) in [(0, root), (2, root), (4, root), (1, 1.into()), (3, 0.into())] {
        let tables = host::ntt_tables::<Fr>(1 << log_n, omega);
        assert!(matches!(tables, Err(RuntimeError::NotARoot { .. })), "log_n {log_n}");
    }
    assert!(matches!(host::ntt_tables::<Fr>(1 << 29, root), Err(RuntimeError::TooLarge { limit: 28, .. })));
    assert!(matches!(
        host::ntt_tables::<F257>(1 << 63, 1.into()),
        Err(RuntimeError::TooLarge { limit: 8, .. })
    ));
    let tables = host::ntt_tables::<Fr>(8, root).unwrap();
    let mut v = vec![root; 8];
    assert!(host::ntt::<Fr>(&*tables, &mut v, Direction::Forward, Zero::zero()).is_err());
    assert!(host::ntt::<Fr>(&*tables, &mut vec![root; 7], Direction::Forward, root).is_err());
}

fn check_msm<G: Group>(points: &[AffineOf<G>], scalars: &[ScalarOf<G>]) {
    let naive: ProjectiveOf<G> = points.iter().zip(scalars).map(|(p, s)| *p * s).sum();
    let bases = host::bases::<G>(points.into()).unwrap();
    let digits = host::digits::<G::Scalar>(scalars).unwrap();
    assert_eq!(host::msm::<G>(&digits, &bases, 0..points.len()).unwrap(), naive, "{} points", points.len());
    assert_eq!(host::msm_of::<G>(points, scalars), naive, "{} points", points.len());
    let (from, to) = (points.len() / 3, points.len() - points.len() / 4);
    let digits = host::digits::<G::Scalar>(&scalars[from..to]).unwrap();
    let naive: ProjectiveOf<G> = points[from..to].iter().zip(&scalars[from..to]).map(|(p, s)| *p * s).sum();
    assert_eq!(host::msm::<G>(&digits, &bases, from..to).unwrap(), naive, "{from} to {to}");
}

fn check_msms<G: Group>() {
    for n in [0, 1, 2, 33, 300] {
        let mut rng = rng(n as u64);
        let g = ProjectiveOf::<G>::generator();
        let mut points: Vec<AffineOf<G>> =
            (0..n).map(|_| (g * ScalarOf::<G>::rand(&mut rng)).into_affine()).collect();
        let scalars = values(n, &mut rng);
        check_msm::<G>(&points, &scalars);
        check_msm::<G>(&points, &vec![-ScalarOf::<G>::ONE; n]);
        check_msm::<G>(&vec![AffineOf::<G>::generator(); n], &scalars);
        for i in (0..n).step_by(3) {
            points[i] = AffineOf::<G>::zero();
        }
        for i in (1..n).step_by(6) {
            points[i] = -points[i / 2];
        }
        check_msm::<G>(&points, &scalars);
        check_msm::<G>(&vec![AffineOf::<G>::zero(); n], &scalars);
    }
}

#[test]
fn msm_is_the_definition() {
    check_msms::<G1>();
    check_msms::<G2>();
}

/// With many threads the terms are cut into parts; one of them is shorter than the others.
#[test]
fn msm_of_many_terms_on_many_threads() {
    let n = 3001;
    let mut rng = rng(7);
    let step = ProjectiveOf::<G1>::generator();
    let points: Vec<_> =
        (0..n).scan(step, |point, _| Some(std::mem::replace(point, *point + step))).collect();
    let mut points = ProjectiveOf::<G1>::normalize_batch(&points);
    points[n - 1] = AffineOf::<G1>::zero();
    let scalars: Vec<ScalarOf<G1>> = values(n, &mut rng);
    for threads in [1, 3, 64] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| check_msm::<G1>(&points, &scalars));
        let sum = pool.install(|| host::msm_of::<G1>(&points[..n - 1], &scalars[..n - 1]));
        let logarithm: ScalarOf<G1> =
            (1..n as u64).zip(&scalars).map(|(i, scalar)| ScalarOf::<G1>::from(i) * scalar).sum();
        assert_eq!(sum, step * logarithm);
    }
}

#[test]
fn msm_arguments_must_fit() {
    let bases = host::bases::<G1>(vec![AffineOf::<G1>::generator(); 2].into()).unwrap();
    let digits = host::digits::<Fr>(&[1.into(); 3]).unwrap();
    assert!(matches!(host::msm::<G1>(&digits, &bases, 0..2), Err(RuntimeError::Length { .. })));
    assert!(matches!(host::msm::<G1>(&digits, &bases, 0..3), Err(RuntimeError::Length { .. })));
    let digits = host::digits::<Fr381>(&[1.into(); 2]).unwrap();
    assert!(matches!(host::msm::<G1>(&digits, &bases, 0..2), Err(RuntimeError::Input { .. })));
}
