//! The library packages, with the images of the declared curves inside.
//!
//! Git holds sources only. [`stage`] copies them to a folder below `target/`, where LLVM's images are put
//! beside the `Cargo.toml` of the package that embeds them, and `cargo package` makes the `.crate` files of
//! that folder. [`provenance`] compares the images with the table of hashes that git holds. [`consumer`]
//! builds a crate against the packages, as a user has them.

mod archive;
mod consumer;
mod manifest;
mod provenance;
mod stage;

use crate::files::clear;
use crate::{SetupArgs, compiler, setup, shell};
use anyhow::{Context, Result, bail, ensure};
use archive::unpack;
use clap::Args;
use provenance::Provenance;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use consumer::test;

/// The packages that are made, by the folder of their sources.
const LIBRARIES: [(&str, &str); 9] = [
    ("curvesmith-abi", "runtime/abi"),
    ("curvesmith-device", "runtime/device"),
    ("curvesmith-emulator", "runtime/emulator"),
    ("curvesmith-wgpu", "runtime/wgpu"),
    ("curvesmith-codegen", "codegen"),
    ("curvesmith-field-dsl", "field-dsl"),
    ("curvesmith-runtime", "runtime"),
    ("curvesmith-curves", "curves"),
    ("curvesmith", "prover"),
];

/// The folder of images in a package; the macros look there first.
const IMAGES: &str = "images";

/// What holds images: its sources, and how `cargo curvesmith prepare` makes them.
const WITH_IMAGES: [(&str, &[&str]); 2] = [
    ("curves", &["--from", "curves/src"]),
    // Its sources hold no declaration of their own.
    ("runtime", &["--common", "--from", "runtime/src/common.rs"]),
];

/// Most bytes of a file that cargo's registry takes.
const LIMIT: u64 = 10 << 20;

#[derive(Args)]
pub(crate) struct PackageArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// Only emit the images and compare their texts with `curves/images.tsv`; no package is made
    #[arg(long)]
    check: bool,
    /// `.crate` files from elsewhere, whose images are compared too
    #[arg(requires = "check")]
    files: Vec<PathBuf>,
}

/// Makes the packages, or only compares images. Fails where images are not those of the table.
pub(crate) fn run(args: &PackageArgs) -> Result<()> {
    setup::run(args.setup.yes)?;
    let folder = shell::target("package");
    let images = emit(&folder.join(IMAGES))?;
    let emitted = provenance::of(&images)?;
    Provenance::committed()?.check(&emitted, "emitted here")?;
    eprintln!("{} images are those of {}", emitted.len(), provenance::TABLE);
    if args.check {
        return args.files.iter().try_for_each(|file| check_file(file, &folder.join("given"), &images));
    }
    for file in make(&folder, &images)? {
        println!("{:>9} {}", file.metadata()?.len(), file.display());
    }
    Ok(())
}

/// Rewrites the table of hashes.
pub(crate) fn bless() -> Result<()> {
    let images = emit(&shell::target("package").join(IMAGES))?;
    provenance::of(&images)?.write()
}

/// Has LLVM emit all images anew; the folder of each package's is that of its sources below `folder`.
fn emit(folder: &Path) -> Result<Vec<(&'static str, PathBuf)>> {
    prepare(folder, |program| {
        program.env("CURVESMITH_CACHE", "");
    })
}

/// All images by LLVM, from the cache where it has them.
fn collect(folder: &Path) -> Result<Vec<(&'static str, PathBuf)>> {
    prepare(folder, |_| ())
}

fn prepare(folder: &Path, settings: impl Fn(&mut Command)) -> Result<Vec<(&'static str, PathBuf)>> {
    let mut images = Vec::new();
    for (sources, options) in WITH_IMAGES {
        let into = folder.join(sources);
        let mut prepare = compiler::program()?;
        settings(&mut prepare);
        shell::run(prepare.arg("prepare").args(options).arg("--into").arg(&into))?;
        images.push((sources, into));
    }
    Ok(images)
}

/// Compares the images of a package that was made elsewhere with those emitted here.
fn check_file(file: &Path, folder: &Path, emitted: &[(&'static str, PathBuf)]) -> Result<()> {
    let name = file.display().to_string();
    clear(folder)?;
    let package = unpack(file, folder)?;
    let images = package.join(IMAGES);
    let Some(sources) = sources_of_images(&package) else {
        ensure!(!images.exists(), "{name} holds images, and is to hold none");
        eprintln!("{name} holds no images, and is to hold none");
        return Ok(());
    };
    ensure!(images.exists(), "{name} has no images");
    let found = provenance::of(&[(sources, images)])?;
    let own = emitted.iter().filter(|(of, _)| *of == sources).cloned().collect::<Vec<_>>();
    provenance::of(&own)?.check(&found, &format!("in {name}"))?;
    eprintln!("{name}: its {} images are those of {}", found.len(), provenance::TABLE);
    Ok(())
}

/// The sources of an unpacked package, if it is one of those that hold images.
fn sources_of_images(package: &Path) -> Option<&'static str> {
    let file = package.file_name().unwrap_or_default().to_string_lossy();
    let (name, _) = file.rsplit_once('-')?;
    let (_, sources) = LIBRARIES.iter().find(|(library, _)| *library == name)?;
    WITH_IMAGES.iter().map(|(with, _)| *with).find(|with| with == sources)
}

/// The `.crate` files of all library packages, in the order of [`LIBRARIES`]. Fails where the registry would
/// refuse one.
fn make(folder: &Path, images: &[(&str, PathBuf)]) -> Result<Vec<PathBuf>> {
    let sources = stage::fill(&folder.join("source"), images)?;
    let build = folder.join("build");
    let packages = build.join("package");
    clear(&packages)?;
    let mut package = shell::cargo();
    // What is built of them is tried by `consumer`, all at once. The sources lie in no repository of their
    // own.
    package.args(["package", "--workspace", "--no-verify", "--allow-dirty", "--quiet"]);
    package.arg("--manifest-path").arg(sources.join("Cargo.toml")).arg("--target-dir").arg(&build);
    shell::run(&mut package)
        .context("several packages that need each other are packaged by cargo 1.90 or newer")?;
    let unpacked = folder.join("unpacked");
    clear(&unpacked)?;
    let version = stage::version()?;
    let mut faults = Vec::new();
    let mut files = Vec::new();
    for (name, own) in LIBRARIES {
        let file = packages.join(format!("{name}-{version}.crate"));
        let bytes = file.metadata().with_context(|| format!("cargo made no {}", file.display()))?.len();
        faults.extend(too_large(name, bytes));
        let package = unpack(&file, &unpacked)?;
        faults.extend(manifest::faults(&package)?.into_iter().map(|fault| format!("{name}: {fault}")));
        if let Some((_, images)) = images.iter().find(|(sources, _)| *sources == own) {
            faults.extend(missing(images, &package.join(IMAGES))?.map(|file| format!("{name} lacks {file}")));
        }
        files.push(file);
    }
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    Ok(files)
}

fn too_large(name: &str, bytes: u64) -> Option<String> {
    (bytes > LIMIT).then(|| format!("{name} has {bytes} bytes, the registry takes at most {LIMIT}"))
}

/// Files of a folder that another has not.
fn missing<'a>(wanted: &Path, there: &'a Path) -> Result<impl Iterator<Item = String> + use<'a>> {
    let names = std::fs::read_dir(wanted).with_context(|| format!("cannot read {}", wanted.display()))?;
    let names = names.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names = names.collect::<Result<Vec<String>>>()?;
    Ok(names.into_iter().filter(|name| !there.join(name).exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_where_the_table_says() {
        for (name, folder) in LIBRARIES {
            let manifest = shell::root().join(folder).join("Cargo.toml");
            let text = std::fs::read_to_string(&manifest).expect("a manifest");
            assert!(text.contains(&format!("name = \"{name}\"\n")), "{}", manifest.display());
        }
        for (sources, _) in WITH_IMAGES {
            assert!(LIBRARIES.iter().any(|(_, folder)| *folder == sources), "{sources}");
            // The macros would take them, however old they are.
            assert!(
                !shell::root().join(sources).join(IMAGES).exists(),
                "{sources} has images in its sources"
            );
        }
    }

    #[test]
    fn a_package_that_is_too_large_is_named_with_both_numbers() {
        assert_eq!(too_large("a", 10_485_760), None);
        let fault = too_large("a", 10_485_761).expect("one byte more");
        assert!(fault.contains("10485761") && fault.contains("at most 10485760"), "{fault}");
    }

    #[test]
    fn packages_with_images_are_known_by_name() {
        let of = |package: &str| sources_of_images(Path::new(package));
        assert_eq!(of("x/curvesmith-curves-0.1.0"), Some("curves"));
        assert_eq!(of("curvesmith-runtime-1.2.3"), Some("runtime"));
        assert!(
            of("curvesmith-codegen-0.1.0").is_none() && of("curves").is_none() && of("other-1").is_none()
        );
    }

    #[test]
    fn a_missing_image_is_found() {
        let folder = shell::target("package-test").join("missing");
        let (wanted, there) = (folder.join("wanted"), folder.join("there"));
        clear(&wanted).expect("a folder");
        clear(&there).expect("a folder");
        for file in [wanted.join("a"), wanted.join("b"), there.join("a"), there.join("c")] {
            std::fs::write(file, "").expect("a file");
        }
        assert_eq!(missing(&wanted, &there).expect("both are there").collect::<Vec<_>>(), ["b"]);
        assert!(missing(&folder.join("none"), &there).is_err());
    }
}
