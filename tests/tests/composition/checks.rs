//! What a device must give, whatever runs its kernels.

use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, FftField, Field as _, PrimeField, UniformRand};
use ark_poly::{EvaluationDomain, MixedRadixEvaluationDomain, Radix2EvaluationDomain};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith_abi::Features;
use curvesmith_abi::kernels::NO_DIGIT;
use curvesmith_device::KernelDevice;
use curvesmith_runtime::error::Result;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use curvesmith_runtime::host;
use curvesmith_runtime::kernels::sort_codes;
use curvesmith_runtime::policy::{NttPolicy, Policy};
use curvesmith_runtime::vocabulary::{BinaryOp, DigitShape, Direction, UnaryOp};
use curvesmith_runtime::work::Work;
use curvesmith_runtime::{
    Csr, Detail, Device, DeviceBases, DeviceVec, Kind, Msm, MsmOptions, MsmStrategy, Ntt, NttOptions, Report,
    RuntimeError, ShardedMsm, SpMv, SpMvOptions, SpMvSchedule, SpMvStrategy,
};
use curvesmith_tests::{KnownSum, Size};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Runs one call from its start to its end.
pub(crate) fn call<T>(device: &Device, run: impl FnOnce(&Work) -> Result<T>) -> Result<T> {
    let work = device.work()?;
    let value = run(&work)?;
    work.finish()?;
    Ok(value)
}

/// Zero, one, minus one, then random values.
pub(crate) fn values<T: PrimeField>(n: usize, rng: &mut StdRng) -> Vec<T> {
    let special = [T::ZERO, T::ONE, -T::ONE];
    special.into_iter().chain(std::iter::repeat_with(|| T::rand(rng))).take(n).collect()
}

pub(crate) fn pointwise<F: Field>(device: &Device, n: usize) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    let (a, b): (Vec<F::Ark>, Vec<F::Ark>) = (values(n, &mut rng), values(n, &mut rng));
    let c = F::Ark::rand(&mut rng);
    let work = device.work().unwrap();
    let (x, y) = (work.upload::<F>(&a).unwrap(), work.upload::<F>(&b).unwrap());
    assert_eq!(work.download(&x).unwrap(), a);
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul] {
        let found = work.download(&work.binary(op, &x, &y).unwrap()).unwrap();
        assert_eq!(found, host::binary::<F>(op, &a, &b).unwrap(), "{op:?}");
    }
    for op in [UnaryOp::Neg, UnaryOp::Dbl, UnaryOp::Sqr, UnaryOp::Inverse] {
        let found = work.download(&work.unary(op, &x).unwrap()).unwrap();
        assert_eq!(found, host::unary::<F>(op, &a).unwrap(), "{op:?}");
    }
    let found = work.download(&work.batch_inverse(&x).unwrap()).unwrap();
    assert_eq!(found, host::batch_inverse::<F>(&a).unwrap());
    let found = work.download(&work.mul_const(&x, c).unwrap()).unwrap();
    assert_eq!(found, host::mul_const::<F>(&a, c).unwrap());
    let thirds = [&a[..], &b, &a].concat();
    let found = work.mul_sub_thirds(&work.upload::<F>(&thirds).unwrap()).unwrap();
    assert_eq!(work.download(&found).unwrap(), host::mul_sub_thirds::<F>(&thirds).unwrap());
    work.finish().unwrap();
}

/// Products into a part of the memory that their factors are in; FIR's interpreter takes an allocation as a
/// whole for one.
pub(crate) fn products_in_place<F: Field>(device: &Device, n: usize) {
    let mut on_cpu: Vec<F::Ark> = values(3 * n, &mut StdRng::seed_from_u64(n as u64));
    let work = device.work().unwrap();
    let mut thirds = work.upload::<F>(&on_cpu).unwrap();
    work.mul_thirds(&mut thirds).unwrap();
    host::mul_thirds::<F>(&mut on_cpu).unwrap();
    assert_eq!(work.download(&thirds).unwrap(), on_cpu);
    let uneven = work.mul_thirds(&mut work.upload::<F>(&vec![F::Ark::ONE; 3 * n + 1]).unwrap());
    assert!(matches!(uneven, Err(RuntimeError::Length { .. })));
    work.finish().unwrap();
}

/// Both directions over subgroup and cosets, with both ways of multiplying by powers of the shift, by passes
/// as long and as short as there are.
pub(crate) fn ntts<F: Field>(device: impl KernelDevice, sizes: impl IntoIterator<Item = u32>) {
    let devices = transforming(device);
    for log_n in sizes {
        devices.iter().for_each(|device| ntt::<F>(device, 1 << log_n));
    }
}

/// As [`ntts`], for sizes with an odd factor.
pub(crate) fn mixed_ntts<F: Field>(device: impl KernelDevice, sizes: impl IntoIterator<Item = usize>) {
    let devices = transforming(device);
    for n in sizes {
        assert!(!n.is_power_of_two(), "{n}");
        devices.iter().for_each(|device| ntt::<F>(device, n));
    }
}

fn transforming(device: impl KernelDevice) -> [Device; 2] {
    let device: Arc<dyn KernelDevice> = Arc::new(device);
    let policies = [(24, u32::MAX), (0, 0)].map(|(max_cached_log_n, most)| Policy {
        ntt: NttPolicy { max_cached_log_n, max_log_radix: most, max_log_radix_of_short: most },
        ..Policy::for_device(device.properties())
    });
    policies.map(|policy| Device::with_kernels(Arc::clone(&device), Some(policy)))
}

fn ntt<F: Field>(device: &Device, n: usize) {
    let mut rng = StdRng::seed_from_u64(n.trailing_zeros().into());
    let root = F::Ark::get_root_of_unity(n as u64).unwrap();
    // The kernels hold the powers of one root of an order: every other is reached by renaming.
    let exponents = [1, if n <= 128 { 3 } else { n as u64 - 3 }, 5, 7, n as u64 - 1];
    let exponents =
        exponents.into_iter().filter(|e| gcd(*e, n as u64) == 1).take(if n <= 128 { 5 } else { 2 });
    for omega in exponents.map(|e| root.pow([e])) {
        let work = device.work().unwrap();
        let tables = work.ntt_tables::<F>(n, omega).unwrap();
        let cpu = host::ntt_tables::<F>(n, omega).unwrap();
        for shift in [F::Ark::ONE, F::Ark::GENERATOR, F::Ark::GENERATOR.square()] {
            for direction in [Direction::Forward, Direction::Inverse, Direction::Inverse] {
                // Vectors that lie one after the other.
                let count = if shift == F::Ark::GENERATOR { 3 } else { 1 };
                let mut a = values::<F::Ark>(count * n, &mut rng);
                let mut x = work.upload::<F>(&a).unwrap();
                work.ntt(&tables, &mut x, direction, shift).unwrap();
                host::ntt::<F>(&*cpu, &mut a, direction, shift).unwrap();
                assert_eq!(work.download(&x).unwrap(), a, "{n} {direction:?} {shift}");
            }
        }
        work.finish().unwrap();
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Empty rows, short rows and one of `long` entries, zeros, ones and minus ones among them, by every
/// strategy.
pub(crate) fn sparse_products<F: Field>(device: &Device, long: usize) {
    let mut rng = StdRng::seed_from_u64(9);
    let one = F::Ark::ONE;
    for (rows, width) in [(0, 0), (1, 1), (9, 5), (41, 12)] {
        let mut csr = Csr { row_offsets: vec![0], columns: vec![], values: vec![], width };
        for row in 0..rows {
            let entries = if row == 3 { long } else { rng.gen_range(0..4) };
            for _ in 0..entries {
                csr.columns.push(rng.gen_range(0..width));
                let random = F::Ark::rand(&mut rng);
                csr.values.push([random, one, -one, F::Ark::ZERO][rng.gen_range(0..4)]);
            }
            csr.row_offsets.push(csr.columns.len() as u32);
        }
        let x = values::<F::Ark>(width as usize, &mut rng);
        for strategy in [SpMvStrategy::Scalar, SpMvStrategy::Vector, SpMvStrategy::Balanced] {
            let work = device.work().unwrap();
            let matrix = work.matrix_by::<F>(&csr, strategy).unwrap();
            let vector = work.upload::<F>(&x).unwrap();
            for out_len in [rows, rows + 7] {
                let found = work.download(&work.spmv(&matrix, &vector, out_len).unwrap()).unwrap();
                assert_eq!(found, host::spmv::<F>(&csr, &x, out_len).unwrap(), "{strategy:?}");
            }
            work.finish().unwrap();
            let filled = csr.row_offsets.windows(2).filter(|row| row[0] < row[1]).count();
            if let Some(SpMvSchedule { threads, warps, cut, .. }) = matrix.schedule() {
                assert!(threads + warps + cut <= filled);
                assert!(strategy != SpMvStrategy::Scalar || warps + cut == 0);
                assert!(strategy != SpMvStrategy::Vector || threads + cut == 0);
            }
        }
    }
}

/// Sorts the codes of `windows` windows of `n` digits each, a quarter of them 0.
pub(crate) fn sort(device: &Device, n: u32, windows: u32, key_bits: u32) {
    let mut rng = StdRng::seed_from_u64(u64::from(n));
    let mask = u32::MAX >> (32 - key_bits);
    let codes: Vec<u32> = (0..windows)
        .flat_map(|w| (0..n).map(move |_| w))
        .map(|w| match rng.gen_range(0..4) {
            0 => NO_DIGIT,
            _ => w << key_bits | rng.r#gen::<u32>() & (mask | 1 << 31),
        })
        .collect();
    let pairs = codes.iter().zip((0..n).cycle()).filter(|(code, _)| **code != NO_DIGIT);
    let mut expected: Vec<(u32, u32)> =
        pairs.map(|(code, i)| (code & (u32::MAX >> 1), i | code >> 31 << 31)).collect();
    expected.sort_by_key(|pair| pair.0);
    let sorted = call(device, |work| {
        let stream = work.stream().expect("a device of kernels has one");
        sort_codes(stream, &codes, windows, key_bits)
    });
    let (keys, entries) = sorted.unwrap();
    assert!(keys.is_sorted(), "{windows} windows of {n} keys of {key_bits} bits");
    let mut found: Vec<(u32, u32)> = keys.into_iter().zip(entries).collect();
    // A sort by counting is not stable.
    if device.properties().is_some_and(|device| !device.limits.features.has(Features::PROGRESS)) {
        [&mut found, &mut expected].into_iter().for_each(|pairs| pairs.sort_unstable());
    }
    assert!(found == expected, "{windows} windows of {n} keys of {key_bits} bits");
}

/// Points and scalars of one hard case.
type Case<G> = (&'static str, Vec<AffineOf<G>>, Vec<ScalarOf<G>>);

/// All of them; in a short run a third of them for groups whose scalars have more than two words, other ones
/// for each `n`.
fn cases<G: Group>(n: usize, rng: &mut StdRng) -> Vec<Case<G>> {
    let g = ProjectiveOf::<G>::generator();
    let random: Vec<AffineOf<G>> = (0..n).map(|_| (g * ScalarOf::<G>::rand(rng)).into_affine()).collect();
    let scalars = values::<ScalarOf<G>>(n, rng);
    let identities = vec![AffineOf::<G>::zero(); n];
    let (one, zero, minus_one) = (ScalarOf::<G>::ONE, ScalarOf::<G>::ZERO, -ScalarOf::<G>::ONE);
    let alternating = |even, odd| (0..n).map(|i| if i % 2 == 0 { even } else { odd }).collect();
    let any = ScalarOf::<G>::rand(rng);
    let repeated = (0..n).map(|i| random[i % 3]).collect();
    let opposite = (0..n).map(|i| if i % 2 == 0 { random[i] } else { -random[i - 1] }).collect();
    let all = vec![
        ("random", random.clone(), scalars.clone()),
        ("equal scalars", random.clone(), vec![scalars[n - 1]; n]),
        ("r - 1", random.clone(), vec![-ScalarOf::<G>::ONE; n]),
        ("zero scalars", random.clone(), vec![ScalarOf::<G>::ZERO; n]),
        ("equal points", vec![random[0]; n], vec![ScalarOf::<G>::ONE; n]),
        ("opposite points", opposite, vec![ScalarOf::<G>::from(3u64); n]),
        // Three of them are a known failure of another library.
        ("equal points and scalars", vec![random[0]; n], vec![any; n]),
        ("repeated points", repeated, scalars.clone()),
        ("1 and r - 1", random.clone(), alternating(one, minus_one)),
        ("0 and r - 1", random.clone(), alternating(zero, minus_one)),
        ("identities", identities, scalars),
    ];
    let step = if <G::Scalar as Field>::WORDS > 2 { Size::from_env().pick(3, 1) } else { 1 };
    all.into_iter().skip(n % step).step_by(step).collect()
}

pub(crate) fn msm<G: Group>(device: &Device, n: usize, shape: Option<DigitShape>) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    for (name, points, scalars) in cases::<G>(n, &mut rng) {
        let expected: ProjectiveOf<G> = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        let found = call(device, |work| {
            let shape = shape.unwrap_or_else(|| work.digit_shape::<G::Scalar>(n));
            let bases = work.bases::<G>(points.into())?;
            let digits = work.digits(&work.upload::<G::Scalar>(&scalars)?, shape)?;
            work.msm(&digits, &bases)
        });
        assert_eq!(found.unwrap(), expected, "{n} points, {name}, {shape:?}");
    }
}

/// MSMs by integers of every length, against the same ones as elements of the field; of bases without and
/// with multiples.
pub(crate) fn msm_of_integers<G: Group>(device: &Device, n: usize) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    let g = ProjectiveOf::<G>::generator();
    let points: Vec<AffineOf<G>> =
        (0..n).map(|_| (g * ScalarOf::<G>::rand(&mut rng)).into_affine()).collect();
    // The largest of every length first.
    let wide: Vec<u64> = (0..n).map(|i| if i < 2 { u64::MAX } else { rng.r#gen() }).collect();
    for options in
        [MsmOptions::default(), MsmOptions::default().window(3), MsmOptions::default().multiples(4)]
    {
        let plan = Msm::<G>::new(device, &points, options.clone()).unwrap();
        let check = |found: Result<ProjectiveOf<G>>, bits: u32| {
            let integer = |x: u64| ScalarOf::<G>::from(x & (u64::MAX >> (64 - bits)));
            let expected: ProjectiveOf<G> = points.iter().zip(&wide).map(|(p, x)| *p * integer(*x)).sum();
            assert_eq!(found.unwrap(), expected, "{n} points, {bits} bits, {options:?}");
        };
        check(plan.msm_u1(&wide.iter().map(|x| x & 1 == 1).collect::<Vec<_>>()), 1);
        check(plan.msm_u8(&wide.iter().map(|x| *x as u8).collect::<Vec<_>>()), 8);
        check(plan.msm_u16(&wide.iter().map(|x| *x as u16).collect::<Vec<_>>()), 16);
        check(plan.msm_u32(&wide.iter().map(|x| *x as u32).collect::<Vec<_>>()), 32);
        check(plan.msm_u64(&wide), 64);
        let scalars: Vec<ScalarOf<G>> = values(n, &mut rng);
        for scalars in [scalars, vec![ScalarOf::<G>::ZERO; n]] {
            let integers: Vec<_> = scalars.iter().map(|s| s.into_bigint()).collect();
            assert_eq!(plan.msm_bigint(&integers).unwrap(), plan.run(&scalars).unwrap());
        }
        let mut large = vec![ScalarOf::<G>::ONE.into_bigint(); n];
        large[n - 1] = ScalarOf::<G>::MODULUS;
        let error = plan.msm_bigint(&large).unwrap_err();
        assert!(error.to_string().contains(&format!("number {} is not below", n - 1)), "{error}");
        let short = plan.msm_u1(&vec![true; n - 1]);
        assert!(matches!(short, Err(RuntimeError::Length { .. })));
    }
}

/// A large MSM, whose sum is known without one.
pub(crate) fn large_msm<G: Group>(device: &Device, n: usize) {
    let known = KnownSum::<G>::new(n);
    let plan = Msm::<G>::new(device, &known.points, MsmOptions::default()).unwrap();
    assert_eq!(plan.run(&known.scalars).unwrap(), known.sum, "{n} points of {}", G::NAME);
}

/// MSMs over scalars of the host in so many parts, whose copies wait for no kernel.
pub(crate) fn msm_in_parts<G: Group>(device: impl KernelDevice, n: usize, parts: usize) {
    let mut policy = Policy::for_device(device.properties());
    policy.msm.parts = Some(curvesmith_tests::even_parts(parts as u32));
    let device = Device::with_kernels(Arc::new(device), Some(policy));
    for (name, points, scalars) in cases::<G>(n, &mut StdRng::seed_from_u64(n as u64)) {
        let expected: ProjectiveOf<G> = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        let plan = Msm::<G>::new(&device, &points, MsmOptions::default()).unwrap();
        let (found, report) = plan.run_with_report(&scalars, Detail::Kernels).unwrap();
        assert_eq!(found, expected, "{n} points, {name}");
        let streams = |kind, what: &str| -> BTreeSet<u32> {
            let of = report.spans.iter().filter(|span| span.kind == kind && span.name.contains(what));
            of.map(|span| span.stream).collect()
        };
        let (copies, sums) = (streams(Kind::Copy, "upload"), streams(Kind::Kernel, "accumulate"));
        assert_eq!((copies.len(), sums.len()), (parts, 1), "{n} points, {name}");
        assert!(copies.is_disjoint(&sums), "copies go on beside kernels");
    }
}

/// MSMs whose bases are shared out among devices, with and without multiples.
pub(crate) fn sharded_msm<G: Group>(devices: &[Device], n: usize) {
    for (name, points, scalars) in cases::<G>(n, &mut StdRng::seed_from_u64(n as u64)) {
        let expected: ProjectiveOf<G> = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        for options in [MsmOptions::default(), MsmOptions::default().multiples(3)] {
            let plan = ShardedMsm::<G>::new(devices, &points, options).unwrap();
            let (sum, reports) = plan.run_with_reports(&scalars, Detail::Counts).unwrap();
            assert_eq!(sum, expected, "{n} points, {name}");
            let works = |(report, (_, range)): (&Report, (&Device, Range<usize>))| {
                (report.launches > 0) != range.is_empty()
            };
            assert!(reports.iter().zip(plan.shards()).all(works), "{n} points, {name}");
        }
    }
}

/// MSMs by bases with at most `most` multiples each, in windows of `window` bits or what the device likes; by
/// the host's scalars and by resident ones.
pub(crate) fn msm_by_multiples<G: Group>(device: &Device, n: usize, most: u32, window: Option<u32>) {
    let mut options = MsmOptions::default().multiples(most);
    if let Some(window) = window {
        options = options.window(window);
    }
    for (name, points, scalars) in cases::<G>(n, &mut StdRng::seed_from_u64(n as u64)) {
        let expected: ProjectiveOf<G> = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        let plan = Msm::<G>::new(device, &points, options.clone()).unwrap();
        let multiples = plan.bases().multiples();
        let shape = window.map(|c| DigitShape::with_multiples(ScalarOf::<G>::MODULUS_BIT_SIZE, c, most));
        assert!(
            shape.map_or(multiples <= most, |shape| multiples == shape.multiples),
            "{multiples} of {most}"
        );
        assert_eq!(plan.len(), n);
        assert_eq!(plan.run(&scalars).unwrap(), expected, "{n} points, {name}, {most} multiples");
        let scalars = DeviceVec::upload(device, &scalars).unwrap();
        assert_eq!(plan.run_resident(&scalars).unwrap(), expected, "{n} points, {name}, {most} multiples");
    }
}

/// Digits, bases and options that do not go together.
pub(crate) fn refuses_other_multiples<G: Group>(device: &Device) {
    let points = vec![AffineOf::<G>::generator(); 5];
    let bits = ScalarOf::<G>::MODULUS_BIT_SIZE;
    let shape = |window, most| DigitShape::with_multiples(bits, window, most);
    call(device, |work| {
        let scalars = work.upload::<G::Scalar>(&[ScalarOf::<G>::ONE; 5])?;
        let plain = work.bases::<G>(points.clone().into())?;
        let bases = work.multiples(&plain, shape(3, 2))?;
        let refused = |shape: DigitShape, bases: &DeviceBases<G>| {
            let digits = work.digits(&scalars, shape).unwrap();
            let error = work.msm(&digits, bases).unwrap_err();
            assert!(matches!(error, RuntimeError::Input { what: "bases", .. }), "{error}");
        };
        refused(shape(3, 1), &bases);
        refused(shape(3, 3), &bases);
        refused(shape(4, 2), &bases);
        refused(shape(3, 2), &plain);
        // What is a multiple already has none.
        let error = work.multiples(&bases, shape(3, 2)).unwrap_err();
        assert!(matches!(error, RuntimeError::Input { what: "bases", .. }), "{error}");
        let digits = work.digits(&scalars, shape(3, 2))?;
        let sum = AffineOf::<G>::generator() * ScalarOf::<G>::from(5u64);
        assert_eq!((work.msm(&digits, &bases)?, bases.len()), (sum, 5));
        Ok(())
    })
    .unwrap();
    let bases = Arc::new(DeviceBases::<G>::upload_with_multiples(device, &points, 4).unwrap());
    assert!(bases.multiples() > 1);
    assert_eq!(bases.bytes() % (5 * u64::from(bases.multiples())), 0);
    let options = MsmOptions::default();
    for wrong in [options.clone().window(3), options.clone().multiples(2)] {
        let error = Msm::with_bases(bases.clone(), wrong).unwrap_err();
        assert!(matches!(error, RuntimeError::Input { what: "options", .. }), "{error}");
    }
    let plain = Arc::new(DeviceBases::<G>::upload(device, &points).unwrap());
    let error = Msm::with_bases(plain, options.clone().multiples(2)).unwrap_err();
    assert!(matches!(error, RuntimeError::Input { what: "options", .. }), "{error}");
    for (window, multiples) in [(18, 1), (25, 4), (1, 4)] {
        let error =
            Msm::<G>::new(device, &points, options.clone().window(window).multiples(multiples)).unwrap_err();
        assert!(matches!(error, RuntimeError::Input { what: "window", .. }), "{error}");
    }
}

/// MSMs with as many rounds of sums of affine pairs as there can be; in windows of 3 bits, so that there are
/// several.
pub(crate) fn msm_in_pairs<G: Group>(device: impl KernelDevice, n: usize) {
    assert!(n > 8, "fewer are not summed in pairs");
    let device = Device::with_kernels(Arc::new(device), None);
    let options = MsmOptions::default().window(3).strategy(MsmStrategy::BatchedAffine);
    for (name, points, scalars) in cases::<G>(n, &mut StdRng::seed_from_u64(n as u64)) {
        let expected: ProjectiveOf<G> = points.iter().zip(&scalars).map(|(p, s)| *p * s).sum();
        let plan = Msm::<G>::new(&device, &points, options.clone()).unwrap();
        let (found, report) = plan.run_with_report(&scalars, Detail::Kernels).unwrap();
        assert_eq!(found, expected, "{n} points, {name}");
        let rounds = report.spans.iter().filter(|span| span.name.contains("pair_sums")).count();
        // Of so many windows of 4 buckets, where 2·4 entries are too few for one more.
        let windows = 1000;
        let halve = |entries: &usize| Some((entries + 4 * windows) / 2);
        let entries = std::iter::successors(Some(n * windows), halve);
        assert_eq!(rounds, entries.take_while(|entries| *entries > 8 * windows).count(), "{n} points");
    }
}

/// A large transform by a plan, there and back, over a coset.
pub(crate) fn large_ntt<F: Field>(device: &Device, log_n: u32) {
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let coefficients = values::<F::Ark>(1 << log_n, &mut rng);
    let domain = Radix2EvaluationDomain::<F::Ark>::new(coefficients.len()).unwrap();
    let coset = domain.get_coset(F::Ark::GENERATOR).unwrap();
    let plan = Ntt::<F>::new(device, log_n, NttOptions::default().shift(F::Ark::GENERATOR)).unwrap();
    let evaluations = plan.forward(&coefficients).unwrap();
    assert_eq!(evaluations, coset.fft(&coefficients), "2^{log_n} of {}", F::NAME);
    assert_eq!(plan.inverse(&evaluations).unwrap(), coefficients, "2^{log_n} of {}", F::NAME);
}

/// The plan of exactly `n` elements, whatever their factors, on a coset: arkworks' transforms.
pub(crate) fn ntt_of_size<F: Field>(device: &Device, n: usize) {
    let mut rng = StdRng::seed_from_u64(n as u64);
    let coefficients = values::<F::Ark>(n, &mut rng);
    let domain = MixedRadixEvaluationDomain::<F::Ark>::new(n).unwrap();
    assert_eq!(domain.size(), n);
    let coset = domain.get_coset(F::Ark::GENERATOR).unwrap();
    let plan = Ntt::<F>::of_size(device, n, NttOptions::default().shift(F::Ark::GENERATOR)).unwrap();
    let evaluations = plan.forward(&coefficients).unwrap();
    assert_eq!(evaluations, coset.fft(&coefficients), "{n} of {}", F::NAME);
    assert_eq!(plan.inverse(&evaluations).unwrap(), coefficients, "{n} of {}", F::NAME);
}

/// A large sparse product by a plan: three entries a row, and one long row.
pub(crate) fn large_spmv<F: Field>(device: &Device, rows: u32) {
    let mut rng = StdRng::seed_from_u64(u64::from(rows));
    let mut csr = Csr { row_offsets: vec![0], columns: vec![], values: vec![], width: rows };
    for row in 0..rows {
        let entries = if row == rows / 2 { 20_000 } else { 3 };
        for _ in 0..entries {
            csr.columns.push(rng.gen_range(0..rows));
            csr.values.push(F::Ark::rand(&mut rng));
        }
        csr.row_offsets.push(csr.columns.len() as u32);
    }
    let x = values::<F::Ark>(rows as usize, &mut rng);
    let expected = host::spmv::<F>(&csr, &x, rows as usize).unwrap();
    for strategy in [SpMvStrategy::Scalar, SpMvStrategy::Vector, SpMvStrategy::Balanced] {
        let plan = SpMv::<F>::new(device, &csr, SpMvOptions::default().strategy(strategy)).unwrap();
        assert_eq!(plan.run(&x).unwrap(), expected, "{strategy:?}");
    }
}
