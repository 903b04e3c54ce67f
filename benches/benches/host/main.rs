//! Sums, transforms and proofs on the CPU beside arkworks: both in turn, the best of several, results
//! compared.
//!
//! `cargo bench -p curvesmith-benches --bench host -- [LOG_N…]` prints a table with tabs between columns;
//! with `--features rivals` halo2curves and blst are beside, where they have the curve. A name in place of a
//! size keeps to what has it in its name.

mod rivals;

use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_relations::gr1cs::ConstraintSynthesizer;
use ark_snark::SNARK as _;
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use ark_std::{UniformRand, Zero};
use curvesmith::snarkjs::ZkeyFile;
use curvesmith::{
    AffineOf, Detail, Device, DeviceVec, Direction, Field, Groth16, Group, KeyOptions, Msm, MsmOptions, Ntt,
    NttOptions, ProjectiveOf, ScalarOf, Witness, constraints_of, witness_of,
};
use curvesmith::{bls12_377, bls12_381, bn254, bw6_761, jubjub, mnt4_753};
use curvesmith_benches::fixture;
use curvesmith_benches::peer::{self, ArkProver};
use curvesmith_sample::{Chain, Sha256};
use std::time::{Duration, Instant};

type Theirs = ark_groth16::Groth16<ark_bn254::Bn254>;

/// Times that each side runs; the best is told.
const RUNS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let (logs, names): (Vec<_>, Vec<_>) = arguments.into_iter().partition(|arg| arg.parse::<u32>().is_ok());
    let logs: Vec<u32> = logs.iter().filter_map(|arg| arg.parse().ok()).collect();
    let logs = if logs.is_empty() { vec![14, 16, 18] } else { logs };
    let table = Table { names };
    println!("{}, {} threads", tiers(), rayon::current_num_threads());
    println!("what\tlog n\tkind\tarkworks ms\trival ms\tours ms\tarkworks / ours\trival / ours");
    for log in logs {
        table.msms::<bn254::G1>(log, rivals::bn254);
        table.msms::<bls12_381::G1>(log, rivals::bls12_381);
        table.msm::<bn254::G2>(log, "random", random, |_, _| None);
        table.msm::<bls12_381::G2>(log, "random", random, |_, _| None);
        table.msm::<bls12_377::G1>(log, "random", random, |_, _| None);
        table.msm::<bw6_761::G1>(log, "random", random, |_, _| None);
        table.msm::<mnt4_753::G1>(log, "random", random, |_, _| None);
        table.msm::<jubjub::G1>(log, "random", random, |_, _| None);
        table.ntt::<bn254::FrField>(log, rivals::ntt);
        table.ntt::<bls12_381::FrField>(log, |_, _| None);
        let dense = Chain { start: 3u64.into(), steps: (1 << log) - 8, claimed: None };
        table.proof(log, "dense", &dense);
    }
    table.proof(17, "SHA-256 of 2048 bits", &Sha256 { message: vec![0xa5; 256] });
    table.semaphore();
}

/// The processor's instructions in use.
fn tiers() -> String {
    Device::cpu().tier().map_or_else(|| "no tier".into(), |tier| tier.to_string())
}

type Scalars<G> = fn(usize, &mut StdRng) -> Vec<ScalarOf<G>>;
/// What a rival computes from bases and scalars, or from values; `None` where there is none.
type Rival<A, B, T> = fn(&[A], &[B]) -> Option<Box<dyn Fn() -> (T, Duration)>>;

/// What is measured.
struct Table {
    /// Parts of the names of what is, all if there are none.
    names: Vec<String>,
}

impl Table {
    fn has(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|part| name.contains(part))
    }

    fn msms<G: Group>(&self, log: u32, rival: Rival<AffineOf<G>, ScalarOf<G>, ProjectiveOf<G>>) {
        let kinds: [(&str, Scalars<G>); 4] = [
            ("random", random),
            ("witness-like", |n, rng| {
                // Two fifths each are 0 and 1, a tenth each are short and full.
                let scalar = |rng: &mut StdRng| match rng.gen_range(0..10) {
                    0..4 => ScalarOf::<G>::zero(),
                    4..8 => 1u64.into(),
                    8 => rng.gen_range(0..1u64 << 24).into(),
                    _ => ScalarOf::<G>::rand(rng),
                };
                (0..n).map(|_| scalar(rng)).collect()
            }),
            ("32 distinct", |n, rng| {
                let few: Vec<_> = (0..32).map(|_| ScalarOf::<G>::rand(rng)).collect();
                (0..n).map(|_| few[rng.gen_range(0..32)]).collect()
            }),
            ("one scalar", |n, rng| vec![ScalarOf::<G>::rand(rng); n]),
        ];
        for (kind, scalars) in kinds {
            self.msm::<G>(log, kind, scalars, rival);
        }
        let rng = &mut StdRng::seed_from_u64(2);
        let bases = vec![ProjectiveOf::<G>::rand(rng).into_affine(); 1 << log];
        self.compare_msm::<G>(log, "equal bases", &bases, &random(1 << log, rng), rival);
    }

    fn msm<G: Group>(
        &self,
        log: u32,
        kind: &str,
        scalars: Scalars<G>,
        rival: Rival<AffineOf<G>, ScalarOf<G>, ProjectiveOf<G>>,
    ) {
        if !self.has(G::NAME) {
            return;
        }
        let rng = &mut StdRng::seed_from_u64(1);
        let (mut point, step) = (ProjectiveOf::<G>::rand(rng), ProjectiveOf::<G>::generator());
        let points = std::iter::repeat_with(|| {
            point += step;
            point
        });
        let bases = ProjectiveOf::<G>::normalize_batch(&points.take(1 << log).collect::<Vec<_>>());
        self.compare_msm::<G>(log, kind, &bases, &scalars(1 << log, rng), rival);
    }

    fn compare_msm<G: Group>(
        &self,
        log: u32,
        kind: &str,
        bases: &[AffineOf<G>],
        scalars: &[ScalarOf<G>],
        rival: Rival<AffineOf<G>, ScalarOf<G>, ProjectiveOf<G>>,
    ) {
        if !self.has(G::NAME) {
            return;
        }
        let plan = Msm::<G>::new(&Device::cpu(), bases, MsmOptions::default()).expect("memory for the bases");
        let ark = || ProjectiveOf::<G>::msm(bases, scalars).expect("as many scalars as bases");
        let rival = rival(bases, scalars);
        compare(G::NAME, log, kind, ark, rival.as_deref(), || plan.run(scalars).expect("a sum"));
    }

    /// In place: no copy is timed.
    fn ntt<F: Field>(&self, log: u32, rival: Rival<F::Ark, F::Ark, Vec<F::Ark>>) {
        let name = format!("{} ntt", F::NAME);
        if !self.has(&name) {
            return;
        }
        let values = random::<F::Ark>(1 << log, &mut StdRng::seed_from_u64(3));
        let (device, domain) = (Device::cpu(), Radix2EvaluationDomain::<F::Ark>::new(1 << log));
        let plan = Ntt::<F>::new(&device, log, NttOptions::default()).expect("a size of the field");
        let domain = domain.expect("a size of the field");
        let rival = rival(&values, &[domain.group_gen]);
        let ark = || {
            let mut values = values.clone();
            let ((), time) = timed(|| domain.fft_in_place(&mut values));
            (values, time)
        };
        let ours = || {
            let mut values = DeviceVec::upload(&device, &values).expect("memory for the values");
            let (done, time) = timed(|| plan.run_resident(&mut values, Direction::Forward));
            done.expect("a transform");
            (values.download().expect("the values"), time)
        };
        compare_timed(&name, log, "forward, in place", ark, rival.as_deref(), ours);
    }

    /// Proofs of a circuit with a key by arkworks, with its synthesis and from its witness.
    fn proof(&self, log: u32, kind: &str, circuit: &(impl ConstraintSynthesizer<bn254::Fr> + Clone)) {
        let name = "bn254 groth16";
        if !self.has(name) {
            return;
        }
        let rng = &mut StdRng::seed_from_u64(0);
        let (key, _) = Theirs::circuit_specific_setup(circuit.clone(), rng).expect("a key");
        let constraints = constraints_of(circuit.clone()).expect("constraints");
        let matrices = [&constraints.a, &constraints.b, &constraints.c].map(peer::rows);
        let witness = witness_of::<bn254::Curve>(circuit.clone()).expect("a witness");
        let options = KeyOptions::default();
        let prover = Groth16::<bn254::Curve>::from_ark(&Device::cpu(), &key, constraints, &options);
        let prover = prover.expect("a valid key");
        let seed = || StdRng::seed_from_u64(1);
        let ark = || Theirs::prove(&key, circuit.clone(), &mut seed()).expect("a proof");
        let ours = || prover.prove_circuit(circuit.clone(), &mut seed()).expect("a proof");
        compare(name, log, &format!("{kind}, with synthesis"), ark, None, ours);
        let ark = || {
            let rng = &mut seed();
            let [r, s] = [(); 2].map(|()| bn254::Fr::rand(rng));
            let (inputs, rows) = (prover.public_inputs() + 1, matrices[0].len());
            let of_matrices = Theirs::create_proof_with_reduction_and_matrices;
            of_matrices(&key, r, s, &matrices, inputs, rows, witness.values()).expect("a proof")
        };
        let ours = || prover.prove(&witness, &mut seed()).expect("a proof");
        compare(name, log, &format!("{kind}, from the witness"), ark, None, ours);
        stages(&prover, &witness);
    }

    /// Proofs with snarkjs' key for a circuit of 2^13 constraints.
    fn semaphore(&self) {
        let name = "bn254 groth16";
        if !self.has(name) {
            return;
        }
        let [key, witness] =
            ["circuit.zkey", "witness.wtns"].map(|file| fixture("bn128_semaphore20_ceremony", file));
        let read = || ZkeyFile::open(&key).and_then(|file| file.read(false)).expect("the fixture");
        let witness = Witness::<bn254::Curve>::from_wtns(&witness).expect("the fixture");
        let options = KeyOptions::default();
        let prover = Groth16::<bn254::Curve>::from_zkey_parts(&Device::cpu(), read(), &options);
        let (prover, theirs) = (prover.expect("a valid key"), ArkProver::new(read()));
        let seed = || StdRng::seed_from_u64(1);
        let ark = || {
            let rng = &mut seed();
            let [r, s] = [(); 2].map(|()| bn254::Fr::rand(rng));
            theirs.prove(witness.values(), r, s).expect("a proof")
        };
        let ours = || prover.prove(&witness, &mut seed()).expect("a proof");
        let log = prover.domain_size().ilog2();
        compare(name, log, "Semaphore-20, from the witness", ark, None, ours);
        stages(&prover, &witness);
    }
}

/// Where the time of a proof goes.
fn stages(prover: &Groth16<bn254::Curve>, witness: &Witness<bn254::Curve>) {
    let rng = &mut StdRng::seed_from_u64(2);
    let (_, stats) = prover.prove_with_stats(witness, rng, Detail::Stages).expect("a proof");
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let stages = stats.stages.iter().map(|stage| format!("{} {:.2}", stage.name, ms(stage.host)));
    println!("# {}, of {:.2} ms", stages.collect::<Vec<_>>().join(", "), ms(stats.total));
}

fn random<F: UniformRand>(n: usize, rng: &mut StdRng) -> Vec<F> {
    (0..n).map(|_| F::rand(rng)).collect()
}

fn compare<T: PartialEq>(
    name: &str,
    log: u32,
    kind: &str,
    ark: impl Fn() -> T,
    rival: Option<&dyn Fn() -> (T, Duration)>,
    ours: impl Fn() -> T,
) {
    compare_timed(name, log, kind, || timed(&ark), rival, || timed(&ours));
}

fn compare_timed<T: PartialEq>(
    name: &str,
    log: u32,
    kind: &str,
    ark: impl Fn() -> (T, Duration),
    rival: Option<&dyn Fn() -> (T, Duration)>,
    ours: impl Fn() -> (T, Duration),
) {
    let mut best = [Duration::MAX; 3];
    for _ in 0..RUNS {
        let (expected, time) = ark();
        best[0] = best[0].min(time);
        let (found, time) = ours();
        best[2] = best[2].min(time);
        assert!(found == expected, "{name} of 2^{log}, {kind}: another result than arkworks'");
        if let Some(rival) = rival {
            let (found, time) = rival();
            best[1] = best[1].min(time);
            assert!(found == expected, "{name} of 2^{log}, {kind}: the rival's result is another");
        }
    }
    let [ark, other, ours] = best.map(|time| time.as_secs_f64() * 1e3);
    let of_rival = |text: String| rival.map_or("-".to_owned(), |_| text);
    println!(
        "{name}\t{log}\t{kind}\t{ark:.2}\t{}\t{ours:.2}\t{:.2}\t{}",
        of_rival(format!("{other:.2}")),
        ark / ours,
        of_rival(format!("{:.2}", other / ours))
    );
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (run(), start.elapsed())
}
