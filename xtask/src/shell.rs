//! Running other programs, and showing what is run and how long it took.

use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// The workspace root.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in a folder of the workspace")
}

/// A folder for downloads and reports of a task, under cargo's target folder.
pub(crate) fn target(task: &str) -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    root().join(target).join(task)
}

/// A command in the workspace root.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// The cargo that started us.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// A command for which there is no LLVM: a build script that seeks it fails.
pub(crate) fn without_llvm(mut command: Command) -> Command {
    command.env("LLVM_SYS_191_PREFIX", target("no-llvm"));
    command
}

/// For builds whose macros emit no images: not to optimise the compiler takes less time.
pub(crate) const QUICK: &str = "profile.dev.package.curvesmith-codegen.opt-level=0";

/// The command of cargo or maturin, whose macros take images from a folder, if there is one, and emit none.
pub(crate) fn with_images<'c>(command: &'c mut Command, images: Option<&Path>) -> &'c mut Command {
    match images {
        Some(images) => command.env("CURVESMITH_IMAGES", images).args(["--config", QUICK]),
        None => command,
    }
}

/// The command line of curvesmith with the curves of circom, built first; arguments follow. Tests have it
/// without optimisation; here its proofs are the first that a newcomer sees.
pub(crate) fn curvesmith() -> Command {
    let mut run = cargo();
    run.args([
        "run",
        "--config",
        "profile.dev.package.curvesmith-cli.opt-level=2",
        "--package",
        "curvesmith-cli",
        "--bin",
        "curvesmith",
        "--no-default-features",
    ]);
    run.args(["--features", "bls12-381,bn254", "--"]);
    run
}

/// Builds a package with a library for other languages, with images from a folder if there is one; the folder
/// that has the library.
pub(crate) fn library(package: &str, images: Option<&Path>) -> Result<PathBuf> {
    run(with_images(&mut cargo(), images).args(["build", "--package", package]))?;
    Ok(target("debug"))
}

/// Program and arguments as one would type them.
pub(crate) fn show(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    let args = command.get_args().map(|a| a.to_string_lossy().into_owned());
    let environment = command
        .get_envs()
        .filter_map(|(k, v)| v.map(|v| format!("{}={:?} ", k.to_string_lossy(), v.to_string_lossy())));
    environment.collect::<String>() + &std::iter::once(name).chain(args).collect::<Vec<_>>().join(" ")
}

/// Shows the command, runs it with our terminal, and fails where it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = show(command);
    eprintln!("$ {line}");
    let status = command.status().with_context(|| format!("could not start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Shows commands, runs them at once with our terminal, waits for all, and fails where one fails.
pub(crate) fn run_together(commands: &mut [Command]) -> Result<()> {
    let mut running = vec![];
    for command in commands {
        let line = show(command);
        eprintln!("$ {line}");
        let started = command.spawn().with_context(|| format!("could not start `{line}`"));
        running.push(started.map(|child| (line, child)));
    }
    let wait = |started: Result<(String, Child)>| {
        let (line, mut child) = started?;
        let status = child.wait().with_context(|| format!("could not wait for `{line}`"))?;
        ensure!(status.success(), "`{line}` failed ({status})");
        Ok(())
    };
    let ends: Vec<Result<()>> = running.into_iter().map(wait).collect();
    ends.into_iter().collect()
}

/// Standard output of a command; `None` where it does not exist or fails.
pub(crate) fn output(command: &mut Command) -> Option<String> {
    let out = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// Seconds of processor time that ended children of ours have taken, and theirs; `None` where the system does
/// not tell.
pub(crate) fn processor_time() -> Option<f64> {
    children_time(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Of a line of Linux' `/proc/<id>/stat`.
fn children_time(stat: &str) -> Option<f64> {
    /// Ticks of a second in what Linux tells programs, on every machine that Rust runs on.
    const TICKS: f64 = 100.0;
    // The program's name, in parentheses, may hold anything. Fields 16 and 17 of the line are times of
    // children, user and system.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some((ticks(16)? + ticks(17)?) as f64 / TICKS)
}

/// Runs named parts one after the other, and tells at the end what each took.
#[derive(Default)]
pub(crate) struct Parts {
    times: Vec<Taken>,
    /// The part before which all are left out.
    from: Option<String>,
}

impl Parts {
    /// Leaves out the parts before one of this name, but for those that run [always](Parts::always).
    pub(crate) fn from(name: Option<String>) -> Parts {
        Parts { from: name, ..Parts::default() }
    }

    /// Runs one part, unless it is left out.
    pub(crate) fn part(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        match self.from.as_deref() {
            Some(from) if from != name => {
                eprintln!("== {name}: left out");
                return Ok(());
            }
            _ => self.from = None,
        }
        self.always(name, work)
    }

    /// Runs one part, which others need.
    pub(crate) fn always(&mut self, name: &'static str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        eprintln!("== {name}");
        let (start, before) = (Instant::now(), processor_time());
        work().with_context(|| format!("{name} failed"))?;
        let processor = before.zip(processor_time()).map(|(before, after)| after - before);
        let taken = Taken { name, seconds: start.elapsed().as_secs_f64(), processor };
        eprintln!("{taken}");
        self.times.push(taken);
        Ok(())
    }

    /// Prints the table of times. Fails where the part to begin with is none.
    pub(crate) fn finish(self, what: &str) -> Result<()> {
        if let Some(from) = self.from {
            bail!("{what} has no part {from:?}");
        }
        eprintln!("== {what} passed");
        let seconds = self.times.iter().map(|taken| taken.seconds).sum();
        let processor = self.times.iter().map(|taken| taken.processor).sum();
        for taken in self.times.iter().chain(&[Taken { name: "all", seconds, processor }]) {
            eprintln!("{taken}");
        }
        Ok(())
    }
}

/// What a part took.
struct Taken {
    name: &'static str,
    /// Of the clock.
    seconds: f64,
    /// Of processors, in programs that it started, where the system tells it.
    processor: Option<f64>,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} took {:.1} s", self.name, self.seconds)?;
        self.processor.map_or(Ok(()), |processor| write!(f, ", {processor:.1} s of processor time"))
    }
}

/// Whether a program can be started at all.
pub(crate) fn exists(program: &str, version_flag: &str) -> bool {
    output(command(program).arg(version_flag)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_before_the_first_are_left_out() {
        let ran = |from: Option<&str>| {
            let mut ran = String::new();
            let mut run = |name| {
                ran += name;
                Ok(())
            };
            let mut parts = Parts::from(from.map(str::to_owned));
            parts.always("a", || run("a"))?;
            for name in ["b", "c", "d"] {
                parts.part(name, || run(name))?;
            }
            parts.finish("the test").map(|()| ran)
        };
        assert_eq!(ran(None).expect("all"), "abcd");
        assert_eq!(ran(Some("c")).expect("two of four"), "acd");
        assert!(ran(Some("e")).expect_err("there is none").to_string().contains("no part \"e\""));
    }

    #[test]
    fn a_command_that_fails_among_others_is_told_and_all_are_waited_for() {
        let sh = |script: &str| {
            let mut sh = command("sh");
            sh.args(["-c", script]);
            sh
        };
        run_together(&mut [sh("true"), sh("true")]).expect("both end well");
        let file = target("run-together");
        let slow = format!("sleep 0.2; echo done > '{}'", file.display());
        let error = run_together(&mut [sh("exit 3"), sh(&slow)]).expect_err("one fails");
        assert!(error.to_string().contains("exit 3"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).expect("the other has ended"), "done\n");
        std::fs::remove_file(&file).expect("it is there");
        assert!(run_together(&mut [command("no-such-program")]).is_err());
    }

    #[test]
    fn times_of_children_stand_behind_the_name() {
        let line = "7 (a ) b) S 1 2 3 4 5 6 7 8 9 10 11 12 250 50 20 0";
        assert_eq!(children_time(line), Some(3.0));
        assert_eq!(children_time("7 (a) S 1 2"), None);
        assert_eq!(children_time(""), None);
    }
}
