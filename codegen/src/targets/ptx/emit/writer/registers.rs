//! Virtual registers, and what instructions take: each value has one of its own, and ptxas allocates.

use crate::fir::ir::Type;
use std::fmt;

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    /// A register of 32 bits.
    Word(u32),
    /// A register of 64 bits.
    Long(u32),
    /// A predicate register.
    Truth(u32),
    /// A constant of 32 or 64 bits.
    Number(u64),
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Word(n) => write!(f, "%r{n}"),
            Atom::Long(n) => write!(f, "%rd{n}"),
            Atom::Truth(n) => write!(f, "%p{n}"),
            Atom::Number(n) => write!(f, "{n}"),
        }
    }
}

/// How many registers of each kind are in use.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Registers {
    words: u32,
    longs: u32,
    truths: u32,
}

impl Registers {
    /// A new register for a scalar; for words of elements too.
    pub(super) fn fresh(&mut self, ty: Type) -> Atom {
        let (count, atom): (_, fn(u32) -> Atom) = match ty {
            Type::Pred => (&mut self.truths, Atom::Truth),
            Type::U64 => (&mut self.longs, Atom::Long),
            // Elements of extensions have no program, which is an error where one is computed.
            Type::U32 | Type::Field | Type::Ext(_) | Type::Fields => (&mut self.words, Atom::Word),
        };
        *count += 1;
        atom(*count - 1)
    }

    /// The lines in braces, after the registers' declarations.
    pub(super) fn around(self, lines: &str) -> String {
        let kinds = [("pred", "%p", self.truths), ("b32", "%r", self.words), ("b64", "%rd", self.longs)];
        let kinds = kinds.into_iter().filter(|(.., count)| *count > 0);
        let declared: String =
            kinds.map(|(ty, name, count)| format!("\t.reg .{ty} {name}<{count}>;\n")).collect();
        format!("{{\n{declared}{lines}}}\n")
    }
}
