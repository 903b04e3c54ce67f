//! Sums on the Edwards form of a curve: which plans have it, what it takes, and how it meets the declared
//! one.

use super::{Terms, device, emulator, in_parts, launches, on, racecheck, sum};
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup as _, Field as _};
use curvesmith_curves::toy::toy_form;
use curvesmith_curves::{bls12_377, bn254, jubjub};
use curvesmith_runtime::group::{AffineOf, Group, ScalarOf};
use curvesmith_runtime::{
    CurveForm, Device, DeviceBases, Msm, MsmOptions, RuntimeError, ShardedMsm, StreamedMsm,
};
use std::sync::Arc;

fn on_form() -> MsmOptions {
    MsmOptions::default().form(CurveForm::Edwards)
}

/// Bases take half as much memory again, and none of the declared curve's kernels runs.
#[test]
fn sums_on_the_form_have_kernels_and_bases_of_their_own() {
    let emulator = emulator();
    let device = in_parts(&emulator, 3);
    for multiples in [1, 3] {
        let Terms { points, scalars } = Terms::<bls12_377::G1>::new(14, 1);
        let bytes = |options: MsmOptions| {
            let plan = Msm::<bls12_377::G1>::new(&device, &points, options.multiples(multiples)).unwrap();
            emulator.clear_launches();
            assert_eq!(plan.run(&scalars).unwrap(), sum::<bls12_377::G1>(&points, &scalars));
            plan.bases().bytes()
        };
        let declared = bytes(MsmOptions::default());
        assert_eq!(launches(&emulator, "g1_edwards_accumulate"), 0);
        assert_eq!(bytes(on_form()), declared / 2 * 3);
        assert!(launches(&emulator, "g1_edwards_accumulate") > 0);
        assert_eq!(launches(&emulator, "g1_accumulate") + launches(&emulator, "g1_bit_sums"), 0);
    }
}

/// Identities alone, equal and opposite bases alone, and sums that are the identity.
fn special<G: Group>(device: &Device) {
    let (g, one) = (AffineOf::<G>::generator(), ScalarOf::<G>::ONE);
    let (minus, zero) = ((-g.into_group()).into(), AffineOf::<G>::zero());
    for points in
        [vec![zero; 5], vec![g; 5], vec![g, minus], vec![minus, zero, g, g, minus], vec![zero, g], vec![g]]
    {
        for multiples in [1, 4] {
            let plan = Msm::<G>::new(device, &points, on_form().multiples(multiples)).unwrap();
            for scalar in [one, -one, ScalarOf::<G>::ZERO] {
                let scalars = vec![scalar; points.len()];
                assert_eq!(plan.run(&scalars).unwrap(), sum::<G>(&points, &scalars), "{points:?} {scalar}");
            }
        }
    }
}

#[test]
fn special_bases_and_sums() {
    for device in [device(), on(&racecheck(5)), Device::cpu()] {
        special::<toy_form::G1>(&device);
    }
    special::<bls12_377::G1>(&device());
}

fn refused<G: Group>(device: &Device) {
    let points = Terms::<G>::new(2, 1).points;
    let bases = Arc::new(DeviceBases::<G>::upload(device, &points).unwrap());
    let errors = [
        Msm::<G>::new(device, &points, on_form()).unwrap_err(),
        Msm::<G>::with_bases(bases, on_form()).unwrap_err(),
        StreamedMsm::<G>::new(device, points.clone(), on_form()).unwrap_err(),
        DeviceBases::<G>::upload_in(device, &points, CurveForm::Edwards).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, RuntimeError::Input { what: "form", .. }), "{error}");
    }
}

#[test]
fn forms_that_a_group_is_not_declared_with() {
    for device in [device(), Device::cpu()] {
        refused::<bn254::G1>(&device);
        refused::<bls12_377::G2>(&device);
        refused::<jubjub::G1>(&device);
    }
}

#[test]
fn bases_keep_their_form() {
    type G = toy_form::G1;
    let Terms { points, scalars } = Terms::<G>::new(20, 2);
    let expected = sum::<G>(&points, &scalars);
    let device = device();
    let bases = |form| Arc::new(DeviceBases::<G>::upload_in(&device, &points, form).unwrap());
    let (declared, edwards) = (bases(CurveForm::Declared), bases(CurveForm::Edwards));
    assert_eq!((declared.form(), edwards.form()), (CurveForm::Declared, CurveForm::Edwards));
    let by = |bases: &Arc<DeviceBases<G>>, options| Msm::with_bases(Arc::clone(bases), options);
    for options in [MsmOptions::default(), on_form()] {
        assert_eq!(by(&edwards, options).unwrap().run(&scalars).unwrap(), expected);
    }
    let error = by(&declared, on_form()).unwrap_err();
    assert!(matches!(error, RuntimeError::Input { what: "form", .. }), "{error}");
    let on_cpu = DeviceBases::<G>::upload_in(&Device::cpu(), &points, CurveForm::Edwards).unwrap();
    assert_eq!(by(&Arc::new(on_cpu), on_form()).unwrap().run(&scalars).unwrap(), expected);

    // One sort for sums on both; several devices.
    let (on_declared, on_edwards) =
        (by(&declared, MsmOptions::default()).unwrap(), by(&edwards, on_form()).unwrap());
    assert_eq!(on_declared.run_with(&on_edwards, &scalars).unwrap(), (expected, expected));
    let both = [(&on_edwards, &scalars[..]), (&on_declared, &scalars[..])];
    assert_eq!(Msm::run_all(&both).unwrap(), [expected, expected]);
    let devices = [device.clone(), device.clone(), Device::cpu()];
    let sharded = ShardedMsm::<G>::new(&devices, &points, on_form()).unwrap();
    assert_eq!(sharded.run(&scalars).unwrap(), expected);
}

/// Their bases would be converted in every call.
#[test]
fn streamed_sums_have_no_form() {
    let Terms { points, .. } = Terms::<toy_form::G1>::new(4, 3);
    for device in [device(), Device::cpu()] {
        let streamed = StreamedMsm::<toy_form::G1>::new(&device, points.clone(), on_form()).unwrap_err();
        assert!(matches!(streamed, RuntimeError::Input { what: "form", .. }), "{streamed}");
    }
}

/// Room is asked for as much as the bases take in their form.
#[test]
fn bases_that_do_not_fit_are_refused_by_their_size_in_the_form() {
    use curvesmith_emulator::{Emulator, EmulatorOptions};
    type G = bls12_377::G1;
    let points = Terms::<G>::new(64, 4).points;
    // Of 96 bytes each, and 144 on the form.
    let device = on(&Emulator::new(EmulatorOptions::default().memory(64 * 120)));
    Msm::<G>::new(&device, &points, MsmOptions::default()).unwrap();
    let error = Msm::<G>::new(&device, &points, on_form()).unwrap_err();
    let RuntimeError::InsufficientMemory { needed, .. } = error else { panic!("{error}") };
    assert_eq!(needed, 64 * 144);
}
