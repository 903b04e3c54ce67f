//! Kernels for constant work against the textbook: formulas, sums of slices and of their partials.

use super::super::Machine;
use super::toy::{Affine, Textbook, Toy, curves};
use super::{Random, blocks, buf, edwards, num, real};
use curvesmith_abi::kernels::{PartialSums, PointAdd, PointDbl, PointMadd, SliceSums};

/// All pairs of the curve's points, or of those that are given.
fn check_formulas<T: Textbook>(curve: &T, points: &[Affine<T>], random: &mut Random) {
    let machine = Machine::constant(&curve.group());
    let pairs = points.iter().flat_map(|p| points.iter().map(move |q| (p.clone(), q.clone())));
    let (left, right): (Vec<Affine<T>>, Vec<Affine<T>>) = pairs.unzip();
    let n = left.len();
    let a = curve.point_words(&left, random);
    let out = buf(&vec![0; a.len()]);
    let sums: Vec<Affine<T>> =
        left.iter().zip(&right).map(|(p, q)| curve.sum(p.clone(), q.clone())).collect();

    let b = curve.point_words(&right, random);
    let args = [("a", buf(&a)), ("b", buf(&b)), ("out", out.clone()), ("n", num(n))];
    assert_eq!(curve.read_points(&machine.run_threads::<PointAdd>(n, &args, "out")), sums, "{curve:?}: add");

    let b = curve.affine_words(&right);
    let args = [("a", buf(&a)), ("b", buf(&b)), ("out", out.clone()), ("n", num(n))];
    assert_eq!(
        curve.read_points(&machine.run_threads::<PointMadd>(n, &args, "out")),
        sums,
        "{curve:?}: madd"
    );

    let doubles: Vec<Affine<T>> = left.iter().map(|p| curve.sum(p.clone(), p.clone())).collect();
    let args = [("a", buf(&a)), ("out", out), ("n", num(n))];
    assert_eq!(
        curve.read_points(&machine.run_threads::<PointDbl>(n, &args, "out")),
        doubles,
        "{curve:?}: dbl"
    );
}

/// The identity, equal and opposite points, those of order two, and any others.
#[test]
fn sums_without_branches_are_those_of_the_textbook() {
    let mut random = Random(21);
    let mut order_two = 0;
    for toy in curves() {
        let mut points = toy.points();
        order_two += points.iter().flatten().filter(|(_, y)| *y == [0, 0]).count();
        // Points of order two among them.
        points.sort_by_key(|p| p.is_some_and(|(_, y)| y != [0, 0]));
        points.truncate(40);
        check_formulas(&toy, &points, &mut random);
    }
    assert!(order_two > 0, "no point of order two was tried");
    edwards::curves().iter().for_each(|curve| check_formulas(curve, &curve.some_points(), &mut random));
    for curve in &real::curves() {
        let mut points = curve.some_points();
        points.truncate(6);
        let opposite: Vec<_> = points.iter().map(|p| curve.neg(p.clone())).collect();
        check_formulas(curve, &[points, opposite].concat(), &mut random);
    }
}

/// `rows[key]` entries of each key, in slices of `len`, whose partials are added in slices of `merged`.
fn check_sums<T: Textbook>(curve: &T, rows: &[usize], [len, merged]: [usize; 2], random: &mut Random) {
    let machine = Machine::constant(&curve.group());
    let all = curve.some_points();
    let pick = |random: &mut Random| all[random.below(all.len() as u32) as usize].clone();
    let keys: Vec<u32> =
        rows.iter().enumerate().flat_map(|(key, &len)| std::iter::repeat_n(key as u32, len)).collect();
    // Equal and opposite points and the identity in a row.
    let mut bases: Vec<Affine<T>> = vec![];
    for _ in 0..keys.len() {
        let any = pick(random);
        let last = bases.last().cloned().unwrap_or(any.clone());
        bases.push([any.clone(), last, None, any][random.below(4) as usize].clone());
    }
    let entries: Vec<u32> =
        (0..keys.len() as u32).map(|i| (i * 5 % keys.len() as u32) | (random.below(2) << 31)).collect();
    // What is there already is added to.
    let mut sums: Vec<Affine<T>> = rows.iter().map(|_| pick(random)).collect();
    let mut words = curve.point_words(&sums, random);
    for (&key, &entry) in keys.iter().zip(&entries) {
        let p = bases[(entry & 0x7fff_ffff) as usize].clone();
        let p = if entry >> 31 == 1 { curve.neg(p) } else { p };
        sums[key as usize] = curve.sum(sums[key as usize].take(), p);
    }

    let point = words.len() / rows.len();
    let (mut n, mut to) = (keys.len(), rows.len());
    let slices = n.div_ceil(len);
    words.resize((to + slices) * point, 0);
    let args = [
        ("bases", buf(&curve.affine_words(&bases))),
        ("keys", buf(&keys)),
        ("entries", buf(&entries)),
        ("sums", buf(&words)),
        ("to", num(to)),
        ("len", num(len)),
        ("n", num(n)),
        ("slices", num(slices)),
    ];
    [words] = machine.run::<SliceSums, 1>(blocks::<SliceSums>(slices), &args, ["sums"]);
    let (mut offset, mut stride) = (len, len);
    n = slices - 1;
    while n > 0 {
        let slices = n.div_ceil(merged);
        let from = to + 1;
        to = from + n;
        words.resize((to + slices) * point, 0);
        let args = [
            ("keys", buf(&keys)),
            ("sums", buf(&words)),
            ("offset", num(offset)),
            ("stride", num(stride)),
            ("from", num(from)),
            ("to", num(to)),
            ("len", num(merged)),
            ("n", num(n)),
            ("slices", num(slices)),
        ];
        [words] = machine.run::<PartialSums, 1>(blocks::<PartialSums>(slices), &args, ["sums"]);
        stride *= merged;
        offset += stride;
        n = slices - 1;
    }
    words.truncate(rows.len() * point);
    assert_eq!(curve.read_points(&words), sums, "{curve:?}, {rows:?} in slices of {len} and {merged}");
}

#[test]
fn rows_are_summed_wherever_slices_begin() {
    let mut random = Random(22);
    let toys = [
        Toy { p: 13, nonresidue: None, a: [3, 0], b: [8, 0] },
        Toy { p: 13, nonresidue: None, a: [1, 0], b: [0, 0] },
        Toy { p: 7, nonresidue: Some(6), a: [0, 0], b: [4, 4] },
    ];
    for toy in &toys {
        for rows in
            [&[1][..], &[5], &[0, 1, 0], &[3, 1, 0, 2, 7], &[129, 0, 128, 1, 300], &[1; 70], &[2; 150]]
        {
            for lengths in [[1, 2], [3, 2], [4, 8], [64, 3], [1000, 8]] {
                check_sums(toy, rows, lengths, &mut random);
            }
        }
    }
    for curve in &edwards::curves() {
        check_sums(curve, &[3, 0, 9, 40, 1], [3, 2], &mut random);
    }
    for curve in &real::curves() {
        check_sums(curve, &[3, 0, 9, 17, 1], [3, 2], &mut random);
    }
}
