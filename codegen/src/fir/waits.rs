//! Whether a kernel's blocks wait for each other.

use super::ir::{Block, Kernel, Place, Stmt, Value};
use std::collections::BTreeSet;

/// Whether a loop reads, in each round anew, a word of a buffer that other blocks may write meanwhile: by an
/// ordered load, or by an atomic whose result is used. Such a loop may end by what another block writes,
/// which must then go on, whatever blocks the device holds.
///
/// No other loop can wait: a plain load of what others write is a race. A loop that only counts such words is
/// taken for one that waits.
pub fn waits_for_blocks(kernel: &Kernel) -> bool {
    let mut used: BTreeSet<Value> = kernel.values().flat_map(|v| kernel[v].args()).collect();
    collect_uses(&kernel.body, &mut used);
    waits(&kernel.body, false, &used)
}

fn collect_uses(block: &Block, used: &mut BTreeSet<Value>) {
    for stmt in block {
        used.extend(stmt.uses());
        stmt.blocks().into_iter().for_each(|inner| collect_uses(inner, used));
    }
}

fn waits(block: &Block, in_loop: bool, used: &BTreeSet<Value>) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::LoadOrdered { place, .. } => in_loop && is_global(place),
        Stmt::Atomic { result, place, .. } => in_loop && is_global(place) && used.contains(result),
        Stmt::Loop(body) => waits(body, true, used),
        other => other.blocks().into_iter().any(|inner| waits(inner, in_loop, used)),
    })
}

fn is_global(place: &Place) -> bool {
    !matches!(place, Place::Shared { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::build::{Builder, Pred};
    use crate::fir::ir::{AtomicOp, Order};
    use crate::kernels::common_kernels;
    use curvesmith_abi::Geometry;
    use curvesmith_abi::kernels::ScanTiles;

    fn waits_in(body: impl FnOnce(&Builder)) -> bool {
        let b = Builder::common::<ScanTiles>(&Geometry::PTX);
        body(&b);
        waits_for_blocks(&b.finish())
    }

    #[test]
    fn what_a_loop_reads_anew_may_be_waited_for() {
        fn is_set(b: &Builder) -> Pred<'_> {
            b.buffer("data").load_ordered(b.u32(0), Order::Relaxed).is(1)
        }
        assert!(waits_in(|b| b.loop_(|| b.break_if(is_set(b)))));
        assert!(waits_in(|b| b.loop_(|| b.if_(b.bool(true), || b.break_if(is_set(b))))));
        assert!(!waits_in(|b| b.return_if(is_set(b))));
        fn adds(b: &Builder) -> Pred<'_> {
            b.buffer("data").atomic(AtomicOp::Add, b.u32(0), b.u32(1), Order::Relaxed).is(0)
        }
        assert!(waits_in(|b| b.loop_(|| b.break_if(adds(b)))));
        assert!(!waits_in(|b| b.return_if(adds(b))));
    }

    #[test]
    fn what_nobody_else_writes_is_not_waited_for() {
        let once = |b: &Builder, body: &dyn Fn()| {
            b.loop_(|| {
                body();
                b.break_if(b.bool(true));
            });
        };
        assert!(!waits_in(|b| once(b, &|| {
            b.buffer("data").atomic(AtomicOp::Add, b.u32(0), b.u32(1), Order::Relaxed);
        })));
        assert!(!waits_in(|b| {
            let shared = b.shared(1);
            once(b, &|| b.return_if(shared.atomic(AtomicOp::Add, b.u32(0), b.u32(1)).is(0)));
        }));
        assert!(!waits_in(|b| once(b, &|| b.return_if(b.buffer("data").word(b.u32(0)).is(0)))));
    }

    #[test]
    fn only_the_sweep_of_the_sort_waits() {
        let kernels = common_kernels(&Geometry::PTX);
        let names: Vec<&str> = kernels.iter().filter(|k| waits_for_blocks(k)).map(|k| k.desc.name).collect();
        assert_eq!(names, ["radix_scatter_first", "radix_scatter_odd", "radix_scatter"]);
    }
}
