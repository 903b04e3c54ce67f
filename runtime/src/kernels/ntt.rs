//! Number-theoretic transforms: bit reversal, then radix-2 stages, decimation in time.
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
use ark_ff::{Field as _, One};
use curvesmith_abi::kernels::{FieldMul, FieldScalePowers, NttBitReverse, NttStage, Powers};
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
    /// `omega^i` for `i < n/2`.
    forward: Buffer<D, layout::Field>,
    /// `omega^-i` for `i < n/2`.
    inverse: Buffer<D, layout::Field>,
    cosets: Mutex<Vec<Coset<D, F>>>,
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

/// A stage's parameters; `butterflies` is `n/2` in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stage {
    half: u32,
    stride: u32,
    butterflies: u32,
}

/// The stages of a transform of size `2^log_n`, `log_n ≤ 31`, in order.
fn stages(log_n: u32) -> impl Iterator<Item = Stage> {
    (0..log_n).map(move |s| Stage {
        half: 1 << s,
        stride: 1 << (log_n - 1 - s),
        butterflies: 1 << (log_n - 1),
    })
}

impl<D: KernelDevice> Kernels<D> {
    pub(super) fn make_tables<F: Field>(&self, log_n: u32, omega: F::Ark) -> Result<DeviceTables<D, F>> {
        check_omega::<F>(log_n, omega)?;
        let invert = |x: F::Ark| x.inverse().expect("powers of two and roots of unity are units");
        let half = (1usize << log_n) / 2;
        Ok(DeviceTables {
            log_n,
            size_inv: invert(F::Ark::from(1u64 << log_n)),
            forward: self.powers::<F>(omega, half)?.buffer,
            inverse: self.powers::<F>(invert(omega), half)?.buffer,
            cosets: Mutex::default(),
        })
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
        let reverse = NttBitReverse { a: vector.buffer.ptr(), out: spare.buffer.ptr(), log_n: tables.log_n };
        self.launch(Owner::field::<F>(), vector.buffer.len(), &reverse)?;
        std::mem::swap(vector, &mut spare);

        let twiddles = match direction {
            Direction::Forward => tables.forward.ptr(),
            Direction::Inverse => tables.inverse.ptr(),
        };
        for Stage { half, stride, butterflies } in stages(tables.log_n) {
            let stage = NttStage { data: vector.buffer.ptr(), twiddles, half, stride, butterflies };
            self.launch(Owner::field::<F>(), butterflies as usize, &stage)?;
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

    /// Sizes too large to run: every index a stage's kernel computes stays in range.
    #[test]
    fn stages_of_large_sizes_stay_in_range() {
        assert_eq!(stages(0).count(), 0);
        for log_n in 1..=31 {
            let n = 1u64 << log_n;
            assert_eq!(stages(log_n).count() as u32, log_n);
            for Stage { half, stride, butterflies } in stages(log_n) {
                let (half, stride, butterflies) =
                    (u64::from(half), u64::from(stride), u64::from(butterflies));
                assert_eq!(2 * butterflies, n);
                assert_eq!(2 * half * stride, n);
                assert!((half - 1) * stride < n / 2, "twiddle index");
                // The last butterfly pairs the last element with the one `half` before it.
                let (block, j) = ((butterflies - 1) / half, (butterflies - 1) % half);
                assert_eq!(block * 2 * half + j + half, n - 1);
                let threads = butterflies.div_ceil(128) * 128;
                assert!(threads <= u64::from(u32::MAX), "thread index");
            }
        }
    }
}
