//! Descriptors: what non-generic code knows of a field or a group.

use crate::error::{Result, RuntimeError};
use crate::field::{Field, modulus_bits};
use crate::group::{ConstantWork, EdwardsForm, Group, Points as _, ProjectiveOf};
use crate::vocabulary::CurveForm;
use curvesmith_abi::{Element, Family, Form, Geometry, Kernel, KernelDesc};

/// A field, a group, or nobody in particular: where its kernels are found, and how large its elements are.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// Prefix of the kernel symbols.
    pub name: &'static str,
    /// What the owner is; kernels of another family are not asked of it.
    pub family: Family,
    /// Words of an element of the field, or of the group's base field; 0 for common kernels.
    pub words: usize,
    /// Extension degree of a group's coordinates over the base field; 1 otherwise.
    pub degree: usize,
    /// How its kernels represent points; says nothing where there are none.
    pub form: Form,
    /// Bits of the modulus of the field, or of the group's scalar field; 0 for common kernels.
    pub bits: u32,
    /// Its images, encoded [`curvesmith_abi::Bundle`]s, one for each flavour that it has; empty if there are
    /// none.
    pub images: &'static [u8],
}

impl Owner {
    /// The field-independent kernels.
    pub fn common() -> Owner {
        let images = crate::common::images();
        Owner {
            name: "common",
            family: Family::Common,
            words: 0,
            degree: 1,
            form: Form::Xyzz,
            bits: 0,
            images,
        }
    }

    /// The kernels of a field.
    pub fn field<F: Field>() -> Owner {
        Owner {
            name: F::NAME,
            family: Family::Field,
            words: F::WORDS,
            degree: 1,
            form: Form::Xyzz,
            bits: modulus_bits::<F>(),
            images: F::images(),
        }
    }

    /// The kernels of a group.
    pub fn group<G: Group>() -> Owner {
        Owner {
            name: G::NAME,
            family: Family::Group,
            words: G::Base::WORDS,
            degree: G::DEGREE,
            form: ProjectiveOf::<G>::FORM,
            bits: modulus_bits::<G::Scalar>(),
            images: G::images(),
        }
    }

    /// The kernels that take a group's bases in a form.
    ///
    /// Errors: [`RuntimeError::Input`] where the group is not declared with it.
    pub fn group_in<G: Group>(form: CurveForm) -> Result<Owner> {
        let own = Owner::group::<G>();
        match (form, G::edwards_form()) {
            (CurveForm::Declared, _) => Ok(own),
            (CurveForm::Edwards, Some(EdwardsForm { name, images, .. })) => {
                Ok(Owner { name, images, form: Form::Niels, ..own })
            }
            (CurveForm::Edwards, None) => {
                let reason = format!("{} is not declared with an Edwards form", G::NAME);
                Err(RuntimeError::Input { what: "form", reason })
            }
        }
    }

    /// The kernels of a group's MSMs for constant work.
    ///
    /// Errors: [`RuntimeError::Input`] where the group is not declared with them.
    pub fn constant_work<G: Group>() -> Result<Owner> {
        match G::constant_work() {
            Some(ConstantWork { name, images }) => Ok(Owner { name, images, ..Owner::group::<G>() }),
            None => {
                let reason = format!("{} is not declared with `constant_work`", G::NAME);
                Err(RuntimeError::Input { what: "constant work", reason })
            }
        }
    }

    /// The contract of a kernel of this owner under a geometry.
    pub fn contract<K: Kernel>(&self, geometry: &Geometry) -> KernelDesc {
        K::desc(geometry).of_width(self.words, self.degree)
    }

    /// Bytes of one element of a layout.
    pub fn bytes(&self, element: Element) -> usize {
        element.bytes(self.form, self.words, self.degree)
    }
}
