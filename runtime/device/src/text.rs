//! The PTX text of an image.

use crate::error::{Result, RuntimeError};
use curvesmith_abi::Image;
use ruzstd::decoding::StreamingDecoder;

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
    let decoder = StreamingDecoder::new(image.ptx_zstd.as_slice()).map_err(|e| bad(e.to_string()))?;
    let mut text = Vec::new();
    let found = decoder.take(image.ptx_len + 1).read_to_end(&mut text).map_err(|e| bad(e.to_string()))?;
    if found as u64 != image.ptx_len {
        return Err(bad(format!("text is not {} bytes long", image.ptx_len)));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines that differ, long enough for several blocks, each of them compressed.
    fn image() -> (String, Image) {
        let line = |i: u32| {
            format!("mad.lo.cc.u32 %r{}, %r{}, %r{};\n", i, i.wrapping_mul(747_796_405) >> 20, i / 3)
        };
        let text: String = (0..12_000).map(line).collect();
        let image = Image {
            name: "toy".into(),
            declaration: String::new(),
            emitter: String::new(),
            min_compute: 75,
            kernels: vec![],
            ptx_len: text.len() as u64,
            ptx_zstd: zstd::bulk::compress(text.as_bytes(), 18).expect("memory can be written to"),
        };
        (text, image)
    }

    #[test]
    fn texts_come_back() {
        let (text, image) = image();
        assert_eq!(decompress(&image).expect("it is intact"), text.as_bytes());
        let empty = zstd::bulk::compress(b"", 18).expect("memory can be written to");
        let nothing = Image { ptx_len: 0, ptx_zstd: empty, ..image };
        assert_eq!(decompress(&nothing).expect("it is intact"), b"");
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let (_, image) = image();
        let len = image.ptx_zstd.len();
        for kept in (0..len).step_by(97).chain(0..20).chain(len - 20..len) {
            let cut = Image { ptx_zstd: image.ptx_zstd[..kept].to_vec(), ..image.clone() };
            assert!(matches!(decompress(&cut), Err(RuntimeError::Image { .. })), "{kept} of {len} bytes");
        }
    }

    #[test]
    fn damage_is_an_error_or_another_text_as_long() {
        let (_, image) = image();
        let len = image.ptx_zstd.len();
        let mut refused = 0;
        for place in (0..len).step_by(61).chain(0..20) {
            let mut damaged = image.clone();
            damaged.ptx_zstd[place] ^= 0x24;
            match decompress(&damaged) {
                Ok(text) => assert_eq!(text.len() as u64, image.ptx_len),
                Err(RuntimeError::Image { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        assert!(refused > 0);
    }

    #[test]
    fn no_more_is_decompressed_than_the_image_says() {
        let (_, image) = image();
        let zeros = zstd::bulk::compress(&vec![0; 1 << 26], 1).expect("memory can be written to");
        let bomb = Image { ptx_len: 10, ptx_zstd: zeros, ..image };
        let error = decompress(&bomb).expect_err("it is longer").to_string();
        assert!(error.contains("not 10 bytes long"), "{error}");
    }
}
