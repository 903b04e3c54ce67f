//! What the compiler costs: seconds of an expansion, bytes of a curve's images.

use crate::{SetupArgs, compiler, setup, shell};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most seconds of an expansion from the cache.
const CACHED: f64 = 0.020;

/// What declarations of a size may cost.
struct Limits {
    /// Words of the widest field, at most.
    words: u32,
    /// Degree of coordinates, at most.
    degree: u32,
    /// Most seconds of an expansion with all kernels, without a cache.
    cold: f64,
    /// Most bytes of a curve's compressed images.
    bytes: u64,
}

/// The first that a declaration fits; the last is of whatever is larger.
const LIMITS: [Limits; 3] = [
    Limits { words: 12, degree: 2, cold: 2.0, bytes: 220_000 },
    Limits { words: 16, degree: u32::MAX, cold: 3.0, bytes: 300_000 },
    Limits { words: u32::MAX, degree: u32::MAX, cold: 5.0, bytes: 450_000 },
];

#[derive(Args)]
pub(crate) struct CostArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// Build the compiler unoptimised, as cargo does for macros in a crate with the default profile
    #[arg(long)]
    unoptimised: bool,
    /// Fail where a limit is missed
    #[arg(long)]
    check: bool,
    /// Rust files or folders with declarations, instead of the workspace's curves
    #[arg(long)]
    from: Vec<PathBuf>,
}

/// What one declaration costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cost {
    words: u32,
    degree: u32,
    cold: f64,
    cached: f64,
    bytes: u64,
}

impl Cost {
    fn limits(&self) -> &'static Limits {
        let fits = |limits: &&Limits| self.words <= limits.words && self.degree <= limits.degree;
        LIMITS.iter().find(fits).unwrap_or(&LIMITS[LIMITS.len() - 1])
    }

    fn misses(&self) -> bool {
        let limits = self.limits();
        self.cold > limits.cold || self.cached > CACHED || self.bytes > limits.bytes
    }
}

/// What one run of the compiler says of a declaration.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    seconds: f64,
    words: u32,
    degree: u32,
}

/// Prints a table of all declarations.
pub(crate) fn run(args: &CostArgs) -> Result<()> {
    setup::run(args.setup.yes)?;
    let cache = shell::target("cost").join("cache");
    crate::files::clear(&cache)?;
    let cold = time(args, "")?;
    time(args, &cache.to_string_lossy())?;
    let cached = time(args, &cache.to_string_lossy())?;
    let bytes = sizes(&cache)?;
    let mut missed = Vec::new();
    println!("{:<14} {:>8} {:>10} {:>10}", "declaration", "cold, s", "cached, ms", "bytes");
    for (name, &Line { seconds: cold, words, degree }) in &cold {
        let cached = cached.get(name).with_context(|| format!("{name} was expanded once only"))?.seconds;
        let cost = Cost { words, degree, cold, cached, bytes: of(&bytes, name) };
        println!("{name:<14} {cold:>8.2} {:>10.1} {:>10}", 1000.0 * cached, cost.bytes);
        if cost.misses() {
            let Limits { cold, bytes, .. } = cost.limits();
            let cached = 1000.0 * CACHED;
            missed.push(format!(
                "{name}: more than {cold} s cold, {cached} ms from the cache or {bytes} bytes"
            ));
        }
    }
    if args.check && !missed.is_empty() {
        bail!("{}", missed.join("\n"));
    }
    Ok(())
}

/// What declarations take, with images in a cache; an empty name stands for none.
fn time(args: &CostArgs, cache: &str) -> Result<BTreeMap<String, Line>> {
    let mut time = if args.unoptimised { unoptimised_program()? } else { compiler::program()? };
    time.arg("time").args(compiler::from(&args.from)).env("CURVESMITH_CACHE", cache);
    let out = time.output().with_context(|| format!("`{}` could not be started", shell::show(&time)))?;
    if !out.status.success() {
        bail!("`{}` failed:\n{}", shell::show(&time), String::from_utf8_lossy(&out.stderr));
    }
    lines(&String::from_utf8_lossy(&out.stdout)).context("cargo-curvesmith printed no table of times")
}

/// `cargo-curvesmith` as a crate without profiles of its own builds it for its macros; arguments follow.
fn unoptimised_program() -> Result<Command> {
    let manifest = shell::root().join("Cargo.toml");
    let text =
        std::fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    let mut run = shell::cargo();
    run.args(["run", "--quiet", "--target-dir", "target/unoptimised"]);
    for value in unoptimised(&text)? {
        run.args(["--config", &value]);
    }
    run.args(["--package", "curvesmith-field-dsl", "--bin", "cargo-curvesmith", "--features", "llvm", "--"]);
    Ok(run)
}

fn lines(text: &str) -> Option<BTreeMap<String, Line>> {
    let line = |line: &str| {
        let mut fields = line.split('\t');
        let name = fields.next()?.to_owned();
        let seconds = fields.next()?.parse().ok()?;
        let [words, degree] = [fields.next()?.parse().ok()?, fields.next()?.parse().ok()?];
        Some((name, Line { seconds, words, degree }))
    };
    text.lines().map(line).collect()
}

/// Settings that take away what a manifest's profile of development optimises, package by package.
fn unoptimised(manifest: &str) -> Result<Vec<String>> {
    let manifest: toml::Table = manifest.parse()?;
    let dev = manifest
        .get("profile")
        .and_then(|profiles| profiles.get("dev"))
        .context("no profile of development")?;
    let packages = dev.get("package").and_then(toml::Value::as_table).into_iter().flatten();
    let optimised = packages.filter(|(_, settings)| settings.get("opt-level").is_some());
    let names = optimised.map(|(name, _)| format!("package.{name}."));
    Ok(std::iter::once(String::new())
        .chain(names)
        .map(|what| format!("profile.dev.{what}opt-level=0"))
        .collect())
}

/// Bytes of each bundle of images that a program embeds, by the name of its field or group.
fn sizes(cache: &Path) -> Result<BTreeMap<String, u64>> {
    let mut sizes = BTreeMap::new();
    for entry in std::fs::read_dir(cache).with_context(|| format!("cannot read {}", cache.display()))? {
        let entry = entry?;
        let file = entry.file_name().to_string_lossy().into_owned();
        // `<name>-<hash>-<hash>.<flavour>.images`
        if !file.ends_with(".ptx.images") {
            continue;
        }
        let name = file.split('-').next().unwrap_or_default().to_owned();
        *sizes.entry(name).or_insert(0) += entry.metadata()?.len();
    }
    Ok(sizes)
}

/// Bytes of a declaration and its parts: `bn254` has `bn254_fq`, `bn254_g1`, ...
fn of(sizes: &BTreeMap<String, u64>, name: &str) -> u64 {
    const PARTS: [&str; 5] = ["", "_fq", "_fr", "_g1", "_g2"];
    PARTS.iter().filter_map(|part| sizes.get(&format!("{name}{part}"))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_profile_optimises_is_unoptimised() {
        let manifest =
            "[profile.dev]\nopt-level = 2\n[profile.dev.package]\na.opt-level = 2\nb.debug = false\n";
        assert_eq!(
            unoptimised(manifest).unwrap(),
            ["profile.dev.opt-level=0", "profile.dev.package.a.opt-level=0"]
        );
        assert!(unoptimised("[package]").is_err());
    }

    #[test]
    fn parts_are_summed() {
        let sizes = [("toy", 5), ("toy_fq", 10), ("toy_g1", 20), ("toy_curve", 40), ("toy_curve_fr", 80)];
        let sizes: BTreeMap<_, _> = sizes.iter().map(|(n, b)| ((*n).to_owned(), *b)).collect();
        assert_eq!(of(&sizes, "toy"), 35);
        assert_eq!(of(&sizes, "toy_curve"), 120);
    }

    #[test]
    fn limits_follow_the_size() {
        let cost = |words, degree, cold, bytes| Cost { words, degree, cold, cached: 0.019, bytes };
        assert!(!cost(8, 2, 1.9, 219_999).misses());
        assert!(cost(8, 2, 2.1, 0).misses() && cost(12, 1, 0.0, 220_001).misses());
        // Over a cubic level, and of more words.
        for (words, degree) in [(10, 3), (15, 2)] {
            assert!(!cost(words, degree, 2.9, 299_999).misses());
            assert!(cost(words, degree, 3.1, 0).misses() && cost(words, degree, 0.0, 300_001).misses());
        }
        assert!(!cost(24, 3, 4.9, 449_999).misses());
        assert!(cost(24, 1, 5.1, 0).misses() && cost(24, 1, 0.0, 450_001).misses());
        assert!(Cost { cached: 0.021, ..cost(24, 3, 0.0, 0) }.misses());
    }

    #[test]
    fn lines_of_the_compiler() {
        let found = lines("bn254\t0.9401\t8\t2\n").unwrap();
        assert_eq!(found["bn254"], Line { seconds: 0.9401, words: 8, degree: 2 });
        assert_eq!(lines("bn254\t0.9401\n"), None);
    }
}
