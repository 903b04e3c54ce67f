//! What the machine code of a kernel may not hold.

use super::{Assembled, Outcome};

/// Kernels that a proof spends its time in. Up to [`HOT_LIMBS`] they keep everything in registers.
const HOT: &[&str] = &[
    "accumulate",
    "accumulate_lanes",
    "accumulate_rows",
    "add",
    "base_multiples",
    "batch_inverse",
    "bit_horner",
    "bit_sums",
    "bucket_counts",
    "bucket_scatter",
    "bucket_starts",
    "dbl",
    "digits",
    "digits_odd",
    "digits_regular",
    "inverse",
    "merge_heads",
    "merge_partials",
    "mul",
    "mul_const",
    "mul_sub",
    "neg",
    "ntt_pass",
    "ntt_scale",
    "ntt_tables",
    "ntt_twiddles",
    "pair_counts",
    "pair_entries",
    "pair_sums",
    "partial_sums",
    "point_add",
    "powers",
    "radix_count",
    "radix_scatter",
    "radix_scatter_first",
    "radix_scatter_odd",
    "row_counts",
    "row_order",
    "scale_powers",
    "scan_add",
    "scan_tiles",
    "slice_sums",
    "spmv_thread",
    "spmv_warp",
    "sqr",
    "sub",
];
/// What symbols of kernels of constant work have between the group's name and the kernel's.
const CONSTANT: &str = "_constant_";
/// The most conditional branches, calls and ends of these in machine code, for compute capability 7.5 and for
/// later ones: threads past the last, slices and rounds that are empty for their place alone, and ends of
/// loops. Groups of 1 to 24 words a coordinate have as many; where a selection of words became a branch there
/// would be more.
const BRANCHES: &[(&str, [u32; 2])] = &[
    ("bit_horner", [7, 5]),
    ("bit_sums", [6, 6]),
    ("partial_sums", [3, 3]),
    ("point_add", [1, 1]),
    ("slice_sums", [3, 3]),
];
/// Kernels around one multiplier: here a carry outside the predicates is the emitter's fault.
const MULTIPLIERS: &[&str] = &["mul", "mul_const", "mul_sub", "sqr"];
/// Limbs of a coordinate, extension degree included, up to which a point formula fits the registers.
const HOT_LIMBS: u32 = 12;
/// The same for the accumulation, whose point is in shared memory.
const ACCUMULATION_LIMBS: u32 = 24;
/// Local memory of hot kernels that is there and known: symbol, compute capability, bytes of stack. More of
/// it fails. It is what a loop keeps while a product is called, an index, an address, and at 24 words
/// intermediate results; and in a pass of a transform the price of as many blocks as run fastest.
const KNOWN_LOCAL: &[(&str, u32, u32)] = &[
    ("bls12_377_g1_bit_sums", 75, 24),
    ("bls12_377_g1_bit_sums", 80, 24),
    ("bls12_377_g1_bit_sums", 90, 48),
    ("bls12_377_g1_bit_sums", 100, 48),
    ("bls12_377_g1_bit_sums", 120, 48),
    ("bls12_377_g1_merge_heads", 75, 24),
    ("bls12_377_g1_merge_heads", 80, 24),
    ("bls12_377_g1_merge_heads", 90, 16),
    ("bls12_377_g1_merge_heads", 100, 16),
    ("bls12_377_g1_merge_heads", 120, 16),
    ("bls12_381_g1_merge_heads", 75, 24),
    ("bls12_381_g1_merge_heads", 80, 24),
    ("bls12_381_g1_merge_heads", 90, 16),
    ("bls12_381_g1_merge_heads", 100, 16),
    ("bls12_381_g1_merge_heads", 120, 16),
    ("bls12_381_g2_accumulate", 75, 16),
    ("bls12_381_g2_accumulate", 80, 16),
    ("bls12_381_g2_accumulate", 90, 32),
    ("bls12_381_g2_accumulate", 100, 32),
    ("bls12_381_g2_accumulate", 120, 24),
    ("bls12_377_g2_accumulate", 75, 128),
    ("bls12_377_g2_accumulate", 80, 128),
    ("bls12_377_g2_accumulate", 90, 112),
    ("bls12_377_g2_accumulate", 100, 112),
    ("bls12_377_g2_accumulate", 120, 104),
    ("bw6_761_g1_accumulate", 75, 104),
    ("bw6_761_g1_accumulate", 80, 104),
    ("bw6_761_g1_accumulate", 90, 72),
    ("bw6_761_g1_accumulate", 100, 72),
    ("bw6_761_g1_accumulate", 120, 72),
    ("bw6_761_g1_pair_sums", 75, 64),
    ("bw6_761_g1_pair_sums", 80, 64),
    ("bw6_761_g2_accumulate", 75, 104),
    ("bw6_761_g2_accumulate", 80, 104),
    ("bw6_761_g2_accumulate", 90, 72),
    ("bw6_761_g2_accumulate", 100, 72),
    ("bw6_761_g2_accumulate", 120, 72),
    ("bw6_761_g2_pair_sums", 75, 64),
    ("bw6_761_g2_pair_sums", 80, 64),
    ("bls12_377_fr_ntt_pass", 75, 16),
    ("bls12_377_fr_ntt_pass", 80, 16),
    ("bls12_377_fr_ntt_pass", 90, 8),
    ("bls12_377_fr_ntt_pass", 100, 8),
    ("bls12_377_fr_ntt_pass", 120, 8),
    ("bls12_381_fr_ntt_pass", 80, 16),
    ("bls12_381_fr_ntt_pass", 90, 8),
    ("bls12_381_fr_ntt_pass", 100, 8),
    ("bn254_fr_ntt_pass", 80, 8),
    ("bls12_377_g1_accumulate_rows", 75, 8),
    ("bls12_377_g1_accumulate_rows", 80, 8),
    ("bls12_381_g1_constant_bit_horner", 90, 8),
    ("bls12_381_g1_constant_bit_horner", 100, 8),
    ("bls12_381_g1_constant_bit_horner", 120, 16),
    ("bls12_381_g1_constant_bit_sums", 75, 64),
    ("bls12_381_g1_constant_bit_sums", 80, 72),
    ("bls12_381_g1_constant_bit_sums", 90, 72),
    ("bls12_381_g1_constant_bit_sums", 100, 72),
    ("bls12_381_g1_constant_bit_sums", 120, 72),
    ("bls12_381_g1_constant_partial_sums", 75, 72),
    ("bls12_381_g1_constant_partial_sums", 80, 80),
    ("bls12_381_g1_constant_partial_sums", 90, 104),
    ("bls12_381_g1_constant_partial_sums", 100, 104),
    ("bls12_381_g1_constant_partial_sums", 120, 104),
    ("bls12_381_g1_constant_point_add", 75, 16),
    ("bls12_381_g1_constant_point_add", 80, 16),
    ("bls12_381_g1_constant_point_add", 90, 16),
    ("bls12_381_g1_constant_point_add", 100, 16),
    ("bls12_381_g1_constant_point_add", 120, 16),
    ("bls12_381_g1_constant_slice_sums", 75, 112),
    ("bls12_381_g1_constant_slice_sums", 80, 112),
    ("bls12_381_g1_constant_slice_sums", 90, 104),
    ("bls12_381_g1_constant_slice_sums", 100, 104),
    ("bls12_381_g1_constant_slice_sums", 120, 104),
    ("bw6_761_g1_accumulate_rows", 75, 120),
    ("bw6_761_g1_accumulate_rows", 80, 120),
    ("bw6_761_g1_accumulate_rows", 90, 120),
    ("bw6_761_g1_accumulate_rows", 100, 120),
    ("bw6_761_g1_accumulate_rows", 120, 128),
    ("bw6_761_g2_accumulate_rows", 75, 120),
    ("bw6_761_g2_accumulate_rows", 80, 120),
    ("bw6_761_g2_accumulate_rows", 90, 120),
    ("bw6_761_g2_accumulate_rows", 100, 120),
    ("bw6_761_g2_accumulate_rows", 120, 128),
    ("common_radix_scatter", 75, 88),
    ("common_radix_scatter", 80, 80),
    ("common_radix_scatter", 90, 32),
    ("common_radix_scatter", 100, 32),
    ("common_radix_scatter", 120, 32),
    ("common_radix_scatter_first", 75, 16),
    ("common_radix_scatter_first", 80, 16),
    ("common_radix_scatter_first", 90, 24),
    ("common_radix_scatter_first", 100, 24),
    ("common_radix_scatter_first", 120, 24),
    ("common_radix_scatter_odd", 75, 16),
    ("common_radix_scatter_odd", 80, 16),
    ("common_radix_scatter_odd", 90, 24),
    ("common_radix_scatter_odd", 100, 24),
    ("common_radix_scatter_odd", 120, 24),
];
/// Seconds after which an image should be cut in two, for a cold start in time.
const SLOW: f64 = 5.0;
/// Compute capability that [`SLOW`] is about.
const SLOW_ARCH: u32 = 90;

/// What a policy looks at.
pub(super) struct Subject<'a> {
    pub(super) kernel: &'a str,
    pub(super) limbs: Option<u32>,
}

impl Subject<'_> {
    /// Local memory is a failure here.
    pub(super) fn is_hot(&self) -> bool {
        let accumulates =
            matches!(self.kernel, "accumulate" | "accumulate_lanes" | "accumulate_rows" | "pair_sums");
        let most = if accumulates { ACCUMULATION_LIMBS } else { HOT_LIMBS };
        HOT.contains(&self.kernel) && self.limbs.is_none_or(|limbs| limbs <= most)
    }

    /// `P2R` and `R2P` are a failure here.
    pub(super) fn is_multiplier(&self) -> bool {
        MULTIPLIERS.contains(&self.kernel)
    }
}

/// All that is wrong, and all that should be looked at.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) failures: Vec<String>,
    pub(super) notes: Vec<String>,
}

/// Applies the policy to every kernel.
pub(super) fn judge(assembled: &[Assembled]) -> Verdict {
    let mut verdict = Verdict::default();
    for one in assembled {
        one.outcomes.iter().for_each(|outcome| judge_kernel(outcome, &mut verdict));
        if one.arch == SLOW_ARCH && one.seconds > SLOW {
            verdict.notes.push(format!(
                "image {} takes {:.1} s to assemble for sm_{}, more than {SLOW} s",
                one.image, one.seconds, one.arch
            ));
        }
    }
    verdict
}

/// Whether a symbol is a group's kernel of constant work.
fn is_constant(symbol: &str, kernel: &str) -> bool {
    symbol.strip_suffix(kernel).is_some_and(|group| group.ends_with(CONSTANT))
}

fn judge_kernel(outcome: &Outcome, verdict: &mut Verdict) {
    let Outcome { symbol, arch, resources, counts, .. } = outcome;
    let subject = outcome.subject();
    if !HOT.contains(&subject.kernel) {
        verdict.failures.push(format!("{symbol}: kernel `{}` is in no list of the policy", subject.kernel));
    }
    if resources.stack > 0 || counts.local > 0 {
        let (stores, loads) = resources.spills;
        let text = format!(
            "{symbol} for sm_{arch}: local memory ({} B stack, {stores} B spilled, {loads} B reloaded, {} LDL and STL)",
            resources.stack, counts.local
        );
        let known =
            KNOWN_LOCAL.iter().any(|&(s, a, most)| s == symbol && a == *arch && resources.stack <= most);
        if subject.is_hot() && !known { &mut verdict.failures } else { &mut verdict.notes }.push(text);
    }
    if let Some((_, most)) = BRANCHES.iter().find(|(kernel, _)| is_constant(symbol, kernel)) {
        let most = most[usize::from(*arch > 75)];
        if counts.conditional > most {
            let found = counts.conditional;
            verdict.failures.push(format!(
                "{symbol} for sm_{arch}: {found} conditional branches in constant work, where {most} are known"
            ));
        }
    } else if symbol.contains(CONSTANT) {
        verdict.failures.push(format!("{symbol}: a kernel of constant work with no limit of branches"));
    }
    if counts.predicates > 0 && subject.is_multiplier() {
        verdict
            .failures
            .push(format!("{symbol} for sm_{arch}: {} P2R and R2P in a multiplier", counts.predicates));
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ptxas::Resources, sass::Counts};
    use super::*;

    fn verdict(
        kernel: &str,
        limbs: Option<u32>,
        stack: u32,
        predicates: u32,
        seconds: f64,
    ) -> (usize, usize) {
        let counts = Counts { predicates, ..Counts::default() };
        judged(outcome(kernel, &format!("i_{kernel}"), limbs, 90, stack, counts), seconds)
    }

    fn known(symbol: &str, arch: u32, stack: u32) -> (usize, usize) {
        judged(outcome("accumulate", symbol, Some(12), arch, stack, Counts::default()), 0.0)
    }

    fn outcome(
        kernel: &str,
        symbol: &str,
        limbs: Option<u32>,
        arch: u32,
        stack: u32,
        counts: Counts,
    ) -> Outcome {
        let resources = Resources { stack, ..Resources::default() };
        Outcome { kernel: kernel.into(), symbol: symbol.into(), limbs, arch, resources, counts }
    }

    fn judged(outcome: Outcome, seconds: f64) -> (usize, usize) {
        let arch = outcome.arch;
        let verdict = judge(&[Assembled { image: "i".into(), arch, seconds, outcomes: vec![outcome] }]);
        (verdict.failures.len(), verdict.notes.len())
    }

    #[test]
    fn local_memory_fails_where_it_is_hot() {
        assert_eq!(verdict("accumulate", Some(12), 0, 0, 0.0), (0, 0));
        assert_eq!(verdict("accumulate", Some(12), 8, 0, 0.0), (1, 0));
        assert_eq!(verdict("accumulate", Some(24), 8, 0, 0.0), (1, 0));
        assert_eq!(verdict("accumulate", Some(25), 8, 0, 0.0), (0, 1));
        assert_eq!(verdict("merge_partials", Some(24), 8, 0, 0.0), (0, 1));
        assert_eq!(verdict("radix_scatter", None, 8, 0, 0.0), (1, 0));
        let (symbol, arch, most) = KNOWN_LOCAL[0];
        assert_eq!(known(symbol, arch, most), (0, 1));
        assert_eq!(known(symbol, arch, most + 1), (1, 0));
        assert_eq!(known(symbol, 86, most), (1, 0));
        assert_eq!(verdict("kernel of tomorrow", Some(8), 0, 0, 0.0), (1, 0));
    }

    #[test]
    fn lost_carries_fail_in_multipliers() {
        assert_eq!(verdict("mul", Some(24), 0, 2, 0.0), (1, 0));
        assert_eq!(verdict("accumulate", Some(8), 0, 2, 0.0), (0, 0));
    }

    #[test]
    fn constant_work_has_no_more_branches_than_known() {
        let verdict = |kernel: &str, symbol: &str, conditional| {
            judged(outcome(kernel, symbol, Some(8), 90, 0, Counts { conditional, ..Counts::default() }), 0.0)
        };
        assert_eq!(verdict("slice_sums", "toy_constant_slice_sums", 3), (0, 0));
        assert_eq!(verdict("slice_sums", "toy_constant_slice_sums", 4), (1, 0));
        assert_eq!(verdict("bit_horner", "toy_constant_bit_horner", 6), (1, 0));
        assert_eq!(verdict("bit_sums", "toy_bit_sums", 9), (0, 0));
        assert_eq!(verdict("mul", "toy_constant_mul", 0), (1, 0));
    }

    #[test]
    fn a_slow_image_is_noted() {
        assert_eq!(verdict("mul", Some(8), 0, 0, 5.5), (0, 1));
    }
}
