//! Values that stay on a device between plans, and calls that run beside their caller.

use super::checks::{self, values};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, FftField, Field as _, UniformRand};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_curves::bn254;
use curvesmith_curves::toy::toy_curve;
use curvesmith_runtime::cpu::Cpu;
use curvesmith_runtime::error::Result;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{Group, ProjectiveOf};
use curvesmith_runtime::vocabulary::{BinaryOp, Direction, UnaryOp};
use curvesmith_runtime::{
    Csr, Device, DeviceBases, DeviceVec, Msm, MsmOptions, Ntt, NttOptions, Pointwise, RuntimeError, SpMv,
    SpMvOptions,
};
use curvesmith_tests::KnownSum;
use std::fmt::Debug;
use std::sync::Arc;

/// Size of the vectors: the largest transform of the toy curve's scalar field.
const LOG_N: u32 = 5;
const N: usize = 1 << LOG_N;

/// Two entries a row, the last row empty.
fn matrix<T: Clone>(values: &[T]) -> Csr<T> {
    let n = N as u32;
    let mut row_offsets: Vec<u32> = (0..n).map(|row| 2 * row).collect();
    row_offsets.push(2 * (n - 1));
    let columns = (0..n - 1).flat_map(|row| [(5 * row + 3) % n, (n - row) % n]).collect();
    Csr { row_offsets, columns, values: values.iter().cycle().take(2 * (N - 1)).cloned().collect(), width: n }
}

pub(crate) fn chain(device: &Device) {
    chain_of::<toy_curve::FrField, toy_curve::G1>(device);
    chain_of::<bn254::FrField, bn254::G1>(device);
}

/// Rounds of plans on one vector, each with an MSM of it at its end; the host follows.
pub(crate) fn chain_of<F: Field, G: Group<Scalar = F>>(device: &Device) {
    let mut rng = StdRng::seed_from_u64(31);
    let (mut host, factors) = (values::<F::Ark>(N, &mut rng), values::<F::Ark>(N, &mut rng));
    let (shift, c) = (F::Ark::GENERATOR, F::Ark::rand(&mut rng));
    let csr = matrix(&values::<F::Ark>(9, &mut rng));
    let logarithms = values::<F::Ark>(N, &mut rng);
    let generator = ProjectiveOf::<G>::generator();
    let points: Vec<_> = logarithms.iter().map(|log| (generator * log).into_affine()).collect();

    let ntt = Ntt::<F>::new(device, LOG_N, NttOptions::default().shift(shift)).unwrap();
    let pointwise = Pointwise::<F>::new(device).unwrap();
    let spmv = SpMv::<F>::new(device, &csr, SpMvOptions::default()).unwrap();
    let bases = Arc::new(DeviceBases::<G>::upload(device, &points).unwrap());
    let msm = Msm::with_bases(Arc::clone(&bases), MsmOptions::default()).unwrap();
    let narrow = Msm::with_bases(bases, MsmOptions::default().window(3)).unwrap();
    let tables = Cpu.ntt_tables::<F>(N, F::Ark::get_root_of_unity(N as u64).unwrap()).unwrap();

    let mut x = DeviceVec::<F>::upload(device, &host).unwrap();
    let y = DeviceVec::<F>::upload(device, &factors).unwrap();
    assert_eq!((x.len(), narrow.len()), (N, N));
    for _ in 0..3 {
        ntt.run_resident(&mut x, Direction::Forward).unwrap();
        let product = pointwise.binary_resident(BinaryOp::Mul, &x, &y).unwrap();
        let inverse = pointwise.batch_inverse_resident(&product).unwrap();
        let double = pointwise.unary_resident(UnaryOp::Dbl, &inverse).unwrap();
        let scaled = pointwise.mul_const_resident(&double, c).unwrap();
        x = spmv.run_resident(&scaled).unwrap();
        ntt.run_resident(&mut x, Direction::Inverse).unwrap();

        Cpu.ntt::<F>(&tables, &mut host, Direction::Forward, shift).unwrap();
        let scaled: Vec<F::Ark> = host
            .iter()
            .zip(&factors)
            .map(|(x, y)| (*x * y).inverse().unwrap_or(F::Ark::ZERO).double() * c)
            .collect();
        host = Cpu.spmv::<F>(&csr, &scaled, N).unwrap();
        Cpu.ntt::<F>(&tables, &mut host, Direction::Inverse, shift).unwrap();
        assert_eq!(x.download().unwrap(), host);
        let sum = generator * host.iter().zip(&logarithms).map(|(x, log)| *x * log).sum::<F::Ark>();
        assert_eq!(msm.run_resident(&x).unwrap(), sum);
        assert_eq!(narrow.run_resident(&x).unwrap(), sum);
        // Beside it, plans that take host values.
        assert_eq!(msm.run(&host).unwrap(), sum);
    }
    assert_eq!(y.download().unwrap(), factors);
}

fn refused<T: Debug>(result: Result<T>) {
    assert!(matches!(result, Err(RuntimeError::OtherDevice { .. })), "{result:?}");
}

/// Plans of `device` do not take values of `other`, nor the other way round; both stay usable.
pub(crate) fn refuses_values_of(device: &Device, other: &Device) {
    for (device, other) in [(device, other), (other, device)] {
        refuse(device, other);
    }
}

fn refuse(device: &Device, other: &Device) {
    type F = toy_curve::FrField;
    type G = toy_curve::G1;
    let KnownSum { points, scalars, sum } = KnownSum::<G>::new(N);
    let own = DeviceVec::<F>::upload(device, &scalars).unwrap();
    let mut strange = DeviceVec::<F>::upload(other, &scalars).unwrap();

    let ntt = Ntt::<F>::new(device, LOG_N, NttOptions::default()).unwrap();
    refused(ntt.run_resident(&mut strange, Direction::Forward));
    let pointwise = Pointwise::<F>::new(device).unwrap();
    refused(pointwise.binary_resident(BinaryOp::Add, &own, &strange));
    refused(pointwise.binary_resident(BinaryOp::Mul, &strange, &own));
    refused(pointwise.unary_resident(UnaryOp::Neg, &strange));
    refused(pointwise.batch_inverse_resident(&strange));
    refused(pointwise.mul_const_resident(&strange, scalars[0]));
    let spmv = SpMv::<F>::new(device, &matrix(&scalars), SpMvOptions::default()).unwrap();
    refused(spmv.run_resident(&strange));
    let msm = Msm::<G>::new(device, &points, MsmOptions::default()).unwrap();
    refused(msm.run_resident(&strange));
    let bases = DeviceBases::<G>::upload(other, &points).unwrap();
    let there = Msm::with_bases(Arc::new(bases), MsmOptions::default()).unwrap();
    refused(there.run_resident(&own));

    // Values that plans keep to themselves are within reach of `Work`.
    let (here, elsewhere) = (device.work().unwrap(), other.work().unwrap());
    let mut vector = here.upload::<F>(&scalars).unwrap();
    let root = toy_curve::Fr::get_root_of_unity(N as u64).unwrap();
    let tables = elsewhere.ntt_tables::<F>(N, root).unwrap();
    refused(here.ntt(&tables, &mut vector, Direction::Forward, toy_curve::Fr::ONE));
    let digits = elsewhere.digits(&strange, elsewhere.digit_shape::<F>(N)).unwrap();
    let bases = here.bases::<G>(points.into()).unwrap();
    refused(here.msm(&digits, &bases));
    let stranger = elsewhere.matrix::<F>(&matrix(&scalars)).unwrap();
    refused(here.spmv(&stranger, &vector, N));
    refused(here.download(&strange));
    if !device.is_cpu() && !other.is_cpu() {
        let digits = here.digits(&own, here.digit_shape::<F>(N)).unwrap();
        let sums = elsewhere.sums(1 << 16).unwrap();
        refused(here.msm_into(&digits, &bases, &sums));
    }
    assert_eq!(here.download(&vector).unwrap(), scalars);
    here.finish().unwrap();
    elsewhere.finish().unwrap();

    assert_eq!((own.download().unwrap(), strange.download().unwrap()), (scalars.clone(), scalars));
    assert_eq!((msm.run_resident(&own).unwrap(), there.run_resident(&strange).unwrap()), (sum, sum));
}

/// Jobs that are waited for, cancelled, dropped, or outlive their plan.
pub(crate) fn jobs(device: &Device) {
    type F = toy_curve::FrField;
    type G = toy_curve::G1;
    let KnownSum { points, scalars, sum } = KnownSum::<G>::new(300);
    let msm = Msm::<G>::new(device, &points, MsmOptions::default()).unwrap();
    let jobs: Vec<_> = (0..6).map(|_| msm.submit(scalars.clone())).collect();
    for (i, job) in jobs.into_iter().enumerate() {
        match i {
            0 => {
                while !job.is_finished() {
                    std::thread::yield_now();
                }
                assert_eq!(job.wait().unwrap(), sum);
            }
            1 => drop(job),
            2 => {
                job.cancel();
                drop(job);
            }
            3 => {
                job.cancel();
                // It may have ended before.
                match job.wait() {
                    Ok(found) => assert_eq!(found, sum),
                    Err(error) => assert!(matches!(error, RuntimeError::Cancelled), "{error}"),
                }
            }
            _ => assert_eq!(job.wait().unwrap(), sum),
        }
    }
    let error = msm.submit(scalars[1..].to_vec()).wait().unwrap_err();
    assert!(matches!(error, RuntimeError::Length { expected: 300, found: 299, .. }), "{error}");
    let job = msm.submit(scalars.clone());
    drop(msm);
    assert_eq!(job.wait().unwrap(), sum);

    let ntt = Ntt::<F>::new(device, LOG_N, NttOptions::default()).unwrap();
    let forward = ntt.submit(scalars[..N].to_vec(), Direction::Forward).wait().unwrap();
    assert_eq!(ntt.submit(forward, Direction::Inverse).wait().unwrap(), scalars[..N]);
    let csr = matrix(&scalars);
    let spmv = SpMv::<F>::new(device, &csr, SpMvOptions::default()).unwrap();
    let product = spmv.submit(scalars[..N].to_vec()).wait().unwrap();
    assert_eq!(product, Cpu.spmv::<F>(&csr, &scalars[..N], N).unwrap());
}

#[test]
fn on_the_cpu() {
    chain(&Device::cpu());
    jobs(&Device::cpu());
    checks::large_msm::<bn254::G1>(&Device::cpu(), 300);
    checks::large_ntt::<bn254::FrField>(&Device::cpu(), 8);
    checks::large_spmv::<toy_curve::FrField>(&Device::cpu(), 40);
}
