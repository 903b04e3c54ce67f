//! The addon of the Node package `curvesmith`: what its scripts in `lib` call.
//!
//! Calls that take long return a promise of an answer; one that failed is an answer, too, with the kind and
//! the text of the error. The scripts check arguments, throw errors, and know the shapes of snarkjs.

mod jobs;

use curvesmith_bindings as bindings;
use curvesmith_bindings::{Cancel, Device, Error, ErrorKind, Key, KeyOptions, Keys, Proof, Source, Verdict};
use jobs::{Pool, Ticket};
use napi::bindgen_prelude::{Either, External, Object, Uint8Array};
use napi::{Env, JsDeferred};
use napi_derive::napi;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Keys and proofs. As many run at once as the prover's batches have on a GPU.
static PROOFS: Pool = Pool::new("curvesmith", 4);
/// Verifications, which do not wait for proofs.
static CHECKS: Pool = Pool::new("curvesmith check", 1);
/// Held by every proof; by one that has the device alone, for writing.
static DEVICES: RwLock<()> = RwLock::new(());

/// The JavaScript environment of a thread.
pub struct Session(u32);

/// A key, until it is freed.
pub struct Handle(Mutex<Option<Arc<Key>>>);

/// Why a call failed.
#[napi(object, object_from_js = false)]
pub struct Failure {
    /// The kind's name.
    pub kind: String,
    /// One line.
    pub message: String,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { kind: error.kind.name().to_owned(), message: error.message }
    }
}

/// A key that is ready.
#[napi(object, object_from_js = false)]
pub struct Loaded {
    /// For calls with it.
    pub key: External<Handle>,
    /// Name of its curve.
    pub curve: String,
    /// Name of its device.
    pub device: String,
    /// Values of a witness.
    pub wires: f64,
    /// Public inputs, without the constant one.
    pub public_inputs: f64,
    /// JSON.
    pub verification_key: String,
    /// A line each.
    pub weaknesses: Vec<String>,
}

/// A proof and its public signals as JSON.
#[napi(object, object_from_js = false)]
pub struct Texts {
    /// An object.
    pub proof: String,
    /// An array.
    pub public: String,
}

/// What a verification found.
#[napi(object, object_from_js = false)]
pub struct Checked {
    /// Whether the proof is valid.
    pub valid: bool,
    /// Why it is not; empty if it is.
    pub reason: String,
}

/// A device by name.
#[napi(object, object_from_js = false)]
pub struct Found {
    /// As calls take it.
    pub name: String,
    /// Whether it can be used.
    pub usable: bool,
    /// What it is, or why it cannot be used.
    pub description: String,
}

/// [`KeyOptions`]; what is not set is as there.
#[napi(object, object_to_js = false)]
pub struct Options {
    /// [`KeyOptions::trust_key`].
    pub trust_key: Option<bool>,
    /// [`KeyOptions::check_subgroups`].
    pub check_subgroups: Option<bool>,
    /// [`KeyOptions::self_check`].
    pub self_check: Option<bool>,
    /// [`KeyOptions::multiples`].
    pub multiples: Option<bool>,
    /// [`KeyOptions::wipe`].
    pub wipe: Option<bool>,
    /// [`KeyOptions::stream`].
    pub stream: Option<bool>,
    /// [`KeyOptions::refuse_weak`].
    pub refuse_weak: Option<bool>,
}

impl From<Options> for KeyOptions {
    fn from(options: Options) -> Self {
        let mut made = KeyOptions::default();
        let Options { trust_key, check_subgroups, self_check, multiples, wipe, stream, refuse_weak } =
            options;
        for (member, set) in [
            (&mut made.trust_key, trust_key),
            (&mut made.check_subgroups, check_subgroups),
            (&mut made.self_check, self_check),
            (&mut made.multiples, multiples),
            (&mut made.wipe, wipe),
            (&mut made.stream, stream),
            (&mut made.refuse_weak, refuse_weak),
        ] {
            *member = set.unwrap_or(*member);
        }
        made
    }
}

/// A file's name, or a copy of the caller's bytes: a script can change or detach its own while others read.
enum Taken {
    File(String),
    Bytes(Vec<u8>),
}

impl Taken {
    fn new(source: Either<String, Uint8Array>) -> bindings::Result<Self> {
        match source {
            Either::A(path) => Ok(Taken::File(path)),
            Either::B(array) => {
                let mut bytes = Vec::new();
                let failed =
                    |_| Error::new(ErrorKind::Internal, format_args!("no memory for {} bytes", array.len()));
                bytes.try_reserve_exact(array.len()).map_err(failed)?;
                bytes.extend_from_slice(&array);
                Ok(Taken::Bytes(bytes))
            }
        }
    }

    fn source(&self) -> Source<'_> {
        match self {
            Taken::File(path) => Source::File(Path::new(path)),
            Taken::Bytes(bytes) => Source::Bytes(bytes),
        }
    }

    /// Bytes of memory that a key of it takes, for the garbage collector: about as many as its file has.
    fn size(&self) -> usize {
        match self {
            Taken::File(path) => {
                std::fs::metadata(path).map_or(0, |meta| usize::try_from(meta.len()).unwrap_or(usize::MAX))
            }
            Taken::Bytes(bytes) => bytes.len(),
        }
    }
}

/// The version, which is that of the scripts.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Names of the curves of this build.
#[napi]
pub fn curves() -> Vec<&'static str> {
    bindings::curves().collect()
}

/// Enters the environment of this thread. When it ends, its calls are cancelled, and it waits for those that
/// run.
#[napi]
pub fn open(env: &Env) -> napi::Result<External<Session>> {
    static OPENED: AtomicU32 = AtomicU32::new(0);
    let owner = OPENED.fetch_add(1, Ordering::Relaxed);
    env.add_env_cleanup_hook(owner, |owner| {
        PROOFS.end(owner);
        CHECKS.end(owner);
    })?;
    Ok(External::new(Session(owner)))
}

/// For one call.
#[napi]
pub fn ticket(session: &External<Session>) -> External<Arc<Ticket>> {
    External::new(Ticket::new(session.0))
}

/// Ends the call of this ticket early.
#[napi]
pub fn cancel(ticket: &External<Arc<Ticket>>) {
    PROOFS.cancel(ticket);
    CHECKS.cancel(ticket);
}

/// Reads a key and brings it to a device.
#[napi(ts_return_type = "Promise<Loaded | Failure>")]
pub fn load_key<'env>(
    env: &'env Env,
    ticket: &External<Arc<Ticket>>,
    key: Either<String, Uint8Array>,
    device: String,
    options: Options,
) -> napi::Result<Object<'env>> {
    let (key, options) = (Taken::new(key), KeyOptions::from(options));
    let load = move |_: &Cancel| {
        let key = key?;
        let size = key.size();
        let loaded = Key::load(key.source(), &bindings::device(&device)?, &options)?;
        Ok((loaded, size))
    };
    start(env, &PROOFS, ticket, load, |(key, size)| Loaded {
        curve: key.curve().to_owned(),
        device: key.device(),
        wires: key.wires() as f64,
        public_inputs: key.public_inputs() as f64,
        verification_key: key.verification_key(),
        weaknesses: key.weaknesses(),
        key: External::new_with_size_hint(Handle(Mutex::new(Some(Arc::new(key)))), size),
    })
}

/// Gives a key up. Proofs that were asked for before are made.
#[napi]
pub fn free_key(key: &External<Handle>) {
    let freed = key.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    drop(freed);
}

/// Proves with a key.
#[napi]
pub fn prove<'env>(
    env: &'env Env,
    ticket: &External<Arc<Ticket>>,
    key: &External<Handle>,
    witness: Either<String, Uint8Array>,
) -> napi::Result<Object<'env>> {
    let key = key.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let witness = Taken::new(witness);
    let prove = move |cancel: &Cancel| {
        let key = key.ok_or_else(|| Error::input("the key was freed"))?;
        prove_with(&key, &witness?, cancel)
    };
    start(env, &PROOFS, ticket, prove, texts)
}

/// Proves with a key that is kept by its content.
#[napi]
pub fn prove_once<'env>(
    env: &'env Env,
    ticket: &External<Arc<Ticket>>,
    key: Either<String, Uint8Array>,
    device: String,
    witness: Either<String, Uint8Array>,
) -> napi::Result<Object<'env>> {
    let (key, witness) = (Taken::new(key), Taken::new(witness));
    // On this thread, since it reads the process' environment, which scripts may change.
    let keys = Keys::of_process();
    let prove = move |cancel: &Cancel| {
        let device: Device = bindings::device(&device)?;
        let kept = keys?.get(key?.source(), &device)?;
        prove_with(&kept, &witness?, cancel)
    };
    start(env, &PROOFS, ticket, prove, texts)
}

/// Verifies a proof; all three are JSON.
#[napi]
pub fn verify<'env>(
    env: &'env Env,
    ticket: &External<Arc<Ticket>>,
    key: String,
    public: String,
    proof: String,
) -> napi::Result<Object<'env>> {
    let verify = move |_: &Cancel| bindings::verify(&key, &public, &proof);
    start(env, &CHECKS, ticket, verify, |verdict| match verdict {
        Verdict::Valid => Checked { valid: true, reason: String::new() },
        Verdict::Invalid(reason) => Checked { valid: false, reason },
    })
}

/// Devices by name, and whether they can be used.
#[napi]
pub fn devices<'env>(env: &'env Env, ticket: &External<Arc<Ticket>>) -> napi::Result<Object<'env>> {
    let find = |_: &Cancel| Ok(bindings::devices());
    start(env, &PROOFS, ticket, find, |devices| {
        let found = devices.into_iter().map(|(name, device)| Found {
            name: name.to_owned(),
            usable: device.is_ok(),
            description: device.unwrap_or_else(|error| error.message),
        });
        found.collect::<Vec<_>>()
    })
}

fn texts(proof: Proof) -> Texts {
    Texts { proof: proof.proof, public: proof.public }
}

/// Proves beside others; alone, if beside them there was no room on the device.
fn prove_with(key: &Key, witness: &Taken, cancel: &Cancel) -> bindings::Result<Proof> {
    let beside = DEVICES.read().unwrap_or_else(PoisonError::into_inner);
    let proof = key.prove(witness.source(), cancel);
    drop(beside);
    match proof {
        Err(error) if error.kind == ErrorKind::DeviceMemory => {
            let _alone = DEVICES.write().unwrap_or_else(PoisonError::into_inner);
            key.prove(witness.source(), cancel)
        }
        proof => proof,
    }
}

/// What a promise is resolved with, made on the thread of the script.
type Resolve<A> = Box<dyn FnOnce(Env) -> napi::Result<Either<Failure, A>> + Send>;

/// Has `work` done on a thread of the pool, and `answer` made of its result; a promise of it.
fn start<'env, T, A>(
    env: &'env Env,
    pool: &'static Pool,
    ticket: &Arc<Ticket>,
    work: impl FnOnce(&Cancel) -> bindings::Result<T> + Send + 'static,
    answer: fn(T) -> A,
) -> napi::Result<Object<'env>>
where
    T: Send + 'static,
    A: napi::bindgen_prelude::ToNapiValue + 'static,
{
    let (deferred, promise): (JsDeferred<Either<Failure, A>, Resolve<A>>, _) = env.create_deferred()?;
    let running = Arc::clone(ticket);
    let run = move |state: bindings::Result<()>| {
        let result = state.and_then(|()| bindings::call(|| work(&running.cancel)));
        deferred.resolve(Box::new(move |_| {
            Ok(match result {
                Ok(value) => Either::B(answer(value)),
                Err(error) => Either::A(Failure::from(error)),
            })
        }));
    };
    pool.submit(Arc::clone(ticket), Box::new(run));
    Ok(promise)
}
