//! What `bench` measures, with inputs whose results are known otherwise.

use super::{Algorithm, Arguments, Circuit, GroupName, Measure, Run};
use crate::curves::{with_curve, with_module, with_second_group};
use crate::failure::Failure;
use crate::output::show;
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{AdditiveGroup, FftField as _, UniformRand, Zero};
use ark_groth16::r1cs_to_qap::LibsnarkReduction;
use ark_relations::gr1cs::{ConstraintSynthesizer, SynthesisError};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith::{
    Csr, Detail, Device, DeviceVec, Direction, Field, Groth16, Group, KeyOptions, Msm, MsmOptions, Ntt,
    NttOptions, PairingCurve, Report, RuntimeError, SpMv, SpMvOptions, constraints_of, domain_size,
    witness_of,
};
use curvesmith_sample::{Chain, Sha256};
use std::path::Path;
use std::time::Instant;

/// Refuses sizes that the curve's scalar field does not have, before anything is done.
pub(super) fn check_size(arguments: &Arguments) -> Result<(), Failure> {
    let log_n = *arguments.log_n.logarithms().end();
    if arguments.algorithm == Algorithm::Groth16 {
        // A curve that has no proofs has no size of one.
        with_curve!(arguments.curve, C => Ok::<_, Failure>(<C as PairingCurve>::NAME))?;
    }
    with_module!(arguments.curve, m => {
        type Scalar = <m::FrField as Field>::Ark;
        let has = match (arguments.algorithm, arguments.circuit) {
            (Algorithm::Ntt, _) => log_n <= Scalar::TWO_ADICITY,
            // The domain may have another size than a power of two.
            (Algorithm::Groth16, Circuit::Chain) => domain_size::<Scalar>(1 << log_n).is_some(),
            _ => true,
        };
        if has {
            return Ok(());
        }
        let (curve, most) = (arguments.curve.name(), Scalar::TWO_ADICITY);
        let text = format!("--log-n is {log_n}, expected at most {most} on {curve}, whose scalar field has no larger domain");
        Err(Failure::Input(text))
    })
}

/// A plan that could not be made, or what its options are not for: a fault of the arguments, or of
/// the device.
fn of_plan(error: RuntimeError) -> Failure {
    match error {
        RuntimeError::TooLarge { .. } | RuntimeError::Input { .. } => Failure::Input(error.to_string()),
        error => error.into(),
    }
}

/// Makes inputs of size `2^log_n` and what computes on them. What takes long is said to `note`.
pub(super) fn prepare<'a>(
    arguments: &Arguments,
    device: &'a Device,
    log_n: u32,
    note: &dyn Fn(&str),
) -> Result<Measure<'a>, Failure> {
    let resident = arguments.resident;
    let mut options = MsmOptions::default().multiples(arguments.multiples.unwrap_or(1));
    if let Some(bits) = arguments.window {
        options = options.window(bits);
    }
    let key = KeyOptions::default().multiples(arguments.multiples != Some(1));
    let curve = arguments.curve;
    match (arguments.algorithm, arguments.group) {
        (Algorithm::Msm, GroupName::G1) => {
            with_module!(curve, m => msm::<m::G1>(device, log_n, resident, options))
        }
        (Algorithm::Msm, GroupName::G2) => {
            with_second_group!(curve, G2 => msm::<G2>(device, log_n, resident, options))
        }
        (Algorithm::Ntt, _) => with_module!(curve, m => ntt::<m::FrField>(device, log_n, resident)),
        (Algorithm::Spmv, _) => with_module!(curve, m => spmv::<m::FrField>(device, log_n, resident)),
        (Algorithm::Groth16, _) => match arguments.circuit {
            Circuit::Chain => {
                with_curve!(curve, C => groth16::<C>(device, Chain::filling(log_n.max(2)), &key, note))
            }
            Circuit::Sha256 => {
                let message = (0..1u32 << log_n.saturating_sub(3)).map(|i| i.to_le_bytes()[0]).collect();
                with_curve!(curve, C => groth16::<C>(device, Sha256 { message }, &key, note))
            }
        },
    }
}

/// One run, whose result must be `expected`; comparing is not measured.
fn check<T: PartialEq>(
    expected: &T,
    work: impl FnOnce() -> Result<(T, Report), Failure>,
) -> Result<Run, Failure> {
    let start = Instant::now();
    let (found, report) = work()?;
    let wall = start.elapsed();
    if found != *expected {
        return Err(Failure::Internal("the result is wrong".into()));
    }
    Ok(Run { wall, report })
}

fn msm<G: Group>(
    device: &Device,
    log_n: u32,
    resident: bool,
    options: MsmOptions,
) -> Result<Measure<'_>, Failure> {
    type Projective<G> = <G as Group>::Projective;
    type Ark<G> = <<G as Group>::Scalar as Field>::Ark;
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let n = 1u64 << log_n;
    // Base i is (first + i·step)·G, so that the sum is known without an MSM.
    let (first, step) = (Ark::<G>::rand(&mut rng), Ark::<G>::rand(&mut rng));
    let generator = Projective::<G>::generator();
    let increment = (generator * step).into_affine();
    let mut point = generator * first;
    let mut points = Vec::with_capacity(n as usize);
    for _ in 0..n {
        points.push(point);
        point += increment;
    }
    let bases = Projective::<G>::normalize_batch(&points);
    let scalars: Vec<Ark<G>> = (0..n).map(|_| Ark::<G>::rand(&mut rng)).collect();
    let (mut sum, mut logarithm) = (Ark::<G>::zero(), first);
    for scalar in &scalars {
        sum += *scalar * logarithm;
        logarithm += step;
    }
    let expected = generator * sum;
    let plan = Msm::<G>::new(device, &bases, options).map_err(of_plan)?;
    if resident {
        let scalars = DeviceVec::upload(device, &scalars)?;
        return Ok(Box::new(move |detail| {
            check(&expected, || Ok(plan.run_resident_with_report(&scalars, detail)?))
        }));
    }
    Ok(Box::new(move |detail| check(&expected, || Ok(plan.run_with_report(&scalars, detail)?))))
}

fn ntt<F: Field>(device: &Device, log_n: u32, resident: bool) -> Result<Measure<'_>, Failure> {
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let values: Vec<F::Ark> = (0..1u64 << log_n).map(|_| F::Ark::rand(&mut rng)).collect();
    let plan = Ntt::<F>::new(device, log_n, NttOptions::default()).map_err(of_plan)?;
    let evaluations = plan.forward(&values)?;
    if plan.inverse(&evaluations)? != values || evaluations[0] != values.iter().sum::<F::Ark>() {
        return Err(Failure::Internal("the result is wrong".into()));
    }
    let forward = Direction::Forward;
    if resident {
        let mut vector = DeviceVec::<F>::upload(device, &values)?;
        // In place: each run transforms the last one's result. That is as right as the runs above.
        return Ok(Box::new(move |detail| {
            check(&(), || Ok(((), plan.run_resident_with_report(&mut vector, forward, detail)?)))
        }));
    }
    let mut out = vec![F::Ark::ZERO; values.len()];
    Ok(Box::new(move |detail| {
        let run = check(&(), || Ok(((), plan.run_into_with_report(&values, &mut out, forward, detail)?)))?;
        if out == evaluations { Ok(run) } else { Err(Failure::Internal("the result is wrong".into())) }
    }))
}

fn spmv<F: Field>(device: &Device, log_n: u32, resident: bool) -> Result<Measure<'_>, Failure> {
    let mut rng = StdRng::seed_from_u64(u64::from(log_n));
    let n = 1u32 << log_n;
    let columns: Vec<u32> = (0..3 * n).map(|_| rng.gen_range(0..n)).collect();
    let values: Vec<F::Ark> = (0..3 * n).map(|_| F::Ark::rand(&mut rng)).collect();
    let x: Vec<F::Ark> = (0..n).map(|_| F::Ark::rand(&mut rng)).collect();
    let row = |row: usize| {
        let entries = 3 * row..3 * row + 3;
        entries.fold(F::Ark::ZERO, |sum, i| sum + values[i] * x[columns[i] as usize])
    };
    let expected: Vec<F::Ark> = (0..n as usize).map(row).collect();
    let row_offsets = (0..=n).map(|row| 3 * row).collect();
    let matrix = Csr { row_offsets, columns: columns.clone(), values: values.clone(), width: n };
    let plan = SpMv::<F>::new(device, &matrix, SpMvOptions::default()).map_err(of_plan)?;
    if resident {
        let x = DeviceVec::<F>::upload(device, &x)?;
        if plan.run_resident(&x)?.download()? != expected {
            return Err(Failure::Internal("the result is wrong".into()));
        }
        return Ok(Box::new(move |detail| {
            check(&(), || Ok(((), plan.run_resident_with_report(&x, detail)?.1)))
        }));
    }
    let mut out = vec![F::Ark::ZERO; expected.len()];
    Ok(Box::new(move |detail| {
        let run = check(&(), || Ok(((), plan.run_into_with_report(&x, &mut out, detail)?)))?;
        if out == expected { Ok(run) } else { Err(Failure::Internal("the result is wrong".into())) }
    }))
}

fn groth16<'a, C: PairingCurve>(
    device: &'a Device,
    circuit: impl ConstraintSynthesizer<<C::Fr as Field>::Ark> + Clone,
    options: &KeyOptions,
    note: &dyn Fn(&str),
) -> Result<Measure<'a>, Failure> {
    type Ark<C> = ark_groth16::Groth16<<C as PairingCurve>::Engine, LibsnarkReduction>;
    let mut rng = StdRng::seed_from_u64(1);
    let internal = |error: &dyn std::fmt::Display| Failure::Internal(error.to_string());
    note("making a key on the host, which takes some minutes for 2^22 constraints");
    let start = Instant::now();
    let key = Ark::<C>::generate_random_parameters_with_reduction(circuit.clone(), &mut rng);
    let key = key.map_err(|error| match error {
        SynthesisError::PolynomialDegreeTooLarge => {
            Failure::Input(format!("--log-n: the scalar field of {} has no domain for the circuit", C::NAME))
        }
        error => internal(&error),
    })?;
    note(&format!("made in {}; making it ready on {}", show(start.elapsed()), device.name()));
    let r1cs = constraints_of(circuit.clone()).map_err(|error| internal(&error))?;
    let witness = witness_of::<C>(circuit).map_err(|error| internal(&error))?;
    let prover = Groth16::<C>::from_ark(device, &key, r1cs, options)
        .map_err(|error| Failure::of_key(error, Path::new("key")))?;
    // Proofs are random: that they verify is the self-check's doing.
    Ok(Box::new(move |detail: Detail| {
        check(&(), || match prover.prove_with_stats(&witness, &mut rng, detail) {
            Ok((_, stats)) => Ok(((), stats.report)),
            Err(error) => Err(Failure::of_proof(error, Path::new("circuit"))),
        })
    }))
}
