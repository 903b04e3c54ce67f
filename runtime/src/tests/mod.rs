//! Tests of the whole crate.

mod shown;
