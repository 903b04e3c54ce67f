//! The emulator against Rust's own arithmetic, and its checks against seeded bugs.

mod control;
mod support;
