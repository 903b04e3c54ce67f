//! What does not fit is refused with numbers, before anything runs.

use super::{Terms, emulator, in_parts, on};
use curvesmith_abi::padded_words;
use curvesmith_curves::bn254;
use curvesmith_curves::toy::{toy_curve, toy_form};
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::Group;
use curvesmith_runtime::{CurveForm, Device, DeviceVec, Msm, MsmOptions, RuntimeError};
use curvesmith_tests::Size;

fn needed(error: &RuntimeError) -> (u64, u64) {
    match error {
        RuntimeError::InsufficientMemory { needed, available, .. } => (*needed, *available),
        other => panic!("{other}"),
    }
}

/// What a call is said to take at least is no more than it takes, and not much less.
pub(super) fn estimate<G: Group>(device: &Device, emulator: &Emulator, n: usize, options: &MsmOptions) {
    let terms = Terms::<G>::new(n, 1);
    let plan = Msm::<G>::new(device, &terms.points, options.clone()).unwrap();
    // Loads the kernels.
    plan.run(&terms.scalars).unwrap();
    device.release_unused();
    let resident = emulator.memory_in_use();
    emulator.forget_peak_memory();
    assert_eq!(plan.run(&terms.scalars).unwrap(), terms.sum());
    let peak = emulator.peak_memory() - resident;
    device.release_unused();
    let least = {
        let plan = Msm::<G>::new(device, &terms.points, options.clone().memory(1)).unwrap();
        emulator.clear_launches();
        let error = plan.run(&terms.scalars).unwrap_err();
        assert!(emulator.launches().is_empty());
        let (least, available) = needed(&error);
        assert_eq!(available, 1);
        // Batches are not cut into parts.
        let whole = needed(&plan.run_batch(&[&terms.scalars]).unwrap_err()).0;
        assert!(whole >= least);
        // Scalars that are there need no room.
        let resident = DeviceVec::upload(device, &terms.scalars).unwrap();
        let resident = needed(&plan.run_resident(&resident).unwrap_err()).0;
        let scalars = 4 * padded_words(<G::Scalar as Field>::WORDS) * n;
        assert!(resident + scalars as u64 <= whole, "{resident} and {whole} bytes");
        least
    };
    assert!(least <= peak && peak <= 4 * least, "{n} of {}: {least} of {peak} bytes", G::NAME);
    let enough = Msm::<G>::new(device, &terms.points, options.clone().memory(least)).unwrap();
    assert_eq!(enough.run(&terms.scalars).unwrap(), terms.sum());
}

#[test]
fn estimates_are_close_below() {
    let emulator = emulator();
    let device = on(&emulator);
    for n in [100, 3000] {
        for window in [3, 8, 12] {
            let options = MsmOptions::default().window(window);
            estimate::<toy_curve::G1>(&device, &emulator, n, &options);
            estimate::<toy_curve::G1>(&device, &emulator, n, &options.clone().multiples(3));
            estimate::<toy_curve::G1>(&device, &emulator, n, &options.clone().stored_doublings(20));
            estimate::<toy_form::G1>(&device, &emulator, n, &options.form(CurveForm::Edwards));
        }
    }
    estimate::<bn254::G1>(&device, &emulator, 300, &MsmOptions::default());
    estimate::<toy_curve::G1>(&in_parts(&emulator, 3), &emulator, 3000, &MsmOptions::default());
}

#[test]
fn little_memory_is_refused_before_launching() {
    type G = bn254::G1;
    let terms = Terms::<G>::new(300, 2);
    let options = MsmOptions::default().window(10);
    let (mut refused, mut done) = (0, 0);
    for memory in (6..=40).step_by(Size::from_env().pick(3, 1)).map(|i| i << 16) {
        let emulator = Emulator::new(EmulatorOptions::default().memory(memory));
        let device = on(&emulator);
        let plan = Msm::<G>::new(&device, &terms.points, options.clone()).unwrap();
        emulator.clear_launches();
        match plan.run(&terms.scalars) {
            Ok(sum) => {
                assert_eq!(sum, terms.sum());
                done += 1;
            }
            Err(error @ RuntimeError::InsufficientMemory { .. }) => {
                let (needed, available) = needed(&error);
                assert!(available < needed && available <= memory, "{error}");
                assert!(emulator.launches().is_empty());
                assert_eq!(done, 0, "{memory} bytes are too few, less were enough");
                refused += 1;
            }
            // What is needed at least may not be enough.
            Err(error) => assert!(matches!(error, RuntimeError::OutOfMemory { .. }), "{error}"),
        }
    }
    assert!(refused > 2 && done > 2, "{refused} refused, {done} done");
}

#[test]
fn bases_that_do_not_fit_are_refused() {
    let points = Terms::<toy_curve::G1>::new(3000, 3).points;
    let emulator = Emulator::new(EmulatorOptions::default().memory(22_500));
    let device = on(&emulator);
    let options = MsmOptions::default();
    for options in [options.clone(), options.clone().multiples(4), options.clone().stored_doublings(3)] {
        let error = Msm::<toy_curve::G1>::new(&device, &points, options).unwrap_err();
        assert!(matches!(error, RuntimeError::InsufficientMemory { what: "bases", .. }), "{error}");
        let (needed, available) = needed(&error);
        assert!(needed > available && needed >= 3000 * 8, "{error}");
    }
    assert!(emulator.launches().is_empty());
    assert!(Msm::<toy_curve::G1>::new(&device, &points[..1000], MsmOptions::default()).is_ok());
}
