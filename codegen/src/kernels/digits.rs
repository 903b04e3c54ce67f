//! Signed window digits of scalars.

use crate::fir::build::{Builder, U32};
use crate::fir::ir::Kernel;
use crate::spec::FieldDesc;
use curvesmith_abi::kernels::{Digits, NO_DIGIT};

/// One thread a scalar. A 64-bit buffer takes the words one after the other and gives the
/// windows; a window above `2^(c-1)` becomes negative and carries one into the next. With
/// `windows·c ≥ bits + 1` the last window is below `2^(c-1)` before the carry, so nothing is
/// carried out of it.
pub(super) fn digits(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<Digits>(field);
    let i = b.global_index();
    let n = b.scalar("n");
    b.return_if(i.ge(n));
    let (c, windows) = (b.scalar("c"), b.scalar("windows"));
    let codes = b.buffer("codes");
    let half = b.u32(1) << (c - 1);
    let mask = half + half - 1;
    let zero = b.u32(0);

    let (bits, filled) = (b.var(b.u64(0)), b.var(zero));
    let (carry, window) = (b.var(zero), b.var(zero));
    let emit_window = || {
        let w = window.get();
        let raw = (bits.get().narrow() & mask) + carry.get();
        let negative = raw.gt(half);
        let magnitude = negative.select(half + half - raw, raw);
        let sign = negative.select(b.u32(1 << 31), zero);
        let code = (w * half + magnitude - 1) | sign;
        codes.set_word(w * n + i, magnitude.is(0).select(b.u32(NO_DIGIT), code));
        carry.set(negative.select(b.u32(1), zero));
        bits.set(bits.get() >> c);
        window.set(w + 1);
    };

    let words: Vec<U32<'_>> = b.buffer("scalars").field(i).from_mont().words();
    for word in words {
        // Fewer than c ≤ 16 bits are left over, so 48 of the 64 suffice.
        bits.set(bits.get() | (word.widen() << filled.get()));
        filled.set(filled.get() + 32);
        b.while_(
            || filled.get().ge(c) & window.get().lt(windows),
            || {
                emit_window();
                filled.set(filled.get() - c);
            },
        );
    }
    // Windows that reach past the last word.
    b.while_(|| window.get().lt(windows), emit_window);
    b.finish()
}
