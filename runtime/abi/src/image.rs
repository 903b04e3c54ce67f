//! The container of generated machine code that a macro embeds.

/// What is known of PTX with one or more kernels, without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Owner, in snake case: `bn254_fq`, `bn254_g1_accumulate`, `common`.
    pub name: String,
    /// Hex hash of the declaration and of the emitter's source.
    pub declaration: String,
    /// Emitter and LLVM versions, for the reader of a header.
    pub emitter: String,
    /// Least compute capability, `major * 10 + minor`; 75 for sm_75.
    pub min_compute: u32,
    /// The kernels in the image.
    pub kernels: Vec<KernelEntry>,
}

/// All images of a declaration. Their texts have much in common, so they are compressed as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// The images, in the order of their texts.
    pub images: Vec<Packed>,
    /// The PTX texts, as [`delta`](crate::delta) writes them, one after the other, zstd.
    pub texts_zstd: Vec<u8>,
}

/// An image of a [`Bundle`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The image.
    pub image: Image,
    /// Bytes of its PTX text among those of the bundle, before zstd.
    pub delta_len: u64,
    /// BLAKE3 of its PTX text.
    pub ptx_hash: [u8; 32],
}

/// One kernel of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelEntry {
    /// Entry point in the PTX.
    pub symbol: String,
    /// [`KernelDesc::name`](crate::KernelDesc::name).
    pub name: String,
    /// [`KernelDesc::signature`](crate::KernelDesc::signature) at emission.
    pub signature: String,
}

/// Why bytes are not a bundle of this version.
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
}

const MAGIC: &[u8; 4] = b"CSMB";
const VERSION: u32 = 3;

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
        if r.take(4)? != MAGIC {
            return Err(ImageError::Damaged("wrong magic"));
        }
        let found = r.u32()?;
        if found != VERSION {
            return Err(ImageError::Version { found, expected: VERSION });
        }
        let mut images = Vec::new();
        for _ in 0..r.u32()? {
            images.push(Packed::decode(&mut r)?);
        }
        let len = r.u32()? as usize;
        let texts_zstd = r.take(len)?.to_vec();
        if !r.0.is_empty() {
            return Err(ImageError::Damaged("trailing bytes"));
        }
        Ok(Bundle { images, texts_zstd })
    }
}

impl Packed {
    fn encode(&self, out: &mut Vec<u8>) {
        let image = &self.image;
        for s in [&image.name, &image.declaration, &image.emitter] {
            put(out, s.as_bytes());
        }
        out.extend_from_slice(&image.min_compute.to_le_bytes());
        out.extend_from_slice(&(image.kernels.len() as u32).to_le_bytes());
        for k in &image.kernels {
            for s in [&k.symbol, &k.name, &k.signature] {
                put(out, s.as_bytes());
            }
        }
        out.extend_from_slice(&self.delta_len.to_le_bytes());
        out.extend_from_slice(&self.ptx_hash);
    }

    fn decode(r: &mut Reader<'_>) -> Result<Packed, ImageError> {
        let (name, declaration, emitter) = (r.string()?, r.string()?, r.string()?);
        let min_compute = r.u32()?;
        let mut kernels = Vec::new();
        for _ in 0..r.u32()? {
            kernels.push(KernelEntry { symbol: r.string()?, name: r.string()?, signature: r.string()? });
        }
        let image = Image { name, declaration, emitter, min_compute, kernels };
        let delta_len = u64::from_le_bytes(r.take(8)?.try_into().expect("eight bytes were taken"));
        let ptx_hash = r.take(32)?.try_into().expect("32 bytes were taken");
        Ok(Packed { image, delta_len, ptx_hash })
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

    #[test]
    fn every_truncation_is_an_error() {
        let image = Image {
            name: "toy".into(),
            declaration: "00".into(),
            emitter: "e".into(),
            min_compute: 75,
            kernels: vec![KernelEntry { symbol: "a".into(), name: "b".into(), signature: "c".into() }],
        };
        let first = Packed { image, delta_len: 3, ptx_hash: [7; 32] };
        let second = Packed { delta_len: 1 << 40, ptx_hash: [8; 32], ..first.clone() };
        let bundle = Bundle { images: vec![first, second], texts_zstd: vec![1, 2, 3] };
        let bytes = bundle.encode();
        assert_eq!(Bundle::decode(&bytes), Ok(bundle));
        for n in 0..bytes.len() {
            assert!(Bundle::decode(&bytes[..n]).is_err(), "{n} bytes");
        }
        assert_eq!(Bundle::decode(&[bytes, vec![0]].concat()), Err(ImageError::Damaged("trailing bytes")));
    }
}
