//! Checks that have passed before, so that an expansion from the cache does not repeat them.
//!
//! Killing hashed points of a group takes longer than reading its images. That a check has passed is
//! a file in the images' cache, named by the hash of all numbers that the check sees and of the compiler that
//! made it; it holds the full hash. Failures are never kept, and a file that says anything else is
//! ignored.

use curvesmith_codegen::targets::ptx::emit::Emitter;

/// Whether this compiler has seen the check of these facts pass.
pub(crate) fn holds(facts: &str) -> bool {
    let hash = hash(facts);
    let path = crate::images::cache::directory().map(|directory| directory.join(file(&hash)));
    path.and_then(|path| std::fs::read_to_string(path).ok()).is_some_and(|text| text == hash)
}

/// Keeps that the check of these facts has passed.
pub(crate) fn keep(facts: &str) {
    let Some(directory) = crate::images::cache::directory() else { return };
    let hash = hash(facts);
    // The next expansion checks again if this could not be kept.
    let _ = crate::images::cache::write(&directory, &file(&hash), hash.as_bytes());
}

fn hash(facts: &str) -> String {
    let text = format!("{}\0{facts}", curvesmith_codegen::emitter_version(Emitter::default()));
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn file(hash: &str) -> String {
    format!("{}.checked", &hash[..32])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_told_apart() {
        assert_ne!(hash("modulus 13"), hash("modulus 17"));
        assert_eq!(hash("modulus 13"), hash("modulus 13"));
        assert!(!holds("a check that nobody has run"));
    }
}
