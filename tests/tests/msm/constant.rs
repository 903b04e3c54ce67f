//! Which kernels of an MSM do the same work whatever the scalars are: the same instructions on the same lanes of every warp.

use super::Terms;
use ark_ff::{AdditiveGroup, Field as _};
use curvesmith_curves::bn254;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::{AffineOf, Group, ScalarOf};
use curvesmith_runtime::{Device, Msm, MsmOptions};
use std::collections::{BTreeMap, BTreeSet};

type G = bn254::G1;
const N: usize = 300;

/// The traces of the launches of each kernel, in order, by the end of its symbol.
fn traces(
    points: &[AffineOf<G>],
    scalars: &[ScalarOf<G>],
    options: &MsmOptions,
) -> BTreeMap<String, Vec<u64>> {
    let emulator = Emulator::new(EmulatorOptions::default().trace(true));
    let device = Device::on_emulator(emulator.clone(), None);
    let plan = Msm::<G>::new(&device, points, options.clone()).unwrap();
    emulator.clear_launches();
    assert_eq!(plan.run(scalars).unwrap(), super::sum::<G>(points, scalars));
    let mut all = BTreeMap::<String, Vec<u64>>::new();
    for launch in emulator.launches() {
        let owners = [G::NAME, "bn254_fr", "common"];
        let name = owners.iter().find_map(|owner| launch.symbol.strip_prefix(owner)).unwrap();
        all.entry(name[1..].to_owned()).or_default().push(launch.trace.unwrap());
    }
    all
}

/// Kernels whose traces are equal for all of these scalars, and those whose traces are not.
fn judged(options: &MsmOptions) -> [BTreeSet<String>; 2] {
    let random = Terms::<G>::new(N, 1);
    let others = Terms::<G>::new(N, 2);
    let (zero, one) = (ScalarOf::<G>::ZERO, ScalarOf::<G>::ONE);
    let same = vec![random.scalars[7]; N];
    let sets = [random.scalars.clone(), others.scalars, vec![zero; N], vec![one; N], vec![-one; N], same];
    let found: Vec<_> = sets.iter().map(|scalars| traces(&random.points, scalars, options)).collect();
    let constant = |name: &String| found.iter().all(|traces| traces.get(name) == found[0].get(name));
    let (same, other): (BTreeSet<_>, BTreeSet<_>) = found[0].keys().cloned().partition(constant);
    [same, other]
}

#[test]
fn traces_show_constant_kernels() {
    for options in [MsmOptions::default().window(6), MsmOptions::default().window(6).stored_doublings(5)] {
        println!("{options:?} {:?}", judged(&options));
    }
}
