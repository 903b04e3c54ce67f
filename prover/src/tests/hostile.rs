//! Files that lie: an error that names the field, never a panic.

use super::{BLS_MULT, BN_MULT, bls12_381, bn254, fixture};
use crate::snarkjs::{Zkey, ZkeyCurve, ZkeyError, ZkeyFile, parse_witness};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::PairingCurve;

fn bytes(case: &str, file: &str) -> Vec<u8> {
    std::fs::read(fixture(case, file)).unwrap()
}

fn read_key<C: ZkeyCurve>(bytes: Vec<u8>) -> Result<Zkey<C>, ZkeyError> {
    ZkeyFile::from_bytes(bytes)?.read::<C>(false)
}

fn witness_of<C: ZkeyCurve>(bytes: Vec<u8>) -> Result<usize, String> {
    match parse_witness::<<C::Fr as Field>::Ark>(bytes, None) {
        Ok(values) => Ok(values.len()),
        Err(error) => Err(error.to_string()),
    }
}

/// Offset of a section's content, and its length.
fn section(bytes: &[u8], id: u32) -> (usize, usize) {
    let mut at = 12;
    loop {
        let found = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        let size = u64::from_le_bytes(bytes[at + 4..at + 12].try_into().unwrap()) as usize;
        if found == id {
            return (at + 12, size);
        }
        at += 12 + size;
    }
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

#[track_caller]
fn refused<C: ZkeyCurve>(bytes: Vec<u8>, message: &str) {
    let error = read_key::<C>(bytes).expect_err(message).to_string();
    assert!(error.contains(message), "{error:?} does not contain {message:?}");
}

#[test]
fn every_truncation_is_refused() {
    for case in [BN_MULT, BLS_MULT] {
        let key = bytes(case, "circuit.zkey");
        let witness = bytes(case, "witness.wtns");
        for end in 0..key.len() {
            assert!(ZkeyFile::from_bytes(key[..end].to_vec()).is_err(), "cut at {end}");
        }
        for end in 0..witness.len() {
            assert!(witness_of::<bn254::Curve>(witness[..end].to_vec()).is_err());
            assert!(witness_of::<bls12_381::Curve>(witness[..end].to_vec()).is_err());
        }
    }
}

#[test]
fn keys_that_lie_are_refused() {
    type C = bn254::Curve;
    let good = bytes(BN_MULT, "circuit.zkey");
    read_key::<C>(good.clone()).unwrap();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut key = good.clone();
        change(&mut key);
        key
    };
    let (protocol, _) = section(&good, 1);
    refused::<C>(with(&|k| put(k, protocol, 2)), "plonk key, expected groth16");
    refused::<C>(with(&|k| put(k, protocol, 10)), "fflonk key");
    refused::<C>(with(&|k| put(k, protocol, 77)), "protocol 77");
    refused::<C>(with(&|k| k[0] = b'w'), "begins with `zkey`");
    refused::<C>(with(&|k| put(k, 4, 2)), "version is 2, expected 1");
    refused::<C>(with(&|k| put(k, 8, u32::MAX)), "number of sections");
    refused::<C>(with(&|k| put(k, 8, 9)), "follow the last section");
    refused::<C>(with(&|k| k.push(0)), "1 bytes follow the last section");

    let (header, _) = section(&good, 2);
    let counts = header + 4 + 32 + 4 + 32;
    refused::<C>(with(&|k| put(k, header, u32::MAX)), "section 2 (header)");
    refused::<C>(with(&|k| k[header + 4] ^= 2), "expected bn128 or bls12381");
    refused::<C>(with(&|k| put(k, counts, 6)), "section 5 (points A) has");
    refused::<C>(with(&|k| put(k, counts, u32::MAX)), "points A");
    refused::<C>(with(&|k| put(k, counts, 3)), "number of wires is 3, expected at least 4");
    refused::<C>(with(&|k| put(k, counts + 4, 2)), "section 3 (IC)");
    refused::<C>(with(&|k| put(k, counts + 4, u32::MAX)), "domain size");
    refused::<C>(with(&|k| put(k, counts + 8, 16)), "section 9 (points H)");
    refused::<C>(with(&|k| put(k, counts + 8, 1 << 28)), "section 9 (points H)");
    refused::<C>(with(&|k| put(k, counts + 8, 1 << 31)), "domain size is 2^31, expected at most 2^28");
    refused::<C>(with(&|k| put(k, counts + 8, 7)), "a power of two");
    refused::<C>(with(&|k| put(k, counts + 8, 0)), "a power of two");
    refused::<C>(with(&|k| put(k, counts + 8, 2)), "domain size is 2, expected at least 4");

    let (coefficients, _) = section(&good, 4);
    refused::<C>(with(&|k| put(k, coefficients, 7)), "section 4 (coefficients)");
    refused::<C>(with(&|k| put(k, coefficients, u32::MAX)), "section 4 (coefficients)");
    refused::<C>(with(&|k| put(k, coefficients + 4, 2)), "matrix of coefficient 0 is 2, expected below 2");
    refused::<C>(
        with(&|k| put(k, coefficients + 8, 8)),
        "constraint of coefficient 0 is 8, expected below 8",
    );
    refused::<C>(with(&|k| put(k, coefficients + 12, 5)), "signal of coefficient 0 is 5, expected below 5");
    refused::<C>(with(&|k| k[coefficients + 16..coefficients + 48].fill(0xff)), "value of coefficient 0");

    for (id, name) in
        [(3, "IC"), (5, "points A"), (6, "points B1"), (7, "points B2"), (8, "points C"), (9, "points H")]
    {
        let (at, size) = section(&good, id);
        let last = at + size - 1;
        refused::<C>(with(&|k| k[last] = 0xff), "expected coordinates below q");
        refused::<C>(
            with(&|k| k[at..at + size].fill(1)),
            &format!("section {id} ({name}): point 0 is off the curve"),
        );
        let twice = with(&|k| {
            let copy = k[at - 12..at + size].to_vec();
            k.extend_from_slice(&copy);
            put(k, 8, 11);
        });
        refused::<C>(twice, &format!("section {id} ({name}) appears more than once"));
        let missing = with(&|k| put(k, at - 12, 99));
        refused::<C>(missing, &format!("section {id} ({name}) is missing"));
    }
    refused::<bls12_381::Curve>(good.clone(), "expected bls12_381");
    refused::<C>(bytes(BLS_MULT, "circuit.zkey"), "expected bn254");
}

#[test]
fn header_points_must_be_in_the_subgroup_unless_trusted() {
    type C = bn254::Curve;
    use crate::montgomery::MontgomeryField;
    let mut key = bytes(BN_MULT, "circuit.zkey");
    let (header, _) = section(&key, 2);
    let gamma = header + 84 + 64 + 64 + 128;
    let x = (1u64..)
        .map(ark_bn254::Fq2::from)
        .find_map(|x| ark_bn254::G2Affine::get_point_from_x_unchecked(x, false))
        .unwrap();
    let mut point = Vec::new();
    for part in [x.x.c0, x.x.c1, x.y.c0, x.y.c1] {
        part.push_montgomery_le(&mut point);
    }
    key[gamma..gamma + 128].copy_from_slice(&point);
    refused::<C>(key.clone(), "gamma2 is outside the subgroup");
    let trusted = ZkeyFile::from_bytes(key).unwrap().read::<C>(true).unwrap();
    assert_eq!(trusted.vk.gamma_g2, x);
}

#[test]
fn sections_may_come_in_any_order_and_duplicates_add_up() {
    type C = bn254::Curve;
    let good = bytes(BN_MULT, "circuit.zkey");
    let expected = read_key::<C>(good.clone()).unwrap();
    let mut reordered = good[..12].to_vec();
    for id in (1..=10).rev() {
        let (at, size) = section(&good, id);
        reordered.extend_from_slice(&good[at - 12..at + size]);
    }
    let found = read_key::<C>(reordered).unwrap();
    assert_eq!((found.a, found.vk), (expected.a.clone(), expected.vk));

    let (at, size) = section(&good, 4);
    let entry = good[at + 4..at + 48].to_vec();
    let mut doubled = good[..at + size].to_vec();
    doubled.extend_from_slice(&entry);
    doubled.extend_from_slice(&good[at + size..]);
    let count = u32::from_le_bytes(good[at..at + 4].try_into().unwrap());
    put(&mut doubled, at, count + 1);
    doubled[at - 8..at].copy_from_slice(&((size + 44) as u64).to_le_bytes());
    let found = read_key::<C>(doubled).unwrap();
    let (matrix, before, after) = match entry[0] {
        0 => ("A", &expected.a, &found.a),
        _ => ("B", &expected.b, &found.b),
    };
    assert_eq!(before.columns, after.columns, "{matrix}");
    let changed: Vec<_> = before.values.iter().zip(&after.values).filter(|(a, b)| a != b).collect();
    assert_eq!(changed.len(), 1);
    assert_eq!(*changed[0].0 + changed[0].0, *changed[0].1);
}

#[test]
fn witnesses_that_lie_are_refused() {
    type C = bn254::Curve;
    let good = bytes(BN_MULT, "witness.wtns");
    assert_eq!(witness_of::<C>(good.clone()), Ok(5));
    let (header, _) = section(&good, 1);
    let (values, size) = section(&good, 2);
    let refused = |change: &dyn Fn(&mut Vec<u8>), message: &str| {
        let mut witness = good.clone();
        change(&mut witness);
        let error = witness_of::<C>(witness).unwrap_err();
        assert!(error.contains(message), "{error}");
    };
    refused(&|w| put(w, header, 48), "n8 is 48, expected 32");
    refused(&|w| w[header + 4] ^= 4, "prime is");
    refused(&|w| put(w, header + 36, 4), "section 2 (values) has 160 bytes, expected 128");
    refused(&|w| put(w, header + 36, u32::MAX), "section 2 (values)");
    refused(&|w| put(w, header + 36, 0), "number of values is 0");
    refused(&|w| w[values] = 2, "value 0 is another number, expected 1");
    refused(&|w| w[values + 32 * 3..values + 32 * 4].fill(0xff), "value 3 is not below it");
    let short = |w: &mut Vec<u8>| {
        w.truncate(values + size - 32);
        w[values - 8..values].copy_from_slice(&(size as u64 - 32).to_le_bytes());
    };
    refused(&short, "section 2 (values) has 128 bytes, expected 160");
    assert!(witness_of::<bls12_381::Curve>(good.clone()).unwrap_err().contains("prime"));
}

/// Flips, overwrites and moves bytes; whatever comes out is read or refused.
fn mutate<C: PairingCurve + ZkeyCurve>(case: &str, seed: u64, rounds: usize) {
    use ark_std::rand::{Rng, RngCore, SeedableRng, rngs::StdRng};
    let mut rng = StdRng::seed_from_u64(seed);
    let key = bytes(case, "circuit.zkey");
    let witness = bytes(case, "witness.wtns");
    for _ in 0..rounds {
        let mut key = key.clone();
        let mut witness = witness.clone();
        for bytes in [&mut key, &mut witness] {
            for _ in 0..rng.gen_range(1..4) {
                let at = rng.gen_range(0..bytes.len() - 8);
                match rng.gen_range(0..5) {
                    0 => bytes[at] ^= 1 << rng.gen_range(0..8),
                    1 => bytes[at..at + 8].fill(0xff),
                    2 => bytes[at..at + 8].fill(0),
                    3 => rng.fill_bytes(&mut bytes[at..at + 4]),
                    _ => drop(bytes.drain(at..at + 8)),
                }
            }
        }
        let _ = read_key::<C>(key);
        let _ = witness_of::<C>(witness);
    }
}

#[test]
fn mutated_files_never_panic() {
    mutate::<bn254::Curve>(BN_MULT, 1, 7_000);
    mutate::<bls12_381::Curve>(BLS_MULT, 2, 2_000);
}
