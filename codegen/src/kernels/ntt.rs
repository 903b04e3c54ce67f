//! Transforms in registers, and tables of powers.
//!
//! A transform is a sequence of passes over memory (Stockham's, natural order throughout); a pass
//! transforms `r` strided elements a thread, after multiplying them by twiddles. Whatever root `ω` of
//! order `n` a plan uses, `ω^(n/r)` is an odd power of the field's own root `W` of order `r`:
//! `W = ω^(n/r·t)`, so `Σ x_q·W^(qm) = Σ x_q·ω^(n/r·q·tm)`. One kernel with the powers of `W` as
//! immediates serves every root: a plan only says where to put the results. A kernel exists where
//! the field has the roots it needs, and its registers the room.

use crate::fir::build::{Buffer, Builder, Fe, Pred, Table, U32};
use crate::fir::ir::Kernel;
use crate::spec::FieldDesc;
use curvesmith_abi::kernels::{
    NTT_TABLE, NTT_TABLE_LOG_RADIX, NttRadix2, NttRadix4, NttRadix8, NttRadix8First, NttRadix8Last,
    NttRadix8Lazy, NttRadix8Table, NttRadix16, NttRadix16Table, NttTwiddleTables, NttTwiddles, Powers,
    ntt_has_lazy, ntt_has_tables, ntt_later_log_radix, ntt_max_log_radix,
};
use num_bigint::BigUint;
use num_traits::One;

/// The kernels that a field of this two-adicity can use.
pub(super) fn kernels(field: &FieldDesc) -> Vec<Kernel> {
    let radices = 1..=ntt_max_log_radix(field.words).min(field.two_adicity());
    let mut kernels = vec![powers(field)];
    kernels.extend(radices.clone().map(|log_r| {
        let form = if log_r < ntt_later_log_radix(field.words) { Form::Ones } else { Form::OnesOrElements };
        match log_r {
            1 => pass::<NttRadix2>(field, 1, form),
            2 => pass::<NttRadix4>(field, 2, form),
            3 => pass::<NttRadix8>(field, 3, form),
            _ => pass::<NttRadix16>(field, 4, form),
        }
    }));
    if field.two_adicity() > 1 {
        kernels.push(twiddles::<NttTwiddles>(field, &[BigUint::one()]));
    }
    let bits = field.p.bits() as usize;
    // Several passes, and a later one in radix 8, are four stages or more.
    if ntt_has_lazy(field.words, bits) && field.two_adicity() > 3 {
        kernels.push(pass::<NttRadix8First>(field, 3, Form::Ones));
        kernels.push(pass::<NttRadix8Lazy>(field, 3, Form::Elements));
        kernels.push(pass::<NttRadix8Last>(field, 3, Form::Elements));
    }
    let has_tables = ntt_has_tables(field.words, bits);
    if has_tables && field.two_adicity() > NTT_TABLE_LOG_RADIX {
        kernels.push(pass::<NttRadix8Table>(field, 3, Form::Tables));
        if radices.contains(&4) {
            kernels.push(pass::<NttRadix16Table>(field, 4, Form::Tables));
        }
        kernels.push(twiddles::<NttTwiddleTables>(field, &entry_factors(field)));
    }
    kernels
}

/// What a pass finds in its buffer of twiddles.
#[derive(Clone, Copy)]
enum Form {
    /// Nothing: it is the first.
    Ones,
    /// Elements, or nothing if it is the first.
    OnesOrElements,
    /// Elements: it is not the first.
    Elements,
    /// Tables: it is not the first.
    Tables,
}

impl Form {
    /// `x` times the twiddle whose elements come next.
    fn multiply<'k>(self, x: Fe<'k>, parts: &mut impl Iterator<Item = Fe<'k>>) -> Fe<'k> {
        let words = x.builder().field_desc().words;
        let shape = NTT_TABLE.fit(words);
        match self {
            Form::Ones => x,
            Form::OnesOrElements | Form::Elements => x * parts.next().expect("positions do not end"),
            Form::Tables => {
                x.mul_table(&Table { entries: parts.take(shape.entries(words)).collect(), shape })
            }
        }
    }
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

/// A pass in radix `2^log_r`.
fn pass<K: curvesmith_abi::Kernel>(field: &FieldDesc, log_r: u32, form: Form) -> Kernel {
    let b = Builder::for_field::<K>(field);
    let (j, n) = (b.global_index(), b.u32(1) << b.scalar("log_n"));
    let threads = n >> log_r;
    b.return_if(j.ge(threads));
    let log_done = b.scalar("log_done");
    let s = b.u32(1) << log_done;
    let k = j & (s - 1);

    let (a, twiddles) = (b.buffer("a"), b.buffer("twiddles"));
    let mut x: Vec<_> = steps(j, threads).take(1 << log_r).map(|at| a.field(at)).collect();
    let twist = |x: &mut [_]| {
        let mut parts = steps(k, s).map(|at| twiddles.field(at));
        x.iter_mut().skip(1).for_each(|x| *x = form.multiply(*x, &mut parts));
    };
    match form {
        Form::Ones => {}
        Form::OnesOrElements => unless(log_done.is(0), &mut x, twist),
        Form::Elements | Form::Tables => twist(&mut x),
    }
    let y = transform(x, &field.root_of_unity(log_r));

    let start = (((j - k) << log_r) + k) * b.scalar("sign");
    let places = multiples(b.scalar("turn") << log_done, (b.u32(1 << log_r) << log_done) - 1);
    for (m, (y, place)) in y.into_iter().zip(places).enumerate() {
        // A negated start is above -s, and only the first result's place is below s.
        let at = if m == 0 { start & (n - 1) } else { start + place };
        b.buffer("out").set_field(at, y);
    }
    b.finish()
}

/// Changes `x` as `change` does, unless `cond`.
fn unless<'k>(cond: Pred<'k>, x: &mut [Fe<'k>], change: impl FnOnce(&mut [Fe<'k>])) {
    let b = cond.builder();
    let after: Vec<_> = x.iter().map(|x| b.var(*x)).collect();
    b.if_(!cond, || {
        change(x);
        after.iter().zip(&*x).for_each(|(after, x)| after.set(*x));
    });
    x.iter_mut().zip(after).for_each(|(x, after)| *x = after.get());
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
