//! snarkjs' JSON files, byte for byte as `snarkjs` writes them.
//!
//! Numbers are decimal strings; points are `[x, y, "1"]`, or `["0", "1", "0"]` for the
//! identity, with coordinates of extension fields as arrays; indentation is one space
//! and no newline ends the file. Reading is strict: every number canonical and below its
//! prime, every point on its curve and in the subgroup of order r, every count right, no key
//! twice. Sizes are bounded, and with them the memory that a file can take.

mod error;
mod tree;
mod value;

pub use error::{JsonError, JsonProblem};

use super::curve::SnarkjsCurve;
use super::source::{open_regular, read_at_most};
use ark_ec::pairing::Pairing;
use ark_ff::Field as _;
use ark_groth16::{Proof, VerifyingKey};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, PairingCurve};
use serde_json::{Value, json};
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use tree::Tree;
use value::{Node, decimal, point_to_json};

/// Largest file read: keys of some 300 000 public inputs.
const MAX_BYTES: u64 = 64 << 20;

/// Largest proof, and what the files of public inputs may have beside the inputs: proofs have
/// 700 to 1300 bytes.
const SMALL_BYTES: u64 = 64 << 10;

/// Per public input: a number has up to 117 digits, the rest is for spaces.
const BYTES_PER_INPUT: u64 = 1 << 10;

/// A kind of JSON file, which bounds its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// A verification key, or anything: 64 MiB at most.
    Any,
    /// A proof: 64 KiB at most.
    Proof,
    /// As many public inputs: 1 KiB for each and 64 KiB at most.
    Public(usize),
}

impl JsonKind {
    fn max_bytes(self) -> u64 {
        match self {
            JsonKind::Any => MAX_BYTES,
            JsonKind::Proof => SMALL_BYTES,
            JsonKind::Public(count) => {
                BYTES_PER_INPUT.saturating_mul(count as u64).saturating_add(SMALL_BYTES).min(MAX_BYTES)
            }
        }
    }
}

/// The text of a JSON file, to be read as one of snarkjs' kinds.
#[derive(Clone)]
pub struct JsonFile {
    path: PathBuf,
    text: Vec<u8>,
}

impl fmt::Debug for JsonFile {
    // A file of any kind: what it holds is not for a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.text.len();
        f.debug_struct("JsonFile").field("path", &self.path).field("bytes", &bytes).finish_non_exhaustive()
    }
}

impl JsonFile {
    /// Reads a verification key, or a file of any kind. Errors: not a regular file, unreadable,
    /// larger than 64 MiB, or not JSON.
    pub fn read(path: &Path) -> Result<Self, JsonError> {
        Self::read_as(path, JsonKind::Any)
    }

    /// As [`JsonFile::read`], for a proof: 64 KiB at most.
    pub fn read_proof(path: &Path) -> Result<Self, JsonError> {
        Self::read_as(path, JsonKind::Proof)
    }

    /// As [`JsonFile::read`], for `count` public inputs: 1 KiB for each and 64 KiB at most.
    pub fn read_public(path: &Path, count: usize) -> Result<Self, JsonError> {
        Self::read_as(path, JsonKind::Public(count))
    }

    /// As [`JsonFile::read`], for a file of this kind.
    pub fn read_as(path: &Path, kind: JsonKind) -> Result<Self, JsonError> {
        let limit = kind.max_bytes();
        let error = |problem| JsonError { path: path.to_owned(), problem };
        let (file, len) = open_regular(path).map_err(|e| error(JsonProblem::Io(e)))?;
        if len > limit {
            return Err(error(JsonProblem::TooLarge { limit }));
        }
        // A file may grow while it is read.
        let text = read_at_most(file, limit.min(len)).map_err(|e| error(JsonProblem::Io(e)))?;
        Self::new(path, text)
    }

    /// Reads a stream to its end; `path` is for error messages.
    pub fn from_reader(path: &Path, input: impl Read, kind: JsonKind) -> Result<Self, JsonError> {
        let error = |problem| JsonError { path: path.to_owned(), problem };
        let limit = kind.max_bytes();
        let mut text = Vec::new();
        let read = input.take(limit + 1).read_to_end(&mut text);
        read.map_err(|e| error(JsonProblem::Io(e)))?;
        if text.len() as u64 > limit {
            return Err(error(JsonProblem::TooLarge { limit }));
        }
        Self::new(path, text)
    }

    /// Parses text that came from `path`, which only error messages use.
    pub fn parse(path: &Path, text: &str) -> Result<Self, JsonError> {
        Self::new(path, text.as_bytes().to_vec())
    }

    fn new(path: &Path, text: Vec<u8>) -> Result<Self, JsonError> {
        match serde_json::from_slice::<serde::de::IgnoredAny>(&text) {
            Ok(_) => Ok(Self { path: path.to_owned(), text }),
            Err(e) => Err(JsonError { path: path.to_owned(), problem: JsonProblem::Syntax(e) }),
        }
    }

    fn with<T>(&self, read: impl FnOnce(Node<'_>) -> Result<T, JsonProblem>) -> Result<T, JsonError> {
        let tree = Tree::parse(&self.text).map_err(JsonProblem::Syntax);
        let result = tree.and_then(|tree| read(Node::root(&tree)));
        result.map_err(|problem| JsonError { path: self.path.clone(), problem })
    }

    /// The file's `curve`. Errors: none, or one that snarkjs' Groth16 does not know.
    pub fn curve(&self) -> Result<SnarkjsCurve, JsonError> {
        self.with(|root| {
            let curve = root.key("curve")?;
            let found = curve.string()?;
            SnarkjsCurve::from_name(found).ok_or_else(|| curve.wrong_text("bn128 or bls12381", found))
        })
    }

    /// Reads a proof of curve `C`. The field `curve` may be missing: rapidsnark writes none.
    pub fn proof<C: PairingCurve>(&self) -> Result<Proof<C::Engine>, JsonError> {
        self.with(|root| {
            check_kind::<C>(&root, false)?;
            Ok(Proof {
                a: root.key("pi_a")?.point::<C::G1>()?,
                b: root.key("pi_b")?.point::<C::G2>()?,
                c: root.key("pi_c")?.point::<C::G1>()?,
            })
        })
    }

    /// Reads public inputs, which must be `count` in number.
    pub fn public<C: PairingCurve>(&self, count: usize) -> Result<Vec<<C::Fr as Field>::Ark>, JsonError> {
        self.with(|root| {
            let items = root.array()?;
            if items.len() != count {
                return Err(root.wrong(format_args!("{count} public inputs"), items.len()));
            }
            items.map(|item| item.number()).collect()
        })
    }

    /// Reads a verification key of curve `C`. `vk_alphabeta_12` is not used.
    pub fn verification_key<C: PairingCurve>(&self) -> Result<VerifyingKey<C::Engine>, JsonError> {
        self.with(|root| {
            check_kind::<C>(&root, true)?;
            let public = root.key("nPublic")?;
            let count = public.integer()?;
            let ic = root.key("IC")?;
            let points = ic.array()?;
            if count.checked_add(1) != Some(points.len() as u64) {
                return Err(
                    ic.wrong(format_args!("nPublic + 1 points, with nPublic = {count}"), points.len())
                );
            }
            Ok(VerifyingKey {
                alpha_g1: root.key("vk_alpha_1")?.point::<C::G1>()?,
                beta_g2: root.key("vk_beta_2")?.point::<C::G2>()?,
                gamma_g2: root.key("vk_gamma_2")?.point::<C::G2>()?,
                delta_g2: root.key("vk_delta_2")?.point::<C::G2>()?,
                gamma_abc_g1: points.map(|point| point.point::<C::G1>()).collect::<Result<_, _>>()?,
            })
        })
    }
}

/// `proof.json`.
pub fn proof_to_json<C: PairingCurve>(proof: &Proof<C::Engine>) -> String {
    print(&json!({
        "pi_a": point_to_json::<C::G1>(&proof.a),
        "pi_b": point_to_json::<C::G2>(&proof.b),
        "pi_c": point_to_json::<C::G1>(&proof.c),
        "protocol": "groth16",
        "curve": curve_name::<C>(),
    }))
}

/// `public.json`: the public inputs without the leading one.
pub fn public_to_json<C: PairingCurve>(inputs: &[<C::Fr as Field>::Ark]) -> String {
    // snarkjs prints an empty list with its own printer's line break.
    if inputs.is_empty() { "[\n]".into() } else { print(&inputs.iter().map(decimal).collect()) }
}

/// `verification_key.json`.
pub fn verification_key_to_json<C: PairingCurve>(vk: &VerifyingKey<C::Engine>) -> String {
    let g2 = |point: &AffineOf<C::G2>| point_to_json::<C::G2>(point);
    let ic: Vec<Value> = vk.gamma_abc_g1.iter().map(point_to_json::<C::G1>).collect();
    print(&json!({
        "protocol": "groth16",
        "curve": curve_name::<C>(),
        "nPublic": vk.gamma_abc_g1.len().saturating_sub(1),
        "vk_alpha_1": point_to_json::<C::G1>(&vk.alpha_g1),
        "vk_beta_2": g2(&vk.beta_g2),
        "vk_gamma_2": g2(&vk.gamma_g2),
        "vk_delta_2": g2(&vk.delta_g2),
        "vk_alphabeta_12": target_to_json::<C>(&C::Engine::pairing(vk.alpha_g1, vk.beta_g2).0),
        "IC": ic,
    }))
}

/// An element of the target field as snarkjs nests it: 2 of 3 of 2.
fn target_to_json<C: PairingCurve>(value: &<C::Engine as Pairing>::TargetField) -> Value {
    let parts: Vec<Value> = value.to_base_prime_field_elements().map(|x| decimal(&x)).collect();
    let pairs: Vec<Value> = parts.chunks(2).map(|c| Value::Array(c.to_vec())).collect();
    pairs.chunks(3).map(|c| Value::Array(c.to_vec())).collect()
}

/// snarkjs' name of the curve, else ours.
fn curve_name<C: PairingCurve>() -> &'static str {
    SnarkjsCurve::of::<C>().map_or(C::NAME, SnarkjsCurve::name)
}

fn check_kind<C: PairingCurve>(root: &Node<'_>, curve_required: bool) -> Result<(), JsonProblem> {
    let protocol = root.key("protocol")?;
    // Older versions of snarkjs wrote `groth`.
    if !["groth16", "groth"].contains(&protocol.string()?) {
        return Err(protocol.wrong_text("groth16", protocol.string()?));
    }
    if !curve_required && !root.has("curve") {
        return Ok(());
    }
    let curve = root.key("curve")?;
    let is_it = match SnarkjsCurve::of::<C>() {
        Some(known) => SnarkjsCurve::from_name(curve.string()?) == Some(known),
        None => curve.string()? == C::NAME,
    };
    if !is_it {
        return Err(curve.wrong_text(curve_name::<C>(), curve.string()?));
    }
    Ok(())
}

/// As `JSON.stringify(value, null, 1)`.
fn print(value: &Value) -> String {
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    serde::Serialize::serialize(value, &mut serializer).expect("values serialize into memory");
    String::from_utf8(out).expect("JSON text is UTF-8")
}
