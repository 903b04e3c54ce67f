//! Kernel images of a declaration: from the compiler, its cache, or a directory.
//!
//! A [bundle](Bundle) is all images of one declaration in one format. Programs embed those of kernels; the
//! text of functions in lanes is Rust, and becomes part of an expansion. A bundle's file is headed by the
//! BLAKE3 hash of the rest, and its name says what it was made from and what it is written in:
//! `<name>-<hash of declaration, ABI and geometry>-<hash of emitter>.<flavour>.images`. Sought in this order:
//!
//! 1. folder `images` beside the `Cargo.toml` of the crate that is compiled, which `cargo curvesmith prepare`
//!    fills;
//! 2. the folder in the environment variable `CURVESMITH_IMAGES`;
//! 3. folder `images` of the workspace;
//! 4. the cache.
//!
//! What is found nowhere is emitted, PTX by LLVM with feature `llvm`, by the compiler's own writer without
//! it, and kept in the cache. A folder may hold bundles of any emitter; with `llvm`, LLVM's are taken. A
//! bundle of the declaration that is damaged, or of another flavour, compiler or version, is an error; in the
//! cache it is made anew. An unwritable cache is no fault.

use curvesmith_abi::{Bundle, Flavour, Form, Image, ImageError, Packed, delta};
use curvesmith_codegen::Format;
use curvesmith_codegen::declaration::{FieldDesc, GroupDesc};
use curvesmith_codegen::targets::ptx::emit::Emitter;
use curvesmith_codegen::targets::simd::InstructionSet;
use proc_macro2::TokenStream;
use ruzstd::decoding::StreamingDecoder;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

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
    /// Another LLVM than the compiler is built for, or an emission fault.
    #[error("{0}")]
    Emit(String),
    /// A folder has the bundle, but not one that this build takes.
    #[error("{file} ({folder}): {source}")]
    Refused {
        /// The file.
        file: String,
        /// What the folder is, and what to do.
        folder: &'static str,
        /// What is wrong with it.
        source: ImageError,
    },
    /// A bundle was taken, and its texts are not what it is for.
    #[error("the functions in lanes of {name}: {fault}")]
    Lanes {
        /// Of which declaration.
        name: String,
        /// What is wrong with them.
        fault: String,
    },
}

/// A folder where bundles may lie that nobody here made.
struct Folder {
    path: PathBuf,
    /// How a message names it.
    name: &'static str,
}

const PREPARED: &str = "`cargo curvesmith prepare` makes it anew";

/// Where bundles are sought, in order.
fn folders(manifest: Option<PathBuf>, given: Option<OsString>) -> Vec<Folder> {
    let workspace = manifest.as_deref().and_then(|package| {
        let is_root = |folder: &&Path| {
            fs::read_to_string(folder.join("Cargo.toml"))
                .is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
        };
        package.ancestors().skip(1).find(is_root).map(Path::to_owned)
    });
    let beside = |folder: PathBuf| Folder { path: folder.join("images"), name: PREPARED };
    let given = given.map(|path| Folder { path: path.into(), name: "CURVESMITH_IMAGES" });
    manifest.map(beside).into_iter().chain(given).chain(workspace.map(beside)).collect()
}

/// How the version begins of what made the bundles that are taken from folders. Those of another LLVM 19 are
/// as good: a package's are.
fn taken(format: Format) -> String {
    let compiler = curvesmith_codegen::compiler_version();
    match format {
        Format::Ptx(emitter) if emitter != Emitter::Writer => format!("{compiler} LLVM "),
        _ => compiler,
    }
}

/// In what functions for processors are made.
pub(crate) fn lane_formats() -> [Format; 2] {
    InstructionSet::ALL.map(Format::Lanes)
}

/// In what images of kernels are made: PTX, and WGSL with feature `wgsl`.
pub(crate) fn formats() -> Vec<Format> {
    let mut formats = vec![Format::Ptx(Emitter::default())];
    if cfg!(feature = "wgsl") {
        formats.push(Format::Wgsl);
    }
    formats
}

/// The images of each declaration: an encoded [`Bundle`] for each of the [`formats`], one after the other.
pub(crate) fn images(declarations: &[Declaration<'_>]) -> Result<Vec<Vec<u8>>, ImagesError> {
    let mut all = vec![vec![]; declarations.len()];
    for format in formats() {
        for (bundles, bundle) in all.iter_mut().zip(images_in(declarations, format)?) {
            bundles.extend(bundle);
        }
    }
    Ok(all)
}

/// The functions of one declaration by instruction set, in the order of [`InstructionSet::ALL`]; `None` where
/// it has none.
pub(crate) type Lanes = [Option<TokenStream>; 2];

/// The functions of each declaration for processors.
pub(crate) fn lanes(declarations: &[Declaration<'_>]) -> Result<Vec<Lanes>, ImagesError> {
    let mut all = vec![Lanes::default(); declarations.len()];
    for (at, format) in lane_formats().into_iter().enumerate() {
        let have = |i: &usize| declarations[*i].is_made_in(format);
        let those: Vec<usize> = (0..declarations.len()).filter(have).collect();
        let bundles = images_in(&those.iter().map(|&i| declarations[i]).collect::<Vec<_>>(), format)?;
        for (i, bundle) in those.into_iter().zip(bundles) {
            all[i][at] = Some(functions(declarations[i].name(), &bundle)?);
        }
    }
    Ok(all)
}

/// The functions that a bundle is for.
fn functions(name: &str, bundle: &[u8]) -> Result<TokenStream, ImagesError> {
    let fault = |fault: String| ImagesError::Lanes { name: name.to_owned(), fault };
    let texts = texts_of(bundle).map_err(|error| fault(error.to_string()))?;
    let [(_, text)] = &texts[..] else {
        return Err(fault(format!("{} texts, expected one", texts.len())));
    };
    text.parse().map_err(|error: proc_macro2::LexError| fault(error.to_string()))
}

/// Most bytes of the texts of one bundle; no declaration comes near.
const LIMIT: u64 = 1 << 28;

/// The images of an encoded bundle and their texts, compared with the hashes that it has of them.
pub(crate) fn texts_of(encoded: &[u8]) -> Result<Vec<(Image, String)>, ImageError> {
    let bundle = Bundle::decode(encoded)?;
    let mut all = Vec::new();
    let decoder = StreamingDecoder::new(&bundle.texts_zstd[..]);
    let mut decoder = decoder.map_err(|_| ImageError::Damaged("texts are not compressed"))?.take(LIMIT);
    decoder.read_to_end(&mut all).map_err(|_| ImageError::Damaged("texts cannot be decompressed"))?;
    let mut rest = &all[..];
    let text = |packed: Packed| {
        let end = usize::try_from(packed.delta_len).ok().and_then(|len| rest.split_at_checked(len));
        let (own, others) = end.ok_or(ImageError::Damaged("truncated texts"))?;
        rest = others;
        let text = delta::decode(own)?;
        match *blake3::hash(text.as_bytes()).as_bytes() == packed.text_hash {
            true => Ok((packed.image, text)),
            false => Err(ImageError::Damaged("a text is not the one that was packed")),
        }
    };
    let texts = bundle.images.into_iter().map(text).collect::<Result<_, _>>()?;
    if rest.is_empty() { Ok(texts) } else { Err(ImageError::Damaged("texts of no image")) }
}

fn images_in(declarations: &[Declaration<'_>], format: Format) -> Result<Vec<Vec<u8>>, ImagesError> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let folders = folders(manifest, std::env::var_os("CURVESMITH_IMAGES"));
    let given = |declaration: &Declaration<'_>| {
        for folder in &folders {
            if let Some(bundle) = find_bundle(folder, &declaration.stem(format), format)? {
                return Ok(Some(bundle));
            }
        }
        Ok(None)
    };
    let found = declarations.iter().map(given).collect::<Result<Vec<Option<Vec<u8>>>, _>>()?;
    complete(declarations, found, |missing| kept_or_emitted(missing, format))
}

/// An encoded bundle of each declaration: of the cache, where this compiler has put it there, else made anew
/// and put there.
pub(crate) fn kept_or_emitted(
    declarations: &[Declaration<'_>],
    format: Format,
) -> Result<Vec<Vec<u8>>, ImagesError> {
    in_cache(cache::directory().as_deref(), declarations, format)
}

fn in_cache(
    cache: Option<&Path>,
    declarations: &[Declaration<'_>],
    format: Format,
) -> Result<Vec<Vec<u8>>, ImagesError> {
    format.check().map_err(emission)?;
    let version = format.version();
    // What the cache has and is not taken is emitted again.
    let kept = |declaration: &Declaration<'_>| {
        read_bundle(&cache?.join(declaration.file(format)), &format.flavour(), &version).ok()
    };
    complete(declarations, declarations.iter().map(kept).collect(), |missing| {
        let bundles = emit(missing, format)?.into_iter().map(|bundle| bundle.encode());
        let encoded: Vec<Vec<u8>> = bundles.collect();
        for (declaration, bundle) in missing.iter().zip(&encoded) {
            // The next expansion emits again if this one could not be kept.
            let _ = cache.map(|cache| cache::write(cache, &declaration.file(format), &sealed(bundle)));
        }
        Ok(encoded)
    })
}

/// What was found, and from elsewhere the bundles of the declarations that nothing was found for.
fn complete(
    declarations: &[Declaration<'_>],
    mut found: Vec<Option<Vec<u8>>>,
    elsewhere: impl FnOnce(&[Declaration<'_>]) -> Result<Vec<Vec<u8>>, ImagesError>,
) -> Result<Vec<Vec<u8>>, ImagesError> {
    let missing: Vec<usize> = (0..declarations.len()).filter(|&i| found[i].is_none()).collect();
    let of: Vec<Declaration<'_>> = missing.iter().map(|&i| declarations[i]).collect();
    for (i, bundle) in missing.into_iter().zip(elsewhere(&of)?) {
        found[i] = Some(bundle);
    }
    Ok(found.into_iter().flatten().collect())
}

/// The bundle of each declaration, made anew.
pub(crate) fn emit(declarations: &[Declaration<'_>], format: Format) -> Result<Vec<Bundle>, ImagesError> {
    // All at once, so that no core waits for the end of a declaration; what comes last is a group, and
    // longest.
    let plans: Vec<_> = (0..declarations.len())
        .rev()
        .flat_map(|i| declarations[i].plans(format).into_iter().map(move |plan| (i, plan)))
        .collect();
    let emitted = crate::parallel::map(&plans, |(i, plan)| plan.compile().map(|emitted| (*i, emitted)));
    let emitted = emitted.into_iter().collect::<Result<Vec<_>, _>>().map_err(emission)?;
    let indices: Vec<usize> = (0..declarations.len()).collect();
    let packed = crate::parallel::map(&indices, |&i| {
        let own = emitted.iter().filter(|(of, _)| *of == i).map(|(_, emitted)| emitted.clone());
        curvesmith_codegen::pack(own.collect())
    });
    packed.into_iter().collect::<Result<_, _>>().map_err(emission)
}

fn emission(error: curvesmith_codegen::EmitError) -> ImagesError {
    ImagesError::Emit(error.to_string())
}

/// The end of a bundle's file name.
pub(crate) fn extension(flavour: &Flavour) -> String {
    format!(".{flavour}.images")
}

impl Declaration<'_> {
    fn plans(&self, format: Format) -> Vec<curvesmith_codegen::Plan> {
        match self {
            Declaration::Field(field) => curvesmith_codegen::plan_field(format, field),
            Declaration::Group(group) => curvesmith_codegen::plan_group(format, group),
            Declaration::Constant(group) => curvesmith_codegen::plan_constant(format, group),
            Declaration::Common => curvesmith_codegen::plan_common(format),
        }
    }

    fn name(&self) -> &str {
        match self {
            Declaration::Field(field) => &field.name,
            Declaration::Group(group) | Declaration::Constant(group) => &group.name,
            Declaration::Common => "common",
        }
    }

    /// Whether there is anything of it in a format: kernels always, functions in lanes for some.
    pub(crate) fn is_made_in(&self, format: Format) -> bool {
        format.geometry().is_some() || !self.plans(format).is_empty()
    }

    /// The name of its file, of images in a format.
    pub(crate) fn file(self, format: Format) -> String {
        format!("{}-{}{}", self.stem(format), hash(format.version().as_bytes()), extension(&format.flavour()))
    }

    /// `<name>-<hash of the declaration, the kernels' signatures and the sizes of their blocks>`
    fn stem(self, format: Format) -> String {
        use curvesmith_abi::Family;
        let name = self.name();
        let (mut text, family) = match self {
            Declaration::Field(field) => (field.text(), Family::Field),
            Declaration::Group(group) | Declaration::Constant(group) => (group.text(), Family::Group),
            Declaration::Common => (String::new(), Family::Common),
        };
        let Some(geometry) = format.geometry() else { return format!("{name}-{}", hash(text.as_bytes())) };
        let (form, words, degree) = match self {
            Declaration::Group(group) | Declaration::Constant(group) => {
                (group.equation.form(), group.base.words, group.degree())
            }
            Declaration::Field(field) => (Form::Xyzz, field.words, 1),
            Declaration::Common => (Form::Xyzz, 0, 1),
        };
        let _ = write!(text, "\n{geometry:?}");
        for kernel in curvesmith_abi::kernels::all(&geometry).into_iter().filter(|k| k.family == family) {
            let _ = write!(text, "\n{}", kernel.of_width(words, degree).signature(form));
        }
        format!("{name}-{}", hash(text.as_bytes()))
    }
}

/// 128 bits of BLAKE3 in hex: names, not secrets.
fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}

/// The file of an encoded bundle.
pub(crate) fn sealed(encoded: &[u8]) -> Vec<u8> {
    [blake3::hash(encoded).as_bytes(), encoded].concat()
}

/// What [`sealed`] got, if it is intact and a bundle of this version, of this flavour and of this
/// emitter.
fn unsealed(bytes: &[u8], flavour: &Flavour, emitter: &str) -> Result<Vec<u8>, ImageError> {
    let parts = bytes.split_first_chunk::<{ blake3::OUT_LEN }>();
    let (hash, encoded) = parts.ok_or(ImageError::Damaged("truncated"))?;
    if blake3::hash(encoded) != *hash {
        return Err(ImageError::Damaged("they are not those that were written"));
    }
    Bundle::decode(encoded)?.expect(flavour, emitter)?;
    Ok(encoded.to_vec())
}

pub(crate) fn read_bundle(path: &Path, flavour: &Flavour, emitter: &str) -> Result<Vec<u8>, ImageError> {
    unsealed(&fs::read(path).map_err(|_| ImageError::Damaged("the file cannot be read"))?, flavour, emitter)
}

/// The first bundle of a declaration in a folder, by file name, that is taken for a format. An error names
/// the last that is refused, where there are only such.
fn find_bundle(folder: &Folder, stem: &str, format: Format) -> Result<Option<Vec<u8>>, ImagesError> {
    let (flavour, maker) = (format.flavour(), taken(format));
    let end = extension(&flavour);
    let fits = |name: &str| name.starts_with(&format!("{stem}-")) && name.ends_with(&end);
    let Ok(entries) = fs::read_dir(&folder.path) else { return Ok(None) };
    let entries = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> =
        entries.filter(|p| p.file_name().and_then(|n| n.to_str()).is_some_and(fits)).collect();
    paths.sort();
    let mut refused = Ok(None);
    for path in paths {
        match read_bundle(&path, &flavour, &maker) {
            Ok(bundle) => return Ok(Some(bundle)),
            Err(source) => {
                let file = path.to_string_lossy().into_owned();
                refused = Err(ImagesError::Refused { file, folder: folder.name, source });
            }
        }
    }
    refused
}

pub(crate) mod cache {
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU64, Ordering};
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
        let (aside, mut out) = aside(directory, file)?;
        let written = out.write_all(bytes).and_then(|()| fs::rename(&aside, directory.join(file)));
        if written.is_err() {
            // What is left of it is named like no bundle.
            let _ = fs::remove_file(&aside);
        }
        written
    }

    /// A new file, of no other process and no other thread.
    fn aside(directory: &Path, file: &str) -> io::Result<(PathBuf, fs::File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let (process, count) = (std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
            let path = directory.join(format!(".{file}.{process}-{count}"));
            match fs::File::create_new(&path) {
                // Of a process that ended, and had this one's number.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|out| (path, out)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Format = Format::Ptx(Emitter::Writer);

    fn images(flavour: Flavour, emitter: &str) -> Vec<u8> {
        let image = curvesmith_abi::Image {
            name: "toy".into(),
            declaration: String::new(),
            emitter: emitter.into(),
            flavour,
            kernels: Vec::new(),
        };
        let packed = curvesmith_abi::Packed { image, delta_len: 0, text_hash: [7; 32] };
        Bundle { images: vec![packed], texts_zstd: vec![0; 9] }.encode()
    }

    fn find_in(directory: &Path, stem: &str) -> Result<Option<Vec<u8>>, String> {
        let folder = Folder { path: directory.to_owned(), name: "CURVESMITH_IMAGES" };
        find_bundle(&folder, stem, OWN).map_err(|e| e.to_string())
    }

    fn own_images() -> Vec<u8> {
        images(OWN.flavour(), &format!("{} by hand", curvesmith_codegen::compiler_version()))
    }

    #[test]
    fn damaged_files_are_refused() {
        let encoded = own_images();
        let bytes = sealed(&encoded);
        let unsealed =
            |bytes: &[u8]| super::unsealed(bytes, &OWN.flavour(), &curvesmith_codegen::compiler_version());
        assert_eq!(unsealed(&bytes), Ok(encoded));
        for i in 0..bytes.len() {
            assert!(unsealed(&bytes[..i]).is_err(), "cut at {i}");
            let mut flipped = bytes.clone();
            flipped[i] ^= 1;
            assert!(unsealed(&flipped).is_err(), "flipped at {i}");
        }
        assert!(unsealed(&sealed(b"no bundle")).is_err());
    }

    #[test]
    fn a_directory_serves_its_declaration() {
        let directory = tempfile::tempdir().unwrap();
        let field = FieldDesc::new("toy", 13u32.into());
        let stem = Declaration::Field(&field).stem(OWN);
        let find = |stem: &str| find_in(directory.path(), stem);
        assert_eq!(find(&stem), Ok(None));
        let path = |end: &str| directory.path().join(format!("{stem}-{end}.ptx.images"));
        fs::write(path("0"), b"damaged").unwrap();
        assert!(
            find(&stem)
                .unwrap_err()
                .ends_with("-0.ptx.images (CURVESMITH_IMAGES): kernel images are damaged: truncated")
        );
        fs::write(path("1"), sealed(&own_images())).unwrap();
        assert_eq!(find(&stem), Ok(Some(own_images())));
        let other = FieldDesc::new("toy", 17u32.into());
        assert_eq!(find(&Declaration::Field(&other).stem(OWN)), Ok(None));
    }

    #[test]
    fn the_cache_is_filled_and_taken() {
        let directory = tempfile::tempdir().unwrap();
        let cache = Some(directory.path());
        let fields = [13u32, 17].map(|p| FieldDesc::new("toy", p.into()));
        let both = [&fields[0], &fields[1]].map(Declaration::Field);
        let made = in_cache(cache, &both[..1], OWN).unwrap();
        assert_eq!(in_cache(None, &both, OWN).unwrap()[0], made[0]);
        let kept = directory.path().join(both[0].file(OWN));
        assert_eq!(fs::read(&kept).unwrap(), sealed(&made[0]));
        // Others of this compiler are taken, and nothing else.
        let other = images(OWN.flavour(), &OWN.version());
        fs::write(&kept, sealed(&other)).unwrap();
        let second = in_cache(cache, &both, OWN).unwrap();
        assert_eq!(second[0], other);
        assert_eq!(Bundle::decode(&second[1]).unwrap().images[0].image.name, "toy");
        for refused in [sealed(&own_images()), vec![7; 100]] {
            fs::write(&kept, refused).unwrap();
            assert_eq!(in_cache(cache, &both[..1], OWN).unwrap(), made);
        }
    }

    #[test]
    fn functions_are_kept_as_kernels_are() {
        let directory = tempfile::tempdir().unwrap();
        let field = FieldDesc::new("toy", 193u32.into());
        let (small, common) = (FieldDesc::new("toy", 19u32.into()), Declaration::Common);
        for format in lane_formats() {
            let declaration = Declaration::Field(&field);
            let made = [declaration, Declaration::Field(&small), common].map(|d| d.is_made_in(format));
            assert_eq!(made, [true, false, false]);
            // A transform over the small field has two elements.
            let expanded = |i: usize, lanes: &[Lanes]| lanes[i].iter().filter(|l| l.is_some()).count();
            let lanes = lanes(&[Declaration::Field(&small), declaration, common]).unwrap();
            assert_eq!([0, 1, 2].map(|i| expanded(i, &lanes)), [0, 2, 0]);
            let [bundle] = &in_cache(Some(directory.path()), &[declaration], format).unwrap()[..] else {
                panic!()
            };
            assert_eq!(fs::read(directory.path().join(declaration.file(format))).unwrap(), sealed(bundle));
            let source = functions("toy", bundle).unwrap().to_string();
            assert!(source.contains("pub fn butterflies"), "{source}");
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }

    #[test]
    fn what_is_no_source_is_refused() {
        let of = |texts: &[&str]| {
            let emitted = |text: &&str| {
                let bundle = Bundle::decode(&images(Flavour::named("avx2"), "")).unwrap();
                curvesmith_codegen::Emitted {
                    image: bundle.images[0].image.clone(),
                    text: (*text).to_owned(),
                }
            };
            let bundle = curvesmith_codegen::pack(texts.iter().map(emitted).collect()).unwrap();
            functions("toy", &bundle.encode()).map(|source| source.to_string()).map_err(|e| e.to_string())
        };
        assert_eq!(of(&["fn f() {}"]), Ok("fn f () { }".into()));
        let two = of(&["fn f() {}", "fn g() {}"]).unwrap_err();
        assert_eq!(two, "the functions in lanes of toy: 2 texts, expected one");
        assert!(of(&["fn f() {"]).unwrap_err().starts_with("the functions in lanes of toy: "));
        let damaged = functions("toy", b"").unwrap_err().to_string();
        assert!(damaged.starts_with("the functions in lanes of toy: kernel images are damaged"), "{damaged}");
    }

    #[test]
    fn folders_are_sought_in_order() {
        let root = tempfile::tempdir().unwrap();
        let package = root.path().join("crates/mine");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("Cargo.toml"), "[package]\n").unwrap();
        let paths = |given: Option<&str>| {
            let found = folders(Some(package.clone()), given.map(OsString::from));
            found.into_iter().map(|folder| folder.path).collect::<Vec<_>>()
        };
        let (own, workspace) = (package.join("images"), root.path().join("images"));
        assert_eq!(paths(None), std::slice::from_ref(&own));
        fs::write(root.path().join("Cargo.toml"), "[workspace]\n").unwrap();
        assert_eq!(paths(Some("given")), [own, "given".into(), workspace]);
        assert!(folders(None, None).is_empty());
    }

    #[test]
    fn images_of_others_are_refused_by_name() {
        let directory = tempfile::tempdir().unwrap();
        let found = |bundle: &[u8]| {
            fs::write(directory.path().join("toy-0.ptx.images"), sealed(bundle)).unwrap();
            find_in(directory.path(), "toy")
        };
        let compiler = curvesmith_codegen::compiler_version();
        let other = found(&images(OWN.flavour(), "curvesmith 0 source 1")).unwrap_err();
        let text = format!("image `toy` was made by `curvesmith 0 source 1`, `{compiler}` is expected");
        assert!(other.contains("toy-0.ptx.images") && other.ends_with(&text), "{other}");
        let other = found(&images(Flavour::named("wgsl"), &compiler)).unwrap_err();
        assert!(other.ends_with("image `toy` is of flavour wgsl, ptx is expected"), "{other}");
        let mut older = own_images();
        older[4] -= 1;
        let other = found(&older).unwrap_err();
        assert!(other.contains("kernel images have format"), "{other}");
        assert_eq!(found(&own_images()), Ok(Some(own_images())));
    }

    #[test]
    fn bundles_of_what_is_linked_are_taken() {
        for format in formats().into_iter().chain([Format::Wgsl]).chain(lane_formats()) {
            assert!(format.version().starts_with(&taken(format)));
        }
        let own = Format::Ptx(Emitter::default());
        let is_writers = own == Format::Ptx(Emitter::Writer);
        assert_eq!(Format::Ptx(Emitter::Writer).version().starts_with(&taken(own)), is_writers);
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
                equation: curvesmith_codegen::declaration::Equation::ShortWeierstrass { a, b },
            };
            Declaration::Group(&desc).stem(OWN)
        };
        let stems = [
            group(None, &[0], &[1]),
            group(None, &[1], &[0]),
            group(None, &[1], &[1]),
            group(Some(2), &[0, 1], &[1, 0]),
            group(Some(2), &[1, 0], &[0, 1]),
            group(Some(5), &[1, 0], &[0, 1]),
            Declaration::Field(&base).stem(OWN),
            Declaration::Common.stem(OWN),
            Declaration::Common.stem(Format::Wgsl),
        ];
        let distinct: std::collections::BTreeSet<_> = stems.iter().collect();
        assert_eq!(distinct.len(), stems.len());
    }

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let write = |bytes: &[u8]| cache::write(directory.path(), "x", bytes);
        write(b"one").unwrap();
        write(b"another").unwrap();
        assert_eq!(fs::read(directory.path().join("x")).unwrap(), b"another");
        // In the place of the file lies a folder with something in it.
        fs::create_dir_all(directory.path().join("y/z")).unwrap();
        assert!(cache::write(directory.path(), "y", b"").is_err());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "what was written aside is gone");
    }

    #[test]
    fn an_unwritable_cache_is_an_error_value() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(cache::write(&file.path().join("below a file"), "x", b"").is_err());
    }
}
