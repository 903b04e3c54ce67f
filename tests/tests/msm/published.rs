//! Vectors that others published: `tests/fixtures/eip2537`.

use super::emulator;
use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::PrimeField;
use curvesmith_curves::bls12_381::{G1, G2};
use curvesmith_runtime::group::{AffineOf, Group};
use curvesmith_runtime::{Device, Msm, MsmOptions, StreamedMsm};
use curvesmith_tests::Size;
use serde_json::Value;

/// A coordinate: 16 bytes of zeros, and 48 with the highest first.
fn coordinate(bytes: &[u8]) -> Fq {
    assert!(bytes[..16].iter().all(|byte| *byte == 0));
    Fq::from_be_bytes_mod_order(&bytes[16..64])
}

/// A point; zeros for the identity.
fn g1(bytes: &[u8]) -> G1Affine {
    let (x, y) = (coordinate(&bytes[..64]), coordinate(&bytes[64..]));
    if bytes.iter().all(|byte| *byte == 0) { G1Affine::zero() } else { G1Affine::new(x, y) }
}

fn g2(bytes: &[u8]) -> G2Affine {
    let [a, b, c, d] = [0, 64, 128, 192].map(|from| coordinate(&bytes[from..from + 64]));
    let identity = bytes.iter().all(|byte| *byte == 0);
    if identity { G2Affine::zero() } else { G2Affine::new(Fq2::new(a, b), Fq2::new(c, d)) }
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

/// Sums by every kind of plan.
fn check<G: Group<Scalar = curvesmith_curves::bls12_381::FrField>>(
    json: &str,
    cases: usize,
    point_bytes: usize,
    point: fn(&[u8]) -> AffineOf<G>,
) {
    let vectors: Vec<Value> = serde_json::from_str(json).unwrap();
    assert_eq!(vectors.len(), cases);
    let devices = [Device::on_emulator(emulator(), None), Device::cpu()];
    for (i, vector) in vectors.iter().enumerate() {
        let input = bytes(&vector["Input"]);
        let terms = input.chunks_exact(point_bytes + 32);
        assert!(terms.remainder().is_empty() && terms.len() > 0);
        // Scalars are integers of 256 bits, which may be above r.
        let (points, scalars): (Vec<_>, Vec<Fr>) = terms
            .map(|term| (point(&term[..point_bytes]), Fr::from_be_bytes_mod_order(&term[point_bytes..])))
            .unzip();
        let expected = point(&bytes(&vector["Expected"]));
        // A third of them on the emulator in a short run.
        let cpu_alone = Size::from_env() == Size::Normal && i % 3 != 0;
        for device in &devices[usize::from(cpu_alone)..] {
            let name = &vector["Name"];
            let plan = Msm::<G>::new(device, &points, MsmOptions::default()).unwrap();
            assert_eq!(plan.run(&scalars).unwrap().into_affine(), expected, "{name}");
            if points.len() < 10 {
                let options = MsmOptions::default().multiples(8);
                let plan = Msm::<G>::new(device, &points, options).unwrap();
                assert_eq!(plan.run(&scalars).unwrap().into_affine(), expected, "{name}");
                let plan = StreamedMsm::<G>::new(device, points.clone(), MsmOptions::default()).unwrap();
                assert_eq!(plan.run(&scalars).unwrap().into_affine(), expected, "{name}");
            }
        }
    }
}

#[test]
fn eip_2537() {
    check::<G1>(include_str!("../../fixtures/eip2537/msm_g1.json"), 16, 128, g1);
    check::<G2>(include_str!("../../fixtures/eip2537/msm_g2.json"), 14, 256, g2);
}
