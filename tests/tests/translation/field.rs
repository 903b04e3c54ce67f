//! Inputs of the kernels of a field.

use super::session::{Session, buf, num};
use curvesmith_abi::kernels::{NTT_TABLE, NttPass, ntt_has_tables};
use curvesmith_abi::{Geometry, Kernel as _, KernelDesc};
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
        name @ "digits_odd" => odd_digits(s, name),
        name @ "digits_regular" => regular_digits(s, name),
        name @ ("spmv_warp" | "spmv_thread") => sparse(s, name),
        name @ ("ntt_twiddles" | "ntt_tables") => twiddles(s, name),
        "ntt_pass" => passes(s, desc.name),
        name @ "ntt_scale" => {
            // Two rows to columns.
            for scaled in [0, 1] {
                let named = [
                    ("log_n", num(6)),
                    ("scaled", num(scaled)),
                    ("element_from", num(1)),
                    ("vector_from", num(64)),
                    ("element_to", num(2)),
                    ("vector_to", num(1)),
                ];
                s.run(name, 128, 128, &named);
            }
        }
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

/// With few exponents and with all.
fn odd_digits(s: &mut Session, name: &str) {
    let bits = s.field().p.bits() as usize;
    for (c, tau, multiples) in [(3, 1, 1), (13, 12, 1), (16, 6, 2), (21, 20, 3)] {
        let sets = (bits + 1).div_ceil(c).div_ceil(multiples);
        let log_b = if tau + 1 == c { c - 2 } else { c - 1 };
        let shape = [("c", num(c)), ("sets", num(sets)), ("multiples", num(multiples))];
        let map = [("codes", buf(&s.words(N * sets * multiples))), ("tau", num(tau)), ("log_b", num(log_b))];
        let scalars = [("scalars", s.elements(N))];
        s.run(name, N, N, &[&scalars[..], &shape, &map].concat());
    }
}

fn regular_digits(s: &mut Session, name: &str) {
    let bits = s.field().p.bits() as usize;
    for (c, multiples) in [(2, 1), (13, 1), (16, 2), (21, 3)] {
        let sets = bits.div_ceil(c).div_ceil(multiples);
        let codes = buf(&s.words(N * sets * multiples));
        let named = [("codes", codes), ("c", num(c)), ("sets", num(sets)), ("multiples", num(multiples))];
        let scalars = [("scalars", s.elements(N))];
        s.run(name, N, N, &[&scalars[..], &named].concat());
    }
}

/// Rows without an entry, with fewer and with more than a warp has lanes, of units and others.
fn sparse(s: &mut Session, name: &str) {
    let lengths = [(0usize, 1usize), (1, 0), (33, 2), (2, 33), (70, 0), (0, 70), (2, 1)];
    let starts = |of: &dyn Fn(&(usize, usize)) -> usize| -> Vec<u32> {
        (0..=lengths.len()).map(|row| lengths[..row].iter().map(of).sum::<usize>() as u32).collect()
    };
    let (unit_starts, starts) = (starts(&|row| row.0), starts(&|row| row.1));
    let (units, others) = (unit_starts[lengths.len()] as usize, starts[lengths.len()] as usize);
    let units: Vec<u32> = (0..units).map(|_| (s.random.below(20) | s.random.below(2) << 31) as u32).collect();
    let columns: Vec<u32> = (0..others).map(|_| s.random.below(20) as u32).collect();
    let (values, x, out) = (s.elements(others), s.elements(20), s.elements(lengths.len()));
    let named = [
        ("rows", buf(&[3, 1, 4, 0, 5, 2, 6])),
        ("unit_starts", buf(&unit_starts)),
        ("units", buf(&units)),
        ("starts", buf(&starts)),
        ("columns", buf(&columns)),
        ("values", values),
        ("x", x),
        ("out", out),
        ("n", num(lengths.len())),
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

/// Passes of one step and of several, first ones with all kinds of factors, later ones, and those on the
/// outside of an inverse transform; some over two vectors, as rows or as columns; in all orders.
fn passes(s: &mut Session, name: &str) {
    let log_e = Geometry::PTX.ntt_log_elements(s.field().words) as usize;
    // Stages, those done before, and the size.
    let shapes = [
        (1, 0, 1),
        (log_e, 0, log_e + 2),
        (log_e + 1, 0, log_e + 1),
        (2 * log_e, 3, 2 * log_e + 3),
        (log_e + 2, 2, 9),
    ];
    let shapes = shapes.into_iter().filter(|(log_r, _, _)| *log_r <= s.field().two_adicity() as usize);
    for (i, (log_r, log_done, log_n)) in shapes.collect::<Vec<_>>().into_iter().enumerate() {
        let outer = log_n == log_done + log_r;
        for (turn, inverse, vectors) in [(1, false, 1), ((1 << log_r) - 1, false, 2), (1u32, true, 1)] {
            if !inverse || outer {
                pass(s, name, (log_r, log_done, log_n), 0, (turn, inverse, vectors));
            }
        }
        // Bit-reversed before, and after.
        pass(s, name, (log_r, log_done, log_n), 1 + i % 2, (1, outer, 2));
        pass(s, name, (log_r, log_done, log_n), 2 - i % 2, (1, false, 1));
    }
}

fn pass(
    s: &mut Session,
    name: &str,
    (log_r, log_done, log_n): (usize, usize, usize),
    reverse: usize,
    (turn, inverse, vectors): (u32, bool, usize),
) {
    let words = s.field().words;
    let (n, done) = (1usize << log_n, 1usize << log_done);
    let (scaled, step, mask, count) = match (log_done, vectors, inverse) {
        (0, 2, _) => (2, 0, 0, n),
        (0, _, false) => (0, 0, 0, 1),
        (0, _, true) => (1, 0, 0, 1),
        _ => (1, done, done as u32 - 1, n),
    };
    let log_before = if reverse == 2 && scaled == 1 { log_n - log_done - log_r } else { 0 };
    let log_from = if reverse == 0 { log_n - log_r } else { log_done };
    let signs = match (inverse, reverse) {
        (false, _) => [1, 1],
        (true, 2) => [u32::MAX, 1],
        (true, _) => [1, u32::MAX],
    };
    let columns = reverse == 1;
    let (element, vector) = if columns { (vectors, 1) } else { (1, n) };
    let named = [
        ("factors", s.elements(count)),
        ("inner", inner(s, log_r)),
        ("log_n", num(log_n)),
        ("log_r", num(log_r)),
        ("log_from", num(log_from)),
        ("log_to", num(log_done)),
        ("reverse", num(reverse)),
        ("scaled", num(scaled)),
        ("step", num(step)),
        ("mask", Argument::U32(mask)),
        ("log_before", num(log_before)),
        ("log_inner", num(log_r)),
        ("turn", Argument::U32(turn)),
        ("sign_from", Argument::U32(signs[0])),
        ("sign", Argument::U32(signs[1])),
        ("element_from", num(element)),
        ("vector_from", num(vector)),
        ("element_to", num(1)),
        ("vector_to", num(n)),
    ];
    let blocks = vectors * Geometry::PTX.ntt_blocks(words, log_n as u32);
    s.run(name, blocks * NttPass::desc(&Geometry::PTX).block as usize, vectors * n, &named);
}

/// What passes multiply by between their steps, for any elements in the place of powers: they are elements,
/// or the entries of tables.
fn inner(s: &mut Session, log_r: usize) -> Argument {
    let field = s.field().clone();
    if !ntt_has_tables(field.words, field.p.bits() as usize) {
        return s.elements(1 << log_r);
    }
    let shape = NTT_TABLE.fit(field.words);
    let r_inv = field.r_mod_p().modinv(&field.p).unwrap();
    let constants: Vec<BigUint> = (0..1 << log_r).map(|_| s.element()).collect();
    // The Montgomery words of an element are the entry.
    let entry =
        |e: usize, w: &BigUint| (w << (32 * (shape.rows + shape.step * e as u32))) * &r_inv % &field.p;
    let entries = (0..shape.entries(field.words)).flat_map(|e| constants.iter().map(move |w| entry(e, w)));
    Argument::Buffer(to_words(&field, &entries.collect::<Vec<_>>()))
}
