//! Text form of an instruction as PTX has it, and of a block for snapshots and logs.

use std::fmt::{self, Write};

use super::ir::{Block, CarryOut, Cmp, Inst, Logic, Pred, Src, Word};

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

/// How words and predicates are called in a text.
pub(in crate::targets::ptx) trait Names {
    fn word(&self, word: Word) -> String;
    fn pred(&self, pred: Pred) -> String;
}

/// Writes one instruction with its final semicolon, and two where a guard needs a move first.
pub(in crate::targets::ptx) fn write_inst(text: &mut String, inst: &Inst, names: &impl Names, sep: &str) {
    let s = |src: Src| source(src, names);
    let w = |word: Word| names.word(word);
    let line = match *inst {
        Inst::Add { d, a, b, cin, out, guard } => guarded("add", names, (d, a, b), (cin, out), guard, sep),
        Inst::Sub { d, a, b, cin, out, guard } => guarded("sub", names, (d, a, b), (cin, out), guard, sep),
        Inst::MulLo { d, a, b } => format!("mul.lo.u32 {}, {}, {};", w(d), s(a), s(b)),
        Inst::MulHi { d, a, b } => format!("mul.hi.u32 {}, {}, {};", w(d), s(a), s(b)),
        Inst::MulWide { lo, hi, a, b } => {
            format!("mul.wide.u32 w, {}, {};{sep}mov.b64 {{{}, {}}}, w;", s(a), s(b), w(lo), w(hi))
        }
        Inst::MadLo { d, a, b, c, cin, out } => {
            format!("mad{}.lo{}.u32 {}, {}, {}, {};", c_in(cin), c_out(out), w(d), s(a), s(b), s(c))
        }
        Inst::MadHi { d, a, b, c, cin, out } => {
            format!("mad{}.hi{}.u32 {}, {}, {}, {};", c_in(cin), c_out(out), w(d), s(a), s(b), s(c))
        }
        Inst::Logic { op, d, a, b } => {
            let op = match op {
                Logic::And => "and",
                Logic::Or => "or",
                Logic::Xor => "xor",
            };
            format!("{op}.b32 {}, {}, {};", w(d), s(a), s(b))
        }
        Inst::Shl { d, a, by } => format!("shl.b32 {}, {}, {by};", w(d), s(a)),
        Inst::Shr { d, a, by } => format!("shr.u32 {}, {}, {by};", w(d), s(a)),
        Inst::ShfL { d, lo, hi, by } => format!("shf.l.wrap.b32 {}, {}, {}, {by};", w(d), s(lo), s(hi)),
        Inst::Setp { q, cmp, a, b } => {
            let cmp = match cmp {
                Cmp::Eq => "eq",
                Cmp::Ne => "ne",
                Cmp::Ge => "ge",
            };
            format!("setp.{cmp}.u32 {}, {}, {};", names.pred(q), s(a), s(b))
        }
        Inst::Selp { d, a, b, q } => {
            format!("selp.u32 {}, {}, {}, {};", w(d), s(a), s(b), names.pred(q))
        }
    };
    text.push_str(&line);
}

fn guarded(
    op: &str,
    names: &impl Names,
    (d, a, b): (Word, Src, Src),
    (cin, out): (bool, CarryOut),
    guard: Option<Pred>,
    sep: &str,
) -> String {
    let (d, a, b) = (names.word(d), source(a, names), source(b, names));
    let inst = format!("{op}{}{}.u32 {d}, {a}, {b};", c_in(cin), c_out(out));
    match guard {
        None => inst,
        Some(q) => format!("mov.u32 {d}, {a};{sep}@{} {inst}", names.pred(q)),
    }
}

pub(in crate::targets::ptx) fn c_in(cin: bool) -> &'static str {
    if cin { "c" } else { "" }
}

pub(in crate::targets::ptx) fn c_out(out: CarryOut) -> &'static str {
    if out == CarryOut::Flag { ".cc" } else { "" }
}

pub(in crate::targets::ptx) fn source(src: Src, names: &impl Names) -> String {
    match src {
        Src::Word(word) => names.word(word),
        Src::Imm(value) => value.to_string(),
    }
}
