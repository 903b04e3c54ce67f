//! Every kernel on the interpreter, which defines what FIR means.

mod cases;

use curvesmith_abi::KernelDesc;
use curvesmith_codegen::declaration::{FieldDesc, GroupDesc};
use curvesmith_codegen::fir::interp::{Argument, launch};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::kernels::{
    common_kernels, constant_formula_kernels, constant_kernels, field_kernels, formula_kernels, group_kernels,
};

/// The interpreter with the kernels of one owner.
struct Machine(Vec<Kernel>);

impl Machine {
    fn common() -> Self {
        Machine(common_kernels())
    }
    fn field(field: &FieldDesc) -> Self {
        Machine(field_kernels(field))
    }
    fn group(group: &GroupDesc) -> Self {
        Machine([group_kernels(group).concat(), formula_kernels(group)].concat())
    }
    fn constant(group: &GroupDesc) -> Self {
        Machine([constant_kernels(group).concat(), constant_formula_kernels(group)].concat())
    }
    fn launch(&self, desc: &KernelDesc, blocks: u32, args: &mut [Argument]) {
        let kernel = self.0.iter().find(|k| k.desc == *desc).expect("every contract has a kernel");
        launch(kernel, blocks, args).expect("the kernel has a meaning");
    }
}

#[test]
fn a_million_slices_are_merged() {
    cases::msm::check_large_merges();
}
