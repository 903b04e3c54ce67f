//! What operations of a field mean in a tower.

use super::{Element, TowerField};
use crate::declaration::FieldOp;
use num_bigint::BigUint;

impl TowerField {
    /// The result of an operation on elements of the highest level; a truth value is an element that is zero
    /// or not. As [`FieldOp::values`], for those that are [of extensions](FieldOp::of_extensions).
    pub fn value(&self, op: &FieldOp, x: &[Element]) -> Element {
        let truth = |yes: bool| self.integer(yes.into());
        match op {
            FieldOp::Add => self.add(&x[0], &x[1]),
            FieldOp::Sub => self.sub(&x[0], &x[1]),
            FieldOp::Neg => self.neg(&x[0]),
            FieldOp::Dbl => self.add(&x[0], &x[0]),
            FieldOp::Mul => self.mul(&x[0], &x[1]),
            FieldOp::Sqr => self.sqr(&x[0]),
            FieldOp::MulSmall(k) => self.mul_small(&x[0], *k),
            FieldOp::Dot(_) => {
                let products = x.chunks_exact(2).map(|pair| self.mul(&pair[0], &pair[1]));
                products.fold(self.integer(0), |sum, product| self.add(&sum, &product))
            }
            FieldOp::IsZero => truth(x[0].is_zero()),
            // As of the coordinates.
            FieldOp::MaybeZero => truth(x[0].0.iter().all(|c| *c == BigUint::ZERO || c.bit(0))),
            _ => unreachable!("{op:?} is none of extensions"),
        }
    }
}
