//! The passes from a kernel as written to a kernel that a back end can emit.
//!
//! ```text
//! verify ─► simplify ─► place_reductions ─► verify_bounds ─► (Kernel, KernelInfo)
//! ```
//! A pass is a function that returns a new kernel; facts live in side maps.

mod info;
mod pipeline;
mod place_reductions;
mod rewrite;
mod simplify;
mod verify_bounds;

pub use info::{Fact, KernelInfo, annotate};
pub use pipeline::{Observer, prepare, prepare_observed};
pub use place_reductions::place_reductions;
pub use simplify::simplify;
pub use verify_bounds::verify_bounds;
