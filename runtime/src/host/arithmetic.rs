//! The arithmetic below the host's algorithms: what another implementation of it has to offer.
//!
//! arkworks' serves every field and group. An implementation with vector instructions provides these traits
//! for the fields it is made for; [`tables`] and [`bucket_sums`] choose it, once a call. Values of callers
//! are arkworks', and what an implementation keeps of them, tables and points, is in its own form.

use super::affine;
use super::digits::WindowTerms;
#[cfg(target_arch = "x86_64")]
use super::lanes::{LaneTables, Lanes};
use crate::domain::Domain;
use crate::field::Field;
use crate::group::{AffineOf, Group, Points as _, ProjectiveOf};
use crate::parallel::chunks;
use crate::tier::Tier;
use crate::vocabulary::Direction;
use ark_ec::VariableBaseMSM;
use ark_ff::{AdditiveGroup as _, Field as _, One as _, Zero as _};
use ark_poly::{
    EvaluationDomain, GeneralEvaluationDomain, MixedRadixEvaluationDomain, Radix2EvaluationDomain,
};
use curvesmith_abi::Form;
use std::borrow::Cow;
use std::fmt::Debug;

/// Fewer points are not worth converting.
#[cfg(target_arch = "x86_64")]
const LEAST_LANES: usize = 64;

/// Tables for the transforms of one size and root.
pub trait Tables<F: Field>: Debug + Send + Sync {
    /// Elements of a transform.
    fn size(&self) -> usize;

    /// The transforms over the coset `shift·<omega>` of the vectors of [`size`](Self::size)
    /// elements that lie one after the other in `vectors`, at least one and nothing else, in place
    /// and in natural order on both sides. `shift` is not zero.
    fn run(&self, vectors: &mut Vec<F::Ark>, direction: Direction, shift: F::Ark);
}

/// Affine points that are added into buckets; identities among them add nothing.
pub trait BucketSums<G: Group>: Send + Sync {
    /// What sums take besides their terms.
    fn prices(&self) -> Prices;

    /// `Σ 2^(bits·i)·window(i)`, a window being the sum of its terms by one bucket for each absolute value
    /// from 1 to `2^(bits - 1)`, which no digit exceeds.
    fn sum(&self, windows: &[WindowTerms<'_>], bits: usize) -> ProjectiveOf<G>;
}

/// What a sum of buckets takes besides its terms, in tenths of what one term does.
#[derive(Clone, Copy, Debug)]
pub struct Prices {
    /// A bucket.
    pub bucket: usize,
    /// The sum.
    pub sum: usize,
    /// Buckets of several windows that are worth one sum.
    pub together: usize,
}

/// Tables for the transforms over a domain by a root of its order.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "only vectors ask for it"))]
pub(super) fn tables<F: Field>(domain: Domain, omega: F::Ark, tier: Tier) -> Box<dyn Tables<F>> {
    #[cfg(target_arch = "x86_64")]
    if domain.power == 0
        && let Some(tables) = LaneTables::<F>::new(domain.log, omega, tier)
    {
        return Box::new(tables);
    }
    let size = F::Ark::from(domain.n as u64);
    let invert = |x: F::Ark| x.inverse().expect("sizes and roots of unity are units");
    macro_rules! domain {
        ($kind:ident) => {
            $kind {
                size: domain.n as u64,
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
    Box::new(match domain.power {
        0 => GeneralEvaluationDomain::Radix2(domain!(Radix2EvaluationDomain)),
        _ => GeneralEvaluationDomain::MixedRadix(domain!(MixedRadixEvaluationDomain)),
    })
}

/// Points as a tier keeps them that is made for their group.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "only vectors ask for it"))]
fn in_lanes<G: Group>(points: &[AffineOf<G>], tier: Tier) -> Option<Box<dyn BucketSums<G>>> {
    #[cfg(target_arch = "x86_64")]
    if points.len() >= LEAST_LANES {
        return Some(Box::new(Lanes::<G>::new(points, tier)?));
    }
    None
}

/// Points as the best arithmetic of a tier keeps them.
pub(super) fn bucket_sums<G: Group>(points: Cow<'_, [AffineOf<G>]>, tier: Tier) -> Box<dyn BucketSums<G>> {
    in_lanes(&points, tier).unwrap_or_else(|| Box::new(Arkworks(Cow::Owned(points.into_owned()))))
}

/// As [`bucket_sums`], for points that are used once.
pub(super) fn bucket_sums_of<G: Group>(points: &[AffineOf<G>], tier: Tier) -> Box<dyn BucketSums<G> + '_> {
    in_lanes(points, tier).unwrap_or_else(|| Box::new(Arkworks(Cow::Borrowed(points))))
}

impl<F: Field> Tables<F> for GeneralEvaluationDomain<F::Ark> {
    fn size(&self) -> usize {
        EvaluationDomain::size(self)
    }

    fn run(&self, vectors: &mut Vec<F::Ark>, direction: Direction, shift: F::Ark) {
        // Of small transforms, the inverse of one is some hundredths of the time.
        let domain = if shift.is_one() { *self } else { self.get_coset(shift).expect("the shift is a unit") };
        let transform = |vector: &mut Vec<F::Ark>| match direction {
            Direction::Forward => domain.fft_in_place(vector),
            Direction::Inverse => domain.ifft_in_place(vector),
        };
        let size = EvaluationDomain::size(self);
        if vectors.len() == size {
            return transform(vectors);
        }
        chunks(vectors, size, &|_, part| {
            // arkworks takes vectors that it can lengthen.
            let mut own = part.to_vec();
            transform(&mut own);
            part.copy_from_slice(&own);
        });
    }
}

/// Points in arkworks' form, added with arkworks' field arithmetic.
struct Arkworks<'p, G: Group>(Cow<'p, [AffineOf<G>]>);

impl<G: Group> BucketSums<G> for Arkworks<'_, G> {
    /// A bucket is added twice, with two fifths as many multiplications again as a term takes, and its first
    /// term is a copy.
    fn prices(&self) -> Prices {
        Prices { bucket: 18, sum: 0, together: 0 }
    }

    fn sum(&self, windows: &[WindowTerms<'_>], bits: usize) -> ProjectiveOf<G> {
        let sums = windows.iter().map(|terms| self.window(*terms, 1 << (bits - 1)));
        weighted::<G>(sums, bits)
    }
}

/// `Σ 2^(bits·i)·sum(i)`
pub(super) fn weighted<G: Group>(
    sums: impl DoubleEndedIterator<Item = ProjectiveOf<G>>,
    bits: usize,
) -> ProjectiveOf<G> {
    sums.rev()
        .reduce(|mut above, sum| {
            (0..bits).for_each(|_| {
                above.double_in_place();
            });
            above + sum
        })
        .unwrap_or_else(ProjectiveOf::<G>::zero)
}

impl<G: Group> Arkworks<'_, G> {
    /// The sum of a window.
    fn window(&self, terms: WindowTerms<'_>, buckets: usize) -> ProjectiveOf<G> {
        let points = &self.0[terms.first..];
        if ProjectiveOf::<G>::FORM == Form::Xyzz && affine::is_worth(terms.digits.len()) {
            return affine::sum(points, terms, buckets);
        }
        let mut sums = vec![ProjectiveOf::<G>::ZERO_BUCKET; buckets];
        for (point, digit) in terms.iter() {
            let (point, sum) = (&points[point as usize], &mut sums[usize::from(digit.unsigned_abs()) - 1]);
            match digit > 0 {
                true => *sum += point,
                false => *sum -= point,
            }
        }
        // Σ (i + 1)·bucket(i), as the sum of the sums of the buckets from i on.
        let (mut from_here, mut total) = (ProjectiveOf::<G>::ZERO_BUCKET, ProjectiveOf::<G>::ZERO_BUCKET);
        for bucket in sums.iter().rev() {
            from_here += bucket;
            total += &from_here;
        }
        let mut sum = ProjectiveOf::<G>::zero();
        sum += &total;
        sum
    }
}
