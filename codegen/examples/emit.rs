//! Writes the PTX of one kernel of a curve to the standard output, without the workspace around it:
//! `cargo run --example emit -- bn254 accumulate > kernel.ptx`. With a third word `fir`, the
//! prepared kernel and its bounds instead.

use curvesmith_codegen::fir::print::print;
use curvesmith_codegen::kernels::{field_kernels, formula_kernels, group_kernels};
use curvesmith_codegen::passes::{annotate, prepare};
use curvesmith_codegen::spec::{FieldDesc, GroupDesc};
use num_bigint::BigUint;

/// Name, modulus in hex, and the words of `b`.
const CURVES: &[(&str, &str, u32)] = &[
    ("bn254", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47", 3),
    (
        "bls12_381",
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
        4,
    ),
    (
        "bls12_377",
        "01ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001",
        1,
    ),
    ("secp256k1", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", 7),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (curve, name) = (args.next().unwrap_or_default(), args.next().unwrap_or_default());
    let (_, p, b) = CURVES
        .iter()
        .find(|c| c.0 == curve)
        .ok_or_else(|| format!("curves: {:?}", CURVES.iter().map(|c| c.0).collect::<Vec<_>>()))?;
    let p = BigUint::parse_bytes(p.as_bytes(), 16).ok_or("a modulus is not hexadecimal")?;
    let base = FieldDesc::new(format!("{curve}_fq"), p);
    let group = GroupDesc {
        name: format!("{curve}_g1"),
        base: base.clone(),
        nonresidue: None,
        a: vec![BigUint::ZERO],
        b: vec![(*b).into()],
    };
    let mut kernels = group_kernels(&group).concat();
    kernels.extend(formula_kernels(&group));
    kernels.extend(field_kernels(&base));
    let names: Vec<&str> = kernels.iter().map(|k| k.desc.name).collect();
    let kernel = kernels.iter().find(|k| k.desc.name == name).ok_or_else(|| format!("kernels: {names:?}"))?;
    let (kernel, info) = prepare(kernel)?;
    if args.next().as_deref() == Some("fir") {
        println!("{}\n{}", print(&kernel), annotate(&kernel, &info));
    } else {
        println!("{}", curvesmith_codegen::llvm::emit(&[(kernel, info)])?);
    }
    Ok(())
}
