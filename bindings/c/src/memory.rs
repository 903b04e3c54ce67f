//! The caller's memory. What is here trusts that pointers which are not null point to as much memory as their
//! sizes say, as C does.

#![allow(unsafe_code, reason = "this module reads and writes the caller's memory")]

use curvesmith_bindings::{Error, Result};
use std::ffi::{CStr, c_char, c_void};

/// An error for a pointer that is null.
fn null(what: &str) -> Error {
    Error::input(format_args!("{what} is null"))
}

/// Bytes; null for none at all.
///
/// # Safety
/// `pointer` is null or has `size` bytes, which nobody writes while the call runs.
pub(crate) unsafe fn bytes<'a>(what: &str, pointer: *const c_void, size: u64) -> Result<&'a [u8]> {
    // SAFETY: the caller's promise; bytes have no alignment.
    unsafe { array(what, pointer.cast(), size) }
}

/// An array; null for none at all.
///
/// # Safety
/// `pointer` is null or has `len` values, which nobody writes while the call runs.
pub(crate) unsafe fn array<'a, T>(what: &str, pointer: *const T, len: u64) -> Result<&'a [T]> {
    let len = checked::<T>(what, pointer, len)?;
    if len == 0 {
        return Ok(&[]);
    }
    // SAFETY: not null, aligned, of a size that memory can have; and the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// An array that is written; null for none at all.
///
/// # Safety
/// `pointer` is null or has `len` values, which nobody else uses while the call runs.
pub(crate) unsafe fn array_mut<'a, T>(what: &str, pointer: *mut T, len: u64) -> Result<&'a mut [T]> {
    let len = checked::<T>(what, pointer, len)?;
    if len == 0 {
        return Ok(&mut []);
    }
    // SAFETY: as in `array`.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, len) })
}

/// The length of an array that memory can have.
fn checked<T>(what: &str, pointer: *const T, len: u64) -> Result<usize> {
    let fits = usize::try_from(len)
        .ok()
        .filter(|len| len.checked_mul(size_of::<T>()).is_some_and(|bytes| bytes <= isize::MAX as usize));
    let len = fits.ok_or_else(|| Error::input(format_args!("{what}: {len} is more than memory can have")))?;
    if len > 0 && pointer.is_null() {
        return Err(null(what));
    }
    if !pointer.is_aligned() {
        return Err(Error::input(format_args!("{what} is not aligned to {} bytes", align_of::<T>())));
    }
    Ok(len)
}

/// Text that ends with a zero.
///
/// # Safety
/// `pointer` is null or has a zero.
pub(crate) unsafe fn text<'a>(what: &str, pointer: *const c_char) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: not null, and the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map_err(|_| Error::input(format_args!("{what} is not UTF-8")))
}

/// As [`text`]; `None` for null.
///
/// # Safety
/// As for [`text`].
pub(crate) unsafe fn optional_text<'a>(what: &str, pointer: *const c_char) -> Result<Option<&'a str>> {
    // SAFETY: the caller's promise.
    if pointer.is_null() { Ok(None) } else { unsafe { text(what, pointer) }.map(Some) }
}

/// Where a value goes.
#[derive(Clone, Copy)]
pub(crate) struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    /// # Safety
    /// `pointer` is null or has room for a value while the call runs.
    pub(crate) unsafe fn new(what: &str, pointer: *mut T) -> Result<Self> {
        if pointer.is_null() { Err(null(what)) } else { Ok(Self(pointer)) }
    }

    pub(crate) fn get(self) -> T {
        // SAFETY: not null; the promise of `new`. C aligns its numbers, and this does not ask for it.
        unsafe { self.0.read_unaligned() }
    }

    pub(crate) fn set(self, value: T) {
        // SAFETY: as in `get`.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// A buffer for text, whose size is told and answered.
#[derive(Clone, Copy)]
pub(crate) struct Buffer {
    data: *mut c_char,
    size: Out<u64>,
}

impl Buffer {
    /// A buffer of no bytes may be null.
    ///
    /// # Safety
    /// `size` is null or has a number, and `data` is null or has so many bytes; nobody else uses either while
    /// the call runs.
    pub(crate) unsafe fn new(what: &str, data: *mut c_char, size: *mut u64) -> Result<Self> {
        // SAFETY: the caller's promise.
        let size = unsafe { Out::new(&format!("size of {what}"), size) }?;
        if data.is_null() && size.get() > 0 {
            return Err(null(what));
        }
        Ok(Self { data, size })
    }

    /// Whether there is room for so many bytes.
    pub(crate) fn has(self, needed: u64) -> bool {
        self.size.get() >= needed
    }

    /// Answers with a size.
    pub(crate) fn say(self, size: u64) {
        self.size.set(size);
    }

    /// Writes the text and a zero, and answers with the text's length. Whether there was room; else the
    /// buffer is as it was, and the answer is the size that is needed.
    pub(crate) fn write(self, text: &str) -> bool {
        let needed = text.len() as u64 + 1;
        if !self.has(needed) {
            self.say(needed);
            return false;
        }
        // SAFETY: there are so many bytes, by the promise of `new`; a text of ours is not in the caller's
        // buffer.
        unsafe {
            self.data.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
            self.data.add(text.len()).write(0);
        }
        self.say(text.len() as u64);
        true
    }
}

/// Where the message of an error goes.
pub(crate) struct Message {
    data: *mut c_char,
    size: u64,
}

impl Message {
    /// A buffer for messages, null for none.
    ///
    /// # Safety
    /// `data` is null or has `size` bytes, which nobody else uses while the call runs.
    pub(crate) unsafe fn new(data: *mut c_char, size: u64) -> Self {
        Self { data, size: if data.is_null() { 0 } else { size } }
    }

    /// Writes as much of a message as there is room for, up to a whole character, and a zero.
    pub(crate) fn write(&self, message: &str) {
        let Some(room) = usize::try_from(self.size).unwrap_or(usize::MAX).checked_sub(1) else { return };
        let fits =
            (0..=room.min(message.len())).rev().find(|end| message.is_char_boundary(*end)).unwrap_or(0);
        // A zero would end it.
        let text = &message[..fits];
        let end = text.find('\0').unwrap_or(fits);
        // SAFETY: `end` is less than the size, by the promise of `new`.
        unsafe {
            self.data.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), end);
            self.data.add(end).write(0);
        }
    }
}

/// How a call ended.
pub(crate) enum Failure {
    /// A buffer is too small; its size says what is needed.
    Short(&'static str),
    /// Anything else.
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

/// Runs a call, turns its failure into a code, and its message into the caller's.
pub(crate) fn answer(
    message: &Message,
    code: impl FnOnce(&Error) -> i32,
    short: i32,
    work: impl FnOnce() -> std::result::Result<i32, Failure>,
) -> i32 {
    let result = curvesmith_bindings::call(|| match work() {
        Ok(code) => Ok(Ok(code)),
        Err(Failure::Short(what)) => Ok(Err(what)),
        Err(Failure::Error(error)) => Err(error),
    });
    match result {
        Ok(Ok(code)) => code,
        Ok(Err(what)) => {
            message.write(&format!("{what} is too small, its size is now what is needed"));
            short
        }
        Err(error) => {
            message.write(&error.message);
            code(&error)
        }
    }
}
