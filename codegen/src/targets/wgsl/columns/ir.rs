//! Programs on limbs: straight-line, each limb written once.
//!
//! A limb is an integer that a word of 32 or 64 bits holds, `w` of them: without sign in `[0, 2^w)`, or with
//! one in `[-2^(w-1), 2^(w-1))`. The word is the integer modulo `2^w`, so that sums, differences and products
//! are the same of both kinds. `a mod 2^k` is in `[0, 2^k)` whatever the sign of `a`, and `⌊ ⌋` rounds down.

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
    /// `a - b`
    Sub(Src, Src),
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
    /// `⌊a / 2^bits⌋`, of a word that is read with its sign or without one.
    Shift {
        /// `a`
        a: Limb,
        /// Below 32.
        bits: u32,
        /// Whether it has a sign.
        signed: bool,
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
    /// The limbs but the highest have no sign and no more bits than a limb. Then the highest is what the
    /// number that they make says it is, and where that is not negative no limb is more than the number has
    /// of it.
    Normal(Vec<Src>),
    /// The number that the limbs make is taken as an operand of what follows.
    Renamed(Vec<Src>),
}

/// Why a result is below its bound, where that does not follow term by term: the result times `2^shift` is a
/// sum of these limbs, each times a factor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// `shift`
    pub shift: u32,
    /// Limbs and their factors.
    pub limbs: Vec<(Src, num_bigint::BigInt)>,
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
    /// One that writes nothing, to be added to.
    pub(in crate::targets::wgsl) fn new(inputs: usize, n: usize) -> Program {
        let limbs = (inputs * n) as u32;
        Program { inputs, limbs, insts: vec![], output: vec![], parts: vec![], compared: vec![] }
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

    /// Limbs that are needed at once: from where each is written to where it is last read.
    pub fn pressure(&self) -> u32 {
        let mut ends = vec![(0usize, 0usize); self.limbs as usize];
        for (at, (out, op)) in self.needed().iter().enumerate() {
            for src in op.reads() {
                if let Src::Limb(limb) = src {
                    ends[limb.0 as usize].1 = at + 1;
                }
            }
            ends[out.0 as usize] = (at + 1, at + 1);
        }
        let count = self.needed().len();
        for src in &self.output {
            if let Src::Limb(limb) = src {
                ends[limb.0 as usize].1 = count + 1;
            }
        }
        let mut change = vec![0i64; count + 3];
        for (from, to) in ends.into_iter().filter(|(from, to)| from < to) {
            change[from] += 1;
            change[to] -= 1;
        }
        let live = change.into_iter().scan(0, |live, change| {
            *live += change;
            Some(*live)
        });
        live.max().unwrap_or(0) as u32
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
    /// What it reads.
    pub fn reads(&self) -> Vec<Src> {
        match *self {
            Op::Add(a, b) | Op::Sub(a, b) => vec![a, b],
            Op::Mul { sum, a, b } => vec![sum, a, b],
            Op::Carry { a, q, .. } => vec![a.into(), q.into()],
            Op::Quotient { a, .. } | Op::Shift { a, .. } | Op::Mask { a, .. } | Op::Double { a, .. } => {
                vec![a.into()]
            }
            Op::Select { sign, a, b } => vec![sign.into(), a, b],
        }
    }
}
