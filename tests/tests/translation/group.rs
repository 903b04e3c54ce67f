//! Inputs of the kernels of a group. Formulas are the same arithmetic on the curve and off it, so that points
//! are any coordinates; what matters is that many are the identity, equal or opposite.

use super::session::{Session, buf, num};
use curvesmith_abi::kernels::{NO_ENTRY, ROW_CLASSES};
use curvesmith_abi::{Form, IDENTITY_WORD, KernelDesc, padded_words};
use curvesmith_codegen::fir::interp::to_words;
use num_bigint::BigUint;

pub(crate) fn case(s: &mut Session, desc: &KernelDesc) -> Option<()> {
    match desc.name {
        name @ ("point_add" | "point_madd" | "point_dbl") => {
            s.run(name, 60, 60, &[]);
        }
        name @ "accumulate" => accumulate(s, name, 1),
        name @ "accumulate_lanes" => accumulate(s, name, 2),
        name @ "accumulate_rows" => accumulate_rows(s, name),
        name @ ("merge_partials" | "merge_heads") => merge(s, name),
        name @ "slice_sums" => slices(s, name),
        name @ "partial_sums" => partials(s, name),
        name @ "pair_sums" => pairs(s, name),
        name @ "base_multiples" => {
            for (n, multiples, doublings) in [(9, 1, 2), (5, 3, 2)] {
                let out = buf(&s.affine_points(n * multiples));
                let named = [
                    ("multiples", num(multiples)),
                    ("doublings", num(doublings)),
                    ("out", out),
                    ("n", num(n)),
                ];
                s.run(name, n, n, &named);
            }
        }
        name @ "bit_sums" => {
            for (log_b, done, steps, sets) in
                [(1, 0, 1, 2), (4, 0, 4, 1), (5, 0, 2, 1), (5, 2, 3, 1), (8, 0, 8, 1), (8, 2, 1, 2)]
            {
                let out = buf(&s.projective_points(sets * (log_b + 1)));
                let named = [
                    ("log_b", num(log_b)),
                    ("done", num(done)),
                    ("steps", num(steps)),
                    ("sets", num(sets)),
                    ("out", out),
                ];
                let runs = (sets << (log_b - done - steps)) * (done + 1);
                s.run(name, runs << (steps - 1), sets << log_b, &named);
            }
        }
        name @ "bit_horner" => {
            for (window, span, parts, each, n) in [(3, 3, 2, 2, 9usize), (2, 6, 1, 6, 10)] {
                let runs = n / span * parts + (n % span).div_ceil(each);
                let named = [
                    ("out", buf(&s.projective_points(runs))),
                    ("window", num(window)),
                    ("span", num(span)),
                    ("parts", num(parts)),
                    ("each", num(each)),
                    ("n", num(n)),
                    ("runs", num(runs)),
                ];
                s.run(name, runs, n, &named);
            }
        }
        _ => return None,
    }
    Some(())
}

/// Sorted keys with runs that span slices, and with empty buckets.
fn keys(s: &mut Session, n: usize, buckets: usize) -> (Vec<u32>, Vec<u32>) {
    let mut keys: Vec<u32> = (0..n).map(|_| (s.random.below(buckets) * s.random.below(2)) as u32).collect();
    keys.sort_unstable();
    let starts = (0..=buckets as u32).map(|k| keys.partition_point(|key| *key < k) as u32).collect();
    (keys, starts)
}

/// By so many lanes a slice.
fn accumulate(s: &mut Session, name: &str, lanes: usize) {
    let (points, buckets) = (12, 7);
    for (n, slices, least) in [(90, 11, 1), (5, 9, 2), (0, 2, 1)] {
        let (keys, starts) = keys(s, n, buckets);
        let entries: Vec<u32> =
            (0..n).map(|_| (s.random.below(points) | s.random.below(2) << 31) as u32).collect();
        let xyzz = 4 * s.degree * padded_words(s.field().words);
        let named = [
            ("keys", buf(&keys)),
            ("entries", buf(&entries)),
            ("starts", buf(&starts)),
            // Zeros are identities.
            ("sums", buf(&vec![0; buckets * xyzz])),
            ("partials", buf(&s.projective_points(slices))),
            ("buckets", num(buckets)),
            ("slices", num(slices)),
            ("least", num(least)),
        ];
        s.run(name, lanes * slices, points, &named);
    }
}

fn slices(s: &mut Session, name: &str) {
    let (bases, buckets) = (12, 7);
    for (n, len) in [(90, 9), (5, 2), (3, 4)] {
        let (keys, _) = keys(s, n, buckets);
        let entries: Vec<u32> =
            (0..n).map(|_| (s.random.below(bases) | s.random.below(2) << 31) as u32).collect();
        let slices = n.div_ceil(len);
        let sums = buf(&s.projective_points(buckets + slices));
        let named = [
            ("keys", buf(&keys)),
            ("entries", buf(&entries)),
            ("sums", sums),
            ("to", num(buckets)),
            ("len", num(len)),
            ("n", num(n)),
            ("slices", num(slices)),
        ];
        s.run(name, slices, bases, &named);
    }
}

fn partials(s: &mut Session, name: &str) {
    let buckets = 7;
    for (n, len, stride) in [(40, 3, 2), (2, 4, 9)] {
        let (keys, _) = keys(s, (n + 1) * stride, buckets);
        let slices = n.div_ceil(len);
        let (from, to) = (buckets + 1, buckets + 1 + n);
        let sums = buf(&s.projective_points(to + slices));
        let named = [
            ("keys", buf(&keys)),
            ("sums", sums),
            ("offset", num(stride)),
            ("stride", num(stride)),
            ("from", num(from)),
            ("to", num(to)),
            ("len", num(len)),
            ("n", num(n)),
            ("slices", num(slices)),
        ];
        s.run(name, slices, 0, &named);
    }
}

/// Rows that are cut into parts of two entries, whole ones in any order, and empty ones.
fn accumulate_rows(s: &mut Session, name: &str) {
    let (points, buckets) = (12, 7);
    for n in [60, 5, 0] {
        let (keys, starts) = keys(s, n, buckets);
        let entries: Vec<u32> =
            (0..keys.len()).map(|_| (s.random.below(points) | s.random.below(2) << 31) as u32).collect();
        let lens: Vec<u32> = starts.windows(2).map(|row| row[1] - row[0]).collect();
        let parts = |len: &u32| if *len > 2 { len.div_ceil(2) } else { 0 };
        let counts: Vec<u32> = lens.iter().map(parts).collect();
        let cut = counts.iter().sum::<u32>() as usize;
        let order: Vec<u32> =
            (0..buckets as u32).rev().filter(|row| [1, 2].contains(&lens[*row as usize])).collect();
        let threads = cut + order.len();
        let mut offsets: Vec<u32> = (0..=buckets).map(|row| counts[..row].iter().sum()).collect();
        offsets.resize(buckets + 2 + ROW_CLASSES as usize, threads as u32);
        let named = [
            ("entries", buf(&entries)),
            ("starts", buf(&starts)),
            ("offsets", buf(&offsets)),
            ("order", buf(&order)),
            ("sums", buf(&s.projective_points(buckets))),
            ("partials", buf(&s.projective_points(cut))),
            ("part_rows", buf(&s.words(cut))),
            ("buckets", num(buckets)),
            ("tiles", num(1)),
        ];
        s.run(name, threads + 1, points, &named);
    }
}

fn pairs(s: &mut Session, name: &str) {
    let points = 12;
    for (n, threads) in [(40, 7), (6, 9), (1, 1)] {
        let entry = |s: &mut Session| (s.random.below(points) | s.random.below(2) << 31) as u32;
        let lefts: Vec<u32> = (0..n).map(|_| entry(s)).collect();
        let rights: Vec<u32> =
            (0..n).map(|_| if s.random.below(5) == 0 { NO_ENTRY } else { entry(s) }).collect();
        let named = [
            ("lefts", buf(&lefts)),
            ("rights", buf(&rights)),
            ("starts", buf(&[0, n as u32])),
            ("sums", buf(&s.affine_points(n))),
            ("buckets", num(1)),
            ("threads", num(threads)),
        ];
        s.run(name, threads, points, &named);
    }
}

fn merge(s: &mut Session, name: &str) {
    let buckets = 9;
    for (n, slices, least) in [(60, 20, 1), (60, 20, 4), (400, 400, 1)] {
        let (keys, starts) = keys(s, n, buckets);
        let (partials, sums) = (buf(&s.projective_points(slices)), buf(&s.projective_points(buckets)));
        let named = [
            ("keys", buf(&keys)),
            ("starts", buf(&starts)),
            ("partials", partials),
            ("sums", sums),
            ("buckets", num(buckets)),
            ("slices", num(slices)),
            ("least", num(least)),
        ];
        // Blocks of slices, all but the first where only heads are added.
        let blocks = slices.div_ceil(128) - usize::from(name == "merge_heads");
        if blocks > 0 {
            s.run(name, 128 * blocks, 0, &named);
        }
    }
}

/// A coordinate: as many components as the degree.
type Coordinate = Vec<BigUint>;

impl Session {
    fn coordinate(&mut self) -> Coordinate {
        (0..self.degree).map(|_| self.element()).collect()
    }

    /// `None` is the identity. Few different points, so that equal and opposite ones meet.
    fn points(&mut self, n: usize) -> Vec<Option<[Coordinate; 2]>> {
        let all: Vec<[Coordinate; 2]> = (0..3).map(|_| [self.coordinate(), self.coordinate()]).collect();
        let p = self.field().p.clone();
        let mut one = || {
            let [x, y] = self.random.one_of(&all);
            match self.random.below(4) {
                0 => None,
                1 => Some([x, y.iter().map(|y| (&p - y) % &p).collect()]),
                _ => Some([x, y]),
            }
        };
        (0..n).map(|_| one()).collect()
    }

    pub(crate) fn affine_points(&mut self, n: usize) -> Vec<u32> {
        let field = self.field().clone();
        let coordinates = self.form.affine_coordinates();
        let identity = vec![IDENTITY_WORD; coordinates * self.degree * padded_words(field.words)];
        let mut words = vec![];
        for point in self.points(n) {
            words.extend(match point {
                None => identity.clone(),
                Some(point) => {
                    let more = (2..coordinates).flat_map(|_| self.coordinate()).collect();
                    to_words(&field, &[point.concat(), more].concat())
                }
            });
        }
        words
    }

    /// With denominators of the base field. The identity of a Weierstrass curve with any `x` and `y`, that of
    /// an Edwards curve as zeros too; the last coordinate of an Edwards point is any.
    pub(crate) fn projective_points(&mut self, n: usize) -> Vec<u32> {
        let field = self.field().clone();
        let p = &field.p;
        let (mut words, extended) = (vec![], self.form != Form::Xyzz);
        for point in self.points(n) {
            let z = self.element().max(1u32.into());
            let (zz, zzz) = (&z * &z % p, &z * &z * &z % p);
            let number = |x: BigUint| {
                let mut parts = vec![x];
                parts.resize(self.degree, BigUint::ZERO);
                parts
            };
            let times = |c: &Coordinate, k: &BigUint| c.iter().map(|x| x * k % p).collect::<Coordinate>();
            let parts = match point {
                Some([x, y]) if extended => [times(&x, &z), times(&y, &z), number(z), self.coordinate()],
                None if extended && self.random.below(2) == 0 => [0; 4].map(|_| number(BigUint::ZERO)),
                None if extended => {
                    [number(BigUint::ZERO), number(z.clone()), number(z), number(BigUint::ZERO)]
                }
                Some([x, y]) => [times(&x, &zz), times(&y, &zzz), number(zz), number(zzz)],
                None => [number(zz), number(zzz), number(BigUint::ZERO), number(BigUint::ZERO)],
            };
            words.extend(to_words(&field, &parts.concat()));
        }
        words
    }
}
