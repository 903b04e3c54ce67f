//! Hashes the sources of the kernel ABI, which are a part of what images are made by.

use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let mut files = vec![];
    println!("cargo::rerun-if-changed=src");
    collect(&root.join("src"), "src", &mut files);
    files.sort();
    let mut hasher = blake3::Hasher::new();
    for (name, path) in files {
        let text = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        hasher.update(name.as_bytes());
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(&text);
    }
    println!("cargo::rustc-env=CURVESMITH_ABI_SOURCE_HASH={}", hasher.finalize().to_hex());
}

/// All Rust files below `dir` but tests, with names that do not depend on where the source lies.
fn collect(dir: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    for entry in entries.flatten() {
        let path = entry.path();
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if path.is_dir() {
            collect(&path, &name, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push((name, path));
        }
    }
}
