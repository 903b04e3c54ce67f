//! The emulator against Rust's own arithmetic, and its checks against seeded bugs.

#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod arithmetic;
mod banks;
mod checks;
mod control;
mod device;
mod failures;
mod llvm;
mod races;
mod streams;
mod support;
mod warp;
