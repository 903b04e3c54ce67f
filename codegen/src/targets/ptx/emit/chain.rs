//! One operation several times in a row, as PTX text: what assembled code of it costs.
//!
//! With `count` and with one repetition, the difference of two kernels divided by `count - 1` is what one
//! operation takes between its like, without loads and stores.

use std::fmt::Write;

use crate::targets::ptx::arithmetic::ir::{Block, Pred, Src, Word};
use crate::targets::ptx::arithmetic::print::{Names, write_inst};

/// A kernel `name` that loads the block's operands, runs it `count` times, each time with the last
/// result as first operand, and stores the result. The block has one output as long as its first
/// operand.
pub fn kernel(block: &Block, name: &str, count: usize) -> String {
    let mut text = String::from(".version 8.0\n.target sm_75\n.address_size 64\n");
    let _ = writeln!(text, ".visible .entry {name}(.param .u64 from, .param .u64 to) .maxntid 128, 1, 1 {{");
    let _ = writeln!(text, ".reg .u64 f, t, i, w;\n.reg .u32 tid;");
    let _ = writeln!(
        text,
        ".reg .u32 x<{}>;\n.reg .pred q<{}>;",
        block.words() * count,
        block.preds() * count + 1
    );
    let _ = writeln!(text, "ld.param.u64 f, [from];\nld.param.u64 t, [to];\nmov.u32 tid, %tid.x;");
    let _ = writeln!(text, "mul.wide.u32 i, tid, 4;\nadd.u64 f, f, i;\nadd.u64 t, t, i;");
    // Words of a lane lie 512 bytes apart, so that lanes read side by side.
    let inputs: Vec<Word> = block.inputs().iter().flat_map(|input| input.words.clone()).collect();
    for (k, &word) in inputs.iter().enumerate() {
        let _ = writeln!(text, "ld.global.u32 {}, [f+{}];", Copy { block, number: 0 }.word(word), 512 * k);
    }
    let first = block.inputs().first().map_or(0, |input| input.words.len());
    let results = |number: usize| {
        let names = Copy { block, number };
        let words = block.outputs()[0].words.iter();
        words.map(move |&src| names.source(src)).collect::<Vec<String>>()
    };
    for number in 0..count {
        let names = Copy { block, number };
        if number > 0 {
            let (last, before) = (results(number - 1), Copy { block, number: number - 1 });
            for (k, &word) in inputs.iter().enumerate() {
                let from = if k < first { last[k].clone() } else { before.word(word) };
                let _ = writeln!(text, "mov.u32 {}, {from};", names.word(word));
            }
        }
        for inst in block.insts() {
            write_inst(&mut text, inst, &names, "\n");
            text.push('\n');
        }
    }
    for (k, word) in results(count - 1).iter().enumerate() {
        let _ = writeln!(text, "st.global.u32 [t+{}], {word};", 512 * k);
    }
    text.push_str("ret;\n}\n");
    text
}

/// Names in one of the repetitions.
#[derive(Clone, Copy)]
struct Copy<'a> {
    block: &'a Block,
    number: usize,
}

impl Copy<'_> {
    fn source(self, src: Src) -> String {
        match src {
            Src::Word(word) => self.word(word),
            Src::Imm(value) => value.to_string(),
        }
    }
}

impl Names for Copy<'_> {
    fn word(&self, word: Word) -> String {
        format!("x{}", self.number * self.block.words() + word.index())
    }

    fn pred(&self, pred: Pred) -> String {
        format!("q{}", self.number * self.block.preds() + pred.index())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::FieldDesc;
    use crate::targets::ptx::arithmetic::ir::Inst;
    use crate::targets::ptx::{Bound, FieldOp, choose};

    #[test]
    fn each_repetition_takes_the_last_result() {
        let f = FieldDesc::new("m31", 0x7fff_ffffu32.into());
        let block = choose(&f, &FieldOp::Add, &[Bound::Canonical; 2]).unwrap().into_block();
        let Some(Inst::Add { d, .. }) = block.insts().first() else { panic!("an addition adds") };
        let text = kernel(&block, "add3", 3);
        let (words, sum) = (block.words(), d.index());
        assert_eq!(text.matches("ld.global").count(), 2);
        assert_eq!(text.matches("add.u32 x").count(), 3);
        assert!(text.contains(&format!("mov.u32 x{words}, x{sum};")), "{text}");
        assert!(text.contains(&format!("st.global.u32 [t+0], x{};", 2 * words + sum)), "{text}");
    }
}
