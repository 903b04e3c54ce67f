//! The CPU backend: arkworks' arithmetic, parallel over rows and elements.
//!
//! It is the fallback on machines without a GPU and the reference that the kernels
//! are tested against, so it holds no arithmetic of its own. Scalars 0, 1 and other
//! short ones are cheap in [`msm`]; identities among the bases, frequent
//! in Groth16 keys, are dropped here when the bases are made.

mod msm;

use crate::batch::Places;
use crate::csr::{Csr, check_len, check_multiple, check_out_len, check_range, invert_shift};
use crate::domain::Domain;
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::{AffineOf, Group, ProjectiveOf, ScalarOf};
use crate::parallel::{MIN_LEN, all, collect};
use crate::vocabulary::{BinaryOp, Direction, Transform, UnaryOp};
use ark_ec::AffineRepr;
use ark_ff::{AdditiveGroup, Field as _, One, Zero};
use ark_poly::{
    EvaluationDomain, GeneralEvaluationDomain, MixedRadixEvaluationDomain, Radix2EvaluationDomain,
};
use msm::{Signed, SignedOf};
use rayon::prelude::*;
use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Rows longer than this are summed by several threads.
const LONG_ROW: usize = 1 << 14;

/// The length of a third of a vector.
fn third(len: usize) -> Result<usize> {
    check_len("vector of three parts", len / 3 * 3, len)?;
    Ok(len / 3)
}

/// The CPU. Vectors are arkworks elements in the order of their index.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

/// Bases without their identities.
pub struct CpuBases<G: Group> {
    len: usize,
    points: Vec<AffineOf<G>>,
    /// Original index of each point; `None` when there was no identity.
    kept: Option<Vec<u32>>,
}

/// Scalars of one field, in `Vec<Signed<BigInt>>`.
#[derive(Clone)]
pub struct CpuDigits {
    len: usize,
    /// The field's arkworks type: fields of equal length share a `BigInt` type.
    field: TypeId,
    scalars: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for CpuDigits {
    // Scalars can be secret: only their number is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuDigits").field("len", &self.len).finish_non_exhaustive()
    }
}

impl<G: Group> fmt::Debug for CpuBases<G> {
    // Millions of points are for no log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CpuBases<{}>[{}]", G::NAME, self.len)
    }
}

impl<G: Group> CpuBases<G> {
    /// Number of bases, identities included.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}

impl Cpu {
    /// `a ∘ b`, elementwise.
    pub fn binary<F: Field>(&self, op: BinaryOp, a: &[F::Ark], b: &[F::Ark]) -> Result<Vec<F::Ark>> {
        check_len("right operand", a.len(), b.len())?;
        let op: fn(F::Ark, F::Ark) -> F::Ark = match op {
            BinaryOp::Add => |a, b| a + b,
            BinaryOp::Sub => |a, b| a - b,
            BinaryOp::Mul => |a, b| a * b,
        };
        Ok(collect(a.len(), &|i| op(a[i], b[i])))
    }

    /// Elementwise operation.
    pub fn unary<F: Field>(&self, op: UnaryOp, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        let op: fn(F::Ark) -> F::Ark = match op {
            UnaryOp::Neg => |a| -a,
            UnaryOp::Dbl => |a| a.double(),
            UnaryOp::Sqr => |a| a.square(),
            UnaryOp::Inverse => |a| a.inverse().unwrap_or_default(),
        };
        Ok(collect(a.len(), &|i| op(a[i])))
    }

    /// `1/a`, elementwise; 0 for 0.
    pub fn batch_inverse<F: Field>(&self, a: &[F::Ark]) -> Result<Vec<F::Ark>> {
        let mut out = a.to_vec();
        // Leaves zeros as they are.
        out.par_chunks_mut(MIN_LEN).for_each(ark_ff::batch_inversion);
        Ok(out)
    }

    /// `a · c`, elementwise.
    pub fn mul_const<F: Field>(&self, a: &[F::Ark], c: F::Ark) -> Result<Vec<F::Ark>> {
        Ok(collect(a.len(), &|i| a[i] * c))
    }

    /// `a·b` into the last third of a vector, `a` and `b` being the others.
    pub fn mul_thirds<F: Field>(&self, thirds: &mut [F::Ark]) -> Result<()> {
        let len = third(thirds.len())?;
        let (factors, products) = thirds.split_at_mut(2 * len);
        let products = products.par_iter_mut().enumerate().with_min_len(64);
        products.for_each(|(i, product)| *product = factors[i] * factors[len + i]);
        Ok(())
    }

    /// `a·b - c`, of the thirds of a vector.
    pub fn mul_sub_thirds<F: Field>(&self, thirds: &[F::Ark]) -> Result<Vec<F::Ark>> {
        let len = third(thirds.len())?;
        let (a, b, c) = (&thirds[..len], &thirds[len..2 * len], &thirds[2 * len..]);
        Ok(collect(len, &|i| a[i] * b[i] - c[i]))
    }

    /// `matrix · x`, zero-extended to `out_len ≥ rows` elements.
    pub fn spmv<F: Field>(&self, matrix: &Csr<F::Ark>, x: &[F::Ark], out_len: usize) -> Result<Vec<F::Ark>> {
        check_len("vector of the product", matrix.width as usize, x.len())?;
        check_out_len(matrix.rows(), out_len)?;
        let mut out = vec![F::Ark::zero(); out_len];
        out[..matrix.rows()].par_iter_mut().zip(matrix.row_offsets.par_windows(2)).with_min_len(64).for_each(
            |(out, row)| {
                let entries = row[0] as usize..row[1] as usize;
                *out = dot::<F>(&matrix.columns[entries.clone()], &matrix.values[entries], x);
            },
        );
        Ok(out)
    }

    /// Tables for a size that the field has and a root `omega` of exactly that order (both checked).
    pub fn ntt_tables<F: Field>(&self, n: usize, omega: F::Ark) -> Result<GeneralEvaluationDomain<F::Ark>> {
        let domain = Domain::new::<F>(n)?;
        domain.check_omega(omega)?;
        let size = F::Ark::from(n as u64);
        let invert = |x: F::Ark| x.inverse().expect("sizes and roots of unity are units");
        macro_rules! domain {
            ($kind:ident) => {
                $kind {
                    size: n as u64,
                    log_size_of_group: domain.log,
                    size_as_field_element: size,
                    size_inv: invert(size),
                    group_gen: omega,
                    group_gen_inv: invert(omega),
                    offset: F::Ark::ONE,
                    offset_inv: F::Ark::ONE,
                    offset_pow_size: F::Ark::ONE,
                }
            };
        }
        Ok(match domain.power {
            0 => GeneralEvaluationDomain::Radix2(domain!(Radix2EvaluationDomain)),
            _ => GeneralEvaluationDomain::MixedRadix(domain!(MixedRadixEvaluationDomain)),
        })
    }

    /// NTT in natural order on both sides, over the coset `shift·<omega>` (`shift` nonzero; one for none).
    pub fn ntt<F: Field>(
        &self,
        tables: &GeneralEvaluationDomain<F::Ark>,
        vector: &mut Vec<F::Ark>,
        direction: Direction,
        shift: F::Ark,
    ) -> Result<()> {
        check_multiple("NTT vector", tables.size(), vector.len())?;
        // Of small transforms, the inverse of one is some hundredths of the time.
        let domain = if shift.is_one() {
            *tables
        } else {
            invert_shift::<F>(shift)?;
            tables.get_coset(shift).expect("the shift is a unit")
        };
        let transform = |vector: &mut Vec<F::Ark>| match direction {
            Direction::Forward => domain.fft_in_place(vector),
            Direction::Inverse => domain.ifft_in_place(vector),
        };
        if vector.len() == tables.size() {
            transform(vector);
            return Ok(());
        }
        vector.par_chunks_mut(tables.size()).for_each(|part| {
            // arkworks takes vectors that it can lengthen.
            let mut own = part.to_vec();
            transform(&mut own);
            part.copy_from_slice(&own);
        });
        Ok(())
    }

    /// The transforms of vectors that are at `places` of `values`.
    pub(crate) fn ntt_of<F: Field>(
        &self,
        tables: &GeneralEvaluationDomain<F::Ark>,
        values: &[F::Ark],
        places: Places,
        transform: Transform<F::Ark>,
    ) -> Result<Vec<Vec<F::Ark>>> {
        let Transform { direction, shift, order } = transform;
        let of = |v: usize| {
            let mut own: Vec<F::Ark> = (0..places.n).map(|i| values[places.at(v, i)]).collect();
            if order.reversed_before(direction) {
                reverse_bits(&mut own);
            }
            self.ntt::<F>(tables, &mut own, direction, shift)?;
            if order.reversed_after(direction) {
                reverse_bits(&mut own);
            }
            Ok(own)
        };
        (0..places.count).into_par_iter().map(of).collect()
    }

    /// Writes vectors to their places.
    pub(crate) fn put<T>(vectors: Vec<Vec<T>>, values: &mut [T], places: Places) {
        for (v, vector) in vectors.into_iter().enumerate() {
            vector.into_iter().enumerate().for_each(|(i, x)| values[places.at(v, i)] = x);
        }
    }

    /// Bases for [`Cpu::msm`], kept as they are if they are owned and none is an identity.
    pub fn bases<G: Group>(&self, points: Cow<'_, [AffineOf<G>]>) -> Result<CpuBases<G>> {
        let len = points.len();
        if all(len, &|i| !points[i].is_zero()) {
            return Ok(CpuBases { len, points: points.into_owned(), kept: None });
        }
        let limit = u64::from(u32::MAX);
        if len as u64 > limit {
            return Err(RuntimeError::TooLarge { what: "number of bases", found: len as u64, limit });
        }
        let kept: Vec<u32> = (0..len as u32).filter(|&i| !points[i as usize].is_zero()).collect();
        // In place: a copy of a key's points is a noticeable part of the call that proves once with it.
        let mut points = points.into_owned();
        points.retain(|point| !point.is_zero());
        Ok(CpuBases { len, points, kept: Some(kept) })
    }

    /// Scalars for [`Cpu::msm`].
    pub fn digits<F: Field>(&self, scalars: &[F::Ark]) -> Result<CpuDigits> {
        let signed = collect(scalars.len(), &|i| Signed::of(scalars[i]));
        Ok(CpuDigits { len: signed.len(), field: TypeId::of::<F::Ark>(), scalars: Arc::new(signed) })
    }

    /// `Σ scalar_i · base_i` over a range of the bases; as many scalars as bases.
    pub fn msm<G: Group>(
        &self,
        digits: &CpuDigits,
        bases: &CpuBases<G>,
        range: Range<usize>,
    ) -> Result<ProjectiveOf<G>> {
        check_len("scalars of the MSM", range.len(), digits.len)?;
        check_range(&range, bases.len)?;
        let scalars: Option<&Vec<SignedOf<G>>> = digits.scalars.downcast_ref();
        let same_field = digits.field == TypeId::of::<<G::Scalar as Field>::Ark>();
        let scalars = scalars.filter(|_| same_field).ok_or_else(|| RuntimeError::Input {
            what: "digits",
            reason: format!("they are not of {}, the scalar field of {}", G::Scalar::NAME, G::NAME),
        })?;
        let Some(kept) = &bases.kept else { return Ok(msm::sum::<G>(&bases.points[range], scalars, None)) };
        let [from, to] = [range.start, range.end].map(|end| kept.partition_point(|&i| (i as usize) < end));
        let kept: Vec<u32> = kept[from..to].iter().map(|&i| i - range.start as u32).collect();
        Ok(msm::sum::<G>(&bases.points[from..to], scalars, Some(&kept)))
    }
}

/// `Σ scalar_i · base_i` without a device; the numbers of scalars and bases are equal.
pub fn msm<G: Group>(bases: &[AffineOf<G>], scalars: &[ScalarOf<G>]) -> ProjectiveOf<G> {
    let scalars: Vec<SignedOf<G>> = scalars.iter().map(|scalar| Signed::of(*scalar)).collect();
    msm::sum::<G>(bases, &scalars, None)
}

/// Exchanges the elements of a vector, a power of two of them, whose indices are each other's with their bits reversed.
fn reverse_bits<T>(vector: &mut [T]) {
    let log = vector.len().trailing_zeros();
    for i in 1..vector.len() {
        let j = i.reverse_bits() >> (usize::BITS - log);
        if i < j {
            vector.swap(i, j);
        }
    }
}

fn dot<F: Field>(columns: &[u32], values: &[F::Ark], x: &[F::Ark]) -> F::Ark {
    if columns.len() > LONG_ROW {
        let (left, right) = (columns.split_at(columns.len() / 2), values.split_at(columns.len() / 2));
        let (a, b) = rayon::join(|| dot::<F>(left.0, right.0, x), || dot::<F>(left.1, right.1, x));
        return a + b;
    }
    let mut sum = F::Ark::zero();
    for (column, value) in columns.iter().zip(values) {
        let x = x[*column as usize];
        // Most coefficients of real circuits are one.
        sum += if value.is_one() { x } else { *value * x };
    }
    sum
}
