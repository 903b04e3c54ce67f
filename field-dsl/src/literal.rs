//! Integers of any length in declarations.

use crate::error::{self, Item};
use crate::expression;
use num_bigint::{BigInt, BigUint, Sign};
use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::{Token, parenthesized, token};

/// Bounds the quadratic conversion; a 1024-bit number has 309 decimal digits, its cofactor over a
/// quadratic extension twice that.
const MAX_CHARS: usize = 4096;
/// Bounds the recursion into signs and parentheses: a stack that overflows would end rustc.
pub(crate) const MAX_DEPTH: usize = 16;

/// A signed integer and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) value: BigInt,
    pub(crate) span: Span,
}

impl Number {
    /// The residue in `[0, p)`; a message for `|value| ≥ p`.
    pub(crate) fn canonical(&self, p: &BigUint, item: Item<'_>) -> Result<BigUint, String> {
        let rest = self.value.magnitude() % p;
        let residue = match self.value.sign() {
            Sign::Minus if rest != BigUint::ZERO => p - rest,
            _ => rest,
        };
        let below = self.value.magnitude() < p;
        if below { Ok(residue) } else { Err(error::not_below_modulus(item, &residue, p)) }
    }

    /// The value, where a sign makes no sense.
    pub(crate) fn unsigned(&self, item: Item<'_>) -> Result<BigUint, String> {
        self.value.to_biguint().ok_or_else(|| format!("{item}: {}", error::NEGATIVE))
    }
}

impl Parse for Number {
    /// A number behind which no operator stands; the fault of an expression tells its value.
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let ahead = input.fork();
        let number = Number::operand(input);
        if number.is_ok() && !expression::goes_on(input) {
            return number;
        }
        match expression::value(&ahead.fork()) {
            Some(value) => Err(ahead.error(error::expression(&value))),
            None => number,
        }
    }
}

impl Number {
    /// `["-"] integer | "(" number ")"`, whatever stands behind it.
    pub(crate) fn operand(input: ParseStream) -> syn::Result<Self> {
        Number::within(input, MAX_DEPTH)
    }

    fn within(input: ParseStream, depth: usize) -> syn::Result<Self> {
        let nested = input.peek(token::Paren) || input.peek(Token![-]);
        if nested && depth == 0 {
            return Err(input.error(error::LITERAL_TOO_DEEP));
        }
        if input.peek(token::Paren) {
            let content;
            parenthesized!(content in input);
            return crate::parse::whole(&content, |content| Number::within(content, depth - 1));
        }
        if input.peek(Token![-]) {
            input.parse::<Token![-]>()?;
            let number = Number::within(input, depth - 1)?;
            return Ok(Number { value: -number.value, span: number.span });
        }
        literal(input)
    }
}

/// An integer literal.
pub(crate) fn literal(input: ParseStream) -> syn::Result<Number> {
    input.step(|cursor| match cursor.literal() {
        Some((literal, rest)) => {
            let value = parse_integer(&literal.to_string())
                .map_err(|message| syn::Error::new(literal.span(), message))?;
            Ok((Number { value, span: literal.span() }, rest))
        }
        None => Err(cursor.error(error::LITERAL)),
    })
}

/// A literal's text; another macro can make a negative literal one token.
fn parse_integer(text: &str) -> Result<BigInt, &'static str> {
    if text.len() > MAX_CHARS {
        return Err(error::LITERAL_TOO_LONG);
    }
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => (Sign::Minus, rest),
        None => (Sign::Plus, text),
    };
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(rest) => (rest, 16),
        None => (text, 10),
    };
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(error::LITERAL);
    }
    let magnitude = BigUint::parse_bytes(digits.as_bytes(), radix).ok_or(error::LITERAL)?;
    Ok(BigInt::from_biguint(sign, magnitude))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        let ok = |text: &str| parse_integer(text).map(|v| v.to_string());
        assert_eq!(ok("1_000"), Ok("1000".into()));
        assert_eq!(ok("0xff"), Ok("255".into()));
        assert_eq!(ok("-0xF_f"), Ok("-255".into()));
        for bad in ["1u32", "1.5", "0b11", "0o7", "\"1\"", "'1'", "0x", "1e5", "0xg"] {
            assert_eq!(ok(bad), Err(error::LITERAL), "{bad}");
        }
        assert_eq!(parse_integer(&"1".repeat(4097)), Err(error::LITERAL_TOO_LONG));
    }

    /// Megabytes of digits, of signs, and of nothing but parentheses' depth.
    #[test]
    fn monstrous_numbers_are_refused() {
        let fault = |text: String| syn::parse_str::<Number>(&text).expect_err("it is too long").to_string();
        assert_eq!(fault("7".repeat(8 << 20)), error::LITERAL_TOO_LONG);
        assert_eq!(fault("-".repeat(100_000) + "7"), error::LITERAL_TOO_DEEP);
        assert_eq!(fault("(".repeat(100) + "7" + &")".repeat(100)), error::LITERAL_TOO_DEEP);
    }

    #[test]
    fn signs_are_canonical() {
        let number = |text: &str| syn::parse_str::<Number>(text).unwrap();
        let p = BigUint::from(13u32);
        let item = Item { key: "a", of: "g1" };
        assert_eq!(number("(-(1))").canonical(&p, item).unwrap(), 12u32.into());
        assert_eq!(number("-0").canonical(&p, item).unwrap(), 0u32.into());
        for (text, residue) in [("13", "0"), ("-13", "0"), ("300", "1"), ("-300", "-1")] {
            let message = format!("`a` of g1 is not below the modulus; modulo it, it is {residue}");
            assert_eq!(number(text).canonical(&p, item), Err(message), "{text}");
        }
        assert!(number("-1").unsigned(item).is_err());
    }
}
