//! Programs on limbs: straight-line, each limb written once.
//!
//! A limb is an integer in `[0, 2^w)`, which a word of `w` bits holds, 32 or 64.

use std::collections::BTreeSet;

/// A limb, written by one instruction or by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limb(pub u32);

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Src {
    /// The value of a limb.
    Limb(Limb),
    /// A constant.
    Imm(u32),
}

impl From<Limb> for Src {
    fn from(limb: Limb) -> Self {
        Src::Limb(limb)
    }
}

/// What an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a + b`
    Add(Src, Src),
    /// `sum + a·b`
    Mul {
        /// `sum`
        sum: Src,
        /// `a`
        a: Src,
        /// `b`
        b: Src,
    },
    /// `a·by mod 2^bits`
    Quotient {
        /// `a`
        a: Limb,
        /// `by`
        by: u32,
        /// Below 32.
        bits: u32,
    },
    /// `(a + q·p0) / 2^bits`, where that is an integer: `q` is the [quotient](Op::Quotient) of `a` by
    /// `-1/p0`. Without sign.
    Carry {
        /// `a`
        a: Limb,
        /// `q`
        q: Limb,
        /// `p0`
        p0: u32,
        /// Below 32.
        bits: u32,
    },
    /// `⌊a / 2^bits⌋`
    Shift {
        /// `a`
        a: Limb,
        /// Below 32.
        bits: u32,
    },
    /// `a mod 2^bits`
    Mask {
        /// `a`
        a: Limb,
        /// Below 32.
        bits: u32,
    },
    /// `a·2^bits`
    Double {
        /// `a`
        a: Limb,
        /// Below 32.
        bits: u32,
    },
}

/// An instruction, or something to be shown where it stands. What is to be shown is written down by whoever
/// makes a program, and believed by nobody.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// Writes a limb.
    Write(Limb, Op),
    /// The limbs but the highest have no more bits than a limb, the lowest no more than it is said to have.
    /// Then none is more than the number has of it that they make.
    Normal {
        /// The lowest first.
        limbs: Vec<Src>,
        /// Bits of the lowest.
        lowest: u32,
    },
    /// The number that the limbs make is taken as an operand of what follows.
    Renamed(Vec<Src>),
}

/// A program and why it is right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// Operands, of as many limbs as an element: the first limbs.
    pub inputs: usize,
    /// Limbs in use.
    pub limbs: u32,
    /// In order.
    pub insts: Vec<Inst>,
    /// The result.
    pub output: Vec<Src>,
}

impl Program {
    /// One that writes nothing, to be added to.
    pub(in crate::targets::wgsl) fn new(inputs: usize, n: usize) -> Program {
        let limbs = (inputs * n) as u32;
        Program { inputs, limbs, insts: vec![], output: vec![] }
    }

    /// Operand `k`.
    pub(in crate::targets::wgsl) fn input(&self, n: usize, k: usize) -> Vec<Src> {
        (k * n..(k + 1) * n).map(|i| Limb(i as u32).into()).collect()
    }

    /// Adds an instruction; what it writes.
    pub(in crate::targets::wgsl) fn write(&mut self, op: Op) -> Limb {
        let out = Limb(self.limbs);
        self.limbs += 1;
        self.insts.push(Inst::Write(out, op));
        out
    }

    /// A limb with the value of an operand.
    pub(in crate::targets::wgsl) fn limb(&mut self, src: Src) -> Limb {
        match src {
            Src::Limb(limb) => limb,
            Src::Imm(_) => self.write(Op::Add(src, Src::Imm(0))),
        }
    }

    /// The sum; of a constant 0 and something that.
    pub(in crate::targets::wgsl) fn plus(&mut self, a: Src, b: Src) -> Src {
        match (a, b) {
            (Src::Imm(0), other) | (other, Src::Imm(0)) => other,
            _ => self.write(Op::Add(a, b)).into(),
        }
    }

    /// Instructions that write a limb, needed or not.
    pub fn written(&self) -> impl Iterator<Item = (Limb, Op)> {
        self.insts.iter().filter_map(|inst| match inst {
            Inst::Write(limb, op) => Some((*limb, *op)),
            Inst::Normal { .. } | Inst::Renamed(_) => None,
        })
    }

    /// The instructions that write a limb which the result needs, in order.
    pub fn needed(&self) -> Vec<(Limb, Op)> {
        let mut read: BTreeSet<Src> = self.output.iter().copied().collect();
        let mut needed = vec![];
        for inst in self.insts.iter().rev() {
            if let Inst::Write(out, op) = inst
                && read.contains(&Src::Limb(*out))
            {
                read.extend(op.reads());
                needed.push((*out, *op));
            }
        }
        needed.reverse();
        needed
    }
}

impl Op {
    /// Whether it is the same but for what it reads.
    pub fn is_like(&self, other: &Op) -> bool {
        match (*self, *other) {
            (Op::Add(..), Op::Add(..)) | (Op::Mul { .. }, Op::Mul { .. }) => true,
            (Op::Quotient { by: a, bits: b, .. }, Op::Quotient { by: c, bits: d, .. })
            | (Op::Carry { p0: a, bits: b, .. }, Op::Carry { p0: c, bits: d, .. }) => (a, b) == (c, d),
            (Op::Shift { bits: a, .. }, Op::Shift { bits: b, .. })
            | (Op::Mask { bits: a, .. }, Op::Mask { bits: b, .. })
            | (Op::Double { bits: a, .. }, Op::Double { bits: b, .. }) => a == b,
            _ => false,
        }
    }

    /// What it reads.
    pub fn reads(&self) -> Vec<Src> {
        match *self {
            Op::Add(a, b) => vec![a, b],
            Op::Mul { sum, a, b } => vec![sum, a, b],
            Op::Carry { a, q, .. } => vec![a.into(), q.into()],
            Op::Quotient { a, .. } | Op::Shift { a, .. } | Op::Mask { a, .. } | Op::Double { a, .. } => {
                vec![a.into()]
            }
        }
    }
}
