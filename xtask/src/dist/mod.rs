//! A tarball of the command line, that needs nothing but glibc.
//!
//! The driver of a GPU is opened when the program runs, so that it cannot be static. Nothing in the tarball
//! depends on the clock or on who made it: the same binary gives the same bytes.

mod archive;
mod elf;
mod manual;
mod third_party;

use crate::demo::FIXTURES;
use crate::files::LICENCES;
use crate::{setup, shell};
use anyhow::{Context, Result, bail, ensure};
use archive::{File, Files};
use clap::Args;
use elf::Needs;
use flate2::Compression;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
pub(crate) use third_party::write as third_party;

/// Features of the command line besides curves.
const FEATURES: &str = "worker";
/// Circuits, and the curve of each, with which a binary is tried.
const CASES: [(&str, &str); 2] = [("bn128_mult", "bn254"), ("bls12381_mult", "bls12-381")];
/// The most bytes that a stripped binary with all curves may have.
const MOST: u64 = 25_000_000;
/// Flags of the command line's own crate, whose functions are instances for each curve: little is put inline
/// that does not ask for it always, as arithmetic does. Proofs take as long as without them.
const SMALL: [&str; 8] = [
    "-C",
    "llvm-args=-inline-threshold=15",
    "-C",
    "llvm-args=-inlinehint-threshold=15",
    "-C",
    "no-vectorize-loops",
    "-C",
    "no-vectorize-slp",
];
/// Equal functions of different curves are one. The linker that comes with Rust for this system, from 1.90
/// on, can do that.
const FOLDED: [&str; 2] = ["-C", "link-arg=-Wl,--icf=all"];

#[derive(Args)]
pub(crate) struct DistArgs {
    /// Curves of the binary, with commas between them; all by default
    #[arg(long, value_delimiter = ',', value_name = "LIST")]
    curves: Vec<String>,
    /// Images by the compiler's own writer, for a machine that has no LLVM 19; the proofs of some curves are
    /// slower
    #[arg(long)]
    without_llvm: bool,
    /// Pack the binary that the last `cargo xtask test` has built, to try the packing
    #[arg(long, conflicts_with_all = ["curves", "without_llvm"])]
    dev: bool,
}

/// Builds the binary, packs it and tries what was packed.
pub(crate) fn run(args: &DistArgs) -> Result<()> {
    let host = host()?;
    let built = if args.dev { find_dev()? } else { build(args, &host)? };
    pack(&built, &name(args, &host), &features(args), if args.dev { None } else { Some(MOST) })
}

/// Packs the binary of the tests, on systems that have such tarballs.
pub(crate) fn run_dev() -> Result<()> {
    match host() {
        Ok(_) => run(&DistArgs { curves: Vec::new(), without_llvm: true, dev: true }),
        Err(reason) => {
            eprintln!("SKIPPED: the packing of the command line: {reason:#}");
            Ok(())
        }
    }
}

/// The system that this builds for.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let text = shell::output(shell::command(rustc).arg("-vV")).context("rustc does not run")?;
    let host = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc names no host")?;
    ensure!(host.ends_with("-linux-gnu"), "tarballs are made on Linux with glibc, not on {host}");
    Ok(host.to_owned())
}

/// The folder in the tarball, and its name: a binary with some curves, or of another profile, is not taken
/// for the whole.
fn name(args: &DistArgs, host: &str) -> String {
    let mut words = vec!["curvesmith", env!("CARGO_PKG_VERSION")];
    words.extend(args.curves.iter().map(String::as_str));
    words.extend(match args {
        DistArgs { dev: true, .. } => Some("dev"),
        DistArgs { without_llvm: true, .. } => Some("writer"),
        _ => None,
    });
    words.push(host);
    words.join("-")
}

/// What cargo is told, beside the package.
fn features(args: &DistArgs) -> Vec<String> {
    let mut features = vec![FEATURES.to_owned()];
    features.extend(args.curves.iter().cloned());
    features.extend((!args.without_llvm).then(|| "llvm".to_owned()));
    let mut told = vec!["--package".to_owned(), "curvesmith-cli".to_owned()];
    told.extend((!args.curves.is_empty()).then(|| "--no-default-features".to_owned()));
    told.extend(["--features".to_owned(), features.join(",")]);
    told
}

/// The binary of the tests.
fn find_dev() -> Result<PathBuf> {
    let binary = shell::target("debug").join("curvesmith");
    ensure!(binary.exists(), "there is no {}: run `cargo xtask test` first", binary.display());
    Ok(binary)
}

/// Builds the binary; where it lies.
fn build(args: &DistArgs, host: &str) -> Result<PathBuf> {
    let mut cargo = shell::cargo();
    if !args.without_llvm {
        setup::run(false)?;
    }
    cargo.args(["rustc", "--profile", "dist", "--bin", "curvesmith"]).args(features(args));
    cargo.arg("--message-format=json-render-diagnostics").stderr(Stdio::inherit());
    cargo.arg("--").args(SMALL).args(if host.starts_with("x86_64-") { &FOLDED[..] } else { &[] });
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(&std::env::var("RUSTFLAGS").unwrap_or_default())?);
    if args.without_llvm {
        cargo = shell::without_llvm(cargo);
    }
    let line = shell::show(&cargo);
    eprintln!("$ {line}");
    let out = cargo.stdin(Stdio::null()).output().with_context(|| format!("could not start `{line}`"))?;
    ensure!(out.status.success(), "`{line}` failed ({})", out.status);
    let text = String::from_utf8_lossy(&out.stdout);
    let messages = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let mut binaries = messages.filter_map(|m| m["executable"].as_str().map(PathBuf::from));
    binaries.next().context("cargo names no executable")
}

/// Flags of the compiler, and ones by which the binary names no folder of this machine, for cargo's variable.
fn flags(given: &str) -> Result<String> {
    let mut flags: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
    for (folder, name) in [(cargo_home()?, "/cargo"), (shell::root().to_owned(), "/curvesmith")] {
        flags.push(format!("--remap-path-prefix={}={name}", folder.display()));
    }
    Ok(flags.join("\x1f"))
}

/// Where the sources of other packages lie.
fn cargo_home() -> Result<PathBuf> {
    let home = || Some(std::env::home_dir()?.join(".cargo"));
    std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(home).context("there is no home folder")
}

/// Packs a binary as `name`, tries what was packed, and writes it to the folder of tarballs with its sum.
fn pack(built: &Path, name: &str, features: &[String], most: Option<u64>) -> Result<()> {
    let folder = shell::target("dist");
    let work = folder.join("work");
    if work.exists() {
        std::fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;
    }
    std::fs::create_dir_all(&work).with_context(|| format!("cannot create {}", work.display()))?;
    let stripped = work.join("curvesmith");
    shell::run(shell::command("strip").arg("--strip-all").arg("-o").args([&stripped, built]))
        .context("`strip` comes with the linker (Debian, Ubuntu: apt-get install binutils)")?;
    let bytes = std::fs::read(&stripped).with_context(|| format!("cannot read {}", stripped.display()))?;
    let size = u64::try_from(bytes.len())?;
    if let Some(most) = most {
        ensure!(size <= most, "the binary has {size} bytes, more than {most}");
        for folder in [cargo_home()?, shell::root().to_owned()] {
            let name = folder.as_os_str().as_encoded_bytes();
            let named = bytes.windows(name.len()).any(|window| window == name);
            ensure!(!named, "the binary names {}, a folder of this machine", folder.display());
        }
    }
    let needs = Needs::of(&bytes)?;
    let curves = output(&stripped, &["curves"])?;
    let mut files: Files = manual::files(&|arguments| output(&stripped, arguments))?;
    let mut text = |path: &str, text: String| files.insert(path.to_owned(), plain(text));
    let tree: Vec<&str> = features.iter().map(String::as_str).collect();
    let (third_party, packages) = third_party::write(&tree)?;
    text("THIRD-PARTY.txt", third_party);
    text("README.md", readme(name, &needs, &curves));
    for licence in LICENCES {
        let path = shell::root().join(licence);
        text(licence, std::fs::read_to_string(&path).with_context(|| format!("cannot read {licence}"))?);
    }
    if let Some(library) = rust_licences()? {
        text("THIRD-PARTY-RUST.html", library);
    }
    files.insert("bin/curvesmith".to_owned(), File { bytes, executable: true });
    let start = Instant::now();
    let level = if most.is_some() { Compression::best() } else { Compression::fast() };
    let tarball = archive::pack(name, &files, level)?;
    let seconds = start.elapsed().as_secs_f64();
    archive::unpack(&tarball, &work.join("unpacked"))?;
    try_out(&work.join("unpacked").join(name), &files, &work)?;

    // Whole or not at all.
    let put = |file: &str, bytes: &[u8]| {
        let (partial, path) = (work.join("partial"), folder.join(file));
        std::fs::write(&partial, bytes)
            .and_then(|()| std::fs::rename(&partial, &path))
            .with_context(|| format!("cannot write {}", path.display()))
    };
    let file = format!("{name}.tar.gz");
    put(&file, &tarball)?;
    put("SHA256SUMS", archive::sums(&folder)?.as_bytes())?;
    let sums = std::fs::read_to_string(folder.join("SHA256SUMS"))?;
    ensure!(sums.lines().any(|line| line.ends_with(&format!("  {file}"))), "SHA256SUMS lacks {file}");
    archive::verify(&sums, &folder)?;
    std::fs::remove_dir_all(&work).with_context(|| format!("cannot remove {}", work.display()))?;

    let libraries = needs.libraries.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    println!("{}", folder.join(&file).display());
    println!("  binary    {size} bytes; the tarball {} (packed in {seconds:.1} s)", tarball.len());
    println!("  needs     glibc {} or newer; {libraries}", needs.glibc);
    println!("  files     {}, among them {} pages", files.len(), pages(&files));
    println!("  packages  {packages} of others, all with allowed licences");
    println!("  sha256    {}", archive::sha256(&tarball));
    Ok(())
}

fn plain(text: String) -> File {
    File { bytes: text.into_bytes(), executable: false }
}

fn pages(files: &Files) -> usize {
    files.keys().filter(|path| path.starts_with("share/man/")).count()
}

/// What the program prints, with an empty environment; fails where it does.
fn output(program: &Path, arguments: &[&str]) -> Result<String> {
    let mut command = Command::new(program);
    command.args(arguments).env_clear();
    let line = shell::show(&command);
    let out = command.stdin(Stdio::null()).output().with_context(|| format!("could not start `{line}`"))?;
    if !out.status.success() {
        bail!("`{line}` failed ({}): {}", out.status, String::from_utf8_lossy(&out.stderr).trim());
    }
    String::from_utf8(out.stdout).with_context(|| format!("`{line}` prints what is no text"))
}

/// Licences of what the standard library is made of; toolchains with documentation have them.
fn rust_licences() -> Result<Option<String>> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let root =
        shell::output(shell::command(rustc).args(["--print", "sysroot"])).context("rustc does not run")?;
    let path = Path::new(&root).join("share/doc/rust/COPYRIGHT-library.html");
    if !path.exists() {
        eprintln!("SKIPPED: licences of Rust's standard library: this toolchain has no {}", path.display());
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Some(text))
}

fn readme(name: &str, needs: &Needs, curves: &str) -> String {
    let curves: Vec<&str> = curves.lines().filter_map(|line| line.split_whitespace().next()).collect();
    format!(
        "# {name}

The command line of curvesmith: Groth16 proofs of circom circuits on NVIDIA GPUs, and on CPUs.

* It needs Linux with glibc {glibc} or newer, and no other library. It opens the driver of an NVIDIA
  GPU (compute capability 7.5 or newer) when it runs, and takes the CPU where there is none.
* Curves: {curves}.

## Install

    cp -r bin share ~/.local

puts the program on the PATH of most systems, with its manual (`man curvesmith`,
`man curvesmith-prove`) and completions for bash, fish and zsh.

## Prove

    curvesmith prove circuit.zkey witness.wtns proof.json public.json
    curvesmith verify verification_key.json public.json proof.json

More: {repository}

## Licences

curvesmith is under MIT or Apache-2.0, at your choice (LICENSE-MIT, LICENSE-APACHE). THIRD-PARTY.txt
lists what it contains of others, with the licences. THIRD-PARTY-RUST.html, where it is there, does
so for Rust's standard library.
",
        glibc = needs.glibc,
        curves = curves.join(", "),
        repository = env!("CARGO_PKG_REPOSITORY"),
    )
}

/// Fails unless the folder holds the files, and its program proves and verifies with nothing of our
/// environment.
fn try_out(folder: &Path, files: &Files, work: &Path) -> Result<()> {
    for (path, file) in files {
        let unpacked =
            std::fs::read(folder.join(path)).with_context(|| format!("{path} was not unpacked"))?;
        ensure!(unpacked == file.bytes, "{path} was not unpacked as it was packed");
    }
    let program = folder.join("bin/curvesmith");
    let version = output(&program, &["--version"])?;
    let expected = concat!("curvesmith ", env!("CARGO_PKG_VERSION"));
    ensure!(version.trim() == expected, "the program calls itself {version:?}, not {expected:?}");
    let curves = output(&program, &["curves"])?;
    let mut tried = 0;
    for (fixture, curve) in CASES {
        if curves.lines().any(|line| line.split_whitespace().next() == Some(curve)) {
            prove(&program, &shell::root().join(FIXTURES).join(fixture), work)
                .with_context(|| format!("the packed program fails on {fixture}"))?;
            tried += 1;
        }
    }
    if tried == 0 {
        eprintln!("SKIPPED: a proof by the packed program: it has no curve of {CASES:?}");
    }
    Ok(())
}

/// Proves and verifies, and has one changed public input refused.
fn prove(program: &Path, case: &Path, work: &Path) -> Result<()> {
    let path = |path: PathBuf| path.to_string_lossy().into_owned();
    let [key, zkey, witness] =
        ["verification_key.json", "circuit.zkey", "witness.wtns"].map(|name| path(case.join(name)));
    let [proof, public, changed] =
        ["proof.json", "public.json", "changed.json"].map(|name| path(work.join(name)));
    output(program, &["prove", &zkey, &witness, &proof, &public])?;
    output(program, &["verify", &key, &public, &proof])?;
    let mut signals: Vec<String> = serde_json::from_slice(&std::fs::read(&public)?)?;
    let first = signals.first_mut().context("the fixture has public inputs")?;
    *first = if first == "1" { "2".to_owned() } else { "1".to_owned() };
    std::fs::write(&changed, serde_json::to_vec(&signals)?)?;
    let mut verify = Command::new(program);
    verify.args(["verify", &key, &changed, &proof]).env_clear().stdin(Stdio::null());
    let out = verify.output()?;
    ensure!(out.status.code() == Some(1), "a false statement is not refused ({})", out.status);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(curves: &[&str], without_llvm: bool, dev: bool) -> DistArgs {
        DistArgs { curves: curves.iter().map(|&curve| curve.to_owned()).collect(), without_llvm, dev }
    }

    #[test]
    fn a_part_is_not_called_the_whole() {
        let version = env!("CARGO_PKG_VERSION");
        for (args, words) in [
            (args(&[], false, false), ""),
            (args(&["bn254", "vesta"], false, false), "bn254-vesta-"),
            (args(&[], true, false), "writer-"),
            (args(&[], true, true), "dev-"),
        ] {
            assert_eq!(
                name(&args, "x86_64-unknown-linux-gnu"),
                format!("curvesmith-{version}-{words}x86_64-unknown-linux-gnu")
            );
        }
    }

    #[test]
    fn a_list_of_curves_takes_the_place_of_all() {
        assert_eq!(
            features(&args(&[], true, false)),
            ["--package", "curvesmith-cli", "--features", "worker"]
        );
        let some = features(&args(&["bn254"], false, false));
        let expected =
            ["--package", "curvesmith-cli", "--no-default-features", "--features", "worker,bn254,llvm"];
        assert_eq!(some, expected);
    }

    #[test]
    fn flags_of_the_user_stay() {
        let flags = flags("-C target-cpu=native").expect("a home folder");
        let words: Vec<&str> = flags.split('\x1f').collect();
        assert_eq!(words[..2], ["-C", "target-cpu=native"]);
        assert!(words[2].starts_with("--remap-path-prefix=") && words[2].ends_with("=/cargo"), "{words:?}");
        assert_eq!(words.len(), 4);
    }

    #[test]
    fn the_readme_names_the_floor_and_the_curves() {
        let program = std::fs::read(std::env::current_exe().expect("a path")).expect("readable");
        let Ok(needs) = Needs::of(&program) else { return };
        let text = readme("curvesmith-1", &needs, "bn254  snarkjs' bn128\nvesta  -\n");
        assert!(text.contains(&format!("glibc {} or newer", needs.glibc)), "{text}");
        assert!(text.contains("Curves: bn254, vesta."), "{text}");
    }
}
