//! Launch policies as data. Results never depend on them, only time and memory do.

mod measured;
mod parts;
mod runs;
mod table;

pub use measured::{MeasuredWindow, MeasuredWindows};
pub use parts::PartsPolicy;
pub(crate) use runs::Runs;
#[cfg(feature = "wgpu")]
pub(crate) use table::is_faster_by_words_32;
pub(crate) use table::{keep, of_user};

use crate::vocabulary::{DigitShape, LEAST_ODD_WINDOW, widest_window};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::ntt_is_short;
use curvesmith_device::DeviceProperties;

/// All policies of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// For the MSM.
    pub msm: MsmPolicy,
    /// For the NTT.
    pub ntt: NttPolicy,
    /// For elementwise operations.
    pub pointwise: PointwisePolicy,
    /// For products with sparse matrices.
    pub spmv: SpMvPolicy,
    /// Windows of MSMs that were measured, which go before those of [`MsmPolicy`]'s model.
    pub windows: MeasuredWindows,
}

/// Which rows of a sparse matrix are for threads, which for warps, and which for several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpMvPolicy {
    /// Warps whose instructions the device issues at once.
    pub warps_at_once: u64,
    /// How many times longer a warp takes by itself than in company.
    pub latency: u64,
    /// Least and most additions of a piece of a row that is cut: at least 8, the price of a product.
    pub piece: [u64; 2],
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
    /// Multiprocessors of the device.
    pub multiprocessors: u32,
    /// Price of reducing one bucket, in hundredths of a mixed addition into it.
    pub bucket_cost: u64,
    /// Price of combining one window, in the same unit; it does not shrink with more threads.
    pub window_cost: u64,
    /// Least number of entries of a slice of the accumulation.
    pub entries_per_slice: u32,
    /// Least number of entries of a slice where digits that are 0 leave few, 1 to 2^10.
    pub least_slice: u32,
    /// Most sums by bits of an MSM, one a bit of the scalars or, with multiples, of a window, that the host
    /// combines by itself.
    pub host_sums: u32,
    /// Most sums by bits that a thread combines where they are more: a doubling and an addition each.
    pub thread_sums: u32,
    /// The same over extension fields whose coordinates have up to 8 words a component.
    pub thread_sums_of_extensions: u32,
    /// Least number of pairs of a thread, which share its inversion, of a round of affine additions before
    /// the accumulation, in groups that have [`PairSums`](curvesmith_abi::kernels::PairSums).
    pub pairs_per_thread: u32,
    /// Most bytes of the sums of such a round: where they are more, there is none.
    pub affine_bytes: u64,
    /// Most bytes that a key's bases and their precomputed multiples take.
    pub multiples_bytes: u64,
    /// Most waves of the accumulation: times that all threads which the device holds at once are filled.
    /// Slices are as many as fill the last wave.
    pub max_waves: u32,
    /// Least number of rows, in waves of their accumulation, from which on it is [by balanced
    /// rows](crate::MsmStrategy::RowBalanced) in groups over prime fields.
    pub row_waves: u32,
    /// Most (digit, base) entries sorted at once, below 2^31; longer MSMs run in parts.
    pub max_entries: u32,
    /// Most buckets of the shapes that the model chooses, of all sets together.
    pub max_buckets: u64,
    /// Where scalars of the host are cut; `None` where they are not.
    pub parts: Option<PartsPolicy>,
}

/// How an NTT is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NttPolicy {
    /// Largest `log_n` for which powers of a coset shift are kept as a vector. A pass with
    /// the vector costs one product an element, without it half of `log_n`.
    pub max_cached_log_n: u32,
    /// Most stages of a pass, the logarithm of its radix: at most
    /// [`Geometry::ntt_max_log_radix`] of the field, and at least what makes no pass shorter than
    /// the elements of a thread, or else the nearer of them.
    pub max_log_radix: u32,
    /// The same in fields whose elements are [short](curvesmith_abi::kernels::ntt_is_short).
    pub max_log_radix_of_short: u32,
}

impl NttPolicy {
    /// Most stages of a pass in a field of `words` words, under a geometry.
    pub fn log_radix(&self, geometry: &Geometry, words: usize) -> u32 {
        // With fewer stages than this some pass would be shorter than the elements of a thread.
        let least = 2 * geometry.ntt_log_elements(words) - 1;
        let most = if ntt_is_short(words) { self.max_log_radix_of_short } else { self.max_log_radix };
        most.clamp(least, geometry.ntt_max_log_radix(words))
    }
}

/// Row of a device with few multiprocessors, which is how the emulator looks: as little work in all as
/// possible. Modelled by counting additions: a bucket costs two full ones, 1.4 mixed ones each.
const FEW_THREADS: MsmPolicy = MsmPolicy {
    multiprocessors: 1,
    bucket_cost: 280,
    window_cost: 2_000,
    entries_per_slice: 64,
    least_slice: LEAST_SLICE,
    host_sums: HOST_SUMS,
    thread_sums: THREAD_SUMS,
    thread_sums_of_extensions: THREAD_SUMS_OF_EXTENSIONS,
    pairs_per_thread: u32::MAX,
    affine_bytes: 0,
    multiples_bytes: 0,
    max_waves: 16,
    row_waves: u32::MAX,
    max_entries: (1 << 31) - 1,
    max_buckets: u64::MAX,
    parts: None,
};

/// Measured on an H200: copies of 32 MiB and more from ordinary memory, 2^18 to 2^22 scalars, four groups
/// (`docs/log/experiments.md`, "Scalars in two parts"). What a row costs that begins with its bucket's sum:
/// on an H100, G1 of BN254, 2^20 to 2^24, between 1 and 2 there is no difference.
pub(crate) const MEASURED_PARTS: PartsPolicy = PartsPolicy {
    byte_ps: 40,
    entry_ps: 25,
    product_ps: 3,
    bucket_entries: 6,
    row_entries: 2,
    part_ns: 200_000,
    most: 6,
};

/// Measured on an H200, BN254, 2^12 to 2^24 (`docs/log/experiments.md`, "Passes in shared memory"): passes of
/// 8 stages are the fastest up to 2^22, at 2^24 those of 6 take 1 % less. BabyBear, whose elements are short,
/// 2^12 to 2^24: passes of 9 stages make two of 2^18 in place of three, and take a fifth less time; no other
/// of the sizes measured has other passes by them.
const NTT: NttPolicy = NttPolicy { max_cached_log_n: 24, max_log_radix: 8, max_log_radix_of_short: 9 };

/// Slices of `l` entries take `l` additions one after the other, and the merge of `e/l` of them, all of one
/// bucket, `log2(e/l)`; in all there are `e` cheap additions and `e/l` more expensive ones. Modelled: 2 or 3
/// entries have the least latency, and 8 have three to five additions more, and an eighth of the work of
/// merging.
const LEAST_SLICE: u32 = 8;

/// A doubling and an addition take a thread of an H200 4.5 µs in BN254's G1, where a core takes 0.7 for them
/// and to read the point, a launch 5 µs, and in larger fields all of them grow alike. Modelled: of 254 sums,
/// runs of `k` take `5 + 4.5·k + 254/k` µs and the doublings that are always the host's, least at 7 or 8. Up
/// to 48 sums the device would save nothing. Runs of up to 9 leave at most 52 points of scalars up to 256
/// bits whatever the window: the six sums of a proof, of which one counts twice, are then 60 kB with
/// coordinates of 12 words.
const HOST_SUMS: u32 = 48;
const THREAD_SUMS: u32 = 9;

/// Over an extension field a thread calls its products one after the other, so that a run costs it more,
/// beside a core, than in the prime field: with runs of 9 an MSM in BN254's G2 of 2^16 took some 7 % longer
/// on an H200 than where the host combined all. Modelled, not timed: with four times the thread's time in G1
/// and 2.7 times the core's, runs of `k` take `5 + 18·k + 480/k` µs, least at 5. They leave at most 86
/// points, so that a proof's sums are 44 kB with coordinates of 8 words; with 12 words they would be more
/// than 64 kB.
const THREAD_SUMS_OF_EXTENSIONS: u32 = 5;
/// Words of a component of a coordinate up to which that is so.
const EXTENSION_WORDS: usize = 8;

/// Multiprocessors from which a device wants many threads.
const MANY_FROM: u32 = 8;

/// Threads a multiprocessor is given in elementwise operations that share an inversion. Modelled, not
/// measured.
const THREADS_PER_MULTIPROCESSOR: u32 = 512;

/// Most bytes of a bucket: four coordinates over a quadratic extension of a field of 16 words.
const BUCKET_BYTES: u64 = 4 * 2 * 16 * 4;

/// Most slices the accumulation kernels can count without wrapping.
pub(crate) const MAX_SLICES: u32 = 1 << 20;

impl Policy {
    /// The policies for a device.
    pub fn for_device(properties: &DeviceProperties) -> Policy {
        let msm = if properties.multiprocessors < MANY_FROM {
            MsmPolicy { multiprocessors: properties.multiprocessors, ..FEW_THREADS }
        } else {
            MsmPolicy {
                multiprocessors: properties.multiprocessors,
                // Reduction runs with fewer threads than accumulation, so a bucket counts more. Measured on
                // an H200, BN254 2^16 to 2^20: 600 to 1000 make no difference from 2^18 on, 600 is slower at
                // 2^16.
                bucket_cost: 800,
                window_cost: 2_000,
                // As measured at 2^16: 24 to 32 are best, 64 is a tenth slower.
                entries_per_slice: 32,
                least_slice: LEAST_SLICE,
                host_sums: HOST_SUMS,
                thread_sums: THREAD_SUMS,
                thread_sums_of_extensions: THREAD_SUMS_OF_EXTENSIONS,
                // On an H200, coordinates of 24 words in G2 or BW6-761, 2^14 to 2^20: 8 and 16 make no
                // difference, 32 is 3 % slower.
                pairs_per_thread: 8,
                // With those of the next round, which are half as many, less than half of the memory.
                affine_bytes: properties.memory / 4,
                multiples_bytes: properties.memory / 4,
                // On an H200 four waves take 2 % less time than one at 2^20 and 5 % less at 2^22, six no
                // less.
                max_waves: 4,
                // On an H100, BN254's and BLS12-381's G1, 2^16 to 2^24: with 5 and more of them rows take up
                // to 6 % less time, with 1 to 2.4 from 2 % less to a tenth more, with half of one a quarter
                // more.
                row_waves: 4,
                // Keys and entries, twice, at 4 bytes: 4 GiB for 2^28.
                max_entries: 1 << 28,
                max_buckets: u64::MAX,
                parts: Some(MEASURED_PARTS),
            }
        };
        // Kernels take buckets, and the sums of a round of pairs, in one buffer.
        let msm = MsmPolicy {
            max_buckets: properties.binding / BUCKET_BYTES,
            affine_bytes: msm.affine_bytes.min(properties.binding),
            ..msm
        };
        let threads = match properties.multiprocessors {
            few if few < MANY_FROM => 32,
            many => many.saturating_mul(THREADS_PER_MULTIPROCESSOR),
        };
        let pointwise = PointwisePolicy { threads, elements: 256 };
        // Four schedulers a multiprocessor. Modelled, not measured.
        let spmv = match properties.multiprocessors {
            few if few < MANY_FROM => SpMvPolicy { warps_at_once: 1, latency: 1, piece: [256; 2] },
            many => SpMvPolicy { warps_at_once: 4 * u64::from(many), latency: 4, piece: [512, 4096] },
        };
        Policy { pointwise, msm, ntt: NTT, spmv, windows: MeasuredWindows::default() }
    }
}

impl PointwisePolicy {
    /// Threads for `n` elements: at most `n`, and 0 for none.
    pub(crate) fn inverting_threads(&self, n: u32) -> u32 {
        n.div_ceil(self.elements.max(1)).max(self.threads.min(n))
    }
}

impl MsmPolicy {
    /// The cheapest shape for `n` scalars of `bits` bits.
    pub fn digit_shape(&self, bits: u32, n: usize) -> DigitShape {
        self.shape_with_multiples(bits, n, 1)
    }

    /// As [`MsmPolicy::digit_shape`], with at most `most` multiples of each base.
    pub fn shape_with_multiples(&self, bits: u32, n: usize, most: u32) -> DigitShape {
        self.cheapest(
            n,
            (2..=widest_window(most)).map(|window| DigitShape::with_multiples(bits, window, most)),
        )
    }

    /// As [`MsmPolicy::shape_with_multiples`], of bases that are stored times `2^0` to `2^tau`, `tau ≥ 1`;
    /// see [`DigitShape::with_doublings`].
    pub fn shape_with_doublings(&self, bits: u32, n: usize, most: u32, tau: u32) -> DigitShape {
        let shape = |window| DigitShape::with_multiples(bits, window, most).with_doublings(tau);
        self.cheapest(n, (LEAST_ODD_WINDOW..=widest_window(most)).map(shape))
    }

    /// As [`MsmPolicy::shape_with_multiples`], of regular digits.
    pub fn regular_shape(&self, bits: u32, n: usize, most: u32) -> DigitShape {
        self.cheapest(n, (2..=widest_window(most)).map(|window| DigitShape::regular(bits, window, most)))
    }

    /// Where all have too many buckets, that with the fewest.
    fn cheapest(&self, n: usize, shapes: impl Iterator<Item = DigitShape>) -> DigitShape {
        let key = |shape: &DigitShape| match u64::from(shape.sets) << shape.log_buckets() {
            buckets if buckets <= self.max_buckets => (0, self.cost(n, *shape)),
            buckets => (buckets, 0),
        };
        shapes.min_by_key(key).expect("the range of windows is not empty")
    }

    /// Whether a kernel is taken by what is done without options that ask for it.
    pub(crate) fn takes(&self, kernel: &str) -> bool {
        match kernel {
            "base_multiples" => self.multiples_bytes > 0,
            "accumulate_rows" | "row_counts" | "row_order" => self.row_waves < u32::MAX,
            "pair_counts" | "pair_entries" | "pair_sums" => self.affine_bytes > 0,
            "digits_odd" | "digits_regular" | "inverse" | "batch_inverse" => false,
            _ => true,
        }
    }

    /// Modelled price of an MSM of `n` scalars, in hundredths of a mixed addition.
    pub(crate) fn cost(&self, n: usize, shape: DigitShape) -> u64 {
        let buckets = shape.buckets();
        let a_set = buckets.saturating_mul(self.bucket_cost).saturating_add(self.window_cost);
        let entries = (n as u64).saturating_mul(u64::from(shape.windows()));
        entries.saturating_mul(100).saturating_add(a_set.saturating_mul(u64::from(shape.sets)))
    }

    /// Which sums by bits of an MSM the device combines, in a group whose coordinates have `degree`
    /// components of `words` words.
    pub(crate) fn runs(&self, shape: DigitShape, words: usize, degree: usize) -> Runs {
        if shape.sums() <= self.host_sums as usize {
            return Runs::singles(shape);
        }
        let of_extension = degree > 1 && words <= EXTENSION_WORDS;
        let most = if of_extension { self.thread_sums_of_extensions } else { self.thread_sums };
        Runs::up_to(shape, most as usize)
    }

    /// Slices for at most `entries` entries on a device that holds `wave` of them at once, in blocks of
    /// `block` on each of its `multiprocessors`: whole waves, or a part of the first, with as many blocks on
    /// each multiprocessor, or a part of that.
    pub(crate) fn slices(&self, entries: usize, wave: u32, block: u32) -> u32 {
        let wave = wave.clamp(32, MAX_SLICES);
        let one_each = self.multiprocessors.saturating_mul(block).clamp(32, wave);
        let most = u64::from(self.max_waves.max(1)) * u64::from(wave);
        let wanted = entries as u64 / u64::from(self.entries_per_slice.max(1));
        let wanted = wanted.clamp(1, most.min(u64::from(MAX_SLICES))) as u32;
        match wanted / wave {
            0 if wanted > one_each => wanted / one_each * one_each,
            0 => wanted.next_multiple_of(32).min(wave),
            waves => waves * wave,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::windows_of;
    use curvesmith_abi::{Flavour, Limits};
    use num_bigint::{BigInt, BigUint};

    /// The digit recoding that the `digits` kernel specifies, on the host.
    fn signed_digits(scalar: &BigUint, shape: DigitShape) -> (Vec<i64>, u64) {
        let half = 1u64 << (shape.window - 1);
        let mut carry = 0;
        let mut digits = vec![];
        for w in 0..shape.windows() {
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
            for window in 2..=24 {
                let shape = DigitShape::new(bits, window);
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
            binding: u64::MAX,
            flavour: Flavour::PTX,
            geometry: Geometry::PTX,
            limits: Limits::PTX,
        })
        .msm
    }

    #[test]
    fn kernels_that_are_not_taken_are_there() {
        let names: Vec<_> =
            curvesmith_abi::kernels::all(&Geometry::PTX).iter().map(|desc| desc.name).collect();
        let left = |policy: &MsmPolicy| names.iter().filter(|name| !policy.takes(name)).count();
        assert_eq!(left(&few()), 11);
        let many = MsmPolicy { multiples_bytes: 1, row_waves: 4, affine_bytes: 1, ..few() };
        assert_eq!(left(&many), 4);
    }

    /// Kernels reach all buckets where some window has so few, and as many as they can where none has.
    #[test]
    fn windows_have_no_more_buckets_than_launches_reach() {
        let window = |max_buckets| MsmPolicy { max_buckets, ..few() }.digit_shape(254, 1 << 26).window;
        assert_eq!([u64::MAX, 16 << 15, 1 << 18, 1376, 0].map(window), [17, 16, 14, 6, 2]);
    }

    #[test]
    fn windows_grow_with_the_number_of_scalars() {
        let window = |n| few().digit_shape(254, n).window;
        assert!(window(1) <= 5, "{}", window(1));
        assert!((7..=11).contains(&window(1 << 12)), "{}", window(1 << 12));
        assert_eq!(window(1 << 26), 17);
        assert!((2..=17).contains(&window(usize::MAX)));
        for n in [0, 1, 100, 1 << 20] {
            let shape = few().digit_shape(254, n);
            assert_eq!((shape.windows(), shape.multiples), (windows_of(254, shape.window), 1));
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

    /// Windows that policies choose, for scalars of 253 to 256 bits: the sums of a proof, five of which one
    /// is in G2, and one in G1 counts twice.
    #[test]
    fn the_points_of_a_proof_are_few() {
        for (window, bits) in (2..=24).flat_map(|window| [253, 254, 255, 256].map(|bits| (window, bits))) {
            let shape = DigitShape::new(bits, window);
            let bytes = |words: usize, degree: usize| {
                few().runs(shape, words, degree).points() * 4 * 4 * words * degree
            };
            for words in [8, 12] {
                let proof = 4 * bytes(words, 1) + bytes(words, 2);
                assert!(proof < 64_000, "{proof} bytes of windows of {window} bits, {words} words");
            }
            let points =
                [(8, 1), (8, 2), (12, 2)].map(|(words, degree)| few().runs(shape, words, degree).points());
            assert!(points[0] <= 52 && points[1] <= 86 && points[2] == points[0], "{points:?}");
        }
    }

    #[test]
    fn short_elements_have_longer_passes() {
        let policy = NttPolicy { max_cached_log_n: 0, max_log_radix: 8, max_log_radix_of_short: 9 };
        assert_eq!(
            [1, 2, 3, 8, 16, 24].map(|words| policy.log_radix(&Geometry::PTX, words)),
            [9, 9, 8, 8, 8, 7]
        );
        let [least, most] =
            [0, u32::MAX].map(|log| NttPolicy { max_log_radix: log, max_log_radix_of_short: log, ..policy });
        assert_eq!([1, 2, 3, 8, 24].map(|words| least.log_radix(&Geometry::PTX, words)), [7, 7, 3, 3, 1]);
        assert_eq!([1, 2, 3, 8, 24].map(|words| most.log_radix(&Geometry::PTX, words)), [10, 10, 8, 8, 7]);
    }

    #[test]
    fn slices_fill_whole_waves() {
        let policy = MsmPolicy { max_waves: 3, entries_per_slice: 10, multiprocessors: 5, ..few() };
        let slices = |entries| policy.slices(entries, 1000, 128);
        assert_eq!([0, 1, 330, 6_390, 6_401].map(slices), [32, 32, 64, 640, 640]);
        assert_eq!([9_999, 10_000].map(slices), [640, 1000]);
        let many = MsmPolicy { multiprocessors: 2, ..policy };
        assert_eq!([2_570, 7_679, 7_680].map(|entries| many.slices(entries, 1000, 128)), [256, 512, 768]);
        assert_eq!([19_999, 20_000, 30_000, 1 << 31].map(slices), [1000, 2000, 3000, 3000]);
        assert_eq!(policy.slices(1 << 31, u32::MAX, 128), MAX_SLICES);
        assert_eq!(policy.slices(1 << 31, 0, 128), 96);
    }
}
