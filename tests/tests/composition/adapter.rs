//! The embedded WGSL on an adapter of wgpu; skipped loudly where there is none.

use super::checks;
use crate::groth16_emulated::answers;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith::{Groth16, KeyError, KeyOptions, Witness};
use curvesmith_abi::Features;
use curvesmith_curves::toy::{babybear, toy_curve};
use curvesmith_curves::{bls12_381, bn254, jubjub, secp256r1};
use curvesmith_runtime::{Device, Msm, MsmOptions, Ntt, NttOptions, RuntimeError, StreamedMsm};
use curvesmith_tests::{KnownSum, Size, wgpu_device};
use curvesmith_wgpu::{WgpuDevice, WgpuOptions};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// One for all tests: an adapter's driver compiles each kernel once.
fn device() -> Option<Device> {
    static DEVICE: OnceLock<Option<Device>> = OnceLock::new();
    let open = || wgpu_device().map(|device| Device::with_kernels(Arc::new(device.clone()), None));
    DEVICE.get_or_init(open).clone()
}

#[test]
fn fields() {
    let Some(device) = device() else { return };
    for n in [0, 1, 300] {
        checks::pointwise::<toy_curve::FrField>(&device, n);
        checks::pointwise::<bn254::FrField>(&device, n);
        checks::products_in_place::<bn254::FrField>(&device, n);
    }
    checks::sparse_products::<bn254::FrField>(&device, 1000);
    for (n, windows, key_bits) in [(0, 1, 8), (1, 500, 1), (4097, 20, 15), (70_000, 1, 23)] {
        checks::sort(&device, n, windows, key_bits);
    }
}

#[test]
fn transforms() {
    let Some(adapter) = wgpu_device() else { return };
    checks::ntts::<babybear::FpField>(adapter.clone(), [0, 1, 5, 12]);
    checks::ntts::<bn254::FrField>(adapter.clone(), [1, 8, 9, 13]);
    checks::ntts::<bls12_381::FrField>(adapter.clone(), [10]);
}

/// One group of each kind: `a` zero, an Edwards curve, an extension of degree 2, a field of 12 words; in a
/// long run, `a` not zero.
#[test]
fn sums_of_products() {
    let Some(device) = device() else { return };
    for n in [1, 2, 33, 300] {
        checks::msm::<toy_curve::G1>(&device, n, None);
        checks::msm::<bn254::G1>(&device, n, None);
    }
    checks::msm::<bn254::G2>(&device, 70, None);
    checks::msm::<bls12_381::G1>(&device, 70, None);
    checks::msm::<jubjub::G1>(&device, 70, None);
    if Size::from_env() == Size::Long {
        checks::msm::<secp256r1::G1>(&device, 70, None);
    }
    checks::msm_by_multiples::<bn254::G1>(&device, 60, 3, None);
    checks::msm_of_integers::<bn254::G1>(&device, 70);
}

/// Sums over all groups of built-in curves, and transforms over all their scalar fields, of no more words
/// than texts are tested for. What each takes stands in the output.
#[cfg(feature = "long-tests")]
#[test]
fn every_built_in_curve() {
    use ark_ff::FftField as _;
    use curvesmith_runtime::field::Field;
    use curvesmith_runtime::group::Group;
    use curvesmith_tests::{Visitor, visit_built_in};
    use std::time::Instant;

    /// Words of the widest field that the texts are tested for.
    const WORDS: usize = 12;

    struct Check<'a>(&'a Device);

    fn timed(name: &str, check: impl FnOnce()) {
        let start = Instant::now();
        check();
        eprintln!("{name:<16}{:6.2} s", start.elapsed().as_secs_f64());
    }

    impl Visitor for Check<'_> {
        fn scalars<F: Field>(&mut self) {
            // A launch of the first kind, and several; some fields have a small group of roots only.
            let most = F::Ark::TWO_ADICITY.min(Size::from_env().pick(9, 12));
            if F::WORDS <= WORDS {
                timed(F::NAME, || {
                    [1, most].into_iter().for_each(|log_n| checks::large_ntt::<F>(self.0, log_n))
                });
            }
        }

        fn group<G: Group>(&mut self) {
            if G::Base::WORDS <= WORDS && G::Scalar::WORDS <= WORDS {
                timed(G::NAME, || checks::msm::<G>(self.0, Size::from_env().pick(33, 300), None));
            }
        }
    }

    let Some(device) = device() else { return };
    visit_built_in(&mut Check(&device));
}

/// As on an adapter whose launches reach little of a buffer: sums are cut, and what is not cut says what to
/// do.
#[test]
fn little_of_a_buffer() {
    const N: usize = 17_000;
    let Some(adapter) = wgpu_device() else { return };
    let open = |binding_bytes| {
        let options = WgpuOptions { binding_bytes, ..WgpuOptions::default() };
        let device = WgpuDevice::with_options(adapter.adapter().ordinal, options).unwrap();
        Device::with_kernels(Arc::new(device), None)
    };
    let binding = |error: RuntimeError, least: u64| {
        assert!(matches!(error, RuntimeError::Binding { bytes, .. } if bytes >= least), "{error}");
        assert!(error.to_string().contains("take a smaller input"), "{error}");
    };
    let device = open(1 << 20);
    let known = KnownSum::<bn254::G1>::new(N);
    let plans = [MsmOptions::default(), MsmOptions::default().multiples(3)]
        .map(|options| Msm::<bn254::G1>::new(&device, &known.points, options).unwrap());
    for plan in &plans {
        assert!(plan.bases().bytes() > 1 << 20);
        assert_eq!(plan.run(&known.scalars).unwrap(), known.sum);
    }
    let streamed =
        StreamedMsm::<bn254::G1>::new(&device, known.points.clone(), MsmOptions::default()).unwrap();
    assert!(streamed.parts() > 1);
    assert_eq!(streamed.run(&known.scalars).unwrap(), known.sum);
    let large = Msm::<bn254::G1>::new(&device, &known.points, MsmOptions::default().window(12)).unwrap();
    binding(large.run(&known.scalars).unwrap_err(), 1 << 20);
    let ntt = Ntt::<bn254::FrField>::new(&device, 16, NttOptions::default());
    let transformed = ntt.and_then(|ntt| ntt.forward(&vec![bn254::Fr::from(1u64); 1 << 16]));
    binding(transformed.unwrap_err(), 2 << 20);
    if Size::from_env() == Size::Long {
        answers::<bn254::Curve>(&device, "bn128_semaphore20_ceremony");
    }
    // Three vectors of 2^13 elements.
    let key = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bn128_semaphore20_ceremony/circuit.zkey");
    match Groth16::<bn254::Curve>::from_zkey(&open(1 << 19), &key, &KeyOptions::default()) {
        Err(KeyError::Device(error)) => binding(error, 3 << 18),
        other => panic!("{:?}", other.map(drop)),
    }
}

/// Where words have 32 bits alone, as in web pages, products are half products.
#[test]
fn products_by_halves() {
    let Some(adapter) = wgpu_device() else { return };
    let options = WgpuOptions { words_64: false, ..WgpuOptions::default() };
    let device = WgpuDevice::with_options(adapter.adapter().ordinal, options).unwrap();
    assert_eq!(device.adapter().limits.features, Features::NONE);
    let device = Device::with_kernels(Arc::new(device), None);
    checks::pointwise::<toy_curve::FrField>(&device, 300);
    checks::pointwise::<bn254::FrField>(&device, 300);
    // In a short run the browser's proofs are by halves.
    if Size::from_env() == Size::Long {
        answers::<bn254::Curve>(&device, "bn128_mult");
    }
}

/// Known answers of keys that snarkjs made, one of a ceremony; a long run has those of a second curve. All
/// kernels of a proof are compiled when its key is loaded, but for the product in place, whose bindings are
/// others.
#[test]
fn proofs() {
    let Some(adapter) = wgpu_device() else { return };
    let adapter = WgpuDevice::new(adapter.adapter().ordinal).unwrap();
    let device = Device::with_kernels(Arc::new(adapter.clone()), None);
    let case = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bn128_mult");
    let prover =
        Groth16::<bn254::Curve>::from_zkey(&device, &case.join("circuit.zkey"), &KeyOptions::default())
            .unwrap();
    let before = adapter.compiled();
    let witness = Witness::from_wtns(&case.join("witness.wtns")).unwrap();
    prover.prove(&witness, &mut StdRng::seed_from_u64(1)).unwrap();
    assert_eq!(adapter.compiled(), before + 1);
    answers::<bn254::Curve>(&device, "bn128_mult");
    answers::<bn254::Curve>(&device, "bn128_semaphore20_ceremony");
    if Size::from_env() == Size::Long {
        answers::<bls12_381::Curve>(&device, "bls12381_mult");
    }
}
