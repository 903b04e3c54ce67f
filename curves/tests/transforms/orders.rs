//! Coefficients or evaluations in bit-reversed order.

use super::{DIRECTIONS, ORDERS, devices, expected, values};
use ark_ff::{FftField, Field as _};
use curvesmith_curves::bn254;
use curvesmith_curves::toy::{babybear, toy433, toy7681};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::vocabulary::{BinaryOp, Direction, Order};
use curvesmith_runtime::{DeviceVec, Ntt, NttBatch, NttOptions, Pointwise, RuntimeError};

/// Both directions in all orders, over the subgroup and a coset, of one vector and of three.
fn all_orders<F: Field>(sizes: impl IntoIterator<Item = u32>) {
    let devices = devices();
    for (log_n, order) in sizes.into_iter().flat_map(|log_n| ORDERS.map(|order| (log_n, order))) {
        for (device, shift) in
            devices.iter().flat_map(|device| [F::Ark::ONE, F::Ark::GENERATOR].map(|s| (device, s)))
        {
            let plan = Ntt::<F>::new(device, log_n, NttOptions::default().shift(shift).order(order)).unwrap();
            for direction in DIRECTIONS {
                let n = 1 << log_n;
                let x = values::<F::Ark>(3 * n, log_n.into());
                let all: Vec<_> =
                    x.chunks(n).flat_map(|x| expected::<F>(x, direction, shift, order)).collect();
                let what =
                    format!("{} 2^{log_n} {order:?} {direction:?} {shift} on {}", F::NAME, device.name());
                assert_eq!(plan.run(&x[..n], direction).unwrap(), all[..n], "{what}");
                let mut vectors = DeviceVec::upload(device, &x).unwrap();
                plan.run_resident(&mut vectors, direction).unwrap();
                assert_eq!(vectors.download().unwrap(), all, "{what}");
            }
        }
    }
}

#[test]
fn of_small_fields() {
    all_orders::<toy7681::FpField>(0..=9);
    all_orders::<babybear::FpField>([0, 1, 2, 3, 5, 8, 9, 10, 12]);
}

#[test]
fn of_bn254() {
    all_orders::<bn254::FrField>((0..=9).chain([11]));
}

/// Any root of the order, which the kernels reach by other names.
#[test]
fn with_any_root() {
    type F = toy7681::FpField;
    let n = 64;
    let x = values::<toy7681::Fp>(n, 1);
    for (device, exponent) in devices().iter().flat_map(|device| [3u64, 5, 63].map(|e| (device, e))) {
        let omega = toy7681::Fp::get_root_of_unity(n as u64).unwrap().pow([exponent]);
        let plan = |order| Ntt::<F>::new(device, 6, NttOptions::default().omega(omega).order(order)).unwrap();
        let natural = plan(Order::Natural).forward(&x).unwrap();
        let horner = |point| x.iter().rev().fold(toy7681::Fp::from(0u64), |sum, c| sum * point + c);
        let points = (0..n as u64).map(|i| horner(omega.pow([i])));
        assert_eq!(natural, points.collect::<Vec<_>>());
        let reversed = plan(Order::ReversedEvaluations);
        assert_eq!(reversed.forward(&x).unwrap(), super::permuted(&natural, true));
        assert_eq!(reversed.inverse(&super::permuted(&natural, true)).unwrap(), x);
        let coefficients = plan(Order::ReversedCoefficients);
        assert_eq!(coefficients.forward(&super::permuted(&x, true)).unwrap(), natural);
        assert_eq!(coefficients.inverse(&natural).unwrap(), super::permuted(&x, true));
    }
}

/// A product of polynomials, for which nobody asks where which evaluation is.
#[test]
fn a_product_without_a_permutation() {
    type F = bn254::FrField;
    for device in devices() {
        let plan =
            Ntt::<F>::new(&device, 5, NttOptions::default().order(Order::ReversedEvaluations)).unwrap();
        let [mut a, mut b] = [1, 2].map(|seed| values::<bn254::Fr>(16, seed));
        let mut product = vec![bn254::Fr::from(0u64); 32];
        for (i, x) in a.iter().enumerate() {
            b.iter().enumerate().for_each(|(j, y)| product[i + j] += *x * y);
        }
        [&mut a, &mut b].into_iter().for_each(|x| x.resize(32, bn254::Fr::from(0u64)));
        let [a, b] = [a, b].map(|x| {
            let mut x = DeviceVec::<F>::upload(&device, &x).unwrap();
            plan.run_resident(&mut x, Direction::Forward).unwrap();
            x
        });
        let mut found = Pointwise::<F>::new(&device).unwrap().binary_resident(BinaryOp::Mul, &a, &b).unwrap();
        plan.run_resident(&mut found, Direction::Inverse).unwrap();
        assert_eq!(found.download().unwrap(), product);
    }
}

#[test]
fn sizes_and_orders_that_there_are_not() {
    for device in devices() {
        let size = |log_n| Ntt::<bn254::FrField>::new(&device, log_n, NttOptions::default()).unwrap_err();
        for log_n in [29, 31, 64] {
            let error = size(log_n);
            assert!(
                matches!(error, RuntimeError::TooLarge { found, limit: 28, .. } if found == u64::from(log_n)),
                "{error}"
            );
        }
        let error = Ntt::<toy7681::FpField>::new(&device, 10, NttOptions::default()).unwrap_err();
        assert!(matches!(error, RuntimeError::TooLarge { found: 10, limit: 9, .. }), "{error}");
        let odd = |order| Ntt::<toy433::FpField>::of_size(&device, 12, NttOptions::default().order(order));
        let error = odd(Order::ReversedEvaluations).unwrap_err();
        assert!(matches!(error, RuntimeError::Input { what: "order of the NTT", .. }), "{error}");
        let plan = odd(Order::Natural).unwrap();
        // In a batch of an odd size, too.
        let x = values::<toy433::Fp>(5 * 12, 3);
        let found = plan.run_batch(&x, NttBatch::columns(5), Direction::Forward).unwrap();
        for v in 0..5 {
            let column = |of: &[toy433::Fp]| -> Vec<_> { of.iter().skip(v).step_by(5).copied().collect() };
            assert_eq!(column(&found), plan.forward(&column(&x)).unwrap());
        }
    }
}
