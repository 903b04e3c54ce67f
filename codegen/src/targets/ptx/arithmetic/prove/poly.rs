//! Small integer polynomials: linear forms over nodes, where a product of nodes is a node too.

pub(super) use crate::targets::ptx::arithmetic::check::certificate::Poly;

/// A node of the [`Model`](super::model::Model), and the variable of the certificate. 0 is none.
pub(super) type Id = crate::targets::ptx::arithmetic::check::certificate::Var;

/// Of the search: sorted by node, no coefficient zero.
impl Poly {
    pub(super) fn constant(constant: i128) -> Poly {
        Poly { terms: Vec::new(), constant }
    }

    pub(super) fn of(id: Id) -> Poly {
        Poly { terms: vec![(id, 1)], constant: 0 }
    }

    /// `self + k·other`.
    pub(super) fn plus(&self, k: i128, other: &Poly) -> Poly {
        let constant = self.constant + k * other.constant;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(&&(x, kx)), Some(&&(y, ky))) if x == y => {
                    left.next();
                    right.next();
                    (x, kx + k * ky)
                }
                (Some(&&(x, kx)), y) if y.is_none_or(|&&(y, _)| x < y) => {
                    left.next();
                    (x, kx)
                }
                (_, y) => {
                    let &(y, ky) = *y.expect("one side has a term");
                    right.next();
                    (y, k * ky)
                }
            };
            if next.1 != 0 {
                terms.push(next);
            }
        }
        Poly { terms, constant }
    }

    pub(super) fn times(&self, k: i128) -> Poly {
        Poly::default().plus(k, self)
    }

    pub(super) fn shifted(mut self, k: i128) -> Poly {
        self.constant += k;
        self
    }

    /// The value of a polynomial without nodes.
    pub(super) fn value(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The node that the polynomial is.
    pub(super) fn single(&self) -> Option<Id> {
        match (self.terms.as_slice(), self.constant) {
            ([(id, 1)], 0) => Some(*id),
            _ => None,
        }
    }

    /// The polynomial with every coefficient divided by `k`, if all are divisible.
    pub(super) fn divided(&self, k: i128) -> Option<Poly> {
        let exact = self.constant % k == 0 && self.terms.iter().all(|(_, c)| c % k == 0);
        exact.then(|| Poly {
            terms: self.terms.iter().map(|&(id, c)| (id, c / k)).collect(),
            constant: self.constant / k,
        })
    }

    /// Largest absolute value of a coefficient.
    pub(super) fn height(&self) -> i128 {
        self.terms.iter().map(|(_, c)| c.abs()).max().unwrap_or(0).max(self.constant.abs())
    }
}
