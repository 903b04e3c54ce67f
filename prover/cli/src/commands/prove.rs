//! `curvesmith prove`

use super::{DeviceArgument, KeyArguments};
use crate::curves::{Curve, with_curve};
use crate::failure::Failure;
use crate::output::{OneFile, Outputs, is_standard, print, show, spinner, stage_table};
use crate::trace;
use clap::ValueEnum;
use curvesmith::snarkjs::json::{proof_to_json, public_to_json};
use curvesmith::snarkjs::{FormatError, WtnsError, ZkeyCurve, ZkeyFile, max_witness_bytes};
use curvesmith::{Detail, Device, Field, Groth16, PairingCurve, ProveStats, Stage, Witness};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Proving key of snarkjs
    zkey: PathBuf,
    /// Witness of circom or snarkjs, or - for standard input
    witness: PathBuf,
    /// Where to write the proof, or - for standard output
    proof: PathBuf,
    /// Where to write the public inputs, or - for standard output
    public: PathBuf,
    /// Print where the time went; times every kernel, which makes the proof a little slower
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "table")]
    stats: Option<StatsFormat>,
    /// Write a trace of streams and host for Perfetto or chrome://tracing; times every kernel, which
    /// makes the proof a little slower
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    #[command(flatten)]
    on: DeviceArgument,
    #[command(flatten)]
    key: KeyArguments,
}

#[derive(Clone, Copy, ValueEnum)]
enum StatsFormat {
    Table,
    Json,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let key = ZkeyFile::open(&arguments.zkey)?;
    with_curve!(Curve::of_file(key.curve())?, C => prove::<C>(arguments, &key))
}

fn prove<C: ZkeyCurve>(arguments: &Arguments, file: &ZkeyFile) -> Result<(), Failure> {
    let start = Instant::now();
    let inputs = [&*arguments.zkey, &*arguments.witness];
    let outputs = Outputs::create(&arguments.proof, &arguments.public, inputs)?;
    if outputs.prints() && arguments.stats.is_some() {
        return Err(Failure::Input("--stats: standard output is taken by -".into()));
    }
    let others = [&*arguments.zkey, &*arguments.witness, &*arguments.proof, &*arguments.public];
    let trace_file = arguments.trace.as_ref().map(|path| OneFile::create(path, &others)).transpose()?;
    let witness = read_witness::<C>(&arguments.witness, file.dimensions().wires as usize)?;
    let device = arguments.on.device.open()?;
    // One proof does not pay for multiples.
    let options = arguments.key.options().multiples(false);
    let progress = spinner("reading the key");
    let key = file.read::<C>(options.trust_key)?;
    let prover = Groth16::from_zkey_parts(&device, key, &options)
        .map_err(|error| Failure::of_key(error, &arguments.zkey))?;
    let load = start.elapsed();
    if let Some(warning) = super::warning(&arguments.zkey, &prover.weaknesses()) {
        progress.suspend(|| eprintln!("warning: {warning}"));
    }
    progress.set_message(format!("proving on {}", device.name()));
    // The share of time that the device was busy is that of its kernels.
    let watched = arguments.trace.is_some() || arguments.stats.is_some();
    let detail = if watched { Detail::Kernels } else { Detail::Counts };
    let proved = prover.prove_with_stats(&witness, &mut rand_from_os(), detail);
    progress.finish_and_clear();
    let (proof, stats) = proved.map_err(|error| Failure::of_proof(error, &arguments.witness))?;
    let public = &witness.values()[1..=prover.public_inputs()];
    if let Some(file) = trace_file {
        file.finish(&trace::text(&[("proof", &stats.report)]))?;
    }
    outputs.finish([&proof_to_json::<C>(&proof), &public_to_json::<C>(public)])?;
    match arguments.stats {
        Some(StatsFormat::Table) => print(&table::<C>(&device, &prover, load, &stats)),
        Some(StatsFormat::Json) => print(&json::<C>(&device, &prover, load, &stats)),
        None => {}
    }
    Ok(())
}

/// Reads the witness of a circuit of so many wires from a file or standard input.
pub(super) fn read_witness<C: ZkeyCurve>(path: &Path, wires: usize) -> Result<Witness<C>, Failure> {
    if !is_standard(path) {
        return Ok(Witness::from_wtns_of(path, wires)?);
    }
    let failed = |problem| Failure::from(WtnsError { path: "standard input".into(), problem });
    let most = max_witness_bytes::<<<C as PairingCurve>::Fr as Field>::Ark>(wires);
    let bytes =
        read_secret(io::stdin().lock().take(most + 1)).map_err(|error| failed(FormatError::Io(error)))?;
    if bytes.len() as u64 > most {
        let text = format!("standard input: more than {most} bytes, expected a witness of {wires} values");
        drop(Zeroizing::new(bytes));
        return Err(Failure::Input(text));
    }
    Witness::from_wtns_bytes(bytes, wires).map_err(|error| failed(error.problem))
}

/// Reads to the end. What growing leaves behind is wiped.
fn read_secret(mut input: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(1 << 20));
    loop {
        let room = bytes.capacity() - bytes.len();
        if input.by_ref().take(room as u64).read_to_end(&mut bytes)? < room {
            return Ok(std::mem::take(&mut *bytes));
        }
        let mut larger = Zeroizing::new(Vec::new());
        larger.try_reserve_exact(2 * bytes.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        larger.extend_from_slice(&bytes);
        bytes = larger;
    }
}

/// r and s come from the operating system, anew for every proof.
pub(super) fn rand_from_os() -> impl ark_std::rand::RngCore + ark_std::rand::CryptoRng {
    ark_std::rand::rngs::OsRng
}

fn table<C: ZkeyCurve>(device: &Device, prover: &Groth16<C>, load: Duration, stats: &ProveStats) -> String {
    let mut text = header(device, prover);
    if let Some(schedule) = prover.schedule() {
        text += &format!("matrices {schedule}\n");
    }
    if prover.multiples() > 1 {
        text += &format!("multiples of each point {}\n", prover.multiples());
    }
    text += &format!("  {:<12}{:>10}\n", "load", show(load));
    text + &stage_table(stats)
}

/// Device, why it is not CUDA, and sizes.
pub(super) fn header<C: ZkeyCurve>(device: &Device, prover: &Groth16<C>) -> String {
    let reason = device.fallback_reason().map(|r| format!(" (not CUDA: {r})")).unwrap_or_default();
    let tier = device.tier().map(|tier| format!(", {tier}")).unwrap_or_default();
    format!(
        "device {}{tier}{reason}\ncurve {}, {} wires, {} public, domain 2^{}\n",
        device.name(),
        C::NAME,
        prover.wires(),
        prover.public_inputs(),
        prover.domain_size().ilog2()
    )
}

fn json<C: ZkeyCurve>(device: &Device, prover: &Groth16<C>, load: Duration, stats: &ProveStats) -> String {
    let stage = |stage: &Stage| {
        let device = stage.device.map(|time| time.as_secs_f64());
        serde_json::json!({ "name": stage.name, "host_s": stage.host.as_secs_f64(), "device_s": device })
    };
    let stages: Vec<serde_json::Value> = stats.stages.iter().map(stage).collect();
    let matrices = prover.schedule().map(|schedule| {
        serde_json::json!({
            "by_threads": schedule.threads,
            "by_warps": schedule.warps,
            "cut": schedule.cut,
            "pieces": schedule.pieces,
        })
    });
    let value = serde_json::json!({
        "device": device.name(),
        "fallback_reason": device.fallback_reason(),
        "tier": device.tier().map(|tier| tier.name()),
        "curve": C::NAME,
        "wires": prover.wires(),
        "public": prover.public_inputs(),
        "log_domain": prover.domain_size().ilog2(),
        "matrices": matrices,
        "multiples": prover.multiples(),
        "load_s": load.as_secs_f64(),
        "stages": stages,
        "device_s": stats.report.device_seconds(),
        "busy_share": stats.report.busy_share(),
        "launches": stats.report.launches,
        "bytes_up": stats.report.bytes_up,
        "bytes_down": stats.report.bytes_down,
        "prove_s": stats.total.as_secs_f64(),
    });
    format!("{value}\n")
}
