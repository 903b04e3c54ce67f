//! Batches: rows, columns and vectors elsewhere, in place and not.

use super::{DIRECTIONS, ORDERS, devices, expected, values};
use ark_ff::{FftField, Field as _};
use curvesmith_curves::bn254;
use curvesmith_curves::toy::{babybear, toy7681};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::vocabulary::{Direction, Order};
use curvesmith_runtime::{Device, DeviceVec, Ntt, NttBatch, NttOptions, RuntimeError};

/// A batch, with its strides and how many elements are given in all.
struct Layout {
    batch: NttBatch,
    count: usize,
    vector: usize,
    element: usize,
    len: usize,
}

/// Matrices by rows and by columns, columns of a wider matrix, rows with room between, and vectors that
/// interleave.
fn layouts(n: usize) -> Vec<Layout> {
    let strided = |count: usize, vector: usize, element: usize, more: usize| Layout {
        batch: NttBatch::strided(count, vector, element),
        count,
        vector,
        element,
        len: (count - 1) * vector + (n - 1) * element + 1 + more,
    };
    vec![
        Layout { batch: NttBatch::rows(3), count: 3, vector: n, element: 1, len: 3 * n },
        Layout { batch: NttBatch::columns(5), count: 5, vector: 1, element: 5, len: 5 * n },
        strided(3, 1, 7, 4),
        strided(2, n + 3, 1, 0),
        strided(3, 2 * n, 2, 1),
        strided(1, 1, 3, 2),
    ]
}

impl Layout {
    fn vector<T: Copy>(&self, x: &[T], v: usize, n: usize) -> Vec<T> {
        (0..n).map(|i| x[v * self.vector + i * self.element]).collect()
    }

    fn put<T: Copy>(&self, x: &mut [T], v: usize, vector: &[T]) {
        vector.iter().enumerate().for_each(|(i, value)| x[v * self.vector + i * self.element] = *value);
    }
}

fn all_batches<F: Field>(sizes: &[u32], orders: &[Order]) {
    for (device, log_n, order) in
        devices().iter().flat_map(|d| sizes.iter().flat_map(move |k| orders.iter().map(move |o| (d, *k, *o))))
    {
        for (shift, direction) in
            [F::Ark::ONE, F::Ark::GENERATOR].into_iter().flat_map(|s| DIRECTIONS.map(|d| (s, d)))
        {
            let plan = Ntt::<F>::new(device, log_n, NttOptions::default().shift(shift).order(order)).unwrap();
            batches(device, &plan, &|x| expected::<F>(x, direction, shift, order), direction);
        }
    }
}

/// What vectors are to become.
type Transform<'a, F> = &'a dyn Fn(&[<F as Field>::Ark]) -> Vec<<F as Field>::Ark>;

fn batches<F: Field>(device: &Device, plan: &Ntt<F>, transform: Transform<'_, F>, direction: Direction) {
    let n = plan.len();
    for (which, layout) in layouts(n).iter().enumerate() {
        let what = format!("{} {n} layout {which} {direction:?} on {}", F::NAME, device.name());
        let x = values::<F::Ark>(layout.len, 7);
        let results: Vec<_> = (0..layout.count).map(|v| transform(&layout.vector(&x, v, n))).collect();
        let mut in_place = x.clone();
        results.iter().enumerate().for_each(|(v, result)| layout.put(&mut in_place, v, result));

        assert_eq!(plan.run_batch(&x, layout.batch, direction).unwrap(), in_place, "{what}");
        let mut out = vec![F::Ark::ONE; x.len()];
        plan.run_batch_into(&x, &mut out, layout.batch, direction).unwrap();
        assert_eq!(out, in_place, "{what}");
        let mut resident = DeviceVec::upload(device, &x).unwrap();
        plan.run_resident_batch(&mut resident, layout.batch, direction).unwrap();
        assert_eq!(resident.download().unwrap(), in_place, "{what}");

        // To the same places and to others, in a buffer that has values already.
        let input = DeviceVec::<F>::upload(device, &x).unwrap();
        for to in layouts(n).iter().filter(|to| to.count == layout.count) {
            let before = values::<F::Ark>(to.len, 8);
            let mut output = DeviceVec::upload(device, &before).unwrap();
            plan.run_resident_into((&input, layout.batch), (&mut output, to.batch), direction).unwrap();
            let mut wanted = before;
            results.iter().enumerate().for_each(|(v, result)| to.put(&mut wanted, v, result));
            assert_eq!(output.download().unwrap(), wanted, "{what}");
            assert_eq!(input.download().unwrap(), x, "{what}: the input stays");
        }
    }
}

#[test]
fn of_small_fields() {
    all_batches::<toy7681::FpField>(&[0, 1, 2, 4, 7], &ORDERS);
    all_batches::<babybear::FpField>(&[3, 9], &ORDERS);
}

#[test]
fn of_bn254() {
    all_batches::<bn254::FrField>(&[1, 6], &ORDERS);
    all_batches::<bn254::FrField>(&[9], &[Order::ReversedEvaluations]);
}

#[test]
fn batches_that_do_not_fit() {
    type F = toy7681::FpField;
    let n = 8;
    for device in devices() {
        let plan = Ntt::<F>::new(&device, 3, NttOptions::default()).unwrap();
        let fails = |batch, len: usize| {
            let x = values::<toy7681::Fp>(len, 1);
            let mut resident = DeviceVec::<F>::upload(&device, &x).unwrap();
            let on_host = plan.run_batch(&x, batch, Direction::Forward).unwrap_err();
            let found = plan.run_resident_batch(&mut resident, batch, Direction::Forward).unwrap_err();
            assert_eq!(on_host.to_string(), found.to_string());
            assert_eq!(resident.download().unwrap(), x);
            found
        };
        for (batch, len) in [(NttBatch::rows(3), 23), (NttBatch::columns(3), 25), (NttBatch::rows(1), 0)] {
            let error = fails(batch, len);
            assert!(matches!(error, RuntimeError::Length { found, .. } if found == len), "{error}");
        }
        let error = fails(NttBatch::strided(2, 1, 2), 15);
        assert!(matches!(error, RuntimeError::Length { expected: 16, found: 15, .. }), "{error}");
        for (vector, element) in [(0, 1), (1, 0)] {
            let error = fails(NttBatch::strided(2, vector, element), 64);
            assert!(matches!(error, RuntimeError::ZeroStride), "{error}");
        }
        for (vector, element) in [(7, 1), (1, 1), (2, 3), (14, 2)] {
            let error = fails(NttBatch::strided(4, vector, element), 999);
            assert!(
                matches!(error, RuntimeError::OverlappingVectors { vector: v, element: e } if (v, e) == (vector, element)),
                "{error}"
            );
        }
        let error = fails(NttBatch::rows(0), 0);
        assert!(matches!(error, RuntimeError::Input { what: "batch", .. }), "{error}");

        let x = values::<toy7681::Fp>(3 * n, 1);
        let error =
            plan.run_batch_into(&x, &mut x[1..].to_vec(), NttBatch::rows(3), Direction::Forward).unwrap_err();
        assert!(matches!(error, RuntimeError::Length { what: "NTT result", .. }), "{error}");
        let input = DeviceVec::<F>::upload(&device, &x).unwrap();
        let into = |len, to| {
            let mut out = DeviceVec::<F>::zeros(&device, len).unwrap();
            let result =
                plan.run_resident_into((&input, NttBatch::rows(3)), (&mut out, to), Direction::Forward);
            assert_eq!(out.download().unwrap(), vec![toy7681::Fp::from(0u64); len]);
            result.unwrap_err()
        };
        let error = into(2 * n, NttBatch::rows(2));
        assert!(matches!(error, RuntimeError::Length { expected: 3, found: 2, .. }), "{error}");
        let error = into(3 * n, NttBatch::rows(2));
        assert!(matches!(error, RuntimeError::Length { what: "NTT result", .. }), "{error}");
        let mut other = DeviceVec::<F>::zeros(&Device::cpu(), 3 * n).unwrap();
        if !device.is_cpu() {
            let rows = NttBatch::rows(3);
            let error =
                plan.run_resident_into((&input, rows), (&mut other, rows), Direction::Forward).unwrap_err();
            assert!(matches!(error, RuntimeError::OtherDevice { .. }), "{error}");
        }
    }
}
