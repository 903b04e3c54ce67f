//! The kernels of curvesmith.
//!
//! In every kernel with a parameter `n`, threads with global index ≥ `n` do nothing. Lengths, those of all
//! buffers in elements among them, are below 2^31, so that indices rounded up to whole blocks stay below
//! 2^32.

use crate::{Form, Geometry, TableShape, kernel};

kernel! {
    /// `out[i] = a[i] + b[i]`.
    Field FieldAdd = "add" [threads] { a: In Field, b: In Field, out: InOut Field, n: u32 }
    /// `out[i] = a[i] - b[i]`.
    Field FieldSub = "sub" [threads] { a: In Field, b: In Field, out: InOut Field, n: u32 }
    /// `out[i] = a[i] · b[i]`.
    Field FieldMul = "mul" [threads] { a: In Field, b: In Field, out: InOut Field, n: u32 }
    /// `out[i] = -a[i]`.
    Field FieldNeg = "neg" [threads] { a: In Field, out: InOut Field, n: u32 }
    /// `out[i] = 2·a[i]`.
    Field FieldDbl = "dbl" [threads] { a: In Field, out: InOut Field, n: u32 }
    /// `out[i] = a[i]²`.
    Field FieldSqr = "sqr" [threads] { a: In Field, out: InOut Field, n: u32 }
    /// `out[i] = a[i] · c[0]`.
    Field FieldMulConst = "mul_const" [threads] { a: In Field, c: In Field, out: InOut Field, n: u32 }
    /// `out[i] = a[i]·b[i] - c[i]`; the Circom quotient on the coset.
    Field FieldMulSub = "mul_sub" [threads] { a: In Field, b: In Field, c: In Field, out: InOut Field, n: u32 }
    /// `out[i] = 1/a[i]`, and 0 for 0.
    Field FieldInverse = "inverse" [threads] { a: In Field, out: InOut Field, n: u32 }
    /// As [`FieldInverse`], with one inversion for all elements of a thread: `t`, `t + threads`, …
    /// `1 ≤ threads ≤ n < 2^31`; one thread for each `t < threads`.
    Field FieldBatchInverse = "batch_inverse" [threads] { a: In Field, out: InOut Field, n: u32, threads: u32 }
    /// `out[i] = a[i] · base^(start + i)`, with `base_pows[j] = base^(2^j)`, 32 entries; `start + n ≤ 2^32`.
    Field FieldScalePowers = "scale_powers" [threads] { a: In Field, base_pows: In Field, out: InOut Field, start: u32, n: u32 }

    /// Signed window digits of canonical scalars (Montgomery in, converted inside).
    ///
    /// For scalar `i` and window `w` in `0..sets·multiples` of `c` bits, the digit `d` lies in
    /// `[-2^(c-1), 2^(c-1)]` and `Σ d_w·2^(cw)` is the scalar. Window `w = j·sets + s` belongs to the set `s`
    /// of buckets, and to the multiple `j` of base `i` that [`BaseMultiples`] makes, which has the number
    /// `i·multiples + j`. Writes, at `(s·multiples + j)·n + i`, the code `sign << 31 | s·2^(c-1) + |d| - 1`,
    /// and [`NO_DIGIT`] for `d = 0`. `1 ≤ c ≤ 24`, `sets·multiples·c ≥ bits + 1` for scalars below `2^bits`,
    /// `sets·2^(c-1) < 2^31` and `sets·multiples·n < 2^31`.
    Field Digits = "digits" [threads] { scalars: In Field, codes: InOut U32, c: u32, sets: u32, multiples: u32, n: u32 }
    /// As [`Digits`], for bases that are stored times `2^0` to `2^tau`: a digit `d` that is not 0 is `±m·2^e`
    /// with `e` as large as `tau` and `d` allow, so that `m` is odd, or else `e = tau` and `m ≤ 2^(c-1-tau)`
    /// (Chen et al., §3.1, where such digits are doubled instead). Its code is
    /// `sign << 31 | e << ODD_KEY_BITS | s << log_b | b`, with the bucket `b = (m - 1)/2` of odd `m`, and
    /// `2^(c-2) + m/2 - 1` of even. `3 ≤ c`, `1 ≤ tau ≤ c - 1`, `log_b = c - 2` where `tau = c - 1` and all
    /// `m` are odd, else `c - 1`, and `sets << log_b` is at most `2^ODD_KEY_BITS`.
    Field DigitsOdd = "digits_odd" [threads] { scalars: In Field, codes: InOut U32, c: u32, sets: u32, multiples: u32, tau: u32, log_b: u32, n: u32 }

    /// As [`Digits`], by the regular recoding of odd numbers of [Joye and
    /// Tunstall](https://doi.org/10.1007/978-3-642-02384-2_21) (2009, algorithm 6), for the same work
    /// whatever the scalars are: every digit is odd, with `|d| < 2^c`, and none is 0. Of an even scalar `k`
    /// they are the digits of `r - k` with all signs changed, for the modulus `r`: `Σ d_w·2^(cw)` is `k` for
    /// odd ones and `k - r` for even ones. The code is `sign << 31 | s·2^(c-1) + (|d| - 1)/2`, as
    /// [`DigitsOdd`] writes those of the exponent 0. `2 ≤ c`, `sets·multiples·c ≥ bits` for a modulus below
    /// `2^bits`, `sets·2^(c-1)` is at most `2^ODD_KEY_BITS`.
    Field DigitsRegular = "digits_regular" [threads] { scalars: In Field, codes: InOut U32, c: u32, sets: u32, multiples: u32, n: u32 }

    /// `log_r` stages of transforms of `n = 2^log_n` elements after `log_done` of them,
    /// `1 ≤ log_r ≤ log_n - log_done`, at most [`Geometry::ntt_max_log_radix`], and at least `log_n` or
    /// [`Geometry::ntt_log_elements`], the smaller of them. Vector `v` is handled by [`Geometry::ntt_blocks`]
    /// blocks; its element `i` is `a[v·vector_from + i·element_from]`, and of the results
    /// `out[v·vector_to + i·element_to]`.
    ///
    /// A pass in radix `r = 2^log_r`, out of place, multiplies column `j < n/r` of `r` elements by factors
    /// and transforms it with the root `W_r` of the field: `-1` for `r = 2`, else `z^((p-1)/r)` for the least
    /// quadratic nonresidue `z`. It is transformed for the root `ω_r` with `ω_r^turn = W_r`, `turn` odd,
    /// whose element `turn·q mod r` is taken as that number `q` of `W_r`. Element `q` of the column is at
    /// `±(J + q·2^log_from) mod n`, where `J` has the bits of `j`, and `log_r` zeros in between from bit
    /// `log_from` on; result `m` goes to `±(J' + m·2^log_to) mod n`, with `J'` likewise by `log_to`. With bit
    /// 0 of `reverse` the `log_r` bits of `q` are reversed there, with bit 1 those of `m`. Signs are 1, or
    /// `2^32 - 1` for negated indices: `sign_from` in a first pass, and `sign` in a last one whose results
    /// are in natural order.
    ///
    /// With `s = 2^log_done` and the twiddles `T[q·s + k] = ω^(q·k·n/(r·s))` of the pass that has those
    /// `log_r` and `log_done` in natural order, passes are, for
    /// * natural order on both sides, Stockham's (Govindaraju et al., *High performance discrete Fourier
    ///   transforms on graphics processors*, 2008): `log_from = log_n - log_r`, `log_to = log_done`, times
    ///   `T`;
    /// * bit-reversed order before and natural order after, in time: `log_from = log_to = log_done` and
    ///   `reverse = 1`, times `T`;
    /// * natural order before and bit-reversed order after, in frequency, which has the same passes the other
    ///   way round: `log_from = log_to = log_done` of that pass there, `reverse = 2`, times the `T` of the
    ///   pass before it, which has `2^log_before` for its radix.
    ///
    /// `scaled` 0 is for no factors, 2 for one of each element, `factors[i]` for what is at `i`, and 1 for
    /// `factors[q·step + (j & mask) + b·step·r]`, with the low `log_before` bits of `j >> log_from` reversed
    /// for `b`: `step = 2^log_done` and `mask = step - 1` for `T`; all zeros for one factor.
    ///
    /// A block has neighbouring columns, and transforms them by steps of as many elements as a thread holds,
    /// between which they are in shared memory. `inner` are the powers of the root `W` of order
    /// `2^log_inner ≥ r`: where the field [`ntt_has_tables`], as [`NttTables`] makes them, else elements.
    Field NttPass = "ntt_pass" [threads] { a: In Field, factors: In Field, inner: In Field, out: InOut Field, log_n: u32, log_r: u32, log_from: u32, log_to: u32, reverse: u32, scaled: u32, step: u32, mask: u32, log_before: u32, log_inner: u32, turn: u32, sign_from: u32, sign: u32, element_from: u32, vector_from: u32, element_to: u32, vector_to: u32 }
    /// Vectors of up to `2^log_n` elements to other places, times a factor for each where `scaled` is not 0:
    /// element `i` of vector `v` is `a[v·vector_from + i·element_from]` times `factors[i]`, and goes to
    /// `out[v·vector_to + i·element_to]`, for `v·2^log_n + i < n`.
    Field NttScale = "ntt_scale" [threads] { a: In Field, factors: In Field, out: InOut Field, log_n: u32, scaled: u32, element_from: u32, vector_from: u32, element_to: u32, vector_to: u32, n: u32 }
    /// The twiddles of a pass: `out[q·s + k] = base^(q·k)` for `s = 2^log_done`, `k < s`; `n` of them
    /// in all. `base_pows[j] = base^(2^j)`, 32 entries; `base` has order `r·s`.
    Field NttTwiddles = "ntt_twiddles" [threads] { base_pows: In Field, out: InOut Field, log_done: u32, n: u32 }
    /// `base^i` for `i < n` as tables of [`NTT_TABLE`]: entry `e` of them is at `out[e·n + i]`.
    /// `base_pows[j] = base^(2^j)`, 32 entries.
    Field NttTables = "ntt_tables" [threads] { base_pows: In Field, out: InOut Field, n: u32 }
    /// `out[i] = base^(i)` for `i < n`, with `base_pows[j] = base^(2^j)`, 32 entries.
    Field Powers = "powers" [threads] { base_pows: In Field, out: InOut Field, n: u32 }

    /// Rows of a sparse matrix times `x`, a thread a row: `out[rows[i]]`, for `i < n`, is the sum of `x[u]`,
    /// and of `-x[u]` where bit 31 of the unit is set, over the units `u` from `unit_starts[i]` to
    /// `unit_starts[i + 1]`, and of `values[k]·x[columns[k]]` over `starts[i] ≤ k < starts[i + 1]`. No row is
    /// there twice.
    Field SpMvThread = "spmv_thread" [threads] { rows: In U32, unit_starts: In U32, units: In U32, starts: In U32, columns: In U32, values: In Field, x: In Field, out: InOut Field, n: u32 }
    /// As [`SpMvThread`], a warp a row: `block/32` rows a block.
    Field SpMvWarp = "spmv_warp" [threads] { rows: In U32, unit_starts: In U32, units: In U32, starts: In U32, columns: In U32, values: In Field, x: In Field, out: InOut Field, n: u32 }

    /// What the passes of a radix sort of each of `segments` segments of `n` codes, as [`Digits`] writes
    /// them, need to know: of the low `key_bits` bits of their keys, pass `p < passes` sorts by those from
    /// `e_p = ⌊key_bits·p/passes⌋` on up to `e_(p+1)`, at most [`RADIX_BITS`]. Adds to
    /// `counts[first_p + (segment << (e_(p+1) - e_p) | digit)]`, where `first_p` are the counts of the passes
    /// before, the number of codes of the segment with the digit; [`NO_DIGIT`] is not counted. A block for
    /// `each` tiles of [`Geometry::radix_tile`] of a segment, which has `⌈⌈n/radix_tile⌉/each⌉` blocks.
    /// `1 ≤ passes ≤` [`RADIX_PASSES`], `segments·n < 2^31`, `n + each·radix_tile < 2^31`. Of geometries
    /// whose sort [looks back](Geometry::looks_back), as all of this sort.
    Common RadixCount = "radix_count" [sort_threads] { codes: In U32, counts: InOut U32, key_bits: u32, passes: u32, segments: u32, each: u32, n: u32 }
    /// The first pass: stable scatter of codes by the low `bits` bits of their keys, as pairs: the key,
    /// without the sign, and the entry `(i·multiples + j) | sign << 31` for code `j·n/multiples + i` of a
    /// segment, `i < n/multiples`; `multiples` divides `n`. `offsets` is the exclusive scan of the counts of
    /// [`RadixCount`], of all passes as they follow each other: segments follow each other without gaps.
    /// `states` are zeros before: the number of tiles that have begun, and for each tile of each segment,
    /// `tiles = ⌈n/radix_tile⌉`, `2^bits` words by which tiles tell each other of their digits. One block a
    /// tile, `n < 2^30`.
    Common RadixScatterFirst = "radix_scatter_first" [sort_threads] { codes: In U32, offsets: In U32, states: InOut U32, keys_out: InOut U32, entries_out: InOut U32, bits: u32, segments: u32, tiles: u32, multiples: u32, n: u32 }
    /// As [`RadixScatterFirst`], for codes as [`DigitsOdd`] writes them, whose keys are their low
    /// [`ODD_KEY_BITS`] bits, and bases of which `doublings` are stored for each multiple: the entry is
    /// `((i·multiples + j)·doublings + e) | sign << 31`.
    Common RadixScatterOdd = "radix_scatter_odd" [sort_threads] { codes: In U32, offsets: In U32, states: InOut U32, keys_out: InOut U32, entries_out: InOut U32, bits: u32, segments: u32, tiles: u32, multiples: u32, doublings: u32, n: u32 }
    /// As [`RadixScatterFirst`], for a later pass over pairs, whose counts begin at `first`, by the `bits`
    /// bits at `shift` of the keys. A segment has at most `tiles` tiles, and a key is below 2^31.
    Common RadixScatter = "radix_scatter" [sort_threads] { keys_in: In U32, entries_in: In U32, offsets: In U32, states: InOut U32, keys_out: InOut U32, entries_out: InOut U32, first: u32, shift: u32, bits: u32, segments: u32, tiles: u32 }
    /// Counts of a sort by counting, where no block waits for another: adds to `counts[k + 1]` the number of
    /// codes of `segments` segments of `n` whose key is `k`. Keys are the low `key_bits` bits: 31 of codes as
    /// [`Digits`] writes them, [`ODD_KEY_BITS`] as [`DigitsOdd`] does. [`NO_DIGIT`] is not counted. One
    /// thread a code, `segments·n < 2^31`.
    Common BucketCounts = "bucket_counts" [threads] { codes: In U32, counts: InOut U32, key_bits: u32, segments: u32, n: u32 }
    /// Puts codes in the order of their keys, as pairs of the key and of the entry that [`RadixScatterOdd`]
    /// makes. Those of [`Digits`] have the exponent 0 and one of `doublings`. In `places` is the exclusive
    /// scan of the counts of [`BucketCounts`], with the same `key_bits`: the pairs of key `k` begin at
    /// `places[k + 1]`, which each of them takes for its place and moves on by one. Afterwards they begin at
    /// `places[k]`, and end at `places[k + 1]`. Pairs of one key have any order. One thread a code,
    /// `segments·n < 2^31`.
    Common BucketScatter = "bucket_scatter" [threads] { codes: In U32, places: InOut U32, keys_out: InOut U32, entries_out: InOut U32, key_bits: u32, segments: u32, multiples: u32, doublings: u32, n: u32 }
    /// Exclusive scan of each [`Geometry::scan_tile`] words in place, one block a tile; the sum of tile `b`
    /// to `sums[b]`.
    Common ScanTiles = "scan_tiles" [sort_threads] { data: InOut U32, sums: InOut U32, n: u32 }
    /// `data[i] += offsets[i / scan_tile]`, one thread a word.
    Common ScanAdd = "scan_add" [threads] { data: InOut U32, offsets: In U32, n: u32 }
    /// `starts[k]` = least index `i` with `keys[i] ≥ k`, for `k` in `0..=buckets`; `keys` sorted. Keys
    /// `≥ g << shift` begin at `offsets[first + g] - offsets[first]`, for `g` in `0..=(buckets >> shift)`,
    /// and `2^shift` divides `buckets`: the offsets of the last pass of the sort.
    Common BucketStarts = "bucket_starts" [threads] { keys: In U32, offsets: In U32, starts: InOut U32, buckets: u32, shift: u32, first: u32 }

    /// Pairs that the entries of each bucket make, the last one alone where they are odd:
    /// `counts[k] = ⌈(starts[k+1] - starts[k])/2⌉` for `k < buckets`, and `counts[buckets] = 0`.
    Common PairCounts = "pair_counts" [threads] { starts: In U32, counts: InOut U32, buckets: u32 }
    /// The pairs of the `starts[buckets] ≤ n` sorted entries: those of bucket `k` are from `next_starts[k]`,
    /// the exclusive scan of [`PairCounts`], on. Pair `j` is of the entries `lefts[j]` and `rights[j]`,
    /// [`NO_ENTRY`] where there is none, and is, as [`PairSums`] leaves it, the entry `entries_out[j] = j`
    /// with the key `keys_out[j]`.
    Common PairEntries = "pair_entries" [threads] { keys: In U32, entries: In U32, starts: In U32, next_starts: In U32, keys_out: InOut U32, entries_out: InOut U32, lefts: InOut U32, rights: InOut U32, buckets: u32, n: u32 }
    /// `sums[j]` is the sum of `points` by the entries `lefts[j]` and `rights[j]` of [`PairEntries`],
    /// `j < starts[buckets]`, with the `starts` of the pairs. Thread `t` adds the pairs `t`, `t + threads`, …
    /// with one inversion for all of them. `1 ≤ threads`, one thread for each `t < threads`. Of groups that
    /// [`msm_has_pairs`].
    Group PairSums = "pair_sums" [threads] { points: In Affine, lefts: In U32, rights: In U32, starts: In U32, sums: InOut Affine, buckets: u32, threads: u32 }
    /// The rows of a matrix of sorted entries, for [`AccumulateRows`]. Row `r < buckets` has the entries
    /// `starts[r]..starts[r+1]`; where they are twice `len = max(⌈starts[buckets]/slices⌉, least)` or more,
    /// it is *cut* into as many parts of `len` or more as there may be, else it is *whole*. `counts[r]` is
    /// the number of parts of a cut row, 0 of others and for `r = buckets`. From `counts[buckets + 1]` on
    /// follow the numbers of whole rows with an entry by their class, the longest first, and tile of
    /// [`Geometry::row_tile`] rows, at `(ROW_CLASSES - 1 - class)·tiles + tile`, and a 0 behind the last.
    /// Rows of one class differ in length by a 64th at most: a length is its class up to 127, and beyond, its
    /// seven highest bits and their place are. One block a tile, `tiles = ⌈buckets/row_tile⌉`.
    /// `1 ≤ buckets ≤ 2^30`; `slices` and `least` as in [`Accumulate`].
    Common RowCounts = "row_counts" [row_threads] { starts: In U32, counts: InOut U32, buckets: u32, tiles: u32, slices: u32, least: u32 }
    /// The whole rows with an entry by the length's class, the longest first: `order[i]` is the row at place
    /// `i`. `offsets` is the exclusive scan of the `counts` of [`RowCounts`], whose other parameters are the
    /// same.
    Common RowOrder = "row_order" [row_threads] { starts: In U32, offsets: In U32, order: InOut U32, buckets: u32, tiles: u32, slices: u32, least: u32 }
    /// `out[i·multiples + j] = 2^(j·doublings)·points[i]`. `multiples ≥ 1`, `multiples·n < 2^31`.
    Group BaseMultiples = "base_multiples" [threads] { points: In Affine, out: InOut Affine, multiples: u32, doublings: u32, n: u32 }
    /// EqualSlices accumulation (Chen et al. §4): the `total = starts[buckets]` sorted entries are cut
    /// into `slices` slices of `len = max(⌈total/slices⌉, least)`. Slice `t` sums its runs of equal keys. Its
    /// first run goes to `partials[t]`, every later run to `sums[key]` (nobody else writes it).
    /// Slices past `total` write the identity to `partials[t]`. `sums` must hold identities, such as zeros.
    /// `total < 2^31`, `1 ≤ slices ≤ 2^20`, `1 ≤ least ≤ 2^10`.
    Group Accumulate = "accumulate" [threads, wide wide_threads] { bases: In Affine, keys: In U32, entries: In U32, starts: In U32, sums: InOut Point, partials: InOut Point, buckets: u32, slices: u32, least: u32 }
    /// As [`Accumulate`], a pair of neighbouring lanes a slice: each holds one coefficient of every
    /// coordinate. `2·slices` threads. Of groups that [`msm_has_lane_pairs`].
    Group AccumulateLanes = "accumulate_lanes" [threads, wide wide_threads] { bases: In Affine, keys: In U32, entries: In U32, starts: In U32, sums: InOut Point, partials: InOut Point, buckets: u32, slices: u32, least: u32 }
    /// Accumulation by balanced rows (Lu et al., *cuZK*, §4.1, CSR-Balanced). By `offsets` and `order` of
    /// [`RowOrder`], thread `t` has for `t < offsets[buckets]` the part `t - offsets[r]` of the cut row `r`
    /// with `offsets[r] ≤ t < offsets[r+1]`, of parts as equal as they may be, the longer ones first: its sum
    /// goes to `partials[t]`, and `r` to `part_rows[t]`. The next threads have the whole rows in their order,
    /// of which each sum is added to `sums[r]`. Other rows' sums are not touched. One thread for each part
    /// and each whole row, or more; there are at most `slices` parts. Of groups that [`msm_has_rows`].
    Group AccumulateRows = "accumulate_rows" [threads, wide wide_threads] { bases: In Affine, entries: In U32, starts: In U32, offsets: In U32, order: In U32, sums: InOut Point, partials: InOut Point, part_rows: InOut U32, buckets: u32, tiles: u32 }
    /// Segmented sums over `partials`, one thread a slice: the slices of [`Accumulate`] whose first key is
    /// equal form a segment `[s, e)`. The sum of those in a block of 128 slices is added to `sums[key]`,
    /// where the segment begins in the block; of a segment that began before, it goes to the block's first
    /// slice, its *head*, for [`MergeHeads`]. Leaves parts of sums in other partials.
    Group MergePartials = "merge_partials" [threads] { keys: In U32, starts: In U32, partials: InOut Point, sums: InOut Point, buckets: u32, slices: u32, least: u32 }
    /// Adds to `sums[key]`, of every segment that reaches into further blocks of [`MergePartials`], the heads
    /// of these: the partials of the multiples of 128 in `(s, e)`. One block for each multiple of 128 in
    /// `1..slices`, of which that of a segment's first head works. Leaves parts of sums in the heads.
    Group MergeHeads = "merge_heads" [threads] { keys: In U32, starts: In U32, partials: InOut Point, sums: InOut Point, buckets: u32, slices: u32, least: u32 }
    /// Sums of the buckets of each of `sets` sets of `2^log_b`, by the bits of their indices: `T = Σ P_i`,
    /// and for each bit `j` the sum `D_j` of the `P_i` whose `i` has it, so that
    /// `Σ (i+1)·P_i = T + Σ 2^j·D_j`. A launch takes `steps ≤` [`Geometry::bit_sums_steps`] bits after
    /// `done`, the lowest first, and leaves parts of sums in `points`; the last one, where
    /// `done + steps = log_b`, writes `T, D_0, …` of set `s` from `out[s·(log_b + 1)]` on. `2^(steps-1)`
    /// threads, neighbours, for each of the `done + 1` kinds of point in each of the
    /// `sets·2^(log_b-done-steps)` runs, in whole blocks. `1 ≤ steps`, fewer than `2^31` threads.
    Group BitSums = "bit_sums" [threads] { points: InOut Point, out: InOut Point, log_b: u32, done: u32, steps: u32, sets: u32 }
    /// Horner's rule over runs of the `n` sums that [`BitSums`] writes for sets of `2^(window-1)` buckets.
    /// Sum `q` has the weight `2^exp(q)`, where `exp(q) = q` if `window` divides `q`, as of a total, and else
    /// `q - 1`; with a `window` of 1, for digits of [`DigitsRegular`], always `q`. They are cut into spans of
    /// `span`, and these into `parts` runs of `each`: run `g < runs` is `[lo, hi)` with
    /// `lo = (g div parts)·span + (g mod parts)·each`, and has `each` sums or as many as are left of the span
    /// and of all, at least one. `out[g] = Σ 2^(exp(q) - exp(lo))·sums[q]` over the run, one thread a run.
    Group BitHorner = "bit_horner" [horner_threads] { sums: In Point, out: InOut Point, window: u32, span: u32, parts: u32, each: u32, n: u32, runs: u32 }

    /// Bucket sums by the same work whatever keys, entries and points are (Chen et al., §5): the `n` sorted
    /// entries are cut into `slices` slices of `len`, the last of which may be shorter, and thread `t` adds
    /// those of slice `t` one after the other. An entry goes to `sums[key]`, and one whose key is that of the
    /// slice's first entry to the slice's partial `sums[to + t]`, since that key's sum may be another
    /// slice's; in slice 0 there is none before it. Nobody writes what another thread does. What is in `sums`
    /// is added to; zeros are identities. Keys are below `to`, `(slices - 1)·len < n ≤ slices·len`, and
    /// `to + slices < 2^31`. In images for constant work.
    Group SliceSums = "slice_sums" [threads] { bases: In Affine, keys: In U32, entries: In U32, sums: InOut Point, to: u32, len: u32, n: u32, slices: u32 }
    /// As [`SliceSums`], of the `n` partials from `sums[from]` on, of which number `i` has the key
    /// `keys[offset + i·stride]`. In images for constant work.
    Group PartialSums = "partial_sums" [threads] { keys: In U32, sums: InOut Point, offset: u32, stride: u32, from: u32, to: u32, len: u32, n: u32, slices: u32 }

    /// `out[i] = a[i] + b[i]` on points. In images for constant work; of the others, for tests of the
    /// formula.
    Group PointAdd = "point_add" [threads] { a: In Point, b: In Point, out: InOut Point, n: u32 }
    /// `out[i] = a[i] + b[i]`, `b` affine. For tests of the formula: in no image.
    Group PointMadd = "point_madd" [threads] { a: In Point, b: In Affine, out: InOut Point, n: u32 }
    /// `out[i] = 2·a[i]`. For tests of the formula: in no image.
    Group PointDbl = "point_dbl" [threads] { a: In Point, out: InOut Point, n: u32 }
}

/// Shape of the tables of [`NttTables`].
pub const NTT_TABLE: TableShape = TableShape { step: 2, rows: 3 };

/// Whether elements of `words` words are short: a sector of memory, of 32 bytes, has several of them. In
/// passes of such fields addresses and exchanges cost more than what is done with an element.
pub const fn ntt_is_short(words: usize) -> bool {
    words <= 2
}

/// Whether [`NttPass`] multiplies by tables in a field of `words` words and a modulus of `bits` bits: where a
/// product by a table takes fewer word products than a Montgomery product, `words² + 3·words < 2·words²`; and
/// where sums of two elements fit the words, without which the products' gain goes into reductions.
pub const fn ntt_has_tables(words: usize, bits: usize) -> bool {
    words >= 4 && bits < 32 * words
}

/// Whether a group whose coordinates have `degree` parts of `words` words and whose points have this form has
/// [`PairSums`]. Affine addition takes 6 products where XYZZ takes 10, and its share of an inversion.
/// Measured on an H200, whole MSMs of 2^20 by it and without: with coordinates of 24 words 0.57 (BW6-761),
/// 0.69 (BLS12-377 G2) and 0.87 (BLS12-381 G2) of the time; with 16 the same, with 8 to 12 in G1 1.04 to
/// 1.18.
pub const fn msm_has_pairs(form: Form, words: usize, degree: usize) -> bool {
    matches!(form, Form::Xyzz) && words * degree >= 20
}

/// Whether a group whose coordinates have `degree` parts of `words` words and whose points have this form has
/// [`AccumulateLanes`]. Measured on an H100, whole MSMs of 2^16 to 2^20, by it and without: with coordinates
/// of 24 and 48 words 0.93 to 0.99 of the time, with 16 words 1.01 to 1.05 (`docs/log/experiments.md`,
/// "Points on pairs of lanes").
pub const fn msm_has_lane_pairs(geometry: &Geometry, form: Form, words: usize, degree: usize) -> bool {
    geometry.lane_pairs && matches!(form, Form::Xyzz) && degree == 2 && words * degree >= 20
}

/// Whether a group whose coordinates have `degree` parts has [`AccumulateRows`]. Measured on an H100, whole
/// MSMs of 2^20 by it and by equal slices: in G1 0.95 to 1 of the time, in BN254's G2 1.03, and 1.14 with
/// multiples.
pub const fn msm_has_rows(degree: usize) -> bool {
    degree == 1
}

/// What [`Digits`] writes for a digit that is 0.
pub const NO_DIGIT: u32 = u32::MAX;
/// Bits of a code of [`DigitsOdd`] that are its key; the five above them are an exponent, which is never 31.
pub const ODD_KEY_BITS: u32 = 26;
/// The place of an entry where there is none: no base has the index `2^31 - 1`.
pub const NO_ENTRY: u32 = u32::MAX;
/// Widest digit of the radix sort, in bits.
pub const RADIX_BITS: u32 = 8;
/// Most passes of it: a key has at most 31 bits.
pub const RADIX_PASSES: u32 = 4;
/// Classes of the lengths of rows, which are below 2^31: 64 a power of two, of which the first two have all
/// lengths below 128.
pub const ROW_CLASSES: u32 = 64 * (31 - 6 + 1);
