//! Modules of kernels by naga, rows as loops, and what is refused.

use super::emit::{rows, steps};
use super::*;
use crate::declaration::{Equation, FieldDesc, FieldOp, GroupDesc, Tower};
use crate::error::PassError;
use crate::fir::build::{Builder, Fe};
use crate::fir::ir::{AtomicOp, Kernel, Order, Scope, Stmt};
use crate::kernels::{common_kernels, constant_kernels, field_kernels, formula_kernels, group_kernels};
use crate::passes::{Checked, Library, prepare};
use crate::targets::limbs::ir::{Inst, Limb, Src};
use crate::targets::ptx::tests::is_long;
use crate::targets::tests::trials::{field, ops, solinas, usual_fields};
use crate::targets::{Arithmetic as _, Artefact, BackEnd as _, Machine};
use curvesmith_abi::kernels::{AccumulateLanes, FieldAdd, ScanAdd};
use curvesmith_abi::wgsl::by_words_64;
use curvesmith_abi::{Geometry, Kernel as _};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use num_bigint::BigUint;
use std::collections::BTreeMap;

const GEOMETRY: Geometry = Geometry::WGSL;

/// What naga says of a text with some capabilities beyond the language.
fn validated(text: &str, capabilities: Capabilities) -> Result<naga::Module, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.validate(&module).map_err(|error| error.emit_to_string(text))?;
    Ok(module)
}

fn checked<T: Machine>(kernels: &[Kernel]) -> Vec<Checked<T>> {
    let mut library = Library::default();
    let prepare = |k: &Kernel| library.prepare(k).unwrap_or_else(|e| panic!("{}: {e}", k.symbol));
    kernels.iter().map(prepare).collect()
}

fn bn254() -> FieldDesc {
    field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47")
}

fn group(name: &str, base: FieldDesc, quadratic: bool, a: u32) -> GroupDesc {
    let tower = if quadratic { Tower::quadratic(&base.p - 1u32) } else { Tower::prime() };
    let coordinates = |x: u32| {
        let mut parts = vec![BigUint::from(x)];
        parts.resize(tower.degree(), BigUint::ZERO);
        parts
    };
    let equation = Equation::ShortWeierstrass { a: coordinates(a), b: coordinates(7) };
    GroupDesc { name: name.into(), base, tower, equation }
}

/// Those that the language has.
fn writable(kernels: &[Kernel]) -> Vec<Kernel> {
    kernels.iter().filter(|kernel| kernel.desc.name != AccumulateLanes::NAME).cloned().collect()
}

/// naga takes the text, and no kernel is left out or asks for more than the least of limits.
fn is_module(kernels: &[Kernel], artefact: &Artefact, capabilities: Capabilities) {
    let module = validated(&artefact.text, capabilities).unwrap_or_else(|e| panic!("{e}"));
    let entries: Vec<&str> = module.entry_points.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(entries, kernels.iter().map(|kernel| kernel.symbol.as_str()).collect::<Vec<_>>());
    for ((entry, needs), kernel) in module.entry_points.iter().zip(&artefact.needs).zip(kernels) {
        assert_eq!(entry.workgroup_size, [kernel.desc.block, 1, 1], "{}", kernel.symbol);
        assert!(needs.threads <= 256 && needs.shared <= 16 << 10 && needs.buffers <= 8, "{needs:?}");
    }
}

/// The kernels of owners of one field each: no kernel leaves a module out, in both texts of products.
fn modules_are_valid(kernels: &[Kernel]) {
    let kernels = writable(kernels);
    let prepared = checked(&kernels);
    let artefact = Wgsl::emit(&prepared, ()).unwrap_or_else(|e| panic!("{e}"));
    is_module(&kernels, &artefact, Capabilities::empty());
    let text = by_words_64(&artefact.text);
    is_module(&kernels, &Artefact { text: text.clone(), ..artefact }, Capabilities::SHADER_INT64);
    // The other text needs the capability.
    assert!(validated(&text, Capabilities::empty()).is_err());
}

#[test]
fn kernels_of_no_field_are_modules() {
    modules_are_valid(&common_kernels(&GEOMETRY));
}

#[test]
fn kernels_of_fields_are_modules() {
    for f in usual_fields().into_iter().chain([solinas(160, 47)]) {
        modules_are_valid(&field_kernels(&GEOMETRY, &f));
    }
}

#[test]
fn kernels_of_groups_are_modules() {
    let bn254 = bn254();
    let groups = [
        group("toy_g1", field("toy", "d"), false, 3),
        group("toy_g2", field("b", "b"), true, 1),
        group("bn254_g1", bn254.clone(), false, 0),
        group("bn254_g2", bn254, true, 0),
    ];
    for group in groups {
        modules_are_valid(&group_kernels(&GEOMETRY, &group).concat());
        modules_are_valid(&formula_kernels(&GEOMETRY, &group));
        if group.degree() == 1 {
            modules_are_valid(&constant_kernels(&GEOMETRY, &group.constant_work()).concat());
        }
    }
}

/// The instructions that rows stand for, by what the loop says of them.
fn unrolled(insts: &[Inst], rows: &rows::Rows) -> Vec<Inst> {
    let row = |k: usize| &insts[rows.start + k * rows.length..][..rows.length];
    let results = |k: usize, (at, slot): rows::Slot| row(k)[at].writes()[slot];
    let mut all = insts[..rows.start].to_vec();
    for k in 0..rows.count {
        for (at, inst) in row(k).iter().enumerate() {
            let operands: Vec<_> = rows.operands[at]
                .iter()
                .map(|operand| match *operand {
                    rows::Operand::Fixed(src) => src,
                    rows::Operand::Rotating(limb) => input(limb + k as u32),
                    rows::Operand::Own(slot) => results(k, slot).into(),
                    rows::Operand::Carried(_, first) if k == 0 => first,
                    rows::Operand::Carried(slot, _) => results(k - 1, slot).into(),
                })
                .collect();
            all.push(rows::with_operands(&row(0)[at], &inst.writes(), &operands));
        }
    }
    all.extend_from_slice(&insts[rows.start + rows.count * rows.length..]);
    all
}

fn input(number: u32) -> Src {
    Limb(number).into()
}

/// A loop is the program, instruction by instruction; products of many words have one.
#[test]
fn rows_are_the_program() {
    let mut loops = 0;
    for f in usual_fields().into_iter().chain([solinas(160, 47)]) {
        for op in ops(&f).into_iter().chain([FieldOp::FromMont, FieldOp::MulTable { step: 1, rows: 1 }]) {
            let operands = vec![Bound::Canonical; op.operands(&f)];
            for choice in Wgsl::choices(&f, &op, &operands) {
                let found = rows::find(choice.program(), f.words);
                if let Some(rows) = &found {
                    loops += 1;
                    let insts = &choice.program().insts;
                    assert!(unrolled(insts, rows) == *insts, "{} {op:?} {}", f.name, choice.variant);
                }
                let is_long = op == FieldOp::Mul && f.words >= 4;
                assert!(found.is_some() || !is_long, "{} {}", f.name, choice.variant);
                assert!(!is_long || found.is_some_and(|rows| rows.count + 1 >= f.words), "{}", f.name);
            }
        }
    }
    assert!(loops > 30, "{loops}");
}

/// A row that differs in anything is no row of the loop.
#[test]
fn rows_that_differ_are_not_rolled() {
    let f = bn254();
    let choices = Wgsl::choices(&f, &FieldOp::Mul, &[Bound::Canonical; 2]);
    let program = choices[0].program();
    let whole = rows::find(program, f.words).expect("it has rows");
    let middle = whole.start + (whole.count / 2) * whole.length;
    for at in middle..middle + whole.length {
        let operands = program.insts[at].reads();
        for k in 0..operands.len() {
            let mut changed = program.clone();
            let mut other = operands.clone();
            other[k] = if other[k] == input(0) { input(1) } else { input(0) };
            changed.insts[at] = rows::with_operands(&program.insts[at], &program.insts[at].writes(), &other);
            if let Some(rows) = rows::find(&changed, f.words) {
                assert!(unrolled(&changed.insts, &rows) == changed.insts, "instruction {at}, operand {k}");
                assert!(rows.count < whole.count || rows.length != whole.length, "instruction {at}");
            }
        }
    }
}

/// A stretch of calls, each of the results of the last two and of what is from before, with a line behind the
/// fifth that makes something of a result, and one call of that.
fn stretch(calls: usize) -> Vec<steps::Item> {
    let mut items = vec![steps::Item::Value { name: "v1000".into(), expression: "l0".into() }];
    for k in 0..calls {
        let (function, multiplies) = [("mul_0", true), ("dot_1", true), ("sub_2", false)][k % 3];
        let of = |back: usize| k.checked_sub(back).map_or_else(|| "v1000".into(), |k| format!("v{k}"));
        let mut operands = vec![of(1), of(2)];
        if function == "dot_1" {
            operands.extend(["E(0x1u)".into(), of(4)]);
        }
        let (name, scalar) = (format!("v{k}"), (k % 6 == 5).then(|| "l1".into()));
        items.push(steps::Item::Call(steps::Call {
            name,
            function: function.into(),
            scalar,
            operands,
            multiplies,
        }));
    }
    items.push(steps::Item::Effect(format!("l0 = v{};", calls - 1)));
    items
}

/// Calls are a loop of elements that are used again; a loop that reads or writes another element is not the
/// stretch.
#[test]
fn steps_are_the_stretch() {
    let run = stretch(40);
    let find = |run: &[steps::Item]| steps::find(run, &|name| name == "v7");
    let found = find(&run).expect("it has many calls");
    assert!(found.is(&run));
    assert_eq!(found.outputs.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["v7", "v39"]);
    let places = found.steps.iter().map(|step| step.to).max().expect("there are steps") + 1;
    assert!(places < 9, "{places} elements");
    let mut mutants = vec![];
    let mut mutant = |edit: &dyn Fn(&mut steps::Steps)| {
        let mut other = found.clone();
        edit(&mut other);
        mutants.push(other);
    };
    for k in 0..found.steps.len() {
        mutant(&|other| other.steps[k].to += 1);
        mutant(&|other| other.steps[k].scalar = Some("l2".into()));
        mutant(&|other| other.steps[k].function += "0");
        mutant(&|other| other.steps.truncate(k));
        for x in 0..found.steps[k].from.len() {
            mutant(&|other| other.steps[k].from[x] += 1);
        }
    }
    for k in 0..2 {
        mutant(&|other| other.inputs[k].1 += 1);
        mutant(&|other| other.outputs[k].1 += 1);
    }
    mutant(&|other| other.inputs[0].0 = "v38".into());
    mutant(&|other| other.before.append(&mut other.behind));
    mutant(&|other| other.behind.clear());
    assert!(mutants.len() > 250);
    for other in mutants {
        assert!(!other.is(&run), "{other:?}");
    }
    // Few calls stay as they are, and so do many different ones.
    assert!(find(&stretch(12)).is_none());
    assert!(find(&[]).is_none());
}

/// A call of what another line makes of a result begins another loop.
#[test]
fn calls_of_what_is_made_of_results_come_later() {
    let mut items = stretch(40);
    items.push(steps::Item::Value { name: "v5000".into(), expression: "v39.w0".into() });
    let second: Vec<steps::Item> = stretch(40).split_off(1);
    let renamed = |item: steps::Item| match item {
        steps::Item::Call(mut call) => {
            call.name += "00";
            call.operands
                .iter_mut()
                .for_each(|x| *x = if x == "v1000" { "E(v5000)".into() } else { x.clone() + "00" });
            steps::Item::Call(call)
        }
        item => item,
    };
    items.extend(second.into_iter().map(renamed));
    let (lines, _) = steps::lines(&items, &Default::default()).expect("they are what they stand for");
    let at = |line: &str| lines.iter().position(|(_, text)| text == line).unwrap_or_else(|| panic!("{line}"));
    let loops: Vec<usize> = (0..lines.len()).filter(|k| lines[*k].1.starts_with("for (var step")).collect();
    assert_eq!(loops.len(), 2);
    assert!(loops[0] < at("let v5000 = v39.w0;") && at("let v5000 = v39.w0;") < loops[1]);
}

/// Product sites of a function, with those of the functions that it calls; `known` are those that were
/// counted.
fn product_sites<'t>(text: &'t str, function: &'t str, known: &mut BTreeMap<&'t str, usize>) -> usize {
    if let Some(sites) = known.get(function) {
        return *sites;
    }
    // Of what is WGSL's own there is no text. The first text of two is by words of 64 bits.
    let Some(start) = text.rfind(&format!("fn {function}(")) else { return 0 };
    let body = &text[start..];
    let body = &body[body.find(")").unwrap_or(0)..body.find("\n}\n").unwrap_or(body.len())];
    let called = body.split('(').map(|before| {
        before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
    });
    let sites = match body.contains("mul_add(")
        || body.contains("for (var row")
        || body.contains("for (var turn")
    {
        true => 1,
        // A word of a quotient or a digit is small.
        false => called.filter(|name| *name != "mul_pair").map(|name| product_sites(text, name, known)).sum(),
    };
    known.insert(function, sites);
    sites
}

/// Drivers inline: at most 30 products stand in the text of an entry point.
#[test]
fn entry_points_have_few_products() {
    let fq = [
        "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47",
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    ];
    let all = fq.iter().flat_map(|p| [(p, false), (p, true)]);
    // The shortest and the longest; all in a long run.
    for (p, quadratic) in all.step_by(if is_long() { 1 } else { 3 }) {
        let kernels = group_kernels(&GEOMETRY, &group("g", field("fq", p), quadratic, 0)).concat();
        let kernels: Vec<Kernel> =
            kernels.into_iter().filter(|kernel| kernel.desc.name != AccumulateLanes::NAME).collect();
        let text = Wgsl::emit(&checked(&kernels), ()).expect("it is emitted").text;
        let mut known = BTreeMap::new();
        let sites = kernels.iter().map(|kernel| product_sites(&text, &kernel.symbol, &mut known));
        let sites: Vec<usize> = sites.collect();
        assert!(sites.iter().all(|sites| *sites <= 30), "{sites:?}");
        assert!(sites.iter().any(|sites| *sites > 5), "{sites:?}");
    }
}

/// The text of a product, for people.
#[test]
fn the_text_of_a_kernel() {
    // Products of words, and on limbs of 13 and 29 bits, of which an element needs bits to spare.
    let fields = [field("goldilocks", "ffffffff00000001"), field("mersenne61", "1fffffffffffffff")];
    for f in fields {
        let kernels = field_kernels(&GEOMETRY, &f);
        let kernel = kernels.into_iter().find(|kernel| kernel.desc.name == "mul_sub").expect("it is there");
        let text = Wgsl::emit(&checked(&[kernel]), ()).expect("it is emitted").text;
        // What all modules have is in the first.
        let own =
            if f.name == "goldilocks" { &text } else { text.split_once("struct E").expect("it is there").1 };
        insta::assert_snapshot!(format!("{}_mul_sub", f.name), own);
    }
}

fn kernel(symbol: &str, body: impl FnOnce(&Builder)) -> Kernel {
    let b = Builder::for_field::<FieldAdd>(&GEOMETRY, &field("toy", "d"));
    body(&b);
    named(b.finish(), symbol)
}

fn named(mut kernel: Kernel, symbol: &str) -> Kernel {
    kernel.symbol = symbol.into();
    kernel
}

#[test]
fn what_orders_memory_is_refused() {
    let fence = |scope| {
        let mut kernel = kernel("fence", |_| {});
        kernel.body.push(Stmt::Fence(scope));
        prepare::<Wgsl>(&kernel).map(drop).expect_err("WGSL has none")
    };
    for scope in [Scope::Block, Scope::Device] {
        assert!(matches!(fence(scope), PassError::Unsupported(_)));
    }
    let atomic = |order| {
        let b = Builder::common::<ScanAdd>(&GEOMETRY);
        b.buffer("data").atomic(AtomicOp::Add, b.thread(), b.u32(1), order);
        prepare::<Wgsl>(&b.finish()).map(drop)
    };
    assert_eq!(atomic(Order::Relaxed), Ok(()));
    assert!(matches!(atomic(Order::AcquireRelease), Err(PassError::Unsupported(_))));
}

#[test]
fn threads_meet_in_uniform_flow_only() {
    let met = |divergent: bool| {
        let kernel = kernel("meets", |b| {
            let here = if divergent { b.thread() } else { b.block_index() };
            b.if_(here.lt(b.u32(3)), || b.barrier());
        });
        Wgsl::emit(&checked(&[kernel]), ()).map(drop)
    };
    assert!(met(false).is_ok());
    let error = met(true).expect_err("some threads do not come").to_string();
    assert!(error.contains("not uniform"), "{error}");
}

#[test]
fn modules_have_one_field_and_each_symbol_once() {
    let sum = |symbol: &str, p: &str| {
        let b = Builder::for_field::<FieldAdd>(&GEOMETRY, &field("f", p));
        let i = b.global_index();
        let [x, y]: [Fe<'_>; 2] = ["a", "b"].map(|name| b.buffer(name).field(i));
        b.buffer("out").set_field(i, x + y);
        named(b.finish(), symbol)
    };
    let emit = |kernels: &[Kernel]| Wgsl::emit(&checked(kernels), ()).map(drop);
    assert!(emit(&[sum("one", "d"), sum("two", "d")]).is_ok());
    for (kernels, reason) in [
        ([sum("one", "d"), sum("one", "d")], "symbol is taken"),
        ([sum("one", "d"), sum("mul_add", "d")], "symbol is taken"),
        ([sum("one", "d"), sum("two", "b")], "another field"),
    ] {
        let error = emit(&kernels).expect_err(reason).to_string();
        assert!(error.contains(reason), "{error}");
    }
}
