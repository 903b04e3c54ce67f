//! How the sums of an MSM are computed.

/// How the products of an MSM are added into its buckets. The sums are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MsmStrategy {
    /// Every thread adds as many products, wherever buckets begin.
    EqualSlices,
    /// Every thread adds within one bucket, or a part of a large one, and those of a warp about as many
    /// products each (cuZK's balanced rows). For groups over prime fields, of which others have no kernel for
    /// it.
    RowBalanced,
    /// Rounds of additions of affine pairs within buckets, with one inversion for many, as long as most
    /// products have another of their bucket; then equal slices. For groups on Weierstrass curves whose
    /// coordinates have 20 words and more, of which others have no kernels for it.
    BatchedAffine,
}

/// The curve on which the sums of an MSM are computed. The results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CurveForm {
    /// The one that the group is declared on.
    #[default]
    Declared,
    /// The twisted Edwards form of a short Weierstrass curve, `-x² + y² = 1 + d·x²·y²`, of a group that is
    /// declared with `edwards_form`. An addition takes fewer products, a base half as much memory again.
    ///
    /// **All bases have to be in the group**: sums are right between points of odd order, and for others may
    /// be wrong.
    Edwards,
}

/// How many lanes of a warp add to one point of a slice. The sums are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PointLanes {
    /// One, which has all of its coordinates.
    Single,
    /// A pair of neighbours, each of which has one coefficient of every coordinate: half of the registers,
    /// and more work in all. For groups on Weierstrass curves over quadratic extensions with coordinates of
    /// 20 words and more, of which others have no kernel for it.
    Pair,
}

/// How products are added into buckets, as far as options say; else the device's policy does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Adding {
    pub(crate) strategy: Option<MsmStrategy>,
    pub(crate) lanes: Option<PointLanes>,
}
