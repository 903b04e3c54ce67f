//! Device handles, and plans on the CPU.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod common;

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, FftField, Field as _, UniformRand};
use common::*;
use curvesmith_runtime::group::{AffineOf, ProjectiveOf};
use curvesmith_runtime::{
    Device, Msm, MsmOptions, Ntt, NttOptions, Pointwise, RuntimeError, ShardedMsm, SpMv, SpMvOptions,
};

#[test]
fn devices_by_name() {
    assert_eq!(Device::parse("cpu").unwrap().name(), "cpu");
    assert_eq!(Device::parse("emulator").unwrap().name(), "emulator");
    assert_eq!(Device::cpu().fallback_reason(), None);
    for bad in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "wgpu:", "wgpu:x", "cpu:0", "CPU", "cpu "] {
        let error = Device::parse(bad).unwrap_err();
        assert!(matches!(&error, RuntimeError::NoDevice { device, .. } if device == bad), "{bad}: {error}");
    }
    for absent in ["cuda:4096", "wgpu:4096"] {
        assert!(matches!(Device::parse(absent), Err(RuntimeError::NoDevice { .. })), "{absent}");
    }
}

#[test]
fn without_a_gpu_the_reason_is_given() {
    match Device::cuda(0) {
        Ok(gpu) => {
            assert_eq!(Device::auto().name(), gpu.name());
            assert_eq!(Device::auto().fallback_reason(), None);
        }
        Err(RuntimeError::NoDevice { device, reason }) => {
            assert_eq!(device, "cuda:0");
            assert!(!reason.is_empty());
            let auto = Device::auto();
            // Another GPU may have been found through wgpu.
            if auto.is_cpu() {
                assert!(auto.fallback_reason().is_some_and(|all| all.starts_with(&reason)), "{auto:?}");
            } else {
                assert!(cfg!(feature = "wgpu") && auto.fallback_reason().is_none(), "{auto:?}");
            }
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn all_gpus_are_those_that_can_be_named() {
    match Device::cuda_all() {
        Ok(devices) => {
            assert!(!devices.is_empty());
            assert!(matches!(Device::cuda(devices.len()), Err(RuntimeError::NoDevice { .. })));
        }
        Err(RuntimeError::NoDevice { device, reason }) => {
            assert!(device == "cuda" || device.starts_with("cuda:"), "{device}");
            assert!(Device::cuda(0).is_err() || device != "cuda", "{reason}");
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn an_msm_on_several_devices_is_that_on_one() {
    let mut rng = rng(4);
    let g = ProjectiveOf::<G1>::generator();
    let points: Vec<AffineOf<G1>> =
        (0..40).map(|_| (g * ark_bn254::Fr::rand(&mut rng)).into_affine()).collect();
    let scalars: Vec<ark_bn254::Fr> = values(40, &mut rng);
    // Fewer bases than devices, as many, some more.
    for (devices, n) in [(1, 40), (2, 40), (3, 0), (3, 1), (3, 2), (3, 3), (3, 4), (7, 40)] {
        let all = vec![Device::cpu(); devices];
        let plan = shared(ShardedMsm::<G1>::new(&all, &points[..n], MsmOptions::default()).unwrap());
        let naive: ProjectiveOf<G1> = points.iter().zip(&scalars[..n]).map(|(p, s)| *p * s).sum();
        assert_eq!(plan.run(&scalars[..n]).unwrap(), naive, "{n} on {devices}");
        assert_eq!(plan.clone().submit(scalars[..n].to_vec()).wait().unwrap(), naive);
        assert_eq!((plan.len(), plan.is_empty(), plan.shards().count()), (n, n == 0, devices));
        let ends: Vec<usize> = plan.shards().map(|(_, range)| range.end).collect();
        assert!(plan.shards().map(|(_, range)| range.start).skip(1).eq(ends[..devices - 1].iter().copied()));
        assert_eq!(ends.last(), Some(&n));
        let wrong = plan.run(&vec![5.into(); n + 1]);
        assert!(matches!(wrong, Err(RuntimeError::Length { expected, .. }) if expected == n), "{wrong:?}");
    }
    let none = ShardedMsm::<G1>::new(&[], &points, MsmOptions::default());
    assert!(matches!(none, Err(RuntimeError::Input { what: "devices", .. })));
}

fn shared<T: Send + Sync>(value: T) -> T {
    value
}

#[test]
fn msm() {
    let mut rng = rng(3);
    let g = ProjectiveOf::<G1>::generator();
    for n in [0, 1, 40] {
        let points: Vec<AffineOf<G1>> =
            (0..n).map(|_| (g * ark_bn254::Fr::rand(&mut rng)).into_affine()).collect();
        let scalars: Vec<ark_bn254::Fr> = values(n, &mut rng);
        let naive: ProjectiveOf<G1> = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        let msm = shared(Msm::<G1>::new(&Device::cpu(), &points, MsmOptions::default()).unwrap());
        assert_eq!(msm.run(&scalars).unwrap(), naive);
        assert!(matches!(msm.run(&[5.into(); 41]), Err(RuntimeError::Length { found: 41, .. })));
    }
    for window in [0, 1, 18, u32::MAX] {
        let options = MsmOptions::default().window(window);
        let msm = Msm::<G1>::new(&Device::cpu(), &[AffineOf::<G1>::generator()], options);
        assert!(matches!(msm, Err(RuntimeError::Input { .. })), "{window}");
    }
}

#[test]
fn ntt() {
    let mut rng = rng(4);
    let a: Vec<ark_bn254::Fr> = values(32, &mut rng);
    let root = ark_bn254::Fr::get_root_of_unity(32).unwrap();
    let plain = shared(Ntt::<Fr>::new(&Device::cpu(), 5, NttOptions::default()).unwrap());
    assert_eq!(plain.forward(&a).unwrap(), naive_ntt(&a, root, 1.into()));
    let options = NttOptions::default().omega(root.pow([3])).shift(7.into());
    let coset = Ntt::<Fr>::new(&Device::cpu(), 5, options).unwrap();
    assert_eq!(coset.forward(&a).unwrap(), naive_ntt(&a, root.pow([3]), 7.into()));
    assert_eq!(coset.inverse(&coset.forward(&a).unwrap()).unwrap(), a);
    assert!(matches!(coset.forward(&a[1..]), Err(RuntimeError::Length { expected: 32, found: 31, .. })));

    for log_n in [29, 63, 64, u32::MAX] {
        let ntt = Ntt::<Fr>::new(&Device::cpu(), log_n, NttOptions::default());
        assert!(matches!(ntt, Err(RuntimeError::TooLarge { .. })), "{log_n}");
    }
    let zero = NttOptions::default().shift(0.into());
    assert!(matches!(Ntt::<Fr>::new(&Device::cpu(), 5, zero), Err(RuntimeError::Input { .. })));
    let other = NttOptions::default().omega(root);
    assert!(matches!(Ntt::<Fr>::new(&Device::cpu(), 4, other), Err(RuntimeError::NotARoot { size: 16 })));
}

#[test]
fn sparse_products() {
    let mut rng = rng(5);
    let m = matrix(20, 9, 70, &mut rng);
    let x: Vec<ark_bn254::Fr> = values(9, &mut rng);
    let plan = shared(SpMv::<Fr>::new(&Device::cpu(), &m, SpMvOptions::default()).unwrap());
    assert_eq!(plan.run(&x).unwrap(), naive_product(&m, &x, 20));
    assert!(matches!(plan.run(&x[1..]), Err(RuntimeError::Length { expected: 9, found: 8, .. })));
}

#[test]
fn pointwise() {
    let mut rng = rng(6);
    let (a, b): (Vec<ark_bn254::Fr>, Vec<_>) = (values(9, &mut rng), values(9, &mut rng));
    let plan = shared(Pointwise::<Fr>::new(&Device::cpu()).unwrap());
    let sum: Vec<_> = a.iter().zip(&b).map(|(a, b)| *a + b).collect();
    assert_eq!(plan.add(&a, &b).unwrap(), sum);
    assert_eq!(plan.sub(&sum, &b).unwrap(), a);
    assert_eq!(plan.mul(&a, &a).unwrap(), plan.sqr(&a).unwrap());
    assert_eq!(plan.add(&a, &a).unwrap(), plan.dbl(&a).unwrap());
    let product = plan.mul(&a, &plan.inverse(&a).unwrap()).unwrap();
    let one_but_for_zero: Vec<_> =
        a.iter().map(|a| ark_bn254::Fr::from(u64::from(*a != ark_bn254::Fr::ZERO))).collect();
    assert_eq!(product, one_but_for_zero);
    assert_eq!(plan.batch_inverse(&a).unwrap(), plan.inverse(&a).unwrap());
    assert_eq!(plan.batch_inverse(&[]).unwrap(), vec![]);
    assert_eq!(plan.mul_const(&a, -ark_bn254::Fr::ONE).unwrap(), plan.neg(&a).unwrap());
    assert!(matches!(plan.mul(&a, &b[1..]), Err(RuntimeError::Length { expected: 9, found: 8, .. })));
}
