//! Signed window digits of scalars.

use crate::declaration::FieldDesc;
use crate::fir::build::{Builder, U32};
use crate::fir::ir::Kernel;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{Digits, DigitsOdd, DigitsRegular, NO_DIGIT, ODD_KEY_BITS};

pub(super) fn digits(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<Digits>(geometry, field);
    body(&b, |half, s, magnitude| s * half + magnitude - 1);
    b.finish()
}

pub(super) fn digits_odd(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<DigitsOdd>(geometry, field);
    let (tau, log_b) = (b.scalar("tau"), b.scalar("log_b"));
    body(&b, |half, s, magnitude| {
        // A bit at `tau` ends the count of zeros there.
        let exponent = trailing_zeros(magnitude | (b.u32(1) << tau));
        let m = magnitude >> exponent;
        let even_from = (half >> 1) - 1;
        let bucket = (m >> 1) + (m & 1).is(0).select(even_from, b.u32(0));
        (exponent << ODD_KEY_BITS) | ((s << log_b) + bucket)
    });
    b.finish()
}

/// How often 2 divides a number other than 0, by halves: the same instructions for all.
fn trailing_zeros(x: U32<'_>) -> U32<'_> {
    let b = x.builder();
    let (mut rest, mut zeros) = (x, b.u32(0));
    for bits in [16, 8, 4, 2, 1] {
        let none = (rest & ((1 << bits) - 1)).is(0);
        rest = none.select(rest >> bits, rest);
        zeros = none.select(zeros + bits, zeros);
    }
    zeros
}

/// Signed digits of any scalar: a window above `2^(c-1)` becomes negative and carries one into the next. With
/// `bits + 1` bits or more in all windows the last one that is not 0 is below `2^(c-1)` before the carry, so
/// nothing is carried out of the last. `code` gives the code without its sign, of `2^(c-1)`, the set and the
/// magnitude of a digit other than 0.
fn body<'k>(b: &'k Builder, code: impl Fn(U32<'k>, U32<'k>, U32<'k>) -> U32<'k>) {
    let i = index_below_n(b);
    let half = b.u32(1) << (b.scalar("c") - 1);
    let zero = b.u32(0);
    let words: Vec<U32<'_>> = b.buffer("scalars").field(i).from_mont().words();
    let carry = b.var(zero);
    windows(b, i, &words, 0, |bits, s, _| {
        let raw = bits + carry.get();
        let negative = raw.gt(half);
        let magnitude = negative.select(half + half - raw, raw);
        let sign = negative.select(b.u32(1 << 31), zero);
        let code = code(half, s, magnitude) | sign;
        carry.set(negative.select(b.u32(1), zero));
        magnitude.is(0).select(b.u32(NO_DIGIT), code)
    });
}

/// Of an odd `k`, window `w` of `(k >> 1) + 2^(bits of all windows - 1)` is `v` for the digit `2v + 1 - 2^c`:
/// with `Σ (1 - 2^c)·2^(cw) = 1 - 2^(bits of all windows)` their sum is `k`. Of an even one they are those of
/// `r - k`, with all signs changed: `m = r - (k + 1)` is even, so that `(r - k) >> 1 = m >> 1`, of 0 too.
pub(super) fn digits_regular(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<DigitsRegular>(geometry, field);
    b.unguarded();
    let i = index_below_n(&b);
    let half = b.u32(1) << (b.scalar("c") - 1);
    let last = b.scalar("sets") * b.scalar("multiples") - 1;
    // Its Montgomery words are the integer, and those of `one` are 1.
    let k = b.buffer("scalars").field(i).from_mont();
    let mut one = vec![b.u32(1)];
    one.resize(field.words, b.u32(0));
    let m = -(k + b.from_words(&one));
    let words = k.words();
    let negated = (words[0] & 1).is(0);
    let words: Vec<U32<'_>> = words.into_iter().zip(m.words()).map(|(k, m)| negated.select(m, k)).collect();
    windows(&b, i, &words, 1, |bits, s, w| {
        let v = bits | w.eq(last).select(half, b.u32(0));
        let below = v.lt(half);
        let bucket = below.select(half - 1 - v, v - half);
        let sign = (below.select(b.u32(1), b.u32(0)) ^ negated.select(b.u32(1), b.u32(0))) << 31;
        (s * half + bucket) | sign
    });
    b.finish()
}

/// The thread's global index; threads from the parameter `n` on end here.
fn index_below_n(b: &Builder) -> U32<'_> {
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    i
}

/// Cuts the integer of these words, without its lowest `skip < 32` bits, into windows of `c` bits, one after
/// the other: a 64-bit buffer takes the words and gives the windows. `code` gives the code of a window by its
/// bits, its set and its number; it is written for scalar `i`.
fn windows<'k>(
    b: &'k Builder,
    i: U32<'k>,
    words: &[U32<'k>],
    skip: u32,
    code: impl Fn(U32<'k>, U32<'k>, U32<'k>) -> U32<'k>,
) {
    let n = b.scalar("n");
    let (c, sets, multiples) = (b.scalar("c"), b.scalar("sets"), b.scalar("multiples"));
    let codes = b.buffer("codes");
    let mask = (b.u32(1) << c) - 1;
    let zero = b.u32(0);

    let (bits, filled) = (b.var(b.u64(0)), b.var(zero));
    let (set, multiple) = (b.var(zero), b.var(zero));
    let emit_window = || {
        let (s, j) = (set.get(), multiple.get());
        let code = code(bits.get().narrow() & mask, s, j * sets + s);
        codes.set_word((s * multiples + j) * n + i, code);
        bits.set(bits.get() >> c);
        let last = (s + 1).eq(sets);
        set.set(last.select(zero, s + 1));
        multiple.set(last.select(j + 1, j));
    };

    for (at, word) in words.iter().enumerate() {
        // Fewer than c ≤ 24 bits are left over, so 56 of the 64 suffice.
        let skipped = if at == 0 { skip } else { 0 };
        bits.set(bits.get() | ((word.widen() >> skipped) << filled.get()));
        filled.set(filled.get() + (32 - skipped));
        b.while_(
            || filled.get().ge(c) & multiple.get().lt(multiples),
            || {
                emit_window();
                filled.set(filled.get() - c);
            },
        );
    }
    // Windows that reach past the last word.
    b.while_(|| multiple.get().lt(multiples), emit_window);
}
