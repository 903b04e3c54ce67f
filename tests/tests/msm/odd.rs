//! Odd digits, with bases that are stored times powers of two: the same sums, in fewer buckets.

use super::{Terms, device, emulator, in_parts, on, racecheck, scalars, sum};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_curves::toy::{toy_curve, toy_edwards};
use curvesmith_curves::{bn254, mnt4_298};
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::{Group, ScalarOf};
use curvesmith_runtime::vocabulary::DigitShape;
use curvesmith_runtime::{Device, DeviceBases, Msm, MsmOptions, MsmStrategy, RuntimeError, StreamedMsm};
use std::sync::Arc;

fn odd(tau: u32) -> MsmOptions {
    MsmOptions::default().stored_doublings(tau)
}

pub(super) fn sums<G: Group>(device: &Device, n: usize, options: &MsmOptions) {
    let Terms { points, scalars: random } = Terms::<G>::new(n, 1);
    let plan = Msm::<G>::new(device, &points, options.clone()).unwrap();
    let one = ScalarOf::<G>::from(12u64);
    for scalars in [random.clone(), vec![one; n], vec![-one; n], vec![ScalarOf::<G>::from(0u64); n]] {
        assert_eq!(plan.run(&scalars).unwrap(), sum::<G>(&points, &scalars), "{} {options:?}", G::NAME);
    }
    if n > 6 {
        let (range, some) = (2..n - 1, &random[..n - 3]);
        let found = plan.run_range(range.clone(), some).unwrap();
        assert_eq!(found, sum::<G>(&points[range], some), "{options:?}");
    }
    let bytes: Vec<u8> = (0..n).map(|i| (i * 37) as u8).collect();
    let as_field: Vec<_> = bytes.iter().map(|x| ScalarOf::<G>::from(*x)).collect();
    assert_eq!(plan.msm_u8(&bytes).unwrap(), sum::<G>(&points, &as_field), "{options:?}");
}

#[test]
fn sums_are_the_same() {
    let device = device();
    for tau in [1, 2, 100] {
        for window in [3, 4, 8] {
            for most in [1, 2, 300] {
                let options = odd(tau).window(window).multiples(most);
                sums::<toy_curve::G1>(&device, 50, &options);
            }
        }
        sums::<toy_curve::G1>(&device, 1, &odd(tau));
        sums::<toy_edwards::G1>(&device, 40, &odd(tau));
        sums::<bn254::G1>(&device, 12, &odd(tau).window(9));
    }
    sums::<bn254::G2>(&device, 8, &odd(3).multiples(2));
    sums::<toy_curve::G1>(&in_parts(&racecheck(5), 3), 40, &odd(4));
    sums::<toy_curve::G1>(&Device::cpu(), 40, &odd(4));
    sums::<mnt4_298::G2>(&device, 20, &odd(2).window(3).strategy(MsmStrategy::BatchedAffine));
    // The lowest digit of every window is the largest that there is, or the smallest.
    let g = Terms::<bn254::G1>::new(2, 3).points;
    let half = |window: u32| [1u64 << (window - 1), (1 << (window - 1)) + 1].map(ScalarOf::<bn254::G1>::from);
    for (window, tau) in [(3, 2), (10, 9), (10, 8), (10, 1), (17, 16)] {
        let plan = Msm::<bn254::G1>::new(&device, &g, odd(tau).window(window)).unwrap();
        let scalars = half(window);
        assert_eq!(plan.run(&scalars).unwrap(), sum::<bn254::G1>(&g, &scalars), "{window} {tau}");
    }
}

#[test]
fn other_calls_have_them_too() {
    type G = toy_curve::G1;
    let device = device();
    let Terms { points, scalars: first } = Terms::<G>::new(30, 4);
    let plan = Msm::<G>::new(&device, &points, odd(5)).unwrap();
    let second = scalars::<G>(30, 9);
    let expected = [&first, &second].map(|scalars| sum::<G>(&points, scalars));
    assert_eq!(plan.run_batch(&[&first, &second]).unwrap(), expected);
    let masked = plan.run_masked(&first, &mut StdRng::seed_from_u64(2)).unwrap();
    assert_eq!(masked, expected[0]);
    let same = Msm::<G>::new(&device, &points[..], odd(5)).unwrap();
    assert_eq!(plan.run_with(&same, &first).unwrap(), (expected[0], expected[0]));
    let shared = Msm::with_bases(plan.bases().clone(), MsmOptions::default()).unwrap();
    assert_eq!(shared.run(&second).unwrap(), expected[1]);
    // Digits of another map are another matter.
    let other = Msm::<G>::new(&device, &points, MsmOptions::default()).unwrap();
    assert!(matches!(plan.run_with(&other, &first), Err(RuntimeError::Input { what: "options", .. })));
}

/// Threads of the kernels that find and sum the buckets of an MSM of one set in windows of so many bits.
fn threads(emulator: &Emulator, options: MsmOptions) -> [u32; 2] {
    let device = on(emulator);
    let Terms { points, scalars } = Terms::<bn254::G1>::new(9, 1);
    let plan = Msm::<bn254::G1>::new(&device, &points, options).unwrap();
    emulator.clear_launches();
    assert_eq!(plan.run(&scalars).unwrap(), sum::<bn254::G1>(&points, &scalars));
    let launches = emulator.launches();
    ["bucket_starts", "bit_sums"].map(|kernel| {
        let first = launches.iter().find(|launch| launch.symbol.ends_with(kernel)).unwrap();
        first.grid * first.block
    })
}

#[test]
fn there_are_a_quarter_of_the_buckets() {
    let emulator = emulator();
    // One set: 2^13 values of a window, half as many buckets of signed digits, a quarter of odd ones.
    let one_set = |tau| odd(tau).window(13).multiples(300);
    let [signed, of_signed] = threads(&emulator, one_set(0));
    let [quarter, of_quarter] = threads(&emulator, one_set(12));
    assert_eq!((signed, quarter), ((1 << 12) + 128, (1 << 11) + 128), "and the end, in blocks of 128");
    assert_eq!(of_signed, 2 * of_quarter);
    // With fewer doublings there are some even ones, and as many places as for signed digits.
    assert_eq!(threads(&emulator, one_set(6)), [signed, of_signed]);
    let shape = DigitShape::with_multiples(254, 13, 300);
    let buckets = |tau| shape.with_doublings(tau).buckets();
    assert_eq!([0, 1, 6, 11, 12, 100].map(buckets), [4096, 3072, 2048 + 32, 2049, 2048, 2048]);
}

#[test]
fn bases_are_stored_that_many_times() {
    let device = device();
    let points = Terms::<bn254::G1>::new(7, 1).points;
    let plain = DeviceBases::<bn254::G1>::upload(&device, &points).unwrap().bytes();
    for (options, stored) in [
        (odd(4).window(8), 5),
        (odd(9).window(8), 8),
        (odd(4).window(8).multiples(3), 15),
        (odd(0).window(8).multiples(3), 3),
    ] {
        let plan = Msm::<bn254::G1>::new(&device, &points, options.clone()).unwrap();
        let bases = plan.bases();
        assert_eq!((bases.multiples(), bases.bytes(), bases.len()), (stored, u64::from(stored) * plain, 7));
    }
}

/// What there is while they are made counts: the bases, their multiples, and what is stored.
#[test]
fn bases_that_do_not_fit_are_refused() {
    type G = toy_curve::G1;
    let points = Terms::<G>::new(3000, 3).points;
    let plain = DeviceBases::<G>::upload(&device(), &points).unwrap().bytes();
    for (options, copies) in [(odd(3), 5), (odd(3).multiples(2), 11)] {
        let options = options.window(4);
        let of = |memory| Emulator::new(EmulatorOptions::default().memory(memory));
        let little = of(copies * plain - 1);
        match Msm::<G>::new(&on(&little), &points, options.clone()).unwrap_err() {
            RuntimeError::InsufficientMemory { what: "bases", needed, .. } => {
                assert_eq!(needed, copies * plain)
            }
            other => panic!("{other}"),
        }
        assert!(little.launches().is_empty());
        assert!(Msm::<G>::new(&on(&of((copies + 1) * plain)), &points, options).is_ok());
    }
}

#[test]
fn digits_and_bases_of_other_doublings_are_refused() {
    type G = toy_curve::G1;
    let (device, terms) = (device(), Terms::<G>::new(5, 1));
    let work = device.work().unwrap();
    let scalars = work.upload::<<G as Group>::Scalar>(&terms.scalars).unwrap();
    let plain = work.bases::<G>(terms.points[..].into()).unwrap();
    let shape = |tau| work.digit_shape::<<G as Group>::Scalar>(1 << 20).with_doublings(tau);
    let bases = work.multiples(&plain, shape(2)).unwrap();
    for (tau, bases, fits) in [(2, &bases, true), (1, &bases, false), (0, &bases, false), (2, &plain, false)]
    {
        let digits = work.digits(&scalars, shape(tau)).unwrap();
        match work.msm(&digits, bases) {
            Ok(sum) => assert!(fits && sum == terms.sum(), "{tau}"),
            Err(RuntimeError::Input { what: "bases", .. }) => assert!(!fits, "{tau}"),
            Err(other) => panic!("{other}"),
        }
    }
    work.finish().unwrap();
}

#[test]
fn what_cannot_have_them_is_refused() {
    type G = toy_curve::G1;
    let points = Terms::<G>::new(5, 1).points;
    let device = device();
    let narrow = Msm::<G>::new(&device, &points, odd(1).window(2)).unwrap_err();
    assert!(matches!(narrow, RuntimeError::Input { what: "window", .. }), "{narrow}");
    let streamed = StreamedMsm::<G>::new(&device, points.clone(), odd(1)).unwrap_err();
    assert!(matches!(streamed, RuntimeError::Input { what: "options", .. }), "{streamed}");
    let plain = Arc::new(DeviceBases::<G>::upload(&device, &points).unwrap());
    let there = Msm::with_bases(plain, odd(1)).unwrap_err();
    assert!(matches!(there, RuntimeError::Input { what: "options", .. }), "{there}");
}
