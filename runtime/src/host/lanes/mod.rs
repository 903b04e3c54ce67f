//! Sums of points by the [`lanes`](crate::lanes) of a processor.

mod able;
mod convert;
mod sums;

pub(super) use sums::Lanes;
