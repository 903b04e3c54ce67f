//! Kernel images of a declaration.

use curvesmith_codegen::spec::{FieldDesc, GroupDesc};

/// What images are made of.
pub(crate) enum Declaration<'a> {
    Field(&'a FieldDesc),
    Group(&'a GroupDesc),
    Common,
}

/// The encoded images of a declaration; none until the compiler emits them.
pub(crate) fn images(declaration: Declaration<'_>) -> Result<Vec<Vec<u8>>, String> {
    match declaration {
        Declaration::Field(FieldDesc { .. }) | Declaration::Group(GroupDesc { .. }) | Declaration::Common => {
            Ok(Vec::new())
        }
    }
}
