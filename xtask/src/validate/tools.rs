//! The assembler and the disassembler, from PyPI into a private environment.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Packages and their version; `ptxas` and `nvdisasm` of CUDA 13.5.
const PACKAGES: [(&str, &str); 2] = [("nvidia-cuda-nvcc", VERSION), ("nvidia-cuda-nvdisasm", VERSION)];
pub(super) const VERSION: &str = "13.5.37";

/// Where the programs lie.
pub(super) struct Tools {
    pub(super) ptxas: PathBuf,
    pub(super) nvdisasm: PathBuf,
}

/// Installs what is not yet there, and checks that it is the pinned version.
pub(super) fn install(folder: &Path) -> Result<Tools> {
    let venv = folder.join("venv");
    if let Some(tools) = find(&venv) {
        return Ok(tools);
    }
    let python = ["python3", "python"].into_iter().find(|python| is_python3(python));
    let Some(python) = python else {
        bail!(
            "validate needs Python 3 with venv and pip, to install ptxas (Debian, Ubuntu: apt-get install python3-venv)"
        );
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    shell::run(shell::command(python).args(["-m", "venv", "--clear"]).arg(&venv))
        .context("this Python has no venv or no pip (Debian, Ubuntu: apt-get install python3-venv)")?;
    let mut pip = shell::command(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(PACKAGES.map(|(name, version)| format!("{name}=={version}"))).stdout(Stdio::null());
    shell::run(&mut pip)
        .context("pip could not install ptxas and nvdisasm (wheels exist for Linux on x86-64 and arm64)")?;
    find(&venv)
        .with_context(|| format!("{} holds no ptxas and nvdisasm of version {VERSION}", venv.display()))
}

fn is_python3(python: &str) -> bool {
    shell::output(shell::command(python).arg("--version")).is_some_and(|v| v.starts_with("Python 3"))
}

/// The programs of an environment; none where one is missing or of another version.
fn find(venv: &Path) -> Option<Tools> {
    let pythons = std::fs::read_dir(venv.join("lib")).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let mut folders = pythons.map(|python| python.join("site-packages/nvidia/cu13/bin"));
    folders.find_map(|bin| {
        let tools = Tools { ptxas: bin.join("ptxas"), nvdisasm: bin.join("nvdisasm") };
        let right = |program: &Path| {
            shell::output(Command::new(program).arg("--version"))
                .is_some_and(|v| v.contains(&format!("V{VERSION}")))
        };
        (right(&tools.ptxas) && right(&tools.nvdisasm)).then_some(tools)
    })
}

/// What a program wrote to standard error; its last lines where it fails.
pub(super) fn stderr(command: &mut Command) -> Result<String> {
    captured(command).map(|out| String::from_utf8_lossy(&out.stderr).into_owned())
}

/// What a program wrote to standard output.
pub(super) fn stdout(command: &mut Command) -> Result<String> {
    captured(command).map(|out| String::from_utf8_lossy(&out.stdout).into_owned())
}

fn captured(command: &mut Command) -> Result<std::process::Output> {
    let line = shell::show(command);
    let out = command.stdin(Stdio::null()).output().with_context(|| format!("could not start `{line}`"))?;
    if !out.status.success() {
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        let errors: Vec<_> = text.lines().filter(|l| !l.starts_with("ptxas info")).take(20).collect();
        bail!("`{line}` failed ({}):\n{}", out.status, errors.join("\n"));
    }
    Ok(out)
}
