//! A field's functions as a program: the source that the compiler emits, compiled by `rustc`.

use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd;
use curvesmith_codegen::targets::portable::{Portable, library};
use num_bigint::BigUint;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Applies a function to every line of words that is read, in hexadecimal.
const RUN: &str = r#"
fn run<const N: usize, const I: usize, const R: usize>(f: fn(&[[u64; N]; I]) -> [[u64; N]; R]) {
    for line in std::io::stdin().lines() {
        let mut x = [[0; N]; I];
        for (word, text) in x.as_flattened_mut().iter_mut().zip(line.unwrap().split(' ')) {
            *word = u64::from_str_radix(text, 16).unwrap();
        }
        let results: Vec<String> = f(&x).as_flattened().iter().map(|word| format!("{word:x}")).collect();
        println!("{}", results.join(" "));
    }
}
"#;

/// The source of a field's functions, and their names.
pub(crate) fn source(name: &str, p: &str) -> (String, Vec<String>) {
    let field = FieldDesc::new(name, BigUint::parse_bytes(p.as_bytes(), 16).unwrap());
    let functions = library(&field);
    let names = functions.iter().map(|function| function.symbol.clone()).collect();
    let checked: Result<Vec<_>, _> = functions.iter().map(prepare).collect();
    (Portable::emit(&checked.unwrap(), ()).unwrap().text, names)
}

/// A program that applies the functions of a field.
pub(crate) struct Host(PathBuf);

impl Host {
    pub(crate) fn new(name: &str, p: &str) -> Host {
        let (source, names) = source(name, p);
        let arms: String = names.iter().map(|name| format!("        \"{name}\" => run({name}),\n")).collect();
        let text = format!(
            "{source}{RUN}\nfn main() {{\n    match &*std::env::args().nth(1).unwrap() {{\n{arms}        _ => panic!(),\n    }}\n}}\n"
        );
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("portable");
        fs::create_dir_all(&folder).unwrap();
        let (file, program) = (folder.join(format!("{name}.rs")), folder.join(name));
        fs::write(&file, text).unwrap();
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut rustc = Command::new(rustc);
        rustc.args(["--edition=2024", "-Copt-level=1", "--cap-lints=warn", "-o"]).arg(&program).arg(&file);
        let done = rustc.output().unwrap();
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        Host(program)
    }

    /// The results of a function for each of the operands.
    pub(crate) fn call<const N: usize, const I: usize, const R: usize>(
        &self,
        function: &str,
        operands: &[[[u64; N]; I]],
    ) -> Vec<[[u64; N]; R]> {
        let line = |x: &[[u64; N]; I]| {
            let words: Vec<String> = x.as_flattened().iter().map(|word| format!("{word:x}")).collect();
            words.join(" ") + "\n"
        };
        let input: String = operands.iter().map(line).collect();
        let mut program = Command::new(&self.0);
        let program = program.arg(function).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut running = program.spawn().unwrap();
        let mut stdin = running.stdin.take().unwrap();
        let done = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input.as_bytes()));
            running.wait_with_output().unwrap()
        });
        assert!(done.status.success(), "{function}");
        let results: Vec<[[u64; N]; R]> =
            std::str::from_utf8(&done.stdout).unwrap().lines().map(words).collect();
        assert_eq!(results.len(), operands.len(), "{function}");
        results
    }
}

fn words<const N: usize, const R: usize>(line: &str) -> [[u64; N]; R] {
    let words: Vec<u64> = line.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
    let mut results = [[0; N]; R];
    results.as_flattened_mut().copy_from_slice(&words);
    results
}
