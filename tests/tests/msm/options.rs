//! Strategies, and multiples that the device has memory for.

use super::{Terms, device, emulator, launches, sum};
use curvesmith_curves::{bls12_381, bn254, jubjub, mnt4_298};
use curvesmith_device::KernelDevice;
use curvesmith_runtime::group::Group;
use curvesmith_runtime::policy::Policy;
use curvesmith_runtime::{Device, DeviceBases, Msm, MsmOptions, MsmStrategy, RuntimeError, StreamedMsm};
use std::sync::Arc;

fn refused<G: Group>(device: &Device, strategy: MsmStrategy) {
    let options = MsmOptions::default().strategy(strategy);
    let points = Terms::<G>::new(2, 1).points;
    let bases = Arc::new(DeviceBases::<G>::upload(device, &points).unwrap());
    let errors = [
        Msm::<G>::new(device, &points, options.clone()).unwrap_err(),
        Msm::<G>::with_bases(bases, options.clone()).unwrap_err(),
        StreamedMsm::<G>::new(device, points, options).unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, RuntimeError::Input { what: "strategy", .. }), "{error}");
    }
}

#[test]
fn strategies_that_a_group_has_not() {
    for device in [device(), Device::cpu()] {
        refused::<bn254::G1>(&device, MsmStrategy::BatchedAffine);
        refused::<bls12_381::G1>(&device, MsmStrategy::BatchedAffine);
        refused::<jubjub::G1>(&device, MsmStrategy::BatchedAffine);
        refused::<bn254::G2>(&device, MsmStrategy::RowBalanced);
    }
}

#[test]
fn strategies_are_followed() {
    type G = mnt4_298::G2;
    let emulator = emulator();
    let mut policy = Policy::for_device(emulator.properties());
    // By itself it would take pairs.
    (policy.msm.pairs_per_thread, policy.msm.affine_bytes) = (0, u64::MAX);
    let eager = Device::on_emulator(emulator.clone(), Some(policy));
    let Terms { points, scalars } = Terms::<G>::new(40, 2);
    let expected = sum::<G>(&points, &scalars);
    let pairs = |device: &Device, options: MsmOptions| {
        let plan = Msm::<G>::new(device, &points, options.window(3)).unwrap();
        emulator.clear_launches();
        assert_eq!(plan.run(&scalars).unwrap(), expected);
        launches(&emulator, "pair_sums")
    };
    let by = |strategy| MsmOptions::default().strategy(strategy);
    assert!(pairs(&eager, MsmOptions::default()) > 0);
    assert_eq!(pairs(&eager, by(MsmStrategy::EqualSlices)), 0);
    let default = Device::on_emulator(emulator.clone(), None);
    assert_eq!(pairs(&default, MsmOptions::default()), 0);
    assert!(pairs(&default, by(MsmStrategy::BatchedAffine)) > 0);
    let cpu = Msm::<G>::new(&Device::cpu(), &points, by(MsmStrategy::BatchedAffine)).unwrap();
    assert_eq!(cpu.run(&scalars).unwrap(), expected);
}

#[test]
fn as_many_multiples_as_fit() {
    let terms = Terms::<bn254::G1>::new(20, 3);
    let bytes = DeviceBases::<bn254::G1>::upload(&device(), &terms.points).unwrap().bytes();
    let fit = MsmOptions::default().multiples_that_fit();
    for (room, most) in [(0, 1), (2 * bytes - 1, 1), (5 * bytes, 5), (64 << 20, 254)] {
        let emulator = emulator();
        let mut policy = Policy::for_device(emulator.properties());
        policy.msm.multiples_bytes = room;
        let device = Device::on_emulator(emulator, Some(policy));
        let plan = Msm::<bn254::G1>::new(&device, &terms.points, fit.clone()).unwrap();
        let found = plan.bases().multiples();
        assert!(found <= most && (found > 1) == (most > 1), "{found} multiples in {room} bytes");
        assert!(plan.bases().bytes() <= room.max(bytes));
        assert_eq!(plan.run(&terms.scalars).unwrap(), terms.sum());
        // As many as there are windows, at most; where none fit, windows are as wide as without.
        let wide = Msm::<bn254::G1>::new(&device, &terms.points, fit.clone().window(18));
        match wide {
            Ok(plan) => {
                assert_eq!(plan.bases().multiples(), 15.min(most));
                assert!(most > 1);
            }
            Err(error) => {
                assert!(matches!(error, RuntimeError::Input { what: "window", .. }), "{error}");
                assert_eq!(most, 1);
            }
        }
    }
    let cpu = Msm::<bn254::G1>::new(&Device::cpu(), &terms.points, fit.clone()).unwrap();
    assert_eq!((cpu.bases().multiples(), cpu.run(&terms.scalars).unwrap()), (1, terms.sum()));
    let plain = Arc::new(DeviceBases::<bn254::G1>::upload(&device(), &terms.points).unwrap());
    let error = Msm::with_bases(plain, fit).unwrap_err();
    assert!(matches!(error, RuntimeError::Input { what: "options", .. }), "{error}");
}
