//! Values of expressions that stand where a literal belongs, for the message that tells it.

use crate::literal::{MAX_DEPTH, literal};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{ToPrimitive, Zero};
use syn::parse::ParseStream;
use syn::{Token, parenthesized, token};

/// Bits of a value, more than any number of a declaration has.
const MAX_BITS: u64 = 1 << 13;
/// Literals of an expression.
const MAX_LITERALS: usize = 64;

/// Whether an operator follows, so that what was read is no number of its own.
pub(crate) fn goes_on(input: ParseStream) -> bool {
    input.peek(Token![+])
        || input.peek(Token![-])
        || input.peek(Token![*])
        || input.peek(Token![/])
        || input.peek(Token![^])
        || input.peek(Token![<<])
}

/// The value of an expression of integers that ends where a number may end; `^` and `**` are powers.
/// `None` for anything else, and for values that are too long.
pub(crate) fn value(input: ParseStream) -> Option<BigInt> {
    let value = Evaluation { literals: 0 }.shifted(input, MAX_DEPTH)?;
    let ends = input.is_empty() || input.peek(Token![;]) || input.peek(Token![,]) || input.peek(token::Brace);
    ends.then_some(value)
}

/// Each level of precedence by those above it; `depth` bounds the recursion.
struct Evaluation {
    literals: usize,
}

impl Evaluation {
    /// `sum { "<<" sum }`
    fn shifted(&mut self, input: ParseStream, depth: usize) -> Option<BigInt> {
        let mut value = self.sum(input, depth)?;
        while input.parse::<Token![<<]>().is_ok() {
            let by = self.sum(input, depth)?.to_u64().filter(|by| *by <= MAX_BITS)?;
            value = short(value << by)?;
        }
        Some(value)
    }

    /// `product { ("+" | "-") product }`
    fn sum(&mut self, input: ParseStream, depth: usize) -> Option<BigInt> {
        let mut value = self.product(input, depth)?;
        loop {
            if input.parse::<Token![+]>().is_ok() {
                value += self.product(input, depth)?;
            } else if input.parse::<Token![-]>().is_ok() {
                value -= self.product(input, depth)?;
            } else {
                return short(value);
            }
        }
    }

    /// `signed { ("*" | "/") signed }`, with quotients that are integers.
    fn product(&mut self, input: ParseStream, depth: usize) -> Option<BigInt> {
        let mut value = self.signed(input, depth)?;
        loop {
            if input.parse::<Token![*]>().is_ok() {
                value = short(value * self.signed(input, depth)?)?;
            } else if input.parse::<Token![/]>().is_ok() {
                let by = self.signed(input, depth)?;
                let (quotient, rest) = (!by.is_zero()).then(|| value.div_rem(&by))?;
                value = rest.is_zero().then_some(quotient)?;
            } else {
                return Some(value);
            }
        }
    }

    /// `{ "-" } power`
    fn signed(&mut self, input: ParseStream, depth: usize) -> Option<BigInt> {
        if input.parse::<Token![-]>().is_ok() {
            return Some(-self.signed(input, depth.checked_sub(1)?)?);
        }
        self.power(input, depth)
    }

    /// `atom [ ("^" | "**") signed ]`
    fn power(&mut self, input: ParseStream, depth: usize) -> Option<BigInt> {
        let base = self.atom(input, depth)?;
        if input.peek(Token![*]) && input.peek2(Token![*]) {
            input.parse::<Token![*]>().ok()?;
            input.parse::<Token![*]>().ok()?;
        } else if input.parse::<Token![^]>().is_err() {
            return Some(base);
        }
        let exponent = self.signed(input, depth.checked_sub(1)?)?.to_u32()?;
        let bits = base.bits().max(1).checked_mul(exponent.into())?;
        (bits <= MAX_BITS).then(|| base.pow(exponent))
    }

    /// `literal | "(" expression ")"`
    fn atom(&mut self, input: ParseStream, depth: usize) -> Option<BigInt> {
        if input.peek(token::Paren) {
            let depth = depth.checked_sub(1)?;
            return inside(input, |content| self.shifted(content, depth)).ok()?;
        }
        self.literals += 1;
        let number = literal(input).ok().filter(|_| self.literals <= MAX_LITERALS)?;
        short(number.value)
    }
}

/// What is read of all between parentheses.
fn inside(
    input: ParseStream,
    read: impl FnOnce(ParseStream) -> Option<BigInt>,
) -> syn::Result<Option<BigInt>> {
    let content;
    parenthesized!(content in input);
    Ok(read(&content).filter(|_| content.is_empty()))
}

fn short(value: BigInt) -> Option<BigInt> {
    (value.bits() <= MAX_BITS).then_some(value)
}

#[cfg(test)]
mod tests {
    use crate::literal::Number;

    /// The message about a number that is an expression.
    fn message(text: &str) -> String {
        syn::parse_str::<Number>(text).expect_err("it is no literal").to_string()
    }

    #[test]
    fn values_are_those_of_mathematics() {
        for (text, value) in [
            ("2^255 - 19", "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed"),
            ("2**8 - 1", "255"),
            ("(2^4 - 1) * 3 + 1", "46"),
            ("1 << 4 + 1", "32"),
            ("-2^2", "-4"),
            ("2^3^2", "512"),
            ("7 - 3 - 2", "2"),
            ("2 * (3 + 4) / 7", "2"),
            ("-(2^64)", "-0x10000000000000000"),
            ("0x10 - 1", "15"),
        ] {
            let end = format!("its value is {value}");
            assert!(message(text).ends_with(&end), "{text}: {}", message(text));
        }
    }

    #[test]
    fn what_has_no_value_is_refused_without_one() {
        let deep = format!("{}1{} + 1", "(".repeat(40), ")".repeat(40));
        let long = vec!["1"; 1000].join(" + ");
        let towers = ["2^2^2^2^2^2", "2^8193", "1 << 100000", "9^9^9", "(1 << 8000) << 8000"];
        for text in ["2^n - 1", "7 / 2", "7 / 0", "2^-1", "1 +", &deep, &long].into_iter().chain(towers) {
            assert!(!message(text).contains("value"), "{text}: {}", message(text));
        }
    }
}
