//! Number-theoretic transforms: passes of up to three stages each, natural order throughout.
//!
//! A pass reads one vector and writes another (Stockham): in radix 2, 4 or 8 without twiddles
//! first, then in radix 8. So a transform of `2^k` elements moves them `⌈k/3⌉` times. In fields too long
//! for that, 4 takes the place of 8. The inverse runs
//! with the twiddles of `omega` as well: its results are those of the forward transform at the
//! negated indices, and only the last pass knows.
//!
//! Twiddles are powers of one root, read with a stride. In fields of several words the earlier passes
//! take them as tables for a cheaper product, four times as long; the last passes of large
//! transforms, which would wait for that memory, take plain elements
//! ([`NttPolicy`](super::policy::NttPolicy)).
//!
//! A transform over the coset `shift·<omega>` is one over `<omega>` of the coefficients
//! times powers of `shift`; the inverse multiplies by powers of `1/shift`, and by `1/n`.

use super::{DeviceVec, Kernels, index32};
use crate::backend::{Direction, check_len, check_omega, invert_shift};
use crate::buffer::Buffer;
use crate::device::KernelDevice;
use crate::error::Result;
use crate::field::Field;
use crate::launch::Owner;
use ark_ff::{Field as _, LegendreSymbol, One, PrimeField};
use curvesmith_abi::kernels::{
    FieldMul, FieldScalePowers, NttFirst2, NttFirst4, NttFirst8, NttRadix4, NttRadix8, NttRadix8Table,
    PowerTables, Powers, ntt_has_tables, ntt_log_radix,
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
    /// The odd `t < r` with `omega^(n/r) = W_r^t` for the kernels' root `W_r`; `r` is the radix of the
    /// passes, or `n` if that is less.
    turn: u32,
    /// For the passes whose twiddles are powers of its root, where there are such.
    tables: Option<Twiddles<D, NttTable>>,
    /// For the other passes.
    powers: Option<Twiddles<D, layout::Field>>,
    cosets: Mutex<Vec<Coset<D, F>>>,
}

/// The layout of [`NttRadix8Table`]'s twiddles.
type NttTable = layout::Table<2, 3>;

/// `root^i` for `i < (r-1)/r·2^log`, `root` of order `2^log`, `r < 2^log` the radix of the passes.
struct Twiddles<D: KernelDevice, L> {
    log: u32,
    buffer: Buffer<D, L>,
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

/// The passes of a transform of size `2^log_n` in order, in radix `2^most`; what `most` does not divide
/// comes first, where no twiddles are needed.
fn passes(log_n: u32, most: u32) -> impl Iterator<Item = Pass> {
    let first = if log_n == 0 { 0 } else { (log_n - 1) % most + 1 };
    let rest = (first..log_n).step_by(most as usize).map(move |log_done| Pass { log_r: most, log_done });
    (first > 0).then_some(Pass { log_r: first, log_done: 0 }).into_iter().chain(rest)
}

/// Logarithms of the orders of the roots whose powers a transform needs: as tables, and as elements.
fn twiddle_logs(log_n: u32, words: usize, max_table_log_n: u32) -> (Option<u32>, Option<u32>) {
    let one_pass = ntt_log_radix(words);
    if log_n <= one_pass {
        return (None, None);
    }
    let table = log_n.min(max_table_log_n);
    let table = (ntt_has_tables(words) && table > one_pass).then_some(table);
    (table, (table != Some(log_n)).then_some(log_n))
}

/// Twiddles of a root of order `2^log`: the largest exponent of a pass is `(r-1)·(2^log/r - 1)`.
fn twiddles_of(log: u32, words: usize) -> usize {
    let log_r = ntt_log_radix(words);
    (1 << (log - log_r)) * ((1 << log_r) - 1)
}

/// The odd `t < 2^log_r` with `root = W^t`, `W = z^((p-1)/2^log_r)` for the least nonresidue `z`: the
/// rule by which the compiler chose the root in its kernels. `root` has order `2^log_r`, `log_r` in `1..=3`.
fn turn<F: Field>(root: F::Ark, log_r: u32) -> u32 {
    let nonresidue = (2u64..).map(F::Ark::from).find(|z| z.legendre() == LegendreSymbol::QuadraticNonResidue);
    // p - 1 is p without its lowest bit, which the shift drops.
    let exponent = F::Ark::MODULUS >> log_r;
    let own = nonresidue.expect("half of the units are no squares").pow(exponent);
    let turn = (1..=1 << log_r).step_by(2).find(|&t| own.pow([t]) == root);
    turn.expect("the roots of one order are the odd powers of any of them") as u32
}

impl<D: KernelDevice> Kernels<D> {
    pub(super) fn make_tables<F: Field>(&self, log_n: u32, omega: F::Ark) -> Result<DeviceTables<D, F>> {
        check_omega::<F>(log_n, omega)?;
        let n = 1usize << log_n;
        let size_inv = F::Ark::from(n as u64).inverse().expect("powers of two are units");
        let turn = match log_n.min(ntt_log_radix(F::WORDS)) {
            0 => 1,
            log_r => turn::<F>(omega.pow([n as u64 >> log_r]), log_r),
        };
        let (table_log, power_log) = twiddle_logs(log_n, F::WORDS, self.policy().ntt.max_table_log_n);
        let root = |log: u32| omega.pow([n as u64 >> log]);
        let tables = table_log.map(|log| {
            let buffer = self.power_tables::<F>(root(log), twiddles_of(log, F::WORDS))?;
            Ok(Twiddles { log, buffer })
        });
        let powers = power_log.map(|log| {
            let buffer = self.powers::<F>(root(log), twiddles_of(log, F::WORDS))?.buffer;
            Ok(Twiddles { log, buffer })
        });
        let (tables, powers) = (tables.transpose()?, powers.transpose()?);
        Ok(DeviceTables { log_n, size_inv, turn, tables, powers, cosets: Mutex::default() })
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
        for pass in passes(tables.log_n, ntt_log_radix(F::WORDS)) {
            self.pass(tables, pass, direction, vector, &spare)?;
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
        Pass { log_r, log_done }: Pass,
        direction: Direction,
        a: &DeviceVec<D, F>,
        out: &DeviceVec<D, F>,
    ) -> Result<()> {
        let DeviceTables { log_n, turn, .. } = *tables;
        let last = log_done + log_r == log_n;
        let sign = if last && direction == Direction::Inverse { u32::MAX } else { 1 };
        let (a, out) = (a.buffer.ptr(), out.buffer.ptr());
        let (owner, threads) = (Owner::field::<F>(), 1usize << (log_n - log_r));
        match (log_done, log_r) {
            (0, 1) => self.launch(owner, threads, &NttFirst2 { a, out, log_n, sign }),
            (0, 2) => self.launch(owner, threads, &NttFirst4 { a, out, log_n, turn, sign }),
            (0, _) => self.launch(owner, threads, &NttFirst8 { a, out, log_n, turn, sign }),
            _ => {
                let end = log_done + log_r;
                if let Some(Twiddles { log, buffer }) = tables.tables.as_ref().filter(|t| end <= t.log) {
                    let (twiddles, log_stride) = (buffer.ptr(), log - end);
                    let kernel = NttRadix8Table { a, twiddles, out, log_n, log_done, log_stride, turn, sign };
                    return self.launch(owner, threads, &kernel);
                }
                let Twiddles { log, buffer } =
                    tables.powers.as_ref().expect("there are powers for the passes beyond the tables");
                let (twiddles, log_stride) = (buffer.ptr(), log - end);
                if log_r == 2 {
                    let kernel = NttRadix4 { a, twiddles, out, log_n, log_done, log_stride, turn, sign };
                    return self.launch(owner, threads, &kernel);
                }
                let kernel = NttRadix8 { a, twiddles, out, log_n, log_done, log_stride, turn, sign };
                self.launch(owner, threads, &kernel)
            }
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

    /// The tables of `base^i` for `i < len`, `len > 0`.
    fn power_tables<F: Field>(&self, base: F::Ark, len: usize) -> Result<Buffer<D, NttTable>> {
        let out = Buffer::table::<F>(self.device(), len)?;
        let base_pows = self.squarings::<F>(base)?;
        let n = index32("powers", len)?;
        let kernel = PowerTables { base_pows: base_pows.ptr(), out: out.ptr(), n };
        self.launch(Owner::field::<F>(), len, &kernel)?;
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

    /// Words of fields with passes in radix 8, with and without tables, and in radix 4.
    const WORDS: [usize; 4] = [1, 4, 12, 24];

    /// Sizes too large to run: all stages are there, and every index a pass computes stays in range.
    #[test]
    fn passes_of_large_sizes_stay_in_range() {
        for (log_n, words) in (0..=31).flat_map(|log_n| WORDS.map(|words| (log_n, words))) {
            let (n, most, mut done) = (1u64 << log_n, ntt_log_radix(words), 0);
            for Pass { log_r, log_done } in passes(log_n, most) {
                assert_eq!(log_done, done);
                assert!(
                    (1..=most).contains(&log_r) && (log_done == 0 || log_r == most),
                    "2^{log_n}, {words}"
                );
                done += log_r;
                let threads = (n >> log_r).div_ceil(128) * 128;
                assert!(threads <= u64::from(u32::MAX), "thread index");
                if log_done > 0 {
                    let k = (1u64 << log_done) - 1;
                    for log in done..=log_n {
                        let largest = (k << (log - done)) * ((1 << log_r) - 1);
                        assert!(largest < twiddles_of(log, words) as u64, "twiddle index");
                    }
                }
            }
            assert_eq!(done, log_n);
        }
    }

    #[test]
    fn every_pass_with_twiddles_finds_them() {
        for (log_n, words) in (0..=31).flat_map(|log_n| WORDS.map(|words| (log_n, words))) {
            for max in [0, 3, 4, 5, 18, 24, 40] {
                let (table, power) = twiddle_logs(log_n, words, max);
                assert!(table.is_none_or(|log| ntt_has_tables(words) && log <= max && log <= log_n));
                assert!(power.is_none_or(|log| log == log_n));
                for Pass { log_done, log_r } in passes(log_n, ntt_log_radix(words)).skip(1) {
                    assert!(table.max(power) >= Some(log_done + log_r), "2^{log_n}, {words} words, {max}");
                }
            }
        }
    }
}
