//! Cross-crate tests of curvesmith.
