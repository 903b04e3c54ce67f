//! Decoding of arithmetic, logic, moves and conversions.

use super::counts::OpClass;
use super::decode::{Builder, Chain, Modifiers, Result, Symbol, arg, type_bits};
use super::parse::{Instruction, Operand, RegType};
use super::program::*;

/// Integer type of an operation.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Int {
    bits: u32,
    signed: bool,
}

fn int(name: &str) -> Result<Int> {
    let (head, bits) = name.split_at(name.len().min(1));
    let bits = match bits {
        "8" => 8,
        "16" => 16,
        "32" => 32,
        "64" => 64,
        _ => return Err(format!("type `.{name}` is not supported")),
    };
    match head {
        "b" | "u" => Ok(Int { bits, signed: false }),
        "s" => Ok(Int { bits, signed: true }),
        _ => Err(format!("type `.{name}` is not supported")),
    }
}

const PLAIN: Carry = Carry { cin: false, cout: false };

impl<'a> Builder<'a, '_> {
    /// Decodes a lane-wise instruction; false if the opcode is none.
    pub(super) fn arithmetic(&mut self, i: &Instruction<'a>, m: &mut Modifiers<'a>) -> Result<bool> {
        let o = i.operands.as_slice();
        match m.base {
            "mov" => self.mov(o, m)?,
            "cvt" => self.cvt(o, m)?,
            "setp" => self.setp(o, m)?,
            "selp" => self.selp(o, m)?,
            "and" | "or" | "xor" | "not" => self.logic(o, m)?,
            "add" | "addc" | "sub" | "subc" => {
                let carry = Carry { cin: m.base.ends_with('c'), cout: m.take("cc") };
                let add = m.base.starts_with("add");
                self.carry(carry, if add { Chain::Sum } else { Chain::Difference })?;
                let op = |wide| match (add, wide) {
                    (true, false) => Op::Add32(carry),
                    (true, true) => Op::Add64(carry),
                    (false, false) => Op::Sub32(carry),
                    (false, true) => Op::Sub64(carry),
                };
                let ty = int(m.last()?)?;
                if carry != PLAIN && ty.bits < 32 {
                    return Err("carry on a 16-bit operation".into());
                }
                self.binary(o, ty, OpClass::Add, op(false), op(true))?;
            }
            "mul" | "mad" | "madc" => self.multiply(o, m)?,
            "div" | "rem" => {
                let ty = int(m.last()?)?;
                let (narrow, wide) = match (m.base, ty.signed) {
                    ("div", false) => (Op::DivU32, Op::DivU64),
                    ("div", true) => (Op::DivS32, Op::DivS64),
                    (_, false) => (Op::RemU32, Op::RemU64),
                    (_, true) => (Op::RemS32, Op::RemS64),
                };
                self.binary(o, ty, OpClass::Divide, narrow, wide)?;
            }
            "min" | "max" => {
                let ty = int(m.last()?)?;
                let (narrow, wide) = match (m.base, ty.signed) {
                    ("min", false) => (Op::MinU32, Op::MinU64),
                    ("min", true) => (Op::MinS32, Op::MinS64),
                    (_, false) => (Op::MaxU32, Op::MaxU64),
                    (_, true) => (Op::MaxS32, Op::MaxS64),
                };
                self.binary(o, ty, OpClass::Select, narrow, wide)?;
            }
            "neg" | "abs" => {
                let ty = int(m.last()?)?;
                let (narrow, wide) =
                    if m.base == "neg" { (Op::Neg32, Op::Neg64) } else { (Op::Abs32, Op::Abs64) };
                self.unary(o, ty, OpClass::Add, narrow, wide)?;
            }
            "shl" | "shr" => self.shift(o, m)?,
            "shf" => {
                let left = m.take("l");
                if !left {
                    m.require("r")?;
                }
                let wrap = m.take("wrap");
                if !wrap {
                    m.require("clamp")?;
                }
                m.require("b32")?;
                self.words(o, if left { Op::ShfL { wrap } } else { Op::ShfR { wrap } }, 3)?;
            }
            "prmt" => {
                m.require("b32")?;
                self.words(o, Op::Prmt, 3)?;
            }
            "bfe" => {
                let ty = int(m.last()?)?;
                let op = match (ty.bits, ty.signed) {
                    (32, false) => Op::BfeU32,
                    (32, true) => Op::BfeS32,
                    (64, false) => Op::BfeU64,
                    (64, true) => Op::BfeS64,
                    _ => return Err(format!("`bfe` of {} bits is not supported", ty.bits)),
                };
                let d = self.destination(arg(o, 0)?, ty.bits)?;
                let a = self.source(arg(o, 1)?, ty.bits)?;
                let (position, length) = (self.source(arg(o, 2)?, 32)?, self.source(arg(o, 3)?, 32)?);
                self.alu(OpClass::Logic, op, d, &[a, position, length]);
            }
            "lop3" => {
                m.require("b32")?;
                let Operand::Int(table) = arg(o, 4)? else { return Err("expected a truth table".into()) };
                let table =
                    u8::try_from(*table).map_err(|_| format!("truth table {table} is out of range"))?;
                self.words(o, Op::Lop3(table), 3)?;
            }
            "brev" => {
                let ty = int(m.last()?)?;
                self.unary(o, ty, OpClass::Logic, Op::Brev32, Op::Brev64)?;
            }
            "popc" | "clz" | "bfind" => {
                let shift = m.base == "bfind" && m.take("shiftamt");
                let ty = int(m.last()?)?;
                let op = match (m.base, ty.bits, ty.signed) {
                    ("popc", 32, _) => Op::Popc32,
                    ("popc", 64, _) => Op::Popc64,
                    ("clz", 32, _) | ("bfind", 32, false) if m.base == "clz" || shift => Op::Clz32,
                    ("clz", 64, _) => Op::Clz64,
                    ("bfind", 32, false) => Op::BfindU32,
                    ("bfind", 32, true) if !shift => Op::BfindS32,
                    ("bfind", 64, false) if !shift => Op::BfindU64,
                    _ => return Err(format!("`{}` of this type is not supported", m.base)),
                };
                let d = self.destination(arg(o, 0)?, 32)?;
                let a = self.source(arg(o, 1)?, ty.bits)?;
                self.alu(OpClass::Logic, op, d, &[a]);
                if shift {
                    // `.shiftamt` of zero is all ones where `clz` of zero is 32.
                    self.shiftamt_of_zero(d)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn shiftamt_of_zero(&mut self, d: u32) -> Result<()> {
        let (ones, limit) = (self.constant32(u32::MAX), self.constant32(32));
        let p = self.temp_predicate();
        self.alu(OpClass::Uncounted, Op::SetpU32(Cmp::Eq, Combine::None), p, &[d, limit]);
        self.alu(OpClass::Uncounted, Op::Selp32, d, &[ones, d, p]);
        Ok(())
    }

    /// `count` 32-bit sources.
    fn words(&mut self, o: &[Operand<'a>], op: Op, count: usize) -> Result<()> {
        let d = self.destination(arg(o, 0)?, 32)?;
        let mut s = [SINK; 3];
        for (k, s) in s.iter_mut().enumerate().take(count) {
            *s = self.source(arg(o, k + 1)?, 32)?;
        }
        self.alu(OpClass::Logic, op, d, &s[..count]);
        Ok(())
    }

    /// A 16-bit source extended to 32 bits as its type says; other sources as they are.
    fn extended(&mut self, o: &Operand<'a>, ty: Int) -> Result<u32> {
        let a = self.source(o, ty.bits)?;
        if ty.bits == 16 && ty.signed {
            let t = self.temp32();
            self.alu(OpClass::Uncounted, Op::SignExtend32(16), t, &[a]);
            return Ok(t);
        }
        Ok(a)
    }

    /// Brings a 32-bit result back into a 16-bit register, which is kept zero-extended.
    fn narrow(&mut self, ty: Int, d: u32) {
        if ty.bits == 16 {
            self.alu(OpClass::Uncounted, Op::ZeroExtend32(16), d, &[d]);
        }
    }

    fn binary(&mut self, o: &[Operand<'a>], ty: Int, class: OpClass, narrow: Op, wide: Op) -> Result<()> {
        let d = self.destination(arg(o, 0)?, ty.bits)?;
        let a = self.extended(arg(o, 1)?, ty)?;
        let b = self.extended(arg(o, 2)?, ty)?;
        self.alu(class, if ty.bits == 64 { wide } else { narrow }, d, &[a, b]);
        self.narrow(ty, d);
        Ok(())
    }

    fn unary(&mut self, o: &[Operand<'a>], ty: Int, class: OpClass, narrow: Op, wide: Op) -> Result<()> {
        let d = self.destination(arg(o, 0)?, ty.bits)?;
        let a = self.extended(arg(o, 1)?, ty)?;
        self.alu(class, if ty.bits == 64 { wide } else { narrow }, d, &[a]);
        self.narrow(ty, d);
        Ok(())
    }

    fn shift(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        let ty = int(m.last()?)?;
        let (narrow, wide) = match (m.base, ty.signed) {
            ("shl", _) => (Op::Shl32, Op::Shl64),
            (_, false) => (Op::ShrU32, Op::ShrU64),
            (_, true) => (Op::ShrS32, Op::ShrS64),
        };
        let d = self.destination(arg(o, 0)?, ty.bits)?;
        let a = self.extended(arg(o, 1)?, ty)?;
        let b = self.source(arg(o, 2)?, 32)?;
        self.alu(OpClass::Logic, if ty.bits == 64 { wide } else { narrow }, d, &[a, b]);
        self.narrow(ty, d);
        Ok(())
    }

    /// Follows the carry flag through the text. PTX's text gives subtraction a borrow that `addc`
    /// would add, but ptxas 13.5 adds its complement there, so such a mixture means nothing.
    fn carry(&mut self, carry: Carry, chain: Chain) -> Result<()> {
        match self.flag {
            _ if !carry.cin => {}
            Some(flag) if flag == chain => {}
            Some(Chain::Difference) => return Err("adds the borrow of a subtraction".into()),
            Some(Chain::Sum) => return Err("subtracts the carry of an addition".into()),
            None => return Err("reads a carry that no instruction since the last label has set".into()),
        }
        if carry.cout {
            self.flag = Some(chain);
        }
        Ok(())
    }

    fn multiply(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        let ty = int(m.last()?)?;
        let add = m.base != "mul";
        let carry = Carry { cin: m.base == "madc", cout: m.take("cc") };
        self.carry(carry, Chain::Sum)?;
        if m.take("wide") {
            if carry != PLAIN {
                return Err("carry on a wide product".into());
            }
            let op = match (add, ty.signed) {
                (false, false) => Op::MulWideU,
                (false, true) => Op::MulWideS,
                (true, false) => Op::MadWideU,
                (true, true) => Op::MadWideS,
            };
            let d = self.destination(arg(o, 0)?, ty.bits * 2)?;
            let a = self.extended(arg(o, 1)?, ty)?;
            let b = self.extended(arg(o, 2)?, ty)?;
            match (ty.bits, add) {
                (16, false) => self.alu(OpClass::MulWide, Op::MulLo32, d, &[a, b]),
                (32, false) => self.alu(OpClass::MulWide, op, d, &[a, b]),
                (32, true) => {
                    let c = self.source(arg(o, 3)?, 64)?;
                    self.alu(OpClass::MulWide, op, d, &[a, b, c]);
                }
                (bits, _) => return Err(format!("wide product of {bits}-bit factors is not supported")),
            }
            return Ok(());
        }
        let high = m.take("hi");
        if !high {
            m.require("lo")?;
        }
        if ty.bits == 16 && (high || carry != PLAIN) {
            return Err("high or carrying 16-bit product is not supported".into());
        }
        let wide = ty.bits == 64;
        let op = match (high, add, wide, ty.signed) {
            (false, false, false, _) => Op::MulLo32,
            (false, false, true, _) => Op::MulLo64,
            (false, true, false, _) => Op::MadLo32(carry),
            (false, true, true, _) => Op::MadLo64(carry),
            (true, false, false, false) => Op::MulHiU32,
            (true, false, false, true) => Op::MulHiS32,
            (true, false, true, false) => Op::MulHiU64,
            (true, false, true, true) => Op::MulHiS64,
            (true, true, false, false) => Op::MadHiU32(carry),
            (true, true, false, true) => Op::MadHiS32(carry),
            (true, true, true, false) => Op::MadHiU64(carry),
            (true, true, true, true) => return Err("signed high 64-bit mad is not supported".into()),
        };
        let d = self.destination(arg(o, 0)?, ty.bits)?;
        let a = self.source(arg(o, 1)?, ty.bits)?;
        let b = self.source(arg(o, 2)?, ty.bits)?;
        let class = if high { OpClass::MulHi } else { OpClass::MulLo };
        if add {
            let c = self.source(arg(o, 3)?, ty.bits)?;
            self.alu(class, op, d, &[a, b, c]);
        } else {
            self.alu(class, op, d, &[a, b]);
        }
        self.narrow(ty, d);
        Ok(())
    }

    /// A predicate in a register of its own where the operand is negated.
    fn positive(&mut self, o: &Operand<'a>) -> Result<u32> {
        let (p, negated) = self.predicate_operand(o)?;
        if !negated {
            return Ok(p);
        }
        let t = self.temp_predicate();
        self.alu(OpClass::Uncounted, Op::NotP, t, &[p]);
        Ok(t)
    }

    fn logic(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        let ty = m.last()?;
        if ty == "pred" {
            let (d, _) = self.predicate_operand(arg(o, 0)?)?;
            let a = self.positive(arg(o, 1)?)?;
            if m.base == "not" {
                self.alu(OpClass::Select, Op::NotP, d, &[a]);
                return Ok(());
            }
            let b = self.positive(arg(o, 2)?)?;
            let op = match m.base {
                "and" => Op::AndP,
                "or" => Op::OrP,
                _ => Op::XorP,
            };
            self.alu(OpClass::Select, op, d, &[a, b]);
            return Ok(());
        }
        let ty = int(ty)?;
        match m.base {
            "not" => self.unary(o, ty, OpClass::Logic, Op::Not32, Op::Not64),
            "and" => self.binary(o, ty, OpClass::Logic, Op::And32, Op::And64),
            "or" => self.binary(o, ty, OpClass::Logic, Op::Or32, Op::Or64),
            _ => self.binary(o, ty, OpClass::Logic, Op::Xor32, Op::Xor64),
        }
    }

    fn selp(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        let ty = int(m.last()?)?;
        let d = self.destination(arg(o, 0)?, ty.bits)?;
        let a = self.source(arg(o, 1)?, ty.bits)?;
        let b = self.source(arg(o, 2)?, ty.bits)?;
        let p = self.positive(arg(o, 3)?)?;
        self.alu(OpClass::Select, if ty.bits == 64 { Op::Selp64 } else { Op::Selp32 }, d, &[a, b, p]);
        Ok(())
    }

    fn setp(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        let mut ty = int(m.last()?)?;
        let cmp = match m.first()? {
            "eq" => Cmp::Eq,
            "ne" => Cmp::Ne,
            "lt" => Cmp::Lt,
            "le" => Cmp::Le,
            "gt" => Cmp::Gt,
            "ge" => Cmp::Ge,
            unsigned => {
                ty.signed = false;
                match unsigned {
                    "lo" => Cmp::Lt,
                    "ls" => Cmp::Le,
                    "hi" => Cmp::Gt,
                    "hs" => Cmp::Ge,
                    other => return Err(format!("unknown comparison `{other}`")),
                }
            }
        };
        let combine = if m.take("and") {
            Combine::And
        } else if m.take("or") {
            Combine::Or
        } else if m.take("xor") {
            Combine::Xor
        } else {
            Combine::None
        };
        let a = self.extended(arg(o, 1)?, ty)?;
        let b = self.extended(arg(o, 2)?, ty)?;
        let c = if combine == Combine::None { SINK } else { self.positive(arg(o, 3)?)? };
        let op = |cmp, combine| match (ty.bits, ty.signed) {
            (64, false) => Op::SetpU64(cmp, combine),
            (64, true) => Op::SetpS64(cmp, combine),
            (_, false) => Op::SetpU32(cmp, combine),
            (_, true) => Op::SetpS32(cmp, combine),
        };
        match arg(o, 0)? {
            Operand::Pair(p, q) => {
                // q = not (a cmp b), combined likewise; first into a temporary, since p may be c.
                let (p, q) = (self.predicate_or_temp(p)?, self.predicate_or_temp(q)?);
                let inverse = match cmp {
                    Cmp::Eq => Cmp::Ne,
                    Cmp::Ne => Cmp::Eq,
                    Cmp::Lt => Cmp::Ge,
                    Cmp::Le => Cmp::Gt,
                    Cmp::Gt => Cmp::Le,
                    Cmp::Ge => Cmp::Lt,
                };
                let t = self.temp_predicate();
                self.alu(OpClass::Uncounted, op(inverse, combine), t, &[a, b, c]);
                self.alu(OpClass::Select, op(cmp, combine), p, &[a, b, c]);
                self.alu(OpClass::Uncounted, Op::MovP, q, &[t]);
            }
            Operand::Name(p) => {
                let p = self.predicate(p)?;
                self.alu(OpClass::Select, op(cmp, combine), p, &[a, b, c]);
            }
            _ => return Err("expected a predicate".into()),
        }
        Ok(())
    }

    fn predicate_or_temp(&mut self, name: &str) -> Result<u32> {
        if name == "_" { Ok(self.temp_predicate()) } else { self.predicate(name) }
    }

    fn mov(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        let ty = m.last()?;
        if ty == "pred" {
            let (d, _) = self.predicate_operand(arg(o, 0)?)?;
            let a = self.positive(arg(o, 1)?)?;
            self.alu(OpClass::Move, Op::MovP, d, &[a]);
            return Ok(());
        }
        let ty = int(ty)?;
        match (arg(o, 0)?, arg(o, 1)?) {
            (Operand::Vector(parts), a) => self.unpack(parts, a, ty),
            (d, Operand::Vector(parts)) => self.pack(d, parts, ty),
            (d, a) => {
                let d = self.destination(d, ty.bits)?;
                if ty.bits == 64 {
                    let a = self.address_value(a)?;
                    self.alu(OpClass::Move, Op::Mov64, d, &[a]);
                } else {
                    // Shared addresses also fit 32 bits.
                    let a = match a {
                        Operand::Name(n) => match self.lookup(n) {
                            Some(Symbol::Shared(at)) if ty.bits == 32 => self.constant32(at as u32),
                            _ => self.source(a, ty.bits)?,
                        },
                        _ => self.source(a, ty.bits)?,
                    };
                    self.alu(OpClass::Move, Op::Mov32, d, &[a]);
                }
                Ok(())
            }
        }
    }

    fn unpack(&mut self, parts: &[Operand<'a>], a: &Operand<'a>, ty: Int) -> Result<()> {
        let a = self.source(a, ty.bits)?;
        let [low, high] = parts else { return Err("only halves can be unpacked".into()) };
        let half = ty.bits / 2;
        let (low, high) = (self.destination(low, half)?, self.destination(high, half)?);
        match ty.bits {
            64 => {
                self.alu(OpClass::Move, Op::Low, low, &[a]);
                self.alu(OpClass::Uncounted, Op::High, high, &[a]);
            }
            32 => {
                let (t, sixteen) = (self.temp32(), self.constant32(16));
                self.alu(OpClass::Move, Op::ShrU32, t, &[a, sixteen]);
                self.alu(OpClass::Uncounted, Op::ZeroExtend32(16), low, &[a]);
                self.alu(OpClass::Uncounted, Op::Mov32, high, &[t]);
            }
            bits => return Err(format!("{bits}-bit values cannot be unpacked")),
        }
        Ok(())
    }

    fn pack(&mut self, d: &Operand<'a>, parts: &[Operand<'a>], ty: Int) -> Result<()> {
        let d = self.destination(d, ty.bits)?;
        let [low, high] = parts else { return Err("only halves can be packed".into()) };
        let half = ty.bits / 2;
        let (low, high) = (self.source(low, half)?, self.source(high, half)?);
        match ty.bits {
            64 => self.alu(OpClass::Move, Op::Pack, d, &[low, high]),
            32 => {
                let (t, sixteen) = (self.temp32(), self.constant32(16));
                self.alu(OpClass::Uncounted, Op::Shl32, t, &[high, sixteen]);
                self.alu(OpClass::Move, Op::Or32, d, &[low, t]);
            }
            bits => return Err(format!("{bits}-bit values cannot be packed")),
        }
        Ok(())
    }

    /// `cvt.D.S`: the low bits of the source extended as `S`, then cut to `D` and extended as `D`
    /// to the destination register.
    fn cvt(&mut self, o: &[Operand<'a>], m: &mut Modifiers<'a>) -> Result<()> {
        let from = int(m.last()?)?;
        let to = int(m.last()?)?;
        let register_bits = |b: &Self, o: &Operand<'a>| -> Result<Option<u32>> {
            match o {
                Operand::Name(n) => match b.lookup(n) {
                    Some(Symbol::Register(RegType::Pred, _)) => Err(format!("`{n}` is a predicate")),
                    Some(Symbol::Register(ty, _)) => Ok(Some(type_bits(ty))),
                    _ => Ok(None),
                },
                _ => Ok(None),
            }
        };
        let source_bits = register_bits(self, arg(o, 1)?)?.unwrap_or(from.bits.max(16));
        let dest_bits = register_bits(self, arg(o, 0)?)?.ok_or("expected a register")?;
        if source_bits < from.bits || dest_bits < to.bits {
            return Err("register is narrower than its type".into());
        }
        let a = self.source(arg(o, 1)?, source_bits)?;
        let d = self.destination(arg(o, 0)?, dest_bits)?;
        let whole = from.bits == source_bits && to.bits == dest_bits;
        if whole && source_bits == 32 && dest_bits == 64 && !from.signed {
            let zero = self.constant32(0);
            self.alu(OpClass::Move, Op::Pack, d, &[a, zero]);
            return Ok(());
        }
        if whole && source_bits == 64 && dest_bits == 32 {
            self.alu(OpClass::Move, Op::Low, d, &[a]);
            return Ok(());
        }
        if source_bits == 64 || dest_bits == 64 {
            let mut t = a;
            if source_bits != 64 {
                let zero = self.constant32(0);
                let w = self.temp64();
                self.alu(OpClass::Uncounted, Op::Pack, w, &[t, zero]);
                t = w;
            }
            for ty in [from, to] {
                let w = self.temp64();
                let op = match ty.signed {
                    true => Op::SignExtend64(ty.bits as u8),
                    false => Op::ZeroExtend64(ty.bits as u8),
                };
                self.alu(OpClass::Uncounted, op, w, &[t]);
                t = w;
            }
            if dest_bits == 64 {
                self.alu(OpClass::Move, Op::Mov64, d, &[t]);
            } else {
                self.alu(OpClass::Move, Op::Low, d, &[t]);
            }
        } else {
            let mut t = a;
            for ty in [from, to] {
                let w = self.temp32();
                let op = match ty.signed {
                    true => Op::SignExtend32(ty.bits as u8),
                    false => Op::ZeroExtend32(ty.bits as u8),
                };
                self.alu(OpClass::Uncounted, op, w, &[t]);
                t = w;
            }
            self.alu(OpClass::Move, Op::Mov32, d, &[t]);
        }
        self.narrow(Int { bits: dest_bits, signed: false }, d);
        Ok(())
    }
}
