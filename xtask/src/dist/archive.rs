//! Archives whose bytes depend on nothing but what is in them.

use anyhow::{Context, Result, bail, ensure};
use flate2::{Compression, GzBuilder, read::GzDecoder};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

/// Every file's time, in seconds since 1970: the one that cargo gives to files of packages.
const TIME: u64 = 1_153_704_088;

/// A file to be packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    pub(super) executable: bool,
}

/// Files by their paths, with `/`.
pub(super) type Files = BTreeMap<String, File>;

/// A gzipped tar archive with all files in one folder.
pub(super) fn pack(folder: &str, files: &Files, level: Compression) -> Result<Vec<u8>> {
    let gzip = GzBuilder::new().mtime(0).write(Vec::new(), level);
    let mut tar = tar::Builder::new(gzip);
    for (path, file) in files {
        let mut header = tar::Header::new_ustar();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(file.bytes.len().try_into()?);
        header.set_mode(if file.executable { 0o755 } else { 0o644 });
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        let path = format!("{folder}/{path}");
        tar.append_data(&mut header, &path, &file.bytes[..])
            .with_context(|| format!("cannot pack {path}"))?;
    }
    Ok(tar.into_inner()?.finish()?)
}

/// Unpacks into a folder that does not exist yet, and nowhere else.
pub(super) fn unpack(archive: &[u8], into: &Path) -> Result<()> {
    ensure!(!into.exists(), "{} exists", into.display());
    std::fs::create_dir_all(into).with_context(|| format!("cannot create {}", into.display()))?;
    let mut tar = tar::Archive::new(GzDecoder::new(archive));
    for entry in tar.entries()? {
        let mut entry = entry?;
        ensure!(entry.unpack_in(into)?, "{} leads out of the archive", entry.path()?.display());
    }
    Ok(())
}

/// SHA-256 in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A line for each archive in a folder, as `sha256sum` writes them.
pub(super) fn sums(folder: &Path) -> Result<String> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let paths = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    let mut lines = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".tar.gz") {
            let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            lines.push((name, sha256(&bytes)));
        }
    }
    lines.sort();
    Ok(lines.into_iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect())
}

/// Fails unless every file that is listed is there and has its sum; the number of files.
pub(super) fn verify(sums: &str, folder: &Path) -> Result<usize> {
    for line in sums.lines() {
        let Some((sum, name)) = line.split_once("  ") else { bail!("{line:?} is no line of sha256sum") };
        let mut parts = Path::new(name).components();
        ensure!(
            matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None)),
            "{name:?} is no name of a file"
        );
        let bytes = std::fs::read(folder.join(name)).with_context(|| format!("cannot read {name}"))?;
        ensure!(sha256(&bytes) == sum, "{name} has another SHA-256 than SHA256SUMS says");
    }
    Ok(sums.lines().count())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell;

    fn files() -> Files {
        let file = |text: &str, executable| File { bytes: text.into(), executable };
        [("bin/program", file("#!/bin/sh\n", true)), ("README.md", file("# Read\n", false))]
            .map(|(path, file)| (path.to_owned(), file))
            .into()
    }

    /// A folder of this test alone, empty.
    fn folder(name: &str) -> PathBuf {
        let folder = shell::target("dist-tests").join(name);
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn an_archive_depends_on_its_files_alone() {
        let first = pack("p-1", &files(), Compression::best()).expect("packs");
        std::thread::sleep(std::time::Duration::from_millis(1100));
        assert_eq!(first, pack("p-1", &files(), Compression::best()).expect("packs"));
        // Neither time nor owner: these bytes are the same on every machine.
        let names: Vec<_> = tar::Archive::new(GzDecoder::new(&first[..]))
            .entries()
            .expect("an archive")
            .map(|entry| {
                let entry = entry.expect("an entry");
                let header = entry.header();
                let numbers = [header.uid(), header.gid(), header.mtime()].map(|n| n.expect("a number"));
                assert_eq!(numbers, [0, 0, TIME]);
                assert_eq!((header.username(), header.groupname()), (Ok(Some("")), Ok(Some(""))));
                (entry.path().expect("a path").display().to_string(), header.mode().expect("a mode"))
            })
            .collect();
        assert_eq!(names, [("p-1/README.md".to_owned(), 0o644), ("p-1/bin/program".to_owned(), 0o755)]);
        let mut other = files();
        other.get_mut("README.md").expect("is there").bytes.push(b'\n');
        assert_ne!(first, pack("p-1", &other, Compression::best()).expect("packs"));
    }

    #[test]
    fn what_was_packed_is_unpacked_once() {
        let folder = folder("unpack");
        let archive = pack("p-1", &files(), Compression::fast()).expect("packs");
        unpack(&archive, &folder).expect("unpacks");
        for (path, file) in files() {
            assert_eq!(std::fs::read(folder.join("p-1").join(path)).expect("is there"), file.bytes);
        }
        assert!(unpack(&archive, &folder).is_err(), "the folder exists");
        let cut = folder.with_file_name("cut");
        let _ = std::fs::remove_dir_all(&cut);
        assert!(unpack(&archive[..archive.len() / 2], &cut).is_err());
    }

    #[test]
    fn a_changed_or_missing_file_is_noticed() {
        assert_eq!(sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        let folder = folder("sums");
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, text) in [("b.tar.gz", "b"), ("a.tar.gz", "a"), ("a.txt", "not an archive")] {
            std::fs::write(folder.join(name), text).expect("written");
        }
        let sums = sums(&folder).expect("sums");
        let names: Vec<_> = sums.lines().map(|line| &line[66..]).collect();
        assert_eq!(names, ["a.tar.gz", "b.tar.gz"]);
        assert_eq!(verify(&sums, &folder).expect("both are right"), 2);
        std::fs::write(folder.join("b.tar.gz"), "c").expect("written");
        let error = verify(&sums, &folder).expect_err("changed").to_string();
        assert!(error.contains("b.tar.gz"), "{error}");
        std::fs::remove_file(folder.join("b.tar.gz")).expect("removed");
        assert!(verify(&sums, &folder).is_err());
        for bad in ["0123", "0123  ../a.tar.gz", "0123  /a.tar.gz"] {
            assert!(verify(bad, &folder).is_err(), "{bad}");
        }
    }
}
