//! Point kernels of real curves against arkworks.

use super::Machine;
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, One, PrimeField, UniformRand, Zero};
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use curvesmith_abi::kernels::{PointAdd, PointDbl, PointMadd};
use curvesmith_abi::{Form, Geometry, IDENTITY_WORD, Kernel, padded_words};
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::fir::interp::{Argument, from_words, to_words};
use curvesmith_runtime::group::Points;
use num_bigint::BigUint;

type Prime<P> = <<P as CurveGroup>::BaseField as Field>::BasePrimeField;

/// Conversions between arkworks' points and the device's words.
struct Curve<P> {
    group: GroupDesc,
    rng: StdRng,
    points: std::marker::PhantomData<P>,
}

impl<P: Points> Curve<P> {
    fn new(name: &str) -> Self {
        let base = FieldDesc::new(format!("{name}_fq"), Prime::<P>::MODULUS.into());
        let group = GroupDesc {
            name: name.into(),
            base,
            tower: tower::<P::BaseField>(),
            equation: match (P::FORM, P::COEFFICIENTS.map(|c| numbers(&c))) {
                (Form::Xyzz, [a, b]) => Equation::ShortWeierstrass { a, b },
                (Form::Extended, [a, d]) => Equation::TwistedEdwards { a, d },
                (Form::Niels, _) => unreachable!("no group is declared by its form"),
            },
        };
        Curve { group, rng: StdRng::seed_from_u64(10), points: std::marker::PhantomData }
    }

    fn coords(&self, coords: &[P::BaseField]) -> Vec<u32> {
        to_words(&self.group.base, &coords.iter().flat_map(numbers).collect::<Vec<_>>())
    }

    /// Of random representatives.
    fn points(&mut self, points: &[P::Affine]) -> Vec<u32> {
        let mut words = vec![];
        for p in points {
            let z = P::BaseField::rand(&mut self.rng);
            let (zz, zzz) = (z.square(), z.square() * z);
            let (zero, one) = (P::BaseField::zero(), P::BaseField::one());
            words.extend(match (P::FORM, p.xy()) {
                (Form::Xyzz, None) => self.coords(&[z, zz, zero, zero]),
                (Form::Xyzz, Some((x, y))) => self.coords(&[x * zz, y * zzz, zz, zzz]),
                (Form::Niels, _) => unreachable!("no group is declared by its form"),
                (Form::Extended, None) if zz > zzz => self.coords(&[zero; 4]),
                (Form::Extended, point) => {
                    let (x, y) = point.unwrap_or((zero, one));
                    self.coords(&[x * z, y * z, z, x * y * z])
                }
            });
        }
        words
    }

    fn affine(&self, points: &[P::Affine]) -> Vec<u32> {
        let len = 2 * self.group.degree() * padded_words(self.group.base.words);
        let words = |p: &P::Affine| match p.xy() {
            None => vec![IDENTITY_WORD; len],
            Some((x, y)) => self.coords(&[x, y]),
        };
        points.iter().flat_map(words).collect()
    }

    fn read(&self, words: &[u32]) -> Vec<P::Affine> {
        let numbers = from_words(&self.group.base, words);
        let degree = self.group.degree();
        let coords: Vec<P::BaseField> = numbers
            .chunks_exact(degree)
            .map(|c| {
                let parts = c.iter().map(|x| Prime::<P>::from(x.clone()));
                P::BaseField::from_base_prime_field_elems(parts).expect("as many parts as the degree")
            })
            .collect();
        let point = |c: &[P::BaseField]| {
            let inverse = |x: P::BaseField| x.inverse().expect("no denominator is zero");
            let (x, y) = match P::FORM {
                _ if c.iter().all(Zero::is_zero) => return P::Affine::zero(),
                Form::Xyzz if c[2].is_zero() => return P::Affine::zero(),
                Form::Xyzz => {
                    assert_eq!(c[2].square() * c[2], c[3].square(), "zz³ = zzz²");
                    (c[0] * inverse(c[2]), c[1] * inverse(c[3]))
                }
                Form::Niels => unreachable!("no group is declared by its form"),
                Form::Extended => {
                    assert_eq!(c[0] * c[1], c[2] * c[3], "x·y = z·t");
                    (c[0] * inverse(c[2]), c[1] * inverse(c[2]))
                }
            };
            let point = P::affine(x, y);
            assert!(P::is_on_curve(&point));
            point
        };
        coords.chunks_exact(4).map(point).collect()
    }
}

/// The levels of arkworks' field, by the powers of their variables.
fn tower<F: Field>() -> Tower {
    let degrees: &[usize] = match F::extension_degree() {
        1 => &[],
        2 => &[2],
        3 => &[3],
        4 => &[2, 2],
        other => panic!("no coordinates are of degree {other}"),
    };
    degrees.iter().fold(Tower::prime(), |tower, &degree| {
        let below = tower.degree();
        let mut variable = vec![F::BasePrimeField::zero(); F::extension_degree() as usize];
        variable[below] = F::BasePrimeField::one();
        let variable = F::from_base_prime_field_elems(variable).expect("as many parts as the degree");
        let (nonresidue, rest) = (numbers(&variable.pow([degree as u64])), below..);
        assert!(nonresidue[rest].iter().all(|c| *c == BigUint::ZERO));
        tower.extended(degree, nonresidue[..below].to_vec())
    })
}

fn numbers<F: Field>(x: &F) -> Vec<BigUint> {
    x.to_base_prime_field_elements().map(|x| x.into_bigint().into()).collect()
}

/// Identity, equal, opposite and unrelated points in all pairs, and random pairs; by cases and without
/// branches.
fn check<P: Points>(name: &str) {
    check_with::<P>(name, curvesmith_tests::Size::from_env().pick(10, 100));
}

fn check_with<P: Points>(name: &str, random: usize) {
    let machines = [Machine::group, Machine::constant];
    machines.into_iter().for_each(|machine| check_on::<P>(name, machine, random));
}

fn check_on<P: Points>(name: &str, machine: fn(&GroupDesc) -> Machine, random: usize) {
    let mut curve = Curve::<P>::new(name);
    let machine = machine(&curve.group);
    let g = P::generator();
    let other = P::rand(&mut curve.rng);
    let special = [P::zero(), g, -g, g + g, other, -other, other + g];
    let mut pairs: Vec<_> = special.iter().flat_map(|&p| special.map(|q| (p, q))).collect();
    let rng = &mut curve.rng;
    pairs.extend((0..random).map(|_| (P::rand(rng), P::rand(rng))));
    let affine = |points: Vec<P>| P::normalize_batch(&points);
    let left = affine(pairs.iter().map(|p| p.0).collect());
    let right = affine(pairs.iter().map(|p| p.1).collect());
    let sums = affine(pairs.iter().map(|(p, q)| *p + q).collect());
    let doubles = affine(pairs.iter().map(|(p, _)| *p + p).collect());
    let (a, b, b_affine) = (curve.points(&left), curve.points(&right), curve.affine(&right));
    let out = vec![0; a.len()];
    let n = pairs.len() as u32;

    let run = |desc: curvesmith_abi::KernelDesc, inputs: &[&[u32]]| {
        let mut args: Vec<Argument> = inputs.iter().map(|w| Argument::Buffer(w.to_vec())).collect();
        args.extend([Argument::Buffer(out.clone()), Argument::U32(n)]);
        machine.launch(&desc, n.div_ceil(desc.block), &mut args);
        let Argument::Buffer(words) = &args[inputs.len()] else { unreachable!("put there above") };
        curve.read(words)
    };
    assert_eq!(run(PointAdd::desc(&Geometry::PTX), &[&a, &b]), sums, "{name}: add");
    assert_eq!(run(PointMadd::desc(&Geometry::PTX), &[&a, &b_affine]), sums, "{name}: madd");
    assert_eq!(run(PointDbl::desc(&Geometry::PTX), &[&a]), doubles, "{name}: dbl");
}

#[test]
fn bn254_g1_is_arkworks() {
    check::<ark_bn254::G1Projective>("bn254_g1");
}

#[test]
fn bn254_g2_is_arkworks() {
    check::<ark_bn254::G2Projective>("bn254_g2");
}

#[test]
fn bls12_381_g1_is_arkworks() {
    check::<ark_bls12_381::G1Projective>("bls12_381_g1");
}

#[test]
fn bls12_381_g2_is_arkworks() {
    check::<ark_bls12_381::G2Projective>("bls12_381_g2");
}

/// No spare bit: 2^256 - p is 33 bits long.
#[test]
fn secp256k1_is_arkworks() {
    check::<ark_secp256k1::Projective>("secp256k1_g1");
}

#[test]
fn edwards_curves_are_arkworks() {
    use curvesmith_curves::{bandersnatch, curve25519, jubjub};
    check::<bandersnatch::G1Projective>("bandersnatch_g1");
    check::<curve25519::G1Projective>("curve25519_g1");
    check::<jubjub::G1Projective>("jubjub_g1");
}

/// One of each kind that is not above: over the prime field with `a` not zero, an odd number of words, and
/// 24; over cubic levels and two quadratic ones.
#[test]
fn curves_of_other_shapes_are_arkworks() {
    use curvesmith_curves::{bls24_315, bn462, bw6_761, mnt6_298, secp256r1};
    check_with::<secp256r1::G1Projective>("secp256r1_g1", 5);
    check_with::<bn462::G1Projective>("bn462_g1", 5);
    check_with::<bw6_761::G1Projective>("bw6_761_g1", 5);
    check_with::<mnt6_298::G2Projective>("mnt6_298_g2", 5);
    check_with::<bls24_315::G2Projective>("bls24_315_g2", 5);
}

/// The others.
#[cfg(feature = "long-tests")]
#[test]
fn all_other_curves_are_arkworks() {
    use curvesmith_curves::{
        bls12_377, bls24_315, bn462, bw6_761, grumpkin, mnt4_298, mnt4_753, mnt6_298, mnt6_753, pallas, vesta,
    };
    check::<bls12_377::G1Projective>("bls12_377_g1");
    check::<bls12_377::G2Projective>("bls12_377_g2");
    check::<bls24_315::G1Projective>("bls24_315_g1");
    check::<bn462::G2Projective>("bn462_g2");
    check::<bw6_761::G2Projective>("bw6_761_g2");
    check::<grumpkin::G1Projective>("grumpkin_g1");
    check::<mnt4_298::G1Projective>("mnt4_298_g1");
    check::<mnt4_298::G2Projective>("mnt4_298_g2");
    check_with::<mnt4_753::G1Projective>("mnt4_753_g1", 10);
    check_with::<mnt4_753::G2Projective>("mnt4_753_g2", 10);
    check::<mnt6_298::G1Projective>("mnt6_298_g1");
    check_with::<mnt6_753::G1Projective>("mnt6_753_g1", 10);
    check_with::<mnt6_753::G2Projective>("mnt6_753_g2", 10);
    check::<pallas::G1Projective>("pallas_g1");
    check::<vesta::G1Projective>("vesta_g1");
}
