//! Passes on texts: what a file in `passes/<pass>/` holds, and what becomes of it.
//!
//! ```text
//! ; A sum with zero is the other operand.
//! ; run: simplify
//! function f(field) -> (field)
//! …
//! ; gives
//! function f(field) -> (field)
//! …
//! ```
//! The first line states the idea. The passes of the second run one after another, on the kernel of the text
//! or, where it has none, on its last function. With `BLESS=1` the part behind `; gives` is rewritten.

#![cfg(feature = "llvm")]
#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

use curvesmith_abi::kernels::ScanAdd;
use curvesmith_abi::{Form, Geometry, Kernel as _};
use curvesmith_codegen::dump::annotated;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::fir::parse::parse;
use curvesmith_codegen::fir::print::print;
use curvesmith_codegen::fir::verify::verify;
use curvesmith_codegen::passes::{
    Simplification, inline, join_products, lower_towers, place_reductions, prepare, simplify,
    simplify_observed,
};
use curvesmith_codegen::targets::ptx::Ptx;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where the expected text begins.
const GIVES: &str = "\n; gives\n";
/// Most lines of a file.
const LINES: usize = 40;
/// The passes that have files: those that rewrite operations.
const PASSES: [&str; 5] = ["inline", "lower_towers", "simplify", "join_products", "place_reductions"];

fn folder(pass: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes").join(pass)
}

/// The kernel of a text, or its last function where it has no kernel.
fn read(text: &str) -> Kernel {
    let starts = |word: &str| text.lines().filter_map(|line| line.strip_prefix(word)).next_back();
    if starts("kernel ").is_some() {
        return parse(text).unwrap();
    }
    let (symbol, _) = starts("function ").unwrap().split_once('(').unwrap();
    let contract = ScanAdd::desc(&Geometry::PTX).signature(Form::ALL[0]);
    let called = parse(&format!("{text}\nkernel caller: {contract}\ncalls f0: {symbol}\n{{\n}}\n")).unwrap();
    called.functions[0].as_ref().clone()
}

/// What passes give: FIR, with bounds and variants from `place_reductions` on.
fn run(passes: &str, mut kernel: Kernel) -> String {
    assert_eq!(verify(&kernel), Ok(()), "as written");
    for pass in passes.split(", ") {
        kernel = match pass {
            "inline" => inline::<Ptx>(&kernel),
            "lower_towers" => lower_towers::<Ptx>(&kernel),
            "simplify" => simplify(&kernel),
            "join_products" => join_products::<Ptx>(&kernel),
            "place_reductions" => {
                let called: Vec<_> =
                    kernel.functions.iter().map(|f| Arc::new(prepare::<Ptx>(f).unwrap())).collect();
                let (kernel, info) = place_reductions(&kernel, &called).unwrap();
                assert_eq!(verify(&kernel), Ok(()), "after {pass}");
                return annotated(&kernel, Some(&info));
            }
            _ => panic!("no pass `{pass}`"),
        };
        assert_eq!(verify(&kernel), Ok(()), "after {pass}");
    }
    print(&kernel)
}

/// The files of a pass with their texts.
fn files(pass: &str) -> Vec<(PathBuf, String)> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder(pass)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

#[test]
fn passes_give_what_their_files_say() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut others = vec![];
    for (pass, (path, text)) in
        PASSES.into_iter().flat_map(|pass| files(pass).into_iter().map(move |f| (pass, f)))
    {
        let name = path.display();
        let (input, expected) = text.split_once(GIVES).unwrap_or((text.trim_end(), ""));
        let mut lines = input.lines();
        assert!(lines.next().is_some_and(|idea| idea.starts_with("; ")), "{name}: no idea in the first line");
        let passes = lines.next().and_then(|line| line.strip_prefix("; run: "));
        let passes = passes.unwrap_or_else(|| panic!("{name}: no `; run: ` in the second line"));
        assert!(passes.split(", ").any(|run| run == pass), "{name}: {pass} is not run");
        let found = run(passes, read(input));
        let whole = format!("{input}{GIVES}{found}");
        assert!(whole.lines().count() <= LINES, "{name}: more than {LINES} lines\n{whole}");
        if bless {
            std::fs::write(&path, whole).unwrap();
        } else if found != expected {
            others.push(format!("{name} gives\n{found}"));
        }
    }
    assert!(others.is_empty(), "{}\nBLESS=1 accepts {} files", others.join("\n"), others.len());
}

/// A file is named after the rewrite that it shows, and that is among those that apply.
#[test]
fn every_simplification_has_a_file() {
    for simplification in Simplification::ALL {
        let path = folder("simplify").join(simplification.name()).with_extension("fir");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let (input, _) = text.split_once(GIVES).unwrap_or((&text, ""));
        let mut seen = vec![];
        simplify_observed(&read(input), &mut |simplification| seen.push(simplification));
        assert!(seen.contains(simplification), "{}: only {seen:?}", path.display());
    }
}
