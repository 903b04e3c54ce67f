//! What the stages of a proof execute on the emulator under its fixed schedule.

use super::trace::chain;
use ark_ff::{One, Zero};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::Kind;
use curvesmith::{Detail, Device, EmulatorOptions, Groth16, KeyOptions, Witness, bn254};
use curvesmith_emulator::OpClass;
use curvesmith_tests::Size;
use std::collections::{BTreeMap, HashMap};

type C = bn254::Curve;

/// Instructions of one stage, one a warp.
#[derive(Clone, Copy, Default)]
struct Cost {
    launches: u64,
    wide: u64,
    loads: u64,
    stores: u64,
    all: u64,
}

/// The stages of a proof in the order in which they were submitted.
fn stages(prover: &Groth16<C>, witness: &Witness<C>) -> Vec<(String, Cost)> {
    let emulator = prover.device().as_emulator().unwrap();
    emulator.clear_launches();
    let (_, stats) =
        prover.prove_with_stats(witness, &mut StdRng::seed_from_u64(1), Detail::Kernels).unwrap();
    // Eager execution: launches are in the order of their submission, and a stage is noted after its kernels.
    let mut launches = emulator.launches().into_iter();
    let mut open: HashMap<u32, Cost> = HashMap::new();
    let mut stages = Vec::new();
    for span in &stats.report.spans {
        match span.kind {
            Kind::Kernel => {
                let launch = launches.next().unwrap();
                assert_eq!(launch.symbol, span.name);
                let cost = open.entry(span.stream).or_default();
                cost.launches += 1;
                cost.wide += launch.counts.warp(OpClass::MulWide);
                cost.loads += launch.counts.warp(OpClass::LoadGlobal);
                cost.stores += launch.counts.warp(OpClass::StoreGlobal);
                cost.all += launch.counts.warp_total();
            }
            Kind::Stage => {
                if let Some(cost) = open.remove(&span.stream) {
                    stages.push((span.name.to_string(), cost));
                }
            }
            Kind::Copy | Kind::Host => {}
        }
    }
    assert!(launches.next().is_none() && open.is_empty(), "a kernel of no stage");
    stages
}

fn prover(log_domain: u32) -> (Groth16<C>, Witness<C>) {
    let device = Device::emulator(EmulatorOptions::default().multiprocessors(132)).unwrap();
    // Proofs of the second test are of no statement.
    chain::<C>(&device, log_domain, &KeyOptions::default().self_check(false))
}

#[test]
fn stages_of_a_proof() {
    let (prover, witness) = prover(10);
    let stages = stages(&prover, &witness);
    let mut table = format!(
        "{:<10}{:>9}{:>14}{:>12}{:>12}{:>14}\n",
        "stage", "launches", "wide products", "loads", "stores", "instructions"
    );
    for (name, cost) in &stages {
        table += &format!(
            "{name:<10}{:>9}{:>14}{:>12}{:>12}{:>14}\n",
            cost.launches, cost.wide, cost.loads, cost.stores, cost.all
        );
    }
    insta::assert_snapshot!(table);
}

/// Instructions of the sums over wires of a proof.
fn of_wires(prover: &Groth16<C>, witness: &Witness<C>) -> u64 {
    let is_one = |name: &str| ["msm a", "msm b1", "msm b2", "msm l"].contains(&name);
    let stages = stages(prover, witness).into_iter();
    let all = stages.filter(|(name, _)| is_one(name)).map(|(_, cost)| cost.all).sum();
    let mut kernels: BTreeMap<String, u64> = BTreeMap::new();
    for launch in prover.device().as_emulator().unwrap().launches() {
        *kernels.entry(launch.symbol).or_default() += launch.counts.warp_total();
    }
    eprintln!("{all} instructions; by kernel, with those of H: {kernels:?}");
    all
}

/// The wires' sums of a proof with a witness of bits take less than a tenth of what they take with one of
/// large numbers.
#[test]
fn sums_over_bits_are_cheap() {
    let (prover, dense) = prover(Size::from_env().pick(8, 12));
    // 58 % zeros, 42 % ones, as SHA-256 has them.
    let bit = |i: usize| i == 0 || i * 42 % 100 < 42;
    let bits = (0..dense.values().len()).map(|i| if bit(i) { ark_bn254::Fr::one() } else { Zero::zero() });
    let bits = Witness::new(bits.collect());
    let share = of_wires(&prover, &bits) as f64 / of_wires(&prover, &dense) as f64;
    eprintln!("{share} of a dense witness's instructions");
    assert!(share < 0.1, "{share} of a dense witness's instructions");
}
