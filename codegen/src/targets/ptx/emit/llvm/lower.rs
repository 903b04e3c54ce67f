//! One kernel to LLVM IR.

use super::asm::{self, llvm};
use super::functions::{Functions, callee, return_words};
use super::memory::{GLOBAL, Memory};
use crate::error::EmitError;
use crate::fir::ir::*;
use crate::passes::Checked;
use crate::targets::Machine;
use crate::targets::ptx::emit::effects::{self, Effect};
use crate::targets::ptx::emit::{is_called, text_of};
use crate::targets::ptx::machine::locals;
use crate::targets::ptx::{self, Choice, Ptx};
use crate::targets::walk::{Index, Language, write};
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
    memory: Memory<'a, 'c>,
    locals: Vec<Home<'c>>,
    pub(super) functions: &'a mut Functions<'c>,
    /// Whether multiplications are calls.
    calls: bool,
    /// What it calls, by function of the kernel.
    callees: Vec<FunctionValue<'c>>,
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
    let kernel = checked.kernel();
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
        memory: Memory::new(ctx, module, kernel, function, slots),
        locals: vec![],
        functions,
        calls: Ptx::calls(kernel),
        callees,
    };
    lower.declare_locals(&homes)?;
    write(&mut lower, checked)
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
    // One resident block is enough but where a kernel wants more: with the block size alone ptxas 13.5 aims
    // at more of them, and on sm_75 spills three words of BN254's accumulation at 96 registers where 126 need
    // no spill.
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

    /// Goes on in a block that is reached, or closes one that is not.
    fn continue_at(&mut self, at: BasicBlock<'c>, reached: bool) -> Result<(), EmitError> {
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
        Ok(())
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

    pub(super) fn inline(
        &self,
        b: &Builder<'c>,
        block: &ptx::Block,
        inputs: &[IntValue<'c>],
    ) -> Result<Words<'c>, EmitError> {
        let text = text_of(self.kernel, block);
        asm::call(self.ctx, b, &text, block.output_words(), inputs, Effect::Pure)
    }
}

impl<'c> Language for Lower<'_, 'c> {
    type Target = Ptx;
    type Atom = IntValue<'c>;
    /// Where the second arm begins, if there is one, and where control goes on.
    type Fork = (Option<BasicBlock<'c>>, BasicBlock<'c>);
    /// Where a loop begins, and where control goes on.
    type Round = (BasicBlock<'c>, BasicBlock<'c>);

    fn fork(&mut self, cond: &IntValue<'c>, has_otherwise: bool) -> Result<Self::Fork, EmitError> {
        let then = self.ctx.append_basic_block(self.function, "then");
        let join = self.ctx.append_basic_block(self.function, "join");
        let otherwise = has_otherwise.then(|| self.ctx.append_basic_block(self.function, "else"));
        self.b.build_conditional_branch(*cond, then, otherwise.unwrap_or(join)).map_err(llvm)?;
        self.b.position_at_end(then);
        Ok((otherwise, join))
    }

    fn otherwise(&mut self, fork: &mut Self::Fork, reached: bool) -> Result<(), EmitError> {
        if reached {
            self.b.build_unconditional_branch(fork.1).map_err(llvm)?;
        }
        if let Some(otherwise) = fork.0 {
            self.b.position_at_end(otherwise);
        }
        Ok(())
    }

    fn join(&mut self, (_, join): Self::Fork, reached: bool, goes_on: bool) -> Result<(), EmitError> {
        if reached {
            self.b.build_unconditional_branch(join).map_err(llvm)?;
        }
        self.continue_at(join, goes_on)
    }

    fn begin_loop(&mut self) -> Result<Self::Round, EmitError> {
        let head = self.ctx.append_basic_block(self.function, "loop");
        let exit = self.ctx.append_basic_block(self.function, "exit");
        self.b.build_unconditional_branch(head).map_err(llvm)?;
        self.b.position_at_end(head);
        Ok((head, exit))
    }

    fn leave(&mut self, (_, exit): &Self::Round) -> Result<(), EmitError> {
        self.b.build_unconditional_branch(*exit).map_err(llvm)?;
        Ok(())
    }

    fn end_loop(&mut self, (head, exit): Self::Round, reached: bool, goes_on: bool) -> Result<(), EmitError> {
        if reached {
            self.b.build_unconditional_branch(head).map_err(llvm)?;
        }
        self.continue_at(exit, goes_on)
    }

    fn end(&mut self) -> Result<(), EmitError> {
        self.b.build_return(None).map_err(llvm)?;
        Ok(())
    }

    fn give(&mut self, words: &[IntValue<'c>]) -> Result<(), EmitError> {
        return_words(&self.b, self.function, words)
    }

    fn get(&mut self, local: Local) -> Result<Words<'c>, EmitError> {
        let ty = self.int_type(self.kernel.locals[local.0 as usize].ty);
        let load =
            |slot: &PointerValue<'c>| Ok(self.b.build_load(ty, *slot, "").map_err(llvm)?.into_int_value());
        match &self.locals[local.0 as usize] {
            Home::Stack(slots) => slots.iter().map(load).collect(),
            Home::Shared(slot) => {
                let slot = *slot;
                let thread = self.special(Special::Thread)?;
                self.memory.load_slots(&self.b, slot, thread, self.kernel.field().words)
            }
        }
    }

    fn set(&mut self, local: Local, value: &[IntValue<'c>]) -> Result<(), EmitError> {
        match &self.locals[local.0 as usize] {
            Home::Stack(slots) => {
                for (slot, w) in slots.iter().zip(value) {
                    self.b.build_store(*slot, *w).map_err(llvm)?;
                }
            }
            Home::Shared(slot) => {
                let slot = *slot;
                let thread = self.special(Special::Thread)?;
                self.memory.store_slots(&self.b, slot, thread, value)?;
            }
        }
        Ok(())
    }

    fn literal(&mut self, ty: Type, value: u64) -> Result<IntValue<'c>, EmitError> {
        Ok(self.int_type(ty).const_int(value, false))
    }

    fn special(&mut self, s: Special) -> Result<IntValue<'c>, EmitError> {
        let register = match s {
            Special::Thread => "tid.x",
            Special::Block => "ctaid.x",
            Special::BlockSize => "ntid.x",
            Special::GridSize => "nctaid.x",
            Special::Lane => "laneid",
        };
        self.intrinsic(&format!("llvm.nvvm.read.ptx.sreg.{register}"), false, &[])
    }

    fn param(&mut self, p: ParamId) -> Result<IntValue<'c>, EmitError> {
        Ok(self.function.get_nth_param(p.0).ok_or_else(|| llvm("missing parameter"))?.into_int_value())
    }

    fn argument(&mut self, word: usize) -> Result<IntValue<'c>, EmitError> {
        self.param(ParamId(word as u32))
    }

    fn int(
        &mut self,
        o: IntOp,
        _: Type,
        x: &IntValue<'c>,
        y: &IntValue<'c>,
    ) -> Result<IntValue<'c>, EmitError> {
        let (x, y) = (*x, *y);
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

    fn not(&mut self, _: Type, x: &IntValue<'c>) -> Result<IntValue<'c>, EmitError> {
        self.b.build_not(*x, "").map_err(llvm)
    }

    fn bit(&mut self, o: BitOp, x: &IntValue<'c>) -> Result<IntValue<'c>, EmitError> {
        let x = *x;
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

    fn cmp(
        &mut self,
        o: CmpOp,
        _: Type,
        x: &IntValue<'c>,
        y: &IntValue<'c>,
    ) -> Result<IntValue<'c>, EmitError> {
        let predicate = match o {
            CmpOp::Eq => IntPredicate::EQ,
            CmpOp::Ne => IntPredicate::NE,
            CmpOp::Lt => IntPredicate::ULT,
            CmpOp::Le => IntPredicate::ULE,
        };
        self.b.build_int_compare(predicate, *x, *y, "").map_err(llvm)
    }

    fn widen(&mut self, x: &IntValue<'c>) -> Result<IntValue<'c>, EmitError> {
        self.b.build_int_z_extend(*x, self.ctx.i64_type(), "").map_err(llvm)
    }

    fn narrow(&mut self, x: &IntValue<'c>) -> Result<IntValue<'c>, EmitError> {
        self.b.build_int_truncate(*x, self.ctx.i32_type(), "").map_err(llvm)
    }

    fn word_of_truth(&mut self, x: &IntValue<'c>) -> Result<IntValue<'c>, EmitError> {
        self.b.build_int_z_extend(*x, self.ctx.i32_type(), "").map_err(llvm)
    }

    fn select(
        &mut self,
        _: Type,
        c: &IntValue<'c>,
        x: &IntValue<'c>,
        y: &IntValue<'c>,
    ) -> Result<IntValue<'c>, EmitError> {
        Ok(self.b.build_select(*c, *x, *y, "").map_err(llvm)?.into_int_value())
    }

    /// Inline or as a call.
    fn program(&mut self, op: &Op, choice: &Choice, inputs: &[IntValue<'c>]) -> Result<Words<'c>, EmitError> {
        let block = choice.block();
        if inputs.len() != block.input_words() {
            let (got, want) = (inputs.len(), block.input_words());
            return Err(EmitError::Asm(format!("{} takes {want} words, given {got}", choice.variant)));
        }
        match self.calls && is_called(op, block) {
            true => {
                let function = self.outlined(block)?;
                self.given(function, inputs)
            }
            false => self.inline(&self.b, block, inputs),
        }
    }

    fn call(&mut self, function: FunctionId, inputs: &[IntValue<'c>]) -> Result<Words<'c>, EmitError> {
        self.given(self.callees[function.0 as usize], inputs)
    }

    fn load(
        &mut self,
        results: &[Value],
        place: &Place,
        index: &Index<IntValue<'c>>,
    ) -> Result<Words<'c>, EmitError> {
        self.memory.load(&self.b, place, index, results.len())
    }

    fn store(
        &mut self,
        place: &Place,
        index: &Index<IntValue<'c>>,
        words: &[IntValue<'c>],
    ) -> Result<(), EmitError> {
        self.memory.store(&self.b, place, index, words)
    }

    fn address(&mut self, place: &Place, index: &Index<IntValue<'c>>) -> Result<IntValue<'c>, EmitError> {
        self.memory.integer_address(&self.b, place, index)
    }

    fn effect(&mut self, stmt: &Stmt, operands: &[IntValue<'c>]) -> Result<Option<IntValue<'c>>, EmitError> {
        let text = effects::text(stmt).ok_or_else(|| llvm(format!("{stmt:?} is no effect")))?;
        let given = asm::call(self.ctx, &self.b, &text.text, text.outputs, operands, text.effect)?;
        Ok(given.first().copied())
    }
}
