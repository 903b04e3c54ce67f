//! The emulator against Rust's own arithmetic, and its checks against seeded bugs.

mod arithmetic;
mod checks;
mod control;
mod device;
mod llvm;
mod races;
mod support;
mod warp;
