//! Several images, or checks, at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads at most: rustc runs other crates beside this one.
const THREADS: usize = 4;

/// `f` of every item, in the items' order, on as many threads as there are cores.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = cores.min(THREADS).min(items.len());
    if threads < 2 {
        return items.iter().map(f).collect();
    }
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<R>>> = items.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((item, slot)) = take(&next, items, &results) {
                    let result = f(item);
                    *slot.lock().expect("each slot is locked once") = Some(result);
                }
            });
        }
    });
    let result = |slot: Mutex<Option<R>>| {
        slot.into_inner().expect("no lock outlives the threads").expect("every item was taken")
    };
    results.into_iter().map(result).collect()
}

fn take<'a, T, S>(next: &AtomicUsize, items: &'a [T], slots: &'a [S]) -> Option<(&'a T, &'a S)> {
    let i = next.fetch_add(1, Ordering::Relaxed);
    items.get(i).zip(slots.get(i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_their_order() {
        for n in [0usize, 1, 2, 57] {
            let items: Vec<usize> = (0..n).collect();
            assert_eq!(map(&items, |i| i * i), items.iter().map(|i| i * i).collect::<Vec<_>>());
        }
    }
}
