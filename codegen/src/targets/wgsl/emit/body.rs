//! The lines of one kernel or function.

use super::steps::{self, Call, Item};
use super::{Module, fault, passed};
use crate::error::EmitError;
use crate::fir::ir::*;
use crate::fir::uniform::{Uniformity, analyze_uniformity};
use crate::passes::{Checked, KernelInfo};
use crate::targets::walk::{Index, Language, words_of};
use crate::targets::wgsl::{Bound, Wgsl};
use crate::targets::{Arithmetic as _, Choice, Claim};
use curvesmith_abi::{ParamKind, padded_words};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// All lanes of a warp.
const FULL: u64 = u32::MAX as u64;

/// What is written of a body, each with its depth.
enum Part {
    /// A line between stretches.
    Flow(usize, String),
    /// Lines without a change of flow.
    Stretch(usize, Vec<Item>),
}

/// Parts of a vector.
const PARTS: [&str; 4] = ["x", "y", "z", "w"];

/// Where words in a row are.
struct Spot {
    /// A buffer or a shared array.
    array: String,
    /// The first one's index, or that of its vector.
    at: String,
    /// How far apart they are.
    step: u32,
    /// Whether the array holds vectors of four words.
    vectors: bool,
}

impl Spot {
    /// Word or vector `k` of the row.
    fn word(&self, k: u32) -> String {
        let Spot { array, at, step, .. } = self;
        match k * step {
            0 => format!("{array}[{at}]"),
            past => format!("{array}[{at} + {past}u]"),
        }
    }
}

/// A body that is being written.
pub(super) struct Body<'a> {
    module: &'a mut Module,
    kernel: &'a Kernel,
    info: &'a KernelInfo<Wgsl>,
    uniformity: Uniformity,
    /// Runs of lines without a change of flow, and what stands between them.
    parts: Vec<Part>,
    depth: usize,
    names: usize,
    /// Whether words go from thread to thread through shared memory.
    exchanges: bool,
}

impl<'a> Body<'a> {
    /// Errors: threads meet where the language does not let them.
    pub(super) fn new(module: &'a mut Module, checked: &'a Checked<Wgsl>) -> Result<Self, EmitError> {
        let kernel = checked.kernel();
        let uniformity = analyze_uniformity(kernel);
        if let Some(meeting) = uniformity.divergent().next() {
            return Err(fault(kernel, &format!("{meeting:?} in flow that is not uniform in WGSL")));
        }
        let info = checked.info();
        let mut body =
            Body { module, kernel, info, uniformity, parts: vec![], depth: 1, names: 0, exchanges: false };
        for (i, local) in kernel.locals.iter().enumerate() {
            body.flow(&format!("var l{i}: {};", passed(local.ty)));
        }
        Ok(body)
    }

    /// The lines, and whether threads exchange words.
    /// Errors: a loop of steps is not what it stands for.
    pub(super) fn finish(self) -> Result<(String, bool), EmitError> {
        // From the end, so that it is known of a stretch what is read behind it.
        let (mut read, mut texts, mut elements) = (BTreeSet::new(), vec![], 0);
        for part in self.parts.iter().rev() {
            let (depth, lines) = match part {
                Part::Flow(depth, line) => {
                    read.extend(steps::identifiers(line).map(str::to_owned));
                    (depth, vec![(0, line.clone())])
                }
                Part::Stretch(depth, items) => {
                    let (lines, held) = steps::lines(items, &read)
                        .ok_or_else(|| fault(self.kernel, "a loop of steps is not what it stands for"))?;
                    elements = elements.max(held);
                    read.extend(items.iter().flat_map(Item::reads).map(str::to_owned));
                    (depth, lines)
                }
            };
            // Writing to a string cannot fail.
            let mut text = String::new();
            for (deeper, line) in lines {
                let _ = writeln!(text, "{:1$}{line}", "", 2 * (depth + deeper));
            }
            texts.push(text);
        }
        if elements > 0 {
            texts.push(format!("  var e: array<E, {elements}>;\n"));
        }
        texts.reverse();
        Ok((texts.concat(), self.exchanges))
    }

    /// A line that changes flow or that all threads must pass: it ends a stretch.
    fn flow(&mut self, line: &str) {
        self.parts.push(Part::Flow(self.depth, line.to_owned()));
    }

    /// A line within a stretch.
    fn item(&mut self, item: Item) {
        match self.parts.last_mut() {
            Some(Part::Stretch(_, items)) => items.push(item),
            _ => self.parts.push(Part::Stretch(self.depth, vec![item])),
        }
    }

    fn line(&mut self, text: &str) {
        self.item(Item::Effect(text.to_owned()));
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn value(&mut self, expression: &str) -> String {
        let name = self.fresh();
        self.item(Item::Value { name: name.clone(), expression: expression.to_owned() });
        name
    }

    /// Words as an element: one that is there, or a new one.
    fn element(&self, words: &[String]) -> String {
        let whole = words.first().and_then(|word| word.strip_suffix(".w0"));
        let is_word = |(i, word): (usize, &String)| {
            whole.is_some_and(|whole| word.strip_suffix(&format!(".w{i}")) == Some(whole))
        };
        match whole {
            Some(whole) if words.iter().enumerate().all(is_word) => whole.to_owned(),
            _ => format!("E({})", words.join(", ")),
        }
    }

    /// Limbs of an element.
    fn limbs(&self) -> usize {
        self.kernel.field().words
    }

    /// The limbs of an element that has a name.
    fn words(&self, name: &str) -> Vec<String> {
        (0..self.limbs()).map(|i| format!("{name}.w{i}")).collect()
    }

    /// A word of the uniform block.
    fn word_of_args(&self, word: u32) -> String {
        let of = PARTS[word as usize % 4];
        format!("{}_args[{}].{of}", self.kernel.symbol, word / 4)
    }

    /// Where the words of a parameter are in the uniform block.
    fn args_of(&self, param: u32) -> u32 {
        let words = |kind: ParamKind| if kind == ParamKind::U64 { 2 } else { 1 };
        let before = self.kernel.desc.params[..param as usize].iter();
        1 + before.map(|param| words(param.kind)).sum::<u32>()
    }

    /// Where words in a row are.
    fn place(&mut self, place: &Place, index: &Index<String>) -> Result<Spot, EmitError> {
        let kernel = self.kernel;
        let words = kernel.field.as_ref().map_or(0, |f| f.words);
        let (buffer, word) = match *place {
            Place::Global { buffer, word, .. } | Place::Part { buffer, word, .. } => (buffer, word),
            Place::Shared { array, .. } => {
                // Word `k` of all elements stands together, so that neighbouring threads read neighbouring
                // words.
                let (name, step) = (shared(kernel, array.0 as usize), kernel.shared[array.0 as usize].length);
                return Ok(Spot { array: name, at: index.element.clone(), step, vectors: false });
            }
        };
        let stride = words_of_element(kernel, buffer.0 as usize)
            .ok_or_else(|| fault(kernel, "a parameter is not a buffer"))?;
        let vectors = has_vectors(kernel, buffer.0 as usize);
        let unit = if vectors { 4 } else { 1 };
        let start = self.word_of_args(self.args_of(buffer.0));
        let start = if vectors { format!("({start} >> 2u)") } else { start };
        let mut at = format!("{start} + {} * {}u", index.element, stride / unit);
        if let Some(part) = &index.part {
            let _ = write!(at, " + {part} * {}u", padded_words(words) as u32 / unit);
        }
        if word > 0 {
            let _ = write!(at, " + {}u", word / unit);
        }
        let array = self::buffer(kernel, buffer.0 as usize);
        Ok(Spot { array, at: self.value(&at), step: 1, vectors })
    }

    fn is_atomic(&self, place: &Place) -> bool {
        match *place {
            Place::Global { buffer, .. } | Place::Part { buffer, .. } => {
                is_atomic_buffer(self.kernel, buffer.0 as usize)
            }
            Place::Shared { array, .. } => is_atomic_array(self.kernel, array.0 as usize),
        }
    }

    fn barrier(&mut self) {
        self.flow("workgroupBarrier();");
        self.flow("storageBarrier();");
    }

    /// Every thread's word where each can read it; what is read then is `read`, of `lanes` of the own warp.
    fn exchange(&mut self, word: &str, read: impl FnOnce(&mut Self, &str) -> String) -> String {
        self.exchanges = true;
        let array = format!("{}_exchange", self.kernel.symbol);
        self.line(&format!("{array}[thread] = {word};"));
        self.flow("workgroupBarrier();");
        let result = read(self, &array);
        self.flow("workgroupBarrier();");
        result
    }

    /// For each lane of the own warp a bit, by an expression of its word.
    fn bits(&mut self, array: &str, of: impl Fn(&str) -> String) -> String {
        let result = self.fresh();
        self.flow(&format!("var {result} = 0u;"));
        self.flow("for (var lane = 0u; lane < 32u; lane++) {");
        let bit = of(&format!("{array}[(thread & ~31u) + lane]"));
        self.flow(&format!("  {result} |= u32({bit}) << lane;"));
        self.flow("}");
        result
    }
}

impl Language for Body<'_> {
    type Target = Wgsl;
    type Atom = String;
    type Fork = ();
    type Round = ();

    fn fork(&mut self, cond: &String, _: bool) -> Result<(), EmitError> {
        self.flow(&format!("if ({cond}) {{"));
        self.depth += 1;
        Ok(())
    }

    fn otherwise(&mut self, (): &mut (), _: bool) -> Result<(), EmitError> {
        self.depth -= 1;
        self.flow("} else {");
        self.depth += 1;
        Ok(())
    }

    fn join(&mut self, (): (), _: bool, _: bool) -> Result<(), EmitError> {
        self.depth -= 1;
        self.flow("}");
        Ok(())
    }

    fn begin_loop(&mut self) -> Result<(), EmitError> {
        self.flow("loop {");
        self.depth += 1;
        Ok(())
    }

    fn leave(&mut self, (): &()) -> Result<(), EmitError> {
        self.flow("break;");
        Ok(())
    }

    fn end_loop(&mut self, (): (), _: bool, _: bool) -> Result<(), EmitError> {
        self.depth -= 1;
        self.flow("}");
        Ok(())
    }

    fn end(&mut self) -> Result<(), EmitError> {
        self.flow("return;");
        Ok(())
    }

    fn give(&mut self, words: &[String]) -> Result<(), EmitError> {
        let types = self.kernel.function.clone().unwrap_or_default().results;
        let (mut rest, mut results) = (words, vec![]);
        for ty in types {
            let (own, others) = rest.split_at(words_of::<Wgsl>(self.kernel, ty));
            results.push(self.joined(ty, own));
            rest = others;
        }
        self.flow(&format!("return {}_results({});", self.kernel.symbol, results.join(", ")));
        Ok(())
    }

    fn get(&mut self, local: Local) -> Result<Vec<String>, EmitError> {
        let name = self.value(&format!("l{}", local.0));
        match self.kernel.locals[local.0 as usize].ty {
            Type::Field => Ok(self.words(&name)),
            _ => Ok(vec![name]),
        }
    }

    fn set(&mut self, local: Local, value: &[String]) -> Result<(), EmitError> {
        let value = match self.kernel.locals[local.0 as usize].ty {
            Type::Field => self.element(value),
            _ => value[0].clone(),
        };
        self.line(&format!("l{} = {value};", local.0));
        Ok(())
    }

    fn literal(&mut self, ty: Type, value: u64) -> Result<String, EmitError> {
        Ok(match ty {
            Type::Pred => (value != 0).to_string(),
            Type::U64 => format!("vec2<u32>({:#x}u, {:#x}u)", value & FULL, value >> 32),
            _ => format!("{value:#x}u"),
        })
    }

    fn special(&mut self, special: Special) -> Result<String, EmitError> {
        Ok(match special {
            Special::Thread => "thread".into(),
            Special::Block => "block".into(),
            Special::BlockSize => format!("{}u", self.kernel.desc.block),
            Special::GridSize => self.word_of_args(0),
            Special::Lane => "(thread & 31u)".into(),
        })
    }

    fn param(&mut self, p: ParamId) -> Result<String, EmitError> {
        let word = self.args_of(p.0);
        Ok(match self.kernel.desc.params[p.0 as usize].kind {
            ParamKind::U64 => {
                format!("vec2<u32>({}, {})", self.word_of_args(word), self.word_of_args(word + 1))
            }
            _ => self.word_of_args(word),
        })
    }

    fn argument(&mut self, word: usize) -> Result<String, EmitError> {
        let types = self.kernel.function.clone().unwrap_or_default().arguments;
        let mut before = 0;
        for (i, ty) in types.iter().enumerate() {
            let words = words_of::<Wgsl>(self.kernel, *ty);
            if word < before + words {
                let k = word - before;
                return Ok(match ty {
                    Type::Field => format!("a{i}.w{k}"),
                    Type::U64 => format!("a{i}.{}", ["x", "y"][k]),
                    Type::Pred => format!("u32(a{i})"),
                    _ => format!("a{i}"),
                });
            }
            before += words;
        }
        Err(fault(self.kernel, "an argument that the function does not have"))
    }

    fn int(&mut self, op: IntOp, ty: Type, a: &String, b: &String) -> Result<String, EmitError> {
        let wide = ty == Type::U64;
        let expression = match op {
            IntOp::Add if wide => format!("add_pair({a}, {b})"),
            IntOp::Sub if wide => format!("sub_pair({a}, {b})"),
            IntOp::Mul if wide => format!("mul_pair({a}, {b})"),
            IntOp::Shl if wide => format!("shl_pair({a}, {b})"),
            IntOp::Shr if wide => format!("shr_pair({a}, {b})"),
            IntOp::Min if wide => format!("select({b}, {a}, lt_pair({a}, {b}))"),
            IntOp::Max if wide => format!("select({a}, {b}, lt_pair({a}, {b}))"),
            IntOp::Div | IntOp::Rem if wide => {
                return Err(fault(self.kernel, "quotients of 64-bit words"));
            }
            IntOp::Min => format!("min({a}, {b})"),
            IntOp::Max => format!("max({a}, {b})"),
            IntOp::Xor if ty == Type::Pred => format!("{a} != {b}"),
            _ => {
                let sign = match op {
                    IntOp::Add => "+",
                    IntOp::Sub => "-",
                    IntOp::Mul => "*",
                    IntOp::And => "&",
                    IntOp::Or => "|",
                    IntOp::Xor => "^",
                    IntOp::Shl => "<<",
                    IntOp::Shr => ">>",
                    IntOp::Div => "/",
                    _ => "%",
                };
                format!("{a} {sign} {b}")
            }
        };
        Ok(self.value(&expression))
    }

    fn not(&mut self, ty: Type, a: &String) -> Result<String, EmitError> {
        let sign = if ty == Type::Pred { "!" } else { "~" };
        Ok(self.value(&format!("{sign}{a}")))
    }

    fn bit(&mut self, op: BitOp, a: &String) -> Result<String, EmitError> {
        let function = match op {
            BitOp::Popc => "countOneBits",
            BitOp::Clz => "countLeadingZeros",
            BitOp::Brev => "reverseBits",
        };
        Ok(self.value(&format!("{function}({a})")))
    }

    fn cmp(&mut self, op: CmpOp, ty: Type, a: &String, b: &String) -> Result<String, EmitError> {
        let wide = ty == Type::U64;
        let expression = match op {
            CmpOp::Eq if wide => format!("all({a} == {b})"),
            CmpOp::Ne if wide => format!("any({a} != {b})"),
            CmpOp::Lt if wide => format!("lt_pair({a}, {b})"),
            CmpOp::Le if wide => format!("!lt_pair({b}, {a})"),
            CmpOp::Eq => format!("{a} == {b}"),
            CmpOp::Ne => format!("{a} != {b}"),
            CmpOp::Lt => format!("{a} < {b}"),
            CmpOp::Le => format!("{a} <= {b}"),
        };
        Ok(self.value(&expression))
    }

    fn widen(&mut self, a: &String) -> Result<String, EmitError> {
        Ok(self.value(&format!("vec2<u32>({a}, 0u)")))
    }

    fn narrow(&mut self, a: &String) -> Result<String, EmitError> {
        Ok(self.value(&format!("{a}.x")))
    }

    fn word_of_truth(&mut self, a: &String) -> Result<String, EmitError> {
        Ok(format!("u32({a})"))
    }

    fn select(&mut self, _: Type, cond: &String, a: &String, b: &String) -> Result<String, EmitError> {
        Ok(self.value(&format!("select({b}, {a}, {cond})")))
    }

    fn select_element(
        &mut self,
        cond: &String,
        a: &[String],
        b: &[String],
    ) -> Result<Vec<String>, EmitError> {
        let (name, operands) = (self.fresh(), vec![self.element(a), self.element(b)]);
        let (function, scalar) = ("choose".into(), Some(cond.clone()));
        self.item(Item::Call(Call { name: name.clone(), function, scalar, operands, multiplies: false }));
        Ok(self.words(&name))
    }

    fn program(
        &mut self,
        op: &Op,
        choice: &Choice<Wgsl>,
        inputs: &[String],
    ) -> Result<Vec<String>, EmitError> {
        let n = self.limbs();
        let Op::Field(field_op, values) = op else {
            return Err(fault(self.kernel, "a program of what is no field operation"));
        };
        let bound = |value: &Value| self.info.bound(*value);
        let operands: Option<Vec<Bound>> = values.iter().map(bound).collect();
        let operands = operands.ok_or_else(|| fault(self.kernel, "an operand has no bound"))?;
        let claim = Claim { op: field_op.clone(), operands: &operands, choice };
        let function = self.module.program(self.kernel.field(), &claim);
        let function = function.map_err(|unproven| fault(self.kernel, &unproven.0))?;
        let operands: Vec<String> = inputs.chunks_exact(n).map(|words| self.element(words)).collect();
        let (result, multiplies) = (self.fresh(), Wgsl::products(&choice.cost) > 0);
        self.item(Item::Call(Call { name: result.clone(), function, scalar: None, operands, multiplies }));
        let words = self.words(&result);
        match field_op.tests_zero() {
            true => Ok(vec![self.value(&format!("u32(({}) == 0u)", words.join(" | ")))]),
            false => Ok(words),
        }
    }

    fn call(&mut self, function: FunctionId, inputs: &[String]) -> Result<Vec<String>, EmitError> {
        let callee = &self.kernel.functions[function.0 as usize];
        let signature = callee.function.clone().unwrap_or_default();
        let (mut rest, mut arguments) = (inputs, vec![]);
        for ty in &signature.arguments {
            let (own, others) = rest.split_at(words_of::<Wgsl>(self.kernel, *ty));
            arguments.push(self.joined(*ty, own));
            rest = others;
        }
        let result = self.value(&format!("{}({})", callee.symbol, arguments.join(", ")));
        let parts = signature.results.iter().enumerate().flat_map(|(i, ty)| match ty {
            Type::Field => self.words(&format!("{result}.r{i}")),
            Type::U64 => vec![format!("{result}.r{i}.x"), format!("{result}.r{i}.y")],
            Type::Pred => vec![format!("u32({result}.r{i})")],
            _ => vec![format!("{result}.r{i}")],
        });
        Ok(parts.collect())
    }

    fn load(
        &mut self,
        results: &[Value],
        place: &Place,
        index: &Index<String>,
    ) -> Result<Vec<String>, EmitError> {
        // What all threads read together in shared memory is read once for all.
        let common = matches!(place, Place::Shared { .. })
            && results.iter().all(|result| self.uniformity.is_uniform(*result));
        let spot = self.place(place, index)?;
        if spot.vectors {
            let vectors: Vec<String> =
                (0..results.len() / 4).map(|k| self.value(&spot.word(k as u32))).collect();
            return Ok(vectors.iter().flat_map(|v| PARTS.map(|part| format!("{v}.{part}"))).collect());
        }
        let (atomic, word) = (self.is_atomic(place), |k: usize| spot.word(k as u32));
        let read = |k: usize| match (common, atomic) {
            (true, _) => format!("workgroupUniformLoad(&{})", word(k)),
            (false, true) => format!("atomicLoad(&{})", word(k)),
            (false, false) => word(k),
        };
        let value = |k: usize| match common {
            // A barrier too.
            true => {
                let name = self.fresh();
                self.flow(&format!("let {name} = {};", read(k)));
                name
            }
            false => self.value(&read(k)),
        };
        Ok((0..results.len()).map(value).collect())
    }

    fn store(&mut self, place: &Place, index: &Index<String>, words: &[String]) -> Result<(), EmitError> {
        let spot = self.place(place, index)?;
        let (atomic, words) = match spot.vectors {
            true => {
                let vectors = words.chunks(4).map(|words| format!("vec4<u32>({})", words.join(", ")));
                (false, vectors.collect())
            }
            false => (self.is_atomic(place), words.to_vec()),
        };
        for (k, word) in words.iter().enumerate() {
            let to = spot.word(k as u32);
            match atomic {
                true => self.line(&format!("atomicStore(&{to}, {word});")),
                false => self.line(&format!("{to} = {word};")),
            }
        }
        Ok(())
    }

    fn address(&mut self, place: &Place, index: &Index<String>) -> Result<String, EmitError> {
        Ok(format!("&{}", self.place(place, index)?.word(0)))
    }

    fn effect(&mut self, stmt: &Stmt, operands: &[String]) -> Result<Option<String>, EmitError> {
        match stmt {
            // The language does not have it; it changes nothing.
            Stmt::Prefetch { .. } => Ok(None),
            Stmt::LoadOrdered { .. } => Ok(Some(self.value(&format!("atomicLoad({})", operands[0])))),
            Stmt::StoreOrdered { .. } => {
                self.line(&format!("atomicStore({}, {});", operands[0], operands[1]));
                Ok(None)
            }
            Stmt::Atomic { op, .. } => {
                let function = match op {
                    AtomicOp::Add => "atomicAdd",
                    AtomicOp::Min => "atomicMin",
                    AtomicOp::Max => "atomicMax",
                    AtomicOp::Exchange => "atomicExchange",
                };
                Ok(Some(self.value(&format!("{function}({}, {})", operands[0], operands[1]))))
            }
            Stmt::Barrier | Stmt::SyncWarp { .. } => {
                self.barrier();
                Ok(None)
            }
            Stmt::Shuffle { mode, .. } => {
                let arg = operands[1].clone();
                let lane = "(thread & 31u)";
                let from = match mode {
                    ShuffleMode::Index => format!("({arg} & 31u)"),
                    ShuffleMode::Up => format!("select({lane} - {arg}, {lane}, {lane} < {arg})"),
                    ShuffleMode::Down => format!("select({lane} + {arg}, {lane}, {lane} + {arg} > 31u)"),
                    ShuffleMode::Xor => format!("({lane} ^ {arg})"),
                };
                let word = |array: &str| format!("{array}[(thread & ~31u) + {from}]");
                Ok(Some(self.exchange(&operands[0], |body, array| body.value(&word(array)))))
            }
            Stmt::Ballot { .. } => {
                let own = format!("u32({})", operands[0]);
                Ok(Some(self.exchange(&own, |body, array| body.bits(array, |word| format!("{word} != 0u")))))
            }
            Stmt::MatchAny { bits, .. } => {
                let mask = u32::MAX >> (32 - bits);
                let own = self.value(&format!("{} & {mask:#x}u", operands[0]));
                let read = |body: &mut Self, array: &str| body.bits(array, |word| format!("{word} == {own}"));
                Ok(Some(self.exchange(&own, read)))
            }
            _ => Err(fault(self.kernel, "a statement that WGSL does not have")),
        }
    }
}

impl Body<'_> {
    /// Words as a value that goes into a function or comes out.
    fn joined(&self, ty: Type, words: &[String]) -> String {
        match ty {
            Type::Field => self.element(words),
            Type::U64 => format!("vec2<u32>({})", words.join(", ")),
            Type::Pred => format!("({} != 0u)", words[0]),
            _ => words[0].clone(),
        }
    }
}

/// The name of a buffer parameter.
pub(super) fn buffer(kernel: &Kernel, param: usize) -> String {
    format!("{}_b{param}", kernel.symbol)
}

/// The name of a shared array.
pub(super) fn shared(kernel: &Kernel, array: usize) -> String {
    format!("{}_s{array}", kernel.symbol)
}

/// The type of what a buffer holds.
pub(super) fn words_of_buffer(kernel: &Kernel, param: usize) -> &'static str {
    match is_atomic_buffer(kernel, param) {
        true => "atomic<u32>",
        false if has_vectors(kernel, param) => "vec4<u32>",
        false => "u32",
    }
}

/// Words of an element of a buffer.
fn words_of_element(kernel: &Kernel, param: usize) -> Option<u32> {
    let words = kernel.field.as_ref().map_or(0, |f| f.words);
    match kernel.desc.params[param].kind {
        ParamKind::Buffer(_, element) => {
            Some(element.bytes(kernel.form, words, kernel.tower.degree()) as u32 / 4)
        }
        _ => None,
    }
}

/// Whether a buffer is read and written four words at once, at multiples of four, by all of a kernel. Ranges
/// begin at an element, so that they do at such a multiple too.
fn has_vectors(kernel: &Kernel, param: usize) -> bool {
    let of = |place: &Place| match *place {
        Place::Global { buffer, word, .. } | Place::Part { buffer, word, .. } => {
            (buffer.0 as usize == param).then_some(word)
        }
        Place::Shared { .. } => None,
    };
    let fits = |word: u32, count: usize| word.is_multiple_of(4) && count.is_multiple_of(4);
    words_of_element(kernel, param).is_some_and(|words| words.is_multiple_of(4))
        && !any_stmt(&kernel.body, &|stmt| match stmt {
            Stmt::Load { results, place } => of(place).is_some_and(|word| !fits(word, results.len())),
            Stmt::Store { place, words } => of(place).is_some_and(|word| !fits(word, words.len())),
            Stmt::Atomic { place, .. }
            | Stmt::LoadOrdered { place, .. }
            | Stmt::StoreOrdered { place, .. } => of(place).is_some(),
            _ => false,
        })
}

/// The type of a shared array's words.
pub(super) fn words_of_shared(kernel: &Kernel, array: usize) -> &'static str {
    if is_atomic_array(kernel, array) { "atomic<u32>" } else { "u32" }
}

fn is_atomic_buffer(kernel: &Kernel, param: usize) -> bool {
    any_atomic(&kernel.body, &|place| match *place {
        Place::Global { buffer, .. } | Place::Part { buffer, .. } => buffer.0 as usize == param,
        Place::Shared { .. } => false,
    })
}

fn is_atomic_array(kernel: &Kernel, number: usize) -> bool {
    any_atomic(
        &kernel.body,
        &|place| matches!(*place, Place::Shared { array, .. } if array.0 as usize == number),
    )
}

/// Whether something in a block is done as a whole at such a place.
fn any_atomic(block: &Block, at: &dyn Fn(&Place) -> bool) -> bool {
    any_stmt(block, &|stmt| match stmt {
        Stmt::Atomic { place, .. } | Stmt::LoadOrdered { place, .. } | Stmt::StoreOrdered { place, .. } => {
            at(place)
        }
        _ => false,
    })
}

/// Whether a statement of a block, or one within, is so.
fn any_stmt(block: &Block, is: &dyn Fn(&Stmt) -> bool) -> bool {
    block.iter().any(|stmt| is(stmt) || stmt.blocks().into_iter().any(|block| any_stmt(block, is)))
}
