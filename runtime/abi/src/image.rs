//! The container of generated machine code that a macro embeds.

/// PTX of one or more kernels, compressed, with all that is needed to load it.
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
    /// Bytes of the PTX text once decompressed.
    pub ptx_len: u64,
    /// The PTX text, zstd.
    pub ptx_zstd: Vec<u8>,
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

/// Why bytes are not an image of this version.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ImageError {
    /// The bytes end early or carry another magic; the build is damaged.
    #[error("kernel image is damaged: {0}")]
    Damaged(&'static str),
    /// Made by another version of curvesmith; rebuild.
    #[error("kernel image has format {found}, this build reads {expected}")]
    Version {
        /// Version found.
        found: u32,
        /// Version of this build.
        expected: u32,
    },
}

const MAGIC: &[u8; 4] = b"CSMI";
const VERSION: u32 = 1;

impl Image {
    /// The image as bytes; [`Image::decode`] is the inverse.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.ptx_zstd.len() + 1024);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        for s in [&self.name, &self.declaration, &self.emitter] {
            put(&mut out, s.as_bytes());
        }
        out.extend_from_slice(&self.min_compute.to_le_bytes());
        out.extend_from_slice(&(self.kernels.len() as u32).to_le_bytes());
        for k in &self.kernels {
            for s in [&k.symbol, &k.name, &k.signature] {
                put(&mut out, s.as_bytes());
            }
        }
        out.extend_from_slice(&self.ptx_len.to_le_bytes());
        put(&mut out, &self.ptx_zstd);
        out
    }

    /// Reads what [`Image::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<Image, ImageError> {
        let mut r = Reader(bytes);
        if r.take(4)? != MAGIC {
            return Err(ImageError::Damaged("wrong magic"));
        }
        let found = r.u32()?;
        if found != VERSION {
            return Err(ImageError::Version { found, expected: VERSION });
        }
        let (name, declaration, emitter) = (r.string()?, r.string()?, r.string()?);
        let min_compute = r.u32()?;
        let mut kernels = Vec::new();
        for _ in 0..r.u32()? {
            kernels.push(KernelEntry { symbol: r.string()?, name: r.string()?, signature: r.string()? });
        }
        let ptx_len = u64::from_le_bytes(r.take(8)?.try_into().expect("eight bytes were taken"));
        let len = r.u32()? as usize;
        let ptx_zstd = r.take(len)?.to_vec();
        if !r.0.is_empty() {
            return Err(ImageError::Damaged("trailing bytes"));
        }
        Ok(Image { name, declaration, emitter, min_compute, kernels, ptx_len, ptx_zstd })
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
            ptx_len: 3,
            ptx_zstd: vec![1, 2, 3],
        };
        let bytes = image.encode();
        assert_eq!(Image::decode(&bytes), Ok(image));
        for n in 0..bytes.len() {
            assert!(Image::decode(&bytes[..n]).is_err(), "{n} bytes");
        }
    }
}
