//! What a binary asks of the system that it is run on.

use anyhow::{Context, Result, ensure};
use object::Endianness;
use object::elf::{DT_NEEDED, FileHeader64, VER_FLG_WEAK};
use object::read::elf::{Dyn as _, FileHeader as _};
use std::collections::BTreeSet;

/// Shared libraries that a system with glibc and a C++ compiler's runtime has, up to the version in their
/// names.
const ALLOWED: [&str; 9] = [
    "ld-linux-aarch64.so.",
    "ld-linux-x86-64.so.",
    "libc.so.",
    "libdl.so.",
    "libgcc_s.so.",
    "libm.so.",
    "libpthread.so.",
    "librt.so.",
    "libutil.so.",
];

/// A version of glibc, as 2.34.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32, u32);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Version(major, minor, patch) = *self;
        write!(f, "{major}.{minor}")?;
        if patch == 0 { Ok(()) } else { write!(f, ".{patch}") }
    }
}

/// What the binary asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// The oldest glibc with which it starts.
    pub(super) glibc: Version,
    /// The shared libraries that are loaded with it.
    pub(super) libraries: BTreeSet<String>,
}

impl Needs {
    /// Reads the dynamic section of a 64-bit ELF file; fails where it asks for more than glibc and libgcc.
    pub(super) fn of(binary: &[u8]) -> Result<Needs> {
        let (libraries, versions) = read(binary).context("the binary cannot be read as a 64-bit ELF file")?;
        Needs::judge(libraries, versions.iter().map(String::as_str))
    }

    fn judge<'a>(libraries: BTreeSet<String>, versions: impl Iterator<Item = &'a str>) -> Result<Needs> {
        let foreign: Vec<&String> =
            libraries.iter().filter(|name| !ALLOWED.iter().any(|start| name.starts_with(start))).collect();
        ensure!(foreign.is_empty(), "the binary loads {foreign:?}, which other machines need not have");
        let mut glibc = None;
        for name in versions {
            glibc = glibc.max(floor(name)?);
        }
        let glibc = glibc.context("the binary asks for no version of glibc: was it linked dynamically?")?;
        Ok(Needs { glibc, libraries })
    }
}

/// The glibc that first had a version of symbols; none for versions of other libraries.
fn floor(name: &str) -> Result<Option<Version>> {
    let Some(rest) = name.strip_prefix("GLIBC_") else { return Ok(None) };
    if rest == "ABI_DT_RELR" {
        return Ok(Some(Version(2, 36, 0)));
    }
    let mut numbers = rest.split('.').map(|number| number.parse::<u32>().ok());
    let version = (numbers.next().flatten(), numbers.next().flatten(), numbers.next());
    let (Some(major), Some(minor), patch @ (None | Some(Some(_))), None) =
        (version.0, version.1, version.2, numbers.next())
    else {
        anyhow::bail!("{name} is no version that a release of glibc promises to have");
    };
    Ok(Some(Version(major, minor, patch.flatten().unwrap_or(0))))
}

/// The libraries in `DT_NEEDED`, and the versions of symbols without which the loader refuses to start.
fn read(binary: &[u8]) -> Result<(BTreeSet<String>, BTreeSet<String>)> {
    let header = FileHeader64::<Endianness>::parse(binary)?;
    let endian = header.endian()?;
    let sections = header.sections(endian, binary)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (mut libraries, mut versions) = (BTreeSet::new(), BTreeSet::new());
    if let Some((entries, link)) = sections.dynamic(endian, binary)? {
        let strings = sections.strings(endian, binary, link)?;
        for entry in entries.iter().filter(|entry| entry.tag(endian) == DT_NEEDED) {
            libraries.insert(text(entry.string(endian, strings)?));
        }
    }
    if let Some((mut needs, link)) = sections.gnu_verneed(endian, binary)? {
        let strings = sections.strings(endian, binary, link)?;
        while let Some((_, mut names)) = needs.next()? {
            while let Some(name) = names.next()? {
                // The loader only warns of those: every symbol of theirs may be missing.
                if name.vna_flags.get(endian).0 & VER_FLG_WEAK.0 == 0 {
                    versions.insert(text(name.name(endian, strings)?));
                }
            }
        }
    }
    Ok((libraries, versions))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(libraries: &[&str], versions: &[&str]) -> Result<Needs> {
        Needs::judge(libraries.iter().map(|&name| name.to_owned()).collect(), versions.iter().copied())
    }

    #[test]
    fn the_floor_is_the_newest_version_by_number() {
        let needs =
            judge(&["libc.so.6", "libgcc_s.so.1"], &["GLIBC_2.9", "GLIBC_2.34", "GLIBC_2.2.5", "GCC_4.2.0"]);
        assert_eq!(needs.expect("allowed").glibc.to_string(), "2.34");
        assert_eq!(judge(&[], &["GLIBC_2.2.5"]).expect("allowed").glibc.to_string(), "2.2.5");
        assert_eq!(
            judge(&[], &["GLIBC_2.4", "GLIBC_ABI_DT_RELR"]).expect("allowed").glibc.to_string(),
            "2.36"
        );
    }

    #[test]
    fn other_libraries_and_private_symbols_are_refused() {
        for name in
            ["libzstd.so.1", "libLLVM.so.19.1", "libstdc++.so.6", "libcuda.so.1", "libc.musl-x86_64.so.1"]
        {
            let error = judge(&["libc.so.6", name], &["GLIBC_2.34"]).expect_err(name);
            assert!(error.to_string().contains(name), "{error}");
        }
        for version in ["GLIBC_PRIVATE", "GLIBC_2", "GLIBC_2.x", "GLIBC_2.2.5.1"] {
            assert!(judge(&["libc.so.6"], &[version]).is_err(), "{version}");
        }
        assert!(judge(&["libc.so.6"], &[]).is_err());
    }

    #[test]
    fn this_very_program_is_read() {
        let program = std::fs::read(std::env::current_exe().expect("a path")).expect("readable");
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            assert!(Needs::of(&program).is_err());
            return;
        }
        let needs = Needs::of(&program).expect("needs glibc alone");
        assert!(needs.libraries.contains("libc.so.6"), "{needs:?}");
        assert!(needs.glibc >= Version(2, 17, 0), "Rust itself asks for 2.17: {needs:?}");
        assert!(Needs::of(&program[..100]).is_err());
        assert!(Needs::of(b"#!/bin/sh\n").is_err());
    }
}
