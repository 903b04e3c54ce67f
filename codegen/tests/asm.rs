//! What the constraints of every assembly block in emitted LLVM IR have to say, found from its text.
//!
//! A wrong constraint is a promise to LLVM that it need not use: most wrong ones show in no result.
#![cfg(feature = "llvm")]

use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::ScanAdd;
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::fir::build::{Builder, FULL_MASK};
use curvesmith_codegen::fir::ir::{AtomicOp, Kernel, Order, Scope, ShuffleMode};
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::ptx::emit::Emitter;
use curvesmith_codegen::targets::ptx::emit::llvm::emit_ir;
use curvesmith_codegen::{plan_common, plan_field, plan_group};
use std::collections::BTreeSet;

/// A call of assembly, as IR prints it.
struct Asm<'t> {
    /// Instructions without braces, in order.
    instructions: Vec<String>,
    constraints: Vec<&'t str>,
    sideeffect: bool,
    convergent: bool,
}

fn calls(ir: &str) -> Vec<Asm<'_>> {
    ir.lines().filter_map(|line| call(ir, line)).collect()
}

fn call<'t>(ir: &str, line: &'t str) -> Option<Asm<'t>> {
    let (_, rest) = line.split_once(" asm ")?;
    let (flags, rest) = rest.split_once('"').expect("a text");
    let (text, rest) = rest.split_once("\", \"").expect("a text, then constraints");
    let (constraints, rest) = rest.split_once('"').expect("constraints");
    let text = text.replace("\\0A", "\n").replace("\\09", " ").replace(['{', '}'], " ");
    let instructions = text.split([';', '\n']).map(|i| i.trim().to_owned()).filter(|i| !i.is_empty());
    let group = rest.rsplit_once(' ').map_or("", |(_, group)| group);
    let attributes = ir.lines().find(|line| line.starts_with(&format!("attributes {group} = ")));
    Some(Asm {
        instructions: instructions.filter(|i| !i.starts_with(".reg")).collect(),
        constraints: constraints.split(',').filter(|c| !c.is_empty()).collect(),
        sideeffect: flags.contains("sideeffect"),
        convergent: attributes.is_some_and(|line| line.contains("convergent")),
    })
}

impl Asm<'_> {
    fn outputs(&self) -> usize {
        self.constraints.iter().filter(|c| c.starts_with('=')).count()
    }

    fn opcodes(&self) -> impl Iterator<Item = &str> {
        let unguarded = |i: &'_ str| if i.starts_with('@') { i.find(' ').map_or(0, |at| at + 1) } else { 0 };
        self.instructions.iter().map(move |i| i[unguarded(i)..].split(['.', ' ']).next().unwrap_or_default())
    }

    /// Operands that an instruction writes, and those that it reads. A guarded one keeps what it does not
    /// write.
    fn operands(&self, at: usize) -> (Vec<usize>, Vec<usize>) {
        let text = &self.instructions[at];
        let opcode = self.opcodes().nth(at).expect("as many as instructions");
        let places: Vec<usize> = text.split('$').skip(1).map(number).collect();
        let written = match opcode {
            "st" | "bar" | "fence" | "membar" | "prefetch" => 0,
            _ if text.starts_with("mov.b64 ") && text.contains("$") => {
                // A pair of words, or a word and a temporary, from a wide register.
                text.split(", w").next().unwrap_or_default().matches('$').count()
            }
            _ => usize::from(text.split(',').next().is_some_and(|first| first.contains('$'))),
        };
        (places[..written].to_vec(), places[written..].to_vec())
    }

    /// Outputs that have a value while an input has still to be read.
    fn early(&self) -> BTreeSet<usize> {
        let outputs = self.outputs();
        let (mut early, mut written) = (BTreeSet::new(), BTreeSet::new());
        for at in 0..self.instructions.len() {
            let (writes, reads) = self.operands(at);
            if reads.iter().any(|k| *k >= outputs) {
                early.extend(&written);
            }
            written.extend(writes.into_iter().filter(|k| *k < outputs));
        }
        early
    }
}

/// The number that a text begins with.
fn number(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().expect("an operand has a number")
}

/// Every effect that a statement can have.
fn effects() -> Kernel {
    let b = Builder::common::<ScanAdd>(&Geometry::PTX);
    let (data, n, shared, full) = (b.buffer("data"), b.scalar("n"), b.shared(4), b.u32(FULL_MASK));
    let mut x = data.load_ordered(n, Order::AcquireRelease);
    for op in [AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::Exchange] {
        for order in [Order::Relaxed, Order::AcquireRelease] {
            x = x + data.atomic(op, n, x, order);
        }
        x = x + shared.atomic(op, n, x);
    }
    data.prefetch(n);
    b.barrier();
    b.sync_warp(full);
    b.fence(Scope::Block);
    b.fence(Scope::Device);
    for mode in [ShuffleMode::Index, ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Xor] {
        x = x + b.shuffle(mode, x, n, full);
    }
    x = x + b.ballot(x.is(3), full) + b.match_any(x, 32, full) + b.match_any(x, 3, full);
    data.store_ordered(n, x, Order::AcquireRelease);
    data.store_ordered(n, data.load_ordered(n, Order::Relaxed), Order::Relaxed);
    b.finish()
}

/// Fields of one, two and eight words, with one spare bit and with none, and all their kernels.
fn kernels() -> Vec<Kernel> {
    let bn254 = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
    let secp256k1 = "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
    let big = |hex: &str| num_bigint::BigUint::parse_bytes(hex.as_bytes(), 16).expect("hexadecimal");
    let m61 = FieldDesc::new("m61", ((1u64 << 61) - 1).into());
    let group = GroupDesc {
        name: "m61_g2".into(),
        tower: Tower::quadratic(&m61.p - 1u32),
        equation: Equation::ShortWeierstrass { a: vec![0u32.into(); 2], b: vec![3u32.into(), 1u32.into()] },
        base: m61.clone(),
    };
    let fields = [
        m61,
        FieldDesc::new("toy", 13u32.into()),
        FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into()),
        FieldDesc::new("bn254_fq", big(bn254)),
        FieldDesc::new("secp256k1_fq", big(secp256k1)),
    ];
    let of_fields = fields.iter().flat_map(|field| plan_field(Emitter::default(), field));
    let plans =
        of_fields.chain(plan_group(Emitter::default(), &group)).chain(plan_common(Emitter::default()));
    plans.flat_map(|plan| plan.kernels().to_vec()).chain([effects()]).collect()
}

#[test]
fn constraints_say_what_the_text_does() {
    let (mut early, mut opcodes) = (0, BTreeSet::new());
    for kernel in kernels() {
        let ir = emit_ir(&[prepare(&kernel).expect("the kernel is valid")]).expect("it can be emitted");
        for asm in calls(&ir) {
            let text = format!("{}: {:?} {:?}", kernel.symbol, asm.instructions, asm.constraints);
            for k in asm.early() {
                assert_eq!(
                    asm.constraints[k], "=&r",
                    "${k} is written before the last input is read: {text}"
                );
                early += 1;
            }
            let has = |group: &[&str]| asm.opcodes().any(|op| group.contains(&op));
            let memory = has(&["ld", "st", "atom", "red", "bar", "fence", "membar"]);
            let lanes_or_caches = has(&["shfl", "vote", "match", "bar", "prefetch"]);
            assert_eq!(asm.constraints.contains(&"~{memory}"), memory, "what touches memory: {text}");
            assert_eq!(asm.sideeffect, memory || lanes_or_caches, "what has an effect: {text}");
            assert_eq!(asm.convergent, memory || lanes_or_caches, "what may not be moved: {text}");
            if asm.sideeffect {
                opcodes.extend(asm.opcodes().map(str::to_owned));
            }
        }
    }
    assert!(early > 100, "only {early} outputs are written early");
    let effects = ["atom", "bar", "fence", "ld", "match", "prefetch", "shfl", "st", "vote"];
    // What stands around the votes and the match of some bits.
    let matching = ["and", "mov", "selp", "setp", "shl", "xor"];
    let expected: BTreeSet<&str> = effects.into_iter().chain(matching).collect();
    assert_eq!(opcodes.iter().map(String::as_str).collect::<BTreeSet<_>>(), expected);
}

#[test]
fn what_is_written_early_is_found() {
    let ir = |text: &str| format!("  %1 = call i32 asm \"{text}\", \"=r,=r,r,r\"(i32 %a, i32 %b) #0\n");
    let early = |text: &str| calls(&ir(text))[0].early().into_iter().collect::<Vec<_>>();
    assert_eq!(early("{\\0A\\09add.u32 $0, $2, $3;\\0A\\09add.u32 $1, $0, 1;\\0A\\09}"), [0; 0]);
    assert_eq!(early("{\\0A\\09add.u32 $0, $2, $3;\\0A\\09add.u32 $1, $0, $2;\\0A\\09}"), [0]);
    assert_eq!(early("mul.wide.u32 w, $2, $3; mov.b64 {$0, $1}, w; mov.u32 $1, $3;"), [0, 1]);
    assert_eq!(early("mov.u32 $0, 1; @q0 add.u32 $1, $2, $3;"), [0]);
    assert_eq!(early("mov.u32 $1, $2; st.global.u32 [$3], $1;"), [1]);
}
