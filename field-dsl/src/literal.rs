//! Integers of any length in declarations.

use crate::error;
use num_bigint::{BigInt, BigUint, Sign};
use proc_macro2::Span;
use syn::parse::{Parse, ParseStream};
use syn::{Token, parenthesized, token};

/// Bounds the quadratic conversion; a 2048-bit number has 617 decimal digits, its cofactor twice that.
const MAX_CHARS: usize = 4096;

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
        if input.peek(token::Paren) {
            let content;
            parenthesized!(content in input);
            return crate::parse::whole(&content, Number::parse);
        }
        if input.peek(Token![-]) {
            input.parse::<Token![-]>()?;
            let number = Number::parse(input)?;
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
