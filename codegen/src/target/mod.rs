//! Targets: what field operations become.

pub mod ptx;
