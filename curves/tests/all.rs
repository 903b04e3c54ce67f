//! All tests of declared curves, as one program: each would compile them anew.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

mod edwards_form;
mod families;
mod forms;
mod outside;
mod points;
mod transforms;
mod types;
