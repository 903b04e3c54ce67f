//! Primality and the group of units of a prime field, in bounded work.
//!
//! *Proof or evidence.* Compositeness is always proven, by a factor or a Miller-Rabin
//! witness. Primality is proven below [`PROVEN_BELOW_LOG2`] bits, where the first
//! thirteen prime bases suffice (Sorenson and Webster, 2015); above, it is evidence:
//! the same bases, [`HASHED_BASES`] bases derived from the number, so that numbers
//! built against fixed bases (Arnault, 1995) fail too, and a strong Lucas test. Base 2 and
//! Lucas together are the test of Baillie, Pomerance, Selfridge and Wagstaff, which no
//! composite is known to pass.

use super::error::SpecError;
use super::lucas::strong_lucas_witness;
use super::tower::residue;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive, Zero};
use std::sync::LazyLock;

/// Longest modulus in bits: 32 words. Bounds the work of every check, and what kernels are tested for.
pub const MAX_MODULUS_BITS: u64 = 1024;
/// Below `2^81` the fixed bases prove primality (the bound is 3317044064679887385961981).
pub const PROVEN_BELOW_LOG2: u64 = 81;
/// Bases derived from the number itself: a composite passes with probability at most `4^-40`.
pub const HASHED_BASES: u32 = 40;

/// Trial division and small factors of `p - 1` stop here.
const SMALL: u32 = 1 << 16;
const FIXED_BASES: [u32; 13] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41];

/// Whether `p` can be a modulus: odd, at least 3, at most [`MAX_MODULUS_BITS`] bits, prime.
pub fn check_modulus(p: &BigUint) -> Result<(), SpecError> {
    if p.bits() > MAX_MODULUS_BITS {
        return Err(SpecError::ModulusTooLarge { bits: p.bits(), limit: MAX_MODULUS_BITS });
    }
    if *p < BigUint::from(3u32) {
        return Err(SpecError::ModulusTooSmall { found: p.clone() });
    }
    if !p.bit(0) {
        return Err(SpecError::ModulusEven);
    }
    if let Some(factor) = small_factor(p) {
        return Err(SpecError::ModulusHasFactor { factor: factor.into() });
    }
    // No factor up to 2^16, so anything below 2^32 is prime.
    if p.bits() <= 32 {
        return Ok(());
    }
    // A square has no parameters for the Lucas test.
    let root = p.sqrt();
    if &root * &root == *p {
        return Err(SpecError::ModulusHasFactor { factor: root });
    }
    let fault = match witness(p) {
        Some(witness) => SpecError::ModulusIsComposite { witness },
        None if p.bits() < PROVEN_BELOW_LOG2 => return Ok(()),
        None => match strong_lucas_witness(p) {
            None => return Ok(()),
            Some(d) => SpecError::ModulusFailsLucas { d },
        },
    };
    Err(large_factor(p).map_or(fault, |factor| SpecError::ModulusHasFactor { factor }))
}

/// The least prime factor of odd `n ≥ 3` that is below `2^16` and below `n`.
fn small_factor(n: &BigUint) -> Option<u32> {
    SMALL_PRIMES.iter().copied().find(|&q| (n % q).is_zero() && *n != BigUint::from(q))
}

/// The primes below `2^16`.
static SMALL_PRIMES: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let mut composite = vec![false; SMALL as usize];
    let mut primes = Vec::new();
    for i in 2..SMALL {
        if composite[i as usize] {
            continue;
        }
        primes.push(i);
        for multiple in (i..SMALL).step_by(i as usize).skip(1) {
            composite[multiple as usize] = true;
        }
    }
    primes
});

/// A Miller-Rabin witness that odd `n > 41` is composite, among the fixed and hashed bases.
fn witness(n: &BigUint) -> Option<BigUint> {
    let fixed = FIXED_BASES.iter().map(|&b| BigUint::from(b));
    let hashed = if n.bits() < PROVEN_BELOW_LOG2 { 0 } else { HASHED_BASES };
    let range = n - 3u32;
    let hashed = (0..hashed).map(|i| hashed_number("miller-rabin", &[n], i) % &range + 2u32);
    fixed.chain(hashed).find(|base| is_witness(n, base))
}

fn is_witness(n: &BigUint, base: &BigUint) -> bool {
    let n1 = n - 1u32;
    let s = n1.trailing_zeros().expect("n is odd and above 1");
    let mut x = base.modpow(&(&n1 >> s), n);
    if x.is_one() || x == n1 {
        return false;
    }
    for _ in 1..s {
        x = &x * &x % n;
        if x == n1 {
            return false;
        }
    }
    true
}

/// A proper factor of a composite, by Pollard's rho: 65 536 steps up to 256 bits find factors of up
/// to about 30 bits; fewer above, so that the work does not grow.
fn large_factor(n: &BigUint) -> Option<BigUint> {
    const BATCH: u64 = 128;
    let batches = (1 << 24) / n.bits().max(256) / BATCH;
    let step = |x: &BigUint| (x * x + 1u32) % n;
    let (mut slow, mut fast) = (BigUint::from(2u32), BigUint::from(2u32));
    for _ in 0..batches {
        let (slow0, fast0) = (slow.clone(), fast.clone());
        let mut product = BigUint::one();
        for _ in 0..BATCH {
            slow = step(&slow);
            fast = step(&step(&fast));
            product = product * distance(&slow, &fast) % n;
        }
        let gcd = product.gcd(n);
        if gcd.is_one() {
            continue;
        }
        if gcd != *n {
            return Some(gcd);
        }
        // Several factors met in one batch: repeat it step by step.
        (slow, fast) = (slow0, fast0);
        for _ in 0..BATCH {
            slow = step(&slow);
            fast = step(&step(&fast));
            let gcd = distance(&slow, &fast).gcd(n);
            if gcd == *n {
                return None;
            }
            if !gcd.is_one() {
                return Some(gcd);
            }
        }
    }
    None
}

fn distance(a: &BigUint, b: &BigUint) -> BigUint {
    if a > b { a - b } else { b - a }
}

/// A number of 2112 bits (so that reductions by any modulus are nearly uniform) that depends on
/// `purpose`, all of `inputs` and `index`.
pub(super) fn hashed_number(purpose: &str, inputs: &[&BigUint], index: u32) -> BigUint {
    let mut hasher = blake3::Hasher::new();
    hasher.update(purpose.as_bytes());
    for input in inputs {
        let bytes = input.to_bytes_le();
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(&bytes);
    }
    hasher.update(&index.to_le_bytes());
    let mut bytes = [0u8; 264];
    hasher.finalize_xof().fill(&mut bytes);
    BigUint::from_bytes_le(&bytes)
}

/// The Jacobi symbol `(a/n)` for odd `n`: for a prime `n`, 1 if `a` is a nonzero square, -1 if it
/// is none, 0 if `n` divides it.
pub fn jacobi(a: &BigUint, n: &BigUint) -> i8 {
    debug_assert!(n.bit(0));
    let (mut a, mut n) = (a % n, n.clone());
    let mut sign = 1i8;
    while let Some(twos) = a.trailing_zeros() {
        a >>= twos;
        // (2/n) = -1 for n = ±3 mod 8.
        let n_mod_8 = low_bits(&n) & 7;
        if twos % 2 == 1 && (n_mod_8 == 3 || n_mod_8 == 5) {
            sign = -sign;
        }
        if n_mod_8 & 3 == 3 && low_bits(&a) & 3 == 3 {
            sign = -sign;
        }
        std::mem::swap(&mut a, &mut n);
        a %= &n;
    }
    if n.is_one() { sign } else { 0 }
}

fn low_bits(n: &BigUint) -> u32 {
    n.iter_u32_digits().next().unwrap_or(0)
}

/// The smallest quadratic nonresidue of an odd prime; it is below `√p + 1`, in practice below 1000.
pub fn least_nonresidue(p: &BigUint) -> BigUint {
    let mut candidate = BigUint::from(2u32);
    while jacobi(&candidate, p) != -1 {
        candidate += 1u32;
    }
    candidate
}

/// The largest `s` with `2^s` dividing `p - 1`, `p` odd.
pub fn two_adicity(p: &BigUint) -> u64 {
    (p - 1u32).trailing_zeros().expect("p is an odd prime, so p - 1 is not zero")
}

/// `generator^((p-1)/2^s)`: of order `2^s` if the generator is no square.
pub fn two_adic_root(p: &BigUint, generator: &BigUint) -> BigUint {
    generator.modpow(&((p - 1u32) >> two_adicity(p)), p)
}

/// Whether `root < p` has order exactly `2^two_adicity`.
pub fn check_two_adic_root(p: &BigUint, root: &BigUint) -> Result<(), SpecError> {
    let log_order = two_adicity(p);
    let half = root.modpow(&(BigUint::one() << (log_order - 1)), p);
    if half == p - 1u32 { Ok(()) } else { Err(SpecError::NotATwoAdicRoot { log_order }) }
}

/// Whether `generator < p` generates the units as far as bounded work tells: it is no square, and
/// no `q`-th power for a prime `q < 2^16` dividing `p - 1`. For `p < 2^16`, and wherever `p - 1`
/// has no larger prime factor than one, that is a proof.
pub fn check_generator(p: &BigUint, generator: &BigUint) -> Result<(), SpecError> {
    if generator.is_zero() {
        return Err(SpecError::GeneratorIsZero);
    }
    if jacobi(generator, p) != -1 {
        return Err(SpecError::GeneratorIsSquare { generator: residue(generator, p) });
    }
    let units = p - 1u32;
    for &q in SMALL_PRIMES.iter() {
        if (&units % q).is_zero() && generator.modpow(&(&units / q), p).is_one() {
            return Err(SpecError::GeneratorIsPower { generator: residue(generator, p), factor: q.into() });
        }
    }
    Ok(())
}

/// `generator^((p-1)/(2^s·base^power))`, the root of a mixed-radix domain, if `base` is an odd
/// prime and `base^power` divides `p - 1`.
pub fn small_subgroup_root(
    p: &BigUint,
    generator: &BigUint,
    base: u32,
    power: u32,
) -> Result<BigUint, SpecError> {
    let fault = SpecError::NoSmallSubgroup { base, power };
    // base^power < p bounds the exponent; both tests keep the power itself small.
    if base < 3 || power == 0 || u64::from(power) > p.bits() || check_modulus(&base.into()).is_err() {
        return Err(fault);
    }
    let order = BigUint::from(base).pow(power);
    let trace = (p - 1u32) >> two_adicity(p);
    if !(&trace % &order).is_zero() {
        return Err(fault);
    }
    Ok(generator.modpow(&(trace / order), p))
}

/// `x` as `u64`, if it is below `2^16`.
pub(super) fn small(x: &BigUint) -> Option<u64> {
    x.to_u64().filter(|&x| x < u64::from(SMALL))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(text: &str) -> BigUint {
        text.parse().expect("a decimal number")
    }

    #[test]
    fn agrees_with_a_sieve_below_2_16() {
        let primes = &*SMALL_PRIMES;
        assert_eq!(primes.len(), 6542);
        for n in 0..SMALL {
            let prime = n != 2 && primes.binary_search(&n).is_ok();
            assert_eq!(check_modulus(&n.into()).is_ok(), prime, "{n}");
        }
    }

    #[test]
    fn known_primes_pass() {
        for p in [
            "4294967311",
            "18446744069414584321",
            "170141183460469231731687303715884105727",
            "21888242871839275222246405745257275088548364400416034343698204186575808495617",
            "115792089237316195423570985008687907853269984665640564039457584007908834671663",
        ] {
            assert_eq!(check_modulus(&big(p)), Ok(()), "{p}");
        }
        let mersenne = (BigUint::one() << 607u32) - 1u32;
        assert_eq!(check_modulus(&mersenne), Ok(()));
        let longest = (BigUint::one() << 1024u32) - 105u32;
        assert_eq!(check_modulus(&longest), Ok(()));
    }

    #[test]
    fn pseudoprimes_fail() {
        // Carmichael numbers; strong pseudoprimes to the first 1 to 12 prime bases (Jaeschke; Zhang;
        // Sorenson and Webster); a product of three primes after Arnault, strong to every base below 101.
        for n in [
            "561",
            "294409",
            "56052361",
            "118901521",
            "172947529",
            "1590231231043178376951698401",
            "2047",
            "1373653",
            "25326001",
            "3215031751",
            "2152302898747",
            "3474749660383",
            "341550071728321",
            "3825123056546413051",
            "318665857834031151167461",
            "1866016805086802510678768170917022806386919115600666624570325141774703792134934020291430297836162811261750667215939057851271947933753256286149134978311505641827401963092404209428145315128361119692576496595321277988604971584630978854689276545000162300768426962370656940902820075277726177097615341074883",
        ] {
            let n = big(n);
            if n.bits() > 900 {
                let mut bases = SMALL_PRIMES.iter().take_while(|&&q| q < 101);
                assert!(bases.all(|&b| !is_witness(&n, &b.into())), "it deceives every fixed base");
            }
            match check_modulus(&n) {
                Err(SpecError::ModulusHasFactor { factor }) => {
                    assert!((&n % &factor).is_zero() && !factor.is_one() && factor != n, "{n}: {factor}");
                }
                Err(SpecError::ModulusIsComposite { witness }) => assert!(is_witness(&n, &witness)),
                other => panic!("{n}: {other:?}"),
            }
        }
    }

    #[test]
    fn factors_are_found_or_witnessed() {
        // Two 31-bit primes, a square of a 64-bit prime, two 127-bit primes.
        let factor = |n: &BigUint| match check_modulus(n) {
            Err(SpecError::ModulusHasFactor { factor }) => Some(factor),
            Err(SpecError::ModulusIsComposite { .. }) => None,
            other => panic!("{n}: {other:?}"),
        };
        let (a, b) = (2147483647u64, 2147483629u64);
        let n = BigUint::from(a) * b;
        assert!(factor(&n).is_some_and(|f| f == a.into() || f == b.into()));
        let goldilocks = BigUint::from(0xffff_ffff_0000_0001u64);
        assert_eq!(factor(&(&goldilocks * &goldilocks)), Some(goldilocks.clone()));
        let m127 = (BigUint::one() << 127u32) - 1u32;
        assert_eq!(
            factor(
                &(m127
                    * big("21888242871839275222246405745257275088548364400416034343698204186575808495617"))
            ),
            None
        );
    }

    #[test]
    fn bad_shapes_are_named() {
        let check = |n: BigUint| check_modulus(&n);
        assert!(matches!(check(0u32.into()), Err(SpecError::ModulusTooSmall { .. })));
        assert!(matches!(check(2u32.into()), Err(SpecError::ModulusTooSmall { .. })));
        assert_eq!(check(4u32.into()), Err(SpecError::ModulusEven));
        assert_eq!(
            check((BigUint::one() << 1024u32) + 1u32),
            Err(SpecError::ModulusTooLarge { bits: 1025, limit: 1024 })
        );
    }

    #[test]
    fn jacobi_is_eulers_criterion() {
        for p in [3u32, 5, 7, 13, 17, 31, 8191] {
            for a in 0..p.min(600) {
                let (big_p, big_a) = (BigUint::from(p), BigUint::from(a));
                let power = big_a.modpow(&BigUint::from((p - 1) / 2), &big_p);
                let expected = if power.is_zero() {
                    0
                } else if power.is_one() {
                    1
                } else {
                    -1
                };
                assert_eq!(jacobi(&big_a, &big_p), expected, "({a}/{p})");
            }
        }
    }

    #[test]
    fn generators_are_exact_in_small_fields() {
        for p in [3u32, 5, 7, 13, 31, 97, 257] {
            for g in 0..p {
                let mut x = 1u32;
                let order = (1..p).find(|_| {
                    x = x * g % p;
                    x == 1
                });
                let ok = check_generator(&p.into(), &g.into()).is_ok();
                assert_eq!(ok, order == Some(p - 1), "{g} mod {p}");
            }
        }
    }

    #[test]
    fn roots_have_their_order() {
        for p in ["13", "31", "2013265921", "18446744069414584321"] {
            let p = big(p);
            let g = least_nonresidue(&p);
            let root = two_adic_root(&p, &g);
            assert_eq!(check_two_adic_root(&p, &root), Ok(()), "{p}");
            assert!(check_two_adic_root(&p, &(&root * &root % &p)).is_err());
        }
        let babybear = big("2013265921");
        let root = small_subgroup_root(&babybear, &31u32.into(), 5, 1).expect("15 divides p - 1");
        let order = BigUint::from(5u32) << 27u32;
        assert!(root.modpow(&order, &babybear).is_one());
        assert!(!root.modpow(&(&order / 5u32), &babybear).is_one());
        assert!(small_subgroup_root(&babybear, &31u32.into(), 5, 2).is_err());
        assert!(small_subgroup_root(&babybear, &31u32.into(), 3, u32::MAX).is_err());
    }
}
