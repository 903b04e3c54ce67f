//! What `Debug` shows of public types: what they are, and no digit of what they hold.

use super::constraints::with_coefficient;
use super::{BN_MULT, bn254, fixture};
use crate::snarkjs::json::JsonFile;
use crate::snarkjs::{R1csFile, ZkeyFile, parse_witness};
use crate::*;
use ark_ff::{BigInteger, Field as _, PrimeField};
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_runtime::field::MontLimbs;
use curvesmith_sample::{Chain, Sha256};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

type C = bn254::Curve;
type Scalar = ark_bn254::Fr;

/// Types that hold no values of a caller: options, sizes, reports and errors.
const WITHOUT_VALUES: &[&str] = &[
    "CircuitSize",
    "Failure",
    "Fault",
    "FormatError",
    "JsonError",
    "JsonKind",
    "JsonProblem",
    "KeyElement",
    "KeyError",
    "KeyOptions",
    "MpiError",
    "PointProblem",
    "ProveError",
    "QuotientForm",
    "R1csDimensions",
    "R1csError",
    "R1csFileError",
    "SnarkError",
    "SnarkjsCurve",
    "Stage",
    "VerifyError",
    "Weakness",
    "WtnsError",
    "ZkeyDimensions",
    "ZkeyError",
];
/// What has no `Debug` at all.
const NOT_SHOWN: &[&str] = &["MpiMsm"];

/// Every way in which a number's digits are written: of itself, of its negative and of their Montgomery
/// forms.
fn written(number: Scalar) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for number in [number, -number] {
        found.insert(number.to_string());
        for limbs in [number.into_bigint().0, number.mont_limbs().try_into().unwrap()] {
            for limb in limbs {
                for word in [limb & 0xffff_ffff, limb >> 32, limb] {
                    found.extend([format!("{word}"), format!("{word:x}"), format!("{word:X}")]);
                }
                found.insert(bytes(&limb.to_le_bytes()[..4]));
                found.insert(bytes(&limb.to_be_bytes()[..4]));
            }
        }
    }
    // Shorter ones stand in sizes too.
    found.retain(|digits| digits.len() > 5);
    found
}

/// As a list of bytes is shown, without white space.
fn bytes(bytes: &[u8]) -> String {
    bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
}

struct Walk {
    secrets: BTreeSet<String>,
    walked: BTreeSet<&'static str>,
}

impl Walk {
    /// Shows a value of type `name`.
    fn shows(&mut self, name: &'static str, value: &dyn Debug) {
        for text in self.hides(value) {
            assert!(text.contains(name), "{text} does not say that it is a {name}");
        }
        self.walked.insert(name);
    }

    /// The texts of a value, which hold no secret.
    fn hides(&self, value: &dyn Debug) -> [String; 2] {
        let texts = [format!("{value:?}"), format!("{value:#?}")];
        for text in &texts {
            let bare: String = text.split_whitespace().collect();
            let shown = self.secrets.iter().find(|digits| bare.contains(*digits));
            assert!(shown.is_none(), "{} in {text}", shown.map_or("", |digits| digits));
        }
        texts
    }
}

fn secret() -> Scalar {
    Scalar::from(0x5ec2_e7ab_1234_5679u64).pow([9])
}

/// The names of the public types of this crate, from its text.
fn public_types(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            public_types(&path, found);
            continue;
        }
        for line in std::fs::read_to_string(&path).unwrap().lines() {
            let name = ["pub struct ", "pub enum "].iter().find_map(|kind| line.strip_prefix(kind));
            let end = |name: &str| name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
            found.extend(name.map(|name| name[..end(name)].to_owned()));
        }
    }
}

#[test]
fn no_value_is_shown() {
    let key = std::fs::read(fixture(BN_MULT, "circuit.zkey")).unwrap();
    let mut secrets = written(secret());
    // Of a key's points, what lies at the end of its header's section.
    secrets.insert(bytes(&key[400..404]));
    let mut walk = Walk { secrets, walked: BTreeSet::new() };
    files(&mut walk, key);
    circuits(&mut walk);
    proofs(&mut walk);
    witnesses(&walk);
    let mut all = BTreeSet::new();
    public_types(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    let others: BTreeSet<&str> = WITHOUT_VALUES.iter().chain(NOT_SHOWN).copied().collect();
    assert_eq!(others.intersection(&walk.walked).next(), None);
    let known: BTreeSet<String> = others.union(&walk.walked).map(|name| (*name).to_owned()).collect();
    assert_eq!(known, all, "every public type is walked, or known to hold no values");
}

fn files(walk: &mut Walk, key: Vec<u8>) {
    let file = ZkeyFile::from_bytes(key).unwrap();
    walk.shows("ZkeyFile", &file);
    walk.shows("Zkey", &file.read::<C>(false).unwrap());
    let text = format!("[\"{}\"]", secret());
    walk.shows("JsonFile", &JsonFile::parse(Path::new("public.json"), &text).unwrap());
    let coefficient = 0x5ec2_e7ab_1234_5679;
    walk.secrets.extend(written(coefficient.into()));
    let file = R1csFile::from_bytes(with_coefficient(coefficient)).unwrap();
    walk.shows("R1csFile", &file);
    walk.shows("R1cs", &file.read::<Scalar>().unwrap());
}

fn circuits(walk: &mut Walk) {
    walk.hides(&chain());
    walk.hides(&Sha256 { message: secret().into_bigint().to_bytes_le() });
    walk.shows("Witness", &Witness::<C>::new(chain().assignment()));
}

fn chain() -> Chain<Scalar> {
    Chain { start: secret(), steps: 6, claimed: None }
}

/// A prover that has proven the secret, and what it says of one that it cannot prove.
fn proofs(walk: &mut Walk) {
    type Ark = ark_groth16::Groth16<ark_bn254::Bn254>;
    use ark_snark::CircuitSpecificSetupSNARK as _;
    let mut rng = StdRng::seed_from_u64(1);
    let (key, vk) = Ark::setup(chain(), &mut rng).unwrap();
    let r1cs = constraints_of(chain()).unwrap();
    let prover = Groth16::<C>::from_ark(&Device::cpu(), &key, r1cs, &KeyOptions::default()).unwrap();
    let witness = witness_of::<C>(chain()).unwrap();
    let (_, stats) = prover.prove_with_stats(&witness, &mut rng, Detail::Stages).unwrap();
    walk.shows("ProveStats", &stats);
    walk.shows("Groth16", &prover);
    walk.shows("PreparedVk", &PreparedVk::<C>::new(&vk).unwrap());
    let lie = Chain { claimed: Some(secret()), ..chain() };
    let shifted = Witness::new(chain().assignment()[2..].to_vec());
    let prover = Arc::new(prover);
    walk.hides(&prover.submit(witness, &mut rng));
    for error in [
        prover.prove_circuit(lie, &mut rng).unwrap_err(),
        prover.prove(&shifted, &mut rng).unwrap_err(),
        prover.prove(&Witness::new(vec![secret(); 8]), &mut rng).unwrap_err(),
    ] {
        walk.hides(&error);
        walk.hides(&error.to_string());
    }
}

/// Files of witnesses that are not read: the values' places hold the secret.
fn witnesses(walk: &Walk) {
    let good = std::fs::read(fixture(BN_MULT, "witness.wtns")).unwrap();
    let values = good.len() - 5 * 32;
    for place in 0..5 {
        let mut file = good.clone();
        let secret = secret().into_bigint().to_bytes_le();
        file[values + 32 * place..values + 32 * (place + 1)].copy_from_slice(&secret);
        match parse_witness::<Scalar>(file.clone(), Some(5)) {
            Ok(_) => assert_ne!(place, 0),
            Err(error) => {
                assert_eq!(place, 0);
                walk.hides(&error);
                walk.hides(&error.to_string());
            }
        }
        // Above the prime.
        file[values + 32 * place + 31] = 0xff;
        let error = parse_witness::<Scalar>(file, Some(5)).unwrap_err();
        walk.hides(&error);
        walk.hides(&error.to_string());
    }
}
