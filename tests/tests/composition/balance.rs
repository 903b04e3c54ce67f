//! How evenly an MSM's work is shared out, whatever the scalars are: by the emulator's model of a device.

use ark_ff::{AdditiveGroup, Field as _, UniformRand};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith_curves::bn254;
use curvesmith_curves::toy::toy_curve;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::{Group, ScalarOf};
use curvesmith_runtime::{Device, Msm, MsmOptions};
use curvesmith_tests::KnownSum;

/// Scalars of circuits and worse ones; uniform ones first.
fn kinds<G: Group>(n: usize) -> Vec<(&'static str, Vec<ScalarOf<G>>)> {
    let mut rng = StdRng::seed_from_u64(n as u64);
    let uniform: Vec<ScalarOf<G>> = (0..n).map(|_| ScalarOf::<G>::rand(&mut rng)).collect();
    let [zero, one] = [ScalarOf::<G>::ZERO, ScalarOf::<G>::ONE];
    let mut of = |scalar: &mut dyn FnMut(&mut StdRng, usize) -> ScalarOf<G>| -> Vec<_> {
        (0..n).map(|i| scalar(&mut rng, i)).collect()
    };
    let kinds = [
        ("all equal", of(&mut |_, _| uniform[0])),
        ("32 values", of(&mut |rng, _| uniform[rng.gen_range(0..32)])),
        ("half zeros", of(&mut |rng, i| if rng.r#gen() { zero } else { uniform[i] })),
        ("zeros and ones", of(&mut |rng, _| if rng.r#gen() { zero } else { one })),
        ("one huge bucket", of(&mut |rng, i| if rng.gen_range(0..100) == 0 { uniform[i] } else { one })),
        ("64 bits", of(&mut |rng, _| rng.r#gen::<u64>().into())),
        ("r - 1", of(&mut |_, _| -one)),
    ];
    std::iter::once(("uniform", uniform)).chain(kinds).collect()
}

/// What the model says of one MSM: of all kernels, and of those that add entries into buckets.
struct Modelled {
    all: u64,
    additions: u64,
    /// What the additions' work would take if all schedulers had the same.
    least: u64,
}

fn modelled<G: Group>(emulator: &Emulator, plan: &Msm<G>, scalars: &[ScalarOf<G>]) -> Modelled {
    emulator.clear_launches();
    plan.run(scalars).unwrap();
    let launches = emulator.launches();
    let adds = |symbol: &str| symbol.ends_with("_accumulate") || symbol.contains("_merge_");
    let additions = || launches.iter().filter(|launch| adds(&launch.symbol));
    Modelled {
        all: launches.iter().map(|launch| launch.makespan).sum(),
        additions: additions().map(|launch| launch.makespan).sum(),
        least: additions().map(|launch| launch.least).sum(),
    }
}

/// No kind of scalars takes more than 1.2 times as long as uniform ones.
fn is_balanced<G: Group>(n: usize, multiprocessors: u32, blocks: u32) {
    let options = EmulatorOptions::default().memcheck(false).initcheck(false);
    let options = options.multiprocessors(multiprocessors).blocks_per_multiprocessor(blocks);
    let emulator = Emulator::new(options);
    let device = Device::on_emulator(emulator.clone(), None);
    let plan = Msm::<G>::new(&device, &KnownSum::<G>::new(n).points, MsmOptions::default()).unwrap();
    let mut uniform: Option<Modelled> = None;
    for (name, scalars) in kinds::<G>(n) {
        let found = modelled(&emulator, &plan, &scalars);
        let uniform = uniform.get_or_insert(Modelled { ..found });
        let ratio = |a: u64, b: u64| a as f64 / b as f64;
        let (whole, additions) = (ratio(found.all, uniform.all), ratio(found.additions, uniform.additions));
        let over = ratio(found.additions, found.least);
        println!(
            "{}, {name}: {whole:.3} of uniform, additions {additions:.3}, {over:.3} of even work",
            G::NAME
        );
        assert!(whole <= 1.2, "{}, {name}: {whole:.3} of uniform", G::NAME);
    }
}

#[test]
fn no_kind_of_scalars_takes_long() {
    is_balanced::<toy_curve::G1>(1 << 19, 132, 2);
    is_balanced::<bn254::G1>(1 << 13, 8, 3);
}
