//! The SIMD target against arkworks: the source that it emits is compiled and run, some elements at a time.
//!
//! It is run twice: with each instruction written out in plain Rust by its definition, on any processor,
//! where a word that overflows or a factor that is no limb ends the program; and with the instructions
//! themselves, on a processor that has them. On others of the architecture the compiler reads them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random_functions;

use ark_ff::{BigInteger as _, PrimeField};
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::build::{Builder, Fe};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd as _;
use curvesmith_codegen::targets::simd::{Avx2, Ifma512, Instructions, Limbs, Simd, function, transforms};
use curvesmith_tests::Random;
use num_bigint::BigUint;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Applies a function to each line that is read: for each lane the limbs of its operands, in hexadecimal.
const RUN: &str = r#"
#[target_feature(enable = "FEATURES")]
fn run<const N: usize, const I: usize, const R: usize>(f: unsafe fn([&[V; N]; I]) -> [[V; N]; R]) {
    for line in std::io::stdin().lines() {
        let words: Vec<i64> = line.unwrap().split(' ').map(|text| i64::from_str_radix(text, 16).unwrap()).collect();
        let x: [[V; N]; I] = std::array::from_fn(|i| std::array::from_fn(|limb| {
            let lanes: [i64; LANES] = std::array::from_fn(|lane| words[(lane * I + i) * N + limb]);
            // SAFETY: a vector is a word for each lane.
            unsafe { std::mem::transmute::<[i64; LANES], V>(lanes) }
        }));
        // SAFETY: `main` has seen that the processor has the instructions.
        let results = unsafe { f(std::array::from_fn(|i| &x[i])) };
        let mut text = vec![];
        for lane in 0..LANES {
            for vector in results.as_flattened() {
                // SAFETY: a vector is a word for each lane.
                let words: [i64; LANES] = unsafe { std::mem::transmute(*vector) };
                text.push(format!("{:x}", words[lane]));
            }
        }
        println!("{}", text.join(" "));
    }
}
"#;

/// Instructions by their definitions. Words that overflow are seen by how it is compiled.
const PLAIN: &str = r"
#[derive(Clone, Copy)]
pub struct V([i64; LANES]);
type M = u8;

fn each(lane: impl Fn(usize) -> i64) -> V {
    V(std::array::from_fn(lane))
}
fn add(a: V, b: V) -> V { each(|i| a.0[i] + b.0[i]) }
fn sub(a: V, b: V) -> V { each(|i| a.0[i] - b.0[i]) }
fn mask<const BITS: u32>(a: V) -> V { each(|i| a.0[i].rem_euclid(1 << BITS)) }
fn double<const BITS: u32>(a: V) -> V { each(|i| a.0[i] * (1 << BITS)) }
fn by_sign(sign: V, a: V, b: V) -> V { each(|i| if sign.0[i] < 0 { a.0[i] } else { b.0[i] }) }
fn splat(value: i64) -> V { V([value; LANES]) }
fn either(a: V, b: V) -> V { each(|i| a.0[i] | b.0[i]) }
fn zero(a: V) -> M { (0..LANES).map(|i| u8::from(a.0[i] == 0) << i).sum() }
fn choose(mask: M, a: V, b: V) -> V { each(|i| if mask >> i & 1 == 1 { a.0[i] } else { b.0[i] }) }
fn truth(value: bool) -> M { if value { M::MAX } else { 0 } }
fn not(a: M) -> M { !a }
fn and(a: M, b: M) -> M { a & b }
fn or(a: M, b: M) -> M { a | b }
";

/// Those of a processor that adds halves of products.
const HALVES: &str = r"
const LIMB: i64 = 1 << 52;

fn wide(a: i64, b: i64) -> i128 {
    assert!((0..LIMB).contains(&a) && (0..LIMB).contains(&b));
    i128::from(a) * i128::from(b)
}
fn low(sum: V, a: V, b: V) -> V { each(|i| sum.0[i] + (wide(a.0[i], b.0[i]) % i128::from(LIMB)) as i64) }
fn high(sum: V, a: V, b: V) -> V { each(|i| sum.0[i] + (wide(a.0[i], b.0[i]) / i128::from(LIMB)) as i64) }
fn quotient(a: V, by: i64) -> V { each(|i| (wide(a.0[i].rem_euclid(LIMB), by) % i128::from(LIMB)) as i64) }
fn carry(a: V) -> V { each(|i| (a.0[i] + (LIMB - 1)).div_euclid(LIMB)) }
fn shift<const BITS: u32>(a: V) -> V { each(|i| a.0[i].div_euclid(1 << BITS)) }
";

/// Those of one that has whole products.
const WHOLE: &str = r"
const FACTOR: i64 = 1 << 32;

fn wide(a: i64, b: i64) -> i64 {
    assert!((0..FACTOR).contains(&a) && (0..FACTOR).contains(&b));
    a.checked_mul(b).unwrap()
}
fn product_of(a: V, b: V) -> V { each(|i| wide(a.0[i], b.0[i])) }
fn quotient<const BITS: u32>(a: V, by: i64) -> V {
    each(|i| wide(a.0[i].rem_euclid(1 << BITS), by).rem_euclid(1 << BITS))
}
fn shift<const BITS: u32>(a: V) -> V {
    each(|i| {
        assert!(a.0[i] >= 0);
        a.0[i] >> BITS
    })
}
";

/// Processors.
struct Processor {
    name: &'static str,
    /// Its own instructions by their definitions.
    plain: &'static str,
    is_here: bool,
}

fn processor<I: Instructions>() -> Processor {
    #[cfg(target_arch = "x86_64")]
    let has = |ifma: bool| match ifma {
        true => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma"),
        false => is_x86_feature_detected!("avx2"),
    };
    #[cfg(not(target_arch = "x86_64"))]
    let has = |_| false;
    match I::LANES {
        8 => Processor { name: "ifma512", plain: HALVES, is_here: has(true) },
        _ => Processor { name: "avx2", plain: WHOLE, is_here: has(false) },
    }
}

/// What is emitted: the operations, a sum of products of what is not reduced, the two halves of an affine
/// addition, and what transforms are made of.
fn library<I: Instructions>(field: &FieldDesc) -> Vec<Kernel> {
    type Body = for<'k> fn(&'k Builder, &[Fe<'k>]) -> Vec<Fe<'k>>;
    let functions: [(&str, usize, Body); 9] = [
        ("sum", 2, |_, x| vec![x[0] + x[1]]),
        ("difference", 2, |_, x| vec![x[0] - x[1]]),
        ("opposite", 1, |_, x| vec![-x[0]]),
        ("squared", 1, |_, x| vec![x[0].sqr()]),
        ("twelve", 1, |_, x| vec![x[0].mul_small(12)]),
        ("dot", 4, |b, x| vec![b.dot(&[(x[0], x[1]), (x[2], x[3])])]),
        ("mixed", 4, |_, x| vec![(x[0] + x[1] + x[2]) * (x[0] - x[3].dbl()) - (x[2] - x[3]).sqr()]),
        ("chosen", 4, |_, x| vec![(x[0] - x[1]).is_zero().select(x[2], x[3])]),
        // By the inverse of x₂ - x₁.
        ("chord", 5, |_, x| {
            let slope = (x[3] - x[1]) * x[4];
            let third = slope.sqr() - x[0] - x[2];
            vec![third, slope * (x[0] - third) - x[1]]
        }),
    ];
    let functions = functions.iter().map(|(name, inputs, body)| function(field, name, *inputs, *body));
    functions.chain(transforms::<I>(field)).collect()
}

/// A program that applies functions of a field.
struct Lanes {
    field: FieldDesc,
    limbs: Limbs,
    /// Elements at once.
    number: usize,
    program: PathBuf,
}

impl Lanes {
    /// In plain Rust, and by the instructions if the processor has them.
    fn of<I: Instructions>(field: &FieldDesc, functions: &[Kernel]) -> Vec<Lanes> {
        let checked: Vec<_> = functions.iter().map(|kernel| prepare::<Simd<I>>(kernel).unwrap()).collect();
        let source = Simd::<I>::emit(&checked, ()).unwrap().text;
        let Processor { name, plain, is_here } = processor::<I>();
        let run = RUN.replace("FEATURES", I::FEATURES);
        let lanes = I::LANES;
        let arms: String = functions
            .iter()
            .map(|kernel| format!("        \"{0}\" => unsafe {{ run({0}) }},\n", kernel.symbol))
            .collect();
        let text = |needs: &str| {
            format!(
                "{source}{run}\nconst LANES: usize = {lanes};\nfn main() {{\n    {needs}\n    match &*std::env::args().nth(1).unwrap() \
                 {{\n{arms}        _ => panic!(),\n    }}\n}}\n"
            )
        };
        let feature = format!("#[target_feature(enable = \"{}\")]", I::FEATURES);
        let plain = text("").replace(I::PRELUDE, &format!("{PLAIN}{plain}")).replace(&feature, "");
        assert!(!plain.contains("_mm"), "the instructions are others");
        // What is written for lanes takes minutes to optimise without instructions for them.
        let compiled = |name: &str, text: &str, flags: &[&str]| Lanes {
            field: field.clone(),
            limbs: Limbs::of(I::PRODUCTS, field),
            number: lanes,
            program: Lanes::compiled(&format!("{}_{name}", field.name), text, flags),
        };
        let mut all = vec![compiled(&format!("{name}_plain"), &plain, &["-Coverflow-checks=yes"])];
        if is_here {
            all.push(compiled(name, &text(""), &["-Copt-level=1"]));
        } else if cfg!(target_arch = "x86_64") {
            compiled(name, &text(""), &["--emit=metadata"]);
            eprintln!("{}: read and not run, as this processor lacks {}", field.name, I::FEATURES);
        }
        all
    }

    fn compiled(name: &str, text: &str, flags: &[&str]) -> PathBuf {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simd");
        fs::create_dir_all(&folder).unwrap();
        let (file, program) = (folder.join(format!("{name}.rs")), folder.join(name));
        fs::write(&file, text).unwrap();
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut rustc = Command::new(rustc);
        rustc.args(["--edition=2024", "--cap-lints=warn"]).args(flags).arg("-o").arg(&program).arg(&file);
        let done = rustc.output().unwrap();
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        program
    }

    /// The results of a function for each tuple of operands, checked to be resident.
    fn call<F: PrimeField>(&self, function: &str, operands: &[Vec<F>]) -> Vec<Vec<F>> {
        let (limbs, lanes) = (self.limbs, self.number);
        let (p, radix) = (&self.field.p, limbs.r());
        // In Montgomery form, and by turns the larger of the two representatives of a resident element.
        let stored = |(k, x): (usize, &F)| {
            let x = BigUint::from_bytes_le(&x.into_bigint().to_bytes_le()) * &radix % p;
            let x = if k % 2 == 1 { x + p } else { x };
            limbs.split(&x).into_iter().map(|limb| format!("{limb:x}")).collect::<Vec<_>>()
        };
        let mut input = String::new();
        for group in operands.chunks(lanes) {
            // Lanes that are left over repeat the last.
            let lanes = (0..lanes).map(|lane| group.get(lane).unwrap_or(&group[group.len() - 1]));
            let words: Vec<String> = lanes.flatten().enumerate().flat_map(stored).collect();
            input += &(words.join(" ") + "\n");
        }
        let mut program = Command::new(&self.program);
        let mut running = program.arg(function).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdin = running.stdin.take().unwrap();
        let done = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input.as_bytes()));
            running.wait_with_output().unwrap()
        });
        assert!(done.status.success(), "{function}");
        let inverse = (&radix % p).modinv(p).unwrap();
        let element = |limbs: &[u64]| {
            let x = limbs.iter().rev().fold(BigUint::ZERO, |x, limb| {
                assert!(limb >> self.limbs.bits == 0, "{function} gives a limb that is not normal");
                (x << self.limbs.bits) + *limb
            });
            assert!(x < p * 2u32, "{function} gives what is not resident");
            F::from_le_bytes_mod_order(&(x * &inverse % p).to_bytes_le())
        };
        let mut results = vec![];
        for line in std::str::from_utf8(&done.stdout).unwrap().lines() {
            let words: Vec<u64> =
                line.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
            for lane in words.chunks_exact(words.len() / self.number) {
                results.push(lane.chunks_exact(limbs.n).map(element).collect());
            }
        }
        assert!(results.len() >= operands.len(), "{function}");
        results.truncate(operands.len());
        results
    }
}

/// 0, 1, their negatives and drawn ones, crossed in the first two operands.
fn operands<F: PrimeField>(inputs: usize) -> Vec<Vec<F>> {
    let mut random = Random(52);
    let mut drawn = || (0..14).fold(F::ZERO, |all, _| all * F::from(u64::MAX) + F::from(random.word()));
    let some = [F::ZERO, F::ONE, -F::ONE, F::from(2u32), -F::from(2u32), drawn()];
    let mut all = vec![];
    for x in some {
        for y in some {
            all.push((0..inputs).map(|k| [x, y, drawn(), x][k % 4]).collect());
        }
    }
    all.extend((0..200).map(|_| (0..inputs).map(|_| drawn()).collect()));
    all
}

/// As a declaration has it.
fn described<F: PrimeField>(name: &str) -> FieldDesc {
    FieldDesc::new(name, BigUint::from_bytes_le(&F::MODULUS.to_bytes_le()))
}

fn agree<F: PrimeField>(name: &str) {
    let field = described::<F>(name);
    let with_halves = Lanes::of::<Ifma512>(&field, &library::<Ifma512>(&field));
    let with_whole_products = Lanes::of::<Avx2>(&field, &library::<Avx2>(&field));
    for lanes in with_halves.into_iter().chain(with_whole_products) {
        lanes.agree::<F>();
    }
}

impl Lanes {
    fn agree<F: PrimeField>(&self) {
        let agree = |function: &str, inputs: usize, wanted: fn(&[F]) -> Vec<F>| {
            let operands = operands::<F>(inputs);
            for (x, found) in operands.iter().zip(self.call(function, &operands)) {
                assert_eq!(found, wanted(x), "{}: {function} of {x:?}", self.field.name);
            }
        };
        agree("sum", 2, |x| vec![x[0] + x[1]]);
        agree("difference", 2, |x| vec![x[0] - x[1]]);
        agree("opposite", 1, |x| vec![-x[0]]);
        agree("product", 2, |x| vec![x[0] * x[1]]);
        agree("squared", 1, |x| vec![x[0].square()]);
        agree("twelve", 1, |x| vec![x[0] * F::from(12u32)]);
        agree("dot", 4, |x| vec![x[0] * x[1] + x[2] * x[3]]);
        agree("mixed", 4, |x| vec![(x[0] + x[1] + x[2]) * (x[0] - x[3].double()) - (x[2] - x[3]).square()]);
        agree("chosen", 4, |x| vec![if x[0] == x[1] { x[2] } else { x[3] }]);
        agree("canonical", 1, |x| vec![x[0]]);
        let butterfly = |a: F, b: F| [a + b, a - b];
        // The formulas of two levels, of which one may be by 1.
        let butterflies = |x: &[F], [u, v, w]: [F; 3]| {
            let ([a, b], [c, d]) = (butterfly(x[0], u * x[1]), butterfly(x[2], u * x[3]));
            let ([a, c], [b, d]) = (butterfly(a, v * c), butterfly(b, w * d));
            vec![a, b, c, d]
        };
        agree("butterfly", 3, |x| vec![x[0] + x[1] * x[2], x[0] - x[1] * x[2]]);
        agree("first_butterfly", 2, |x| vec![x[0] + x[1], x[0] - x[1]]);
        for (function, inputs) in [("butterflies", 7), ("first_butterflies", 5)] {
            let operands = operands::<F>(inputs);
            for (x, found) in operands.iter().zip(self.call(function, &operands)) {
                let factors = if inputs == 7 { [x[4], x[5], x[6]] } else { [F::ONE, F::ONE, x[4]] };
                assert_eq!(found, butterflies(x, factors), "{}: {function} of {x:?}", self.field.name);
            }
        }
        // The line through two points, whatever curve they are on.
        let mut points = operands::<F>(5);
        points.retain(|x| x[0] != x[2]);
        points.iter_mut().for_each(|x| x[4] = (x[2] - x[0]).inverse().unwrap());
        for (x, found) in points.iter().zip(self.call("chord", &points)) {
            let slope = (x[3] - x[1]) / (x[2] - x[0]);
            let third = slope.square() - x[0] - x[2];
            let wanted = [third, slope * (x[0] - third) - x[1]];
            assert_eq!(found, wanted, "{}: chord of {x:?}", self.field.name);
        }
    }
}

#[test]
fn bn254_fq() {
    agree::<ark_bn254::Fq>("bn254_fq");
}

#[test]
fn bls12_381_fq() {
    agree::<ark_bls12_381::Fq>("bls12_381_fq");
}

#[test]
fn bls12_381_fr() {
    agree::<ark_bls12_381::Fr>("bls12_381_fr");
}

#[test]
fn secp256k1_fq() {
    agree::<ark_secp256k1::Fq>("secp256k1_fq");
}

/// Limbs more than a vector has words.
#[test]
fn mnt4_753_fq() {
    agree::<ark_mnt4_753::Fq>("mnt4_753_fq");
}
