//! Launch policies as data. Results never depend on them, only time and memory do.

use crate::backend::DigitShape;
use crate::device::DeviceProperties;

/// All policies of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// For the MSM.
    pub msm: MsmPolicy,
    /// For the NTT.
    pub ntt: NttPolicy,
    /// For elementwise operations.
    pub pointwise: PointwisePolicy,
}

/// How elements share an inversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointwisePolicy {
    /// Threads that fill the device: more elements than these are shared out among them.
    pub threads: u32,
    /// Most elements of one inversion, which costs as much as 60 to 90 products of 8 to 12 words.
    pub elements: u32,
}

/// How an MSM is cut into threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MsmPolicy {
    /// Price of reducing one bucket, in hundredths of a mixed addition into it.
    pub bucket_cost: u64,
    /// Price of combining one window, in the same unit; it does not shrink with more threads.
    pub window_cost: u64,
    /// Entries that a slice of the accumulation should have.
    pub entries_per_slice: u32,
    /// Most slices, whatever the number of entries; a multiple of 32.
    pub max_slices: u32,
    /// Buckets that one thread reduces; a power of two.
    pub chunk: u32,
    /// Most (digit, base) entries sorted at once, below 2^31; longer MSMs run in parts.
    pub max_entries: u32,
}

/// How an NTT is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NttPolicy {
    /// Largest `log_n` for which powers of a coset shift are kept as a vector. A pass with
    /// the vector costs one product an element, without it half of `log_n`.
    pub max_cached_log_n: u32,
    /// The twiddles of the passes within `2^max_table_log_n` elements are tables: together fewer than
    /// `2^max_table_log_n` of them, `words/2` elements each.
    pub max_table_log_n: u32,
    /// Most stages of a pass, the logarithm of its radix: within
    /// [`ntt_later_log_radix`](curvesmith_abi::kernels::ntt_later_log_radix) to
    /// [`ntt_max_log_radix`](curvesmith_abi::kernels::ntt_max_log_radix) of the field, or else the nearer of them.
    pub max_log_radix: u32,
}

/// Row of a device with few multiprocessors, which is how the emulator looks: as little
/// work in all as possible. Modelled by counting additions: a bucket costs two full
/// additions (1.4 mixed ones each) and its share of a chunk's offset product.
const FEW_THREADS: MsmPolicy = MsmPolicy {
    bucket_cost: 400,
    window_cost: 2_000,
    entries_per_slice: 64,
    max_slices: 1 << 13,
    chunk: 32,
    max_entries: (1 << 31) - 1,
};

/// Measured on an H200, BN254 and BLS12-381, 2^12 to 2^24: radix 16 takes 1.1 to 1.5 times as long as radix 8,
/// though it has fewer passes, since its registers leave half the warps; tables within 2^15 take
/// 1.04 to 1.1 times as long as none.
const NTT: NttPolicy = NttPolicy { max_cached_log_n: 24, max_table_log_n: 0, max_log_radix: 3 };

/// Multiprocessors from which a device wants many threads.
const MANY_FROM: u32 = 8;

/// Threads a multiprocessor is given in the accumulation: four blocks of 128, what the
/// registers of an 8-limb mixed addition allow. Modelled, not measured.
const SLICES_PER_MULTIPROCESSOR: u32 = 512;

/// Most slices the accumulation kernels can count without wrapping.
const MAX_SLICES: u32 = 1 << 20;

impl Policy {
    /// The policies for a device.
    pub fn for_device(properties: &DeviceProperties) -> Policy {
        let msm = if properties.multiprocessors < MANY_FROM {
            FEW_THREADS
        } else {
            MsmPolicy {
                // Reduction runs with fewer threads than accumulation, so a bucket counts more.
                bucket_cost: 800,
                window_cost: 20_000,
                entries_per_slice: 32,
                max_slices: properties.multiprocessors.saturating_mul(SLICES_PER_MULTIPROCESSOR),
                chunk: 16,
                // Keys and entries, twice, at 4 bytes: 4 GiB for 2^28.
                max_entries: 1 << 28,
            }
        };
        let threads = match properties.multiprocessors {
            few if few < MANY_FROM => 32,
            many => many.saturating_mul(SLICES_PER_MULTIPROCESSOR),
        };
        let pointwise = PointwisePolicy { threads, elements: 256 };
        Policy { pointwise, msm, ntt: NTT }
    }
}

impl PointwisePolicy {
    /// Threads for `n` elements: at most `n`, and 0 for none.
    pub(super) fn inverting_threads(&self, n: u32) -> u32 {
        n.div_ceil(self.elements.max(1)).max(self.threads.min(n))
    }
}

impl MsmPolicy {
    /// The cheapest shape for `n` scalars of `bits` bits.
    pub fn digit_shape(&self, bits: u32, n: usize) -> DigitShape {
        let cost = |shape: &DigitShape| {
            let buckets = 1u64 << (shape.window - 1);
            let fixed = buckets.saturating_mul(self.bucket_cost).saturating_add(self.window_cost);
            let per_window = (n as u64).saturating_mul(100).saturating_add(fixed);
            per_window.saturating_mul(u64::from(shape.windows))
        };
        (2..=16)
            .map(|window| DigitShape { window, windows: windows_of(bits, window) })
            .min_by_key(cost)
            .expect("the range of windows is not empty")
    }

    /// Slices for at most `entries` entries.
    pub(super) fn slices(&self, entries: usize) -> u32 {
        let wanted = entries as u64 / u64::from(self.entries_per_slice.max(1));
        let wanted = wanted.clamp(1, u64::from(self.max_slices.clamp(1, MAX_SLICES))) as u32;
        wanted.next_multiple_of(32)
    }

    /// Buckets a thread reduces, for windows of `window` bits: a power of two dividing their buckets.
    pub(super) fn chunk(&self, window: u32) -> u32 {
        let chunk = self.chunk.max(1);
        (1 << (31 - chunk.leading_zeros())).min(1 << (window - 1))
    }
}

/// Windows of `window` bits that hold every signed-digit form of a scalar of `bits` bits:
/// the carry out of the top digit needs one bit more than the scalar.
pub fn windows_of(bits: u32, window: u32) -> u32 {
    (bits + 1).div_ceil(window)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::{BigInt, BigUint};

    /// The digit recoding that the `digits` kernel specifies, on the host.
    fn signed_digits(scalar: &BigUint, shape: DigitShape) -> (Vec<i64>, u64) {
        let half = 1u64 << (shape.window - 1);
        let mut carry = 0;
        let mut digits = vec![];
        for w in 0..shape.windows {
            let bits = (scalar >> (w * shape.window)) & BigUint::from(2 * half - 1);
            let value = u64::try_from(bits).unwrap() + carry;
            carry = u64::from(value > half);
            digits.push(value as i64 - (carry as i64 * 2 * half as i64));
        }
        (digits, carry)
    }

    #[test]
    fn every_window_holds_every_scalar() {
        let moduli: [BigUint; 5] = [
            "21888242871839275222246405745257275088548364400416034343698204186575808495617".parse().unwrap(),
            "52435875175126190479447740508185965837690552500527637822603658699938581184513".parse().unwrap(),
            (BigUint::from(1u32) << 256) - BigUint::from(189u32),
            BigUint::from(13u32),
            BigUint::from(3u32),
        ];
        for r in moduli {
            let bits = r.bits() as u32;
            let scalars = [BigUint::ZERO, 1u32.into(), 2u32.into(), &r / 2u32, &r / 2u32 + 1u32, &r - 1u32];
            for window in 2..=16 {
                let shape = DigitShape { window, windows: windows_of(bits, window) };
                let half = 1i64 << (window - 1);
                for scalar in &scalars {
                    let (digits, carry) = signed_digits(scalar, shape);
                    assert_eq!(carry, 0, "{scalar} in windows of {window}");
                    assert!(digits.iter().all(|d| (-half..=half).contains(d)));
                    let sum = digits.iter().rev().fold(BigInt::ZERO, |acc, d| (acc << window) + d);
                    assert_eq!(sum, BigInt::from(scalar.clone()), "windows of {window}");
                }
            }
        }
    }

    fn few() -> MsmPolicy {
        Policy::for_device(&DeviceProperties {
            name: "few".into(),
            multiprocessors: 2,
            compute: 75,
            memory: 0,
        })
        .msm
    }

    #[test]
    fn windows_grow_with_the_number_of_scalars() {
        let window = |n| few().digit_shape(254, n).window;
        assert!(window(1) <= 5, "{}", window(1));
        assert!((7..=11).contains(&window(1 << 12)), "{}", window(1 << 12));
        assert_eq!(window(1 << 26), 16);
        assert!((2..=16).contains(&window(usize::MAX)));
        for n in [0, 1, 100, 1 << 20] {
            let shape = few().digit_shape(254, n);
            assert_eq!(shape.windows, windows_of(254, shape.window));
        }
    }

    #[test]
    fn inversions_are_shared_without_idle_threads() {
        let policy = PointwisePolicy { threads: 100, elements: 16 };
        let threads = |n| policy.inverting_threads(n);
        assert_eq!([0, 1, 99, 100, 1600, 1601].map(threads), [0, 1, 99, 100, 100, 101]);
        let narrow = PointwisePolicy { threads: 0, elements: 0 };
        assert_eq!(narrow.inverting_threads(7), 7);
    }

    #[test]
    fn slices_and_chunks_are_launchable() {
        let policy = few();
        assert_eq!(policy.slices(1), 32);
        assert_eq!(policy.slices(1 << 31), policy.max_slices);
        assert_eq!((policy.chunk(2), policy.chunk(3), policy.chunk(16)), (2, 4, 32));
        assert_eq!(MsmPolicy { chunk: 48, ..policy }.chunk(16), 32);
    }
}
