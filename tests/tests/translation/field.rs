//! Inputs of the kernels of a field.

use super::session::{Session, buf, num};
use curvesmith_abi::KernelDesc;
use curvesmith_abi::kernels::{NTT_TABLE, ntt_later_log_radix};
use curvesmith_codegen::fir::interp::{Argument, to_words};
use num_bigint::BigUint;

/// Elements: more than a block.
const N: usize = 150;

pub(crate) fn case(s: &mut Session, desc: &KernelDesc) -> Option<()> {
    match desc.name {
        name @ ("add" | "sub" | "mul" | "neg" | "dbl" | "sqr" | "mul_const" | "mul_sub" | "inverse") => {
            s.run(name, N, N, &[]);
        }
        name @ "batch_inverse" => {
            for (n, threads) in [(1, 1), (9, 2), (N, 130)] {
                s.run(name, threads, n, &[("threads", num(threads))]);
            }
        }
        name @ "scale_powers" => {
            for start in [0, 1 << 31] {
                let pows = powers_of(s);
                s.run(name, N, N, &[("base_pows", pows), ("start", num(start))]);
            }
        }
        name @ "powers" => {
            let pows = powers_of(s);
            s.run(name, N, N, &[("base_pows", pows)]);
        }
        name @ "digits" => digits(s, name),
        name @ ("spmv_warp" | "spmv_thread") => sparse(s, name),
        name @ ("ntt_twiddles" | "ntt_twiddle_tables") => twiddles(s, name),
        "ntt_radix2" => pass(s, desc.name, 1),
        "ntt_radix4" => pass(s, desc.name, 2),
        "ntt_radix8" | "ntt_radix8_table" | "ntt_radix8_first" | "ntt_radix8_lazy" | "ntt_radix8_last" => {
            pass(s, desc.name, 3);
        }
        "ntt_radix16" | "ntt_radix16_table" => pass(s, desc.name, 4),
        _ => return None,
    }
    Some(())
}

/// `base^(2^j)` for some base.
fn powers_of(s: &mut Session) -> Argument {
    let (field, mut power) = (s.field().clone(), s.element());
    let mut all = vec![];
    for _ in 0..32 {
        all.push(power.clone());
        power = &power * &power % &field.p;
    }
    Argument::Buffer(to_words(&field, &all))
}

fn digits(s: &mut Session, name: &str) {
    let bits = s.field().p.bits() as usize;
    for (c, multiples) in [(2, 1), (13, 1), (16, 2), (21, 3)] {
        let sets = (bits + 1).div_ceil(c).div_ceil(multiples);
        let codes = buf(&s.words(N * sets * multiples));
        let named = [("codes", codes), ("c", num(c)), ("sets", num(sets)), ("multiples", num(multiples))];
        let scalars = [("scalars", s.elements(N))];
        s.run(name, N, N, &[&scalars[..], &named].concat());
    }
}

/// Rows without an entry, with fewer and with more than a warp has lanes.
fn sparse(s: &mut Session, name: &str) {
    let lengths = [0usize, 1, 33, 0, 70, 2, 0];
    let offsets: Vec<u32> = (0..=lengths.len()).map(|r| lengths[..r].iter().sum::<usize>() as u32).collect();
    let entries = lengths.iter().sum();
    let columns: Vec<u32> = (0..entries).map(|_| s.random.below(20) as u32).collect();
    let (values, x, out) = (s.elements(entries), s.elements(20), s.elements(lengths.len()));
    let named = [
        ("row_offsets", buf(&offsets)),
        ("columns", buf(&columns)),
        ("values", values),
        ("x", x),
        ("out", out),
        ("rows", num(lengths.len())),
    ];
    s.run(name, lengths.len() * if name == "spmv_warp" { 32 } else { 1 }, 0, &named);
}

fn twiddles(s: &mut Session, name: &str) {
    let words = s.field().words;
    let each = if name == "ntt_twiddles" { 1 } else { NTT_TABLE.fit(words).entries(words) };
    for log_done in [0, 3] {
        let n = 7 << log_done;
        let named = [("base_pows", powers_of(s)), ("out", s.elements(n * each)), ("log_done", num(log_done))];
        s.run(name, n, n, &named);
    }
}

/// First passes, later ones where there are such, and the last of an inverse transform.
fn pass(s: &mut Session, name: &str, log_r: usize) {
    let by_table = name.ends_with("_table");
    let later = log_r as u32 >= ntt_later_log_radix(s.field().words);
    let shapes = [(log_r, 0, true), (log_r + 2, 0, true), (log_r + 3, 3, later), (log_r + 4, 2, later)];
    let first = !(by_table || name.ends_with("_lazy") || name.ends_with("_last"));
    let later = !name.ends_with("_first");
    for (log_n, log_done, _) in
        shapes.into_iter().filter(|(_, done, here)| *here && if *done == 0 { first } else { later })
    {
        let last = log_n == log_done + log_r;
        for (turn, sign) in [(1, 1), ((1 << log_r) - 1, 1), (1u32, u32::MAX)] {
            if sign != 1 && !last {
                continue;
            }
            let n = 1 << log_n;
            let turn = if sign == 1 { turn } else { turn.wrapping_neg() };
            let count = if log_done == 0 { 0 } else { ((1 << log_r) - 1) << log_done };
            let twiddles = if by_table { tables(s, count, 1 << log_done) } else { s.elements(count) };
            let named = [
                ("twiddles", twiddles),
                ("log_n", num(log_n)),
                ("log_done", num(log_done)),
                ("turn", Argument::U32(turn)),
                ("sign", Argument::U32(sign)),
            ];
            s.run(name, n >> log_r, n, &named);
        }
    }
}

/// The tables of `count` constants, `stride` of which lie side by side.
fn tables(s: &mut Session, count: usize, stride: usize) -> Argument {
    let field = s.field().clone();
    let shape = NTT_TABLE.fit(field.words);
    let each = shape.entries(field.words);
    let r_inv = field.r_mod_p().modinv(&field.p).unwrap();
    let mut all = vec![BigUint::ZERO; count * each];
    for i in 0..count {
        let (w, (q, k)) = (s.element(), (i / stride, i % stride));
        for e in 0..each {
            // Its Montgomery words are the entry.
            let shift = 32 * (shape.rows + shape.step * e as u32);
            all[(q * each + e) * stride + k] = (&w << shift) * &r_inv % &field.p;
        }
    }
    Argument::Buffer(to_words(&field, &all))
}
