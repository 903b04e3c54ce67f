//! Passes of transforms and their twiddles.

use super::field::Case;
use super::{Limits, Touched};
use curvesmith_abi::Geometry;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::*;
use curvesmith_codegen::declaration::FieldDesc;
use num_bigint::BigUint;
use std::collections::BTreeSet;

/// The most that `2^log_n < 2^31` allows.
const MOST: u32 = 30;

pub(super) fn passes(case: &mut Case) {
    let Case { field, limits } = case;
    let (least, most) =
        (Geometry::PTX.ntt_log_elements(field.words), Geometry::PTX.ntt_max_log_radix(field.words));
    for log_r in BTreeSet::from([1, least, least + 1, most]) {
        let sizes = if log_r < least { vec![log_r] } else { vec![log_r, 27, MOST] };
        for log_n in sizes {
            let vectors = (1 << (MOST - log_n)).min(3);
            for factors in [Factors::None, Factors::One, Factors::Each] {
                // The other factors are no matter of the order.
                let all = factors == Factors::Each && log_n != 27;
                let orders: &[Order] = if all { &Order::ALL } else { &[Order::Natural] };
                for order in orders.iter().copied() {
                    let log_done = if order == Order::ToReversed { log_n - log_r } else { 0 };
                    Pass { log_n, log_r, log_done, order, factors, vectors }.check(field, limits);
                }
            }
            let done = [log_n / 2, log_n - log_r].into_iter();
            for log_done in done.filter(|done| done + log_r <= log_n && *done > 0) {
                for order in [Order::Natural, Order::FromReversed] {
                    Pass { log_n, log_r, log_done, order, factors: Factors::Twiddles, vectors }
                        .check(field, limits);
                }
            }
            // Those that are left by the passes before, which are those after in natural order.
            for log_done in [0, log_n / 3].into_iter().filter(|done| log_n == MOST && done + log_r < log_n) {
                let order = Order::ToReversed;
                Pass { log_n, log_r, log_done, order, factors: Factors::Twiddles, vectors }
                    .check(field, limits);
            }
        }
    }
    scale(field, limits);
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

/// Of elements, before and after all passes.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Natural,
    FromReversed,
    ToReversed,
}

impl Order {
    const ALL: [Order; 3] = [Order::Natural, Order::FromReversed, Order::ToReversed];
}

#[derive(Clone, Copy)]
struct Pass {
    log_n: u32,
    log_r: u32,
    log_done: u32,
    order: Order,
    factors: Factors,
    vectors: u64,
}

impl Pass {
    fn check(self, field: &FieldDesc, limits: &mut Limits) {
        let most = (1 << self.log_r) - 1;
        self.check_signs(field, limits, most, [1, 1]);
        // Of a first or a last pass with natural order on that side.
        if self.log_done + self.log_r == self.log_n {
            self.check_signs(
                field,
                limits,
                1,
                if self.order == Order::ToReversed { [-1, 1] } else { [1, -1] },
            );
        }
    }

    fn check_signs(self, field: &FieldDesc, limits: &mut Limits, turn: u64, signs: [i64; 2]) {
        let Pass { log_n, log_r, log_done, order, factors, vectors } = self;
        let (n, r, s) = (1u64 << log_n, 1u64 << log_r, 1u64 << log_done);
        let log_before = match (order, factors) {
            (Order::ToReversed, Factors::Twiddles) => (log_n - log_done - log_r).min(log_r),
            _ => 0,
        };
        let (scaled, step, mask) = match factors {
            Factors::None => (0, 0, 0),
            Factors::One => (1, 0, 0),
            Factors::Each => (2, 0, 0),
            Factors::Twiddles => (1, s, s - 1),
        };
        let log_from = if order == Order::Natural { log_n - log_r } else { log_done };
        // The columns of a matrix, with room beside them if there is.
        let (element, vector) = if vectors << log_n < 1 << MOST { (vectors + 1, 1) } else { (1, n) };
        let scalars = [
            ("log_n", u64::from(log_n)),
            ("log_r", u64::from(log_r)),
            ("log_from", u64::from(log_from)),
            ("log_to", u64::from(log_done)),
            ("reverse", order as u64),
            ("scaled", scaled),
            ("step", step),
            ("mask", mask),
            ("log_before", u64::from(log_before)),
            ("log_inner", u64::from(log_r)),
            ("turn", turn),
            ("sign_from", signs[0] as u32 as u64),
            ("sign", signs[1] as u32 as u64),
            ("element_from", element),
            ("vector_from", vector),
            ("element_to", 1),
            ("vector_to", n),
        ];
        let contents = |buffer: &str, i: u64| Case::words(field, if buffer == "a" { i + 1 } else { 0 });
        let blocks = Geometry::PTX.ntt_blocks(field.words, log_n) as u64;
        let columns = (n / r).min(
            (u64::from(NttPass::desc(&Geometry::PTX).block) << Geometry::PTX.ntt_log_elements(field.words))
                / r,
        );
        let modulo = |x: i128, n: u64| x.rem_euclid(i128::from(n)) as u64;
        let start = |j: u64, log: u32| (j >> log << (log + log_r)) + j % (1 << log);
        limits.check_blocks::<NttPass>(
            vectors * blocks,
            &scalars,
            contents,
            |block, touched: &mut Touched| {
                let of = block / blocks;
                for j in (0..columns).map(|column| block % blocks * columns + column) {
                    let before = reversed(j >> log_from, log_before) * step * r;
                    for q in 0..r {
                        let place = if order == Order::FromReversed { reversed(q, log_r) } else { q };
                        let at = start(j, log_from) + (place << log_from);
                        let at = modulo(i128::from(signs[0]) * i128::from(at), n);
                        touched.read("a", of * vector + at * element);
                        match scaled {
                            1 => touched.read("factors", q * step + (j & mask) + before),
                            2 => touched.read("factors", at),
                            _ => {}
                        }
                        let place = if order == Order::ToReversed { reversed(q, log_r) } else { q };
                        let at = i128::from(signs[1]) * i128::from(start(j, log_done) + place * s);
                        touched.write("out", of * n + modulo(at, n));
                    }
                }
                inner(field, log_r, touched);
            },
        );
    }
}

/// The low bits of a number, so many, in reverse order.
fn reversed(i: u64, bits: u32) -> u64 {
    if bits == 0 { 0 } else { i.reverse_bits() >> (u64::BITS - bits) }
}

/// Vectors from rows to columns, and one by itself of any length.
fn scale(field: &FieldDesc, limits: &mut Limits) {
    for (log_n, n, element, vector) in [(27, 7 << 27, 7, 1), (31, (1 << MOST) + 5, 1, 0)] {
        for scaled in [0, 1] {
            let scalars = [
                ("log_n", log_n),
                ("scaled", scaled),
                ("element_from", 1),
                ("vector_from", 1 << log_n.min(30)),
                ("element_to", element),
                ("vector_to", vector),
                ("n", n),
            ];
            let contents = |buffer: &str, i: u64| Case::words(field, if buffer == "a" { i + 1 } else { 0 });
            limits.check::<NttScale>(n, &scalars, contents, |at, touched| {
                if at >= n {
                    return;
                }
                let (v, i) = (at >> log_n, at % (1 << log_n));
                touched.read("a", (v << log_n) + i);
                if scaled == 1 {
                    touched.read("factors", i);
                }
                touched.write("out", v * vector + i * element);
            });
        }
    }
}

/// The powers that a block reads between its steps.
fn inner(field: &FieldDesc, log_r: u32, touched: &mut Touched) {
    let log_e = Geometry::PTX.ntt_log_elements(field.words);
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

/// A kernel whose thread `i` writes `power(e)·factor` at places, for what `writes(i)` gives: places with
/// factors, and `e`.
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
