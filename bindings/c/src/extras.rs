//! What rapidsnark's interface does not have: resident keys, batches, cancellation, sums, transforms,
//! devices.

#![allow(unsafe_code, reason = "functions of C")]

use crate::memory::{Buffer, Failure, Message, Out, answer, array, array_mut, bytes, optional_text, text};
use crate::objects::{self, Object};
use curvesmith_bindings::{
    Cancel, Device, Error, ErrorKind, Form, Key, KeyOptions, Msm, Ntt, Proof, Result, Source, default_device,
    device, devices,
};
use std::ffi::{c_char, c_int, c_void};
use std::path::Path;
use std::sync::Arc;

const OK: c_int = 0;
const SHORT_BUFFER: c_int = 2;

/// Codes, of which the first four are rapidsnark's.
fn code(error: &Error) -> c_int {
    match error.kind {
        ErrorKind::Input => 1,
        ErrorKind::WitnessLength => 3,
        ErrorKind::Invalid => 4,
        ErrorKind::DeviceMemory => 5,
        ErrorKind::Device => 6,
        ErrorKind::Cancelled => 7,
        _ => 8,
    }
}

fn run(message: &Message, work: impl FnOnce() -> std::result::Result<(), Failure>) -> c_int {
    answer(message, code, SHORT_BUFFER, || work().map(|()| OK))
}

/// The device of this name; that of the environment for null.
///
/// # Safety
/// `name` is null or has a zero.
unsafe fn device_of(name: *const c_char) -> Result<Device> {
    // SAFETY: the caller's promise.
    match unsafe { optional_text("device", name) }? {
        Some(name) => device(name),
        None => default_device(),
    }
}

fn form_of(form: u32) -> Result<Form> {
    match form {
        0 => Ok(Form::Canonical),
        1 => Ok(Form::Montgomery),
        other => Err(Error::input(format_args!("form {other}, expected 0 or 1"))),
    }
}

/// Bits of `flags`.
const FLAGS: [fn(KeyOptions) -> KeyOptions; 6] = [
    |options| options.trust_key(true),
    |options| options.check_subgroups(true),
    |options| options.wipe(true),
    |options| options.stream(true),
    |options| options.refuse_weak(true),
    |options| options.multiples(false),
];

fn options_of(flags: u32) -> Result<KeyOptions> {
    if flags >> FLAGS.len() != 0 {
        return Err(Error::input(format_args!(
            "flags are {flags:#x}, of which this version does not know all"
        )));
    }
    let set = FLAGS.iter().enumerate().filter(|(bit, _)| flags >> bit & 1 == 1);
    Ok(set.fold(KeyOptions::default(), |options, (_, set)| set(options)))
}

/// The version of the library, as text.
#[unsafe(no_mangle)]
pub extern "C" fn curvesmith_version() -> *const c_char {
    const VERSION: &[u8] = concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes();
    VERSION.as_ptr().cast()
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_free(object: u64) -> c_int {
    // SAFETY: no memory is given.
    run(&unsafe { Message::new(std::ptr::null_mut(), 0) }, || {
        let known = object == 0 || usize::try_from(object).is_ok_and(objects::remove);
        if known { Ok(()) } else { Err(Error::input("no object").into()) }
    })
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_devices(
    buffer: *mut c_char,
    size: *mut u64,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let buffer = Buffer::new("buffer", buffer, size)?;
            let line = |(name, found): (&str, Result<String>)| match found {
                Ok(found) => format!("{name}\tusable\t{found}\n"),
                Err(error) => format!("{name}\tunusable\t{error}\n"),
            };
            let text: String = devices().into_iter().map(line).collect();
            if buffer.write(&text) { Ok(()) } else { Err(Failure::Short("buffer")) }
        })
    }
}

fn load(key: Source<'_>, device: &Device, flags: u32) -> Result<u64> {
    let key = Key::load(key, device, &options_of(flags)?)?;
    Ok(objects::insert(Object::Key(Arc::new(key))) as u64)
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_key_load(
    key: *mut u64,
    zkey: *const c_void,
    zkey_size: u64,
    device: *const c_char,
    flags: u32,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let key = Out::new("key", key)?;
            key.set(load(Source::Bytes(bytes("zkey", zkey, zkey_size)?), &device_of(device)?, flags)?);
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_key_load_file(
    key: *mut u64,
    path: *const c_char,
    device: *const c_char,
    flags: u32,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let key = Out::new("key", key)?;
            key.set(load(Source::File(Path::new(text("path", path)?)), &device_of(device)?, flags)?);
            Ok(())
        })
    }
}

/// What is known of a key.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KeyInfo {
    wires: u64,
    public_inputs: u64,
    proof_size: u64,
    public_size: u64,
    curve: [u8; 32],
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_key_info(
    key: u64,
    info: *mut KeyInfo,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let info = Out::new("info", info)?;
            let key = key_of(key)?;
            let mut curve = [0; 32];
            curve.iter_mut().zip(key.curve().bytes().take(31)).for_each(|(to, from)| *to = from);
            let (proof_size, public_size) = sizes(&key);
            let (wires, public_inputs) = (key.wires() as u64, key.public_inputs() as u64);
            info.set(KeyInfo { wires, public_inputs, proof_size, public_size, curve });
            Ok(())
        })
    }
}

fn key_of(number: u64) -> Result<Arc<Key>> {
    objects::key(usize::try_from(number).unwrap_or(0))
}

/// Bytes that every proof of a key and its public inputs fit in, as snarkjs writes them.
fn sizes(key: &Key) -> (u64, u64) {
    let digits = u64::from(key.coordinate_bits()) * 30_103 / 100_000 + 1;
    (512 + 8 * digits, 8 + 96 * key.public_inputs() as u64)
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_key_verification_key(
    key: u64,
    buffer: *mut c_char,
    size: *mut u64,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let buffer = Buffer::new("buffer", buffer, size)?;
            let written = buffer.write(&key_of(key)?.verification_key());
            if written { Ok(()) } else { Err(Failure::Short("buffer")) }
        })
    }
}

/// A witness, and where its proof goes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Job {
    witness: *const c_void,
    witness_size: u64,
    proof: *mut c_char,
    proof_size: u64,
    public: *mut c_char,
    public_size: u64,
    error: *mut c_char,
    error_size: u64,
    code: c_int,
}

/// Whether there is room for any proof of the key; else sizes say what is needed.
fn has_room(key: &Key, proof: Buffer, public: Buffer) -> std::result::Result<(), Failure> {
    let needed = sizes(key);
    if proof.has(needed.0) && public.has(needed.1) {
        return Ok(());
    }
    let short = if proof.has(needed.0) { "public" } else { "proof" };
    proof.say(needed.0);
    public.say(needed.1);
    Err(Failure::Short(short))
}

fn give(texts: &Proof, proof: Buffer, public: Buffer) -> std::result::Result<(), Failure> {
    if proof.write(&texts.proof) && public.write(&texts.public) {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Internal, "a proof is longer than any can be").into())
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_prove(
    key: u64,
    cancel: u64,
    witness: *const c_void,
    witness_size: u64,
    proof: *mut c_char,
    proof_size: *mut u64,
    public: *mut c_char,
    public_size: *mut u64,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let key = key_of(key)?;
            let cancel = optional_cancel(cancel)?;
            let witness = bytes("witness", witness, witness_size)?;
            let (proof, public) =
                (Buffer::new("proof", proof, proof_size)?, Buffer::new("public", public, public_size)?);
            has_room(&key, proof, public)?;
            give(&key.prove(Source::Bytes(witness), &cancel)?, proof, public)
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_prove_batch(
    key: u64,
    cancel: u64,
    jobs: *mut Job,
    count: u64,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let key = key_of(key)?;
            let cancel = optional_cancel(cancel)?;
            let jobs = array_mut("jobs", jobs, count)?;
            let mut witnesses = Vec::new();
            let mut waiting = Vec::new();
            for (at, job) in jobs.iter_mut().enumerate() {
                let message = Message::new(job.error, job.error_size);
                job.code = run(&message, || {
                    let witness = bytes("witness", job.witness, job.witness_size)?;
                    let proof = Buffer::new("proof", job.proof, &raw mut job.proof_size)?;
                    has_room(&key, proof, Buffer::new("public", job.public, &raw mut job.public_size)?)?;
                    witnesses.push(Source::Bytes(witness));
                    waiting.push(at);
                    Ok(())
                });
            }
            for (at, proven) in waiting.into_iter().zip(key.prove_batch(&witnesses, &cancel)) {
                let job = &mut jobs[at];
                job.code = run(&Message::new(job.error, job.error_size), || {
                    let proof = Buffer::new("proof", job.proof, &raw mut job.proof_size)?;
                    give(&proven?, proof, Buffer::new("public", job.public, &raw mut job.public_size)?)
                });
            }
            Ok(())
        })
    }
}

/// What ends a proof; nothing does for 0.
fn optional_cancel(number: u64) -> Result<Cancel> {
    if number == 0 { Ok(Cancel::default()) } else { cancel_of(number) }
}

fn cancel_of(number: u64) -> Result<Cancel> {
    let take = |object| if let Object::Cancel(cancel) = object { Some(cancel) } else { None };
    objects::get("cancel", usize::try_from(number).unwrap_or(0), take)
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_cancel_new(cancel: *mut u64) -> c_int {
    // SAFETY: no memory is given for a message; the caller's promise.
    unsafe {
        run(&Message::new(std::ptr::null_mut(), 0), || {
            Out::new("cancel", cancel)?.set(objects::insert(Object::Cancel(Cancel::default())) as u64);
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_cancel(cancel: u64) -> c_int {
    // SAFETY: no memory is given.
    run(&unsafe { Message::new(std::ptr::null_mut(), 0) }, || {
        cancel_of(cancel)?.cancel();
        Ok(())
    })
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_msm_new(
    msm: *mut u64,
    curve: *const c_char,
    group: u32,
    bases: *const u64,
    words: u64,
    form: u32,
    device: *const c_char,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let msm = Out::new("msm", msm)?;
            let bases = array("bases", bases, words)?;
            let group = u8::try_from(group).unwrap_or(0);
            let plan = Msm::new(text("curve", curve)?, group, bases, form_of(form)?, &device_of(device)?)?;
            msm.set(objects::insert(Object::Msm(Arc::new(plan))) as u64);
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_msm_run(
    msm: u64,
    scalars: *const u64,
    words: u64,
    form: u32,
    point: *mut u64,
    point_words: u64,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let take = |object| if let Object::Msm(msm) = object { Some(msm) } else { None };
            let msm = objects::get("msm", usize::try_from(msm).unwrap_or(0), take)?;
            let scalars = array("scalars", scalars, words)?;
            let expected = msm.point_words();
            if point_words != expected as u64 {
                return Err(
                    Error::input(format_args!("point has {point_words} words, expected {expected}")).into()
                );
            }
            let sum = msm.run(scalars, form_of(form)?)?;
            // Not before: the scalars may lie in the same memory.
            array_mut("point", point, point_words)?.copy_from_slice(&sum);
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_ntt_new(
    ntt: *mut u64,
    curve: *const c_char,
    len: u64,
    shift: *const u64,
    shift_words: u64,
    device: *const c_char,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let ntt = Out::new("ntt", ntt)?;
            let shift = array("shift", shift, shift_words)?;
            let shift = (!shift.is_empty()).then_some(shift);
            let len =
                usize::try_from(len).map_err(|_| Error::input(format_args!("len {len} is too large")))?;
            let plan = Ntt::new(text("curve", curve)?, len, shift, &device_of(device)?)?;
            ntt.set(objects::insert(Object::Ntt(Arc::new(plan))) as u64);
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn curvesmith_ntt_run(
    ntt: u64,
    values: *mut u64,
    words: u64,
    form: u32,
    inverse: c_int,
    error_msg: *mut c_char,
    error_size: u64,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        run(&Message::new(error_msg, error_size), || {
            let take = |object| if let Object::Ntt(ntt) = object { Some(ntt) } else { None };
            let ntt = objects::get("ntt", usize::try_from(ntt).unwrap_or(0), take)?;
            let values = array_mut("values", values, words)?;
            let form = form_of(form)?;
            if inverse == 0 {
                ntt.forward(values, form)?;
            } else {
                ntt.inverse(values, form)?;
            }
            Ok(())
        })
    }
}
