//! Twiddles that plans share.

use super::values;
use curvesmith_curves::bn254;
use curvesmith_curves::toy::toy7681;
use curvesmith_runtime::device::KernelDevice as _;
use curvesmith_runtime::emulator::{Emulator, EmulatorOptions};
use curvesmith_runtime::field::Field;
use curvesmith_runtime::policy::Policy;
use curvesmith_runtime::vocabulary::Order;
use curvesmith_runtime::{Device, Ntt, NttOptions};

fn plan<F: Field>(device: &Device, log_n: u32, options: NttOptions<F::Ark>) -> Ntt<F> {
    let plan = Ntt::<F>::new(device, log_n, options).unwrap();
    device.release_unused();
    plan
}

/// Launches that make tables.
fn made(emulator: &Emulator) -> usize {
    let launches = emulator.launches();
    emulator.clear_launches();
    launches.iter().filter(|launch| !launch.symbol.ends_with("ntt_pass")).count()
}

#[test]
fn plans_of_a_device_share_their_tables() {
    type F = bn254::FrField;
    let emulator = Emulator::new(EmulatorOptions::default());
    let device = Device::on_emulator(emulator.clone(), None);
    let held = || emulator.allocations();
    assert_eq!(held(), 0);
    let x = values::<bn254::Fr>(512, 1);

    let first = plan::<F>(&device, 9, NttOptions::default());
    // Powers between steps, twiddles of the second pass, and 1/n.
    assert_eq!((held(), made(&emulator)), (3, 2));
    // The same size and root in any order and over any coset, by a clone of the device: nothing new.
    let expected = first.forward(&x).unwrap();
    let second = plan::<F>(&device.clone(), 9, NttOptions::default().order(Order::ReversedEvaluations));
    assert_eq!((held(), made(&emulator)), (3, 0));
    assert_eq!(second.forward(&x).unwrap(), super::permuted(&expected, true));
    // Another size has 1/n, what its passes multiply by between steps, and twiddles that no other has.
    let longer = plan::<F>(&device, 10, NttOptions::default());
    assert_eq!((held(), made(&emulator)), (5, 1));
    drop(first);
    device.release_unused();
    assert_eq!(held(), 5, "the second has them still");
    assert_eq!(second.inverse(&super::permuted(&expected, true)).unwrap(), x);
    emulator.clear_launches();
    drop(second);
    device.release_unused();
    assert_eq!(held(), 3, "the powers between steps are those of the longer, too");
    drop(longer);
    device.release_unused();
    assert_eq!(held(), 0);
    // And made again.
    let again = plan::<F>(&device, 9, NttOptions::default());
    assert_eq!((held(), made(&emulator)), (3, 2));
    assert_eq!(again.forward(&x).unwrap(), expected);
}

/// Other fields, roots and devices have tables of their own.
#[test]
fn others_do_not_share_them() {
    use ark_ff::{FftField, Field as _};
    let emulator = Emulator::new(EmulatorOptions::default());
    // Passes of eight stages, so that there are two.
    let mut policy = Policy::for_device(emulator.properties());
    policy.ntt.max_log_radix_of_short = 8;
    let on = || Device::on_emulator(emulator.clone(), Some(policy.clone()));
    let device = on();
    let root = toy7681::Fp::get_root_of_unity(512).unwrap().pow([3u64]);
    let x = values::<toy7681::Fp>(512, 2);
    let own = plan::<toy7681::FpField>(&device, 9, NttOptions::default());
    let first = emulator.allocations();
    let other = plan::<toy7681::FpField>(&device, 9, NttOptions::default().omega(root));
    // The kernels' own root, by whose powers they multiply between steps, is one for all.
    assert_eq!((first, emulator.allocations()), (3, 5));
    assert_ne!(own.forward(&x).unwrap(), other.forward(&x).unwrap());
    let _bn254 = plan::<bn254::FrField>(&device, 9, NttOptions::default());
    device.release_unused();
    assert_eq!(emulator.allocations(), 8);
    let elsewhere = on();
    let _there = plan::<toy7681::FpField>(&elsewhere, 9, NttOptions::default());
    elsewhere.release_unused();
    assert_eq!(emulator.allocations(), 11);
}

/// Plans that are made at once by several threads.
#[test]
fn made_at_once() {
    type F = toy7681::FpField;
    let emulator = Emulator::new(EmulatorOptions::default());
    let device = Device::on_emulator(emulator.clone(), None);
    let x = values::<toy7681::Fp>(256, 3);
    let expected = Ntt::<F>::new(&Device::cpu(), 8, NttOptions::default()).unwrap().forward(&x).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let plan = Ntt::<F>::new(&device, 8, NttOptions::default()).unwrap();
                assert_eq!(plan.forward(&x).unwrap(), expected);
            });
        }
    });
    device.release_unused();
    assert_eq!(emulator.allocations(), 0);
}
