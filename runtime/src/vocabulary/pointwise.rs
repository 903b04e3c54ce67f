//! Elementwise operations.

/// A pointwise operation on two vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a · b`
    Mul,
}

/// A pointwise operation on one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-a`
    Neg,
    /// `2a`
    Dbl,
    /// `a²`
    Sqr,
    /// `1/a`, each element by itself; 0 for 0.
    Inverse,
}
