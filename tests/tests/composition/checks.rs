//! What a backend of kernels must give, whatever device runs them.

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, FftField, Field as _, PrimeField, UniformRand};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith_runtime::backend::{Backend, BinaryOp, Csr, DigitShape, Direction, UnaryOp};
use curvesmith_runtime::cpu::Cpu;
use curvesmith_runtime::device::KernelDevice;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use curvesmith_runtime::kernels::policy::{NttPolicy, Policy};
use curvesmith_runtime::kernels::{Kernels, sort_pairs};

/// Zero, one, minus one, then random values.
pub(crate) fn values<T: PrimeField>(n: usize, rng: &mut StdRng) -> Vec<T> {
    let special = [T::ZERO, T::ONE, -T::ONE];
    special.into_iter().chain(std::iter::repeat_with(|| T::rand(rng))).take(n).collect()
}

pub(crate) fn pointwise<D: KernelDevice, F: Field>(device: &Kernels<D>, n: usize) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    let (a, b): (Vec<F::Ark>, Vec<F::Ark>) = (values(n, &mut rng), values(n, &mut rng));
    let c = F::Ark::rand(&mut rng);
    let (x, y) = (device.upload::<F>(&a).unwrap(), device.upload::<F>(&b).unwrap());
    assert_eq!(device.download(&x).unwrap(), a);
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
        let found = device.download(&device.binary(op, &x, &y).unwrap()).unwrap();
        assert_eq!(found, Cpu.binary::<F>(op, &a, &b).unwrap(), "{op:?}");
    }
    for op in [UnaryOp::Neg, UnaryOp::Dbl, UnaryOp::Sqr, UnaryOp::Inverse] {
        let found = device.download(&device.unary(op, &x).unwrap()).unwrap();
        assert_eq!(found, Cpu.unary::<F>(op, &a).unwrap(), "{op:?}");
    }
    let found = device.download(&device.batch_inverse(&x).unwrap()).unwrap();
    assert_eq!(found, Cpu.batch_inverse::<F>(&a).unwrap());
    let found = device.download(&device.mul_const(&x, c).unwrap()).unwrap();
    assert_eq!(found, Cpu.mul_const::<F>(&a, c).unwrap());
    let found = device.download(&device.mul_sub(&x, &y, &x).unwrap()).unwrap();
    assert_eq!(found, Cpu.mul_sub::<F>(&a, &b, &a).unwrap());
}

/// Both directions over subgroup and cosets, with both ways of multiplying by powers of the shift, and
/// both forms of twiddles.
pub(crate) fn ntts<D: KernelDevice, F: Field>(device: &D, sizes: impl IntoIterator<Item = u32>) {
    // Tables for all passes, for none, and for the first of several; the largest radix and the one below.
    let policies = [(24, 24, 4), (0, 0, 3), (24, 8, 4)];
    let policies = policies.map(|(max_cached_log_n, max_table_log_n, max_log_radix)| Policy {
        ntt: NttPolicy { max_cached_log_n, max_table_log_n, max_log_radix },
        ..Policy::for_device(&device.properties())
    });
    let backends = policies.map(|policy| Kernels::with_policy(device.clone(), policy).unwrap());
    for log_n in sizes {
        // The third differs where a pass is within 2^8 elements and another is not.
        for kernels in backends.iter().take(if log_n > 8 { 3 } else { 2 }) {
            ntt::<D, F>(kernels, log_n);
        }
    }
}

fn ntt<D: KernelDevice, F: Field>(device: &Kernels<D>, log_n: u32) {
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let n = 1usize << log_n;
    let root = F::Ark::get_root_of_unity(n as u64).unwrap();
    // The kernels hold the powers of one root of order 16: every other is reached by renaming.
    let exponents: &[u64] = if log_n <= 7 { &[1, 3, 5, n as u64 - 1] } else { &[1, n as u64 - 3] };
    for omega in exponents.iter().map(|e| root.pow([*e])) {
        let tables = device.ntt_tables::<F>(log_n, omega).unwrap();
        let cpu = Cpu.ntt_tables::<F>(log_n, omega).unwrap();
        for shift in [F::Ark::ONE, F::Ark::GENERATOR, F::Ark::GENERATOR.square()] {
            for direction in [Direction::Forward, Direction::Inverse, Direction::Inverse] {
                let mut a = values::<F::Ark>(n, &mut rng);
                let mut x = device.upload::<F>(&a).unwrap();
                device.ntt(&tables, &mut x, direction, shift).unwrap();
                Cpu.ntt::<F>(&cpu, &mut a, direction, shift).unwrap();
                assert_eq!(device.download(&x).unwrap(), a, "2^{log_n} {direction:?} {shift}");
            }
        }
    }
}

/// Empty rows, short rows and one of `long` entries.
pub(crate) fn sparse_products<D: KernelDevice, F: Field>(device: &Kernels<D>, long: usize) {
    let mut rng = StdRng::seed_from_u64(9);
    for (rows, width) in [(0, 0), (1, 1), (9, 5), (41, 12)] {
        let mut csr = Csr { row_offsets: vec![0], columns: vec![], values: vec![], width };
        for row in 0..rows {
            let entries = if row == 3 { long } else { rng.gen_range(0..4) };
            for _ in 0..entries {
                csr.columns.push(rng.gen_range(0..width));
                csr.values.push(F::Ark::rand(&mut rng));
            }
            csr.row_offsets.push(csr.columns.len() as u32);
        }
        let x = values::<F::Ark>(width as usize, &mut rng);
        let matrix = device.matrix::<F>(&csr).unwrap();
        let vector = device.upload::<F>(&x).unwrap();
        for out_len in [rows, rows + 7] {
            let found = device.download(&device.spmv(&matrix, &vector, out_len).unwrap()).unwrap();
            assert_eq!(found, Cpu.spmv::<F>(&csr, &x, out_len).unwrap());
        }
    }
}

pub(crate) fn sort<D: KernelDevice>(device: &Kernels<D>, n: u32, key_bits: u32) {
    let mut rng = StdRng::seed_from_u64(u64::from(n));
    let mask = u32::MAX >> (32 - key_bits);
    let keys: Vec<u32> = (0..n).map(|_| rng.r#gen::<u32>() & mask).collect();
    let entries: Vec<u32> = (0..n).collect();
    let mut expected: Vec<(u32, u32)> = keys.iter().copied().zip(entries.iter().copied()).collect();
    expected.sort_by_key(|pair| pair.0);
    let (keys, entries) = sort_pairs(device, &keys, &entries, key_bits).unwrap();
    let found: Vec<(u32, u32)> = keys.into_iter().zip(entries).collect();
    assert_eq!(found, expected, "{n} keys of {key_bits} bits");
}

/// Points and scalars of one hard case.
type Case<G> = (&'static str, Vec<AffineOf<G>>, Vec<ScalarOf<G>>);

fn cases<G: Group>(n: usize, rng: &mut StdRng) -> Vec<Case<G>> {
    let g = ProjectiveOf::<G>::generator();
    let random: Vec<AffineOf<G>> = (0..n).map(|_| (g * ScalarOf::<G>::rand(rng)).into_affine()).collect();
    let scalars = values::<ScalarOf<G>>(n, rng);
    let identities = vec![AffineOf::<G>::zero(); n];
    let opposite = (0..n).map(|i| if i % 2 == 0 { random[i] } else { -random[i - 1] }).collect();
    vec![
        ("random", random.clone(), scalars.clone()),
        ("equal scalars", random.clone(), vec![scalars[n - 1]; n]),
        ("r - 1", random.clone(), vec![-ScalarOf::<G>::ONE; n]),
        ("zero scalars", random.clone(), vec![ScalarOf::<G>::ZERO; n]),
        ("equal points", vec![random[0]; n], vec![ScalarOf::<G>::ONE; n]),
        ("opposite points", opposite, vec![ScalarOf::<G>::from(3u64); n]),
        ("identities", identities, scalars),
    ]
}

pub(crate) fn msm<D: KernelDevice, G: Group>(device: &Kernels<D>, n: usize, shape: Option<DigitShape>) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    for (name, points, scalars) in cases::<G>(n, &mut rng) {
        let expected: ProjectiveOf<G> = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        let shape = shape.unwrap_or_else(|| device.digit_shape::<G::Scalar>(n));
        let bases = device.bases::<G>(&points).unwrap();
        let digits = device.digits(&device.upload::<G::Scalar>(&scalars).unwrap(), shape).unwrap();
        assert_eq!(device.msm(&digits, &bases).unwrap(), expected, "{n} points, {name}, {shape:?}");
    }
}
