//! What runs in a proof, and what comes back of it.

use super::ran;
use ark_groth16::Groth16 as ArkGroth16;
use ark_snark::CircuitSpecificSetupSNARK as _;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{
    Detail, Device, EmulatorOptions, Groth16, KeyOptions, PairingCurve, ProveStats, QuotientForm, Witness,
    bls12_381, bn254, constraints_of,
};
use curvesmith_sample::Chain;

/// A GPU of 132 multiprocessors, as launch policies see it.
pub(super) fn large() -> Device {
    Device::emulator(EmulatorOptions::default().multiprocessors(132)).unwrap()
}

/// A key from arkworks for a chain that fills `2^log_domain`, and its witness.
pub(super) fn chain<C: PairingCurve>(
    device: &Device,
    log_domain: u32,
    options: &KeyOptions,
) -> (Groth16<C>, Witness<C>) {
    let circuit = Chain::filling(log_domain);
    let mut rng = StdRng::seed_from_u64(u64::from(log_domain));
    let (key, _) = ArkGroth16::<C::Engine>::setup(circuit.clone(), &mut rng).unwrap();
    let prover = Groth16::<C>::from_ark(device, &key, constraints_of(circuit.clone()).unwrap(), options);
    (prover.unwrap(), Witness::new(circuit.assignment()))
}

/// One proof, after what was done to load its key is forgotten.
fn proof<C: PairingCurve>((prover, witness): &(Groth16<C>, Witness<C>)) -> ProveStats {
    prover.device().as_emulator().unwrap().clear_launches();
    prover.prove_with_stats(witness, &mut StdRng::seed_from_u64(1), Detail::Counts).unwrap().1
}

/// Kernels of a proof, without the curve's name. None of them only moves elements to other places.
const ALLOWED: [&str; 19] = [
    "common_bucket_starts",
    "common_radix_count",
    "common_radix_scatter_first",
    "common_scan_tiles",
    "fr_digits",
    "fr_mul",
    "fr_mul_const",
    "fr_mul_sub",
    "fr_ntt_pass",
    "fr_ntt_scale",
    "fr_powers",
    "fr_spmv_thread",
    "g1_accumulate",
    "g1_bit_sums",
    "g1_merge_partials",
    "g2_accumulate",
    "g2_accumulate_lanes",
    "g2_bit_sums",
    "g2_merge_partials",
];

fn only_what_is_needed<C: PairingCurve>(key: &(Groth16<C>, Witness<C>)) {
    let stats = proof(key);
    let device = key.0.device();
    let launches: Vec<String> =
        device.as_emulator().unwrap().launches().into_iter().map(|launch| launch.symbol).collect();
    assert_eq!(launches.len() as u64, stats.report.launches);
    let short = |symbol: &str| symbol.strip_prefix(C::NAME).map_or(symbol, |rest| &rest[1..]).to_owned();
    let unknown: Vec<_> = ran(device).iter().map(|s| short(s)).filter(|s| !ALLOWED.contains(&&**s)).collect();
    assert!(unknown.is_empty(), "{}: {unknown:?}", C::NAME);
    let times = |name: &str| launches.iter().filter(|symbol| short(symbol) == name).count();
    let accumulation = super::accumulation::<C::G2>();
    // One decomposition and sort for A, B in both groups, and L; one for H.
    for (name, expected) in [
        ("fr_digits", 2),
        ("common_radix_count", 2),
        ("common_bucket_starts", 2),
        ("g1_accumulate", 4),
        (&short(&accumulation), 1),
    ] {
        assert_eq!(times(name), expected, "{} {name}: {launches:?}", C::NAME);
    }
}

#[test]
fn a_proof_runs_no_kernel_that_it_does_not_need() {
    let device = large();
    let options = KeyOptions::default();
    let libsnark = chain::<bn254::Curve>(&device, 6, &options);
    assert_eq!(libsnark.0.quotient_form(), QuotientForm::Libsnark);
    only_what_is_needed(&libsnark);
    let circom = super::load::<bn254::Curve>(&device, "bn128_mult");
    assert_eq!(circom.0.quotient_form(), QuotientForm::Circom);
    only_what_is_needed(&circom);
    only_what_is_needed(&super::load::<bls12_381::Curve>(&large(), "bls12381_mult"));
}

/// What comes back of a proof, at most.
const MOST: u64 = 64 << 10;

/// Points that come back of a sum, at most: of scalars up to 256 bits, in windows of five.
const MOST_POINTS: u64 = 52;

/// So many points of A, B in G1 and G2, whose coordinates are two, and L, and as many of H.
fn expected_bytes(points: u64, coordinate: u64) -> u64 {
    points * 4 * coordinate * (3 + 2 + 1)
}

#[test]
fn little_comes_back_of_a_proof() {
    // In any windows, with coordinates of up to 12 words.
    assert!(expected_bytes(MOST_POINTS, 48) <= MOST);
    for multiples in [true, false] {
        let options = KeyOptions::default().multiples(multiples);
        let bn = chain::<bn254::Curve>(&large(), 6, &options);
        assert_eq!(bn.0.multiples() > 1, multiples);
        let bytes = proof(&bn).report.bytes_down;
        assert!(bytes <= expected_bytes(MOST_POINTS, 32), "{bytes} bytes, with multiples: {multiples}");
        let bls = chain::<bls12_381::Curve>(&large(), 6, &options);
        let bytes = proof(&bls).report.bytes_down;
        assert!(bytes <= MOST, "{bytes} bytes, with multiples: {multiples}");
    }
}

/// The trace of a proof has every kernel, and what is busy is a share of it.
#[test]
fn the_busy_share_is_of_kernels_and_copies() {
    let device = super::emulator();
    let (prover, witness) = super::load::<bn254::Curve>(&device, "bn128_mult");
    let share = |detail| {
        let (_, stats) = prover.prove_with_stats(&witness, &mut StdRng::seed_from_u64(1), detail).unwrap();
        stats.report.busy_share()
    };
    assert_eq!(share(Detail::Stages), None);
    let busy = share(Detail::Kernels).unwrap();
    assert!(busy > 0.1 && busy <= 1.0, "{busy}");
}
