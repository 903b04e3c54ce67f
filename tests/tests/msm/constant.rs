//! Which kernels of an MSM do the same work whatever the scalars are: the same instructions on the same lanes
//! of every warp.

use super::Terms;
use ark_ff::{AdditiveGroup, Field as _};
use curvesmith_curves::bn254;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::group::{AffineOf, Group, ScalarOf};
use curvesmith_runtime::{Device, Msm, MsmOptions};
use std::collections::{BTreeMap, BTreeSet};

type G = bn254::G1;
const N: usize = 100;

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

/// Zeros, equal scalars, and any others: the digits and the sums of counts take no notice. The rest does:
/// zeros are no entries, searches end where they find, and additions have branches for equal points and for
/// identities.
#[test]
fn digits_and_scans_are_constant_and_no_other_kernel_is() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let sums = ["accumulate", "bit_sums", "bucket_starts", "merge_partials"];
    let (signed, odd) = (["digits", "radix_scatter_first"], ["digits_odd", "radix_scatter_odd"]);
    // Counts that one block scans and counts that several do; a sort of one pass and one of two; bits that
    // the device combines.
    let cases = [
        (11, 0, signed, None, &["bit_horner", "radix_scatter"][..]),
        (9, 0, signed, Some("scan_add"), &["bit_horner"]),
        (10, 9, odd, Some("scan_add"), &[]),
    ];
    for (window, tau, [digits, scatter], scan_add, later) in cases {
        let [same, others] = judged(&MsmOptions::default().window(window).stored_doublings(tau));
        let scans: Vec<_> = [digits, "scan_tiles"].into_iter().chain(scan_add).collect();
        assert_eq!(same, names(&scans), "windows of {window} bits");
        let sort = ["radix_count", scatter];
        assert_eq!(others, names(&[&sums[..], &sort, later].concat()), "windows of {window} bits");
    }
}

#[test]
fn traces_are_of_what_is_executed_and_nothing_else() {
    let options = MsmOptions::default().window(5);
    let [one, other] = [1, 2].map(|seed| Terms::<G>::new(20, seed));
    let all = traces(&one.points, &one.scalars, &options);
    assert_eq!(all, traces(&one.points, &one.scalars, &options));
    // Not of other words: digits are selected. But points that are there twice are doubled.
    assert_eq!(all["digits"], traces(&one.points, &other.scalars, &options)["digits"]);
    let twice = vec![one.points[0]; 20];
    assert_ne!(all["accumulate"], traces(&twice, &one.scalars, &options)["accumulate"]);
    let emulator = super::emulator();
    let plan = Msm::<G>::new(&super::on(&emulator), &one.points, options).unwrap();
    assert_eq!(plan.run(&one.scalars).unwrap(), one.sum());
    assert!(emulator.launches().iter().all(|launch| launch.trace.is_none()), "nobody asked");
}
