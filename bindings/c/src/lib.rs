//! The C library: rapidsnark's interface ([`rapidsnark`]), and more under names of its own ([`extras`]).
//!
//! `include/` has the headers, which are the documentation for C. What a caller holds is a number of a table
//! ([`objects`]) and no address: one that was freed, or is another library's, is an error. Memory of the
//! caller is touched in [`memory`] alone.

pub mod extras;
mod memory;
mod objects;
pub mod rapidsnark;
