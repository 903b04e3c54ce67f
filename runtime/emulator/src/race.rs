//! Happens-before between threads, and accesses that nothing orders.
//!
//! Every 32-bit word of memory has a shadow: the last writes and reads, each with its thread, that thread's
//! clock and its block's count of barriers. Two accesses by different threads, at least one a write and not
//! both strong, must be ordered by barriers, by a release and an acquire of the same location (or fences
//! around relaxed accesses), or, between operations of streams, by stream order, events or the host. What a
//! launch reads with `.nc` it may not write at all. Shadows keep a bounded number of accesses, so a race may
//! go unseen where very many threads read a word, but what is reported is unordered.

use super::clock::{Actor, Clocks};
use super::error::{FaultKind, Space};
use super::program::{Lanes32, Order, Scope};
use curvesmith_device::{Result, RuntimeError};
use rustc_hash::FxHashMap;

/// Accesses of a kind kept for a word.
const KEPT: usize = 16;
/// Copies, fills and reuses kept.
const KEPT_COPIES: usize = 4096;

/// An access in a shadow.
#[derive(Clone, Debug)]
struct Stamp {
    stream: usize,
    position: u64,
    actor: Actor,
    barriers: u32,
    clock: u32,
    /// Bytes of the word.
    bytes: u8,
    /// Scope of a strong access.
    strong: Option<Scope>,
    line: u32,
    /// Store instruction and value written, to let lanes of one instruction write the same.
    store: (u64, u32),
}

#[derive(Clone, Debug, Default)]
struct Word {
    writes: Vec<Stamp>,
    reads: Vec<Stamp>,
    /// The last write, and the last read that is not coherent with writes of its launch.
    written: Option<Mark>,
    non_coherent: Option<Mark>,
}

/// A launch that did something to a word, and the line at which it did.
#[derive(Clone, Copy, Debug)]
struct Mark {
    stream: usize,
    position: u64,
    line: u32,
}

/// An operation on a byte range that is no kernel.
#[derive(Clone, Copy, Debug)]
struct Copied {
    /// What it is called.
    call: &'static str,
    /// A download only reads.
    write: bool,
    start: u64,
    end: u64,
    stream: usize,
    position: u64,
}

/// One access to check.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) actor: Actor,
    pub(super) space: Space,
    pub(super) address: u64,
    pub(super) bytes: u32,
    pub(super) order: Order,
    pub(super) scope: Scope,
    /// A read that writes of the launch do not reach.
    pub(super) non_coherent: bool,
    pub(super) line: u32,
}

/// Shadow memory and clocks of a device.
#[derive(Debug, Default)]
pub(super) struct RaceState {
    global: FxHashMap<u64, Word>,
    /// By block and address; of the running launch.
    shared: FxHashMap<(u32, u64), Word>,
    clocks: Clocks,
    /// The running operation and, per stream, what is ordered before it.
    stream: usize,
    position: u64,
    before: Vec<u64>,
    copies: Vec<Copied>,
    /// Copies that are not ordered before the running operation.
    unordered: Vec<Copied>,
    stores: u64,
}

/// The words of `[start, end)`, or those of them that have a shadow, whichever are fewer.
fn words(shadow: &FxHashMap<u64, Word>, start: u64, end: u64) -> Box<dyn Iterator<Item = u64> + '_> {
    let first = start & !3;
    if (end - first) / 4 < shadow.len() as u64 {
        return Box::new((first..end).step_by(4));
    }
    Box::new(shadow.keys().copied().filter(move |a| (first..end).contains(a)))
}

fn known(clock: &[u64], stream: usize, position: u64) -> bool {
    clock.get(stream).is_some_and(|&p| p >= position)
}

impl RaceState {
    /// An operation starts, with everything in `clock` before it.
    pub(super) fn begin(&mut self, stream: usize, position: u64, clock: &[u64]) {
        self.stream = stream;
        self.position = position;
        self.before = clock.to_vec();
        self.shared.clear();
        self.clocks = Clocks::default();
        self.unordered =
            self.copies.iter().filter(|c| !known(clock, c.stream, c.position)).copied().collect();
    }

    /// The running operation is a copy, a fill or a reuse of `[address, address + bytes)`.
    pub(super) fn host(&mut self, call: &'static str, write: bool, address: u64, bytes: u64) -> Result<()> {
        if bytes == 0 {
            return Ok(());
        }
        let (start, end) = (address, address + bytes);
        let unordered = |stream, position| !known(&self.before, stream, position);
        let conflict = |word: &Word| {
            let reads = if write { word.reads.as_slice() } else { &[] };
            word.writes.iter().chain(reads).any(|s| unordered(s.stream, s.position))
        };
        let found =
            words(&self.global, start, end).filter(|a| self.global.get(a).is_some_and(conflict)).min();
        let copied = self
            .copies
            .iter()
            .any(|c| c.start < end && start < c.end && (write || c.write) && unordered(c.stream, c.position));
        if found.is_some() || copied {
            let at = found.unwrap_or(address);
            let reason =
                format!("race at {at:#x}: another stream's work on it is not ordered with this {call}");
            return Err(RuntimeError::Device { call, reason });
        }
        // As for kernels, what this access covers need not be kept.
        let (stream, position) = (self.stream, self.position);
        let before = &self.before;
        self.copies.retain(|c| {
            let inside = start <= c.start && c.end <= end;
            !(inside && (write || !c.write) && known(before, c.stream, c.position))
        });
        if self.copies.len() >= KEPT_COPIES {
            self.copies.remove(0);
        }
        self.copies.push(Copied { call, write, start, end, stream, position });
        Ok(())
    }

    /// Drops what kernels did to `[address, address + bytes)`: the memory is freed, or an access to all
    /// of it that is ordered after them has been noted.
    pub(super) fn forget(&mut self, address: u64, bytes: u64) {
        let found: Vec<u64> = words(&self.global, address, address + bytes).collect();
        for word in found {
            self.global.remove(&word);
        }
    }

    /// All given threads of a block pass a barrier; `all` if the block has no others.
    pub(super) fn barrier(&mut self, block: u32, threads: &[u32], all: bool) {
        self.clocks.barrier(block, threads, all);
    }

    /// Lanes of a warp synchronise in the groups that their masks say.
    pub(super) fn warp_sync(&mut self, block: u32, warp: u32, executing: u32, masks: &Lanes32) {
        let mut rest = executing;
        while rest != 0 {
            let mask = masks[rest.trailing_zeros() as usize];
            let group: Vec<u32> =
                (0..32).filter(|&l| executing >> l & 1 != 0 && masks[l as usize] == mask).collect();
            for l in &group {
                rest &= !(1 << l);
            }
            let threads: Vec<u32> = group.iter().map(|l| warp * 32 + l).collect();
            self.clocks.barrier(block, &threads, false);
        }
    }

    /// A fence of one thread.
    pub(super) fn fence(&mut self, actor: Actor, scope: Scope) {
        self.clocks.fence(actor, scope);
    }

    /// A store instruction starts: its lanes may write the same value to one place.
    pub(super) fn store_begins(&mut self) {
        self.stores += 1;
    }

    /// Checks a load of one thread.
    pub(super) fn load(&mut self, t: Touch) -> std::result::Result<(), FaultKind> {
        self.touch(t, true, false, None)?;
        if t.order != Order::Weak {
            self.clocks.read(t.actor, location(&t), t.order, t.scope);
        }
        Ok(())
    }

    /// Checks a store of one thread; `value` holds its words.
    pub(super) fn store(&mut self, t: Touch, value: [u32; 8]) -> std::result::Result<(), FaultKind> {
        self.touch(t, false, true, Some(value))?;
        self.clocks.write(t.actor, location(&t), t.order, t.scope, false);
        Ok(())
    }

    /// Checks an atomic of one thread.
    pub(super) fn atomic(&mut self, t: Touch) -> std::result::Result<(), FaultKind> {
        self.touch(t, true, true, None)?;
        self.clocks.read(t.actor, location(&t), t.order, t.scope);
        self.clocks.write(t.actor, location(&t), t.order, t.scope, true);
        Ok(())
    }

    fn touch(
        &mut self,
        t: Touch,
        read: bool,
        write: bool,
        value: Option<[u32; 8]>,
    ) -> std::result::Result<(), FaultKind> {
        if t.space == Space::Local {
            return Ok(());
        }
        let access = if write { "write" } else { "read" };
        let end = t.address + u64::from(t.bytes);
        if t.space == Space::Global
            && let Some(c) =
                self.unordered.iter().find(|c| c.start < end && t.address < c.end && (write || c.write))
        {
            let other = format!("unordered {} on stream {}", c.call, c.stream);
            return Err(FaultKind::Race { space: t.space, address: t.address, access, other });
        }
        let strong = (t.order != Order::Weak || (read && write)).then_some(t.scope);
        let (clock, barriers) = self.clocks.now(t.actor);
        for (i, word) in (t.address & !3..end).step_by(4).enumerate() {
            let from = t.address.max(word) - word;
            let bytes = (0xfu8 << from) & (0xf >> (4 - (end - word).min(4)));
            let stamp = Stamp {
                stream: self.stream,
                position: self.position,
                actor: t.actor,
                barriers,
                clock,
                bytes,
                strong,
                line: t.line,
                store: value.map_or((0, 0), |v| (self.stores, v[i.min(7)])),
            };
            let (clocks, before) = (&self.clocks, &self.before);
            let ordered = |s: &Stamp| {
                if (s.stream, s.position) != (stamp.stream, stamp.position) {
                    known(before, s.stream, s.position)
                } else {
                    clocks.ordered(s.actor, s.clock, s.barriers, t.actor)
                }
            };
            let compatible = |s: &Stamp| {
                s.bytes & bytes == 0
                    || both_strong(s, &stamp)
                    || (s.store.0 != 0 && s.store == stamp.store)
                    || ordered(s)
            };
            let shadow = match t.space {
                Space::Shared => self.shared.entry((t.actor.block, word)).or_default(),
                _ => self.global.entry(word).or_default(),
            };
            let mark = Mark { stream: self.stream, position: self.position, line: t.line };
            shadow.marks(word, mark, write, t.non_coherent)?;
            let reads = if write { shadow.reads.as_slice() } else { &[] };
            let bad = shadow
                .writes
                .iter()
                .find(|s| !compatible(s))
                .map(|s| ("write", s))
                .or_else(|| reads.iter().find(|s| !compatible(s)).map(|s| ("read", s)));
            if let Some((kind, s)) = bad {
                let other = if (s.stream, s.position) == (self.stream, self.position) {
                    let Actor { block, thread } = s.actor;
                    format!("unordered {kind} by block {block}, thread {thread} at line {}", s.line)
                } else {
                    format!("unordered {kind} by a kernel on stream {}", s.stream)
                };
                return Err(FaultKind::Race { space: t.space, address: word, access, other });
            }
            // What is ordered before this access need not be kept: whatever is unordered with it is
            // unordered with this access too, unless that is exempt for being strong.
            let covered = |s: &Stamp| {
                s.bytes & !bytes == 0 && (stamp.strong.is_none() || s.strong.is_some()) && ordered(s)
            };
            if write {
                shadow.reads.retain(|s| !covered(s));
                shadow.writes.retain(|s| !covered(s));
                keep(&mut shadow.writes, stamp);
            } else {
                shadow.reads.retain(|s| !covered(s));
                keep(&mut shadow.reads, stamp);
            }
        }
        Ok(())
    }
}

impl Word {
    /// Notes an access of a launch: it may not both write the word and read it non-coherently.
    fn marks(
        &mut self,
        address: u64,
        mark: Mark,
        write: bool,
        non_coherent: bool,
    ) -> std::result::Result<(), FaultKind> {
        let same = |m: &Mark| (m.stream, m.position) == (mark.stream, mark.position);
        if write && let Some(read) = self.non_coherent.filter(same) {
            let other = format!("reads with .nc, at line {}", read.line);
            return Err(FaultKind::NonCoherent { address, access: "write", other });
        }
        if non_coherent && let Some(written) = self.written.filter(same) {
            let other = format!("writes, at line {}", written.line);
            return Err(FaultKind::NonCoherent { address, access: "non-coherent read", other });
        }
        if write {
            self.written = Some(mark);
        }
        if non_coherent {
            self.non_coherent = Some(mark);
        }
        Ok(())
    }
}

fn keep(list: &mut Vec<Stamp>, stamp: Stamp) {
    if list.len() >= KEPT {
        list.remove(0);
    }
    list.push(stamp);
}

/// Strong accesses whose scopes include each other's threads do not race.
fn both_strong(a: &Stamp, b: &Stamp) -> bool {
    let Some((x, y)) = a.strong.zip(b.strong) else { return false };
    let same_launch = (a.stream, a.position) == (b.stream, b.position);
    (x == Scope::Gpu && y == Scope::Gpu) || (same_launch && a.actor.block == b.actor.block)
}

/// The synchronisation location of an access: shared memory is named by its block.
fn location(t: &Touch) -> (Option<u32>, u64) {
    ((t.space == Space::Shared).then_some(t.actor.block), t.address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shadows_are_forgotten() {
        for words in [1, 64] {
            let mut race = RaceState::default();
            race.begin(0, 1, &[1]);
            for word in 0..64 {
                let actor = Actor { block: 0, thread: 0 };
                let (space, order, scope) = (Space::Global, Order::Weak, Scope::Gpu);
                let address = 256 + 4 * word;
                let t = Touch { actor, space, address, bytes: 4, order, scope, non_coherent: false, line: 1 };
                race.store(t, [0; 8]).unwrap();
            }
            race.forget(256, 4 * words);
            assert_eq!(race.global.len() as u64, 64 - words);
            assert!(race.global.keys().all(|&a| a >= 256 + 4 * words));
        }
    }
}
