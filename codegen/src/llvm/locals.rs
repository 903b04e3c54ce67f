//! Where mutable locals live: in registers, or in shared memory where a kernel has too many.
//!
//! A thread's slot in shared memory is its own, four words wide and interleaved by thread, so that
//! a warp's access is free of bank conflicts. Against spilling this costs fewer instructions and no
//! local memory: with 24 words, 8 % fewer at 168 registers (measured with ptxas 13.5).

use crate::fir::ir::{Block, Kernel, Op, Stmt, Type};

/// Words of field locals that stay in registers, next to the temporaries of a multiplication and
/// the values of a formula: two XYZZ points of 12 words, and a third.
const REGISTER_WORDS: usize = 128;
/// Static shared memory of a block that every device has.
pub(super) const SHARED_BYTES: usize = 48 * 1024;
/// How many times a loop body is thought to run.
const LOOP_WEIGHT: u64 = 16;

/// A function has no block, and no shared memory of its own. For each local, the first of its four-word slots in shared memory, and the number of slots in all.
pub(super) fn place(kernel: &Kernel) -> (Vec<Option<u32>>, u32) {
    let mut homes = vec![None; kernel.locals.len()];
    let Some(field) = kernel.field.as_ref().filter(|_| kernel.function.is_none()) else {
        return (homes, 0);
    };
    let slots_each = field.words.div_ceil(4);
    let slot_bytes = 16 * kernel.desc.block as usize;
    let own: usize = kernel.shared.iter().map(|s| 4 * s.words as usize).sum();
    let mut room = SHARED_BYTES.saturating_sub(own) / slot_bytes;

    let mut uses = vec![0u64; kernel.locals.len()];
    count(kernel, &kernel.body, 1, &mut uses);
    let is_live = |l: &usize| kernel.locals[*l].ty == Type::Field && uses[*l] > 0;
    let mut order: Vec<usize> = (0..kernel.locals.len()).filter(is_live).collect();
    let mut in_registers = order.len() * field.words;
    // The least used first; of equals the youngest, so that points move as a whole.
    order.sort_by_key(|l| (uses[*l], std::cmp::Reverse(*l)));
    let mut next = 0;
    for l in order {
        if in_registers <= REGISTER_WORDS || room < slots_each {
            break;
        }
        homes[l] = Some(next);
        next += slots_each as u32;
        room -= slots_each;
        in_registers -= field.words;
    }
    (homes, next)
}

fn count(kernel: &Kernel, block: &Block, weight: u64, uses: &mut [u64]) {
    for stmt in block {
        match stmt {
            Stmt::Let(v) => {
                if let Op::Get(l) = kernel[*v] {
                    uses[l.0 as usize] += weight;
                }
            }
            Stmt::Set(l, _) => uses[l.0 as usize] += weight,
            Stmt::If { then, otherwise, .. } => {
                count(kernel, then, weight, uses);
                count(kernel, otherwise, weight, uses);
            }
            Stmt::Loop(body) => count(kernel, body, weight.saturating_mul(LOOP_WEIGHT), uses),
            _ => {}
        }
    }
}
