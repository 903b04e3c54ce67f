//! Kernels that are functions of field elements: the part of the language that this target has.

use super::limbs;
use crate::declaration::{FieldDesc, Tower};
use crate::error::PassError;
use crate::fir::build::{Builder, Fe};
use crate::fir::ir::{Below, Kernel, Op, Place, Stmt, Type, Value};
use curvesmith_abi::Geometry;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::FieldNeg;
use std::collections::BTreeMap;

/// The kernel of a function from `inputs` elements to those that `body` gives: it reads elements `0..inputs` of `a` and
/// writes elements `0..` of `out`.
pub fn function(
    field: &FieldDesc,
    name: &str,
    inputs: u32,
    body: impl for<'k> FnOnce(&'k Builder, &[Fe<'k>]) -> Vec<Fe<'k>>,
) -> Kernel {
    let b =
        Builder::new(name.to_owned(), FieldNeg::desc(&Geometry::PTX), Some(field.clone()), Tower::prime());
    let inputs: Vec<Fe<'_>> = (0..inputs).map(|i| b.buffer("a").field(b.u32(i))).collect();
    for (i, result) in body(&b, &inputs).into_iter().enumerate() {
        b.buffer("out").set_field(b.u32(i as u32), result);
    }
    b.finish()
}

/// Where an element lies: buffer, index, first word.
type At = (u32, u32, u32);

/// What a kernel reads and writes, where that is whole elements at fixed places and nothing else happens.
pub(super) struct Function {
    /// Elements that are read, by place; the order is that of the inputs.
    pub(super) inputs: BTreeMap<At, usize>,
    /// Which of them a value is.
    pub(super) reads: BTreeMap<Value, usize>,
    /// Elements that are written, by place; the order is that of the results.
    pub(super) results: BTreeMap<At, Value>,
}

impl Function {
    /// An error names what the kernel has besides.
    pub(super) fn of(kernel: &Kernel) -> Result<Function, PassError> {
        let Some(field) = &kernel.field else { return Err(lacks("kernels without a field")) };
        let mut reader = Reader { kernel, words: field.words, loaded: BTreeMap::new() };
        let mut function =
            Function { inputs: BTreeMap::new(), reads: BTreeMap::new(), results: BTreeMap::new() };
        let mut read = vec![];
        for stmt in &kernel.body {
            match stmt {
                Stmt::Let(v) => {
                    if let Some(at) = reader.value(*v)? {
                        read.push((*v, at));
                    }
                }
                Stmt::Load { results, place } => {
                    let (buffer, index, word) = reader.place(place)?;
                    let words = results.iter().zip(word..);
                    reader.loaded.extend(words.map(|(v, word)| (*v, (buffer, index, word))));
                }
                Stmt::Store { place, words } => {
                    function.results.insert(reader.place(place)?, reader.element(words)?);
                }
                _ => return Err(lacks("control, barriers or messages between threads")),
            }
        }
        for (_, at) in &read {
            function.inputs.insert(*at, 0);
        }
        for (number, input) in function.inputs.values_mut().enumerate() {
            *input = number;
        }
        function.reads = read.into_iter().map(|(v, at)| (v, function.inputs[&at])).collect();
        debug_assert!(limbs(field) > 0);
        Ok(function)
    }
}

fn lacks(what: &str) -> PassError {
    PassError::Unsupported(what.into())
}

struct Reader<'a> {
    kernel: &'a Kernel,
    /// Words of an element in memory.
    words: usize,
    /// Where words come from.
    loaded: BTreeMap<Value, At>,
}

impl Reader<'_> {
    /// Judges a value; where it lies if it is an element that is read.
    fn value(&self, v: Value) -> Result<Option<At>, PassError> {
        match &self.kernel[v] {
            Op::FromWords(_, below) | Op::Word(.., below) if *below != Below::CANONICAL => {
                Err(lacks("words of elements that are not canonical"))
            }
            Op::FromWords(words, _) => {
                let first = words.first().and_then(|w| self.loaded.get(w)).copied();
                let first = first.ok_or_else(|| lacks("elements that are made of words"))?;
                let follows =
                    |(w, word): (&Value, u32)| self.loaded.get(w) == Some(&(first.0, first.1, word));
                let whole = words.iter().zip(first.2..).all(follows);
                if whole { Ok(Some(first)) } else { Err(lacks("elements of words from several places")) }
            }
            Op::Select(..) if self.kernel.ty(v) != Type::Field => Err(lacks("selections of integers")),
            Op::U32(_) | Op::Const(_) | Op::Field(..) | Op::Select(..) | Op::Not(_) | Op::Bool(_) => Ok(None),
            // What reads it is judged.
            Op::Word(..) => Ok(None),
            Op::Get(_) => Err(lacks("locals")),
            _ => Err(lacks("operations on integers")),
        }
    }

    fn place(&self, place: &Place) -> Result<At, PassError> {
        match *place {
            Place::Global { buffer, index, word } => match self.kernel[index] {
                Op::U32(index) => Ok((buffer.0, index, word)),
                _ => Err(lacks("places that are computed")),
            },
            Place::Part { .. } => Err(lacks("parts that are computed")),
            Place::Shared { .. } => Err(lacks("shared memory")),
        }
    }

    /// The element that words are, padding left aside.
    fn element(&self, words: &[Value]) -> Result<Value, PassError> {
        let part = |v: &Value| match self.kernel[*v] {
            Op::Word(of, i, _) => Some((of, i)),
            _ => None,
        };
        let of = words.first().and_then(part).map(|(of, _)| of);
        let of = of.ok_or_else(|| lacks("stores of words"))?;
        let (body, padding) = words.split_at(self.words.min(words.len()));
        let whole = body.len() == self.words
            && body.iter().zip(0..).all(|(v, i)| part(v) == Some((of, i)))
            && padding.iter().all(|v| self.kernel[*v] == Op::U32(0));
        if whole { Ok(of) } else { Err(lacks("stores of parts of elements")) }
    }
}
