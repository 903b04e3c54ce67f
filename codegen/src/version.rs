//! What the compiler is, fixed when it was built.

/// Version of the crate.
const CRATE: &str = env!("CARGO_PKG_VERSION");

/// Version of the crate and hash of the compiler's own source: what images were made by, whatever
/// wrote their texts.
pub fn compiler_version() -> String {
    format!("curvesmith {CRATE} source {SOURCE_HASH}")
}

/// Hash of the compiler's source, the kernel ABI included.
pub(crate) const SOURCE_HASH: &str = env!("CURVESMITH_SOURCE_HASH");
