//! How a copy is shared out among cores: chunks, who makes them, and who hands them to the driver.

use super::ring::{LARGE, Slot};
use super::transfer::Fill;
use crate::error::Result;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Least bytes of a chunk: copying fewer takes less time than starting another core.
const LEAST: usize = 256 << 10;
/// Bytes that are made at once on their way into a slot: they do not leave the first cache before.
const PIECE: usize = 16 << 10;

/// The chunks of `len` elements of `each` bytes on their way to the device. They grow by rounds of one chunk
/// a core: the bus begins as soon as a short one is there, and has enough to do until longer ones are.
pub(super) fn growing(len: usize, each: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let (mut bytes, mut start) = (LEAST, 0);
    while start < len {
        for _ in 0..rayon::current_num_threads() {
            let end = len.min(start + (bytes / each).max(1));
            if start < end {
                chunks.push(start..end);
            }
            start = end;
        }
        bytes = (2 * bytes).min(LARGE);
    }
    chunks
}

/// As [`growing`], on the way back: little is left for the cores to do when the bus is done.
pub(super) fn shrinking(len: usize, each: usize) -> Vec<Range<usize>> {
    growing(len, each).into_iter().rev().map(|chunk| len - chunk.end..len - chunk.start).collect()
}

/// Bytes on their way into a slot, wiped when they are there: they may be secret.
struct Piece(Vec<u8>);

impl Drop for Piece {
    fn drop(&mut self) {
        self.0.fill(0);
        // Somebody could look: the stores stay.
        std::hint::black_box(&self.0);
    }
}

/// Fills a slot with the elements of a range that is not empty, of `each` bytes.
pub(super) fn fill_slot(slot: &mut Slot, range: &Range<usize>, each: usize, fill: &Fill<'_>) -> Result<()> {
    let per_piece = (PIECE / each).clamp(1, range.len());
    let mut piece = Piece(vec![0; per_piece * each]);
    for start in range.clone().step_by(per_piece) {
        let end = range.end.min(start + per_piece);
        let bytes = &mut piece.0[..(end - start) * each];
        fill(start..end, bytes);
        slot.write((start - range.start) * each, bytes)?;
    }
    Ok(())
}

/// Calls `work` for each number below `count`, in this order, from this thread and those of the pool, up to
/// the first failure, which is the result. This thread begins at once: others take a tenth of a millisecond
/// to wake up.
pub(crate) fn on_all_cores(count: usize, work: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure = Mutex::new(None);
    let run = || {
        while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < count) {
            if let Err(error) = work(i) {
                next.store(count, Ordering::Relaxed);
                failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
        }
    };
    rayon::in_place_scope(|scope| {
        for _ in 1..count.min(rayon::current_num_threads()) {
            scope.spawn(|_| run());
        }
        run();
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Work that many threads have and one at a time does: whoever comes while another is at it leaves its own to
/// that one. The driver lets one thread in at a time, and those that queue up there hold it up.
pub(super) struct OneByOne<T>(Mutex<Waiting<T>>);

struct Waiting<T> {
    items: VecDeque<T>,
    /// Whether a thread is at it.
    busy: bool,
}

impl<T> OneByOne<T> {
    pub(super) fn new() -> Self {
        OneByOne(Mutex::new(Waiting { items: VecDeque::new(), busy: false }))
    }

    /// Does the work on an item and on those that come meanwhile, or leaves it to the thread that is at it;
    /// the first failure of what this thread did.
    pub(super) fn add(&self, item: T, work: impl Fn(T) -> Result<()>) -> Result<()> {
        {
            let mut waiting = self.lock();
            waiting.items.push_back(item);
            if std::mem::replace(&mut waiting.busy, true) {
                return Ok(());
            }
        }
        let mut outcome = Ok(());
        while let Some(item) = self.next() {
            outcome = outcome.and(work(item));
        }
        outcome
    }

    /// The next item; without one nobody is at it any more.
    fn next(&self) -> Option<T> {
        let mut waiting = self.lock();
        let item = waiting.items.pop_front();
        waiting.busy = item.is_some();
        item
    }

    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::RuntimeError;

    #[test]
    fn chunks_cover_a_vector_in_order() {
        for (len, each) in
            [(0, 4), (1, 4), (77, 32), (1 << 21, 4), (5 << 20, 32), (100_003, 768), (3, 8 << 20)]
        {
            for chunks in [growing(len, each), shrinking(len, each)] {
                let mut end = 0;
                for chunk in &chunks {
                    assert!(chunk.start == end && chunk.start < chunk.end, "{chunk:?} after {end}");
                    assert!(chunk.len() == 1 || chunk.len() * each <= LARGE, "{chunk:?} of {each} bytes");
                    end = chunk.end;
                }
                assert_eq!(end, len);
            }
            let lengths = |chunks: Vec<Range<usize>>| chunks.iter().map(Range::len).collect::<Vec<_>>();
            let (up, mut down) = (lengths(growing(len, each)), lengths(shrinking(len, each)));
            down.reverse();
            assert_eq!(up, down);
        }
        let long = growing(64 << 20, 1);
        assert_eq!((long[0].len(), long[long.len() / 2].len()), (LEAST, LARGE));
    }

    #[test]
    fn each_item_is_done_once_by_one_thread_at_a_time() {
        let (all, inside, sum) = (OneByOne::new(), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let (all, inside, sum) = (&all, &inside, &sum);
                scope.spawn(move || {
                    for i in 0..1000 {
                        let add = |item| {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            sum.fetch_add(item, Ordering::SeqCst);
                            std::thread::yield_now();
                            inside.fetch_sub(1, Ordering::SeqCst);
                            Ok(())
                        };
                        all.add(1000 * thread + i, add).unwrap();
                    }
                });
            }
        });
        assert_eq!(sum.into_inner(), 3999 * 4000 / 2);
    }

    #[test]
    fn after_a_failure_the_rest_is_done_and_the_first_error_told() {
        let all = OneByOne::new();
        let done = Mutex::new(vec![]);
        let fail = |call| Err(RuntimeError::Device { call, reason: String::new() });
        let work = |item: &'static str| {
            done.lock().unwrap().push(item);
            match item {
                // Comes while this thread is at it, so that this thread does it, too.
                "first" => all.add("second", |_| panic!("another one is at it")).and(fail("first")),
                _ => fail(item),
            }
        };
        let error = all.add("first", work).unwrap_err();
        assert!(matches!(error, RuntimeError::Device { call: "first", .. }), "{error}");
        assert_eq!(*done.lock().unwrap(), ["first", "second"]);
        all.add("third", |_| Ok(())).unwrap();
    }
}
