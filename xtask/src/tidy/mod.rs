//! The architecture's invariants as checks on the text of the workspace.
//!
//! What each crate may know is data: [`deps::EDGES`] and [`deps::OWNERS`] for dependencies,
//! [`RULES`] for words in the source. A rule sees source without comments, string
//! contents and `#[cfg(test)]` modules unless it says otherwise. [`cycles`] judges which modules use
//! which, [`prose`] reads the pages.

mod cycles;
mod deps;
mod prose;
mod source;

use crate::shell;
use anyhow::{Result, bail};
use source::{File, Views};
use std::path::Path;

/// Lines after which a file should be cut in two; a warning only.
const LONG_FILE: usize = 800;

/// Which part of a file a rule reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum View {
    /// Code outside tests, string contents blanked.
    Code,
    /// Code and tests, string contents blanked.
    CodeAndTests,
    /// Code outside tests, with string contents.
    CodeAndStrings,
}

/// Words that may not appear in some files.
struct Rule {
    name: &'static str,
    why: &'static str,
    view: View,
    /// Path prefixes of the files that are read.
    within: &'static [&'static str],
    /// Path prefixes that are allowed the words.
    except: &'static [&'static str],
    words: &'static [&'static str],
}

const RULES: &[Rule] = &[
    Rule {
        name: "unsafe",
        why: "`unsafe` belongs to the LLVM and CUDA modules, to the C library, to loops over threads, to vector instructions, and to the start of a process",
        view: View::CodeAndTests,
        within: &[""],
        except: &[
            "bindings/c/src",
            "codegen/src/targets/ptx/emit/llvm",
            "runtime/emulator/src/wide.rs",
            "runtime/src/cuda",
            "runtime/src/host/lanes/able.rs",
            "runtime/src/lanes",
            "runtime/src/parallel.rs",
            "prover/cli/src/process.rs",
        ],
        words: &["unsafe", "unsafe_code"],
    },
    Rule {
        name: "llvm",
        why: "only ptx::emit::llvm knows LLVM",
        view: View::CodeAndTests,
        within: &[""],
        except: &["codegen/src/targets/ptx/emit/llvm"],
        words: &["inkwell", "llvm_sys"],
    },
    Rule {
        name: "cuda",
        why: "only runtime::cuda knows CUDA",
        view: View::CodeAndTests,
        within: &[""],
        except: &["runtime/src/cuda"],
        words: &["cudarc"],
    },
    Rule {
        name: "platform",
        why: "only runtime::platform reads the clock and starts threads, which a web page gives in its own way or not at all",
        view: View::Code,
        within: &["runtime/src", "prover/src"],
        // The second has tests for one family of systems, which this view takes for code.
        except: &["runtime/src/platform.rs", "prover/src/snarkjs/source.rs"],
        words: &[
            "std::time::Instant",
            "Duration, Instant",
            "SystemTime::now",
            "thread::Builder",
            "thread::spawn",
            "thread::scope",
            "web_time",
        ],
    },
    Rule {
        name: "determinism",
        why: "the compiler's output depends on the declaration alone: no clock, path, environment, hash order or thread order",
        view: View::Code,
        within: &["codegen/src"],
        // The compiler's own version and source hash, which key the images.
        except: &["codegen/src/version.rs"],
        words: &[
            "HashMap",
            "HashSet",
            "RandomState",
            "SystemTime",
            "Instant",
            "PathBuf",
            "std::time",
            "std::path",
            "std::thread",
            "thread::",
            "std::env",
            "env::",
            "env!",
            "option_env!",
            "std::fs",
            "fs::",
            "fs_err",
            "rayon",
            "rand",
        ],
    },
    Rule {
        name: "targets",
        why: "passes are generic over the target, know none and write none",
        view: View::Code,
        within: &["codegen/src/passes"],
        except: &[],
        words: &["ptx", "Ptx", "Pipes", "portable", "Portable", "BackEnd"],
    },
    Rule {
        name: "engines",
        why: "above `engines` nothing asks which engine it has",
        view: View::Code,
        within: &["runtime/src/work", "runtime/src/values.rs", "runtime/src/plan"],
        except: &[],
        words: &["AnyEngine", "AnyCall::", "Host", "HostCall", "Gpu", "is_host", "is_cpu"],
    },
    Rule {
        name: "curves",
        why: "the runtime names no curve",
        view: View::CodeAndStrings,
        within: &["runtime/src", "runtime/abi", "runtime/device", "runtime/emulator", "runtime/wgpu"],
        except: &[],
        words: &[
            "bn254",
            "Bn254",
            "bn128",
            "bls12_381",
            "Bls12_381",
            "bls12_377",
            "bls24_315",
            "bn462",
            "bw6_761",
            "mnt4_298",
            "mnt4_753",
            "mnt6_298",
            "mnt6_753",
            "secp256k1",
            "ark_bn254",
            "ark_bls12_381",
            "ark_secp256k1",
        ],
    },
    Rule {
        name: "left out",
        why: "cargo runs no tests in these sources: curves are tested in `curves/tests`",
        view: View::CodeAndTests,
        within: &["curves/src"],
        except: &[],
        words: &["#[test]", "cfg(test)"],
    },
    Rule {
        name: "unfinished",
        why: "nothing unfinished is committed",
        view: View::CodeAndTests,
        within: &[""],
        except: &[],
        words: &["todo!", "unimplemented!", "dbg!", "#[ignore"],
    },
];

/// Runs every check; all findings are reported before it fails.
pub(crate) fn run() -> Result<()> {
    let files = source::read_all()?;
    let mut findings = deps::check()?;
    for file in files.iter().filter(|f| f.is_rust()) {
        let views = Views::new(&file.text);
        RULES.iter().for_each(|rule| apply(rule, file, &views, &mut findings));
    }
    findings.extend(inline_ptx(&files));
    findings.extend(cycles::check(&files));
    files.iter().for_each(|file| check_text(file, &mut findings));
    findings.extend(prose::check(&files, &|path| shell::root().join(path).exists()));
    for file in files.iter().filter(|f| f.is_rust()) {
        let lines = file.text.lines().count();
        if lines > LONG_FILE {
            eprintln!("warning: {}: {lines} lines, more than {LONG_FILE}", file.path);
        }
    }
    findings.iter().for_each(|f| eprintln!("{f}"));
    match findings.len() {
        0 => {
            eprintln!("{} files keep the invariants", files.len());
            Ok(())
        }
        n => bail!("{n} broken invariants"),
    }
}

fn apply(rule: &Rule, file: &File, views: &Views, findings: &mut Vec<String>) {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|p| file.path.starts_with(p));
    let test_folder = file.path.contains("/tests/") || file.path.ends_with("/tests.rs");
    if !starts(rule.within) || starts(rule.except) || (test_folder && rule.view != View::CodeAndTests) {
        return;
    }
    let text = match rule.view {
        View::Code => &views.code,
        View::CodeAndTests => &views.code_and_tests,
        View::CodeAndStrings => &views.code_and_strings,
    };
    for (number, line) in text.lines().enumerate() {
        for word in rule.words.iter().filter(|w| source::has_word(line, w)) {
            findings.push(format!("{}:{}: `{word}`: {} [{}]", file.path, number + 1, rule.why, rule.name));
        }
    }
}

/// Asm blocks are built by one function, so that text and constraints cannot disagree: LLVM
/// ends the process on a wrong constraint and does not look at the text at all.
fn inline_ptx(files: &[File]) -> Vec<String> {
    const CALL: &str = "create_inline_asm";
    let calls = |f: &File| Views::new(&f.text).code_and_tests.matches(CALL).count();
    let found: Vec<_> =
        files.iter().filter(|f| f.is_rust()).map(|f| (&f.path, calls(f))).filter(|c| c.1 > 0).collect();
    let total: usize = found.iter().map(|c| c.1).sum();
    match total {
        0 | 1 => Vec::new(),
        n => vec![format!(
            "`{CALL}` is called {n} times, in {found:?}: inline PTX is made in one place [inline PTX]"
        )],
    }
}

/// What no text file may hold, whatever its language.
fn check_text(file: &File, findings: &mut Vec<String>) {
    if file.path.ends_with("Cargo.lock") {
        // Packages come from one registry, never from a repository.
        let mut sources = file.text.lines().filter(|l| l.starts_with("source = ")).peekable();
        let first = sources.peek().copied().unwrap_or_default();
        let foreign = sources.filter(|l| *l != first || !l.contains("\"registry+"));
        findings.extend(foreign.map(|l| format!("{}: {l}: not from the one registry [registry]", file.path)));
    }
    let homes = ["/home", "/root", "/Users"].map(|dir| format!("{dir}/"));
    for (number, line) in file.text.lines().enumerate() {
        if let Some(home) = homes.iter().find(|home| is_absolute(line, home)) {
            findings.push(format!(
                "{}:{}: `{home}`: no path of one machine is committed [paths]",
                file.path,
                number + 1
            ));
        }
        if let Some(url) = private_url(line) {
            findings.push(format!(
                "{}:{}: `{url}`: no private host is committed [hosts]",
                file.path,
                number + 1
            ));
        }
    }
}

/// Whether `path` occurs in the line as the start of a path.
fn is_absolute(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_-.}$~/".contains(c))
    })
}

/// A URL with a port, credentials or an address instead of a name.
fn private_url(line: &str) -> Option<&str> {
    line.match_indices("://").find_map(|(at, _)| {
        let rest = &line[at + 3..];
        let authority =
            rest.split(|c: char| "/\"'`) >\\]},;".contains(c) || c.is_whitespace()).next().unwrap_or("");
        let digits = !authority.is_empty() && authority.chars().all(|c| c.is_ascii_digit() || c == '.');
        (authority.contains('@') || authority.contains(':') || digits).then_some(authority)
    })
}

/// Whether a path names a file that is text by its ending.
fn is_text(path: &str) -> bool {
    let ending = Path::new(path).extension().and_then(|e| e.to_str()).unwrap_or("");
    matches!(
        ending,
        "rs" | "toml"
            | "lock"
            | "md"
            | "json"
            | "lua"
            | "sh"
            | "yml"
            | "yaml"
            | "snap"
            | "ptx"
            | "tsv"
            | "stderr"
            | "txt"
            | "py"
            | "js"
    ) || path == ".ci/run"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        let views = Views::new(text);
        let mut out = Vec::new();
        RULES.iter().for_each(|rule| apply(rule, &file, &views, &mut out));
        check_text(&file, &mut out);
        out
    }

    #[test]
    fn rules_bite_and_know_their_exceptions() {
        let bad = [
            ("prover/src/lib.rs", "fn f() { unsafe { g() } }"),
            ("runtime/emulator/src/lib.rs", "#![allow(unsafe_code)]"),
            ("field-dsl/src/lib.rs", "use inkwell::context::Context;"),
            ("prover/src/lib.rs", "use cudarc::driver;"),
            ("codegen/src/ir.rs", "use std::collections::HashMap;"),
            ("codegen/src/ir.rs", "let t = std::time::Instant::now();"),
            ("prover/src/groth16/mod.rs", "use std::time::{Duration, Instant};"),
            ("runtime/src/plan.rs", "std::thread::scope(|scope| f(scope))"),
            ("codegen/src/passes/gate.rs", "use crate::targets::ptx::Bound;"),
            ("codegen/src/passes/place.rs", "fn place<T: BackEnd>() {}"),
            ("runtime/src/work/ntt.rs", "if self.device.is_cpu() { f() }"),
            ("runtime/src/plan.rs", "AnyCall::Host(call) => f(call)"),
            ("runtime/src/msm.rs", "const CURVE: &str = \"bn254\";"),
            ("curves/src/toy.rs", "#[cfg(test)] mod tests {}"),
            ("curves/src/toy.rs", "#[test] fn f() {}"),
            ("runtime/src/msm.rs", "fn f() { todo!() }"),
            ("runtime/src/msm.rs", "#[cfg(test)] mod tests { #[test] #[ignore] fn f() {} }"),
        ];
        for (path, text) in bad {
            assert!(!findings(path, text).is_empty(), "{path}: {text}");
        }
        let good = [
            ("codegen/src/targets/ptx/emit/llvm/mod.rs", "unsafe { inkwell::f() }"),
            ("runtime/src/cuda/mod.rs", "unsafe { cudarc::f() }"),
            ("prover/src/lib.rs", "// unsafe is not used here\nlet s = \"unsafe\";"),
            ("codegen/src/ir.rs", "#[cfg(test)]\nmod tests {\n use std::collections::HashMap;\n}"),
            ("runtime/src/msm.rs", "// as bn254 shows\n#[cfg(test)] mod tests { use ark_bn254::Fr; }"),
            ("runtime/src/msm.rs", "let unsafely = environment;"),
        ];
        for (path, text) in good {
            assert_eq!(findings(path, text), Vec::<String>::new(), "{path}: {text}");
        }
    }

    #[test]
    fn paths_and_hosts_of_one_machine_are_found() {
        let home = ["/ho", "me/someone/x"].concat();
        assert_eq!(findings("a.md", &format!("see {home}")).len(), 1);
        assert_eq!(findings("a.md", &format!("see https://example.org{home}")).len(), 0);
        for authority in ["user@example.org", "10.0.0.1", "mirror.example:8080"] {
            let line = ["see http", "://", authority, "/simple"].concat();
            assert_eq!(private_url(&line), Some(authority));
            assert_eq!(findings("a.md", &line).len(), 1, "{line}");
        }
        assert_eq!(private_url("[x](https://docs.rs/a::b)"), None);
        let lock = "source = \"registry+a\"\nsource = \"git+b\"\nsource = \"registry+a\"";
        assert_eq!(findings("Cargo.lock", lock).len(), 1);
    }

    #[test]
    fn a_second_place_of_inline_ptx_is_found() {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        let one = file("codegen/src/targets/ptx/emit/llvm/asm.rs", "ctx.create_inline_asm(a)");
        assert!(inline_ptx(std::slice::from_ref(&one)).is_empty());
        let two = file("codegen/src/targets/ptx/emit/llvm/mod.rs", "ctx.create_inline_asm(b)");
        assert_eq!(inline_ptx(&[one, two]).len(), 1);
    }
}
