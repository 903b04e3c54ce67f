//! What a block costs: cycles per warp and scheduler on each pipe.
//!
//! The model is static: `mad.lo` and `mad.hi` of one product fuse into one IMAD.WIDE, constants are
//! free, copies vanish. It ranks variants of one op; whole kernels are judged on assembled code.
//!
//! Two numbers come of it. The **bound** is the busiest pipe: no code runs faster. The **time** is what
//! an H200 was seen to take: the FMA pipe's cycles, plus [`Pipes::beside`] for every instruction of the
//! ALU pipe, which does not hide behind wide multiplications (`docs/src/measurements.md`, "On a GPU").
//!
//! **Balancing.** Where instructions of the ALU outnumber those of the FMA pipe, ptxas turns additions
//! of two words without a carry out into IMADs until the numbers are equal. It counts a wide product
//! like any other instruction, so that this makes code slower. [`Cost::balanced`] is what then stands in
//! the machine code. Costs of one kernel's ops are added up first: one op may balance another.

use std::ops::{Add, AddAssign};

use super::ir::{Block, CarryOut, Inst, Src};

/// Issue intervals of one compute capability, in cycles per warp-instruction and scheduler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipes {
    /// IMAD.WIDE and IMAD.HI, on the FMA pipe.
    pub wide: u32,
    /// IMAD, on the FMA pipe.
    pub imad: u32,
    /// IADD3, LOP3, SEL, ISETP, SHF, on the ALU pipe.
    pub alu: u32,
    /// Tenths of a cycle that an instruction of the ALU pipe adds to the time of wide multiplications.
    pub beside: u32,
}

impl Pipes {
    /// Compute capability 9.0, measured on an H200 with ptxas 13.5: IMAD.WIDE 4.04 cycles, IMAD.HI 4.4,
    /// IMAD 2.0, IADD3 and LOP3 2.0. The choices of variants are made by this table. The times it gives
    /// for chained products, squares and sums of products of 8 to 24 words, one level of Karatsuba at
    /// most, are within 6 % of the measured and in their order; two levels took longer than it says.
    pub const SM_90: Pipes = Pipes { wide: 4, imad: 2, alu: 2, beside: 8 };
    /// 7.5: 64 lanes per multiprocessor for 32-bit products of any kind, by NVIDIA's table of CUDA 10's
    /// days. The rest is carried over from 9.0, not measured.
    pub const SM_75: Pipes = Pipes::SM_90;
    /// 8.0: issue intervals are the stall counts that ptxas 13.5 emits between independent instructions
    /// of one pipe. The rest is carried over from 9.0, not measured.
    pub const SM_80: Pipes = Pipes::SM_90;
    /// 10.0: as 8.0; IMAD.HI was also measured by others on 10.3.
    pub const SM_100: Pipes = Pipes::SM_90;
    /// 12.0: 64 lanes for 32-bit products by NVIDIA's table; wide products as measured by others on
    /// 8.9. The rest is carried over from 9.0, not measured.
    pub const SM_120: Pipes = Pipes::SM_90;

    /// The table of a compute capability, 90 for 9.0; `None` where there is none.
    pub fn of(sm: u32) -> Option<Pipes> {
        match sm {
            75 => Some(Pipes::SM_75),
            80 => Some(Pipes::SM_80),
            90 => Some(Pipes::SM_90),
            100 => Some(Pipes::SM_100),
            120 => Some(Pipes::SM_120),
            _ => None,
        }
    }
}

/// Cycles per warp and scheduler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// On the FMA pipe (multiplications).
    pub fma: u32,
    /// On the ALU pipe (additions, logic, selects).
    pub alu: u32,
    /// Issue slots: machine instructions.
    pub issue: u32,
    /// Of these, additions of two words without a carry out.
    pub adds: u32,
}

impl Cost {
    /// Of a block.
    pub fn of(block: &Block, pipes: &Pipes) -> Cost {
        let mut cost = Cost::default();
        let mut previous: Option<(Src, Src)> = None;
        for inst in block.insts() {
            let mut low = None;
            let (fma, alu) = match *inst {
                Inst::MulLo { a, b, .. } | Inst::MadLo { a, b, .. } => {
                    low = Some((a, b));
                    (pipes.imad, 0)
                }
                Inst::MulHi { a, b, .. } | Inst::MadHi { a, b, .. } => {
                    if previous == Some((a, b)) {
                        cost.fma -= pipes.imad;
                        cost.issue -= 1;
                    }
                    (pipes.wide, 0)
                }
                Inst::MulWide { .. } => (pipes.wide, 0),
                _ => (0, pipes.alu),
            };
            previous = low;
            if let Inst::Add { out, guard: None, .. } | Inst::Sub { out, guard: None, .. } = *inst {
                cost.adds += u32::from(out != CarryOut::Flag);
            }
            cost.fma += fma;
            cost.alu += alu;
            cost.issue += 1;
        }
        cost
    }

    /// The bound: the busiest of the pipes and the issue slots.
    pub fn cycles(&self) -> u32 {
        self.fma.max(self.alu).max(self.issue)
    }

    /// What ptxas makes of it, see the module.
    pub fn balanced(&self, pipes: &Pipes) -> Cost {
        let alu = self.alu / pipes.alu;
        let multiply = self.issue.saturating_sub(alu);
        let moved = (alu.saturating_sub(multiply) / 2).min(self.adds);
        Cost {
            fma: self.fma + moved * pipes.imad,
            alu: self.alu - moved * pipes.alu,
            issue: self.issue,
            adds: self.adds - moved,
        }
    }

    /// The time to expect beside other warps' work, in tenths of a cycle.
    pub fn tenths(&self, pipes: &Pipes) -> u32 {
        let cost = self.balanced(pipes);
        let additive = 10 * cost.fma + pipes.beside * (cost.alu / pipes.alu);
        additive.max(10 * cost.cycles())
    }

    /// Order of preference: the expected time, then instructions.
    pub(super) fn rank(&self) -> (u32, u32) {
        (self.tenths(&Pipes::SM_90), self.issue)
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            fma: self.fma + other.fma,
            alu: self.alu + other.alu,
            issue: self.issue + other.issue,
            adds: self.adds + other.adds,
        }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_move_to_the_fma_pipe_until_the_numbers_are_equal() {
        let pipes = Pipes::SM_90;
        // 10 wide products, 18 instructions of the ALU.
        let cost = Cost { fma: 40, alu: 36, issue: 28, adds: 3 };
        assert_eq!(cost.balanced(&pipes), Cost { fma: 46, alu: 30, issue: 28, adds: 0 });
        assert_eq!((cost.cycles(), cost.tenths(&pipes)), (40, 460 + 15 * pipes.beside));
        let products = Cost { fma: 400, alu: 0, issue: 100, adds: 0 };
        assert_eq!((cost + products).balanced(&pipes), cost + products);
    }

    #[test]
    fn every_target_has_its_table() {
        assert!([75, 80, 90, 100, 120].into_iter().all(|sm| Pipes::of(sm).is_some()));
        assert_eq!(Pipes::of(70), None);
    }
}
