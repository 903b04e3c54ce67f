//! Products by tables of constants and products with a shared operand: text, verifier, interpreter.

use curvesmith_abi::{Access, Element, Family, Geometry, KernelDesc, Param, ParamKind, TableShape, layout};
use curvesmith_abi::{Form, kernels::FieldMulSub};
use curvesmith_codegen::declaration::{FieldDesc, FieldOp, Tower};
use curvesmith_codegen::fir::build::{Builder, Table};
use curvesmith_codegen::fir::interp::{Argument, from_words, launch, to_words};
use curvesmith_codegen::fir::ir::{Kernel, Op};
use curvesmith_codegen::fir::{parse::parse, print::print, verify::verify};
use curvesmith_codegen::passes::{annotate, prepare, simplify};
use curvesmith_codegen::targets::ptx::Ptx;
use num_bigint::BigUint;

const SHAPE: TableShape = TableShape { step: 2, rows: 3 };

fn bn254_fr() -> FieldDesc {
    let p = b"30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001";
    FieldDesc::new("bn254_fr", BigUint::parse_bytes(p, 16).expect("hexadecimal"))
}

fn goldilocks() -> FieldDesc {
    FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into())
}

fn toy() -> FieldDesc {
    FieldDesc::new("toy", 8191u32.into())
}

/// `w·B^(rows + step·i) mod p`, the integers.
fn table(field: &FieldDesc, w: &BigUint, shape: TableShape) -> Vec<BigUint> {
    let entry = |i: usize| (w << (32 * (shape.rows as usize + shape.step as usize * i))) % &field.p;
    (0..shape.entries(field.words)).map(entry).collect()
}

/// The elements whose Montgomery words are these integers: what a buffer of a table holds.
fn raw_words(field: &FieldDesc, integers: &[BigUint]) -> Vec<u32> {
    let r_inv = field.r_mod_p().modinv(&field.p).expect("R is prime to p");
    to_words(field, &integers.iter().map(|x| x * &r_inv % &field.p).collect::<Vec<_>>())
}

/// `out[i] = a[i]·w` with the table in `b`, entry by entry.
fn by_table(field: &FieldDesc, shape: TableShape) -> Kernel {
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let entries = (0..shape.entries(field.words) as u32).map(|k| b.buffer("b").field(b.u32(k))).collect();
    let product = b.buffer("a").field(i).mul_table(&Table { entries, shape });
    b.buffer("out").set_field(i, product);
    b.finish()
}

/// `out[i] = a[i]·c[i] + 2·(b[i]·c[i]) + 3·(c[i]·c[i])`.
fn shared(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
    let [xz, yz, zz] = b.mul_shared(&[x, y, z], z)[..] else { panic!("three products") };
    b.buffer("out").set_field(i, xz + yz.mul_small(2) + zz.mul_small(3));
    b.finish()
}

fn run(kernel: &Kernel, field: &FieldDesc, a: &[BigUint], b: Vec<u32>, c: &[BigUint]) -> Vec<BigUint> {
    let n = a.len() as u32;
    let out = Argument::Buffer(vec![0; to_words(field, a).len()]);
    let buffers = [to_words(field, a), b, to_words(field, c)].map(Argument::Buffer);
    let mut args = [buffers.to_vec(), vec![out, Argument::U32(n)]].concat();
    launch(kernel, n.div_ceil(128), &mut args).expect("the kernel has a meaning");
    let Argument::Buffer(out) = &args[3] else { unreachable!() };
    from_words(field, out)
}

fn values(field: &FieldDesc) -> Vec<BigUint> {
    let p = &field.p;
    [0u32.into(), 1u32.into(), p - 1u32, p - 2u32, p >> 1, field.r_mod_p(), BigUint::from(u32::MAX) % p]
        .to_vec()
}

#[test]
fn text_reads_back() {
    for field in [toy(), goldilocks(), bn254_fr()] {
        for kernel in [by_table(&field, SHAPE.fit(field.words)), shared(&field)] {
            verify(&kernel).unwrap();
            let text = print(&kernel);
            let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            verify(&again).unwrap();
            assert_eq!(print(&again), text);
        }
    }
}

/// As written, simplified, and prepared for a back end.
fn forms(kernel: Kernel) -> [Kernel; 3] {
    let (simple, prepared) = (simplify(&kernel), prepare::<Ptx>(&kernel).expect("the kernel is valid"));
    [kernel, simple, prepared.kernel().clone()]
}

#[test]
fn products_by_a_table() {
    for field in [toy(), goldilocks(), bn254_fr()] {
        for (step, rows) in [(1, 1), (1, 2), (2, 2), (2, 3), (4, 4), (4, 7)] {
            let shape = TableShape { step, rows }.fit(field.words);
            for kernel in forms(by_table(&field, shape)) {
                for w in values(&field) {
                    let b = raw_words(&field, &table(&field, &w, shape));
                    let expected: Vec<_> = values(&field).iter().map(|x| x * &w % &field.p).collect();
                    assert_eq!(run(&kernel, &field, &values(&field), b, &[]), expected, "{shape:?} {w}");
                }
            }
        }
    }
}

#[test]
fn products_with_a_shared_operand() {
    for field in [toy(), goldilocks(), bn254_fr()] {
        let (xs, mut ys) = (values(&field), values(&field));
        ys.reverse();
        for kernel in forms(shared(&field)) {
            for z in values(&field) {
                let define = |(x, y): (&BigUint, &BigUint)| (x + 2u32 * y + 3u32 * &z) * &z % &field.p;
                let expected: Vec<_> = xs.iter().zip(&ys).map(define).collect();
                let zs = vec![z.clone(); xs.len()];
                assert_eq!(run(&kernel, &field, &xs, to_words(&field, &ys), &zs), expected, "{z}");
            }
        }
    }
}

#[test]
fn an_inconsistent_table_has_no_meaning() {
    let field = goldilocks();
    let shape = TableShape { step: 1, rows: 2 };
    let mut entries = table(&field, &5u32.into(), shape);
    entries[1] += 1u32;
    let words = |x: &[BigUint]| Argument::Buffer(raw_words(&field, x));
    let mut args = vec![words(&[1u32.into()]), words(&entries), words(&[]), words(&[0u32.into()])];
    args.push(Argument::U32(1));
    let error = launch(&by_table(&field, shape), 1, &mut args).unwrap_err();
    assert!(error.reason.contains("entry 1 of the table is not that of its constant"), "{error}");
}

/// Products that nothing needs are not computed, and one alone is an ordinary product.
#[test]
fn parts_that_nothing_needs_are_dropped() {
    let field = goldilocks();
    let kernel = |needed: &[usize]| {
        let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &field);
        let i = b.global_index();
        let xs = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
        let products = b.mul_shared(&xs, xs[0]);
        let sum = needed.iter().map(|k| products[*k]).reduce(|x, y| x + y).expect("one is needed");
        b.buffer("out").set_field(i, sum);
        simplify(&b.finish())
    };
    let ops = |k: &Kernel| -> Vec<usize> {
        let shared = k.values().filter_map(|v| match &k[v] {
            Op::Field(FieldOp::MulShared(n), _) => Some(*n),
            _ => None,
        });
        shared.collect()
    };
    assert_eq!(ops(&kernel(&[0, 1, 2])), [3]);
    assert_eq!(ops(&kernel(&[0, 2])), [2]);
    for (needed, square) in [(0, true), (1, false)] {
        let k = kernel(&[needed]);
        verify(&k).unwrap();
        assert_eq!(ops(&k), [0usize; 0]);
        let alone = k.values().filter(|v| matches!(k[*v], Op::Field(FieldOp::Mul | FieldOp::Sqr, _)));
        let alone: Vec<bool> = alone.map(|v| matches!(k[v], Op::Field(FieldOp::Sqr, _))).collect();
        assert_eq!(alone, [square]);
    }
}

/// A kernel whose contract names tables: each constant at its own index.
#[test]
fn a_buffer_of_tables() {
    const DESC: KernelDesc = KernelDesc {
        name: "twiddle",
        family: Family::Field,
        block: 128,
        wide_block: 128,
        params: &[
            Param { name: "a", kind: ParamKind::Buffer(Access::In, Element::Field) },
            Param {
                name: "w",
                kind: ParamKind::Buffer(Access::In, <layout::Table<2, 3> as curvesmith_abi::Layout>::ELEMENT),
            },
            Param { name: "out", kind: ParamKind::Buffer(Access::InOut, Element::Field) },
            Param { name: "n", kind: ParamKind::U32 },
        ],
    };
    assert_eq!(
        DESC.signature(Form::Xyzz),
        "Field twiddle[128](a: in field<1p, w: in table[2/3]<1p, out: inout field<1p, n: u32)"
    );
    for field in [toy(), goldilocks(), bn254_fr()] {
        let b = Builder::new("t".into(), DESC, Some(field.clone()), Tower::prime());
        let i = b.global_index();
        b.return_if(i.ge(b.scalar("n")));
        let product = b.buffer("a").field(i).mul_table(&b.buffer("w").table(i));
        b.buffer("out").set_field(i, product);
        let kernel = b.finish();
        verify(&kernel).unwrap();
        let (xs, mut ws) = (values(&field), values(&field));
        ws.reverse();
        let tables = ws.iter().flat_map(|w| raw_words(&field, &table(&field, w, SHAPE.fit(field.words))));
        let n = xs.len() as u32;
        let mut args = [to_words(&field, &xs), tables.collect(), vec![0; to_words(&field, &xs).len()]]
            .map(Argument::Buffer)
            .to_vec();
        args.push(Argument::U32(n));
        launch(&kernel, 1, &mut args).expect("the kernel has a meaning");
        let Argument::Buffer(out) = &args[2] else { unreachable!() };
        let expected: Vec<_> = xs.iter().zip(&ws).map(|(x, w)| x * w % &field.p).collect();
        assert_eq!(from_words(&field, out), expected);
    }
}

#[test]
fn prepared_text() {
    let mut text = String::new();
    for kernel in [by_table(&toy(), SHAPE.fit(1)), shared(&toy())] {
        let prepared = prepare::<Ptx>(&kernel).expect("the kernel is valid");
        text += &format!("{}\n{}\n", print(prepared.kernel()), annotate(&prepared));
    }
    insta::assert_snapshot!(text);
}

/// Every product of the words ends up in the text of a kernel that a GPU can run.
#[cfg(feature = "llvm")]
#[test]
fn emission() {
    use curvesmith_codegen::targets::BackEnd;
    use curvesmith_codegen::targets::ptx::emit::Emitter;
    for (kernel, products) in
        [(by_table(&goldilocks(), TableShape { step: 1, rows: 1 }), 6), (shared(&goldilocks()), 18)]
    {
        let prepared = [prepare::<Ptx>(&kernel).expect("the kernel is valid")];
        let text = Ptx::emit(&prepared, Emitter::Llvm).expect("it can be emitted").text;
        let high = text.matches(".hi.").count() + text.matches("mul.wide").count();
        assert!(high >= products, "{high} products of words\n{text}");
        assert!(!text.contains(".local"), "{text}");
    }
}
