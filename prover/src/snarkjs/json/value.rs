//! JSON values that know their path, read as numbers and points; and the way back.

use super::error::JsonProblem;
use super::tree::Tree;
use ark_ec::AffineRepr;
use ark_ff::{Field as _, One, PrimeField, Zero};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, CoordinateOf, Group, Points as _, ProjectiveOf};
use num_bigint::BigUint;
use serde_json::Value;

/// Longest number looked at: 768-bit primes have 232 digits. Parsing is quadratic.
const MAX_DIGITS: usize = 400;

/// Bytes of a wrong value that an error shows.
const SHOWN: usize = 60;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node<'a> {
    path: String,
    value: &'a Tree<'a>,
}

impl<'a> Node<'a> {
    pub(super) fn root(value: &'a Tree<'a>) -> Self {
        Self { path: String::new(), value }
    }

    pub(super) fn wrong(&self, expected: impl ToString, found: impl ToString) -> JsonProblem {
        let field = if self.path.is_empty() { "the file".to_owned() } else { self.path.clone() };
        JsonProblem::Field { field, expected: expected.to_string(), found: found.to_string() }
    }

    /// As [`Node::wrong`], showing the beginning of a text that may be long.
    pub(super) fn wrong_text(&self, expected: impl ToString, text: &str) -> JsonProblem {
        if text.len() <= SHOWN {
            return self.wrong(expected, format_args!("{text:?}"));
        }
        let end = (0..=SHOWN).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
        self.wrong(expected, format_args!("{:?}… ({} bytes)", &text[..end], text.len()))
    }

    fn kind(&self) -> &'static str {
        match self.value {
            Tree::Null => "null",
            Tree::Bool => "a boolean",
            Tree::Number(_) => "a number",
            Tree::Text(_) => "a string",
            Tree::Array(_) => "an array",
            Tree::Object(_) => "an object",
        }
    }

    fn values_of<'k>(&self, key: &'k str) -> impl Iterator<Item = &'a Tree<'a>> + use<'a, 'k> {
        let members = if let Tree::Object(members) = self.value { &members[..] } else { &[] };
        members.iter().filter(move |(name, _)| name == key).map(|(_, value)| value)
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.values_of(key).next().is_some()
    }

    pub(super) fn key(&self, key: &str) -> Result<Node<'a>, JsonProblem> {
        if !matches!(self.value, Tree::Object(_)) {
            return Err(self.wrong("an object", self.kind()));
        }
        let problem = |found: &str| JsonProblem::Field {
            field: key.into(),
            expected: "a value".into(),
            found: found.into(),
        };
        let mut values = self.values_of(key);
        let value = values.next().ok_or_else(|| problem("missing"))?;
        // Readers differ in which of two they take.
        if values.next().is_some() {
            return Err(problem("given twice"));
        }
        Ok(Node { path: key.into(), value })
    }

    pub(super) fn string(&self) -> Result<&'a str, JsonProblem> {
        match self.value {
            Tree::Text(text) => Ok(text),
            _ => Err(self.wrong("a string", self.kind())),
        }
    }

    pub(super) fn integer(&self) -> Result<u64, JsonProblem> {
        match self.value {
            Tree::Number(Some(value)) => Ok(*value),
            _ => Err(self.wrong("a whole number", self.kind())),
        }
    }

    pub(super) fn array(&self) -> Result<impl ExactSizeIterator<Item = Node<'a>>, JsonProblem> {
        let Tree::Array(items) = self.value else {
            return Err(self.wrong("an array", self.kind()));
        };
        Ok(items.iter().enumerate().map(|(i, value)| Node { path: format!("{}[{i}]", self.path), value }))
    }

    fn array_of(&self, len: usize) -> Result<Vec<Node<'a>>, JsonProblem> {
        let items = self.array()?;
        if items.len() != len {
            return Err(self.wrong(format_args!("an array of {len}"), format_args!("of {}", items.len())));
        }
        Ok(items.collect())
    }

    /// A decimal string without sign or leading zeros, below the prime of `F`.
    pub(super) fn number<F: PrimeField>(&self) -> Result<F, JsonProblem> {
        let expected = "a decimal string below the field's prime";
        let Tree::Text(text) = self.value else {
            return Err(self.wrong(expected, self.kind()));
        };
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let canonical = digits && (text == "0" || !text.starts_with('0')) && text.len() <= MAX_DIGITS;
        let value = if canonical { BigUint::parse_bytes(text.as_bytes(), 10) } else { None };
        value
            .and_then(|v| F::BigInt::try_from(v).ok())
            .and_then(F::from_bigint)
            .ok_or_else(|| self.wrong_text(expected, text))
    }

    /// A coordinate: a number, or an array of numbers in an extension.
    fn coordinate<G: Group>(&self) -> Result<CoordinateOf<G>, JsonProblem> {
        let parts: Vec<<G::Base as Field>::Ark> = match G::DEGREE {
            1 => vec![self.number()?],
            degree => self.array_of(degree)?.iter().map(Node::number).collect::<Result<_, _>>()?,
        };
        CoordinateOf::<G>::from_base_prime_field_elems(parts)
            .ok_or_else(|| self.wrong(format_args!("{} numbers", G::DEGREE), self.kind()))
    }

    /// A point on the curve and in the subgroup of order r.
    pub(super) fn point<G: Group>(&self) -> Result<AffineOf<G>, JsonProblem> {
        let parts = self.array_of(3)?;
        let (x, y) = (parts[0].coordinate::<G>()?, parts[1].coordinate::<G>()?);
        let z = parts[2].coordinate::<G>()?;
        if z.is_zero() && x.is_zero() && y.is_one() {
            return Ok(AffineOf::<G>::zero());
        }
        if !z.is_one() {
            return Err(parts[2].wrong("1, or the identity as 0, 1, 0", z));
        }
        let point = ProjectiveOf::<G>::affine(x, y);
        // arkworks spells the identity (0, 0) where that is no point: here it is none either.
        if point.is_zero() || !ProjectiveOf::<G>::is_on_curve(&point) {
            return Err(self.wrong("a point on the curve", "off the curve"));
        }
        if !ProjectiveOf::<G>::is_in_subgroup(&point) {
            return Err(self.wrong("a point of order r", "outside the subgroup"));
        }
        Ok(point)
    }
}

/// A number as a decimal string.
pub(super) fn decimal<F: PrimeField>(value: &F) -> Value {
    Value::String(value.into_bigint().to_string())
}

/// A point as snarkjs writes it.
pub(super) fn point_to_json<G: Group>(point: &AffineOf<G>) -> Value {
    type C<G> = CoordinateOf<G>;
    let [x, y, z] = match point.xy() {
        Some((x, y)) => [x, y, C::<G>::one()],
        None => [C::<G>::zero(), C::<G>::one(), C::<G>::zero()],
    };
    [x, y, z].iter().map(coordinate_to_json::<G>).collect()
}

fn coordinate_to_json<G: Group>(value: &CoordinateOf<G>) -> Value {
    let mut parts: Vec<Value> = value.to_base_prime_field_elements().map(|x| decimal(&x)).collect();
    if parts.len() == 1 { parts.remove(0) } else { Value::Array(parts) }
}
