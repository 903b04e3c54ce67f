//! Integers of any length in declarations.

use crate::error;
use num_bigint::{BigInt, BigUint, Sign};
use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::{Token, parenthesized, token};

/// Bounds the quadratic conversion; a 1024-bit number has 309 decimal digits, its cofactor over a
/// quadratic extension twice that.
const MAX_CHARS: usize = 4096;
/// Bounds the recursion into signs and parentheses: a stack that overflows would end rustc.
const MAX_DEPTH: usize = 16;

/// A signed integer and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Number {
    pub(crate) value: BigInt,
    pub(crate) span: Span,
}

impl Number {
    /// The residue in `[0, p)`; an error for `|value| ≥ p`.
    pub(crate) fn canonical(&self, p: &BigUint) -> syn::Result<BigUint> {
        if self.value.magnitude() >= p {
            return Err(syn::Error::new(self.span, error::NOT_BELOW_MODULUS));
        }
        Ok(match self.value.sign() {
            Sign::Minus => p - self.value.magnitude(),
            _ => self.value.magnitude().clone(),
        })
    }

    /// The value, where a sign makes no sense.
    pub(crate) fn unsigned(&self) -> syn::Result<BigUint> {
        self.value.to_biguint().ok_or_else(|| syn::Error::new(self.span, error::NEGATIVE))
    }
}

impl Parse for Number {
    /// `["-"] integer | "(" number ")"`
    fn parse(input: ParseStream) -> syn::Result<Self> {
        Number::within(input, MAX_DEPTH)
    }
}

impl Number {
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
        input.step(|cursor| match cursor.literal() {
            Some((literal, rest)) => {
                let value = parse_integer(&literal.to_string())
                    .map_err(|message| syn::Error::new(literal.span(), message))?;
                Ok((Number { value, span: literal.span() }, rest))
            }
            None => Err(cursor.error(error::LITERAL)),
        })
    }
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
        assert_eq!(number("(-(1))").canonical(&p).unwrap(), 12u32.into());
        assert_eq!(number("-0").canonical(&p).unwrap(), 0u32.into());
        assert!(number("13").canonical(&p).is_err());
        assert!(number("-13").canonical(&p).is_err());
        assert!(number("-1").unsigned().is_err());
    }
}
