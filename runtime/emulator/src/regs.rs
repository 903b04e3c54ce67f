//! Virtual registers to few slots, by liveness.
//!
//! A register's interval covers every point where it is live, in code order; registers with disjoint
//! intervals share a slot. Writes touch active lanes only, so liveness per thread is enough: a slot
//! may hold one register in some lanes and another in the rest.

use super::cfg::Blocks;
use super::program::{CONSTANT, File, Function, Inst, SINK, Slots};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Renames the registers of `f` to slots; `count` virtual registers exist per file.
pub(super) fn compact(f: &mut Function, count: Slots) {
    let blocks = Blocks::new(&f.code);
    let r32 = rename(f, &blocks, File::R32, count.r32);
    let r64 = rename(f, &blocks, File::R64, count.r64);
    let pred = rename(f, &blocks, File::Pred, count.pred);
    f.slots = Slots { r32, r64, pred };
}

/// Where a register is live: uses of instruction `i` stand at `2i + 2`, definitions at `2i + 3`.
#[derive(Clone, Copy)]
struct Interval {
    start: usize,
    end: usize,
}

impl Interval {
    fn cover(&mut self, at: usize) {
        self.start = self.start.min(at);
        self.end = self.end.max(at);
    }
}

/// One use or definition: instruction, whether it is a definition, register.
type Event = (usize, bool, u32);

fn events(f: &mut Function, file: File) -> Vec<Event> {
    let mut out = Vec::new();
    for (i, d) in f.code.iter_mut().enumerate() {
        let guarded = d.guard != SINK;
        if guarded && file == File::Pred && d.guard & CONSTANT == 0 {
            out.push((i, false, d.guard));
        }
        let mut defs = Vec::new();
        d.inst.registers(|fi, def, r| {
            if fi == file && *r & CONSTANT == 0 {
                if def {
                    defs.push(*r);
                } else {
                    out.push((i, false, *r));
                }
            }
        });
        for r in defs {
            // A guarded definition keeps the old value where the guard is false.
            if guarded {
                out.push((i, false, r));
            }
            out.push((i, true, r));
        }
        if file == File::R32 && matches!(d.inst, Inst::Ret) {
            out.extend(f.result_words.iter().map(|&r| (i, false, r)));
        }
    }
    out
}

fn rename(f: &mut Function, blocks: &Blocks, file: File, count: usize) -> usize {
    let events = events(f, file);
    let none = Interval { start: usize::MAX, end: 0 };
    let mut intervals = vec![none; count];
    for &(i, def, r) in &events {
        intervals[r as usize].cover(2 * i + 2 + usize::from(def));
    }
    if file == File::R32 {
        for &r in &f.param_words {
            intervals[r as usize].cover(0);
        }
    }
    extend_over_blocks(blocks, &events, &mut intervals);

    let mut order: Vec<u32> =
        (0..count as u32).filter(|&r| intervals[r as usize].start != usize::MAX).collect();
    order.sort_by_key(|&r| (intervals[r as usize].start, r));
    let mut slot_of = vec![0u32; count];
    let mut busy = BinaryHeap::new();
    let mut free = BinaryHeap::new();
    let mut slots = 0u32;
    for r in order {
        let Interval { start, end } = intervals[r as usize];
        while let Some(&Reverse((e, s))) = busy.peek()
            && e < start
        {
            busy.pop();
            free.push(Reverse(s));
        }
        let slot = free.pop().map_or_else(
            || {
                slots += 1;
                slots - 1
            },
            |Reverse(s)| s,
        );
        slot_of[r as usize] = slot;
        busy.push(Reverse((end, slot)));
    }
    let map = |r: &mut u32| {
        if *r & CONSTANT == 0 {
            *r = slot_of[*r as usize];
        }
    };
    for d in &mut f.code {
        if file == File::Pred {
            map(&mut d.guard);
        }
        d.inst.registers(|fi, _, r| {
            if fi == file {
                map(r);
            }
        });
    }
    if file == File::R32 {
        f.param_words.iter_mut().for_each(map);
        f.result_words.iter_mut().for_each(map);
    }
    slots as usize
}

/// Extends intervals over the blocks through which their registers live.
fn extend_over_blocks(blocks: &Blocks, events: &[Event], intervals: &mut [Interval]) {
    // Only registers read before they are written in some block can live across blocks.
    let mut dense = vec![u32::MAX; intervals.len()];
    let mut across = Vec::new();
    let mut written = vec![usize::MAX; intervals.len()];
    let ranges: Vec<_> = (0..blocks.count()).map(|b| blocks.range(b)).collect();
    let mut at = 0;
    let mut spans = Vec::with_capacity(ranges.len());
    for (b, range) in ranges.iter().enumerate() {
        let from = at;
        while at < events.len() && events[at].0 < range.end {
            let (_, def, r) = events[at];
            if def {
                written[r as usize] = b;
            } else if written[r as usize] != b && dense[r as usize] == u32::MAX {
                dense[r as usize] = across.len() as u32;
                across.push(r);
            }
            at += 1;
        }
        spans.push(from..at);
    }
    let words = across.len().div_ceil(64);
    let mut uses = vec![vec![0u64; words]; ranges.len()];
    let mut kills = vec![vec![0u64; words]; ranges.len()];
    for (b, span) in spans.iter().enumerate() {
        for &(_, def, r) in &events[span.clone()] {
            let k = dense[r as usize];
            if k == u32::MAX {
                continue;
            }
            let (w, bit) = (k as usize / 64, 1u64 << (k % 64));
            if def {
                kills[b][w] |= bit;
            } else if kills[b][w] & bit == 0 {
                uses[b][w] |= bit;
            }
        }
    }
    let mut live_in = uses.clone();
    let mut live_out = vec![vec![0u64; words]; ranges.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..ranges.len()).rev() {
            for s in blocks.successors[b].iter().flatten() {
                for w in 0..words {
                    live_out[b][w] |= live_in[*s][w];
                }
            }
            for w in 0..words {
                let new = uses[b][w] | (live_out[b][w] & !kills[b][w]);
                changed |= new != live_in[b][w];
                live_in[b][w] = new;
            }
        }
    }
    for (b, range) in ranges.iter().enumerate() {
        for (k, &r) in across.iter().enumerate() {
            let (w, bit) = (k / 64, 1u64 << (k % 64));
            if live_in[b][w] & bit != 0 {
                intervals[r as usize].cover(2 * range.start + 1);
            }
            if live_out[b][w] & bit != 0 {
                intervals[r as usize].cover(2 * range.end + 1);
            }
        }
    }
}
