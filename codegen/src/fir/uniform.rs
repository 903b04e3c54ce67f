//! Which values are the same in all threads of a block, and whether all threads of a block come to a
//! statement together.
//!
//! A conservative analysis by the rules of WGSL (W3C, *WebGPU Shading Language*, "Uniformity analysis"),
//! which a browser applies to barriers:
//! * constants, parameters and the block's place are uniform, and what is computed of uniform values; threads
//!   and lanes are not;
//! * what is loaded at a uniform index is uniform in a buffer that nobody writes. So it is in shared words,
//!   which an emitter then writes as `workgroupUniformLoad`. Anything else that comes from memory, or from
//!   another lane, is not;
//! * nothing is uniform that is computed, or set, where flow is not;
//! * flow is not uniform in the arms of a branch on what is not, nor behind it where an arm ends the thread
//!   or leaves a loop. Threads come together again behind a loop that ends no thread.

use super::ir::*;
use curvesmith_abi::{Access, ParamKind};
use std::collections::BTreeMap;

/// What is known of a kernel.
#[derive(Clone, Debug)]
pub struct Uniformity {
    values: ValueMap<bool>,
    divergent: BTreeMap<usize, Meeting>,
}

/// A statement that threads must come to together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meeting {
    /// All threads of the block wait for each other.
    Barrier,
    /// The lanes of a warp do.
    SyncWarp,
    /// Lanes exchange words or elements, or vote.
    Exchange,
}

impl Meeting {
    fn of(stmt: &Stmt) -> Option<Meeting> {
        match stmt {
            Stmt::Barrier => Some(Meeting::Barrier),
            Stmt::SyncWarp { .. } => Some(Meeting::SyncWarp),
            Stmt::Shuffle { .. } | Stmt::Ballot { .. } | Stmt::MatchAny { .. } => Some(Meeting::Exchange),
            _ => None,
        }
    }
}

impl Uniformity {
    /// Whether all threads of a block that compute a value have the same one, and all threads compute it.
    pub fn is_uniform(&self, v: Value) -> bool {
        self.values[v]
    }

    /// The statements that threads must come to together, and by this analysis may not, in the order of the
    /// kernel's text.
    pub fn divergent(&self) -> impl Iterator<Item = Meeting> + '_ {
        self.divergent.values().copied()
    }
}

/// The uniform values and the divergent flow of a valid kernel.
pub fn analyze_uniformity(kernel: &Kernel) -> Uniformity {
    let state = State { flow: true, locals: vec![true; kernel.locals.len()] };
    let values = ValueMap::filled(kernel, true);
    let mut walk = Walk { kernel, values, divergent: BTreeMap::new(), number: 0 };
    walk.block(&kernel.body, state, &mut Exits::default());
    Uniformity { values: walk.values, divergent: walk.divergent }
}

/// At a place in the text: what is uniform among the threads that come there.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    /// Whether all threads do.
    flow: bool,
    locals: Vec<bool>,
}

impl State {
    fn meet(mut self, other: &State) -> State {
        self.flow &= other.flow;
        self.locals.iter_mut().zip(&other.locals).for_each(|(own, other)| *own &= other);
        self
    }
}

/// `None` is where no thread comes.
fn meet(a: Option<State>, b: Option<State>) -> Option<State> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.meet(&b)),
        (a, b) => a.or(b),
    }
}

/// How threads leave a block otherwise than at its end.
#[derive(Clone, Debug, Default)]
struct Exits {
    /// The innermost loop, by a break.
    breaks: Option<State>,
    /// The kernel.
    returns: bool,
}

struct Walk<'a> {
    kernel: &'a Kernel,
    /// Never true again once it was false: loops are walked until nothing changes.
    values: ValueMap<bool>,
    divergent: BTreeMap<usize, Meeting>,
    /// Of the next statement in the text.
    number: usize,
}

impl Walk<'_> {
    /// The state at the end of a block.
    fn block(&mut self, block: &Block, mut state: State, exits: &mut Exits) -> Option<State> {
        for stmt in block {
            self.number += 1;
            if let Some(meeting) = Meeting::of(stmt).filter(|_| !state.flow) {
                self.divergent.insert(self.number, meeting);
            }
            match stmt {
                Stmt::Let(v) => {
                    let is_uniform = state.flow && self.op(*v, &state);
                    self.values[*v] &= is_uniform;
                }
                Stmt::Set(local, v) => state.locals[local.0 as usize] = state.flow && self.values[*v],
                Stmt::If { cond, then, otherwise } => {
                    state = self.branch(*cond, [then, otherwise], state, exits)?
                }
                Stmt::Loop(body) => state = self.repeat(body, state, exits)?,
                Stmt::Break => {
                    exits.breaks = meet(exits.breaks.take(), Some(state));
                    return None;
                }
                Stmt::Return => {
                    exits.returns = true;
                    return None;
                }
                other => {
                    let is_uniform = state.flow && self.gives_uniform(other);
                    other.results().into_iter().for_each(|v| self.values[v] &= is_uniform);
                }
            }
        }
        Some(state)
    }

    fn branch(&mut self, cond: Value, arms: [&Block; 2], state: State, exits: &mut Exits) -> Option<State> {
        let inside = State { flow: state.flow && self.values[cond], ..state.clone() };
        let [then, otherwise] = arms.map(|arm| self.block(arm, inside.clone(), exits));
        let mut after = meet(then, otherwise)?;
        // Threads that all come to the end of an arm are together again.
        if !arms.into_iter().any(leaves) {
            after.flow = state.flow;
        }
        Some(after)
    }

    fn repeat(&mut self, body: &Block, before: State, exits: &mut Exits) -> Option<State> {
        let (first, mut start) = (self.number, before.clone());
        loop {
            let mut inside = Exits::default();
            self.number = first;
            let end = self.block(body, start.clone(), &mut inside);
            let again = meet(end, Some(start.clone())).unwrap_or_else(|| start.clone());
            if again != start {
                start = again;
                continue;
            }
            exits.returns |= inside.returns;
            let mut after = inside.breaks?;
            if !inside.returns {
                after.flow = before.flow;
            }
            return Some(after);
        }
    }

    fn op(&self, v: Value, state: &State) -> bool {
        match &self.kernel[v] {
            Op::Special(Special::Thread | Special::Lane) | Op::Result(_) => false,
            Op::Get(local) => state.locals[local.0 as usize],
            op => op.args().into_iter().all(|a| self.values[a]),
        }
    }

    /// Whether a statement's results are uniform where flow is.
    fn gives_uniform(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Load { place, .. } => {
                let is_constant = match place {
                    Place::Global { buffer, .. } | Place::Part { buffer, .. } => {
                        let kind = self.kernel.desc.params[buffer.0 as usize].kind;
                        matches!(kind, ParamKind::Buffer(Access::In, _))
                    }
                    // Elements decide about no flow, and such a load costs barriers.
                    Place::Shared { array, .. } => self.kernel.shared[array.0 as usize].holds == Holds::Words,
                };
                is_constant && place.values().into_iter().all(|v| self.values[v])
            }
            Stmt::Call { args, .. } => args.iter().all(|v| self.values[*v]),
            _ => false,
        }
    }
}

/// Whether a thread may leave a block otherwise than at its end.
fn leaves(block: &Block) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Break | Stmt::Return => true,
        // Breaks within are the loop's own.
        Stmt::Loop(body) => returns(body),
        other => other.blocks().into_iter().any(leaves),
    })
}

fn returns(block: &Block) -> bool {
    block.iter().any(|stmt| matches!(stmt, Stmt::Return) || stmt.blocks().into_iter().any(returns))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::build::{Builder, FULL_MASK, Handle, Pred, U32, Var};
    use crate::kernels::common_kernels;
    use curvesmith_abi::Geometry;
    use curvesmith_abi::kernels::ScanAdd;

    /// A kernel with a buffer that is written, `data`, one that is not, `offsets`, and a scalar.
    fn kernel(body: impl FnOnce(&Builder)) -> Kernel {
        let b = Builder::common::<ScanAdd>(&Geometry::PTX);
        body(&b);
        let kernel = b.finish();
        assert_eq!(crate::fir::verify::verify(&kernel), Ok(()));
        kernel
    }

    fn divergent(body: impl FnOnce(&Builder)) -> Vec<Meeting> {
        analyze_uniformity(&kernel(body)).divergent().collect()
    }

    const NONE: [Meeting; 0] = [];
    const BARRIER: [Meeting; 1] = [Meeting::Barrier];

    fn differs(b: &Builder) -> Pred<'_> {
        b.thread().is(1)
    }

    fn agrees(b: &Builder) -> Pred<'_> {
        b.scalar("n").is(1)
    }

    #[test]
    fn values_are_what_their_operands_are() {
        fn is_uniform(value: impl for<'k> FnOnce(&'k Builder) -> U32<'k>) -> bool {
            let mut id = None;
            let kernel = kernel(|b| id = Some(value(b).id()));
            analyze_uniformity(&kernel).is_uniform(id.unwrap())
        }
        assert!(is_uniform(|b| b.scalar("n") * b.block_index() + 1));
        assert!(is_uniform(|b| b.buffer("offsets").word(b.block_index())));
        assert!(is_uniform(|b| b.shared(4).word(b.u32(3))));
        assert!(is_uniform(|b| agrees(b).select(b.u32(1), b.u32(2))));
        assert!(!is_uniform(|b| b.scalar("n") + b.thread()));
        assert!(!is_uniform(|b| b.lane()));
        assert!(!is_uniform(|b| differs(b).select(b.u32(1), b.u32(2))));
        // Who knows who wrote there last.
        assert!(!is_uniform(|b| b.buffer("data").word(b.u32(0))));
        assert!(!is_uniform(|b| b.buffer("data").load_ordered(b.u32(0), Order::Relaxed)));
        assert!(!is_uniform(|b| b.buffer("offsets").word(b.thread())));
        assert!(!is_uniform(|b| b.shared(4).word(b.thread())));
        assert!(!is_uniform(|b| b.shared(4).atomic(AtomicOp::Add, b.u32(0), b.u32(1))));
        // Of a warp at most.
        assert!(!is_uniform(|b| b.ballot(agrees(b), b.u32(FULL_MASK))));
        assert!(!is_uniform(|b| b.shuffle(ShuffleMode::Index, b.u32(7), b.u32(0), b.u32(FULL_MASK))));
    }

    #[test]
    fn locals_are_what_is_set_and_where() {
        /// A barrier under what a local has after these statements.
        fn under(set: impl for<'k> FnOnce(&'k Builder, Var<'k, U32<'k>>)) -> Vec<Meeting> {
            divergent(|b| {
                let local = b.var(b.u32(0));
                set(b, local);
                b.if_(local.get().is(0), || b.barrier());
            })
        }
        assert_eq!(under(|b, local| local.set(b.scalar("n"))), NONE);
        assert_eq!(under(|b, local| b.if_(agrees(b), || local.set(b.u32(1)))), NONE);
        assert_eq!(under(|b, local| local.set(b.thread())), BARRIER);
        assert_eq!(under(|b, local| b.if_(differs(b), || local.set(b.u32(1)))), BARRIER);
        assert_eq!(under(|b, local| b.if_(agrees(b), || local.set(b.thread()))), BARRIER);
        // Rounds that all threads go through, and rounds of each thread's own number.
        assert_eq!(under(|b, local| b.for_(b.u32(0), b.scalar("n"), 1, |i| local.set(i))), NONE);
        assert_eq!(under(|b, local| b.for_(b.u32(0), b.thread(), 1, |i| local.set(i))), BARRIER);
        assert_eq!(
            under(|b, local| {
                b.for_(b.u32(0), b.scalar("n"), 1, |_| {
                    b.if_(local.get().is(7), || b.barrier());
                    local.set(b.thread());
                });
                local.set(b.u32(0));
            }),
            BARRIER
        );
    }

    #[test]
    fn branches_part_threads_and_their_ends_join_them() {
        assert_eq!(divergent(|b| b.if_(agrees(b), || b.barrier())), NONE);
        assert_eq!(divergent(|b| b.if_(differs(b), || b.barrier())), BARRIER);
        let after = |body: &dyn Fn(&Builder)| {
            divergent(|b| {
                body(b);
                b.barrier();
            })
        };
        assert_eq!(after(&|b| b.if_(differs(b), || b.buffer("data").set_word(b.thread(), b.u32(1)))), NONE);
        assert_eq!(after(&|b| b.return_if(agrees(b))), NONE);
        assert_eq!(after(&|b| b.return_if(differs(b))), BARRIER);
        assert_eq!(after(&|b| b.if_(agrees(b), || b.return_if(differs(b)))), BARRIER);
        // A loop whose rounds differ ends for all, unless it ends threads.
        assert_eq!(after(&|b| b.loop_(|| b.break_if(differs(b)))), NONE);
        let may_return = |b: &Builder| {
            b.loop_(|| {
                b.return_if(differs(b));
                b.break_if(agrees(b));
            });
        };
        assert_eq!(after(&may_return), BARRIER);
    }

    #[test]
    fn rounds_that_differ_have_no_meetings() {
        let in_loop = |cond: fn(&Builder) -> Pred<'_>| {
            divergent(|b| {
                b.loop_(|| {
                    // Before the threads part, but not in the next round.
                    b.barrier();
                    b.break_if(cond(b));
                });
            })
        };
        assert_eq!(in_loop(agrees), NONE);
        assert_eq!(in_loop(differs), BARRIER);
        let twice = divergent(|b| {
            b.loop_(|| {
                b.break_if(differs(b));
                b.loop_(|| {
                    b.sync_warp(b.u32(FULL_MASK));
                    b.break_if(agrees(b));
                });
            });
        });
        assert_eq!(twice, [Meeting::SyncWarp]);
    }

    /// What the sort decides on by a word that one thread writes is known to all, by a uniform load of it.
    #[test]
    fn words_for_all_threads_are_uniform() {
        let kernels = common_kernels(&Geometry::PTX);
        let sort = kernels.iter().find(|kernel| kernel.desc.name == "radix_scatter").unwrap();
        assert_eq!(analyze_uniformity(sort).divergent().count(), 0);
        let mut without = sort.clone();
        // The ticket is read by each thread at a place of its own.
        let thread = without.push(Op::Special(Special::Thread));
        let Some(Stmt::Load { place: Place::Shared { index, .. }, .. }) = without
            .body
            .iter_mut()
            .find(|stmt| matches!(stmt, Stmt::Load { place: Place::Shared { .. }, .. }))
        else {
            panic!("the ticket is the first shared word that is read")
        };
        *index = thread;
        without.body.insert(0, Stmt::Let(thread));
        assert!(analyze_uniformity(&without).divergent().count() > 10);
    }
}
