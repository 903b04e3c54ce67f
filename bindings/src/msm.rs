//! Multi-scalar multiplication, whatever its curve.

use crate::curves::named;
use crate::error::{Error, Result};
use crate::words::{Form, count, element_words, point_words, read_elements, read_points, write_point};
use curvesmith::{Device, Group, MsmOptions};
use std::fmt;

/// A plan for sums of multiples of the same bases, which stay on the device. Any number of threads uses it.
pub struct Msm {
    plan: Box<dyn Sum>,
    name: &'static str,
    group: u8,
}

impl fmt::Debug for Msm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Msm<{}_g{}>[{}]", self.name, self.group, self.len())
    }
}

impl Msm {
    /// Moves `bases` to the device: points of group 1 or 2 of a curve, each of [`Msm::point_words`] words.
    ///
    /// Errors: a curve that is not of this build, or a group that it does not have; words of no points of the
    /// curve; no room on the device.
    pub fn new(curve: &str, group: u8, bases: &[u64], form: Form, device: &Device) -> Result<Self> {
        let entry = named(curve)?;
        let plan = of_group(&entry.msm, group)?(Parts { bases, form, device })?;
        Ok(Self { plan, name: entry.name, group })
    }

    /// The sum of `scalars[i]·bases[i]` as a point of [`Msm::point_words`] words. Scalars and the point have
    /// this form; there are as many scalars as bases, each of [`Msm::scalar_words`] words.
    ///
    /// Errors: another number of scalars; one that is not below the order of the group; the device.
    pub fn run(&self, scalars: &[u64], form: Form) -> Result<Vec<u64>> {
        self.plan.run(scalars, form)
    }

    /// Number of bases.
    pub fn len(&self) -> usize {
        self.plan.len()
    }

    /// Whether there are no bases.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of a scalar.
    pub fn scalar_words(&self) -> usize {
        self.plan.sizes().0
    }

    /// Words of a point.
    pub fn point_words(&self) -> usize {
        self.plan.sizes().1
    }
}

fn of_group<T: Copy>(groups: &[T; 2], group: u8) -> Result<T> {
    let found = group.checked_sub(1).and_then(|at| groups.get(usize::from(at)));
    found.copied().ok_or_else(|| Error::input(format_args!("group {group}, expected 1 or 2")))
}

/// What a plan is made of.
pub(crate) struct Parts<'a> {
    bases: &'a [u64],
    form: Form,
    device: &'a Device,
}

/// [`curvesmith::Msm`] without its group.
pub(crate) trait Sum: Send + Sync {
    fn len(&self) -> usize;
    /// Words of a scalar and of a point.
    fn sizes(&self) -> (usize, usize);
    fn run(&self, scalars: &[u64], form: Form) -> Result<Vec<u64>>;
}

/// Makes a plan for one group.
pub(crate) type Plan = fn(Parts<'_>) -> Result<Box<dyn Sum>>;

pub(crate) fn plan<G: Group>(parts: Parts<'_>) -> Result<Box<dyn Sum>> {
    let bases = read_points::<G>(parts.bases, parts.form)?;
    Ok(Box::new(curvesmith::Msm::<G>::new(parts.device, &bases, MsmOptions::default())?))
}

impl<G: Group> Sum for curvesmith::Msm<G> {
    fn len(&self) -> usize {
        self.len()
    }

    fn sizes(&self) -> (usize, usize) {
        (element_words::<G::Scalar>(), point_words::<G>())
    }

    fn run(&self, scalars: &[u64], form: Form) -> Result<Vec<u64>> {
        let (found, expected) = (count("scalars", scalars.len(), self.sizes().0)?, self.len());
        if found != expected {
            return Err(Error::input(format_args!("{found} scalars, expected as many as bases, {expected}")));
        }
        let scalars = read_elements::<G::Scalar>("scalars", scalars, form)?;
        Ok(write_point::<G>(&curvesmith::Msm::run(self, &scalars)?, form))
    }
}
