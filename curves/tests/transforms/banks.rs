//! Exchanges in shared memory.

use super::{ORDERS, values};
use curvesmith_curves::bn254;
use curvesmith_curves::toy::{babybear, toy7681};
use curvesmith_runtime::emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::policy::{NttPolicy, Policy};
use curvesmith_runtime::vocabulary::Direction;
use curvesmith_runtime::{Device, Ntt, NttOptions};
use std::sync::Arc;

/// No lane waits for another in a pass of 4 stages and more, whatever the size, the order and the other
/// passes are.
fn no_conflicts<F: Field>(sizes: impl IntoIterator<Item = u32>) {
    let emulator = Emulator::new(EmulatorOptions::default());
    let mut slow = vec![];
    for (log_n, most) in sizes.into_iter().flat_map(|log_n| (4..=10).map(move |most| (log_n, most))) {
        let mut policy = Policy::for_device(curvesmith_runtime::device::KernelDevice::properties(&emulator));
        policy.ntt = NttPolicy { max_log_radix: most, max_log_radix_of_short: most, ..policy.ntt };
        let device = Device::with_kernels(Arc::new(emulator.clone()), Some(policy));
        for order in ORDERS {
            let plan = Ntt::<F>::new(&device, log_n, NttOptions::default().order(order)).unwrap();
            emulator.clear_launches();
            plan.run(&values(1 << log_n, 1), Direction::Forward).unwrap();
            let launches =
                emulator.launches().into_iter().filter(|launch| launch.symbol.ends_with("ntt_pass"));
            let launches: Vec<_> = launches.collect();
            assert!(!launches.is_empty());
            for launch in launches.iter().filter(|launch| launch.counts.bank_conflicts() > 0) {
                slow.push(format!("2^{log_n} in {order:?}, passes of up to {most} stages: {launch}"));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn the_exchange_is_free_of_conflicts() {
    no_conflicts::<toy7681::FpField>([8, 9]);
    no_conflicts::<babybear::FpField>([8, 10, 12]);
    no_conflicts::<bn254::FrField>([8, 9, 10, 11]);
}
