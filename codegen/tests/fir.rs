//! FIR as text, its verifier, and its interpreter against plain integer arithmetic.

use curvesmith_abi::Geometry;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::{AccumulateLanes, FieldMul, RadixCount, ScanAdd};
use curvesmith_codegen::declaration::{Equation, FieldDesc, FieldOp, GroupDesc, Tower};
use curvesmith_codegen::fir::build::{Builder, FULL_MASK};
use curvesmith_codegen::fir::interp::{Argument, Position, from_words, launch, run_block, to_words};
use curvesmith_codegen::fir::ir::{AtomicOp, Below, Kernel, ShuffleMode};
use curvesmith_codegen::fir::{parse::parse, print::print, verify::verify};
use curvesmith_codegen::kernels::formula_kernels;
use num_bigint::BigUint;
use std::path::Path;

/// Each file of `filetests/<kind>` begins with `; error: <text>`: reading (kind `parse`) or
/// verifying (kind `verify`) it must fail with that text.
#[test]
fn broken_files_are_rejected() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut count = 0;
    for kind in ["parse", "verify"] {
        let mut files: Vec<_> =
            std::fs::read_dir(dir.join(kind)).unwrap().map(|f| f.unwrap().path()).collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).unwrap();
            let expected = text.lines().next().and_then(|l| l.strip_prefix("; error: ")).expect("first line");
            let found = match (kind, parse(&text)) {
                ("parse", Err(e)) => e.to_string(),
                ("verify", Ok(k)) => {
                    let errors = verify(&k).expect_err(&file.display().to_string());
                    errors.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("\n")
                }
                (_, parsed) => panic!("{}: {parsed:?}", file.display()),
            };
            assert!(found.contains(expected), "{}: {found}", file.display());
            count += 1;
        }
    }
    assert!(count >= 9, "only {count} files");
}

fn multiply(field: &FieldDesc) -> Kernel {
    let b = Builder::for_field::<FieldMul>(&Geometry::PTX, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let product = b.buffer("a").field(i) * b.buffer("b").field(i);
    b.buffer("out").set_field(i, product);
    b.finish()
}

/// An operation by its name is the one that a method of its own gives.
#[test]
fn any_operation_can_be_applied() {
    let field = FieldDesc::new("f", 13u32.into());
    let kernel = |applied: bool| {
        let b = Builder::for_field::<FieldMul>(&Geometry::PTX, &field);
        let i = b.global_index();
        let (x, y) = (b.buffer("a").field(i), b.buffer("b").field(i));
        let product = if applied { b.apply(FieldOp::Mul, &[x, y])[0] } else { x * y };
        let shared = match applied {
            true => b.apply(FieldOp::MulShared(2), &[x, product, y]),
            false => b.mul_shared(&[x, product], y),
        };
        b.buffer("out").set_field(i, shared[0] + shared[1]);
        b.finish()
    };
    assert_eq!(print(&kernel(true)), print(&kernel(false)));
    assert!(verify(&kernel(true)).is_ok());
}

/// A block sums `data` into `data[0]` by shuffles and a shared atomic, in a loop with a divergent break.
fn sum_kernel() -> Kernel {
    let b = Builder::common::<ScanAdd>(&Geometry::PTX);
    let (data, n) = (b.buffer("data"), b.scalar("n"));
    let (total, t) = (b.shared(1), b.thread());
    b.if_(t.is(0), || total.set_word(b.u32(0), b.u32(0)));
    b.barrier();
    let (sum, i) = (b.var(b.u32(0)), b.var(t));
    b.loop_(|| {
        b.break_if(i.get().ge(n));
        data.prefetch((i.get() + 128).min(n - 1));
        sum.set(sum.get() + data.word(i.get()));
        i.set(i.get() + 128);
    });
    let mask = b.u32(FULL_MASK);
    for step in [16, 8, 4, 2, 1] {
        sum.set(sum.get() + b.shuffle(ShuffleMode::Down, sum.get(), b.u32(step), mask));
    }
    b.if_(b.lane().is(0), || {
        total.atomic(AtomicOp::Add, b.u32(0), sum.get());
    });
    b.barrier();
    b.if_(t.is(0), || data.set_word(b.u32(0), total.word(b.u32(0))));
    b.finish()
}

/// `out[i]` is made of the words of `a[i] + 0·b[i]`, read and taken under two bounds.
fn by_words(field: &FieldDesc, read: Below, taken: Below) -> Kernel {
    let b = Builder::for_field::<FieldMul>(&Geometry::PTX, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let x = b.buffer("a").field(i) + b.buffer("b").field(i) * b.zero();
    b.buffer("out").set_field(i, b.from_words_below(&x.words_below(read), taken));
    b.finish()
}

/// Elements that are shuffled, and parts that lanes choose.
fn on_lanes(base: &FieldDesc) -> Kernel {
    let [a, b] = [0u32, 7].map(|x| vec![x.into(), BigUint::ZERO]);
    let group = GroupDesc {
        name: "toy_g2".into(),
        base: base.clone(),
        tower: Tower::quadratic(2u32.into()),
        equation: Equation::ShortWeierstrass { a, b },
    };
    let kernels = formula_kernels(&Geometry::PTX, &group);
    kernels
        .into_iter()
        .find(|kernel| kernel.desc.name == AccumulateLanes::NAME)
        .expect("it is among those of short fields")
}

#[test]
fn text_reads_back() {
    let calls = parse(include_str!("../src/passes/inline/nested.fir")).unwrap();
    assert_eq!(calls.functions.len(), 2);
    let toy = FieldDesc::new("toy", 13u32.into());
    for kernel in [multiply(&toy), sum_kernel(), by_words(&toy, Below(3), Below(4)), on_lanes(&toy), calls] {
        verify(&kernel).unwrap();
        let text = print(&kernel);
        let again = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        verify(&again).unwrap();
        assert_eq!(print(&again), text);
        assert_eq!(again, parse(&print(&again)).unwrap());
    }
}

#[test]
fn text_of_a_toy_product() {
    insta::assert_snapshot!(print(&multiply(&FieldDesc::new("toy", 13u32.into()))));
}

#[test]
fn products_in_a_toy_field() {
    let field = FieldDesc::new("toy", 13u32.into());
    let pairs: Vec<(u32, u32)> = (0..13).flat_map(|x| (0..13).map(move |y| (x, y))).collect();
    let words = |f: fn(&(u32, u32)) -> u32| {
        let elements: Vec<BigUint> = pairs.iter().map(|p| f(p).into()).collect();
        Argument::Buffer(to_words(&field, &elements))
    };
    let n = pairs.len() as u32;
    let mut args = [words(|p| p.0), words(|p| p.1), words(|_| 0), Argument::U32(n)];
    launch(&multiply(&field), n.div_ceil(FieldMul::desc(&Geometry::PTX).block), &mut args).unwrap();
    let Argument::Buffer(out) = &args[2] else { unreachable!() };
    for ((x, y), product) in pairs.iter().zip(from_words(&field, out)) {
        assert_eq!(product, BigUint::from(x * y % 13), "{x}·{y}");
    }
}

/// Fields of one word and two, with a bound that is no multiple of the top word's unit, and the elements at
/// both ends.
fn awkward_fields() -> Vec<(FieldDesc, Vec<BigUint>)> {
    let fields = [FieldDesc::new("toy", 13u32.into()), FieldDesc::new("m61", ((1u64 << 61) - 1).into())];
    let ends = |f: &FieldDesc| [0u32, 1, 2].map(BigUint::from).into_iter().chain([&f.p - 1u32, &f.p >> 1]);
    fields.into_iter().map(|f| (f.clone(), ends(&f).collect())).collect()
}

/// What relies on canonical words where others are allowed is seen.
#[test]
fn words_under_a_bound_are_not_canonical() {
    for (field, elements) in awkward_fields() {
        let n = elements.len() as u32;
        let run = |read: u32, taken: u32| {
            let [a, b, out] = [0; 3].map(|_| Argument::Buffer(to_words(&field, &elements)));
            let mut args = [a, b, out, Argument::U32(n)];
            launch(&by_words(&field, Below(read), Below(taken)), 1, &mut args).map(|()| {
                let Argument::Buffer(out) = &args[2] else { unreachable!() };
                from_words(&field, out)
            })
        };
        for (read, taken) in [(1, 1), (1, 4), (2, 2), (3, 7)] {
            assert_eq!(run(read, taken).as_ref(), Ok(&elements), "{} {read} {taken}", field.name);
        }
        let error = run(2, 1).unwrap_err();
        assert!(error.reason.ends_with("is made of words that are not below 1p"), "{error}");
    }
}

/// Whether two values that are the same element have the same words is another question.
#[test]
fn words_of_equal_elements_may_differ() {
    for (field, elements) in awkward_fields() {
        let equal = |below: Below| {
            let b = Builder::for_field::<FieldMul>(&Geometry::PTX, &field);
            let i = b.global_index();
            b.return_if(i.ge(b.scalar("n")));
            let x = b.buffer("a").field(i);
            let [x, y] = [x, x + b.zero()].map(|x| x.words_below(below)[0]);
            b.buffer("out").set_field(i, x.eq(y).select(b.one(), b.zero()));
            let [a, b_, out] = [0; 3].map(|_| Argument::Buffer(to_words(&field, &elements)));
            let mut args = [a, b_, out, Argument::U32(elements.len() as u32)];
            launch(&b.finish(), 1, &mut args).unwrap();
            let Argument::Buffer(out) = &args[2] else { unreachable!() };
            from_words(&field, out).iter().filter(|x| x.bits() > 0).count()
        };
        assert_eq!(equal(Below::CANONICAL), elements.len(), "{}", field.name);
        assert_eq!(equal(Below(6)), 0, "{}", field.name);
    }
}

#[test]
fn loops_shuffles_and_atomics() {
    for n in [0u32, 1, 31, 128, 129, 1000] {
        let data: Vec<u32> = (0..n.max(1)).map(|i| i.wrapping_mul(2654435761)).collect();
        let expected = data[..n as usize].iter().fold(0u32, |a, b| a.wrapping_add(*b));
        let mut args = [Argument::Buffer(data), Argument::Buffer(vec![]), Argument::U32(n)];
        launch(&sum_kernel(), 1, &mut args).unwrap();
        let Argument::Buffer(data) = &args[0] else { unreachable!() };
        assert_eq!(data[0], expected, "{n}");
    }
}

/// Wrong arguments are an error that names the parameter, and memory without the buffer is memory that ends
/// before it.
#[test]
fn arguments_of_another_kind_are_refused() {
    let buffer = || Argument::Buffer(vec![0; 4]);
    let right = [buffer(), buffer(), Argument::U32(1)];
    let refused = |change: &dyn Fn(&mut Vec<Argument>)| {
        let mut args = right.to_vec();
        change(&mut args);
        launch(&sum_kernel(), 1, &mut args).unwrap_err().reason
    };
    assert_eq!(launch(&sum_kernel(), 1, &mut right.clone()), Ok(()));
    let found = refused(&|args| args[0] = Argument::U64(7));
    assert_eq!(found, "data is Buffer(InOut, U32), given a u64");
    assert_eq!(refused(&|args| args[2] = buffer()), "n is U32, given a buffer");
    assert_eq!(refused(&|args| args[2] = Argument::U64(1)), "n is U32, given a u64");
    assert_eq!(refused(&|args| drop(args.pop())), "2 arguments for 3 parameters");
    assert_eq!(refused(&|args| args.push(buffer())), "4 arguments for 3 parameters");

    let block = Position { block: 0, grid: 1 };
    let run = |scalars: &[u64], args: &mut [Argument]| run_block(&sum_kernel(), block, scalars, args);
    assert_eq!(run(&[0, 0, 1], &mut right.clone()), Ok(()));
    assert_eq!(run(&[0, 0, 1 << 32], &mut right.clone()).unwrap_err().reason, "n is U32, given 0x100000000");
    for memory in [vec![Argument::U32(0); 3], vec![]] {
        let outside = run(&[0, 0, 1], &mut memory.clone()).unwrap_err().reason;
        assert!(outside.starts_with("reads outside at word 0"), "{outside}");
    }
}

#[test]
fn faults_are_named() {
    let fault = |build: fn(&Builder)| {
        let b = Builder::common::<RadixCount>(&Geometry::PTX);
        build(&b);
        let mut args = [Argument::Buffer(vec![1, 2, 3]), Argument::Buffer(vec![0; 3])].to_vec();
        args.extend(vec![Argument::U32(0); 5]);
        launch(&b.finish(), 1, &mut args).unwrap_err().reason
    };
    let outside = fault(|b| b.buffer("counts").set_word(b.thread(), b.u32(1)));
    assert!(outside.starts_with("writes outside at word 3"), "{outside}");
    let unreadable = fault(|b| b.buffer("counts").prefetch(b.thread()));
    assert!(unreadable.starts_with("reads outside at word 3"), "{unreadable}");
    let uninitialised = fault(|b| b.buffer("counts").set_word(b.u32(0), b.shared(4).word(b.u32(2))));
    assert!(uninitialised.starts_with("reads an uninitialised word"), "{uninitialised}");
    let barrier = fault(|b| b.if_(b.thread().lt(b.u32(7)), || b.barrier()));
    assert!(barrier.contains("does not reach a barrier"), "{barrier}");
    let mask = fault(|b| {
        b.if_(b.thread().lt(b.u32(7)), || {
            b.ballot(b.bool(true), b.u32(FULL_MASK));
        })
    });
    assert!(mask.contains("does not take part"), "{mask}");
    let forever = fault(|b| b.loop_(|| b.barrier()));
    assert_eq!(forever, "does not end");
}
