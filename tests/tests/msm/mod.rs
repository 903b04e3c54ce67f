//! Shapes and options of multi-scalar multiplications as plans: what is computed, in which memory, and what
//! is refused.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod constant;
mod constant_work;
mod counting;
mod forms;
mod lanes;
mod memory;
mod odd;
mod options;
mod published;
mod rows;
mod shapes;
mod streamed;
mod tuned;

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, Field as _, UniformRand};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_device::KernelDevice;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use curvesmith_runtime::policy::Policy;
use curvesmith_runtime::{Device, Kind, Report};
use std::collections::BTreeSet;

fn emulator() -> Emulator {
    Emulator::new(EmulatorOptions::default())
}

fn on(emulator: &Emulator) -> Device {
    Device::on_emulator(emulator.clone(), None)
}

/// The emulator; with `REQUIRE_GPU=1` a GPU.
fn device() -> Device {
    match std::env::var_os("REQUIRE_GPU").is_some_and(|v| v == "1") {
        true => Device::cuda(0).unwrap(),
        false => on(&emulator()),
    }
}

/// Every pair of conflicting accesses must be ordered, streams run in an order of their own.
fn racecheck(seed: u64) -> Emulator {
    Emulator::new(EmulatorOptions::default().racecheck(true).seed(seed).resident_blocks(3))
}

/// Scalars of the host come in parts.
fn in_parts(emulator: &Emulator, most: u32) -> Device {
    let mut policy = Policy::for_device(emulator.properties());
    policy.msm.parts = Some(curvesmith_tests::even_parts(most));
    Device::on_emulator(emulator.clone(), Some(policy))
}

/// Random points, of which one is the identity, one is there twice and one with its negative; scalars 0, 1
/// and -1 among random ones.
struct Terms<G: Group> {
    points: Vec<AffineOf<G>>,
    scalars: Vec<ScalarOf<G>>,
}

impl<G: Group> Terms<G> {
    fn new(n: usize, seed: u64) -> Self {
        let mut rng = StdRng::seed_from_u64(seed);
        let g = ProjectiveOf::<G>::generator();
        let mut points: Vec<AffineOf<G>> =
            (0..n).map(|_| (g * ScalarOf::<G>::rand(&mut rng)).into_affine()).collect();
        if n > 5 {
            (points[1], points[3], points[5]) = (AffineOf::<G>::zero(), points[2], -points[4]);
        }
        Terms { points, scalars: scalars::<G>(n, seed + 1) }
    }

    fn sum(&self) -> ProjectiveOf<G> {
        sum::<G>(&self.points, &self.scalars)
    }
}

fn scalars<G: Group>(n: usize, seed: u64) -> Vec<ScalarOf<G>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let special = [-ScalarOf::<G>::ONE, ScalarOf::<G>::ONE, ScalarOf::<G>::ZERO];
    special.into_iter().chain(std::iter::repeat_with(|| ScalarOf::<G>::rand(&mut rng))).take(n).collect()
}

/// arkworks' sum, product by product.
fn sum<G: Group>(points: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    assert_eq!(points.len(), scalars.len());
    points.iter().zip(scalars).map(|(point, scalar)| *point * scalar).sum()
}

/// The streams that copied to the device, and those that added up.
fn streams(report: &Report) -> (BTreeSet<u32>, BTreeSet<u32>) {
    let of = |kind, what: &str| -> BTreeSet<u32> {
        let spans = report.spans.iter().filter(|span| span.kind == kind && span.name.contains(what));
        spans.map(|span| span.stream).collect()
    };
    (of(Kind::Copy, "upload"), of(Kind::Kernel, "accumulate"))
}

/// Launches of kernels whose symbols end so.
fn launches(emulator: &Emulator, suffix: &str) -> usize {
    emulator.launches().iter().filter(|launch| launch.symbol.ends_with(suffix)).count()
}
