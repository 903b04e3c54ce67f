//! The Edwards form of a short Weierstrass curve, by which multi-scalar multiplications can add.
//!
//! On `-x² + y² = 1 + d·x²·y²` a mixed addition is 7 products ([Hisil, Wong, Carter and
//! Dawson](https://eprint.iacr.org/2008/522), section 3.1), where XYZZ coordinates take 8 products and 2
//! squares. The map is that of `declaration::form` in the compiler, which derives the constants: `X, Y` is
//! `x = k(X - α)/Y`, `y = (u - 1)/(u + 1)` with `u = s(X - α)`, and back `X = α + u/s`, `Y = (k/s)·u/x` with
//! `u = (1 + y)/(1 - y)`.

use ark_ff::{Field, serial_batch_inversion_and_mul};
use curvesmith_abi::Form;

/// The Edwards form of a short Weierstrass curve over `F`, and its kernels.
#[derive(Clone, Copy, Debug)]
pub struct EdwardsForm<F> {
    /// Prefix of the kernels' symbols.
    pub name: &'static str,
    /// Coefficient of `x²·y²`; that of `x²` is -1.
    pub d: F,
    /// A root of the curve's cubic.
    pub alpha: F,
    /// From abscissae to those of the Montgomery form.
    pub s: F,
    /// From quotients `u/v` of the Montgomery form to `x`.
    pub k: F,
    /// The images of its kernels, encoded [`curvesmith_abi::Bundle`]s, one a flavour.
    pub images: &'static [u8],
}

impl<F: Field> EdwardsForm<F> {
    /// `y - x`, `y + x` and `2·d·x·y` of finite points of the curve, as [`Form::Niels`] has them: one
    /// inversion for all. The number of the first without an image is the error: it has order 2 or 4.
    pub(crate) fn bases(&self, points: &[[F; 2]]) -> Result<Vec<[F; 3]>, usize> {
        let twice_d = self.d.double();
        let u_of = |x: &F| (*x - self.alpha) * self.s;
        let mut inverses: Vec<F> = points.iter().map(|[x, y]| (u_of(x) + F::ONE) * y).collect();
        if let Some(i) = inverses.iter().position(F::is_zero) {
            return Err(i);
        }
        serial_batch_inversion_and_mul(&mut inverses, &F::ONE);
        let base = |([x, y], inverse): (&[F; 2], F)| {
            let u = u_of(x);
            let of_x = (u + F::ONE) * inverse;
            let (x, y) = (self.k * (*x - self.alpha) * of_x, (u - F::ONE) * *y * inverse);
            [y - x, y + x, twice_d * x * y]
        };
        Ok(points.iter().zip(inverses).map(base).collect())
    }

    /// The coordinates [`Form::Xyzz`] of a point in those of [`Form::Extended`], without an inversion; none
    /// if no point of the curve has them.
    ///
    /// With `D = (Z - Y)·X`, `X_w = α + (Z + Y)/(s·(Z - Y))` and `Y_w = k·(Z + Y)·Z/(s·D)` have the
    /// denominators `D²` and `D³`.
    pub(crate) fn xyzz(&self, [x, y, z, t]: [F; Form::COORDINATES]) -> Option<[F; Form::COORDINATES]> {
        let identity = [F::ZERO; Form::COORDINATES];
        if [x, y, z, t] == identity {
            return Some(identity);
        }
        let on_curve = y.square() - x.square() == z.square() + self.d * t.square();
        if z.is_zero() || x * y != z * t || !on_curve {
            return None;
        }
        if x.is_zero() {
            // (0, 1), and (0, -1), which has order 2.
            let of_order_two = [self.alpha, F::ZERO, F::ONE, F::ONE];
            return Some(if y == z { identity } else { of_order_two });
        }
        let s_inverse = self.s.inverse()?;
        let (sum, difference) = ((z + y) * s_inverse, z - y);
        let x2 = x.square();
        let zz = difference.square() * x2;
        let x_w = (self.alpha * difference + sum) * difference * x2;
        let y_w = self.k * sum * z * zz;
        Some([x_w, y_w, zz, zz * difference * x])
    }
}

#[cfg(test)]
mod tests;
