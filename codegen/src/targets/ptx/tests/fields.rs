//! Real and awkward fields: value classes and values at the bounds.

use super::*;

/// Deterministic bits (xorshift64*); the seed is in the test.
pub(in crate::targets::ptx) struct Bits(pub(in crate::targets::ptx) u64);

impl Bits {
    fn word(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32) as u32
    }

    fn below(&mut self, limit: &BigUint) -> BigUint {
        let words = limit.bits().div_ceil(32) + 2;
        BigUint::new((0..words).map(|_| self.word()).collect()) % limit
    }
}

fn hex(name: &str, p: &str) -> FieldDesc {
    FieldDesc::new(name, BigUint::parse_bytes(p.as_bytes(), 16).unwrap())
}

pub(in crate::targets::ptx) fn fields() -> Vec<FieldDesc> {
    let two = BigUint::from(2u32);
    let power = |e: u32| two.pow(e);
    vec![
        FieldDesc::new("f3", 3u32.into()),
        FieldDesc::new("f13", 13u32.into()),
        FieldDesc::new("babybear", 2013265921u32.into()),
        FieldDesc::new("m31", 0x7fff_ffffu32.into()),
        FieldDesc::new("top32", 0xffff_fffbu32.into()),
        FieldDesc::new("above32", 0x1_0000_000fu64.into()),
        FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into()),
        FieldDesc::new("m61", 0x1fff_ffff_ffff_ffffu64.into()),
        hex("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
        hex("bn254_fr", "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"),
        hex("bls12_381_fr", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
        hex(
            "bls12_381_fq",
            "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
        ),
        hex("secp256k1_fq", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
        hex("secp256k1_fr", "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"),
        hex("p256", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
        hex(
            "bw6_761_fq",
            "122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048\
             689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b",
        ),
        FieldDesc::new("p160", power(160) - 47u32),
        FieldDesc::new("m89", power(89) - 1u32),
        FieldDesc::new("m127", power(127) - 1u32),
        FieldDesc::new("m521", power(521) - 1u32),
        FieldDesc::new("p480", power(480) - 47u32),
        FieldDesc::new("p544", power(544) - 759u32),
    ]
}

pub(in crate::targets::ptx) fn classes(f: &FieldDesc, bound: Bound, bits: &mut Bits) -> Vec<BigUint> {
    let limit = bound.limit(f);
    let max = bound.max(f);
    let one = BigUint::one();
    let mut values = vec![
        BigUint::zero(),
        one.clone(),
        2u32.into(),
        &f.p - 1u32,
        &f.p - 2u32,
        f.p.clone(),
        &f.p * 2u32,
        f.r_mod_p(),
        f.r2(),
        u32::MAX.into(),
        max.clone(),
        max.checked_sub_one(),
        (&one << (max.bits() - 1)) - 1u32,
        &one << (max.bits() - 1),
    ];
    for i in 0..f.words {
        values.push((BigUint::from(u32::MAX) << (32 * i)) % &limit);
        values.push(&max ^ (&max & (BigUint::from(u32::MAX) << (32 * i))));
    }
    values.extend((0..4).map(|_| bits.below(&limit)));
    values.retain(|x| *x < limit);
    values.sort();
    values.dedup();
    values
}

trait SubOne {
    fn checked_sub_one(&self) -> BigUint;
}

impl SubOne for BigUint {
    fn checked_sub_one(&self) -> BigUint {
        if self.is_zero() { BigUint::zero() } else { self - 1u32 }
    }
}

/// Bounds from canonical to the whole range of the words.
fn bounds(f: &FieldDesc) -> Vec<Bound> {
    let mut bounds = vec![Bound::Canonical, Bound::ANY];
    for quarters in [5u32, 8, 11, 17] {
        bounds.extend(Bound::below(f, &(&f.p * quarters / 4u32)));
    }
    // The largest operand that the narrow product takes, and one unit more.
    let narrow = Bound::up_to(f, &(f.r() - &f.p)).filter(|_| f.r() - &f.p >= f.p);
    if let Some(Bound::Units(units)) = narrow {
        bounds.extend([Bound::Units(units - 1), Bound::Units(units), Bound::Units((units + 1).min(1 << 32))]);
    }
    bounds.retain(|b| b.limit(f) >= f.p);
    bounds
}

/// The largest values against each other, and every value against three others.
pub(in crate::targets::ptx) fn tuples(operands: usize, xs: &[BigUint], ys: &[BigUint]) -> Vec<Vec<BigUint>> {
    let tuple = |x: &BigUint, y: &BigUint| -> Vec<BigUint> {
        (0..operands).map(|k| if k % 2 == 0 { x } else { y }).cloned().collect()
    };
    if operands == 1 {
        return xs.iter().map(|x| tuple(x, x)).collect();
    }
    let mut values = Vec::new();
    for x in xs.iter().rev().take(3) {
        values.extend(ys.iter().rev().take(3).map(|y| tuple(x, y)));
    }
    for (i, x) in xs.iter().enumerate() {
        values.extend([0, 1, 5].map(|step| tuple(x, &ys[i * step % ys.len()])));
    }
    values
}

#[test]
fn every_variant_is_the_definition() {
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
    println!("seed {SEED:#x}");
    let mut bits = Bits(SEED);
    for f in fields() {
        let bounds = bounds(&f);
        for op in ops(&f) {
            for (i, &x) in bounds.iter().enumerate() {
                // A second operand with an equal bound, and with two others; with one of them where words are
                // more.
                let others = [bounds[(i + 1) % bounds.len()], x, Bound::Canonical];
                let several = if f.words > 2 && !is_long() { 1 } else { 3 };
                for y in others.into_iter().take(if op.operands(&f) > 1 { several } else { 1 }) {
                    let operands: Vec<Bound> =
                        (0..op.operands(&f)).map(|k| if k % 2 == 0 { x } else { y }).collect();
                    let xs = classes(&f, x, &mut bits);
                    let ys = classes(&f, y, &mut bits);
                    let values = tuples(op.operands(&f), &xs, &ys);
                    assert!(check(&f, &op, &operands, &values) > 0, "{} {op:?} {operands:?}", f.name);
                }
            }
        }
    }
}

/// All operands whose words are extreme, in fields of two and three words: every pattern of full and
/// empty words, with moduli that make `m` and the rows extreme too.
#[test]
fn every_pattern_of_extreme_words() {
    let power = |e: u32| BigUint::from(2u32).pow(e);
    let fields = [
        FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into()),
        FieldDesc::new("above32", 0x1_0000_000fu64.into()),
        FieldDesc::new("m61", 0x1fff_ffff_ffff_ffffu64.into()),
        FieldDesc::new("p64", power(64) - 59u32),
        FieldDesc::new("m89", power(89) - 1u32),
        FieldDesc::new("p96", power(96) - 17u32),
    ];
    for f in &fields {
        let mut values = vec![BigUint::zero()];
        for i in 0..f.words {
            let words = [0, 1, 1 << 31, u32::MAX].map(|w| BigUint::from(w) << (32 * i));
            values = values.iter().flat_map(|low| words.iter().map(move |word| low | word)).collect();
        }
        let mut all = bounds(f);
        all.truncate(2);
        all.extend(Bound::up_to(f, &(f.r() - &f.p)).filter(|b| Bound::Canonical.within(*b, f)));
        let fq2 = FieldOp::DotFq2 { terms: 1, nonresidue: -1 };
        let sums = [FieldOp::Add, FieldOp::Sub, FieldOp::FromMont];
        for op in [FieldOp::Mul, FieldOp::Sqr, FieldOp::Dot(2), fq2].into_iter().chain(sums) {
            for &bound in &all {
                let limit = bound.limit(f);
                let below: Vec<&BigUint> = values.iter().filter(|x| **x < limit).collect();
                let ys = if op.operands(f) == 1 { &below[..1] } else { &below[..] };
                let tuple = |x: &BigUint, y: &BigUint| -> Vec<BigUint> {
                    (0..op.operands(f)).map(|k| if k % 2 == 0 { x } else { y }).cloned().collect()
                };
                let tuples: Vec<_> = below.iter().flat_map(|x| ys.iter().map(|y| tuple(x, y))).collect();
                assert!(check(f, &op, &vec![bound; op.operands(f)], &tuples) > 0, "{} {op:?}", f.name);
            }
        }
    }
}

/// The longest field there may be, and BN462's (15 words, 18 spare bits): fewer values.
#[test]
fn long_fields() {
    const SEED: u64 = 0x0123_4567_89ab_cdef;
    println!("seed {SEED:#x}");
    let mut bits = Bits(SEED);
    let power = |e: u32| BigUint::from(2u32).pow(e);
    // x = 2^114 + 2^101 - 2^14 - 1
    let x = power(114) + power(101) - power(14) - 1u32;
    let bn462 = x.pow(4) * 36u32 + x.pow(3) * 36u32 + x.pow(2) * 24u32 + &x * 6u32 + 1u32;
    let fields = [FieldDesc::new("bn462_fq", bn462), FieldDesc::new("p1024", power(1024) - 105u32)];
    assert_eq!(fields.each_ref().map(|f| f.words), [15, 32]);
    for f in &fields {
        let fq2 = FieldOp::DotFq2 { terms: 1, nonresidue: -1 };
        for op in [FieldOp::Mul, FieldOp::Sqr, FieldOp::Dot(2), FieldOp::FromMont, fq2] {
            for bound in [Bound::Canonical, Bound::ANY] {
                let values = classes(f, bound, &mut bits);
                let largest = values.iter().rev().take(2);
                let some: Vec<BigUint> = largest.chain(values.iter().step_by(9)).cloned().collect();
                let tuples = tuples(op.operands(f), &some, &some);
                let bounds = vec![bound; op.operands(f)];
                assert!(check(f, &op, &bounds, &tuples) > 0, "{} {op:?} {bound:?}", f.name);
            }
        }
    }
}
