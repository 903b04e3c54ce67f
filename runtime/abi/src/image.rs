//! The container of generated texts that a macro embeds.

use crate::needs::{Features, Flavour, Needs};

/// What is known of a text with one or more kernels, without the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Owner, in snake case: `bn254_fq`, `bn254_g1_accumulate`, `common`.
    pub name: String,
    /// Hex hash of the declaration and of the emitter's source.
    pub declaration: String,
    /// What wrote the text, with its version.
    pub emitter: String,
    /// What the text is written in.
    pub flavour: Flavour,
    /// The kernels in the image.
    pub kernels: Vec<KernelEntry>,
}

/// All images of a declaration. Their texts have much in common, so they are compressed as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The images, in the order of their texts.
    pub images: Vec<Packed>,
    /// The texts, as [`delta`](crate::delta) writes them, one after the other, zstd.
    pub texts_zstd: Vec<u8>,
}

/// An image of a [`Bundle`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The image.
    pub image: Image,
    /// Bytes of its text among those of the bundle, before zstd.
    pub delta_len: u64,
    /// BLAKE3 of its text.
    pub text_hash: [u8; 32],
}

/// One kernel of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelEntry {
    /// Entry point in the text.
    pub symbol: String,
    /// [`KernelDesc::name`](crate::KernelDesc::name).
    pub name: String,
    /// [`KernelDesc::signature`](crate::KernelDesc::signature) at emission.
    pub signature: String,
    /// What a device must have to run it.
    pub needs: Needs,
}

/// Why bytes are not a bundle that this build takes.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ImageError {
    /// The bytes end early or carry another magic; the build is damaged.
    #[error("kernel images are damaged: {0}")]
    Damaged(&'static str),
    /// Made by another version of curvesmith; rebuild.
    #[error("kernel images have format {found}, this build reads {expected}")]
    Version {
        /// Version found.
        found: u32,
        /// Version of this build.
        expected: u32,
    },
    /// Written in something else than is asked for; take the images of the other flavour.
    #[error("image `{image}` is of flavour {found}, {expected} is expected")]
    Flavour {
        /// The image.
        image: String,
        /// Its flavour.
        found: Flavour,
        /// The flavour asked for.
        expected: Flavour,
    },
    /// Made by another compiler; make the images again.
    #[error("image `{image}` was made by `{found}`, `{expected}` is expected")]
    Emitter {
        /// The image.
        image: String,
        /// What made it.
        found: String,
        /// What should have made it.
        expected: String,
    },
    /// A kernel needs what this build has no name for; rebuild.
    #[error("kernel `{kernel}` needs the features {found}, this build knows {known}")]
    Features {
        /// Symbol of the kernel.
        kernel: String,
        /// What it needs.
        found: Features,
        /// All that are known.
        known: Features,
    },
}

const MAGIC: &[u8; 4] = b"CSMB";
const VERSION: u32 = 4;

impl Bundle {
    /// The bundle as bytes; [`Bundle::decode`] is the inverse.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.texts_zstd.len() + 4096);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(self.images.len() as u32).to_le_bytes());
        for packed in &self.images {
            packed.encode(&mut out);
        }
        put(&mut out, &self.texts_zstd);
        out
    }

    /// Reads what [`Bundle::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Bundle, ImageError> {
        let mut r = Reader(bytes);
        let (images, texts) = Bundle::read(&mut r)?;
        if !r.0.is_empty() {
            return Err(ImageError::Damaged("trailing bytes"));
        }
        Ok(Bundle { images, texts_zstd: texts.to_vec() })
    }

    /// Of encoded bundles one after the other, that of a flavour; the first where there is none of it.
    pub fn select(bytes: &[u8], flavour: &Flavour) -> Result<Bundle, ImageError> {
        let mut r = Reader(bytes);
        let mut first = None;
        while first.is_none() || !r.0.is_empty() {
            let (images, texts) = Bundle::read(&mut r)?;
            let is_wanted = images.first().is_some_and(|packed| packed.image.flavour == *flavour);
            if is_wanted || first.is_none() {
                first = Some(Bundle { images, texts_zstd: texts.to_vec() });
            }
            if is_wanted {
                break;
            }
        }
        first.ok_or(ImageError::Damaged("truncated"))
    }

    fn read<'b>(r: &mut Reader<'b>) -> Result<(Vec<Packed>, &'b [u8]), ImageError> {
        if r.take(4)? != MAGIC {
            return Err(ImageError::Damaged("wrong magic"));
        }
        let found = r.u32()?;
        if found != VERSION {
            return Err(ImageError::Version { found, expected: VERSION });
        }
        let mut images = Vec::new();
        for _ in 0..r.u32()? {
            images.push(Packed::decode(r)?);
        }
        let len = r.u32()? as usize;
        Ok((images, r.take(len)?))
    }

    /// Refuses images of another flavour, and those of an emitter whose version does not begin with
    /// `emitter`.
    pub fn expect(&self, flavour: &Flavour, emitter: &str) -> Result<(), ImageError> {
        for Packed { image, .. } in &self.images {
            let name = || image.name.clone();
            if image.flavour != *flavour {
                let (found, expected) = (image.flavour.clone(), flavour.clone());
                return Err(ImageError::Flavour { image: name(), found, expected });
            }
            if !image.emitter.starts_with(emitter) {
                let (found, expected) = (image.emitter.clone(), emitter.to_owned());
                return Err(ImageError::Emitter { image: name(), found, expected });
            }
        }
        Ok(())
    }
}

impl Packed {
    fn encode(&self, out: &mut Vec<u8>) {
        let image = &self.image;
        for s in [&image.name, &image.declaration, &image.emitter, image.flavour.name()] {
            put(out, s.as_bytes());
        }
        out.extend_from_slice(&(image.kernels.len() as u32).to_le_bytes());
        for k in &image.kernels {
            for s in [&k.symbol, &k.name, &k.signature] {
                put(out, s.as_bytes());
            }
            let Needs { threads, shared, buffers, features } = k.needs;
            for number in [threads, shared, buffers, features.bits()] {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        out.extend_from_slice(&self.delta_len.to_le_bytes());
        out.extend_from_slice(&self.text_hash);
    }

    fn decode(r: &mut Reader<'_>) -> Result<Packed, ImageError> {
        let (name, declaration, emitter) = (r.string()?, r.string()?, r.string()?);
        let flavour = Flavour::named(r.string()?);
        let mut kernels = Vec::new();
        for _ in 0..r.u32()? {
            let (symbol, name, signature) = (r.string()?, r.string()?, r.string()?);
            let (threads, shared, buffers) = (r.u32()?, r.u32()?, r.u32()?);
            let features = Features::from_bits(r.u32()?);
            if !features.without(Features::ALL).is_empty() {
                return Err(ImageError::Features { kernel: symbol, found: features, known: Features::ALL });
            }
            let needs = Needs { threads, shared, buffers, features };
            kernels.push(KernelEntry { symbol, name, signature, needs });
        }
        let image = Image { name, declaration, emitter, flavour, kernels };
        let delta_len = u64::from_le_bytes(r.take(8)?.try_into().expect("eight bytes were taken"));
        let text_hash = r.take(32)?.try_into().expect("32 bytes were taken");
        Ok(Packed { image, delta_len, text_hash })
    }
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], ImageError> {
        let (head, tail) = self.0.split_at_checked(n).ok_or(ImageError::Damaged("truncated"))?;
        self.0 = tail;
        Ok(head)
    }
    fn u32(&mut self) -> Result<u32, ImageError> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().expect("four bytes were taken")))
    }
    fn string(&mut self) -> Result<String, ImageError> {
        let n = self.u32()? as usize;
        String::from_utf8(self.take(n)?.to_vec()).map_err(|_| ImageError::Damaged("name is not UTF-8"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle(features: Features) -> Bundle {
        let needs = Needs { threads: 128, shared: 1 << 12, buffers: 3, features };
        let entry = KernelEntry { symbol: "a".into(), name: "b".into(), signature: "c".into(), needs };
        let image = Image {
            name: "toy".into(),
            declaration: "00".into(),
            emitter: "curvesmith 1 source 2 by hand".into(),
            flavour: Flavour::PTX,
            kernels: vec![entry],
        };
        let first = Packed { image, delta_len: 3, text_hash: [7; 32] };
        let second = Packed { delta_len: 1 << 40, text_hash: [8; 32], ..first.clone() };
        Bundle { images: vec![first, second], texts_zstd: vec![1, 2, 3] }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let bundle = bundle(Features::WARPS_32);
        let bytes = bundle.encode();
        assert_eq!(Bundle::decode(&bytes), Ok(bundle));
        for n in 0..bytes.len() {
            assert!(Bundle::decode(&bytes[..n]).is_err(), "{n} bytes");
        }
        assert_eq!(Bundle::decode(&[bytes, vec![0]].concat()), Err(ImageError::Damaged("trailing bytes")));
    }

    #[test]
    fn a_bundle_is_selected_by_its_flavour() {
        let ptx = bundle(Features::NONE);
        let mut wgsl = ptx.clone();
        wgsl.images.iter_mut().for_each(|packed| packed.image.flavour = Flavour::WGSL);
        let both = [ptx.encode(), wgsl.encode()].concat();
        assert_eq!(Bundle::select(&both, &Flavour::PTX), Ok(ptx.clone()));
        assert_eq!(Bundle::select(&both, &Flavour::WGSL), Ok(wgsl.clone()));
        assert_eq!(
            Bundle::select(&both, &Flavour::named("spirv")),
            Ok(ptx.clone()),
            "to be refused by its name"
        );
        assert_eq!(Bundle::select(&wgsl.encode(), &Flavour::PTX), Ok(wgsl));
        assert!(Bundle::select(&[], &Flavour::PTX).is_err());
        for n in ptx.encode().len() + 1..both.len() {
            assert!(Bundle::select(&both[..n], &Flavour::WGSL).is_err(), "{n} bytes");
        }
    }

    /// Another flavour, another emitter, another version, and a need that has no name yet.
    #[test]
    fn what_this_build_did_not_make_is_refused_by_name() {
        let own = bundle(Features::NONE);
        let refused = |bundle: &Bundle, flavour: &str, emitter: &str| {
            bundle.expect(&Flavour::named(flavour.to_owned()), emitter).map_err(|e| e.to_string())
        };
        for emitter in ["curvesmith 1 source 2 by hand", "curvesmith 1 source 2"] {
            assert_eq!(refused(&own, "ptx", emitter), Ok(()));
        }
        let text = "image `toy` is of flavour ptx, wgsl is expected";
        assert_eq!(refused(&own, "wgsl", "curvesmith 1"), Err(text.into()));
        let text =
            "image `toy` was made by `curvesmith 1 source 2 by hand`, `curvesmith 1 source 3` is expected";
        assert_eq!(refused(&own, "ptx", "curvesmith 1 source 3"), Err(text.into()));
        let mut mixed = own.clone();
        mixed.images[1].image.flavour = Flavour::named("wgsl");
        assert!(refused(&mixed, "ptx", "curvesmith 1").is_err(), "every image is looked at");

        let decoded = |bytes: &[u8]| Bundle::decode(bytes).map_err(|e| e.to_string());
        let mut older = own.encode();
        older[4] = 3;
        let text = format!("kernel images have format 3, this build reads {VERSION}");
        assert_eq!(decoded(&older), Err(text));
        let newer = bundle(Features::from_bits(1 << 9)).encode();
        let text = format!("kernel `a` needs the features feature 9, this build knows {}", Features::ALL);
        assert_eq!(decoded(&newer), Err(text));
    }
}
