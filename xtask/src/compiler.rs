//! Runs `cargo-curvesmith`, the compiler as a program.

use crate::shell;
use anyhow::Result;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the curves of the workspace are declared.
const CURVES: &str = "curves/src";

const PROGRAM: &str = "cargo-curvesmith";

/// `cargo-curvesmith`, built first; arguments follow.
pub(crate) fn program() -> Result<Command> {
    let mut build = shell::cargo();
    // As a part of the workspace, so that it is made of the artefacts that the tests are made of.
    build.args(["build", "--quiet", "--workspace", "--bin", PROGRAM]);
    shell::run(build.args(["--features", "curvesmith-field-dsl/llvm,curvesmith-cli/worker"]))?;
    Ok(shell::command(shell::target("debug").join(PROGRAM)))
}

/// A folder with all images of the workspace, by LLVM.
pub(crate) fn images() -> Result<PathBuf> {
    let folder = shell::target("images");
    let mut prepare = program()?;
    prepare.args(["prepare", "--common"]).args(from(&[])).arg("--into").arg(&folder);
    shell::run(&mut prepare)?;
    Ok(folder)
}

/// That of the checkout at `root`, whose workspace may be another.
pub(crate) fn program_of(root: &Path) -> Command {
    let mut run = shell::cargo();
    run.current_dir(root).args(["run", "--quiet", "--package", "curvesmith-field-dsl"]);
    run.args(["--bin", PROGRAM, "--features", "llvm", "--"]);
    run
}

/// The options that name the sources: those given, or the curves of the workspace.
pub(crate) fn from(sources: &[PathBuf]) -> Vec<PathBuf> {
    let curves = [PathBuf::from(CURVES)];
    let sources = if sources.is_empty() { &curves[..] } else { sources };
    sources.iter().flat_map(|source| ["--from".into(), source.clone()]).collect()
}

/// Lines of a table that `cargo-curvesmith` wrote, without the line of column names.
pub(crate) fn rows<const N: usize>(text: &str) -> Option<Vec<[&str; N]>> {
    text.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_line_is_no_row() {
        assert_eq!(rows::<2>("a\tb\n1\t2\n3\t4\n"), Some(vec![["1", "2"], ["3", "4"]]));
        assert_eq!(rows::<2>("a\tb\n1\n"), None);
        assert_eq!(rows::<2>(""), Some(vec![]));
    }

    #[test]
    fn the_workspace_is_the_default_source() {
        assert_eq!(from(&[]), ["--from", "curves/src"].map(PathBuf::from));
        assert_eq!(from(&["a.rs".into()]), ["--from", "a.rs"].map(PathBuf::from));
    }
}
