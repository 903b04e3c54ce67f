//! Integers that are mostly a few digits and many zeros: the weights of words in proofs of blocks.

use std::ops::{AddAssign, Mul, Neg, Shl, Shr};

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Zero;

/// An integer of any size. Those that are `mantissa·2^(32·words)` take no memory of their own and are added
/// in a few instructions.
#[derive(Clone, Debug)]
pub(in crate::targets::ptx) enum Num {
    Short { mantissa: i128, words: u32 },
    Long(Box<BigInt>),
}

use Num::{Long, Short};

/// A sum of many integers of many sizes.
#[derive(Clone, Debug, Default)]
pub(in crate::targets::ptx) struct Total {
    /// `Σ digitsᵢ·2^(32i)`.
    digits: Vec<i128>,
    rest: BigInt,
}

impl Num {
    /// `2^(32·words)`.
    pub(in crate::targets::ptx) fn power(words: usize) -> Num {
        Num::from(1) << (32 * words)
    }

    pub(in crate::targets::ptx) fn is_zero(&self) -> bool {
        self.sign() == Sign::NoSign
    }

    pub(in crate::targets::ptx) fn is_negative(&self) -> bool {
        self.sign() == Sign::Minus
    }

    pub(in crate::targets::ptx) fn is_positive(&self) -> bool {
        self.sign() == Sign::Plus
    }

    pub(in crate::targets::ptx) fn sign(&self) -> Sign {
        match self {
            Short { mantissa, .. } if *mantissa < 0 => Sign::Minus,
            Short { mantissa: 0, .. } => Sign::NoSign,
            Short { .. } => Sign::Plus,
            Long(number) => number.sign(),
        }
    }

    pub(in crate::targets::ptx) fn to_bigint(&self) -> BigInt {
        match self {
            Short { mantissa, words } => BigInt::from(*mantissa) << (32 * words),
            Long(number) => (**number).clone(),
        }
    }

    pub(in crate::targets::ptx) fn is_multiple_of(&self, modulus: &BigInt) -> bool {
        self.is_zero() || (self.to_bigint() % modulus).is_zero()
    }

    pub(in crate::targets::ptx) fn times(&self, k: i128) -> Num {
        if let Short { mantissa, words } = *self {
            if let Some(product) = mantissa.checked_mul(k) {
                return Short { mantissa: product, words };
            }
            let ((x, more), (k, zeros)) = (stripped(mantissa, words), stripped(k, 0));
            if let Some(product) = x.checked_mul(k) {
                return Short { mantissa: product, words: more + zeros };
            }
        }
        Num::from(self.to_bigint() * k)
    }
}

/// Without the words of zeros at its end.
fn stripped(mut mantissa: i128, mut words: u32) -> (i128, u32) {
    while mantissa != 0 && mantissa as u32 == 0 {
        mantissa >>= 32;
        words += 1;
    }
    (mantissa, words)
}

/// `mantissa·2^bits`, if it is as short.
fn raised(mantissa: i128, bits: u32) -> Option<i128> {
    // One bit is the sign's.
    if mantissa == 0 || mantissa.unsigned_abs().leading_zeros() > bits {
        return Some(mantissa.unbounded_shl(bits));
    }
    None
}

/// `x·2^(32u) + y·2^(32v)`, if it is short.
fn sum((x, u): (i128, u32), (y, v): (i128, u32)) -> Option<(i128, u32)> {
    let low = u.min(v);
    Some((raised(x, 32 * (u - low))?.checked_add(raised(y, 32 * (v - low))?)?, low))
}

impl Default for Num {
    fn default() -> Num {
        Short { mantissa: 0, words: 0 }
    }
}

impl From<i128> for Num {
    fn from(mantissa: i128) -> Num {
        Short { mantissa, words: 0 }
    }
}

impl From<BigInt> for Num {
    fn from(number: BigInt) -> Num {
        let words = number.trailing_zeros().unwrap_or_default() / 32;
        if number.bits() - 32 * words > 127 {
            return Long(Box::new(number));
        }
        let mantissa = i128::try_from(number >> (32 * words)).expect("at most 127 bits");
        Short { mantissa, words: u32::try_from(words).expect("bits are counted in 32 bits") }
    }
}

impl AddAssign<&Num> for Num {
    fn add_assign(&mut self, other: &Num) {
        match (&mut *self, other) {
            (_, Short { mantissa: 0, .. }) => return,
            (Short { mantissa: 0, .. }, _) => {
                self.clone_from(other);
                return;
            }
            (Short { mantissa, words }, &Short { mantissa: y, words: v }) => {
                let (x, u) = (*mantissa, *words);
                if let Some(short) = sum((x, u), (y, v)).or_else(|| sum(stripped(x, u), stripped(y, v))) {
                    (*mantissa, *words) = short;
                    return;
                }
            }
            _ => {}
        }
        *self = Num::from(self.to_bigint() + other.to_bigint());
    }
}

impl Mul for &Num {
    type Output = Num;

    fn mul(self, other: &Num) -> Num {
        match (self, other) {
            (&Short { mantissa, words }, other) | (other, &Short { mantissa, words }) => {
                other.times(mantissa) << (32 * words as usize)
            }
            (Long(x), Long(y)) => Num::from(&**x * &**y),
        }
    }
}

impl Neg for &Num {
    type Output = Num;

    fn neg(self) -> Num {
        self.times(-1)
    }
}

impl Neg for Num {
    type Output = Num;

    fn neg(self) -> Num {
        -&self
    }
}

impl Shl<usize> for &Num {
    type Output = Num;

    fn shl(self, bits: usize) -> Num {
        if let Short { mantissa, words } = *self
            && let Some(mantissa) = raised(mantissa, bits as u32 % 32)
        {
            return Short { mantissa, words: words + (bits / 32) as u32 };
        }
        Num::from(self.to_bigint() << bits)
    }
}

impl Shl<usize> for Num {
    type Output = Num;

    fn shl(self, bits: usize) -> Num {
        &self << bits
    }
}

/// Rounded down.
impl Shr<usize> for &Num {
    type Output = Num;

    fn shr(self, bits: usize) -> Num {
        if let Short { mantissa, words } = *self
            && bits.is_multiple_of(32)
        {
            let down = (bits / 32) as u32;
            return match words.checked_sub(down) {
                Some(words) => Short { mantissa, words },
                None => Short { mantissa: mantissa >> (32 * (down - words)).min(127), words: 0 },
            };
        }
        Num::from(self.to_bigint() >> bits)
    }
}

impl PartialEq for Num {
    fn eq(&self, other: &Num) -> bool {
        let mut difference = -other;
        difference += self;
        difference.is_zero()
    }
}

impl Eq for Num {}

impl Total {
    pub(in crate::targets::ptx) fn add(&mut self, number: &Num) {
        match number {
            Short { mantissa: 0, .. } => {}
            Short { mantissa, words } => {
                let at = *words as usize;
                if self.digits.len() <= at {
                    self.digits.resize(at + 1, 0);
                }
                match self.digits[at].checked_add(*mantissa) {
                    Some(digit) => self.digits[at] = digit,
                    None => self.rest += number.to_bigint(),
                }
            }
            Long(number) => self.rest += &**number,
        }
    }

    pub(in crate::targets::ptx) fn add_bigint(&mut self, number: &BigInt) {
        self.rest += number;
    }

    pub(in crate::targets::ptx) fn into_bigint(self) -> BigInt {
        let (mut low, mut carry) = (Vec::with_capacity(self.digits.len()), 0i128);
        for digit in self.digits {
            // In halves, as a digit and what is carried may be too much for one number.
            let (bits, high) = ((digit & MASK) + (carry & MASK), (digit >> 32) + (carry >> 32));
            low.push(bits as u32);
            carry = high + (bits >> 32);
        }
        let top = BigInt::from(carry) << (32 * low.len());
        self.rest + top + BigInt::from(BigUint::new(low))
    }
}

const MASK: i128 = (1 << 32) - 1;

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudorandom bits (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
    fn next(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Of any length, often at the ends of what is short.
    fn mantissa(state: &mut u64) -> i128 {
        let bits = (i128::from(next(state)) << 64) | i128::from(next(state));
        match next(state) % 6 {
            0 => [0, 1, -1, i128::MAX, i128::MIN, 1 << 126][next(state) as usize % 6],
            1 => (bits >> (next(state) % 128)) << (32 * (next(state) % 4)),
            _ => bits >> (next(state) % 128),
        }
    }

    fn number(state: &mut u64) -> (Num, BigInt) {
        let (mantissa, words) = (mantissa(state), (next(state) % 7) as usize);
        let exact = BigInt::from(mantissa) << (32 * words);
        let number = match next(state) % 4 {
            0 => Num::from(exact.clone()),
            1 => Long(Box::new(exact.clone())),
            _ => Num::from(mantissa) << (32 * words),
        };
        (number, exact)
    }

    #[test]
    fn arithmetic_is_that_of_large_integers() {
        let mut state = 1;
        let (mut short, mut long) = (0, 0);
        for _ in 0..100_000 {
            let ((x, big_x), (y, big_y)) = (number(&mut state), number(&mut state));
            let (k, bits) = (mantissa(&mut state), (next(&mut state) % 260) as usize);
            let mut sum = x.clone();
            sum += &y;
            let mut total = Total::default();
            for number in [&x, &y, &x, &sum] {
                total.add(number);
            }
            total.add_bigint(&big_y);
            let pairs = [
                (sum.to_bigint(), &big_x + &big_y),
                (x.times(k).to_bigint(), &big_x * k),
                ((&x * &y).to_bigint(), &big_x * &big_y),
                ((-&x).to_bigint(), -&big_x),
                ((&x << bits).to_bigint(), &big_x << bits),
                ((&x >> bits).to_bigint(), &big_x >> bits),
                ((&x >> (bits / 32 * 32)).to_bigint(), &big_x >> (bits / 32 * 32)),
                (total.into_bigint(), &big_x * 3 + &big_y * 3),
            ];
            for (i, (found, right)) in pairs.into_iter().enumerate() {
                assert_eq!(found, right, "{i} of {big_x} {big_y} {k} {bits}");
            }
            assert_eq!(x.sign(), big_x.sign());
            assert_eq!(x == y, big_x == big_y);
            assert_eq!(x, Num::from(big_x.clone()));
            let modulus = BigInt::from((k.unsigned_abs() | 1) >> (next(&mut state) % 100) | 1);
            assert_eq!(x.is_multiple_of(&modulus), (&big_x % &modulus).is_zero());
            let count = if matches!(sum, Short { .. }) { &mut short } else { &mut long };
            *count += 1;
        }
        assert!(short > 10_000 && long > 10_000, "{short} {long}");
    }

    #[test]
    fn weights_of_words_take_no_memory() {
        let unit = Num::power(56);
        let mut weight = &(&unit << 32) >> 64;
        weight += &unit.times(1 << 40).times(-(1 << 20));
        assert!(matches!(weight, Short { .. }), "{weight:?}");
    }
}
