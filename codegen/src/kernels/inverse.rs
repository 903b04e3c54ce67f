//! Inversion, by the cheaper of two methods, and Montgomery's trick over it. Zero goes to zero.
//!
//! * **Fermat**: `x^(p-2)` by a sliding window, unrolled. Cubic in the number of words.
//! * **Division steps** (Bernstein and Yang, 2019, with `δ = 1/2`): 30 steps on the low words of
//!   `f` and `g` give a 2×2 matrix, which is then applied to all words. Quadratic; the steps
//!   themselves cost the same for every field.
//!
//! Short fields take the power. A test of the PTX target holds the limit against its prices.

use crate::declaration::FieldDesc;
use crate::fir::build::{Builder, Fe, U32, U64, Var};
use crate::fir::ir::Kernel;
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{FieldBatchInverse, FieldInverse};
use num_bigint::BigUint;

/// Division steps that one matrix holds: entries are at most `2^30`, so their products with two
/// words and a carry fit 64 bits.
pub(crate) const STEPS: u32 = 30;
/// Words of the widest field whose elements are inverted by a power.
pub(crate) const POWER_WORDS: usize = 3;

pub(super) fn inverse(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<FieldInverse>(geometry, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    b.buffer("out").set_field(i, invert(&b, b.buffer("a").field(i)));
    b.finish()
}

/// Each thread walks its elements forwards, keeping the products before each, inverts the product of
/// all, and walks back.
pub(super) fn batch_inverse(geometry: &Geometry, field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<FieldBatchInverse>(geometry, field);
    let (t, n, threads) = (b.global_index(), b.scalar("n"), b.scalar("threads"));
    b.return_if(t.ge(n.min(threads)));
    let (a, out) = (b.buffer("a"), b.buffer("out"));
    let i = b.var(t);
    let product = b.var(b.one());
    // Its last round looks past the end only if n ≥ 2^31, which the contract excludes.
    b.while_(
        || i.get().lt(n),
        || {
            let (at, before) = (i.get(), product.get());
            out.set_field(at, before);
            product.set(before * or_one(&b, a.field(at)));
            i.set(at + threads);
        },
    );
    let inverse = b.var(invert(&b, product.get()));
    b.loop_(|| {
        let at = i.get() - threads;
        let x = a.field(at);
        let (before, after) = (out.field(at), inverse.get());
        out.set_field(at, x.is_zero().select(b.zero(), before * after));
        inverse.set(after * or_one(&b, x));
        i.set(at);
        b.break_if(at.eq(t));
    });
    b.finish()
}

/// `x`, or one in place of zero.
fn or_one<'k>(b: &'k Builder, x: Fe<'k>) -> Fe<'k> {
    x.is_zero().select(b.one(), x)
}

/// `1/x`, or zero for zero, of an element of the highest level: `x̄/N(x)`, where `x̄` is the product of the
/// other conjugates.
pub(super) fn invert_element<'k>(b: &'k Builder, x: Fe<'k>) -> Fe<'k> {
    let others = (1..b.tower().degree()).map(|n| x.frobenius(n)).reduce(|product, y| product * y);
    match others {
        Some(others) => others.mul_base(invert(b, (x * others).coordinates()[0])),
        None => invert(b, x),
    }
}

/// `1/x`, or zero for zero.
fn invert<'k>(b: &'k Builder, x: Fe<'k>) -> Fe<'k> {
    let field = b.field_desc();
    if field.words <= POWER_WORDS { power(x, &(&field.p - 2u32)) } else { divsteps(b, &field, x) }
}

/// Most division steps until `g` is zero, in a field of so many bits: Wuille's bound for the worst input,
/// with `δ = 1/2`.
#[cfg(test)]
pub(crate) fn division_steps(bits: u64) -> u64 {
    (45907 * bits + 26313).div_ceil(19929)
}

/// Squarings and products of [`power`].
#[cfg(test)]
pub(crate) fn power_products(e: &BigUint) -> (usize, usize) {
    Plan::new(e).split()
}

/// A power as squarings and products with odd powers: `(squarings, odd power)`, from the top; an odd
/// power of 0 means squarings alone.
struct Plan {
    /// Odd powers up to `2·odd - 1` are in the table.
    odd: usize,
    steps: Vec<(u32, usize)>,
}

impl Plan {
    /// The cheapest sliding window for `x^e`, `e > 0`, where all products cost the same.
    fn new(e: &BigUint) -> Plan {
        let plans = (1..=6).map(|window| Plan::with_window(e, window));
        plans.min_by_key(Plan::products).expect("six plans")
    }

    fn with_window(e: &BigUint, window: u64) -> Plan {
        let mut steps = vec![];
        let (mut left, mut squarings, mut largest) = (e.bits(), 0, 1);
        while left > 0 {
            if !e.bit(left - 1) {
                squarings += 1;
                left -= 1;
                continue;
            }
            // The longest window that ends in a one.
            let low = (left.saturating_sub(window)..left).find(|&i| e.bit(i)).expect("bit left - 1 is one");
            let digit = (low..left).rev().fold(0, |d, i| 2 * d + usize::from(e.bit(i)));
            steps.push((squarings + (left - low) as u32, digit));
            (left, squarings, largest) = (low, 0, largest.max(digit));
        }
        if squarings > 0 {
            steps.push((squarings, 0));
        }
        Plan { odd: largest / 2 + 1, steps }
    }

    /// Squarings and products, those of the table included.
    fn products(&self) -> usize {
        let (squarings, products) = self.split();
        squarings + products
    }

    fn split(&self) -> (usize, usize) {
        // The first step starts from its table entry.
        let squarings: usize = self.steps[1..].iter().map(|(s, _)| *s as usize).sum();
        let products = self.steps[1..].iter().filter(|(_, digit)| *digit > 0).count();
        (squarings + usize::from(self.odd > 1), products + self.odd - 1)
    }
}

/// `x^e`, `e > 0`.
fn power<'k>(x: Fe<'k>, e: &BigUint) -> Fe<'k> {
    let plan = Plan::new(e);
    let mut table = vec![x];
    if plan.odd > 1 {
        let square = x.sqr();
        for i in 1..plan.odd {
            table.push(table[i - 1] * square);
        }
    }
    let (_, first) = plan.steps[0];
    let mut result = table[first / 2];
    for &(squarings, digit) in &plan.steps[1..] {
        for _ in 0..squarings {
            result = result.sqr();
        }
        if digit > 0 {
            result = result * table[digit / 2];
        }
    }
    result
}

/// `(u, v, q, r)`, two's complement: `2^30·f' = u·f + v·g` and `2^30·g' = q·f + r·g`.
struct Matrix<'k> {
    u: U32<'k>,
    v: U32<'k>,
    q: U32<'k>,
    r: U32<'k>,
}

/// `1/x` by division steps on the canonical Montgomery words `X = x·R`.
///
/// `f` and `g` start as `p` and `X` and stay within `(-p, p]`; `d·X = f` and `e·X = g` modulo `p` up to
/// the powers of two that are divided out, with `d` and `e` in `(-2p, p)`. When `g` is zero, `f` is 1
/// or -1, and `X⁻¹ = ±d`. For `X = 0` that is so at once, with `d = 0`. All four have a word more
/// than the field, in two's complement. That `g` becomes zero for every input is Bernstein's and
/// Yang's theorem 11.2.
fn divsteps<'k>(b: &'k Builder, field: &FieldDesc, x: Fe<'k>) -> Fe<'k> {
    let p: Vec<U32<'k>> = field.limbs(&field.p).iter().chain([&0]).map(|w| b.u32(*w)).collect();
    let zero = b.u32(0);
    let local = |words: &[U32<'k>]| -> Vec<Var<'k, U32<'k>>> { words.iter().map(|w| b.var(*w)).collect() };
    let set = |vars: &[Var<'k, U32<'k>>], words: Vec<U32<'k>>| {
        vars.iter().zip(words).for_each(|(var, word)| var.set(word));
    };
    let get = |vars: &[Var<'k, U32<'k>>]| -> Vec<U32<'k>> { vars.iter().map(|var| var.get()).collect() };

    let mut x_words = x.words();
    x_words.push(zero);
    let mut one = vec![zero; field.words + 1];
    one[0] = b.u32(1);
    let (f, g) = (local(&p), local(&x_words));
    let (d, e) = (local(&vec![zero; field.words + 1]), local(&one));
    // -(δ + 1/2)
    let zeta = b.var(b.u32(u32::MAX));
    b.while_(
        || {
            let words = get(&g);
            words[1..].iter().fold(words[0], |all, w| all | *w).ne(b.u32(0))
        },
        || {
            let (f_words, g_words) = (get(&f), get(&g));
            let m = steps(b, zeta, f_words[0], g_words[0]);
            set(&f, combine(b, &[(m.u, &f_words), (m.v, &g_words)]));
            set(&g, combine(b, &[(m.q, &f_words), (m.r, &g_words)]));
            let (d_words, e_words) = (get(&d), get(&e));
            let (mp, mq) = (
                multiple(b, field, (m.u, &d_words), (m.v, &e_words)),
                multiple(b, field, (m.q, &d_words), (m.r, &e_words)),
            );
            set(&d, combine(b, &[(m.u, &d_words), (m.v, &e_words), (mp, &p)]));
            set(&e, combine(b, &[(m.q, &d_words), (m.r, &e_words), (mq, &p)]));
        },
    );
    let d = add_masked(b, &get(&d), &p, is_negative(b, &get(&d)));
    let f_negative = is_negative(b, &get(&f));
    let flipped: Vec<U32<'k>> = d.iter().map(|w| *w ^ f_negative).collect();
    let signed = add_bit(b, &flipped, f_negative & 1);
    let inverse = add_masked(b, &signed, &p, is_negative(b, &signed));
    // These words are the element x⁻¹/R².
    b.from_words(&inverse[..field.words]).mul_const(&field.r2())
}

/// 30 division steps on the low words of `f` and `g`.
fn steps<'k>(b: &'k Builder, zeta: Var<'k, U32<'k>>, f: U32<'k>, g: U32<'k>) -> Matrix<'k> {
    const UNROLL: u32 = 5;
    let (zero, one) = (b.u32(0), b.u32(1));
    let (f, g) = (b.var(f), b.var(g));
    let (u, v, q, r) = (b.var(one), b.var(zero), b.var(zero), b.var(one));
    b.for_(zero, b.u32(STEPS), UNROLL, |_| {
        for _ in 0..UNROLL {
            // δ > 0, and g is odd.
            let positive = zero - (zeta.get() >> 31);
            let odd = zero - (g.get() & 1);
            let signed = |x: U32<'k>| ((x ^ positive) - positive) & odd;
            g.set(g.get() + signed(f.get()));
            q.set(q.get() + signed(u.get()));
            r.set(r.get() + signed(v.get()));
            let swap = positive & odd;
            zeta.set((zeta.get() ^ swap) - 1);
            f.set(f.get() + (g.get() & swap));
            u.set((u.get() + (q.get() & swap)) << 1);
            v.set((v.get() + (r.get() & swap)) << 1);
            g.set(g.get() >> 1);
        }
    });
    Matrix { u: u.get(), v: v.get(), q: q.get(), r: r.get() }
}

/// `m` in `(-2^31, 2^30]` with `u·d + v·e + m·p` divisible by `2^30` and in `(-2^31·p, 2^30·p)`.
///
/// First `p` is added to negative `d` and `e`, then `(…)·p` for the low bits subtracted.
fn multiple<'k>(
    b: &'k Builder,
    field: &FieldDesc,
    (u, d): (U32<'k>, &[U32<'k>]),
    (v, e): (U32<'k>, &[U32<'k>]),
) -> U32<'k> {
    let m = (u & is_negative(b, d)) + (v & is_negative(b, e));
    let low = u * d[0] + v * e[0];
    let inverse = field.n0().wrapping_neg();
    m - ((low * inverse + m) & ((1 << STEPS) - 1))
}

/// `(Σ c·w)/2^30`, rounded down, of signed coefficients and numbers in two's complement of one length.
///
/// The coefficients are at most `2^30 + 2^31` in all, so a column and its carry are below `2^64`; the sum
/// fits the words. A negative `c` multiplies `-w = !w + 1`.
fn combine<'k>(b: &'k Builder, terms: &[(U32<'k>, &[U32<'k>])]) -> Vec<U32<'k>> {
    let terms: Vec<(U32<'k>, U64<'k>, &[U32<'k>])> = terms
        .iter()
        .map(|&(c, words)| {
            let sign = b.u32(0) - (c >> 31);
            (sign, ((c ^ sign) - sign).widen(), words)
        })
        .collect();
    let mut column = b.u64(0);
    for (sign, magnitude, _) in &terms {
        column = column + (magnitude.narrow() & *sign).widen();
    }
    let length = terms[0].2.len();
    let mut low = Vec::with_capacity(length);
    for i in 0..length {
        for (sign, magnitude, words) in &terms {
            column = column + *magnitude * (words[i] ^ *sign).widen();
        }
        low.push(column.narrow());
        column = column >> 32;
    }
    let top = low[length - 1];
    let mut out: Vec<U32<'k>> =
        low.windows(2).map(|pair| (pair[0] >> STEPS) | (pair[1] << (32 - STEPS))).collect();
    // Arithmetic shift of the top word.
    out.push(((top ^ (1 << 31)) >> STEPS) - (1 << (31 - STEPS)));
    out
}

/// All ones for a negative number.
fn is_negative<'k>(b: &'k Builder, words: &[U32<'k>]) -> U32<'k> {
    b.u32(0) - (words[words.len() - 1] >> 31)
}

/// `x + (p & mask)`
fn add_masked<'k>(b: &'k Builder, x: &[U32<'k>], p: &[U32<'k>], mask: U32<'k>) -> Vec<U32<'k>> {
    let masked: Vec<U32<'k>> = p.iter().map(|w| *w & mask).collect();
    add(b, x, &masked, b.u32(0))
}

/// `x + bit`
fn add_bit<'k>(b: &'k Builder, x: &[U32<'k>], bit: U32<'k>) -> Vec<U32<'k>> {
    add(b, x, &vec![b.u32(0); x.len()], bit)
}

fn add<'k>(b: &'k Builder, x: &[U32<'k>], y: &[U32<'k>], carry: U32<'k>) -> Vec<U32<'k>> {
    let mut column = b.u64(0) + carry.widen();
    let mut out = Vec::with_capacity(x.len());
    for (x, y) in x.iter().zip(y) {
        column = column + x.widen() + y.widen();
        out.push(column.narrow());
        column = column >> 32;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plan applied to exponents: the power of `x` that it computes.
    fn exponent(plan: &Plan) -> BigUint {
        plan.steps.iter().fold(BigUint::ZERO, |e, &(squarings, digit)| (e << squarings) + digit)
    }

    #[test]
    fn plans_compute_their_exponent() {
        for e in (1u32..2000).chain([2013265919, u32::MAX]) {
            let plan = Plan::new(&e.into());
            assert_eq!(exponent(&plan), e.into());
            assert!(
                plan.steps.iter().all(|&(_, digit)| digit < 2 * plan.odd && (digit == 0 || digit % 2 == 1))
            );
            assert!(plan.steps[0].1 > 0, "the first step names a power");
        }
    }
}
