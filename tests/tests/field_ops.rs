//! Every element-wise kernel of a field's image, as PTX on the emulator, against big integers and,
//! for fields that arkworks has, against its Montgomery words.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "device/mod.rs"]
mod device;

use ark_ff::PrimeField;
use curvesmith_abi::kernels::*;
use curvesmith_abi::{Geometry, Kernel, padded_words};
use curvesmith_codegen::compile_field;
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::interp::{Argument, from_words, to_words};
use curvesmith_codegen::targets::ptx::emit::Emitter;
use curvesmith_tests::Random;
use device::Module;
use num_bigint::BigUint;

const BN254_FQ: &str = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
const BN254_FR: &str = "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
const BLS12_381_FQ: &str =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
const BLS12_381_FR: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
const SECP256K1_FQ: &str = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
const SECP256K1_FR: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
const P256_FQ: &str = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";

fn hex(digits: &str) -> BigUint {
    BigUint::parse_bytes(digits.as_bytes(), 16).unwrap()
}

/// A field's image on the emulator.
struct Machine {
    field: FieldDesc,
    module: Module,
}

impl Machine {
    fn new(name: &str, p: BigUint) -> Machine {
        let field = FieldDesc::new(name, p);
        let mut images = compile_field(Emitter::default(), &field).unwrap();
        assert_eq!(images.len(), 1);
        let ptx = images.remove(0).text;
        Machine { field, module: Module::load(&ptx) }
    }

    /// Runs kernel `K` on inputs given as elements, then the scalars; the words of `out`.
    fn words<K: Kernel>(&self, inputs: &[&[BigUint]], n: usize, scalars: &[u32]) -> Vec<u32> {
        let mut args: Vec<Argument> =
            inputs.iter().map(|x| Argument::Buffer(to_words(&self.field, x))).collect();
        // Not zero, so that padding must be written.
        args.push(Argument::Buffer(vec![0xdead_beef; n * padded_words(self.field.words)]));
        args.extend(scalars.iter().map(|x| Argument::U32(*x)));
        let symbol = format!("{}_{}", self.field.name, K::NAME);
        let grid = (n as u32).div_ceil(K::desc(&Geometry::PTX).block).max(1);
        self.module.launch(&symbol, grid, K::desc(&Geometry::PTX).block, &mut args);
        let Argument::Buffer(out) = &args[inputs.len()] else { panic!("a buffer") };
        out.clone()
    }

    /// As `words`, as elements; the words must be canonical and padded with zeros.
    fn run<K: Kernel>(&self, inputs: &[&[BigUint]], n: usize, scalars: &[u32]) -> Vec<BigUint> {
        let words = self.words::<K>(inputs, n, scalars);
        for w in words.chunks(padded_words(self.field.words)) {
            let (value, padding) = w.split_at(self.field.words);
            assert!(BigUint::new(value.to_vec()) < self.field.p, "{}: not canonical", K::NAME);
            assert!(padding.iter().all(|w| *w == 0), "{}: padding", K::NAME);
        }
        from_words(&self.field, &words)
    }

    fn check<K: Kernel>(
        &self,
        inputs: &[&[BigUint]],
        n: usize,
        scalars: &[u32],
        expected: impl Fn(usize) -> BigUint,
    ) {
        let got = self.run::<K>(inputs, n, scalars);
        for (i, got) in got.iter().enumerate() {
            let expected = expected(i) % &self.field.p;
            let given: Vec<_> = inputs.iter().map(|x| x[i.min(x.len() - 1)].to_string()).collect();
            assert_eq!(*got, expected, "{} {} of {given:?}", self.field.name, K::NAME);
        }
    }

    /// All kernels on pairs `(a, b)`, with `c` for those that take a third operand.
    fn check_all(&self, a: &[BigUint], b: &[BigUint], c: &[BigUint]) {
        let p = &self.field.p;
        let n = a.len();
        let ns = [n as u32];
        self.check::<FieldAdd>(&[a, b], n, &ns, |i| &a[i] + &b[i]);
        self.check::<FieldSub>(&[a, b], n, &ns, |i| p + &a[i] - &b[i]);
        self.check::<FieldMul>(&[a, b], n, &ns, |i| &a[i] * &b[i]);
        self.check::<FieldNeg>(&[a], n, &ns, |i| p - &a[i]);
        self.check::<FieldDbl>(&[a], n, &ns, |i| &a[i] * 2u32);
        self.check::<FieldSqr>(&[a], n, &ns, |i| &a[i] * &a[i]);
        self.check::<FieldMulSub>(&[a, b, c], n, &ns, |i| &a[i] * &b[i] + p - &c[i]);
        for c in &c[..c.len().min(3)] {
            self.check::<FieldMulConst>(&[a, std::slice::from_ref(c)], n, &ns, |i| &a[i] * c);
        }
        let base = &b[n / 2];
        let powers: Vec<BigUint> = (0..32u32).map(|j| base.modpow(&(BigUint::from(1u32) << j), p)).collect();
        let start = 0x8000_0003u32;
        self.check::<FieldScalePowers>(&[a, &powers], n, &[start, n as u32], |i| {
            &a[i] * base.modpow(&(start + i as u32).into(), p)
        });
        self.check::<Powers>(&[&powers], n, &ns, |i| base.modpow(&i.into(), p));
    }
}

/// Values that break carries, bounds and special cases, as elements whose *Montgomery words* are
/// the awkward integers, and as awkward elements.
fn awkward(field: &FieldDesc, random: &mut Random) -> Vec<BigUint> {
    let p = &field.p;
    let one = BigUint::from(1u32);
    let bits = 32 * field.words;
    let mut words: Vec<BigUint> = vec![0u32.into(), one.clone(), 2u32.into(), p - 1u32, p - 2u32];
    words.extend([field.r_mod_p(), field.r2(), p >> 1, (p >> 1) + 1u32]);
    for k in 0..field.words {
        let unit = &one << (32 * k);
        let top = BigUint::from(u32::MAX) << (32 * k);
        words.extend([unit.clone(), &unit - 1u32, top.clone(), p - (&unit % p)]);
        words.push((&one << bits) - 1u32 - top);
    }
    // Long runs of ones and zeros.
    for _ in 0..6 {
        let (a, b) = (random.below(bits), random.below(bits));
        let (lo, hi) = (a.min(b), a.max(b));
        words.push((&one << hi) - (&one << lo));
    }
    // Random, and of high Hamming weight.
    for i in 0..10 {
        let draw = |r: &mut Random| {
            let w: Vec<u32> = (0..field.words).map(|_| r.word() as u32).collect();
            BigUint::new(w)
        };
        let x = draw(random);
        words.push(if i % 2 == 0 { x } else { x | draw(random) | draw(random) });
    }
    let r_inv = field.r_mod_p().modinv(p).unwrap();
    let mut all: Vec<BigUint> = words.iter().map(|w| w % p * &r_inv % p).collect();
    all.extend([0u32, 1, 2, 3].map(|x| BigUint::from(x) % p));
    all.extend([p - 1u32, p - 2u32]);
    all.sort();
    all.dedup();
    all
}

fn cross(values: &[BigUint]) -> (Vec<BigUint>, Vec<BigUint>) {
    values.iter().flat_map(|a| values.iter().map(move |b| (a.clone(), b.clone()))).unzip()
}

fn check_field(name: &str, p: BigUint) {
    let machine = Machine::new(name, p);
    let mut random = Random(0xc0ffee);
    let values = awkward(&machine.field, &mut random);
    let (a, b) = cross(&values);
    let c: Vec<BigUint> = (0..a.len()).map(|_| values[random.below(values.len())].clone()).collect();
    machine.check_all(&a, &b, &c);
}

#[test]
fn toy_fields_exhaustively() {
    for p in [3u32, 5, 13, 31, 61] {
        let machine = Machine::new("toy", p.into());
        let all: Vec<BigUint> = (0..p).map(BigUint::from).collect();
        let (a, b) = cross(&all);
        for shift in 0..p.min(5) {
            let c: Vec<BigUint> = b.iter().map(|x| (x + shift) % p).collect();
            machine.check_all(&a, &b, &c);
        }
    }
}

#[test]
fn one_and_two_word_fields() {
    for (name, p) in [
        ("toy8191", 8191u64),
        ("toy_babybear", 2013265921),
        ("toy_mersenne31", (1 << 31) - 1),
        // No spare bit in one word and in two.
        ("toy_full32", 0xffff_fffb),
        ("goldilocks", 0xffff_ffff_0000_0001),
        ("toy_full64", 0xffff_ffff_ffff_ffc5),
        ("toy_two_words", (1 << 61) - 1),
        ("toy_33_bits", 0x1_0000_000f),
    ] {
        check_field(name, p.into());
    }
}

#[test]
fn bn254_fields() {
    check_field("bn254_fq", hex(BN254_FQ));
    check_field("bn254_fr", hex(BN254_FR));
}

#[test]
fn bls12_381_fields() {
    check_field("bls12_381_fq", hex(BLS12_381_FQ));
    check_field("bls12_381_fr", hex(BLS12_381_FR));
}

#[test]
fn fields_without_a_spare_bit() {
    check_field("secp256k1_fq", hex(SECP256K1_FQ));
    check_field("secp256k1_fr", hex(SECP256K1_FR));
    check_field("p256_fq", hex(P256_FQ));
}

/// The device's Montgomery words are those of arkworks, for even numbers of words.
fn against_arkworks<F: PrimeField>(name: &str, montgomery: impl Fn(F) -> Vec<u64>) {
    let p: BigUint = F::MODULUS.into();
    let machine = Machine::new(name, p.clone());
    let mut random = Random(1);
    let values = awkward(&machine.field, &mut random);
    let (a, b) = cross(&values);
    let n = a.len();
    let to_ark = |x: &BigUint| F::from(x.clone());
    let words =
        |x: F| -> Vec<u32> { montgomery(x).iter().flat_map(|w| [*w as u32, (*w >> 32) as u32]).collect() };
    let expect = |got: Vec<u32>, f: &dyn Fn(F, F) -> F| {
        for (i, got) in got.chunks(machine.field.words).enumerate() {
            assert_eq!(got, words(f(to_ark(&a[i]), to_ark(&b[i]))), "{} {}", a[i], b[i]);
        }
    };
    let ns = [n as u32];
    expect(machine.words::<FieldAdd>(&[&a, &b], n, &ns), &|x, y| x + y);
    expect(machine.words::<FieldSub>(&[&a, &b], n, &ns), &|x, y| x - y);
    expect(machine.words::<FieldMul>(&[&a, &b], n, &ns), &|x, y| x * y);
    expect(machine.words::<FieldNeg>(&[&a], n, &ns), &|x, _| -x);
    expect(machine.words::<FieldDbl>(&[&a], n, &ns), &|x, _| x.double());
    expect(machine.words::<FieldSqr>(&[&a], n, &ns), &|x, _| x.square());
}

#[test]
fn montgomery_words_are_those_of_arkworks() {
    against_arkworks::<ark_bn254::Fq>("bn254_fq", |x| x.0.0.to_vec());
    against_arkworks::<ark_bn254::Fr>("bn254_fr", |x| x.0.0.to_vec());
    against_arkworks::<ark_bls12_381::Fq>("bls12_381_fq", |x| x.0.0.to_vec());
    against_arkworks::<ark_bls12_381::Fr>("bls12_381_fr", |x| x.0.0.to_vec());
}

#[test]
fn odd_digits_of_awkward_scalars() {
    for (name, p) in [("toy13", BigUint::from(13u32)), ("bn254_fr", hex(BN254_FR))] {
        let machine = Machine::new(name, p.clone());
        let scalars = awkward(&machine.field, &mut Random(7));
        let n = scalars.len();
        let shapes =
            [(3u32, 1u32, 1u32), (3, 2, 2), (4, 1, 1), (8, 3, 1), (8, 7, 3), (16, 6, 2), (19, 18, 1)];
        for (c, tau, multiples) in shapes {
            let sets = (p.bits() as u32 + 1).div_ceil(c * multiples);
            let all = tau == c - 1;
            let log_b = if all { c - 2 } else { c - 1 };
            let mut args = [
                Argument::Buffer(to_words(&machine.field, &scalars)),
                Argument::Buffer(vec![0; sets as usize * n * multiples as usize]),
                Argument::U32(c),
                Argument::U32(sets),
                Argument::U32(multiples),
                Argument::U32(tau),
                Argument::U32(log_b),
                Argument::U32(n as u32),
            ];
            machine.module.launch(&format!("{name}_digits_odd"), (n as u32).div_ceil(128), 128, &mut args);
            let [_, Argument::Buffer(codes), ..] = &args else { panic!() };
            let quarter = 1u32 << (c - 2);
            for (i, scalar) in scalars.iter().enumerate() {
                let (mut sum, mut less) = (BigUint::ZERO, BigUint::ZERO);
                for (set, j) in (0..sets).flat_map(|set| (0..multiples).map(move |j| (set, j))) {
                    let code = codes[(set as usize * multiples as usize + j as usize) * n + i];
                    if code == NO_DIGIT {
                        continue;
                    }
                    let key = code & ((1 << ODD_KEY_BITS) - 1);
                    let (exponent, bucket) = ((code >> ODD_KEY_BITS) & 31, key & ((1 << log_b) - 1));
                    assert_eq!(key >> log_b, set, "{name} c={c} scalar {scalar}");
                    let m = if bucket < quarter { 2 * bucket + 1 } else { 2 * (bucket - quarter) + 2 };
                    // Even ones are what the largest exponent leaves over.
                    let even = bucket >= quarter;
                    assert!(exponent <= tau && !(even && (all || exponent < tau)), "{name} c={c} tau={tau}");
                    let term = BigUint::from(m) << (c * (j * sets + set) + exponent);
                    if code >> 31 == 1 { less += term } else { sum += term }
                }
                assert_eq!(sum, less + scalar, "{name} c={c} tau={tau}, {multiples} multiples");
            }
        }
    }
}

/// Every digit is odd, and those of even scalars give them less the modulus.
#[test]
fn regular_digits_of_awkward_scalars() {
    for (name, p) in [
        ("toy13", BigUint::from(13u32)),
        ("goldilocks", BigUint::from(0xffff_ffff_0000_0001u64)),
        ("bn254_fr", hex(BN254_FR)),
        ("bls12_381_fr", hex(BLS12_381_FR)),
        ("secp256k1_fr", hex(SECP256K1_FR)),
    ] {
        let machine = Machine::new(name, p.clone());
        let scalars = awkward(&machine.field, &mut Random(7));
        let n = scalars.len();
        let shapes = [2u32, 3, 5, 7, 8, 11, 13, 15, 16, 17, 19, 24].into_iter();
        for (c, multiples) in shapes.flat_map(|c| [(c, 1), (c, 2), (c, 3)]) {
            let sets = (p.bits() as u32).div_ceil(c * multiples);
            let mut args = [
                Argument::Buffer(to_words(&machine.field, &scalars)),
                Argument::Buffer(vec![0; sets as usize * n * multiples as usize]),
                Argument::U32(c),
                Argument::U32(sets),
                Argument::U32(multiples),
                Argument::U32(n as u32),
            ];
            let symbol = format!("{name}_digits_regular");
            machine.module.launch(&symbol, (n as u32).div_ceil(128), 128, &mut args);
            let [_, Argument::Buffer(codes), ..] = &args else { panic!() };
            let half = 1u32 << (c - 1);
            for (i, scalar) in scalars.iter().enumerate() {
                let (mut sum, mut less) = (BigUint::ZERO, BigUint::ZERO);
                for (set, j) in (0..sets).flat_map(|set| (0..multiples).map(move |j| (set, j))) {
                    let code = codes[(set as usize * multiples as usize + j as usize) * n + i];
                    let key = code & (u32::MAX >> 1);
                    assert_eq!(key / half, set, "{name} c={c} scalar {scalar}");
                    let term = BigUint::from(2 * (key % half) + 1) << (c * (j * sets + set));
                    if code >> 31 == 1 { less += term } else { sum += term }
                }
                let modulus = if scalar.bit(0) { BigUint::ZERO } else { p.clone() };
                assert_eq!(sum + modulus, less + scalar, "{name} c={c}, {multiples} multiples");
            }
        }
    }
}

#[test]
fn signed_digits_of_awkward_scalars() {
    for (name, p) in [
        ("toy13", BigUint::from(13u32)),
        ("goldilocks", BigUint::from(0xffff_ffff_0000_0001u64)),
        ("bn254_fr", hex(BN254_FR)),
        ("secp256k1_fr", hex(SECP256K1_FR)),
    ] {
        let machine = Machine::new(name, p.clone());
        let scalars = awkward(&machine.field, &mut Random(7));
        let n = scalars.len();
        for (c, multiples) in
            [1u32, 2, 3, 5, 7, 8, 11, 13, 15, 16, 19, 24].into_iter().flat_map(|c| [(c, 1), (c, 2), (c, 3)])
        {
            let sets = (p.bits() as u32 + 1).div_ceil(c * multiples);
            let mut args = [
                Argument::Buffer(to_words(&machine.field, &scalars)),
                Argument::Buffer(vec![0; sets as usize * n * multiples as usize]),
                Argument::U32(c),
                Argument::U32(sets),
                Argument::U32(multiples),
                Argument::U32(n as u32),
            ];
            let symbol = format!("{name}_digits");
            machine.module.launch(&symbol, (n as u32).div_ceil(128), 128, &mut args);
            let [_, Argument::Buffer(codes), ..] = &args else { panic!() };
            let half = 1u32 << (c - 1);
            for (i, scalar) in scalars.iter().enumerate() {
                let (mut sum, mut less) = (BigUint::ZERO, BigUint::ZERO);
                for (set, j) in (0..sets).flat_map(|set| (0..multiples).map(move |j| (set, j))) {
                    let code = codes[(set as usize * multiples as usize + j as usize) * n + i];
                    if code == NO_DIGIT {
                        continue;
                    }
                    let key = code & (u32::MAX >> 1);
                    assert_eq!(key / half, set, "{name} c={c} scalar {scalar}");
                    // Multiple j of a base is the base times 2^(c * sets * j).
                    let term = BigUint::from(key % half + 1) << (c * (j * sets + set));
                    if code >> 31 == 1 { less += term } else { sum += term }
                }
                assert_eq!(sum, less + scalar, "{name} c={c}, {multiples} multiples");
            }
        }
    }
}
