//! Makes a module of every page of the book, so that none is left out of the tests of code.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut pages = vec![docs.join("../README.md")];
    collect(&docs.join("src"), &mut pages)?;
    pages.sort();
    let modules: String = pages.iter().map(|page| module(&docs.join("src"), page)).collect();
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo names no output folder"))?;
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=build.rs");
    fs::write(PathBuf::from(out).join("pages.rs"), modules)
}

/// The Markdown files of a folder and of those within it.
fn collect(folder: &Path, pages: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    Ok(())
}

/// An item that is documented by the page: `guide/msm.md` is of module `guide_msm`.
fn module(book: &Path, page: &Path) -> String {
    let name = page.strip_prefix(book).unwrap_or(Path::new("readme")).with_extension("");
    let name: String = name
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' })
        .collect();
    format!("#[doc = include_str!({:?})]\nmod {name} {{}}\n", page.display().to_string())
}
