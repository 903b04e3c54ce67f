//! FIR, the field IR: pure operations in an arena, effects in a structured statement tree.
//!
//! A [`Kernel`](ir::Kernel) works on one prime field. Field values are abstract elements; the words of an
//! element are those of a Montgomery representative, the canonical one or one under another bound
//! ([`Below`](ir::Below)). Nothing here knows limbs' size beyond that words are 32 bits, carries, or PTX.

pub mod build;
pub mod interp;
pub mod ir;
pub mod lanes;
pub mod parse;
pub mod print;
pub(crate) mod rewrite;
pub mod uniform;
pub mod verify;
pub mod waits;
