//! Emission: text snapshots of a toy kernel, and determinism.
#![cfg(feature = "llvm")]

use curvesmith_abi::{
    Access, Features, Flavour, Geometry, Kernel as _, Needs, ParamKind, delta, kernels::FieldMul,
};
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::dump::stages;
use curvesmith_codegen::fir::{
    ir::{Kernel, Stmt},
    parse::parse,
    print::print,
};
use curvesmith_codegen::passes::{annotate, prepare};
use curvesmith_codegen::targets::ptx::Ptx;
use curvesmith_codegen::targets::ptx::emit::{Emitter, llvm};
use curvesmith_codegen::targets::{Artefact, BackEnd};
use curvesmith_codegen::{
    Emitted, Plan, compile_common, compile_field, compile_group, emitter_version,
    kernels::{field_kernels, group_kernels},
    pack, plan_common, plan_constant, plan_field, plan_group,
};
use std::collections::BTreeSet;

fn toy() -> FieldDesc {
    FieldDesc::new("toy", 8191u32.into())
}

fn toy_kernel(name: &str) -> Kernel {
    field_kernels(&Geometry::PTX, &toy()).into_iter().find(|k| k.desc.name == name).expect("the field has it")
}

#[test]
fn a_product_from_fir_to_ptx() {
    let kernel = toy_kernel(FieldMul::NAME);
    insta::assert_snapshot!("toy_mul_fir", print(&kernel));
    let prepared = prepare::<Ptx>(&kernel).expect("the kernel is valid");
    insta::assert_snapshot!(
        "toy_mul_prepared",
        format!("{}\n{}", print(prepared.kernel()), annotate(&prepared))
    );
    // The bytes depend on the LLVM release, which is pinned.
    insta::assert_snapshot!(
        "toy_mul@llvm19",
        Ptx::emit(&[prepared], Emitter::Llvm).expect("the kernel can be emitted").text
    );
}

/// All plans of a curve over a quadratic extension of the field of 2^61 - 1. Its elements have two words, so
/// that products are functions of the image and are called: text that only calls bring is in it.
fn plans() -> Vec<Plan> {
    let base = FieldDesc::new("m61", ((1u64 << 61) - 1).into());
    let group = GroupDesc {
        name: "m61_g2".into(),
        tower: Tower::quadratic(&base.p - 1u32),
        equation: Equation::ShortWeierstrass { a: vec![0u32.into(); 2], b: vec![3u32.into(), 1u32.into()] },
        base: base.clone(),
    };
    let constant = plan_constant(Emitter::Llvm, &group.constant_work());
    [
        plan_field(Emitter::Llvm, &base),
        plan_group(Emitter::Llvm, &group),
        constant,
        plan_common(Emitter::Llvm),
    ]
    .concat()
}

fn compile(plan: &Plan) -> Emitted {
    plan.compile().expect("the image is emitted")
}

#[test]
fn images_do_not_depend_on_what_else_the_process_compiles() {
    let plans = plans();
    let images: Vec<Emitted> = plans.iter().map(compile).collect();
    assert!(images.iter().any(|image| image.text.contains("call.uni")), "no image has a call");
    let mut backwards: Vec<Emitted> = plans.iter().rev().map(compile).collect();
    backwards.reverse();
    assert!(images == backwards, "the order of compilation shows in the images");
    let other = || plans.iter().rev().map(compile).collect::<Vec<_>>();
    let (here, mut there) = std::thread::scope(|scope| {
        let there = scope.spawn(other);
        (plans.iter().map(compile).collect::<Vec<_>>(), there.join().expect("the thread ends well"))
    });
    there.reverse();
    assert!(images == here && images == there, "compiling on two threads shows in the images");
}

#[test]
fn a_bundle_holds_every_text_once() {
    let emitted: Vec<Emitted> = plans().iter().map(compile).collect();
    let bundle = pack(emitted.clone()).expect("there is memory");
    let texts: String = emitted.iter().map(|emitted| &*emitted.text).collect();
    let mut unpacked = &*zstd::bulk::decompress(&bundle.texts_zstd, texts.len()).expect("it was packed");
    assert!(
        bundle.texts_zstd.len() < texts.len() / 15,
        "{} bytes of {}",
        bundle.texts_zstd.len(),
        texts.len()
    );
    for (packed, emitted) in bundle.images.iter().zip(&emitted) {
        assert_eq!(packed.image, emitted.image);
        let (text, rest) = unpacked.split_at(packed.delta_len as usize);
        assert_eq!(delta::decode(text).expect("it was packed"), emitted.text);
        unpacked = rest;
        assert_eq!(packed.text_hash, *blake3::hash(emitted.text.as_bytes()).as_bytes());
    }
    assert!(unpacked.is_empty(), "the texts one after the other");
    assert_eq!(pack(emitted).expect("there is memory"), bundle, "the same again");
}

#[test]
fn an_image_names_its_kernels_constants_and_versions() {
    let Emitted { image, text } = compile_field(Emitter::Llvm, &toy()).expect("field").remove(0);
    let parts = [
        "// p = 0x1fff",
        "// declaration ",
        "// field toy p=1fff words=1",
        "// R = 2^32",
        "// made by: cargo xtask dump toy add --after image",
        "//   every value in it is <",
        ".target sm_75",
        ".version 6.3",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains(&image.declaration) && text.contains(&image.emitter));
    for k in &image.kernels {
        assert!(text.contains(&format!(".visible .entry {}(", k.symbol)), "{}", k.symbol);
        assert!(text.contains(&k.signature), "{}", k.signature);
    }
}

/// The text says again how many threads a kernel has, how much shared memory, and whether warps
/// work together.
#[test]
fn an_image_says_what_its_kernels_need() {
    const WARPS: [&str; 4] = ["shfl.sync", "vote.sync", "match.any.sync", "bar.warp.sync"];
    let (mut wide, mut waiting) = (BTreeSet::new(), BTreeSet::new());
    let mut most = Needs::default();
    for Emitted { image, text } in plans().iter().map(compile) {
        assert_eq!(image.flavour, Flavour::PTX);
        for kernel in &image.kernels {
            let needs = kernel.needs;
            let of_kernel = |name: &str| {
                let rest = name.strip_prefix(&kernel.symbol);
                rest.is_some_and(|rest| rest.starts_with("_shared") || rest.starts_with("_locals"))
            };
            let bytes = |line: &str| {
                let (name, size) = line.strip_suffix("];")?.rsplit_once(' ')?.1.split_once('[')?;
                of_kernel(name).then(|| size.parse::<u32>().expect("a size in bytes"))
            };
            let lines = text.lines().map(str::trim_start);
            let shared = lines.filter(|line| line.starts_with(".shared ")).filter_map(bytes);
            assert_eq!(needs.shared, shared.sum::<u32>(), "{}", kernel.symbol);
            let (_, own) = text.split_once(&format!(".visible .entry {}(", kernel.symbol)).expect("an entry");
            let own = own.split(".visible .entry ").next().expect("there is a first part");
            assert!(own.contains(&format!(".maxntid {}", needs.threads)), "{}", kernel.symbol);
            let warps = WARPS.iter().any(|op| own.contains(op));
            assert_eq!(warps, needs.features.has(Features::WARPS_32), "{}", kernel.symbol);
            assert_eq!(needs.buffers as usize, kernel.signature.matches(": in").count(), "{}", kernel.symbol);
            if needs.features.has(Features::WORDS_64) {
                wide.insert(kernel.name.clone());
            }
            if needs.features.has(Features::PROGRESS) {
                waiting.insert(kernel.name.clone());
            }
            most.shared = most.shared.max(needs.shared);
        }
    }
    assert!(most.shared > 16 << 10, "no kernel with much shared memory was seen");
    // Inversion in this field is a power: the other way takes words of 64 bits too.
    let expected = ["digits", "digits_odd", "digits_regular"];
    assert_eq!(wide.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    let expected = ["radix_scatter", "radix_scatter_first", "radix_scatter_odd"];
    assert_eq!(waiting.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

#[test]
fn a_dump_holds_every_stage() {
    let kernel = toy_kernel(FieldMul::NAME);
    let (stages, ended) = stages(&kernel);
    ended.expect("the kernel is valid");
    let names: Vec<_> = stages.iter().map(|s| s.name).collect();
    assert_eq!(names.first(), Some(&"written"));
    assert_eq!(names[names.len() - 4..], ["blocks", "writer", "llvm", "ptx"]);
    let text = |name: &str| &stages.iter().find(|s| s.name == name).expect("the stage is there").text;
    assert_eq!(*text("written"), print(&kernel));
    let placed = text(names[names.len() - 5]);
    assert!(placed.contains("  ; <") && placed.contains(" mul."), "no bound or variant in\n{placed}");
    // What stands behind a semicolon is a comment of the text form.
    let prepared = prepare::<Ptx>(&kernel).expect("the kernel is valid");
    assert_eq!(print(&parse(placed).expect("it reads back")), print(prepared.kernel()));
    assert!(text("blocks").contains("used 1 times") && text("blocks").contains("mad"));
    assert!(text("llvm").contains("define ptx_kernel void @toy_mul("));
    for ptx in ["writer", "ptx"] {
        assert!(text(ptx).contains(".visible .entry toy_mul("));
    }
}

#[test]
fn a_dump_ends_with_the_fault() {
    let mut kernel = toy_kernel(FieldMul::NAME);
    kernel.body.push(Stmt::Break);
    let (stages, ended) = stages(&kernel);
    assert!(ended.is_err());
    assert_eq!(stages.iter().map(|s| s.name).collect::<Vec<_>>(), ["written"]);
}

/// What a kernel only reads is declared so, which lets LLVM read it through the cache that writes do not
/// reach (`ld.global.nc`); what it writes is not.
#[test]
fn buffers_that_are_only_read_are_declared_so_and_no_others() {
    for kernel in plans().iter().flat_map(Plan::kernels) {
        let prepared = prepare::<Ptx>(kernel).expect("the kernel is valid");
        let text = llvm::emit_ir(&[prepared]).expect("the kernel can be emitted");
        let head = text.lines().find(|line| line.starts_with("define ptx_kernel")).expect("it has a kernel");
        let (_, params) = head.split_once('(').expect("it has parameters");
        let params: Vec<&str> = params.split(", ").collect();
        assert_eq!(params.len(), kernel.desc.params.len(), "{head}");
        for (text, param) in params.iter().zip(kernel.desc.params) {
            let read_only = matches!(param.kind, ParamKind::Buffer(Access::In, _));
            for attribute in ["noalias", "readonly"] {
                assert_eq!(text.contains(attribute), read_only, "{}: {}: {text}", kernel.symbol, param.name);
            }
        }
    }
}

#[test]
fn no_local_memory_is_left() {
    for emitted in compile_field(Emitter::Llvm, &toy())
        .expect("field")
        .iter()
        .chain(&compile_common(Emitter::Llvm).expect("common"))
    {
        let Emitted { image, text } = emitted;
        for word in ["ld.local", "st.local", ".local", "__local_depot"] {
            assert!(!text.contains(word), "{}: {word}", image.name);
        }
    }
}

/// LLVM ends the process on what it does not like: here it sees the least and the longest moduli.
#[test]
fn the_extreme_fields_are_emitted() {
    let power = |e: u32| num_bigint::BigUint::from(1u32) << e;
    for (name, p) in [
        ("three", 3u32.into()),
        ("m89", power(89) - 1u32),
        ("m521", power(521) - 1u32),
        ("full_1024", power(1024) - 105u32),
    ] {
        let images = compile_field(Emitter::Llvm, &FieldDesc::new(name, p)).expect("the field is emitted");
        let text = &images[0].text;
        for kernel in ["mul", "inverse", "batch_inverse", "digits", "powers", "spmv_warp"] {
            assert!(text.contains(&format!(".visible .entry {name}_{kernel}(")), "{name}_{kernel}");
        }
        assert!(!text.contains(".local"), "{name}: local memory");
    }
}

/// A curve of 17 words, of the kind nobody has tuned for: P-521.
#[test]
fn a_group_of_odd_and_many_words_is_emitted() {
    let power = |e: u32| num_bigint::BigUint::from(1u32) << e;
    let b = "51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df883d2c34f1ef451fd46b503f00";
    let base = FieldDesc::new("p521_fq", power(521) - 1u32);
    let a = vec![&base.p - 3u32];
    let b = vec![num_bigint::BigUint::parse_bytes(b.as_bytes(), 16).expect("hex")];
    let group = GroupDesc {
        name: "p521_g1".into(),
        base,
        tower: Tower::prime(),
        equation: Equation::ShortWeierstrass { a, b },
    };
    let images = compile_group(Emitter::Llvm, &group).expect("the group is emitted");
    assert!(images.iter().any(|image| image.text.contains(".visible .entry p521_g1_accumulate(")));
}

/// What is done under a condition are branches alone, where other kernels have guards; in a field without a
/// spare bit, and in one with.
#[test]
fn constant_work_has_no_guards() {
    let guards = |text: &str| {
        let mut lines = text.lines().map(str::trim_start);
        lines.any(|line| line.starts_with('@') && !line.contains(" bra"))
    };
    for (name, p) in [
        ("secp256k1", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
        ("bn254", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
    ] {
        let base = FieldDesc::new(name, num_bigint::BigUint::parse_bytes(p.as_bytes(), 16).expect("hex"));
        let group = GroupDesc {
            name: format!("{name}_g1"),
            tower: Tower::prime(),
            equation: Equation::ShortWeierstrass { a: vec![2u32.into()], b: vec![3u32.into()] },
            base: base.clone(),
        };
        let images: Vec<Emitted> =
            plan_constant(Emitter::Llvm, &group.constant_work()).iter().map(compile).collect();
        assert!(images.iter().all(|image| !guards(&image.text)), "{name}");
        assert!(
            plan_group(Emitter::Llvm, &group).iter().map(compile).any(|image| guards(&image.text)),
            "{name}"
        );
        let field =
            plan_field(Emitter::Llvm, &base).iter().map(compile).map(|image| image.text).collect::<String>();
        let (_, digits) =
            field.split_once(&format!(".entry {name}_digits_regular(")).expect("the field has it");
        let (digits, _) = digits.split_once("\n}\n").expect("it ends");
        assert!(!guards(digits), "{name}");
    }
}

/// PTX of a kernel alone by the writer.
fn written(kernel: &Kernel) -> String {
    let prepared = prepare::<Ptx>(kernel).expect("the kernel is valid");
    Ptx::emit(&[prepared], Emitter::Writer).expect("the kernel can be emitted").text
}

#[test]
fn a_product_by_the_writer() {
    insta::assert_snapshot!("toy_mul@writer", written(&toy_kernel(FieldMul::desc(&Geometry::PTX).name)));
}

#[test]
fn an_image_names_its_emitter() {
    let versions = [Emitter::Llvm, Emitter::Writer].map(emitter_version);
    assert!(versions[0].contains(" LLVM 19.1.") && versions[1].ends_with(" own writer"), "{versions:?}");
    for (emitter, version) in [Emitter::Llvm, Emitter::Writer].into_iter().zip(versions) {
        let Emitted { image, text } = plan_common(emitter)[0].compile().expect("the image is emitted");
        assert_eq!(image.emitter, version);
        assert!(text.contains(&format!("// {version}\n")), "{version}");
    }
}

/// What a kernel needs is what its text declares: threads, bytes of shared memory and buffers, by either
/// emitter.
#[test]
fn an_artefact_says_what_its_kernels_need() {
    // With twelve words a coordinate, a point that is accumulated lives in shared memory.
    let base = FieldDesc::new("m381", (num_bigint::BigUint::from(1u32) << 381u32) - 21u32);
    let equation = Equation::ShortWeierstrass { a: vec![num_bigint::BigUint::ZERO], b: vec![3u32.into()] };
    let wide = GroupDesc { name: "m381_g1".into(), tower: Tower::prime(), equation, base };
    let wide = group_kernels(&Geometry::PTX, &wide).into_iter().flatten();
    let wide: Vec<_> = wide.filter(|k| k.desc.name == "accumulate").collect();
    let plans = plans();
    let mut with_locals = 0;
    for kernel in wide.iter().chain(plans.iter().flat_map(Plan::kernels)) {
        let prepared = [prepare::<Ptx>(kernel).expect("the kernel is valid")];
        for emitter in [Emitter::Llvm, Emitter::Writer] {
            let Artefact { text, needs } = Ptx::emit(&prepared, emitter).expect("the kernel can be emitted");
            with_locals += usize::from(text.contains("_locals["));
            let declared = text.lines().filter_map(|line| line.trim().strip_prefix(".shared .align 16 .b8 "));
            let bytes = |array: &str| array.split(['[', ']']).nth(1)?.parse::<u32>().ok();
            assert_eq!(declared.filter_map(bytes).sum::<u32>(), needs[0].shared, "{}", kernel.symbol);
            assert!(text.contains(&format!(".maxntid {}, 1, 1", needs[0].threads)), "{}", kernel.symbol);
            let buffers = kernel.desc.params.iter().filter(|p| matches!(p.kind, ParamKind::Buffer(..)));
            assert_eq!(buffers.count() as u32, needs[0].buffers, "{}", kernel.symbol);
        }
    }
    assert!(with_locals > 0);
}

/// What a kernel only reads is read through the cache that writes do not reach, and nothing else is.
#[test]
fn the_writer_reads_by_the_cache_what_nothing_writes() {
    for kernel in plans().iter().flat_map(Plan::kernels) {
        let text = written(kernel);
        let mut base = None;
        for line in text.lines() {
            if let Some((_, param)) = line.split_once("ld.param.u64 ") {
                let number = param.rsplit_once('_').and_then(|(_, n)| n.trim_end_matches("];").parse().ok());
                base = number.and_then(|number: usize| kernel.desc.params.get(number));
            }
            if line.contains("ld.global") {
                let read_only = base.is_some_and(|p| matches!(p.kind, ParamKind::Buffer(Access::In, _)));
                assert_eq!(line.contains("ld.global.nc"), read_only, "{}: {line}", kernel.symbol);
            }
        }
    }
}
