//! Sums of points and transforms by the [`lanes`](crate::lanes) of a processor.

mod able;
mod convert;
mod ntt;
mod sums;

pub(super) use ntt::LaneTables;
pub(super) use sums::Lanes;
