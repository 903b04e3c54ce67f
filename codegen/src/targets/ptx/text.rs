//! The text of a block as an LLVM inline-asm template.
//!
//! Placeholders are `$0..`: first every output word, then every input word. An output is written
//! where its value is made, possibly before the last input is read, so that **output constraints
//! must be early-clobber** (`=&r`); with `=r` LLVM may give an output an input's register.
//! The template has no side effect and reads no memory.

use std::fmt::Write;

use super::ir::{Block, CarryOut, Cmp, Inst, Logic, Pred, Src, Word};

/// Separator of instructions inside a template.
const SEP: &str = "\n\t";

/// The asm template of `block`: `{ .reg .u32 t<N>; .reg .pred q<M>; ... }`.
pub fn template(block: &Block) -> String {
    template_by(block, |text, inst, names| write_inst(text, inst, names, SEP))
}

/// As [`template`], without guards: in a sum under a guard the second operand is selected, 0 where the guard does not hold. That is the same in a chain all under one
/// guard, as [`Builder`](super::ir::Builder) makes them: no flag leaves it, and in it nothing is carried.
pub fn unguarded_template(block: &Block) -> String {
    template_by(block, |text, inst, names| match *inst {
        Inst::Add { d, a, b, cin, out, guard: Some(q) } => {
            text.push_str(&selected("add", names, (d, a, b), (cin, out), q));
        }
        Inst::Sub { d, a, b, cin, out, guard: Some(q) } => {
            text.push_str(&selected("sub", names, (d, a, b), (cin, out), q));
        }
        _ => write_inst(text, inst, names, SEP),
    })
}

fn template_by(block: &Block, write: impl Fn(&mut String, &Inst, &Placeholders)) -> String {
    let names = Placeholders::new(block);
    let mut text = String::from("{");
    if names.temporaries > 0 {
        let _ = write!(text, "{SEP}.reg .u32 t<{}>;", names.temporaries);
    }
    if block.insts().iter().any(|inst| matches!(inst, Inst::MulWide { .. })) {
        let _ = write!(text, "{SEP}.reg .u64 w;");
    }
    if block.preds() > 0 {
        let _ = write!(text, "{SEP}.reg .pred q<{}>;", block.preds());
    }
    for inst in block.insts() {
        text.push_str(SEP);
        write(&mut text, inst, &names);
    }
    for (index, src) in names.copies.iter() {
        let _ = write!(text, "{SEP}mov.u32 ${index}, {};", source(*src, &names));
    }
    text.push_str(SEP);
    text.push('}');
    text
}

/// How words and predicates are called in a text.
pub(super) trait Names {
    fn word(&self, word: Word) -> String;
    fn pred(&self, pred: Pred) -> String;
}

/// Writes one instruction with its final semicolon, and two where a guard needs a move first.
pub(super) fn write_inst(text: &mut String, inst: &Inst, names: &impl Names, sep: &str) {
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

fn selected(
    op: &str,
    names: &impl Names,
    (d, a, b): (Word, Src, Src),
    (cin, out): (bool, CarryOut),
    guard: Pred,
) -> String {
    let (d, a, b) = (names.word(d), source(a, names), source(b, names));
    let q = names.pred(guard);
    format!("selp.u32 {d}, {b}, 0, {q};{SEP}{op}{}{}.u32 {d}, {a}, {d};", c_in(cin), c_out(out))
}

fn c_in(cin: bool) -> &'static str {
    if cin { "c" } else { "" }
}

fn c_out(out: CarryOut) -> &'static str {
    if out == CarryOut::Flag { ".cc" } else { "" }
}

fn source(src: Src, names: &impl Names) -> String {
    match src {
        Src::Word(word) => names.word(word),
        Src::Imm(value) => value.to_string(),
    }
}

struct Placeholders {
    words: Vec<String>,
    temporaries: usize,
    /// Outputs that are inputs, constants or repeated: copied at the end.
    copies: Vec<(usize, Src)>,
}

impl Placeholders {
    fn new(block: &Block) -> Self {
        let mut words: Vec<Option<String>> = vec![None; block.words()];
        let outputs = block.output_words();
        let inputs = block.inputs().iter().flat_map(|input| &input.words);
        for (index, word) in inputs.enumerate() {
            words[word.index()] = Some(format!("${}", outputs + index));
        }
        let mut copies = Vec::new();
        let sources = block.outputs().iter().flat_map(|output| &output.words);
        for (index, &src) in sources.enumerate() {
            match src {
                Src::Word(word) if words[word.index()].is_none() => {
                    words[word.index()] = Some(format!("${index}"));
                }
                _ => copies.push((index, src)),
            }
        }
        let mut temporaries = 0;
        let mut temporary = || {
            temporaries += 1;
            format!("t{}", temporaries - 1)
        };
        let words = words.into_iter().map(|name| name.unwrap_or_else(&mut temporary)).collect();
        Placeholders { words, temporaries, copies }
    }
}

impl Names for Placeholders {
    fn word(&self, word: Word) -> String {
        self.words[word.index()].clone()
    }

    fn pred(&self, pred: Pred) -> String {
        format!("q{}", pred.index())
    }
}
