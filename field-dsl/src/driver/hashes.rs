//! What bundles hold, in a form that can be compared.

use super::prepare::{bundles_in, fault, flavour_of};
use super::{DriverError, Result};
use crate::images::{read_bundle, texts_of};
use curvesmith_abi::{Image, ImageError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One line an image of every bundle in the folders, by name: the image, the BLAKE3 hash of its text, what
/// made it.
///
/// Lines of the text that are comments are left out: they name the compiler's source, which changes more
/// often than texts do. A bundle of any compiler is read. Errors: a folder without bundles; a bundle that is
/// damaged, or whose texts are not those that it was sealed with; an image that two bundles hold.
pub(super) fn hashes(folders: &[PathBuf]) -> Result<String> {
    let mut lines = BTreeMap::new();
    for folder in folders {
        let names = bundles_in(folder)?;
        if names.is_empty() {
            let none = std::io::Error::new(std::io::ErrorKind::NotFound, "no bundle of images lies there");
            return Err(fault(folder, none));
        }
        for path in names.iter().map(|name| folder.join(name)) {
            let damaged =
                |error: ImageError| DriverError::Bundle { path: path.display().to_string(), source: error };
            for (Image { name, emitter, .. }, text) in texts(&path).map_err(damaged)? {
                let line = format!("{name}\t{}\t{emitter}\n", hash(&text));
                if lines.insert(name.clone(), line).is_some() {
                    return Err(DriverError::Twice(name));
                }
            }
        }
    }
    Ok(lines.into_values().collect())
}

/// Each image of a bundle.
fn texts(path: &Path) -> std::result::Result<Vec<(Image, String)>, ImageError> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let flavour = flavour_of(name).ok_or(ImageError::Damaged("its name says no flavour"))?;
    texts_of(&read_bundle(path, &flavour, "")?)
}

/// Of a text without its comments.
fn hash(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use curvesmith_abi::{Bundle, Flavour, Packed};
    use curvesmith_codegen::Emitted;

    fn emitted(name: &str, text: &str) -> Emitted {
        let image = Image {
            name: name.into(),
            declaration: String::new(),
            emitter: "some compiler".into(),
            flavour: Flavour::PTX,
            kernels: vec![],
        };
        Emitted { image, text: text.into() }
    }

    /// The hashes of one bundle in a folder of its own.
    fn of(bundle: &Bundle) -> Result<String> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::write(folder.path().join("x.ptx.images"), crate::images::sealed(&bundle.encode())).unwrap();
        hashes(&[folder.path().to_owned()])
    }

    #[test]
    fn texts_are_hashed_without_comments_and_compression() {
        let line = |name: &str, text: &str| {
            format!("{name}\t{}\tsome compiler\n", blake3::hash(text.as_bytes()).to_hex())
        };
        let bundle =
            curvesmith_codegen::pack(vec![emitted("b", "// 0.1\nadd;\n"), emitted("a", "sub;")]).unwrap();
        assert_eq!(of(&bundle).unwrap(), line("a", "sub;\n") + &line("b", "add;\n"));
        let other =
            curvesmith_codegen::pack(vec![emitted("b", "  // 0.2\nadd;\n"), emitted("a", "sub;\n")]).unwrap();
        assert_eq!(of(&other).unwrap(), of(&bundle).unwrap());
        let changed =
            curvesmith_codegen::pack(vec![emitted("b", "add.cc;\n"), emitted("a", "sub;\n")]).unwrap();
        assert_ne!(of(&changed).unwrap(), of(&bundle).unwrap());
    }

    #[test]
    fn what_a_bundle_says_of_its_texts_is_not_believed() {
        let good = curvesmith_codegen::pack(vec![emitted("a", "add;\n"), emitted("b", "sub;\n")]).unwrap();
        let refused = |change: &dyn Fn(&mut Vec<Packed>, &mut Vec<u8>)| {
            let mut bundle = good.clone();
            change(&mut bundle.images, &mut bundle.texts_zstd);
            of(&bundle).expect_err("it is refused").to_string()
        };
        assert!(
            refused(&|images, _| images[0].text_hash = [7; 32]).ends_with("is not the one that was packed")
        );
        assert!(refused(&|images, _| images[1].delta_len = u64::MAX).ends_with("truncated texts"));
        assert!(refused(&|images, _| drop(images.pop())).ends_with("texts of no image"));
        assert!(
            refused(&|_, texts| texts.clear()).contains("x.ptx.images: kernel images are damaged: texts")
        );
        assert!(refused(&|images, _| images[1].image.name = "a".into()).contains("`a` is declared twice"));
    }

    #[test]
    fn a_folder_without_bundles_is_named() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let error = hashes(&[folder.path().to_owned()]).expect_err("it is empty").to_string();
        assert!(error.contains("no bundle of images lies there"), "{error}");
    }
}
