//! `curvesmith devices` and `curvesmith curves`

use crate::curves::{Curve, with_curve};
use crate::failure::Failure;
use crate::output::print;
use clap::ValueEnum;
use curvesmith::snarkjs::{SnarkjsCurve, ZkeyCurve};
use curvesmith::{Device, Field};

/// Every kind of device, and why one cannot be used.
pub(crate) fn devices() -> Result<(), Failure> {
    let mut text = String::new();
    for name in ["cuda", "cpu", "emulator"] {
        let line = match Device::parse(name) {
            Ok(device) if device.name() == name => "usable".to_owned(),
            Ok(device) => format!("usable: {}", device.name()),
            Err(error) => error.to_string(),
        };
        text += &format!("{name:<10}{line}\n");
    }
    let auto = Device::auto();
    text += &format!("{:<10}{}\n", "auto", auto.name());
    print(&text);
    Ok(())
}

/// The built-in curves.
pub(crate) fn curves() -> Result<(), Failure> {
    let lines = Curve::value_variants().iter().map(|curve| with_curve!(*curve, C => line::<C>()));
    print(&lines.collect::<String>());
    Ok(())
}

fn line<C: ZkeyCurve>() -> String {
    use ark_ff::{FftField, PrimeField};
    type Ark<F> = <F as Field>::Ark;
    let snarkjs = SnarkjsCurve::of::<C>().map_or("-", SnarkjsCurve::name);
    format!(
        "{:<12}snarkjs {snarkjs:<10}fq {} bits, fr {} bits, domains up to 2^{}\n",
        C::NAME,
        Ark::<C::Fq>::MODULUS_BIT_SIZE,
        Ark::<C::Fr>::MODULUS_BIT_SIZE,
        Ark::<C::Fr>::TWO_ADICITY,
    )
}
