//! What operations compute, one thread at a time.

use super::{InterpError, Memory, Run, Val};
use crate::declaration::tower::Element;
use crate::declaration::{FieldOp, Gives};
use crate::fir::ir::*;
use curvesmith_abi::ParamKind;
use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

impl<M: Memory + ?Sized> Run<'_, M> {
    pub(super) fn op(&self, v: Value, t: usize) -> Result<Val, InterpError> {
        let fe = |a: &Value| self.fe(*a, t);
        let reduced = |x: BigUint| Val::Field(x % &self.field().p);
        let r_inv = || self.r_inv.as_ref().expect("verified: the kernel has a field");
        Ok(match &self.kernel[v] {
            Op::Result(_) => unreachable!("verified: defined by its statement"),
            Op::Get(l) => self.locals[l.0 as usize][t].clone().expect("verified: set before read"),
            Op::Param(p) => {
                let x = self.scalars[p.0 as usize];
                match self.kernel.desc.params[p.0 as usize].kind {
                    // Checked for every parameter before the first statement.
                    ParamKind::U32 => Val::U32(x as u32),
                    ParamKind::U64 => Val::U64(x),
                    ParamKind::Buffer(..) => unreachable!("verified: a scalar"),
                }
            }
            Op::Argument(i) => {
                self.arguments[*i as usize][t].clone().expect("verified: callers define what they give")
            }
            Op::Special(s) => Val::U32(match s {
                Special::Thread => t as u32,
                Special::Block => self.block,
                Special::BlockSize => self.kernel.desc.block,
                Special::GridSize => self.grid,
                Special::Lane => (t % 32) as u32,
            }),
            Op::Bool(x) => Val::Pred(*x),
            Op::U32(x) => Val::U32(*x),
            Op::U64(x) => Val::U64(*x),
            Op::Int(op, a, b) => return self.int(*op, *a, *b, t),
            Op::Not(a) => match self.get(*a, t) {
                Val::Pred(x) => Val::Pred(!x),
                Val::U32(x) => Val::U32(!x),
                Val::U64(x) => Val::U64(!x),
                Val::Field(_) | Val::Fields(_) | Val::Ext(_) => unreachable!("verified types"),
            },
            Op::Bit(op, a) => {
                let x = self.u32(*a, t);
                Val::U32(match op {
                    BitOp::Popc => x.count_ones(),
                    BitOp::Clz => x.leading_zeros(),
                    BitOp::Brev => x.reverse_bits(),
                })
            }
            Op::Cmp(op, a, b) => {
                let order = self.wide(*a, t).cmp(&self.wide(*b, t));
                Val::Pred(match op {
                    CmpOp::Eq => order.is_eq(),
                    CmpOp::Ne => order.is_ne(),
                    CmpOp::Lt => order.is_lt(),
                    CmpOp::Le => order.is_le(),
                })
            }
            Op::Widen(a) => Val::U64(self.wide(*a, t)),
            Op::Narrow(a) => Val::U32(self.wide(*a, t) as u32),
            Op::Select(c, a, b) => self.get(if self.pred(*c, t) { *a } else { *b }, t).clone(),
            Op::Const(c) => reduced(c.clone()),
            Op::Field(op, args) if matches!(self.kernel.ty(args[0]), Type::Ext(_)) => {
                self.extension_op(op, args, t)
            }
            Op::Field(op, args) => {
                if let FieldOp::MulTable { step, .. } = op {
                    self.check_table(v, &args[1..], *step, t)?;
                }
                let args: Vec<&BigUint> = args.iter().map(fe).collect();
                let mut values = op.values(self.field(), &args);
                match op.gives() {
                    Gives::Element => Val::Field(values.swap_remove(0)),
                    Gives::Elements => Val::Fields(values),
                    Gives::Truth => Val::Pred(!values[0].is_zero()),
                }
            }
            Op::Part(a, i) => {
                let Val::Fields(parts) = self.get(*a, t) else { unreachable!("verified types") };
                Val::Field(parts[*i as usize].clone())
            }
            Op::FromWords(words, below) => {
                let x = BigUint::new(words.iter().map(|w| self.u32(*w, t)).collect());
                if x >= below.limit(self.field()) {
                    return self.error(t, format!("{v} is made of words that are not below {}p", below.0));
                }
                reduced(x * r_inv())
            }
            Op::Word(a, i, below) => {
                let words = self.representative(*a, *below, t).to_u32_digits();
                Val::U32(words.get(*i as usize).copied().unwrap_or(0))
            }
            Op::Compose(_, parts) => {
                Val::Ext(Element(parts.iter().flat_map(|part| self.coordinates(*part, t)).collect()))
            }
            Op::Coefficient(a, i) => {
                let (all, i) = (self.coordinates(*a, t), *i as usize);
                let level = self.kernel.ty(v).level().expect("verified: an element");
                let degree = self.kernel.tower.degree_at(level);
                element(level, all[i * degree..(i + 1) * degree].to_vec())
            }
        })
    }

    /// What the words of an element are read of: another representative than the canonical one, where there
    /// is another. Which of several depends on the element and on the value that it is the value of, so that
    /// words of equal elements differ, as they do on a device.
    fn representative(&self, v: Value, below: Below, t: usize) -> BigUint {
        let field = self.field();
        let x = field.to_mont(self.fe(v, t));
        if below == Below::CANONICAL {
            return x;
        }
        let others = (below.limit(field) - 1u32 - &x) / &field.p;
        let others = others.to_u64().expect("a bound is a small number of times p");
        let low = x.iter_u64_digits().next().unwrap_or(0);
        let other = low.wrapping_add(v.0.into()).checked_rem(others).map_or(0, |other| other + 1);
        x + &field.p * other
    }

    /// The coordinates of an element over the prime field.
    fn coordinates(&self, v: Value, t: usize) -> Vec<BigUint> {
        match self.get(v, t) {
            Val::Field(x) => vec![x.clone()],
            Val::Ext(x) => x.0.clone(),
            _ => unreachable!("verified types"),
        }
    }

    fn extension_op(&self, op: &FieldOp, args: &[Value], t: usize) -> Val {
        let level = self.kernel.ty(args[0]).level().expect("verified: elements");
        let args: Vec<Element> = args.iter().map(|a| Element(self.coordinates(*a, t))).collect();
        let value = self.kernel.level_field(level).value(op, &args);
        match op.gives() {
            Gives::Truth => Val::Pred(!value.is_zero()),
            _ => element(level, value.0),
        }
    }

    /// An error where the entries of a table are not those of one constant.
    fn check_table(&self, v: Value, table: &[Value], step: u32, t: usize) -> Result<(), InterpError> {
        let field = self.field();
        let mut expected = self.fe(table[0], t).clone();
        for (i, entry) in table.iter().enumerate() {
            if *self.fe(*entry, t) != expected {
                return self.error(t, format!("{v}: entry {i} of the table is not that of its constant"));
            }
            expected = (expected << (32 * step)) % &field.p;
        }
        Ok(())
    }

    fn wide(&self, v: Value, t: usize) -> u64 {
        match self.get(v, t) {
            Val::U32(x) => u64::from(*x),
            Val::U64(x) => *x,
            _ => unreachable!("verified types"),
        }
    }

    fn int(&self, op: IntOp, a: Value, b: Value, t: usize) -> Result<Val, InterpError> {
        if let (Val::Pred(x), Val::Pred(y)) = (self.get(a, t), self.get(b, t)) {
            return Ok(Val::Pred(match op {
                IntOp::And => x & y,
                IntOp::Or => x | y,
                _ => x ^ y,
            }));
        }
        let bits = if self.kernel.ty(a) == Type::U32 { 32 } else { 64 };
        let (x, y) = (self.wide(a, t), self.wide(b, t));
        let shifted = matches!(op, IntOp::Shl | IntOp::Shr) && y >= bits;
        let divided = matches!(op, IntOp::Div | IntOp::Rem) && y == 0;
        if shifted || divided {
            return self.error(t, format!("{op:?} of {x} by {y}"));
        }
        let z = match op {
            IntOp::Add => x.wrapping_add(y),
            IntOp::Sub => x.wrapping_sub(y),
            IntOp::Mul => x.wrapping_mul(y),
            IntOp::And => x & y,
            IntOp::Or => x | y,
            IntOp::Xor => x ^ y,
            IntOp::Shl => x << y,
            IntOp::Shr => x >> y,
            IntOp::Min => x.min(y),
            IntOp::Max => x.max(y),
            IntOp::Div => x / y,
            IntOp::Rem => x % y,
        };
        Ok(if bits == 32 { Val::U32(z as u32) } else { Val::U64(z) })
    }
}

/// An element of a level by its coordinates.
fn element(level: usize, mut coordinates: Vec<BigUint>) -> Val {
    match level {
        0 => Val::Field(coordinates.swap_remove(0)),
        _ => Val::Ext(Element(coordinates)),
    }
}
