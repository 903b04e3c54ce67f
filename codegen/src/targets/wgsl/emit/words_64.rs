//! Products by words of 64 bits as functions.

use crate::targets::wgsl::columns::ir::{Limb, Op, Program, Src};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A function of elements of `n` words. Writing to a string cannot fail.
pub(super) fn function(name: &str, program: &Program, n: usize) -> String {
    let inputs = (0..(program.inputs * n) as u32).map(|limb| {
        let name = format!("x{}.w{}", limb as usize / n, limb as usize % n);
        (Limb(limb), Name { name, bits: Some(32) })
    });
    let mut writer = Writer { names: inputs.collect(), text: String::new() };
    for (limb, op) in program.needed() {
        writer.line(limb, &op);
    }
    let words: Vec<String> = program.output.iter().map(|src| writer.short(*src)).collect();
    let arguments: Vec<String> = (0..program.inputs).map(|k| format!("x{k}: E")).collect();
    let Writer { text, .. } = writer;
    format!("fn {name}({}) -> E {{\n{text}  return E({});\n}}\n", arguments.join(", "), words.join(", "))
}

/// What a limb is called, a word of 64 bits, or one of 32 if it is known to have no more bits than so many:
/// drivers know no ranges, and multiply words of 64 bits by several instructions.
struct Name {
    name: String,
    bits: Option<u32>,
}

struct Writer {
    names: BTreeMap<Limb, Name>,
    text: String,
}

impl Writer {
    fn line(&mut self, limb: Limb, op: &Op) {
        let (value, bits) = self.value(op);
        let name = format!("t{}", limb.0);
        let _ = writeln!(self.text, "  let {name} = {value};");
        self.names.insert(limb, Name { name, bits });
    }

    /// Bits that a source has at most, if it is in a word of 32 bits.
    fn bits(&self, src: Src) -> Option<u32> {
        match src {
            Src::Imm(value) => Some(32 - value.leading_zeros()),
            Src::Limb(limb) => self.names[&limb].bits,
        }
    }

    /// A source as a word of 32 bits: its lowest ones.
    fn short(&self, src: Src) -> String {
        match src {
            Src::Imm(value) => format!("{value}u"),
            Src::Limb(limb) => match &self.names[&limb] {
                Name { name, bits: Some(_) } => name.clone(),
                Name { name, bits: None } => format!("u32({name})"),
            },
        }
    }

    /// A source as a word of 64 bits.
    fn long(&self, src: Src) -> String {
        match src {
            Src::Imm(value) => format!("{value}lu"),
            Src::Limb(limb) => match &self.names[&limb] {
                Name { name, bits: Some(_) } => format!("u64({name})"),
                Name { name, bits: None } => name.clone(),
            },
        }
    }

    /// What is written, and its bits if it is a word of 32.
    fn value(&self, op: &Op) -> (String, Option<u32>) {
        match *op {
            Op::Add(a, b) => {
                let bits = self.bits(a).zip(self.bits(b)).map(|(a, b)| a.max(b) + 1);
                match bits.filter(|bits| *bits <= 32) {
                    Some(bits) => (format!("{} + {}", self.short(a), self.short(b)), Some(bits)),
                    None => (format!("{} + {}", self.long(a), self.long(b)), None),
                }
            }
            Op::Mul { sum: Src::Imm(0), a, b } => (format!("{} * {}", self.long(a), self.long(b)), None),
            Op::Mul { sum, a, b } => {
                (format!("{} + {} * {}", self.long(sum), self.long(a), self.long(b)), None)
            }
            Op::Quotient { a, by, bits } => {
                (format!("({} * {by}u) & {}u", self.short(a.into()), mask(bits)), Some(bits))
            }
            Op::Carry { a, q, p0, bits } => {
                (format!("({} + {} * {p0}lu) >> {bits}u", self.long(a.into()), self.long(q.into())), None)
            }
            Op::Shift { a, bits } => match self.bits(a.into()) {
                Some(of) => (format!("{} >> {bits}u", self.short(a.into())), Some(of.saturating_sub(bits))),
                None => (format!("{} >> {bits}u", self.long(a.into())), None),
            },
            Op::Mask { a, bits } => (format!("{} & {}u", self.short(a.into()), mask(bits)), Some(bits)),
            Op::Double { a, bits } => {
                match self.bits(a.into()).map(|of| of + bits).filter(|bits| *bits <= 32) {
                    Some(all) => (format!("{} << {bits}u", self.short(a.into())), Some(all)),
                    None => (format!("{} << {bits}u", self.long(a.into())), None),
                }
            }
        }
    }
}

fn mask(bits: u32) -> u32 {
    (1 << bits) - 1
}
