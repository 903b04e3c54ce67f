//! Images whose machine code was judged before and is known.
//!
//! The assembler is pinned, so one text gives one machine code. `cargo xtask bless` writes the BLAKE3 hash of
//! each image that has no finding for any compute capability; `cargo xtask validate` does not assemble an
//! image whose text has that hash still. Where a judge's own source changes, or a table of counts, no image
//! is known. `--all` assembles every image.

use super::{Assembled, TARGETS, assemble::Image, policy::Verdict, read, tables};
use crate::shell;
use anyhow::{Context, Result, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

const COLUMNS: &str = "image\tblake3";

/// What reads machine code, counts and judges it.
const JUDGES: [&str; 6] = [
    include_str!("policy.rs"),
    include_str!("ptxas.rs"),
    include_str!("rates.rs"),
    include_str!("sass.rs"),
    include_str!("tables.rs"),
    include_str!("../../tables/rates.tsv"),
];

/// Hashes of texts by the name of their image.
pub(super) struct Judged(BTreeMap<String, String>);

impl Judged {
    /// What is committed; nothing where there is no table, or one of another assembler or other judges.
    pub(super) fn committed() -> Result<Judged> {
        let path = path();
        if !path.exists() {
            return Ok(Judged(BTreeMap::new()));
        }
        parse(&read(&path)?, &head()?).with_context(|| format!("{} is not a table", path.display()))
    }

    /// Whether the text of an image is the one that was judged.
    pub(super) fn knows(&self, image: &Image) -> Result<bool> {
        Ok(self.0.get(&image.name) == Some(&hash(&read(&image.file)?)))
    }

    /// Keeps the images for which the verdict has no finding.
    pub(super) fn write(images: &[Image], assembled: &[Assembled], verdict: &Verdict) -> Result<()> {
        let found = |one: &&Assembled| {
            let symbols = one.outcomes.iter().map(|outcome| outcome.symbol.as_str());
            symbols.chain([one.image.as_str()]).any(|name| names(verdict, name))
        };
        let with_findings: BTreeSet<&str> =
            assembled.iter().filter(found).map(|one| one.image.as_str()).collect();
        let clean = images.iter().filter(|image| !with_findings.contains(image.name.as_str()));
        let hashes = clean.map(|image| Ok((image.name.clone(), hash(&read(&image.file)?))));
        let path = path();
        std::fs::write(&path, print(&hashes.collect::<Result<_>>()?, &head()?))
            .with_context(|| format!("cannot write {}", path.display()))
    }
}

fn path() -> PathBuf {
    shell::root().join("xtask/tables/judged.tsv")
}

/// Whether a failure speaks of a kernel or an image.
fn names(verdict: &Verdict, name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    verdict.failures.iter().any(|failure| failure.split(|c| !is_word(c)).any(|word| word == name))
}

/// The first line names the assembler, the judges and the tables that they compare with.
fn head() -> Result<String> {
    let mut hasher = blake3::Hasher::new();
    for text in JUDGES {
        hasher.update(hash(text).as_bytes());
    }
    for text in tables::texts(&TARGETS) {
        hasher.update(text?.as_bytes());
    }
    Ok(format!("{}; judges {}", tables::head(), &hasher.finalize().to_hex()[..16]))
}

/// Of a text without its comments: those of images name versions of ours.
fn hash(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        hasher.update(line.as_bytes());
        hasher.update(b"\n");
    }
    hasher.finalize().to_hex().to_string()
}

fn print(hashes: &BTreeMap<String, String>, head: &str) -> String {
    let mut out = format!("{head}\n{COLUMNS}\n");
    for (image, hash) in hashes {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{image}\t{hash}");
    }
    out
}

fn parse(text: &str, head: &str) -> Result<Judged> {
    let mut lines = text.lines();
    if lines.next() != Some(head) {
        return Ok(Judged(BTreeMap::new()));
    }
    if lines.next() != Some(COLUMNS) {
        bail!("its columns are not `{COLUMNS}`");
    }
    let row = |line: &str| line.split_once('\t').map(|(image, hash)| (image.to_owned(), hash.to_owned()));
    let rows = lines.map(|line| row(line).with_context(|| format!("`{line}` is no row")));
    Ok(Judged(rows.collect::<Result<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Else every image is assembled on every run, which takes minutes.
    #[test]
    fn the_committed_table_is_of_these_judges() {
        let text = read(&path()).expect("a table");
        let head = head().expect("tables of counts");
        assert_eq!(text.lines().next(), Some(head.as_str()), "`cargo xtask bless --tables` writes it anew");
    }

    #[test]
    fn a_text_is_known_by_all_but_its_comments() {
        assert_eq!(hash("// 0.1\nadd;\n"), hash("// 0.2\nadd;\n"));
        assert_ne!(hash("add;\n"), hash("sub;\n"));
        assert_ne!(hash("a\nb"), hash("ab"));
    }

    #[test]
    fn an_image_with_another_text_is_not_known() {
        let folder = shell::target("judged-test");
        std::fs::create_dir_all(&folder).expect("the target folder can be written");
        let file = folder.join("a.ptx");
        std::fs::write(&file, "add;\n").expect("the file can be written");
        let image =
            |name: &str| Image { name: name.into(), file: file.clone(), limbs: None, kernels: vec![] };
        let hashes = [("a".to_owned(), hash("add;\n")), ("b".to_owned(), hash("sub;\n"))];
        let text = print(&BTreeMap::from(hashes), "# judges");
        let judged = parse(&text, "# judges").expect("it was printed");
        let knows = |judged: &Judged, name| judged.knows(&image(name)).expect("the file is there");
        assert!(knows(&judged, "a"));
        assert!(!knows(&judged, "b"), "another text");
        assert!(!knows(&judged, "c"), "another image");
        let other = parse(&text, "# others").expect("other judges");
        assert!(!knows(&other, "a"));
        assert!(parse(&text.replace(COLUMNS, "image"), "# judges").is_err());
    }

    #[test]
    fn a_failure_names_whole_words() {
        let failures = vec!["bn254_g1_add for sm_90: bound 1 -> 2".to_owned()];
        let verdict = Verdict { failures, ..Verdict::default() };
        assert!(names(&verdict, "bn254_g1_add"));
        assert!(!names(&verdict, "g1_add") && !names(&verdict, "bn254_g1"));
    }
}
