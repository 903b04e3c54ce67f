//! Programs as WGSL on an adapter of wgpu, and edits of their text.

use super::{MOST, Trial, field, machine};
use curvesmith_abi::wgsl::by_words_64;
use curvesmith_abi::{Features, Geometry, kernels::FieldMulSub};
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::build::Builder;
use curvesmith_codegen::fir::interp::{Argument, launch, to_words};
use curvesmith_codegen::fir::print::print;
use curvesmith_codegen::targets::Artefact;
use curvesmith_device::KernelDevice as _;
use curvesmith_tests::four_ways::compare;
use curvesmith_tests::{Size, on_adapter, wgpu_device, wgsl};
use num_bigint::BigUint;

/// Runs a program on the interpreter and, by either kind of words, on the adapter; whether the language has
/// all of it.
fn agrees(trial: &Trial, what: &str) -> bool {
    let Some(device) = wgpu_device() else { return false };
    let Trial { kernel, grid, args, .. } = trial;
    let fault = |error: String| -> ! { panic!("{what}: {error}\n{}", print(kernel)) };
    let mut expected = args.clone();
    launch(kernel, *grid, &mut expected).unwrap_or_else(|e| fault(e.to_string()));
    let Some(artefact) = wgsl(kernel).unwrap_or_else(|e| fault(e)) else { return false };
    for artefact in [by_words_32(&artefact), artefact] {
        let found = on_adapter(device, kernel, &artefact, *grid, args);
        let found = found.unwrap_or_else(|e| fault(e.to_string()));
        compare(kernel, &expected, &found).unwrap_or_else(|e| fault(format!("{e}\n{}", artefact.text)));
    }
    true
}

#[test]
fn programs_agree_in_wgsl() {
    let count = Size::from_env().pick(10, 200);
    let fields = [
        ("toy13", "d"),
        ("toy_full32", "fffffffb"),
        ("goldilocks", "ffffffff00000001"),
        ("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
        ("secp256k1_fq", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
    ];
    let mut ran = 0;
    for seed in 0..count {
        let (name, hex) = fields[seed as usize % fields.len()];
        let f = FieldDesc::new(name, BigUint::parse_bytes(hex.as_bytes(), 16).unwrap());
        ran += u64::from(agrees(&field::trial(&f, seed, MOST), &format!("{name}, seed {seed}")));
        ran += u64::from(agrees(&machine::trial(None, seed, MOST, 0), &format!("integers, seed {seed}")));
        let among = machine::trial(Some(&f), seed, MOST, 0);
        ran += u64::from(agrees(&among, &format!("elements among integers of {name}, seed {seed}")));
    }
    assert!(wgpu_device().is_none() || ran > count, "{ran} of {} programs ran", 3 * count);
}

/// The text without what devices with words of 64 bits take.
fn by_words_32(artefact: &Artefact) -> Artefact {
    let mut parts = artefact.text.split("/* with words of 64 bits:\n");
    let first = parts.next().unwrap_or_default().to_owned();
    let others = parts.map(|part| part.split_once("else: */\n").expect("it has another part").1);
    Artefact { text: first + &others.collect::<String>(), ..artefact.clone() }
}

/// What is lost where one thing of a text is: carries, halves of products, the last subtraction.
#[test]
fn edits_of_a_text_are_noticed() {
    let Some(device) = wgpu_device() else { return };
    let f = FieldDesc::new(
        "bn254_fq",
        BigUint::parse_bytes(b"30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47", 16)
            .unwrap(),
    );
    // On limbs, and by words: `from_mont` is.
    let b = Builder::for_field::<FieldMulSub>(&Geometry::WGSL, &f);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
    b.buffer("out").set_field(i, (x * y).from_mont() - z);
    let kernel = b.finish();
    // Near p and 0, and what is pseudo-random between.
    let n = 512u32;
    let numbers = |salt: u32| -> Vec<BigUint> {
        let one = |i: u32| match i % 8 {
            0 => &f.p - 1u32 - i / 8,
            1 => BigUint::from(i / 8),
            _ => BigUint::from(i.wrapping_mul(0x9e37_79b1) ^ salt).pow(9) % &f.p,
        };
        (0..n).map(one).collect()
    };
    let buffer = |numbers: &[BigUint]| Argument::Buffer(to_words(&f, numbers));
    let args = [
        buffer(&numbers(1)),
        buffer(&numbers(2)),
        buffer(&numbers(3)),
        buffer(&vec![BigUint::ZERO; n as usize]),
        Argument::U32(n),
    ];
    let mut expected = args.to_vec();
    launch(&kernel, n.div_ceil(kernel.desc.block), &mut expected).unwrap();
    let check = |artefact: Artefact, edits: &[(&str, &str)]| {
        let run = |text: String| {
            let artefact = Artefact { text, ..artefact.clone() };
            on_adapter(device, &kernel, &artefact, n.div_ceil(kernel.desc.block), &args).unwrap()
        };
        assert!(run(artefact.text.clone()) == expected);
        for (from, to) in edits {
            assert!(artefact.text.contains(from), "the text has no {from:?}\n{}", artefact.text);
            let found = run(artefact.text.replacen(from, to, 1));
            assert!(found != expected, "{from:?} for {to:?} is not noticed");
        }
    };
    // By words of 32 bits, whatever the adapter has: limbs that are cut wrongly or put elsewhere, rows that
    // are missing, the bits of the last one, carries.
    let edits = [
        ("x1.w0 & 32767u", "x1.w0 & 16383u"),
        (" << 2u", " << 1u"),
        ("c0 & 32767u", "c0 & 16383u"),
        ("turn < 8u", "turn < 7u"),
        (") & 1u", ") & 0u"),
        (") >> 1u", ") >> 2u"),
        (") >> 15u", ") >> 14u"),
        (" + u32(with_c < c)", ""),
        (" + u32(all < d)", ""),
        (" + (p01 & 0xffffu)", ""),
        ("(p10 & 0xffffu)", "p10"),
        (" + (middle >> 16u)", ""),
        (" + (p01 >> 16u)", ""),
        ("(middle << 16u)", "(middle << 15u)"),
        ("a >> 16u", "a >> 17u"),
        ("row < 8u", "row < 7u"),
        ("    c0 = ", "    c1 = "),
        ("    c6 = m24.x;\n", ""),
        ("select(0x0u, ", "select(0x1u, "),
        ("u32(x0.w0 < x1.w0)", "0u"),
    ];
    let artefact = wgsl(&kernel).unwrap().expect("the language has it");
    check(by_words_32(&artefact), &edits);
    // By words of 64 bits: a limb that is cut wrongly or put elsewhere, the bits of the last row, a carry.
    let edits = [
        ("x0.w0 & 536870911u", "x0.w0 & 268435455u"),
        (" << 3u", " << 2u"),
        (" & 16777215u", " & 8388607u"),
        (") >> 24u", ") >> 23u"),
        (") >> 29u", ") >> 28u"),
    ];
    if device.properties().limits.features.has(Features::WORDS_64) {
        check(Artefact { text: by_words_64(&artefact.text), ..artefact }, &edits);
    }
}
