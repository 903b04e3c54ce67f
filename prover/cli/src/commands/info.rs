//! `curvesmith devices` and `curvesmith curves`

use crate::curves::{Curve, with_curve, with_module};
use crate::failure::Failure;
use crate::output::print;
use clap::ValueEnum;
use curvesmith::snarkjs::SnarkjsCurve;
use curvesmith::{Device, Field};

/// Every kind of device, and why one cannot be used.
pub(crate) fn devices() -> Result<(), Failure> {
    let mut text = String::new();
    for name in ["cuda", "cpu", "emulator"] {
        let line = match Device::parse(name) {
            Ok(device) if device.name() == name => match device.tier() {
                Some(tier) => format!("usable, {tier}"),
                None => "usable".to_owned(),
            },
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
    let lines = Curve::value_variants().iter().map(|curve| {
        let pairing = with_curve!(*curve, C => Ok(SnarkjsCurve::of::<C>()));
        let kind = match pairing {
            Ok(snarkjs) => format!("pairing, snarkjs {}", snarkjs.map_or("-", SnarkjsCurve::name)),
            Err(_) => "no pairing".into(),
        };
        with_module!(*curve, m => line::<m::FqField, m::FrField>(curve.name(), &kind))
    });
    print(&lines.collect::<String>());
    Ok(())
}

fn line<Fq: Field, Fr: Field>(name: &str, kind: &str) -> String {
    use ark_ff::{FftField, PrimeField};
    format!(
        "{name:<14}{kind:<28}fq {} bits, fr {} bits, domains up to 2^{}\n",
        Fq::Ark::MODULUS_BIT_SIZE,
        Fr::Ark::MODULUS_BIT_SIZE,
        Fr::Ark::TWO_ADICITY,
    )
}
