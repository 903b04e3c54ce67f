//! Transforms in registers, and tables of powers.
//!
//! A transform is a sequence of passes over memory (Stockham's, natural order throughout); a pass
//! transforms `r` strided elements a thread, after multiplying them by twiddles. Whatever root `ω` of
//! order `n` a plan uses, `ω^(n/r)` is an odd power of the field's own root `W` of order `r`:
//! `ω^(n/r) = W^t`, so `Σ x_q·ω^(n/r·qm) = Σ x_q·W^(q·tm)`. One kernel with the powers of `W` as
//! immediates serves every root: a plan only says where to put the results. A kernel exists where
//! the field has the roots it needs.

use crate::fir::build::{Buffer, Builder, Fe, U32};
use crate::fir::ir::Kernel;
use crate::spec::FieldDesc;
use curvesmith_abi::kernels::{
    NttFirst2, NttFirst4, NttFirst8, NttRadix4, NttRadix8, NttRadix8Table, PowerTables, Powers,
    ntt_has_tables, ntt_log_radix,
};
use curvesmith_abi::{Element, Kernel as _, ParamKind, TableShape};
use num_bigint::BigUint;

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
        }
        return kernels;
    }
    if two_adicity >= 3 {
        kernels.push(first::<NttFirst8>(field, 3));
    }
    if two_adicity >= 4 {
        kernels.push(later::<NttRadix8>(field, 3, by_element));
        if ntt_has_tables(field.words) {
            kernels.push(later::<NttRadix8Table>(field, 3, |x, tables, i| x.mul_table(&tables.table(i))));
            kernels.push(power_tables(field));
        }
    }
    kernels
}

fn by_element<'k>(x: Fe<'k>, twiddles: Buffer<'k>, i: U32<'k>) -> Fe<'k> {
    x * twiddles.field(i)
}

/// The pass without twiddles, in radix `2^log_r`.
fn first<K: curvesmith_abi::Kernel>(field: &FieldDesc, log_r: u32) -> Kernel {
    let b = Builder::for_field::<K>(field);
    let pass = Pass::new(&b, log_r);
    let x = pass.load();
    pass.store(pass.j << log_r, b.u32(0), &transform(x, &field.root_of_unity(log_r)));
    b.finish()
}

/// The pass with twiddles in radix `2^log_r`; `multiply(x, twiddles, i)` is `x` times twiddle `i`.
fn later<K: curvesmith_abi::Kernel>(
    field: &FieldDesc,
    log_r: u32,
    multiply: for<'k> fn(Fe<'k>, Buffer<'k>, U32<'k>) -> Fe<'k>,
) -> Kernel {
    let b = Builder::for_field::<K>(field);
    let pass = Pass::new(&b, log_r);
    let log_done = b.scalar("log_done");
    let k = pass.j & ((b.u32(1) << log_done) - 1);
    let (twiddles, step) = (b.buffer("twiddles"), k << b.scalar("log_stride"));
    let mut x = pass.load();
    for (q, x) in x.iter_mut().enumerate().skip(1) {
        *x = multiply(*x, twiddles, step * q as u32);
    }
    pass.store(((pass.j - k) << log_r) + k, log_done, &transform(x, &field.root_of_unity(log_r)));
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
        (0..1 << self.log_r).map(|q| a.field(self.j + self.threads * q)).collect()
    }

    /// Result `m` goes to `±(start + (turn·m mod r)·2^log_done) mod n`.
    fn store(&self, start: U32<'k>, log_done: U32<'k>, results: &[Fe<'k>]) {
        let (b, out) = (self.b, self.b.buffer("out"));
        let (sign, mask) = (b.scalar("sign"), self.n - 1);
        for (m, &result) in results.iter().enumerate() {
            // One is the only odd number mod 2.
            let place = match self.log_r {
                1 => b.u32(m as u32),
                log_r => (b.scalar("turn") * m as u32) & ((1 << log_r) - 1),
            };
            out.set_field(((start + (place << log_done)) * sign) & mask, result);
        }
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

fn power_tables(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<PowerTables>(field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let result = power(&b, b.one(), b.buffer("base_pows"), i);
    let ParamKind::Buffer(_, Element::Table(shape)) = PowerTables::DESC.params[1].kind else {
        unreachable!("the output holds tables")
    };
    for (part, factor) in entry_factors(field, shape).iter().enumerate() {
        b.buffer("out").set_part(i, part, result.mul_const(factor));
    }
    b.finish()
}

/// By what a constant is multiplied to get the elements whose Montgomery words are the entries of its
/// table: `B^(rows + step·e)/R`.
fn entry_factors(field: &FieldDesc, shape: TableShape) -> Vec<BigUint> {
    let (p, words) = (&field.p, field.words);
    let shape = shape.fit(words);
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
