//! Banks of shared memory.

use super::effects::each;
use super::program::LANES;

/// Banks, of 4 bytes each.
const BANKS: usize = 32;
/// Bytes that all banks give at once.
const ROW: u32 = 4 * BANKS as u32;

/// The turns beyond the first that the lanes of `mask` take for `bytes` bytes each at their addresses in
/// shared memory. Lanes whose bytes are more than a row take part by parts: halves of a warp for 8 bytes,
/// quarters for 16. Those that want the same word get it at once.
pub(super) fn conflicts(addresses: &[u64; LANES], mask: u32, bytes: u32) -> u64 {
    if one_after_the_other(addresses, mask, bytes) {
        return 0;
    }
    let lanes = (ROW / bytes.max(4)).max(1);
    let words = u64::from(bytes.div_ceil(4));
    let part = u32::MAX >> (LANES as u32 - lanes.min(LANES as u32));
    let parts = (0..LANES as u32).step_by(lanes as usize).map(|first| mask & (part << first));
    parts.map(|lanes| turns(addresses, lanes, words).saturating_sub(1)).sum()
}

/// Whether the lanes' bytes lie in their order, as they mostly do: those that take part at once fill a row,
/// so that no bank is asked twice.
fn one_after_the_other(addresses: &[u64; LANES], mask: u32, bytes: u32) -> bool {
    let first = addresses[0];
    let apart = bytes.is_power_of_two() && (4..=16).contains(&bytes);
    let in_order = |lane: usize| addresses[lane] == first.wrapping_add(lane as u64 * u64::from(bytes));
    apart && (0..LANES).all(|lane| mask >> lane & 1 == 0 || in_order(lane))
}

/// The most words that the lanes want of a bank.
fn turns(addresses: &[u64; LANES], lanes: u32, words: u64) -> u64 {
    let wanted = || {
        each(lanes).flat_map(|lane| {
            let first = addresses[lane] / 4;
            first..first + words
        })
    };
    let bank = |word: u64| (word % BANKS as u64) as usize;
    let mut first = [u64::MAX; BANKS];
    let mut alone = true;
    for word in wanted() {
        let known = &mut first[bank(word)];
        alone &= *known == u64::MAX || *known == word;
        *known = word;
    }
    if alone {
        return u64::from(lanes != 0);
    }
    let mut all: Vec<u64> = wanted().collect();
    all.sort_unstable();
    all.dedup();
    let mut counts = [0; BANKS];
    all.into_iter().for_each(|word| counts[bank(word)] += 1);
    counts.into_iter().max().unwrap_or(0)
}
