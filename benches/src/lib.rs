//! Benchmarks of curvesmith.
