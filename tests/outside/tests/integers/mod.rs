//! Field operations and transforms as arithmetic of integers, and what the kernels give for them.

use ark_ff::{BigInteger, PrimeField};
use ark_std::rand::{RngCore, SeedableRng, rngs::StdRng};
use curvesmith::{Device, Field, Ntt, NttOptions, Pointwise};
use num_bigint::BigUint;

fn big<F: Field>(x: F::Ark) -> BigUint {
    BigUint::from_bytes_le(&x.into_bigint().to_bytes_le())
}

fn element<F: Field>(x: &BigUint) -> F::Ark {
    F::Ark::from_le_bytes_mod_order(&x.to_bytes_le())
}

pub(crate) fn power_of_two(e: u64) -> BigUint {
    BigUint::from(1u32) << e
}

fn random(p: &BigUint, rng: &mut StdRng) -> BigUint {
    let mut bytes = vec![0; p.bits().div_ceil(8) as usize + 8];
    rng.fill_bytes(&mut bytes);
    BigUint::from_bytes_le(&bytes) % p
}

/// Zero, one, the ends and the middle, both Montgomery radices, and full and empty words.
fn awkward(p: &BigUint) -> Vec<BigUint> {
    let mut values =
        vec![BigUint::ZERO, 1u32.into(), 2u32.into(), p - 1u32, p - 2u32, p >> 1, (p >> 1) + 1u32];
    let (words, long_words) = (p.bits().div_ceil(32), p.bits().div_ceil(64));
    for bits in [32 * words, 64 * long_words] {
        values.extend([power_of_two(bits), power_of_two(2 * bits)]);
    }
    for i in [0, words / 2, words - 1] {
        values.extend([
            power_of_two(32 * i),
            BigUint::from(u32::MAX) << (32 * i),
            power_of_two(32 * i + 31) - 1u32,
        ]);
    }
    values.iter().map(|x| x % p).collect()
}

/// Each awkward value with each, then random ones.
fn pairs(p: &BigUint, rng: &mut StdRng) -> (Vec<BigUint>, Vec<BigUint>) {
    let values = awkward(p);
    let crossed = values.iter().flat_map(|a| values.iter().map(move |b| (a.clone(), b.clone())));
    let drawn: Vec<_> = (0..40).map(|_| (random(p, rng), random(p, rng))).collect();
    crossed.chain(drawn).unzip()
}

/// Every operation of `Pointwise`, on the awkward values and random ones.
pub(crate) fn pointwise<F: Field>(device: &Device, p: &BigUint) {
    assert_eq!(BigUint::from_bytes_le(&F::Ark::MODULUS.to_bytes_le()), *p, "the modulus is the declared one");
    let mut rng = StdRng::seed_from_u64(1);
    let (a, b) = pairs(p, &mut rng);
    let elements = |values: &[BigUint]| -> Vec<F::Ark> { values.iter().map(element::<F>).collect() };
    let (x, y) = (elements(&a), elements(&b));
    let plan = Pointwise::<F>::new(device).unwrap();
    let check = |what: &str, found: Vec<F::Ark>, expected: &dyn Fn(usize) -> BigUint| {
        assert_eq!(found.len(), a.len());
        for (i, found) in found.into_iter().enumerate() {
            let expected = expected(i) % p;
            assert_eq!(big::<F>(found), expected, "{what} of {} and {} on {}", a[i], b[i], device.name());
        }
    };
    check("add", plan.add(&x, &y).unwrap(), &|i| &a[i] + &b[i]);
    check("sub", plan.sub(&x, &y).unwrap(), &|i| &a[i] + p - &b[i]);
    check("mul", plan.mul(&x, &y).unwrap(), &|i| &a[i] * &b[i]);
    check("neg", plan.neg(&x).unwrap(), &|i| p - &a[i]);
    check("dbl", plan.dbl(&x).unwrap(), &|i| &a[i] * 2u32);
    check("sqr", plan.sqr(&x).unwrap(), &|i| &a[i] * &a[i]);
    for c in [BigUint::ZERO, 1u32.into(), p - 1u32, random(p, &mut rng)] {
        check("mul_const", plan.mul_const(&x, element::<F>(&c)).unwrap(), &|i| &a[i] * &c);
    }
    let inverse = |i: usize| a[i].modinv(p).unwrap_or_default();
    check("inverse", plan.inverse(&x).unwrap(), &inverse);
    check("batch_inverse", plan.batch_inverse(&x).unwrap(), &inverse);
    assert!(plan.add(&[], &[]).unwrap().is_empty());
    assert!(plan.inverse(&[]).unwrap().is_empty());
    assert!(plan.batch_inverse(&[]).unwrap().is_empty());
    assert!(plan.add(&x, &y[1..]).is_err());
}

/// The sums of the definition, with a root made from a generator.
pub(crate) fn ntt<F: Field>(device: &Device, p: &BigUint, generator: u32, sizes: &[u32]) {
    let mut rng = StdRng::seed_from_u64(2);
    for &log_n in sizes {
        let n = 1usize << log_n;
        assert_eq!((p - 1u32) % n, BigUint::ZERO, "the field has the root");
        let omega = BigUint::from(generator).modpow(&((p - 1u32) / n), p);
        let shift = random(&(p - 1u32), &mut rng) + 1u32;
        let values: Vec<BigUint> = (0..n).map(|_| random(p, &mut rng)).collect();
        let options = NttOptions::default().omega(element::<F>(&omega)).shift(element::<F>(&shift));
        let plan = Ntt::<F>::new(device, log_n, options).unwrap();
        let input: Vec<F::Ark> = values.iter().map(element::<F>).collect();
        let found = plan.forward(&input).unwrap();
        for (k, found) in found.iter().enumerate() {
            let point = &shift * omega.modpow(&k.into(), p) % p;
            let expected = values.iter().rev().fold(BigUint::ZERO, |sum, a| (sum * &point + a) % p);
            assert_eq!(big::<F>(*found), expected, "2^{log_n} at {k} on {}", device.name());
        }
        assert_eq!(plan.inverse(&found).unwrap(), input);
    }
}

/// By Euler's criterion.
pub(crate) fn least_nonresidue(p: &BigUint) -> u32 {
    let half = (p - 1u32) >> 1;
    (2..).find(|g| BigUint::from(*g).modpow(&half, p) == p - 1u32).unwrap()
}
