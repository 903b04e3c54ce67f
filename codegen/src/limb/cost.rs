//! What a block costs: cycles per warp and scheduler on each pipe.
//!
//! The model is static: `mad.lo` and `mad.hi` of one product fuse into one IMAD.WIDE, constants are
//! free, copies vanish. It ranks variants of one op; whole kernels are judged on assembled code.
//!
//! Two numbers come of it. The **bound** is the busiest pipe: no code runs faster. The **time** is what
//! an H200 was seen to take: the FMA pipe's cycles, plus [`Pipes::beside`] for every instruction of the
//! ALU pipe, which does not hide behind wide multiplications (`docs/src/measurements.md`, "On a GPU").

use super::ir::{Block, Inst, Src};

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
    /// Compute capability 9.0, measured on an H200. The issue intervals are also the stall counts that
    /// ptxas 13.5 emits between independent instructions of one pipe for 8.0, 9.0 and 10.0.
    pub const SM_90: Pipes = Pipes { wide: 4, imad: 2, alu: 2, beside: 9 };
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

    /// The time to expect beside other warps' work, in tenths of a cycle.
    pub fn tenths(&self, pipes: &Pipes) -> u32 {
        let additive = 10 * self.fma + pipes.beside * (self.alu / pipes.alu);
        additive.max(10 * self.cycles())
    }

    /// Order of preference: the expected time, then instructions.
    pub(super) fn rank(&self) -> (u32, u32) {
        (self.tenths(&Pipes::SM_90), self.issue)
    }
}
