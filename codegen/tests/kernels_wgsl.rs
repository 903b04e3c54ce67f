//! Every kernel in the blocks and tiles of WGSL: what it computes, on the interpreter; that it fits what
//! WebGPU promises; and where its threads meet.

#[allow(dead_code, reason = "some cases are long, and do not depend on sizes")]
#[path = "cases/mod.rs"]
mod cases;
#[path = "machine.rs"]
mod machine;

use curvesmith_abi::{Geometry, ParamKind};
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::fir::uniform::{Meeting, analyze_uniformity};
use curvesmith_codegen::fir::verify::verify;
use curvesmith_codegen::fir::waits::waits_for_blocks;
use curvesmith_codegen::kernels::{
    common_kernels, constant_formula_kernels, constant_kernels, field_kernels, formula_kernels, group_kernels,
};
use machine::Machine;
use num_bigint::BigUint;
use std::collections::{BTreeMap, BTreeSet};

const GEOMETRY: Geometry = Geometry::WGSL;

/// What WebGPU promises on every device (W3C, *WebGPU*, "Limits").
const THREADS: u32 = 256;
const SHARED_BYTES: usize = 16 << 10;
const BUFFERS: usize = 8;

fn field(name: &str, hex: &str) -> FieldDesc {
    FieldDesc::new(name, BigUint::parse_bytes(hex.as_bytes(), 16).unwrap())
}

/// Scalar fields of one, two, eight and twelve words.
fn fields() -> Vec<FieldDesc> {
    vec![
        field("babybear", "78000001"),
        field("goldilocks", "ffffffff00000001"),
        field("bn254_fr", "30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001"),
        field("bls12_381_fr", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
        bn254(),
        bls12_381(),
    ]
}

fn bn254() -> FieldDesc {
    field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47")
}

fn bls12_381() -> FieldDesc {
    let p =
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
    field("bls12_381_fq", p)
}

/// Both groups of BN254 and BLS12-381, and a twisted Edwards curve.
fn groups() -> Vec<GroupDesc> {
    let group = |name: &str, base: FieldDesc, tower: Tower| {
        let coordinates = |x: u32| {
            let mut parts = vec![BigUint::from(x)];
            parts.resize(tower.degree(), BigUint::ZERO);
            parts
        };
        let equation = Equation::ShortWeierstrass { a: coordinates(0), b: coordinates(4) };
        GroupDesc { name: name.into(), base, equation, tower: tower.clone() }
    };
    let quadratic = |base: &FieldDesc| Tower::quadratic(&base.p - 1u32);
    let edwards = Equation::TwistedEdwards { a: vec![bn254().p - 1u32], d: vec![5u32.into()] };
    vec![
        group("bn254_g1", bn254(), Tower::prime()),
        group("bn254_g2", bn254(), quadratic(&bn254())),
        group("bls12_381_g1", bls12_381(), Tower::prime()),
        group("bls12_381_g2", bls12_381(), quadratic(&bls12_381())),
        GroupDesc { name: "edwards".into(), base: bn254(), tower: Tower::prime(), equation: edwards },
    ]
}

/// Every kernel of the registry over these fields and groups.
fn registry() -> Vec<Kernel> {
    let of_fields = fields().into_iter().flat_map(|field| field_kernels(&GEOMETRY, &field));
    let of_groups = groups().into_iter().flat_map(|group| {
        let constant = group.constant_work();
        let plain = [group_kernels(&GEOMETRY, &group).concat(), formula_kernels(&GEOMETRY, &group)];
        let constant =
            [constant_kernels(&GEOMETRY, &constant).concat(), constant_formula_kernels(&GEOMETRY, &constant)];
        [plain.concat(), constant.concat()].concat()
    });
    common_kernels(&GEOMETRY).into_iter().chain(of_fields).chain(of_groups).collect()
}

#[test]
fn kernels_fit_what_webgpu_promises() {
    let mut most = (0, 0, 0);
    for kernel in registry() {
        assert_eq!(verify(&kernel), Ok(()), "{}", kernel.symbol);
        let words = kernel.field.as_ref().map_or(1, |field| field.words);
        let shared: usize =
            kernel.shared.iter().map(|array| 4 * array.length as usize * array.stride(words)).sum();
        let is_buffer = |kind: ParamKind| matches!(kind, ParamKind::Buffer(..));
        let buffers = kernel.desc.params.iter().filter(|param| is_buffer(param.kind)).count();
        let symbol = &kernel.symbol;
        assert!(kernel.desc.block <= THREADS, "{symbol} has {} threads", kernel.desc.block);
        assert!(shared <= SHARED_BYTES, "{symbol} has {shared} bytes of shared memory");
        assert!(buffers <= BUFFERS, "{symbol} has {buffers} buffers");
        assert!(!waits_for_blocks(&kernel), "{symbol} waits for other blocks");
        most = (most.0.max(kernel.desc.block), most.1.max(shared), most.2.max(buffers));
    }
    assert_eq!(most, (THREADS, SHARED_BYTES, BUFFERS), "all of it is used");
}

/// In the blocks of PTX too: what lanes exchange does not depend on sizes.
#[test]
fn threads_meet_in_uniform_flow() {
    let ptx = groups().into_iter().flat_map(|group| group_kernels(&Geometry::PTX, &group).concat());
    let kernels = registry().into_iter().chain(common_kernels(&Geometry::PTX)).chain(ptx);
    let mut found: BTreeMap<&str, BTreeSet<Meeting>> = BTreeMap::new();
    for kernel in kernels {
        let divergent: BTreeSet<Meeting> = analyze_uniformity(&kernel).divergent().collect();
        if !divergent.is_empty() {
            found.entry(kernel.desc.name).or_default().extend(divergent);
        }
    }
    // A slice ends where it ends; its lanes exchange coefficients on the way. In WGSL it is left out.
    assert!(registry().iter().all(|kernel| kernel.desc.name != "accumulate_lanes"));
    let expected = BTreeMap::from([("accumulate_lanes", BTreeSet::from([Meeting::Exchange]))]);
    assert_eq!(found, expected);
}
