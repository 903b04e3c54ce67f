//! Signed digits of the loops of pairings.

use num_bigint::BigUint;
use num_traits::Zero;

/// Digits -1, 0 and 1, the least first, no two neighbours of them other than 0 (Reitwiesner, 1960).
pub fn naf(n: &BigUint) -> Vec<i8> {
    let mut n = n.clone();
    let mut digits = Vec::new();
    while !n.is_zero() {
        let digit = match n.iter_u32_digits().next().unwrap_or(0) % 4 {
            1 => 1,
            3 => -1,
            _ => 0,
        };
        match digit {
            1 => n -= 1u32,
            -1 => n += 1u32,
            _ => (),
        }
        digits.push(digit);
        n >>= 1u32;
    }
    digits
}

/// [`naf`] one digit shorter where that ends with -1, 0, 1, which is 1, 1: a doubling less.
pub fn relaxed_naf(n: &BigUint) -> Vec<i8> {
    let mut digits = naf(n);
    if let [.., low, middle, _] = digits.as_mut_slice()
        && (*low, *middle) == (-1, 0)
    {
        (*low, *middle) = (1, 1);
        digits.pop();
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_the_number() {
        let value = |digits: &[i8]| digits.iter().rev().fold(0i64, |sum, d| 2 * sum + i64::from(*d));
        for n in 0..3000u32 {
            let (strict, relaxed) = (naf(&n.into()), relaxed_naf(&n.into()));
            assert_eq!((value(&strict), value(&relaxed)), (n.into(), n.into()));
            assert!(strict.windows(2).all(|pair| pair.contains(&0)), "{strict:?}");
            assert!(n == 0 || (strict.last() == Some(&1) && relaxed.last() == Some(&1)));
        }
        assert_eq!((naf(&12u32.into()).len(), relaxed_naf(&12u32.into())), (5, vec![0, 0, 1, 1]));
    }
}
