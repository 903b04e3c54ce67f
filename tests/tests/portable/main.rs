//! The portable target against arkworks: the source that it emits is compiled here as it is committed.
//!
//! Both hold elements as limbs of 64 bits in Montgomery form with `R = 2^(64·limbs)`, so that words are compared.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(unexpected_cfgs, reason = "the derivation of a field asks for a feature of its own crate")]

mod source;

use ark_ff::{AdditiveGroup, BigInt, Field, Fp, MontBackend, MontConfig};
use curvesmith_tests::Random;

macro_rules! generated {
    ($($name:ident),*) => {$(
        #[rustfmt::skip]
        #[allow(clippy::all, unreachable_pub, missing_docs, reason = "generated")]
        mod $name {
            include!(concat!("generated/", stringify!($name), ".rs"));
        }
    )*};
}
generated!(bn254_fq, bls12_381_fq, secp256k1_fq, p279);

/// `2^279 - 69`: nine words, five limbs, and 41 bits to spare.
#[derive(MontConfig)]
#[modulus = "971334446112864535459730953411759453321203419526069760625906204869452142602604249019"]
#[generator = "2"]
struct P279;

type F<C, const N: usize> = Fp<MontBackend<C, N>, N>;

fn element<C: MontConfig<N>, const N: usize>(limbs: [u64; N]) -> F<C, N> {
    assert!(BigInt(limbs) < C::MODULUS, "{limbs:x?} is not canonical");
    F::new_unchecked(BigInt(limbs))
}

/// 0, 1, 2, their negatives, what has one limb that is not zero, and one that is drawn.
fn awkward<C: MontConfig<N>, const N: usize>(random: &mut Random) -> Vec<F<C, N>> {
    let one = F::<C, N>::ONE;
    let mut all = vec![F::ZERO, one, -one, one + one, -one - one, drawn(random)];
    all.extend((0..N).map(|k| element(std::array::from_fn(|i| u64::from(i == k)))));
    all
}

fn drawn<C: MontConfig<N>, const N: usize>(random: &mut Random) -> F<C, N> {
    (0..N).fold(F::ZERO, |all, _| all * F::from(u64::MAX) + F::from(random.word()))
}

/// Awkward operands crossed with each other, and drawn ones.
fn operands<C: MontConfig<N>, const N: usize, const I: usize>() -> Vec<[F<C, N>; I]> {
    let mut random = Random(279);
    let mut all = vec![];
    let some = awkward::<C, N>(&mut random);
    for x in 0..some.len().pow(I.min(4) as u32) {
        all.push(std::array::from_fn(|k| some[x / some.len().pow((k % 4) as u32) % some.len()]));
    }
    all.extend((0..500).map(|_| std::array::from_fn(|_| drawn(&mut random))));
    all
}

/// Compares a function with arkworks' arithmetic.
fn agree<C: MontConfig<N>, const N: usize, const I: usize>(
    what: &str,
    function: fn(&[[u64; N]; I]) -> [[u64; N]; 1],
    wanted: impl Fn([F<C, N>; I]) -> F<C, N>,
) {
    for x in operands::<C, N, I>() {
        let found = element::<C, N>(function(&x.map(|x| x.0.0))[0]);
        assert_eq!(found, wanted(x), "{what} of {x:?}");
    }
}

/// The mixed addition against the chord through two points, whatever curve they are on.
fn adds_points<C: MontConfig<N>, const N: usize>(madd: fn(&[[u64; N]; 6]) -> [[u64; N]; 4]) {
    for [x1, y1, x2, y2, z] in operands::<C, N, 5>() {
        if z == F::ZERO || x1 == x2 {
            continue;
        }
        let slope = (y2 - y1) / (x2 - x1);
        let x3 = slope.square() - x1 - x2;
        let y3 = slope * (x1 - x3) - y1;
        let (zz, zzz) = (z.square(), z.square() * z);
        let sum = madd(&[x1 * zz, y1 * zzz, zz, zzz, x2, y2].map(|x| x.0.0)).map(element::<C, N>);
        let [x, y, zz, zzz] = sum;
        assert_eq!((x, y), (x3 * zz, y3 * zzz), "({x1}, {y1}) with z = {z} and ({x2}, {y2})");
        assert_eq!(zz * zz * zz, zzz * zzz);
    }
}

macro_rules! against_arkworks {
    ($($name:ident: $config:ty;)*) => {$(
        mod $name {
            use super::super::$name::*;
            use super::super::{adds_points, agree};
            use ark_ff::{AdditiveGroup, Field};
            type C = $config;

            #[test]
            fn sums() {
                agree::<C, _, 2>("add", add, |[x, y]| x + y);
                agree::<C, _, 2>("sub", sub, |[x, y]| x - y);
                agree::<C, _, 1>("neg", neg, |[x]| -x);
                agree::<C, _, 1>("dbl", dbl, |[x]| x.double());
                agree::<C, _, 1>("mul_small", mul_small, |[x]| x * super::super::F::from(12u32));
            }

            #[test]
            fn products() {
                agree::<C, _, 2>("mul", mul, |[x, y]| x * y);
                agree::<C, _, 1>("sqr", sqr, |[x]| x.square());
                agree::<C, _, 1>("mul_const", mul_const, |[x]| x * super::super::F::from(7u32));
                agree::<C, _, 4>("dot", dot, |[a, b, c, d]| a * b + c * d);
                agree::<C, _, 4>("mixed", mixed, |[a, b, c, d]| {
                    (a + b + c) * (a - d.double()) - (c - d).square()
                });
            }

            #[test]
            fn tests_for_zero() {
                let zero = super::super::F::ZERO;
                agree::<C, _, 3>("if_zero", if_zero, |[x, a, b]| if x == zero { a } else { b });
                agree::<C, _, 4>("if_equal", if_equal, |[x, y, a, b]| if x == y { a } else { b });
            }

            #[test]
            fn mixed_addition() {
                adds_points::<C, _>(madd);
            }
        }
    )*};
}

mod arkworks {
    against_arkworks! {
        bn254_fq: ark_bn254::FqConfig;
        bls12_381_fq: ark_bls12_381::FqConfig;
        secp256k1_fq: ark_secp256k1::FqConfig;
        p279: super::super::P279;
    }
}
