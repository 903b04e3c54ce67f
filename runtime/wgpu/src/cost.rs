//! How long launches will take, by how long they took.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Seconds of work in a submission. A system resets a GPU whose submission takes longer than some
/// seconds (2 on Windows; macOS ends those of background programs earlier), and draws nothing meanwhile.
pub(crate) const SUBMISSION_SECONDS: f64 = 0.3;

/// Seconds that a launch takes beside its threads.
const LAUNCH_SECONDS: f64 = 10e-6;

/// Seconds of a thread before anything is known: slow, so that an unknown kernel is submitted and measured
/// soon.
const UNKNOWN: f64 = 1e-6;

/// Seconds that a thread of a kernel takes, all threads counted, by the last submission with it; 0 before.
#[derive(Debug, Default)]
pub(crate) struct Cost(AtomicU64);

impl Cost {
    fn known(&self) -> Option<f64> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            bits => Some(f64::from_bits(bits)),
        }
    }
}

/// The launches of a submission, with the threads of each.
#[derive(Debug, Default)]
pub(crate) struct Work {
    launches: Vec<(Arc<Cost>, f64)>,
    seconds: f64,
}

impl Work {
    pub(crate) fn add(&mut self, cost: &Arc<Cost>, threads: f64) {
        self.seconds += LAUNCH_SECONDS + threads * cost.known().unwrap_or(UNKNOWN);
        self.launches.push((Arc::clone(cost), threads));
    }

    /// What they will take.
    pub(crate) fn seconds(&self) -> f64 {
        self.seconds
    }

    /// How many there are.
    pub(crate) fn launches(&self) -> usize {
        self.launches.len()
    }

    /// They took `seconds`, or at most that. What is unknown answers for what is not explained by what is
    /// known; if nothing is unknown, all costs change by one factor.
    pub(crate) fn took(&self, seconds: f64, at_most: bool) {
        let seconds = (seconds - LAUNCH_SECONDS * self.launches.len() as f64).max(seconds / 16.0);
        let mut sums = [0.0; 2];
        for (cost, threads) in &self.launches {
            let known = cost.known();
            sums[usize::from(known.is_none())] += threads * known.unwrap_or(UNKNOWN);
        }
        let [known, unknown] = sums;
        let (of_unknown, total) = match unknown > 0.0 {
            true => (true, unknown),
            false => (false, known),
        };
        let explained = if of_unknown { known } else { 0.0 };
        let factor = (seconds - explained).max(seconds / 16.0) / total;
        if !factor.is_finite() || factor <= 0.0 || (at_most && factor > 1.0) {
            return;
        }
        // A kernel launched twice changes once.
        let mut changed: Vec<*const Cost> = Vec::new();
        for (cost, _) in &self.launches {
            if cost.known().is_none() == of_unknown && !changed.contains(&Arc::as_ptr(cost)) {
                let seconds = (cost.known().unwrap_or(UNKNOWN) * factor).clamp(1e-15, 1.0);
                cost.0.store(seconds.to_bits(), Ordering::Relaxed);
            }
            changed.push(Arc::as_ptr(cost));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a / b - 1.0).abs() < 0.01
    }

    #[test]
    fn what_was_measured_is_expected() {
        let (a, b) = (Arc::new(Cost::default()), Arc::new(Cost::default()));
        let work = |of: &[(&Arc<Cost>, f64)]| {
            let mut work = Work::default();
            of.iter().for_each(|(cost, threads)| work.add(cost, *threads));
            work
        };
        assert!(near(work(&[(&a, 1e6)]).seconds(), 1.0), "slow before it is known");
        work(&[(&a, 1e6), (&a, 1e6)]).took(0.2, false);
        assert!(near(work(&[(&a, 1e6)]).seconds(), 0.1));
        // The other one answers for the rest.
        work(&[(&a, 1e6), (&b, 1e6)]).took(0.4, false);
        assert!(near(work(&[(&a, 1e6)]).seconds(), 0.1));
        assert!(near(work(&[(&b, 1e6)]).seconds(), 0.3));
        work(&[(&a, 1e6), (&b, 1e6)]).took(0.8, false);
        assert!(near(work(&[(&a, 1e6), (&b, 1e6)]).seconds(), 0.8));
        work(&[(&a, 1e6)]).took(9.0, true);
        assert!(near(work(&[(&a, 1e6)]).seconds(), 0.2), "a bound does not raise it");
        work(&[(&a, 1e6)]).took(0.05, true);
        assert!(near(work(&[(&a, 1e6)]).seconds(), 0.05), "but lowers it");
        work(&[]).took(1.0, false);
    }
}
