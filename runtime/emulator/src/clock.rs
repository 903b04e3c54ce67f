//! Vector clocks of the threads of a launch.
//!
//! A thread knows, of other blocks and its own, how many barriers' worth of accesses come before it,
//! and of single threads up to which clock. Threads that synchronise share one set of facts.

use super::program::{Order, Scope};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A thread of the running launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Actor {
    pub(super) block: u32,
    pub(super) thread: u32,
}

/// What is ordered before a thread's next access.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// All accesses of a block made before it passed this many barriers.
    blocks: FxHashMap<u32, u32>,
    /// All accesses of a thread up to this clock.
    threads: FxHashMap<Actor, u32>,
}

impl Facts {
    fn join(&mut self, other: &Facts) {
        for (&b, &n) in &other.blocks {
            let e = self.blocks.entry(b).or_default();
            *e = (*e).max(n);
        }
        for (&a, &n) in &other.threads {
            let e = self.threads.entry(a).or_default();
            *e = (*e).max(n);
        }
    }
}

/// Facts that a write or fence publishes.
#[derive(Clone, Debug)]
struct Published {
    block: u32,
    scope: Scope,
    facts: Arc<Facts>,
}

impl Published {
    fn reaches(&self, block: u32, scope: Scope) -> bool {
        self.block == block || (self.scope == Scope::Gpu && scope == Scope::Gpu)
    }
}

#[derive(Clone, Debug, Default)]
struct Thread {
    facts: Arc<Facts>,
    clock: u32,
    /// What the last fence published.
    fence: Option<Published>,
    /// Read by relaxed accesses, to be known after the next fence.
    pending: Vec<Published>,
}

/// Clocks of all threads that did anything.
#[derive(Debug, Default)]
pub(super) struct Clocks {
    threads: FxHashMap<Actor, Thread>,
    barriers: FxHashMap<u32, u32>,
    /// What acquiring from a location gives.
    locations: FxHashMap<(Option<u32>, u64), Vec<Published>>,
}

impl Clocks {
    /// Clock of a thread and barriers passed by its block.
    pub(super) fn now(&self, actor: Actor) -> (u32, u32) {
        let clock = self.threads.get(&actor).map_or(0, |t| t.clock);
        (clock, self.barriers.get(&actor.block).copied().unwrap_or(0))
    }

    /// Whether an access of `earlier` at its `clock` and `barriers` is before the next one of `actor`.
    pub(super) fn ordered(&self, earlier: Actor, clock: u32, barriers: u32, actor: Actor) -> bool {
        if earlier == actor {
            return true;
        }
        let Some(t) = self.threads.get(&actor) else { return false };
        t.facts.blocks.get(&earlier.block).is_some_and(|&n| barriers < n)
            || t.facts.threads.get(&earlier).is_some_and(|&c| clock <= c)
    }

    /// The given threads wait for each other. If they are the whole block, one number says it.
    pub(super) fn barrier(&mut self, block: u32, threads: &[u32], all: bool) {
        let mut merged = Facts::default();
        let mut last: Option<*const Facts> = None;
        for &thread in threads {
            let t = self.threads.entry(Actor { block, thread }).or_default();
            // Threads that met before share their facts: joining them once is enough.
            if last != Some(Arc::as_ptr(&t.facts)) {
                merged.join(&t.facts);
            }
            last = Some(Arc::as_ptr(&t.facts));
        }
        if all {
            let n = self.barriers.entry(block).or_default();
            *n += 1;
            merged.blocks.insert(block, *n);
            merged.threads.retain(|a, _| a.block != block);
        } else {
            for &thread in threads {
                let actor = Actor { block, thread };
                merged.threads.insert(actor, self.now(actor).0);
            }
        }
        let merged = Arc::new(merged);
        for &thread in threads {
            if let Some(t) = self.threads.get_mut(&Actor { block, thread }) {
                t.facts = merged.clone();
                t.clock += 1;
            }
        }
    }

    fn publish(&mut self, actor: Actor, scope: Scope) -> Published {
        let t = self.threads.entry(actor).or_default();
        let mut facts = Facts::clone(&t.facts);
        facts.threads.insert(actor, t.clock);
        t.clock += 1;
        Published { block: actor.block, scope, facts: Arc::new(facts) }
    }

    fn learn(&mut self, actor: Actor, scope: Scope, from: &[Published]) {
        let t = self.threads.entry(actor).or_default();
        for p in from.iter().filter(|p| p.reaches(actor.block, scope)) {
            Arc::make_mut(&mut t.facts).join(&p.facts);
        }
    }

    /// A fence: makes earlier relaxed reads acquire and later relaxed writes release.
    pub(super) fn fence(&mut self, actor: Actor, scope: Scope) {
        let pending = std::mem::take(&mut self.threads.entry(actor).or_default().pending);
        self.learn(actor, scope, &pending);
        let published = self.publish(actor, scope);
        self.threads.entry(actor).or_default().fence = Some(published);
    }

    /// A strong read.
    pub(super) fn read(&mut self, actor: Actor, location: (Option<u32>, u64), order: Order, scope: Scope) {
        let Some(found) = self.locations.get(&location).cloned() else { return };
        if matches!(order, Order::Acquire | Order::AcqRel) {
            self.learn(actor, scope, &found);
            return;
        }
        let t = self.threads.entry(actor).or_default();
        for p in found.into_iter().filter(|p| p.reaches(actor.block, scope)) {
            if !t.pending.iter().any(|q| Arc::ptr_eq(&p.facts, &q.facts)) {
                t.pending.push(p);
            }
        }
    }

    /// A write; `continues` for an atomic, which passes on what its location held.
    pub(super) fn write(
        &mut self,
        actor: Actor,
        location: (Option<u32>, u64),
        order: Order,
        scope: Scope,
        continues: bool,
    ) {
        let published = match order {
            Order::Release | Order::AcqRel => Some(self.publish(actor, scope)),
            Order::Weak => None,
            Order::Relaxed | Order::Acquire => {
                let fence = self.threads.get(&actor).and_then(|t| t.fence.clone());
                fence.map(|f| Published { scope: if scope == Scope::Cta { scope } else { f.scope }, ..f })
            }
        };
        if !continues {
            if published.is_none() {
                self.locations.remove(&location);
                return;
            }
            self.locations.insert(location, Vec::new());
        }
        if let Some(p) = published {
            let list = self.locations.entry(location).or_default();
            // Facts only grow: a thread's newer publication replaces its older one.
            list.retain(|q| !Arc::ptr_eq(&p.facts, &q.facts));
            list.push(p);
        }
    }
}
