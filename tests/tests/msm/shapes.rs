//! Ranges of bases, several vectors of scalars, several plans, several groups, and masks.

use super::{Terms, device, emulator, in_parts, launches, on, racecheck, scalars, streams, sum};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field as _, PrimeField as _};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_curves::toy::{toy_curve, toy_edwards, toy_form};
use curvesmith_curves::{bls12_377, bls12_381, bn254, secp256k1};
use curvesmith_emulator::Emulator;
use curvesmith_runtime::group::{AffineOf, Group, ScalarOf};
use curvesmith_runtime::vocabulary::DigitShape;
use curvesmith_runtime::{CurveForm, Detail, Device, DeviceVec, Msm, MsmOptions, RuntimeError};
use curvesmith_tests::Size;

/// On every form of the curve that the group has.
fn options<G: Group>() -> Vec<MsmOptions> {
    let plain = [MsmOptions::default(), MsmOptions::default().window(3), MsmOptions::default().multiples(4)];
    let on_form = plain.clone().map(|options| options.form(CurveForm::Edwards));
    let on_form = on_form.into_iter().filter(|_| G::edwards_form().is_some());
    plain.into_iter().chain(on_form).collect()
}

pub(super) fn ranges<G: Group>(device: &Device, n: usize) {
    let Terms { points, scalars } = Terms::<G>::new(n, 1);
    for options in options::<G>() {
        let plan = Msm::<G>::new(device, &points, options).unwrap();
        assert_eq!(plan.msm(&scalars).unwrap(), sum::<G>(&points, &scalars));
        for range in [0..n, 0..0, 3..3, n..n, 0..5, 1..n, n - 1..n, 2..n - 1] {
            let some = &scalars[..range.len()];
            let found = plan.run_range(range.clone(), some).unwrap();
            let expected = sum::<G>(&points[range.clone()], some);
            assert_eq!(found, expected, "{range:?} of {n}");
            let resident = DeviceVec::upload(device, some).unwrap();
            let found = plan.run_range_resident(range.clone(), &resident).unwrap();
            assert_eq!(found, expected, "{range:?} of {n}, resident");
        }
        resident_ranges_that_do_not_fit(&plan, &scalars);
        let wrong = plan.run_range(1..n + 1, &scalars).unwrap_err();
        assert!(matches!(wrong, RuntimeError::Length { what: "bases of a range", .. }), "{wrong}");
        let wrong = plan.run_range(1..n, &scalars).unwrap_err();
        assert!(matches!(wrong, RuntimeError::Length { what: "scalars of the MSM", .. }), "{wrong}");
        #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
        let wrong = plan.run_range(5..3, &[]).unwrap_err();
        assert!(matches!(wrong, RuntimeError::Input { what: "range of bases", .. }), "{wrong}");
    }
}

fn resident_ranges_that_do_not_fit<G: Group>(plan: &Msm<G>, scalars: &[ScalarOf<G>]) {
    let n = plan.len();
    let more = [scalars, &scalars[..1]].concat();
    let more = DeviceVec::upload(plan.device(), &more).unwrap();
    let wrong = plan.run_range_resident(0..n + 1, &more).unwrap_err();
    assert!(matches!(wrong, RuntimeError::Length { what: "bases of a range", .. }), "{wrong}");
    for wrong in [plan.run_range_resident(0..n, &more), plan.run_resident(&more)] {
        let expected = |e: &RuntimeError| matches!(e, RuntimeError::Length { expected, found, .. } if (*expected, *found) == (n, n + 1));
        assert!(wrong.as_ref().is_err_and(expected), "{wrong:?}");
    }
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is refused")]
    let wrong = plan.run_range_resident(5..3, &more).unwrap_err();
    assert!(matches!(wrong, RuntimeError::Input { what: "range of bases", .. }), "{wrong}");
}

#[test]
fn scalars_of_a_range_of_the_bases() {
    for device in [device(), in_parts(&racecheck(3), 3), Device::cpu()] {
        ranges::<toy_curve::G1>(&device, 40);
    }
    for device in [device(), Device::cpu()] {
        ranges::<toy_form::G1>(&device, 40);
    }
    ranges::<bn254::G1>(&device(), 9);
    ranges::<bn254::G1>(&Device::cpu(), 40);
    ranges::<toy_edwards::G1>(&in_parts(&emulator(), 4), 20);
}

pub(super) fn batches<G: Group>(device: &Device, n: usize) {
    let Terms { points, .. } = Terms::<G>::new(n, 2);
    for options in options::<G>() {
        let plan = Msm::<G>::new(device, &points, options).unwrap();
        for count in [0, 1, 2, 5] {
            let vectors: Vec<_> = (0..count).map(|i| scalars::<G>(n, i)).collect();
            let batch: Vec<_> = vectors.iter().map(Vec::as_slice).collect();
            let expected: Vec<_> = vectors.iter().map(|scalars| sum::<G>(&points, scalars)).collect();
            assert_eq!(plan.run_batch(&batch).unwrap(), expected, "{count} vectors of {n}");
        }
        let short = plan.run_batch(&[&scalars::<G>(n, 1), &scalars::<G>(n - 1, 1)]).unwrap_err();
        assert!(matches!(short, RuntimeError::Length { .. }), "{short}");
    }
}

#[test]
fn vectors_of_scalars_in_one_call() {
    for device in [device(), on(&racecheck(1)), Device::cpu()] {
        batches::<toy_curve::G1>(&device, 40);
        batches::<toy_form::G1>(&device, 40);
    }
    batches::<bn254::G1>(&device(), 9);
}

#[test]
fn bases_of_other_lengths_in_one_call() {
    for device in [device(), on(&racecheck(4)), Device::cpu()] {
        let terms: Vec<_> = [7, 0, 40, 1, 33, 0].iter().map(|n| Terms::<toy_curve::G2>::new(*n, 3)).collect();
        let options = options::<toy_curve::G2>();
        let plans = terms.iter().zip(options.iter().cycle());
        let plans: Vec<_> = plans
            .map(|(terms, options)| {
                Msm::<toy_curve::G2>::new(&device, &terms.points, options.clone()).unwrap()
            })
            .collect();
        let batch: Vec<_> =
            plans.iter().zip(&terms).map(|(plan, terms)| (plan, &terms.scalars[..])).collect();
        let expected: Vec<_> = terms.iter().map(Terms::sum).collect();
        let (sums, report) = Msm::run_all_with_report(&batch, Detail::Kernels).unwrap();
        assert_eq!(sums, expected);
        if !device.is_cpu() {
            let (copies, kernels) = streams(&report);
            // What changes the form of scalars is copied in the order of the kernels.
            assert!(kernels.len() == 1 && copies.difference(&kernels).count() == 1, "{copies:?} {kernels:?}");
        }
    }
    // Plans of one device.
    let [here, there] = [device(), device()].map(|device| {
        let point = AffineOf::<toy_curve::G1>::generator();
        Msm::<toy_curve::G1>::new(&device, &[point], MsmOptions::default()).unwrap()
    });
    let one = [toy_curve::Fr::ONE];
    let mixed = Msm::run_all(&[(&here, &one), (&there, &one)]).unwrap_err();
    assert!(matches!(mixed, RuntimeError::OtherDevice { .. }), "{mixed}");
}

/// However many there are, there is room for two vectors of scalars.
#[test]
fn a_long_batch_takes_no_more_memory() {
    let emulator = emulator();
    let device = on(&emulator);
    let Terms { points, scalars } = Terms::<bn254::G1>::new(64, 4);
    let plan = Msm::<bn254::G1>::new(&device, &points, MsmOptions::default().window(4)).unwrap();
    let peak = |count: usize| {
        device.release_unused();
        emulator.forget_peak_memory();
        plan.run_batch(&vec![&scalars[..]; count]).unwrap();
        emulator.peak_memory()
    };
    let (few, many) = (peak(3), peak(12));
    // But for the sums, a point for every two of 64 windows, of four coordinates of 32 bytes each.
    assert_eq!(many - few, 9 * 32 * 128, "{few} and {many} bytes");
}

fn shared<G: Group, H: Group<Scalar = G::Scalar>>(emulator: Option<&Emulator>, n: usize) {
    let device = emulator.map_or_else(Device::cpu, on);
    let (g, h) = (Terms::<G>::new(n, 5), Terms::<H>::new(n, 6));
    let expected = (g.sum(), sum::<H>(&h.points, &g.scalars));
    for options in options::<G>() {
        let of_g = Msm::<G>::new(&device, &g.points, options.clone()).unwrap();
        let of_h = Msm::<H>::new(&device, &h.points, options.clone()).unwrap();
        emulator.iter().for_each(|emulator| emulator.clear_launches());
        assert_eq!(of_g.run_with(&of_h, &g.scalars).unwrap(), expected, "{n} {options:?}");
        if let Some(emulator) = emulator {
            assert_eq!(launches(emulator, "radix_scatter_first"), usize::from(n > 0));
        }
        let narrow = Msm::<H>::new(&device, &h.points, MsmOptions::default().window(5)).unwrap();
        let refused = of_g.run_with(&narrow, &g.scalars).unwrap_err();
        assert!(matches!(refused, RuntimeError::Input { what: "options", .. }), "{refused}");
        let longer = [&h.points[..], &h.points[..1]].concat();
        let longer = Msm::<H>::new(&device, &longer, options).unwrap();
        let refused = of_g.run_with(&longer, &g.scalars).unwrap_err();
        assert!(matches!(refused, RuntimeError::Length { what: "bases of the other MSM", .. }), "{refused}");
    }
}

#[test]
fn groups_share_digits() {
    shared::<toy_curve::G1, toy_curve::G2>(Some(&emulator()), 40);
    shared::<toy_curve::G2, toy_curve::G2>(Some(&racecheck(6)), 33);
    shared::<toy_form::G1, toy_form::G1>(Some(&racecheck(7)), 33);
    shared::<bn254::G1, bn254::G2>(Some(&emulator()), 7);
    shared::<bn254::G1, bn254::G2>(None, 20);
}

pub(super) fn masked<G: Group>(device: &Device, n: usize) {
    let terms = Terms::<G>::new(n, 7);
    let mut rng = StdRng::seed_from_u64(8);
    for options in options::<G>() {
        let plan = Msm::<G>::new(device, &terms.points, options).unwrap();
        assert_eq!(plan.run_masked(&terms.scalars, &mut rng).unwrap(), terms.sum(), "{n}");
        let zeros = vec![ScalarOf::<G>::ZERO; n];
        assert_eq!(plan.run_masked(&zeros, &mut rng).unwrap(), sum::<G>(&terms.points, &zeros), "{n}");
        let short = plan.run_masked(&vec![ScalarOf::<G>::ONE; n + 1], &mut rng).unwrap_err();
        assert!(matches!(short, RuntimeError::Length { .. }), "{short}");
    }
}

#[test]
fn masked_scalars() {
    for device in [device(), on(&racecheck(9)), Device::cpu()] {
        masked::<toy_curve::G1>(&device, 40);
        masked::<toy_curve::G1>(&device, 0);
        masked::<toy_form::G1>(&device, 40);
    }
    masked::<bls12_381::G1>(&device(), 9);
}

/// What the device adds up does not depend on the scalars: zeros are as much work as random ones, which
/// without masks are none.
#[test]
fn masks_hide_zeros() {
    let emulator = emulator();
    let Terms { points, scalars } = Terms::<bn254::G1>::new(100, 9);
    let plan = Msm::<bn254::G1>::new(&on(&emulator), &points, MsmOptions::default().window(6)).unwrap();
    let work = |sum: &dyn Fn() -> bn254::G1Projective| {
        emulator.clear_launches();
        let _ = sum();
        let added = emulator.launches().into_iter().filter(|launch| launch.symbol.ends_with("accumulate"));
        added.map(|launch| launch.counts.lane_total()).sum::<u64>()
    };
    let zeros = vec![bn254::Fr::ZERO; 100];
    let plain_sum = |scalars: &[bn254::Fr]| plan.run(scalars).unwrap();
    let masked = |scalars: &[bn254::Fr]| plan.run_masked(scalars, &mut StdRng::seed_from_u64(1)).unwrap();
    let (plain, none) = (work(&|| plain_sum(&scalars)), work(&|| plain_sum(&zeros)));
    let (random, zero) = (work(&|| masked(&scalars)), work(&|| masked(&zeros)));
    assert!(none < plain / 10, "{none} and {plain} instructions without masks");
    let per_mille = zero.abs_diff(random) * 1000 / random;
    assert!(per_mille < 30 && random > plain * 17 / 10, "{zero} and {random} with masks, {plain} without");
}

/// Numbers of bases around a warp, and none, as plans.
#[test]
fn few_bases() {
    for n in [0, 1, 2, 3, 31, 32, 33] {
        for device in [device(), in_parts(&emulator(), 3), Device::cpu()] {
            for options in options::<toy_curve::G1>() {
                let terms = Terms::<toy_curve::G1>::new(n, 10);
                let plan = Msm::<toy_curve::G1>::new(&device, &terms.points, options.clone()).unwrap();
                assert_eq!(plan.run(&terms.scalars).unwrap(), terms.sum(), "{n} {options:?}");
                let terms = Terms::<toy_form::G1>::new(n, 10);
                let on_form = options.clone().form(CurveForm::Edwards);
                let plan = Msm::<toy_form::G1>::new(&device, &terms.points, on_form).unwrap();
                assert_eq!(plan.run(&terms.scalars).unwrap(), terms.sum(), "{n} {options:?}");
                let terms = Terms::<bn254::G1>::new(if n > 3 { 3 } else { n }, 10);
                let plan = Msm::<bn254::G1>::new(&device, &terms.points, options).unwrap();
                assert_eq!(plan.run(&terms.scalars).unwrap(), terms.sum(), "{n}");
            }
        }
    }
}

/// One set of buckets for all windows, where they are wide.
fn every_window<G: Group>(form: CurveForm, bits: u32) {
    assert_eq!(ScalarOf::<G>::MODULUS_BIT_SIZE, bits);
    let g = AffineOf::<G>::generator();
    let points = [g, (g * ScalarOf::<G>::from(5u64)).into_affine(), -g];
    let scalars = [-ScalarOf::<G>::ONE, -ScalarOf::<G>::ONE, ScalarOf::<G>::ONE];
    let expected = sum::<G>(&points, &scalars);
    let device = device();
    for window in 2..=Size::from_env().pick(12, 24) {
        let most = if window > 8 { u32::MAX } else { 1 };
        let options = MsmOptions::default().window(window).multiples(most).form(form);
        let plan = Msm::<G>::new(&device, &points, options).unwrap();
        assert_eq!(plan.run(&scalars).unwrap(), expected, "{} in windows of {window}", G::NAME);
        device.release_unused();
    }
}

#[test]
fn the_largest_scalar_in_every_window() {
    every_window::<bls12_377::G1>(CurveForm::Declared, 253);
    every_window::<bls12_377::G1>(CurveForm::Edwards, 253);
    every_window::<bn254::G1>(CurveForm::Declared, 254);
    every_window::<bls12_381::G1>(CurveForm::Declared, 255);
    every_window::<secp256k1::G1>(CurveForm::Declared, 256);
}

/// Digits that a fork still reads keep their memory, though they are dropped and the work that made them goes
/// on.
#[test]
fn digits_stay_as_long_as_they_are_read() {
    type G = toy_curve::G1;
    for seed in 0..4 {
        let device = on(&racecheck(seed));
        let terms = Terms::<G>::new(300, seed);
        let others = scalars::<G>(300, seed + 100);
        let work = device.work().unwrap();
        let bases = work.bases::<G>(terms.points.as_slice().into()).unwrap();
        let shape = DigitShape::new(ScalarOf::<G>::MODULUS_BIT_SIZE, 4);
        let sums = work.sums(2 * work.sum_bytes::<G>(shape)).unwrap();
        let vectors = [&terms.scalars, &others].map(|v| work.upload::<<G as Group>::Scalar>(v).unwrap());
        let digits = work.digits(&vectors[0], shape).unwrap();
        let fork = work.fork().unwrap();
        let first = fork.msm_into(&digits, &bases, &sums).unwrap();
        drop(digits);
        // Of the same size: they would find the memory of the first ones.
        let digits = work.digits(&vectors[1], shape).unwrap();
        let second = work.msm_into(&digits, &bases, &sums).unwrap();
        work.join(fork).unwrap();
        let bytes = work.download_sums(&sums).unwrap();
        let found = [first, second].map(|sum| sum.point(&bytes).unwrap());
        work.finish().unwrap();
        assert_eq!(found, [terms.sum(), sum::<G>(&terms.points, &others)]);
    }
}
