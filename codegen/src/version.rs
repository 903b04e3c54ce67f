//! What the compiler is, fixed when it was built.

use std::sync::LazyLock;

/// Version of the crate.
const CRATE: &str = env!("CARGO_PKG_VERSION");

/// Version of the crate and hash of the compiler's own source: what images were made by, whatever
/// wrote their texts.
pub fn compiler_version() -> String {
    format!("curvesmith {CRATE} source {}", *SOURCE_HASH)
}

/// Hash of the sources of the compiler and of the kernel ABI. Each package hashes its own, so that a packaged
/// compiler is the same as one of a checkout.
pub(crate) static SOURCE_HASH: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    hasher.update(env!("CURVESMITH_CODEGEN_SOURCE_HASH").as_bytes());
    hasher.update(curvesmith_abi::SOURCE_HASH.as_bytes());
    hasher.finalize().to_hex().to_string()
});
