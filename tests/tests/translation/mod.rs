//! Every kernel that is shipped, in four forms that have to agree on random and awkward inputs: as written,
//! as the passes leave it, and as PTX by both emitters on the emulator. A kernel without a case fails.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
mod field;
mod group;
mod session;

use curvesmith_abi::Geometry;
use curvesmith_abi::kernels;
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::kernels::{
    common_kernels, constant_formula_kernels, constant_kernels, field_kernels, formula_kernels, group_kernels,
};
use curvesmith_tests::Size;
use num_bigint::BigUint;
use session::Session;
use std::collections::BTreeSet;

fn big(hex: &str) -> BigUint {
    BigUint::parse_bytes(hex.as_bytes(), 16).unwrap()
}

fn bn254_fq() -> FieldDesc {
    FieldDesc::new("bn254_fq", big("30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"))
}

fn bls12_381_fq() -> FieldDesc {
    let p =
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
    FieldDesc::new("bls12_381_fq", big(p))
}

fn bls12_377_fq() -> FieldDesc {
    let p = "1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001";
    FieldDesc::new("bls12_377_fq", big(p))
}

fn secp256k1_fq() -> FieldDesc {
    let p = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
    FieldDesc::new("secp256k1_fq", big(p))
}

fn bw6_761_fq() -> FieldDesc {
    let p = concat!(
        "122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048",
        "689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b",
    );
    FieldDesc::new("bw6_761_fq", big(p))
}

/// One word, two without a spare bit, eight with and without one, twelve, seventeen, twenty-four; with the
/// roots of every radix and with few.
fn fields() -> Vec<FieldDesc> {
    vec![
        FieldDesc::new("toy13", 13u32.into()),
        FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into()),
        FieldDesc::new("bn254_fr", big("30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001")),
        secp256k1_fq(),
        bls12_381_fq(),
        // An odd number of words, and many.
        FieldDesc::new("m521", (BigUint::from(1u32) << 521) - 1u32),
        bw6_761_fq(),
    ]
}

/// `y² = x³ + ax + b` over a field, or over its extension by the root of a negative number.
fn group(name: &str, base: FieldDesc, minus: Option<u32>, a: u32) -> GroupDesc {
    let degree = if minus.is_some() { 2 } else { 1 };
    let nonresidue = minus.map(|n| &base.p - n);
    let number = |x: u32| {
        let mut parts = vec![BigUint::from(x)];
        parts.resize(degree, BigUint::ZERO);
        parts
    };
    GroupDesc {
        name: name.into(),
        base,
        tower: nonresidue.into(),
        equation: Equation::ShortWeierstrass { a: number(a), b: number(3) },
    }
}

/// With and without `a`, of all degrees and both forms.
fn groups() -> Vec<GroupDesc> {
    let toy = || FieldDesc::new("toy13", 13u32.into());
    let numbers = |numbers: &[u32]| numbers.iter().map(|x| BigUint::from(*x)).collect::<Vec<_>>();
    let over = |name: &str, tower: Tower, a: &[u32], b: &[u32]| GroupDesc {
        name: name.into(),
        base: toy(),
        tower,
        equation: Equation::ShortWeierstrass { a: numbers(a), b: numbers(b) },
    };
    let cubic = Tower::prime().extended(3, numbers(&[2]));
    let quartic = Tower::quadratic(2u32.into()).extended(2, numbers(&[2, 1]));
    let edwards = GroupDesc {
        name: "toy_edwards".into(),
        base: FieldDesc::new("toy199", 199u32.into()),
        tower: Tower::prime(),
        equation: Equation::TwistedEdwards { a: numbers(&[2]), d: numbers(&[22]) },
    };
    let form = |name: &str, base: FieldDesc| GroupDesc {
        name: name.into(),
        base,
        equation: Equation::Niels { d: numbers(&[22]) },
        tower: Tower::prime(),
    };
    let m61 = FieldDesc::new("m61", ((1u64 << 61) - 1).into());
    vec![
        group("toy_g1", toy(), None, 2),
        group("toy_g2", toy(), Some(2), 0),
        over("toy_fq3", cubic, &[2, 9, 8], &[9, 0, 1]),
        over("toy_fq4", quartic, &[12, 11, 5, 7], &[5, 6, 12, 8]),
        edwards,
        form("toy_edwards_form", FieldDesc::new("toy193", 193u32.into())),
        form("bls12_377_form", bls12_377_fq()),
        group("m61_g2", m61, Some(1), 1),
        group("bn254_g1", bn254_fq(), None, 0),
        group("bn254_g2", bn254_fq(), Some(1), 0),
        group("secp256k1_g1", secp256k1_fq(), None, 0),
        group("bls12_381_g1", bls12_381_fq(), None, 0),
        group("bls12_381_g2", bls12_381_fq(), Some(1), 0),
    ]
}

fn kernels_of_group(group: &GroupDesc) -> Vec<Kernel> {
    [group_kernels(&Geometry::PTX, group).concat(), formula_kernels(&Geometry::PTX, group)].concat()
}

fn constant_kernels_of_group(group: &GroupDesc) -> Vec<Kernel> {
    let group = group.constant_work();
    [constant_kernels(&Geometry::PTX, &group).concat(), constant_formula_kernels(&Geometry::PTX, &group)]
        .concat()
}

#[test]
fn every_contract_has_a_kernel_here() {
    let kernels = common_kernels(&Geometry::PTX).into_iter();
    let kernels = kernels.chain(fields().into_iter().flat_map(|field| field_kernels(&Geometry::PTX, &field)));
    let kernels = kernels.chain(groups().into_iter().flat_map(|group| kernels_of_group(&group)));
    let kernels = kernels.chain(groups().into_iter().flat_map(|group| constant_kernels_of_group(&group)));
    let here: BTreeSet<&str> = kernels.map(|kernel| kernel.desc.name).collect();
    let contracts: BTreeSet<&str> = kernels::all(&Geometry::PTX).into_iter().map(|desc| desc.name).collect();
    assert_eq!(here, contracts);
}

#[test]
fn common_kernels_keep_their_meaning() {
    let mut session = Session::new(&common_kernels(&Geometry::PTX), None, 1);
    session.each_kernel(common::case);
}

#[test]
fn field_kernels_keep_their_meaning() {
    // Of up to twelve words in a short run.
    for field in fields().into_iter().take(Size::from_env().pick(5, 7)) {
        let mut session = Session::new(&field_kernels(&Geometry::PTX, &field), Some(field), 1);
        session.each_kernel(field::case);
    }
}

#[test]
fn group_kernels_keep_their_meaning() {
    // Of every form, of degrees one to three, of one, eight and twelve words.
    let groups: Vec<GroupDesc> = groups().into_iter().step_by(Size::from_env().pick(2, 1)).collect();
    for (group, kernels) in
        groups.iter().flat_map(|g| [(g, kernels_of_group(g)), (g, constant_kernels_of_group(g))])
    {
        let mut session = Session::new(&kernels, Some(group.base.clone()), group.degree());
        session.form = group.equation.form();
        session.each_kernel(group::case);
    }
}
