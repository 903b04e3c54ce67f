//! Declare a field or a curve, get GPU kernels and a Groth16 prover.
