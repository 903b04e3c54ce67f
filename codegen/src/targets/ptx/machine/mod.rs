//! The GPU: prices by the pipes of compute capability 9.0, registers, and what lives in shared memory or is
//! called.

mod calls;
pub mod cost;
pub(in crate::targets::ptx) mod locals;

pub use cost::{Cost, Pipes};

use super::{Block, Ptx};
use crate::fir::ir::{Kernel, Type};
use crate::targets::{Load, Machine};
use std::sync::Arc;

impl Machine for Ptx {
    /// Tenths of a cycle.
    fn time(cost: &Cost) -> u64 {
        cost.tenths(&Pipes::SM_90).into()
    }

    /// A formula that multiplies has more to do for the multiplier than any of its operations. Where it adds,
    /// an addition costs the two cycles of an IMAD, as most become one.
    fn price(cost: &Cost, load: Load) -> u64 {
        let (fma, alu) = match load {
            Load::Even => (10, 0),
            Load::Products => (30, 0),
            Load::Sums => (10, 12),
        };
        let (pipes, on_alu) = (&Pipes::SM_90, u64::from(cost.sums + cost.logic));
        fma * u64::from(cost.fma(pipes)) + u64::from(cost.beside(pipes)) + alu * on_alu
    }

    fn pressure(program: &Arc<Block>) -> u32 {
        program.pressure() as u32
    }

    fn registers(kernel: &Kernel, ty: Type) -> u32 {
        match ty {
            Type::Field => kernel.field().words as u32,
            Type::U32 => 1,
            Type::U64 => 2,
            Type::Pred | Type::Ext(_) | Type::Fields => 0,
        }
    }

    fn in_memory(kernel: &Kernel) -> Vec<bool> {
        locals::place(kernel).0.iter().map(Option::is_some).collect()
    }

    /// What is left of 255 registers by the accumulated point, the affine one that is added, and some
    /// addresses. On an H200 an MSM of 2^20 in BN254's G2 takes 12.1 ms with products in one operation, which
    /// fit, and 12.7 in several; in BLS12-381's, where they do not, 31.0 and 29.0 (`docs/log/experiments.md`,
    /// "Products in a quadratic extension").
    fn room_beside_points(kernel: &Kernel) -> u32 {
        const ADDRESSES: u32 = 16;
        let coordinates = 4 + 2;
        let points = coordinates * (kernel.tower.degree() * kernel.field().words) as u32;
        (255 - ADDRESSES).saturating_sub(points)
    }

    fn calls(kernel: &Kernel) -> bool {
        calls::calls(kernel)
    }

    fn calls_function(function: &Kernel, sites: usize) -> bool {
        calls::calls_function(function, sites)
    }

    /// A carry lives in one of seven predicate registers. ptxas interleaves independent products, and where
    /// one of them is itself made of several side by side (Karatsuba), it runs out: carries go to registers
    /// and back, some 10 instructions a word, and the products take longer than rows would. On an H200 one
    /// Karatsuba product beside others cost a mixed addition 3 to 5 %, two beside each other gained nothing;
    /// alone a product gained 3 % at 8 words and 10 % at 12 (`docs/log/experiments.md`, "Products in
    /// company").
    ///
    /// Functions run one after another. Kernels over extension fields are crowded all the same: they call
    /// with most registers taken, and a function that needs more of them makes its callers spill.
    fn crowds(kernel: &Kernel) -> bool {
        !calls::calls(kernel) || kernel.tower.top() > 0
    }
}
