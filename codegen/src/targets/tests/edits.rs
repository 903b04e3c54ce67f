//! Checkers compiled on their own, with edits of their source that their tests have to notice.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// A file, what stands in it once, and what stands there instead.
pub(in crate::targets) type Edit = (&'static str, &'static str, &'static str);

/// Seals that tell nothing apart: what is looked at is whether claims are accepted.
pub(in crate::targets) const SEALS: &str = "
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Seal;
    pub trait Accepted {
        fn seal(&self) -> Seal;
    }
    pub mod seal {
        pub struct OpenSeal;
        impl OpenSeal {
            pub fn new<P>(_: &crate::declaration::FieldDesc, _: &crate::declaration::FieldOp, _: &P) -> Self {
                Self
            }
            pub fn within<B>(&self, _: &[B], _: B) -> super::Seal {
                super::Seal
            }
        }
    }
";

/// A file with an edit, if it is of this one.
pub(in crate::targets) fn edited(path: &Path, edit: Option<&Edit>) -> String {
    let text = fs::read_to_string(path).unwrap();
    match edit.filter(|(of, ..)| path.ends_with(of)) {
        None => text,
        Some((file, old, new)) => {
            assert_eq!(text.matches(old).count(), 1, "{file} has this once: {old}");
            text.replace(old, new)
        }
    }
}

/// The program compiled with the libraries that this test was: of those that there are the first that fit
/// each other.
pub(in crate::targets) fn compiled(folder: &Path, program: &Path, names: &[&str]) -> PathBuf {
    let deps = env::current_exe().unwrap().parent().unwrap().to_owned();
    let of = |name: &str| -> Vec<PathBuf> {
        let start = format!("lib{name}-");
        let files = fs::read_dir(&deps).unwrap().map(|file| file.unwrap().path());
        let fits = |file: &PathBuf| {
            let name = file.file_name().unwrap().to_string_lossy();
            name.starts_with(&start) && name.ends_with(".rlib")
        };
        files.filter(fits).collect()
    };
    let probe = folder.join("probe.rs");
    let one = names.iter().map(|name| match *name {
        "num_integer" => "num_integer::Integer::gcd(&one, &one);",
        "num_traits" => "num_traits::One::is_one(&one);",
        _ => "let one = num_bigint::BigInt::from(1);",
    });
    fs::write(&probe, format!("fn main() {{ {} }}\n", one.collect::<String>())).unwrap();
    let target = folder.join("checker");
    let compile = |source: &Path, files: &[PathBuf]| {
        let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        command.args(["--edition", "2024", "-C", "debuginfo=0", "-C", "codegen-units=16", "-o"]);
        command.arg(&target).arg(source).arg("-L").arg(&deps);
        for (name, file) in names.iter().zip(files) {
            command.arg("--extern").arg(format!("{name}={}", file.display()));
        }
        let output = command.output().unwrap();
        if output.status.success() {
            Ok(())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    };
    let mut all: Vec<Vec<PathBuf>> = vec![vec![]];
    for name in names {
        let files = of(name);
        let with = |some: &Vec<PathBuf>| {
            let some = some.clone();
            files.iter().map(move |file| [&some[..], std::slice::from_ref(file)].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    let fits = all.into_iter().find(|files| compile(&probe, files).is_ok());
    let files = fits.expect("this test was linked with these libraries");
    compile(program, &files).unwrap_or_else(|errors| panic!("the edits do not compile:\n{errors:.4000}"));
    target
}
