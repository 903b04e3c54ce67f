//! Text form of a block, for snapshots and logs.

use std::fmt::{self, Write};

use super::ir::{Block, CarryOut, Inst, Pred, Src, Word};
use super::text::{Names, write_inst};

/// `block <name>(x: t0 t1) { ... }`, one instruction a line. A dropped carry is marked: `!` where
/// the bounds exclude it, `~` where it is lost on purpose.
impl fmt::Display for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "block {} {{", self.name())?;
        for input in self.inputs() {
            write!(f, "  in {}:", input.name)?;
            for &word in &input.words {
                write!(f, " {}", PlainNames.word(word))?;
            }
            writeln!(f)?;
        }
        for inst in self.insts() {
            let mut line = String::new();
            write_inst(&mut line, inst, &PlainNames, " ");
            let mark = match carry_out(inst) {
                Some(CarryOut::Never) => " !",
                Some(CarryOut::Lost) => " ~",
                _ => "",
            };
            writeln!(f, "  {line}{mark}")?;
        }
        for output in self.outputs() {
            write!(f, "  out {}:", output.name)?;
            for &src in &output.words {
                f.write_char(' ')?;
                match src {
                    Src::Word(word) => f.write_str(&PlainNames.word(word))?,
                    Src::Imm(value) => write!(f, "{value}")?,
                }
            }
            writeln!(f)?;
        }
        writeln!(f, "}}")
    }
}

struct PlainNames;

impl Names for PlainNames {
    fn word(&self, word: Word) -> String {
        format!("t{}", word.index())
    }

    fn pred(&self, pred: Pred) -> String {
        format!("q{}", pred.index())
    }
}

/// Additions without `.cc` only: a plain `mul` has no carry to drop.
fn carry_out(inst: &Inst) -> Option<CarryOut> {
    match *inst {
        Inst::Add { out, .. } | Inst::Sub { out, .. } | Inst::MadLo { out, .. } | Inst::MadHi { out, .. } => {
            Some(out)
        }
        _ => None,
    }
}
