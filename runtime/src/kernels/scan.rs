//! Exclusive prefix sums of words, in as many levels as the length needs.

use super::{Kernels, index32};
use crate::buffer::Buffer;
use crate::device::KernelDevice;
use crate::error::Result;
use crate::launch::Owner;
use curvesmith_abi::kernels::{SCAN_TILE, ScanAdd, ScanTiles};
use curvesmith_abi::layout;

impl<D: KernelDevice> Kernels<D> {
    /// Replaces `data[i]` by the sum of `data[..i]`, modulo 2^32.
    pub(super) fn exclusive_scan(&self, data: &Buffer<D, layout::U32>) -> Result<()> {
        let len = data.len();
        let n = index32("scan length", len)?;
        if n == 0 {
            return Ok(());
        }
        let tiles = len.div_ceil(SCAN_TILE as usize);
        let sums = self.words(tiles)?;
        let scan = ScanTiles { data: data.ptr(), sums: sums.ptr(), n };
        self.launch_blocks(Owner::common(), tiles as u64, &scan)?;
        if tiles > 1 {
            // A level is SCAN_TILE times shorter than the one above: depth 4 at most.
            self.exclusive_scan(&sums)?;
            let add = ScanAdd { data: data.ptr(), offsets: sums.ptr(), n };
            self.launch(Owner::common(), len, &add)?;
        }
        Ok(())
    }
}
