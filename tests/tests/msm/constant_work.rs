//! Constant work: the same sums, and the same instructions on the same lanes for all scalars and bases of one
//! number.

use super::{Terms, device, emulator, in_parts, on, racecheck, scalars, sum};
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field as _, PrimeField};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_curves::toy::{toy_curve, toy_edwards, toy_form};
use curvesmith_curves::{bls12_381, bn254};
use curvesmith_device::KernelDevice;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::{AffineOf, Group, ScalarOf};
use curvesmith_runtime::policy::Policy;
use curvesmith_runtime::{
    CurveForm, Device, DeviceBases, Msm, MsmOptions, MsmStrategy, RuntimeError, ShardedMsm, StreamedMsm,
};
use curvesmith_tests::Size;
use std::sync::Arc;

fn constant() -> MsmOptions {
    MsmOptions::default().constant_work()
}

/// Random ones, others, zeros, ones, minus ones, one everywhere, and one and its negative by turns.
fn scalar_sets<G: Group>(n: usize) -> Vec<Vec<ScalarOf<G>>> {
    let (random, others) = (scalars::<G>(n, 1), scalars::<G>(n, 2));
    let (zero, one) = (ScalarOf::<G>::ZERO, ScalarOf::<G>::ONE);
    let any = random[n - 1];
    let by_turns = (0..n).map(|i| if i % 2 == 0 { any } else { -any }).collect();
    vec![random, others, vec![zero; n], vec![one; n], vec![-one; n], vec![any; n], by_turns]
}

/// Random ones, with the identity and equal and opposite ones among them; one everywhere; one and its
/// negative by turns; identities.
fn base_sets<G: Group>(n: usize) -> Vec<Vec<AffineOf<G>>> {
    let random = Terms::<G>::new(n, 3).points;
    let any = random[n - 1];
    let by_turns = (0..n).map(|i| if i % 2 == 0 { any } else { -any }).collect();
    let identity = AffineOf::<G>::zero();
    let few = (0..n).map(|i| if i % 3 == 0 { random[i] } else { identity }).collect();
    vec![random, vec![any; n], by_turns, few, vec![identity; n]]
}

/// The launches of a call, each with its trace.
fn traces<G: Group>(
    points: &[AffineOf<G>],
    scalars: &[ScalarOf<G>],
    options: &MsmOptions,
    slices: Option<u32>,
) -> Vec<(String, u32, u64)> {
    let emulator = Emulator::new(EmulatorOptions::default().trace(true));
    let policy = slices.map(|entries| {
        let mut policy = Policy::for_device(emulator.properties());
        (policy.msm.entries_per_slice, policy.msm.least_slice) = (entries, entries);
        policy
    });
    let plan =
        Msm::<G>::new(&Device::on_emulator(emulator.clone(), policy), points, options.clone()).unwrap();
    emulator.clear_launches();
    assert_eq!(plan.run(scalars).unwrap(), sum::<G>(points, scalars), "{} {options:?}", G::NAME);
    launches(&emulator)
}

/// Symbol, blocks and the trace of every launch since the log was cleared.
fn launches(emulator: &Emulator) -> Vec<(String, u32, u64)> {
    let log = emulator.launches().into_iter();
    log.map(|launch| (launch.symbol, launch.grid, launch.trace.expect("traces are asked for"))).collect()
}

/// The kernels of a call by the ends of their symbols, after all of its traces were found equal.
fn check_traces<G: Group>(n: usize, options: &MsmOptions, slices: Option<u32>) -> Vec<String> {
    let mut first = None;
    for (of_bases, points) in base_sets::<G>(n).iter().enumerate() {
        // The first scalars for all bases, all scalars for the first bases. For equal bases all in a long
        // run, else those that are equal and opposite.
        for (of_scalars, scalars) in scalar_sets::<G>(n).iter().enumerate() {
            let tried = match of_bases {
                0 => true,
                _ if of_scalars == 0 => true,
                1 => of_scalars >= Size::from_env().pick(5, 0),
                _ => false,
            };
            if !tried {
                continue;
            }
            let found = traces::<G>(points, scalars, options, slices);
            let first = first.get_or_insert_with(|| found.clone());
            let symbols = |all: &[(String, u32, u64)]| {
                all.iter().map(|(symbol, grid, _)| (symbol.clone(), *grid)).collect::<Vec<_>>()
            };
            assert_eq!(symbols(&found), symbols(first), "scalars {of_scalars}, bases {of_bases}");
            let other = found.iter().zip(first.iter()).find(|(found, first)| found != first);
            assert_eq!(other, None, "scalars {of_scalars}, bases {of_bases}, {options:?}");
        }
    }
    let launches = first.unwrap_or_default();
    launches.into_iter().map(|(symbol, ..)| symbol).collect()
}

/// How often a kernel was launched.
fn count(symbols: &[String], end: &str) -> usize {
    symbols.iter().filter(|symbol| symbol.ends_with(end)).count()
}

#[test]
fn every_kernel_does_the_same_for_all_scalars_and_bases() {
    type G = bn254::G1;
    // Windows with buckets of their own: a pass of the sort, and runs of sums that the device combines.
    let symbols = check_traces::<G>(40, &constant().window(4), None);
    let counts = |symbols: &[String]| {
        [
            "fr_digits_regular",
            "radix_scatter",
            "constant_slice_sums",
            "constant_partial_sums",
            "bit_sums",
            "bit_horner",
        ]
        .map(|end| count(symbols, end))
    };
    assert_eq!(counts(&symbols), [1, 0, 1, 2, 1, 1], "{symbols:?}");
    for end in ["bucket_starts", "g1_accumulate", "merge_partials", "g1_bit_sums", "g1_bit_horner"] {
        assert_eq!(count(&symbols, end), 0, "{end}");
    }
    // One set of buckets and two passes, and shorter slices.
    let symbols = check_traces::<G>(33, &constant().window(10).multiples(300), Some(3));
    assert_eq!(counts(&symbols), [1, 1, 1, 3, 2, 0], "{symbols:?}");
}

#[test]
fn every_kernel_does_the_same_in_other_groups() {
    check_traces::<bn254::G2>(9, &constant().window(3).multiples(40), Some(4));
    check_traces::<bls12_381::G1>(9, &constant().window(4).multiples(40), Some(4));
    check_traces::<toy_curve::G1>(70, &constant().window(5), Some(2));
    check_traces::<toy_curve::G2>(20, &constant().window(3), Some(2));
    check_traces::<toy_edwards::G1>(40, &constant().window(3), Some(2));
}

/// Of counts that several blocks scan, and buckets of many windows.
#[test]
fn every_kernel_does_the_same_with_many_buckets() {
    type G = bn254::G1;
    let n = 5;
    let points = Terms::<G>::new(n, 3).points;
    let options = constant().window(9);
    let all: Vec<_> = [vec![ScalarOf::<G>::ZERO; n], scalars::<G>(n, 7)]
        .iter()
        .map(|scalars| traces::<G>(&points, scalars, &options, None))
        .collect();
    assert_eq!(all[0], all[1]);
    assert!(all[0].iter().any(|(symbol, ..)| symbol.ends_with("scan_add")), "{:?}", all[0]);
}

fn check_sums<G: Group>(device: &Device, n: usize, options: &MsmOptions) {
    let points = Terms::<G>::new(n, 1).points;
    let plan = Msm::<G>::new(device, &points, options.clone()).unwrap();
    let minus_one = vec![-ScalarOf::<G>::ONE; n];
    for scalars in [scalars::<G>(n, 2), minus_one, vec![ScalarOf::<G>::ZERO; n]] {
        assert_eq!(plan.run(&scalars).unwrap(), sum::<G>(&points, &scalars), "{} {n} {options:?}", G::NAME);
    }
}

#[test]
fn sums_are_the_same() {
    let device = device();
    for n in [0, 1, 2, 31, 33] {
        check_sums::<bn254::G1>(&device, n, &constant());
        check_sums::<toy_curve::G1>(&device, n, &constant());
        check_sums::<toy_edwards::G1>(&device, n, &constant().multiples(2));
    }
    // A long run takes all of them.
    let some = [2, 3, 5, 7, 8, 9, 12, 17];
    for window in (2..=17).filter(|window| Size::from_env().pick(some.contains(window), true)) {
        check_sums::<toy_curve::G1>(&device, 6, &constant().window(window));
        if window <= 8 {
            check_sums::<bn254::G1>(&device, 2, &constant().window(window));
            check_sums::<bls12_381::G1>(&device, 2, &constant().window(window).multiples(9));
        }
    }
    check_sums::<bn254::G2>(&device, 7, &constant());
    check_sums::<bls12_381::G2>(&device, 3, &constant().window(3).multiples(100));
    check_sums::<toy_curve::G2>(&device, 50, &constant().multiples_that_fit());
}

/// Parts of the scalars, and of the entries: buckets are added to buckets.
#[test]
fn parts_are_added_up() {
    type G = toy_curve::G1;
    check_sums::<G>(&in_parts(&racecheck(5), 3), 40, &constant());
    let emulator = racecheck(6);
    let mut policy = Policy::for_device(emulator.properties());
    (policy.msm.max_entries, policy.msm.entries_per_slice, policy.msm.least_slice) = (60, 2, 1);
    check_sums::<G>(&Device::on_emulator(emulator, Some(policy)), 40, &constant().window(2));
}

#[test]
fn other_calls_are_constant_too() {
    type G = toy_curve::G1;
    let device = device();
    let Terms { points, scalars: first } = Terms::<G>::new(30, 4);
    let plan = Msm::<G>::new(&device, &points, constant().window(3)).unwrap();
    let second = scalars::<G>(30, 9);
    let expected = [&first, &second].map(|scalars| sum::<G>(&points, scalars));
    assert_eq!(plan.run_batch(&[&first, &second]).unwrap(), expected);
    assert_eq!(plan.run_masked(&first, &mut StdRng::seed_from_u64(2)).unwrap(), expected[0]);
    assert_eq!(plan.run_range(3..11, &first[..8]).unwrap(), sum::<G>(&points[3..11], &first[..8]));
    let bytes: Vec<u8> = (0..30).map(|i| i * 8).collect();
    let as_field: Vec<_> = bytes.iter().map(|x| ScalarOf::<G>::from(*x)).collect();
    assert_eq!(plan.msm_u8(&bytes).unwrap(), sum::<G>(&points, &as_field));
    let short: Vec<_> = (0..30u64).map(|i| ScalarOf::<G>::from(i % 3).into_bigint()).collect();
    let as_field: Vec<_> = (0..30u64).map(|i| ScalarOf::<G>::from(i % 3)).collect();
    assert_eq!(plan.msm_bigint(&short).unwrap(), sum::<G>(&points, &as_field));

    let same = Msm::<G>::new(&device, &points, constant().window(3)).unwrap();
    assert_eq!(plan.run_with(&same, &first).unwrap(), (expected[0], expected[0]));
    let other = Msm::<G>::new(&device, &points, MsmOptions::default().window(3)).unwrap();
    for (plan, other) in [(&plan, &other), (&other, &plan)] {
        let refused = plan.run_with(other, &first).unwrap_err();
        assert!(matches!(refused, RuntimeError::Input { what: "options", .. }), "{refused}");
    }
    let sharded = ShardedMsm::<G>::new(&[device.clone(), device.clone()], &points, constant()).unwrap();
    assert_eq!(sharded.run(&second).unwrap(), expected[1]);
}

/// What integers are short says nothing.
#[test]
fn integers_of_all_lengths_have_one_trace() {
    type G = toy_curve::G1;
    let emulator = Emulator::new(EmulatorOptions::default().trace(true));
    let points = Terms::<G>::new(20, 4).points;
    let plan = Msm::<G>::new(&on(&emulator), &points, constant().window(2)).unwrap();
    let mut found = vec![];
    for most in [1u64, 2, 90] {
        let scalars: Vec<_> = (0..20).map(|i| ScalarOf::<G>::from(i % most)).collect();
        let integers: Vec<_> = scalars.iter().map(|scalar| scalar.into_bigint()).collect();
        emulator.clear_launches();
        assert_eq!(plan.msm_bigint(&integers).unwrap(), sum::<G>(&points, &scalars));
        found.push(launches(&emulator));
    }
    assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "{found:?}");
}

#[test]
fn bases_that_are_there_serve() {
    type G = toy_curve::G1;
    let device = on(&emulator());
    let Terms { points, scalars } = Terms::<G>::new(20, 4);
    let expected = sum::<G>(&points, &scalars);
    let plain = Arc::new(DeviceBases::<G>::upload(&device, &points).unwrap());
    let plan = Msm::with_bases(plain, constant()).unwrap();
    assert_eq!(plan.run(&scalars).unwrap(), expected);
    // Multiples are for digits of one kind.
    let kept = Msm::<G>::new(&device, &points, constant().window(2).multiples(3)).unwrap();
    let shared = Msm::with_bases(kept.bases().clone(), MsmOptions::default()).unwrap();
    assert_eq!(shared.run(&scalars).unwrap(), expected);
    let twin = Msm::with_bases(kept.bases().clone(), constant()).unwrap();
    assert_eq!(twin.run_with(&shared, &scalars).unwrap(), (expected, expected));
    let others = Msm::<G>::new(&device, &points, MsmOptions::default().window(2).multiples(3)).unwrap();
    let refused = Msm::with_bases(others.bases().clone(), constant()).unwrap_err();
    assert!(matches!(refused, RuntimeError::Input { what: "constant work", .. }), "{refused}");
}

#[test]
fn what_cannot_be_constant_is_refused() {
    type G = toy_curve::G1;
    let device = on(&emulator());
    let points = Terms::<G>::new(5, 1).points;
    let refused = [
        Msm::<G>::new(&Device::cpu(), &points, constant()).unwrap_err(),
        Msm::<G>::new(&device, &points, constant().stored_doublings(1)).unwrap_err(),
        StreamedMsm::<G>::new(&device, points.clone(), constant()).unwrap_err(),
        Msm::<toy_form::G1>::new(&device, &[], constant()).unwrap_err(),
        Msm::<bls12_381::G2>::new(&device, &[], constant().strategy(MsmStrategy::BatchedAffine)).unwrap_err(),
    ];
    for error in refused {
        assert!(matches!(error, RuntimeError::Input { what: "constant work", .. }), "{error}");
    }
    let form = Msm::<G>::new(&device, &points, constant().form(CurveForm::Edwards)).unwrap_err();
    assert!(matches!(form, RuntimeError::Input { what: "form", .. }), "{form}");
    let wide = Msm::<G>::new(&device, &points, constant().window(18)).unwrap_err();
    assert!(matches!(wide, RuntimeError::Input { what: "window", .. }), "{wide}");
}
