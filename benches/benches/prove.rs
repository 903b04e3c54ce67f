//! Proving on the CPU beside ark-groth16, and on a GPU if there is one: key in memory, self-check on for ours.

use ark_bn254::Fr;
use ark_ff::UniformRand;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use criterion::{Criterion, criterion_group, criterion_main};
use curvesmith::snarkjs::ZkeyFile;
use curvesmith::{Device, Groth16, KeyOptions, Witness, bn254, verify};
use curvesmith_benches::fixture;
use curvesmith_benches::peer::ArkProver;

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

criterion_group!(benches, semaphore);
criterion_main!(benches);
