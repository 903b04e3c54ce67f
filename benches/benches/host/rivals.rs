//! Hand-written libraries, by values of arkworks; without the feature `rivals` there are none.

#[cfg(feature = "rivals")]
use ark_ec::AffineRepr as _;
use curvesmith::{AffineOf, ProjectiveOf, ScalarOf};
use std::time::Duration;

type G1 = curvesmith::bn254::G1;
type Bls = curvesmith::bls12_381::G1;
type Fr = curvesmith::bn254::Fr;
type Run<T> = Option<Box<dyn Fn() -> (T, Duration)>>;

/// halo2curves' `msm_best`.
#[cfg(feature = "rivals")]
pub(crate) fn bn254(bases: &[AffineOf<G1>], scalars: &[ScalarOf<G1>]) -> Run<ProjectiveOf<G1>> {
    use halo2curves::CurveAffine as _;
    use halo2curves::bn256;
    use halo2curves::group::Curve as _;
    let base = |point: &AffineOf<G1>| {
        let (x, y) = point.xy().expect("no identities");
        bn256::G1Affine::from_xy(theirs(&x), theirs(&y)).expect("a point")
    };
    let bases: Vec<bn256::G1Affine> = bases.iter().map(base).collect();
    let scalars: Vec<bn256::Fr> = scalars.iter().map(theirs).collect();
    Some(Box::new(move || {
        let (sum, time) = super::timed(|| halo2curves::msm::msm_best(&scalars, &bases));
        let sum = sum.to_affine();
        (AffineOf::<G1>::new_unchecked(ours(&sum.x), ours(&sum.y)).into(), time)
    }))
}

/// halo2curves' `best_fft`, by a root.
#[cfg(feature = "rivals")]
pub(crate) fn ntt(values: &[Fr], root: &[Fr]) -> Run<Vec<Fr>> {
    let root: halo2curves::bn256::Fr = theirs(&root[0]);
    let theirs: Vec<halo2curves::bn256::Fr> = values.iter().map(theirs).collect();
    let log = values.len().ilog2();
    Some(Box::new(move || {
        let mut values = theirs.clone();
        let ((), time) = super::timed(|| halo2curves::fft::best_fft(&mut values, root, log));
        (values.iter().map(ours).collect(), time)
    }))
}

/// An element of halo2curves' by one of arkworks'.
#[cfg(feature = "rivals")]
fn theirs<T: halo2curves::ff::PrimeField<Repr: AsMut<[u8]>>>(x: &impl ark_ff::PrimeField) -> T {
    use ark_ff::BigInteger as _;
    let mut repr = T::Repr::default();
    repr.as_mut().copy_from_slice(&x.into_bigint().to_bytes_le());
    T::from_repr(repr).expect("canonical")
}

/// The inverse of [`theirs`].
#[cfg(feature = "rivals")]
fn ours<T: ark_ff::PrimeField>(x: &impl halo2curves::ff::PrimeField<Repr: AsRef<[u8]>>) -> T {
    T::from_le_bytes_mod_order(x.to_repr().as_ref())
}

/// blst's `mult`.
#[cfg(feature = "rivals")]
pub(crate) fn bls12_381(bases: &[AffineOf<Bls>], scalars: &[ScalarOf<Bls>]) -> Run<ProjectiveOf<Bls>> {
    use ark_ff::{BigInteger as _, PrimeField as _};
    use blst::{MultiPoint as _, blst_fp, blst_p1_affine, p1_affines};
    // Both are Montgomery form with the same R.
    let base = |point: &AffineOf<Bls>| blst_p1_affine {
        x: blst_fp { l: point.x.0.0 },
        y: blst_fp { l: point.y.0.0 },
    };
    let bases: Vec<blst_p1_affine> = bases.iter().map(base).collect();
    let scalars: Vec<u8> = scalars.iter().flat_map(|scalar| scalar.into_bigint().to_bytes_le()).collect();
    Some(Box::new(move || {
        let (sum, time) = super::timed(|| bases.mult(&scalars, 255));
        let sum = p1_affines::from(&[sum]).as_slice()[0];
        let element = |x: blst_fp| ark_ff::Fp::new_unchecked(ark_ff::BigInt(x.l));
        (AffineOf::<Bls>::new_unchecked(element(sum.x), element(sum.y)).into(), time)
    }))
}

#[cfg(not(feature = "rivals"))]
pub(crate) fn bn254(_: &[AffineOf<G1>], _: &[ScalarOf<G1>]) -> Run<ProjectiveOf<G1>> {
    None
}

#[cfg(not(feature = "rivals"))]
pub(crate) fn bls12_381(_: &[AffineOf<Bls>], _: &[ScalarOf<Bls>]) -> Run<ProjectiveOf<Bls>> {
    None
}

#[cfg(not(feature = "rivals"))]
pub(crate) fn ntt(_: &[Fr], _: &[Fr]) -> Run<Vec<Fr>> {
    None
}
