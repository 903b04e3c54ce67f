//! rapidsnark's interface: its names, arguments and codes (`prover.h` and `verifier.h` of version 0.0.8).
//!
//! Where that library leaves a doubt, this one decides so. Buffers are looked at before anything is proven,
//! and one that is too small is told the size that always suffices, since the next proof can be a digit
//! longer. Nothing of a caller is kept: a key's buffer or file can go when a call returns.
//! `groth16_proof_size` answers for the curve with the longest coordinates.

#![allow(unsafe_code, reason = "functions of C")]

use crate::memory::{Buffer, Failure, Message, Out, answer, bytes, text};
use crate::objects::{self, Object};
use curvesmith_bindings::{
    Cancel, Error, ErrorKind, Key, KeyOptions, Keys, Proof, Result, Source, Verdict, default_device, verify,
};
use std::ffi::{c_char, c_int, c_ulong, c_ulonglong, c_void};
use std::path::Path;
use std::sync::Arc;

const OK: c_int = 0;
const ERROR: c_int = 1;
const SHORT_BUFFER: c_int = 2;
const WITNESS_LENGTH: c_int = 3;

const VALID: c_int = 0;
const INVALID: c_int = 1;
const VERIFIER_ERROR: c_int = 2;

/// Characters of a proof around the digits of its eight coordinates, and more: rapidsnark's 810 for BN254.
const AROUND: u64 = 810 - 8 * 77;
/// Characters of a public input with its quotes and comma, and more.
const INPUT: u64 = 82;

/// Bytes that every proof fits in, with coordinates of so many bits.
fn proof_size(bits: u32) -> u64 {
    // log10(2) is a little less than 0.30103.
    let digits = u64::from(bits) * 30_103 / 100_000 + 1;
    AROUND + 8 * digits
}

/// Bytes that public inputs fit in.
fn public_size(inputs: usize) -> u64 {
    INPUT * inputs as u64 + 4
}

fn code(error: &Error) -> c_int {
    if error.kind == ErrorKind::WitnessLength { WITNESS_LENGTH } else { ERROR }
}

/// Runs a call of the prover.
fn prover(message: &Message, work: impl FnOnce() -> std::result::Result<(), Failure>) -> c_int {
    answer(message, code, SHORT_BUFFER, || work().map(|()| OK))
}

/// Where a proof goes.
struct Outputs {
    proof: Buffer,
    public: Buffer,
}

impl Outputs {
    /// # Safety
    /// Those of [`Buffer::new`].
    unsafe fn new(
        proof: *mut c_char,
        proof_size: *mut c_ulonglong,
        public: *mut c_char,
        public_size: *mut c_ulonglong,
    ) -> Result<Self> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(Self {
                proof: Buffer::new("proof_buffer", proof, proof_size)?,
                public: Buffer::new("public_buffer", public, public_size)?,
            })
        }
    }

    /// Proves, if there is room for the result.
    fn prove(&self, key: &Key, witness: &[u8]) -> std::result::Result<(), Failure> {
        let (proof, public) = (proof_size(key.coordinate_bits()), public_size(key.public_inputs()));
        let short = match (self.proof.has(proof), self.public.has(public)) {
            (false, _) => Some("proof_buffer"),
            (_, false) => Some("public_buffer"),
            _ => None,
        };
        if let Some(what) = short {
            self.proof.say(proof);
            self.public.say(public);
            return Err(Failure::Short(what));
        }
        let Proof { proof, public } = key.prove(Source::Bytes(witness), &Cancel::default())?.compact()?;
        if self.proof.write(&proof) && self.public.write(&public) {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Internal, "a proof is longer than any can be").into())
    }
}

/// A key that was used lately, or is read now.
fn kept(key: Source<'_>) -> Result<Arc<Key>> {
    Keys::of_process()?.get(key, &default_device()?)
}

/// Makes a prover object of a key.
fn create(key: Source<'_>) -> Result<*mut c_void> {
    let key = Key::load(key, &default_device()?, &KeyOptions::default())?;
    Ok(std::ptr::without_provenance_mut(objects::insert(Object::Key(Arc::new(key)))))
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_public_size_for_zkey_buf(
    zkey_buffer: *const c_void,
    zkey_size: c_ulonglong,
    size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        prover(&Message::new(error_msg, error_msg_maxsize), || {
            let size = Out::new("public_size", size)?;
            let key = Source::Bytes(bytes("zkey_buffer", zkey_buffer, zkey_size)?);
            size.set(public_size(Key::public_inputs_of(key)?));
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_public_size_for_zkey_file(
    zkey_fname: *const c_char,
    size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        prover(&Message::new(error_msg, error_msg_maxsize), || {
            let size = Out::new("public_size", size)?;
            let path = Path::new(text("zkey_fname", zkey_fname)?);
            size.set(public_size(Key::public_inputs_of(Source::File(path))?));
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_proof_size(size: *mut c_ulonglong) {
    // SAFETY: the caller's promise. There is nobody to tell that it is null.
    if let Ok(size) = unsafe { Out::new("proof_size", size) } {
        size.set(proof_size(curvesmith_bindings::most_coordinate_bits()));
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_create(
    prover_object: *mut *mut c_void,
    zkey_buffer: *const c_void,
    zkey_size: c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        prover(&Message::new(error_msg, error_msg_maxsize), || {
            let object = Out::new("prover_object", prover_object)?;
            object.set(create(Source::Bytes(bytes("zkey_buffer", zkey_buffer, zkey_size)?))?);
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_create_zkey_file(
    prover_object: *mut *mut c_void,
    zkey_file_path: *const c_char,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        prover(&Message::new(error_msg, error_msg_maxsize), || {
            let object = Out::new("prover_object", prover_object)?;
            object.set(create(Source::File(Path::new(text("zkey_file_path", zkey_file_path)?)))?);
            Ok(())
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_prove(
    prover_object: *mut c_void,
    wtns_buffer: *const c_void,
    wtns_size: c_ulonglong,
    proof_buffer: *mut c_char,
    proof_size: *mut c_ulonglong,
    public_buffer: *mut c_char,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        prover(&Message::new(error_msg, error_msg_maxsize), || {
            let key = objects::key(prover_object.addr())?;
            let witness = bytes("wtns_buffer", wtns_buffer, wtns_size)?;
            Outputs::new(proof_buffer, proof_size, public_buffer, public_size)?.prove(&key, witness)
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_destroy(prover_object: *mut c_void) {
    // What is no object, or in a process that was forked, is left alone: there is nobody to tell.
    let _ = curvesmith_bindings::call(|| Ok(objects::remove(prover_object.addr())));
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover(
    zkey_buffer: *const c_void,
    zkey_size: c_ulonglong,
    wtns_buffer: *const c_void,
    wtns_size: c_ulonglong,
    proof_buffer: *mut c_char,
    proof_size: *mut c_ulonglong,
    public_buffer: *mut c_char,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        prover(&Message::new(error_msg, error_msg_maxsize), || {
            let key = bytes("zkey_buffer", zkey_buffer, zkey_size)?;
            let witness = bytes("wtns_buffer", wtns_buffer, wtns_size)?;
            let outputs = Outputs::new(proof_buffer, proof_size, public_buffer, public_size)?;
            outputs.prove(&*kept(Source::Bytes(key))?, witness)
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_prover_zkey_file(
    zkey_file_path: *const c_char,
    wtns_buffer: *const c_void,
    wtns_size: c_ulonglong,
    proof_buffer: *mut c_char,
    proof_size: *mut c_ulonglong,
    public_buffer: *mut c_char,
    public_size: *mut c_ulonglong,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulonglong,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        prover(&Message::new(error_msg, error_msg_maxsize), || {
            let key = Path::new(text("zkey_file_path", zkey_file_path)?);
            let witness = bytes("wtns_buffer", wtns_buffer, wtns_size)?;
            let outputs = Outputs::new(proof_buffer, proof_size, public_buffer, public_size)?;
            outputs.prove(&*kept(Source::File(key))?, witness)
        })
    }
}

/// # Safety
/// As the header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn groth16_verify(
    proof: *const c_char,
    inputs: *const c_char,
    verification_key: *const c_char,
    error_msg: *mut c_char,
    error_msg_maxsize: c_ulong,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        // Longer on some systems, as long on others.
        #[allow(clippy::useless_conversion, reason = "`unsigned long` has 32 bits on Windows")]
        let message = Message::new(error_msg, u64::from(error_msg_maxsize));
        answer(
            &message,
            |_| VERIFIER_ERROR,
            VERIFIER_ERROR,
            || {
                let (proof, inputs) = (text("proof", proof)?, text("inputs", inputs)?);
                match verify(text("verification_key", verification_key)?, inputs, proof)? {
                    Verdict::Valid => Ok(VALID),
                    Verdict::Invalid(reason) => {
                        message.write(&reason);
                        Ok(INVALID)
                    }
                }
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_rapidsnark() {
        assert_eq!(proof_size(254), 810);
        assert_eq!(public_size(0), 4);
        assert_eq!(public_size(3), 250);
        // Numbers of 381 bits have up to 115 digits.
        assert_eq!(proof_size(381), 810 + 8 * (115 - 77));
    }
}
