//! A crate of a user's, built against the packages without network and without LLVM.
//!
//! The packages and all that they need lie in one folder, as `cargo vendor` fills it. Where macros emitted
//! images in place of taking the packages', the cache of images would hold them.

use super::archive::{sha256, unpack};
use super::{LIBRARIES, collect, make, provenance};
use crate::files::{clear, copy};
use crate::{interop, shell};
use anyhow::{Context, Result, ensure};
use provenance::Provenance;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Its sources.
const SOURCES: &str = "tests/consumer";
/// What it proves: optimised in a long run, as it is built by default in a short one.
const LARGE: &str = "tests/fixtures/bn128_semaphore20_ceremony";
const SMALL: &str = "tests/fixtures/bn128_mult";
/// Seconds of processor time that its release build is to take, with all that it needs.
const WANTED: f64 = 90.0;

/// Makes the packages, and builds and proves with them; in a long run optimised, and documents them.
pub(crate) fn test(long: bool) -> Result<()> {
    let folder = shell::target("package");
    let images = collect(&folder.join(super::IMAGES))?;
    let (committed, emitted) = (Provenance::committed()?, provenance::of(&images)?);
    match committed.is_of(&emitted) {
        Ok(()) => committed.check(&emitted, "emitted here")?,
        Err(other) => eprintln!("SKIPPED: the comparison of images: {other}"),
    }
    let packages = make(&folder, &images)?;
    let vendored = vendor(&folder, &packages)?;
    let user = User { folder: folder.join("user"), cache: folder.join("cache"), release: long };
    user.settle(&vendored)?;
    user.build()?;
    user.prove()?;
    if long { user.document(&vendored) } else { Ok(()) }
}

/// Fills a folder with the packages and with those of others that they need.
fn vendor(folder: &Path, packages: &[PathBuf]) -> Result<PathBuf> {
    let vendored = folder.join("vendor");
    let mut vendor = shell::cargo();
    vendor
        .args(["vendor", "--quiet", "--manifest-path"])
        .arg(folder.join("source/Cargo.toml"))
        .arg(&vendored);
    // It prints the settings that `settle` writes.
    let out = vendor.output().context("cargo could not be started")?;
    let said = String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "`{}` failed:\n{}", shell::show(&vendor), said.trim());
    for ((name, _), file) in LIBRARIES.iter().zip(packages) {
        let package = vendored.join(name);
        clear(&package)?;
        std::fs::remove_dir(&package)?;
        std::fs::rename(unpack(file, &vendored)?, &package)?;
        let sums = serde_json::json!({"files": {}, "package": sha256(file)?});
        std::fs::write(package.join(".cargo-checksum.json"), sums.to_string())?;
    }
    Ok(vendored)
}

/// Where a user's crate lies, and the cache that no image may be put into.
struct User {
    folder: PathBuf,
    cache: PathBuf,
    /// Optimised, or as cargo does by default, which takes less time.
    release: bool,
}

impl User {
    /// Copies the sources of the crate, and has cargo look into the folder of packages only.
    fn settle(&self, vendored: &Path) -> Result<()> {
        clear(&self.cache)?;
        clear(&self.folder.join("src"))?;
        let sources = shell::root().join(SOURCES);
        for file in ["Cargo.toml", "src/main.rs"] {
            std::fs::copy(sources.join(file), self.folder.join(file))
                .with_context(|| format!("cannot copy {SOURCES}/{file}"))?;
        }
        // Versions are those that lie in the folder.
        let _ = std::fs::remove_file(self.folder.join("Cargo.lock"));
        let settings = self.folder.join(".cargo");
        clear(&settings)?;
        let text = format!(
            "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = {:?}\n",
            vendored.to_string_lossy()
        );
        std::fs::write(settings.join("config.toml"), text)?;
        Ok(())
    }

    /// Cargo in the folder, on a machine without LLVM and network, as far as it can tell.
    fn cargo(&self) -> Command {
        let mut cargo = shell::without_llvm(shell::cargo());
        cargo.current_dir(&self.folder).env("CURVESMITH_CACHE", &self.cache).env_remove("CURVESMITH_IMAGES");
        cargo
    }

    /// Options of a command of cargo's.
    fn offline(&self, command: &mut Command) {
        command.args(self.release.then_some("--release")).args(["--offline", "--target-dir"]);
        command.arg(self.target());
    }

    fn target(&self) -> PathBuf {
        self.folder.join("target")
    }

    /// Builds everything anew, and says what it took to optimise it.
    fn build(&self) -> Result<()> {
        clear(&self.target())?;
        let before = shell::processor_time();
        let mut build = self.cargo();
        build.args(["build", "--timings"]);
        self.offline(&mut build);
        shell::run(&mut build)?;
        self.expect_no_emission()?;
        match before.zip(shell::processor_time()) {
            _ if !self.release => {}
            // Told, and no failure: how fast a machine is, and what else it does, is not known here.
            Some((before, after)) => {
                let seconds = after - before;
                eprintln!("a user's build took {seconds:.0} s of processor time; {WANTED} s are wanted");
            }
            None => eprintln!("SKIPPED: the processor time of a user's build: this system does not tell it"),
        }
        Ok(())
    }

    /// Fails where an image was emitted that packages hold: all but those of WGSL, which the macros emit in a
    /// second or two a curve. What the cache may hold besides are marks of declarations that were checked.
    fn expect_no_emission(&self) -> Result<()> {
        let entries = std::fs::read_dir(&self.cache)?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let names = names.collect::<Result<Vec<String>>>()?;
        let emitted: Vec<&str> =
            names.iter().map(String::as_str).filter(|name| is_of_packages(name)).collect();
        ensure!(emitted.is_empty(), "the packages lack images, which were emitted: {}", emitted.join(", "));
        Ok(())
    }

    fn prove(&self) -> Result<()> {
        let (profile, fixture) = if self.release { ("release", LARGE) } else { ("debug", SMALL) };
        let program = self.target().join(profile).join("consumer");
        shell::run(shell::command(program).arg(fixture).arg(&self.folder))?;
        let [proof, public] = ["proof.json", "public.json"].map(|name| self.folder.join(name));
        let key = shell::root().join(fixture).join("verification_key.json");
        interop::judge("a crate that uses the packages", &key, &public, &proof)
    }

    /// The documentation of the outermost package, as docs.rs makes it: of the package's own folder, with the
    /// versions that the package lists.
    fn document(&self, vendored: &Path) -> Result<()> {
        let (from, to) = (vendored.join("curvesmith"), self.folder.join("docs"));
        clear(&to)?;
        copy(&from, &to)?;
        let manifest = to.join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest)?;
        let features = features(&text)?;
        // Else it would be taken for a member of the crate's workspace.
        std::fs::write(&manifest, text + "\n[workspace]\n")?;
        let mut doc = self.cargo();
        doc.current_dir(&to).env("DOCS_RS", "1").args(["doc", "--no-deps", "--lib", "--locked"]);
        self.offline(&mut doc);
        shell::run(doc.args(["--features", &features]))?;
        self.expect_no_emission()?;
        let page = self.target().join("doc/curvesmith/index.html");
        ensure!(page.is_file(), "rustdoc wrote no {}", page.display());
        Ok(())
    }
}

/// The features that docs.rs is to document.
fn features(manifest: &str) -> Result<String> {
    let manifest: toml::Table = manifest.parse().context("the package's manifest is not TOML")?;
    let keys = ["package", "metadata", "docs", "rs"];
    let of = keys.iter().try_fold(&toml::Value::Table(manifest), |of, key| of.get(key)).cloned();
    let features = of.and_then(|of| of.get("features")?.as_array().cloned());
    let features = features.context("no features in [package.metadata.docs.rs]")?;
    Ok(features.iter().filter_map(toml::Value::as_str).collect::<Vec<_>>().join(","))
}

/// Whether a file of the cache is images that packages hold.
fn is_of_packages(file: &str) -> bool {
    file.ends_with(".images") && !file.ends_with(".wgsl.images")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_emitted_image_is_named() {
        let folder = shell::target("package-test").join("cache");
        let user = User { folder: folder.clone(), cache: folder.clone(), release: false };
        clear(&folder).expect("a folder");
        for of_no_package in ["01.checked", "bn254_g1-0-1.wgsl.images"] {
            std::fs::write(folder.join(of_no_package), "").expect("a file");
        }
        assert!(user.expect_no_emission().is_ok());
        for emitted in ["bn254_g1-0-1.ptx.images", "bn254_g1-0-1.avx2.images"] {
            let file = folder.join(emitted);
            std::fs::write(&file, "").expect("a file");
            assert!(user.expect_no_emission().expect_err("one is there").to_string().contains(emitted));
            std::fs::remove_file(file).expect("it was written");
        }
    }

    #[test]
    fn features_are_those_of_docs_rs() {
        let text = "[package.metadata.docs.rs]\nfeatures = [\"a\", \"b\"]\n";
        assert_eq!(features(text).expect("two"), "a,b");
        assert!(features("[package]\n").is_err());
    }
}
