//! Number-theoretic transforms, whatever their field.

use crate::curves::named;
use crate::error::{Error, Result};
use crate::words::{Form, count, element_words, read_elements, write_elements};
use curvesmith::{Device, Direction, Field, NttOptions};
use std::fmt;

/// A plan for transforms of one size over the scalar field of a curve. Any number of threads uses it.
pub struct Ntt {
    plan: Box<dyn Transform>,
    name: &'static str,
}

impl fmt::Debug for Ntt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ntt<{}>[{}]", self.name, self.len())
    }
}

impl Ntt {
    /// A plan for `len` elements, a power of two up to the field's two-adicity, or such a power times one of
    /// the order of the field's small subgroup, if it has one. The root is arkworks' of that order;
    /// evaluations are at `shift·root^i`, where `shift` is one unless it is given as the words of a canonical
    /// element.
    ///
    /// Errors: a curve that is not of this build; a size that the field has no transform of; a shift of 0; no
    /// room on the device.
    pub fn new(curve: &str, len: usize, shift: Option<&[u64]>, device: &Device) -> Result<Self> {
        let entry = named(curve)?;
        Ok(Self { plan: (entry.ntt)(Parts { len, shift, device })?, name: entry.name })
    }

    /// Coefficients to evaluations, in place; both in natural order. There are [`Ntt::len`] elements of
    /// [`Ntt::element_words`] words.
    ///
    /// Errors: another length; an element that is not below the prime, where nothing was changed; the device.
    pub fn forward(&self, values: &mut [u64], form: Form) -> Result<()> {
        self.plan.run(values, form, Direction::Forward)
    }

    /// Evaluations to coefficients, as [`Ntt::forward`].
    pub fn inverse(&self, values: &mut [u64], form: Form) -> Result<()> {
        self.plan.run(values, form, Direction::Inverse)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.plan.len()
    }

    /// Always false: the smallest transform has one element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Words of an element.
    pub fn element_words(&self) -> usize {
        self.plan.element_words()
    }
}

/// What a plan is made of.
pub(crate) struct Parts<'a> {
    len: usize,
    shift: Option<&'a [u64]>,
    device: &'a Device,
}

/// [`curvesmith::Ntt`] without its field.
pub(crate) trait Transform: Send + Sync {
    fn len(&self) -> usize;
    fn element_words(&self) -> usize;
    fn run(&self, values: &mut [u64], form: Form, direction: Direction) -> Result<()>;
}

/// Makes a plan for one field.
pub(crate) type Plan = fn(Parts<'_>) -> Result<Box<dyn Transform>>;

pub(crate) fn plan<F: Field>(parts: Parts<'_>) -> Result<Box<dyn Transform>> {
    let mut options = NttOptions::default();
    if let Some(words) = parts.shift {
        let shift = read_elements::<F>("shift", words, Form::Canonical)?;
        let [shift] = *shift else {
            return Err(Error::input(format_args!("shift: {} elements, expected one", shift.len())));
        };
        options = options.shift(shift);
    }
    Ok(Box::new(curvesmith::Ntt::<F>::of_size(parts.device, parts.len, options)?))
}

impl<F: Field> Transform for curvesmith::Ntt<F> {
    fn len(&self) -> usize {
        self.len()
    }

    fn element_words(&self) -> usize {
        element_words::<F>()
    }

    fn run(&self, values: &mut [u64], form: Form, direction: Direction) -> Result<()> {
        let (found, expected) = (count("values", values.len(), element_words::<F>())?, self.len());
        if found != expected {
            return Err(Error::input(format_args!("values: {found} elements, expected {expected}")));
        }
        let read = read_elements::<F>("values", values, form)?;
        write_elements::<F>(&curvesmith::Ntt::run(self, &read, direction)?, form, values);
        Ok(())
    }
}
