//! Every kernel on the interpreter, which defines what FIR means.

#[path = "cases/mod.rs"]
mod cases;
#[path = "machine.rs"]
mod machine;

use curvesmith_abi::Geometry;
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::fir::interp::{Argument, launch};
use curvesmith_codegen::fir::verify::verify;
use curvesmith_codegen::kernels::{common_kernels, field_kernels, group_kernels};
use machine::Machine;

const GEOMETRY: Geometry = Geometry::PTX;

#[test]
fn many_slices_are_merged() {
    cases::msm::check_large_merges(crate::is_long());
}

/// Those of a device with little room have smaller blocks and tiles, and compute the same.
#[test]
fn kernels_are_built_for_a_geometry() {
    let small = Geometry {
        threads: 64,
        wide_threads: 32,
        sort_threads: 256,
        row_threads: 64,
        radix_tile: 2048,
        scan_tile: 1024,
        row_tile: 256,
        ntt_block_bytes: 16 << 10,
        ..Geometry::PTX
    };
    let common = common_kernels(&small);
    let base = FieldDesc::new("toy_fq", 13u32.into());
    let coordinates = |x: u32| vec![x.into()];
    let equation = Equation::ShortWeierstrass { a: coordinates(3), b: coordinates(7) };
    let group = GroupDesc { name: "toy".into(), base, tower: Tower::prime(), equation };
    let others = [field_kernels(&small, &group.base), group_kernels(&small, &group).concat()].concat();
    assert!(others.iter().all(|kernel| kernel.desc.block <= 64));
    common.iter().chain(&others).for_each(|kernel| assert_eq!(verify(kernel), Ok(()), "{}", kernel.symbol));
    let find = |name: &str| common.iter().find(|kernel| kernel.desc.name == name).unwrap();
    assert_eq!(
        ["radix_scatter", "scan_tiles", "row_order"].map(|name| find(name).desc.block),
        [256, 256, 64]
    );

    let data: Vec<u32> = (0..2500).map(|i| i * i + 1).collect();
    let mut args = [Argument::Buffer(data.clone()), Argument::Buffer(vec![0; 3]), Argument::U32(2500)];
    launch(find("scan_tiles"), 3, &mut args).unwrap();
    let (mut scanned, mut sums) = (vec![], vec![]);
    for tile in data.chunks(1024) {
        let before = |i: usize| tile[..i].iter().fold(0u32, |sum, word| sum.wrapping_add(*word));
        scanned.extend((0..tile.len()).map(before));
        sums.push(before(tile.len()));
    }
    assert_eq!(args, [Argument::Buffer(scanned), Argument::Buffer(sums), Argument::U32(2500)]);
}
