//! The device, by kernels written by hand, on the first adapter there is.
//!
//! Without an adapter the tests say that they were skipped, and fail where `CURVESMITH_NEED_WGPU` is set.

mod copies;
mod failures;
mod launches;
mod support;
mod times;
