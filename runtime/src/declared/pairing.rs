//! Parts of pairings that arkworks' engines leave to a curve.

use ark_ec::bls12::{Bls12, Bls12Config, G1Affine, G1Prepared, G2Prepared, TwistType};
use ark_ec::pairing::MillerLoopOutput;
use ark_ec::short_weierstrass::SWCurveConfig;
use ark_ff::fields::fp12_2over3over2::Fp12;
use ark_ff::{AdditiveGroup, BitIteratorBE, CyclotomicMultSubgroup, Field, Fp2, One};

/// `f^e₀·(f^p)^e₁` for an element of the cyclotomic subgroup, by digits -1, 0 and 1 of the exponents, the
/// least first.
pub fn two_powers<F: CyclotomicMultSubgroup>(f: &F, digits: [&[i8]; 2]) -> F {
    let bases = [*f, f.frobenius_map(1)];
    let inverses = bases.map(|base| base.cyclotomic_inverse().unwrap_or(base));
    let longest = digits[0].len().max(digits[1].len());
    (0..longest).rev().fold(F::one(), |mut power, i| {
        power.cyclotomic_square_in_place();
        for (digits, (base, inverse)) in digits.iter().zip(bases.iter().zip(&inverses)) {
            match digits.get(i) {
                Some(1) => power *= base,
                Some(-1) => power *= inverse,
                _ => (),
            }
        }
        power
    })
}

/// The Miller loop of a BLS12 curve whose seed does not fill its 64-bit words.
///
/// ark-ec 0.6 loses such a loop: it prepares a point's lines for a seed with a one in the highest bit of the
/// words, and reads them without leading zeros. The first prepared line is the tangent at the point, which
/// tells the point; its lines are made here, in affine coordinates.
pub fn bls12_miller_loop<P: Bls12Config>(
    a: impl IntoIterator<Item = impl Into<G1Prepared<P>>>,
    b: impl IntoIterator<Item = impl Into<G2Prepared<P>>>,
) -> MillerLoopOutput<Bls12<P>> {
    let a: Vec<G1Prepared<P>> = a.into_iter().map(Into::into).collect();
    let b: Vec<G2Prepared<P>> = b.into_iter().map(Into::into).collect();
    assert_eq!(a.len(), b.len(), "points come in pairs");
    let pairs = a.iter().zip(&b).filter(|(p, q)| !p.is_zero() && !q.is_zero());
    let mut walks: Vec<Walk<'_, P>> = pairs.map(|(p, q)| Walk::new(&p.0, q)).collect();
    let mut f = Fp12::<P::Fp12Config>::one();
    for bit in BitIteratorBE::without_leading_zeros(P::X).skip(1) {
        f.square_in_place();
        walks.iter_mut().for_each(|walk| walk.double(&mut f));
        if bit {
            walks.iter_mut().for_each(|walk| walk.add(&mut f));
        }
    }
    if P::X_IS_NEGATIVE {
        f.cyclotomic_inverse_in_place();
    }
    MillerLoopOutput(f)
}

/// A point of the first group, one of the second, and the multiple of that where the loop is.
struct Walk<'a, P: Bls12Config> {
    p: &'a G1Affine<P>,
    q: [Fp2<P::Fp2Config>; 2],
    at: [Fp2<P::Fp2Config>; 2],
}

impl<'a, P: Bls12Config> Walk<'a, P> {
    fn new(p: &'a G1Affine<P>, q: &G2Prepared<P>) -> Self {
        // The tangent's coefficients are -2y, 3x² and 3b' - y².
        let &(c0, c1, c2) = q.ell_coeffs.first().expect("a point that is not the identity has lines");
        let by_y = if let TwistType::M = P::TWIST_TYPE { c2 } else { c0 };
        let third = P::Fp::from(3u64).inverse().expect("the characteristic is not 3");
        let half = P::Fp::from(2u64).inverse().expect("it is not 2");
        let (mut y, mut x2) = (-by_y, c1);
        y.mul_assign_by_fp(&half);
        x2.mul_assign_by_fp(&third);
        let x3 = y.square() - P::G2Config::COEFF_B;
        let x = x2.inverse().map_or(Fp2::ZERO, |inverse| x3 * inverse);
        Walk { p, q: [x, y], at: [x, y] }
    }

    fn double(&mut self, f: &mut Fp12<P::Fp12Config>) {
        let [x, _] = self.at;
        let square = x.square();
        self.step(square.double() + square, self.at[1].double(), x, f);
    }

    fn add(&mut self, f: &mut Fp12<P::Fp12Config>) {
        let ([x, y], [qx, qy]) = (self.at, self.q);
        self.step(y - qy, x - qx, qx, f);
    }

    /// To the sum of the point and one with `other_x`, along the line whose slope is `rise/run`, which
    /// multiplies `f`.
    fn step(
        &mut self,
        rise: Fp2<P::Fp2Config>,
        run: Fp2<P::Fp2Config>,
        other_x: Fp2<P::Fp2Config>,
        f: &mut Fp12<P::Fp12Config>,
    ) {
        let [x, y] = self.at;
        // Multiples of a point of order r by less than r are neither opposite nor of order 2.
        let slope = rise * run.inverse().expect("the line is not vertical");
        // y_P - slope·x_P + slope·x - y in the coordinates of the twist, up to a factor that the final
        // exponent kills.
        let (mut by_y, mut by_x, constant) = (-Fp2::one(), slope, y - slope * x);
        by_y.mul_assign_by_fp(&self.p.y);
        by_x.mul_assign_by_fp(&self.p.x);
        match P::TWIST_TYPE {
            TwistType::M => f.mul_by_014(&constant, &by_x, &by_y),
            TwistType::D => f.mul_by_034(&by_y, &by_x, &constant),
        }
        let sum = slope.square() - x - other_x;
        self.at = [sum, slope * (x - sum) - y];
    }
}
