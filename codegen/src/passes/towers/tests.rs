use super::schemes::Scheme;
use super::*;
use crate::declaration::tower::{Element, TowerField, tests::small_towers};
use crate::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use crate::fir::build::{Builder, Fe};
use crate::fir::interp::{Argument, from_words, launch, to_words};
use crate::fir::verify::verify;
use crate::passes::prepare;
use crate::targets::ptx::Ptx;
use curvesmith_abi::Geometry;
use curvesmith_abi::Kernel as _;
use curvesmith_abi::kernels::FieldMulSub;
use num_bigint::BigUint;

/// Operands whose coordinates are the elements of `a`, `b` and `c`; a result to `out`.
fn kernel_of(tower: &TowerField, result: impl for<'k> Fn(&'k Builder, [Fe<'k>; 3]) -> Fe<'k>) -> Kernel {
    let field = FieldDesc::new("toy", tower.p.clone());
    let b =
        Builder::new("toy_tower".into(), FieldMulSub::desc(&Geometry::PTX), Some(field), tower.tower.clone());
    let degree = tower.tower.degree() as u32;
    b.return_if(b.thread().gt(b.u32(0)));
    let operands = ["a", "b", "c"].map(|name| {
        let parts: Vec<Fe<'_>> = (0..degree).map(|i| b.buffer(name).field(b.u32(i))).collect();
        b.compose(&parts)
    });
    for (i, part) in (0..).zip(result(&b, operands).coordinates()) {
        b.buffer("out").set_field(b.u32(i), part);
    }
    b.finish()
}

fn run(kernel: &Kernel, operands: &[Element; 3]) -> Element {
    let field = kernel.field();
    let buffer = |x: &Element| Argument::Buffer(to_words(field, &x.0));
    let zero = Element(vec![BigUint::ZERO; operands[0].0.len()]);
    let mut args: Vec<Argument> = operands.iter().chain([&zero]).map(buffer).collect();
    args.push(Argument::U32(1));
    launch(kernel, 1, &mut args).expect("the kernel runs");
    let Argument::Buffer(out) = &args[3] else { unreachable!("a buffer") };
    Element(from_words(field, out))
}

/// Triples of a field: those of edge elements, and some others.
fn triples(tower: &TowerField) -> Vec<[Element; 3]> {
    let ends = [tower.integer(0), tower.one(), tower.neg(&tower.one())];
    let random = |i: u32| tower.hashed(&[], i);
    let edges = ends.iter().flat_map(|a| ends.iter().map(|b| [a.clone(), b.clone(), random(9)]));
    edges.chain((0..6).map(|i| [random(3 * i), random(3 * i + 1), random(3 * i + 2)])).collect()
}

/// Towers that kernels are checked over: of all degrees and kinds of nonresidues, to three levels.
fn towers() -> Vec<TowerField> {
    let m61 = || BigUint::from((1u64 << 61) - 1);
    let number = |n: u32| BigUint::from(n);
    let minus_one = || m61() - 1u32;
    // -1 is no square modulo 2^61 - 1, and 37 no cube; the interpreter needs no fields where only products
    // are asked for.
    let wide = [
        Tower::quadratic(minus_one()),
        Tower::quadratic(m61() - 5u32),
        Tower::quadratic(number(37)),
        Tower::prime().extended(3, vec![number(37)]),
        Tower::quadratic(minus_one()).extended(3, vec![number(9), number(1)]),
        Tower::prime().extended(3, vec![number(5)]).extended(2, vec![number(0), number(1), number(0)]),
        Tower::quadratic(minus_one())
            .extended(3, vec![number(1), number(1)])
            .extended(2, [0u32, 0, 1, 0, 0, 0].map(number).to_vec()),
    ];
    let wide = wide.into_iter().map(|tower| TowerField { p: m61(), tower });
    small_towers().into_iter().filter(|field| field.tower.top() > 0).chain(wide).collect()
}

type Formula = for<'k> fn(&'k Builder, [Fe<'k>; 3]) -> Fe<'k>;
type Meaning = fn(&TowerField, &[Element; 3]) -> Element;

#[test]
fn operations_mean_what_they_mean_in_the_tower() {
    let formulas: [(&str, Formula, Meaning); 9] = [
        ("sum", |_, [a, b, c]| a + b - c, |f, [a, b, c]| f.sub(&f.add(a, b), c)),
        ("negative", |_, [a, ..]| -a.dbl(), |f, [a, ..]| f.neg(&f.add(a, a))),
        ("product", |_, [a, b, _]| a * b, |f, [a, b, _]| f.mul(a, b)),
        ("square", |_, [a, ..]| a.sqr(), |f, [a, ..]| f.mul(a, a)),
        ("small", |_, [a, ..]| a.mul_small(7), |f, [a, ..]| f.mul_small(a, 7)),
        (
            "dot",
            |b, [x, y, z]| b.dot(&[(x, y), (y, z), (z, z)]),
            |f, [x, y, z]| f.add(&f.add(&f.mul(x, y), &f.mul(y, z)), &f.mul(z, z)),
        ),
        (
            "choice",
            |_, [a, b, c]| (a - b).is_zero().select(c.sqr(), a),
            |f, [a, b, c]| if a == b { f.sqr(c) } else { a.clone() },
        ),
        (
            "local",
            |b, [x, y, z]| {
                let sum = b.var(x);
                b.for_(b.u32(0), b.u32(3), 1, |_| sum.set(sum.get() * y + z));
                sum.get()
            },
            |f, [x, y, z]| (0..3).fold(x.clone(), |sum, _| f.add(&f.mul(&sum, y), z)),
        ),
        ("scaled", |_, [a, b, _]| a.mul_base(b.coordinates()[0]), |f, [a, b, _]| f.scale(a, &b.0[0])),
    ];
    for tower in towers() {
        for (name, formula, meaning) in formulas {
            let written = kernel_of(&tower, formula);
            assert_eq!(verify(&written), Ok(()), "{name} over {tower:?}");
            let lowered = lower_towers::<Ptx>(&written);
            assert_eq!(verify(&lowered), Ok(()), "{name} over {tower:?}");
            assert!(lowered.values().all(|v| !matches!(lowered.ty(v), Type::Ext(_))));
            assert_eq!(lower_towers::<Ptx>(&lowered), lowered, "{name} is lowered");
            for operands in triples(&tower) {
                let expected = meaning(&tower, &operands);
                assert_eq!(run(&written, &operands), expected, "{name} over {tower:?} as written");
                assert_eq!(run(&lowered, &operands), expected, "{name} over {tower:?} lowered");
            }
        }
    }
}

/// Every scheme, whichever is chosen: the first product or square of a tower is built by it.
#[test]
fn every_scheme_computes_its_operation() {
    let mut built = vec![0; Scheme::<Ptx>::ALL.len()];
    for tower in towers() {
        let level = tower.tower.top();
        for (at, scheme) in Scheme::<Ptx>::ALL.iter().enumerate() {
            let source = kernel_of(&tower, |_, [a, b, c]| a + b + c);
            let fits = scheme.degree == tower.tower.levels()[level - 1].degree;
            if !fits || !(scheme.applies)(&source, level) {
                continue;
            }
            for terms in if scheme.squares { 1..=1 } else { 1..=2 } {
                let lowered = with_scheme(&source, scheme.build, level, terms, scheme.squares);
                for operands in triples(&tower) {
                    let [a, b, c] = &operands;
                    let expected = match (scheme.squares, terms) {
                        (true, _) => tower.sqr(a),
                        (false, 1) => tower.mul(a, b),
                        (false, _) => tower.add(&tower.mul(a, b), &tower.mul(b, c)),
                    };
                    let name = scheme.name;
                    assert_eq!(run(&lowered, &operands), expected, "{name} of {terms} over {tower:?}");
                }
                built[at] += 1;
            }
        }
    }
    assert!(built.iter().all(|times| *times > 0), "{built:?}");
}

type Build = fn(&mut Code<'_, Ptx>, usize, &[(Coordinates, Coordinates)]) -> Coordinates;

/// A kernel that stores what a scheme makes of the operands of `source`, in place of its sum.
fn with_scheme(source: &Kernel, build: Build, level: usize, terms: usize, squares: bool) -> Kernel {
    let kernel = lower_towers::<Ptx>(source);
    // The canonical words of the sum are what is stored: everything up to them is kept, and they are of the
    // result.
    let first_word = kernel.body.iter().position(|stmt| match stmt {
        Stmt::Let(v) => matches!(kernel[*v], Op::Word(..)),
        _ => false,
    });
    let (head, tail) = kernel.body.split_at(first_word.expect("a result is stored"));
    let degree = kernel.tower.degree_at(level);
    let loads: Vec<Value> = kernel.values().filter(|v| matches!(kernel[*v], Op::FromWords(..))).collect();
    let [a, b, c] = [0, 1, 2].map(|i| loads[i * degree..(i + 1) * degree].to_vec());
    let given = match (squares, terms) {
        (true, _) => vec![(a.clone(), a)],
        (false, 1) => vec![(a, b)],
        (false, _) => vec![(a, b.clone()), (b, c)],
    };
    let (mut new, mut body) = (kernel.clone(), head.to_vec());
    let mut choices = Choices::<Ptx>::of(&kernel);
    let result = build(&mut Code { kernel: &mut new, out: &mut body, choices: &mut choices }, level, &given);
    let mut stored = 0;
    for stmt in tail {
        if let Stmt::Let(v) = stmt
            && let Op::Word(_, i, below) = kernel[*v]
        {
            new[*v] = Op::Word(result[stored], i, below);
            stored += usize::from(i as usize + 1 == kernel.field().words);
        }
        body.push(stmt.clone());
    }
    assert_eq!(stored, degree);
    // Words are younger than the result now: another numbering.
    new.body = body;
    let renumbered = Rewriter::new(&new).rebuild(|r, v, _, out| r.compute(r.op(v), out));
    assert_eq!(verify(&renumbered), Ok(()));
    renumbered
}

#[test]
fn frobenius_is_a_power() {
    for tower in towers().into_iter().filter(|tower| tower.p < 100u32.into()) {
        for n in 0..=tower.tower.degree() {
            let written = kernel_of(&tower, |_, [a, ..]| a.frobenius(n));
            for operands in triples(&tower) {
                let expected = tower.pow(&operands[0], &tower.p.pow(n as u32));
                assert_eq!(run(&lower_towers::<Ptx>(&written), &operands), expected, "{n} over {tower:?}");
            }
        }
    }
}

/// Through all passes, gate included: nothing of an extension is left, and the meaning is the same.
#[test]
fn whole_towers_pass_the_gate() {
    for tower in towers().into_iter().filter(|tower| tower.p > 100u32.into()) {
        let written = kernel_of(&tower, |_, [a, b, c]| (a * b - c).sqr() + a * c);
        let checked = prepare::<Ptx>(&written).unwrap_or_else(|error| panic!("{tower:?}: {error}"));
        for operands in triples(&tower) {
            assert_eq!(run(checked.kernel(), &operands), run(&written, &operands), "{tower:?}");
        }
    }
}

/// Coordinates of points lie side by side in their layout.
#[test]
fn a_coordinate_is_read_and_written_whole() {
    let tower = TowerField { p: 13u32.into(), tower: Tower::quadratic(2u32.into()) };
    let group = GroupDesc {
        name: "toy".into(),
        base: FieldDesc::new("toy_fq", tower.p.clone()),
        tower: tower.tower.clone(),
        equation: Equation::ShortWeierstrass { a: tower.integer(0).0, b: tower.integer(1).0 },
    };
    let b = Builder::for_group::<curvesmith_abi::kernels::PointDbl>(&Geometry::PTX, &group);
    b.return_if(b.thread().gt(b.u32(0)));
    for which in 0..4 {
        let x = b.buffer("a").coordinate(b.u32(0), which);
        b.buffer("out").set_coordinate(b.u32(0), 3 - which, x.sqr());
    }
    let kernel = b.finish();
    let numbers: Vec<BigUint> = (1..9u32).map(Into::into).collect();
    let buffer = |x: &[BigUint]| Argument::Buffer(to_words(&group.base, x));
    let mut args = vec![buffer(&numbers), buffer(&vec![BigUint::ZERO; 8]), Argument::U32(1)];
    launch(&lower_towers::<Ptx>(&kernel), 1, &mut args).expect("the kernel runs");
    let Argument::Buffer(out) = &args[1] else { unreachable!("a buffer") };
    let squares: Vec<BigUint> =
        numbers.chunks(2).rev().flat_map(|pair| tower.sqr(&Element(pair.to_vec())).0).collect();
    assert_eq!(from_words(&group.base, out), squares);
}
