//! Fields of every shape through the macro, on the CPU and the emulator, against big integers.
//!
//! The crate outside of the workspace declares more, and has the arithmetic.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../outside/tests/integers/mod.rs"]
mod integers;

use curvesmith::{Device, EmulatorOptions, Field, field};
use integers::{least_nonresidue, ntt, pointwise, power_of_two};
use num_bigint::BigUint;

field! {
    /// The least field.
    pub mod three {
        p = 3;
    }
}

field! {
    /// `2^64 - 59`: one word of arkworks, no spare bit.
    pub mod full_64 {
        p = 0xffffffffffffffc5;
    }
}

field! {
    /// `2^127 - 1`: every bit but the spare one.
    pub mod m127 {
        p = 0x7fffffffffffffffffffffffffffffff;
    }
}

field! {
    /// `2^768 - 825`: 24 words, no spare bit.
    pub mod full_768 {
        p = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffcc7;
    }
}

field! {
    /// `2^992 + 2431`: 32 words, 31 of whose bits are spare.
    pub mod above_992 {
        p = 0x10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000097f;
    }
}

field! {
    /// `2^1023 + 85·2^902 + 1`: two-adicity 902.
    pub mod two_adic_1024 {
        p = 0x8000000000000000000000000000154000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001;
    }
}

field! {
    /// `2^1024 - 105`: the longest.
    pub mod full_1024 {
        p = 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff97;
    }
}

fn check<F: Field>(p: &BigUint, sizes: &[u32]) {
    let generator = least_nonresidue(p);
    for device in [Device::cpu(), Device::emulator(EmulatorOptions::default()).unwrap()] {
        pointwise::<F>(&device, p);
        ntt::<F>(&device, p, generator, sizes);
    }
}

#[test]
fn of_few_bits() {
    check::<three::FpField>(&3u32.into(), &[0, 1]);
    check::<full_64::FpField>(&(power_of_two(64) - 59u32), &[0, 1, 2]);
    check::<m127::FpField>(&(power_of_two(127) - 1u32), &[0, 1]);
}

#[test]
fn of_24_words() {
    check::<full_768::FpField>(&(power_of_two(768) - 825u32), &[0, 1]);
}

#[test]
fn of_32_words() {
    check::<above_992::FpField>(&(power_of_two(992) + 2431u32), &[0, 1]);
    check::<two_adic_1024::FpField>(&(power_of_two(1023) + power_of_two(902) * 85u32 + 1u32), &[0, 1, 5]);
    check::<full_1024::FpField>(&(power_of_two(1024) - 105u32), &[0, 1]);
}
