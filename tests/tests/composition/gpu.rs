//! The embedded PTX on a GPU; skipped loudly where there is none, unless `REQUIRE_GPU=1`.

use super::checks;
use curvesmith_abi::kernels::ScanAdd;
use curvesmith_abi::{BufferId, ByteRange, Slice};
use curvesmith_curves::toy::{babybear, toy_curve};
#[cfg(feature = "long-tests")]
use curvesmith_curves::{
    bandersnatch, bls12_377, bls24_315, bn462, bw6_761, curve25519, grumpkin, mnt4_753, mnt6_298, pallas,
    secp256r1, vesta,
};
use curvesmith_curves::{bls12_381, bn254, jubjub, mnt4_298, mnt6_753, secp256k1};
use curvesmith_runtime::cuda::Cuda;
use curvesmith_runtime::{Device, Owner};
use std::sync::Arc;

fn gpu() -> Option<(Cuda, Device)> {
    match Cuda::new(0) {
        Ok(gpu) => Some((gpu.clone(), Device::with_kernels(Arc::new(gpu), None))),
        Err(error) if std::env::var_os("REQUIRE_GPU").is_some_and(|v| v == "1") => panic!("{error}"),
        Err(error) => {
            eprintln!("SKIPPED, no GPU: {error}");
            None
        }
    }
}

// What the emulator does, in parts: the driver assembles for minutes, on one thread an image.
#[test]
fn fields() {
    let Some((gpu, device)) = gpu() else { return };
    for n in [0, 1, 300, 100_000] {
        checks::pointwise::<toy_curve::FrField>(&device, n);
        checks::pointwise::<bn254::FrField>(&device, n);
        checks::pointwise::<bls12_381::FqField>(&device, n);
        checks::products_in_place::<bn254::FrField>(&device, n);
    }
    checks::ntts::<babybear::FpField>(gpu.clone(), 0..=20);
    checks::ntts::<bn254::FrField>(gpu.clone(), 0..=16);
    checks::ntts::<bls12_381::FrField>(gpu.clone(), 0..=16);
    checks::sparse_products::<bn254::FrField>(&device, 100_000);
    for (n, windows, key_bits) in
        [(0, 1, 8), (1, 500, 1), (4097, 20, 15), (70_000, 1, 23), (1_000_000, 5, 16)]
    {
        checks::sort(&device, n, windows, key_bits);
    }
}

#[test]
fn sums_of_products() {
    let Some((gpu, device)) = gpu() else { return };
    for n in [1, 2, 33, 300, 5000] {
        checks::msm::<toy_curve::G1>(&device, n, None);
        checks::msm::<bn254::G1>(&device, n, None);
        checks::msm::<bn254::G2>(&device, n, None);
        checks::msm::<bls12_381::G1>(&device, n, None);
        checks::msm::<bls12_381::G2>(&device, n, None);
    }
    checks::msm_in_parts::<bn254::G1>(gpu, 5000, 5);
    // As many as there are; one at least twice.
    let mut devices = Device::cuda_all().unwrap();
    devices.push(device);
    checks::sharded_msm::<bn254::G1>(&devices, 5000);
}

/// MSMs of other groups, a test each: the driver assembles the images of several at a time.
macro_rules! sums_of_products_on {
    ($module:ident: $($name:ident: $group:ty, $sizes:expr;)*) => {
        mod $module {
            use super::*;
            $(#[test]
            fn $name() {
                let Some((_, device)) = gpu() else { return };
                $sizes.into_iter().for_each(|n| checks::msm::<$group>(&device, n, None));
            })*
        }
    };
}

sums_of_products_on! { some:
    mnt4_298_g2: mnt4_298::G2, [33, 3000];
    secp256k1_g1: secp256k1::G1, [33, 3000];
    jubjub_g1: jubjub::G1, [33, 3000];
    mnt6_753_g1: mnt6_753::G1, [300];
    mnt6_753_g2: mnt6_753::G2, [300];
}

#[cfg(feature = "long-tests")]
sums_of_products_on! { others:
    bls12_377_g2: bls12_377::G2, [33, 3000];
    bw6_761_g1: bw6_761::G1, [33, 3000];
    bw6_761_g2: bw6_761::G2, [33, 3000];
    grumpkin_g1: grumpkin::G1, [33, 3000];
    pallas_g1: pallas::G1, [33, 3000];
    vesta_g1: vesta::G1, [33, 3000];
    secp256r1_g1: secp256r1::G1, [33, 3000];
    bandersnatch_g1: bandersnatch::G1, [33, 3000];
    curve25519_g1: curve25519::G1, [33, 3000];
    bls24_315_g1: bls24_315::G1, [33, 3000];
    bls24_315_g2: bls24_315::G2, [33, 3000];
    bn462_g1: bn462::G1, [33, 3000];
    bn462_g2: bn462::G2, [33, 3000];
    mnt6_298_g1: mnt6_298::G1, [33, 3000];
    mnt6_298_g2: mnt6_298::G2, [33, 3000];
    mnt4_753_g1: mnt4_753::G1, [300];
    mnt4_753_g2: mnt4_753::G2, [300];
}

#[test]
fn sums_of_products_with_multiples_and_in_pairs() {
    let Some((gpu, device)) = gpu() else { return };
    for (most, window) in [(2, None), (5, Some(7)), (100, Some(20)), (100, None)] {
        checks::msm_by_multiples::<toy_curve::G1>(&device, 3000, most, window);
        checks::msm_by_multiples::<bn254::G1>(&device, 3000, most, window);
        checks::msm_by_multiples::<bls12_381::G2>(&device, 300, most, window);
        checks::msm_by_multiples::<jubjub::G1>(&device, 300, most, window);
        #[cfg(feature = "long-tests")]
        checks::msm_by_multiples::<bw6_761::G1>(&device, 300, most, window);
    }
    checks::msm_of_integers::<bn254::G1>(&device, 3000);
    checks::msm_of_integers::<toy_curve::G1>(&device, 3000);
    checks::msm_in_pairs::<mnt4_298::G2>(gpu, 3000);
}

/// Slices in several waves, merges on two levels, passes that fill the device.
#[test]
fn sizes_that_fill_a_gpu() {
    let Some((_, device)) = gpu() else { return };
    checks::large_msm::<toy_curve::G1>(&device, 1 << 18);
    checks::large_msm::<bn254::G1>(&device, 1 << 18);
    checks::large_msm::<bn254::G2>(&device, 1 << 18);
    checks::large_msm::<bls12_381::G2>(&device, 1 << 18);
    #[cfg(feature = "long-tests")]
    checks::large_msm::<bw6_761::G1>(&device, 1 << 18);
    checks::large_ntt::<bn254::FrField>(&device, 18);
    checks::large_ntt::<babybear::FpField>(&device, 18);
    checks::large_spmv::<bn254::FrField>(&device, 1 << 18);
}

#[test]
fn values_stay_on_a_gpu() {
    let Some((_, device)) = gpu() else { return };
    super::resident::chain(&device);
    super::resident::refuses_values_of(&device, &Device::cpu());
    super::resident::jobs(&device);
}

/// Set in a process that is to break its device.
const BREAK: &str = "CURVESMITH_TEST_BREAKS_DEVICE";

/// A kernel with addresses that are not aligned takes the device from its process, so the test does that in
/// another one.
#[test]
fn a_fault_loses_the_device_and_can_be_named() {
    let Some((_, device)) = gpu() else { return };
    if std::env::var_os(BREAK).is_some() {
        let faulty = checks::call(&device, |work| {
            let odd = |start| ByteRange { buffer: BufferId(0), start, end: start + 4 };
            let (data, offsets) = (Slice::new(odd(2)), Slice::new(odd(6)));
            let stream = work.stream().expect("a GPU has one");
            stream.launch(&Owner::common(), 1, &ScanAdd { data, offsets, n: 1 })
        });
        let later = checks::call(&device, |work| work.upload::<bn254::FrField>(&[1u64.into()]).map(drop));
        println!("faulty: {:?}\nlater: {:?}", faulty.unwrap_err(), later.unwrap_err());
        return;
    }
    for (synchronous, faulty) in
        [("0", "faulty: DeviceLost"), ("1", "faulty: Launch { symbol: \"common_scan_add\"")]
    {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["a_fault_loses_the_device_and_can_be_named", "--nocapture", "--test-threads=1"])
            .env(BREAK, "1")
            .env("CURVESMITH_SYNC", synchronous)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(faulty) && text.contains("later: DeviceLost"), "{output:?}");
    }
}
