//! Rust source for the arithmetic of a prime field:
//! `cargo run --example portable -- <name> <modulus in hexadecimal>`.

use curvesmith_codegen::EmitError;
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd;
use curvesmith_codegen::targets::portable::{Portable, library};
use num_bigint::BigUint;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, modulus] = &args[..] else {
        eprintln!("usage: portable <name> <modulus in hexadecimal>");
        return ExitCode::from(2);
    };
    let Some(p) = BigUint::parse_bytes(modulus.as_bytes(), 16).filter(|p| p.bit(0)) else {
        eprintln!("{modulus} is no odd number in hexadecimal");
        return ExitCode::from(2);
    };
    match source(&FieldDesc::new(name.as_str(), p)) {
        Ok(text) => print!("{text}"),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn source(field: &FieldDesc) -> Result<String, EmitError> {
    let fault = |kernel: &Kernel, source| EmitError::Pass { kernel: kernel.symbol.clone(), source };
    let prepared = |kernel: &Kernel| prepare(kernel).map_err(|source| fault(kernel, source));
    let functions = library(field).iter().map(prepared).collect::<Result<Vec<_>, _>>()?;
    Ok(Portable::emit(&functions, ())?.text)
}
