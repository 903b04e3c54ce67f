//! Cross-crate tests of curvesmith, and what they share.

mod adapter;
mod built_in;
pub mod four_ways;
pub mod interpreter;
mod launch;
mod random;

pub use adapter::{load_wgsl, on_adapter, wgpu_device, wgsl};
pub use built_in::{BUILT_IN, Visitor, visit_built_in};
pub use launch::launch;
pub use random::Random;

use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, UniformRand};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_abi::{Features, Limits};
use curvesmith_emulator::EmulatorOptions;
use curvesmith_runtime::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use curvesmith_runtime::policy::PartsPolicy;

/// An MSM whose sum is known without one.
#[derive(Clone, Debug)]
pub struct KnownSum<G: Group> {
    /// Points of an arithmetic progression of discrete logarithms.
    pub points: Vec<AffineOf<G>>,
    /// As many scalars: -1, 0, then random ones.
    pub scalars: Vec<ScalarOf<G>>,
    /// `Σ scalar·point`.
    pub sum: ProjectiveOf<G>,
}

impl<G: Group> KnownSum<G> {
    /// `n` points and scalars; a function of `n`.
    pub fn new(n: usize) -> Self {
        let mut rng = StdRng::seed_from_u64(n as u64);
        let mut random = || ScalarOf::<G>::rand(&mut rng);
        let (mut logarithm, step) = (random(), random());
        let scalars: Vec<_> = [-ScalarOf::<G>::from(1u64), ScalarOf::<G>::ZERO]
            .into_iter()
            .chain(std::iter::repeat_with(random))
            .take(n)
            .collect();
        let generator = ProjectiveOf::<G>::generator();
        let increment = (generator * step).into_affine();
        let points = std::iter::successors(Some(generator * logarithm), |point| Some(*point + increment));
        let points: Vec<_> = points.take(n).collect();
        let mut sum = ScalarOf::<G>::ZERO;
        for scalar in &scalars {
            sum += *scalar * logarithm;
            logarithm += step;
        }
        KnownSum { points: ProjectiveOf::<G>::normalize_batch(&points), scalars, sum: generator * sum }
    }
}

/// As many parts of an MSM's scalars as there may be, as long as copies and work take.
pub fn even_parts(most: u32) -> PartsPolicy {
    PartsPolicy {
        byte_ps: 1,
        entry_ps: 1,
        product_ps: 0,
        bucket_entries: 0,
        row_entries: 0,
        part_ns: 0,
        most,
    }
}

/// The same emulator, whose blocks may not wait for each other.
pub fn without_progress(options: EmulatorOptions) -> EmulatorOptions {
    let features = options.limits.features.without(Features::PROGRESS);
    let limits = Limits { features, ..options.limits };
    options.limits(limits)
}

/// How much a test run tries, from the environment variable `CURVESMITH_TEST_SIZE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Unset: what continuous integration runs.
    Normal,
    /// `long`: more seeds and sizes.
    Long,
}

impl Size {
    /// Panics on a value that means nothing, so that a misspelt one does not pass for a run.
    pub fn from_env() -> Size {
        match std::env::var("CURVESMITH_TEST_SIZE").as_deref() {
            Ok("long") => Size::Long,
            Err(_) | Ok("") => Size::Normal,
            Ok(other) => panic!("CURVESMITH_TEST_SIZE is `{other}`, expected long"),
        }
    }

    /// One of two.
    pub fn pick<T>(self, normal: T, long: T) -> T {
        match self {
            Size::Normal => normal,
            Size::Long => long,
        }
    }
}
