//! Programs of field operations as functions of elements.

use super::rows::{self, Operand, Rows, Slot};
use crate::targets::limbs::ir::{Inst, Limb, Pair, Program, Src};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const ZERO: Src = Src::Imm(0);

/// A function of `inputs` elements of `n` words. Writing to a string cannot fail.
pub(super) fn function(name: &str, program: &Program, n: usize) -> String {
    let mut used = vec![false; program.limbs as usize];
    let read = program.insts.iter().flat_map(Inst::reads).chain(program.output.iter().copied());
    for src in read {
        if let Src::Limb(limb) = src {
            used[limb.0 as usize] = true;
        }
    }
    let inputs = (0..program.inputs * n).map(|limb| (limb as u32, format!("x{}.w{}", limb / n, limb % n)));
    let rows = rows::find(program, n);
    let mut writer = Writer { names: inputs.collect(), used, text: String::new(), indent: "  " };
    match &rows {
        Some(rows) => {
            writer.straight(&program.insts[..rows.start]);
            writer.repeated(program, rows);
            writer.straight(&program.insts[rows.start + rows.count * rows.length..]);
        }
        None => writer.straight(&program.insts),
    }
    let words: Vec<String> = program.output.iter().map(|src| writer.source(*src)).collect();
    let arguments: Vec<String> = (0..program.inputs).map(|k| format!("x{k}: E")).collect();
    let Writer { text, .. } = writer;
    format!("fn {name}({}) -> E {{\n{text}  return E({});\n}}\n", arguments.join(", "), words.join(", "))
}

struct Writer {
    /// What limbs are called that are written.
    names: BTreeMap<u32, String>,
    /// Whether a limb is read.
    used: Vec<bool>,
    text: String,
    indent: &'static str,
}

impl Writer {
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", self.indent);
    }

    fn source(&self, src: Src) -> String {
        match src {
            Src::Imm(value) => format!("{value:#x}u"),
            Src::Limb(limb) => self.names[&limb.0].clone(),
        }
    }

    fn straight(&mut self, insts: &[Inst]) {
        for inst in insts {
            let sources: Vec<String> = inst.reads().into_iter().map(|src| self.source(src)).collect();
            self.inst(inst, &sources);
        }
    }

    fn used(&self, limb: Limb) -> bool {
        self.used[limb.0 as usize]
    }

    /// One limb by an expression, where it is read.
    fn set(&mut self, limb: Limb, expression: &str) {
        if self.used(limb) {
            let name = format!("t{}", limb.0);
            self.line(&format!("let {name} = {expression};"));
            self.names.insert(limb.0, name);
        }
    }

    /// An instruction whose operands are called so.
    fn inst(&mut self, inst: &Inst, s: &[String]) {
        match *inst {
            Inst::Select { out, .. } => self.set(out, &format!("select({}, {}, {} == 1u)", s[2], s[1], s[0])),
            Inst::Pair { low, high, by: Pair::Add(_, _, carry) } => {
                let sum = format!("s{}", low.0);
                self.line(&format!("let {sum} = {} + {};", s[0], s[1]));
                if carry == ZERO {
                    self.set(high, &format!("u32({sum} < {})", s[0]));
                    self.names.insert(low.0, sum);
                } else {
                    let all = format!("t{}", low.0);
                    self.line(&format!("let {all} = {sum} + {};", s[2]));
                    self.set(high, &format!("u32({sum} < {}) + u32({all} < {sum})", s[0]));
                    self.names.insert(low.0, all);
                }
            }
            Inst::Pair { low, high, by: Pair::Sub(_, _, borrow) } => {
                let difference = format!("s{}", low.0);
                self.line(&format!("let {difference} = {} - {};", s[0], s[1]));
                if borrow == ZERO {
                    self.set(high, &format!("u32({} < {})", s[0], s[1]));
                    self.names.insert(low.0, difference);
                } else {
                    self.set(low, &format!("{difference} - {}", s[2]));
                    self.set(high, &format!("u32({} < {}) + u32({difference} < {})", s[0], s[1], s[2]));
                }
            }
            Inst::Pair { low, high, by: Pair::MulAdd(_, _, c, d) } => {
                if !self.used(high) && (c, d) == (ZERO, ZERO) {
                    return self.set(low, &format!("{} * {}", s[0], s[1]));
                }
                let both = format!("m{}", low.0);
                self.line(&format!("let {both} = mul_add({});", s.join(", ")));
                self.names.insert(low.0, format!("{both}.x"));
                self.names.insert(high.0, format!("{both}.y"));
            }
        }
    }

    /// Rows as a loop: what is carried and what rotates are variables.
    fn repeated(&mut self, program: &Program, rows: &Rows) {
        let all = || rows.operands.iter().flatten();
        let mut rotating: Vec<u32> = vec![];
        let mut carried: Vec<(Slot, Src)> = vec![];
        for operand in all() {
            match *operand {
                Operand::Rotating(limb) if !rotating.contains(&limb) => rotating.push(limb),
                Operand::Carried(slot, first) if !carried.contains(&(slot, first)) => {
                    carried.push((slot, first));
                }
                _ => {}
            }
        }
        for limb in &rotating {
            for k in 0..rows.count as u32 {
                let from = self.names[&(limb + k)].clone();
                self.line(&format!("var r{}_{k} = {from};", limb));
            }
        }
        for (k, (_, first)) in carried.iter().enumerate() {
            let first = self.source(*first);
            self.line(&format!("var c{k} = {first};"));
        }
        let last = rows.start + (rows.count - 1) * rows.length;
        let kept = self.kept(program, rows, &carried);
        for (slot, _) in kept.iter().filter(|(slot, _)| !carried.iter().any(|(s, _)| s == slot)) {
            self.line(&format!("var k{}_{} = 0u;", slot.0, slot.1));
        }
        self.line(&format!("for (var row = 0u; row < {}u; row++) {{", rows.count));
        self.indent = "    ";
        for (at, inst) in program.insts[rows.start..rows.start + rows.length].iter().enumerate() {
            let named = |operand: &Operand| match *operand {
                Operand::Fixed(src) => self.source(src),
                Operand::Rotating(limb) => format!("r{limb}_0"),
                Operand::Own((at, slot)) => {
                    self.names[&program.insts[rows.start + at].writes()[slot].0].clone()
                }
                Operand::Carried(slot, first) => {
                    let k = carried.iter().position(|known| *known == (slot, first));
                    format!("c{}", k.expect("collected above"))
                }
            };
            let sources: Vec<String> = rows.operands[at].iter().map(named).collect();
            // A limb is read where that of any row is.
            for (slot, limb) in inst.writes().into_iter().enumerate() {
                let in_any = (0..rows.count)
                    .any(|row| self.used(program.insts[rows.start + row * rows.length + at].writes()[slot]));
                self.used[limb.0 as usize] |= in_any;
            }
            self.inst(inst, &sources);
        }
        let own = |writer: &Writer, (at, slot): Slot| {
            writer.names[&program.insts[rows.start + at].writes()[slot].0].clone()
        };
        for (k, (slot, _)) in carried.iter().enumerate() {
            let from = own(self, *slot);
            self.line(&format!("c{k} = {from};"));
        }
        for (slot, name) in &kept {
            if name.starts_with('k') {
                let from = own(self, *slot);
                self.line(&format!("{name} = {from};"));
            }
        }
        for limb in &rotating {
            for k in 1..rows.count {
                self.line(&format!("r{limb}_{} = r{limb}_{k};", k - 1));
            }
        }
        self.indent = "  ";
        self.line("}");
        for ((at, slot), name) in kept {
            let limb = program.insts[last + at].writes()[slot];
            self.names.insert(limb.0, name);
        }
    }

    /// The limbs of the last row that are read behind it, and the variables that hold them.
    fn kept(&self, program: &Program, rows: &Rows, carried: &[(Slot, Src)]) -> Vec<(Slot, String)> {
        let last = rows.start + (rows.count - 1) * rows.length;
        let behind = program.insts[last + rows.length..].iter().flat_map(Inst::reads);
        let read: Vec<Src> = behind.chain(program.output.iter().copied()).collect();
        let mut kept = vec![];
        for at in 0..rows.length {
            for (slot, limb) in program.insts[last + at].writes().into_iter().enumerate() {
                if read.contains(&limb.into()) {
                    let held = carried.iter().position(|(known, _)| *known == (at, slot));
                    let name = held.map_or_else(|| format!("k{at}_{slot}"), |k| format!("c{k}"));
                    kept.push(((at, slot), name));
                }
            }
        }
        kept
    }
}
