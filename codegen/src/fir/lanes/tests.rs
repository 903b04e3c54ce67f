use super::*;
use crate::declaration::tower::{self, TowerField};
use crate::declaration::{FieldDesc, Tower};
use crate::fir::build::{Builder, Fe};
use crate::fir::interp::{Argument, from_words, launch, to_words};
use crate::fir::verify::verify;
use crate::passes::prepare;
use crate::targets::ptx::Ptx;
use curvesmith_abi::kernels::PointAdd;
use curvesmith_abi::{Form, Geometry, Kernel as _};

type Three<T> = [T; 3];

/// Coordinates 0 and 3 of a point of `a` and 1 of one of `b`; a result to coordinate 2 of one of `out`.
fn kernel_of(tower: &TowerField, result: impl for<'k> Fn(&'k Builder, Three<Fe<'k>>) -> Fe<'k>) -> Kernel {
    let field = FieldDesc::new("toy", tower.p.clone());
    let b =
        Builder::new("toy_lanes".into(), PointAdd::desc(&Geometry::PTX), Some(field), tower.tower.clone());
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let operands = [("a", 0), ("a", 3), ("b", 1)].map(|(name, which)| b.buffer(name).coordinate(i, which));
    b.buffer("out").set_coordinate(i, 2, result(&b, operands));
    b.finish()
}

/// What a kernel gives for each triple, and that it leaves everything else alone.
fn run(kernel: &Kernel, triples: &[Three<tower::Element>]) -> Vec<tower::Element> {
    let (field, zero) = (kernel.field(), [BigUint::ZERO, BigUint::ZERO]);
    let points = |coordinates: &dyn Fn(&Three<tower::Element>) -> [Vec<BigUint>; Form::COORDINATES]| {
        let all: Vec<BigUint> = triples.iter().flat_map(|triple| coordinates(triple).concat()).collect();
        Argument::Buffer(to_words(field, &all))
    };
    let none = || zero.to_vec();
    let mut args = vec![
        points(&|[x, y, _]| [x.0.clone(), none(), none(), y.0.clone()]),
        points(&|[_, _, z]| [none(), z.0.clone(), none(), none()]),
        points(&|_| [none(), none(), none(), none()]),
        Argument::U32(triples.len() as u32),
    ];
    let pairs = kernel.desc.block / 2;
    launch(kernel, (triples.len() as u32).div_ceil(pairs), &mut args).expect("the kernel runs");
    let Argument::Buffer(out) = &args[2] else { unreachable!("a buffer") };
    let out = from_words(field, out);
    let coordinates: Vec<&[BigUint]> = out.chunks_exact(2).collect();
    let points = coordinates.chunks_exact(Form::COORDINATES);
    points.clone().for_each(|point| assert_eq!([point[0], point[1], point[3]], [&zero; 3]));
    points.map(|point| tower::Element(point[2].to_vec())).collect()
}

/// Triples of a field: those of edge elements, and others; of more pairs than a block has.
fn triples(tower: &TowerField) -> Vec<Three<tower::Element>> {
    let unit = tower::Element(vec![BigUint::ZERO, 1u32.into()]);
    let ends = [tower.integer(0), tower.one(), tower.neg(&tower.one()), unit];
    let random = |i: u32| tower.hashed(&[], i);
    let edges = ends.iter().flat_map(|a| ends.iter().map(|b| [a.clone(), b.clone(), random(9)]));
    edges.chain((0..60).map(|i| [random(3 * i), random(3 * i + 1), random(3 * i + 2)])).collect()
}

/// Nonresidues of both signs, small, 1 from -1, and large ones.
fn towers() -> Vec<TowerField> {
    let m61 = || BigUint::from((1u64 << 61) - 1);
    let wide = [m61() - 1u32, m61() - 5u32, m61() - 2u32, 37u32.into(), 13u32.into(), m61() >> 3];
    let toys = [(11, 10), (13, 2), (7, 3)].map(|(p, xi): (u32, u32)| (p.into(), xi.into()));
    let wide = wide.map(|xi| (m61(), xi));
    toys.into_iter().chain(wide).map(|(p, xi)| TowerField { p, tower: Tower::quadratic(xi) }).collect()
}

type Formula = for<'k> fn(&'k Builder, Three<Fe<'k>>) -> Fe<'k>;
type Meaning = fn(&TowerField, &Three<tower::Element>) -> tower::Element;

const FORMULAS: [(&str, Formula, Meaning); 11] = [
    ("sum", |_, [a, b, c]| a + b - c, |f, [a, b, c]| f.sub(&f.add(a, b), c)),
    ("negative", |_, [a, ..]| -a.dbl(), |f, [a, ..]| f.neg(&f.add(a, a))),
    ("small", |_, [a, ..]| a.mul_small(7), |f, [a, ..]| f.mul_small(a, 7)),
    ("product", |_, [a, b, _]| a * b, |f, [a, b, _]| f.mul(a, b)),
    // An operand on both sides, and one that is known from before.
    (
        "products",
        |_, [a, b, c]| (a * b) * a + b * c,
        |f, [a, b, c]| f.add(&f.mul(&f.mul(a, b), a), &f.mul(b, c)),
    ),
    ("square", |_, [a, b, _]| a.sqr().sqr() + b, |f, [a, b, _]| f.add(&f.sqr(&f.sqr(a)), b)),
    (
        "dot",
        |b, [x, y, z]| b.dot(&[(x, y), (y, z), (z, z)]),
        |f, [x, y, z]| f.add(&f.add(&f.mul(x, y), &f.mul(y, z)), &f.mul(z, z)),
    ),
    (
        "choice",
        |b, [x, y, z]| {
            let chosen = b.var(x);
            b.if_else(
                (x - y).is_zero(),
                || chosen.set(z.sqr()),
                || b.if_(y.maybe_zero(), || b.if_(y.is_zero(), || chosen.set(x * z))),
            );
            chosen.get()
        },
        |f, [x, y, z]| match (x == y, *y == f.integer(0)) {
            (true, _) => f.sqr(z),
            (_, true) => f.mul(x, z),
            _ => x.clone(),
        },
    ),
    (
        "local",
        |b, [x, y, z]| {
            let sum = b.var(x);
            b.for_(b.u32(0), b.global_index() % 4, 1, |_| sum.set(sum.get() * y + z));
            sum.get()
        },
        |f, [x, y, z]| (0..3).fold(x.clone(), |sum, _| f.add(&f.mul(&sum, y), z)),
    ),
    // Elements of the prime field: the same in both lanes, whichever they come from.
    ("scaled", |_, [a, b, _]| a.mul_base(b.coordinates()[1]), |f, [a, b, _]| f.scale(a, &b.0[1])),
    (
        "turned",
        |b, [a, ..]| b.compose(&[a.coordinates()[1], b.one()]) + b.embed(b.one()),
        |f, [a, ..]| f.add(&tower::Element(vec![a.0[1].clone(), 1u32.into()]), &f.one()),
    ),
];

#[test]
fn operations_mean_on_pairs_of_lanes_what_they_mean_in_the_extension() {
    for tower in towers() {
        for (name, formula, meaning) in FORMULAS {
            let written = kernel_of(&tower, formula);
            let spread = spread_over_lanes(&written).expect("there is a form on lanes");
            assert_eq!(verify(&spread), Ok(()), "{name} over {tower:?}");
            assert!(spread.values().all(|v| !matches!(spread.ty(v), Type::Ext(_))), "{name}");
            let triples: Vec<_> = triples(&tower);
            // Threads that go around a loop so many times.
            let rounds = |i: usize, triple: &Three<tower::Element>| match name {
                "local" => (0..i % 4)
                    .fold(triple[0].clone(), |sum, _| tower.add(&tower.mul(&sum, &triple[1]), &triple[2])),
                _ => meaning(&tower, triple),
            };
            let expected: Vec<_> = triples.iter().enumerate().map(|(i, triple)| rounds(i, triple)).collect();
            assert_eq!(run(&spread, &triples), expected, "{name} over {tower:?}");
            if tower.p.bits() > 7 {
                let checked = prepare::<Ptx>(&spread).unwrap_or_else(|e| panic!("{name}, {tower:?}: {e}"));
                assert_eq!(run(checked.kernel(), &triples), expected, "{name} over {tower:?}, prepared");
            }
        }
    }
}

/// Why a kernel over a quadratic extension has no form on lanes.
fn refused(body: impl for<'k> FnOnce(&'k Builder, Fe<'k>)) -> String {
    let tower = &towers()[0];
    let b = Builder::new(
        "toy_lanes".into(),
        PointAdd::desc(&Geometry::PTX),
        Some(FieldDesc::new("toy", tower.p.clone())),
        tower.tower.clone(),
    );
    body(&b, b.buffer("a").coordinate(b.u32(0), 0));
    let kernel = b.finish();
    assert_eq!(verify(&kernel), Ok(()));
    spread_over_lanes(&kernel).expect_err("there is no form on lanes").to_string()
}

#[test]
fn kernels_that_have_no_form_on_lanes_are_refused() {
    let says = |error: String, what: &str| assert!(error.contains(what), "{error}");
    says(
        refused(|b, _| {
            b.lane();
        }),
        "the number of a lane",
    );
    says(
        refused(|b, _| {
            b.ballot(b.bool(true), b.u32(1));
        }),
        "Ballot",
    );
    says(refused(|b, _| b.barrier()), "Barrier");
    says(refused(|b, _| b.shared(1).set_word(b.u32(0), b.u32(0))), "shared memory");
    let half = "half of a coordinate";
    let part = |b: &Builder, which: usize| b.buffer("out").set_part(b.u32(0), which, b.one());
    says(refused(|b, _| part(b, 0)), half);
    says(refused(|b, _| part(b, 1)), half);
    // The second half of another coordinate, of another point, and behind a loop's begin.
    says(refused(|b, _| [0, 3].iter().for_each(|which| part(b, *which))), half);
    says(
        refused(|b, x| {
            let [even, odd] = [0, 1].map(|i| x.coordinates()[i]);
            b.buffer("out").set_part(b.u32(0), 0, even);
            b.buffer("out").set_part(b.u32(1), 1, odd);
        }),
        half,
    );
    says(
        refused(|b, _| {
            part(b, 0);
            b.if_(b.bool(true), || part(b, 1))
        }),
        half,
    );
    says(
        refused(|b, _| {
            part(b, 0);
            b.buffer("a").part_words(b.u32(0), 0);
            part(b, 1)
        }),
        half,
    );
}

#[test]
fn towers_of_other_shapes_are_refused() {
    let one = || vec![BigUint::from(2u32)];
    let towers = [
        (Tower::prime(), "levels"),
        (Tower::prime().extended(3, one()), "another degree"),
        (Tower::quadratic(2u32.into()).extended(2, vec![2u32.into(), 1u32.into()]), "levels"),
    ];
    for (tower, what) in towers {
        let field = FieldDesc::new("toy", 13u32.into());
        let b = Builder::new("toy_lanes".into(), PointAdd::desc(&Geometry::PTX), Some(field), tower);
        let error = spread_over_lanes(&b.finish()).expect_err("there is no form on lanes");
        assert!(error.to_string().contains(what), "{error}");
    }
}

/// What is read of one element of a buffer before it is written is not what is read after.
#[test]
fn loads_are_joined_until_something_is_written() {
    let tower = towers().remove(4);
    let field = FieldDesc::new("toy", tower.p.clone());
    let b =
        Builder::new("toy_lanes".into(), PointAdd::desc(&Geometry::PTX), Some(field), tower.tower.clone());
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let out = b.buffer("out");
    out.set_coordinate(i, 2, b.buffer("a").coordinate(i, 0));
    out.set_coordinate(i, 2, out.coordinate(i, 2) * out.coordinate(i, 2));
    out.set_coordinate(i, 2, out.coordinate(i, 2) + b.buffer("a").coordinate(i, 3));
    let spread = spread_over_lanes(&b.finish()).expect("there is a form on lanes");
    let triples = triples(&tower);
    let expected: Vec<_> = triples.iter().map(|[a, b, _]| tower.add(&tower.sqr(a), b)).collect();
    assert_eq!(run(&spread, &triples), expected);
    let loads = |block: &Block| block.iter().filter(|s| matches!(s, Stmt::Load { .. })).count();
    assert_eq!(loads(&spread.body), 4);
}
