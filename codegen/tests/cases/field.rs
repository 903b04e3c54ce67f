//! Field kernels against big integers.

use super::super::{GEOMETRY, Machine};
use super::{Random, buf, is_long, num};
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::*;
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::interp::{from_words, to_words};
use num_bigint::{BigInt, BigUint};

fn fields() -> Vec<FieldDesc> {
    let big = |hex: &str| BigUint::parse_bytes(hex.as_bytes(), 16).expect("hex");
    vec![
        FieldDesc::new("three", 3u32.into()),
        FieldDesc::new("toy", 13u32.into()),
        FieldDesc::new("top_bit", 0xffff_fffbu32.into()),
        FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into()),
        FieldDesc::new("bn254_fr", big("30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001")),
        FieldDesc::new(
            "secp256k1_fq",
            big("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
        ),
    ]
}

/// Moduli from 2 to 1024 bits: each number of words that is odd, without a spare bit or with many,
/// sparse, dense, `p = 1 mod 2^32`.
fn shapes() -> Vec<FieldDesc> {
    let power = |e: u32| BigUint::from(1u32) << e;
    let big = |hex: &str| BigUint::parse_bytes(hex.as_bytes(), 16).expect("hex");
    let bn462 = "240480360120023ffffffffff6ff0cf6b7d9bfca0000000000d812908f41c8020ffffffffff6ff66fc6ff687f640000000002401b00840138013";
    let bw6_761 = "122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b";
    let bls12_377 =
        "1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001";
    let pallas = "40000000000000000000000000000000224698fc094cf91b992d30ed00000001";
    let moduli = [
        ("three", 3u32.into()),
        ("five", 5u32.into()),
        ("babybear", 2013265921u32.into()),
        ("full_word", 0xffff_fffbu32.into()),
        ("above_a_word", 0x1_0000_000fu64.into()),
        ("goldilocks", 0xffff_ffff_0000_0001u64.into()),
        ("full_64", power(64) - 59u32),
        ("above_64", power(64) + 13u32),
        ("m89", power(89) - 1u32),
        ("m127", power(127) - 1u32),
        ("pallas", big(pallas)),
        ("ed25519", power(255) - 19u32),
        ("sm2", big("fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff")),
        ("bls12_377_fq", big(bls12_377)),
        ("bn462_fq", big(bn462)),
        ("full_480", power(480) - 47u32),
        ("above_512", power(512) + 75u32),
        ("m521", power(521) - 1u32),
        ("bw6_761_fq", big(bw6_761)),
        ("full_768", power(768) - 825u32),
        ("above_992", power(992) + 2431u32),
        ("sparse_1023", power(1022) + power(64) * 552u32 + 1u32),
        ("two_adic_1024", power(1023) + power(900) * 340u32 + 1u32),
        ("full_1024", power(1024) - 105u32),
    ];
    moduli.map(|(name, p)| FieldDesc::new(name, p)).into()
}

/// All of them in a long run, else every other one.
fn some_shapes() -> impl Iterator<Item = FieldDesc> {
    shapes().into_iter().rev().step_by(if is_long() { 1 } else { 2 })
}

/// Elements with awkward ones first.
fn elements(field: &FieldDesc, n: usize, random: &mut Random) -> Vec<BigUint> {
    let p = &field.p;
    let mut out =
        vec![BigUint::ZERO, 1u32.into(), p - 1u32, p >> 1, (p >> 1) + 1u32, field.r_mod_p(), field.r2()];
    out.resize_with(n.max(out.len()), || BigUint::new(random.words(field.words + 1)) % p);
    out.truncate(n);
    out
}

#[test]
fn pointwise_kernels_compute_what_they_say() {
    let mut random = Random(5);
    for field in fields() {
        let (machine, p, n) = (Machine::field(&field), &field.p, 150);
        let (a, mut b) = (elements(&field, n, &mut random), elements(&field, n, &mut random));
        b.rotate_left(3);
        let mut c = elements(&field, n, &mut random);
        c.rotate_left(5);
        let vec = |x: &[BigUint]| buf(&to_words(&field, x));
        let out = || ("out", vec(&vec![BigUint::ZERO; n]));
        let check = |name: &str, words: Vec<u32>, f: &dyn Fn(usize) -> BigUint| {
            let expected: Vec<BigUint> = (0..n).map(|i| f(i) % p).collect();
            assert_eq!(from_words(&field, &words), expected, "{} {name}", field.name);
        };
        let args = [("a", vec(&a)), ("b", vec(&b)), out(), ("n", num(n))];
        check("add", machine.run_threads::<FieldAdd>(n, &args, "out"), &|i| &a[i] + &b[i]);
        check("sub", machine.run_threads::<FieldSub>(n, &args, "out"), &|i| &a[i] + p - &b[i]);
        check("mul", machine.run_threads::<FieldMul>(n, &args, "out"), &|i| &a[i] * &b[i]);
        let args = [("a", vec(&a)), out(), ("n", num(n))];
        check("neg", machine.run_threads::<FieldNeg>(n, &args, "out"), &|i| p - &a[i]);
        check("dbl", machine.run_threads::<FieldDbl>(n, &args, "out"), &|i| &a[i] * 2u32);
        check("sqr", machine.run_threads::<FieldSqr>(n, &args, "out"), &|i| &a[i] * &a[i]);
        let args = [("a", vec(&a)), ("c", vec(&c[..1])), out(), ("n", num(n))];
        check("mul_const", machine.run_threads::<FieldMulConst>(n, &args, "out"), &|i| &a[i] * &c[0]);
        let args = [("a", vec(&a)), ("b", vec(&b)), ("c", vec(&c)), out(), ("n", num(n))];
        check("mul_sub", machine.run_threads::<FieldMulSub>(n, &args, "out"), &|i| &a[i] * &b[i] + p - &c[i]);

        let base = &a[n - 1];
        let pows: Vec<BigUint> = (0..32).map(|j| base.modpow(&(1u64 << j).into(), p)).collect();
        let start = 0x8000_0000usize;
        let args = [("a", vec(&a)), ("base_pows", vec(&pows)), out(), ("start", num(start)), ("n", num(n))];
        let power = |e: usize| base.modpow(&e.into(), p);
        check("scale_powers", machine.run_threads::<FieldScalePowers>(n, &args, "out"), &|i| {
            &a[i] * power(start + i)
        });
        let args = [("base_pows", vec(&pows)), out(), ("n", num(n))];
        check("powers", machine.run_threads::<Powers>(n, &args, "out"), &power);
    }
}

#[test]
fn fields_of_every_shape_compute() {
    let mut random = Random(15);
    for field in some_shapes() {
        let (machine, p, n) = (Machine::field(&field), &field.p, 40);
        let (a, mut b) = (elements(&field, n, &mut random), elements(&field, n, &mut random));
        b.rotate_left(3);
        let vec = |x: &[BigUint]| buf(&to_words(&field, x));
        let out = || ("out", vec(&vec![BigUint::ZERO; n]));
        let check = |name: &str, words: Vec<u32>, f: &dyn Fn(usize) -> BigUint| {
            let expected: Vec<BigUint> = (0..n).map(|i| f(i) % p).collect();
            assert_eq!(from_words(&field, &words), expected, "{} {name}", field.name);
        };
        let args = [("a", vec(&a)), ("b", vec(&b)), ("c", vec(&a)), out(), ("n", num(n))];
        check("mul_sub", machine.run_threads::<FieldMulSub>(n, &args, "out"), &|i| {
            &a[i] * (&b[i] + p - 1u32)
        });
        let args = [("a", vec(&a)), ("b", vec(&b)), out(), ("n", num(n))];
        check("add", machine.run_threads::<FieldAdd>(n, &args, "out"), &|i| &a[i] + &b[i]);
        let args = [("a", vec(&a)), out(), ("n", num(n))];
        check("sqr", machine.run_threads::<FieldSqr>(n, &args, "out"), &|i| &a[i] * &a[i]);
        check("neg", machine.run_threads::<FieldNeg>(n, &args, "out"), &|i| p - &a[i]);
        let inverse = |i: usize| a[i].modinv(p).unwrap_or_default();
        check("inverse", machine.run_threads::<FieldInverse>(n, &args, "out"), &inverse);
        for threads in [1, 3, n] {
            let args = [("a", vec(&a)), out(), ("n", num(n)), ("threads", num(threads))];
            check("batch", machine.run_threads::<FieldBatchInverse>(threads, &args, "out"), &inverse);
        }
    }
}

/// Every element of small fields, and powers of two and their neighbours, whose division steps are
/// the most uneven, in others.
#[test]
fn inverses_are_those_of_integers() {
    let mut random = Random(16);
    let small = [3u32, 5, 7, 11, 13, 31, 61, 257].map(|p| FieldDesc::new("small", p.into()));
    for field in small.into_iter().chain(some_shapes()) {
        let (machine, p) = (Machine::field(&field), &field.p);
        let r_inverse = field.r_mod_p().modinv(p).expect("p is odd");
        let mut a: Vec<BigUint> = match u32::try_from(p) {
            Ok(p) if p < 300 => (0..p).map(BigUint::from).collect(),
            _ => elements(&field, 20, &mut random),
        };
        for e in (0..p.bits()).step_by(if is_long() { 7 } else { 29 }) {
            let power = BigUint::from(1u32) << e;
            // As Montgomery words, where the kernel's integers are these.
            a.extend([&power - 1u32, power.clone(), &power + 1u32].map(|x| x * &r_inverse % p));
        }
        let n = a.len();
        let words = buf(&to_words(&field, &a));
        let args = [("a", words.clone()), ("out", words), ("n", num(n))];
        let got = from_words(&field, &machine.run_threads::<FieldInverse>(n, &args, "out"));
        for (a, got) in a.iter().zip(got) {
            assert_eq!(got, a.modinv(p).unwrap_or_default(), "1/{a} in {}", field.name);
        }
    }
}

#[test]
fn digits_are_signed_windows_of_the_scalars() {
    let mut random = Random(6);
    let long = shapes().into_iter().filter(|f| ["bn462_fq", "full_1024"].contains(&f.name.as_str()));
    for field in fields().into_iter().chain(long) {
        let machine = Machine::field(&field);
        let bits = field.p.bits() as usize;
        let n = 140;
        let scalars = elements(&field, n, &mut random);
        let by_set = [(17, 1), (24, 1), (24, 2), (5, 3), (2, 7)];
        for (c, sets) in (2..=24).map(|c| (c, usize::MAX)).chain(by_set) {
            let windows = (bits + 1).div_ceil(c);
            let sets = sets.min(windows);
            let multiples = windows.div_ceil(sets);
            let half = 1u32 << (c - 1);
            let args = [
                ("scalars", buf(&to_words(&field, &scalars))),
                ("codes", buf(&vec![0xdead_beef; n * sets * multiples])),
                ("c", num(c)),
                ("sets", num(sets)),
                ("multiples", num(multiples)),
                ("n", num(n)),
            ];
            let codes = machine.run_threads::<Digits>(n, &args, "codes");
            for (i, scalar) in scalars.iter().enumerate() {
                let mut sum = BigInt::ZERO;
                for w in 0..sets * multiples {
                    let (set, multiple) = (w % sets, w / sets);
                    let code = codes[(set * multiples + multiple) * n + i];
                    if code == NO_DIGIT {
                        continue;
                    }
                    let key = code & (u32::MAX >> 1);
                    assert_eq!(key / half, set as u32, "{} c={c}", field.name);
                    let magnitude = BigInt::from(key % half + 1) << (c * w);
                    sum += if code >> 31 == 1 { -magnitude } else { magnitude };
                }
                assert_eq!(sum, BigInt::from(scalar.clone()), "{} c={c} scalar {i}", field.name);
            }
        }
    }
}

/// Even scalars less the modulus.
#[test]
fn regular_digits_are_odd_and_give_the_scalars() {
    let mut random = Random(8);
    let long = shapes().into_iter().filter(|f| ["bn462_fq", "full_1024"].contains(&f.name.as_str()));
    for field in fields().into_iter().chain(long) {
        let machine = Machine::field(&field);
        let (bits, p) = (field.p.bits() as usize, &field.p);
        let n = 140;
        let mut scalars = elements(&field, n, &mut random);
        let special = [BigUint::ZERO, 1u32.into(), 2u32.into(), p - 1u32, p - 2u32, p >> 1, (p >> 1) + 1u32];
        scalars.iter_mut().zip(special).for_each(|(scalar, special)| *scalar = special % p);
        let by_set = [(17, 1), (24, 1), (24, 2), (5, 3), (2, 7)];
        for (c, sets) in (2..=24).map(|c| (c, usize::MAX)).chain(by_set) {
            let windows = bits.div_ceil(c);
            let sets = sets.min(windows);
            let multiples = windows.div_ceil(sets);
            let half = 1u32 << (c - 1);
            let args = [
                ("scalars", buf(&to_words(&field, &scalars))),
                ("codes", buf(&vec![0xdead_beef; n * sets * multiples])),
                ("c", num(c)),
                ("sets", num(sets)),
                ("multiples", num(multiples)),
                ("n", num(n)),
            ];
            let codes = machine.run_threads::<DigitsRegular>(n, &args, "codes");
            for (i, scalar) in scalars.iter().enumerate() {
                let mut sum = BigInt::ZERO;
                for w in 0..sets * multiples {
                    let (set, multiple) = (w % sets, w / sets);
                    let code = codes[(set * multiples + multiple) * n + i];
                    let key = code & (u32::MAX >> 1);
                    assert_eq!(key / half, set as u32, "{} c={c}", field.name);
                    let magnitude = BigInt::from(2 * (key % half) + 1) << (c * w);
                    sum += if code >> 31 == 1 { -magnitude } else { magnitude };
                }
                let less = if scalar.bit(0) { BigInt::ZERO } else { p.clone().into() };
                assert_eq!(sum, BigInt::from(scalar.clone()) - less, "{} c={c} scalar {i}", field.name);
            }
        }
    }
}

#[test]
fn passes_make_a_transform_with_any_root() {
    let mut random = Random(7);
    let bn254 = fields().remove(4);
    let (baby, goldilocks) = (FieldDesc::new("babybear", 2013265921u32.into()), fields().remove(3));
    // Two-adicity 15 in 24 words: the base field of MNT4-753.
    let mnt4 = "1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db117e776f\
                218059db80f0da5cb537e38685acce9767254a4638810719ac425f0e39d54522cdd119f5e9063de245e8001";
    let mnt4 = FieldDesc::new("mnt4_753_fq", BigUint::parse_bytes(mnt4.as_bytes(), 16).expect("hex"));
    let sizes = [
        (&baby, 31u32, 1..=10),
        (&goldilocks, 7, 5..=5),
        (&bn254, 5, 1..=4),
        (&bn254, 5, if is_long() { 6..=8 } else { 7..=8 }),
        (&mnt4, 17, if is_long() { 1..=5 } else { 3..=4 }),
    ];
    for (field, generator, log_n) in sizes.into_iter().flat_map(|(f, g, s)| s.map(move |k| (f, g, k))) {
        let (machine, p, n) = (Machine::field(field), &field.p, 1usize << log_n);
        let vectors = [elements(field, n, &mut random), elements(field, n, &mut random)];
        // What is expected takes n² products: of long vectors, a part of the values, as many of each residue.
        let step = if is_long() || log_n < 7 { 1 } else { 7 };
        let several = if is_long() { 4 } else { 2 };
        for odd in [1u32, 3, 5, 7].into_iter().take(if log_n < 8 { several.min(n / 2) } else { 1 }) {
            let omega = BigUint::from(generator).modpow(&((p - 1u32) / n * odd), p);
            let powers: Vec<BigUint> = (0..n).map(|e| omega.modpow(&e.into(), p)).collect();
            for (order, sign) in [1, u32::MAX].into_iter().flat_map(|sign| ORDERS.map(|order| (order, sign)))
            {
                let (out, factors) =
                    transformed(&machine, field, &powers, (order, sign), &vectors, &mut random);
                let out = from_words(field, &out);
                assert_eq!(out.len(), vectors.len() * n);
                for (a, out) in vectors.iter().zip(out.chunks(n)) {
                    let scaled: Vec<BigUint> = a.iter().zip(&factors).map(|(x, f)| x * f % p).collect();
                    let term = |(j, x): (usize, &BigUint), k: usize| x * &powers[j * k % n];
                    let value = |k: usize| scaled.iter().enumerate().map(|x| term(x, k)).sum::<BigUint>() % p;
                    for (place, out) in out.iter().enumerate().step_by(step) {
                        let k = if sign == 1 { place } else { (n - place) % n };
                        assert_eq!(*out, value(k), "{} 2^{log_n} {odd} {sign} {order:?}", field.name);
                    }
                }
            }
        }
    }
}

/// What passes are told about the order of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Natural,
    /// Bit-reversed before.
    FromReversed,
    /// Bit-reversed after.
    ToReversed,
}

const ORDERS: [Order; 3] = [Order::Natural, Order::FromReversed, Order::ToReversed];

fn bit_reversed<T: Clone>(all: &[T]) -> Vec<T> {
    let log = all.len().trailing_zeros();
    (0..all.len())
        .map(|i| all[if log == 0 { 0 } else { i.reverse_bits() >> (usize::BITS - log) }].clone())
        .collect()
}

/// The transforms of vectors of one size, with the root `powers[1]`, by as few passes as there can be or by
/// two, in natural order whatever the order of the passes is; and the factors by which their elements were
/// multiplied before: none, one for all, or one for each. The vectors are the columns of a matrix, one row of
/// it after the other, before the first pass or after the last, or lie one after the other.
fn transformed(
    machine: &Machine,
    field: &FieldDesc,
    powers: &[BigUint],
    (order, sign): (Order, u32),
    vectors: &[Vec<BigUint>],
    random: &mut Random,
) -> (Vec<u32>, Vec<BigUint>) {
    let (n, count) = (powers.len(), vectors.len());
    let log_n = n.trailing_zeros();
    let splits = log_n >= 2 * GEOMETRY.ntt_log_elements(field.words)
        && (log_n.is_multiple_of(2) || log_n > GEOMETRY.ntt_max_log_radix(field.words));
    let radices = if splits { vec![log_n - log_n / 2, log_n / 2] } else { vec![log_n] };
    let mut passes: Vec<(u32, u32)> =
        (0..radices.len()).map(|i| (radices[i], radices[..i].iter().sum())).collect();
    if order == Order::ToReversed {
        passes.reverse();
    }
    let before = |x: &[BigUint]| if order == Order::FromReversed { bit_reversed(x) } else { x.to_vec() };
    let (scaled, given) = match random.below(3) {
        0 => (0, vec![BigUint::from(1u32)]),
        1 => (1, elements(field, 4, random).split_off(3)),
        _ => (2, elements(field, n, random)),
    };
    let in_columns = [random.below(2) == 1, random.below(2) == 1];
    let strides = |columns: bool| if columns { (count, 1) } else { (1, n) };
    let rows: Vec<BigUint> = vectors.iter().flat_map(|x| before(x)).collect();
    let columns: Vec<BigUint> = (0..n * count).map(|at| rows[at % count * n + at / count].clone()).collect();
    let mut data = to_words(field, if in_columns[0] { &columns } else { &rows });
    let blocks = count * GEOMETRY.ntt_blocks(field.words, log_n);
    for (i, (log_r, done)) in passes.iter().copied().enumerate() {
        let r = 1usize << log_r;
        let (own, local) = (field.root_of_unity(log_r), &powers[n >> log_r]);
        let turn =
            (1..r).find(|t| local.modpow(&(*t).into(), &field.p) == own).expect("a power of it") as u32;
        let (first, last) = (i == 0, i + 1 == passes.len());
        let (mut scaled, mut step, mut mask, mut log_before) = (scaled, 0, 0, 0);
        let mut words = to_words(field, &if given.len() == n { before(&given) } else { given.clone() });
        if !first {
            // Made on the machine, of the root of order r·s.
            let (radix, s) = if order == Order::ToReversed { passes[i - 1] } else { (log_r, done) };
            let made_of = 1 << (radix + s);
            words = made::<NttTwiddles>(machine, field, &powers[n / made_of], made_of, 1, Some(s));
            (scaled, step, mask) = (1, 1 << done, (1 << done) - 1);
            log_before = if order == Order::ToReversed { radix as usize } else { 0 };
        }
        let log_inner = log_r + random.below(field.two_adicity() - log_r + 1).min(2);
        let negate = sign != 1 && if order == Order::ToReversed { first } else { last };
        let at_end = negate && order != Order::ToReversed;
        let natural_from = if order == Order::Natural { log_n - log_r } else { done };
        let (from, to) = (strides(first && in_columns[0]), strides(last && in_columns[1]));
        let args = [
            ("a", buf(&data)),
            ("factors", buf(&words)),
            ("inner", buf(&inner(machine, field, log_inner))),
            ("out", buf(&vec![0; data.len()])),
            ("log_n", num(log_n as usize)),
            ("log_r", num(log_r as usize)),
            ("log_from", num(natural_from as usize)),
            ("log_to", num(done as usize)),
            ("reverse", num(order as usize)),
            ("scaled", num(scaled)),
            ("step", num(step)),
            ("mask", num(mask)),
            ("log_before", num(log_before)),
            ("log_inner", num(log_inner as usize)),
            ("turn", num(turn as usize)),
            ("sign_from", num(if negate && !at_end { sign } else { 1 } as usize)),
            ("sign", num(if at_end { sign } else { 1 } as usize)),
            ("element_from", num(from.0)),
            ("vector_from", num(from.1)),
            ("element_to", num(to.0)),
            ("vector_to", num(to.1)),
        ];
        data = machine.run_threads::<NttPass>(blocks * NttPass::desc(&GEOMETRY).block as usize, &args, "out");
    }
    if in_columns[1] {
        let columns = from_words(field, &data);
        data = to_words(
            field,
            &(0..n * count).map(|at| columns[at % n * count + at / n].clone()).collect::<Vec<_>>(),
        );
    }
    if order == Order::ToReversed {
        let rows = from_words(field, &data);
        data = to_words(field, &rows.chunks(n).flat_map(bit_reversed).collect::<Vec<_>>());
    }
    (data, if given.len() == n { given } else { vec![given[0].clone(); n] })
}

/// The powers of the field's root of an order, as passes take them.
fn inner(machine: &Machine, field: &FieldDesc, log_order: u32) -> Vec<u32> {
    let (root, n) = (field.root_of_unity(log_order), 1 << log_order);
    match ntt_has_tables(field.words, field.p.bits() as usize) {
        true => {
            let entries = NTT_TABLE.fit(field.words).entries(field.words);
            made::<NttTables>(machine, field, &root, n, entries, None)
        }
        false => made::<Powers>(machine, field, &root, n, 1, None),
    }
}

/// What a kernel makes of the squarings of a base, with `each` elements for every one of `n`.
fn made<K: curvesmith_abi::Kernel>(
    machine: &Machine,
    field: &FieldDesc,
    base: &BigUint,
    n: usize,
    each: usize,
    log_done: Option<u32>,
) -> Vec<u32> {
    let pows: Vec<BigUint> = (0..32).map(|j| base.modpow(&(1u64 << j).into(), &field.p)).collect();
    let out = buf(&to_words(field, &vec![BigUint::ZERO; n * each]));
    let mut args = vec![("base_pows", buf(&to_words(field, &pows))), ("out", out), ("n", num(n))];
    args.extend(log_done.map(|log_done| ("log_done", num(log_done as usize))));
    machine.run_threads::<K>(n, &args, "out")
}

#[test]
fn sparse_products_with_empty_and_huge_rows() {
    let mut random = Random(8);
    for field in fields() {
        let (machine, p) = (Machine::field(&field), &field.p);
        let width = 50;
        // Of units, and of other entries.
        let lengths = [[0, 0, 3, 0, 70, 0, 0, 40, 1, 1, 32], [0, 1, 31, 32, 33, 0, 0, 1000, 2, 64, 0]];
        let starts = lengths.map(|lengths| -> Vec<usize> {
            (0..=lengths.len()).map(|r| lengths[..r].iter().sum()).collect()
        });
        let [count_units, count] = starts.each_ref().map(|starts| starts[starts.len() - 1]);
        let units: Vec<u32> = (0..count_units).map(|_| random.below(width) | random.below(2) << 31).collect();
        let columns: Vec<u32> = (0..count).map(|_| random.below(width)).collect();
        let values = elements(&field, count, &mut random);
        let x = elements(&field, width as usize, &mut random);
        let n = lengths[0].len();
        // Places in the result; nobody writes to the others.
        let rows: Vec<u32> = (0..n as u32).map(|i| (3 * i + 1) % (n as u32 + 2)).collect();
        let words = |all: &[usize]| buf(&all.iter().map(|k| *k as u32).collect::<Vec<_>>());
        let args = [
            ("rows", buf(&rows)),
            ("unit_starts", words(&starts[0])),
            ("units", buf(&units)),
            ("starts", words(&starts[1])),
            ("columns", buf(&columns)),
            ("values", buf(&to_words(&field, &values))),
            ("x", buf(&to_words(&field, &x))),
            ("out", buf(&to_words(&field, &vec![1u32.into(); n + 2]))),
            ("n", num(n)),
        ];
        let by_warps = machine.run_threads::<SpMvWarp>(n * 32, &args, "out");
        let by_threads = machine.run_threads::<SpMvThread>(n, &args, "out");
        let mut expected: Vec<BigUint> = vec![1u32.into(); n + 2];
        for (i, row) in rows.iter().enumerate() {
            let units = units[starts[0][i]..starts[0][i + 1]].iter().map(|unit| {
                let x = &x[(unit & 0x7fff_ffff) as usize];
                if unit >> 31 == 1 { p - x } else { x.clone() }
            });
            let others = starts[1][i]..starts[1][i + 1];
            let others = others.map(|k| &values[k] * &x[columns[k] as usize]);
            expected[*row as usize] = units.chain(others).sum::<BigUint>() % p;
        }
        for out in [by_warps, by_threads] {
            assert_eq!(from_words(&field, &out), expected, "{}", field.name);
        }
    }
}
