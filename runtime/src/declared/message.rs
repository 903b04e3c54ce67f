//! Messages of const assertions: what is declared, and what the bound type has.

use super::{Coordinates, mac, same_words};

/// Bytes of a message: twelve coordinates of 1024 bits in hexadecimal digits, twice, and words around them.
const LENGTH: usize = 8192;
/// Words of the longest modulus.
const WORDS: usize = 16;

/// Text made in const evaluation. What is too long is cut.
pub struct Message {
    bytes: [u8; LENGTH],
    length: usize,
}

impl Message {
    /// The text.
    pub const fn text(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            // Only a cut can leave part of a character.
            Err(_) => "the bound type differs from the declaration",
        }
    }

    const fn new(what: &str) -> Message {
        Message { bytes: [0; LENGTH], length: 0 }.with(what)
    }

    const fn with(mut self, text: &str) -> Message {
        let mut i = 0;
        while i < text.len() && self.length < LENGTH {
            self.bytes[self.length] = text.as_bytes()[i];
            self.length += 1;
            i += 1;
        }
        self
    }

    /// Digits, the lowest first, of which there is one at least.
    const fn with_digits(mut self, digits: &[u8; 16 * WORDS], mut count: usize) -> Message {
        while count > 0 && self.length < LENGTH {
            count -= 1;
            self.bytes[self.length] = b"0123456789abcdef"[digits[count] as usize];
            self.length += 1;
        }
        self
    }

    /// Decimal where that is short, else hexadecimal.
    const fn with_number(self, words: &[u64]) -> Message {
        let mut digits = [0; 16 * WORDS];
        let mut count = 0;
        if same_words(words, words.split_at(min(1, words.len())).0) {
            let mut rest = if words.is_empty() { 0 } else { words[0] };
            while rest > 0 || count == 0 {
                digits[count] = (rest % 10) as u8;
                rest /= 10;
                count += 1;
            }
            return self.with_digits(&digits, count);
        }
        let mut i = 0;
        while i < 16 * min(words.len(), WORDS) {
            digits[i] = ((words[i / 16] >> (4 * (i % 16))) & 15) as u8;
            i += 1;
            if digits[i - 1] != 0 {
                count = i;
            }
        }
        self.with("0x").with_digits(&digits, count)
    }

    /// A residue below a modulus of at most [`WORDS`]: `-n` where that is far shorter.
    const fn with_residue(self, x: &[u64], p: &[u64]) -> Message {
        let minus = difference(p, x);
        let bits_of_minus = bits(&minus);
        if bits_of_minus == 1 || 4 * bits_of_minus <= bits(x) {
            self.with("-").with_number(&minus)
        } else {
            self.with_number(x)
        }
    }
}

/// `a - b` for little-endian words, at most [`WORDS`], and `b ≤ a`.
const fn difference(a: &[u64], b: &[u64]) -> [u64; WORDS] {
    let mut out = [0; WORDS];
    let (mut borrow, mut i) = (false, 0);
    while i < WORDS {
        let x = if i < a.len() { a[i] } else { 0 };
        let y = if i < b.len() { b[i] } else { 0 };
        let (part, first) = x.overflowing_sub(y);
        let (word, second) = part.overflowing_sub(borrow as u64);
        out[i] = word;
        borrow = first || second;
        i += 1;
    }
    out
}

/// Bits of a number of little-endian words.
const fn bits(words: &[u64]) -> u32 {
    let mut i = words.len();
    while i > 0 {
        i -= 1;
        if words[i] != 0 {
            return 64 * i as u32 + 64 - words[i].leading_zeros();
        }
    }
    0
}

const fn min(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

/// `None` if an integer is the declared one.
pub const fn integer_differs(what: &str, declared: &[u64], bound: &[u64]) -> Option<Message> {
    if same_words(declared, bound) {
        return None;
    }
    let message = Message::new(what).with(" is ").with_number(declared).with(", but ").with_number(bound);
    Some(message.with(" in the bound type"))
}

/// `None` if a small subgroup is the declared one.
pub const fn subgroup_differs(
    what: &str,
    declared: (u32, u32),
    bound: Option<(u32, u32)>,
) -> Option<Message> {
    let (base, power) = declared;
    let message =
        Message::new(what).with(" is ").with_number(&[base as u64]).with("^").with_number(&[power as u64]);
    match bound {
        Some((b, p)) if b == base && p == power => None,
        Some((b, p)) => {
            let message = message.with(", but ").with_number(&[b as u64]).with("^").with_number(&[p as u64]);
            Some(message.with(" in the bound type"))
        }
        None => Some(message.with(", but the bound type has none")),
    }
}

/// `None` if an element is the declared one, which is canonical; and if its field has another modulus or
/// another degree, which are reported as such.
pub const fn element_differs(
    what: &str,
    modulus: &[u64],
    declared: &[&[u64]],
    bound: &Coordinates,
    bound_modulus: &[u64],
) -> Option<Message> {
    let degree = declared.len();
    if !same_words(modulus, bound_modulus) || bound.degree() != degree {
        return None;
    }
    if bound_modulus.len() > WORDS {
        return Some(
            Message::new(what).with(" cannot be read: the bound type has more words than its modulus"),
        );
    }
    let mut i = 0;
    while i < degree && same_words(declared[i], &canonical(bound.at(i), bound_modulus)) {
        i += 1;
    }
    if i == degree {
        return None;
    }
    let mut message = Message::new(what).with(" is ").with(opening(degree));
    i = 0;
    while i < degree {
        message = message.with(separator(i)).with_residue(declared[i], modulus);
        i += 1;
    }
    message = message.with(closing(degree)).with(", but ").with(opening(degree));
    i = 0;
    while i < degree {
        message = message.with(separator(i)).with_residue(&canonical(bound.at(i), bound_modulus), modulus);
        i += 1;
    }
    Some(message.with(closing(degree)).with(" in the bound type"))
}

const fn separator(index: usize) -> &'static str {
    if index == 0 { "" } else { ", " }
}

const fn opening(degree: usize) -> &'static str {
    if degree == 1 { "" } else { "[" }
}

const fn closing(degree: usize) -> &'static str {
    if degree == 1 { "" } else { "]" }
}

/// `x/2^(64N) mod p` for an `x < p` of `N` words, at most [`WORDS`]; what is above stays 0.
const fn canonical(x: &[u64], p: &[u64]) -> [u64; WORDS] {
    let n = min(min(x.len(), p.len()), WORDS);
    let mut t = [0; WORDS];
    let mut i = 0;
    while i < n {
        t[i] = x[i];
        i += 1;
    }
    // -1/p mod 2^64 by Newton's iteration.
    let mut inverse = 1u64;
    i = 0;
    while i < 6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(p[0].wrapping_mul(inverse)));
        i += 1;
    }
    i = 0;
    while i < n {
        // t stays below p: it is at most (p - 1 + (2^64 - 1)·p)/2^64.
        let k = t[0].wrapping_mul(inverse.wrapping_neg());
        let (_, mut carry) = mac(t[0], k, p[0], 0);
        let mut j = 1;
        while j < n {
            (t[j - 1], carry) = mac(t[j], k, p[j], carry);
            j += 1;
        }
        t[n - 1] = carry;
        i += 1;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{BigInt, Fp256, MontBackend, MontConfig, PrimeField};

    struct Config;
    /// `2^255 - 19`
    impl MontConfig<4> for Config {
        const MODULUS: BigInt<4> = BigInt([u64::MAX - 18, u64::MAX, u64::MAX, u64::MAX >> 1]);
        const GENERATOR: Element = Element::new_unchecked(BigInt([76, 0, 0, 0]));
        const TWO_ADIC_ROOT_OF_UNITY: Element = Element::new_unchecked(BigInt([0; 4]));
    }
    type Element = Fp256<MontBackend<Config, 4>>;

    fn text(message: Option<Message>) -> Option<String> {
        message.map(|message| message.text().to_owned())
    }

    #[test]
    fn elements_are_read_out_of_montgomery_form() {
        for x in [0u64, 1, 19, u64::MAX] {
            for power in [1u32, 2, 3, 5] {
                let x = (0..power).fold(Element::from(1u64), |product, _| product * Element::from(x));
                let words = canonical(&x.0.0, &Config::MODULUS.0);
                assert_eq!(words[..4], x.into_bigint().0, "{x}");
                assert_eq!(words[4..], [0; 12]);
            }
        }
    }

    #[test]
    fn messages_have_both_values() {
        assert_eq!(text(integer_differs("`cofactor` of g1", &[4], &[4, 0])), None);
        assert_eq!(
            text(integer_differs("`cofactor` of g1", &[1], &[0x5000_0000_0000_00ff, 0xa0])).as_deref(),
            Some("`cofactor` of g1 is 1, but 0xa050000000000000ff in the bound type")
        );
        assert_eq!(
            text(integer_differs("x", &[0], &[u64::MAX])).as_deref(),
            Some("x is 0, but 18446744073709551615 in the bound type")
        );
        assert_eq!(text(subgroup_differs("s", (3, 2), Some((3, 2)))), None);
        assert_eq!(
            text(subgroup_differs("s", (3, 2), Some((3, 1)))).as_deref(),
            Some("s is 3^2, but 3^1 in the bound type")
        );
        assert_eq!(
            text(subgroup_differs("s", (3, 2), None)).as_deref(),
            Some("s is 3^2, but the bound type has none")
        );
    }

    #[test]
    fn elements_differ_in_any_coordinate() {
        static FOUR: Element = Element::new(BigInt([4, 0, 0, 0]));
        static FIVE: Element = Element::new(BigInt([5, 0, 0, 0]));
        let (four, five) = (Coordinates::Prime(&FOUR.0.0), Coordinates::Prime(&FIVE.0.0));
        static PAIR: Coordinates =
            Coordinates::Quadratic([&Coordinates::Prime(&FOUR.0.0), &Coordinates::Prime(&FIVE.0.0)]);
        let p = &Config::MODULUS.0;
        let differs =
            |declared: &[&[u64]], bound: &Coordinates| text(element_differs("b", p, declared, bound, p));
        assert_eq!(differs(&[&[4]], &four), None);
        assert_eq!(differs(&[&[4]], &five).as_deref(), Some("b is 4, but 5 in the bound type"));
        assert_eq!(differs(&[&[4], &[5]], &PAIR), None);
        assert_eq!(
            differs(&[&[4], &[4]], &PAIR).as_deref(),
            Some("b is [4, 4], but [4, 5] in the bound type")
        );
        let minus = |n: u64| [p[0] - n, p[1], p[2], p[3]];
        assert_eq!(differs(&[&minus(1)], &four).as_deref(), Some("b is -1, but 4 in the bound type"));
        assert_eq!(differs(&[&minus(300)], &four).as_deref(), Some("b is -300, but 4 in the bound type"));
        static MINUS: Element = Element::new(BigInt([u64::MAX - 21, u64::MAX, u64::MAX, u64::MAX >> 1]));
        let bound = Coordinates::Prime(&MINUS.0.0);
        assert_eq!(differs(&[&[4]], &bound).as_deref(), Some("b is 4, but -3 in the bound type"));
        // Another degree and another modulus are faults of their own.
        assert_eq!(differs(&[&[4]], &PAIR), None);
        assert_eq!(text(element_differs("b", &[7], &[&[4]], &five, p)), None);
    }
}
