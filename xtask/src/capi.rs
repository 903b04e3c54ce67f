//! The C library, laid out as it is installed, and the programs of C that judge it.

use crate::demo::FIXTURES;
use crate::files::{clear, copy, create};
use crate::{interop, shell};
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};

/// The package.
pub(crate) const PACKAGE: &str = "curvesmith-capi";
/// Its folder.
const FOLDER: &str = "bindings/c";
/// What a program that is linked to the archive needs besides, on Linux.
const STATIC: &str = "-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc";

/// Folders of fixtures, and how many public inputs their circuits have.
const SMALL: (&str, u32) = ("bn128_mult", 3);
const LARGE: (&str, u32) = ("bn128_semaphore20_ceremony", 4);

/// Lays the library out under `target/capi` and has the programs judge it; `built` is cargo's folder of
/// artefacts.
pub(crate) fn run(built: &Path) -> Result<()> {
    let Some(compiler) = ["cc", "gcc", "clang"].into_iter().find(|name| shell::exists(name, "--version"))
    else {
        eprintln!("SKIPPED: the C library: there is no C compiler");
        return Ok(());
    };
    let stage = shell::target("capi");
    let library = lay_out(built, &stage)?;
    let c = |name: &str| shell::root().join(FOLDER).join("tests/c").join(name);
    let compile = |source: &str, program: &str, flags: &[&str], link: &[String]| {
        let mut cc = shell::command(compiler);
        cc.args(["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror"]).args(flags);
        cc.arg("-I").arg(stage.join("include")).arg(c(source)).arg("-o").arg(stage.join(program));
        shell::run(cc.args(link).args(["-lpthread"]))
    };
    // As a program that was made for rapidsnark, by the name of its library; with both spellings of sizes.
    let lib = stage.join("lib");
    let shared = |name: &str| {
        vec![format!("-L{}", lib.display()), format!("-l{name}"), format!("-Wl,-rpath,{}", lib.display())]
    };
    compile("rapidsnark.c", "rapidsnark", &[], &shared("rapidsnark"))?;
    compile("rapidsnark.c", "rapidsnark-long", &["-DCURVESMITH_UNSIGNED_LONG"], &shared("rapidsnark"))?;
    compile("extras.c", "extras", &[], &pkg_config(&stage)?.unwrap_or_else(|| shared("curvesmith")))?;
    if cfg!(target_os = "linux") {
        let mut archive = vec![lib.join("libcurvesmith.a").display().to_string()];
        archive.extend(STATIC.split(' ').map(str::to_owned));
        compile("extras.c", "extras-static", &[], &archive)?;
    }
    let second = stage.join("second").join("libsecond.so");
    copy(&library, &second)?;
    compile("two.c", "two", &[], &["-ldl".to_owned()])?;
    check_header_in_cpp(&stage)?;
    check_symbols(&library)?;
    let fixture = |name: &str| shell::root().join(FIXTURES).join(name);
    let (small, large) = (fixture(SMALL.0), fixture(LARGE.0));
    let outputs = stage.join("outputs");
    create(&outputs)?;
    let rapidsnark = |program: &str, (key, inputs): (&Path, u32), other: &Path| {
        let mut run = shell::command(stage.join(program));
        run.arg(key).arg(other).arg(inputs.to_string()).arg(&outputs).env("CURVESMITH_DEVICE", "cpu");
        run
    };
    let of_small = |program| rapidsnark(program, (&small, SMALL.1), &large);
    shell::run(&mut of_small("rapidsnark-long"))?;
    for program in ["extras", "extras-static"].iter().filter(|program| stage.join(program).exists()) {
        shell::run(shell::command(stage.join(program)).arg(&small))?;
    }
    shell::run(shell::command(stage.join("two")).args([&library, &second]).arg(&small))?;
    leaks(&stage, &of_small("rapidsnark"), &small)?;
    // Last, so that its outputs are those that stay.
    shell::run(&mut rapidsnark("rapidsnark", (&large, LARGE.1), &small))?;
    let [proof, public] = ["proof.json", "public.json"].map(|name| outputs.join(name));
    interop::judge("the C library", &large.join("verification_key.json"), &public, &proof)
}

/// Copies what is installed: headers, the library by its version and its other names, and a file for
/// pkg-config.
fn lay_out(built: &Path, stage: &Path) -> Result<PathBuf> {
    let version = version()?;
    let major = version.split('.').next().unwrap_or_default();
    let lib = stage.join("lib");
    clear(stage)?;
    create(&lib.join("pkgconfig"))?;
    for header in ["curvesmith.h", "rapidsnark/prover.h", "rapidsnark/verifier.h"] {
        copy(&shell::root().join(FOLDER).join("include").join(header), &stage.join("include").join(header))?;
    }
    copy(&built.join("libcurvesmith_capi.a"), &lib.join("libcurvesmith.a"))?;
    let (file, links) = if cfg!(target_os = "macos") {
        (
            format!("libcurvesmith.{version}.dylib"),
            vec!["libcurvesmith.dylib".to_owned(), "librapidsnark.dylib".into()],
        )
    } else {
        let links =
            vec![format!("libcurvesmith.so.{major}"), "libcurvesmith.so".into(), "librapidsnark.so".into()];
        (format!("libcurvesmith.so.{version}"), links)
    };
    let made = built.join(format!(
        "{}curvesmith_capi{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    copy(&made, &lib.join(&file))?;
    for link in links {
        #[cfg(unix)]
        std::os::unix::fs::symlink(&file, lib.join(&link)).with_context(|| format!("cannot make {link}"))?;
        #[cfg(not(unix))]
        copy(&made, &lib.join(&link))?;
    }
    let text = format!(
        "prefix=${{pcfiledir}}/../..\nName: curvesmith\nDescription: Groth16 prover on GPU and CPU, with rapidsnark's \
         interface\nVersion: {version}\nCflags: -I${{prefix}}/include\nLibs: -L${{prefix}}/lib -lcurvesmith\n\
         Libs.private: {STATIC}\n"
    );
    fs::write(lib.join("pkgconfig/curvesmith.pc"), text).context("cannot write curvesmith.pc")?;
    Ok(lib.join(file))
}

/// The version of the workspace.
pub(crate) fn version() -> Result<String> {
    let text = fs::read_to_string(shell::root().join("Cargo.toml")).context("cannot read Cargo.toml")?;
    let line = text.lines().find_map(|line| line.strip_prefix("version = \""));
    let version = line.and_then(|rest| rest.strip_suffix('"')).context("Cargo.toml has no version")?;
    Ok(version.to_owned())
}

/// Flags by pkg-config, if there is one, and where the library is at run time.
fn pkg_config(stage: &Path) -> Result<Option<Vec<String>>> {
    if !shell::exists("pkg-config", "--version") {
        eprintln!("SKIPPED: the file for pkg-config: there is no pkg-config");
        return Ok(None);
    }
    let lib = stage.join("lib");
    let mut config = shell::command("pkg-config");
    config.env("PKG_CONFIG_PATH", lib.join("pkgconfig")).args(["--cflags", "--libs", "curvesmith"]);
    let flags = shell::output(&mut config).context("pkg-config does not know curvesmith")?;
    let rpath = format!("-Wl,-rpath,{}", lib.display());
    Ok(Some(flags.split_whitespace().map(str::to_owned).chain([rpath]).collect()))
}

fn check_header_in_cpp(stage: &Path) -> Result<()> {
    let Some(compiler) = ["c++", "g++", "clang++"].into_iter().find(|name| shell::exists(name, "--version"))
    else {
        eprintln!("SKIPPED: the header in C++: there is no C++ compiler");
        return Ok(());
    };
    let mut cpp = shell::command(compiler);
    cpp.args(["-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wno-long-long", "-Werror"]);
    shell::run(cpp.arg(stage.join("include/curvesmith.h")))
}

/// The library exports the functions of its headers and nothing else, and calls none of them by a name that
/// another library could take.
fn check_symbols(library: &Path) -> Result<()> {
    let mut nm = shell::command("nm");
    let Some(text) = shell::output(nm.args(["-D", "--defined-only"]).arg(library)) else {
        eprintln!("SKIPPED: exported names: there is no nm");
        return Ok(());
    };
    let mut exported: Vec<&str> = text.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
    exported.sort_unstable();
    let folder = shell::root().join(FOLDER).join("include");
    let mut declared = Vec::new();
    for header in ["curvesmith.h", "rapidsnark/prover.h", "rapidsnark/verifier.h"] {
        let path = folder.join(header);
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        declared.extend(functions(&text));
    }
    declared.sort_unstable();
    ensure!(exported == declared, "exported are {exported:?}, the headers declare {declared:?}");
    Ok(())
}

/// Names of the functions that a header declares: those before a parenthesis at the begin of a declaration.
fn functions(header: &str) -> Vec<String> {
    let line = |line: &str| {
        let declares = ["int ", "void ", "const char *"].iter().any(|start| line.starts_with(start));
        let name = line.split('(').next()?.rsplit([' ', '*']).next()?;
        (declares && line.contains('(')).then(|| name.to_owned())
    };
    header.lines().filter_map(line).collect()
}

/// Has valgrind look for memory that is lost or used wrongly.
fn leaks(stage: &Path, rapidsnark: &std::process::Command, small: &Path) -> Result<()> {
    if !shell::exists("valgrind", "--version") {
        eprintln!("SKIPPED: lost memory of the C library: there is no valgrind");
        return Ok(());
    }
    let valgrind = || {
        let mut valgrind = shell::command("valgrind");
        valgrind.args([
            "--quiet",
            "--error-exitcode=99",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite",
        ]);
        valgrind.args(["--show-leak-kinds=definite", "--fair-sched=yes"]);
        valgrind.env("CURVESMITH_DEVICE", "cpu").env("RAYON_NUM_THREADS", "2").env("UNDER_VALGRIND", "1");
        // Drivers of GPUs, and what the loader does with them, are not ours to judge.
        for list in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            valgrind.env(list, "none.json");
        }
        valgrind.env("NODEVICE_SELECT", "1");
        valgrind
    };
    let mut extras = valgrind();
    extras.arg(stage.join("extras")).arg(small);
    let mut rapidsnark_under = valgrind();
    rapidsnark_under.arg(rapidsnark.get_program()).args(rapidsnark.get_args());
    // A minute each, on one core.
    shell::run_together(&mut [extras, rapidsnark_under])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found() {
        let header = "/* int no(void); */\nint a_b(const void *x,\n        int y);\nvoid c(void *x);\n#define D(x) x\n\
                      const char *e(void);\ntypedef struct {\n  int f;\n} g;\n";
        assert_eq!(functions(header), ["a_b", "c", "e"]);
    }
}
