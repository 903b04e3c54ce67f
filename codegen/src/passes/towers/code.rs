//! Arithmetic on lists of coordinates, as operations of the prime field at the end of a block.

use super::schemes::{Choices, Operation};
use crate::declaration::FieldOp;
use crate::fir::ir::{Block, Kernel, Op, Stmt, Value};
use crate::fir::rewrite::mul_number;
use crate::targets::Machine;
use num_bigint::BigUint;
use num_traits::Zero;

/// The coordinates of an element over the prime field.
pub(super) type Coordinates = Vec<Value>;

/// A block of a kernel that grows.
pub(super) struct Code<'c, T> {
    pub(super) kernel: &'c mut Kernel,
    pub(super) out: &'c mut Block,
    pub(super) choices: &'c mut Choices<T>,
}

impl<T: Machine> Code<'_, T> {
    pub(super) fn compute(&mut self, op: Op) -> Value {
        let v = self.kernel.push(op);
        self.out.push(Stmt::Let(v));
        v
    }

    /// An operation of the prime field.
    pub(super) fn base(&mut self, op: FieldOp, args: &[Value]) -> Value {
        self.compute(Op::Field(op, args.to_vec()))
    }

    fn each(&mut self, op: &FieldOp, a: &[Value]) -> Coordinates {
        a.iter().map(|a| self.base(op.clone(), &[*a])).collect()
    }

    fn pairs(&mut self, op: &FieldOp, a: &[Value], b: &[Value]) -> Coordinates {
        a.iter().zip(b).map(|(a, b)| self.base(op.clone(), &[*a, *b])).collect()
    }

    pub(super) fn add(&mut self, a: &[Value], b: &[Value]) -> Coordinates {
        self.pairs(&FieldOp::Add, a, b)
    }

    pub(super) fn sub(&mut self, a: &[Value], b: &[Value]) -> Coordinates {
        self.pairs(&FieldOp::Sub, a, b)
    }

    pub(super) fn dbl(&mut self, a: &[Value]) -> Coordinates {
        self.each(&FieldOp::Dbl, a)
    }

    pub(super) fn mul_small(&mut self, a: &[Value], k: u32) -> Coordinates {
        self.each(&FieldOp::MulSmall(k), a)
    }

    /// `a·b` of a level.
    pub(super) fn mul(&mut self, level: usize, a: &[Value], b: &[Value]) -> Coordinates {
        self.dot(level, &[(a.to_vec(), b.to_vec())])
    }

    /// `a²` of a level.
    pub(super) fn sqr(&mut self, level: usize, a: &[Value]) -> Coordinates {
        match level {
            0 => vec![self.base(FieldOp::Sqr, a)],
            _ => {
                let scheme = self.choices.choose(level, Operation::Square);
                (scheme.build)(self, level, &[(a.to_vec(), a.to_vec())])
            }
        }
    }

    /// `Σ a·b` of a level.
    pub(super) fn dot(&mut self, level: usize, terms: &[(Coordinates, Coordinates)]) -> Coordinates {
        if level > 0 {
            let scheme = self.choices.choose(level, Operation::Dot(terms.len()));
            return (scheme.build)(self, level, terms);
        }
        if let [(a, b)] = terms {
            return vec![self.base(FieldOp::Mul, &[a[0], b[0]])];
        }
        let operands: Vec<Value> = terms.iter().flat_map(|(a, b)| [a[0], b[0]]).collect();
        vec![self.base(FieldOp::Dot(terms.len()), &operands)]
    }

    /// `ξ·x` for the nonresidue of a level and an element of the level below.
    pub(super) fn mul_nonresidue(&mut self, level: usize, x: &[Value]) -> Coordinates {
        let nonresidue = self.kernel.tower.levels()[level - 1].nonresidue.clone();
        self.mul_known(level - 1, x, &nonresidue)
    }

    /// `c·x` for a constant `c` of the level, not zero: `Σ cᵢ·(uⁱ·x)`.
    fn mul_known(&mut self, level: usize, x: &[Value], c: &[BigUint]) -> Coordinates {
        if level == 0 {
            return vec![self.mul_number(x[0], &c[0])];
        }
        let below = self.kernel.tower.degree_at(level - 1);
        let (mut sum, mut power): (Option<Coordinates>, Coordinates) = (None, x.to_vec());
        for (i, c) in c.chunks_exact(below).enumerate() {
            if i > 0 {
                power = self.mul_generator(level, &power);
            }
            if c.iter().all(Zero::is_zero) {
                continue;
            }
            let mut term = vec![];
            for part in power.chunks_exact(below) {
                term.extend(self.mul_known(level - 1, part, c));
            }
            sum = Some(match sum {
                Some(sum) => self.add(&sum, &term),
                None => term,
            });
        }
        sum.expect("a nonresidue is not zero")
    }

    /// `u·x`: the coefficients move up by one, and the last comes back by the nonresidue.
    fn mul_generator(&mut self, level: usize, x: &[Value]) -> Coordinates {
        let (low, last) = x.split_at(x.len() - self.kernel.tower.degree_at(level - 1));
        let first = self.mul_nonresidue(level, last);
        [&first, low].concat()
    }

    fn mul_number(&mut self, x: Value, c: &BigUint) -> Value {
        let p = self.kernel.field().p.clone();
        mul_number(&p, x, c, |op, x| self.base(op, &[x]))
    }

    /// Whether the nonresidue of a level is -1.
    pub(super) fn is_minus_one(&self, level: usize) -> bool {
        let nonresidue = &self.kernel.tower.levels()[level - 1].nonresidue;
        (&nonresidue[0] + 1u32) == self.kernel.field().p && nonresidue[1..].iter().all(Zero::is_zero)
    }

    /// Coefficient `i` of an element of a level: of the level below.
    pub(super) fn coefficient<'x>(&self, level: usize, x: &'x [Value], i: usize) -> &'x [Value] {
        let below = self.kernel.tower.degree_at(level - 1);
        &x[i * below..(i + 1) * below]
    }
}
