//! The kernels of an MSM, one after the other, against repeated addition.

use super::toy::{Point, Toy};
use super::{Random, blocks, buf, num};
use crate::Machine;
use curvesmith_abi::kernels::{
    Accumulate, CombineWindows, FillIdentity, FlushPartials, MergePartials, ReduceChunks, SumStep,
};

/// Signed digits of `scalars` in windows of `c` bits, sorted by key.
struct Sorted {
    keys: Vec<u32>,
    entries: Vec<u32>,
    starts: Vec<u32>,
    buckets: usize,
}

fn sorted_digits(scalars: &[u64], c: usize, windows: usize) -> Sorted {
    let half = 1u64 << (c - 1);
    let buckets = windows << (c - 1);
    let mut pairs = vec![];
    for (i, &scalar) in scalars.iter().enumerate() {
        let mut rest = scalar;
        for w in 0..windows as u64 {
            let low = rest & (2 * half - 1);
            rest >>= c;
            let (magnitude, sign) = if low > half { (2 * half - low, 1u32) } else { (low, 0) };
            rest += u64::from(sign);
            let key = if magnitude == 0 { buckets as u64 } else { w * half + magnitude - 1 };
            pairs.push((key as u32, i as u32 | sign << 31));
        }
        assert_eq!(rest, 0);
    }
    pairs.sort_by_key(|(key, _)| *key);
    let (keys, entries): (Vec<u32>, Vec<u32>) = pairs.into_iter().unzip();
    let starts = (0..=buckets as u32).map(|k| keys.partition_point(|&x| x < k) as u32).collect();
    Sorted { keys, entries, starts, buckets }
}

struct Shape {
    c: usize,
    windows: usize,
    slices: usize,
    chunk: usize,
}

fn msm(machine: &Machine, toy: &Toy, points: &[Point], scalars: &[u64], shape: &Shape) -> Point {
    let Shape { c, windows, slices, chunk } = *shape;
    let Sorted { keys, entries, starts, buckets } = sorted_digits(scalars, c, windows);
    let stride = 16 * toy.degree();
    let sums = machine.run_threads::<FillIdentity>(
        buckets,
        &[("points", buf(&vec![1; buckets * stride])), ("n", num(buckets))],
        "points",
    );
    let args = [
        ("bases", buf(&toy.affine_words(points))),
        ("keys", buf(&keys)),
        ("entries", buf(&entries)),
        ("starts", buf(&starts)),
        ("sums", buf(&sums)),
        ("partials", buf(&vec![3; slices * stride])),
        ("buckets", num(buckets)),
        ("slices", num(slices)),
    ];
    let [sums, mut partials] =
        machine.run::<Accumulate, 2>(blocks::<Accumulate>(slices), &args, ["sums", "partials"]);
    let mut step = 1;
    while step < slices {
        let args = [
            ("keys", buf(&keys)),
            ("starts", buf(&starts)),
            ("partials", buf(&partials)),
            ("buckets", num(buckets)),
            ("slices", num(slices)),
            ("step", num(step)),
        ];
        partials = machine.run_threads::<MergePartials>(slices, &args, "partials");
        step *= 2;
    }
    let args = [
        ("keys", buf(&keys)),
        ("starts", buf(&starts)),
        ("partials", buf(&partials)),
        ("sums", buf(&sums)),
        ("buckets", num(buckets)),
        ("slices", num(slices)),
    ];
    let sums = machine.run_threads::<FlushPartials>(slices, &args, "sums");

    let mut expected = vec![None; buckets];
    for (key, entry) in keys.iter().zip(&entries).filter(|(key, _)| (**key as usize) < buckets) {
        let p = points[(entry & 0x7fff_ffff) as usize];
        let p = if entry >> 31 == 1 { toy.neg(p) } else { p };
        expected[*key as usize] = toy.sum(expected[*key as usize], p);
    }
    assert_eq!(toy.read_xyzz(&sums), expected, "{slices} slices");

    let n = buckets / chunk;
    let args = [
        ("sums", buf(&sums)),
        ("out", buf(&vec![0; n * stride])),
        ("log_b", num(c - 1)),
        ("chunk", num(chunk)),
        ("n", num(n)),
    ];
    let mut chunks = machine.run_threads::<ReduceChunks>(n, &args, "out");
    let width = (1 << (c - 1)) / chunk;
    let mut step = 1;
    while step < width {
        let args = [("points", buf(&chunks)), ("width", num(width)), ("step", num(step)), ("n", num(n))];
        chunks = machine.run_threads::<SumStep>(n, &args, "points");
        step *= 2;
    }
    let args = [
        ("points", buf(&chunks)),
        ("out", buf(&vec![0; stride])),
        ("width", num(width)),
        ("c", num(c)),
        ("windows", num(windows)),
    ];
    toy.read_xyzz(&machine.run_threads::<CombineWindows>(1, &args, "out"))[0]
}

#[test]
fn sums_of_products_for_every_distribution() {
    let mut random = Random(9);
    let toys = [
        Toy { p: 13, nonresidue: None, a: [3, 0], b: [8, 0] },
        Toy { p: 7, nonresidue: Some(6), a: [0, 0], b: [4, 4] },
    ];
    let shapes = [
        Shape { c: 2, windows: 5, slices: 32, chunk: 2 },
        Shape { c: 3, windows: 4, slices: 7, chunk: 1 },
        Shape { c: 4, windows: 3, slices: 160, chunk: 2 },
        Shape { c: 5, windows: 2, slices: 1, chunk: 16 },
        Shape { c: 8, windows: 2, slices: 64, chunk: 4 },
    ];
    for toy in &toys {
        let machine = Machine::group(&toy.desc());
        let all = toy.points();
        for shape in &shapes {
            for n in [1usize, 2, 33, 130] {
                let points: Vec<Point> =
                    (0..n).map(|_| all[random.below(all.len() as u32) as usize]).collect();
                let top = 1u64 << (shape.c * shape.windows - 1);
                let bound = top.min(500) as u32;
                let cases: [Vec<u64>; 4] = [
                    (0..n).map(|_| u64::from(random.below(bound))).collect(),
                    vec![0; n],
                    vec![u64::from(bound - 1); n],
                    (0..n).map(|i| u64::from(i % 7 == 0)).collect(),
                ];
                for scalars in cases {
                    let expected = points
                        .iter()
                        .zip(&scalars)
                        .fold(None, |sum, (&p, &k)| toy.sum(sum, toy.multiple(k as i64, p)));
                    assert_eq!(
                        msm(&machine, toy, &points, &scalars, shape),
                        expected,
                        "{toy:?} n={n} c={}",
                        shape.c
                    );
                }
            }
        }
    }
}
