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
    for name in ["cuda", "wgpu", "cpu", "emulator"] {
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
    text += &adapters();
    let auto = Device::auto();
    text += &format!("{:<10}{}\n", "auto", auto.name());
    print(&text);
    Ok(())
}

/// A line for each adapter of wgpu, with its limits, or why it cannot be used.
#[cfg(feature = "wgpu")]
fn adapters() -> String {
    let lines = curvesmith::wgpu::adapters().into_iter().map(|adapter| {
        let mib = |bytes: u64| bytes >> 20;
        let facts = adapter.unusable.clone().unwrap_or_else(|| {
            format!(
                "{} threads a block, {} bytes of shared memory, {} buffers, {} MiB a binding",
                adapter.limits.threads,
                adapter.limits.shared,
                adapter.limits.buffers,
                mib(adapter.binding_bytes)
            )
        });
        let name = format!("wgpu:{}", adapter.ordinal);
        format!("{name:<10}{} ({:?}, {}): {facts}\n", adapter.name, adapter.kind, adapter.backend)
    });
    lines.collect()
}

#[cfg(not(feature = "wgpu"))]
fn adapters() -> String {
    String::new()
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
