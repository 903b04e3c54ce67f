//! Measuring windows: MSMs by the windows around the model's choice, with and without multiples of the bases.

use super::{Msm, MsmOptions};
use crate::error::{Result, RuntimeError};
use crate::field::{Field as _, modulus_bits};
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::handle::Device;
use crate::owner::Owner;
use crate::platform::Instant;
use crate::policy::MeasuredWindow;
use crate::values::DeviceVec;
use crate::vocabulary::{DigitShape, widest_window};
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, UniformRand};
use ark_std::rand::RngCore;
use curvesmith_abi::Element;
use std::time::Duration;

/// A window goes before the model's if it takes so many thousandths less time at least: what is less may be
/// chance.
const LEAST_GAIN: u64 = 10;

/// What [`tune_windows`] measures.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TuneOptions {
    runs: u32,
    reach: u32,
    multiples: Option<u32>,
    until: Option<Instant>,
}

impl Default for TuneOptions {
    fn default() -> Self {
        TuneOptions { runs: 5, reach: 3, multiples: None, until: None }
    }
}

impl TuneOptions {
    /// Measured runs of each window, of which the fastest counts, after one that does not; 5 by default.
    pub fn runs(mut self, runs: u32) -> Self {
        self.runs = runs.max(1);
        self
    }

    /// How many bits a window may differ from the model's; 3 by default.
    pub fn reach(mut self, bits: u32) -> Self {
        self.reach = bits;
        self
    }

    /// Most multiples of a base in the second measurement of a size, which is left out where they are 1; by
    /// default as many as the device likes to keep.
    pub fn multiples(mut self, most: u32) -> Self {
        self.multiples = Some(most);
        self
    }

    /// When to end. A size whose windows were not all measured by then is left out.
    pub fn until(mut self, end: Instant) -> Self {
        self.until = Some(end);
        self
    }

    fn is_over(&self) -> bool {
        self.until.is_some_and(|end| Instant::now() >= end)
    }
}

/// What came of one size, with or without multiples.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Tuned {
    /// The row for the table.
    pub row: MeasuredWindow,
    /// The window that the model chooses.
    pub model: u32,
    /// All windows, with the fastest run of each.
    pub times: Vec<(u32, Duration)>,
}

/// Measures MSMs over so many random terms, scalars and bases on the device, and gives `each` size's fastest
/// windows as they are found, ascending sizes first. All sums are compared with the right one.
///
/// Errors: [`RuntimeError::Input`] on the CPU, which chooses windows in its own way; those of [`Msm::new`]
/// and [`Msm::run_resident`], but a window for which there is no memory is passed over.
pub fn tune_windows<G: Group>(
    device: &Device,
    sizes: &[usize],
    options: &TuneOptions,
    rng: &mut dyn RngCore,
    each: &mut dyn FnMut(Tuned),
) -> Result<()> {
    let Some(engine) = device.engine().windows() else {
        let reason = "the CPU chooses windows of its own".to_owned();
        return Err(RuntimeError::Input { what: "device", reason });
    };
    let mut sizes: Vec<usize> = sizes.iter().copied().filter(|n| *n > 0).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let terms = Terms::<G>::new(sizes.last().copied().unwrap_or_default(), rng);
    let (field, bits) = (Owner::field::<G::Scalar>(), modulus_bits::<G::Scalar>());
    for n in sizes {
        let bytes = n as u64 * Owner::group::<G>().bytes(Element::Affine) as u64;
        let most = match options.multiples {
            Some(most) => most,
            None => device.work()?.most_multiples(bytes),
        };
        let limits = if most > 1 { vec![1, most] } else { vec![1] };
        let expected = terms.sum(n);
        let scalars = DeviceVec::<G::Scalar>::upload(device, &terms.scalars[..n])?;
        for most in limits {
            let model = engine.model(bits, n, most);
            let windows = candidates(bits, model, most, options.reach);
            let mut times = Vec::with_capacity(windows.len());
            for window in windows {
                let options_of = MsmOptions::default().window(window).multiples(most);
                let time = Msm::<G>::new(device, &terms.bases[..n], options_of)
                    .and_then(|plan| fastest(&plan, &scalars, &expected, options));
                match time {
                    Ok(Some(time)) => times.push((window, time)),
                    Ok(None) => return Ok(()),
                    Err(RuntimeError::OutOfMemory { .. } | RuntimeError::InsufficientMemory { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            let Some((window, time)) = choose(model, &times) else { continue };
            let row = MeasuredWindow {
                field: G::Scalar::NAME.to_owned(),
                kernels: engine.kernels(&field),
                n: n as u64,
                most,
                window,
                nanoseconds: u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
            };
            each(Tuned { row, model, times });
        }
    }
    Ok(())
}

/// The model's window, and those around it that have another number of sets or of windows, or fewer buckets
/// for the same.
fn candidates(bits: u32, model: u32, most: u32, reach: u32) -> Vec<u32> {
    let (least, widest) = (model.saturating_sub(reach).max(2), (model + reach).min(widest_window(most)));
    let shape = |window| DigitShape::with_multiples(bits, window, most);
    let counts = |window| (shape(window).windows(), shape(window).sets);
    // A window as wide as the one before that needs as many of them has more buckets, and nothing for it.
    let mut windows: Vec<u32> = (least..=widest)
        .filter(|&window| window == model || window == 2 || counts(window) != counts(window - 1))
        .collect();
    windows.sort_by_key(|window| window.abs_diff(model));
    windows
}

/// The model's window, unless another one is enough faster.
fn choose(model: u32, times: &[(u32, Duration)]) -> Option<(u32, Duration)> {
    let best = *times.iter().min_by_key(|(_, time)| *time)?;
    let own = times.iter().find(|(window, _)| *window == model);
    match own {
        Some(own) if best.1.as_nanos() * 1000 > own.1.as_nanos() * u128::from(1000 - LEAST_GAIN) => {
            Some(*own)
        }
        _ => Some(best),
    }
}

/// The fastest run of a plan; `None` where the time is over before all were made.
fn fastest<G: Group>(
    plan: &Msm<G>,
    scalars: &DeviceVec<G::Scalar>,
    expected: &ProjectiveOf<G>,
    options: &TuneOptions,
) -> Result<Option<Duration>> {
    let mut best: Option<Duration> = None;
    // The first one loads kernels and finds memory.
    for run in 0..=options.runs {
        if options.is_over() {
            return Ok(None);
        }
        let start = Instant::now();
        let sum = plan.run_resident(scalars)?;
        let time = start.elapsed();
        if sum != *expected {
            let reason = format!("a sum over {} terms is wrong: {plan:?}", scalars.len());
            return Err(RuntimeError::Device { call: "MSM", reason });
        }
        if run > 0 {
            best = Some(best.map_or(time, |best| best.min(time)));
        }
    }
    Ok(best)
}

/// Random scalars, and bases whose logarithms are an arithmetic progression, so that sums are known without
/// an MSM.
struct Terms<G: Group> {
    first: ScalarOf<G>,
    step: ScalarOf<G>,
    bases: Vec<AffineOf<G>>,
    scalars: Vec<ScalarOf<G>>,
}

impl<G: Group> Terms<G> {
    fn new(n: usize, rng: &mut dyn RngCore) -> Self {
        let (first, step) = (ScalarOf::<G>::rand(rng), ScalarOf::<G>::rand(rng));
        let generator = ProjectiveOf::<G>::generator();
        let increment = (generator * step).into_affine();
        let mut point = generator * first;
        let mut points = Vec::with_capacity(n);
        for _ in 0..n {
            points.push(point);
            point += increment;
        }
        let bases = ProjectiveOf::<G>::normalize_batch(&points);
        let scalars = (0..n).map(|_| ScalarOf::<G>::rand(rng)).collect();
        Terms { first, step, bases, scalars }
    }

    /// Of the first `n` terms.
    fn sum(&self, n: usize) -> ProjectiveOf<G> {
        let (mut sum, mut logarithm) = (ScalarOf::<G>::ZERO, self.first);
        for scalar in &self.scalars[..n] {
            sum += *scalar * logarithm;
            logarithm += self.step;
        }
        ProjectiveOf::<G>::generator() * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_window_stays_unless_another_is_clearly_faster() {
        let ms = |window, ms| (window, Duration::from_micros(ms));
        assert_eq!(choose(7, &[]), None);
        assert_eq!(choose(7, &[ms(7, 1000), ms(8, 991)]), Some(ms(7, 1000)));
        assert_eq!(choose(7, &[ms(7, 1000), ms(8, 989), ms(6, 1200)]), Some(ms(8, 989)));
        // There was no memory for the model's.
        assert_eq!(choose(7, &[ms(5, 1000), ms(6, 999)]), Some(ms(6, 999)));
    }

    #[test]
    fn candidates_are_the_models_and_those_around_it() {
        assert_eq!(candidates(254, 9, 1, 2), [9, 8, 10, 7, 11]);
        assert_eq!(candidates(254, 2, 1, 1), [2, 3]);
        // 255 bits are 15 windows of 17 bits; 18 is for multiples.
        assert_eq!(candidates(254, 17, 1, 2), [17, 16, 15]);
        assert_eq!(candidates(254, 17, 20, 0), [17]);
        // 20 and 21 bits are 13 windows both, 22 to 23 are 12, 24 are 11.
        assert_eq!(candidates(254, 22, 20, 3), [22, 20, 24, 19]);
        assert_eq!(candidates(254, 21, 20, 1), [21, 20, 22]);
    }
}
