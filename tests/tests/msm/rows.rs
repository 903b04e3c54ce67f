//! Sums by balanced rows: of rows that are whole, cut, and empty, by every call.

use super::{Terms, device, emulator, in_parts, launches, on, racecheck, scalars, sum};
use ark_ff::{AdditiveGroup, Field as _};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith_curves::toy::{toy_curve, toy_edwards, toy_form};
use curvesmith_curves::{bls12_381, bn254};
use curvesmith_device::KernelDevice;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::{AffineOf, Group, ScalarOf};
use curvesmith_runtime::policy::Policy;
use curvesmith_runtime::{CurveForm, Detail, Device, Msm, MsmOptions, MsmStrategy};
use curvesmith_tests::Size;

fn by_rows() -> MsmOptions {
    MsmOptions::default().strategy(MsmStrategy::RowBalanced)
}

/// How many of the [`kinds`] are tried where not all are, but in a long run: the first.
fn some_kinds(some: usize) -> usize {
    Size::from_env().pick(some, usize::MAX)
}

/// Scalars as circuits have them, and worse ones.
fn kinds<G: Group>(n: usize) -> Vec<(&'static str, Vec<ScalarOf<G>>)> {
    let random = scalars::<G>(n, 1);
    let mut rng = StdRng::seed_from_u64(2);
    let [zero, one] = [ScalarOf::<G>::ZERO, ScalarOf::<G>::ONE];
    let mut of = |scalar: &mut dyn FnMut(&mut StdRng, usize) -> ScalarOf<G>| -> Vec<_> {
        (0..n).map(|i| scalar(&mut rng, i)).collect()
    };
    vec![
        ("all equal", of(&mut |_, _| random[n - 1])),
        ("few values", of(&mut |rng, _| random[rng.gen_range(0..n.min(5))])),
        ("half zeros", of(&mut |rng, i| if rng.r#gen() { zero } else { random[i] })),
        ("zeros and ones", of(&mut |rng, _| if rng.r#gen() { zero } else { one })),
        ("one huge bucket", of(&mut |rng, i| if rng.gen_range(0..20) == 0 { random[i] } else { one })),
        ("64 bits", of(&mut |rng, _| rng.r#gen::<u64>().into())),
        ("r - 1", of(&mut |_, _| -one)),
        ("zeros", of(&mut |_, _| zero)),
        ("random", random),
    ]
}

/// Points that are random first; all equal, and each beside its negative.
fn bases<G: Group>(n: usize) -> Vec<(&'static str, Vec<AffineOf<G>>)> {
    let random = Terms::<G>::new(n, 3).points;
    let opposite = (0..n).map(|i| if i % 2 == 0 { random[i] } else { -random[i - 1] }).collect();
    let equal = vec![random[0]; n];
    vec![("random points", random), ("opposite points", opposite), ("equal points", equal)]
}

/// All scalars for random points, some for the others.
fn sums<G: Group>(device: &Device, n: usize, options: &MsmOptions) {
    for (at, (of, points)) in bases::<G>(n).into_iter().enumerate() {
        let plan = Msm::<G>::new(device, &points, options.clone()).unwrap();
        let tried = if at == 0 { usize::MAX } else { some_kinds(4) };
        for (name, scalars) in kinds::<G>(n).into_iter().take(tried) {
            let expected = sum::<G>(&points, &scalars);
            assert_eq!(plan.run(&scalars).unwrap(), expected, "{}, {n} {of}, {name}, {options:?}", G::NAME);
        }
    }
}

/// Rows are cut from a few entries on, as on a device that wants many threads.
fn cutting(emulator: &Emulator) -> Device {
    let mut policy = Policy::for_device(emulator.properties());
    (policy.msm.entries_per_slice, policy.msm.least_slice) = (1, 1);
    Device::on_emulator(emulator.clone(), Some(policy))
}

#[test]
fn sums_of_rows_are_the_same() {
    for device in [device(), cutting(&emulator())] {
        for n in [1, 2, 33, 200] {
            sums::<toy_curve::G1>(&device, n, &by_rows().window(4));
        }
    }
    let device = cutting(&emulator());
    sums::<bn254::G1>(&device, 40, &by_rows().window(3));
    sums::<bn254::G1>(&device, 9, &by_rows());
    sums::<bn254::G1>(&device, 12, &by_rows().multiples(4));
}

#[test]
fn sums_of_rows_in_other_groups() {
    let device = cutting(&emulator());
    sums::<toy_edwards::G1>(&device, 40, &by_rows().window(3));
    sums::<toy_form::G1>(&device, 40, &by_rows().form(CurveForm::Edwards));
    sums::<bls12_381::G1>(&device, 9, &by_rows().window(4));
}

/// Every pair of conflicting accesses is ordered; in several parts, which share buckets.
#[test]
fn sums_of_rows_without_races() {
    for seed in 0..Size::from_env().pick(2, 3) {
        let emulator = racecheck(seed);
        sums::<toy_curve::G1>(&cutting(&emulator), 60, &by_rows().window(3));
        sums::<toy_curve::G1>(&in_parts(&emulator, 3), 60, &by_rows().stored_doublings(2));
    }
}

/// Rows of several tiles, some of thousands of entries, on a device that wants many threads: parts in several
/// blocks of a merge.
#[test]
fn many_rows_and_long_ones() {
    type G = toy_curve::G1;
    let options = EmulatorOptions::default().memcheck(false).multiprocessors(132);
    let device = on(&Emulator::new(options));
    let n = 40_000;
    let points: Vec<_> = Terms::<G>::new(64, 5).points.into_iter().cycle().take(n).collect();
    for (window, tried) in [(2, some_kinds(5)), (7, some_kinds(6)), (16, some_kinds(5))] {
        let plan = Msm::<G>::new(&device, &points, by_rows().window(window)).unwrap();
        for (name, scalars) in kinds::<G>(n).into_iter().take(tried) {
            assert_eq!(plan.run(&scalars).unwrap(), sum::<G>(&points, &scalars), "{name}, {window}");
        }
    }
    let points: Vec<_> = Terms::<bn254::G1>::new(64, 6).points.into_iter().cycle().take(700).collect();
    let plan = Msm::<bn254::G1>::new(&device, &points, by_rows().window(9)).unwrap();
    for (name, scalars) in kinds::<bn254::G1>(700).into_iter().take(some_kinds(5)) {
        assert_eq!(plan.run(&scalars).unwrap(), sum::<bn254::G1>(&points, &scalars), "{name}");
    }
}

/// The kernels of the strategy run, and no others.
#[test]
fn rows_are_followed() {
    type G = bn254::G1;
    let emulator = emulator();
    let device = on(&emulator);
    let Terms { points, scalars } = Terms::<G>::new(300, 7);
    let expected = sum::<G>(&points, &scalars);
    let ran = |options: MsmOptions| {
        let plan = Msm::<G>::new(&device, &points, options).unwrap();
        emulator.clear_launches();
        assert_eq!(plan.run(&scalars).unwrap(), expected);
        ["_accumulate", "_accumulate_rows", "row_counts", "row_order"].map(|name| launches(&emulator, name))
    };
    assert_eq!(ran(by_rows()), [0, 1, 1, 1]);
    assert_eq!(ran(MsmOptions::default().strategy(MsmStrategy::EqualSlices)), [1, 0, 0, 0]);
    // By itself a policy takes them from so many rows on, here 1024: 29 windows of 256 rows, but not 85 of 4.
    let mut policy = Policy::for_device(emulator.properties());
    policy.msm.row_waves = 4;
    let eager = Device::on_emulator(emulator.clone(), Some(policy));
    let by_itself = |window: u32| {
        let plan = Msm::<G>::new(&eager, &points, MsmOptions::default().window(window)).unwrap();
        emulator.clear_launches();
        assert_eq!(plan.run(&scalars).unwrap(), expected);
        launches(&emulator, "_accumulate_rows")
    };
    assert_eq!((by_itself(3), by_itself(9)), (0, 1));
    let cpu = Msm::<G>::new(&Device::cpu(), &points, by_rows()).unwrap();
    assert_eq!(cpu.run(&scalars).unwrap(), expected);
}

/// A later part of the scalars is added to the buckets that are there, where slices make buckets of their own
/// and add them to the others.
#[test]
fn parts_share_buckets() {
    type G = bn254::G1;
    let Terms { points, scalars } = Terms::<G>::new(300, 8);
    let expected = sum::<G>(&points, &scalars);
    let ran = |strategy: MsmStrategy| {
        let emulator = emulator();
        let device = in_parts(&emulator, 3);
        let options = MsmOptions::default().strategy(strategy).window(5);
        let plan = Msm::<G>::new(&device, &points, options).unwrap();
        assert_eq!(plan.run(&scalars).unwrap(), expected);
        emulator.clear_launches();
        let (found, report) = plan.run_with_report(&scalars, Detail::Counts).unwrap();
        assert_eq!(found, expected);
        let kernels = ["_accumulate", "_accumulate_rows", "_merge_partials"];
        (kernels.map(|name| launches(&emulator, name)), report.bytes_up)
    };
    // The scalars, and for slices the places of 51 windows' buckets.
    assert_eq!(ran(MsmStrategy::RowBalanced), ([0, 3, 3], 300 * 32));
    assert_eq!(ran(MsmStrategy::EqualSlices), ([3, 0, 3 + 2], 300 * 32 + 4 * (51 * 16 + 1)));
}
