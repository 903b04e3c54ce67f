//! Sums by bits of an MSM, combined on the device.

use crate::error::Result;
use crate::gpu::{Buffer, Stream};
use crate::kernels::index32;
use crate::owner::Owner;
use crate::policy::Runs;
use curvesmith_abi::kernels::BitHorner;
use curvesmith_abi::{Slice, layout};

/// One point of each of the runs in `out`, by Horner's rule.
pub(super) fn combine(
    stream: &Stream,
    group: &Owner,
    runs: &Runs,
    sums: &Buffer<layout::Point>,
    out: Slice<layout::Point>,
) -> Result<()> {
    let number = |n| index32("sums by bits", n);
    // Of regular digits sum `q` of all has the weight `2^q`.
    let window = if runs.shape.is_constant() { 1 } else { runs.shape.sums_of_set() };
    let kernel = BitHorner {
        sums: sums.whole(),
        out,
        window: number(window)?,
        span: number(runs.span)?,
        parts: number(runs.parts())?,
        each: number(runs.each)?,
        n: number(runs.len)?,
        runs: number(runs.points())?,
    };
    stream.launch(group, runs.points(), &kernel)
}
