//! Addresses, vector loads and stores.
#![allow(unsafe_code, reason = "inkwell's address computations are unsafe")]

use super::asm::{self, llvm};
use crate::error::EmitError;
use crate::fir::ir::{Kernel, Place};
use crate::targets::ptx::emit::layout::{self, Aligned};
use crate::targets::walk::Index;
use curvesmith_abi::padded_words;
use inkwell::AddressSpace;
use inkwell::builder::Builder;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module};
use inkwell::values::{BasicValue, FunctionValue, IntValue, PointerValue};

/// Address space of device memory.
pub(super) const GLOBAL: u16 = 1;
/// Address space of a block's shared memory.
const SHARED: u16 = 3;

/// Where a kernel's buffers and shared arrays lie.
pub(super) struct Memory<'a, 'c> {
    ctx: &'c Context,
    kernel: &'a Kernel,
    function: FunctionValue<'c>,
    /// The pieces of each array.
    shared: Vec<Vec<Piece<'c>>>,
    /// Slots of locals, four words for each thread of the block.
    slots: Option<PointerValue<'c>>,
}

/// A [`layout::Piece`] in the module.
struct Piece<'c> {
    base: PointerValue<'c>,
    start: u32,
    width: u32,
}

/// The address of a word, and what is known of its alignment.
struct Address<'c> {
    pointer: PointerValue<'c>,
    aligned: Aligned,
    /// Every load of it is one of its own.
    volatile: bool,
}

impl<'a, 'c> Memory<'a, 'c> {
    /// Declares the kernel's shared arrays.
    pub(super) fn new(
        ctx: &'c Context,
        module: &Module<'c>,
        kernel: &'a Kernel,
        function: FunctionValue<'c>,
        slots: u32,
    ) -> Self {
        let array = |name: String, words: u32| {
            let ty = ctx.i32_type().array_type(words);
            let global = module.add_global(ty, Some(AddressSpace::from(SHARED)), &name);
            global.set_linkage(Linkage::Internal);
            global.set_alignment(16);
            global.set_initializer(&ty.get_undef());
            global.as_pointer_value()
        };
        let shared = layout::pieces(kernel).into_iter().map(|pieces| {
            let declare = |layout::Piece { name, length, start, width }| Piece {
                base: array(name, length),
                start,
                width,
            };
            pieces.into_iter().map(declare).collect()
        });
        let shared = shared.collect();
        let slots = layout::slots(kernel, slots).map(|(name, words)| array(name, words));
        Memory { ctx, kernel, function, shared, slots }
    }

    /// The address as a 64-bit integer, for instructions that are written as text.
    pub(super) fn integer_address(
        &self,
        b: &Builder<'c>,
        place: &Place,
        index: &Index<IntValue<'c>>,
    ) -> Result<IntValue<'c>, EmitError> {
        let at = self.address(b, place, index)?;
        b.build_ptr_to_int(at.pointer, self.ctx.i64_type(), "").map_err(llvm)
    }

    /// `base + zext(index)·stride`, of a part and `zext(part)·words`, in 64 bits, then a constant offset: the
    /// form that LLVM folds into the offset of each access.
    fn address(
        &self,
        b: &Builder<'c>,
        place: &Place,
        index: &Index<IntValue<'c>>,
    ) -> Result<Address<'c>, EmitError> {
        let (long, word) = (self.ctx.i64_type(), self.ctx.i32_type());
        let element = b.build_int_z_extend(index.element, long, "").map_err(llvm)?;
        let (buffer, offset) = match *place {
            Place::Global { buffer, word, .. } | Place::Part { buffer, word, .. } => (buffer, word),
            Place::Shared { array, .. } => {
                return self.in_piece(b, &self.shared[array.0 as usize][0], element);
            }
        };
        let stride = layout::stride(self.kernel, buffer.0)?;
        let base = self
            .function
            .get_nth_param(buffer.0)
            .ok_or_else(|| asm::llvm("missing parameter"))?
            .into_pointer_value();
        let times = |x, n: u32| b.build_int_nuw_mul(x, long.const_int(n.into(), false), "").map_err(llvm);
        let words = times(element, stride)?;
        // SAFETY: the element exists: the kernel's contract bounds the index.
        let mut at = unsafe { b.build_in_bounds_gep(word, base, &[words], "") }.map_err(llvm)?;
        let mut aligned = Aligned::to(stride);
        if let Some(part) = index.part {
            let each = padded_words(self.kernel.field.as_ref().map_or(0, |f| f.words)) as u32;
            let part = b.build_int_z_extend(part, long, "").map_err(llvm)?;
            let words = times(part, each)?;
            // SAFETY: the kernel names parts that points have.
            at = unsafe { b.build_in_bounds_gep(word, at, &[words], "") }.map_err(llvm)?;
            aligned = Aligned::to(each);
        }
        // Allocations are aligned to 16 bytes and more.
        let pointer = self.advance(b, at, offset)?;
        Ok(Address { pointer, aligned: aligned.offset(offset), volatile: false })
    }

    /// The words of a piece at an index of 64 bits.
    fn in_piece(
        &self,
        b: &Builder<'c>,
        piece: &Piece<'c>,
        index: IntValue<'c>,
    ) -> Result<Address<'c>, EmitError> {
        let width = self.ctx.i64_type().const_int(piece.width.into(), false);
        let words = match piece.width {
            1 => index,
            _ => b.build_int_nuw_mul(index, width, "").map_err(llvm)?,
        };
        // SAFETY: the words exist: the kernel bounds the index.
        let pointer =
            unsafe { b.build_in_bounds_gep(self.ctx.i32_type(), piece.base, &[words], "") }.map_err(llvm)?;
        Ok(Address { pointer, aligned: Aligned::to(piece.width), volatile: false })
    }

    /// The pieces of the elements of a shared array; none of words or buffers.
    fn pieces(&self, place: &Place) -> Option<&[Piece<'c>]> {
        let Place::Shared { array, .. } = place else { return None };
        layout::in_pieces(self.kernel, place).then(|| &self.shared[array.0 as usize][..])
    }

    fn advance(
        &self,
        b: &Builder<'c>,
        p: PointerValue<'c>,
        words: u32,
    ) -> Result<PointerValue<'c>, EmitError> {
        if words == 0 {
            return Ok(p);
        }
        let offset = self.ctx.i64_type().const_int(words.into(), false);
        // SAFETY: the verifier keeps words within the element.
        unsafe { b.build_in_bounds_gep(self.ctx.i32_type(), p, &[offset], "") }.map_err(llvm)
    }

    /// Reads consecutive words.
    pub(super) fn load(
        &self,
        b: &Builder<'c>,
        place: &Place,
        index: &Index<IntValue<'c>>,
        count: usize,
    ) -> Result<Vec<IntValue<'c>>, EmitError> {
        let Some(pieces) = self.pieces(place) else {
            let at = self.address(b, place, index)?;
            return self.load_at(b, &at, count);
        };
        let index = b.build_int_z_extend(index.element, self.ctx.i64_type(), "").map_err(llvm)?;
        let mut words = Vec::with_capacity(count);
        for piece in pieces {
            let at = self.in_piece(b, piece, index)?;
            words.extend(self.load_at(b, &at, piece.width as usize)?);
        }
        Ok(words)
    }

    /// The words of a local whose first slot is `slot`, for the thread `thread` of the block.
    pub(super) fn load_slots(
        &self,
        b: &Builder<'c>,
        slot: u32,
        thread: IntValue<'c>,
        count: usize,
    ) -> Result<Vec<IntValue<'c>>, EmitError> {
        let mut words = Vec::with_capacity(count);
        for (k, start) in (0..count).step_by(4).enumerate() {
            let at = Address { volatile: true, ..self.slot(b, slot + k as u32, thread)? };
            words.extend(self.load_at(b, &at, (count - start).min(4))?);
        }
        Ok(words)
    }

    /// Writes the words of a local.
    pub(super) fn store_slots(
        &self,
        b: &Builder<'c>,
        slot: u32,
        thread: IntValue<'c>,
        words: &[IntValue<'c>],
    ) -> Result<(), EmitError> {
        for (k, words) in words.chunks(4).enumerate() {
            let at = self.slot(b, slot + k as u32, thread)?;
            self.store_at(b, &at, words)?;
        }
        Ok(())
    }

    fn slot(&self, b: &Builder<'c>, slot: u32, thread: IntValue<'c>) -> Result<Address<'c>, EmitError> {
        let base = self.slots.ok_or_else(|| llvm("no slots are declared"))?;
        let (long, word) = (self.ctx.i64_type(), self.ctx.i32_type());
        let thread = b.build_int_z_extend(thread, long, "").map_err(llvm)?;
        let words = b.build_int_nuw_mul(thread, long.const_int(4, false), "").map_err(llvm)?;
        // SAFETY: the array has four words for each slot and thread of the block.
        let own = unsafe { b.build_in_bounds_gep(word, base, &[words], "") }.map_err(llvm)?;
        let pointer = self.advance(b, own, slot * layout::slot_words(self.kernel))?;
        Ok(Address { pointer, aligned: Aligned::to(4), volatile: false })
    }

    fn load_at(
        &self,
        b: &Builder<'c>,
        at: &Address<'c>,
        count: usize,
    ) -> Result<Vec<IntValue<'c>>, EmitError> {
        let word = self.ctx.i32_type();
        let mut words = Vec::with_capacity(count);
        for (start, width) in at.aligned.runs(count) {
            let p = self.advance(b, at.pointer, start)?;
            if width == 1 {
                let v = b.build_load(word, p, "").map_err(llvm)?;
                loaded(v, 4, at.volatile)?;
                words.push(v.into_int_value());
                continue;
            }
            let v = b.build_load(word.vec_type(width), p, "").map_err(llvm)?;
            loaded(v, 4 * width, at.volatile)?;
            for k in 0..width {
                let lane = word.const_int(k.into(), false);
                let w = b.build_extract_element(v.into_vector_value(), lane, "").map_err(llvm)?;
                words.push(w.into_int_value());
            }
        }
        Ok(words)
    }

    /// Writes consecutive words.
    pub(super) fn store(
        &self,
        b: &Builder<'c>,
        place: &Place,
        index: &Index<IntValue<'c>>,
        words: &[IntValue<'c>],
    ) -> Result<(), EmitError> {
        let Some(pieces) = self.pieces(place) else {
            let at = self.address(b, place, index)?;
            return self.store_at(b, &at, words);
        };
        let index = b.build_int_z_extend(index.element, self.ctx.i64_type(), "").map_err(llvm)?;
        for piece in pieces {
            let at = self.in_piece(b, piece, index)?;
            self.store_at(b, &at, &words[piece.start as usize..][..piece.width as usize])?;
        }
        Ok(())
    }

    fn store_at(&self, b: &Builder<'c>, at: &Address<'c>, words: &[IntValue<'c>]) -> Result<(), EmitError> {
        let word = self.ctx.i32_type();
        for (start, width) in at.aligned.runs(words.len()) {
            let p = self.advance(b, at.pointer, start)?;
            let here = &words[start as usize..][..width as usize];
            let store = if let [single] = here {
                b.build_store(p, *single).map_err(llvm)?
            } else {
                let mut v = word.vec_type(width).get_undef();
                for (k, w) in here.iter().enumerate() {
                    let lane = word.const_int(k as u64, false);
                    v = b.build_insert_element(v, *w, lane, "").map_err(llvm)?;
                }
                b.build_store(p, v).map_err(llvm)?
            };
            store.set_alignment(4 * width).map_err(llvm)?;
        }
        Ok(())
    }
}

fn loaded<'c>(v: impl BasicValue<'c>, bytes: u32, volatile: bool) -> Result<(), EmitError> {
    let Some(load) = v.as_instruction_value() else { return Ok(()) };
    load.set_alignment(bytes).map_err(llvm)?;
    load.set_volatile(volatile).map_err(llvm)
}
