//! Real curves in the textbook's affine arithmetic, over big integers.

use super::Random;
use super::toy::Textbook;
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc};
use curvesmith_codegen::fir::interp::{from_words, to_words};
use num_bigint::BigUint;

/// Components of a number.
pub(super) type Num = Vec<BigUint>;

/// A group with `a = 0` and, in degree 2, `u² = -1`.
#[derive(Debug)]
pub(super) struct Real(GroupDesc);

impl Real {
    fn new(name: &str, p: &str, degree: usize) -> Self {
        let base = FieldDesc::new(name, BigUint::parse_bytes(p.as_bytes(), 16).expect("hex"));
        let nonresidue = (degree == 2).then(|| &base.p - 1u32);
        // No formula knows b.
        let (a, b) = (vec![BigUint::ZERO; degree], vec![BigUint::ZERO; degree]);
        Real(GroupDesc {
            name: name.into(),
            base,
            tower: nonresidue.into(),
            equation: Equation::ShortWeierstrass { a, b },
        })
    }
    fn p(&self) -> &BigUint {
        &self.0.base.p
    }
    fn minus(&self, a: &Num, b: &Num) -> Num {
        a.iter().zip(b).map(|(a, b)| (a + self.p() - b) % self.p()).collect()
    }
    fn times(&self, a: &Num, b: &Num) -> Num {
        let p = self.p();
        match (&a[..], &b[..]) {
            ([a], [b]) => vec![a * b % p],
            ([a0, a1], [b0, b1]) => vec![(a0 * b0 + (p - a1 * b1 % p)) % p, (a0 * b1 + a1 * b0) % p],
            _ => unreachable!("degree 1 or 2"),
        }
    }
    fn inverse(&self, a: &Num) -> Num {
        let p = self.p();
        let norm = a.iter().map(|x| x * x).sum::<BigUint>() % p;
        let inverse = norm.modinv(p).expect("not zero");
        let signed = a.iter().enumerate().map(|(i, x)| if i == 0 { x.clone() } else { p - x });
        signed.map(|x| x * &inverse % p).collect()
    }
    fn number(&self, random: &mut Random) -> Num {
        let base = &self.0.base;
        (0..self.0.degree()).map(|_| BigUint::new(random.words(base.words + 1)) % self.p()).collect()
    }
}

impl Textbook for Real {
    type Coordinate = Num;

    fn group(&self) -> GroupDesc {
        self.0.clone()
    }
    /// Multiples of a point, which is on the curve for some `b`.
    fn some_points(&self) -> Vec<Option<(Num, Num)>> {
        let mut random = Random(77);
        let first = Some((self.number(&mut random), self.number(&mut random)));
        let more = std::iter::successors(Some(first.clone()), |p| Some(self.sum(p.clone(), first.clone())));
        [None].into_iter().chain(more.take(40)).collect()
    }
    fn neg(&self, p: Option<(Num, Num)>) -> Option<(Num, Num)> {
        p.map(|(x, y)| (x, self.minus(&vec![BigUint::ZERO; self.0.degree()], &y)))
    }
    fn sum(&self, p: Option<(Num, Num)>, q: Option<(Num, Num)>) -> Option<(Num, Num)> {
        let (Some((x1, y1)), Some((x2, y2))) = (p.clone(), q.clone()) else { return p.or(q) };
        let slope = if x1 != x2 {
            self.times(&self.minus(&y2, &y1), &self.inverse(&self.minus(&x2, &x1)))
        } else if y1 == y2 {
            let small = |k: u32| -> Num { y1.iter().map(|y| y * k % self.p()).collect() };
            let square = self.times(&x1, &x1);
            let triple: Num = square.iter().map(|x| x * 3u32 % self.p()).collect();
            self.times(&triple, &self.inverse(&small(2)))
        } else {
            return None;
        };
        let x = self.minus(&self.minus(&self.times(&slope, &slope), &x1), &x2);
        let y = self.minus(&self.times(&slope, &self.minus(&x1, &x)), &y1);
        Some((x, y))
    }
    fn affine_words(&self, points: &[Option<(Num, Num)>]) -> Vec<u32> {
        let base = &self.0.base;
        let padded = curvesmith_abi::padded_words(base.words);
        let one = |p: &Option<(Num, Num)>| match p {
            None => vec![curvesmith_abi::IDENTITY_WORD; 2 * self.0.degree() * padded],
            Some((x, y)) => to_words(base, &[&x[..], y].concat()),
        };
        points.iter().flat_map(one).collect()
    }
    fn point_words(&self, points: &[Option<(Num, Num)>], random: &mut Random) -> Vec<u32> {
        let mut parts = vec![];
        for p in points {
            let z = self.number(random);
            let zz = self.times(&z, &z);
            let zzz = self.times(&zz, &z);
            let zero = vec![BigUint::ZERO; self.0.degree()];
            parts.extend(match p {
                None => [zz.clone(), z, zero.clone(), zero].concat(),
                Some((x, y)) => [self.times(x, &zz), self.times(y, &zzz), zz, zzz].concat(),
            });
        }
        to_words(&self.0.base, &parts)
    }
    fn read_points(&self, words: &[u32]) -> Vec<Option<(Num, Num)>> {
        let d = self.0.degree();
        let point = |c: &[BigUint]| {
            let [x, y, zz, zzz] = [0, 1, 2, 3].map(|i| c[i * d..][..d].to_vec());
            if zz.iter().all(|x| x.bits() == 0) {
                return None;
            }
            assert_eq!(self.times(&zz, &self.times(&zz, &zz)), self.times(&zzz, &zzz), "zz³ = zzz²");
            Some((self.times(&x, &self.inverse(&zz)), self.times(&y, &self.inverse(&zzz))))
        };
        from_words(&self.0.base, words).chunks_exact(4 * d).map(point).collect()
    }
}

/// Degrees 1 and 2, 8 and 12 words.
pub(super) fn curves() -> [Real; 3] {
    let bn254 = "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
    let bls12_381 =
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
    [
        Real::new("bn254_g1", bn254, 1),
        Real::new("bn254_g2", bn254, 2),
        Real::new("bls12_381_g2", bls12_381, 2),
    ]
}
