//! Decoding of loads, stores, atomics and address arithmetic.

use super::counts::OpClass;
use super::decode::{Builder, LOCAL_WINDOW, Modifiers, Result, SHARED_WINDOW, Symbol, arg, type_bits};
use super::parse::{Instruction, Operand, RegType, type_bytes};
use super::program::*;

/// A scalar type: bytes and signedness.
#[derive(Clone, Copy)]
struct Scalar {
    bytes: u8,
    signed: bool,
}

fn scalar(name: &str) -> Result<Scalar> {
    let bytes = match name {
        "b8" | "u8" | "s8" => 1,
        "b16" | "u16" | "s16" => 2,
        "b32" | "u32" | "s32" => 4,
        "b64" | "u64" | "s64" => 8,
        _ => return Err(format!("type `.{name}` is not supported")),
    };
    debug_assert_eq!(type_bytes(&format!(".{name}")), Some(u64::from(bytes)));
    Ok(Scalar { bytes, signed: name.starts_with('s') })
}

impl<'a> Builder<'a, '_> {
    /// Decodes an instruction on memory or addresses; false if it is not one.
    pub(super) fn memory(&mut self, i: &Instruction<'a>, m: &mut Modifiers<'a>) -> Result<bool> {
        let o = &i.operands;
        match m.base {
            "ld" | "ldu" => self.load_store(o, m, true)?,
            "st" => self.load_store(o, m, false)?,
            "prefetch" => self.prefetch(o, m)?,
            "atom" => self.atomic(o, m, true)?,
            "red" => self.atomic(o, m, false)?,
            "cvta" => self.cvta(o, m)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn cvta(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        let to_space = m.take("to");
        let window = if m.take("shared") {
            SHARED_WINDOW
        } else if m.take("local") {
            LOCAL_WINDOW
        } else if m.take("global") || m.take("const") {
            0
        } else {
            return Err("cvta without a space".into());
        };
        m.require("u64")?;
        let d = self.destination(arg(o, 0)?, 64)?;
        let a = self.address_value(arg(o, 1)?)?;
        let window = self.constant64(if to_space { window.wrapping_neg() } else { window });
        self.alu(OpClass::Move, Op::Add64(Carry { cin: false, cout: false }), d, &[a, window]);
        Ok(())
    }

    /// A 64-bit source that may be the address of a variable.
    pub(super) fn address_value(&mut self, o: &Operand<'a>) -> Result<u32> {
        let (name, offset) = match o {
            Operand::Name(n) => (*n, 0),
            Operand::Offset(n, offset) => (*n, *offset),
            _ => return self.source(o, 64),
        };
        match self.lookup(name) {
            Some(Symbol::Shared(at) | Symbol::Global(at)) => {
                Ok(self.constant64(at.wrapping_add_signed(offset)))
            }
            Some(Symbol::Local(at)) => {
                let d = self.temp64();
                let offset = at.wrapping_add_signed(offset);
                self.emit(OpClass::Uncounted, Inst::LocalBase { d, offset });
                Ok(d)
            }
            Some(Symbol::KernelParam(..) | Symbol::Words(..)) => {
                Err(format!("the address of parameter `{name}` is not supported"))
            }
            _ if offset != 0 => Err(format!("`{name}` is not a variable")),
            _ => self.source(o, 64),
        }
    }

    /// Base register and offset of `[..]`.
    fn address(&mut self, o: &Operand<'a>) -> Result<(u32, i64)> {
        match o {
            Operand::Memory(None, v) => Ok((self.constant64(*v as u64), 0)),
            Operand::Memory(Some(name), offset) => match self.lookup(name) {
                Some(Symbol::Register(RegType::B32, r)) => {
                    let d = self.temp64();
                    let zero = self.constant32(0);
                    self.alu(OpClass::Uncounted, Op::Pack, d, &[r, zero]);
                    Ok((d, *offset))
                }
                _ => Ok((self.address_value(&Operand::Name(name))?, *offset)),
            },
            _ => Err("expected an address".into()),
        }
    }

    /// The data operand as a list of its elements.
    fn elements<'o>(&self, o: &'o Operand<'a>, count: usize) -> Result<Vec<&'o Operand<'a>>> {
        match o {
            Operand::Vector(v) if v.len() == count && count > 1 => Ok(v.iter().collect()),
            Operand::Vector(_) => Err("vector length differs from the opcode's".into()),
            _ if count == 1 => Ok(vec![o]),
            _ => Err("expected a vector".into()),
        }
    }

    fn load_store(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>, load: bool) -> Result<()> {
        let ty = scalar(m.last()?)?;
        let count = if m.take("v2") {
            2
        } else if m.take("v4") {
            4
        } else {
            1
        };
        let (data, address) = if load { (arg(o, 0)?, arg(o, 1)?) } else { (arg(o, 1)?, arg(o, 0)?) };
        let elements = self.elements(data, count)?;
        if m.take("param") {
            return self.parameter(&elements, address, ty, load);
        }
        let order = if m.take("volatile") || m.take("relaxed") {
            Order::Relaxed
        } else if m.take("acquire") {
            Order::Acquire
        } else if m.take("release") {
            Order::Release
        } else {
            m.take("weak");
            Order::Weak
        };
        let scope = m.scope();
        let constant = m.take("const");
        let window = if constant || m.take("global") {
            Window::Global
        } else if m.take("shared") {
            Window::Shared
        } else if m.take("local") {
            Window::Local
        } else {
            Window::Generic
        };
        let non_coherent = m.take("nc");
        if non_coherent && (!load || window != Window::Global || order != Order::Weak) {
            return Err("`.nc` is for plain loads of global memory".into());
        }
        // Cache hints do not change what is read.
        for hint in ["ca", "cg", "cs", "lu", "cv", "wb", "wt"] {
            m.take(hint);
        }
        for hint in ["L1::no_allocate", "L1::evict_first", "L1::evict_last", "L1::evict_normal"] {
            m.take(hint);
        }
        for hint in ["L2::64B", "L2::128B", "L2::256B"] {
            m.take(hint);
        }
        if order != Order::Weak && window != Window::Shared && window != Window::Local {
            self.out.communicates = true;
        }
        let mut regs = Vec::with_capacity(count);
        for e in elements {
            regs.push(self.data(e, ty.bytes, load)?);
        }
        let (base, offset) = self.address(address)?;
        let (bytes, signed) = (ty.bytes, ty.signed);
        let access = Access { window, order, scope, bytes, signed, non_coherent, base, offset, data: regs };
        let class = match (window, load) {
            (Window::Global, true) => OpClass::LoadGlobal,
            (Window::Global, false) => OpClass::StoreGlobal,
            (Window::Shared, true) => OpClass::LoadShared,
            (Window::Shared, false) => OpClass::StoreShared,
            _ => OpClass::Local,
        };
        let access = Box::new(access);
        let narrow: Vec<u32> = match load && ty.signed {
            true => access.data.iter().filter(|d| d.1 == File::R32 && d.0 != SINK).map(|d| d.0).collect(),
            false => Vec::new(),
        };
        self.emit(class, if load { Inst::Load(access) } else { Inst::Store(access) });
        for (e, d) in self.elements(data, count)?.into_iter().zip(narrow) {
            if let Operand::Name(n) = e
                && let Ok((RegType::B16, _)) = self.register(n)
            {
                self.alu(OpClass::Uncounted, Op::ZeroExtend32(16), d, &[d]);
            }
        }
        Ok(())
    }

    /// Judged as a read of four bytes, though a GPU ignores addresses that it cannot read.
    fn prefetch(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        if !m.take("global") || !(m.take("L2") || m.take("L1")) {
            return Err("prefetches are supported of global memory to L1 and L2".into());
        }
        let (base, offset) = self.address(arg(o, 0)?)?;
        self.emit(
            OpClass::LoadGlobal,
            Inst::Load(Box::new(Access {
                window: Window::Global,
                order: Order::Weak,
                scope: m.scope(),
                bytes: 4,
                signed: false,
                non_coherent: false,
                base,
                offset,
                data: vec![(SINK, File::R32)],
            })),
        );
        Ok(())
    }

    /// A register that holds (or receives) an element of `bytes`; it may be wider than the element.
    fn data(&mut self, o: &Operand<'a>, bytes: u8, load: bool) -> Result<(u32, File)> {
        let bits = u32::from(bytes) * 8;
        match o {
            Operand::Name("_") if load => Ok((SINK, if bytes == 8 { File::R64 } else { File::R32 })),
            Operand::Name(n) if self.lookup(n).is_some() => {
                let (ty, r) = self.register(n)?;
                if ty == RegType::Pred || type_bits(ty) < bits {
                    return Err(format!("`{n}` is too narrow for {bytes} bytes"));
                }
                Ok((r, if ty == RegType::B64 { File::R64 } else { File::R32 }))
            }
            _ if load => Err("expected a register".into()),
            _ if bytes == 8 => Ok((self.source(o, 64)?, File::R64)),
            _ => Ok((self.source(o, bits.max(16))?, File::R32)),
        }
    }

    /// `ld.param` and `st.param`: kernel parameters are constants of the launch, parameters of
    /// functions are registers.
    fn parameter(
        &mut self,
        elements: &[&Operand<'a>],
        address: &Operand<'a>,
        ty: Scalar,
        load: bool,
    ) -> Result<()> {
        let Operand::Memory(Some(name), offset) = address else {
            return Err("expected a parameter's name".into());
        };
        let Ok(mut offset) = u32::try_from(*offset) else {
            return Err(format!("parameter offset {offset} is out of range"));
        };
        let total = u64::from(ty.bytes) * elements.len() as u64;
        match self.lookup(name) {
            Some(Symbol::KernelParam(at, bytes)) if load => {
                if u64::from(offset) + total > bytes {
                    return Err(format!("read past the end of `{name}`"));
                }
                for e in elements {
                    let (d, file) = self.data(e, ty.bytes, true)?;
                    let inst =
                        Inst::Param { d, file, offset: at + offset, bytes: ty.bytes, signed: ty.signed };
                    self.emit(OpClass::Move, inst);
                    offset += u32::from(ty.bytes);
                }
            }
            Some(Symbol::Words(first, bytes)) => {
                if u64::from(offset) + total > bytes {
                    return Err(format!("access past the end of `{name}`"));
                }
                if ty.bytes < 4 || offset % 4 != 0 {
                    return Err("parameter accesses narrower than a word are not supported".into());
                }
                for e in elements {
                    let word = first + offset / 4;
                    if load {
                        self.load_words(e, word, ty)?;
                    } else {
                        self.store_words(e, word, ty)?;
                    }
                    offset += u32::from(ty.bytes);
                }
            }
            _ => return Err(format!("`{name}` is not a parameter")),
        }
        Ok(())
    }

    fn load_words(&mut self, e: &Operand<'a>, word: u32, ty: Scalar) -> Result<()> {
        let (d, file) = self.data(e, ty.bytes, true)?;
        match (file, ty.bytes) {
            (File::R64, 8) => self.alu(OpClass::Move, Op::Pack, d, &[word, word + 1]),
            (File::R64, _) => {
                let zero = self.constant32(0);
                self.alu(OpClass::Move, Op::Pack, d, &[word, zero]);
            }
            _ => self.alu(OpClass::Move, Op::Mov32, d, &[word]),
        }
        Ok(())
    }

    fn store_words(&mut self, e: &Operand<'a>, word: u32, ty: Scalar) -> Result<()> {
        let (a, file) = self.data(e, ty.bytes, false)?;
        match (file, ty.bytes) {
            (File::R64, 8) => {
                self.alu(OpClass::Move, Op::Low, word, &[a]);
                self.alu(OpClass::Uncounted, Op::High, word + 1, &[a]);
            }
            (File::R64, _) => self.alu(OpClass::Move, Op::Low, word, &[a]),
            _ => self.alu(OpClass::Move, Op::Mov32, word, &[a]),
        }
        Ok(())
    }

    fn atomic(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>, result: bool) -> Result<()> {
        let ty = scalar(m.last()?)?;
        let order = if m.take("acquire") {
            Order::Acquire
        } else if m.take("release") {
            Order::Release
        } else if m.take("acq_rel") {
            Order::AcqRel
        } else {
            m.take("relaxed");
            Order::Relaxed
        };
        let scope = m.scope();
        let window = if m.take("global") {
            Window::Global
        } else if m.take("shared") {
            Window::Shared
        } else {
            Window::Generic
        };
        let op = match (m.first()?, ty.signed) {
            ("add", _) => AtomOp::Add,
            ("min", false) => AtomOp::MinU,
            ("min", true) => AtomOp::MinS,
            ("max", false) => AtomOp::MaxU,
            ("max", true) => AtomOp::MaxS,
            ("exch", _) => AtomOp::Exch,
            ("cas", _) => AtomOp::Cas,
            ("and", _) => AtomOp::And,
            ("or", _) => AtomOp::Or,
            ("xor", _) => AtomOp::Xor,
            ("inc", _) => AtomOp::Inc,
            ("dec", _) => AtomOp::Dec,
            (op, _) => return Err(format!("unknown atomic `{op}`")),
        };
        let (file, bits) = match ty.bytes {
            4 => (File::R32, 32),
            8 => (File::R64, 64),
            n => return Err(format!("atomics of {n} bytes are not supported")),
        };
        let skip = usize::from(result);
        let d = if result { self.destination(arg(o, 0)?, bits)? } else { SINK };
        let (base, offset) = self.address(arg(o, skip)?)?;
        let b = self.source(arg(o, skip + 1)?, bits)?;
        let c = if op == AtomOp::Cas { self.source(arg(o, skip + 2)?, bits)? } else { SINK };
        // Atomics of 64 bits are two words here, so they too need the single interleaving.
        if window != Window::Shared && (result || order != Order::Relaxed || bits == 64) {
            self.out.communicates = true;
        }
        let atomic = Atomic { window, order, scope, op, file, base, offset, d, b, c };
        self.emit(OpClass::Atomic, Inst::Atomic(Box::new(atomic)));
        Ok(())
    }
}
