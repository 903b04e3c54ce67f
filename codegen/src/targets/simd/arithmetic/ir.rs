//! Lane programs: straight-line, on integers that words of 64 bits hold with their sign, each limb written
//! once.
//!
//! A lane is an element of its own. Each instruction is an instruction of vectors, so that a program computes
//! as many elements as a vector has words. `a mod 2^k` is in `[0, 2^k)` whatever the sign of `a`, and `⌊ ⌋`
//! rounds down.

use std::collections::BTreeSet;

/// A limb, written by one instruction or by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limb(pub u32);

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Src {
    /// The value of a limb.
    Limb(Limb),
    /// A constant, the same in all lanes.
    Imm(i64),
}

impl From<Limb> for Src {
    fn from(limb: Limb) -> Self {
        Src::Limb(limb)
    }
}

/// What an instruction writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// `a + b`
    Add(Src, Src),
    /// `a - b`
    Sub(Src, Src),
    /// `sum + (a·b mod 2^52)`, `a` and `b` in `[0, 2^52)`.
    Low {
        /// `sum`
        sum: Src,
        /// `a`
        a: Src,
        /// `b`
        b: Src,
    },
    /// `sum + ⌊a·b / 2^52⌋`, `a` and `b` in `[0, 2^52)`.
    High {
        /// `sum`
        sum: Src,
        /// `a`
        a: Src,
        /// `b`
        b: Src,
    },
    /// `sum + a·b`, `a` and `b` in `[0, 2^32)`.
    Whole {
        /// `sum`
        sum: Src,
        /// `a`
        a: Src,
        /// `b`
        b: Src,
    },
    /// `a·by mod 2^bits`, any `a`.
    Quotient {
        /// `a`
        a: Limb,
        /// A limb.
        by: u64,
    },
    /// What is carried when the lowest limb of `q·p` is added to `a`. By halves that is `⌈a / 2^52⌉`, where
    /// `a + (q·p0 mod 2^52)` is a multiple of `2^52`; by whole products `(a + q·p0) / 2^bits`, `a` not
    /// negative.
    Carry {
        /// `a`
        a: Limb,
        /// A quotient of `a` by `-1/p0`.
        q: Limb,
        /// A limb.
        p0: u64,
    },
    /// `⌊a / 2^bits⌋`, `a` not negative where products are whole.
    Shift {
        /// `a`
        a: Limb,
        /// Below 64.
        bits: u32,
    },
    /// `a mod 2^bits`
    Mask {
        /// `a`
        a: Limb,
        /// Below 63.
        bits: u32,
    },
    /// `a·2^bits`
    Double {
        /// `a`
        a: Limb,
        /// Below 64.
        bits: u32,
    },
    /// `sign < 0 ? a : b`
    Select {
        /// `sign`
        sign: Limb,
        /// `a`
        a: Src,
        /// `b`
        b: Src,
    },
}

/// An instruction, or something to be shown where it stands. What is to be shown is written down by whoever
/// makes a program, and believed by nobody.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// Writes a limb.
    Write(Limb, Op),
    /// The limbs but the highest are normal. Then the highest is what the number that they make says it is.
    Normal(Vec<Src>),
    /// The number that the limbs make is taken as an operand of what follows.
    Renamed(Vec<Src>),
}

/// Why a result is below its bound, where that does not follow term by term: the result times `2^bits` is a
/// sum of these limbs, each times a factor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// How many times the result.
    pub bits: u32,
    /// Limbs and their factors.
    pub limbs: Vec<(Src, num_bigint::BigInt)>,
    /// Two operands, and the factor of the low half of their product, where products are halves.
    pub low: Option<(Src, Src, num_bigint::BigInt)>,
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
    /// Numbers and where they come from: why they are small.
    pub parts: Vec<(Vec<Src>, Parts)>,
    /// Differences whose sign is read: where it is negative, the minuend is below the subtrahend.
    pub compared: Vec<Vec<Src>>,
}

impl Program {
    /// The program of one that writes nothing, to be added to.
    pub(in crate::targets::simd) fn new(inputs: usize, n: usize) -> Program {
        let limbs = (inputs * n) as u32;
        Program { inputs, limbs, insts: vec![], output: vec![], parts: vec![], compared: vec![] }
    }

    /// Operand `k`.
    pub(super) fn input(&self, n: usize, k: usize) -> Vec<Src> {
        (k * n..(k + 1) * n).map(|i| Limb(i as u32).into()).collect()
    }

    /// Adds an instruction; what it writes.
    pub(in crate::targets::simd) fn write(&mut self, op: Op) -> Limb {
        let out = Limb(self.limbs);
        self.limbs += 1;
        self.insts.push(Inst::Write(out, op));
        out
    }

    /// A limb with the value of an operand.
    pub(super) fn limb(&mut self, src: Src) -> Limb {
        match src {
            Src::Limb(limb) => limb,
            Src::Imm(_) => self.write(Op::Add(src, Src::Imm(0))),
        }
    }

    /// Limbs that are needed at once: from where each is written to where it is last read.
    pub fn pressure(&self) -> u32 {
        let mut ends = vec![(0, 0); self.limbs as usize];
        let read = |ends: &mut Vec<(usize, usize)>, src: &Src, at: usize| {
            if let Src::Limb(limb) = src {
                ends[limb.0 as usize].1 = at + 1;
            }
        };
        for (at, inst) in self.insts.iter().enumerate() {
            if let Inst::Write(out, op) = inst {
                op.reads().iter().for_each(|src| read(&mut ends, src, at));
                ends[out.0 as usize] = (at + 1, at + 1);
            }
        }
        self.output.iter().for_each(|src| read(&mut ends, src, self.insts.len()));
        let live = |at: usize| ends.iter().filter(|(from, to)| *from <= at && at < *to).count();
        (0..=self.insts.len()).map(live).max().unwrap_or(0) as u32
    }

    /// The instructions that write a limb which the result needs, in order.
    pub fn needed(&self) -> Vec<(Limb, &Op)> {
        let mut read: BTreeSet<Src> = self.output.iter().copied().collect();
        let mut needed = vec![];
        for inst in self.insts.iter().rev() {
            if let Inst::Write(out, op) = inst
                && read.contains(&Src::Limb(*out))
            {
                read.extend(op.reads());
                needed.push((*out, op));
            }
        }
        needed.reverse();
        needed
    }
}

impl Op {
    /// What it reads.
    pub fn reads(&self) -> Vec<Src> {
        match *self {
            Op::Add(a, b) | Op::Sub(a, b) => vec![a, b],
            Op::Low { sum, a, b } | Op::High { sum, a, b } | Op::Whole { sum, a, b } => vec![sum, a, b],
            Op::Carry { a, q, .. } => vec![a.into(), q.into()],
            Op::Quotient { a, .. } | Op::Shift { a, .. } | Op::Mask { a, .. } | Op::Double { a, .. } => {
                vec![a.into()]
            }
            Op::Select { sign, a, b } => vec![sign.into(), a, b],
        }
    }
}
