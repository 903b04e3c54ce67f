//! Markers written by hand, so that these tests need no generated code, and inputs.
#![allow(missing_docs, unreachable_pub, dead_code, reason = "each test crate uses a part of this module")]

use ark_ff::MontConfig;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_runtime::Csr;
use curvesmith_runtime::field::{ElementOf, Field};
use curvesmith_runtime::group::Group;

macro_rules! field {
    ($name:ident, $ark:ty, $text:literal, $words:literal) => {
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl Field for $name {
            type Ark = $ark;
            const NAME: &'static str = $text;
            const WORDS: usize = $words;
            fn images() -> &'static [u8] {
                &[]
            }
        }
        impl ElementOf<$name> for $ark {}
    };
}

macro_rules! group {
    ($name:ident, $points:ty, $base:ty, $scalar:ty, $text:literal, $degree:literal) => {
        #[derive(Clone, Copy, Debug)]
        pub struct $name;
        impl Group for $name {
            type Projective = $points;
            type Base = $base;
            type Scalar = $scalar;
            const NAME: &'static str = $text;
            const DEGREE: usize = $degree;
            fn images() -> &'static [u8] {
                &[]
            }
        }
    };
}

field!(Fq, ark_bn254::Fq, "bn254_fq", 8);
field!(Fr, ark_bn254::Fr, "bn254_fr", 8);
group!(G1, ark_bn254::G1Projective, Fq, Fr, "bn254_g1", 1);
group!(G2, ark_bn254::G2Projective, Fq, Fr, "bn254_g2", 2);
field!(Fr381, ark_bls12_381::Fr, "bls12_381_fr", 8);

#[derive(MontConfig)]
#[modulus = "257"]
#[generator = "3"]
pub struct F257Config;
field!(F257, ark_ff::Fp64<ark_ff::MontBackend<F257Config, 1>>, "f257", 1);

/// `p - 1 = 2^4·3^3`.
#[derive(MontConfig)]
#[modulus = "433"]
#[generator = "5"]
#[small_subgroup_base = "3"]
#[small_subgroup_power = "3"]
pub struct F433Config;
field!(F433, ark_ff::Fp64<ark_ff::MontBackend<F433Config, 1>>, "f433", 1);

pub fn rng(seed: u64) -> StdRng {
    println!("seed {seed}");
    StdRng::seed_from_u64(seed)
}

/// Random values with the awkward ones in front.
pub fn values<T: ark_ff::PrimeField>(n: usize, rng: &mut StdRng) -> Vec<T> {
    let special = [T::ZERO, T::ONE, -T::ONE, -T::from(2u64), T::from(2u64), T::from(u64::MAX)];
    special.into_iter().chain(std::iter::repeat_with(|| T::rand(rng))).take(n).collect()
}

/// A matrix with empty rows, short rows and one row of `long` entries.
pub fn matrix<T: ark_ff::PrimeField>(rows: usize, width: u32, long: usize, rng: &mut StdRng) -> Csr<T> {
    use ark_std::rand::Rng;
    let mut csr = Csr { row_offsets: vec![0], columns: vec![], values: vec![], width };
    for row in 0..rows {
        let entries = match row % 4 {
            0 => 0,
            1 if row == 5 => long,
            _ => rng.gen_range(0..6),
        };
        for _ in 0..entries {
            csr.columns.push(rng.gen_range(0..width));
            csr.values.push(if rng.gen_bool(0.5) { T::ONE } else { T::rand(rng) });
        }
        csr.row_offsets.push(csr.columns.len() as u32);
    }
    csr
}

/// The product by definition.
pub fn naive_product<T: ark_ff::PrimeField>(m: &Csr<T>, x: &[T], out_len: usize) -> Vec<T> {
    let mut out = vec![T::ZERO; out_len];
    for (row, out) in out.iter_mut().enumerate().take(m.rows()) {
        for k in m.row_offsets[row] as usize..m.row_offsets[row + 1] as usize {
            *out += m.values[k] * x[m.columns[k] as usize];
        }
    }
    out
}

/// `Σ_j a_j·(shift·omega^i)^j` for every `i`: the transform by definition.
pub fn naive_ntt<T: ark_ff::PrimeField>(a: &[T], omega: T, shift: T) -> Vec<T> {
    let points = (0..a.len()).map(|i| shift * omega.pow([i as u64]));
    points.map(|x| a.iter().rev().fold(T::ZERO, |acc, c| acc * x + c)).collect()
}
