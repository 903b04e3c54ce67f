//! `curvesmith demo`

use super::prove::{header, rand_from_os};
use crate::curves::{Curve, with_curve};
use crate::failure::Failure;
use crate::output::{print, show, stage_table};
use curvesmith::snarkjs::json::JsonFile;
use curvesmith::snarkjs::{ZkeyCurve, ZkeyFile};
use curvesmith::{Detail, Device, Groth16, KeyOptions, Witness, verify};
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder with the circuits' folders bn128_semaphore20_ceremony and bn128_mult
    #[arg(long)]
    fixtures: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    print("Semaphore v4, depth 20, with its production key:\n");
    prove_and_verify(&arguments.fixtures.join("bn128_semaphore20_ceremony"), &Device::auto())?;
    print("\nA small circuit, by the generated kernels on the emulator:\n");
    prove_and_verify(&arguments.fixtures.join("bn128_mult"), &Device::parse("emulator")?)
}

/// Proves the circuit of a folder and verifies the proof with the folder's verification key.
fn prove_and_verify(folder: &Path, device: &Device) -> Result<(), Failure> {
    let start = Instant::now();
    let file = ZkeyFile::open(&folder.join("circuit.zkey"))?;
    with_curve!(Curve::of_file(file.curve())?, C => {
        let witness = Witness::<C>::from_wtns(&folder.join("witness.wtns"))?;
        prove_one::<C>(folder, device, &file, &witness, start)
    })
}

fn prove_one<C: ZkeyCurve>(
    folder: &Path,
    device: &Device,
    file: &ZkeyFile,
    witness: &Witness<C>,
    start: Instant,
) -> Result<(), Failure> {
    let options = KeyOptions::default();
    let prover = Groth16::from_zkey_parts(device, file.read::<C>(false)?, &options)
        .map_err(|error| Failure::of_key(error, folder))?;
    print(&header(device, &prover));
    print(&format!("  {:<12}{:>10}\n", "load", show(start.elapsed())));
    let (proof, stats) = prover
        .prove_with_stats(witness, &mut rand_from_os(), Detail::Stages)
        .map_err(|error| Failure::of_proof(error, folder))?;
    print(&stage_table(&stats));
    let key = JsonFile::read(&folder.join("verification_key.json"))?.verification_key::<C>()?;
    let public = JsonFile::read(&folder.join("public.json"))?.public::<C>(key.gamma_abc_g1.len() - 1)?;
    verify::<C>(&key, &public, &proof).map_err(|error| Failure::Invalid(error.to_string()))?;
    print("verified: valid proof\n");
    Ok(())
}
