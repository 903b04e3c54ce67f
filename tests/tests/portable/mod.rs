//! The portable target against arkworks: the source that it emits is compiled and run, and for one field it
//! is committed.
//!
//! Both hold elements as limbs of 64 bits in Montgomery form with `R = 2^(64·limbs)`, so that words are
//! compared.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(unexpected_cfgs, reason = "the derivation of a field asks for a feature of its own crate")]

mod host;

use ark_ff::{AdditiveGroup, BigInt, Field, Fp, MontBackend, MontConfig};
use curvesmith_tests::Random;
use host::Host;
use std::path::Path;

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
    host: &Host,
    function: &str,
    wanted: impl Fn([F<C, N>; I]) -> F<C, N>,
) {
    let operands = operands::<C, N, I>();
    let found =
        host.call::<N, I, 1>(function, &operands.iter().map(|x| x.map(|x| x.0.0)).collect::<Vec<_>>());
    for (x, [found]) in operands.into_iter().zip(found) {
        assert_eq!(element::<C, N>(found), wanted(x), "{function} of {x:?}");
    }
}

/// The mixed addition against the chord through two points, whatever curve they are on.
fn adds_points<C: MontConfig<N>, const N: usize>(host: &Host) {
    let mut points = operands::<C, N, 5>();
    points.retain(|[x1, _, x2, _, z]| *z != F::ZERO && x1 != x2);
    let given = points.iter().map(|[x1, y1, x2, y2, z]| {
        let (zz, zzz) = (z.square(), z.square() * z);
        [*x1 * zz, *y1 * zzz, zz, zzz, *x2, *y2].map(|x| x.0.0)
    });
    let sums = host.call::<N, 6, 4>("madd", &given.collect::<Vec<_>>());
    for ([x1, y1, x2, y2, z], sum) in points.into_iter().zip(sums) {
        let slope = (y2 - y1) / (x2 - x1);
        let x3 = slope.square() - x1 - x2;
        let y3 = slope * (x1 - x3) - y1;
        let [x, y, zz, zzz] = sum.map(element::<C, N>);
        assert_eq!((x, y), (x3 * zz, y3 * zzz), "({x1}, {y1}) with z = {z} and ({x2}, {y2})");
        assert_eq!(zz * zz * zz, zzz * zzz);
    }
}

macro_rules! against_arkworks {
    ($($name:ident: $config:ty, $p:expr;)*) => {$(
        #[test]
        fn $name() {
            type C = $config;
            let host = Host::new(stringify!($name), $p);
            agree::<C, _, 2>(&host, "add", |[x, y]| x + y);
            agree::<C, _, 2>(&host, "sub", |[x, y]| x - y);
            agree::<C, _, 1>(&host, "neg", |[x]| -x);
            agree::<C, _, 1>(&host, "dbl", |[x]| x.double());
            agree::<C, _, 1>(&host, "mul_small", |[x]| x * F::from(12u32));
            agree::<C, _, 2>(&host, "mul", |[x, y]| x * y);
            agree::<C, _, 1>(&host, "sqr", |[x]| x.square());
            agree::<C, _, 1>(&host, "mul_const", |[x]| x * F::from(7u32));
            agree::<C, _, 4>(&host, "dot", |[a, b, c, d]| a * b + c * d);
            agree::<C, _, 4>(&host, "mixed", |[a, b, c, d]| (a + b + c) * (a - d.double()) - (c - d).square());
            agree::<C, _, 3>(&host, "if_zero", |[x, a, b]| if x == F::ZERO { a } else { b });
            agree::<C, _, 4>(&host, "if_equal", |[x, y, a, b]| if x == y { a } else { b });
            adds_points::<C, _>(&host);
        }
    )*};
}

const BN254: &str = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";

against_arkworks! {
    bn254_fq: ark_bn254::FqConfig, BN254;
    bls12_381_fq: ark_bls12_381::FqConfig,
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
    secp256k1_fq: ark_secp256k1::FqConfig,
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
    p279: P279, "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffbb";
}

/// `BLESS=1` writes the committed source.
#[test]
fn the_source_is_what_is_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/portable/generated/bn254_fq.rs");
    let (source, _) = host::source("bn254_fq", BN254);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &source).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == source, "{} differs: BLESS=1 rewrites it, if it is meant", path.display());
}
