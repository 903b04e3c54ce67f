//! Exclusive prefix sums of words, in as many levels as the length needs.

use super::index32;
use crate::error::Result;
use crate::gpu::{Buffer, Stream, rounded};
use crate::owner::Owner;
use curvesmith_abi::kernels::{ScanAdd, ScanTiles};
use curvesmith_abi::layout;

/// Replaces `data[i]` by the sum of `data[..i]`, modulo 2^32.
pub(crate) fn exclusive_scan(stream: &Stream, data: &Buffer<layout::U32>) -> Result<()> {
    let len = data.len();
    let n = index32("scan length", len)?;
    if n == 0 {
        return Ok(());
    }
    let tiles = len.div_ceil(stream.geometry().scan_tile as usize);
    let sums = stream.words(tiles)?;
    let scan = ScanTiles { data: data.whole(), sums: sums.whole(), n };
    stream.launch_blocks(&Owner::common(), tiles as u64, &scan)?;
    if tiles > 1 {
        // A level is a tile times shorter than the one above: depth 3 at most.
        exclusive_scan(stream, &sums)?;
        let add = ScanAdd { data: data.whole(), offsets: sums.whole(), n };
        stream.launch(&Owner::common(), len, &add)?;
    }
    Ok(())
}

/// Bytes that the levels of a scan of so many words take beside them.
pub(crate) fn scan_bytes(tile: u32, mut words: u64) -> u64 {
    let mut bytes = 0;
    loop {
        words = words.div_ceil(u64::from(tile));
        bytes += rounded(4 * words.max(1));
        if words <= 1 {
            return bytes;
        }
    }
}
