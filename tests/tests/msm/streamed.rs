//! Bases that stay on the host.

use super::{Terms, device, emulator, on, racecheck, streams};
use curvesmith_curves::toy::{toy_curve, toy_edwards};
use curvesmith_curves::{bn254, mnt4_298};
use curvesmith_emulator::Emulator;
use curvesmith_runtime::group::Group;
use curvesmith_runtime::{Detail, Device, MsmOptions, MsmStrategy, RuntimeError, StreamedMsm};
use curvesmith_tests::Size;
use std::sync::Arc;

/// The least budget, and what parts of one term take.
fn least<G: Group>(device: &Device, terms: &Terms<G>, options: &MsmOptions) -> u64 {
    let error = StreamedMsm::<G>::new(device, &terms.points[..], options.clone().memory(1)).unwrap_err();
    match error {
        RuntimeError::InsufficientMemory { needed, available: 1, .. } => needed,
        other => panic!("{other}"),
    }
}

/// Budgets from the least one on: sums are right, and no more memory is taken.
pub(super) fn within_budgets<G: Group>(emulator: &Emulator, n: usize, options: &MsmOptions) {
    let device = on(emulator);
    let terms = Terms::<G>::new(n, 1);
    let (bases, expected): (Arc<[_]>, _) = (terms.points.as_slice().into(), terms.sum());
    let least = least(&device, &terms, options);
    let below = StreamedMsm::<G>::new(&device, Arc::clone(&bases), options.clone().memory(least - 1));
    assert!(matches!(below, Err(RuntimeError::InsufficientMemory { .. })), "{below:?}");
    let mut found = vec![];
    for &percent in Size::from_env().pick(&[100, 300, 1000][..], &[100, 110, 150, 300, 1000]) {
        let budget = least * percent / 100;
        let plan =
            StreamedMsm::<G>::new(&device, Arc::clone(&bases), options.clone().memory(budget)).unwrap();
        // Loads the kernels.
        assert_eq!(plan.run(&terms.scalars).unwrap(), expected, "{plan:?}");
        device.release_unused();
        let resident = emulator.memory_in_use();
        emulator.forget_peak_memory();
        assert_eq!(plan.run(&terms.scalars).unwrap(), expected, "{plan:?}");
        let peak = emulator.peak_memory() - resident;
        assert!(peak <= budget, "{plan:?}: {peak} of {budget} bytes");
        // The budget is used.
        assert!(peak >= budget / 4 || plan.parts() == 1, "{plan:?}: {peak} of {budget} bytes");
        found.push(plan.parts());
    }
    assert!(found[0] > 2 && found.is_sorted_by(|a, b| a >= b), "{found:?} parts");
}

#[test]
fn budgets_are_kept() {
    within_budgets::<toy_curve::G1>(&emulator(), 600, &MsmOptions::default().window(4));
    within_budgets::<toy_curve::G2>(&emulator(), 400, &MsmOptions::default());
    within_budgets::<toy_edwards::G1>(&emulator(), 300, &MsmOptions::default().window(9));
    within_budgets::<bn254::G1>(&emulator(), Size::from_env().pick(20, 40), &MsmOptions::default());
}

#[test]
fn budgets_are_kept_by_rows() {
    let rows = MsmOptions::default().strategy(MsmStrategy::RowBalanced);
    within_budgets::<toy_curve::G1>(&emulator(), 600, &rows.clone().window(4));
    within_budgets::<bn254::G1>(&emulator(), Size::from_env().pick(30, 100), &rows);
}

#[test]
fn budgets_are_kept_by_sums_of_pairs() {
    let pairs = MsmOptions::default().strategy(MsmStrategy::BatchedAffine);
    within_budgets::<mnt4_298::G2>(&emulator(), Size::from_env().pick(8, 20), &pairs.window(2));
}

#[test]
fn parts_are_copied_beside_the_work() {
    for seed in 0..4 {
        let device = if seed == 0 { device() } else { on(&racecheck(seed)) };
        for n in [1, 2, 100, 101] {
            let terms = Terms::<toy_curve::G1>::new(n, seed);
            let options = MsmOptions::default().window(3);
            let budget = least(&device, &terms, &options) * 11 / 10;
            let plan = StreamedMsm::<toy_curve::G1>::new(&device, &terms.points[..], options.memory(budget))
                .unwrap();
            let (sum, report) = plan.run_with_report(&terms.scalars, Detail::Kernels).unwrap();
            assert_eq!(sum, terms.sum(), "{plan:?}");
            assert_eq!(plan.submit(terms.scalars.clone()).wait().unwrap(), terms.sum());
            let (copies, kernels) = streams(&report);
            assert!(kernels.len() == 1 && copies.difference(&kernels).count() == 1, "{copies:?} {kernels:?}");
        }
    }
}

#[test]
fn streamed_bases_as_plans() {
    type G = toy_curve::G1;
    for device in [device(), Device::cpu()] {
        let terms = Terms::<G>::new(50, 9);
        let plan = StreamedMsm::<G>::new(&device, terms.points.clone(), MsmOptions::default()).unwrap();
        assert_eq!((plan.parts(), plan.len(), plan.is_empty(), plan.bases().len()), (1, 50, false, 50));
        assert_eq!(plan.clone().run(&terms.scalars).unwrap(), terms.sum());
        let short = plan.run(&terms.scalars[1..]).unwrap_err();
        assert!(matches!(short, RuntimeError::Length { expected: 50, found: 49, .. }), "{short}");
        let none = StreamedMsm::<G>::new(&device, vec![], MsmOptions::default()).unwrap();
        assert_eq!((none.run(&[]).unwrap(), none.parts()), (Terms::<G>::new(0, 9).sum(), 0));
        for options in [MsmOptions::default().multiples(2), MsmOptions::default().multiples_that_fit()] {
            let error = StreamedMsm::<G>::new(&device, vec![], options).unwrap_err();
            assert!(matches!(error, RuntimeError::Input { what: "options", .. }), "{error}");
        }
        let error = StreamedMsm::<G>::new(&device, vec![], MsmOptions::default().window(18)).unwrap_err();
        assert!(matches!(error, RuntimeError::Input { what: "window", .. }), "{error}");
    }
}

/// Scalars are copied in pieces of 1024 elements of 16 bytes. Where the last part has some terms fewer than
/// the others, what stands behind its scalars is not what the piece before left there.
#[test]
fn a_short_last_part_ends_with_zeros() {
    type G = toy_curve::G1;
    let (device, n) = (device(), 3 * 1030 - 2);
    let terms = Terms::<G>::new(n, 5);
    let bases: Arc<[_]> = terms.points.as_slice().into();
    let options = MsmOptions::default().window(4);
    let least = least(&device, &terms, &options);
    let plan = |percent| {
        let options = options.clone().memory(least * percent / 100);
        StreamedMsm::<G>::new(&device, Arc::clone(&bases), options).unwrap()
    };
    let plan = (1..).map(|i| plan(100 + 10 * i)).find(|plan| plan.parts() <= 3).unwrap();
    assert_eq!(plan.parts(), 3);
    assert_eq!(plan.run(&terms.scalars).unwrap(), terms.sum());
}
