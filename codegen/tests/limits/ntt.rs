//! Passes of transforms and their twiddles.

use super::field::Case;
use super::{Limits, Touched};
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::*;
use curvesmith_codegen::spec::FieldDesc;
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// The most that `2^log_n < 2^31` allows.
const MOST: u32 = 30;

pub(super) fn passes(case: &mut Case) {
    let Case { field, limits } = case;
    let (least, most) = (ntt_log_elements(field.words), ntt_max_log_radix(field.words));
    for log_r in BTreeSet::from([1, least, least + 1, most]) {
        let sizes = if log_r < least { vec![log_r] } else { vec![log_r, 27, MOST] };
        for log_n in sizes {
            let vectors = (1 << (MOST - log_n)).min(3);
            for factors in [Factors::None, Factors::One, Factors::Each] {
                Pass { log_n, log_r, log_done: 0, factors, vectors }.check(field, limits);
            }
            let done = [log_n / 2, log_n - log_r].into_iter();
            for log_done in done.filter(|done| done + log_r <= log_n && *done > 0) {
                Pass { log_n, log_r, log_done, factors: Factors::Twiddles, vectors }.check(field, limits);
            }
        }
    }
    twiddles(field, limits, MOST);
    if ntt_has_tables(field.words, field.p.bits() as usize) {
        tables(field, limits, 1 << most);
    }
}

/// What a pass multiplies by.
#[derive(Clone, Copy, PartialEq)]
enum Factors {
    None,
    One,
    Each,
    Twiddles,
}

#[derive(Clone, Copy)]
struct Pass {
    log_n: u32,
    log_r: u32,
    log_done: u32,
    factors: Factors,
    vectors: u64,
}

impl Pass {
    fn last(self) -> bool {
        self.log_done + self.log_r == self.log_n
    }

    fn check(self, field: &FieldDesc, limits: &mut Limits) {
        let most = (1 << self.log_r) - 1;
        self.check_sign(field, limits, most, 1);
        if self.last() {
            self.check_sign(field, limits, 1, -1);
        }
    }

    /// `turn` is that of the contract for `sign = 1`.
    fn check_sign(self, field: &FieldDesc, limits: &mut Limits, turn: i64, sign: i64) {
        let Pass { log_n, log_r, log_done, factors, vectors } = self;
        let (n, r, s) = (1u64 << log_n, 1u64 << log_r, 1u64 << log_done);
        let (scaled, step, mask) = match factors {
            Factors::None => (0, 0, 0),
            Factors::One => (1, 0, 0),
            Factors::Each => (1, n / r, u64::from(u32::MAX)),
            Factors::Twiddles => (1, s, s - 1),
        };
        let scalars = [
            ("log_n", u64::from(log_n)),
            ("log_done", u64::from(log_done)),
            ("log_r", u64::from(log_r)),
            ("scaled", scaled),
            ("step", step),
            ("mask", mask),
            ("log_inner", u64::from(log_r)),
            ("turn", (turn * sign) as u32 as u64),
            ("sign", sign as u32 as u64),
        ];
        let contents = |buffer: &str, i: u64| Case::words(field, if buffer == "a" { i + 1 } else { 0 });
        let blocks = ntt_blocks(field.words, log_n) as u64;
        let columns = (n / r).min((u64::from(NttPass::DESC.block) << ntt_log_elements(field.words)) / r);
        limits.check_blocks::<NttPass>(
            vectors * blocks,
            &scalars,
            contents,
            |block, touched: &mut Touched| {
                let vector = block / blocks * n;
                for j in (0..columns).map(|column| block % blocks * columns + column) {
                    let k = j % s;
                    for q in 0..r {
                        touched.read("a", vector + j + q * (n / r));
                        if scaled == 1 {
                            touched.read("factors", q * step + (j & mask));
                        }
                        let start = i128::from(sign) * i128::from(r * (j - k) + k);
                        let turned = (i128::from(turn * sign) * i128::from(q)).rem_euclid(i128::from(r));
                        let at = (start + turned * i128::from(s)).rem_euclid(i128::from(n));
                        touched.write("out", vector + at as u64);
                    }
                }
                inner(field, log_r, touched);
            },
        );
    }
}

/// The powers that a block reads between its steps.
fn inner(field: &FieldDesc, log_r: u32, touched: &mut Touched) {
    let log_e = ntt_log_elements(field.words);
    let entries = match ntt_has_tables(field.words, field.p.bits() as usize) {
        true => NTT_TABLE.fit(field.words).entries(field.words) as u64,
        false => 1,
    };
    let mut done = (log_r - 1) % log_e + 1;
    while done < log_r {
        done += log_e;
        for (q, k) in (1..1u64 << log_e).flat_map(|q| (0..1u64 << (done - log_e)).map(move |k| (q, k))) {
            (0..entries).for_each(|e| touched.read("inner", (e << log_r) + ((q * k) << (log_r - done))));
        }
    }
}

/// The twiddles of a pass in radix 4 that is the last of `2^log_n` elements.
fn twiddles(field: &FieldDesc, limits: &mut Limits, log_n: u32) {
    let (n, s) = (1u64 << log_n, 1u64 << (log_n - 2));
    let scalars = [("log_done", u64::from(log_n - 2)), ("n", n)];
    powers_of_base::<NttTwiddles>(field, limits, n, &scalars, |i| {
        (vec![(i, 1u32.into())], (i / s) * (i % s))
    });
}

fn tables(field: &FieldDesc, limits: &mut Limits, n: u64) {
    let shape = NTT_TABLE.fit(field.words);
    powers_of_base::<NttTables>(field, limits, n, &[("n", n)], |i| {
        let entry = |e: u64| {
            let exponent = 32 * (u64::from(shape.rows) + u64::from(shape.step) * e);
            // The canonical integer is the entry, where others are in Montgomery form.
            (
                e * n + i,
                (BigUint::from(1u32) << exponent)
                    * field.r_mod_p().modinv(&field.p).expect("R is prime to p"),
            )
        };
        ((0..shape.entries(field.words) as u64).map(entry).collect(), i)
    });
}

/// A kernel whose thread `i` writes `power(e)·factor` at places, for what `writes(i)` gives: places with factors, and `e`.
fn powers_of_base<K: curvesmith_abi::Kernel>(
    field: &FieldDesc,
    limits: &mut Limits,
    n: u64,
    scalars: &[(&str, u64)],
    writes: impl Fn(u64) -> (Vec<(u64, BigUint)>, u64),
) {
    let contents = |buffer: &str, i: u64| match buffer {
        "base_pows" => Case::base_pow(field, i),
        _ => Case::words(field, 0u32),
    };
    limits.check::<K>(n, scalars, contents, |i, touched| {
        if i >= n {
            return;
        }
        let (places, exponent) = writes(i);
        (0..32).filter(|j| exponent >> j & 1 == 1).for_each(|j| touched.read("base_pows", j));
        for (place, factor) in places {
            touched.write_words(
                "out",
                place,
                Case::words(field, Case::power(field, exponent) * factor % &field.p),
            );
        }
    });
}
