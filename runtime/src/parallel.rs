//! Loops and pairs over all threads, compiled once and not for every closure: a parallel loop is some
//! thousand lines of code, and as many for each type and closure it is instantiated with.
//!
//! Public for the prover; programs take `rayon`.

use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Least number of elements for which a second thread is worth its start (about 10 µs
/// against 20 to 40 ns an element).
pub(crate) const MIN_LEN: usize = 1024;

/// `value` of `0..len`, on all threads.
#[allow(unsafe_code, reason = "rayon's own way of it is some thousand lines of code for every type")]
pub(crate) fn collect<T: Send>(len: usize, value: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut values = Vec::with_capacity(len);
    chunks(&mut values.spare_capacity_mut()[..len], MIN_LEN, &|part, places| {
        for (i, place) in (part * MIN_LEN..).zip(places) {
            place.write(value(i));
        }
    });
    // SAFETY: the first `len` places are those of the parts, and each part has returned after it wrote to all
    // of its own. Where one panicked, `chunks` panics, and the vector is dropped empty.
    unsafe { values.set_len(len) };
    values
}

/// Does `condition` hold for all of `0..len`?
pub(crate) fn all(len: usize, condition: &(dyn Fn(usize) -> bool + Sync)) -> bool {
    (0..len).into_par_iter().with_min_len(MIN_LEN).all(condition)
}

/// The first of `0..len` for which `condition` holds.
pub fn first(len: usize, condition: &(dyn Fn(usize) -> bool + Sync)) -> Option<usize> {
    (0..len).into_par_iter().find_first(|&i| condition(i))
}

/// Runs tasks `0..count`, each of which is worth a thread.
pub fn each(count: usize, task: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_max_len(1).for_each(task);
}

/// As [`each`], and the error of the first task that failed. Later tasks may not have run then.
pub fn try_each<E: Send>(count: usize, task: &(dyn Fn(usize) -> Result<(), E> + Sync)) -> Result<(), E> {
    let failed: Mutex<Option<(usize, E)>> = Mutex::new(None);
    let is_later = |i| locked(&failed).as_ref().is_some_and(|(first, _)| *first < i);
    each(count, &|i| {
        if is_later(i) {
            return;
        }
        if let Err(error) = task(i) {
            let mut failed = locked(&failed);
            if failed.as_ref().is_none_or(|(first, _)| i < *first) {
                *failed = Some((i, error));
            }
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}

/// Runs a task on every part of `len` values, the last of which may be shorter, with its number. Returns the
/// error of the first part that failed.
///
/// # Panics
/// If `len` is 0.
#[allow(clippy::type_complexity, reason = "a closure's type, said once")]
pub fn try_chunks<T: Send, E: Send>(
    values: &mut [T],
    len: usize,
    task: &(dyn Fn(usize, &mut [T]) -> Result<(), E> + Sync),
) -> Result<(), E> {
    let parts: Vec<Mutex<&mut [T]>> = values.chunks_mut(len).map(Mutex::new).collect();
    try_each(parts.len(), &|i| task(i, &mut locked(&parts[i])))
}

/// As [`try_chunks`], for tasks that cannot fail.
pub fn chunks<T: Send>(values: &mut [T], len: usize, task: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let parts: Vec<Mutex<&mut [T]>> = values.chunks_mut(len).map(Mutex::new).collect();
    each(parts.len(), &|i| task(i, &mut locked(&parts[i])));
}

/// Both results, each computed on a thread of its own where one is free.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut a, mut b) = (Deferred::Call(a), Deferred::Call(b));
    run_both(&mut || a.run(), &mut || b.run());
    (a.value(), b.value())
}

fn run_both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

/// A call, then its value.
enum Deferred<F, T> {
    Call(F),
    Running,
    Value(T),
}

impl<T, F: FnOnce() -> T> Deferred<F, T> {
    fn run(&mut self) {
        if let Deferred::Call(call) = std::mem::replace(self, Deferred::Running) {
            *self = Deferred::Value(call());
        }
    }

    fn value(self) -> T {
        match self {
            Deferred::Value(value) => value,
            // `rayon::join` calls both, or panics as one of them did.
            Deferred::Call(_) | Deferred::Running => unreachable!("both calls have returned"),
        }
    }
}

/// A lock that no other thread ever wants for long; after a panic its values are dropped with the panic.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_each_seen_once_with_their_numbers() {
        for (count, len) in [(0, 3), (1, 3), (3, 3), (10_000, 7)] {
            let mut values = vec![0_usize; count];
            chunks(&mut values, len, &|part, values| {
                values.iter_mut().enumerate().for_each(|(i, value)| *value += part * len + i);
            });
            assert!(values.into_iter().eq(0..count), "{count} values in parts of {len}");
        }
    }

    #[test]
    fn values_are_collected_in_order() {
        for len in [0, 1, MIN_LEN, 3 * MIN_LEN + 1] {
            assert!(
                collect(len, &|i| i.to_string()).into_iter().eq((0..len).map(|i| i.to_string())),
                "{len}"
            );
        }
        let panics = || collect(2 * MIN_LEN, &|i| if i == 5 { panic!("five") } else { vec![i] });
        assert!(std::panic::catch_unwind(panics).is_err());
    }

    #[test]
    fn the_first_error_is_returned() {
        for _ in 0..20 {
            let fails = |i: usize| if i % 10 == 7 { Err(i) } else { Ok(()) };
            assert_eq!(try_each(1000, &fails), Err(7));
            let mut values = [0; 1000];
            assert_eq!(try_chunks(&mut values, 10, &|part, _| fails(part)), Err(7));
            assert_eq!(try_chunks(&mut values[..70], 10, &|part, _| fails(part)), Ok(()));
        }
    }

    #[test]
    fn both_values_arrive() {
        assert_eq!(join(|| 1, || join(|| "two".to_owned(), || 3)), (1, ("two".to_owned(), 3)));
    }
}
