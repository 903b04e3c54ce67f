//! Tests of the macros' functions on tokens.

mod grammar;
mod mutations;
mod oracle;
