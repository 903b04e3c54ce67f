//! The embedded PTX on the emulator.

use super::checks;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::FftField;
use curvesmith_abi::Geometry;
use curvesmith_curves::toy::{babybear, toy_curve, toy_edwards, toy_tower, toy17, toy433, toy7681};
use curvesmith_curves::{bls12_381, bn254, jubjub, mnt4_298, mnt6_753, secp256k1};
use curvesmith_device::KernelDevice;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::error::Result;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::AffineOf;
use curvesmith_runtime::kernels::sort_codes;
use curvesmith_runtime::policy::Policy;
use curvesmith_runtime::vocabulary::{DigitShape, Direction};
use curvesmith_runtime::{Csr, Device, Msm, MsmOptions, RuntimeError, ShardedMsm};
use curvesmith_tests::{KnownSum, Size, without_progress};
use std::collections::BTreeSet;

pub(super) fn emulator() -> Emulator {
    Emulator::new(EmulatorOptions::default())
}

pub(super) fn device() -> Device {
    Device::on_emulator(emulator(), None)
}

/// Slow, and stricter: every pair of conflicting accesses must be ordered.
fn racecheck(seed: u64) -> Emulator {
    Emulator::new(EmulatorOptions::default().racecheck(true).seed(seed).resident_blocks(3))
}

#[test]
fn pointwise() {
    for n in [0, 1, 127, 128, 300] {
        checks::pointwise::<toy_curve::FrField>(&device(), n);
        checks::pointwise::<babybear::FpField>(&device(), n);
        checks::pointwise::<bn254::FrField>(&device(), n);
        checks::pointwise::<bls12_381::FqField>(&device(), n);
        checks::products_in_place::<bn254::FrField>(&device(), n);
    }
    checks::pointwise::<bls12_381::FrField>(&device(), 40);
    checks::pointwise::<bn254::FqField>(&device(), 40);
    checks::pointwise::<mnt4_298::FqField>(&device(), 40);
    checks::pointwise::<mnt6_753::FqField>(&device(), 20);
    checks::pointwise::<secp256k1::FqField>(&device(), 40);
}

#[test]
fn msm_of_integers() {
    for n in [2, 70] {
        checks::msm_of_integers::<toy_curve::G1>(&device(), n);
        checks::msm_of_integers::<bn254::G1>(&device(), n);
    }
    checks::msm_of_integers::<jubjub::G1>(&Device::cpu(), 300);
    checks::msm_of_integers::<bn254::G1>(&Device::cpu(), 300);
}

/// Short integers have few windows, and multiples of the bases stay what they are.
#[test]
fn integers_cost_what_their_length_is() {
    let emulator = emulator();
    let device = Device::on_emulator(emulator.clone(), None);
    let points = [AffineOf::<bn254::G1>::generator(); 8];
    // One block for each window in the sort's count, of so few scalars.
    let windows = |sum: &dyn Fn() -> Result<bn254::G1Projective>| {
        emulator.clear_launches();
        assert!(sum().is_ok());
        let launches = emulator.launches();
        launches.iter().filter(|l| l.symbol.ends_with("radix_count")).map(|l| l.grid).sum::<u32>()
    };
    let plan = Msm::<bn254::G1>::new(&device, &points, MsmOptions::default().window(4)).unwrap();
    let found = [
        windows(&|| plan.msm_u1(&[true; 8])),
        windows(&|| plan.msm_u8(&[255; 8])),
        windows(&|| plan.msm_u64(&[u64::MAX; 8])),
        windows(&|| plan.msm_bigint(&[257u64.into(); 8])),
        windows(&|| plan.run(&[bn254::Fr::from(1u64); 8])),
    ];
    assert_eq!(found, [1, 3, 17, 3, 64]);
    // No more than scalars of a small field have.
    let points = [AffineOf::<toy_curve::G1>::generator(); 8];
    let plan = Msm::<toy_curve::G1>::new(&device, &points, MsmOptions::default().window(4)).unwrap();
    emulator.clear_launches();
    assert_eq!(plan.msm_u64(&[u64::MAX; 8]).unwrap(), plan.run(&[u64::MAX.into(); 8]).unwrap());
    let launches = emulator.launches();
    let grids = launches.iter().filter(|l| l.symbol.ends_with("radix_count")).map(|l| l.grid);
    assert_eq!(grids.collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn ntt() {
    checks::ntts::<toy17::FpField>(emulator(), 0..=4);
    checks::ntts::<toy7681::FpField>(emulator(), 0..=9);
    checks::ntts::<toy_curve::FqField>(emulator(), 0..=1);
    checks::ntts::<toy_curve::FrField>(emulator(), 0..=5);
    checks::ntts::<babybear::FpField>(emulator(), 0..=Size::from_env().pick(11, 14));
    checks::ntts::<bn254::FqField>(emulator(), 0..=1);
    // One pass, and two from 2^9 on.
    checks::ntts::<bn254::FrField>(emulator(), 0..=Size::from_env().pick(9, 14));
    checks::ntts::<bls12_381::FqField>(emulator(), 0..=1);
    checks::ntts::<bls12_381::FrField>(emulator(), 8..=Size::from_env().pick(9, 14));
    checks::ntts::<bn254::FrField>(racecheck(5), [6]);
}

/// All sizes of a field with `p - 1 = 2^4·3^3`, and some of real ones.
#[test]
fn mixed_ntt() {
    let sizes = (1..=3).flat_map(|power| (0..=4).map(move |log| 3usize.pow(power) << log));
    checks::mixed_ntts::<toy433::FpField>(emulator(), sizes);
    checks::mixed_ntts::<bn254::FrField>(emulator(), [9 << 4]);
    checks::mixed_ntts::<bls12_381::FqField>(emulator(), [18]);
    checks::mixed_ntts::<mnt6_753::FrField>(emulator(), [5 << 3]);
    checks::mixed_ntts::<toy433::FpField>(racecheck(5), [9 << 2]);
    checks::ntt_of_size::<toy433::FpField>(&device(), 27 << 4);
    checks::ntt_of_size::<mnt6_753::FrField>(&device(), 25 << 2);
}

#[test]
fn sharded_sums_of_products() {
    let devices = [device(), device(), Device::cpu()];
    for n in [1, 2, 3, 40] {
        checks::sharded_msm::<toy_curve::G1>(&devices[..2], n);
    }
    checks::sharded_msm::<bn254::G1>(&devices[..2], 3);
    checks::sharded_msm::<bn254::G2>(&devices[..2], 5);
    // The same one twice.
    checks::sharded_msm::<toy_curve::G1>(&[devices[0].clone(), devices[0].clone()], 33);
    // Kinds of devices may be mixed.
    let points = vec![AffineOf::<toy_curve::G1>::generator(); 5];
    let plan = ShardedMsm::<toy_curve::G1>::new(&devices, &points, MsmOptions::default()).unwrap();
    let sum = points[0] * toy_curve::Fr::from(5);
    assert_eq!(plan.run(&[1.into(); 5]).unwrap(), sum);
}

#[test]
fn sparse_products() {
    checks::sparse_products::<toy_curve::FrField>(&device(), 200);
    checks::sparse_products::<bn254::FrField>(&device(), 3000);
    checks::sparse_products::<bn254::FrField>(&Device::on_emulator(racecheck(6), None), 100);
}

#[test]
fn sort() {
    let tile = Geometry::PTX.radix_tile;
    for (n, windows, key_bits) in [(0, 3, 8), (1, 1, 8), (2, 500, 1), (tile - 1, 3, 9), (tile, 2, 8)] {
        checks::sort(&device(), n, windows, key_bits);
    }
    for (n, windows, key_bits) in [(tile + 1, 2, 15), (70_000, 1, 23), (2500, 1, 31)] {
        checks::sort(&device(), n, windows, key_bits);
    }
    for seed in 0..Size::from_env().pick(2, 32) {
        checks::sort(&Device::on_emulator(racecheck(seed), None), tile + 900, 2, 11);
    }
    // A tile waits for those before it, in whatever order blocks begin and however few there are at once: it
    // is some block's that has begun.
    for (seed, resident) in [(0, 1), (1, 1), (2, 2), (3, 3), (4, 16)] {
        let options = EmulatorOptions::default().seed(seed).resident_blocks(resident);
        checks::sort(&Device::emulator(options).unwrap(), 5 * tile + 900, 2, 11);
    }
}

/// Where blocks may not wait for each other, one at a time too.
#[test]
fn sort_by_counting() {
    for (seed, resident) in [(0, 1), (1, 1), (2, 2), (3, 3), (4, 16)] {
        let options = EmulatorOptions::default().racecheck(true).seed(seed).resident_blocks(resident);
        let device = Device::emulator(without_progress(options)).unwrap();
        for (n, windows, key_bits) in
            [(0, 3, 8), (1, 1, 8), (2, 500, 1), (129, 3, 9), (3000, 2, 11), (2500, 1, 17)]
        {
            checks::sort(&device, n, windows, key_bits);
        }
    }
    let device = Device::emulator(without_progress(EmulatorOptions::default())).unwrap();
    checks::sort(&device, 70_000, 1, 20);
}

#[test]
fn msm_of_hard_cases_on_a_toy_curve() {
    for n in [1, 2, 3, 31, 32, 33, 300] {
        checks::msm::<toy_curve::G1>(&device(), n, None);
        checks::msm::<toy_curve::G2>(&device(), n, None);
    }
    for window in 2..=16 {
        let shape = DigitShape::new(7, window);
        checks::msm::<toy_curve::G1>(&device(), 70, Some(shape));
    }
    // And where blocks may not wait for each other.
    for (seed, n) in (0..).zip([1, 2, 31, 33, 300]) {
        let options = EmulatorOptions::default().racecheck(true).seed(seed).resident_blocks(3);
        let device = Device::emulator(without_progress(options)).unwrap();
        checks::msm::<toy_curve::G1>(&device, n, None);
        checks::msm::<toy_curve::G1>(&device, n, Some(DigitShape::new(7, 2 + seed as u32)));
    }
}

#[test]
fn msm_under_random_schedules_has_no_race() {
    for seed in 0..3 {
        checks::msm::<toy_curve::G1>(&Device::on_emulator(racecheck(seed), None), 200, None);
    }
}

#[test]
fn msm_in_parts() {
    let emulator = emulator();
    let mut policy = Policy::for_device(emulator.properties());
    policy.msm.max_entries = 60;
    let device = Device::on_emulator(emulator, Some(policy));
    checks::msm::<toy_curve::G1>(&device, 100, Some(DigitShape::new(7, 2)));
}

#[test]
fn msm_by_sums_of_affine_pairs() {
    checks::msm_in_pairs::<mnt4_298::G2>(emulator(), Size::from_env().pick(10, 50));
    if Size::from_env() == Size::Long {
        checks::msm_in_pairs::<bls12_381::G2>(racecheck(7), 20);
    }
}

#[test]
fn msm_by_multiples_of_bases() {
    for (most, window) in [(2, None), (3, Some(2)), (100, Some(3)), (4, Some(4)), (100, None)] {
        checks::msm_by_multiples::<toy_curve::G1>(&device(), 70, most, window);
    }
    checks::msm_by_multiples::<toy_curve::G2>(&device(), 33, 8, None);
    checks::msm_by_multiples::<bn254::G1>(&device(), 10, 32, None);
    checks::msm_by_multiples::<bn254::G2>(&device(), 3, 4, Some(13));
    checks::msm_by_multiples::<jubjub::G1>(&device(), 7, 100, Some(5));
    checks::msm_by_multiples::<toy_curve::G1>(&Device::on_emulator(racecheck(5), None), 40, 4, Some(3));
    checks::refuses_other_multiples::<toy_curve::G1>(&device());
}

#[test]
fn msm_by_multiples_in_parts() {
    let emulator = emulator();
    let mut policy = Policy::for_device(emulator.properties());
    // Of 14 digits a scalar; and parts of the host's scalars.
    (policy.msm.max_entries, policy.msm.parts) = (60, Some(curvesmith_tests::even_parts(3)));
    let device = Device::on_emulator(emulator, Some(policy));
    checks::msm_by_multiples::<toy_curve::G1>(&device, 100, 4, Some(2));
}

#[test]
fn scalars_of_the_host_come_in_parts() {
    checks::msm_in_parts::<toy_curve::G1>(racecheck(1), 103, 5);
    checks::msm_in_parts::<bn254::G1>(emulator(), 33, 2);
}

#[test]
fn msm_on_bn254() {
    for n in Size::from_env().pick(&[1, 33][..], &[1, 3, 33]).iter().copied() {
        checks::msm::<bn254::G1>(&device(), n, None);
        checks::msm::<bn254::G2>(&device(), n, None);
    }
    for window in Size::from_env().pick(&[2, 16][..], &[2, 13, 16]).iter().copied() {
        let shape = DigitShape::new(254, window);
        checks::msm::<bn254::G1>(&device(), 5, Some(shape));
    }
    checks::msm::<bn254::G1>(&device(), Size::from_env().pick(70, 1000), None);
}

/// a is not 0, in either group.
#[test]
fn msm_on_mnt4_298() {
    checks::msm::<mnt4_298::G1>(&device(), 20, None);
    checks::msm::<mnt4_298::G2>(&device(), 10, None);
}

/// 24 words; the second group is over a cubic extension.
#[test]
fn msm_on_mnt6_753() {
    let n = Size::from_env().pick(2, 5);
    checks::msm::<mnt6_753::G1>(&device(), n, None);
    checks::msm::<mnt6_753::G2>(&device(), n, None);
}

/// No bit is spare.
#[test]
fn msm_on_secp256k1() {
    checks::msm::<secp256k1::G1>(&device(), 20, None);
}

#[test]
fn msm_over_toy_towers() {
    for n in [1, 33, 300] {
        checks::msm::<toy_tower::G1>(&device(), n, None);
        checks::msm::<toy_tower::G2>(&device(), n, None);
    }
    checks::msm::<toy_tower::G2>(&Device::on_emulator(racecheck(4), None), 100, None);
}

#[test]
fn msm_on_twisted_edwards_curves() {
    for n in [1, 2, 33, 70] {
        checks::msm::<toy_edwards::G1>(&device(), n, None);
        checks::msm::<toy_edwards::G2>(&device(), n, None);
    }
    checks::msm::<jubjub::G1>(&device(), 40, None);
    checks::msm_in_parts::<jubjub::G1>(emulator(), 33, 2);
}

#[test]
fn msm_on_bls12_381() {
    checks::msm::<bls12_381::G1>(&device(), 40, None);
    checks::msm::<bls12_381::G2>(&device(), 10, None);
}

/// The launch policies of an H200: many slices, in one wave, and many chunks.
#[test]
fn with_the_policies_of_a_gpu() {
    let options = EmulatorOptions::default().multiprocessors(132);
    let device = Device::on_emulator(Emulator::new(options), None);
    for n in [1, 33, 300] {
        checks::msm::<toy_curve::G1>(&device, n, None);
    }
    checks::msm::<toy_curve::G2>(&device, 300, None);
    checks::large_msm::<toy_curve::G1>(&device, 1 << 14);
    checks::large_msm::<bn254::G1>(&device, 1000);
    checks::large_msm::<bn254::G2>(&device, 100);
    checks::large_ntt::<bn254::FrField>(&device, 10);
    checks::large_ntt::<babybear::FpField>(&device, 13);
    checks::pointwise::<toy_curve::FrField>(&device, 3000);
    checks::sparse_products::<toy_curve::FrField>(&device, 200);
}

#[test]
fn values_stay_on_the_device() {
    super::resident::chain(&device());
}

#[test]
fn values_of_another_device_are_refused() {
    // Two emulators, an emulator and the CPU, and two handles of one emulator: each has memory of its own.
    let emulator = emulator();
    let first = Device::on_emulator(emulator.clone(), None);
    super::resident::refuses_values_of(&first, &device());
    super::resident::refuses_values_of(&first, &Device::cpu());
    super::resident::refuses_values_of(&first, &Device::on_emulator(emulator, None));
}

#[test]
fn jobs_run_beside_the_caller() {
    super::resident::jobs(&device());
}

/// An MSM of a second or so, cancelled at its begin.
#[test]
fn a_cancelled_job_ends_early() {
    let emulator = emulator();
    let device = Device::on_emulator(emulator.clone(), None);
    let known = KnownSum::<bn254::G1>::new(1000);
    let msm = Msm::<bn254::G1>::new(&device, &known.points, MsmOptions::default()).unwrap();
    let job = msm.submit(known.scalars.clone());
    job.cancel();
    let error = job.wait().unwrap_err();
    assert!(matches!(error, RuntimeError::Cancelled), "{error}");
    let launches = emulator.launches().len();
    assert_eq!(msm.run(&known.scalars).unwrap(), known.sum);
    assert!(emulator.launches().len() > 2 * launches, "{launches} launches of a cancelled job");
    drop((msm, device));
    assert_eq!(emulator.allocations(), 0);
}

const N: u64 = 2400;

/// Digits of a window: enough that the sort's counts of 17 windows need two levels of scan.
const DIGITS: u32 = Geometry::PTX.radix_tile + 1;

/// Discrete logarithms of the points, and scalars, half of which are equal: their bucket
/// spans many slices. (Of 5 instead of 6 the sum would be the one that a kernel of zero digits gives.)
fn logs_and_scalars() -> (Vec<toy_curve::Fr>, Vec<toy_curve::Fr>) {
    let fr = |x: u64| toy_curve::Fr::from(x);
    (1..=N).map(|k| (fr(k), fr(if k % 2 == 0 { k } else { 6 }))).unzip()
}

/// An MSM, a short one by multiples of the bases, an NTT over a coset there and back, a sparse product and a
/// sort, as one list of field elements.
fn everything(device: &Device) -> Result<Vec<toy_curve::Fr>> {
    type F = toy_curve::FrField;
    type G = toy_curve::G1;
    let (logs, scalars) = logs_and_scalars();
    let points: Vec<AffineOf<G>> =
        logs.iter().map(|k| (AffineOf::<G>::generator() * k).into_affine()).collect();
    checks::call(device, |work| {
        let x = work.upload::<F>(&scalars)?;
        let digits = work.digits(&x, DigitShape::new(7, 8))?;
        let sum = work.msm::<G>(&digits, &work.bases::<G>(points.as_slice().into())?)?;
        let log_of =
            |sum| (0..97u64).map(toy_curve::Fr::from).find(|k| AffineOf::<G>::generator() * k == sum);

        let shape = DigitShape::with_multiples(7, 3, 3);
        let bases = work.multiples(&work.bases::<G>(points[..20].into())?, shape)?;
        let few = work.digits(&work.upload::<F>(&scalars[..20])?, shape)?;
        let by_multiples = log_of(work.msm::<G>(&few, &bases)?);

        let root = toy_curve::Fr::get_root_of_unity(32).unwrap();
        let tables = work.ntt_tables::<F>(32, root)?;
        let mut v = work.upload::<F>(&scalars[..32])?;
        work.ntt(&tables, &mut v, Direction::Forward, 5.into())?;
        let mut out = work.download(&v)?;
        work.ntt(&tables, &mut v, Direction::Inverse, 5.into())?;
        out.extend(work.download(&v)?);

        let csr = Csr {
            row_offsets: vec![0, 2, 3],
            columns: vec![1, 7, N as u32 - 1],
            values: scalars[..3].to_vec(),
            width: N as u32,
        };
        out.extend(work.download(&work.spmv(&work.matrix::<F>(&csr)?, &x, 2)?)?);
        let codes: Vec<u32> = (0..17 * DIGITS).map(|i| ((i / DIGITS) << 8) | (i * 37 % 251)).collect();
        let stream = work.stream().expect("a device of kernels has one");
        let (keys, entries) = sort_codes(stream, &codes, 17, 8)?;
        out.extend(keys.into_iter().chain(entries).map(toy_curve::Fr::from));
        out.extend([by_multiples, log_of(sum)].map(|log| log.unwrap_or(toy_curve::Fr::from(0u64))));
        Ok(out)
    })
}

#[test]
fn a_kernel_that_writes_zeros_is_noticed() {
    let good = emulator();
    let expected = everything(&Device::on_emulator(good.clone(), None)).unwrap();
    let (logs, scalars) = logs_and_scalars();
    let sum: toy_curve::Fr = logs.iter().zip(&scalars).map(|(k, s)| *k * s).sum();
    assert!(sum != toy_curve::Fr::from(0u64), "the identity is what zeros give");
    assert_eq!(expected.last(), Some(&sum));
    let symbols: BTreeSet<String> = good.launches().into_iter().map(|l| l.symbol).collect();
    assert!(symbols.len() >= 15 && symbols.contains("common_scan_add"), "{symbols:?}");
    for symbol in symbols {
        let bad = emulator();
        bad.replace_with_zeros(&symbol);
        assert!(
            everything(&Device::on_emulator(bad, None)).map_or(true, |found| found != expected),
            "{symbol} went unnoticed"
        );
    }
}

/// Transforms of BN254, whose steps multiply by tables, and of BabyBear, where they multiply by elements. The
/// longest are two passes.
fn transforms(emulator: &Emulator) -> Result<Vec<String>> {
    fn of<F: Field>(device: &Device, log_n: u32) -> Result<Vec<String>> {
        let n = 1u64 << log_n;
        let root = F::Ark::get_root_of_unity(n).unwrap();
        let values: Vec<F::Ark> = (1..=n).map(F::Ark::from).collect();
        let out = checks::call(device, |work| {
            let tables = work.ntt_tables::<F>(n as usize, root)?;
            let mut v = work.upload::<F>(&values)?;
            work.ntt(&tables, &mut v, Direction::Forward, 5u64.into())?;
            work.download(&v)
        })?;
        Ok(out.iter().map(ToString::to_string).collect())
    }
    let device = Device::on_emulator(emulator.clone(), None);
    let mut out = vec![];
    for log_n in [1, 4, 10] {
        out.extend(of::<bn254::FrField>(&device, log_n)?);
        out.extend(of::<babybear::FpField>(&device, log_n)?);
    }
    Ok(out)
}

#[test]
fn a_transform_kernel_that_writes_zeros_is_noticed() {
    let good = emulator();
    let expected = transforms(&good).unwrap();
    let symbols: BTreeSet<String> = good.launches().into_iter().map(|l| l.symbol).collect();
    let fields = [("bn254_fr", "ntt_tables"), ("babybear", "powers")];
    for kernel in fields
        .iter()
        .flat_map(|(field, inner)| ["ntt_pass", "ntt_twiddles", inner].map(|k| format!("{field}_{k}")))
    {
        assert!(symbols.contains(&kernel), "{kernel} did not run: {symbols:?}");
    }
    for symbol in symbols {
        let bad = emulator();
        bad.replace_with_zeros(&symbol);
        assert!(transforms(&bad).map_or(true, |found| found != expected), "{symbol} went unnoticed");
    }
}
