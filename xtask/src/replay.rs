//! What a change does to every kernel: IR and counts against a revision.

use crate::validate::{self, Kernel};
use crate::{SetupArgs, compiler, setup, shell};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct ReplayArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// The revision to compare with: a branch, a tag, a commit
    revision: String,
    /// Compare texts only; nothing is assembled
    #[arg(long)]
    texts: bool,
    /// Compute capability of the counts
    #[arg(long, default_value_t = 90)]
    arch: u32,
}

/// Files that one checkout gives.
struct Side {
    texts: PathBuf,
    images: PathBuf,
}

/// Builds the compiler of the revision, has both compile every kernel, and prints what differs.
pub(crate) fn run(args: &ReplayArgs) -> Result<()> {
    setup::run(args.setup.yes)?;
    let folder = shell::target("replay");
    let checkout = check_out(&args.revision, &folder)?;
    let before = compile(&checkout, &folder.join("before")).with_context(|| {
        format!("{} has no `cargo-curvesmith`, or it does not build there", args.revision)
    })?;
    let after = compile(shell::root(), &folder.join("after"))?;
    let (texts_before, texts_after) = (read(&before.texts)?, read(&after.texts)?);
    let changed = changed(&texts_before, &texts_after);
    if changed.is_empty() {
        println!("no kernel's IR differs from {}", args.revision);
        return Ok(());
    }
    let diff = folder.join("ir.diff");
    write_diff(&before.texts, &after.texts, &diff)?;
    let counts = |side: &Side| -> Result<BTreeMap<String, Kernel>> {
        if args.texts { Ok(BTreeMap::new()) } else { validate::counts(&side.images, args.arch, &changed) }
    };
    print!("{}", table(&changed, &counts(&before)?, &counts(&after)?));
    println!(
        "{} kernels differ from {}; their IR line by line: {}",
        changed.len(),
        args.revision,
        diff.display()
    );
    Ok(())
}

/// A checkout of the revision beside the build's other files.
fn check_out(revision: &str, folder: &Path) -> Result<PathBuf> {
    let checkout = folder.join("checkout");
    std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let commit = shell::output(
        shell::command("git")
            .args(["rev-parse", "--verify", "--quiet"])
            .arg(format!("{revision}^{{commit}}")),
    )
    .with_context(|| format!("`{revision}` is no revision of this repository"))?;
    if !checkout.join(".git").exists() {
        // One that was deleted by hand is still registered.
        shell::run(shell::command("git").args(["worktree", "prune"]))?;
        let mut add = shell::command("git");
        shell::run(add.args(["worktree", "add", "--quiet", "--detach"]).arg(&checkout).arg(&commit))?;
    }
    let mut switch = shell::command("git");
    switch.arg("-C").arg(&checkout).args(["checkout", "--quiet", "--force", "--detach", &commit]);
    shell::run(&mut switch)?;
    Ok(checkout)
}

fn compile(root: &Path, folder: &Path) -> Result<Side> {
    let side = Side { texts: folder.join("texts"), images: folder.join("images") };
    for (command, folder) in [("texts", &side.texts), ("write", &side.images)] {
        crate::files::clear(folder)?;
        let mut write = compiler::program_of(root);
        // Each checkout has its own artefacts, whatever the environment says.
        write.env("CARGO_TARGET_DIR", root.join("target"));
        shell::run(write.arg(command).arg(folder).args(compiler::from(&[])))?;
    }
    Ok(side)
}

/// Every file of a folder by name.
fn read(folder: &Path) -> Result<BTreeMap<String, String>> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut texts = BTreeMap::new();
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        texts.insert(name, text);
    }
    Ok(texts)
}

/// Symbols of the kernels whose FIR or blocks differ, or that only one side has.
fn changed(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) -> BTreeSet<String> {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let differing = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    differing.map(|name| name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem).to_owned()).collect()
}

/// `git diff` without a repository; it exits with 1 where there are differences.
fn write_diff(before: &Path, after: &Path, to: &Path) -> Result<()> {
    let mut diff = shell::command("git");
    diff.args(["diff", "--no-index", "--no-color"]).arg(before).arg(after);
    let out = diff.output().context("git could not be started")?;
    if !matches!(out.status.code(), Some(0 | 1)) {
        bail!("`{}` failed: {}", shell::show(&diff), String::from_utf8_lossy(&out.stderr));
    }
    std::fs::write(to, out.stdout).with_context(|| format!("cannot write {}", to.display()))
}

/// One line a kernel: registers, instructions and bound, before and after.
fn table(
    changed: &BTreeSet<String>,
    before: &BTreeMap<String, Kernel>,
    after: &BTreeMap<String, Kernel>,
) -> String {
    let mut out = String::new();
    for symbol in changed {
        let side = |counts: &BTreeMap<String, Kernel>| {
            counts.get(symbol).map_or_else(
                || "-".to_owned(),
                |k| format!("{} regs, {} instr, bound {}", k.registers, k.instructions, k.bound),
            )
        };
        let percent = before.get(symbol).zip(after.get(symbol)).map_or_else(String::new, |(b, a)| {
            let (b, a) = (f64::from(b.bound), f64::from(a.bound));
            format!("  ({:+.1} %)", 100.0 * (a / b - 1.0))
        });
        out.push_str(&format!("{symbol}: {} -> {}{percent}\n", side(before), side(after)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    }

    #[test]
    fn changed_kernels_are_found_by_either_text() {
        let before = texts(&[("a.fir", "1"), ("a.blocks", "2"), ("b.fir", "3"), ("c.fir", "4")]);
        let after = texts(&[("a.fir", "1"), ("a.blocks", "9"), ("b.fir", "3"), ("d.fir", "5")]);
        assert_eq!(changed(&before, &after), ["a", "c", "d"].map(str::to_owned).into());
        assert!(changed(&before, &before).is_empty());
    }

    #[test]
    fn the_table_shows_both_sides() {
        let kernel = |total| Kernel { registers: 40, instructions: total, bound: total };
        let side = |total| BTreeMap::from([("a".to_owned(), kernel(total))]);
        let changed = ["a", "b"].map(str::to_owned).into();
        let text = table(&changed, &side(100), &side(110));
        assert!(
            text.contains("a: 40 regs, 100 instr, bound 100 -> 40 regs, 110 instr, bound 110  (+10.0 %)\n"),
            "{text}"
        );
        assert!(text.contains("b: - -> -\n"), "{text}");
    }
}
