//! Device memory, shared memory and local memory, each with a shadow of what was written.
//!
//! Device memory is relaxed atomic words: blocks run on several host threads, and a kernel that races
//! must be a wrong result or a reported fault, never undefined behaviour of the emulator.

use super::error::{FaultKind, Space};
use super::lock;
use super::program::{LANES, Lanes32, Lanes64, Order};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// Address of the first allocation; addresses are never used twice, so a stale one is caught.
pub(super) const FIRST_ADDRESS: u64 = 1 << 32;
/// Alignment of allocations, and the least gap between two.
pub(super) const GAP: u64 = 256;

/// Device memory of one allocation.
pub(super) struct Allocation {
    pub(super) base: u64,
    /// Bytes asked for.
    pub(super) capacity: u64,
    /// Bytes of the present owner, at most `capacity`; what follows is out of bounds.
    live: AtomicU64,
    words: Box<[AtomicU32]>,
    /// Bit `k` of entry `i`: byte `k` of word `i` was written.
    written: Box<[AtomicU8]>,
}

impl Allocation {
    pub(super) fn new(base: u64, bytes: u64) -> Allocation {
        let words = bytes.div_ceil(4) as usize;
        Allocation {
            base,
            capacity: bytes,
            live: AtomicU64::new(bytes),
            words: (0..words).map(|_| AtomicU32::new(0)).collect(),
            written: (0..words).map(|_| AtomicU8::new(0)).collect(),
        }
    }

    /// Bytes in use.
    #[inline(always)]
    pub(super) fn live(&self) -> u64 {
        self.live.load(Ordering::Relaxed)
    }

    /// The first `bytes`, at most `capacity`, get a new owner, and all contents are undefined.
    pub(super) fn reuse(&self, bytes: u64) {
        for byte in &self.written {
            byte.store(0, Ordering::Relaxed);
        }
        self.live.store(bytes.min(self.capacity), Ordering::Relaxed);
    }

    fn store_bytes(&self, word: usize, mask: u8, value: u32, order: Ordering) {
        if mask == 0xf {
            self.words[word].store(value, order);
            self.written[word].store(0xf, Ordering::Relaxed);
            return;
        }
        let wide = byte_mask(mask);
        // The closure always returns a value, so the update cannot fail.
        let _ = self.words[word]
            .fetch_update(order, Ordering::Relaxed, |old| Some((old & !wide) | (value & wide)));
        self.written[word].fetch_or(mask, Ordering::Relaxed);
    }

    /// Writes host bytes at `offset`; the caller checked the range.
    pub(super) fn write(&self, offset: u64, bytes: &[u8]) {
        let mut at = offset as usize;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (word, shift) = (at / 4, at % 4);
            let n = rest.len().min(4 - shift);
            let mut value = [0; 4];
            value[shift..shift + n].copy_from_slice(&rest[..n]);
            let mask = ((1u8 << n) - 1) << shift;
            self.store_bytes(word, mask, u32::from_le_bytes(value), Ordering::Relaxed);
            at += n;
            rest = &rest[n..];
        }
    }

    /// Reads host bytes from `offset`; the caller checked the range.
    pub(super) fn read(&self, offset: u64, bytes: &mut [u8]) {
        let mut at = offset as usize;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (word, shift) = (at / 4, at % 4);
            let n = rest.len().min(4 - shift);
            let value = self.words[word].load(Ordering::Relaxed).to_le_bytes();
            rest[..n].copy_from_slice(&value[shift..shift + n]);
            at += n;
            rest = &mut rest[n..];
        }
    }
}

/// Bytes of a word that a byte mask names, as a mask of bits.
const BYTE_MASKS: [u32; 16] = {
    let mut out = [0; 16];
    let mut m = 0;
    while m < 16 {
        let mut k = 0;
        while k < 4 {
            if m & (1 << k) != 0 {
                out[m] |= 0xff << (8 * k);
            }
            k += 1;
        }
        m += 1;
    }
    out
};

#[inline(always)]
fn byte_mask(mask: u8) -> u32 {
    BYTE_MASKS[(mask & 0xf) as usize]
}

/// Checks that memory accesses are subject to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checks {
    pub(super) memory: bool,
    pub(super) init: bool,
}

/// The allocations a launch can see.
#[derive(Clone)]
pub(super) struct GlobalView {
    /// Sorted by address.
    pub(super) allocations: Arc<[Arc<Allocation>]>,
    pub(super) checks: Checks,
    /// Held for a strong access of 64 bits, which is one access on a GPU and two words here.
    pub(super) wide: Arc<Mutex<()>>,
}

impl GlobalView {
    /// Makes the next access single, if it is a strong one of 64 bits.
    #[inline(always)]
    pub(super) fn single(&self, strong: bool, bytes: u32) -> Option<MutexGuard<'_, ()>> {
        (strong && bytes == 8).then(|| lock(&self.wide))
    }

    /// The allocation that holds `[address, address + bytes)` and the offset in it. `hint` is the
    /// index found last.
    #[inline(always)]
    fn locate(&self, address: u64, bytes: u32, hint: &mut usize) -> Option<(&Allocation, usize)> {
        if let Some(a) = self.allocations.get(*hint) {
            let (offset, live) = (address.wrapping_sub(a.base), a.live());
            if offset < live && live - offset >= u64::from(bytes) {
                return Some((a, offset as usize));
            }
        }
        self.search(address, bytes, hint)
    }

    #[cold]
    fn search(&self, address: u64, bytes: u32, hint: &mut usize) -> Option<(&Allocation, usize)> {
        let i = self.allocations.partition_point(|a| a.base <= address).checked_sub(1)?;
        let a = &self.allocations[i];
        let (offset, live) = (address - a.base, a.live());
        if offset < live && live - offset >= u64::from(bytes) {
            *hint = i;
            return Some((a, offset as usize));
        }
        None
    }

    /// Reads `out.len()` words; `address` is a multiple of 4.
    #[inline(always)]
    pub(super) fn load_words<const N: usize>(
        &self,
        address: u64,
        order: Order,
        hint: &mut usize,
    ) -> Result<[u32; N], FaultKind> {
        let bytes = 4 * N as u32;
        let Some((a, offset)) = self.locate(address, bytes, hint) else {
            return self.outside(address, bytes).map(|()| [0; N]);
        };
        let at = offset / 4;
        let ordering = if order == Order::Weak { Ordering::Relaxed } else { Ordering::Acquire };
        let (Some(words), Some(written)) = (a.words.get(at..at + N), a.written.get(at..at + N)) else {
            return self.outside(address, bytes).map(|()| [0; N]);
        };
        let mut out = [0; N];
        let mut ok = 0xf;
        for k in 0..N {
            out[k] = words[k].load(ordering);
            ok &= written[k].load(Ordering::Relaxed);
        }
        if ok != 0xf && self.checks.init {
            return Err(FaultKind::Uninitialised { space: Space::Global, address, bytes });
        }
        Ok(out)
    }

    /// Writes `N` words; `address` is a multiple of 4.
    #[inline(always)]
    pub(super) fn store_words<const N: usize>(
        &self,
        address: u64,
        value: [u32; N],
        order: Order,
        hint: &mut usize,
    ) -> Result<(), FaultKind> {
        let bytes = 4 * N as u32;
        let Some((a, offset)) = self.locate(address, bytes, hint) else {
            return self.outside(address, bytes);
        };
        let at = offset / 4;
        let ordering = if order == Order::Weak { Ordering::Relaxed } else { Ordering::Release };
        let (Some(words), Some(written)) = (a.words.get(at..at + N), a.written.get(at..at + N)) else {
            return self.outside(address, bytes);
        };
        for k in 0..N {
            words[k].store(value[k], ordering);
            written[k].store(0xf, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The allocation that every lane of `mask` accesses, aligned and in bounds, and each lane's word
    /// in it; `None` where lanes have to be looked at one by one.
    #[inline(always)]
    fn common<const N: usize>(
        &self,
        addresses: &Lanes64,
        mask: u32,
        hint: &mut usize,
    ) -> Option<(&Allocation, [usize; LANES])> {
        let bytes = 4 * N as u64;
        let first = *addresses.get(mask.trailing_zeros() as usize)?;
        let (a, _) = self.locate(first, bytes as u32, hint)?;
        // Another stream may have shortened it since.
        let last = a.live().checked_sub(bytes)?;
        let mut at = [0; LANES];
        let mut bad = false;
        for (lane, at) in at.iter_mut().enumerate() {
            let offset = addresses[lane].wrapping_sub(a.base);
            bad |= mask >> lane & 1 != 0 && (offset > last || offset & (bytes - 1) != 0);
            *at = (offset / 4) as usize;
        }
        (!bad).then_some((a, at))
    }

    /// Reads `N` words in each lane; false if nothing was decided and lanes must go one by one.
    #[inline]
    pub(super) fn load_lanes<const N: usize>(
        &self,
        addresses: &Lanes64,
        mask: u32,
        hint: &mut usize,
        out: &mut [Lanes32; 8],
    ) -> bool {
        let Some((a, at)) = self.common::<N>(addresses, mask, hint) else { return false };
        let mut ok = 0xf;
        for lane in (0..LANES).filter(|l| mask >> l & 1 != 0) {
            let range = at[lane]..at[lane] + N;
            let (Some(words), Some(written)) = (a.words.get(range.clone()), a.written.get(range)) else {
                return false;
            };
            for k in 0..N {
                out[k][lane] = words[k].load(Ordering::Relaxed);
                ok &= written[k].load(Ordering::Relaxed);
            }
        }
        ok == 0xf || !self.checks.init
    }

    /// Writes `N` words in each lane, lowest lane first; false if lanes must go one by one.
    #[inline]
    pub(super) fn store_lanes<const N: usize>(
        &self,
        addresses: &Lanes64,
        mask: u32,
        hint: &mut usize,
        value: &[Lanes32; 8],
    ) -> bool {
        let Some((a, at)) = self.common::<N>(addresses, mask, hint) else { return false };
        for lane in (0..LANES).filter(|l| mask >> l & 1 != 0) {
            let range = at[lane]..at[lane] + N;
            let (Some(words), Some(written)) = (a.words.get(range.clone()), a.written.get(range)) else {
                return false;
            };
            for k in 0..N {
                words[k].store(value[k][lane], Ordering::Relaxed);
                written[k].store(0xf, Ordering::Relaxed);
            }
        }
        true
    }

    /// Reads a byte or two, within a word.
    pub(super) fn load_narrow(&self, address: u64, bytes: u32, hint: &mut usize) -> Result<u32, FaultKind> {
        let Some((a, offset)) = self.locate(address, bytes, hint) else {
            return self.outside(address, bytes).map(|()| 0);
        };
        let (word, shift) = (offset / 4, offset % 4);
        let mask = ((1u8 << bytes) - 1) << shift;
        if self.checks.init && a.written[word].load(Ordering::Relaxed) & mask != mask {
            return Err(FaultKind::Uninitialised { space: Space::Global, address, bytes });
        }
        let value = a.words[word].load(Ordering::Relaxed) >> (8 * shift);
        Ok(value & byte_mask((1 << bytes) - 1))
    }

    /// Writes a byte or two, within a word.
    pub(super) fn store_narrow(
        &self,
        address: u64,
        bytes: u32,
        value: u32,
        hint: &mut usize,
    ) -> Result<(), FaultKind> {
        let Some((a, offset)) = self.locate(address, bytes, hint) else {
            return self.outside(address, bytes);
        };
        let (word, shift) = (offset / 4, offset % 4);
        a.store_bytes(word, ((1u8 << bytes) - 1) << shift, value << (8 * shift), Ordering::Relaxed);
        Ok(())
    }

    /// Atomically replaces a word; returns the old one.
    pub(super) fn update(
        &self,
        address: u64,
        hint: &mut usize,
        f: impl Fn(u32) -> u32,
    ) -> Result<u32, FaultKind> {
        let Some((a, offset)) = self.locate(address, 4, hint) else {
            return self.outside(address, 4).map(|()| 0);
        };
        let at = offset / 4;
        if self.checks.init && a.written[at].load(Ordering::Relaxed) != 0xf {
            return Err(FaultKind::Uninitialised { space: Space::Global, address, bytes: 4 });
        }
        let old = a.words[at].fetch_update(Ordering::AcqRel, Ordering::Acquire, |v| Some(f(v)));
        a.written[at].store(0xf, Ordering::Relaxed);
        Ok(match old {
            Ok(v) | Err(v) => v,
        })
    }

    /// With checks off, stray reads give zero and stray writes vanish.
    #[cold]
    fn outside(&self, address: u64, bytes: u32) -> Result<(), FaultKind> {
        if self.checks.memory {
            return Err(FaultKind::OutOfBounds { space: Space::Global, address, bytes });
        }
        Ok(())
    }
}

/// Shared memory of one block.
pub(super) struct SharedMemory {
    words: Vec<u32>,
    written: Vec<u8>,
    /// Valid byte ranges: static, then dynamic.
    valid: [(u64, u64); 2],
    checks: Checks,
}

impl SharedMemory {
    /// `static_bytes` from 0 and `dynamic` bytes from `dynamic_base` on.
    pub(super) fn new(static_bytes: u64, dynamic_base: u64, dynamic: u64, checks: Checks) -> SharedMemory {
        let end = if dynamic == 0 { static_bytes } else { dynamic_base + dynamic };
        let words = end.div_ceil(4) as usize;
        SharedMemory {
            words: vec![0; words],
            written: vec![0; words],
            valid: [(0, static_bytes), (dynamic_base, dynamic_base + dynamic)],
            checks,
        }
    }

    /// Checks a range; `Ok(false)` means the access is to be skipped.
    #[inline(always)]
    fn check(&self, address: u64, bytes: u32) -> Result<bool, FaultKind> {
        let inside = self
            .valid
            .iter()
            .any(|&(from, to)| address >= from && address < to && to - address >= u64::from(bytes));
        if !inside && self.checks.memory {
            return Err(FaultKind::OutOfBounds { space: Space::Shared, address, bytes });
        }
        Ok(inside)
    }

    /// Each lane's first word, if every lane of `mask` accesses `N` words, aligned and inside the same
    /// range; `None` where lanes have to be looked at one by one.
    #[inline(always)]
    fn common<const N: usize>(&self, addresses: &Lanes64, mask: u32) -> Option<[usize; LANES]> {
        let bytes = 4 * N as u64;
        let first = *addresses.get(mask.trailing_zeros() as usize)?;
        let &(from, to) = self.valid.iter().find(|&&(from, to)| first >= from && first < to)?;
        let last = (to - from).checked_sub(bytes)?;
        let mut at = [0; LANES];
        let mut bad = false;
        for (lane, at) in at.iter_mut().enumerate() {
            let address = addresses[lane];
            bad |= mask >> lane & 1 != 0 && (address.wrapping_sub(from) > last || address & (bytes - 1) != 0);
            *at = (address / 4) as usize;
        }
        (!bad).then_some(at)
    }

    /// Reads `N` words in each lane; false if nothing was decided and lanes must go one by one.
    #[inline]
    pub(super) fn load_lanes<const N: usize>(
        &self,
        addresses: &Lanes64,
        mask: u32,
        out: &mut [Lanes32; 8],
    ) -> bool {
        let Some(at) = self.common::<N>(addresses, mask) else { return false };
        let mut ok = 0xf;
        for lane in (0..LANES).filter(|l| mask >> l & 1 != 0) {
            let range = at[lane]..at[lane] + N;
            let (Some(words), Some(written)) = (self.words.get(range.clone()), self.written.get(range))
            else {
                return false;
            };
            for k in 0..N {
                out[k][lane] = words[k];
                ok &= written[k];
            }
        }
        ok == 0xf || !self.checks.init
    }

    /// Writes `N` words in each lane, lowest lane first; false if lanes must go one by one.
    #[inline]
    pub(super) fn store_lanes<const N: usize>(
        &mut self,
        addresses: &Lanes64,
        mask: u32,
        value: &[Lanes32; 8],
    ) -> bool {
        let Some(at) = self.common::<N>(addresses, mask) else { return false };
        for lane in (0..LANES).filter(|l| mask >> l & 1 != 0) {
            let range = at[lane]..at[lane] + N;
            let (Some(words), Some(written)) =
                (self.words.get_mut(range.clone()), self.written.get_mut(range))
            else {
                return false;
            };
            for k in 0..N {
                words[k] = value[k][lane];
                written[k] = 0xf;
            }
        }
        true
    }

    /// Reads 1, 2 or 4 bytes within a word.
    #[inline(always)]
    pub(super) fn load(&self, address: u64, bytes: u32) -> Result<u32, FaultKind> {
        if !self.check(address, bytes)? {
            return Ok(0);
        }
        let (word, shift) = (address as usize / 4, address as usize % 4);
        let mask = ((1u8 << bytes) - 1) << shift;
        if self.checks.init && self.written[word] & mask != mask {
            return Err(FaultKind::Uninitialised { space: Space::Shared, address, bytes });
        }
        Ok((self.words[word] >> (8 * shift)) & byte_mask((1 << bytes) - 1))
    }

    /// Writes 1, 2 or 4 bytes within a word.
    #[inline(always)]
    pub(super) fn store(&mut self, address: u64, bytes: u32, value: u32) -> Result<(), FaultKind> {
        if !self.check(address, bytes)? {
            return Ok(());
        }
        let (word, shift) = (address as usize / 4, address as usize % 4);
        let mask = ((1u8 << bytes) - 1) << shift;
        let wide = byte_mask(mask);
        self.words[word] = (self.words[word] & !wide) | ((value << (8 * shift)) & wide);
        self.written[word] |= mask;
        Ok(())
    }
}

/// Local memory of the threads of a warp: word `i` of every lane side by side.
#[derive(Default)]
pub(super) struct LocalMemory {
    words: Vec<Lanes32>,
    written: Vec<[u8; LANES]>,
    bytes: u64,
}

impl LocalMemory {
    /// Opens a frame of `bytes` and returns its address.
    pub(super) fn push(&mut self, bytes: u64) -> u64 {
        let base = self.bytes.next_multiple_of(16);
        self.bytes = base + bytes;
        let words = self.bytes.div_ceil(4) as usize;
        self.words.resize(words, [0; LANES]);
        self.written.resize(words, [0; LANES]);
        base
    }

    /// Closes the frame at `base`; the frame before it ended at `end`.
    pub(super) fn pop(&mut self, end: u64) {
        self.bytes = end;
        self.words.truncate(end.div_ceil(4) as usize);
        self.written.truncate(end.div_ceil(4) as usize);
    }

    /// Bytes in use.
    pub(super) fn end(&self) -> u64 {
        self.bytes
    }

    fn check(&self, checks: Checks, address: u64, bytes: u32) -> Result<bool, FaultKind> {
        let inside = address < self.bytes && self.bytes - address >= u64::from(bytes);
        if !inside && checks.memory {
            return Err(FaultKind::OutOfBounds { space: Space::Local, address, bytes });
        }
        Ok(inside)
    }

    /// Reads 1, 2 or 4 bytes within a word.
    pub(super) fn load(
        &self,
        checks: Checks,
        lane: usize,
        address: u64,
        bytes: u32,
    ) -> Result<u32, FaultKind> {
        if !self.check(checks, address, bytes)? {
            return Ok(0);
        }
        let (word, shift) = (address as usize / 4, address as usize % 4);
        let mask = ((1u8 << bytes) - 1) << shift;
        if checks.init && self.written[word][lane] & mask != mask {
            return Err(FaultKind::Uninitialised { space: Space::Local, address, bytes });
        }
        Ok((self.words[word][lane] >> (8 * shift)) & byte_mask((1 << bytes) - 1))
    }

    /// Writes 1, 2 or 4 bytes within a word.
    pub(super) fn store(
        &mut self,
        checks: Checks,
        lane: usize,
        address: u64,
        bytes: u32,
        value: u32,
    ) -> Result<(), FaultKind> {
        if !self.check(checks, address, bytes)? {
            return Ok(());
        }
        let (word, shift) = (address as usize / 4, address as usize % 4);
        let mask = ((1u8 << bytes) - 1) << shift;
        let wide = byte_mask(mask);
        let old = self.words[word][lane];
        self.words[word][lane] = (old & !wide) | ((value << (8 * shift)) & wide);
        self.written[word][lane] |= mask;
        Ok(())
    }
}
