//! Assembled images on disk, so that only the first start on a machine assembles.
//!
//! A file is named by the hash of the PTX text, the compute capability and the driver's full version. Machine
//! code is as trusted as this program, and so is the directory ([`UserCache`]). Anything unexpected is a
//! miss; a directory that cannot be written costs time and nothing else.

use crate::cache::UserCache;
use curvesmith_device::Source;
use std::fs;

/// What a cubin depends on.
pub(super) struct Key(String);

impl Key {
    pub(super) fn new(source: &Source, compute: u32, driver: &str) -> Key {
        let content = blake3::Hash::from_bytes(*source.hash()).to_hex();
        Key(format!("{content}-sm{compute}-{driver}.cubin"))
    }
}

/// The driver's full version, as `580.159.04`, with the CUDA version it supports: two drivers of one CUDA
/// version have different assemblers. Where the system does not tell the full one, CUDA's alone.
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

/// Cubins in the user's cache.
pub(super) struct CubinCache(UserCache);

impl CubinCache {
    pub(super) fn of_user() -> CubinCache {
        CubinCache(UserCache::of_user())
    }

    /// The stored cubin, if there is one and it is whole.
    pub(super) fn get(&self, key: &Key) -> Option<Vec<u8>> {
        self.0.get(&key.0).unwrap_or_else(|error| {
            tracing::debug!("kernel cache: {error}");
            None
        })
    }

    /// Stores a cubin.
    pub(super) fn put(&self, key: &Key, cubin: &[u8]) {
        if let Err(error) = self.0.put(&key.0, cubin) {
            tracing::debug!("kernel cache: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_what_a_cubin_depends_on() {
        let key = |text: &str, compute: u32, driver: &str| {
            let image = curvesmith_abi::Image {
                name: "toy".into(),
                declaration: String::new(),
                emitter: String::new(),
                flavour: curvesmith_abi::Flavour::PTX,
                kernels: vec![],
            };
            Key::new(&Source::new(image, text.into()), compute, driver).0
        };
        let keys = [key("a", 90, "1"), key("b", 90, "1"), key("a", 80, "1"), key("a", 90, "2")];
        let different: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(different.len(), keys.len());
    }

    #[test]
    fn the_full_version_is_read_from_the_drivers_text() {
        let text = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build";
        assert_eq!(proc_version(text).as_deref(), Some("580.159.04"));
        assert_eq!(proc_version("no version here"), None);
        assert!(driver_version(12_080).starts_with("12080"));
    }
}
