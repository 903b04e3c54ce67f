//! Number-theoretic transforms: passes of up to four stages each, natural order throughout.
//!
//! A pass reads one vector and writes another (Stockham), the first without twiddles. With radix 16 a
//! transform of `2^k` elements moves them `⌈k/4⌉` times; the passes are about equally long. In fields too long for 16 elements a thread the most is 8 or 4. The inverse runs
//! with the twiddles of `omega` as well: its results are those of the forward transform at the
//! negated indices, and only the last pass knows.
//!
//! Every pass has twiddles of its own, so that neighbouring threads read neighbouring elements. In fields
//! with room the earlier passes take them as tables for a cheaper product, four times as long;
//! the last passes of large transforms, which would wait for that memory, take plain elements
//! ([`NttPolicy`](super::policy::NttPolicy)).
//!
//! A transform over the coset `shift·<omega>` is one over `<omega>` of the coefficients
//! times powers of `shift`; the inverse multiplies by powers of `1/shift`, and by `1/n`.

use super::{DeviceVec, Kernels, index32};
use crate::backend::{Direction, check_len, check_omega, invert_shift};
use crate::buffer::Buffer;
use crate::device::KernelDevice;
use crate::error::Result;
use crate::field::{Field, modulus_bits};
use crate::launch::Owner;
use ark_ff::{Field as _, LegendreSymbol, One, PrimeField};
use curvesmith_abi::kernels::{
    FieldMul, FieldScalePowers, NTT_TABLE, NTT_TABLE_LOG_RADIX, NttRadix2, NttRadix4, NttRadix8,
    NttRadix8Table, NttRadix16, NttRadix16Table, NttTwiddleTables, NttTwiddles, Powers, ntt_has_tables,
    ntt_later_log_radix, ntt_max_log_radix,
};
use curvesmith_abi::layout;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Coset tables kept for one size and root: a prover uses one shift in two directions.
const MAX_COSETS: usize = 4;

/// Twiddles of one size and root on a device.
pub struct DeviceTables<D: KernelDevice, F: Field> {
    log_n: u32,
    /// `1/n`.
    size_inv: F::Ark,
    /// The odd `t < r` with `omega^(t·n/r) = W_r` for the kernels' roots `W_r`, in every radix `r` of the
    /// passes up to a multiple of `r`.
    turn: u32,
    passes: Vec<(Pass, Twiddles<D>)>,
    cosets: Mutex<Vec<Coset<D, F>>>,
}

/// The twiddles of a pass.
enum Twiddles<D: KernelDevice> {
    /// It is the first.
    None,
    Elements(Buffer<D, layout::Field>),
    Tables(Buffer<D, layout::Field>),
}

/// Factors of every element for one shift and direction: `shift^i`, or `shift^-i / n`.
struct Coset<D: KernelDevice, F: Field> {
    direction: Direction,
    shift: F::Ark,
    factors: Arc<DeviceVec<D, F>>,
}

impl<D: KernelDevice, F: Field> fmt::Debug for DeviceTables<D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceTables<{}>[2^{}]", F::NAME, self.log_n)
    }
}

/// One pass over a vector: `log_r` stages after `log_done` others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pass {
    log_r: u32,
    log_done: u32,
}

impl Pass {
    /// Stages done after it.
    fn end(self) -> u32 {
        self.log_done + self.log_r
    }

    /// Twiddles other than one: `q` in `1..r`, `k < 2^log_done`.
    fn twiddles(self) -> usize {
        ((1 << self.log_r) - 1) << self.log_done
    }
}

/// The passes of a transform of size `2^log_n` in order: as few as radix `2^most` allows, and as equal as
/// it goes when none after the first is shorter than `least` stages, which is `most` or less. The longest come
/// first: the first needs no twiddles, and waits for memory anyway.
fn passes(log_n: u32, least: u32, most: u32) -> Vec<Pass> {
    let (mut passes, mut log_done) = (vec![], log_n);
    for left in (1..=log_n.div_ceil(most)).rev() {
        let log_r = (log_done / left).max(least).min(log_done);
        log_done -= log_r;
        passes.push(Pass { log_r, log_done });
    }
    passes.reverse();
    passes
}

/// The odd `t < 2^log_r` with `root^t = W`, `W = z^((p-1)/2^log_r)` for the least nonresidue `z`: the
/// rule by which the compiler chose the root in its kernels. `root` has order `2^log_r`; `log_r` is 1 or more, and
/// small.
fn turn<F: Field>(root: F::Ark, log_r: u32) -> u32 {
    let nonresidue = (2u64..).map(F::Ark::from).find(|z| z.legendre() == LegendreSymbol::QuadraticNonResidue);
    // p - 1 is p without its lowest bit, which the shift drops.
    let exponent = F::Ark::MODULUS >> log_r;
    let own = nonresidue.expect("half of the units are no squares").pow(exponent);
    let turn = (1..=1 << log_r).step_by(2).find(|&t| root.pow([t]) == own);
    turn.expect("the roots of one order are the odd powers of any of them") as u32
}

impl<D: KernelDevice> Kernels<D> {
    pub(super) fn make_tables<F: Field>(&self, log_n: u32, omega: F::Ark) -> Result<DeviceTables<D, F>> {
        check_omega::<F>(log_n, omega)?;
        let n = 1usize << log_n;
        let size_inv = F::Ark::from(n as u64).inverse().expect("powers of two are units");
        let least = ntt_later_log_radix(F::WORDS);
        let most = self.policy().ntt.max_log_radix.clamp(least, ntt_max_log_radix(F::WORDS));
        let passes = passes(log_n, least, most);
        let turn = match passes.iter().map(|pass| pass.log_r).max() {
            Some(log_r) => turn::<F>(omega.pow([n as u64 >> log_r]), log_r),
            None => 1,
        };
        let passes: Result<Vec<_>> = passes
            .into_iter()
            .map(|pass| Ok((pass, self.twiddles::<F>(pass, omega.pow([n as u64 >> pass.end()]))?)))
            .collect();
        Ok(DeviceTables { log_n, size_inv, turn, passes: passes?, cosets: Mutex::default() })
    }

    /// The twiddles of a pass, for the root of order `2^pass.end()`.
    fn twiddles<F: Field>(&self, pass: Pass, root: F::Ark) -> Result<Twiddles<D>> {
        if pass.log_done == 0 {
            return Ok(Twiddles::None);
        }
        let (count, log_done, owner) = (pass.twiddles(), pass.log_done, Owner::field::<F>());
        let n = index32("twiddles", count)?;
        let base_pows = self.squarings::<F>(root)?;
        let has_tables =
            pass.log_r >= NTT_TABLE_LOG_RADIX && ntt_has_tables(F::WORDS, modulus_bits::<F>() as usize);
        if has_tables && pass.end() <= self.policy().ntt.max_table_log_n {
            let entries = NTT_TABLE.fit(F::WORDS).entries(F::WORDS);
            let out = self.new_vec::<F>(count * entries)?.buffer;
            let kernel = NttTwiddleTables { base_pows: base_pows.ptr(), out: out.ptr(), log_done, n };
            self.launch(owner, count, &kernel)?;
            return Ok(Twiddles::Tables(out));
        }
        let out = self.new_vec::<F>(count)?.buffer;
        let kernel = NttTwiddles { base_pows: base_pows.ptr(), out: out.ptr(), log_done, n };
        self.launch(owner, count, &kernel)?;
        Ok(Twiddles::Elements(out))
    }

    pub(super) fn transform<F: Field>(
        &self,
        tables: &DeviceTables<D, F>,
        vector: &mut DeviceVec<D, F>,
        direction: Direction,
        shift: F::Ark,
    ) -> Result<()> {
        check_len("NTT vector", 1 << tables.log_n, vector.buffer.len())?;
        let shift_inv = invert_shift::<F>(shift)?;
        if tables.log_n == 0 {
            return Ok(());
        }
        let mut spare = self.new_vec::<F>(vector.buffer.len())?;
        if direction == Direction::Forward && !shift.is_one() {
            self.scale_by_powers(tables, vector, direction, shift, shift, &spare)?;
            std::mem::swap(vector, &mut spare);
        }
        for (pass, twiddles) in &tables.passes {
            self.pass(tables, *pass, twiddles, direction, vector, &spare)?;
            std::mem::swap(vector, &mut spare);
        }
        if direction == Direction::Inverse {
            if shift.is_one() {
                self.scale(vector, tables.size_inv, &spare)?;
            } else {
                self.scale_by_powers(tables, vector, direction, shift, shift_inv, &spare)?;
            }
            std::mem::swap(vector, &mut spare);
        }
        Ok(())
    }

    fn pass<F: Field>(
        &self,
        tables: &DeviceTables<D, F>,
        pass: Pass,
        twiddles: &Twiddles<D>,
        direction: Direction,
        a: &DeviceVec<D, F>,
        out: &DeviceVec<D, F>,
    ) -> Result<()> {
        let DeviceTables { log_n, turn, .. } = *tables;
        let Pass { log_r, log_done } = pass;
        // Negated indices; the kernels take `turn` mod r.
        let negate = pass.end() == log_n && direction == Direction::Inverse;
        let (turn, sign) = if negate { (turn.wrapping_neg(), u32::MAX) } else { (turn, 1) };
        let (a, out) = (a.buffer.ptr(), out.buffer.ptr());
        let (owner, threads) = (Owner::field::<F>(), 1usize << (log_n - log_r));
        let by_table = matches!(twiddles, Twiddles::Tables(_));
        let twiddles = match twiddles {
            // The first pass reads none.
            Twiddles::None => a,
            Twiddles::Elements(buffer) | Twiddles::Tables(buffer) => buffer.ptr(),
        };
        macro_rules! launch {
            ($kernel:ident) => {
                self.launch(owner, threads, &$kernel { a, twiddles, out, log_n, log_done, turn, sign })
            };
        }
        match (log_r, by_table) {
            (1, _) => launch!(NttRadix2),
            (2, _) => launch!(NttRadix4),
            (3, false) => launch!(NttRadix8),
            (3, true) => launch!(NttRadix8Table),
            (_, false) => launch!(NttRadix16),
            (_, true) => launch!(NttRadix16Table),
        }
    }

    /// `out[i] = a[i] · base^i`, and `/n` on the way back; `base` is `shift` or its inverse.
    fn scale_by_powers<F: Field>(
        &self,
        tables: &DeviceTables<D, F>,
        a: &DeviceVec<D, F>,
        direction: Direction,
        shift: F::Ark,
        base: F::Ark,
        out: &DeviceVec<D, F>,
    ) -> Result<()> {
        let len = a.buffer.len();
        let n = index32("vector", len)?;
        let owner = Owner::field::<F>();
        if tables.log_n <= self.policy().ntt.max_cached_log_n {
            let factors = self.coset(tables, direction, shift, base)?;
            let (a, b, out) = (a.buffer.ptr(), factors.buffer.ptr(), out.buffer.ptr());
            return self.launch(owner, len, &FieldMul { a, b, out, n });
        }
        let base_pows = self.squarings::<F>(base)?;
        let mut kernel = FieldScalePowers {
            a: a.buffer.ptr(),
            base_pows: base_pows.ptr(),
            out: out.buffer.ptr(),
            start: 0,
            n,
        };
        if direction == Direction::Forward {
            return self.launch(owner, len, &kernel);
        }
        let scaled = self.new_vec::<F>(len)?;
        kernel.out = scaled.buffer.ptr();
        self.launch(owner, len, &kernel)?;
        self.scale(&scaled, tables.size_inv, out)
    }

    /// The cached factors of a coset, made now if they are not there.
    fn coset<F: Field>(
        &self,
        tables: &DeviceTables<D, F>,
        direction: Direction,
        shift: F::Ark,
        base: F::Ark,
    ) -> Result<Arc<DeviceVec<D, F>>> {
        let lock = || tables.cosets.lock().unwrap_or_else(PoisonError::into_inner);
        let cached =
            lock().iter().find(|c| c.direction == direction && c.shift == shift).map(|c| c.factors.clone());
        if let Some(factors) = cached {
            return Ok(factors);
        }
        let len = 1usize << tables.log_n;
        let mut factors = self.powers::<F>(base, len)?;
        if direction == Direction::Inverse {
            let scaled = self.new_vec::<F>(len)?;
            self.scale(&factors, tables.size_inv, &scaled)?;
            factors = scaled;
        }
        let factors = Arc::new(factors);
        let mut cosets = lock();
        if cosets.len() == MAX_COSETS {
            cosets.remove(0);
        }
        cosets.push(Coset { direction, shift, factors: Arc::clone(&factors) });
        Ok(factors)
    }

    /// `base^i` for `i < len`.
    fn powers<F: Field>(&self, base: F::Ark, len: usize) -> Result<DeviceVec<D, F>> {
        let out = self.new_vec::<F>(len)?;
        if len > 0 {
            let base_pows = self.squarings::<F>(base)?;
            let kernel =
                Powers { base_pows: base_pows.ptr(), out: out.buffer.ptr(), n: index32("powers", len)? };
            self.launch(Owner::field::<F>(), len, &kernel)?;
        }
        Ok(out)
    }

    /// `base^(2^j)` for `j < 32`.
    fn squarings<F: Field>(&self, base: F::Ark) -> Result<Buffer<D, layout::Field>> {
        let pows: Vec<F::Ark> = std::iter::successors(Some(base), |b| Some(b.square())).take(32).collect();
        let buffer = Buffer::field::<F>(self.device(), pows.len())?;
        self.upload_elements::<F>(&buffer, &pows)?;
        Ok(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes too large to run: all stages are there, and every index a pass computes stays in range.
    #[test]
    fn passes_of_large_sizes_stay_in_range() {
        for (log_n, most) in (0..=31).flat_map(|log_n| (1..=4).map(move |most| (log_n, most))) {
            let least = most.min(3);
            let (n, mut done, passes) = (1u64 << log_n, 0, passes(log_n, least, most));
            assert_eq!(passes.len() as u32, log_n.div_ceil(most), "2^{log_n}, {most}");
            for pass in &passes {
                assert_eq!(pass.log_done, done);
                let Pass { log_r, .. } = *pass;
                let shortest = if done == 0 { 1 } else { least };
                assert!((shortest..=most).contains(&log_r), "2^{log_n}, {most}");
                done += log_r;
                let threads = (n >> log_r).div_ceil(128) * 128;
                assert!(threads <= u64::from(u32::MAX), "thread index");
                let s = 1u64 << pass.log_done;
                let largest = ((1 << log_r) - 2) * s + (s - 1);
                assert_eq!(largest + 1, pass.twiddles() as u64, "twiddle index");
                assert!(largest < n && pass.end() == done);
            }
            assert_eq!(done, log_n);
        }
    }

    #[test]
    fn radix_16_takes_the_fewest_passes() {
        let lengths = |log_n| passes(log_n, 3, 4).iter().map(|pass| pass.log_r).collect::<Vec<_>>();
        assert_eq!(lengths(24), [4; 6]);
        assert_eq!(lengths(21), [4, 4, 4, 3, 3, 3]);
        assert_eq!((lengths(9), lengths(5), lengths(0)), (vec![3; 3], vec![2, 3], vec![]));
    }
}
