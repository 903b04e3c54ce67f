//! The embedded WGSL on an adapter of wgpu; skipped loudly where there is none.

use super::checks;
use crate::groth16_emulated::answers;
use curvesmith_curves::toy::{babybear, toy_curve};
use curvesmith_curves::{bls12_381, bn254, jubjub, secp256r1};
use curvesmith_runtime::Device;
use curvesmith_tests::wgpu_device;
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

/// One group of each kind: `a` zero and not, an Edwards curve, an extension of degree 2, a field of 12 words.
#[test]
fn sums_of_products() {
    let Some(device) = device() else { return };
    for n in [1, 2, 33, 300] {
        checks::msm::<toy_curve::G1>(&device, n, None);
        checks::msm::<bn254::G1>(&device, n, None);
    }
    checks::msm::<bn254::G2>(&device, 70, None);
    checks::msm::<bls12_381::G1>(&device, 70, None);
    checks::msm::<secp256r1::G1>(&device, 70, None);
    checks::msm::<jubjub::G1>(&device, 70, None);
    checks::msm_by_multiples::<bn254::G1>(&device, 60, 3, None);
    checks::msm_of_integers::<bn254::G1>(&device, 70);
}

/// Sums over all groups of built-in curves, and transforms over all their scalar fields, of no more words than texts are
/// tested for. What each takes stands in the output.
#[cfg(feature = "long-tests")]
#[test]
fn every_built_in_curve() {
    use ark_ff::FftField as _;
    use curvesmith_runtime::field::Field;
    use curvesmith_runtime::group::Group;
    use curvesmith_tests::{Size, Visitor, visit_built_in};
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
            let most = F::Ark::TWO_ADICITY.min(Size::from_env().pick(5, 9, 12));
            if F::WORDS <= WORDS {
                timed(F::NAME, || {
                    [1, most].into_iter().for_each(|log_n| checks::large_ntt::<F>(self.0, log_n))
                });
            }
        }

        fn group<G: Group>(&mut self) {
            if G::Base::WORDS <= WORDS && G::Scalar::WORDS <= WORDS {
                timed(G::NAME, || checks::msm::<G>(self.0, Size::from_env().pick(5, 33, 300), None));
            }
        }
    }

    let Some(device) = device() else { return };
    visit_built_in(&mut Check(&device));
}

/// Known answers of keys that snarkjs made, one of a ceremony.
#[test]
fn proofs() {
    let Some(device) = device() else { return };
    answers::<bn254::Curve>(&device, "bn128_mult");
    answers::<bn254::Curve>(&device, "bn128_semaphore20_ceremony");
    answers::<bls12_381::Curve>(&device, "bls12381_mult");
}
