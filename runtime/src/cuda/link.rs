//! From PTX to the machine code of the device at hand, with the driver's own assembler.

use super::describe;
use cudarc::driver::sys;
use std::ffi::c_void;

/// Bytes of the assembler's error text that are kept.
const LOG_BYTES: usize = 8192;

/// Destroys the linker's state, and with it the cubin it owns.
struct Link(sys::CUlinkState);

impl Drop for Link {
    fn drop(&mut self) {
        // SAFETY: the state was created and is destroyed once. A failure leaks it.
        let _ = unsafe { sys::cuLinkDestroy(self.0) };
    }
}

/// Assembles PTX for the device of the current context; the error is the driver's text.
pub(super) fn link(ptx: String) -> Result<Vec<u8>, String> {
    let mut ptx = ptx.into_bytes();
    // The driver takes PTX as a C string with its terminator counted.
    if ptx.contains(&0) {
        return Err("PTX text has a zero byte".into());
    }
    ptx.push(0);
    let mut log = vec![0u8; LOG_BYTES];
    let mut options =
        [sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER, sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // An option's value is a pointer, or an integer in a pointer's place.
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(LOG_BYTES)];
    let mut state: sys::CUlinkState = std::ptr::null_mut();
    // SAFETY: a context is current; the log buffer and the option arrays outlive `Link`,
    // which is dropped before them.
    let created =
        unsafe { sys::cuLinkCreate_v2(2, options.as_mut_ptr(), values.as_mut_ptr(), &mut state).result() };
    created.map_err(|e| format!("cuLinkCreate: {}", describe(e)))?;
    let link = Link(state);

    // SAFETY: the text is alive during the call and as long as said; there are no options.
    let added = unsafe {
        sys::cuLinkAddData_v2(
            link.0,
            sys::CUjitInputType::CU_JIT_INPUT_PTX,
            ptx.as_mut_ptr().cast(),
            ptx.len(),
            c"image.ptx".as_ptr(),
            0,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
        .result()
    };
    let (mut cubin, mut size) = (std::ptr::null_mut(), 0);
    let linked = added.map_err(|e| ("cuLinkAddData", e)).and_then(|()| {
        // SAFETY: the state is valid; the two results are written on success.
        let completed = unsafe { sys::cuLinkComplete(link.0, &mut cubin, &mut size).result() };
        completed.map_err(|e| ("cuLinkComplete", e))
    });
    if let Err((call, error)) = linked {
        drop(link);
        let end = log.iter().position(|&b| b == 0).unwrap_or(log.len());
        return Err(format!("{call}: {}: {}", describe(error), String::from_utf8_lossy(&log[..end]).trim()));
    }
    // SAFETY: on success the driver owns `size` bytes at `cubin` until the state is destroyed.
    let bytes = unsafe { std::slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec();
    drop(link);
    Ok(bytes)
}
