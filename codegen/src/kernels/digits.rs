//! Signed window digits of scalars.

use crate::fir::build::{Builder, U32};
use crate::fir::ir::Kernel;
use crate::spec::FieldDesc;
use curvesmith_abi::kernels::{Digits, DigitsOdd, NO_DIGIT, ODD_KEY_BITS};

pub(super) fn digits(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<Digits>(field);
    body(&b, |half, s, magnitude| s * half + magnitude - 1);
    b.finish()
}

pub(super) fn digits_odd(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<DigitsOdd>(field);
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

/// One thread a scalar. A 64-bit buffer takes the words one after the other and gives the
/// windows; a window above `2^(c-1)` becomes negative and carries one into the next. With
/// `bits + 1` bits or more in all windows the last one that is not 0 is below `2^(c-1)` before the carry, so nothing is
/// carried out of the last. `code` gives the code without its sign, of
/// `2^(c-1)`, the set and the magnitude of a digit other than 0.
fn body<'k>(b: &'k Builder, code: impl Fn(U32<'k>, U32<'k>, U32<'k>) -> U32<'k>) {
    let i = b.global_index();
    let n = b.scalar("n");
    b.return_if(i.ge(n));
    let (c, sets, multiples) = (b.scalar("c"), b.scalar("sets"), b.scalar("multiples"));
    let codes = b.buffer("codes");
    let half = b.u32(1) << (c - 1);
    let mask = half + half - 1;
    let zero = b.u32(0);

    let (bits, filled) = (b.var(b.u64(0)), b.var(zero));
    let carry = b.var(zero);
    let (set, multiple) = (b.var(zero), b.var(zero));
    let emit_window = || {
        let (s, j) = (set.get(), multiple.get());
        let raw = (bits.get().narrow() & mask) + carry.get();
        let negative = raw.gt(half);
        let magnitude = negative.select(half + half - raw, raw);
        let sign = negative.select(b.u32(1 << 31), zero);
        let code = code(half, s, magnitude) | sign;
        codes.set_word((s * multiples + j) * n + i, magnitude.is(0).select(b.u32(NO_DIGIT), code));
        carry.set(negative.select(b.u32(1), zero));
        bits.set(bits.get() >> c);
        let last = (s + 1).eq(sets);
        set.set(last.select(zero, s + 1));
        multiple.set(last.select(j + 1, j));
    };

    let words: Vec<U32<'_>> = b.buffer("scalars").field(i).from_mont().words();
    for word in words {
        // Fewer than c ≤ 24 bits are left over, so 56 of the 64 suffice.
        bits.set(bits.get() | (word.widen() << filled.get()));
        filled.set(filled.get() + 32);
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
