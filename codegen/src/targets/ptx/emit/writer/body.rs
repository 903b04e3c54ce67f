//! The lines of one kernel or function.

use super::Module;
use super::registers::{Atom, Registers};
use crate::error::EmitError;
use crate::fir::ir::*;
use crate::passes::Checked;
use crate::targets::Machine;
use crate::targets::ptx::emit::layout::{self, Aligned, Piece};
use crate::targets::ptx::emit::{block, effects, is_called, text_of};
use crate::targets::ptx::machine::locals;
use crate::targets::ptx::{Choice, Ptx};
use crate::targets::walk::{Index, Language};
use curvesmith_abi::{Access, ParamKind, padded_words};
use std::fmt::Write as _;

/// Where a local lives.
enum Home {
    /// Registers that are written again and again.
    Registers(Vec<Atom>),
    /// Four-word slots of shared memory, from this one on.
    Shared(u32),
}

/// What is written of a body.
pub(super) struct Body<'a> {
    module: &'a mut Module,
    checked: &'a Checked<Ptx>,
    kernel: &'a Kernel,
    /// Which body of the module it is; labels have its number.
    number: usize,
    lines: String,
    registers: Registers,
    labels: u32,
    locals: Vec<Home>,
    /// Shared arrays in their pieces.
    arrays: Vec<Vec<Piece>>,
    /// Whether multiplications are calls.
    calls: bool,
}

/// An address: what stands in brackets, and what is known of its alignment.
struct Address {
    base: String,
    /// In words.
    offset: u32,
    aligned: Aligned,
}

impl<'a> Body<'a> {
    pub(super) fn new(module: &'a mut Module, checked: &'a Checked<Ptx>, number: usize) -> Self {
        let kernel = checked.kernel();
        let mut registers = Registers::default();
        let home = |(local, slot): (&LocalDecl, Option<u32>)| match slot {
            Some(slot) => Home::Shared(slot),
            None => {
                let words = if local.ty == Type::Field { kernel.field().words } else { 1 };
                Home::Registers((0..words).map(|_| registers.fresh(local.ty)).collect())
            }
        };
        let locals = kernel.locals.iter().zip(locals::place(kernel).0).map(home).collect();
        let arrays = layout::pieces(kernel);
        let mut lines = String::new();
        let pieces = arrays.iter().flatten().map(|piece| (piece.name.clone(), piece.length));
        for (name, words) in pieces.chain(slots(kernel)) {
            line(&mut lines, &format!(".shared .align 16 .b8 {name}[{}];", 4 * words));
        }
        let calls = Ptx::calls(kernel);
        Body { module, checked, kernel, number, lines, registers, labels: 0, locals, arrays, calls }
    }

    /// The body in braces.
    pub(super) fn finish(self) -> String {
        self.registers.around(&self.lines)
    }

    /// One instruction. Writing to a string cannot fail.
    fn line(&mut self, text: impl AsRef<str>) {
        line(&mut self.lines, text.as_ref());
    }

    /// An instruction with a result of a type in a register of its own.
    fn result(&mut self, ty: Type, opcode: &str, operands: &[&Atom]) -> Atom {
        let d = self.registers.fresh(ty);
        let operands: String = operands.iter().map(|atom| format!(", {atom}")).collect();
        self.line(format!("{opcode} {d}{operands};"));
        d
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("$L{}_{}", self.number, self.labels)
    }

    /// Goes on at a label.
    fn at(&mut self, label: &str) {
        let _ = writeln!(self.lines, "{label}:");
    }

    fn goto(&mut self, label: &str) {
        self.line(format!("bra.uni {label};"));
    }

    /// `base + index·bytes`.
    fn indexed(&mut self, base: &Atom, index: &Atom, bytes: u32) -> Atom {
        let offset = self.result(Type::U64, "mul.wide.u32", &[index, &Atom::Number(bytes.into())]);
        self.result(Type::U64, "add.u64", &[base, &offset])
    }

    fn place_of(&mut self, place: &Place, index: &Index<Atom>) -> Result<Address, EmitError> {
        let (buffer, word) = match *place {
            Place::Global { buffer, word, .. } | Place::Part { buffer, word, .. } => (buffer, word),
            Place::Shared { array, .. } => return Ok(self.in_piece(array, 0, &index.element)),
        };
        let stride = layout::stride(self.kernel, buffer.0)?;
        let base = self.registers.fresh(Type::U64);
        self.line(format!("ld.param.u64 {base}, [{}];", param(&self.kernel.symbol, buffer.0 as usize)));
        let mut at = self.indexed(&base, &index.element, 4 * stride);
        let mut aligned = Aligned::to(stride);
        if let Some(part) = &index.part {
            let each = padded_words(self.kernel.field.as_ref().map_or(0, |f| f.words)) as u32;
            at = self.indexed(&at, part, 4 * each);
            aligned = Aligned::to(each);
        }
        // Allocations are aligned to 16 bytes and more.
        Ok(Address { base: at.to_string(), offset: word, aligned: aligned.offset(word) })
    }

    /// The words of a piece of a shared array at an index.
    fn in_piece(&mut self, array: SharedId, piece: usize, index: &Atom) -> Address {
        let Piece { name, width, .. } = &self.arrays[array.0 as usize][piece];
        let (name, width) = (name.clone(), *width);
        let base = self.symbol(&name);
        let at = self.indexed(&base, index, 4 * width);
        Address { base: at.to_string(), offset: 0, aligned: Aligned::to(width) }
    }

    /// The address of a shared array.
    fn symbol(&mut self, name: &str) -> Atom {
        let base = self.registers.fresh(Type::U64);
        self.line(format!("mov.u64 {base}, {name};"));
        base
    }

    /// A slot of this thread.
    fn slot(&mut self, slot: u32) -> Result<Address, EmitError> {
        let Some((name, _)) = slots(self.kernel) else {
            return Err(self.fault("no slots are declared".into()));
        };
        let (base, thread) = (self.symbol(&name), self.special(Special::Thread)?);
        let at = self.indexed(&base, &thread, 16);
        let offset = slot * layout::slot_words(self.kernel);
        Ok(Address { base: at.to_string(), offset, aligned: Aligned::to(4) })
    }

    /// Loads by an opcode without width and type.
    fn load_at(&mut self, opcode: &str, at: &Address, count: usize) -> Vec<Atom> {
        let words: Vec<Atom> = (0..count).map(|_| self.registers.fresh(Type::U32)).collect();
        for (start, width) in at.aligned.runs(count) {
            let (vector, data) = vector(&words[start as usize..][..width as usize]);
            let offset = 4 * (at.offset + start);
            self.line(format!("{opcode}{vector}.u32 {data}, [{}+{offset}];", at.base));
        }
        words
    }

    fn store_at(&mut self, opcode: &str, at: &Address, words: &[Atom]) {
        for (start, width) in at.aligned.runs(words.len()) {
            let (vector, data) = vector(&words[start as usize..][..width as usize]);
            let offset = 4 * (at.offset + start);
            self.line(format!("{opcode}{vector}.u32 [{}+{offset}], {data};", at.base));
        }
    }

    /// How a buffer's words are loaded: what a kernel reads only, nothing writes while it runs.
    fn load_opcode(&self, place: &Place) -> &'static str {
        let read_only = |buffer: ParamId| {
            let kind = self.kernel.desc.params[buffer.0 as usize].kind;
            matches!(kind, ParamKind::Buffer(Access::In, _))
        };
        match *place {
            Place::Global { buffer, .. } | Place::Part { buffer, .. } => match read_only(buffer) {
                true => "ld.global.nc",
                false => "ld.global",
            },
            Place::Shared { .. } => "ld.shared",
        }
    }

    /// A call of a function by its name.
    fn called(&mut self, name: &str, inputs: &[Atom], outputs: usize) -> Vec<Atom> {
        self.line("{");
        for (i, input) in inputs.iter().enumerate() {
            self.line(format!(".param .b32 given{i};"));
            self.line(format!("st.param.b32 [given{i}], {input};"));
        }
        self.line(format!(".param .align 16 .b8 taken[{}];", 4 * outputs));
        let given = (0..inputs.len()).map(|i| format!("given{i}")).collect::<Vec<_>>().join(", ");
        self.line(format!("call.uni (taken), {name}, ({given});"));
        let at = Address { base: "taken".into(), offset: 0, aligned: Aligned::to(4) };
        let words = self.load_at("ld.param", &at, outputs);
        self.line("}");
        words
    }

    fn fault(&self, reason: String) -> EmitError {
        EmitError::Kernel { kernel: self.kernel.symbol.clone(), reason }
    }
}

impl Language for Body<'_> {
    type Target = Ptx;
    type Atom = Atom;
    /// The label of the second arm, if there is one, and where control goes on.
    type Fork = (Option<String>, String);
    /// Labels of a loop's begin and end.
    type Round = (String, String);

    fn fork(&mut self, cond: &Atom, has_otherwise: bool) -> Result<Self::Fork, EmitError> {
        let (otherwise, join) = (has_otherwise.then(|| self.label()), self.label());
        self.line(format!("@!{cond} bra {};", otherwise.as_ref().unwrap_or(&join)));
        Ok((otherwise, join))
    }

    fn otherwise(&mut self, (otherwise, join): &mut Self::Fork, reached: bool) -> Result<(), EmitError> {
        if reached {
            self.goto(join);
        }
        if let Some(otherwise) = otherwise.take() {
            self.at(&otherwise);
        }
        Ok(())
    }

    fn join(&mut self, (_, join): Self::Fork, _: bool, goes_on: bool) -> Result<(), EmitError> {
        if goes_on {
            self.at(&join);
        }
        Ok(())
    }

    fn begin_loop(&mut self) -> Result<Self::Round, EmitError> {
        let (begin, end) = (self.label(), self.label());
        self.at(&begin);
        Ok((begin, end))
    }

    fn leave(&mut self, (_, end): &Self::Round) -> Result<(), EmitError> {
        self.goto(end);
        Ok(())
    }

    fn end_loop(&mut self, (begin, end): Self::Round, reached: bool, goes_on: bool) -> Result<(), EmitError> {
        if reached {
            self.goto(&begin);
        }
        if goes_on {
            self.at(&end);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), EmitError> {
        self.line("ret;");
        Ok(())
    }

    fn give(&mut self, words: &[Atom]) -> Result<(), EmitError> {
        give(&mut self.lines, words);
        Ok(())
    }

    fn get(&mut self, local: Local) -> Result<Vec<Atom>, EmitError> {
        let ty = self.kernel.locals[local.0 as usize].ty;
        match &self.locals[local.0 as usize] {
            Home::Registers(held) => {
                let held = held.clone();
                Ok(held.iter().map(|atom| self.result(ty, mov(ty), &[atom])).collect())
            }
            Home::Shared(slot) => {
                let (slot, count) = (*slot, self.kernel.field().words);
                let mut words = Vec::with_capacity(count);
                for (k, start) in (0..count).step_by(4).enumerate() {
                    let at = self.slot(slot + k as u32)?;
                    // Each load is one of its own: what is read again need not be kept.
                    words.extend(self.load_at("ld.volatile.shared", &at, (count - start).min(4)));
                }
                Ok(words)
            }
        }
    }

    fn set(&mut self, local: Local, value: &[Atom]) -> Result<(), EmitError> {
        let ty = self.kernel.locals[local.0 as usize].ty;
        match &self.locals[local.0 as usize] {
            Home::Registers(held) => {
                for (to, from) in held.iter().zip(value) {
                    line(&mut self.lines, &format!("{} {to}, {from};", mov(ty)));
                }
            }
            Home::Shared(slot) => {
                let slot = *slot;
                for (k, words) in value.chunks(4).enumerate() {
                    let at = self.slot(slot + k as u32)?;
                    self.store_at("st.shared", &at, words);
                }
            }
        }
        Ok(())
    }

    fn literal(&mut self, ty: Type, value: u64) -> Result<Atom, EmitError> {
        let compare = if value == 0 { "setp.ne.u32" } else { "setp.eq.u32" };
        match ty {
            Type::Pred => Ok(self.result(ty, compare, &[&Atom::Number(0), &Atom::Number(0)])),
            _ => Ok(Atom::Number(value)),
        }
    }

    fn special(&mut self, special: Special) -> Result<Atom, EmitError> {
        let register = match special {
            Special::Thread => "tid.x",
            Special::Block => "ctaid.x",
            Special::BlockSize => "ntid.x",
            Special::GridSize => "nctaid.x",
            Special::Lane => "laneid",
        };
        let d = self.registers.fresh(Type::U32);
        self.line(format!("mov.u32 {d}, %{register};"));
        Ok(d)
    }

    fn param(&mut self, p: ParamId) -> Result<Atom, EmitError> {
        let ty = match self.kernel.desc.params[p.0 as usize].kind {
            ParamKind::U64 => Type::U64,
            _ => Type::U32,
        };
        let d = self.registers.fresh(ty);
        self.line(format!("ld.param.u{} {d}, [{}];", bits(ty), param(&self.kernel.symbol, p.0 as usize)));
        Ok(d)
    }

    fn argument(&mut self, word: usize) -> Result<Atom, EmitError> {
        Ok(read_argument(&mut self.lines, &mut self.registers, &self.kernel.symbol, word))
    }

    fn int(&mut self, op: IntOp, ty: Type, a: &Atom, b: &Atom) -> Result<Atom, EmitError> {
        let (opcode, kind) = match op {
            IntOp::Add => ("add", 'u'),
            IntOp::Sub => ("sub", 'u'),
            IntOp::Mul => ("mul.lo", 'u'),
            IntOp::And => ("and", 'b'),
            IntOp::Or => ("or", 'b'),
            IntOp::Xor => ("xor", 'b'),
            IntOp::Shl => ("shl", 'b'),
            IntOp::Shr => ("shr", 'u'),
            IntOp::Min => ("min", 'u'),
            IntOp::Max => ("max", 'u'),
            IntOp::Div => ("div", 'u'),
            IntOp::Rem => ("rem", 'u'),
        };
        let opcode = match ty {
            Type::Pred => format!("{opcode}.pred"),
            ty => format!("{opcode}.{kind}{}", bits(ty)),
        };
        Ok(self.result(ty, &opcode, &[a, b]))
    }

    fn not(&mut self, ty: Type, a: &Atom) -> Result<Atom, EmitError> {
        let opcode = match ty {
            Type::Pred => "not.pred".into(),
            ty => format!("not.b{}", bits(ty)),
        };
        Ok(self.result(ty, &opcode, &[a]))
    }

    fn bit(&mut self, op: BitOp, a: &Atom) -> Result<Atom, EmitError> {
        let opcode = match op {
            BitOp::Popc => "popc.b32",
            BitOp::Clz => "clz.b32",
            BitOp::Brev => "brev.b32",
        };
        Ok(self.result(Type::U32, opcode, &[a]))
    }

    fn cmp(&mut self, op: CmpOp, ty: Type, a: &Atom, b: &Atom) -> Result<Atom, EmitError> {
        let op = match op {
            CmpOp::Eq => "eq",
            CmpOp::Ne => "ne",
            CmpOp::Lt => "lt",
            CmpOp::Le => "le",
        };
        Ok(self.result(Type::Pred, &format!("setp.{op}.u{}", bits(ty)), &[a, b]))
    }

    fn widen(&mut self, a: &Atom) -> Result<Atom, EmitError> {
        match a {
            Atom::Number(_) => Ok(*a),
            _ => Ok(self.result(Type::U64, "cvt.u64.u32", &[a])),
        }
    }

    fn narrow(&mut self, a: &Atom) -> Result<Atom, EmitError> {
        match a {
            Atom::Number(value) => Ok(Atom::Number(value & u64::from(u32::MAX))),
            _ => Ok(self.result(Type::U32, "cvt.u32.u64", &[a])),
        }
    }

    fn word_of_truth(&mut self, a: &Atom) -> Result<Atom, EmitError> {
        self.select(Type::U32, a, &Atom::Number(1), &Atom::Number(0))
    }

    fn select(&mut self, ty: Type, cond: &Atom, a: &Atom, b: &Atom) -> Result<Atom, EmitError> {
        if ty == Type::Pred {
            let first = self.result(ty, "and.pred", &[cond, a]);
            let other = self.result(ty, "not.pred", &[cond]);
            let second = self.result(ty, "and.pred", &[&other, b]);
            return Ok(self.result(ty, "or.pred", &[&first, &second]));
        }
        Ok(self.result(ty, &format!("selp.b{}", bits(ty)), &[a, b, cond]))
    }

    /// Inline or as a call.
    fn program(&mut self, op: &Op, choice: &Choice, inputs: &[Atom]) -> Result<Vec<Atom>, EmitError> {
        let block = choice.block();
        if inputs.len() != block.input_words() {
            let (got, want) = (inputs.len(), block.input_words());
            return Err(EmitError::Asm(format!("{} takes {want} words, given {got}", choice.variant)));
        }
        if self.calls && is_called(op, block) {
            let name = self.module.program(self.kernel, block)?;
            return Ok(self.called(&name, inputs, block.output_words()));
        }
        let text = text_of(self.kernel, block);
        place(&mut self.lines, &mut self.registers, &text, block.output_words(), inputs)
    }

    fn call(&mut self, function: FunctionId, inputs: &[Atom]) -> Result<Vec<Atom>, EmitError> {
        let callee = self.checked.functions()[function.0 as usize].kernel();
        let signature = callee.function.clone().unwrap_or_default();
        let outputs = signature.results.iter().map(|ty| super::words_of::<Ptx>(callee, *ty)).sum();
        Ok(self.called(&callee.symbol, inputs, outputs))
    }

    fn load(
        &mut self,
        results: &[Value],
        place: &Place,
        index: &Index<Atom>,
    ) -> Result<Vec<Atom>, EmitError> {
        let (opcode, count) = (self.load_opcode(place), results.len());
        if let Place::Shared { array, .. } = *place
            && layout::in_pieces(self.kernel, place)
        {
            let mut words = Vec::with_capacity(count);
            for piece in 0..self.arrays[array.0 as usize].len() {
                let width = self.arrays[array.0 as usize][piece].width as usize;
                let at = self.in_piece(array, piece, &index.element);
                words.extend(self.load_at(opcode, &at, width));
            }
            return Ok(words);
        }
        let at = self.place_of(place, index)?;
        Ok(self.load_at(opcode, &at, count))
    }

    fn store(&mut self, place: &Place, index: &Index<Atom>, words: &[Atom]) -> Result<(), EmitError> {
        let opcode = format!("st.{}", layout::space(place));
        if let Place::Shared { array, .. } = *place
            && layout::in_pieces(self.kernel, place)
        {
            for piece in 0..self.arrays[array.0 as usize].len() {
                let Piece { start, width, .. } = self.arrays[array.0 as usize][piece];
                let at = self.in_piece(array, piece, &index.element);
                self.store_at(&opcode, &at, &words[start as usize..][..width as usize]);
            }
            return Ok(());
        }
        let at = self.place_of(place, index)?;
        self.store_at(&opcode, &at, words);
        Ok(())
    }

    fn address(&mut self, place: &Place, index: &Index<Atom>) -> Result<Atom, EmitError> {
        let Address { base, offset, .. } = self.place_of(place, index)?;
        let d = self.registers.fresh(Type::U64);
        self.line(format!("add.u64 {d}, {base}, {};", 4 * offset));
        Ok(d)
    }

    fn effect(&mut self, stmt: &Stmt, operands: &[Atom]) -> Result<Option<Atom>, EmitError> {
        let text = effects::text(stmt).ok_or_else(|| self.fault(format!("{stmt:?} is no effect")))?;
        let given = place(&mut self.lines, &mut self.registers, &text.text, text.outputs, operands)?;
        Ok(given.first().copied())
    }
}

/// Name of a parameter.
pub(super) fn param(symbol: &str, i: usize) -> String {
    format!("{symbol}_param_{i}")
}

/// The array of a kernel's locals in shared memory, if it has some.
pub(super) fn slots(kernel: &Kernel) -> Option<(String, u32)> {
    layout::slots(kernel, locals::place(kernel).1)
}

/// Reads a word of a function's arguments.
pub(super) fn read_argument(
    lines: &mut String,
    registers: &mut Registers,
    symbol: &str,
    word: usize,
) -> Atom {
    let d = registers.fresh(Type::U32);
    line(lines, &format!("ld.param.b32 {d}, [{}];", param(symbol, word)));
    d
}

/// Ends a function with these words.
pub(super) fn give(lines: &mut String, words: &[Atom]) {
    for (start, width) in Aligned::to(4).runs(words.len()) {
        let (vector, data) = vector(&words[start as usize..][..width as usize]);
        line(lines, &format!("st.param{vector}.b32 [results+{}], {data};", 4 * start));
    }
    line(lines, "ret;");
}

/// Puts a text with placeholders down, and gives the registers of its outputs.
pub(super) fn place(
    lines: &mut String,
    registers: &mut Registers,
    text: &str,
    outputs: usize,
    inputs: &[Atom],
) -> Result<Vec<Atom>, EmitError> {
    block::check(text, outputs, inputs.len()).map_err(EmitError::Asm)?;
    let results: Vec<Atom> = (0..outputs).map(|_| registers.fresh(Type::U32)).collect();
    let operands: Vec<Atom> = results.iter().chain(inputs).copied().collect();
    let mut parts = text.split('$');
    let mut line = String::from("\t");
    line += parts.next().unwrap_or_default();
    for part in parts {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let operand = part[..digits].parse().ok().and_then(|k: usize| operands.get(k));
        let operand = operand.ok_or_else(|| EmitError::Asm(format!("no operand ${part}")))?;
        let _ = write!(line, "{operand}{}", &part[digits..]);
    }
    line.push('\n');
    lines.push_str(&line);
    Ok(results)
}

fn line(lines: &mut String, text: &str) {
    lines.push('\t');
    lines.push_str(text);
    lines.push('\n');
}

/// Data of an access, and what the opcode says of it.
fn vector(words: &[Atom]) -> (String, String) {
    match words {
        [word] => (String::new(), word.to_string()),
        _ => {
            let list = words.iter().map(Atom::to_string).collect::<Vec<_>>().join(", ");
            (format!(".v{}", words.len()), format!("{{{list}}}"))
        }
    }
}

fn mov(ty: Type) -> &'static str {
    match ty {
        Type::Pred => "mov.pred",
        Type::U64 => "mov.b64",
        _ => "mov.b32",
    }
}

fn bits(ty: Type) -> u32 {
    if ty == Type::U64 { 64 } else { 32 }
}
