//! Kernel images of a declaration: from the compiler, its cache, or a directory.
//!
//! A [bundle](Bundle) is all images of one declaration; its file is headed by the BLAKE3 hash of
//! the rest, and its name says what it was made from:
//! `<name>-<hash of declaration and ABI>-<hash of emitter and LLVM>.images`. With feature
//! `llvm` the macros emit images and keep bundles in a cache; without it they read them
//! from the directory in the environment variable `CURVESMITH_IMAGES`, for which such a cache
//! will do. A damaged bundle is never used, an unwritable cache is no fault.

use curvesmith_abi::{Bundle, Form};
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// What images are made for.
#[derive(Clone, Copy)]
pub(crate) enum Declaration<'a> {
    Field(&'a FieldDesc),
    Group(&'a GroupDesc),
    /// Its constant work, by the name of that.
    Constant(&'a GroupDesc),
    Common,
}

/// Why there are no images; the installation's fault, not the declaration's.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImagesError {
    /// No LLVM, another LLVM, or an emission fault.
    #[cfg(feature = "llvm")]
    #[error("{0}")]
    Emit(String),
    /// Feature `llvm` is off and the directory is not named.
    #[cfg(not(feature = "llvm"))]
    #[error(
        "feature `llvm` is off, so kernel images are read from the directory in CURVESMITH_IMAGES, which is not set"
    )]
    NoDirectory,
    /// Feature `llvm` is off and the directory lacks the bundle.
    #[cfg(not(feature = "llvm"))]
    #[error("no intact kernel images {stem}-*.images in {directory} (CURVESMITH_IMAGES)")]
    NotFound {
        /// Name and hash of the declaration.
        stem: String,
        /// Where they were sought.
        directory: String,
    },
}

/// The images of each declaration, an encoded [`Bundle`].
#[cfg(feature = "llvm")]
pub(crate) fn images(declarations: &[Declaration<'_>]) -> Result<Vec<Vec<u8>>, ImagesError> {
    use curvesmith_codegen as codegen;
    let emit = |e: codegen::EmitError| ImagesError::Emit(e.to_string());
    codegen::check_llvm().map_err(emit)?;
    let emitter = hash(codegen::emitter_version().as_bytes());
    let cache = cache::directory();
    let file = |declaration: &Declaration<'_>| format!("{}-{emitter}.{EXTENSION}", declaration.stem());
    let kept = |declaration| read_bundle(&cache.as_deref()?.join(file(declaration)));
    let mut encoded: Vec<Option<Vec<u8>>> = declarations.iter().map(kept).collect();

    // All at once, so that no core waits for the end of a declaration; what comes last is a group, and longest.
    let missing: Vec<usize> = (0..declarations.len()).rev().filter(|&i| encoded[i].is_none()).collect();
    let plans: Vec<_> =
        missing.iter().flat_map(|&i| declarations[i].plans().into_iter().map(move |p| (i, p))).collect();
    let emitted = crate::parallel::map(&plans, |(i, plan)| plan.compile().map(|emitted| (*i, emitted)));
    let emitted = emitted.into_iter().collect::<Result<Vec<_>, _>>().map_err(emit)?;
    let packed = crate::parallel::map(&missing, |&i| {
        let own = emitted.iter().filter(|(of, _)| *of == i).map(|(_, emitted)| emitted.clone());
        codegen::pack(own.collect()).map(|bundle| bundle.encode())
    });
    for (i, packed) in missing.into_iter().zip(packed) {
        let packed = packed.map_err(emit)?;
        if let Some(directory) = &cache {
            // The next expansion emits again if this one could not be kept.
            let _ = cache::write(directory, &file(&declarations[i]), &sealed(&packed));
        }
        encoded[i] = Some(packed);
    }
    Ok(encoded.into_iter().flatten().collect())
}

/// The images of each declaration, an encoded [`Bundle`].
#[cfg(not(feature = "llvm"))]
pub(crate) fn images(declarations: &[Declaration<'_>]) -> Result<Vec<Vec<u8>>, ImagesError> {
    let directory = std::env::var_os("CURVESMITH_IMAGES").ok_or(ImagesError::NoDirectory)?;
    let find = |declaration: &Declaration<'_>| {
        let stem = declaration.stem();
        find_bundle(Path::new(&directory), &stem).ok_or_else(|| ImagesError::NotFound {
            stem,
            directory: directory.to_string_lossy().into_owned(),
        })
    };
    declarations.iter().map(find).collect()
}

const EXTENSION: &str = "images";

impl Declaration<'_> {
    #[cfg(feature = "llvm")]
    fn plans(&self) -> Vec<curvesmith_codegen::Plan> {
        match self {
            Declaration::Field(field) => curvesmith_codegen::plan_field(field),
            Declaration::Group(group) => curvesmith_codegen::plan_group(group),
            Declaration::Constant(group) => curvesmith_codegen::plan_constant(group),
            Declaration::Common => curvesmith_codegen::plan_common(),
        }
    }

    /// `<name>-<hash of the declaration and the kernels' signatures>`
    fn stem(self) -> String {
        let mut text = String::new();
        let (name, family) = match self {
            Declaration::Field(field) => {
                describe_field(&mut text, field);
                (field.name.as_str(), curvesmith_abi::Family::Field)
            }
            Declaration::Group(group) | Declaration::Constant(group) => {
                describe_field(&mut text, &group.base);
                let numbers = |numbers: &[num_bigint::BigUint]| {
                    numbers.iter().map(|n| format!("{n:x}")).collect::<Vec<_>>().join(",")
                };
                for level in group.tower.levels() {
                    let _ = writeln!(text, "extension {} {}", level.degree, numbers(&level.nonresidue));
                }
                let _ = match &group.equation {
                    Equation::ShortWeierstrass { a, b } => {
                        writeln!(text, "group {} {} {}", group.name, numbers(a), numbers(b))
                    }
                    Equation::TwistedEdwards { a, d } => {
                        writeln!(text, "edwards {} {} {}", group.name, numbers(a), numbers(d))
                    }
                    Equation::Niels { d } => writeln!(text, "niels {} {}", group.name, numbers(d)),
                };
                (group.name.as_str(), curvesmith_abi::Family::Group)
            }
            Declaration::Common => ("common", curvesmith_abi::Family::Common),
        };
        let (form, words, degree) = match self {
            Declaration::Group(group) | Declaration::Constant(group) => {
                (group.equation.form(), group.base.words, group.degree())
            }
            Declaration::Field(field) => (Form::Xyzz, field.words, 1),
            Declaration::Common => (Form::Xyzz, 0, 1),
        };
        for kernel in curvesmith_abi::kernels::ALL.iter().filter(|k| k.family == family) {
            let _ = writeln!(text, "{}", kernel.of_width(words, degree).signature(form));
        }
        format!("{name}-{}", hash(text.as_bytes()))
    }
}

fn describe_field(text: &mut String, field: &FieldDesc) {
    let _ = writeln!(text, "field {} {:x} {}", field.name, field.p, field.words);
}

/// 128 bits of BLAKE3 in hex: names, not secrets.
fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

/// The file of an encoded bundle.
#[cfg(any(feature = "llvm", test))]
fn sealed(encoded: &[u8]) -> Vec<u8> {
    [blake3::hash(encoded).as_bytes(), encoded].concat()
}

/// What [`sealed`] got, if it is intact and a bundle of this version.
fn unsealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let (hash, encoded) = bytes.split_first_chunk::<{ blake3::OUT_LEN }>()?;
    let intact = blake3::hash(encoded) == *hash && Bundle::decode(encoded).is_ok();
    intact.then(|| encoded.to_vec())
}

fn read_bundle(path: &Path) -> Option<Vec<u8>> {
    unsealed(&fs::read(path).ok()?)
}

/// The first intact bundle of a declaration in a directory, by file name.
#[cfg(any(not(feature = "llvm"), test))]
fn find_bundle(directory: &Path, stem: &str) -> Option<Vec<u8>> {
    let fits = |name: &str| name.starts_with(&format!("{stem}-")) && name.ends_with(EXTENSION);
    let entries = fs::read_dir(directory).ok()?.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> =
        entries.filter(|p| p.file_name().and_then(|n| n.to_str()).is_some_and(fits)).collect();
    paths.sort();
    paths.iter().find_map(|path| read_bundle(path))
}

#[cfg(feature = "llvm")]
pub(crate) mod cache {
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::{env, fs, io};

    /// `$CURVESMITH_CACHE`, else `$XDG_CACHE_HOME/curvesmith`, else `$HOME/.cache/curvesmith`; an
    /// empty `CURVESMITH_CACHE` means none. Never a directory that other users can write.
    pub(crate) fn directory() -> Option<PathBuf> {
        if let Some(chosen) = env::var_os("CURVESMITH_CACHE") {
            return (!chosen.is_empty()).then(|| chosen.into());
        }
        let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
        Some(base.join("curvesmith"))
    }

    /// Written aside and renamed, so that a reader sees all or nothing.
    pub(crate) fn write(directory: &Path, file: &str, bytes: &[u8]) -> io::Result<()> {
        fs::create_dir_all(directory)?;
        let mut aside = tempfile::NamedTempFile::new_in(directory)?;
        aside.write_all(bytes)?;
        aside.persist(directory.join(file))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(name: &str) -> Vec<u8> {
        let image = curvesmith_abi::Image {
            name: name.into(),
            declaration: String::new(),
            emitter: String::new(),
            min_compute: 75,
            kernels: Vec::new(),
        };
        let packed = curvesmith_abi::Packed { image, delta_len: 0, ptx_hash: [7; 32] };
        Bundle { images: vec![packed], texts_zstd: vec![0; 9] }.encode()
    }

    #[test]
    fn damaged_files_are_refused() {
        let encoded = images("toy");
        let bytes = sealed(&encoded);
        assert_eq!(unsealed(&bytes), Some(encoded));
        for i in 0..bytes.len() {
            assert_eq!(unsealed(&bytes[..i]), None, "cut at {i}");
            let mut flipped = bytes.clone();
            flipped[i] ^= 1;
            assert_eq!(unsealed(&flipped), None, "flipped at {i}");
        }
        assert_eq!(unsealed(&sealed(b"no bundle")), None);
    }

    #[test]
    fn a_directory_serves_its_declaration() {
        let directory = tempfile::tempdir().unwrap();
        let field = FieldDesc::new("toy", 13u32.into());
        let stem = Declaration::Field(&field).stem();
        assert_eq!(find_bundle(directory.path(), &stem), None);
        let path = |end: &str| directory.path().join(format!("{stem}-{end}.images"));
        fs::write(path("0"), b"damaged").unwrap();
        fs::write(path("1"), sealed(&images("toy"))).unwrap();
        assert_eq!(find_bundle(directory.path(), &stem), Some(images("toy")));
        let other = FieldDesc::new("toy", 17u32.into());
        assert_eq!(find_bundle(directory.path(), &Declaration::Field(&other).stem()), None);
    }

    #[test]
    fn stems_tell_declarations_apart() {
        let base = FieldDesc::new("c_fq", 13u32.into());
        let group = |nonresidue: Option<u32>, a: &[u32], b: &[u32]| {
            let numbers = |n: &[u32]| n.iter().map(|&n| n.into()).collect();
            let tower = nonresidue.map(num_bigint::BigUint::from).into();
            let (a, b) = (numbers(a), numbers(b));
            let desc = GroupDesc {
                name: "c".into(),
                base: base.clone(),
                tower,
                equation: Equation::ShortWeierstrass { a, b },
            };
            Declaration::Group(&desc).stem()
        };
        let stems = [
            group(None, &[0], &[1]),
            group(None, &[1], &[0]),
            group(None, &[1], &[1]),
            group(Some(2), &[0, 1], &[1, 0]),
            group(Some(2), &[1, 0], &[0, 1]),
            group(Some(5), &[1, 0], &[0, 1]),
            Declaration::Field(&base).stem(),
            Declaration::Common.stem(),
        ];
        let distinct: std::collections::BTreeSet<_> = stems.iter().collect();
        assert_eq!(distinct.len(), stems.len());
    }

    #[test]
    #[cfg(feature = "llvm")]
    fn an_unwritable_cache_is_an_error_value() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(cache::write(&file.path().join("below a file"), "x", b"").is_err());
    }
}
