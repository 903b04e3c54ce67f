//! What a block costs: instructions by pipe, and cycles per warp and scheduler.
//!
//! The model is static: `mad.lo` and `mad.hi` of one product fuse into one IMAD.WIDE, constants are
//! free, copies vanish. It ranks variants of one op; whole kernels are judged on assembled code.
//!
//! Two numbers come of it. The **bound** is the busiest pipe: no code runs faster. The **time** is what
//! an H200 was seen to take: the FMA pipe's cycles, plus [`Pipes::beside`] for every instruction of the
//! ALU pipe, which does not hide behind wide multiplications (`docs/log/experiments.md`, "On a GPU").
//!
//! **Balancing.** Where instructions of the ALU outnumber those of the FMA pipe, ptxas turns additions
//! of two words without a carry out into IMADs until the numbers are equal. It counts a wide product
//! like any other instruction, so that this makes code slower. [`Cost::balanced`] is what then stands in
//! the machine code. Costs of one kernel's ops are added up first: one op may balance another. For 12.0,
//! where an addition issues faster than an IMAD, ptxas moves none.

use std::ops::{Add, AddAssign};

use crate::targets::ptx::arithmetic::ir::{Block, CarryOut, Inst, Src};

/// Issue intervals of one compute capability, in cycles per warp-instruction and scheduler.
///
/// All but `beside` are the stall counts that ptxas 13.5 writes between independent instructions of a
/// kind. They stand in `xtask/tables/rates.tsv`: `cargo xtask validate` compares that file with what ptxas
/// emits, and a test of this module compares the tables with that file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipes {
    /// IMAD.WIDE and IMAD.HI, on the FMA pipe.
    pub wide: u32,
    /// IMAD, on the FMA pipe.
    pub imad: u32,
    /// IADD3, SEL, ISETP, on the ALU pipe.
    pub sum: u32,
    /// LOP3, SHF, on the ALU pipe.
    pub logic: u32,
    /// Tenths of a cycle that an instruction of the ALU pipe adds to the time of wide multiplications.
    /// Measured on 9.0 only; the other tables carry it over.
    pub beside: u32,
}

impl Pipes {
    /// Compute capability 9.0. An H200 takes 4.04 cycles for IMAD.WIDE, 4.4 for IMAD.HI, 2.0 for IMAD,
    /// IADD3 and LOP3. PTX is emitted once for all targets, so **every choice is made by this table**;
    /// the others price for their targets, and nothing is chosen by them. The times it gives
    /// for chained products, squares and sums of products of 8 to 24 words, one level of Karatsuba at
    /// most, are within 6 % of the measured and in their order; two levels took longer than it says.
    pub const SM_90: Pipes = Pipes { wide: 4, imad: 2, sum: 2, logic: 2, beside: 8 };
    /// 7.5; not measured.
    pub const SM_75: Pipes = Pipes { wide: 4, imad: 2, sum: 2, logic: 2, beside: 8 };
    /// 8.0; not measured.
    pub const SM_80: Pipes = Pipes { wide: 4, imad: 2, sum: 2, logic: 2, beside: 8 };
    /// 10.0; not measured.
    pub const SM_100: Pipes = Pipes { wide: 4, imad: 2, sum: 2, logic: 2, beside: 8 };
    /// 12.0: additions, selects and comparisons issue every cycle; not measured.
    pub const SM_120: Pipes = Pipes { wide: 4, imad: 2, sum: 1, logic: 2, beside: 8 };

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

/// Machine instructions by what they cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Products with more than the low half: IMAD.WIDE and IMAD.HI.
    pub wide: u32,
    /// Products with the low half only.
    pub imad: u32,
    /// Additions, selects and comparisons.
    pub sums: u32,
    /// Of these, additions of two words without a carry out.
    pub plain: u32,
    /// Logic and shifts.
    pub logic: u32,
}

impl Cost {
    /// Of a block.
    pub fn of(block: &Block) -> Cost {
        let mut cost = Cost::default();
        let mut previous: Option<(Src, Src)> = None;
        for inst in block.insts() {
            let mut low = None;
            match *inst {
                Inst::MulLo { a, b, .. } | Inst::MadLo { a, b, .. } => {
                    low = Some((a, b));
                    cost.imad += 1;
                }
                Inst::MulHi { a, b, .. } | Inst::MadHi { a, b, .. } => {
                    cost.imad -= u32::from(previous == Some((a, b)));
                    cost.wide += 1;
                }
                Inst::MulWide { .. } => cost.wide += 1,
                Inst::Add { out, guard, .. } | Inst::Sub { out, guard, .. } => {
                    cost.sums += 1;
                    cost.plain += u32::from(guard.is_none() && out != CarryOut::Flag);
                }
                Inst::Setp { .. } | Inst::Selp { .. } => cost.sums += 1,
                Inst::Logic { .. } | Inst::Shl { .. } | Inst::Shr { .. } | Inst::ShfL { .. } => {
                    cost.logic += 1
                }
            }
            previous = low;
        }
        cost
    }

    /// Cycles of the FMA pipe.
    pub fn fma(&self, pipes: &Pipes) -> u32 {
        self.wide * pipes.wide + self.imad * pipes.imad
    }

    /// Cycles of the ALU pipe.
    pub fn alu(&self, pipes: &Pipes) -> u32 {
        self.sums * pipes.sum + self.logic * pipes.logic
    }

    /// Issue slots: all instructions.
    pub fn issue(&self) -> u32 {
        self.wide + self.imad + self.sums + self.logic
    }

    /// Tenths of a cycle that the instructions of the ALU pipe add to the time of wide multiplications.
    pub fn beside(&self, pipes: &Pipes) -> u32 {
        pipes.beside * (self.sums + self.logic)
    }

    /// The bound: the busiest of the pipes and the issue slots.
    pub fn cycles(&self, pipes: &Pipes) -> u32 {
        self.fma(pipes).max(self.alu(pipes)).max(self.issue())
    }

    /// What ptxas makes of it, see the module.
    pub fn balanced(&self, pipes: &Pipes) -> Cost {
        if pipes.sum < pipes.imad {
            return *self;
        }
        let (alu, multiply) = (self.sums + self.logic, self.wide + self.imad);
        let moved = (alu.saturating_sub(multiply) / 2).min(self.plain);
        Cost { imad: self.imad + moved, sums: self.sums - moved, plain: self.plain - moved, ..*self }
    }

    /// The time to expect beside other warps' work, in tenths of a cycle.
    pub fn tenths(&self, pipes: &Pipes) -> u32 {
        let cost = self.balanced(pipes);
        (10 * cost.fma(pipes) + cost.beside(pipes)).max(10 * cost.cycles(pipes))
    }

    /// Order of preference: the expected time, then instructions.
    pub(in crate::targets::ptx) fn rank(&self) -> (u64, u64) {
        (self.tenths(&Pipes::SM_90).into(), self.issue().into())
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            wide: self.wide + other.wide,
            imad: self.imad + other.imad,
            sums: self.sums + other.sums,
            plain: self.plain + other.plain,
            logic: self.logic + other.logic,
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
        let cost = Cost { wide: 10, sums: 14, plain: 3, logic: 4, imad: 0 };
        assert_eq!(cost.balanced(&pipes), Cost { wide: 10, imad: 3, sums: 11, plain: 0, logic: 4 });
        assert_eq!((cost.cycles(&pipes), cost.tenths(&pipes)), (40, 460 + 15 * pipes.beside));
        let products = Cost { wide: 100, ..Cost::default() };
        assert_eq!((cost + products).balanced(&pipes), cost + products);
    }

    #[test]
    fn none_moves_where_additions_issue_faster() {
        let pipes = Pipes::SM_120;
        let cost = Cost { wide: 10, sums: 14, plain: 3, logic: 4, imad: 0 };
        assert_eq!(cost.balanced(&pipes), cost);
        assert_eq!((cost.alu(&pipes), cost.cycles(&pipes), cost.tenths(&pipes)), (22, 40, 400 + 18 * 8));
    }

    /// The tables are what the assembler's schedules say.
    #[test]
    fn every_target_has_the_intervals_of_its_schedule() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../xtask/tables/rates.tsv");
        let text = std::fs::read_to_string(path).expect("the workspace has the table");
        let mut lines = text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
        let names = lines.next().expect("a line of names");
        let mut targets = vec![];
        for line in lines {
            let column = |name: &str| -> u32 {
                let at = names.iter().position(|n| *n == name).expect("the column is there");
                line[at].parse().expect("a number")
            };
            let pipes = Pipes::of(column("sm")).expect("every target has its table");
            targets.push(column("sm"));
            assert_eq!([column("wide"), column("high")], [pipes.wide; 2], "{line:?}");
            assert_eq!(column("imad"), pipes.imad, "{line:?}");
            assert_eq!([column("add"), column("select"), column("compare")], [pipes.sum; 3], "{line:?}");
            assert_eq!([column("logic"), column("shift")], [pipes.logic; 2], "{line:?}");
        }
        assert_eq!(targets, [75, 80, 90, 100, 120]);
        assert_eq!(Pipes::of(70), None);
    }
}
