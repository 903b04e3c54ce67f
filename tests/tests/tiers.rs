//! Sums and transforms of every tier of this processor: those of arkworks, and the same for whatever they are
//! of.
//!
//! A processor that has the scalar tier only compares that with arkworks, and says so.

use ark_ec::{AffineRepr as _, CurveGroup as _, PrimeGroup as _, VariableBaseMSM as _};
use ark_ff::{AdditiveGroup as _, FftField as _, Field as _, PrimeField, UniformRand as _, Zero as _};
use ark_poly::{EvaluationDomain as _, GeneralEvaluationDomain};
use ark_std::rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use curvesmith_curves::toy::{babybear, toy_curve, toy_edwards};
use curvesmith_curves::{
    bandersnatch, bls12_377, bls12_381, bn254, bw6_761, curve25519, grumpkin, jubjub, mnt4_298, mnt4_753,
    mnt6_298, secp256k1, secp256r1,
};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use curvesmith_runtime::host::{bases_of, digits, msm, ntt, ntt_tables_of};
use curvesmith_runtime::tier::Tier;
use curvesmith_runtime::vocabulary::Direction;
use curvesmith_tests::{KnownSum, Size};
use std::borrow::Cow;

/// The sum by a tier.
fn by<G: Group>(tier: Tier, points: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    let bases = bases_of::<G>(Cow::Borrowed(points), tier).unwrap();
    msm::<G>(&digits::<G::Scalar>(scalars).unwrap(), &bases, 0..points.len()).unwrap()
}

fn tiers() -> Vec<Tier> {
    let tiers: Vec<Tier> = Tier::available().collect();
    if tiers.len() == 1 {
        eprintln!("this processor has no vector instructions that are used: {tiers:?}");
    }
    tiers
}

/// Compares all tiers with arkworks.
fn agree<G: Group>(points: &[AffineOf<G>], scalars: &[ScalarOf<G>], what: &str) {
    let expected = ProjectiveOf::<G>::msm(points, scalars).unwrap();
    for tier in tiers() {
        let n = points.len();
        assert_eq!(by::<G>(tier, points, scalars), expected, "{} {tier}: {n} terms, {what}", G::NAME);
    }
}

/// Points of the group, and how they are chosen.
fn bases<G: Group>(n: usize, rng: &mut StdRng) -> Vec<(&'static str, Vec<AffineOf<G>>)> {
    let point = |scalar: ScalarOf<G>| (ProjectiveOf::<G>::generator() * scalar).into_affine();
    let some: Vec<AffineOf<G>> = (0..n.min(40)).map(|_| point(ScalarOf::<G>::rand(rng))).collect();
    let Some(&first) = some.first() else { return vec![("none", vec![])] };
    let step = some[some.len() - 1];
    let walk = std::iter::successors(Some(first.into_group()), |point| Some(*point + step));
    let mut mixed = ProjectiveOf::<G>::normalize_batch(&walk.take(n).collect::<Vec<_>>());
    let distinct = mixed.clone();
    // Identities, and points that are equal or opposite to others.
    for i in 0..n {
        match rng.gen_range(0..8) {
            0 => mixed[i] = AffineOf::<G>::zero(),
            1 => mixed[i] = mixed[rng.gen_range(0..n)],
            2 => mixed[i] = -mixed[rng.gen_range(0..n)],
            _ => {}
        }
    }
    vec![
        ("distinct points", distinct),
        ("mixed points", mixed),
        ("equal points", vec![first; n]),
        ("opposite points", (0..n).map(|i| if i % 2 == 0 { first } else { -first }).collect()),
        ("few points", (0..n).map(|_| some[rng.gen_range(0..some.len().min(3))]).collect()),
        ("identities", vec![AffineOf::<G>::zero(); n]),
    ]
}

/// Scalars, and how they are chosen.
fn scalars<F: PrimeField>(n: usize, rng: &mut StdRng) -> Vec<(&'static str, Vec<F>)> {
    let half = F::from(2u64).inverse().unwrap();
    let ends = [F::ZERO, F::ONE, -F::ONE, half, -half, half - F::ONE, F::from(2u64), -F::from(2u64)];
    let one = F::rand(rng);
    let few: Vec<F> = (0..32).map(|_| F::rand(rng)).collect();
    let bits = F::MODULUS_BIT_SIZE;
    let power = |i: usize| F::from(2u64).pow([i as u64 % u64::from(bits)]);
    vec![
        ("random", (0..n).map(|_| F::rand(rng)).collect()),
        ("one scalar", vec![one; n]),
        ("zeros", vec![F::ZERO; n]),
        ("ones", vec![F::ONE; n]),
        ("minus ones", vec![-F::ONE; n]),
        ("ends", (0..n).map(|i| ends[i % ends.len()]).collect()),
        ("32 scalars", (0..n).map(|_| few[rng.gen_range(0..32)]).collect()),
        ("powers of two, and one less", (0..n).map(|i| power(i / 2) - F::from((i % 2) as u64)).collect()),
        (
            "a witness",
            (0..n)
                .map(|_| match rng.gen_range(0..10) {
                    0..4 => F::ZERO,
                    4..8 => F::ONE,
                    8 => F::from(rng.gen_range(0..1u64 << 24)),
                    _ => F::rand(rng),
                })
                .collect(),
        ),
    ]
}

/// All choices of points with all choices of scalars; in a short run with a third of them, of real curves
/// with a sixth, other ones for each length.
fn everything<G: Group>(sizes: &[usize]) {
    for &n in sizes {
        let rng = &mut StdRng::seed_from_u64(n as u64);
        let scalars = scalars::<ScalarOf<G>>(n, rng);
        let short = if <G::Scalar as Field>::WORDS > 2 { 6 } else { 3 };
        let step = if n > 32 { Size::from_env().pick(short, 1) } else { 1 };
        for (i, (of_points, points)) in bases::<G>(n, rng).into_iter().enumerate() {
            for (of_scalars, scalars) in scalars.iter().skip((i + n) % step).step_by(step) {
                agree::<G>(&points, scalars, &format!("{of_points}, {of_scalars}"));
            }
        }
    }
}

/// Sizes around those of groups of lanes and of windows.
const SIZES: [usize; 13] = [0, 1, 2, 31, 33, 63, 64, 65, 127, 129, 255, 256, 511];

#[test]
fn a_toy_curve_where_most_sums_are_exceptions() {
    everything::<toy_curve::G1>(&SIZES);
    everything::<toy_curve::G1>(&[1025, 4097]);
}

#[test]
fn bn254() {
    everything::<bn254::G1>(Size::from_env().pick(&[33, 65, 255][..], &[2, 33, 64, 65, 129, 255]));
    everything::<bn254::G2>(&[1, 65]);
}

#[test]
fn bls12_381() {
    everything::<bls12_381::G1>(&[64, 130]);
    everything::<bls12_381::G2>(&[65]);
}

/// Curves with a term in `x`, of other degrees, and of one limb to fifteen.
#[test]
fn other_curves() {
    everything::<secp256k1::G1>(&[65]);
    everything::<secp256r1::G1>(&[65]);
    everything::<mnt4_298::G2>(&[65]);
    everything::<mnt6_298::G2>(&[65]);
    everything::<bls12_377::G1>(&[65]);
    if Size::from_env() == Size::Long {
        everything::<grumpkin::G1>(&[65]);
        everything::<mnt4_298::G1>(&[65]);
    }
}

/// Curves in Edwards form: their sums are those of their Weierstrass form.
#[test]
fn edwards_curves() {
    #[cfg(target_arch = "x86_64")]
    for tier in tiers().into_iter().filter(|tier| *tier != Tier::Scalar) {
        assert!(jubjub::G1::lanes(tier).is_some() && toy_edwards::G2::lanes(tier).is_some(), "{tier}");
    }
    everything::<toy_edwards::G1>(&SIZES);
    everything::<toy_edwards::G2>(&[65]);
    everything::<jubjub::G1>(&[65]);
    everything::<curve25519::G1>(&[64]);
    everything::<bandersnatch::G1>(&[66]);
}

/// So many terms that sums are in several blocks.
#[test]
fn many_terms() {
    fn known<G: Group>(n: usize) {
        let known = KnownSum::<G>::new(n);
        for tier in tiers() {
            assert_eq!(by::<G>(tier, &known.points, &known.scalars), known.sum, "{} {tier} {n}", G::NAME);
        }
    }
    let log = Size::from_env().pick(11, 14);
    known::<mnt4_753::G1>((1 << log) + 1);
    known::<bw6_761::G1>((1 << log) - 1);
    known::<bn254::G1>(1 << log);
}

/// Points of the whole curve and of orders that divide the cofactor, two among them: there a scalar is none
/// modulo the order of the subgroup, and the tiers agree with each other.
#[test]
fn points_outside_of_the_subgroup() {
    fn same<G: Group>(points: &[AffineOf<G>], rng: &mut StdRng) {
        let outside =
            points.iter().filter(|point| !point.mul_bigint(ScalarOf::<G>::characteristic()).is_zero());
        assert!(outside.count() > points.len() / 4, "{}", G::NAME);
        for (what, scalars) in scalars::<ScalarOf<G>>(points.len(), rng) {
            let expected = by::<G>(Tier::Scalar, points, &scalars);
            for tier in tiers() {
                assert_eq!(by::<G>(tier, points, &scalars), expected, "{} {tier}: {what}", G::NAME);
            }
        }
    }
    let rng = &mut StdRng::seed_from_u64(7);
    type Toy = AffineOf<toy_curve::G1>;
    let x = |x: u32| Toy::get_point_from_x_unchecked(x.into(), x.is_multiple_of(2));
    let all: Vec<Toy> = (0..1000).filter_map(x).collect();
    assert!(all.iter().any(|point| point.y.is_zero()));
    same::<toy_curve::G1>(&all, rng);
    let two: Vec<Toy> = all.iter().filter(|point| point.y.is_zero()).cycle().take(100).copied().collect();
    same::<toy_curve::G1>(&two, rng);
    type Large = AffineOf<bls12_377::G1>;
    let x = |x: u32| Large::get_point_from_x_unchecked(x.into(), x.is_multiple_of(2));
    let mut all: Vec<Large> = (0..100).filter_map(x).collect();
    let r = ScalarOf::<bls12_377::G1>::characteristic();
    all.extend(all.clone().iter().map(|point| point.mul_bigint(r).into_affine()));
    same::<bls12_377::G1>(&all, rng);
    // The law of these two has no exceptions: points of orders two and four are among them, (0, -1) too.
    type ToyEdwards = AffineOf<toy_edwards::G1>;
    let y = |y: u32| ToyEdwards::get_point_from_y_unchecked(y.into(), y.is_multiple_of(2));
    let all: Vec<ToyEdwards> = (0..1000).filter_map(y).collect();
    assert!(all.iter().any(|point| point.x.is_zero() && !point.is_zero()));
    same::<toy_edwards::G1>(&all, rng);
    let small = all.iter().filter(|point| point.mul_bigint([4u64]).is_zero());
    let small: Vec<ToyEdwards> = small.cycle().take(100).copied().collect();
    same::<toy_edwards::G1>(&small, rng);
    type Jubjub = AffineOf<jubjub::G1>;
    let y = |y: u32| Jubjub::get_point_from_y_unchecked(y.into(), y.is_multiple_of(2));
    let mut all: Vec<Jubjub> = (0..100).filter_map(y).collect();
    let r = ScalarOf::<jubjub::G1>::characteristic();
    all.extend(all.clone().iter().map(|point| point.mul_bigint(r).into_affine()));
    same::<jubjub::G1>(&all, rng);
}

/// Ranges of bases, with and without identities before them.
#[test]
fn ranges() {
    type G = bn254::G1;
    let rng = &mut StdRng::seed_from_u64(8);
    let n = 400;
    for (what, points) in bases::<G>(n, rng) {
        let all: Vec<ScalarOf<G>> = (0..n).map(|_| ScalarOf::<G>::rand(rng)).collect();
        for range in [0..0, 0..n, 1..n, 3..80, 200..n - 1, n..n] {
            let scalars = &all[..range.len()];
            let expected = ProjectiveOf::<G>::msm(&points[range.clone()], scalars).unwrap();
            for tier in tiers() {
                let bases = bases_of::<G>(Cow::Borrowed(&points), tier).unwrap();
                let found =
                    msm::<G>(&digits::<<G as Group>::Scalar>(scalars).unwrap(), &bases, range.clone());
                assert_eq!(found.unwrap(), expected, "{tier} {range:?} of {what}");
            }
        }
    }
}

/// Transforms of all sizes up to `2^most`, of two vectors at once, over the subgroup and a coset.
fn transforms<F: Field>(most: u32) {
    let rng = &mut StdRng::seed_from_u64(9);
    for log in 0..=most.min(F::Ark::TWO_ADICITY) {
        let n = 1 << log;
        let mut values: Vec<F::Ark> = (0..2 * n).map(|_| F::Ark::rand(rng)).collect();
        for (value, end) in
            values.iter_mut().step_by(3).zip([F::Ark::ZERO, F::Ark::ONE, -F::Ark::ONE].iter().cycle())
        {
            *value = *end;
        }
        let domain = GeneralEvaluationDomain::<F::Ark>::new(n).unwrap();
        for shift in [F::Ark::ONE, F::Ark::GENERATOR, -F::Ark::ONE] {
            let domain = domain.get_coset(shift).unwrap();
            let expected: Vec<F::Ark> = values.chunks(n).flat_map(|vector| domain.fft(vector)).collect();
            for tier in tiers() {
                let what = format!("{} {tier}: 2^{log} over {shift}", F::NAME);
                let tables = ntt_tables_of::<F>(n, domain.group_gen(), tier).unwrap();
                let mut found = values.clone();
                ntt::<F>(&*tables, &mut found, Direction::Forward, shift).unwrap();
                assert!(found == expected, "{what}");
                ntt::<F>(&*tables, &mut found, Direction::Inverse, shift).unwrap();
                assert!(found == values, "{what}, and back");
            }
        }
    }
}

#[test]
fn transforms_are_those_of_arkworks() {
    let most = Size::from_env().pick(11, 16);
    transforms::<bn254::FrField>(most);
    transforms::<bls12_381::FrField>(most);
    transforms::<mnt4_753::FrField>(most - 3);
    transforms::<bls12_377::FqField>(most - 3);
    transforms::<babybear::FpField>(most);
}
