//! Kernels on points.

use super::{LENGTHS, LONGEST, Limits, Touched, hash};
use curvesmith_abi::kernels::*;
use curvesmith_abi::{Family, Geometry, IDENTITY_WORD};
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc};
use curvesmith_codegen::kernels::{constant_kernels, formula_kernels, group_kernels};

/// What every buffer of points holds: identities, so that nothing is added at length.
fn points(buffer: &str, degree: usize) -> Vec<u32> {
    match buffer {
        "bases" => vec![IDENTITY_WORD; 2 * degree],
        _ => vec![0; 4 * degree],
    }
}

#[test]
fn group_kernels_do_not_wrap() {
    let limits: Vec<Limits> = kernels(1).into_iter().chain(kernels(2)).collect();
    Limits::finish(&limits, Family::Group);
}

fn kernels(degree: usize) -> [Limits; 2] {
    let base = FieldDesc::new("toy", 7u32.into());
    let tower = (degree == 2).then(|| num_bigint::BigUint::from(6u32)).into();
    let (a, b) = (vec![0u32.into(); degree], vec![3u32.into(); degree]);
    let group = GroupDesc { name: "toy".into(), base, tower, equation: Equation::ShortWeierstrass { a, b } };
    let mut limits = Limits::new(
        [group_kernels(&Geometry::PTX, &group).concat(), formula_kernels(&Geometry::PTX, &group)].concat(),
    );
    for n in LENGTHS {
        formulas(&mut limits, degree, n);
    }
    let long_slices = [(LONGEST, (1 << 20) - 1, 8, 1 << 19), (1 << 30, 1 << 20, 1 << 10, 1 << 19)];
    let sums = [
        (LONGEST, 1 << 20, 1, 1 << 22),
        ((1 << 30) + 1, 1 << 20, 1, 1),
        (1 << 20, 1 << 20, 1, 1 << 15),
        ((1 << 19) + 1, 1 << 20, 1, LONGEST),
        (1 << 25, 1 << 20, 1 << 10, 1 << 10),
    ];
    let more = if crate::is_long() { &long_slices[..] } else { &[] };
    for &(total, slices, least, buckets) in sums.iter().chain(more) {
        let msm = Msm { total, slices, least, buckets };
        // As far, in shorter slices.
        let short = Msm { slices: if crate::is_long() { slices } else { slices.max(total >> 7) }, ..msm };
        if degree == 1 || total <= 1 << 20 {
            short.accumulate::<Accumulate>(&mut limits, degree, 1);
        }
        if degree == 2 && total <= 1 << 20 {
            short.accumulate::<AccumulateLanes>(&mut limits, degree, 2);
        }
        // Rows are at most 2^30.
        let cut = Msm { buckets: buckets.min(1 << 30), ..short };
        if degree == 1 || total <= 1 << 20 {
            cut.accumulate_rows(&mut limits, degree);
        }
        msm.merge(&mut limits, degree);
        msm.merge_heads(&mut limits, degree);
    }
    for (log_b, done, steps) in
        [(1, 0, 1), (8, 0, 8), (14, 8, 6), (23, 8, 8), (23, 16, 7), (30, 0, 3), (30, 29, 1)]
    {
        bit_sums(&mut limits, degree, log_b, done, steps);
    }
    for (window, span, parts, each) in [(24, 24, 3, 8), (2, 8, 1, 8), (17, 17, 2, 9)] {
        horner(&mut limits, degree, window, [span, parts, each]);
    }
    for (n, threads) in [(LONGEST, 1 << 20), (LONGEST, LONGEST), (1 << 20, 1 << 24)] {
        pairs(&mut limits, degree, n, threads);
    }
    for most in [1, 2, 17] {
        multiples(&mut limits, degree, most);
    }
    let mut constant = Limits::new(constant_kernels(&Geometry::PTX, &group.constant_work()).concat());
    let longest = if crate::is_long() { 1 << 11 } else { 1 << 7 };
    for (n, len) in [(LONGEST, longest), (1 << 20, 1), ((1 << 30) + 1, longest / 2)] {
        if degree == 1 || n <= 1 << 20 {
            slice_sums(&mut constant, degree, n, len);
        }
    }
    for (n, stride, len) in [((1 << 20) - 1, 1 << 11, 8), (1 << 17, 1 << 13, 2), (3, 1 << 29, 8)] {
        partial_sums(&mut constant, degree, [n, stride, len]);
    }
    [limits, constant]
}

fn formulas(limits: &mut Limits, degree: usize, n: u64) {
    let contents = |buffer: &str, _: u64| points(buffer, degree);
    let mut check =
        |inputs: &[&'static str], out: &'static str, run: &mut dyn FnMut(&mut Limits, &Expect)| {
            run(limits, &|i, touched| {
                if i < n {
                    inputs.iter().for_each(|input| touched.read(input, i));
                    touched.write(out, i);
                }
            });
        };
    type Expect<'a> = dyn Fn(u64, &mut Touched) + 'a;
    check(&["a", "b"], "out", &mut |l, e| l.check::<PointAdd>(n, &[("n", n)], contents, e));
    check(&["a"], "out", &mut |l, e| l.check::<PointDbl>(n, &[("n", n)], contents, e));
    let contents = |buffer: &str, _: u64| points(if buffer == "b" { "bases" } else { buffer }, degree);
    check(&["a", "b"], "out", &mut |l, e| l.check::<PointMadd>(n, &[("n", n)], contents, e));
}

/// `total` sorted entries over `buckets` keys, each about as often.
#[derive(Clone, Copy)]
struct Msm {
    total: u64,
    slices: u64,
    least: u64,
    buckets: u64,
}

impl Msm {
    fn key(self, i: u64) -> u64 {
        i * self.buckets / self.total
    }
    fn start(self, key: u64) -> u64 {
        (key * self.total).div_ceil(self.buckets)
    }
    fn len(self) -> u64 {
        self.total.div_ceil(self.slices).max(self.least)
    }
    fn scalars(self) -> [(&'static str, u64); 3] {
        [("buckets", self.buckets), ("slices", self.slices), ("least", self.least)]
    }
    fn contents(self, degree: usize) -> impl Fn(&str, u64) -> Vec<u32> {
        move |buffer, i| match buffer {
            "keys" => vec![self.key(i) as u32],
            "starts" => vec![self.start(i) as u32],
            "entries" => vec![hash(i)],
            _ => points(buffer, degree),
        }
    }

    /// By so many lanes a slice.
    fn accumulate<K: curvesmith_abi::Kernel>(self, limits: &mut Limits, degree: usize, lanes: u64) {
        let contents = self.contents(degree);
        limits.check::<K>(lanes * self.slices, &self.scalars(), contents, |thread, touched| {
            let t = thread / lanes;
            if t >= self.slices {
                return;
            }
            touched.read("starts", self.buckets);
            touched.write("partials", t);
            let first = t * self.len();
            for i in first..((t + 1) * self.len()).min(self.total) {
                touched.read("keys", i);
                touched.read("entries", i);
                touched.read("bases", u64::from(hash(i)) % (1 << 31));
                if self.key(i) != self.key(first) {
                    touched.write("sums", self.key(i));
                }
            }
        });
    }

    /// Rows as many as there are, of which each is whole or each is cut.
    fn accumulate_rows(self, limits: &mut Limits, degree: usize) {
        let entries = |row: u64| self.start(row + 1) - self.start(row);
        let (tiles, classes) =
            (self.buckets.div_ceil(u64::from(Geometry::PTX.row_tile)), u64::from(ROW_CLASSES));
        // Rows have `few` entries or one more.
        let few = self.total / self.buckets;
        let cut = few >= 2 * self.len();
        let of = few / self.len();
        let (parts, whole) = if cut { (self.buckets * of, 0) } else { (0, self.buckets.min(self.total)) };
        let last = self.buckets + 1 + tiles * classes;
        // Of some entry, so that it is not empty.
        let row_at = |place: u64| self.key(u64::from(hash(place)) % self.total);
        let points = self.contents(degree);
        let contents = |buffer: &str, i: u64| match buffer {
            "offsets" if i == last => vec![(parts + whole) as u32],
            "offsets" => vec![if cut { i.min(self.buckets) * of } else { 0 } as u32],
            "order" => vec![row_at(i) as u32],
            "part_rows" => vec![0],
            _ => points(buffer, i),
        };
        let scalars = [("buckets", self.buckets), ("tiles", tiles)];
        limits.check::<AccumulateRows>(parts + whole + 1, &scalars, contents, |t, touched| {
            touched.read("offsets", last);
            if t >= parts + whole {
                return;
            }
            touched.read("offsets", self.buckets);
            let (row, range) = if cut {
                let row = t / of;
                let (mut low, mut high) = (0, self.buckets);
                while low < high {
                    let middle = (low + high) / 2;
                    touched.read("offsets", middle + 1);
                    if middle >= row { high = middle } else { low = middle + 1 }
                }
                [row, row + 1].iter().for_each(|row| touched.read("offsets", *row));
                touched.write_words("part_rows", t, vec![row as u32]);
                touched.write("partials", t);
                let bound =
                    |part: u64| self.start(row) + part * (entries(row) / of) + part.min(entries(row) % of);
                (row, bound(t % of)..bound(t % of + 1))
            } else {
                touched.read("order", t);
                touched.read("sums", row_at(t));
                touched.write("sums", row_at(t));
                (row_at(t), self.start(row_at(t))..self.start(row_at(t) + 1))
            };
            [row, row + 1].iter().for_each(|row| touched.read("starts", *row));
            for i in range {
                touched.read("entries", i);
                touched.read("bases", u64::from(hash(i)) % (1 << 31));
            }
        });
    }

    /// What a thread for slice `t` reads to find its key and segment `[s, e)`; none for an empty slice.
    fn segment(self, t: u64, touched: &mut Touched) -> Option<(u64, u64, u64)> {
        if t >= self.slices || t * self.len() >= self.total {
            return None;
        }
        touched.read("keys", t * self.len());
        let key = self.key(t * self.len());
        touched.read("starts", key);
        touched.read("starts", key + 1);
        let from = |key: u64| self.start(key).div_ceil(self.len());
        Some((key, from(key), from(key + 1)))
    }

    fn merge(self, limits: &mut Limits, degree: usize) {
        let (scalars, contents) = (self.scalars(), self.contents(degree));
        limits.check_blocks::<MergePartials>(
            self.slices.div_ceil(128),
            &scalars,
            contents,
            |block, touched| {
                touched.read("starts", self.buckets);
                // The slices of each segment, by its first one.
                let mut segments = std::collections::BTreeMap::<u64, Vec<u64>>::new();
                for t in block * 128..(block + 1) * 128 {
                    if let Some((key, s, _)) = self.segment(t, touched) {
                        segments.entry(s).or_default().push(t);
                        if t == s {
                            touched.read("sums", key);
                            touched.write("sums", key);
                            touched.read("partials", s);
                        }
                    }
                }
                segments.values().for_each(|slices| tree("partials", slices, touched));
            },
        );
    }

    fn merge_heads(self, limits: &mut Limits, degree: usize) {
        let (scalars, contents) = (self.scalars(), self.contents(degree));
        let grid = self.slices.div_ceil(128) - 1;
        limits.check_blocks::<MergeHeads>(grid, &scalars, contents, |block, touched| {
            touched.read("starts", self.buckets);
            let t = 128 * (block + 1);
            let Some((key, s, e)) = self.segment(t, touched) else { return };
            if (128 * block..t).contains(&s) {
                let heads: Vec<u64> = (t..e).step_by(128).collect();
                tree("partials", &heads, touched);
                touched.read("partials", t);
                touched.read("sums", key);
                touched.write("sums", key);
            }
        });
    }
}

/// The item's own sum or, where its key is that of the first one of slice `t`, the partial of that.
fn place(t: u64, [key, first]: [u64; 2], to: u64) -> u64 {
    if t > 0 && key == first { to + t } else { key }
}

/// `n` sorted entries over as many keys as there can be.
fn slice_sums(limits: &mut Limits, degree: usize, n: u64, len: u64) {
    let slices = n.div_ceil(len);
    let to = LONGEST - slices;
    let key = move |i: u64| i * to / n;
    let contents = move |buffer: &str, i: u64| match buffer {
        "keys" => vec![key(i) as u32],
        "entries" => vec![hash(i)],
        _ => points(buffer, degree),
    };
    let scalars = [("to", to), ("len", len), ("n", n), ("slices", slices)];
    limits.check::<SliceSums>(slices, &scalars, contents, |t, touched| {
        if t >= slices {
            return;
        }
        for i in t * len..((t + 1) * len).min(n) {
            touched.read("keys", i);
            touched.read("entries", i);
            touched.read("bases", u64::from(hash(i)) % (1 << 31));
            let at = place(t, [key(i), key(t * len)], to);
            touched.read("sums", at);
            touched.write("sums", at);
        }
    });
}

/// Partials whose keys are far apart, in the last places that there are.
fn partial_sums(limits: &mut Limits, degree: usize, [n, stride, len]: [u64; 3]) {
    let slices = n.div_ceil(len);
    let to = LONGEST - slices;
    let (from, offset) = (to - n, stride);
    let key = move |i: u64| (offset + i * stride) * (from / 2) / (1 << 31);
    let contents = move |buffer: &str, i: u64| match buffer {
        "keys" => vec![key((i - offset) / stride) as u32],
        _ => points(buffer, degree),
    };
    let scalars = [
        ("offset", offset),
        ("stride", stride),
        ("from", from),
        ("to", to),
        ("len", len),
        ("n", n),
        ("slices", slices),
    ];
    limits.check::<PartialSums>(slices, &scalars, contents, |t, touched| {
        if t >= slices {
            return;
        }
        for i in t * len..((t + 1) * len).min(n) {
            touched.read("keys", offset + i * stride);
            touched.read("sums", from + i);
            let at = place(t, [key(i), key(t * len)], to);
            touched.read("sums", at);
            touched.write("sums", at);
        }
    });
}

/// A tree in place over these elements: all are read, and all but the last may be written.
fn tree(buffer: &'static str, run: &[u64], touched: &mut Touched) {
    let [rest @ .., _] = run else { return };
    if !rest.is_empty() {
        run.iter().for_each(|t| touched.read(buffer, *t));
        touched.scratch.extend(rest.iter().map(|t| (buffer, *t)));
    }
}

/// Identities, combined by runs.
fn horner(limits: &mut Limits, degree: usize, window: u64, [span, parts, each]: [u64; 3]) {
    let n = LONGEST / window * window;
    let runs = n.div_ceil(span) * parts;
    // The last span may have fewer.
    let runs = runs - (parts - (n - (n - 1) / span * span).div_ceil(each).min(parts));
    let scalars =
        [("window", window), ("span", span), ("parts", parts), ("each", each), ("n", n), ("runs", runs)];
    limits.check::<BitHorner>(
        runs,
        &scalars,
        |buffer, _| points(buffer, degree),
        |g, touched| {
            if g < runs {
                let lo = g / parts * span + g % parts * each;
                let hi = (lo + each).min((g / parts + 1) * span).min(n);
                (lo..hi).for_each(|q| touched.read("sums", q));
                touched.write("out", g);
            }
        },
    );
}

fn bit_sums(limits: &mut Limits, degree: usize, log_b: u64, done: u64, steps: u64) {
    let sets = LONGEST >> log_b;
    let scalars = [("log_b", log_b), ("done", done), ("steps", steps), ("sets", sets)];
    let contents = |buffer: &str, _: u64| points(buffer, degree);
    let runs = sets << (log_b - done - steps);
    let place = |kind: u64| if kind == 0 { 0 } else { 1 << (kind - 1) };
    // Runs of a kind of point, of so many threads each.
    let of_kinds = runs * (done + 1);
    let in_a_block = 1 << (u64::from(Geometry::PTX.bit_sums_steps()) - steps);
    limits.check_blocks::<BitSums>(of_kinds.div_ceil(in_a_block), &scalars, contents, |block, touched| {
        for index in (block * in_a_block..(block + 1) * in_a_block).filter(|index| *index < of_kinds) {
            let (run, kind) = (index / (done + 1), index % (done + 1));
            let first = (run << (done + steps)) + place(kind);
            let kinds = |bits: u64| if kind == 0 { bits + 1 } else { 1 };
            for bit in 0..steps {
                let pairs = (0..1 << (steps - 1 - bit)).flat_map(|p| (0..kinds(bit)).map(move |k| (p, k)));
                for (pair, kind) in pairs {
                    let left = first + (((pair << (bit + 1)) + place(kind)) << done);
                    touched.read("points", left);
                    touched.read("points", left + (1 << (bit + done)));
                    touched.scratch.insert(("points", left));
                }
            }
            for end in (0..kinds(steps)).filter(|_| done + steps == log_b) {
                touched.read("points", first + (place(end) << done));
                let to = match (kind, end) {
                    (0, 0) => 0,
                    (0, _) => done + end,
                    _ => kind,
                };
                touched.write("out", run * (log_b + 1) + to);
            }
        }
    });
}

/// Multiples of identities.
fn multiples(limits: &mut Limits, degree: usize, multiples: u64) {
    let n = LONGEST / multiples;
    let scalars = [("multiples", multiples), ("doublings", 3), ("n", n)];
    let contents = |_: &str, _: u64| points("bases", degree);
    limits.check::<BaseMultiples>(n, &scalars, contents, |i, touched| {
        if i < n {
            touched.read("points", i);
            (0..multiples).for_each(|j| touched.write("out", i * multiples + j));
        }
    });
}

/// `n` pairs, each the sum of one identity.
fn pairs(limits: &mut Limits, degree: usize, n: u64, threads: u64) {
    let buckets = 1 << 19;
    let contents = |buffer: &str, i: u64| match buffer {
        "starts" => vec![(i * n / buckets) as u32],
        "lefts" => vec![hash(i)],
        "rights" => vec![NO_ENTRY],
        _ => points("bases", degree),
    };
    limits.check::<PairSums>(
        threads,
        &[("buckets", buckets), ("threads", threads)],
        contents,
        |t, touched| {
            if t >= threads {
                return;
            }
            touched.read("starts", buckets);
            for pair in (t..n).step_by(threads as usize) {
                touched.read("lefts", pair);
                touched.read("rights", pair);
                touched.read("points", u64::from(hash(pair)) % (1 << 31));
                touched.write("sums", pair);
            }
        },
    );
}
