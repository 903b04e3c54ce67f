//! Transforms in registers, and tables of powers.
//!
//! A transform is a sequence of passes over memory (Stockham's, natural order throughout); a pass
//! transforms `r` strided elements a thread, after multiplying them by twiddles. Whatever root `ω` of
//! order `n` a plan uses, `ω^(n/r)` is an odd power of the field's own root `W` of order `r`:
//! `ω^(n/r) = W^t`, so `Σ x_q·ω^(n/r·qm) = Σ x_q·W^(q·tm)`. One kernel with the powers of `W` as
//! immediates serves every root: a plan only says where to put the results. A kernel exists where
//! the field has the roots it needs.

use crate::fir::build::{Buffer, Builder, Fe, Table, U32};
use crate::fir::ir::Kernel;
use crate::spec::FieldDesc;
use curvesmith_abi::kernels::{
    NTT_TABLE, NttFirst2, NttFirst4, NttFirst8, NttRadix4, NttRadix8, NttRadix8Table, NttTwiddleTables,
    NttTwiddles, Powers, ntt_has_tables, ntt_log_radix,
};
use num_bigint::BigUint;
use num_traits::One;

/// The kernels that a field of this two-adicity can use.
pub(super) fn kernels(field: &FieldDesc) -> Vec<Kernel> {
    let two_adicity = field.two_adicity();
    let mut kernels = vec![powers(field), first::<NttFirst2>(field, 1)];
    if two_adicity >= 2 {
        kernels.push(first::<NttFirst4>(field, 2));
    }
    if ntt_log_radix(field.words) == 2 {
        if two_adicity >= 3 {
            kernels.push(later::<NttRadix4>(field, 2, by_element));
            kernels.push(twiddles::<NttTwiddles>(field, &[BigUint::one()]));
        }
        return kernels;
    }
    if two_adicity >= 3 {
        kernels.push(first::<NttFirst8>(field, 3));
    }
    if two_adicity >= 4 {
        kernels.push(later::<NttRadix8>(field, 3, by_element));
        kernels.push(twiddles::<NttTwiddles>(field, &[BigUint::one()]));
        if ntt_has_tables(field.words, field.p.bits() as usize) {
            kernels.push(later::<NttRadix8Table>(field, 3, by_table));
            kernels.push(twiddles::<NttTwiddleTables>(field, &entry_factors(field)));
        }
    }
    kernels
}

/// The elements of the twiddles at one position, in order.
type Parts<'a, 'k> = &'a mut dyn Iterator<Item = Fe<'k>>;

fn by_element<'k>(x: Fe<'k>, parts: Parts<'_, 'k>) -> Fe<'k> {
    x * parts.next().expect("positions do not end")
}

fn by_table<'k>(x: Fe<'k>, parts: Parts<'_, 'k>) -> Fe<'k> {
    let words = x.builder().field_desc().words;
    let shape = NTT_TABLE.fit(words);
    x.mul_table(&Table { entries: parts.take(shape.entries(words)).collect(), shape })
}

/// `start`, `start + step`, …
fn steps<'k>(start: U32<'k>, step: U32<'k>) -> impl Iterator<Item = U32<'k>> {
    std::iter::successors(Some(start), move |at| Some(*at + step))
}

/// `0`, `step`, `2·step`, … mod `mask + 1`, a power of two.
fn multiples<'k>(step: U32<'k>, mask: U32<'k>) -> impl Iterator<Item = U32<'k>> {
    let zero = mask.builder().u32(0);
    std::iter::successors(Some(zero), move |at| Some((*at + step) & mask))
}

/// The pass without twiddles, in radix `2^log_r`.
fn first<K: curvesmith_abi::Kernel>(field: &FieldDesc, log_r: u32) -> Kernel {
    let b = Builder::for_field::<K>(field);
    let pass = Pass::new(&b, log_r);
    let y = transform(pass.load(), &field.root_of_unity(log_r));
    let start = pass.j << log_r;
    // One is the only odd number mod 2.
    let turn = if log_r == 1 { b.u32(1) } else { b.scalar("turn") };
    for (y, place) in y.into_iter().zip(multiples(turn, b.u32((1 << log_r) - 1))) {
        b.buffer("out").set_field(start + place, y);
    }
    b.finish()
}

/// The pass with twiddles in radix `2^log_r`; `multiply` takes the parts of its twiddle.
fn later<K: curvesmith_abi::Kernel>(
    field: &FieldDesc,
    log_r: u32,
    multiply: for<'a, 'k> fn(Fe<'k>, Parts<'a, 'k>) -> Fe<'k>,
) -> Kernel {
    let b = Builder::for_field::<K>(field);
    let pass = Pass::new(&b, log_r);
    let log_done = b.scalar("log_done");
    let k = pass.j & ((b.u32(1) << log_done) - 1);
    let twiddles = b.buffer("twiddles");
    let mut x = pass.load();
    {
        let mut parts = steps(k, b.u32(1) << log_done).map(|at| twiddles.field(at));
        x.iter_mut().skip(1).for_each(|x| *x = multiply(*x, &mut parts));
    }
    let y = transform(x, &field.root_of_unity(log_r));
    let start = (((pass.j - k) << log_r) + k) * b.scalar("sign");
    let places = multiples(b.scalar("turn") << log_done, (b.u32(1 << log_r) << log_done) - 1);
    for (m, (y, place)) in y.into_iter().zip(places).enumerate() {
        // A negated start is above -s, and only the first result's place is below s.
        let at = if m == 0 { start & (pass.n - 1) } else { start + place };
        b.buffer("out").set_field(at, y);
    }
    b.finish()
}

/// A thread of a pass in radix `2^log_r`; threads past the end have left.
struct Pass<'k> {
    b: &'k Builder,
    log_r: u32,
    /// Index of the thread.
    j: U32<'k>,
    n: U32<'k>,
    threads: U32<'k>,
}

impl<'k> Pass<'k> {
    fn new(b: &'k Builder, log_r: u32) -> Self {
        let j = b.global_index();
        let n = b.u32(1) << b.scalar("log_n");
        let threads = n >> log_r;
        b.return_if(j.ge(threads));
        Pass { b, log_r, j, n, threads }
    }

    fn load(&self) -> Vec<Fe<'k>> {
        let a = self.b.buffer("a");
        steps(self.j, self.threads).take(1 << self.log_r).map(|at| a.field(at)).collect()
    }
}

/// `out[m] = Σ_q x[q]·root^(qm)`; `root` of order `x.len()`, a power of two.
///
/// Decimation in time: after bit reversal, stages with one multiplication by an immediate per
/// butterfly that needs one.
fn transform<'k>(x: Vec<Fe<'k>>, root: &BigUint) -> Vec<Fe<'k>> {
    let (r, p) = (x.len(), x[0].builder().field_desc().p);
    let log_r = r.trailing_zeros();
    let mut y: Vec<Fe<'k>> = (0..r).map(|i| x[i.reverse_bits() >> (usize::BITS - log_r)]).collect();
    for half in (0..log_r).map(|stage| 1 << stage) {
        let step = root.modpow(&(r / (2 * half)).into(), &p);
        for low in (0..r).filter(|i| i & half == 0) {
            let factor = step.modpow(&(low % half).into(), &p);
            let (even, odd) = (y[low], y[low + half].mul_const(&factor));
            (y[low], y[low + half]) = (even + odd, even - odd);
        }
    }
    y
}

fn powers(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<Powers>(field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let result = power(&b, b.one(), b.buffer("base_pows"), i);
    b.buffer("out").set_field(i, result);
    b.finish()
}

/// The twiddles of a pass, each times every one of `factors`.
fn twiddles<K: curvesmith_abi::Kernel>(field: &FieldDesc, factors: &[BigUint]) -> Kernel {
    let b = Builder::for_field::<K>(field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let log_done = b.scalar("log_done");
    let (k, before) = (i & ((b.u32(1) << log_done) - 1), i >> log_done);
    let result = power(&b, b.one(), b.buffer("base_pows"), (before + 1) * k);
    for (e, factor) in factors.iter().enumerate() {
        let place = before * factors.len() as u32 + e as u32;
        b.buffer("out").set_field(k + (place << log_done), result.mul_const(factor));
    }
    b.finish()
}

/// By what a constant is multiplied to get the elements whose Montgomery words are the entries of its
/// table: `B^(rows + step·e)/R`.
fn entry_factors(field: &FieldDesc) -> Vec<BigUint> {
    let (p, words) = (&field.p, field.words);
    let shape = NTT_TABLE.fit(words);
    let r_inv = field.r_mod_p().modpow(&(p - 2u32), p);
    let exponents = (0..shape.entries(words) as u32).map(|e| 32 * (shape.rows + shape.step * e));
    exponents.map(|e| (&r_inv << e) % p).collect()
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
