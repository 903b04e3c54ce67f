//! Proving on the CPU beside ark-groth16, and on a GPU if there is one: key in memory, self-check on for
//! ours. From a witness, and whole calls from a circuit of 16 000 constraints.

use ark_bn254::Fr;
use ark_ff::UniformRand;
use ark_snark::SNARK as _;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use criterion::{Criterion, criterion_group, criterion_main};
use curvesmith::snark::{Groth16 as SnarkGroth16, set_device};
use curvesmith::snarkjs::ZkeyFile;
use curvesmith::{Device, Groth16, KeyOptions, Witness, bn254, constraints_of, verify, witness_of};
use curvesmith_benches::fixture;
use curvesmith_benches::peer::ArkProver;
use curvesmith_sample::Chain;

type Snark = SnarkGroth16<bn254::Curve>;
type Theirs = ark_groth16::Groth16<ark_bn254::Bn254>;

fn semaphore(criterion: &mut Criterion) {
    let case = "bn128_semaphore20_ceremony";
    let read = || {
        let file = ZkeyFile::open(&fixture(case, "circuit.zkey")).expect("the fixture");
        file.read::<bn254::Curve>(false).expect("a valid key")
    };
    let witness = Witness::<bn254::Curve>::from_wtns(&fixture(case, "witness.wtns")).expect("the fixture");
    let device = Device::cpu();
    let ours = Groth16::from_zkey_parts(&device, read(), &KeyOptions::default()).expect("a valid key");
    let theirs = ArkProver::new(read());
    let mut rng = StdRng::seed_from_u64(0);
    let [r, s] = [Fr::rand(&mut rng), Fr::rand(&mut rng)];
    let proof = theirs.prove(witness.values(), r, s).expect("a proof");
    let public = &witness.values()[1..=ours.public_inputs()];
    verify::<bn254::Curve>(ours.verifying_key(), public, &proof).expect("a valid proof");

    let mut group = criterion.benchmark_group("prove/semaphore20");
    group.sample_size(10);
    group.bench_function("curvesmith", |bencher| {
        bencher.iter(|| ours.prove(&witness, &mut rng).expect("a proof"));
    });
    group.bench_function("ark-groth16", |bencher| {
        bencher.iter(|| theirs.prove(witness.values(), r, s).expect("a proof"));
    });
    match Device::cuda(0) {
        Ok(gpu) => {
            let ours = Groth16::from_zkey_parts(&gpu, read(), &KeyOptions::default()).expect("a valid key");
            group.bench_function("curvesmith on a GPU", |bencher| {
                bencher.iter(|| ours.prove(&witness, &mut rng).expect("a proof"));
            });
        }
        Err(error) => eprintln!("prove/semaphore20 on a GPU: SKIPPED, {error}"),
    }
    group.finish();
}

/// Calls that begin with a circuit, whose synthesis and check they include.
fn circuit(criterion: &mut Criterion) {
    let circuit = Chain::<Fr> { start: Fr::from(3u64), steps: 16_000, claimed: None };
    let mut rng = StdRng::seed_from_u64(0);
    let (key, _) = Theirs::circuit_specific_setup(circuit.clone(), &mut rng).expect("a key");
    let constraints = constraints_of(circuit.clone()).expect("constraints");
    let device = Device::cpu();
    set_device(device.clone());
    let ours = Groth16::<bn254::Curve>::from_ark(&device, &key, constraints, &KeyOptions::default())
        .expect("a valid key");
    let seed = || StdRng::seed_from_u64(1);
    let proof = Theirs::prove(&key, circuit.clone(), &mut seed()).expect("a proof");
    assert_eq!(ours.prove_circuit(circuit.clone(), &mut seed()).expect("a proof"), proof);
    assert_eq!(Snark::prove(&key, circuit.clone(), &mut seed()).expect("a proof"), proof);

    let mut group = criterion.benchmark_group("prove/circuit of 16000 constraints");
    group.sample_size(10);
    group.bench_function("prove_circuit", |bencher| {
        bencher.iter(|| ours.prove_circuit(circuit.clone(), &mut rng).expect("a proof"));
    });
    group.bench_function("snark::prove", |bencher| {
        bencher.iter(|| Snark::prove(&key, circuit.clone(), &mut rng).expect("a proof"));
    });
    group.bench_function("ark-groth16", |bencher| {
        bencher.iter(|| Theirs::prove(&key, circuit.clone(), &mut rng).expect("a proof"));
    });
    group.bench_function("witness_of", |bencher| {
        bencher.iter(|| witness_of::<bn254::Curve>(circuit.clone()).expect("a witness"));
    });
    group.finish();
}

criterion_group!(benches, semaphore, circuit);
criterion_main!(benches);
