//! Programs on limbs of `B` bits: straight-line, each limb written once.

/// A limb, written by one instruction or by the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Limb(pub u32);

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Src {
    /// The value of a limb.
    Limb(Limb),
    /// A constant.
    Imm(u64),
}

impl From<Limb> for Src {
    fn from(limb: Limb) -> Self {
        Src::Limb(limb)
    }
}

/// Operation of an [`Inst::Pair`]: what `low` and `high` are. All are equations of integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pair {
    /// `low + 2^B·high = a + b + c`, `c` 0 or 1.
    Add(Src, Src, Src),
    /// `low - 2^B·high = a - b - c`, `c` 0 or 1.
    Sub(Src, Src, Src),
    /// `low + 2^B·high = a·b + c + d`; there is always room.
    MulAdd(Src, Src, Src, Src),
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// Two limbs by an equation.
    Pair {
        /// Low limb: sum, difference, low half.
        low: Limb,
        /// High limb: carry, borrow, high half.
        high: Limb,
        /// The equation.
        by: Pair,
    },
    /// `bit ? a : b`, `bit` 0 or 1.
    Select {
        /// Result.
        out: Limb,
        /// A carry or borrow.
        bit: Limb,
        /// Where it is 1.
        a: Src,
        /// Where it is 0.
        b: Src,
    },
}

/// Something to be shown of a program, in every case of its selections. Written down by whoever makes a
/// program and believed by nobody.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The limb is 0, because it is a multiple of `2^B`.
    Vanishes(Limb),
    /// The limb has one possible value, by the bounds of the number that the words make with it on top.
    Known(Vec<Src>, Limb),
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
    /// Limbs above the result, which are known to be 0.
    pub above: Vec<Src>,
    /// What the proof goes through.
    pub steps: Vec<Step>,
    /// Differences and their borrows: where a borrow is 1, the difference says how small the minuend is.
    pub compared: Vec<(Vec<Src>, Limb)>,
}

impl Program {
    /// The program of one that writes nothing, to be added to.
    pub(in crate::targets) fn new(inputs: usize, n: usize) -> Program {
        Program {
            inputs,
            limbs: (inputs * n) as u32,
            insts: vec![],
            output: vec![],
            above: vec![],
            steps: vec![],
            compared: vec![],
        }
    }

    /// Operand `k`.
    pub(in crate::targets) fn input(&self, n: usize, k: usize) -> Vec<Src> {
        (k * n..(k + 1) * n).map(|i| Limb(i as u32).into()).collect()
    }

    fn limb(&mut self) -> Limb {
        self.limbs += 1;
        Limb(self.limbs - 1)
    }

    /// Adds an instruction; low and high limb.
    pub(in crate::targets) fn pair(&mut self, by: Pair) -> (Limb, Limb) {
        let (low, high) = (self.limb(), self.limb());
        self.insts.push(Inst::Pair { low, high, by });
        (low, high)
    }

    /// `x + y`, and the carry.
    pub(in crate::targets) fn add(&mut self, x: &[Src], y: &[Src]) -> (Vec<Src>, Limb) {
        self.chain(x, y, Pair::Add)
    }

    /// `x - y`, and the borrow.
    pub(in crate::targets) fn sub(&mut self, x: &[Src], y: &[Src]) -> (Vec<Src>, Limb) {
        self.chain(x, y, Pair::Sub)
    }

    fn chain(&mut self, x: &[Src], y: &[Src], by: fn(Src, Src, Src) -> Pair) -> (Vec<Src>, Limb) {
        let (mut words, mut carry) = (vec![], None);
        for (&x, &y) in x.iter().zip(y) {
            let (low, high) = self.pair(by(x, y, carry.map_or(Src::Imm(0), Src::Limb)));
            words.push(low.into());
            carry = Some(high);
        }
        (words, carry.expect("an element has limbs"))
    }

    /// `bit ? x : y`.
    pub(in crate::targets) fn select(&mut self, bit: Limb, x: &[Src], y: &[Src]) -> Vec<Src> {
        let mut one = |(&a, &b)| {
            let out = self.limb();
            self.insts.push(Inst::Select { out, bit, a, b });
            out.into()
        };
        x.iter().zip(y).map(&mut one).collect()
    }

    /// Whether a limb is what was left over where another was written. That a sum of several carries is zero
    /// says of none of them that it is, in the form in which the checker looks for it: such a sum is kept.
    pub(in crate::targets) fn is_carry(&self, limb: Src, of: Src) -> bool {
        let pair = |inst: &Inst| match *inst {
            Inst::Pair { low, high, .. } => limb == high.into() && of == low.into(),
            Inst::Select { .. } => false,
        };
        self.insts.iter().any(pair)
    }

    /// Limbs that are needed at once: from where each is written to where it is last read.
    pub fn pressure(&self) -> u32 {
        let mut ends = vec![(0, 0); self.limbs as usize];
        for (at, inst) in self.insts.iter().enumerate() {
            for limb in inst.writes() {
                ends[limb.0 as usize] = (at + 1, at + 1);
            }
            for src in inst.reads() {
                mark(&mut ends, src, at);
            }
        }
        self.output.iter().for_each(|src| mark(&mut ends, *src, self.insts.len()));
        let live = |at: usize| ends.iter().filter(|(from, to)| *from <= at && at < *to).count();
        (0..=self.insts.len()).map(live).max().unwrap_or(0) as u32
    }
}

impl Inst {
    /// The limbs that it writes.
    pub(in crate::targets) fn writes(&self) -> Vec<Limb> {
        match *self {
            Inst::Pair { low, high, .. } => vec![low, high],
            Inst::Select { out, .. } => vec![out],
        }
    }

    /// What it reads.
    pub(in crate::targets) fn reads(&self) -> Vec<Src> {
        match *self {
            Inst::Pair { by: Pair::Add(a, b, c) | Pair::Sub(a, b, c), .. } => vec![a, b, c],
            Inst::Pair { by: Pair::MulAdd(a, b, c, d), .. } => vec![a, b, c, d],
            Inst::Select { bit, a, b, .. } => vec![bit.into(), a, b],
        }
    }
}

fn mark(ends: &mut [(usize, usize)], src: Src, at: usize) {
    if let Src::Limb(limb) = src {
        ends[limb.0 as usize].1 = at + 1;
    }
}
