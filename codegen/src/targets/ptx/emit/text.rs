//! The text of a block as an LLVM inline-asm template.
//!
//! Placeholders are `$0..`: first every output word, then every input word. An output is written
//! where its value is made, possibly before the last input is read, so that **output constraints
//! must be early-clobber** (`=&r`); with `=r` LLVM may give an output an input's register.
//! The template has no side effect and reads no memory.

use std::fmt::Write;

use super::super::arithmetic::ir::{Block, CarryOut, Inst, Pred, Src, Word};
use super::super::arithmetic::print::{Names, c_in, c_out, source, write_inst};

/// Separator of instructions inside a template.
const SEP: &str = "\n\t";

/// The asm template of `block`: `{ .reg .u32 t<N>; .reg .pred q<M>; ... }`.
pub fn template(block: &Block) -> String {
    template_by(block, |text, inst, names| write_inst(text, inst, names, SEP))
}

/// As [`template`], without guards: in a sum under a guard the second operand is selected, 0 where the guard
/// does not hold. That is the same in a chain all under one guard, as
/// [`Builder`](super::super::arithmetic::ir::Builder) makes them: no flag leaves it, and in it nothing is
/// carried.
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
