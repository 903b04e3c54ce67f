//! Elements of the kernel's tower: from and to coordinates, and what their operations leave to be written
//! out.

use super::{Buffer, Builder, Fe, U32};
use crate::declaration::tower::Element;
use crate::fir::ir::Op;
use num_bigint::BigUint;

impl Builder {
    /// The element of the highest level with these coordinates over the prime field, as many as its degree.
    pub fn compose<'k>(&'k self, coordinates: &[Fe<'k>]) -> Fe<'k> {
        let tower = self.tower();
        assert_eq!(coordinates.len(), tower.degree());
        let mut parts = coordinates.to_vec();
        for (level, extension) in (1u8..).zip(tower.levels()) {
            let join = |part: &[Fe<'k>]| self.emit(Op::Compose(level, part.iter().map(|x| x.id).collect()));
            parts = parts.chunks_exact(extension.degree).map(join).collect();
        }
        parts[0]
    }

    /// The constant of the highest level with these canonical coordinates.
    pub fn coordinates(&self, x: &[BigUint]) -> Fe<'_> {
        let parts: Vec<Fe<'_>> = x.iter().map(|x| self.constant(x)).collect();
        self.compose(&parts)
    }

    /// An element of the prime field as one of the highest level.
    pub fn embed<'k>(&'k self, x: Fe<'k>) -> Fe<'k> {
        let degree = self.tower().degree();
        let mut parts = vec![x];
        if degree > 1 {
            parts.resize(degree, self.zero());
        }
        self.compose(&parts)
    }
}

impl<'k> Fe<'k> {
    /// The level whose element it is.
    fn level(self) -> usize {
        let ty = self.b.state.borrow().kernel.ty(self.id);
        ty.level().expect("a handle of elements holds elements")
    }

    /// Its coefficients over the level below; those of the prime field are themselves.
    fn coefficients(self) -> Vec<Fe<'k>> {
        let Some(below) = self.level().checked_sub(1) else { return vec![self] };
        let degree = self.b.tower().levels()[below].degree as u32;
        (0..degree).map(|i| self.b.emit(Op::Coefficient(self.id, i))).collect()
    }

    /// Whether it is the same value.
    pub fn is(self, other: Fe<'k>) -> bool {
        self.id == other.id
    }

    /// Its coordinates over the prime field.
    pub fn coordinates(self) -> Vec<Fe<'k>> {
        match self.level() {
            0 => vec![self],
            _ => self.coefficients().into_iter().flat_map(Fe::coordinates).collect(),
        }
    }

    /// With every coordinate replaced.
    fn map(self, f: impl Fn(usize, Fe<'k>) -> Fe<'k>) -> Fe<'k> {
        let parts: Vec<Fe<'k>> = self.coordinates().into_iter().enumerate().map(|(i, x)| f(i, x)).collect();
        self.b.compose(&parts)
    }

    /// `x·self` for an element `x` of the prime field; of an element of the highest level.
    pub fn mul_base(self, x: Fe<'k>) -> Fe<'k> {
        self.map(|_, coordinate| coordinate * x)
    }

    /// `self^(p^n)`, of an element of the highest level: the coordinates are moved and multiplied by
    /// constants, as every product of powers of the generators is mapped to a multiple of one such.
    pub fn frobenius(self, n: usize) -> Fe<'k> {
        let top = self.level();
        let field = self.b.state.borrow().kernel.level_field(top);
        let degree = field.tower.degree();
        let coordinates = self.coordinates();
        let mut sums: Vec<Option<Fe<'k>>> = vec![None; degree];
        for (i, x) in coordinates.into_iter().enumerate() {
            let unit = Element((0..degree).map(|k| u32::from(i == k).into()).collect());
            for (place, c) in field.frobenius(&unit, n).0.iter().enumerate() {
                if c.bits() == 0 {
                    continue;
                }
                let term = if c.bits() == 1 { x } else { x.mul_const(c) };
                sums[place] = Some(sums[place].map_or(term, |sum| sum + term));
            }
        }
        let zero = || self.b.zero();
        let parts: Vec<Fe<'k>> = sums.into_iter().map(|sum| sum.unwrap_or_else(zero)).collect();
        self.b.compose(&parts)
    }
}

impl<'k> Buffer<'k> {
    /// Coordinate `which` of element `index` of a buffer of points.
    pub fn coordinate(self, index: U32<'k>, which: usize) -> Fe<'k> {
        let degree = self.b.tower().degree();
        let parts: Vec<Fe<'k>> = (0..degree).map(|i| self.part(index, which * degree + i)).collect();
        self.b.compose(&parts)
    }

    /// Writes coordinate `which` of element `index` of a buffer of points.
    pub fn set_coordinate(self, index: U32<'k>, which: usize, value: Fe<'k>) {
        let degree = self.b.tower().degree();
        for (i, part) in value.coordinates().into_iter().enumerate() {
            self.set_part(index, which * degree + i, part);
        }
    }
}
