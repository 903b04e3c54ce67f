//! Transforms by plans: orders, batches and shared tables, on the CPU and on the emulator, against arkworks.

#![cfg(feature = "bn254")]
#![allow(clippy::unwrap_used, reason = "a failed step of a test is a failed test")]

mod banks;
mod batches;
mod orders;
mod tables;

use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
use ark_std::UniformRand;
use ark_std::rand::{SeedableRng, rngs::StdRng};
use curvesmith_runtime::Device;
use curvesmith_runtime::device::KernelDevice;
use curvesmith_runtime::emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::policy::{NttPolicy, Policy};
use curvesmith_runtime::vocabulary::{Direction, Order};
use std::sync::Arc;

const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Inverse];
const ORDERS: [Order; 3] = [Order::Natural, Order::ReversedEvaluations, Order::ReversedCoefficients];

/// The CPU, and emulators with as long and as short passes as there are, with powers of cosets kept and not.
/// With `REQUIRE_GPU=1` a GPU in place of the emulators.
fn devices() -> Vec<Device> {
    if std::env::var_os("REQUIRE_GPU").is_some_and(|v| v == "1") {
        return vec![Device::cpu(), Device::cuda(0).unwrap()];
    }

    let emulator = || -> Arc<dyn KernelDevice> { Arc::new(Emulator::new(EmulatorOptions::default())) };
    let policies = [(24, u32::MAX), (0, 0)].map(|(max_cached_log_n, most)| Policy {
        ntt: NttPolicy { max_cached_log_n, max_log_radix: most, max_log_radix_of_short: most },
        ..Policy::for_device(emulator().properties())
    });
    let emulators = policies.map(|policy| Device::with_kernels(emulator(), Some(policy)));
    [Device::cpu()].into_iter().chain(emulators).collect()
}

fn values<T: UniformRand>(len: usize, seed: u64) -> Vec<T> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..len).map(|_| T::rand(&mut rng)).collect()
}

fn permuted<T: Copy>(x: &[T], reversed: bool) -> Vec<T> {
    let log = x.len().trailing_zeros();
    let index = |i: usize| if reversed && log > 0 { i.reverse_bits() >> (usize::BITS - log) } else { i };
    (0..x.len()).map(|i| x[index(i)]).collect()
}

/// arkworks' transform of a vector that is in an order, to that order.
fn expected<F: Field>(x: &[F::Ark], direction: Direction, shift: F::Ark, order: Order) -> Vec<F::Ark> {
    let coset = Radix2EvaluationDomain::<F::Ark>::new(x.len()).unwrap().get_coset(shift).unwrap();
    let (coefficients, evaluations) =
        (order == Order::ReversedCoefficients, order == Order::ReversedEvaluations);
    match direction {
        Direction::Forward => permuted(&coset.fft(&permuted(x, coefficients)), evaluations),
        Direction::Inverse => permuted(&coset.ifft(&permuted(x, evaluations)), coefficients),
    }
}
