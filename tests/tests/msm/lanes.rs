//! Points on pairs of lanes: the same sums, for groups that have the kernel.

use super::{Terms, device, emulator, in_parts, launches, on, racecheck, sum};
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup as _, Field as _};
use curvesmith_curves::{bls12_377, bls12_381, bn254, jubjub, mnt4_298, mnt4_753, mnt6_298};
use curvesmith_runtime::group::{AffineOf, Group, ScalarOf};
use curvesmith_runtime::{Device, Msm, MsmOptions, MsmStrategy, PointLanes, RuntimeError, StreamedMsm};

fn on_pairs() -> MsmOptions {
    MsmOptions::default().lanes(PointLanes::Pair).strategy(MsmStrategy::EqualSlices)
}

fn refused<G: Group>(device: &Device) {
    let points = Terms::<G>::new(2, 1).points;
    let errors = [
        Msm::<G>::new(device, &points, on_pairs()).unwrap_err(),
        StreamedMsm::<G>::new(device, points, on_pairs()).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, RuntimeError::Input { what: "lanes", .. }), "{error}");
    }
}

#[test]
fn pairs_of_lanes_that_a_group_has_not() {
    for device in [on(&emulator()), Device::cpu()] {
        refused::<bn254::G1>(&device);
        refused::<bn254::G2>(&device);
        refused::<jubjub::G1>(&device);
        refused::<mnt6_298::G2>(&device);
    }
}

#[test]
fn lanes_are_followed() {
    let emulator = emulator();
    let device = on(&emulator);
    let Terms { points, scalars } = Terms::<mnt4_298::G2>::new(60, 2);
    let expected = sum::<mnt4_298::G2>(&points, &scalars);
    let kernels = |options: MsmOptions| {
        let plan = Msm::<mnt4_298::G2>::new(&device, &points, options.window(4)).unwrap();
        emulator.clear_launches();
        assert_eq!(plan.run(&scalars).unwrap(), expected);
        ["_accumulate", "_accumulate_lanes"].map(|name| launches(&emulator, name))
    };
    assert_eq!(kernels(MsmOptions::default()), [0, 1]);
    assert_eq!(kernels(MsmOptions::default().lanes(PointLanes::Single)), [1, 0]);
    assert_eq!(kernels(on_pairs()), [0, 1]);
}

/// Random and repeated terms on every kind of device: windows with many entries a bucket and with few, so
/// that pairs leave their loops at different times.
fn sums<G: Group>(device: &Device, n: usize, windows: &[u32]) {
    let terms = Terms::<G>::new(n, n as u64);
    for window in windows {
        let plan = Msm::<G>::new(device, &terms.points, on_pairs().window(*window)).unwrap();
        assert_eq!(plan.run(&terms.scalars).unwrap(), terms.sum(), "{} in windows of {window}", G::NAME);
    }
}

/// Identities alone, equal and opposite bases alone, and sums that are the identity.
fn special<G: Group>(device: &Device) {
    let (g, one) = (AffineOf::<G>::generator(), ScalarOf::<G>::ONE);
    let (minus, zero) = ((-g.into_group()).into(), AffineOf::<G>::zero());
    for points in
        [vec![zero; 5], vec![g; 5], vec![g, minus], vec![minus, zero, g, g, minus], vec![zero, g], vec![g]]
    {
        let plan = Msm::<G>::new(device, &points, on_pairs()).unwrap();
        for scalar in [one, -one, ScalarOf::<G>::ZERO] {
            let scalars = vec![scalar; points.len()];
            assert_eq!(plan.run(&scalars).unwrap(), sum::<G>(&points, &scalars), "{points:?} {scalar}");
        }
    }
}

/// 10, 12 and 24 words; nonresidues -1, -5, 13 and 17.
#[test]
fn sums_on_pairs_of_lanes() {
    let device = device();
    sums::<mnt4_298::G2>(&device, 70, &[2, 7]);
    sums::<bls12_381::G2>(&device, 30, &[4]);
    sums::<bls12_377::G2>(&device, 30, &[4]);
    sums::<mnt4_753::G2>(&device, 12, &[6]);
    sums::<bls12_377::G2>(&on(&racecheck(7)), 40, &[4]);
}

#[test]
fn special_bases_on_pairs_of_lanes() {
    for device in [device(), Device::cpu()] {
        special::<bls12_381::G2>(&device);
        special::<mnt4_298::G2>(&device);
    }
}

#[test]
fn parts_and_multiples_on_pairs_of_lanes() {
    let Terms { points, scalars } = Terms::<mnt4_298::G2>::new(40, 5);
    let expected = sum::<mnt4_298::G2>(&points, &scalars);
    let device = in_parts(&emulator(), 3);
    let plan = Msm::<mnt4_298::G2>::new(&device, &points, on_pairs().multiples(3)).unwrap();
    assert_eq!(plan.run(&scalars).unwrap(), expected);
    let streamed = StreamedMsm::<mnt4_298::G2>::new(&device, points, on_pairs()).unwrap();
    assert_eq!(streamed.run(&scalars).unwrap(), expected);
}
