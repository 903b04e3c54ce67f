//! The interpreter, for kernels of the geometry that the module above names.

use super::GEOMETRY;
use curvesmith_abi::KernelDesc;
use curvesmith_codegen::declaration::{FieldDesc, GroupDesc};
use curvesmith_codegen::fir::interp::{Argument, launch};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::kernels::{
    common_kernels, constant_formula_kernels, constant_kernels, field_kernels, formula_kernels, group_kernels,
};

/// The interpreter with the kernels of one owner.
pub(crate) struct Machine(Vec<Kernel>);

impl Machine {
    pub(crate) fn common() -> Self {
        Machine(common_kernels(&GEOMETRY))
    }
    pub(crate) fn field(field: &FieldDesc) -> Self {
        Machine(field_kernels(&GEOMETRY, field))
    }
    pub(crate) fn group(group: &GroupDesc) -> Self {
        Machine([group_kernels(&GEOMETRY, group).concat(), formula_kernels(&GEOMETRY, group)].concat())
    }
    pub(crate) fn constant(group: &GroupDesc) -> Self {
        Machine(
            [constant_kernels(&GEOMETRY, group).concat(), constant_formula_kernels(&GEOMETRY, group)]
                .concat(),
        )
    }
    pub(crate) fn launch(&self, desc: &KernelDesc, blocks: u32, args: &mut [Argument]) {
        let kernel = self.0.iter().find(|k| k.desc == *desc).expect("every contract has a kernel");
        launch(kernel, blocks, args).expect("the kernel has a meaning");
    }
}
