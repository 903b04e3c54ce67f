//! Runs a [`Block`] on words, exactly as PTX would, and checks the carries it drops.

use thiserror::Error;

use super::ir::{Block, CarryOut, Cmp, Flag, Inst, Logic, Pred, Src};

/// A block that breaks its own rules, or inputs of the wrong shape: in either case a bug.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InterpError {
    /// Number of inputs, or words of an input.
    #[error("{block}: input {index} has {got} words, expected {expected}")]
    Shape {
        /// Name of the block.
        block: String,
        /// Number of the input.
        index: usize,
        /// Words given.
        got: usize,
        /// Words declared.
        expected: usize,
    },
    /// The flag is read but no instruction of the block has set it, or an addition reads a borrow, or
    /// a subtraction a carry.
    #[error("{block}: instruction {at} reads a flag that is not its own")]
    WrongFlag {
        /// Name of the block.
        block: String,
        /// Index of the instruction.
        at: usize,
    },
    /// An instruction marked [`CarryOut::Never`] carried.
    #[error("{block}: instruction {at} loses a carry")]
    CarryLost {
        /// Name of the block.
        block: String,
        /// Index of the instruction.
        at: usize,
    },
    /// A word or predicate is read before it is written.
    #[error("{block}: instruction {at} reads an unset word")]
    Unset {
        /// Name of the block.
        block: String,
        /// Index of the instruction; the number of instructions for an output.
        at: usize,
    },
}

/// The outputs of `block` on `inputs`, one vector of words per operand.
pub fn run(block: &Block, inputs: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, InterpError> {
    let mut words = vec![None; block.words()];
    for (index, input) in block.inputs().iter().enumerate() {
        let got = inputs.get(index).map_or(0, Vec::len);
        if got != input.words.len() || inputs.len() != block.inputs().len() {
            let (block, expected) = (block.name().to_owned(), input.words.len());
            return Err(InterpError::Shape { block, index, got, expected });
        }
        for (word, &value) in input.words.iter().zip(&inputs[index]) {
            words[word.index()] = Some(value);
        }
    }
    let mut state = State { block, words, preds: vec![None; block.preds()], flag: None, at: 0 };
    for (at, inst) in block.insts().iter().enumerate() {
        state.at = at;
        state.step(inst)?;
    }
    state.at = block.insts().len();
    let outputs = block.outputs().iter();
    outputs.map(|output| output.words.iter().map(|&src| state.get(src)).collect()).collect()
}

struct State<'a> {
    block: &'a Block,
    words: Vec<Option<u32>>,
    preds: Vec<Option<bool>>,
    flag: Option<(Flag, bool)>,
    at: usize,
}

impl State<'_> {
    fn step(&mut self, inst: &Inst) -> Result<(), InterpError> {
        let value = match *inst {
            Inst::Add { a, b, cin, out, guard, .. } => {
                if self.skipped(guard)? {
                    self.get(a)?
                } else {
                    let sum = u64::from(self.get(a)?)
                        + u64::from(self.get(b)?)
                        + self.carry_in(Flag::Carry, cin)?;
                    self.carry_out(Flag::Carry, out, sum >> 32 != 0)?;
                    sum as u32
                }
            }
            Inst::Sub { a, b, cin, out, guard, .. } => {
                if self.skipped(guard)? {
                    self.get(a)?
                } else {
                    let taken = u64::from(self.get(b)?) + self.carry_in(Flag::Borrow, cin)?;
                    let a = u64::from(self.get(a)?);
                    self.carry_out(Flag::Borrow, out, a < taken)?;
                    a.wrapping_sub(taken) as u32
                }
            }
            Inst::MulLo { a, b, .. } => self.product(a, b)? as u32,
            Inst::MulHi { a, b, .. } => (self.product(a, b)? >> 32) as u32,
            Inst::MulWide { lo, a, b, .. } => {
                let product = self.product(a, b)?;
                self.words[lo.index()] = Some(product as u32);
                (product >> 32) as u32
            }
            Inst::MadLo { a, b, c, cin, out, .. } => {
                let sum = u64::from(self.product(a, b)? as u32)
                    + u64::from(self.get(c)?)
                    + self.carry_in(Flag::Carry, cin)?;
                self.carry_out(Flag::Carry, out, sum >> 32 != 0)?;
                sum as u32
            }
            Inst::MadHi { a, b, c, cin, out, .. } => {
                let sum = (self.product(a, b)? >> 32)
                    + u64::from(self.get(c)?)
                    + self.carry_in(Flag::Carry, cin)?;
                self.carry_out(Flag::Carry, out, sum >> 32 != 0)?;
                sum as u32
            }
            Inst::Logic { op, a, b, .. } => {
                let (a, b) = (self.get(a)?, self.get(b)?);
                match op {
                    Logic::And => a & b,
                    Logic::Or => a | b,
                    Logic::Xor => a ^ b,
                }
            }
            Inst::Shl { a, by, .. } => self.get(a)? << by,
            Inst::Shr { a, by, .. } => self.get(a)? >> by,
            Inst::ShfL { lo, hi, by, .. } => (self.get(hi)? << by) | (self.get(lo)? >> (32 - by)),
            Inst::Selp { a, b, q, .. } => {
                let src = if self.pred(q.index())? { a } else { b };
                self.get(src)?
            }
            Inst::Setp { q, cmp, a, b } => {
                let (a, b) = (self.get(a)?, self.get(b)?);
                self.preds[q.index()] = Some(match cmp {
                    Cmp::Eq => a == b,
                    Cmp::Ne => a != b,
                    Cmp::Ge => a >= b,
                });
                return Ok(());
            }
        };
        let d = inst.dst().expect("only setp writes no word");
        self.words[d.index()] = Some(value);
        Ok(())
    }

    fn get(&self, src: Src) -> Result<u32, InterpError> {
        match src {
            Src::Imm(value) => Ok(value),
            Src::Word(word) => self.words[word.index()].ok_or_else(|| self.unset()),
        }
    }

    fn pred(&self, index: usize) -> Result<bool, InterpError> {
        self.preds[index].ok_or_else(|| self.unset())
    }

    fn product(&self, a: Src, b: Src) -> Result<u64, InterpError> {
        Ok(u64::from(self.get(a)?) * u64::from(self.get(b)?))
    }

    fn skipped(&self, guard: Option<Pred>) -> Result<bool, InterpError> {
        guard.map_or(Ok(false), |q| self.pred(q.index()).map(|holds| !holds))
    }

    fn carry_in(&self, kind: Flag, cin: bool) -> Result<u64, InterpError> {
        match (cin, self.flag) {
            (false, _) => Ok(0),
            (true, Some((set, flag))) if set == kind => Ok(u64::from(flag)),
            (true, _) => Err(InterpError::WrongFlag { block: self.block.name().to_owned(), at: self.at }),
        }
    }

    fn carry_out(&mut self, kind: Flag, out: CarryOut, carry: bool) -> Result<(), InterpError> {
        match out {
            CarryOut::Flag => self.flag = Some((kind, carry)),
            CarryOut::Never if carry => {
                return Err(InterpError::CarryLost { block: self.block.name().to_owned(), at: self.at });
            }
            CarryOut::Never | CarryOut::Lost => {}
        }
        Ok(())
    }

    fn unset(&self) -> InterpError {
        InterpError::Unset { block: self.block.name().to_owned(), at: self.at }
    }
}
