//! The smallest curves of each family: their pairings are bilinear and not degenerate, for all pairs of
//! multiples.

use ark_ec::pairing::Pairing;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, PrimeField};
use curvesmith_field_dsl::curve;
use curvesmith_runtime::group::PairingCurve;

curve! {
    /// `p` = 37, `r` = 13; a loop of one step.
    pub(crate) mod toy_bls12_minus {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls12 { x = -2; };
    }
}
curve! {
    /// `p` = 7207, `r` = 601; a loop with an addition.
    pub(crate) mod toy_bls12 {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls12 { x = -5; };
    }
}
curve! {
    /// `p` = 103, `r` = 97.
    pub(crate) mod toy_bn {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bn { x = 1; };
    }
}
curve! {
    /// `p` = 19, `r` = 13.
    pub(crate) mod toy_bn_minus {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bn { x = -1; };
    }
}
curve! {
    /// The trace is -3.
    pub(crate) mod toy_mnt4 {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: mnt4 { p = 13; r = 17; a = 2; b = 4; fq2_nonresidue = 2; };
    }
}
curve! {
    /// The trace is 7.
    pub(crate) mod toy_mnt6 {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: mnt6 { p = 37; r = 31; a = 2; b = 8; fq3_nonresidue = 2; };
    }
}
curve! {
    /// The trace is -5.
    pub(crate) mod toy_mnt6_minus {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: mnt6 { p = 37; r = 43; a = 2; b = 9; fq3_nonresidue = 2; };
    }
}

fn is_a_pairing<C: PairingCurve>() {
    type Scalar<C> = <<C as PairingCurve>::Engine as Pairing>::ScalarField;
    type G1<C> = <<C as PairingCurve>::Engine as Pairing>::G1Affine;
    type G2<C> = <<C as PairingCurve>::Engine as Pairing>::G2Affine;
    let r = Scalar::<C>::MODULUS.as_ref()[0];
    let multiples = |k: u64| {
        let k = Scalar::<C>::from(k);
        ((G1::<C>::generator() * k).into_affine(), (G2::<C>::generator() * k).into_affine())
    };
    let points: Vec<_> = (0..r).map(multiples).collect();
    let of_generators = C::Engine::pairing(points[1].0, points[1].1).0;
    assert!(of_generators != Field::ONE, "{}: degenerate", C::NAME);
    let powers: Vec<_> = (0..r).map(|k| of_generators.pow([k])).collect();
    assert!(powers[r as usize - 1] * of_generators == Field::ONE);
    // Every multiple of both, all pairs where there are few. arkworks' MNT pairings have no value for the
    // identity.
    let step = if r < 100 { 1 } else { 97 };
    let first = u64::from(C::NAME.contains("mnt"));
    for a in first..r {
        for b in (first..r).filter(|b| (a + b) % step == 0) {
            let value = C::Engine::pairing(points[a as usize].0, points[b as usize].1);
            assert!(value.0 == powers[(a * b % r) as usize], "{}: {a}, {b}", C::NAME);
        }
    }
    // Five pairs: more than arkworks computes in one piece.
    let (p, q): (Vec<_>, Vec<_>) = points[1..].iter().step_by(2).take(5).copied().unzip();
    let sum: u64 = (0..5).map(|i| (2 * i + 1) * (2 * i + 1)).sum();
    assert!(C::Engine::multi_pairing(p, q).0 == of_generators.pow([sum]));
}

#[test]
fn all_toys_are_pairings() {
    is_a_pairing::<toy_bls12_minus::Curve>();
    is_a_pairing::<toy_bls12::Curve>();
    is_a_pairing::<toy_bn::Curve>();
    is_a_pairing::<toy_bn_minus::Curve>();
    is_a_pairing::<toy_mnt4::Curve>();
    is_a_pairing::<toy_mnt6::Curve>();
    is_a_pairing::<toy_mnt6_minus::Curve>();
}

/// arkworks' own loop, as no curve of its crates meets it: once it is right, curves need none of ours.
#[test]
fn ark_ec_still_loses_such_a_loop() {
    use ark_ec::bls12::{Bls12, Bls12Config, TwistType};
    type Ours = toy_bls12::EngineConfig;
    struct Plain;
    impl Bls12Config for Plain {
        const X: &'static [u64] = Ours::X;
        const X_IS_NEGATIVE: bool = Ours::X_IS_NEGATIVE;
        const TWIST_TYPE: TwistType = Ours::TWIST_TYPE;
        type Fp = toy_bls12::Fq;
        type Fp2Config = toy_bls12::Fq2Config;
        type Fp6Config = toy_bls12::Fq6Config;
        type Fp12Config = toy_bls12::Fq12Config;
        type G1Config = toy_bls12::G1Config;
        type G2Config = toy_bls12::G2Config;
    }
    let (p, q) = (toy_bls12::G1Affine::generator(), toy_bls12::G2Affine::generator());
    let value = |k: u64| Bls12::<Plain>::pairing(p * toy_bls12::Fr::from(1u64), q * toy_bls12::Fr::from(k)).0;
    assert!(value(2) != value(1) * value(1), "arkworks' loop is right: drop ours");
}
