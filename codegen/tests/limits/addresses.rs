//! From indices to addresses.
#![cfg(feature = "llvm")]

use curvesmith_abi::{Element, Geometry, ParamKind};
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::kernels::{common_kernels, constant_kernels, field_kernels, group_kernels};
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::ptx::Ptx;
use curvesmith_codegen::targets::ptx::emit::llvm::emit_ir;
use std::collections::BTreeMap;

/// Words from one element of the buffers of a kernel to the next.
fn strides(kernel: &Kernel) -> Vec<u64> {
    let words = kernel.field.as_ref().map_or(1, |f| f.words);
    let bytes = |e: Element| e.bytes(kernel.form, words, kernel.tower.degree()) as u64 / 4;
    let stride = |kind| match kind {
        ParamKind::Buffer(_, e) => Some(bytes(e)),
        _ => None,
    };
    kernel.desc.params.iter().filter_map(|p| stride(p.kind)).collect()
}

/// Every pointer into a buffer is one of the kernel's, plus a 32-bit index that is widened and then
/// multiplied by the stride of a buffer in words, plus a constant.
fn check(kernel: &Kernel) {
    let prepared = prepare::<Ptx>(kernel).expect("the kernel is valid");
    let text = emit_ir(&[prepared]).expect("the kernel can be emitted");
    let strides = strides(kernel);
    let mut elements = 0;
    for function in text.split("\ndefine ") {
        let definitions: BTreeMap<&str, &str> =
            function.lines().filter_map(|line| line.trim().split_once(" = ")).collect();
        let pointers =
            function.lines().filter(|line| line.contains("getelementptr") && line.contains("addrspace(1)"));
        for line in pointers {
            let fault = |what: &str| -> ! { panic!("{}: {what} in\n{line}", kernel.symbol) };
            let Some((_, index)) = line.rsplit_once(", i64 ") else { fault("no index of 64 bits") };
            if !index.starts_with('%') {
                continue;
            }
            let factors = definitions.get(index).and_then(|product| product.strip_prefix("mul nuw i64 "));
            let Some((widened, stride)) = factors.and_then(|f| f.split_once(", ")) else {
                fault("no product")
            };
            if !stride.parse().is_ok_and(|stride| strides.contains(&stride)) {
                fault("another stride");
            }
            let is_widened = |d: &&str| d.starts_with("zext i32 ") && d.ends_with(" to i64");
            if !definitions.get(widened).is_some_and(is_widened) {
                fault("no widened index");
            }
            elements += 1;
        }
    }
    assert!(elements > 0, "{}: no address was found in\n{text}", kernel.symbol);
    assert!(!text.contains("inttoptr"), "{}: an integer became a pointer", kernel.symbol);
}

#[test]
fn addresses_are_formed_in_64_bits() {
    let base = FieldDesc::new("m61", ((1u64 << 61) - 1).into());
    let tower = Tower::quadratic(&base.p - 1u32);
    let (a, b) = (vec![0u32.into(); 2], vec![3u32.into(), 1u32.into()]);
    let group = GroupDesc {
        name: "m61_g2".into(),
        base: base.clone(),
        tower,
        equation: Equation::ShortWeierstrass { a, b },
    };
    // With the passes of every radix.
    let goldilocks = FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into());
    let groups = [
        group_kernels(&Geometry::PTX, &group).concat(),
        constant_kernels(&Geometry::PTX, &group.constant_work()).concat(),
    ]
    .concat();
    for kernels in [
        common_kernels(&Geometry::PTX),
        field_kernels(&Geometry::PTX, &base),
        field_kernels(&Geometry::PTX, &goldilocks),
        groups,
    ] {
        kernels.iter().for_each(check);
    }
}
