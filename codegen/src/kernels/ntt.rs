//! Radix-2 transforms: permutation, stages, tables of powers.

use crate::fir::build::{Buffer, Builder, Fe, U32};
use crate::fir::ir::Kernel;
use crate::spec::FieldDesc;
use curvesmith_abi::kernels::{NttBitReverse, NttStage, Powers};

pub(super) fn bit_reverse(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<NttBitReverse>(field);
    let i = b.global_index();
    let log_n = b.scalar("log_n");
    b.return_if(i.ge(b.u32(1) << log_n));
    // Two shifts, because 32 - log_n is not a legal amount for log_n = 0.
    let target = (i.brev() >> 1) >> (b.u32(31) - log_n);
    b.buffer("out").set_field(target, b.buffer("a").field(i));
    b.finish()
}

pub(super) fn stage(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<NttStage>(field);
    let t = b.global_index();
    b.return_if(t.ge(b.scalar("butterflies")));
    let half = b.scalar("half");
    let j = t & (half - 1);
    // Block t/half starts at 2·half·⌊t/half⌋ = 2·(t - j).
    let low = t + t - j;
    let data = b.buffer("data");
    let twiddle = b.buffer("twiddles").field(j * b.scalar("stride"));
    let (even, odd) = (data.field(low), data.field(low + half) * twiddle);
    data.set_field(low, even + odd);
    data.set_field(low + half, even - odd);
    b.finish()
}

pub(super) fn powers(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<Powers>(field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let result = power(&b, b.one(), b.buffer("base_pows"), i);
    b.buffer("out").set_field(i, result);
    b.finish()
}

/// `a · base^exponent`, where `base_pows[j] = base^(2^j)`: one product a set bit.
pub(super) fn power<'k>(b: &'k Builder, a: Fe<'k>, base_pows: Buffer<'k>, exponent: U32<'k>) -> Fe<'k> {
    let (acc, rest) = (b.var(a), b.var(exponent));
    b.while_(
        || rest.get().ne(b.u32(0)),
        || {
            let bits = rest.get();
            let highest = b.u32(31) - bits.clz();
            acc.set(acc.get() * base_pows.field(highest));
            rest.set(bits ^ (b.u32(1) << highest));
        },
    );
    acc.get()
}
