//! Statements to decoded instructions: names resolved, opcodes checked, immediates pooled.

use super::cfg;
use super::counts::OpClass;
use super::parse::{
    Function as Parsed, Instruction, Module, Operand, RegType, Statement, VarSpace, Variable,
};
use super::program::*;
use super::regs;
use rustc_hash::FxHashMap;

/// Generic address of byte 0 of shared memory.
pub(super) const SHARED_WINDOW: u64 = 1 << 60;
/// Generic address of byte 0 of local memory.
pub(super) const LOCAL_WINDOW: u64 = 2 << 60;

/// Where and why decoding ended.
#[derive(Debug)]
pub(super) struct DecodeError {
    pub(super) function: String,
    pub(super) line: u32,
    pub(super) reason: String,
}

/// Failure inside one instruction.
pub(super) type Result<T> = std::result::Result<T, String>;

/// Offsets of the module's variables, before their address is known.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    globals: FxHashMap<&'a str, u64>,
    shared: FxHashMap<&'a str, u64>,
    shared_bytes: u64,
    /// Initial contents of module data.
    pub(super) data: Vec<u8>,
}

/// Most bytes of module data, and of shared memory in all.
const DATA_LIMIT: u64 = 1 << 28;

/// Places module variables, and shared variables of functions that are not kernels.
pub(super) fn layout<'a>(module: &Module<'a>) -> std::result::Result<Layout<'a>, DecodeError> {
    let mut l = Layout {
        globals: FxHashMap::default(),
        shared: FxHashMap::default(),
        shared_bytes: 0,
        data: Vec::new(),
    };
    for (v, line) in &module.variables {
        match v.space {
            VarSpace::Shared if v.unsized_array => {
                l.shared.insert(v.name, u64::MAX); // resolved to the dynamic base
            }
            VarSpace::Shared => {
                let at = l.shared_bytes.next_multiple_of(v.align);
                l.shared.insert(v.name, at);
                l.shared_bytes = at + v.bytes;
            }
            _ => {
                let at = (l.data.len() as u64).next_multiple_of(v.align);
                if at + v.bytes > DATA_LIMIT {
                    return Err(DecodeError {
                        function: "module".into(),
                        line: *line,
                        reason: format!("more than {DATA_LIMIT} bytes of module data"),
                    });
                }
                l.data.resize((at + v.bytes) as usize, 0);
                if let Some(init) = &v.init {
                    l.data[at as usize..at as usize + init.len()].copy_from_slice(init);
                }
                l.globals.insert(v.name, at);
            }
        }
    }
    Ok(l)
}

/// Decodes a module whose data will stand at `data_base`.
pub(super) fn decode<'a>(
    module: &Module<'a>,
    mut layout: Layout<'a>,
    data_base: u64,
) -> std::result::Result<Program, DecodeError> {
    let mut functions = FxHashMap::default();
    for (i, f) in module.functions.iter().enumerate() {
        if functions.insert(f.name, i).is_some() {
            return Err(DecodeError {
                function: f.name.into(),
                line: f.body.first().map_or(1, |s| s.1),
                reason: "defined twice".into(),
            });
        }
    }
    // Shared arrays of a kernel may overlap those of another kernel; those of a called function not.
    let mut shared = vec![(0, 0); module.functions.len()];
    for entry in [false, true] {
        for (f, range) in module.functions.iter().zip(&mut shared).filter(|(f, _)| f.entry == entry) {
            *range = (layout.shared_bytes, shared_end(f, layout.shared_bytes));
            if !entry {
                layout.shared_bytes = range.1;
            }
        }
    }
    let dynamic_shared = shared.iter().map(|r| r.1).max().unwrap_or(0).next_multiple_of(128);
    let mut program = Program { dynamic_shared, ..Program::default() };
    let mut pool = Pool::default();
    for (f, (shared_next, static_shared)) in module.functions.iter().zip(shared) {
        let mut b = Builder {
            layout: &layout,
            functions: &functions,
            module,
            pool: &mut pool,
            data_base,
            dynamic_shared,
            shared_next,
            parsed: f,
            scopes: vec![Names::default()],
            labels: FxHashMap::default(),
            branches: Vec::new(),
            next: Slots::default(),
            out: Function { name: f.name.into(), entry: f.entry, static_shared, ..Function::default() },
            line: 0,
            guard: (SINK, false),
            flag: None,
        };
        let mut done =
            b.function().map_err(|(line, reason)| DecodeError { function: f.name.into(), line, reason })?;
        done.reconverge = cfg::reconvergence(&done.code);
        regs::compact(&mut done, b.next);
        program.functions.push(done);
    }
    mark_communication(&mut program.functions);
    program.constants32 = pool.values32.iter().map(|&v| [v; LANES]).collect();
    program.constants64 = pool.values64.iter().map(|&v| [v; LANES]).collect();
    Ok(program)
}

/// End of the shared variables of `f`, placed from `start` on.
fn shared_end(f: &Parsed<'_>, start: u64) -> u64 {
    f.body
        .iter()
        .filter_map(|(s, _)| match s {
            Statement::Variable(v) if v.space == VarSpace::Shared => Some(v),
            _ => None,
        })
        .fold(start, |end, v| end.next_multiple_of(v.align) + v.bytes)
}

/// A caller communicates if a function it reaches does.
fn mark_communication(functions: &mut [Function]) {
    loop {
        let mut changed = false;
        for i in 0..functions.len() {
            if functions[i].communicates {
                continue;
            }
            let calls = functions[i]
                .code
                .iter()
                .any(|d| matches!(&d.inst, Inst::Call(c) if functions[c.function].communicates));
            if calls {
                functions[i].communicates = true;
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Constants shared by the functions of a module.
#[derive(Default)]
struct Pool {
    index32: FxHashMap<u32, u32>,
    values32: Vec<u32>,
    index64: FxHashMap<u64, u32>,
    values64: Vec<u64>,
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Symbol {
    Register(RegType, u32),
    /// First 32-bit register of a parameter's words, and its bytes.
    Words(u32, u64),
    /// Byte offset of a kernel parameter, and its bytes.
    KernelParam(u32, u64),
    Shared(u64),
    Local(u64),
    Global(u64),
}

#[derive(Default)]
struct Names<'a> {
    names: FxHashMap<&'a str, Symbol>,
    /// `prefix<count>` declarations: type, first register, count.
    families: FxHashMap<&'a str, (RegType, u32, u32)>,
}

/// Decodes one function.
pub(super) struct Builder<'a, 'm> {
    layout: &'m Layout<'a>,
    pub(super) functions: &'m FxHashMap<&'a str, usize>,
    pub(super) module: &'m Module<'a>,
    pool: &'m mut Pool,
    data_base: u64,
    dynamic_shared: u64,
    shared_next: u64,
    parsed: &'m Parsed<'a>,
    scopes: Vec<Names<'a>>,
    labels: FxHashMap<&'a str, u32>,
    /// Branches whose label is not resolved: instruction, label, line.
    pub(super) branches: Vec<(usize, &'a str, u32)>,
    next: Slots,
    pub(super) out: Function,
    pub(super) line: u32,
    pub(super) guard: (u32, bool),
    /// What set the carry flag last, since the last label.
    pub(super) flag: Option<Chain>,
}

/// Kind of a carry chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    Sum,
    Difference,
}

impl<'a, 'm> Builder<'a, 'm> {
    fn function(&mut self) -> std::result::Result<Function, (u32, String)> {
        let first = self.parsed.body.first().map_or(1, |s| s.1);
        self.signature().map_err(|e| (first, e))?;
        let parsed = self.parsed;
        for (statement, line) in &parsed.body {
            self.line = *line;
            self.statement(statement).map_err(|e| (*line, e))?;
        }
        for (at, label, line) in std::mem::take(&mut self.branches) {
            let Some(&target) = self.labels.get(label) else {
                return Err((line, format!("no label `{label}`")));
            };
            self.out.code[at].inst = Inst::Branch { target };
        }
        // Falling off the end is a return.
        self.guard = (SINK, false);
        self.emit(OpClass::Uncounted, Inst::Ret);
        Ok(std::mem::take(&mut self.out))
    }

    fn signature(&mut self) -> Result<()> {
        let f = self.parsed;
        self.out.max_threads = f.max_threads;
        self.out.exact_threads = f.exact_threads;
        if f.entry {
            let mut offset = 0u64;
            for p in &f.params {
                offset = offset.next_multiple_of(p.align);
                if offset + p.bytes > 4096 {
                    return Err("more than 4096 bytes of parameters".into());
                }
                self.out.params.push((offset as u32, p.bytes as u32));
                self.scopes[0].names.insert(p.name, Symbol::KernelParam(offset as u32, p.bytes));
                offset += p.bytes;
            }
            self.out.param_bytes = offset as u32;
            return Ok(());
        }
        for p in &f.params {
            let words = self.parameter_words(p)?;
            self.out.param_words.extend(words);
        }
        for p in &f.results {
            let words = self.parameter_words(p)?;
            self.out.result_words.extend(words);
        }
        Ok(())
    }

    /// Makes registers for a parameter's words and binds its name.
    fn parameter_words(&mut self, p: &Variable<'a>) -> Result<std::ops::Range<u32>> {
        if p.bytes > 65536 {
            return Err(format!("parameter of {} bytes", p.bytes));
        }
        let first = self.next.r32 as u32;
        let count = p.bytes.div_ceil(4) as u32;
        self.next.r32 += count as usize;
        self.bind(p.name, Symbol::Words(first, p.bytes));
        Ok(first..first + count)
    }

    fn bind(&mut self, name: &'a str, symbol: Symbol) {
        self.scopes.last_mut().expect("the function's own scope is never closed").names.insert(name, symbol);
    }

    fn statement(&mut self, s: &'m Statement<'a>) -> Result<()> {
        match s {
            Statement::Open => self.scopes.push(Names::default()),
            Statement::Close => {
                self.scopes.pop();
            }
            Statement::Label(l) => {
                self.flag = None;
                if self.labels.insert(l, self.out.code.len() as u32).is_some() {
                    return Err(format!("label `{l}` defined twice"));
                }
            }
            Statement::Registers(ty, name, count) => {
                let n = count.unwrap_or(1);
                let next = match ty {
                    RegType::Pred => &mut self.next.pred,
                    RegType::B16 | RegType::B32 => &mut self.next.r32,
                    RegType::B64 => &mut self.next.r64,
                };
                let first = *next as u32;
                *next += n as usize;
                if *next >= 1 << 28 {
                    return Err("too many registers".into());
                }
                let scope = self.scopes.last_mut().expect("the function's own scope is never closed");
                if count.is_some() {
                    scope.families.insert(name, (*ty, first, n));
                } else {
                    scope.names.insert(name, Symbol::Register(*ty, first));
                }
            }
            Statement::Variable(v) => match v.space {
                VarSpace::Param => {
                    self.parameter_words(v)?;
                }
                VarSpace::Local => {
                    let at = self.out.local.next_multiple_of(v.align);
                    self.out.local = at + v.bytes;
                    if self.out.local > 512 << 10 {
                        return Err("more than 512 KiB of local memory".into());
                    }
                    self.bind(v.name, Symbol::Local(at));
                }
                _ => {
                    let at = self.shared_next.next_multiple_of(v.align);
                    self.shared_next = at + v.bytes;
                    self.bind(v.name, Symbol::Shared(at));
                }
            },
            Statement::Instruction(i) => {
                self.guard = match i.guard {
                    None => (SINK, false),
                    Some((name, negated)) => (self.predicate(name)?, negated),
                };
                self.instruction(i)?;
            }
        }
        Ok(())
    }

    pub(super) fn emit(&mut self, class: OpClass, inst: Inst) {
        let (guard, negated) = self.guard;
        self.out.code.push(Decoded { inst, guard, negated, class, line: self.line });
    }

    pub(super) fn alu(&mut self, class: OpClass, op: Op, d: u32, srcs: &[u32]) {
        let get = |i: usize| srcs.get(i).copied().unwrap_or(SINK);
        self.emit(class, Inst::Alu { op, d, a: get(0), b: get(1), c: get(2) });
    }

    pub(super) fn temp32(&mut self) -> u32 {
        self.next.r32 += 1;
        self.next.r32 as u32 - 1
    }

    pub(super) fn temp64(&mut self) -> u32 {
        self.next.r64 += 1;
        self.next.r64 as u32 - 1
    }

    pub(super) fn temp_predicate(&mut self) -> u32 {
        self.next.pred += 1;
        self.next.pred as u32 - 1
    }

    pub(super) fn constant32(&mut self, v: u32) -> u32 {
        let pool = &mut *self.pool;
        CONSTANT
            | *pool.index32.entry(v).or_insert_with(|| {
                pool.values32.push(v);
                pool.values32.len() as u32 - 1
            })
    }

    pub(super) fn constant64(&mut self, v: u64) -> u32 {
        let pool = &mut *self.pool;
        CONSTANT
            | *pool.index64.entry(v).or_insert_with(|| {
                pool.values64.push(v);
                pool.values64.len() as u32 - 1
            })
    }

    /// What `name` stands for, innermost scope first.
    pub(super) fn lookup(&self, name: &str) -> Option<Symbol> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let index: Option<u32> = name[stem.len()..].parse().ok();
        for scope in self.scopes.iter().rev() {
            if let Some(&s) = scope.names.get(name) {
                return Some(s);
            }
            if let Some(index) = index
                && let Some(&(ty, first, count)) = scope.families.get(stem)
                && index < count
            {
                return Some(Symbol::Register(ty, first + index));
            }
        }
        if let Some(&offset) = self.layout.shared.get(name) {
            return Some(Symbol::Shared(if offset == u64::MAX { self.dynamic_shared } else { offset }));
        }
        self.layout.globals.get(name).map(|&offset| Symbol::Global(self.data_base + offset))
    }

    pub(super) fn register(&self, name: &str) -> Result<(RegType, u32)> {
        match self.lookup(name) {
            Some(Symbol::Register(ty, r)) => Ok((ty, r)),
            Some(_) => Err(format!("`{name}` is not a register")),
            None => Err(format!("`{name}` is not declared")),
        }
    }

    pub(super) fn predicate(&self, name: &str) -> Result<u32> {
        match self.register(name)? {
            (RegType::Pred, r) => Ok(r),
            _ => Err(format!("`{name}` is not a predicate")),
        }
    }

    /// A predicate operand and whether it is negated; immediates allowed.
    pub(super) fn predicate_operand(&self, o: &Operand<'a>) -> Result<(u32, bool)> {
        match o {
            Operand::Name(n) => Ok((self.predicate(n)?, false)),
            Operand::Not(n) => Ok((self.predicate(n)?, true)),
            Operand::Int(v) => Ok((CONSTANT | u32::from(*v != 0), false)),
            _ => Err("expected a predicate".into()),
        }
    }

    /// A source of 16, 32 or 64 bits: register, immediate or special register.
    pub(super) fn source(&mut self, o: &Operand<'a>, bits: u32) -> Result<u32> {
        match o {
            Operand::Int(v) => self.immediate(*v, bits),
            Operand::Name("WARP_SZ") => self.immediate(32, bits),
            Operand::Name(n) => {
                if let Some(special) = special(n) {
                    let d = self.temp32();
                    self.emit(OpClass::Uncounted, Inst::Special { d, which: special });
                    return match bits {
                        64 => {
                            let wide = self.temp64();
                            let zero = self.constant32(0);
                            self.alu(OpClass::Uncounted, Op::Pack, wide, &[d, zero]);
                            Ok(wide)
                        }
                        _ => Ok(d),
                    };
                }
                let (ty, r) = self.register(n)?;
                if type_bits(ty) != bits {
                    return Err(format!("`{n}` has {} bits, expected {bits}", type_bits(ty)));
                }
                Ok(r)
            }
            _ => Err("expected a register or an immediate".into()),
        }
    }

    fn immediate(&mut self, v: i128, bits: u32) -> Result<u32> {
        let fits = v >= -(1i128 << (bits - 1)) && v < 1i128 << bits;
        // LLVM prints some 16- and 32-bit immediates sign-extended to 64 bits.
        let wrapped = bits < 64 && (v as u64) >= (u64::MAX << (bits - 1)) && v > 0;
        if !fits && !wrapped {
            return Err(format!("immediate {v} has more than {bits} bits"));
        }
        Ok(match bits {
            16 => self.constant32(u32::from(v as u16)),
            32 => self.constant32(v as u32),
            _ => self.constant64(v as u64),
        })
    }

    /// A destination register of 16, 32 or 64 bits; `_` is thrown away.
    pub(super) fn destination(&mut self, o: &Operand<'a>, bits: u32) -> Result<u32> {
        match o {
            Operand::Name("_") => Ok(if bits == 64 { self.temp64() } else { self.temp32() }),
            Operand::Name(n) => {
                let (ty, r) = self.register(n)?;
                if type_bits(ty) != bits {
                    return Err(format!("`{n}` has {} bits, expected {bits}", type_bits(ty)));
                }
                Ok(r)
            }
            _ => Err("expected a register".into()),
        }
    }

    fn instruction(&mut self, i: &'m Instruction<'a>) -> Result<()> {
        let mut m = Modifiers::new(i.opcode);
        let known = self.control(i, &mut m)? || self.memory(i, &mut m)? || self.arithmetic(i, &mut m)?;
        if !known {
            return Err(format!("unknown opcode `{}`", i.opcode));
        }
        m.finish()
    }
}

/// Operand `i`, or an error.
pub(super) fn arg<'o, 'a>(o: &'o [Operand<'a>], i: usize) -> Result<&'o Operand<'a>> {
    o.get(i).ok_or_else(|| format!("operand {} is missing", i + 1))
}

/// Bits of a register type; predicates count as one.
pub(super) fn type_bits(ty: RegType) -> u32 {
    match ty {
        RegType::Pred => 1,
        RegType::B16 => 16,
        RegType::B32 => 32,
        RegType::B64 => 64,
    }
}

fn special(name: &str) -> Option<Special> {
    Some(match name {
        "%tid.x" => Special::TidX,
        "%ntid.x" => Special::NtidX,
        "%ctaid.x" => Special::CtaidX,
        "%nctaid.x" => Special::NctaidX,
        "%tid.y" | "%tid.z" | "%ctaid.y" | "%ctaid.z" => Special::Zero,
        "%ntid.y" | "%ntid.z" | "%nctaid.y" | "%nctaid.z" => Special::One,
        "%laneid" => Special::LaneId,
        "%warpid" => Special::WarpId,
        "%nwarpid" => Special::NwarpId,
        "%smid" => Special::SmId,
        "%nsmid" => Special::NsmId,
        "%lanemask_eq" => Special::LanemaskEq,
        "%lanemask_lt" => Special::LanemaskLt,
        "%lanemask_le" => Special::LanemaskLe,
        "%lanemask_gt" => Special::LanemaskGt,
        "%lanemask_ge" => Special::LanemaskGe,
        "%dynamic_smem_size" => Special::DynamicShared,
        _ => return None,
    })
}

/// An opcode's parts; each must be taken by the decoder, or the opcode is unknown.
pub(super) struct Modifiers<'a> {
    pub(super) base: &'a str,
    rest: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    fn new(opcode: &'a str) -> Self {
        let mut parts = opcode.split('.');
        let base = parts.next().unwrap_or("");
        Modifiers { base, rest: parts.collect() }
    }

    /// Removes `name` if present.
    pub(super) fn take(&mut self, name: &str) -> bool {
        let at = self.rest.iter().position(|m| *m == name);
        if let Some(at) = at {
            self.rest.remove(at);
        }
        at.is_some()
    }

    pub(super) fn require(&mut self, name: &str) -> Result<()> {
        if self.take(name) { Ok(()) } else { Err(format!("`{}` without `.{name}`", self.base)) }
    }

    /// Removes and returns the last modifier.
    pub(super) fn last(&mut self) -> Result<&'a str> {
        self.rest.pop().ok_or_else(|| format!("`{}` without a type", self.base))
    }

    /// Removes the first modifier.
    pub(super) fn first(&mut self) -> Result<&'a str> {
        if self.rest.is_empty() {
            return Err(format!("`{}` lacks a modifier", self.base));
        }
        Ok(self.rest.remove(0))
    }

    /// Removes a scope; absent means device-wide.
    pub(super) fn scope(&mut self) -> Scope {
        if self.take("cta") {
            return Scope::Cta;
        }
        let _ = self.take("gpu") || self.take("sys");
        Scope::Gpu
    }

    pub(super) fn clear(&mut self) {
        self.rest.clear();
    }

    fn finish(&self) -> Result<()> {
        match self.rest.first() {
            None => Ok(()),
            Some(m) => Err(format!("unknown modifier `.{m}` of `{}`", self.base)),
        }
    }
}
