//! Which texts the images of a package are: hashes that git holds.
//!
//! The table has a line an image, with the BLAKE3 hash of its text without comments: PTX, or functions for
//! processors. Comments name the compiler's source, so that every change of it would change them; another
//! zstd changes the bytes of a bundle, and no text. The first line names the LLVM that emitted them: another
//! one writes other texts.

use crate::{compiler, shell};
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// The table.
pub(super) const TABLE: &str = "curves/images.tsv";
const COLUMNS: &str = "image\tblake3";
/// How the emitter of functions for processors is named.
const IN_LANES: &str = "lanes by ";
const WRITTEN: &str = "; written by `cargo xtask bless`";

/// Images and what emitted them.
#[derive(Debug, PartialEq)]
pub(super) struct Provenance {
    /// Name and version of the emitter: `LLVM 19.1.7`.
    emitter: String,
    /// Hashes of texts by the name of their image.
    hashes: BTreeMap<String, String>,
}

/// What folders of bundles hold.
pub(super) fn of(folders: &[(&str, PathBuf)]) -> Result<Provenance> {
    let mut hashes = compiler::program()?;
    hashes.arg("hashes").args(folders.iter().map(|(_, folder)| folder));
    let out = hashes.output().context("cargo-curvesmith could not be started")?;
    if !out.status.success() {
        bail!("`{}` failed:\n{}", shell::show(&hashes), String::from_utf8_lossy(&out.stderr).trim());
    }
    read(&String::from_utf8_lossy(&out.stdout))
}

/// Lines of `cargo curvesmith hashes`.
fn read(text: &str) -> Result<Provenance> {
    let mut emitters = Vec::new();
    let mut hashes = BTreeMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [image, hash, maker] = fields[..] else { bail!("`{line}` is no line of an image") };
        // `curvesmith <version> source <hash> <emitter>`
        let emitter = maker.splitn(5, ' ').nth(4).with_context(|| format!("`{maker}` names no emitter"))?;
        // Functions for processors are the compiler's alone.
        if !emitter.starts_with(IN_LANES) && !emitters.contains(&emitter) {
            emitters.push(emitter);
        }
        hashes.insert(image.to_owned(), hash.to_owned());
    }
    ensure!(emitters.len() == 1, "images of one emitter are expected, there are {emitters:?}");
    Ok(Provenance { emitter: emitters.concat(), hashes })
}

impl Provenance {
    /// What git holds.
    pub(super) fn committed() -> Result<Provenance> {
        let path = shell::root().join(TABLE);
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Provenance::parse(&text).with_context(|| format!("{TABLE} is not a table"))
    }

    /// Makes it what git is to hold.
    pub(super) fn write(&self) -> Result<()> {
        let path = shell::root().join(TABLE);
        std::fs::write(&path, self.print()).with_context(|| format!("cannot write {}", path.display()))
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Fails where the images were emitted by another LLVM.
    pub(super) fn is_of(&self, other: &Provenance) -> Result<()> {
        ensure!(
            self.emitter == other.emitter,
            "{TABLE} is of {}, this machine has {}: their texts cannot be compared",
            self.emitter,
            other.emitter
        );
        Ok(())
    }

    /// Fails and names every image that is another one in `found`, or in one of both alone.
    pub(super) fn check(&self, found: &Provenance, place: &str) -> Result<()> {
        self.is_of(found)?;
        let differences = found.hashes.iter().filter_map(|(name, hash)| match self.hashes.get(name) {
            Some(own) if own == hash => None,
            Some(_) => Some(format!("{name} has another text {place}")),
            None => Some(format!("{name} is {place}, and not in {TABLE}")),
        });
        let missing = self.hashes.keys().filter(|name| !found.hashes.contains_key(*name));
        let missing = missing.map(|name| format!("{name} is in {TABLE}, and not {place}"));
        let faults: Vec<String> = differences.chain(missing).collect();
        ensure!(
            faults.is_empty(),
            "{} images differ; `cargo xtask bless --images` accepts what is emitted here:\n{}",
            faults.len(),
            faults.join("\n")
        );
        Ok(())
    }

    fn print(&self) -> String {
        let mut out = format!("# {}{WRITTEN}\n{COLUMNS}\n", self.emitter);
        for (image, hash) in &self.hashes {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{image}\t{hash}");
        }
        out
    }

    fn parse(text: &str) -> Result<Provenance> {
        let mut lines = text.lines();
        let head = lines.next().and_then(|line| line.strip_prefix("# ")?.strip_suffix(WRITTEN));
        let emitter = head.context("its first line names no emitter")?.to_owned();
        ensure!(lines.next() == Some(COLUMNS), "its columns are not `{COLUMNS}`");
        let row = |line: &str| line.split_once('\t').map(|(image, hash)| (image.to_owned(), hash.to_owned()));
        let rows = lines.map(|line| row(line).with_context(|| format!("`{line}` is no row")));
        Ok(Provenance { emitter, hashes: rows.collect::<Result<_>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str =
        "a\t01\tcurvesmith 0.1.0 source ff LLVM 19.1.7\nb\t02\tcurvesmith 0.1.0 source ff LLVM 19.1.7\n";

    fn provenance(hashes: &[(&str, &str)]) -> Provenance {
        let owned = |(image, hash): &(&str, &str)| ((*image).to_owned(), (*hash).to_owned());
        Provenance { emitter: "LLVM 19.1.7".into(), hashes: hashes.iter().map(owned).collect() }
    }

    #[test]
    fn a_table_is_read_as_it_is_printed() {
        let two = read(LINES).expect("two images");
        assert_eq!(two, provenance(&[("a", "01"), ("b", "02")]));
        let text = two.print();
        assert_eq!(text, "# LLVM 19.1.7; written by `cargo xtask bless`\nimage\tblake3\na\t01\nb\t02\n");
        assert_eq!(Provenance::parse(&text).expect("it was printed"), two);
        let lanes = "a_avx2\t03\tcurvesmith 0.1.0 source ff lanes by avx2\n";
        let three = read(&(LINES.to_owned() + lanes)).expect("one emitter of PTX");
        assert_eq!(three, provenance(&[("a", "01"), ("b", "02"), ("a_avx2", "03")]));
        assert!(read(lanes).is_err(), "no emitter of PTX");
        for bad in ["", "# LLVM\n", &text.replace("image\t", "image "), &text.replace("b\t", "b ")] {
            assert!(Provenance::parse(bad).is_err(), "{bad}");
        }
        assert!(read("a\t01\n").is_err() && read("a\t01\tour own\n").is_err() && read("").is_err());
        assert!(read(&LINES.replacen("LLVM 19.1.7", "own writer", 1)).is_err(), "two emitters");
    }

    #[test]
    fn every_image_that_differs_is_named() {
        let kept = provenance(&[("a", "01"), ("b", "02"), ("c", "03")]);
        assert!(kept.check(&provenance(&[("a", "01"), ("b", "02"), ("c", "03")]), "here").is_ok());
        let error = kept.check(&provenance(&[("a", "01"), ("b", "00"), ("d", "04")]), "here");
        let error = error.expect_err("three differ").to_string();
        for said in
            ["3 images", "b has another text here", "c is in curves/images.tsv, and not here", "d is here"]
        {
            assert!(error.contains(said), "{error}");
        }
        let other = Provenance { emitter: "LLVM 19.1.1".into(), ..provenance(&[]) };
        let error = kept.check(&other, "here").expect_err("another LLVM").to_string();
        assert!(error.contains("19.1.7") && error.contains("19.1.1"), "{error}");
    }
}
