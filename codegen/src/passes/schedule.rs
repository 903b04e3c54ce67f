//! Orders the operations of straight-line code so that few words are live at once.
//!
//! An assembler orders instructions within a basic block again, but not across the calls of a kernel that is
//! too large to be inlined, and what it keeps in registers depends on where it started. A run of operations
//! without effects between them is ordered by register pressure, from its end (list scheduling); where
//! results go to memory as they are made, also from its start. A new order is taken only where its peak is
//! lower than that of the order as written.

use super::info::KernelInfo;
use super::locals::{rereadable, set_early};
use crate::fir::ir::{Block, Kernel, Op, Stmt, Value};
use crate::targets::Machine;
use std::collections::{BTreeMap, BTreeSet};

/// Puts every run of operations into the order of least pressure.
pub fn schedule<T: Machine>(kernel: &mut Kernel, info: &KernelInfo<T>) {
    let in_memory = T::in_memory(kernel);
    let free = rereadable(kernel, &in_memory);
    let body = std::mem::take(&mut kernel.body);
    let mut scheduler = Scheduler {
        kernel,
        info,
        in_memory: &in_memory,
        free: &free,
        uses: vec![0; kernel.values().count()],
        home: vec![0; kernel.values().count()],
        loops: 0,
    };
    scheduler.survey(&body, 0);
    scheduler.loops = 0;
    let body = scheduler.block(body, 0);
    kernel.body = body;
    set_early(kernel, &in_memory);
}

struct Scheduler<'a, T: Machine> {
    kernel: &'a Kernel,
    info: &'a KernelInfo<T>,
    /// By local.
    in_memory: &'a [bool],
    /// By value, what takes no registers from one use to the next.
    free: &'a [bool],
    /// How often each value is read.
    uses: Vec<u32>,
    /// The loop that each value is defined in, 0 outside of loops.
    home: Vec<u32>,
    /// Loops entered so far.
    loops: u32,
}

/// Operations that stay together: one, or several products and what takes them apart.
struct Node {
    values: Vec<Value>,
    /// What it reads and does not make itself.
    reads: BTreeSet<Value>,
    /// Words live within it, results and what it reads included.
    words: u32,
}

impl<T: Machine> Scheduler<'_, T> {
    /// Counts the uses and notes the loops.
    fn survey(&mut self, block: &Block, home: u32) {
        for stmt in block {
            for v in stmt.results() {
                self.home[v.0 as usize] = home;
            }
            let reads = if let Stmt::Let(v) = stmt { self.kernel[*v].args() } else { stmt.uses() };
            match stmt {
                // It goes to memory where it is made.
                Stmt::Set(local, _) if self.in_memory[local.0 as usize] => {}
                _ => reads.iter().for_each(|v| self.uses[v.0 as usize] += 1),
            }
            match stmt {
                Stmt::If { then, otherwise, .. } => {
                    self.survey(then, home);
                    self.survey(otherwise, home);
                }
                Stmt::Loop(body) => {
                    self.loops += 1;
                    self.survey(body, self.loops);
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, block: Block, home: u32) -> Block {
        let (mut out, mut run) = (Block::new(), vec![]);
        for stmt in block {
            let stmt = match stmt {
                Stmt::Let(v) => {
                    run.push(v);
                    continue;
                }
                Stmt::If { cond, then, otherwise } => {
                    let (then, otherwise) = (self.block(then, home), self.block(otherwise, home));
                    Stmt::If { cond, then, otherwise }
                }
                Stmt::Loop(body) => {
                    self.loops += 1;
                    Stmt::Loop(self.block(body, self.loops))
                }
                stmt => stmt,
            };
            out.extend(self.ordered(std::mem::take(&mut run), home));
            out.push(stmt);
        }
        out.extend(self.ordered(run, home));
        out
    }

    /// Registers that a value takes. Constants are immediates, several products are counted by their parts.
    fn words(&self, v: Value) -> u32 {
        match (&self.kernel[v], self.kernel.ty(v)) {
            (Op::Const(_) | Op::U32(_) | Op::U64(_) | Op::Param(_), _) => 0,
            _ if self.free[v.0 as usize] => 0,
            (_, ty) => T::registers(self.kernel, ty),
        }
    }

    fn sum<'v>(&self, values: impl IntoIterator<Item = &'v Value>) -> u32 {
        values.into_iter().map(|v| self.words(*v)).sum()
    }

    fn ordered(&self, run: Vec<Value>, home: u32) -> Vec<Stmt> {
        let nodes = self.nodes(&run);
        let written: Vec<usize> = (0..nodes.len()).collect();
        let after = self.live_after(&run, home);
        let mut orders = vec![written, self.backwards(&nodes, after.clone())];
        if self.in_memory.contains(&true) {
            orders.push(self.forwards(&nodes, &after));
        }
        // The first of the best.
        let order = orders.into_iter().min_by_key(|order| self.peak(&nodes, order, after.clone()));
        let order = order.expect("there are two");
        order.into_iter().flat_map(|at| nodes[at].values.iter().map(|v| Stmt::Let(*v))).collect()
    }

    fn nodes(&self, run: &[Value]) -> Vec<Node> {
        let mut nodes: Vec<Node> = vec![];
        for &v in run {
            let reads: BTreeSet<Value> = self.kernel[v].args().into_iter().collect();
            if let Op::Part(whole, _) = self.kernel[v]
                && let Some(node) = nodes.iter_mut().find(|node| node.values[0] == whole)
            {
                node.values.push(v);
                continue;
            }
            let inside = self.info.choice(v).map_or(0, |choice| T::pressure(choice.program()));
            let words = inside.max(self.sum(&reads)).max(self.words(v));
            nodes.push(Node { values: vec![v], reads, words });
        }
        nodes
    }

    /// What is live where the run ends, of its own values and of those it reads.
    fn live_after(&self, run: &[Value], home: u32) -> BTreeSet<Value> {
        let mut within: BTreeMap<Value, u32> = run.iter().map(|v| (*v, 0)).collect();
        for v in run.iter().flat_map(|v| self.kernel[*v].args()) {
            *within.entry(v).or_default() += 1;
        }
        let stays = |&(v, n): &(Value, u32)| self.uses[v.0 as usize] > n || self.home[v.0 as usize] != home;
        within.into_iter().filter(stays).map(|(v, _)| v).collect()
    }

    /// Which nodes make what a node reads.
    fn makers(nodes: &[Node]) -> Vec<BTreeSet<usize>> {
        let mut maker = BTreeMap::new();
        for (at, node) in nodes.iter().enumerate() {
            maker.extend(node.values.iter().map(|v| (*v, at)));
        }
        nodes.iter().map(|node| node.reads.iter().filter_map(|v| maker.get(v).copied()).collect()).collect()
    }

    /// Of the nodes that can come next, always the one after which the fewest words are live.
    fn forwards(&self, nodes: &[Node], after: &BTreeSet<Value>) -> Vec<usize> {
        let makers = Self::makers(nodes);
        let mut readers: BTreeMap<Value, usize> = BTreeMap::new();
        nodes.iter().flat_map(|node| &node.reads).for_each(|v| *readers.entry(*v).or_default() += 1);
        let mut waits: Vec<usize> = makers.iter().map(BTreeSet::len).collect();
        let mut ready: BTreeSet<usize> = (0..nodes.len()).filter(|at| waits[*at] == 0).collect();
        let mut order = vec![];
        let grows = |at: &usize, readers: &BTreeMap<Value, usize>| {
            let node = &nodes[*at];
            let read_later = |v: &&Value| readers.get(v).is_some_and(|n| *n > 0) || after.contains(v);
            let last = node.reads.iter().filter(|v| readers[v] == 1 && !after.contains(v));
            i64::from(self.sum(node.values.iter().filter(read_later))) - i64::from(self.sum(last))
        };
        while let Some(at) = ready.iter().min_by_key(|at| grows(at, &readers)).copied() {
            ready.remove(&at);
            order.push(at);
            for v in &nodes[at].reads {
                readers.entry(*v).and_modify(|n| *n -= 1);
            }
            for (user, _) in makers.iter().enumerate().filter(|(_, makers)| makers.contains(&at)) {
                waits[user] -= 1;
                if waits[user] == 0 {
                    ready.insert(user);
                }
            }
        }
        order
    }

    /// Of the nodes whose users are all placed, always the one before which the fewest words are live.
    fn backwards(&self, nodes: &[Node], mut live: BTreeSet<Value>) -> Vec<usize> {
        let makers = Self::makers(nodes);
        let mut users = vec![0; nodes.len()];
        makers.iter().flatten().for_each(|at| users[*at] += 1);
        let mut ready: BTreeSet<usize> = (0..nodes.len()).filter(|at| users[*at] == 0).collect();
        let mut order = vec![];
        let grows = |at: &usize, live: &BTreeSet<Value>| {
            let node = &nodes[*at];
            let new = node.reads.iter().filter(|v| !live.contains(v));
            let made = node.values.iter().filter(|v| live.contains(v));
            i64::from(self.sum(new)) - i64::from(self.sum(made))
        };
        while let Some(at) = ready.iter().rev().min_by_key(|at| grows(at, &live)).copied() {
            ready.remove(&at);
            order.push(at);
            nodes[at].values.iter().for_each(|v| {
                live.remove(v);
            });
            live.extend(&nodes[at].reads);
            for made in &makers[at] {
                users[*made] -= 1;
                if users[*made] == 0 {
                    ready.insert(*made);
                }
            }
        }
        order.reverse();
        order
    }

    /// The most words that are live at once.
    fn peak(&self, nodes: &[Node], order: &[usize], mut live: BTreeSet<Value>) -> u32 {
        let mut peak = self.sum(&live);
        for node in order.iter().rev().map(|at| &nodes[*at]) {
            node.values.iter().for_each(|v| {
                live.remove(v);
            });
            let through = live.iter().filter(|v| !node.reads.contains(v));
            peak = peak.max(self.sum(through) + node.words.max(self.sum(&node.values)));
            live.extend(&node.reads);
        }
        peak
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::declaration::FieldDesc;
    use crate::fir::build::{Builder, Fe};
    use crate::fir::interp::{Argument, from_words, launch, to_words};
    use crate::fir::ir::Type;
    use crate::fir::verify::verify;
    use crate::passes::{place_reductions, simplify};
    use crate::targets::ptx::Ptx;
    use curvesmith_abi::Geometry;
    use curvesmith_abi::kernels::FieldMulSub;
    use num_bigint::BigUint;

    const TERMS: usize = 10;

    /// All the terms first, then their sum: as written every term is live at once.
    fn wasteful(field: &FieldDesc) -> Kernel {
        let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, field);
        let i = b.global_index();
        b.return_if(i.ge(b.scalar("n")));
        let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
        let (out, rounds) = (b.var(z), b.u32(3));
        b.for_(b.u32(0), rounds, 1, |_| {
            let terms: Vec<Fe<'_>> = (0..TERMS)
                .scan(out.get(), |power, _| {
                    *power = *power * x;
                    Some(*power - y)
                })
                .collect();
            out.set(terms.into_iter().reduce(|sum, term| sum * term + sum).expect("there are terms"));
        });
        b.buffer("out").set_field(i, out.get());
        b.finish()
    }

    fn placed(field: &FieldDesc) -> (Kernel, KernelInfo<Ptx>) {
        place_reductions(&simplify(&wasteful(field)), &[]).expect("the kernel is valid")
    }

    /// The most field values that are live at once in the longest run, found by first and last mention.
    fn live(kernel: &Kernel) -> usize {
        fn longest(block: &Block) -> Vec<Value> {
            let mut runs = vec![vec![]];
            for stmt in block {
                match stmt {
                    Stmt::Let(v) => runs.last_mut().expect("never empty").push(*v),
                    Stmt::Loop(body) => runs.push(longest(body)),
                    Stmt::If { then, otherwise, .. } => {
                        runs.extend([longest(then), longest(otherwise), vec![]])
                    }
                    _ => runs.push(vec![]),
                }
            }
            runs.into_iter().max_by_key(Vec::len).unwrap_or_default()
        }
        let run = longest(&kernel.body);
        let fields = || run.iter().enumerate().filter(|(_, v)| kernel.ty(**v) == Type::Field);
        let last = |v: &Value| run.iter().rposition(|user| kernel[*user].args().contains(v));
        let held = |at: usize| {
            fields().filter(|(made, v)| *made < at && last(v).is_some_and(|used| used >= at)).count()
        };
        (0..run.len()).map(held).max().unwrap_or(0)
    }

    fn results(kernel: &Kernel, field: &FieldDesc) -> Vec<BigUint> {
        let input = |seed: u32| to_words(field, &(0..4u32).map(|i| (seed + i).into()).collect::<Vec<_>>());
        let mut args = vec![
            Argument::Buffer(input(2)),
            Argument::Buffer(input(5)),
            Argument::Buffer(input(7)),
            Argument::Buffer(input(0)),
            Argument::U32(4),
        ];
        launch(kernel, 1, &mut args).expect("the kernel runs");
        let Argument::Buffer(out) = &args[3] else { panic!("a buffer") };
        from_words(field, out)
    }

    #[test]
    fn fewer_words_are_live_and_nothing_else_changes() {
        let field = FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001_u64.into());
        let (written, info) = placed(&field);
        let mut scheduled = written.clone();
        schedule(&mut scheduled, &info);
        assert_eq!(verify(&scheduled), Ok(()));
        assert_eq!(results(&scheduled, &field), results(&written, &field));
        let (before, after) = (live(&written), live(&scheduled));
        assert!(before >= TERMS && after <= TERMS / 2, "{before} values live, then {after}");
    }

    #[test]
    fn a_good_order_is_left_alone() {
        let field = FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001_u64.into());
        let (mut kernel, info) = placed(&field);
        schedule(&mut kernel, &info);
        let once = kernel.clone();
        schedule(&mut kernel, &info);
        assert_eq!(kernel, once);
    }
}
