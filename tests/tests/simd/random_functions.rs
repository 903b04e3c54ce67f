//! Random functions of elements through FIR's interpreter, arkworks' arithmetic and lanes.

use super::{Avx2, Ifma512, Lanes, described, operands};
use ark_ff::{BigInteger as _, PrimeField};
use curvesmith_abi::kernels::FieldMulSub;
use curvesmith_abi::{Geometry, Kernel as _, padded_words};
use curvesmith_codegen::declaration::{FieldDesc, Tower};
use curvesmith_codegen::fir::build::{Builder, Fe};
use curvesmith_codegen::fir::interp::{Argument, from_words, launch, to_words};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::targets::simd::function;
use curvesmith_tests::{Random, Size};
use num_bigint::BigUint;

/// Operands of a function.
const INPUTS: usize = 3;

/// A value made of values before it.
#[derive(Clone, Debug)]
enum Step {
    Add(usize, usize),
    Sub(usize, usize),
    Neg(usize),
    Dbl(usize),
    Mul(usize, usize),
    Sqr(usize),
    MulSmall(usize, u32),
    MulConst(usize, u64),
    Dot(Vec<(usize, usize)>),
    /// The third if the first two are equal, or else the fourth.
    Select([usize; 4]),
}

impl Step {
    /// Makes one of `values` values; recent ones most often, so that chains grow.
    fn random(random: &mut Random, values: usize) -> Step {
        let mut pick = || values - 1 - random.below(values.min(4)).min(random.below(values));
        let (x, y, u, v) = (pick(), pick(), pick(), pick());
        match random.below(16) {
            0..=2 => Step::Add(x, y),
            3..=5 => Step::Sub(x, y),
            6 => Step::Neg(x),
            7 => Step::Dbl(x),
            8 | 9 => Step::Mul(x, y),
            10 => Step::Sqr(x),
            11 => Step::MulSmall(x, [0, 1, 3, 8, 12, 255][random.below(6)]),
            12 => Step::MulConst(x, random.word()),
            13 | 14 => Step::Dot(vec![(x, y), (u, v), (y, u)][..2 + random.below(2)].to_vec()),
            _ => Step::Select([x, y, u, v]),
        }
    }

    fn fir<'k>(&self, b: &'k Builder, values: &[Fe<'k>]) -> Fe<'k> {
        let at = |i: &usize| values[*i];
        match self {
            Step::Add(x, y) => at(x) + at(y),
            Step::Sub(x, y) => at(x) - at(y),
            Step::Neg(x) => -at(x),
            Step::Dbl(x) => at(x).dbl(),
            Step::Mul(x, y) => at(x) * at(y),
            Step::Sqr(x) => at(x).sqr(),
            Step::MulSmall(x, c) => at(x).mul_small(*c),
            Step::MulConst(x, c) => at(x).mul_const(&(*c).into()),
            Step::Dot(terms) => b.dot(&terms.iter().map(|(x, y)| (at(x), at(y))).collect::<Vec<_>>()),
            Step::Select([x, y, u, v]) => (at(x) - at(y)).is_zero().select(at(u), at(v)),
        }
    }

    fn arkworks<F: PrimeField>(&self, values: &[F]) -> F {
        let at = |i: &usize| values[*i];
        match self {
            Step::Add(x, y) => at(x) + at(y),
            Step::Sub(x, y) => at(x) - at(y),
            Step::Neg(x) => -at(x),
            Step::Dbl(x) => at(x).double(),
            Step::Mul(x, y) => at(x) * at(y),
            Step::Sqr(x) => at(x).square(),
            Step::MulSmall(x, c) => at(x) * F::from(*c),
            Step::MulConst(x, c) => at(x) * F::from(*c),
            Step::Dot(terms) => terms.iter().map(|(x, y)| at(x) * at(y)).sum(),
            Step::Select([x, y, u, v]) => {
                if at(x) == at(y) {
                    at(u)
                } else {
                    at(v)
                }
            }
        }
    }
}

/// The operands, and what steps make of them.
fn all<T: Copy>(steps: &[Step], x: &[T], value: impl Fn(&Step, &[T]) -> T) -> Vec<T> {
    let mut values = x.to_vec();
    for step in steps {
        values.push(value(step, &values));
    }
    values
}

/// A sum of the last value and of one in the middle, so that one of them waits.
fn result<T: Copy + std::ops::Add<Output = T>>(values: &[T]) -> T {
    values[values.len() - 1] + values[values.len() / 2]
}

/// The steps as a kernel with an element of each operand for a thread.
fn kernel(field: &FieldDesc, steps: &[Step]) -> Kernel {
    let desc = FieldMulSub::desc(&Geometry::PTX);
    let b = Builder::new(format!("{}_steps", field.name), desc, Some(field.clone()), Tower::prime());
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let inputs = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
    b.buffer("out").set_field(i, result(&all(steps, &inputs, |step, values| step.fir(&b, values))));
    b.finish()
}

/// What the interpreter makes of operands.
fn interpreted<F: PrimeField>(field: &FieldDesc, steps: &[Step], operands: &[Vec<F>]) -> Vec<F> {
    let element = |x: &F| BigUint::from_bytes_le(&x.into_bigint().to_bytes_le());
    let buffer = |k: usize| {
        let elements: Vec<BigUint> = operands.iter().map(|x| element(&x[k])).collect();
        Argument::Buffer(to_words(field, &elements))
    };
    let out = vec![0; operands.len() * padded_words(field.words)];
    let count = operands.len() as u32;
    let mut args: Vec<Argument> = (0..INPUTS).map(buffer).collect();
    args.extend([Argument::Buffer(out), Argument::U32(count)]);
    let kernel = kernel(field, steps);
    launch(&kernel, count.div_ceil(kernel.desc.block), &mut args).unwrap();
    let Argument::Buffer(out) = &args[INPUTS] else { panic!("the result is a buffer") };
    from_words(field, out).iter().map(|x| F::from_le_bytes_mod_order(&x.to_bytes_le())).collect()
}

fn agree<F: PrimeField>(name: &str, first: u64, count: u64) {
    /// A function has fewer than four more.
    const STEPS: usize = 24;
    let field = described::<F>(name);
    let programs: Vec<(String, Vec<Step>)> = (first..first + Size::from_env().pick(count, 10 * count))
        .map(|seed| {
            let mut random = Random(seed);
            let steps = 4 + random.below(STEPS);
            let steps = (0..steps).map(|at| Step::random(&mut random, INPUTS + at)).collect();
            // A function's name ends with a letter.
            (format!("seed_{seed}_x"), steps)
        })
        .collect();
    let functions: Vec<Kernel> = programs
        .iter()
        .map(|(name, steps)| {
            function(&field, name, INPUTS, |b, x| {
                vec![result(&all(steps, x, |step, values| step.fir(b, values)))]
            })
        })
        .collect();
    let operands = operands::<F>(INPUTS);
    let mut lanes = Lanes::of::<Ifma512>(&field, &functions);
    lanes.extend(Lanes::of::<Avx2>(&field, &functions));
    for (name, steps) in &programs {
        let wanted: Vec<F> = operands.iter().map(|x| result(&all(steps, x, Step::arkworks))).collect();
        assert!(interpreted(&field, steps, &operands) == wanted, "the interpreter on {name}: {steps:?}");
        for lanes in &lanes {
            let found = lanes.call(name, &operands);
            let at = found.iter().zip(&wanted).position(|(found, wanted)| found[..] != [*wanted]);
            assert!(at.is_none(), "{name}: {steps:?} of {:?}", at.map(|at| &operands[at]));
        }
    }
}

#[test]
fn bn254_fq() {
    agree::<ark_bn254::Fq>("random_bn254_fq", 0, 12);
}

#[test]
fn bls12_381_fq() {
    agree::<ark_bls12_381::Fq>("random_bls12_381_fq", 100, 8);
}

#[test]
fn mnt4_753_fq() {
    agree::<ark_mnt4_753::Fq>("random_mnt4_753_fq", 300, 3);
}

#[test]
fn secp256k1_fq() {
    agree::<ark_secp256k1::Fq>("random_secp256k1_fq", 200, 12);
}
