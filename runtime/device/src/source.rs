//! Images with their texts.

use crate::error::{Result, RuntimeError};
use curvesmith_abi::{Bundle, Flavour, Image, ImageError, delta};
use ruzstd::decoding::StreamingDecoder;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// An image as a device loads it: its text is there when it is asked for.
#[derive(Clone, Debug)]
pub struct Source {
    image: Image,
    hash: [u8; 32],
    text: Text,
}

#[derive(Clone, Debug)]
enum Text {
    Plain(String),
    Packed { texts: Arc<Texts>, range: Range<u64> },
}

/// The texts of a bundle, unpacked when the first of them is asked for.
#[derive(Debug)]
struct Texts {
    zstd: Vec<u8>,
    len: u64,
    unpacked: Mutex<Option<Arc<Vec<u8>>>>,
}

impl Source {
    /// An image whose text is at hand.
    pub fn new(image: Image, text: String) -> Source {
        Source { image, hash: *blake3::hash(text.as_bytes()).as_bytes(), text: Text::Plain(text) }
    }

    /// The images of a bundle.
    pub fn unpack(bundle: Bundle) -> Vec<Source> {
        let mut end = 0u64;
        let ends = bundle.images.into_iter().map(|packed| {
            let start = end;
            // Lengths that overflow are none that a text has: it is refused.
            end = end.saturating_add(packed.delta_len);
            (packed, start..end)
        });
        let images: Vec<_> = ends.collect();
        let texts = Arc::new(Texts { zstd: bundle.texts_zstd, len: end, unpacked: Mutex::default() });
        let source = |(packed, range): (curvesmith_abi::Packed, _)| Source {
            image: packed.image,
            hash: packed.text_hash,
            text: Text::Packed { texts: Arc::clone(&texts), range },
        };
        images.into_iter().map(source).collect()
    }

    /// What is known of it without the text.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// [`RuntimeError::Flavour`] unless the text is written in this flavour, which a device runs.
    pub fn expect(&self, flavour: &Flavour) -> Result<()> {
        let Image { name, flavour: found, .. } = &self.image;
        if found == flavour {
            return Ok(());
        }
        let (found, expected) = (found.clone(), flavour.clone());
        Err(RuntimeError::Flavour { image: name.clone(), found, expected })
    }

    /// BLAKE3 of the text.
    pub fn hash(&self) -> &[u8; 32] {
        &self.hash
    }

    /// The text, in the image's flavour. An error unless it is the one that was packed.
    pub fn text(&self) -> Result<String> {
        let (texts, range) = match &self.text {
            Text::Plain(text) => return Ok(text.clone()),
            Text::Packed { texts, range } => (texts, range),
        };
        let bad = |reason: String| RuntimeError::Image { image: self.image.name.clone(), reason };
        let all = texts.get().map_err(bad)?;
        let text = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
        let text = text.and_then(|(start, end)| all.get(start..end));
        let text = text.map_or(Err(ImageError::Damaged("truncated texts")), delta::decode);
        let text = text.map_err(|error| bad(error.to_string()))?;
        match *blake3::hash(text.as_bytes()).as_bytes() == self.hash {
            true => Ok(text),
            false => Err(bad("its text is not the one that was packed".into())),
        }
    }
}

impl Texts {
    fn get(&self) -> std::result::Result<Arc<Vec<u8>>, String> {
        let mut unpacked = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        match &*unpacked {
            Some(all) => Ok(Arc::clone(all)),
            None => Ok(Arc::clone(unpacked.insert(Arc::new(decompress(&self.zstd, self.len)?)))),
        }
    }
}

/// Refuses what is not `len` bytes long, and never decompresses more than that.
fn decompress(zstd: &[u8], len: u64) -> std::result::Result<Vec<u8>, String> {
    use std::io::Read;
    /// No declaration comes near; a larger length is damage, not a reason to allocate.
    const LIMIT: u64 = 1 << 28;
    if len > LIMIT {
        return Err(format!("texts of {len} bytes, at most {LIMIT} are accepted"));
    }
    let decoder = StreamingDecoder::new(zstd).map_err(|e| e.to_string())?;
    let mut texts = Vec::new();
    let found = decoder.take(len + 1).read_to_end(&mut texts).map_err(|e| e.to_string())?;
    if found as u64 == len { Ok(texts) } else { Err(format!("texts are not {len} bytes long")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use curvesmith_abi::Packed;

    /// Lines that differ, long enough for several blocks, each of them compressed; the second text is empty.
    fn bundle() -> ([String; 3], Bundle) {
        let line = |i: u32| {
            format!("mad.lo.cc.u32 %r{}, %r{}, %r{};\n", i, i.wrapping_mul(747_796_405) >> 20, i / 3)
        };
        let text = |range: Range<u32>| range.map(line).collect::<String>();
        let texts = [text(0..9_000), String::new(), text(9_000..12_000)];
        let packed = |text: &String| Packed {
            image: Image {
                name: "toy".into(),
                declaration: String::new(),
                emitter: String::new(),
                flavour: Flavour::PTX,
                kernels: vec![],
            },
            delta_len: delta::encode(text).len() as u64,
            text_hash: *blake3::hash(text.as_bytes()).as_bytes(),
        };
        let images = texts.iter().map(packed).collect();
        let deltas = texts.each_ref().map(|text| delta::encode(text)).concat();
        let texts_zstd = zstd::bulk::compress(&deltas, 18).expect("memory can be written to");
        (texts, Bundle { images, texts_zstd })
    }

    fn refused(bundle: &Bundle) -> Option<String> {
        let texts: Vec<_> = Source::unpack(bundle.clone()).iter().map(Source::text).collect();
        texts.into_iter().find_map(|text| match text {
            Ok(_) => None,
            Err(RuntimeError::Image { reason, .. }) => Some(reason),
            Err(other) => panic!("{other}"),
        })
    }

    #[test]
    fn texts_come_back() {
        let (texts, bundle) = bundle();
        let sources = Source::unpack(bundle);
        assert_eq!(sources.len(), texts.len());
        for (source, text) in sources.iter().zip(&texts) {
            assert!(source.text().expect("it is intact") == *text);
            let plain = Source::new(source.image().clone(), text.clone());
            assert_eq!((plain.hash(), plain.text().expect("it is there")), (source.hash(), text.clone()));
        }
        let nothing = Bundle { images: vec![], texts_zstd: vec![] };
        assert!(Source::unpack(nothing).is_empty());
    }

    #[test]
    fn what_is_cut_off_is_refused() {
        let (_, bundle) = bundle();
        let len = bundle.texts_zstd.len();
        for kept in (0..len).step_by(97).chain(0..20).chain(len - 20..len) {
            let cut = Bundle { texts_zstd: bundle.texts_zstd[..kept].to_vec(), ..bundle.clone() };
            assert!(refused(&cut).is_some(), "{kept} of {len} bytes");
        }
    }

    #[test]
    fn damage_is_an_error() {
        let (_, bundle) = bundle();
        // Behind the frame's header, some bits of which mean nothing here.
        for place in (16..bundle.texts_zstd.len()).step_by(61) {
            let mut damaged = bundle.clone();
            damaged.texts_zstd[place] ^= 0x24;
            assert!(refused(&damaged).is_some(), "byte {place}");
        }
        let mut swapped = bundle;
        swapped.images.swap(0, 2);
        assert!(refused(&swapped).expect("they have other places").contains("not the one"));
    }

    #[test]
    fn no_more_is_decompressed_than_the_lengths_say() {
        let (_, mut bundle) = bundle();
        bundle.texts_zstd = zstd::bulk::compress(&vec![0; 1 << 26], 1).expect("memory can be written to");
        assert!(refused(&bundle).expect("it is longer").contains("bytes long"));
        for len in [u64::MAX, (1 << 28) + 1] {
            bundle.images[0].delta_len = len;
            assert!(refused(&bundle).expect("nobody has so much").contains("at most"));
        }
    }
}
