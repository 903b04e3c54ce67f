//! The subcommands of `cargo-curvesmith`.

mod dump;
mod hashes;
mod prepare;
mod sources;
mod time;
mod write;

use curvesmith_codegen::targets::ptx::emit::Emitter;
use sources::Declared;
use std::path::PathBuf;

const USAGE: &str = "\
usage: cargo curvesmith <command> <arguments> [--from <file or folder>]...

  prepare [--check] [--common] [--into <folder>]
                                images of the declarations, for macros to take; by default those of
                                `src`, into `images`. --check: whether what is there is up to date
  hashes <folder>...            every image of the bundles that lie there: its name, the BLAKE3 hash of its text
                                without comments, what made it
  list                          every kernel: declaration, kernel, symbol
  dump <declaration> <kernel> <stage>
                                a kernel after a pass; an unknown name is answered by the known ones
  write <folder>                every image's PTX, and `images.tsv`
  write-own <folder>            the same by our own writer in place of LLVM
  texts <folder>                FIR and blocks of every kernel
  time                          seconds of every expansion

Declarations are the `field!` and `curve!` items of the files given, and of all files of the folders.";

/// What is wrong with a command, or with what it was pointed at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DriverError {
    /// No such command, or other arguments than it takes.
    #[error("{USAGE}")]
    Usage,
    /// A file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// A source file is not Rust, or a declaration in it has faults.
    #[error("{path}: {item}: {message}")]
    Source {
        /// Which file.
        path: String,
        /// Module of the declaration; empty where the file cannot be read so far.
        item: String,
        /// All faults.
        message: String,
    },
    /// Several declarations of the same name, which their kernels would share.
    #[error("`{0}` is declared twice")]
    Twice(String),
    /// A name that means nothing, and those that would.
    #[error("no {what} `{name}`; there are: {known}")]
    Unknown {
        /// Declaration, kernel or stage.
        what: &'static str,
        /// As given.
        name: String,
        /// Separated by commas.
        known: String,
    },
    /// Images that were prepared are not those of the declarations.
    #[error("{folder}: {faults}; run `cargo curvesmith prepare`")]
    Stale {
        /// Where they lie.
        folder: String,
        /// All faults.
        faults: String,
    },
    /// A bundle of images is damaged.
    #[error("{path}: {source}")]
    Bundle {
        /// Which.
        path: String,
        /// Why.
        source: curvesmith_abi::ImageError,
    },
    /// The compiler failed.
    #[error(transparent)]
    Emit(#[from] curvesmith_codegen::EmitError),
    /// The images could not be had.
    #[error(transparent)]
    Images(#[from] crate::images::ImagesError),
}

type Result<T> = std::result::Result<T, DriverError>;

/// Runs a command and returns what it prints.
pub(crate) fn run(args: &[String]) -> Result<String> {
    // `cargo curvesmith` names the subcommand again.
    let args = args.strip_prefix(&["curvesmith".to_owned()]).unwrap_or(args);
    let (mut from, args) = split(args)?;
    if let [command, options @ ..] = &args[..]
        && command == "prepare"
    {
        if from.is_empty() {
            from.push("src".into());
        }
        let (mut check, mut common, mut into) = (false, false, PathBuf::from("images"));
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match option.as_str() {
                "--check" => check = true,
                "--common" => common = true,
                "--into" => into = options.next().ok_or(DriverError::Usage)?.into(),
                _ => return Err(DriverError::Usage),
            }
        }
        return prepare::prepare(&Declared::read(&from)?, common, &into, check);
    }
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let declared = || Declared::read(&from);
    match words[..] {
        ["hashes", first, ref others @ ..] => hashes::hashes(
            &std::iter::once(first).chain(others.iter().copied()).map(PathBuf::from).collect::<Vec<_>>(),
        ),
        ["list"] => Ok(list(&declared()?)),
        ["dump", owner, kernel, stage] => dump::dump(&declared()?, owner, kernel, stage),
        ["write", folder] => write::write(&declared()?, folder.as_ref(), Emitter::default()),
        ["write-own", folder] => write::write(&declared()?, folder.as_ref(), Emitter::Writer),
        ["texts", folder] => write::texts(&declared()?, folder.as_ref()),
        ["time"] => time::time(&from),
        _ => Err(DriverError::Usage),
    }
}

/// The `--from` options and the other arguments.
fn split(args: &[String]) -> Result<(Vec<PathBuf>, Vec<String>)> {
    let (mut from, mut rest) = (Vec::new(), Vec::new());
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--from" {
            from.push(args.next().ok_or(DriverError::Usage)?.into());
        } else {
            rest.push(arg.clone());
        }
    }
    Ok((from, rest))
}

/// One line a kernel, separated by tabs: declaration, kernel, symbol.
fn list(declared: &Declared) -> String {
    let mut out = String::new();
    for (owner, plans) in declared.plans(Emitter::default()) {
        for kernel in plans.iter().flat_map(|plan| plan.kernels()) {
            out.push_str(&format!("{owner}\t{}\t{}\n", kernel.desc.name, kernel.symbol));
        }
    }
    out
}

/// Creates a folder with those above it.
fn create(folder: &std::path::Path) -> Result<()> {
    let fault = |source| DriverError::File { path: folder.display().to_string(), source };
    std::fs::create_dir_all(folder).map_err(fault)
}

/// Writes a file of a folder.
fn put(folder: &std::path::Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    let fault = |source| DriverError::File { path: path.display().to_string(), source };
    std::fs::write(&path, text).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOY: &str = "
        mod inner { field! { pub mod toy { crate = x; p = 13; generator = 2; } } }
        curve! { pub mod tiny {
            fq = 199; fr = 97;
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; constant_work; };
        } }
        other! { not ours }
    ";

    fn on(source: &str, args: &[&str]) -> Result<String> {
        let folder = tempfile::tempdir().expect("a folder can be made");
        std::fs::write(folder.path().join("a.rs"), source).expect("it can be written to");
        let from = folder.path().to_str().expect("the path is UTF-8").to_owned();
        let args: Vec<String> = args.iter().map(|a| (*a).to_owned()).chain(["--from".into(), from]).collect();
        run(&args)
    }

    fn fault(source: &str, args: &[&str]) -> String {
        on(source, args).expect_err("it is refused").to_string()
    }

    #[test]
    fn declarations_are_found_where_they_stand() {
        let list = on(TOY, &["list"]).expect("the declarations are right");
        for line in
            ["toy\tmul\ttoy_mul\n", "tiny_fr\tmul\ttiny_fr_mul\n", "common\tscan_add\tcommon_scan_add\n"]
        {
            assert!(list.contains(line), "{line} is not in\n{list}");
        }
        assert!(list.contains("tiny_g1\taccumulate\t"), "{list}");
        assert!(list.contains("tiny_g1_constant\tslice_sums\t"), "{list}");
    }

    #[test]
    fn a_kernel_is_dumped_after_any_pass() {
        let text = on(TOY, &["dump", "toy", "mul", "written"]).expect("names are right");
        assert!(text.starts_with("kernel toy_mul: "), "{text}");
        let image = on(TOY, &["dump", "tiny_fq", "mul", "image"]).expect("names are right");
        assert!(image.contains("// image tiny_fq\n") && image.contains(".entry tiny_fq_sqr("), "{image}");
    }

    #[test]
    fn unknown_names_are_answered_by_the_known_ones() {
        let curve = fault(TOY, &["dump", "bn254", "mul", "ptx"]);
        assert!(curve.contains("`bn254`") && curve.contains("tiny_fq") && curve.contains("toy"), "{curve}");
        let kernel = fault(TOY, &["dump", "toy", "multiply", "ptx"]);
        assert!(kernel.contains("`multiply`") && kernel.contains("mul_sub"), "{kernel}");
        let stage = fault(TOY, &["dump", "toy", "mul", "fold"]);
        assert!(
            stage.contains("`fold`") && stage.contains("written, inline, lower_towers, simplify"),
            "{stage}"
        );
    }

    #[test]
    fn prepared_images_are_checked() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let images = folder.path().join("images");
        let into = images.to_str().expect("the path is UTF-8");
        let field = "field! { mod f { p = 13; } }";
        let check = ["curvesmith", "prepare", "--check", "--into", into];
        let none = fault(field, &check);
        assert!(none.contains("f-") && none.contains("is missing"), "{none}");
        let made = on(field, &["curvesmith", "prepare", "--into", into]).expect("the declaration is right");
        assert!(made.starts_with("1 bundles, "), "{made}");
        on(field, &check).expect("they were just made");
        // A name of another declaration is no longer there, and the one of this is missing.
        let other = "field! { mod f { p = 17; } }";
        let stale = fault(other, &check);
        assert!(stale.contains("is of no declaration") && stale.contains("is missing"), "{stale}");
        on(other, &["prepare", "--into", into]).expect("the declaration is right");
        on(other, &check).expect("they were just made");
        assert!(fault(field, &check).contains("is of no declaration"));
        let file = std::fs::read_dir(&images).unwrap().next().expect("a bundle").unwrap().path();
        let mut bytes = std::fs::read(&file).unwrap();
        bytes[40] ^= 1;
        std::fs::write(&file, bytes).unwrap();
        assert!(fault(other, &check).contains("are not those that were written"));
        assert!(fault(field, &["prepare", "--into"]).starts_with("usage: "));
    }

    #[test]
    fn a_curve_name_stands_for_its_parts() {
        let text = on(TOY, &["dump", "tiny", "accumulate", "written"]).expect("only g1 accumulates");
        assert!(text.starts_with("kernel tiny_g1_accumulate: "), "{text}");
        let both = fault(TOY, &["dump", "tiny", "mul", "written"]);
        assert!(both.contains("tiny_fq") && both.contains("tiny_fr"), "{both}");
    }

    #[test]
    fn faulty_sources_are_named() {
        assert!(fault("\n\nfield! { pub mod f { p = 15; } }", &["list"]).contains("a.rs: f: "));
        assert!(fault("fn {", &["list"]).contains("a.rs: : "));
        let twice = "field! { mod f { p = 13; } } field! { mod f { p = 17; } }";
        assert_eq!(fault(twice, &["list"]), "`f` is declared twice");
        assert!(fault(TOY, &["lst"]).starts_with("usage: "));
    }
}
