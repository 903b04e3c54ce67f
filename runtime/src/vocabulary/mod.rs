//! The words in which calls are described: shapes, directions, forms, strategies, reports.
//!
//! Plain data that every other module may name. Nothing here knows a device, a kernel or a policy.

mod digits;
mod msm;
mod pointwise;
mod report;
mod spmv;
mod transform;

pub(crate) use digits::LEAST_ODD_WINDOW;
pub use digits::{DigitMap, DigitShape, OddDigits, widest_window, windows_of};
pub(crate) use msm::Adding;
pub use msm::{CurveForm, MsmStrategy, PointLanes};
pub use pointwise::{BinaryOp, UnaryOp};
pub use report::{Detail, Kind, Report, Span};
pub use spmv::{SpMvSchedule, SpMvStrategy};
pub use transform::{Direction, Order, Transform};
