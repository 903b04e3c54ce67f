//! FIR: field operations and kernel statements.
pub mod ir;
