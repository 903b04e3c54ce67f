//! What the compiler is, fixed when it was built.

/// Version of the crate.
pub(crate) const CRATE: &str = env!("CARGO_PKG_VERSION");

/// Hash of the compiler's source, the kernel ABI included.
pub(crate) const SOURCE_HASH: &str = env!("CURVESMITH_SOURCE_HASH");
