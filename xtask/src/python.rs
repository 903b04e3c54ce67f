//! The Python package: built, installed into an environment of its own, and tried.

use crate::demo::FIXTURES;
use crate::{dist, interop, shell};
use anyhow::{Context, Result, ensure};
use clap::Args;
use std::path::{Path, PathBuf};

/// The package, from the workspace root.
const PACKAGE: &str = "bindings/python";
/// What it needs to be built and tried, beside it.
const REQUIREMENTS: &str = "requirements.txt";
/// The package of Rust.
const CRATE: &str = "curvesmith-python";
/// The licences of all that is in the wheel, beside the modules; git does not see the file.
const THIRD_PARTY: &str = "curvesmith/THIRD-PARTY.txt";
/// The oldest Python that it runs on.
const LEAST: (u32, u32) = (3, 10);

#[derive(Args)]
pub(crate) struct PythonArgs {
    /// Build the wheel with optimisations
    #[arg(long)]
    release: bool,
    /// Arguments for pytest
    #[arg(last = true)]
    pytest: Vec<String>,
}

/// Builds the wheel, and tries it.
pub(crate) fn run(args: &PythonArgs) -> Result<()> {
    let python = find().map_err(anyhow::Error::msg)?;
    build_and_try(python, if args.release { "release" } else { "dev" }, None, &args.pytest)
}

/// The same with what `cargo test` has built; says so where there is no Python for it.
pub(crate) fn test(images: &Path) -> Result<()> {
    match find() {
        Ok(python) => build_and_try(python, "dev", Some(images), &[]),
        Err(reason) => {
            eprintln!("SKIPPED: the tests of the Python package: {reason}");
            Ok(())
        }
    }
}

/// A Python that makes environments, or what to do about it.
fn find() -> Result<&'static str, String> {
    const HINT: &str = "
    Debian 12, 13, Ubuntu 24.04: apt-get install -y --no-install-recommends python3-venv
    Fedora:                      dnf install python3
    Arch:                        pacman -S python
    macOS (Homebrew):            brew install python";
    let version = |python: &&str| {
        let text = shell::output(shell::command(python).arg("--version"))?;
        parse_version(&text)
    };
    let found = ["python3", "python"].into_iter().find_map(|python| Some((python, version(&python)?)));
    let (python, (major, minor)) = found.ok_or_else(|| format!("Python was not found; install it:{HINT}"))?;
    if (major, minor) < LEAST {
        return Err(format!("{python} is {major}.{minor}, expected {}.{} or newer:{HINT}", LEAST.0, LEAST.1));
    }
    // Debian has these in a package of their own.
    match shell::output(shell::command(python).args(["-c", "import venv, ensurepip"])) {
        Some(_) => Ok(python),
        None => Err(format!("{python} {major}.{minor} has no venv or no pip; install them:{HINT}")),
    }
}

/// Of `Python 3.11.7`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.strip_prefix("Python ")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn build_and_try(python: &str, profile: &str, images: Option<&Path>, pytest: &[String]) -> Result<()> {
    let work = shell::target("python");
    let package = shell::root().join(PACKAGE);
    let python = environment(&work, &package.join(REQUIREMENTS), python)?;
    let wheel = build(&work, &package, &python, profile, images)?;
    let mut pip = shell::command(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    shell::run(pip.arg("--force-reinstall").arg(&wheel))?;
    let mut mypy = shell::command(&python);
    mypy.current_dir(&package).args(["-m", "mypy", "--no-error-summary", "--cache-dir"]);
    // The tests see the package as someone does who has installed it.
    shell::run(mypy.arg(work.join("mypy")).args(["tests", "python/curvesmith"]))?;
    let mut stubs = shell::command(&python);
    stubs.args(["-m", "mypy.stubtest", "--concise", "curvesmith._native"]);
    shell::run(stubs.current_dir(&work))?;
    let mut test = shell::command(&python);
    // Bytecode stays out of the source.
    test.current_dir(&package).env("PYTHONDONTWRITEBYTECODE", "1").args(["-m", "pytest", "--quiet"]);
    shell::run(test.args(pytest))?;
    judge(&work, &python)
}

/// Has snarkjs judge a proof that the package makes.
fn judge(work: &Path, python: &Path) -> Result<()> {
    const PROVE: &str = "
import sys, curvesmith
key, witness, proof, public = sys.argv[1:]
made = curvesmith.prove(key, witness, device='cpu')
open(proof, 'w').write(made.proof_json)
open(public, 'w').write(made.public_json)
";
    let circuit = shell::root().join(FIXTURES).join("bn128_semaphore20_ceremony");
    let [proof, public] = ["proof.json", "public.json"].map(|name| work.join(name));
    let mut prove = shell::command(python);
    prove.current_dir(work).args(["-c", PROVE]);
    prove.args(["circuit.zkey", "witness.wtns"].map(|name| circuit.join(name)));
    shell::run(prove.args([&proof, &public]))?;
    interop::judge("the Python package", &circuit.join("verification_key.json"), &public, &proof)
}

/// The Python of an environment that has what the list says; made anew when the list has changed.
fn environment(work: &Path, list: &Path, python: &str) -> Result<PathBuf> {
    let venv = work.join("venv");
    let own = venv.join("bin/python");
    let done = venv.join("installed.txt");
    let wanted = std::fs::read_to_string(list).with_context(|| format!("cannot read {}", list.display()))?;
    let installed = std::fs::read_to_string(&done).ok();
    if installed.as_deref() == Some(&wanted) && shell::exists(&own.to_string_lossy(), "--version") {
        return Ok(own);
    }
    std::fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
    shell::run(shell::command(python).args(["-m", "venv", "--clear"]).arg(&venv))?;
    let mut pip = shell::command(&own);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    shell::run(pip.arg(list))?;
    std::fs::write(&done, wanted).with_context(|| format!("cannot write {}", done.display()))?;
    Ok(own)
}

/// The wheel that maturin makes with the artefacts of our target folder.
fn build(
    work: &Path,
    package: &Path,
    python: &Path,
    profile: &str,
    images: Option<&Path>,
) -> Result<PathBuf> {
    let wheels = work.join("wheels");
    // Of other versions.
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).with_context(|| format!("cannot empty {}", wheels.display()))?;
    }
    let (third_party, _) = dist::third_party(&["--package", CRATE])?;
    let listed = package.join("python").join(THIRD_PARTY);
    std::fs::write(&listed, third_party).with_context(|| format!("cannot write {}", listed.display()))?;
    let mut maturin = shell::command(python);
    maturin.args(["-m", "maturin", "build", "--quiet", "--auditwheel", "skip", "--profile", profile]);
    maturin.arg("--manifest-path").arg(package.join("Cargo.toml")).arg("--out").arg(&wheels);
    maturin.arg("--target-dir").arg(shell::target(""));
    shell::with_images(&mut maturin, images);
    shell::run(maturin.arg("--interpreter").arg(python))?;
    let entries = std::fs::read_dir(&wheels).with_context(|| format!("cannot read {}", wheels.display()))?;
    let found: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let [wheel] = &found[..] else { anyhow::bail!("maturin made {found:?}, expected one wheel") };
    let name = wheel.file_name().unwrap_or_default().to_string_lossy();
    ensure!(name.contains("-cp310-abi3-"), "{name} is no wheel for every Python from 3.10 on");
    let files = shell::output(shell::command(python).args(["-m", "zipfile", "-l"]).arg(wheel));
    let files = files.with_context(|| format!("cannot list {name}"))?;
    let listed = files.lines().any(|line| line.split(' ').next() == Some(THIRD_PARTY));
    ensure!(listed, "{name} has no {THIRD_PARTY}:\n{files}");
    Ok(wheel.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_major_and_minor() {
        assert_eq!(parse_version("Python 3.11.7"), Some((3, 11)));
        assert_eq!(parse_version("Python 3.14.0rc2"), Some((3, 14)));
        assert_eq!(parse_version("pypy"), None);
        assert!((3, 9) < LEAST && (3, 14) > LEAST);
    }
}
