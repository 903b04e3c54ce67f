//! Many threads on one device: results, failures and memory stay with the call they belong to.

#![allow(clippy::unwrap_used, missing_docs, reason = "a failing test panics")]

use ark_ec::AffineRepr;
use ark_ff::{FftField, Field as _};
use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use curvesmith::{Groth16, KeyOptions, ProveError, Witness};
use curvesmith_abi::kernels::{Accumulate, BitSums, MergePartials};
use curvesmith_abi::{
    Bundle, Flavour, Form, Geometry, Image, Kernel, KernelDesc, KernelEntry, Needs, ParamKind,
};
use curvesmith_codegen::{Emitted, pack};
use curvesmith_curves::bn254;
use curvesmith_curves::toy::{toy_curve, toy7681};
use curvesmith_device::{RuntimeError, Source};
use curvesmith_emulator::{DeviceCall, Emulator, EmulatorOptions, InjectedFault};
use curvesmith_runtime::error::Result;
use curvesmith_runtime::field::Field;
use curvesmith_runtime::group::{AffineOf, Group};
use curvesmith_runtime::vocabulary::{BinaryOp, Direction};
use curvesmith_runtime::{
    Csr, Device, DeviceVec, Msm, MsmOptions, Ntt, NttOptions, Pointwise, SpMv, SpMvOptions,
};
use curvesmith_tests::{KnownSum, Size};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const THREADS: usize = 8;

/// A call of a plan, which panics if its result is wrong.
type Call = Box<dyn Fn() -> Result<()> + Send + Sync>;

/// Work is done by the thread that submits it, side by side with others.
fn eager() -> EmulatorOptions {
    EmulatorOptions::default().threads(1)
}

/// Streams are queues; what no event orders is run in any order.
fn lazy(seed: u64) -> EmulatorOptions {
    eager().seed(seed)
}

fn expect<T: PartialEq>(name: &str, found: Result<T>, expected: &T) -> Result<()> {
    assert!(found? == *expected, "{name}: the result is wrong");
    Ok(())
}

fn msm<G: Group>(device: &Device, n: usize) -> Result<Call> {
    let known = KnownSum::<G>::new(n);
    let plan = Msm::<G>::new(device, &known.points, MsmOptions::default())?;
    Ok(Box::new(move || expect(G::NAME, plan.run(&known.scalars), &known.sum)))
}

/// Over a coset, whose factors the plan makes at its first call and keeps.
fn ntt<F: Field>(device: &Device, log_n: u32) -> Result<Call> {
    let shift = F::Ark::GENERATOR;
    let values: Vec<F::Ark> = (1..=1u64 << log_n).map(F::Ark::from).collect();
    let domain = Radix2EvaluationDomain::<F::Ark>::new(values.len()).unwrap();
    let expected = domain.get_coset(shift).unwrap().fft(&values);
    let plan = Ntt::<F>::new(device, log_n, NttOptions::default().shift(shift))?;
    Ok(Box::new(move || {
        expect(F::NAME, plan.forward(&values), &expected)?;
        expect(F::NAME, plan.inverse(&expected), &values)
    }))
}

fn powers<F: Field>(n: usize) -> Vec<F::Ark> {
    std::iter::successors(Some(F::Ark::GENERATOR), |x| Some(*x * F::Ark::GENERATOR)).take(n).collect()
}

/// Row `i` is `x[i] + x[i + 1]`, cyclically, times a factor.
fn neighbours<F: Field>(factors: &[F::Ark]) -> Csr<F::Ark> {
    let n = factors.len();
    Csr {
        row_offsets: (0..=n as u32).map(|row| 2 * row).collect(),
        columns: (0..n).flat_map(|i| [i as u32, ((i + 1) % n) as u32]).collect(),
        values: factors.iter().flat_map(|c| [*c, *c]).collect(),
        width: n as u32,
    }
}

/// The product of [`neighbours`] with `x`.
fn product<F: Field>(factors: &[F::Ark], x: &[F::Ark]) -> Vec<F::Ark> {
    let n = x.len();
    (0..n).map(|i| (x[i] + x[(i + 1) % n]) * factors[i]).collect()
}

fn spmv<F: Field>(device: &Device, n: usize) -> Result<Call> {
    let x = powers::<F>(n);
    let matrix = neighbours::<F>(&x);
    let plan = SpMv::<F>::new(device, &matrix, SpMvOptions::default())?;
    Ok(Box::new(move || expect("spmv", plan.run(&x), &product::<F>(&x, &x))))
}

fn inversion<F: Field>(device: &Device, n: usize) -> Result<Call> {
    let x = powers::<F>(n);
    let expected: Vec<F::Ark> = x.iter().map(|x| x.inverse().unwrap()).collect();
    let plan = Pointwise::<F>::new(device)?;
    Ok(Box::new(move || expect("inversion", plan.batch_inverse(&x), &expected)))
}

/// Vectors that stay on the device between plans, some of them for all callers.
fn resident<F: Field>(device: &Device, log_n: u32) -> Result<Call> {
    let x = powers::<F>(1 << log_n);
    let matrix = neighbours::<F>(&x);
    let expected: Vec<F::Ark> = product::<F>(&x, &x).iter().zip(&x).map(|(a, b)| *a * b).collect();
    let spmv = SpMv::<F>::new(device, &matrix, SpMvOptions::default())?;
    let ntt = Ntt::<F>::new(device, log_n, NttOptions::default())?;
    let pointwise = Pointwise::<F>::new(device)?;
    let shared = DeviceVec::<F>::upload(device, &x)?;
    Ok(Box::new(move || {
        let mut vector = DeviceVec::<F>::upload(shared.device(), &x)?;
        ntt.run_resident(&mut vector, Direction::Forward)?;
        ntt.run_resident(&mut vector, Direction::Inverse)?;
        let vector = spmv.run_resident(&vector)?;
        let vector = pointwise.binary_resident(BinaryOp::Mul, &vector, &shared)?;
        expect("resident", vector.download(), &expected)
    }))
}

/// Three streams: two forks whose results the call needs.
fn forked<F: Field>(device: &Device, n: usize) -> Result<Call> {
    let x = powers::<F>(n);
    let expected: Vec<F::Ark> = x.iter().map(|x| x.square() * x + x.square()).collect();
    let device = device.clone();
    Ok(Box::new(move || {
        let work = device.work()?;
        let a = work.upload::<F>(&x)?;
        let square = work.binary(BinaryOp::Mul, &a, &a)?;
        let (left, right) = (work.fork()?, work.fork()?);
        let cube = left.binary(BinaryOp::Mul, &square, &a)?;
        let same = right.mul_const(&square, F::Ark::ONE)?;
        work.join(left)?;
        work.join(right)?;
        let sum = work.binary(BinaryOp::Add, &cube, &same)?;
        let found = work.download(&sum);
        work.finish()?;
        expect("forked", found, &expected)
    }))
}

fn toy_calls(device: &Device) -> Result<Vec<Call>> {
    Ok(vec![
        msm::<toy_curve::G1>(device, 70)?,
        ntt::<toy7681::FpField>(device, 6)?,
        spmv::<toy_curve::FrField>(device, 40)?,
        inversion::<toy_curve::FqField>(device, 300)?,
        resident::<toy_curve::FrField>(device, 5)?,
        forked::<toy7681::FpField>(device, 200)?,
    ])
}

/// A proof with given randomness, whose bytes are those of the CPU's.
fn proof(device: &Device) -> Call {
    let fixture = |file: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/bn128_mult").join(file);
    let prover = |device: &Device| {
        Groth16::<bn254::Curve>::from_zkey(device, &fixture("circuit.zkey"), &KeyOptions::default()).unwrap()
    };
    let witness = Witness::from_wtns(&fixture("witness.wtns")).unwrap();
    let [r, s] = [5u64, 7].map(bn254::Fr::from);
    let expected = prover(&Device::cpu()).prove_with_fixed_randomness_insecure(&witness, r, s).unwrap();
    let prover = prover(device);
    Box::new(move || match prover.prove_with_fixed_randomness_insecure(&witness, r, s) {
        Ok(found) => expect("proof", Ok(found), &expected),
        Err(ProveError::Device(error)) => Err(error),
        Err(error) => panic!("{error}"),
    })
}

fn all_calls(device: &Device) -> Vec<Call> {
    let mut calls = toy_calls(device).unwrap();
    calls.push(msm::<bn254::G1>(device, 12).unwrap());
    calls.push(ntt::<bn254::FrField>(device, 6).unwrap());
    calls.push(proof(device));
    calls
}

/// Every thread makes every call `rounds` times, each from another one on. The number of calls, and their
/// errors.
fn storm(calls: &[Call], rounds: usize) -> (usize, Vec<RuntimeError>) {
    let count = rounds * calls.len();
    let call = |i: usize| calls[i % calls.len()]().err();
    let errors = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS)
            .map(|first| scope.spawn(move || (first..first + count).filter_map(call).collect::<Vec<_>>()))
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    (THREADS * count, errors)
}

/// Everything has been dropped.
fn assert_empty(emulator: &Emulator) {
    assert_eq!((emulator.memory_in_use(), emulator.allocations()), (0, 0));
}

#[test]
fn mixed_calls_are_right() {
    for options in [eager(), lazy(1), EmulatorOptions::default()] {
        let emulator = Emulator::new(options);
        let device = Device::on_emulator(emulator.clone(), None);
        let calls = all_calls(&device);
        let (_, errors) = storm(&calls, Size::from_env().pick(1, 20));
        assert!(errors.is_empty(), "{errors:?}");
        drop((calls, device));
        assert_empty(&emulator);
    }
}

/// Memory that passes from one stream to another without an order between them would be a race.
#[test]
fn mixed_calls_have_no_race() {
    for seed in 1..=Size::from_env().pick(1, 20) {
        let emulator = Emulator::new(lazy(seed).racecheck(true));
        let device = Device::on_emulator(emulator.clone(), None);
        let calls = toy_calls(&device).unwrap();
        let (_, errors) = storm(&calls, 1);
        assert!(errors.is_empty(), "{errors:?}");
        drop((calls, device));
        assert_empty(&emulator);
    }
}

/// The failure that was asked for, or what follows from it: a fork may read what its parent failed to write,
/// and the host what a fork did.
fn assert_on_purpose(error: &RuntimeError) {
    let error = error.to_string();
    let possible = ["failed on purpose", "is uninitialised", "is not canonical"];
    assert!(possible.iter().any(|reason| error.contains(reason)), "{error}");
}

#[test]
fn a_failure_is_seen_by_its_call_alone() {
    let mut seen = 0;
    for options in [eager(), lazy(2)] {
        for call in DeviceCall::ALL {
            let emulator = Emulator::new(options.clone());
            let device = Device::on_emulator(emulator.clone(), None);
            let calls = toy_calls(&device).unwrap();
            for passes in [0, 3, 30, 90] {
                emulator.fail_after(passes, Some(call), InjectedFault::Failure);
                let (_, errors) = storm(&calls, 1);
                let happened = usize::from(!emulator.fault_pending());
                emulator.fail_never();
                // An allocation is tried again after unused memory has been given back.
                let expected = if call == DeviceCall::Alloc { 0 } else { happened };
                assert_eq!(errors.len(), expected, "{call:?} after {passes}: {errors:?}");
                errors.iter().for_each(assert_on_purpose);
                seen += errors.len();
            }
            let (_, errors) = storm(&calls, 1);
            assert!(errors.is_empty(), "after {call:?} failed: {errors:?}");
            drop((calls, device));
            assert_empty(&emulator);
        }
    }
    assert!(seen >= 30, "only {seen} calls failed");
}

#[test]
fn every_failing_launch_fails_its_proof() {
    for options in [eager(), lazy(9)] {
        let emulator = Emulator::new(options);
        let device = Device::on_emulator(emulator.clone(), None);
        let prove = proof(&device);
        let fail_at = |launch| {
            emulator.fail_after(launch, Some(DeviceCall::Launch), InjectedFault::Failure);
            prove()
        };
        // One launch after the other, whichever of the five streams it is for.
        let mut launch = 0;
        while let Err(error) = fail_at(launch) {
            assert_on_purpose(&error);
            launch += Size::from_env().pick(18, 1);
        }
        assert!(launch > 20, "a proof takes more than {launch} launches");
        emulator.fail_never();
        prove().unwrap();
    }
}

#[test]
fn a_lost_device_is_lost_for_all() {
    for options in [eager(), lazy(3)] {
        let emulator = Emulator::new(options);
        let device = Device::on_emulator(emulator.clone(), None);
        let calls = toy_calls(&device).unwrap();
        emulator.fail_after(300, None, InjectedFault::DeviceLost);
        let (count, errors) = storm(&calls, 3);
        assert!(!errors.is_empty() && errors.len() < count, "{} of {count}", errors.len());
        let lost = |error: &RuntimeError| matches!(error, RuntimeError::DeviceLost { .. });
        assert!(errors.iter().all(lost), "{errors:?}");
        for call in &calls {
            let error = call().unwrap_err();
            assert!(lost(&error), "{error}");
        }
        assert!(lost(&toy_calls(&device).err().unwrap()));
    }
}

/// Kernels in place of which a group has one that stores where no memory is: at the begin, in the middle and
/// at the end of an MSM.
const POISONED: [fn(&Geometry) -> KernelDesc; 3] = [Accumulate::desc, MergePartials::desc, BitSums::desc];

/// The toy curve with kernel `K` of [`POISONED`].
#[derive(Clone, Copy, Debug)]
struct Poisoned<const K: usize>;

impl<const K: usize> Group for Poisoned<K> {
    type Projective = <toy_curve::G1 as Group>::Projective;
    type Base = <toy_curve::G1 as Group>::Base;
    type Scalar = <toy_curve::G1 as Group>::Scalar;
    const NAME: &'static str = <toy_curve::G1 as Group>::NAME;
    const DEGREE: usize = <toy_curve::G1 as Group>::DEGREE;
    fn images() -> &'static [u8] {
        static IMAGES: [OnceLock<&'static [u8]>; 3] = [const { OnceLock::new() }; 3];
        IMAGES[K].get_or_init(|| {
            let sound = Source::unpack(Bundle::select(toy_curve::G1::images(), &Flavour::PTX).unwrap());
            let sound = sound.iter().map(|s| Emitted { image: s.image().clone(), text: s.text().unwrap() });
            let images = pack(sound.chain([poison(&POISONED[K](&Geometry::PTX))]).collect()).unwrap();
            Box::leak(images.encode().into_boxed_slice())
        })
    }
}

/// An image with a kernel under the contract `desc` that faults.
fn poison(desc: &KernelDesc) -> Emitted {
    let params = desc.params.iter().map(|param| match param.kind {
        ParamKind::Buffer(..) | ParamKind::U64 => format!(".param .u64 {}", param.name),
        ParamKind::U32 => format!(".param .u32 {}", param.name),
    });
    let text = format!(
        ".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry poison({})\n\
         {{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 64;\nst.global.u32 [%rd1], 7;\nret;\n}}\n",
        params.collect::<Vec<_>>().join(", ")
    );
    let image = Image {
        name: "poison".into(),
        declaration: String::new(),
        emitter: "by hand".into(),
        flavour: Flavour::PTX,
        kernels: vec![KernelEntry {
            symbol: "poison".into(),
            name: desc.name.into(),
            signature: desc.signature(Form::Xyzz),
            needs: Needs::default(),
        }],
    };
    Emitted { image, text }
}

fn poisoned<const K: usize>(device: &Device) -> Call {
    let points = [AffineOf::<toy_curve::G1>::generator(); 4];
    let plan = Msm::<Poisoned<K>>::new(device, &points, MsmOptions::default()).unwrap();
    Box::new(move || plan.run(&[toy_curve::Fr::from(3u64); 4]).map(drop))
}

#[test]
fn neighbours_of_failing_calls_do_not_notice() {
    let rounds = Size::from_env().pick(60, 6000);
    for options in [eager(), lazy(4)] {
        let emulator = Emulator::new(options);
        let device = Device::on_emulator(emulator.clone(), None);
        let bad = [poisoned::<0>(&device), poisoned::<1>(&device), poisoned::<2>(&device)];
        let good = toy_calls(&device).unwrap();
        let failing = AtomicUsize::new(THREADS);
        let made = std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (bad, failing) = (&bad, &failing);
                scope.spawn(move || {
                    for i in 0..rounds {
                        let error = bad[(thread + i) % bad.len()]().expect_err("a kernel faults");
                        let of_kernel =
                            matches!(&error, RuntimeError::Launch { symbol, .. } if symbol == "poison");
                        assert!(of_kernel, "{error}");
                    }
                    failing.fetch_sub(1, Ordering::Relaxed);
                });
            }
            let neighbours: Vec<_> = (0..3)
                .map(|_| {
                    scope.spawn(|| {
                        let mut made = 0;
                        while failing.load(Ordering::Relaxed) > 0 {
                            good.iter().for_each(|call| call().unwrap());
                            made += good.len();
                        }
                        made
                    })
                })
                .collect();
            neighbours.into_iter().map(|thread| thread.join().unwrap()).sum::<usize>()
        });
        assert!(made >= 30, "{made} good calls beside {}", THREADS * rounds);
        drop((bad, good, device));
        assert_empty(&emulator);
    }
}

#[test]
fn little_memory_is_an_error_or_enough() {
    let toy: fn(&Device) -> Vec<Call> = |device| toy_calls(device).unwrap();
    for (name, make) in [("toy", toy), ("all", all_calls)] {
        // What the plans keep, and what one call at a time takes beside it.
        let probe = Emulator::new(eager());
        let device = Device::on_emulator(probe.clone(), None);
        let calls = make(&device);
        let mut most = 0;
        for call in &calls {
            call().unwrap();
            device.release_unused();
        }
        let resident = probe.memory_in_use();
        for call in &calls {
            call().unwrap();
            most = most.max(probe.memory_in_use() - resident);
            device.release_unused();
        }

        // Not enough for the largest call, enough for one, and for some at once.
        let shares = [(110, true), (50, false), (250, true)];
        let tried = if name == "toy" { 3 } else { Size::from_env().pick(1, 3) };
        for (percent, alone) in shares.into_iter().take(tried) {
            let emulator = Emulator::new(eager().memory(resident + most * percent / 100));
            let device = Device::on_emulator(emulator.clone(), None);
            let calls = make(&device);
            let (count, errors) = storm(&calls, 2);
            let out_of_memory = |error: &RuntimeError| {
                matches!(error, RuntimeError::OutOfMemory { .. } | RuntimeError::InsufficientMemory { .. })
            };
            assert!(errors.iter().all(out_of_memory), "{name}: {errors:?}");
            assert!(errors.len() < count, "{name} with {percent} %: no call was right");
            assert!(percent > 110 || !errors.is_empty(), "{name} with {percent} %: no call failed");
            eprintln!("{name} with {percent} %: {} of {count} calls failed", errors.len());
            // Nobody holds anything any more.
            let again = calls.iter().filter(|call| call().is_err()).count();
            assert_eq!(again == 0, alone, "{name} with {percent} %: {again} calls failed by themselves");
            drop((calls, device));
            assert_empty(&emulator);
        }
    }
}

/// An operand of an earlier call is dropped while work that uses it waits: nobody else gets its memory
/// before.
#[test]
fn operands_dropped_early_stay_until_their_work_is_done() {
    type F = toy_curve::FrField;
    for (seed, race) in (1..20).flat_map(|seed| [(seed, false), (seed, true)]) {
        let options = EmulatorOptions::default().threads(1).seed(seed).racecheck(race);
        let device = Device::on_emulator(Emulator::new(options), None);
        let a: Vec<_> = (1..=40u64).map(toy_curve::Fr::from).collect();
        let b: Vec<_> = (7..=46u64).map(toy_curve::Fr::from).collect();
        let x = DeviceVec::<F>::upload(&device, &a).unwrap();
        let (work, other) = (device.work().unwrap(), device.work().unwrap());
        let sum = work.binary(BinaryOp::Add, &x, &x).unwrap();
        drop(x);
        let y = other.upload::<F>(&b).unwrap();
        assert_eq!(other.download(&y).unwrap(), b, "seed {seed}");
        let doubles: Vec<_> = a.iter().map(|x| *x + x).collect();
        assert_eq!(work.download(&sum).unwrap(), doubles, "seed {seed}");
    }
}
