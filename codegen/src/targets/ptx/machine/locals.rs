//! Where mutable locals live: in registers, or in shared memory where a kernel has too many.
//!
//! A thread's slot in shared memory is its own, four words wide and interleaved by thread, so that
//! a warp's access is free of bank conflicts. Against spilling this costs fewer instructions and no
//! local memory, and it lets a value be read again where it is used: an accumulated point costs no registers
//! during the addition (`docs/log/experiments.md`, "Points in shared memory").

use crate::fir::ir::{Block, Kernel, Local, Op, Stmt, Type};
use curvesmith_abi::Family;

/// Words of field locals that stay in registers in a kernel that adds points, next to the temporaries of a
/// multiplication and the values of a formula. With 40, no accumulation up to 12 words spills on any target.
const BESIDE_FORMULAS: usize = 40;
/// The same in other kernels, which work on what they hold.
const REGISTER_WORDS: usize = 128;
/// Static shared memory of a block that every device has.
pub(crate) const SHARED_BYTES: usize = 48 * 1024;
/// Shared memory that a slot takes for each thread.
pub(crate) const SLOT_BYTES: u32 = 16;
/// How many times a loop body is thought to run.
const LOOP_WEIGHT: u64 = 16;

/// For each local, the first of its four-word slots in shared memory, and the number of slots in all. A
/// function has no block, and no shared memory of its own.
pub(crate) fn place(kernel: &Kernel) -> (Vec<Option<u32>>, u32) {
    let mut homes = vec![None; kernel.locals.len()];
    let Some(field) = kernel.field.as_ref().filter(|_| kernel.function.is_none()) else {
        return (homes, 0);
    };
    let slots_each = field.words.div_ceil(4);
    let slot_bytes = (SLOT_BYTES * kernel.desc.block) as usize;
    let own: usize = kernel.shared.iter().map(|s| 4 * s.length as usize * s.stride(field.words)).sum();
    let mut room = SHARED_BYTES.saturating_sub(own) / slot_bytes;

    let mut uses = vec![Uses::default(); kernel.locals.len()];
    count(kernel, &kernel.body, &mut vec![], &mut uses);
    let is_live = |l: &usize| kernel.locals[*l].ty == Type::Field && uses[*l].weight > 0;
    let mut order: Vec<usize> = (0..kernel.locals.len()).filter(is_live).collect();
    let mut in_registers = order.len() * field.words;
    // First those that take registers throughout a loop; the least used first; of equals the youngest, so
    // that points move as a whole.
    order.sort_by_key(|l| (!uses[*l].goes_around, uses[*l].weight, std::cmp::Reverse(*l)));
    let most = if kernel.desc.family == Family::Group { BESIDE_FORMULAS } else { REGISTER_WORDS };
    let mut next = 0;
    for l in order {
        if in_registers <= most || room < slots_each {
            break;
        }
        homes[l] = Some(next);
        next += slots_each as u32;
        room -= slots_each;
        in_registers -= field.words;
    }
    (homes, next)
}

/// How a local is used.
#[derive(Clone, Debug, Default)]
struct Uses {
    weight: u64,
    /// The loops around its first use.
    within: Option<Vec<*const Block>>,
    /// It is used in a loop and outside of it.
    goes_around: bool,
}

fn count(kernel: &Kernel, block: &Block, loops: &mut Vec<*const Block>, uses: &mut [Uses]) {
    let used = |l: Local, loops: &[*const Block], uses: &mut [Uses]| {
        let uses = &mut uses[l.0 as usize];
        uses.weight = uses.weight.saturating_add(LOOP_WEIGHT.saturating_pow(loops.len() as u32));
        let within = uses.within.get_or_insert_with(|| loops.to_vec());
        uses.goes_around |= within != loops;
    };
    for stmt in block {
        match stmt {
            Stmt::Let(v) => {
                if let Op::Get(l) = kernel[*v] {
                    used(l, loops, uses);
                }
            }
            Stmt::Set(l, _) => used(*l, loops, uses),
            Stmt::Loop(body) => {
                loops.push(body);
                count(kernel, body, loops, uses);
                loops.pop();
            }
            _ => stmt.blocks().into_iter().for_each(|block| count(kernel, block, loops, uses)),
        }
    }
}
