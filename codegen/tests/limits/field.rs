//! Element-wise kernels, digits and sparse products.

use super::{LENGTHS, LONGEST, Limits, Touched, hash, ntt};
use curvesmith_abi::kernels::*;
use curvesmith_abi::{Family, Geometry, Kernel as _};
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::interp::to_words;
use curvesmith_codegen::kernels::field_kernels;
use num_bigint::BigUint;

/// A field with its kernels.
pub(super) struct Case {
    pub(super) field: FieldDesc,
    pub(super) limits: Limits,
}

impl Case {
    fn new(name: &str, p: BigUint) -> Self {
        let field = FieldDesc::new(name, p);
        Case { limits: Limits::new(field_kernels(&Geometry::PTX, &field)), field }
    }
    /// The words of an element.
    pub(super) fn words(field: &FieldDesc, x: impl Into<BigUint>) -> Vec<u32> {
        to_words(field, &[x.into() % &field.p])
    }
    /// The words of `base^(2^j)`.
    pub(super) fn base_pow(field: &FieldDesc, j: u64) -> Vec<u32> {
        assert!(j < 32, "there are 32 of them");
        Self::words(field, BigUint::from(BASE).modpow(&(1u64 << j).into(), &field.p))
    }
    /// `base^e`
    pub(super) fn power(field: &FieldDesc, e: u64) -> BigUint {
        BigUint::from(BASE).modpow(&e.into(), &field.p)
    }
}

/// What kernels raise to powers.
const BASE: u32 = 5;

#[test]
fn field_kernels_do_not_wrap() {
    let big = |hex: &str| BigUint::parse_bytes(hex.as_bytes(), 16).expect("hex");
    let mut bn254 =
        Case::new("bn254_fr", big("30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"));
    for n in LENGTHS {
        pointwise(&mut bn254, n);
        powers(&mut bn254, n);
        sparse(&mut bn254, n, [1, 1]);
    }
    for (n, threads) in [(LONGEST, LONGEST), (LONGEST, 1 << 27), ((1 << 30) + 1, 1 << 29)] {
        batch_inverse(&mut bn254, n, threads);
    }
    for (c, multiples) in [(1, 1), (2, 1), (7, 1), (16, 1), (13, 3), (24, 11)] {
        digits(&mut bn254, c, multiples);
    }
    for (c, tau, multiples) in [(3, 2, 1), (7, 2, 1), (16, 15, 1), (13, 4, 3), (20, 19, 5)] {
        odd_digits(&mut bn254, [c, tau], multiples);
    }
    for (c, multiples) in [(2, 1), (7, 1), (16, 1), (13, 3), (24, 11)] {
        regular_digits(&mut bn254, c, multiples);
    }
    // As many entries as can be counted.
    let rows = 1_114_129;
    let most = u64::from(u32::MAX) / rows;
    for long in [[most, 40], [40, most]] {
        sparse(&mut bn254, rows, long);
    }
    ntt::passes(&mut bn254);
    // A field of so many words that steps are in radix 2.
    let mnt4 = "1c4c62d92c41110229022eee2cdadb7f997505b8fafed5eb7e8f96c97d87307fdb925e8a0ed8d99d124d9a15af79db117e776f\
                218059db80f0da5cb537e38685acce9767254a4638810719ac425f0e39d54522cdd119f5e9063de245e8001";
    let mut long = Case::new("mnt4_753_fq", big(mnt4));
    ntt::passes(&mut long);
    Limits::finish(&[bn254.limits, long.limits], Family::Field);
}

fn pointwise(Case { field, limits }: &mut Case, n: u64) {
    let value = |buffer: &str, i: u64| -> BigUint {
        match buffer {
            "a" => BigUint::from(i + 1),
            "b" => BigUint::from(i) * 3u32 + 2u32,
            _ => BigUint::from(i) * 7u32 + 5u32,
        }
    };
    let contents = |buffer: &str, i: u64| Case::words(field, value(buffer, i));
    macro_rules! map {
        ($kernel:ident, [$($input:literal),*], $f:expr) => {
            limits.check::<$kernel>(n, &[("n", n)], contents, |i, touched| {
                if i < n {
                    $(touched.read($input, i);)*
                    let f: fn([BigUint; 3], &BigUint) -> BigUint = $f;
                    let out = f([value("a", i), value("b", i), value("c", i)], &field.p);
                    touched.write_words("out", i, Case::words(field, out));
                }
            });
        };
    }
    map!(FieldAdd, ["a", "b"], |[a, b, _], _| a + b);
    map!(FieldSub, ["a", "b"], |[a, b, _], p| a + p - b);
    map!(FieldMul, ["a", "b"], |[a, b, _], _| a * b);
    map!(FieldNeg, ["a"], |[a, ..], p| p - a);
    map!(FieldDbl, ["a"], |[a, ..], _| a * 2u32);
    map!(FieldSqr, ["a"], |[a, ..], _| &a * &a);
    map!(FieldMulSub, ["a", "b", "c"], |[a, b, c], p| a * b + p - c);
    if n == LONGEST {
        map!(FieldInverse, ["a"], |[a, ..], p| a.modinv(p).expect("not zero"));
    }
    limits.check::<FieldMulConst>(n, &[("n", n)], contents, |i, touched| {
        if i < n {
            touched.read("a", i);
            touched.read("c", 0);
            touched.write_words("out", i, Case::words(field, value("a", i) * value("c", 0)));
        }
    });
}

fn powers(Case { field, limits }: &mut Case, n: u64) {
    let contents = |buffer: &str, i: u64| match buffer {
        "base_pows" => Case::base_pow(field, i),
        _ => Case::words(field, i + 1),
    };
    limits.check::<Powers>(n, &[("n", n)], contents, |i, touched| {
        if i < n {
            (0..32).filter(|j| i >> j & 1 == 1).for_each(|j| touched.read("base_pows", j));
            touched.write_words("out", i, Case::words(field, Case::power(field, i)));
        }
    });
    for start in [0, (1 << 32) - n] {
        let scalars = [("n", n), ("start", start)];
        limits.check::<FieldScalePowers>(n, &scalars, contents, |i, touched| {
            if i < n {
                let e = start + i;
                touched.read("a", i);
                (0..32).filter(|j| e >> j & 1 == 1).for_each(|j| touched.read("base_pows", j));
                touched.write_words("out", i, Case::words(field, Case::power(field, e) * (i + 1)));
            }
        });
    }
}

fn batch_inverse(Case { field, limits }: &mut Case, n: u64, threads: u64) {
    let contents = |_: &str, i: u64| Case::words(field, i + 1);
    let scalars = [("n", n), ("threads", threads)];
    limits.check::<FieldBatchInverse>(threads, &scalars, contents, |t, touched| {
        for i in (t..n).step_by(threads as usize).take_while(|_| t < threads) {
            touched.read("a", i);
            touched.read("out", i);
            let inverse = BigUint::from(i + 1).modinv(&field.p).expect("not zero");
            touched.write_words("out", i, Case::words(field, inverse));
        }
    });
}

/// A scalar's digits of `c` bits, the lowest first: how much, up to half of `2^c`, and whether less than
/// nothing.
fn signed_digits(mut rest: BigUint, c: u64, windows: u64) -> Vec<(u64, bool)> {
    let mask = BigUint::from((1u64 << c) - 1);
    let mut digit = |_| {
        let raw = u64::try_from(&rest & &mask).expect("24 bits");
        let negative = raw > 1 << (c - 1);
        rest >>= c;
        rest += u32::from(negative);
        (if negative { (1 << c) - raw } else { raw }, negative)
    };
    let digits = (0..windows).map(&mut digit).collect();
    assert_eq!(rest, BigUint::ZERO, "the case");
    digits
}

fn digits(Case { field, limits }: &mut Case, c: u64, multiples: u64) {
    let sets = (field.p.bits() + 1).div_ceil(c).div_ceil(multiples);
    let windows = sets * multiples;
    let n = LONGEST / windows;
    let half = 1u64 << (c - 1);
    let scalar = |i: u64| BigUint::new((0..8).map(|k| hash(8 * i + k)).collect()) % &field.p;
    let contents = |buffer: &str, i: u64| match buffer {
        "scalars" => Case::words(field, scalar(i)),
        _ => vec![0],
    };
    let scalars = [("c", c), ("sets", sets), ("multiples", multiples), ("n", n)];
    limits.check::<Digits>(n, &scalars, contents, |i, touched| {
        if i >= n {
            return;
        }
        touched.read("scalars", i);
        for (w, (magnitude, negative)) in (0..).zip(signed_digits(scalar(i), c, windows)) {
            let (set, multiple) = (w % sets, w / sets);
            let code = match magnitude {
                0 => NO_DIGIT,
                _ => u32::try_from(set * half + magnitude - 1).expect("a key") | u32::from(negative) << 31,
            };
            touched.write_words("codes", (set * multiples + multiple) * n + i, vec![code]);
        }
    });
}

fn odd_digits(Case { field, limits }: &mut Case, [c, tau]: [u64; 2], multiples: u64) {
    let sets = (field.p.bits() + 1).div_ceil(c).div_ceil(multiples);
    let windows = sets * multiples;
    let n = LONGEST / windows;
    let half = 1u64 << (c - 1);
    let log_b = if tau == c - 1 { c - 2 } else { c - 1 };
    let scalar = |i: u64| BigUint::new((0..8).map(|k| hash(8 * i + k)).collect()) % &field.p;
    let contents = |buffer: &str, i: u64| match buffer {
        "scalars" => Case::words(field, scalar(i)),
        _ => vec![0],
    };
    let scalars =
        [("c", c), ("sets", sets), ("multiples", multiples), ("tau", tau), ("log_b", log_b), ("n", n)];
    limits.check::<DigitsOdd>(n, &scalars, contents, |i, touched| {
        if i >= n {
            return;
        }
        touched.read("scalars", i);
        for (w, (magnitude, negative)) in (0..).zip(signed_digits(scalar(i), c, windows)) {
            let (set, multiple) = (w % sets, w / sets);
            let e = u64::from(magnitude.trailing_zeros()).min(tau);
            let m = magnitude >> e;
            let bucket = if m % 2 == 1 { (m - 1) / 2 } else { half / 2 + (m / 2).saturating_sub(1) };
            let key = e << ODD_KEY_BITS | set << log_b | bucket;
            let code = match magnitude {
                0 => NO_DIGIT,
                _ => u32::try_from(key).expect("31 bits") | u32::from(negative) << 31,
            };
            touched.write_words("codes", (set * multiples + multiple) * n + i, vec![code]);
        }
    });
}

fn regular_digits(Case { field, limits }: &mut Case, c: u64, multiples: u64) {
    let sets = field.p.bits().div_ceil(c).div_ceil(multiples);
    let windows = sets * multiples;
    let n = LONGEST / windows;
    let scalar = |i: u64| BigUint::new((0..8).map(|k| hash(8 * i + k)).collect()) % &field.p;
    let contents = |buffer: &str, i: u64| match buffer {
        "scalars" => Case::words(field, scalar(i)),
        _ => vec![0],
    };
    let scalars = [("c", c), ("sets", sets), ("multiples", multiples), ("n", n)];
    limits.check::<DigitsRegular>(n, &scalars, contents, |i, touched| {
        if i >= n {
            return;
        }
        touched.read("scalars", i);
        let (scalar, full) = (scalar(i), 1u64 << c);
        let negated = !scalar.bit(0);
        let mut rest = if negated { &field.p - scalar } else { scalar };
        for w in 0..windows {
            // The last digit is what is left, all others are the odd number nearest to 0 that leaves an odd
            // one.
            let low = u64::try_from(&rest % (2 * full)).expect("it is below 2^25");
            let (magnitude, negative) = match low.checked_sub(full) {
                _ if w + 1 == windows => (low, false),
                Some(digit) => (digit, false),
                None => (full - low, true),
            };
            rest = if negative { rest + magnitude } else { rest - magnitude } >> c;
            let (set, multiple) = (w % sets, w / sets);
            let key = u32::try_from(set * full / 2 + magnitude / 2).expect("a key");
            let code = vec![key | u32::from(negative != negated) << 31];
            touched.write_words("codes", (set * multiples + multiple) * n + i, code);
        }
    });
}

/// `n` rows of so many units and others.
fn sparse(Case { field, limits }: &mut Case, n: u64, [units, others]: [u64; 2]) {
    let unit = |k: u64| hash(k) % u32::MAX;
    let column = |k: u64| hash(k + 1) % ((1 << 31) - 1);
    let place = |i: u64| n - 1 - i;
    let contents = |buffer: &str, i: u64| match buffer {
        "rows" => vec![place(i) as u32],
        "unit_starts" => vec![(i * units) as u32],
        "units" => vec![unit(i)],
        "starts" => vec![(i * others) as u32],
        "columns" => vec![column(i)],
        _ => Case::words(field, i + 1),
    };
    let row = |i: u64, touched: &mut Touched| {
        if i >= n {
            return;
        }
        touched.read("rows", i);
        let mut sum = BigUint::ZERO;
        for starts in ["unit_starts", "starts"] {
            touched.read(starts, i);
            touched.read(starts, i + 1);
        }
        for k in i * units..(i + 1) * units {
            touched.read("units", k);
            let column = u64::from(unit(k) & 0x7fff_ffff);
            touched.read("x", column);
            sum += if unit(k) >> 31 == 1 { &field.p - (column + 1) } else { (column + 1).into() };
        }
        for k in i * others..(i + 1) * others {
            touched.read("columns", k);
            touched.read("values", k);
            let column = u64::from(column(k));
            touched.read("x", column);
            sum += BigUint::from(k + 1) * (column + 1);
        }
        touched.write_words("out", place(i), Case::words(field, sum));
    };
    let each = u64::from(SpMvWarp::desc(&Geometry::PTX).block / 32);
    limits.check_blocks::<SpMvWarp>(n.div_ceil(each), &[("n", n)], contents, |block, touched| {
        (block * each..(block + 1) * each).for_each(|i| row(i, touched));
    });
    if units + others < 100 {
        limits.check::<SpMvThread>(n, &[("n", n)], contents, row);
    }
}
