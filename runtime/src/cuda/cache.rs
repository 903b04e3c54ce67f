//! Assembled images on disk, so that only the first start on a machine assembles.
//!
//! A file is named by the hash of the PTX, the compute capability and the driver's full version, and
//! begins with a hash of itself. Machine code is as trusted as this program: a directory that belongs
//! to somebody else, or that others may write, is not used. Anything unexpected is a miss; a directory that
//! cannot be written costs time and nothing else.

use curvesmith_device::Source;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const HASH_BYTES: usize = blake3::OUT_LEN;

/// What a cubin depends on.
pub(super) struct Key(String);

impl Key {
    pub(super) fn new(source: &Source, compute: u32, driver: &str) -> Key {
        let content = blake3::Hash::from_bytes(*source.hash()).to_hex();
        Key(format!("{content}-sm{compute}-{driver}.cubin"))
    }
}

/// The driver's full version, as `580.159.04`, with the CUDA version it supports: two drivers of one CUDA version
/// have different assemblers. Where the system does not tell the full one, CUDA's alone.
pub(super) fn driver_version(cuda: i32) -> String {
    let full = fs::read_to_string("/sys/module/nvidia/version")
        .ok()
        .or_else(|| proc_version(&fs::read_to_string("/proc/driver/nvidia/version").ok()?));
    let full = full.unwrap_or_default();
    let safe: String = full.trim().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
    if safe.is_empty() { cuda.to_string() } else { format!("{cuda}-{safe}") }
}

/// The first word of digits and points in the driver's own description.
fn proc_version(text: &str) -> Option<String> {
    let is_version = |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.split_whitespace().find(is_version).map(str::to_owned)
}

/// Whether nobody but this user, and the system's administrator, can write to a directory.
#[cfg(unix)]
fn is_private(directory: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    // What this process creates belongs to its user.
    let own = || tempfile::tempfile().ok()?.metadata().ok().map(|file| file.uid());
    fs::metadata(directory)
        .is_ok_and(|found| found.is_dir() && writable_by_owner_alone(found.mode(), found.uid(), own))
}

/// Whether a directory's mode lets its owner alone write, who is `own` or the system's administrator.
#[cfg(unix)]
fn writable_by_owner_alone(mode: u32, owner: u32, own: impl FnOnce() -> Option<u32>) -> bool {
    mode & 0o022 == 0 && (owner == 0 || Some(owner) == own())
}

#[cfg(not(unix))]
fn is_private(directory: &Path) -> bool {
    directory.is_dir()
}

/// Makes the directory, for this user alone.
fn create(directory: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
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
        let directory = self.directory.as_ref().filter(|directory| is_private(directory))?;
        let mut bytes = fs::read(directory.join(&key.0)).ok()?;
        let hash: [u8; HASH_BYTES] = bytes.get(..HASH_BYTES)?.try_into().ok()?;
        let cubin = bytes.split_off(HASH_BYTES);
        (blake3::Hash::from(hash) == seal(key, &cubin)).then_some(cubin)
    }

    /// Stores a cubin; the file appears whole or not at all.
    pub(super) fn put(&self, key: &Key, cubin: &[u8]) {
        let Some(directory) = &self.directory else { return };
        let stored = create(directory).and_then(|()| {
            if !is_private(directory) {
                return Err(std::io::Error::other("others can write to it"));
            }
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

    fn key(text: &str, compute: u32) -> Key {
        let image = curvesmith_abi::Image {
            name: "toy".into(),
            declaration: String::new(),
            emitter: String::new(),
            min_compute: 75,
            kernels: vec![],
        };
        Key::new(&Source::new(image, text.into()), compute, "12080-580.159.04")
    }

    #[test]
    fn only_whole_files_of_the_same_key_are_hits() {
        let directory = tempfile::tempdir().unwrap();
        let cache = CubinCache { directory: Some(directory.path().join("new/deep")) };
        let (a, b) = (key("a", 90), key("a", 80));
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

    #[cfg(unix)]
    #[test]
    fn a_directory_that_others_can_write_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("cache");
        let cache = CubinCache { directory: Some(path.clone()) };
        let a = key("a", 90);
        cache.put(&a, b"cubin");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(cache.get(&a).is_some());
        for mode in [0o777, 0o720, 0o702] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(cache.get(&a), None, "{mode:o}");
            cache.put(&key("b", 90), b"cubin");
            assert_eq!(fs::read_dir(&path).unwrap().count(), 1, "{mode:o}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn directories_of_other_users_are_not_trusted() {
        let trusted = |mode, owner, own| super::writable_by_owner_alone(mode, owner, || own);
        assert!(trusted(0o700, 1000, Some(1000)) && trusted(0o755, 0, Some(1000)) && trusted(0o700, 0, None));
        assert!(
            !trusted(0o700, 1001, Some(1000))
                && !trusted(0o700, 1000, None)
                && !trusted(0o700, 1000, Some(0))
        );
        assert!(!trusted(0o770, 1000, Some(1000)) && !trusted(0o702, 0, Some(1000)));
    }

    #[test]
    fn the_full_version_is_read_from_the_drivers_text() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build";
        assert_eq!(proc_version(text).as_deref(), Some("580.159.04"));
        assert_eq!(proc_version("no version here"), None);
        assert!(driver_version(12_080).starts_with("12080"));
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_harmless() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let cache = CubinCache { directory: Some(file.path().join("below")) };
        cache.put(&key("a", 90), b"cubin");
        assert_eq!(cache.get(&key("a", 90)), None);
        CubinCache { directory: None }.put(&key("a", 90), b"cubin");
    }
}
