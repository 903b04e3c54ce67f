//! Point kernels against textbook affine arithmetic, exhaustively on toy curves.

use super::super::Machine;
use super::toy::{Point, Textbook, Toy, curves};
use super::{Random, buf, edwards, num};
use curvesmith_abi::kernels::{PointAdd, PointDbl, PointMadd};

/// All pairs, or 1500 random ones with all those of the identity, equal and opposite points.
fn pairs(toy: &Toy, random: &mut Random) -> Vec<(Point, Point)> {
    let points = toy.points();
    let n = points.len();
    if n * n <= 1500 {
        return points.iter().flat_map(|&p| points.iter().map(move |&q| (p, q))).collect();
    }
    let special = points.iter().flat_map(|&p| [(p, p), (p, toy.neg(p)), (p, None), (None, p)]);
    let mut pick = || points[random.below(n as u32) as usize];
    let random: Vec<_> = (0..1500).map(|_| (pick(), pick())).collect();
    special.chain(random).collect()
}

#[test]
fn sums_and_doubles_are_those_of_the_textbook() {
    let mut random = Random(1);
    let curves = curves();
    assert!(curves.len() >= 20);
    let mut order_two = 0;
    for toy in curves.into_iter().step_by(if super::is_long() { 1 } else { 3 }) {
        let machine = Machine::group(&toy.desc());
        let pairs = pairs(&toy, &mut random);
        let (left, right): (Vec<Point>, Vec<Point>) = pairs.iter().copied().unzip();
        order_two += left.iter().flatten().filter(|(_, y)| *y == [0, 0]).count();
        let expected: Vec<Point> = pairs.iter().map(|&(p, q)| toy.sum(p, q)).collect();
        let n = pairs.len();
        let a = toy.point_words(&left, &mut random);
        let out = buf(&vec![0; a.len()]);

        let b = toy.point_words(&right, &mut random);
        let args = [("a", buf(&a)), ("b", buf(&b)), ("out", out.clone()), ("n", num(n))];
        assert_eq!(toy.read_points(&machine.run_threads::<PointAdd>(n, &args, "out")), expected, "{toy:?}");

        let b = toy.affine_words(&right);
        let args = [("a", buf(&a)), ("b", buf(&b)), ("out", out.clone()), ("n", num(n))];
        assert_eq!(toy.read_points(&machine.run_threads::<PointMadd>(n, &args, "out")), expected, "{toy:?}");

        let doubles: Vec<Point> = left.iter().map(|&p| toy.sum(p, p)).collect();
        let args = [("a", buf(&a)), ("out", out), ("n", num(n))];
        assert_eq!(toy.read_points(&machine.run_threads::<PointDbl>(n, &args, "out")), doubles, "{toy:?}");
    }
    assert!(order_two > 0, "no point of order two was tried");
}

#[test]
fn edwards_sums_and_doubles_are_those_of_the_textbook() {
    let mut random = Random(2);
    for curve in edwards::curves() {
        let machine = Machine::group(&curve.group());
        let points = curve.some_points();
        assert!(points.contains(&None) && points.len() >= 4, "{curve:?}");
        let (left, right): (Vec<_>, Vec<_>) =
            points.iter().flat_map(|p| points.iter().map(move |q| (*p, *q))).unzip();
        let expected: Vec<_> = left.iter().zip(&right).map(|(&p, &q)| curve.sum(p, q)).collect();
        let n = left.len();
        let a = curve.point_words(&left, &mut random);
        let out = buf(&vec![0; a.len()]);

        let b = curve.point_words(&right, &mut random);
        let args = [("a", buf(&a)), ("b", buf(&b)), ("out", out.clone()), ("n", num(n))];
        assert_eq!(
            curve.read_points(&machine.run_threads::<PointAdd>(n, &args, "out")),
            expected,
            "{curve:?}"
        );

        let b = curve.affine_words(&right);
        let args = [("a", buf(&a)), ("b", buf(&b)), ("out", out.clone()), ("n", num(n))];
        assert_eq!(
            curve.read_points(&machine.run_threads::<PointMadd>(n, &args, "out")),
            expected,
            "{curve:?}"
        );

        let doubles: Vec<_> = left.iter().map(|&p| curve.sum(p, p)).collect();
        let args = [("a", buf(&a)), ("out", out), ("n", num(n))];
        assert_eq!(
            curve.read_points(&machine.run_threads::<PointDbl>(n, &args, "out")),
            doubles,
            "{curve:?}"
        );
    }
}

#[test]
fn threads_past_the_end_write_nothing() {
    let toy = &curves()[0];
    let machine = Machine::group(&toy.desc());
    let a = buf(&toy.point_words(&[None; 9], &mut Random(1)));
    let args = [("a", a), ("out", buf(&[7; 4 * 10])), ("n", num(9))];
    let words = machine.run_threads::<PointDbl>(200, &args, "out");
    assert_eq!(toy.read_points(&words[..4 * 9]), vec![None; 9]);
    assert_eq!(words[4 * 9..], [7; 4]);
}
