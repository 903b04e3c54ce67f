//! Proves what a key of snarkjs' asks for, and writes the proof as snarkjs does:
//! `consumer <folder of circuit.zkey, witness.wtns and verification_key.json> <folder to write to>`.

use ark_std::rand::rngs::OsRng;
use curvesmith::bn254::Curve;
use curvesmith::snarkjs::json;
use curvesmith::{Device, Groth16, KeyOptions, Witness, verify};
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [from, to] = &folders[..] else { return Err("two folders are needed".into()) };
    let device = Device::cpu();
    let prover = Groth16::<Curve>::from_zkey(&device, &from.join("circuit.zkey"), &KeyOptions::default())?;
    let witness = Witness::<Curve>::from_wtns_of(&from.join("witness.wtns"), prover.wires())?;
    let proof = prover.prove(&witness, &mut OsRng)?;
    let mut public = witness.values()[1..=prover.public_inputs()].to_vec();
    // Not the key that was just read, but the one that everyone has.
    let key = json::JsonFile::read(&from.join("verification_key.json"))?.verification_key::<Curve>()?;
    verify::<Curve>(&key, &public, &proof)?;
    std::fs::write(to.join("proof.json"), json::proof_to_json::<Curve>(&proof))?;
    std::fs::write(to.join("public.json"), json::public_to_json::<Curve>(&public))?;
    let first = public[0];
    public[0] += first;
    if verify::<Curve>(&key, &public, &proof).is_ok() {
        return Err("the proof proves another statement too".into());
    }
    println!("proved and verified, {} wires", prover.wires());
    Ok(())
}
