//! Proofs of ours, judged by snarkjs.

use crate::demo::FIXTURES;
use crate::{SetupArgs, setup, shell};
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The verifier, from npm.
const SNARKJS: &str = "snarkjs@0.7.6";
/// Devices that every machine has.
const DEVICES: [&str; 2] = ["cpu", "emulator"];

#[derive(Args)]
pub(crate) struct InteropArgs {
    #[command(flatten)]
    setup: SetupArgs,
    /// Folders that hold circuit.zkey, witness.wtns and verification_key.json, or hold such
    /// folders; the repository's fixtures by default
    folders: Vec<PathBuf>,
}

/// Proves each key on each device, and fails unless snarkjs accepts every proof.
pub(crate) fn run(args: &InteropArgs) -> Result<()> {
    setup::run(args.setup.yes)?;
    let work = shell::target("interop");
    let snarkjs = install(&work)?;
    let fixtures = [shell::root().join(FIXTURES)];
    let folders = if args.folders.is_empty() { &fixtures[..] } else { &args.folders };
    let mut cases = Vec::new();
    for folder in folders {
        let folder = std::path::absolute(folder)?;
        find(&folder, &mut cases).with_context(|| format!("cannot read {}", folder.display()))?;
    }
    cases.sort();
    if cases.is_empty() {
        bail!("no folder with circuit.zkey, witness.wtns and verification_key.json in {folders:?}");
    }
    let mut refused = 0;
    for case in &cases {
        for device in DEVICES {
            let start = Instant::now();
            let name = case.file_name().unwrap_or_default().to_string_lossy();
            let [proof, public] = ["proof", "public"].map(|f| work.join(format!("{name}.{device}.{f}.json")));
            for stale in [&proof, &public] {
                let _ = std::fs::remove_file(stale);
            }
            let mut prove = shell::curvesmith();
            prove.arg("prove").args([case.join("circuit.zkey"), case.join("witness.wtns")]);
            shell::run(prove.args([&proof, &public]).args(["--device", device]))?;
            let key = case.join("verification_key.json");
            let accepted = verify(&snarkjs, &key, &public, &proof)?;
            let verdict = if accepted { "accepted" } else { "REFUSED" };
            println!("{name} on {device}: {verdict} by snarkjs ({:.1} s)", start.elapsed().as_secs_f64());
            refused += usize::from(!accepted);
            if accepted && !control_refused(&snarkjs, &key, &public, &proof)? {
                bail!("snarkjs also accepts {name} with another public signal: its verdicts mean nothing");
            }
        }
    }
    if refused > 0 {
        bail!("snarkjs refused {refused} of {} proofs", cases.len() * DEVICES.len());
    }
    Ok(())
}

/// Has snarkjs judge one proof, which must be valid, and invalid for another public signal. Without Node.js,
/// says so.
pub(crate) fn judge(what: &str, key: &Path, public: &Path, proof: &Path) -> Result<()> {
    if !shell::exists("node", "--version") || !shell::exists("npm", "--version") {
        eprintln!("SKIPPED: snarkjs' verdict on the proof of {what}: there is no Node.js with npm");
        return Ok(());
    }
    let snarkjs = install(&shell::target("interop"))?;
    ensure!(verify(&snarkjs, key, public, proof)?, "snarkjs refuses the proof of {what}");
    ensure!(
        control_refused(&snarkjs, key, public, proof)?,
        "snarkjs also accepts it with another public signal"
    );
    eprintln!("snarkjs accepts the proof of {what}");
    Ok(())
}

/// The folder itself, or those of its folders that hold a case.
fn find(folder: &Path, cases: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let complete = |f: &Path| {
        ["circuit.zkey", "witness.wtns", "verification_key.json"].iter().all(|name| f.join(name).exists())
    };
    if complete(folder) {
        cases.push(folder.to_owned());
        return Ok(());
    }
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && complete(&path) {
            cases.push(path);
        }
    }
    Ok(())
}

/// Installs snarkjs where it is not yet there; its command line as a path.
fn install(work: &Path) -> Result<PathBuf> {
    if !shell::exists("node", "--version") || !shell::exists("npm", "--version") {
        bail!("interop needs Node.js 18 or newer with npm, to run {SNARKJS} (https://nodejs.org)");
    }
    let package = work.join("node_modules/snarkjs/package.json");
    let wanted = SNARKJS.split('@').nth(1).unwrap_or_default();
    let installed = std::fs::read_to_string(&package).ok();
    if !installed.is_some_and(|text| text.contains(&format!("\"version\": \"{wanted}\""))) {
        std::fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
        let mut npm = shell::command("npm");
        npm.args(["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
        shell::run(npm.arg(work).arg(SNARKJS))?;
    }
    Ok(work.join("node_modules/.bin/snarkjs"))
}

/// Whether snarkjs refuses the proof for a first public signal that is one more or less.
fn control_refused(snarkjs: &Path, key: &Path, public: &Path, proof: &Path) -> Result<bool> {
    let mut signals: Vec<String> = serde_json::from_slice(&std::fs::read(public)?)?;
    let Some(last) = signals.first_mut().filter(|s| !s.is_empty()) else { return Ok(true) };
    let digit = last.pop();
    last.push(if digit == Some('0') { '1' } else { '0' });
    let changed = public.with_extension("changed.json");
    std::fs::write(&changed, serde_json::to_vec(&signals)?)?;
    Ok(!verify(snarkjs, key, &changed, proof)?)
}

/// Whether snarkjs accepts the proof; it exits with 1 where it does not.
fn verify(snarkjs: &Path, key: &Path, public: &Path, proof: &Path) -> Result<bool> {
    let mut verify = shell::command(snarkjs);
    verify.args(["groth16", "verify"]).args([key, public, proof]);
    let out = verify.output().with_context(|| format!("could not start {}", snarkjs.display()))?;
    let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    let accepted = out.status.success() && said.contains("OK!");
    if !accepted && !said.contains("Invalid proof") {
        bail!("snarkjs gives no verdict ({}): {said}", out.status);
    }
    Ok(accepted)
}
