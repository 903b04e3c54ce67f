//! One kernel to LLVM IR.

use super::asm::{self, Effect, llvm};
use super::functions::{Functions, callee, return_words};
use super::memory::{GLOBAL, Index, Memory};
use crate::error::EmitError;
use crate::fir::ir::*;
use crate::passes::{Checked, KernelInfo, rereadable};
use crate::targets::Target;
use crate::targets::ptx::text::{template, unguarded_template};
use crate::targets::ptx::{self, Choice, Ptx, locals};
use curvesmith_abi::{Access, ParamKind};

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, IntType};
use inkwell::values::{BasicMetadataValueEnum, FunctionValue, IntValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate};

/// Most bits of a match that are voted on one by one: those of a digit of the sort.
const MOST_VOTES: u32 = 8;

/// LLVM's number of the `ptx_kernel` calling convention.
const PTX_KERNEL: u32 = 71;

/// A value: one integer, or the words of a field element.
pub(super) type Words<'c> = Vec<IntValue<'c>>;

/// Where a local lives.
enum Home<'c> {
    /// One stack slot a word; `mem2reg` makes them registers.
    Stack(Vec<PointerValue<'c>>),
    /// Four-word slots of shared memory, from this one on.
    Shared(u32),
}

pub(super) struct Lower<'a, 'c> {
    pub(super) ctx: &'c Context,
    pub(super) module: &'a Module<'c>,
    pub(super) b: Builder<'c>,
    pub(super) function: FunctionValue<'c>,
    pub(super) kernel: &'a Kernel,
    info: &'a KernelInfo<Ptx>,
    memory: Memory<'a, 'c>,
    values: Vec<Words<'c>>,
    locals: Vec<Home<'c>>,
    /// By value, whether it is a `get` that is read at every use.
    rereadable: Vec<bool>,
    /// Where `break` goes, innermost loop last, and whether it was taken.
    exits: Vec<(BasicBlock<'c>, bool)>,
    pub(super) functions: &'a mut Functions<'c>,
    /// Whether multiplications are calls.
    calls: bool,
    /// What it calls, by function of the kernel.
    pub(super) callees: Vec<FunctionValue<'c>>,
}

/// Adds the kernel to the module.
pub(super) fn kernel<'c>(
    ctx: &'c Context,
    module: &Module<'c>,
    checked: &Checked<Ptx>,
    functions: &mut Functions<'c>,
) -> Result<(), EmitError> {
    let function = declare(ctx, module, checked.kernel())?;
    body(ctx, module, checked, functions, function)
}

/// The code of a kernel or function.
pub(super) fn body<'c>(
    ctx: &'c Context,
    module: &Module<'c>,
    checked: &Checked<Ptx>,
    functions: &mut Functions<'c>,
    function: FunctionValue<'c>,
) -> Result<(), EmitError> {
    let (kernel, info) = (checked.kernel(), checked.info());
    let callees = checked.functions().iter().map(|f| callee(ctx, module, f, functions));
    let callees = callees.collect::<Result<_, _>>()?;
    let b = ctx.create_builder();
    b.position_at_end(ctx.append_basic_block(function, "entry"));
    let (homes, slots) = locals::place(kernel);
    let mut lower = Lower {
        ctx,
        module,
        b,
        function,
        kernel,
        info,
        memory: Memory::new(ctx, module, kernel, function, slots),
        values: vec![vec![]; kernel.values().count()],
        locals: vec![],
        rereadable: rereadable(kernel, &Ptx::in_memory(kernel)),
        exits: vec![],
        functions,
        calls: Ptx::calls(kernel),
        callees,
    };
    lower.declare_locals(&homes)?;
    if lower.block(&kernel.body)? {
        lower.b.build_return(None).map_err(llvm)?;
    }
    Ok(())
}

fn declare<'c>(
    ctx: &'c Context,
    module: &Module<'c>,
    kernel: &Kernel,
) -> Result<FunctionValue<'c>, EmitError> {
    let params: Vec<BasicMetadataTypeEnum<'c>> = kernel
        .desc
        .params
        .iter()
        .map(|p| match p.kind {
            ParamKind::Buffer(..) => ctx.ptr_type(AddressSpace::from(GLOBAL)).into(),
            ParamKind::U32 => ctx.i32_type().into(),
            ParamKind::U64 => ctx.i64_type().into(),
        })
        .collect();
    let ty = ctx.void_type().fn_type(&params, false);
    if module.get_function(&kernel.symbol).is_some() {
        let reason = "symbol is taken".into();
        return Err(EmitError::Kernel { kernel: kernel.symbol.clone(), reason });
    }
    let function = module.add_function(&kernel.symbol, ty, None);
    function.set_call_conventions(PTX_KERNEL);
    let flag = |name: &str| ctx.create_enum_attribute(Attribute::get_named_enum_kind_id(name), 0);
    for (i, p) in kernel.desc.params.iter().enumerate() {
        if let ParamKind::Buffer(access, _) = p.kind {
            let at = AttributeLoc::Param(i as u32);
            // The contract: what a kernel reads only, nothing writes while it runs.
            if access == Access::In {
                function.add_attribute(at, flag("noalias"));
                function.add_attribute(at, flag("readonly"));
            }
        }
    }
    let int = |x: u32| BasicMetadataValueEnum::from(ctx.i32_type().const_int(x.into(), false));
    let pointer = function.as_global_value().as_pointer_value();
    // One resident block is enough but where a kernel wants more: with the block size alone ptxas 13.5 aims at more of them, and on
    // sm_75 spills three words of BN254's accumulation at 96 registers where 126 need no spill.
    for (name, value) in [("kernel", 1), ("maxntidx", kernel.desc.block), ("minctasm", kernel.resident)] {
        let node = ctx.metadata_node(&[pointer.into(), ctx.metadata_string(name).into(), int(value)]);
        module.add_global_metadata("nvvm.annotations", &node).map_err(llvm)?;
    }
    Ok(function)
}

impl<'c> Lower<'_, 'c> {
    fn int_type(&self, ty: Type) -> IntType<'c> {
        match ty {
            Type::Pred => self.ctx.bool_type(),
            // Elements of extensions have no program, which is an error where one is computed.
            Type::U32 | Type::Field | Type::Ext(_) | Type::Fields => self.ctx.i32_type(),
            Type::U64 => self.ctx.i64_type(),
        }
    }

    pub(super) fn word(&self, x: u32) -> IntValue<'c> {
        self.ctx.i32_type().const_int(x.into(), false)
    }

    fn declare_locals(&mut self, homes: &[Option<u32>]) -> Result<(), EmitError> {
        for (decl, home) in self.kernel.locals.iter().zip(homes) {
            if let Some(slot) = home {
                self.locals.push(Home::Shared(*slot));
                continue;
            }
            let slots = if decl.ty == Type::Field { self.kernel.field().words } else { 1 };
            let slots: Result<_, _> =
                (0..slots).map(|_| self.b.build_alloca(self.int_type(decl.ty), "").map_err(llvm)).collect();
            self.locals.push(Home::Stack(slots?));
        }
        Ok(())
    }

    pub(super) fn values(&self, v: Value) -> &[IntValue<'c>] {
        &self.values[v.0 as usize]
    }

    pub(super) fn value(&self, v: Value) -> IntValue<'c> {
        self.values[v.0 as usize][0]
    }

    pub(super) fn set(&mut self, v: Value, words: Words<'c>) {
        self.values[v.0 as usize] = words;
    }

    /// True when control reaches the end of the block.
    fn block(&mut self, block: &Block) -> Result<bool, EmitError> {
        let mut fresh = vec![];
        for stmt in block {
            fresh = self.reread(stmt, &fresh)?;
            if !self.stmt(stmt)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Loads what the statement reads of locals in shared memory, but for what the last one read; what that is.
    fn reread(&mut self, stmt: &Stmt, fresh: &[Value]) -> Result<Vec<Value>, EmitError> {
        let mut read = match stmt {
            Stmt::Let(v) => self.kernel[*v].args(),
            _ => stmt.uses(),
        };
        read.retain(|v| self.rereadable[v.0 as usize]);
        for v in &read {
            if !fresh.contains(v) {
                let words = self.op(*v)?;
                self.set(*v, words);
            }
        }
        Ok(read)
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<bool, EmitError> {
        match stmt {
            Stmt::Let(v) if self.rereadable[v.0 as usize] => {}
            Stmt::Let(v) => {
                let words = self.op(*v)?;
                self.set(*v, words);
            }
            Stmt::Set(l, v) => match &self.locals[l.0 as usize] {
                Home::Stack(slots) => {
                    for (slot, w) in slots.iter().zip(self.values(*v)) {
                        self.b.build_store(*slot, *w).map_err(llvm)?;
                    }
                }
                Home::Shared(slot) => {
                    let thread = self.special(Special::Thread)?;
                    self.memory.store_slots(&self.b, *slot, thread, self.values(*v))?;
                }
            },
            Stmt::If { cond, then, otherwise } => return self.branch(self.value(*cond), then, otherwise),
            Stmt::Loop(body) => return self.repeat(body),
            Stmt::Break => {
                let (exit, taken) = self.exits.last_mut().expect("the verifier keeps breaks within loops");
                *taken = true;
                let exit = *exit;
                self.b.build_unconditional_branch(exit).map_err(llvm)?;
                return Ok(false);
            }
            Stmt::Return => {
                self.b.build_return(None).map_err(llvm)?;
                return Ok(false);
            }
            Stmt::Yield(values) => {
                let words = self.as_words(values)?;
                return_words(&self.b, self.function, &words)?;
                return Ok(false);
            }
            _ => self.effect(stmt)?,
        }
        Ok(true)
    }

    fn branch(&mut self, cond: IntValue<'c>, then: &Block, otherwise: &Block) -> Result<bool, EmitError> {
        let then_block = self.ctx.append_basic_block(self.function, "then");
        let join = self.ctx.append_basic_block(self.function, "join");
        let else_block = match otherwise.is_empty() {
            true => join,
            false => self.ctx.append_basic_block(self.function, "else"),
        };
        self.b.build_conditional_branch(cond, then_block, else_block).map_err(llvm)?;
        let mut falls = otherwise.is_empty();
        let arms = [(then_block, then), (else_block, otherwise)];
        for (at, arm) in arms.into_iter().filter(|(at, _)| *at != join) {
            self.b.position_at_end(at);
            if self.block(arm)? {
                falls = true;
                self.b.build_unconditional_branch(join).map_err(llvm)?;
            }
        }
        self.continue_at(join, falls)
    }

    fn repeat(&mut self, body: &Block) -> Result<bool, EmitError> {
        let head = self.ctx.append_basic_block(self.function, "loop");
        let exit = self.ctx.append_basic_block(self.function, "exit");
        self.b.build_unconditional_branch(head).map_err(llvm)?;
        self.b.position_at_end(head);
        self.exits.push((exit, false));
        if self.block(body)? {
            self.b.build_unconditional_branch(head).map_err(llvm)?;
        }
        let (_, taken) = self.exits.pop().expect("pushed above");
        self.continue_at(exit, taken)
    }

    /// Goes on in a block that is reached, or closes one that is not.
    fn continue_at(&mut self, at: BasicBlock<'c>, reached: bool) -> Result<bool, EmitError> {
        // Keeps the text in program order.
        if let Some(last) = self.function.get_last_basic_block()
            && last != at
        {
            at.move_after(last).map_err(|()| llvm("a block cannot be moved"))?;
        }
        self.b.position_at_end(at);
        if !reached {
            self.b.build_unreachable().map_err(llvm)?;
        }
        Ok(reached)
    }

    fn op(&mut self, v: Value) -> Result<Words<'c>, EmitError> {
        let kernel = self.kernel;
        let op = &kernel[v];
        if let Some(choice) = self.info.choice(v) {
            return self.field_op(op, choice);
        }
        let single = match op {
            Op::Get(l) => {
                let ty = self.int_type(kernel.locals[l.0 as usize].ty);
                let load = |slot: &PointerValue<'c>| {
                    Ok(self.b.build_load(ty, *slot, "").map_err(llvm)?.into_int_value())
                };
                return match &self.locals[l.0 as usize] {
                    Home::Stack(slots) => slots.iter().map(load).collect(),
                    Home::Shared(slot) => {
                        let thread = self.special(Special::Thread)?;
                        self.memory.load_slots(&self.b, *slot, thread, kernel.field().words)
                    }
                };
            }
            Op::Const(c) => {
                let field = kernel.field();
                return Ok(field.limbs(&field.to_mont(c)).into_iter().map(|w| self.word(w)).collect());
            }
            Op::FromWords(words, _) => return Ok(words.iter().map(|w| self.value(*w)).collect()),
            Op::Part(a, i) => {
                let n = kernel.field().words;
                let all = self.values(*a).chunks_exact(n).nth(*i as usize);
                return all.map(<[_]>::to_vec).ok_or_else(|| llvm(format!("{v} is no part of {a}")));
            }
            Op::Select(c, x, y) => {
                let c = self.value(*c);
                let pairs = self.values(*x).iter().zip(self.values(*y));
                return pairs
                    .map(|(x, y)| Ok(self.b.build_select(c, *x, *y, "").map_err(llvm)?.into_int_value()))
                    .collect();
            }
            Op::Word(x, i, _) => self.values(*x)[*i as usize],
            Op::Param(p) => {
                self.function.get_nth_param(p.0).ok_or_else(|| llvm("missing parameter"))?.into_int_value()
            }
            Op::Argument(i) => return self.argument(*i as usize),
            Op::Special(s) => self.special(*s)?,
            Op::Bool(x) => self.ctx.bool_type().const_int((*x).into(), false),
            Op::U32(x) => self.word(*x),
            Op::U64(x) => self.ctx.i64_type().const_int(*x, false),
            Op::Int(o, x, y) => self.int(*o, self.value(*x), self.value(*y))?,
            Op::Not(x) => self.b.build_not(self.value(*x), "").map_err(llvm)?,
            Op::Bit(o, x) => self.bit(*o, self.value(*x))?,
            Op::Cmp(o, x, y) => {
                let predicate = match o {
                    CmpOp::Eq => IntPredicate::EQ,
                    CmpOp::Ne => IntPredicate::NE,
                    CmpOp::Lt => IntPredicate::ULT,
                    CmpOp::Le => IntPredicate::ULE,
                };
                self.b.build_int_compare(predicate, self.value(*x), self.value(*y), "").map_err(llvm)?
            }
            Op::Widen(x) => {
                self.b.build_int_z_extend(self.value(*x), self.ctx.i64_type(), "").map_err(llvm)?
            }
            Op::Narrow(x) => {
                self.b.build_int_truncate(self.value(*x), self.ctx.i32_type(), "").map_err(llvm)?
            }
            Op::Result(_) | Op::Field(..) | Op::Compose(..) | Op::Coefficient(..) => {
                let reason = format!("{v} has no program");
                return Err(EmitError::Kernel { kernel: kernel.symbol.clone(), reason });
            }
        };
        Ok(vec![single])
    }

    fn int(&self, o: IntOp, x: IntValue<'c>, y: IntValue<'c>) -> Result<IntValue<'c>, EmitError> {
        let b = &self.b;
        // Shift amounts are u32 whatever is shifted.
        let y = match o {
            IntOp::Shl | IntOp::Shr if y.get_type() != x.get_type() => {
                b.build_int_z_extend(y, x.get_type(), "").map_err(llvm)?
            }
            _ => y,
        };
        let pick = |predicate| {
            let c = b.build_int_compare(predicate, x, y, "")?;
            Ok(b.build_select(c, x, y, "")?.into_int_value())
        };
        match o {
            IntOp::Add => b.build_int_add(x, y, ""),
            IntOp::Sub => b.build_int_sub(x, y, ""),
            IntOp::Mul => b.build_int_mul(x, y, ""),
            IntOp::And => b.build_and(x, y, ""),
            IntOp::Or => b.build_or(x, y, ""),
            IntOp::Xor => b.build_xor(x, y, ""),
            IntOp::Shl => b.build_left_shift(x, y, ""),
            IntOp::Shr => b.build_right_shift(x, y, false, ""),
            IntOp::Min => pick(IntPredicate::ULT),
            IntOp::Max => pick(IntPredicate::UGT),
            IntOp::Div => b.build_int_unsigned_div(x, y, ""),
            IntOp::Rem => b.build_int_unsigned_rem(x, y, ""),
        }
        .map_err(llvm)
    }

    fn bit(&self, o: BitOp, x: IntValue<'c>) -> Result<IntValue<'c>, EmitError> {
        // The second operand of ctlz says that zero is defined: its count is 32.
        let (name, zero_is_defined) = match o {
            BitOp::Popc => ("llvm.ctpop", None),
            BitOp::Clz => ("llvm.ctlz", Some(self.ctx.bool_type().const_zero())),
            BitOp::Brev => ("llvm.bitreverse", None),
        };
        let mut args: Vec<BasicMetadataValueEnum<'c>> = vec![x.into()];
        args.extend(zero_is_defined.map(BasicMetadataValueEnum::from));
        self.intrinsic(name, true, &args)
    }

    fn special(&self, s: Special) -> Result<IntValue<'c>, EmitError> {
        let register = match s {
            Special::Thread => "tid.x",
            Special::Block => "ctaid.x",
            Special::BlockSize => "ntid.x",
            Special::GridSize => "nctaid.x",
            Special::Lane => "laneid",
        };
        self.intrinsic(&format!("llvm.nvvm.read.ptx.sreg.{register}"), false, &[])
    }

    fn intrinsic(
        &self,
        name: &str,
        overloaded: bool,
        args: &[BasicMetadataValueEnum<'c>],
    ) -> Result<IntValue<'c>, EmitError> {
        let types = if overloaded { vec![self.ctx.i32_type().into()] } else { vec![] };
        let function = Intrinsic::find(name)
            .and_then(|i| i.get_declaration(self.module, &types))
            .ok_or_else(|| llvm(format!("no intrinsic {name}")))?;
        let call = self.b.build_call(function, args, "").map_err(llvm)?;
        Ok(call.try_as_basic_value().unwrap_basic().into_int_value())
    }

    /// A field operation by its limb program, inline or as a call.
    fn field_op(&mut self, op: &Op, choice: &Choice) -> Result<Words<'c>, EmitError> {
        let inputs: Words<'c> = op.args().iter().flat_map(|a| self.values(*a).to_vec()).collect();
        let block = choice.block();
        if inputs.len() != block.input_words() {
            let (got, want) = (inputs.len(), block.input_words());
            return Err(EmitError::Asm(format!("{} takes {want} words, given {got}", choice.variant)));
        }
        let multiplies = crate::passes::products(op) > 0;
        let words = match self.calls && multiplies && block.output_words() > 1 {
            true => {
                let function = self.outlined(block)?;
                self.given(function, &inputs)?
            }
            false => self.inline(&self.b, block, &inputs)?,
        };
        match op {
            Op::Field(op, _) if op.tests_zero() => {
                let zero = self.word(0);
                Ok(vec![self.b.build_int_compare(IntPredicate::NE, words[0], zero, "").map_err(llvm)?])
            }
            _ => Ok(words),
        }
    }

    pub(super) fn inline(
        &self,
        b: &Builder<'c>,
        block: &ptx::Block,
        inputs: &[IntValue<'c>],
    ) -> Result<Words<'c>, EmitError> {
        let text = if self.kernel.unguarded { unguarded_template(block) } else { template(block) };
        asm::call(self.ctx, b, &text, block.output_words(), inputs, Effect::Pure)
    }

    fn effect(&mut self, stmt: &Stmt) -> Result<(), EmitError> {
        match stmt {
            Stmt::Load { results, place } => {
                let words = self.memory.load(&self.b, place, self.index(place), results.len())?;
                for (v, w) in results.iter().zip(words) {
                    self.set(*v, vec![w]);
                }
            }
            Stmt::Store { place, words } => {
                let words: Words<'c> = words.iter().map(|w| self.value(*w)).collect();
                self.memory.store(&self.b, place, self.index(place), &words)?;
            }
            Stmt::Call { results, function, args } => self.call(results, *function, args)?,
            Stmt::Prefetch { place } => {
                let text = format!("prefetch.{}.L2 [$0];", Memory::space(place));
                let address = self.address(place)?;
                self.ptx(&text, 0, &[address], Effect::Warp)?;
            }
            Stmt::LoadOrdered { result, place, order, scope } => {
                let order = match order {
                    Order::Relaxed => "relaxed",
                    Order::AcquireRelease => "acquire",
                };
                let text =
                    format!("ld.{order}.{}.{}.u32 $0, [$1];", scope_name(*scope), Memory::space(place));
                let address = self.address(place)?;
                let word = self.ptx(&text, 1, &[address], Effect::Memory)?;
                self.set(*result, word);
            }
            Stmt::StoreOrdered { place, value, order, scope } => {
                let order = match order {
                    Order::Relaxed => "relaxed",
                    Order::AcquireRelease => "release",
                };
                let text =
                    format!("st.{order}.{}.{}.u32 [$0], $1;", scope_name(*scope), Memory::space(place));
                let address = self.address(place)?;
                self.ptx(&text, 0, &[address, self.value(*value)], Effect::Memory)?;
            }
            Stmt::Atomic { result, op, place, value, order, scope } => {
                let order = match order {
                    Order::Relaxed => "relaxed",
                    Order::AcquireRelease => "acq_rel",
                };
                let op = match op {
                    AtomicOp::Add => "add.u32",
                    AtomicOp::Min => "min.u32",
                    AtomicOp::Max => "max.u32",
                    AtomicOp::Exchange => "exch.b32",
                };
                let (scope, space) = (scope_name(*scope), Memory::space(place));
                let text = format!("atom.{order}.{scope}.{space}.{op} $0, [$1], $2;");
                let address = self.address(place)?;
                let word = self.ptx(&text, 1, &[address, self.value(*value)], Effect::Memory)?;
                self.set(*result, word);
            }
            Stmt::Barrier => {
                self.ptx("bar.sync 0;", 0, &[], Effect::Memory)?;
            }
            Stmt::SyncWarp { mask } => {
                self.ptx("bar.warp.sync $0;", 0, &[self.value(*mask)], Effect::Memory)?;
            }
            Stmt::Fence(scope) => {
                self.ptx(&format!("fence.acq_rel.{};", scope_name(*scope)), 0, &[], Effect::Memory)?;
            }
            Stmt::Shuffle { result, mode, value, arg, mask } => {
                // The last operand but one: lanes are clamped to the whole warp.
                let (mode, clamp) = match mode {
                    ShuffleMode::Index => ("idx", 31),
                    ShuffleMode::Up => ("up", 0),
                    ShuffleMode::Down => ("down", 31),
                    ShuffleMode::Xor => ("bfly", 31),
                };
                let text = format!("shfl.sync.{mode}.b32 $0, $1, $2, {clamp}, $3;");
                let (arg, mask) = (self.value(*arg), self.value(*mask));
                let mut words = vec![];
                for word in self.values(*value) {
                    words.extend(self.ptx(&text, 1, &[*word, arg, mask], Effect::Warp)?);
                }
                self.set(*result, words);
            }
            Stmt::Ballot { result, cond, mask } => {
                let inputs = [self.value(*cond), self.value(*mask)];
                let word = self.ptx("vote.sync.ballot.b32 $0, $1, $2;", 1, &inputs, Effect::Warp)?;
                self.set(*result, word);
            }
            Stmt::MatchAny { result, value, bits, mask } => {
                let inputs = [self.value(*value), self.value(*mask)];
                let word = self.ptx(&match_any(*bits), 1, &inputs, Effect::Warp)?;
                self.set(*result, word);
            }
            Stmt::Let(_)
            | Stmt::Set(..)
            | Stmt::If { .. }
            | Stmt::Loop(_)
            | Stmt::Break
            | Stmt::Return
            | Stmt::Yield(_) => {
                unreachable!("lowered by `stmt`")
            }
        }
        Ok(())
    }

    fn ptx(
        &self,
        text: &str,
        outputs: usize,
        inputs: &[IntValue<'c>],
        effect: Effect,
    ) -> Result<Words<'c>, EmitError> {
        asm::call(self.ctx, &self.b, text, outputs, inputs, effect)
    }

    fn index(&self, place: &Place) -> Index<'c> {
        match place {
            Place::Global { index, .. } | Place::Shared { index, .. } => {
                Index { element: self.value(*index), part: None }
            }
            Place::Part { index, part, .. } => {
                Index { element: self.value(*index), part: Some(self.value(*part)) }
            }
        }
    }

    fn address(&self, place: &Place) -> Result<IntValue<'c>, EmitError> {
        self.memory.integer_address(&self.b, place, self.index(place))
    }
}

/// Matches the low `bits` bits of `$1`: of a few by a vote a bit, four instructions each, which are the same for all values. For the machine's own a word
/// takes as many steps as there are different ones.
fn match_any(bits: u32) -> String {
    if bits > MOST_VOTES {
        let shift = 32 - bits;
        return format!("{{ .reg .b32 low; shl.b32 low, $1, {shift}; match.any.sync.b32 $0, low, $2; }}");
    }
    let mut text = "{ .reg .pred p; .reg .b32 b, others; mov.b32 $0, $2;".to_owned();
    for bit in 0..bits {
        let mask = 1 << bit;
        text += &format!(
            " and.b32 b, $1, {mask}; setp.ne.u32 p, b, 0; vote.sync.ballot.b32 b, p, $2; selp.b32 others, 0, -1, p; xor.b32 b, b, others; and.b32 $0, $0, b;"
        );
    }
    text + " }"
}

fn scope_name(scope: Scope) -> &'static str {
    match scope {
        Scope::Block => "cta",
        Scope::Device => "gpu",
    }
}
