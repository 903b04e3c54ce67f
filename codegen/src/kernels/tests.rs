use super::*;
use crate::declaration::{Equation, FieldOp, Tower};
use crate::fir::verify::verify;
use curvesmith_abi::Family;
use num_bigint::BigUint;
use std::collections::BTreeMap;

fn big(hex: &str) -> BigUint {
    BigUint::parse_bytes(hex.as_bytes(), 16).unwrap()
}

fn group(name: &str, p: &str, nonresidue: Option<i32>, a: u32) -> GroupDesc {
    let base = FieldDesc::new(name, big(p));
    let tower = nonresidue.map_or_else(Tower::prime, |n| {
        let size = BigUint::from(n.unsigned_abs());
        Tower::quadratic(if n < 0 { &base.p - size } else { size })
    });
    let coord = |x: u32| {
        let mut parts = vec![BigUint::from(x)];
        parts.resize(tower.degree(), BigUint::ZERO);
        parts
    };
    let (a, b) = (coord(a), coord(7));
    GroupDesc { name: name.into(), base, tower, equation: Equation::ShortWeierstrass { a, b } }
}

fn groups() -> Vec<GroupDesc> {
    let bn254 = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
    let bls381 =
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
    let secp256k1 = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
    vec![
        group("toy_g1", "d", None, 3),
        group("toy_g2", "b", Some(-1), 1),
        group("toy_g2_by_2", "d", Some(2), 0),
        group("bn254_g1", bn254, None, 0),
        group("bn254_g2", bn254, Some(-1), 0),
        group("secp256k1_g1", secp256k1, None, 0),
        group("bls12_381_g1", bls381, None, 0),
        group("bls12_381_g2", bls381, Some(-1), 0),
    ]
}

fn family(kernels: &[Kernel], family: Family) {
    for kernel in kernels {
        assert_eq!(kernel.desc.family, family, "{}", kernel.symbol);
        assert_eq!(verify(kernel), Ok(()), "{}", kernel.symbol);
    }
}

#[test]
fn every_kernel_is_valid_for_every_shape_of_field() {
    family(&common_kernels(&Geometry::PTX), Family::Common);
    for group in groups() {
        family(&field_kernels(&Geometry::PTX, &group.base), Family::Field);
        family(&group_kernels(&Geometry::PTX, &group).concat(), Family::Group);
        family(&formula_kernels(&Geometry::PTX, &group), Family::Group);
        let constant = group.constant_work();
        family(&constant_kernels(&Geometry::PTX, &constant).concat(), Family::Group);
        family(&constant_formula_kernels(&Geometry::PTX, &constant), Family::Group);
    }
}

/// Field operations of each kernel and of what they call: what a formula costs, whatever the field.
fn costs(kernels: &[Kernel]) -> String {
    let mut out = String::new();
    let mut said: Vec<String> = vec![];
    let functions = |kernel: &Kernel| kernel.callees().into_iter().map(|f| (*f).clone());
    for kernel in kernels.iter().flat_map(|kernel| functions(kernel).chain([kernel.clone()])) {
        if said.contains(&kernel.symbol) {
            continue;
        }
        said.push(kernel.symbol.clone());
        let mut counts = BTreeMap::new();
        for v in kernel.values() {
            let Some((op, _)) = kernel[v].field() else { continue };
            let name = match op {
                FieldOp::Dot(terms) => format!("dot{terms}"),
                FieldOp::Add | FieldOp::Sub | FieldOp::Neg | FieldOp::Dbl => "linear".to_owned(),
                FieldOp::MulSmall(_) | FieldOp::MulConst(_) => "constant".to_owned(),
                FieldOp::Mul | FieldOp::Sqr | FieldOp::IsZero | FieldOp::MaybeZero => op.name(),
                _ => continue,
            };
            *counts.entry(name).or_insert(0) += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(name, n)| format!("{n} {name}")).collect();
        out += &format!("{}: {}\n", kernel.symbol, counts.join(", "));
    }
    out
}

#[test]
fn group_kernels_use_each_formula_in_few_places() {
    let groups = groups();
    let of = |name: &str| {
        let group = groups.iter().find(|g| g.name == name).unwrap();
        [group_kernels(&Geometry::PTX, group).concat(), formula_kernels(&Geometry::PTX, group)].concat()
    };
    let constant = |name: &str| {
        let group = groups.iter().find(|g| g.name == name).unwrap().constant_work();
        [constant_kernels(&Geometry::PTX, &group).concat(), constant_formula_kernels(&Geometry::PTX, &group)]
            .concat()
    };
    insta::assert_snapshot!("bn254_g1_constant_costs", costs(&constant("bn254_g1")));
    insta::assert_snapshot!("toy_g1_constant_costs", costs(&constant("toy_g1")));
    insta::assert_snapshot!("bn254_g1_costs", costs(&of("bn254_g1")));
    insta::assert_snapshot!("bn254_g2_costs", costs(&of("bn254_g2")));
    insta::assert_snapshot!("toy_g1_costs", costs(&of("toy_g1")));
}
