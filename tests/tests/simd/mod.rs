//! The SIMD target against arkworks: the source that it emits is compiled and run, eight elements at a time.
//!
//! It is run twice: with each instruction written out in plain Rust by its definition, on any processor, where a word
//! that overflows or a factor that is no limb ends the program; and with the instructions themselves, on a processor
//! that has them. On others of the architecture the compiler reads them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod random_functions;

use ark_ff::{BigInteger as _, PrimeField};
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::build::{Builder, Fe};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd as _;
use curvesmith_codegen::targets::simd::{BITS, Simd, Tier, function, limbs, r, to_limbs, transforms};
use curvesmith_tests::Random;
use num_bigint::BigUint;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const LANES: usize = 8;

/// Applies a function to each line that is read: the limbs of eight times its operands, in hexadecimal.
const RUN: &str = r#"
#[target_feature(enable = "avx512f,avx512ifma")]
fn run<const N: usize, const I: usize, const R: usize>(f: unsafe fn([&[V; N]; I]) -> [[V; N]; R]) {
    for line in std::io::stdin().lines() {
        let words: Vec<i64> = line.unwrap().split(' ').map(|text| i64::from_str_radix(text, 16).unwrap()).collect();
        let x: [[V; N]; I] = std::array::from_fn(|i| std::array::from_fn(|limb| {
            let lanes: [i64; 8] = std::array::from_fn(|lane| words[(lane * I + i) * N + limb]);
            // SAFETY: a vector is eight words.
            unsafe { std::mem::transmute::<[i64; 8], V>(lanes) }
        }));
        // SAFETY: `main` has seen that the processor has the instructions.
        let results = unsafe { f(std::array::from_fn(|i| &x[i])) };
        let mut text = vec![];
        for lane in 0..8 {
            for vector in results.as_flattened() {
                // SAFETY: a vector is eight words.
                let words: [i64; 8] = unsafe { std::mem::transmute(*vector) };
                text.push(format!("{:x}", words[lane]));
            }
        }
        println!("{}", text.join(" "));
    }
}
"#;

/// The instructions as the emitted source has them.
const INSTRUCTIONS: &str = include_str!("../../../codegen/src/targets/simd/ifma512.rs.txt");

/// The same by their definitions. Words that overflow are seen by how it is compiled.
const PLAIN: &str = r"
#[derive(Clone, Copy)]
pub struct V([i64; 8]);
type M = u8;

const LIMB: i64 = 1 << 52;

fn each(lane: impl Fn(usize) -> i64) -> V {
    V(std::array::from_fn(lane))
}
fn wide(a: i64, b: i64) -> i128 {
    assert!((0..LIMB).contains(&a) && (0..LIMB).contains(&b));
    i128::from(a) * i128::from(b)
}
fn add(a: V, b: V) -> V { each(|i| a.0[i] + b.0[i]) }
fn sub(a: V, b: V) -> V { each(|i| a.0[i] - b.0[i]) }
fn low(sum: V, a: V, b: V) -> V { each(|i| sum.0[i] + (wide(a.0[i], b.0[i]) % i128::from(LIMB)) as i64) }
fn high(sum: V, a: V, b: V) -> V { each(|i| sum.0[i] + (wide(a.0[i], b.0[i]) / i128::from(LIMB)) as i64) }
fn quotient(a: V, by: i64) -> V { each(|i| (wide(a.0[i].rem_euclid(LIMB), by) % i128::from(LIMB)) as i64) }
fn carry(a: V) -> V { each(|i| (a.0[i] + (LIMB - 1)).div_euclid(LIMB)) }
fn shift<const BITS: u32>(a: V) -> V { each(|i| a.0[i].div_euclid(1 << BITS)) }
fn mask<const BITS: u32>(a: V) -> V { each(|i| a.0[i].rem_euclid(1 << BITS)) }
fn double<const BITS: u32>(a: V) -> V { each(|i| a.0[i] * (1 << BITS)) }
fn by_sign(sign: V, a: V, b: V) -> V { each(|i| if sign.0[i] < 0 { a.0[i] } else { b.0[i] }) }
fn splat(value: i64) -> V { V([value; 8]) }
fn either(a: V, b: V) -> V { each(|i| a.0[i] | b.0[i]) }
fn zero(a: V) -> M { (0..8).map(|i| u8::from(a.0[i] == 0) << i).sum() }
fn choose(mask: M, a: V, b: V) -> V { each(|i| if mask >> i & 1 == 1 { a.0[i] } else { b.0[i] }) }
fn not(a: M) -> M { !a }
";

/// What is emitted: the operations, a sum of products of what is not reduced, the two halves of an affine addition, and
/// what transforms are made of.
fn library(field: &FieldDesc) -> Vec<Kernel> {
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
    functions.chain(transforms(field)).collect()
}

/// A program that applies functions of a field.
struct Lanes {
    field: FieldDesc,
    program: PathBuf,
}

impl Lanes {
    /// In plain Rust, and by the instructions if the processor has them.
    fn of(field: &FieldDesc, functions: &[Kernel]) -> Vec<Lanes> {
        let checked: Vec<_> = functions.iter().map(|kernel| prepare::<Simd>(kernel).unwrap()).collect();
        let source = Simd::emit(&checked, Tier::Ifma512).unwrap().text;
        let arms: String = functions
            .iter()
            .map(|kernel| format!("        \"{0}\" => unsafe {{ run({0}) }},\n", kernel.symbol))
            .collect();
        let text = |needs: &str| {
            format!(
                "{source}{RUN}\nfn main() {{\n    {needs}\n    match &*std::env::args().nth(1).unwrap() \
                 {{\n{arms}        _ => panic!(),\n    }}\n}}\n"
            )
        };
        let feature = format!("#[target_feature(enable = \"{}\")]", Tier::Ifma512.features());
        let plain = text("").replace(INSTRUCTIONS, PLAIN).replace(&feature, "");
        assert!(!plain.contains("_mm512"), "the instructions are others");
        // What is written for lanes takes minutes to optimise without instructions for them.
        let mut all = vec![Lanes::compiled(field, "plain", &plain, &["-Coverflow-checks=yes"])];
        #[cfg(target_arch = "x86_64")]
        {
            let text = text("assert!(is_x86_feature_detected!(\"avx512ifma\"));");
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma") {
                all.push(Lanes::compiled(field, "ifma512", &text, &["-Copt-level=1"]));
            } else {
                Lanes::compiled(field, "ifma512", &text, &["--emit=metadata"]);
                eprintln!("{}: read and not run, as this processor has no AVX-512 IFMA", field.name);
            }
        }
        all
    }

    fn compiled(field: &FieldDesc, tier: &str, text: &str, flags: &[&str]) -> Lanes {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("simd");
        fs::create_dir_all(&folder).unwrap();
        let name = format!("{}_{tier}", field.name);
        let (file, program) = (folder.join(format!("{name}.rs")), folder.join(&name));
        fs::write(&file, text).unwrap();
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut rustc = Command::new(rustc);
        rustc.args(["--edition=2024", "--cap-lints=warn"]).args(flags).arg("-o").arg(&program).arg(&file);
        let done = rustc.output().unwrap();
        assert!(done.status.success(), "{name}: {}", String::from_utf8_lossy(&done.stderr));
        Lanes { field: field.clone(), program }
    }

    /// The results of a function for each tuple of operands, checked to be resident.
    fn call<F: PrimeField>(&self, function: &str, operands: &[Vec<F>]) -> Vec<Vec<F>> {
        let n = limbs(&self.field);
        let (p, radix) = (&self.field.p, r(&self.field));
        // In Montgomery form, and by turns the larger of the two representatives of a resident element.
        let stored = |(k, x): (usize, &F)| {
            let x = BigUint::from_bytes_le(&x.into_bigint().to_bytes_le()) * &radix % p;
            let x = if k % 2 == 1 { x + p } else { x };
            to_limbs(&x, n).into_iter().map(|limb| format!("{limb:x}")).collect::<Vec<_>>()
        };
        let mut input = String::new();
        for group in operands.chunks(LANES) {
            // Lanes that are left over repeat the last.
            let lanes = (0..LANES).map(|lane| group.get(lane).unwrap_or(&group[group.len() - 1]));
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
                assert!(limb >> BITS == 0, "{function} gives a limb that is not normal");
                (x << BITS) + *limb
            });
            assert!(x < p * 2u32, "{function} gives what is not resident");
            F::from_le_bytes_mod_order(&(x * &inverse % p).to_bytes_le())
        };
        let mut results = vec![];
        for line in std::str::from_utf8(&done.stdout).unwrap().lines() {
            let words: Vec<u64> =
                line.split(' ').map(|word| u64::from_str_radix(word, 16).unwrap()).collect();
            for lane in words.chunks_exact(words.len() / LANES) {
                results.push(lane.chunks_exact(n).map(element).collect());
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
    for lanes in Lanes::of(&field, &library(&field)) {
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
