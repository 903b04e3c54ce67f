//! The PTX text of an image.

use crate::error::{Result, RuntimeError};
use curvesmith_abi::Image;

/// The PTX text of an image. Refuses a text that is not as long as the image says, and
/// never decompresses more than that.
pub fn decompress(image: &Image) -> Result<Vec<u8>> {
    use std::io::Read;
    /// No image comes near; a larger length is damage, not a reason to allocate.
    const LIMIT: u64 = 1 << 28;
    let bad = |reason: String| RuntimeError::Image { image: image.name.clone(), reason };
    if image.ptx_len > LIMIT {
        return Err(bad(format!("text of {} bytes, at most {LIMIT} are accepted", image.ptx_len)));
    }
    let decoder = zstd::Decoder::new(image.ptx_zstd.as_slice()).map_err(|e| bad(e.to_string()))?;
    let mut text = Vec::new();
    let found = decoder.take(image.ptx_len + 1).read_to_end(&mut text).map_err(|e| bad(e.to_string()))?;
    if found as u64 != image.ptx_len {
        return Err(bad(format!("text is not {} bytes long", image.ptx_len)));
    }
    Ok(text)
}
