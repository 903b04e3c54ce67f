//! Command line of the curvesmith Groth16 prover.

fn main() {}
