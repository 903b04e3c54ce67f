//! How products and squares of an extension are made from those of the level below: a table of schemes, each
//! with its source, of which the cheapest on the field's multipliers is taken.

use super::code::{Code, Coordinates};
use crate::declaration::{FieldOp, MAX_NONRESIDUE};
use crate::fir::ir::{Block, Kernel, Op, Type, Value};
use crate::passes::products::Prices;
use crate::targets::Machine;
use num_bigint::BigUint;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// What is asked of a scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operation {
    /// `Σ a·b` over this many terms, from 1.
    Dot(usize),
    /// `a²`, given as the term `a·a`.
    Square,
}

/// Terms of a sum of products.
type Terms<'t> = &'t [(Coordinates, Coordinates)];

/// One way to compute an operation of `K[u]/(u^d - ξ)` from operations of `K`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scheme<T> {
    /// Its name.
    pub(super) name: &'static str,
    /// Where it is from.
    pub(super) source: &'static str,
    /// The degree `d` that it is for.
    pub(super) degree: usize,
    /// Whether it is for squares, else for sums of products.
    pub(super) squares: bool,
    /// Whether it is for a level of a kernel's tower.
    pub(super) applies: fn(&Kernel, usize) -> bool,
    /// The code at a level.
    pub(super) build: fn(&mut Code<'_, T>, usize, Terms<'_>) -> Coordinates,
}

impl<T: Machine> Scheme<T> {
    /// All schemes; of equal prices the first is taken.
    pub(super) const ALL: [Scheme<T>; 9] = [
        Scheme {
            name: "dots",
            source: "the definition, a sum of products a coefficient",
            degree: 2,
            squares: false,
            applies: always,
            build: quadratic_dots,
        },
        Scheme {
            name: "lazy-karatsuba",
            source: "Aranha et al., ePrint 2010/526, section 3.1",
            degree: 2,
            squares: false,
            applies: |kernel, level| small_nonresidue(kernel, level).is_some(),
            build: quadratic_lazy,
        },
        Scheme {
            name: "karatsuba",
            source: "Karatsuba and Ofman 1962; Devegili et al., ePrint 2006/471, section 3.1",
            degree: 2,
            squares: false,
            applies: always,
            build: quadratic_karatsuba,
        },
        Scheme {
            name: "complex",
            source: "Devegili et al., ePrint 2006/471, section 3.2",
            degree: 2,
            squares: true,
            applies: always,
            build: complex_square,
        },
        Scheme {
            name: "dots",
            source: "the definition, a sum of products a coefficient",
            degree: 2,
            squares: true,
            applies: always,
            build: quadratic_square,
        },
        Scheme {
            name: "dots",
            source: "the definition, a sum of products a coefficient",
            degree: 3,
            squares: false,
            applies: always,
            build: cubic_dots,
        },
        Scheme {
            name: "karatsuba",
            source: "Devegili et al., ePrint 2006/471, section 4.1",
            degree: 3,
            squares: false,
            applies: always,
            build: cubic_karatsuba,
        },
        Scheme {
            name: "dots",
            source: "the definition, a sum of products a coefficient",
            degree: 3,
            squares: true,
            applies: always,
            build: cubic_square,
        },
        Scheme {
            name: "chung-hasan",
            source: "Chung and Hasan, ARITH 2007, SQR2; Devegili et al., ePrint 2006/471, section 4.2",
            degree: 3,
            squares: true,
            applies: always,
            build: chung_hasan,
        },
    ];
}

/// The schemes of one tower, priced when they are first asked for.
#[derive(Clone)]
pub(super) struct Choices<T> {
    target: PhantomData<T>,
    /// A kernel without values, of the field and tower.
    blank: Kernel,
    known: BTreeMap<(usize, Operation), usize>,
    /// Of operations of the prime field.
    prices: BTreeMap<FieldOp, u64>,
}

impl<T: Machine> Choices<T> {
    /// Of a kernel's field and tower.
    pub(super) fn of(kernel: &Kernel) -> Self {
        let blank = Kernel::new(String::new(), kernel.desc, kernel.field.clone(), kernel.tower.clone());
        Choices { target: PhantomData, blank, known: BTreeMap::new(), prices: BTreeMap::new() }
    }

    /// The cheapest scheme for an operation of a level.
    pub(super) fn choose(&mut self, level: usize, operation: Operation) -> Scheme<T> {
        if let Some(at) = self.known.get(&(level, operation)) {
            return Scheme::ALL[*at];
        }
        let degree = self.blank.tower.levels()[level - 1].degree;
        let squares = operation == Operation::Square;
        let mut best: Option<(u64, usize)> = None;
        for (at, scheme) in Scheme::ALL.iter().enumerate() {
            let fits = scheme.degree == degree && scheme.squares == squares;
            if fits && (scheme.applies)(&self.blank, level) {
                let price = (self.price(scheme, level, operation), at);
                best = Some(best.map_or(price, |best| best.min(price)));
            }
        }
        let (_, at) = best.expect("every degree has schemes for products and squares");
        self.known.insert((level, operation), at);
        Scheme::ALL[at]
    }

    /// What a scheme costs between other operations, on operands of which nothing is known.
    pub(super) fn price(&mut self, scheme: &Scheme<T>, level: usize, operation: Operation) -> u64 {
        let (mut kernel, mut out) = (self.blank.clone(), Block::new());
        let degree = kernel.tower.degree_at(level);
        let mut element =
            || -> Coordinates { (0..degree).map(|_| kernel.push(Op::Result(Type::Field))).collect() };
        let terms: Vec<(Coordinates, Coordinates)> = match operation {
            Operation::Dot(terms) => (0..terms).map(|_| (element(), element())).collect(),
            Operation::Square => {
                let a = element();
                vec![(a.clone(), a)]
            }
        };
        (scheme.build)(&mut Code { kernel: &mut kernel, out: &mut out, choices: self }, level, &terms);
        let room = T::room_beside_points(&self.blank);
        let mut priced = |v: Value| {
            let (op, _) = kernel[v].field()?;
            let known = self.prices.get(op).copied();
            let price = known.unwrap_or_else(|| Prices::<T>::of(kernel.field()).price_within(op, room));
            self.prices.insert(op.clone(), price);
            Some(price)
        };
        kernel.values().filter_map(&mut priced).sum()
    }

    /// What is chosen for products and squares of every level, with the sources.
    pub(super) fn describe(&mut self) -> Vec<String> {
        let mut lines = vec![];
        for level in 1..=self.blank.tower.top() {
            for (what, operation) in [("products", Operation::Dot(1)), ("squares", Operation::Square)] {
                let Scheme { name, source, .. } = self.choose(level, operation);
                lines.push(format!("{what} of level {level}: {name} ({source})"));
            }
        }
        lines
    }
}

fn always(_: &Kernel, _: usize) -> bool {
    true
}

/// The nonresidue of a level over the prime field, where it is a small number.
fn small_nonresidue(kernel: &Kernel, level: usize) -> Option<i32> {
    let [nonresidue] = &kernel.tower.levels()[level - 1].nonresidue[..] else { return None };
    let small = |n: &BigUint| i32::try_from(n).ok().filter(|n| n.unsigned_abs() <= MAX_NONRESIDUE);
    small(nonresidue).or_else(|| small(&(&kernel.field().p - nonresidue)).map(|n| -n))
}

/// As Karatsuba's, with one reduction a coefficient: one operation of the target.
fn quadratic_lazy<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let nonresidue = small_nonresidue(code.kernel, level).expect("the scheme applies");
    let op = FieldOp::DotFq2 { terms: terms.len(), nonresidue };
    let operands: Vec<Value> = terms.iter().flat_map(|(a, b)| [&a[..], b].concat()).collect();
    let both = code.base(op, &operands);
    [0, 1].map(|i| code.compute(Op::Part(both, i))).to_vec()
}

fn quadratic_dots<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let (mut c0, mut c1) = (vec![], vec![]);
    for (a, b) in terms {
        let [a0, a1, b0, b1] =
            [(a, 0), (a, 1), (b, 0), (b, 1)].map(|(x, i)| code.coefficient(level, x, i).to_vec());
        c0.extend([(a0.clone(), b0.clone()), (code.mul_nonresidue(level, &a1), b1.clone())]);
        c1.extend([(a0, b1), (a1, b0)]);
    }
    [code.dot(level - 1, &c0), code.dot(level - 1, &c1)].concat()
}

/// `v0 = Σ a0·b0`, `v1 = Σ a1·b1`: `c0 = v0 + ξ·v1`, `c1 = Σ (a0 + a1)·(b0 + b1) - v0 - v1`.
fn quadratic_karatsuba<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let mut sums = vec![];
    for (a, b) in terms {
        let [a, b] = [a, b].map(|x| {
            let (x0, x1) = (code.coefficient(level, x, 0), code.coefficient(level, x, 1));
            code.add(x0, x1)
        });
        sums.push((a, b));
    }
    let [v0, v1] = [0, 1].map(|i| {
        let parts = |x: &Coordinates| code.coefficient(level, x, i).to_vec();
        let terms: Vec<_> = terms.iter().map(|(a, b)| (parts(a), parts(b))).collect();
        code.dot(level - 1, &terms)
    });
    let cross = code.dot(level - 1, &sums);
    let scaled = code.mul_nonresidue(level, &v1);
    let c0 = code.add(&v0, &scaled);
    let c1 = code.sub(&cross, &v0);
    [c0, code.sub(&c1, &v1)].concat()
}

/// `v = a0·a1`: `c0 = (a0 + a1)·(a0 + ξ·a1) - v - ξ·v`, `c1 = 2v`; where `ξ = -1` the last two of `c0` are
/// nothing.
fn complex_square<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let a = &terms[0].0;
    let (a0, a1) = (code.coefficient(level, a, 0), code.coefficient(level, a, 1));
    if code.is_minus_one(level) {
        let (sum, difference) = (code.add(a0, a1), code.sub(a0, a1));
        let c0 = code.mul(level - 1, &sum, &difference);
        let double = code.dbl(a0);
        return [c0, code.mul(level - 1, &double, a1)].concat();
    }
    let v = code.mul(level - 1, a0, a1);
    let sum = code.add(a0, a1);
    let scaled = code.mul_nonresidue(level, a1);
    let other = code.add(a0, &scaled);
    let product = code.mul(level - 1, &sum, &other);
    let c0 = match small_nonresidue(code.kernel, level) {
        // (ξ + 1)·v at once.
        Some(xi) => {
            let scaled = code.mul_small(&v, (xi + 1).unsigned_abs());
            if xi > 0 { code.sub(&product, &scaled) } else { code.add(&product, &scaled) }
        }
        None => {
            let scaled = code.mul_nonresidue(level, &v);
            let c0 = code.sub(&product, &v);
            code.sub(&c0, &scaled)
        }
    };
    [c0, code.dbl(&v)].concat()
}

/// `c0 = a0² + ξ·a1²`, `c1 = 2·a0·a1`.
fn quadratic_square<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let a = &terms[0].0;
    let [a0, a1] = [0, 1].map(|i| code.coefficient(level, a, i).to_vec());
    let scaled = code.mul_nonresidue(level, &a1);
    let c0 = code.dot(level - 1, &[(a0.clone(), a0.clone()), (scaled, a1.clone())]);
    let double = code.dbl(&a0);
    [c0, code.mul(level - 1, &double, &a1)].concat()
}

/// `c0 = a0·b0 + ξ·(a1·b2 + a2·b1)`, `c1 = a0·b1 + a1·b0 + ξ·a2·b2`, `c2 = a0·b2 + a1·b1 + a2·b0`.
fn cubic_dots<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let mut sums = [vec![], vec![], vec![]];
    for (a, b) in terms {
        let part = |x: &Coordinates, i| code.coefficient(level, x, i).to_vec();
        let (a, b) = ([0, 1, 2].map(|i| part(a, i)), [0, 1, 2].map(|i| part(b, i)));
        let scaled = [1, 2].map(|i| code.mul_nonresidue(level, &a[i]));
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                let a = if i + j < 3 { a } else { &scaled[i - 1] };
                sums[(i + j) % 3].push((a.clone(), b.clone()));
            }
        }
    }
    sums.map(|sum| code.dot(level - 1, &sum)).concat()
}

/// `vᵢ = Σ aᵢ·bᵢ`, and the product of sums of two coefficients less their `v` for each mixed pair.
fn cubic_karatsuba<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let v = [0, 1, 2].map(|i| {
        let part = |x: &Coordinates| code.coefficient(level, x, i).to_vec();
        let terms: Vec<_> = terms.iter().map(|(a, b)| (part(a), part(b))).collect();
        code.dot(level - 1, &terms)
    });
    let mut mixed = |i: usize, j: usize| {
        let mut sums = vec![];
        for (a, b) in terms {
            let [a, b] =
                [a, b].map(|x| code.add(code.coefficient(level, x, i), code.coefficient(level, x, j)));
            sums.push((a, b));
        }
        let product = code.dot(level - 1, &sums);
        let less = code.sub(&product, &v[i]);
        code.sub(&less, &v[j])
    };
    let (m01, m02, m12) = (mixed(0, 1), mixed(0, 2), mixed(1, 2));
    let scaled = code.mul_nonresidue(level, &m12);
    let c0 = code.add(&v[0], &scaled);
    let scaled = code.mul_nonresidue(level, &v[2]);
    let c1 = code.add(&m01, &scaled);
    [c0, c1, code.add(&m02, &v[1])].concat()
}

/// `c0 = a0² + 2ξ·a1·a2`, `c1 = 2·a0·a1 + ξ·a2²`, `c2 = 2·a0·a2 + a1²`.
fn cubic_square<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let a = [0, 1, 2].map(|i| code.coefficient(level, &terms[0].0, i).to_vec());
    let double = code.dbl(&a[0]);
    let scaled = code.mul_nonresidue(level, &a[2]);
    let twice = code.dbl(&scaled);
    let c0 = code.dot(level - 1, &[(a[0].clone(), a[0].clone()), (twice, a[1].clone())]);
    let c1 = code.dot(level - 1, &[(double.clone(), a[1].clone()), (scaled, a[2].clone())]);
    let c2 = code.dot(level - 1, &[(double, a[2].clone()), (a[1].clone(), a[1].clone())]);
    [c0, c1, c2].concat()
}

/// `s0 = a0²`, `s1 = 2·a0·a1`, `s2 = (a0 - a1 + a2)²`, `s3 = 2·a1·a2`, `s4 = a2²`.
fn chung_hasan<T: Machine>(code: &mut Code<'_, T>, level: usize, terms: Terms<'_>) -> Coordinates {
    let a = [0, 1, 2].map(|i| code.coefficient(level, &terms[0].0, i).to_vec());
    let s0 = code.sqr(level - 1, &a[0]);
    let double = code.dbl(&a[0]);
    let s1 = code.mul(level - 1, &double, &a[1]);
    let difference = code.sub(&a[0], &a[1]);
    let sum = code.add(&difference, &a[2]);
    let s2 = code.sqr(level - 1, &sum);
    let double = code.dbl(&a[1]);
    let s3 = code.mul(level - 1, &double, &a[2]);
    let s4 = code.sqr(level - 1, &a[2]);
    let scaled = code.mul_nonresidue(level, &s3);
    let c0 = code.add(&s0, &scaled);
    let scaled = code.mul_nonresidue(level, &s4);
    let c1 = code.add(&s1, &scaled);
    let all = code.add(&s1, &s2);
    let all = code.add(&all, &s3);
    let less = code.sub(&all, &s0);
    [c0, c1, code.sub(&less, &s4)].concat()
}
