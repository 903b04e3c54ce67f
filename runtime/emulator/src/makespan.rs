//! How long a launch takes on a device, by a model: whether the work is shared out evenly, without a GPU.
//!
//! A multiprocessor has four schedulers, and holds some blocks at a time; a block's warps go to the schedulers in turn, and the next
//! block to the multiprocessor where one ends first. A scheduler serves its warps alike: `k` of them advance at a `k`-th of its
//! rate each, a single one at no more than the rate of a warp that has nobody to wait for it. Memory has no limits here, barriers cost nothing,
//! and instructions have the prices of PTX, which are not those of machine code: times of the same kernel may be compared, and what a
//! launch takes with what its work would take if all schedulers had the same.

use super::counts::{OpClass, OpCounts};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Schedulers of a multiprocessor.
const SCHEDULERS: usize = 4;
/// How many times longer a warp takes alone on its scheduler than in company: 1.5 for chains of products on an H200.
const LONELY: f64 = 1.5;

/// Tenths of a cycle of a scheduler that an instruction of a class takes: products and what stands beside them as measured on an H200, the
/// rest by rates of its units.
fn price(class: OpClass) -> u64 {
    match class {
        OpClass::MulWide | OpClass::MulHi => 40,
        OpClass::MulLo => 20,
        OpClass::Add | OpClass::Logic | OpClass::Select => 9,
        OpClass::Move => 5,
        OpClass::Divide => 300,
        OpClass::LoadGlobal | OpClass::StoreGlobal | OpClass::LoadShared | OpClass::StoreShared => 40,
        OpClass::Local | OpClass::Exchange => 40,
        OpClass::Atomic => 80,
        OpClass::Sync | OpClass::Control => 20,
        OpClass::Uncounted => 0,
    }
}

/// Cycles of a scheduler for what a warp executed.
pub(super) fn cycles(counts: &OpCounts) -> u64 {
    OpClass::ALL.iter().map(|class| counts.warp(*class) * price(*class)).sum::<u64>() / 10
}

/// A device as the model sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Machine {
    /// At least 1.
    pub(super) multiprocessors: u32,
    /// Blocks that one of them holds, at least 1.
    pub(super) blocks: u32,
}

/// A time or an amount of work.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cycles(f64);

impl Eq for Cycles {}

impl Ord for Cycles {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Cycles {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Warps that share a scheduler. All are served alike, so that they end in the order of what they had been served at their begin and
/// have to be served.
#[derive(Debug, Default)]
struct Scheduler {
    /// What each warp that was there from the begin would have been served.
    served: f64,
    now: f64,
    /// What `served` is at the end of each warp, and its block.
    ends: BinaryHeap<Reverse<(Cycles, usize)>>,
    /// Changes of the above, by which it is known what was foretold before.
    changes: u64,
}

impl Scheduler {
    fn rate(&self) -> f64 {
        1.0 / LONELY.max(self.ends.len() as f64)
    }

    fn advance(&mut self, now: f64) {
        self.served += (now - self.now) * self.rate();
        self.now = now;
        self.changes += 1;
    }

    /// When the next warp ends, if nothing else comes.
    fn next_end(&self) -> Option<f64> {
        let Reverse((end, _)) = self.ends.peek()?;
        Some(self.now + (end.0 - self.served).max(0.0) / self.rate())
    }
}

impl Machine {
    /// Cycles from the first warp's begin to the last one's end, for blocks of warps that take so many cycles each.
    pub(super) fn makespan(self, blocks: &[Vec<u64>]) -> u64 {
        let multiprocessors = self.multiprocessors.max(1) as usize;
        let mut schedulers: Vec<Scheduler> = Vec::new();
        schedulers.resize_with(multiprocessors * SCHEDULERS, Scheduler::default);
        // Warps that a block still has, and the multiprocessor that holds it.
        let mut held: Vec<(usize, usize)> = Vec::with_capacity(blocks.len());
        let mut foretold: BinaryHeap<Reverse<(Cycles, usize, u64)>> = BinaryHeap::new();
        let mut now = 0.0_f64;

        let begin = |place: usize, now: f64, schedulers: &mut [Scheduler], held: &mut Vec<_>| {
            let block = held.len();
            let Some(warps) = blocks.get(block) else { return };
            held.push((warps.len(), place));
            for (i, work) in warps.iter().enumerate() {
                // Blocks do not all begin at the first scheduler.
                let scheduler =
                    &mut schedulers[place * SCHEDULERS + (i + block / multiprocessors) % SCHEDULERS];
                scheduler.advance(now);
                scheduler.ends.push(Reverse((Cycles(scheduler.served + *work as f64), block)));
            }
        };
        for i in 0..multiprocessors * self.blocks.max(1) as usize {
            begin(i % multiprocessors, now, &mut schedulers, &mut held);
        }
        let foretell = |number: usize, scheduler: &Scheduler| {
            let end = scheduler.next_end()?;
            Some(Reverse((Cycles(end), number, scheduler.changes)))
        };
        foretold.extend(schedulers.iter().enumerate().filter_map(|(i, scheduler)| foretell(i, scheduler)));
        while let Some(Reverse((time, number, changes))) = foretold.pop() {
            if schedulers[number].changes != changes {
                continue;
            }
            now = time.0;
            let scheduler = &mut schedulers[number];
            scheduler.advance(now);
            let Some(Reverse((_, block))) = scheduler.ends.pop() else { continue };
            let (warps, place) = &mut held[block];
            *warps -= 1;
            let (ended, place) = (*warps == 0, *place);
            if ended {
                begin(place, now, &mut schedulers, &mut held);
            }
            let of_place = place * SCHEDULERS..(place + 1) * SCHEDULERS;
            foretold.extend(of_place.filter_map(|i| foretell(i, &schedulers[i])));
        }
        now.ceil() as u64
    }

    /// Cycles that the same work would take if every scheduler had the same, and always somebody to serve.
    pub(super) fn least(self, blocks: &[Vec<u64>]) -> u64 {
        let all: u64 = blocks.iter().flatten().sum();
        all.div_ceil(u64::from(self.multiprocessors.max(1)) * SCHEDULERS as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::Random;

    /// The same by small steps of time: `steps` a cycle.
    fn by_steps(machine: Machine, blocks: &[Vec<u64>], steps: u32) -> f64 {
        let multiprocessors = machine.multiprocessors as usize;
        // Block, scheduler, what is left.
        let mut warps: Vec<(usize, usize, f64)> = vec![];
        let (mut next, mut time) = (0, 0.0);
        loop {
            for place in (0..machine.blocks).flat_map(|_| 0..multiprocessors) {
                let mut held: Vec<usize> = warps.iter().filter(|w| w.1 / 4 == place).map(|w| w.0).collect();
                held.dedup();
                held.sort_unstable();
                held.dedup();
                if held.len() < machine.blocks as usize && next < blocks.len() {
                    let of_block = |(i, work): (usize, &u64)| {
                        (next, place * 4 + (i + next / multiprocessors) % 4, *work as f64)
                    };
                    warps.extend(blocks[next].iter().enumerate().map(of_block));
                    next += 1;
                }
            }
            if warps.is_empty() {
                return time;
            }
            let beside = |scheduler| warps.iter().filter(|w| w.1 == scheduler).count() as f64;
            let rates: Vec<f64> = warps.iter().map(|w| 1.0 / beside(w.1).max(LONELY)).collect();
            for (warp, rate) in warps.iter_mut().zip(rates) {
                warp.2 -= rate / f64::from(steps);
            }
            time += 1.0 / f64::from(steps);
            warps.retain(|w| w.2 > 1e-9);
        }
    }

    #[test]
    fn events_and_small_steps_agree() {
        let mut random = Random::new(7);
        for round in 0..40 {
            let machine = Machine { multiprocessors: 1 + round % 3, blocks: 1 + round % 4 };
            let blocks: Vec<Vec<u64>> = (0..random.below(12))
                .map(|_| (0..1 + random.below(6)).map(|_| 1 + random.below(60) as u64).collect())
                .collect();
            let (events, steps) = (machine.makespan(&blocks) as f64, by_steps(machine, &blocks, 100));
            assert!(
                (events - steps).abs() < 2.0 + 0.02 * steps,
                "{blocks:?} on {machine:?}: {events} {steps}"
            );
            assert!(machine.least(&blocks) as f64 <= events + 1.0, "{blocks:?} on {machine:?}");
        }
    }

    #[test]
    fn even_work_takes_the_least_and_one_long_warp_what_it_takes_alone() {
        let machine = Machine { multiprocessors: 3, blocks: 2 };
        let even = vec![vec![100; 8]; 60];
        assert_eq!((machine.makespan(&even), machine.least(&even)), (4000, 4000));
        let long = vec![vec![10, 10, 10, 9000]];
        assert_eq!(machine.makespan(&long), 13_500);
        assert_eq!(machine.makespan(&[]), 0);
    }
}
