//! Finds what the tests need beside Rust, and installs it where that is safe.

use crate::{shell, web};
use anyhow::{Context, Result, bail};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Major version of the LLVM that the macros load.
const LLVM: u32 = 19;
/// Where `llvm-sys` looks first.
const PREFIX: &str = "LLVM_SYS_191_PREFIX";
/// Debian and Ubuntu packages. They have the same names in Debian 12 and 13 and Ubuntu 24.04.
struct Apt {
    /// What is missing without them.
    what: &'static str,
    packages: &'static str,
    /// What they bring along.
    cost: &'static str,
}
const APT_LLVM: Apt = Apt { what: "LLVM 19", packages: "llvm-19-dev", cost: "about 640 MB of disk" };
const APT_REDIS: Apt = Apt {
    what: "redis-server",
    packages: "redis-server",
    cost: "about 10 MB of disk, and a service for this machine alone",
};
const APT_MPI: Apt = Apt {
    what: "MPI with libclang",
    packages: "libopenmpi-dev openmpi-bin libclang1-19 libclang-common-19-dev",
    cost: "about 150 MB of disk",
};
const APT_VULKAN: Apt = Apt {
    what: "a Vulkan driver for the CPU",
    packages: "mesa-vulkan-drivers",
    cost: "about 150 MB of disk, most of it LLVM's library",
};

const APT_CHROMIUM: Apt =
    Apt { what: "a browser for the tests of web pages", packages: "chromium", cost: "about 400 MB of disk" };

/// Checks what the tests need; installs with `yes`, in CI or as root without a terminal, else asks.
pub(crate) fn run(yes: bool) -> Result<()> {
    check_rustc()?;
    add_components()?;
    match find_llvm()? {
        Some(llvm) => eprintln!("LLVM {} ({})", llvm.version, llvm.config.display()),
        None => install_llvm(yes)?,
    }
    forget_missing_llvm()
}

/// What only some tests need.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Optional {
    /// `redis-server`, for those of `curvesmith worker`.
    pub(crate) redis: bool,
    /// An MPI and libclang, for those of feature `mpi`.
    pub(crate) mpi: bool,
    /// lavapipe, for those of WGSL kernels.
    pub(crate) vulkan: bool,
}

/// Has what only some tests need, installed as LLVM is, and says what there is.
pub(crate) fn find_optional(yes: bool) -> Result<Optional> {
    find_web(yes)?;
    Ok(Optional {
        redis: find(&APT_REDIS, "`curvesmith worker`", REDIS_HINT, yes, redis_version)?,
        mpi: find(&APT_MPI, "sums over several processes (feature `mpi`)", MPI_HINT, yes, mpi_version)?,
        vulkan: find(&APT_VULKAN, "WGSL kernels (`curvesmith-wgpu`)", VULKAN_HINT, yes, lavapipe)?,
    })
}

/// Whether there is, or is now, what tests of `tested` need. They do without it.
fn find(apt: &Apt, tested: &str, hint: &str, yes: bool, version: fn() -> Option<String>) -> Result<bool> {
    let install = || install(apt, yes).unwrap_or_else(|error| Some(format!("{error:#}; install it:")));
    if version().is_none()
        && let Some(reason) = install()
    {
        eprintln!("SKIPPED: the tests of {tested}: {reason}{hint}");
        return Ok(false);
    }
    let version = version().with_context(|| format!("{} is installed, but was not found", apt.what))?;
    eprintln!("{version}");
    Ok(true)
}

/// Has Rust's library for WebAssembly and a browser, whose tests look for both themselves.
fn find_web(yes: bool) -> Result<()> {
    if web::library().is_err() && shell::exists("rustup", "--version") {
        // It asks the network; without it, the next line says what is missing.
        let _ = shell::run(shell::command("rustup").args(["target", "add", web::TARGET]));
    }
    if let Err(reason) = web::library() {
        eprintln!("SKIPPED: the package for web pages: {reason}");
        return Ok(());
    }
    find(&APT_CHROMIUM, "web pages", CHROMIUM_HINT, yes, browser_version).map(drop)
}

fn browser_version() -> Option<String> {
    shell::output(shell::command(web::browser()?).arg("--version"))
}

fn redis_version() -> Option<String> {
    let version = shell::output(shell::command("redis-server").arg("--version"))?;
    version.split(" sha=").next().map(str::to_owned)
}

/// An MPI with its compiler wrapper, and the libclang with which its header is read.
fn mpi_version() -> Option<String> {
    let version = shell::output(shell::command("mpirun").arg("--version"))?;
    shell::output(shell::command("mpicc").arg("--version"))?;
    let mut folders: Vec<PathBuf> =
        std::env::var_os("LIBCLANG_PATH").map(PathBuf::from).into_iter().collect();
    folders.extend(find_llvm().ok().flatten().and_then(|llvm| libraries(&llvm)));
    folders.extend(
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"]
            .map(PathBuf::from),
    );
    let is_libclang = |entry: std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        ["libclang.", "libclang-"].iter().any(|start| name.starts_with(start))
            && [".so", ".dylib"].iter().any(|library| name.contains(library))
    };
    let has_libclang = |folder: &PathBuf| {
        std::fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|e| e.is_ok_and(is_libclang)))
    };
    let folder = folders.iter().find(|folder| has_libclang(folder))?;
    Some(format!("{}, libclang in {}", version.lines().next().unwrap_or_default(), folder.display()))
}

/// The file by which Vulkan's loader finds lavapipe, Mesa's driver for the CPU.
fn lavapipe() -> Option<String> {
    let is_icd = |name: &str| name.starts_with("lvp_icd") && name.ends_with(".json");
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let files = folders.into_iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let mut icds = files.filter(|file| is_icd(&file.file_name().to_string_lossy()));
    icds.next().map(|file| format!("lavapipe ({})", file.path().display()))
}

fn libraries(llvm: &Llvm) -> Option<PathBuf> {
    shell::output(Command::new(&llvm.config).arg("--libdir")).map(PathBuf::from)
}

/// A build that failed without LLVM is remembered: cargo runs the build script of `llvm-sys` again when
/// [`PREFIX`] changes, but not when LLVM is installed.
fn forget_missing_llvm() -> Result<()> {
    let builds = shell::target("debug").join("build");
    let Ok(entries) = std::fs::read_dir(builds) else { return Ok(()) };
    let outputs = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("llvm-sys-")));
    let failed = |path: PathBuf| {
        std::fs::read_to_string(path.join("output")).is_ok_and(|o| o.contains("LLVM_SYS_NOT_FOUND"))
    };
    if outputs.into_iter().any(failed) {
        shell::run(shell::cargo().args(["clean", "--package", "llvm-sys"]))?;
    }
    Ok(())
}

// ---- Rust

/// Whether Rust is one that this builds with.
pub(crate) fn check_rustc() -> Result<()> {
    let text =
        shell::output(shell::command(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV"))
            .context("rustc does not run")?;
    let field = |name: &str| text.lines().find_map(|l| l.strip_prefix(name)).map(str::trim);
    let release = field("release:").context("`rustc -vV` names no release")?;
    judge_rustc(release, field("LLVM version:").unwrap_or(""), env!("CARGO_PKG_RUST_VERSION"))?;
    eprintln!("rustc {release}");
    Ok(())
}

fn judge_rustc(release: &str, llvm: &str, least: &str) -> Result<()> {
    if llvm.split('.').next() == Some("19") {
        bail!(
            "rustc {release} carries LLVM {llvm} itself (so do 1.82 to 1.86): its symbols clash with the LLVM 19 \
             that the macros load into the compiler; install Rust {least} or newer (`rustup update stable`)"
        );
    }
    if version(release) < version(least) {
        bail!("rustc {release} is too old, curvesmith needs {least} or newer (`rustup update stable`)");
    }
    Ok(())
}

/// Major and minor number, `(0, 0)` where there are none.
fn version(text: &str) -> (u32, u32) {
    let mut numbers = text.split(['.', '-']).map(|n| n.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn add_components() -> Result<()> {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        if shell::output(shell::cargo().args([subcommand, "--version"])).is_some() {
            continue;
        }
        if !shell::exists("rustup", "--version") {
            bail!(
                "`cargo {subcommand}` is missing and there is no rustup to add it: install {component} as you installed Rust"
            );
        }
        shell::run(shell::command("rustup").args(["component", "add", component]))?;
    }
    Ok(())
}

// ---- LLVM

struct Llvm {
    config: PathBuf,
    version: String,
}

/// An LLVM 19 as `llvm-sys` would find it; an unusable one is an error that says what it lacks.
fn find_llvm() -> Result<Option<Llvm>> {
    let prefix = std::env::var_os(PREFIX).map(PathBuf::from);
    let folder = prefix.as_ref().map(|p| p.join("bin")).unwrap_or_default();
    let names = ["llvm-config", "llvm-config-19", "llvm-config19", "llvm19-config"];
    let found = names.iter().map(|name| folder.join(name)).find_map(|config| probe(&config));
    let found = found.or_else(|| homebrew_prefix().and_then(|p| probe(&p.join("bin/llvm-config"))));
    match (&found, prefix) {
        (None, Some(prefix)) => {
            bail!("{PREFIX}={} holds no bin/llvm-config of version {LLVM}", prefix.display())
        }
        (None, None) => Ok(None),
        (Some(llvm), _) => {
            check_llvm(llvm)?;
            Ok(found)
        }
    }
}

fn probe(config: &Path) -> Option<Llvm> {
    let version = shell::output(Command::new(config).arg("--version"))?;
    (self::version(&version).0 == LLVM).then(|| Llvm { config: config.to_owned(), version })
}

fn homebrew_prefix() -> Option<PathBuf> {
    if !cfg!(target_os = "macos") {
        return None;
    }
    shell::output(Command::new("brew").args(["--prefix", "llvm@19"])).map(PathBuf::from)
}

/// `llvm-config` alone is not enough: headers, the shared library and the NVPTX target are needed.
fn check_llvm(llvm: &Llvm) -> Result<()> {
    let ask = |args: &[&str]| shell::output(Command::new(&llvm.config).args(args));
    let config = llvm.config.display();
    let headers = ask(&["--includedir"]).is_some_and(|dir| Path::new(&dir).join("llvm-c/Core.h").exists());
    if !headers {
        bail!("LLVM {} ({config}) has no headers; install its development package:{}", llvm.version, hint());
    }
    if ask(&["--link-shared", "--libnames"]).is_none() {
        bail!(
            "LLVM {} ({config}) has no shared library; install its development package:{}",
            llvm.version,
            hint()
        );
    }
    let targets = ask(&["--targets-built"]).unwrap_or_default();
    if !targets.split_whitespace().any(|t| t == "NVPTX") {
        bail!("LLVM {} ({config}) was built without the NVPTX target (it has: {targets})", llvm.version);
    }
    Ok(())
}

// ---- Installing

/// What to do about a missing package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Decision {
    Ask,
    Install,
    Refuse(&'static str),
}

/// Never asks without a terminal, and never becomes root without one.
fn decide(yes: bool, ci: bool, root: bool, terminal: bool) -> Decision {
    match (root, terminal) {
        (false, false) => Decision::Refuse("this needs root, and there is no terminal to ask for a password"),
        (true, false) => Decision::Install,
        (_, true) if yes || ci => Decision::Install,
        (_, true) => Decision::Ask,
    }
}

fn install_llvm(yes: bool) -> Result<()> {
    if let Some(reason) = install(&APT_LLVM, yes)? {
        bail!("{reason}{}", hint());
    }
    match find_llvm()? {
        Some(llvm) => eprintln!("LLVM {} ({})", llvm.version, llvm.config.display()),
        None => bail!("{} is installed, but no llvm-config of version {LLVM} is on PATH", APT_LLVM.packages),
    }
    Ok(())
}

/// Installs packages, or says why not.
fn install(apt: &Apt, yes: bool) -> Result<Option<String>> {
    let Apt { what, packages, cost } = apt;
    if !is_apt() {
        return Ok(Some(format!("{what} was not found; install it:")));
    }
    let root = shell::output(Command::new("id").arg("-u")).as_deref() == Some("0");
    let sudo = if root { "" } else { "sudo " };
    let line = format!("{sudo}apt-get install -y --no-install-recommends {packages}");
    eprintln!("{what} was not found. Command that installs it ({cost}):\n    {line}");
    let ci = std::env::var("CI").is_ok_and(|v| !v.is_empty() && v != "false" && v != "0");
    let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    match decide(yes, ci, root, terminal) {
        Decision::Refuse(reason) => {
            return Ok(Some(format!("{what} is missing: {reason}; install it yourself:")));
        }
        Decision::Ask if !confirm()? => {
            return Ok(Some(format!("{what} is missing; install it and start again:")));
        }
        Decision::Ask | Decision::Install => {}
    }
    let apt = |args: &[&str]| {
        let mut command = if root { shell::command("apt-get") } else { shell::command("sudo") };
        if !root {
            command.arg("apt-get");
        }
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        shell::run(&mut command)
    };
    // A fresh container has no package lists, an old one has stale ones.
    apt(&["update"])?;
    let names: Vec<&str> = packages.split(' ').collect();
    apt(&[&["install", "-y", "--no-install-recommends"], &names[..]].concat()).with_context(|| {
        format!("this release has no {packages} (Debian 12 and 13 and Ubuntu 24.04 do; https://apt.llvm.org has LLVM for others)")
    })?;
    Ok(None)
}

fn confirm() -> Result<bool> {
    eprint!("Run it now? [y/N] ");
    std::io::stderr().flush()?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// Debian and its relatives, by /etc/os-release.
fn is_apt() -> bool {
    let text = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    release_ids(&text).iter().any(|id| id == "debian" || id == "ubuntu")
        && shell::exists("apt-get", "--version")
}

/// `ID` and the words of `ID_LIKE`.
fn release_ids(os_release: &str) -> Vec<String> {
    let values =
        os_release.lines().filter_map(|l| l.strip_prefix("ID=").or_else(|| l.strip_prefix("ID_LIKE=")));
    values.flat_map(|v| v.trim_matches('"').split_whitespace().map(str::to_owned)).collect()
}

/// The packages of systems that `setup` does not install on.
fn hint() -> String {
    format!(
        "
    Debian 12, 13, Ubuntu 24.04: apt-get install -y --no-install-recommends llvm-19-dev
    Fedora:                      dnf install llvm19-devel gcc   then {PREFIX}=/usr/lib64/llvm19
    Arch:                        pacman -S llvm19 gcc           then {PREFIX}=/usr/lib/llvm19
    macOS (Homebrew):            brew install llvm@19
    elsewhere:                   any LLVM 19 with its shared library, headers and the NVPTX target, then {PREFIX}=<prefix>"
    )
}

/// The same for Redis. Fedora and Arch have Valkey, which answers to both names.
const REDIS_HINT: &str = "
    Debian 12, 13, Ubuntu 24.04: apt-get install -y --no-install-recommends redis-server
    Fedora:                      dnf install valkey-compat-redis
    Arch:                        pacman -S valkey
    macOS (Homebrew):            brew install redis";

/// The same for MPI.
const MPI_HINT: &str = "
    Debian 12, 13, Ubuntu 24.04: apt-get install -y --no-install-recommends libopenmpi-dev openmpi-bin libclang1-19 libclang-common-19-dev
    Fedora:                      dnf install openmpi-devel clang-devel   then module load mpi
    Arch:                        pacman -S openmpi clang
    macOS (Homebrew):            brew install open-mpi llvm@19";

/// The same for lavapipe. macOS and Windows have adapters of their own.
const VULKAN_HINT: &str = "
    Debian 12, 13, Ubuntu 24.04: apt-get install -y --no-install-recommends mesa-vulkan-drivers
    Fedora:                      dnf install mesa-vulkan-drivers
    Arch:                        pacman -S vulkan-swrast";
const CHROMIUM_HINT: &str = "
    Debian 12, 13:    apt-get install -y --no-install-recommends chromium
    Ubuntu 24.04:     snap install chromium
    Fedora:           dnf install chromium
    Arch:             pacman -S chromium
    or name one by CURVESMITH_CHROMIUM";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_rights_are_never_taken_without_a_terminal() {
        for (yes, ci) in [(false, false), (true, false), (false, true), (true, true)] {
            assert!(matches!(decide(yes, ci, false, false), Decision::Refuse(_)));
            assert_eq!(decide(yes, ci, true, false), Decision::Install);
            let asked = decide(yes, ci, false, true);
            assert_eq!(asked, if yes || ci { Decision::Install } else { Decision::Ask });
            assert_eq!(decide(yes, ci, true, true), asked);
        }
    }

    #[test]
    fn a_rustc_with_llvm_19_is_refused_with_the_reason() {
        assert!(judge_rustc("1.95.0", "22.1.2", "1.88").is_ok());
        assert!(judge_rustc("1.97.0-nightly", "22.1.4", "1.88").is_ok());
        let error = judge_rustc("1.85.1", "19.1.7", "1.88").expect_err("carries LLVM 19").to_string();
        assert!(error.contains("clash") && error.contains("1.88"), "{error}");
        let error = judge_rustc("1.81.0", "18.1.7", "1.88").expect_err("too old").to_string();
        assert!(error.contains("too old"), "{error}");
    }

    #[test]
    fn relatives_of_debian_are_recognised() {
        let mint = "NAME=\"Linux Mint\"\nID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=\"22\"\n";
        assert_eq!(release_ids(mint), ["linuxmint", "ubuntu", "debian"]);
        assert_eq!(release_ids("ID=fedora\nVERSION_ID=43\n"), ["fedora"]);
    }
}
