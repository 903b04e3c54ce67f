//! Assembled images on disk, so that only the first start on a machine assembles.
//!
//! A file is named by the hash of the PTX, the compute capability and the driver, and
//! begins with a hash of itself. Anything unexpected is a miss; a directory that cannot
//! be written costs time and nothing else.

use curvesmith_abi::Image;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

const HASH_BYTES: usize = blake3::OUT_LEN;

/// What a cubin depends on.
pub(super) struct Key(String);

impl Key {
    pub(super) fn new(image: &Image, compute: u32, driver: i32) -> Key {
        let content = blake3::hash(&image.ptx_zstd).to_hex();
        Key(format!("{content}-sm{compute}-{driver}.cubin"))
    }
}

/// A directory of cubins, or none.
pub(super) struct CubinCache {
    directory: Option<PathBuf>,
}

impl CubinCache {
    /// `$CURVESMITH_CACHE_DIR`, else `curvesmith` in the user's cache directory.
    pub(super) fn of_user() -> CubinCache {
        let var = |name| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let directory = var("CURVESMITH_CACHE_DIR")
            .or_else(|| Some(var("XDG_CACHE_HOME")?.join("curvesmith")))
            .or_else(|| Some(var("LOCALAPPDATA")?.join("curvesmith")))
            .or_else(|| Some(var("HOME")?.join(".cache").join("curvesmith")));
        CubinCache { directory }
    }

    /// The stored cubin, if there is one and its hash is right.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        let mut bytes = fs::read(self.directory.as_ref()?.join(&key.0)).ok()?;
        let hash: [u8; HASH_BYTES] = bytes.get(..HASH_BYTES)?.try_into().ok()?;
        let cubin = bytes.split_off(HASH_BYTES);
        (blake3::Hash::from(hash) == seal(key, &cubin)).then_some(cubin)
    }

    /// Stores a cubin; the file appears whole or not at all.
    pub(super) fn put(&self, key: &Key, cubin: &[u8]) {
        let Some(directory) = &self.directory else { return };
        let stored = fs::create_dir_all(directory).and_then(|()| {
            let mut file = tempfile::NamedTempFile::new_in(directory)?;
            file.write_all(seal(key, cubin).as_bytes())?;
            file.write_all(cubin)?;
            file.persist(directory.join(&key.0)).map_err(|e| e.error)
        });
        if let Err(error) = stored {
            tracing::debug!("kernel cache {}: {error}", directory.display());
        }
    }
}

/// The hash a file begins with. It covers the key, so a renamed file is a miss.
fn seal(key: &Key, cubin: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(key.0.as_bytes()).update(&[0]).update(cubin);
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &[u8], compute: u32) -> Key {
        let image = Image {
            name: "toy".into(),
            declaration: String::new(),
            emitter: String::new(),
            min_compute: 75,
            kernels: vec![],
            ptx_len: 0,
            ptx_zstd: text.to_vec(),
        };
        Key::new(&image, compute, 12_080)
    }

    #[test]
    fn only_whole_files_of_the_same_key_are_hits() {
        let directory = tempfile::tempdir().unwrap();
        let cache = CubinCache { directory: Some(directory.path().join("new/deep")) };
        let (a, b) = (key(b"a", 90), key(b"a", 80));
        assert_eq!(cache.get(&a), None);
        cache.put(&a, b"cubin");
        assert_eq!(cache.get(&a).as_deref(), Some(&b"cubin"[..]));
        assert_eq!(cache.get(&b), None);

        let file = |key: &Key| directory.path().join("new/deep").join(&key.0);
        fs::copy(file(&a), file(&b)).unwrap();
        assert_eq!(cache.get(&b), None, "a renamed file");
        let whole = fs::read(file(&a)).unwrap();
        for len in [0, HASH_BYTES - 1, whole.len() - 1] {
            fs::write(file(&a), &whole[..len]).unwrap();
            assert_eq!(cache.get(&a), None, "{len} bytes");
        }
        let mut damaged = whole;
        *damaged.last_mut().unwrap() ^= 1;
        fs::write(file(&a), damaged).unwrap();
        assert_eq!(cache.get(&a), None);
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_harmless() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = CubinCache { directory: Some(file.path().join("below")) };
        cache.put(&key(b"a", 90), b"cubin");
        assert_eq!(cache.get(&key(b"a", 90)), None);
        CubinCache { directory: None }.put(&key(b"a", 90), b"cubin");
    }
}
