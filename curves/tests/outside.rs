//! What a multi-scalar multiplication gives for points of the curve that are not in the group of order `r`.

use super::points;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, Field as _, Zero};
use curvesmith_curves::toy::{toy_curve, toy_edwards};
use curvesmith_runtime::group::{AffineOf, Group, Points as _, ProjectiveOf, ScalarOf};
use curvesmith_runtime::{Device, EmulatorOptions, Msm, MsmOptions};

fn emulator() -> Device {
    Device::emulator(EmulatorOptions::default().racecheck(true)).expect("the options are sound")
}

fn sum<G: Group>(device: &Device, bases: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    let plan = Msm::<G>::new(device, bases, MsmOptions::default()).expect("the bases fit");
    plan.run(scalars).expect("the device works")
}

/// Devices with kernels take scalars as integers below `r`; the CPU takes `-(r - s)` for `s` where that is
/// shorter, so that its sum differs by a multiple of `[r]P`, which the cofactor kills.
fn right_outside<G: Group>() {
    let bases: Vec<AffineOf<G>> = points::of::<G>().take(40).collect();
    assert!(bases.iter().all(ProjectiveOf::<G>::is_on_curve));
    assert!(!bases.iter().all(ProjectiveOf::<G>::is_in_subgroup));
    let scalars: Vec<ScalarOf<G>> = (0..40u64)
        .map(|i| if i % 2 == 0 { -ScalarOf::<G>::from(i + 1) } else { ScalarOf::<G>::from(i * i) })
        .collect();
    let expected: ProjectiveOf<G> = bases.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
    assert_eq!(sum::<G>(&emulator(), &bases, &scalars), expected, "{}", G::NAME);
    // Points of small order, and equal and opposite points among them.
    let torsion = bases[0] * -ScalarOf::<G>::from(1u64) + bases[0];
    let torsion = torsion.into_affine();
    let small = [torsion, -torsion, torsion, bases[0], bases[0]];
    let ones = [ScalarOf::<G>::from(1u64); 5];
    let expected: ProjectiveOf<G> = small.iter().sum();
    assert_eq!(sum::<G>(&emulator(), &small, &ones), expected, "{}", G::NAME);

    // One point of which the CPU takes -1 times, where kernels take r - 1 times.
    let outside = [*bases.iter().find(|p| !ProjectiveOf::<G>::is_in_subgroup(p)).expect("one is outside")];
    let minus_one = [-ScalarOf::<G>::from(1u64)];
    let (on_cpu, emulated) =
        (sum::<G>(&Device::cpu(), &outside, &minus_one), sum::<G>(&emulator(), &outside, &minus_one));
    assert_eq!(on_cpu, (-outside[0]).into_group());
    assert_ne!(on_cpu, emulated);
    let clear = |point: ProjectiveOf<G>| point.into_affine().mul_by_cofactor_to_group();
    assert_eq!(clear(on_cpu), clear(emulated));
}

#[test]
fn kernels_are_right_outside_of_the_group() {
    right_outside::<toy_curve::G1>();
    right_outside::<toy_curve::G2>();
    right_outside::<toy_edwards::G1>();
}

#[test]
#[cfg(feature = "jubjub")]
fn and_on_jubjub() {
    right_outside::<curvesmith_curves::jubjub::G1>();
}

/// Where the addition law is not complete, two points whose difference is at infinity have no sum: that is
/// why bases have to be in the group.
#[test]
fn an_incomplete_law_fails_outside_of_the_group() {
    type G = toy_edwards::G2;
    let [a, d] = ProjectiveOf::<G>::COEFFICIENTS;
    assert!(a.sqrt().is_none() && d.sqrt().is_none());
    let p = AffineOf::<G>::generator();
    let root = (a * d).sqrt().expect("a product of two that are no squares");
    let x = (root * p.x).inverse().expect("neither is zero");
    let y = a * p.x * x * p.y.inverse().expect("of odd order");
    let translate = ProjectiveOf::<G>::affine(x, y);
    assert!(ProjectiveOf::<G>::is_on_curve(&translate) && !ProjectiveOf::<G>::is_in_subgroup(&translate));
    assert_ne!(translate.into_group() + translate, AffineOf::<G>::zero());
    assert_eq!(translate.into_group() + translate, p.into_group() + p, "their difference has order 2");
    // They are not opposite, but that is what the law makes of them.
    let ones = [ScalarOf::<G>::from(1u64); 2];
    assert_ne!(translate, -p);
    assert_eq!(sum::<G>(&emulator(), &[p, translate], &ones), ProjectiveOf::<G>::ZERO);
    // arkworks' own sum is no point.
    let on_cpu = sum::<G>(&Device::cpu(), &[p, translate], &ones);
    assert!([on_cpu.x, on_cpu.y, on_cpu.z, on_cpu.t].iter().all(Zero::is_zero));
}
