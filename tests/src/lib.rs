//! Cross-crate tests of curvesmith, and what they share.

pub mod interpreter;
