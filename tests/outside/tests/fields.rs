//! Fields declared outside of the workspace, through `Pointwise` and `Ntt`, against big integers.

mod integers;

use curvesmith::{Device, DeviceVec, EmulatorOptions, bls12_381};
use integers::{least_nonresidue, ntt, pointwise, power_of_two};
use num_bigint::BigUint;
use outside::fields::{bn462_fr, koalabear, p521_fq, sm2_fq, vesta_fq};

fn check(device: &Device) {
    let p = power_of_two(31) - power_of_two(24) + 1u32;
    pointwise::<koalabear::FpField>(device, &p);
    ntt::<koalabear::FpField>(device, &p, 3, &[0, 1, 8]);

    let p = power_of_two(256) - power_of_two(224) - power_of_two(96) + power_of_two(64) - 1u32;
    pointwise::<sm2_fq::FpField>(device, &p);
    // p = 3 mod 4, so -1 is no square.
    let minus_one = |p: &BigUint| assert_eq!(p % 4u32, BigUint::from(3u32));
    minus_one(&p);
    ntt::<sm2_fq::FpField>(device, &p, least_nonresidue(&p), &[0, 1]);

    let t = power_of_two(114) + power_of_two(101) - power_of_two(14) - 1u32;
    let [t1, t2, t3, t4] = [1, 2, 3, 4].map(|e| t.pow(e));
    let p = &t4 * 36u32 + &t3 * 36u32 + &t2 * 18u32 + &t1 * 6u32 + 1u32;
    pointwise::<bn462_fr::FpField>(device, &p);
    ntt::<bn462_fr::FpField>(device, &p, least_nonresidue(&p), &[0, 1, 2]);

    let p = power_of_two(521) - 1u32;
    minus_one(&p);
    pointwise::<p521_fq::FpField>(device, &p);
    ntt::<p521_fq::FpField>(device, &p, least_nonresidue(&p), &[0, 1]);

    let p = BigUint::parse_bytes(b"28948022309329048855892746252171976963363056481941647379679742748393362948097", 10).unwrap();
    assert_eq!(&p % power_of_two(32), 1u32.into());
    pointwise::<vesta_fq::FpField>(device, &p);
    ntt::<vesta_fq::FpField>(device, &p, 5, &[0, 1, 6]);
}

/// The type of the elements says which declaration they are of.
#[test]
fn an_upload_finds_its_field() {
    let elements: Vec<koalabear::Fp> = (0..5u64).map(koalabear::Fp::from).collect();
    let there = DeviceVec::upload(&Device::cpu(), &elements).unwrap();
    assert_eq!(there.download().unwrap(), elements);
    let elements = [bls12_381::Fr::from(3u64), bls12_381::Fr::from(4u64)];
    let there = DeviceVec::upload(&Device::cpu(), &elements).unwrap();
    assert_eq!(there.download().unwrap(), elements);
}

#[test]
fn on_the_cpu() {
    check(&Device::cpu());
}

#[test]
fn on_the_emulator() {
    check(&Device::emulator(EmulatorOptions::default()).unwrap());
}
