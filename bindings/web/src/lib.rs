//! The module of WebAssembly of the npm package `curvesmith-web`: what its worker calls.
//!
//! A function that may wait for a device is set aside meanwhile, by JavaScript's Promise Integration, and
//! returns a promise. The worker calls one at a time: what is set aside holds locks. A panic ends the module,
//! and the worker with it.
#![cfg(target_family = "wasm")]
#![allow(deprecated, reason = "wasm-bindgen marks what it has of JSPI as experimental")]

use curvesmith_bindings::{Device, Error, ErrorKind, Key, KeyOptions, Stage, Verdict};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;

/// What a call throws: `{ code, message }`.
fn thrown(error: Error) -> JsValue {
    object(&[("code", error.kind.name().into()), ("message", error.message.into())])
}

fn object(members: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in members {
        // A new object takes any member.
        let _ = Reflect::set(&object, &JsValue::from(*name), value);
    }
    object.into()
}

fn strings(items: impl IntoIterator<Item = String>) -> JsValue {
    items.into_iter().map(JsValue::from).collect::<Array>().into()
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
}

/// Has panics told to the console: nothing catches them.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| error(&format!("a bug of curvesmith: {panic}"))));
}

/// Memory of the module for a file, which the worker fills.
#[wasm_bindgen]
pub struct Bytes(Vec<u8>);

#[wasm_bindgen]
impl Bytes {
    /// So many zeros; throws where there is no memory for them.
    #[wasm_bindgen(constructor)]
    pub fn new(len: f64) -> Result<Bytes, JsValue> {
        let mut bytes = Vec::new();
        // Whole and not negative: the size of a file.
        bytes.try_reserve_exact(len as usize).map_err(|_| {
            let text = format!("the tab has no memory for {len} bytes more");
            thrown(Error::new(ErrorKind::Internal, text))
        })?;
        bytes.resize(len as usize, 0);
        Ok(Bytes(bytes))
    }

    /// Where they begin in the module's memory.
    #[wasm_bindgen(getter)]
    pub fn begin(&self) -> usize {
        self.0.as_ptr() as usize
    }
}

/// A key that is ready on a device.
#[wasm_bindgen]
pub struct Prover(Key);

/// Switches of a key, as `KeyOptions` of Rust has them.
#[wasm_bindgen]
pub struct Options(KeyOptions);

#[wasm_bindgen]
impl Options {
    /// The default ones.
    #[wasm_bindgen(constructor)]
    #[allow(clippy::new_without_default, reason = "JavaScript constructs it")]
    pub fn new() -> Options {
        Options(KeyOptions::default())
    }

    /// Sets the switch of this name; whether there is one.
    pub fn set(&mut self, name: &str, on: bool) -> bool {
        let KeyOptions { trust_key, check_subgroups, self_check, multiples, wipe, refuse_weak, .. } =
            &mut self.0;
        let switch = match name {
            "trustKey" => trust_key,
            "checkSubgroups" => check_subgroups,
            "selfCheck" => self_check,
            "multiples" => multiples,
            "wipe" => wipe,
            "refuseWeak" => refuse_weak,
            _ => return false,
        };
        *switch = on;
        true
    }
}

/// Names of the curves of this build.
#[wasm_bindgen]
pub fn curves() -> JsValue {
    strings(curvesmith_bindings::curves().map(str::to_owned))
}

/// What the device of this name is; throws why it cannot be used.
#[wasm_bindgen(jspi, js_name = describeDevice)]
pub fn describe_device(name: String) -> Result<String, JsValue> {
    Ok(device(&name)?.name())
}

fn device(name: &str) -> Result<Device, JsValue> {
    curvesmith_bindings::device(name).map_err(thrown)
}

/// Reads a key, and makes it ready on the device of this name.
#[wasm_bindgen(jspi, js_name = loadKey)]
pub fn load_key(zkey: Bytes, device_name: String, options: Options) -> Result<Prover, JsValue> {
    let device = device(&device_name)?;
    Key::from_bytes(zkey.0, &device, &options.0).map(Prover).map_err(thrown)
}

#[wasm_bindgen]
impl Prover {
    /// `{ curve, device, wires, publicInputs, verificationKey, weaknesses }`; the key is text.
    pub fn describe(&self) -> JsValue {
        object(&[
            ("curve", self.0.curve().into()),
            ("device", self.0.device().into()),
            ("wires", (self.0.wires() as f64).into()),
            ("publicInputs", (self.0.public_inputs() as f64).into()),
            ("verificationKey", self.0.verification_key().into()),
            ("weaknesses", strings(self.0.weaknesses())),
        ])
    }
}

/// `{ proof, publicSignals, stages }` of a witness; the first two are texts, a stage is a name and the
/// milliseconds that the page's thread spent on it.
#[wasm_bindgen(jspi)]
pub fn prove(prover: &Prover, wtns: Bytes) -> Result<JsValue, JsValue> {
    let (proof, stages) = prover.0.prove_watched(wtns.0).map_err(thrown)?;
    let stage = |Stage { name, seconds }| Array::of2(&name.into(), &(seconds * 1e3).into());
    Ok(object(&[
        ("proof", proof.proof.into()),
        ("publicSignals", proof.public.into()),
        ("stages", stages.into_iter().map(stage).collect::<Array>().into()),
    ]))
}

/// Why a proof is not valid; nothing if it is. All three are JSON. Throws for a malformed key.
#[wasm_bindgen]
pub fn verify(key: &str, public: &str, proof: &str) -> Result<Option<String>, JsValue> {
    match curvesmith_bindings::verify(key, public, proof).map_err(thrown)? {
        Verdict::Valid => Ok(None),
        Verdict::Invalid(reason) => Ok(Some(reason)),
    }
}
