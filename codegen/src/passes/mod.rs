//! The passes from a kernel as written to a kernel that a back end can emit.
//!
//! ```text
//! verify ─► inline ─► lower_towers ─► simplify ─► join_products ─► recompute
//!        ─► place_reductions ─► schedule ─► gate ─► Checked
//! ```
//! A pass is a function that returns a new kernel; facts live in side maps. What passes say is believed by
//! nobody: the [gate] checks the last form, and back ends take what it lets through.
//!
//! What a kernel calls goes this way before it, once for all callers that are prepared together: its bounds
//! are part of its contract.
//!
//! Passes are generic over the [target](crate::targets): what there is to choose from, what it costs and what
//! has to be shown of it, they ask there.

pub mod certificate;
pub mod gate;
mod info;
mod inline;
mod locals;
mod pipeline;
mod place;
mod products;
mod schedule;
mod simplify;
mod towers;
mod work;

pub use gate::Checked;
pub use info::{Contract, Fact, KernelInfo, annotate};
pub use inline::inline;
pub(crate) use locals::rereadable;
pub use pipeline::{Library, Observer, prepare, prepare_observed};
pub use place::place_reductions;
pub use products::join_products;
pub use schedule::schedule;
pub use simplify::{Simplification, simplify, simplify_observed};
pub use towers::{describe_schemes, lower_towers};
pub(crate) use work::{multiplication, products};
