//! Every kernel in WGSL on an adapter of wgpu: the cases of the compiler's own tests. Those of real groups
//! and of constant work, which a driver compiles for minutes, are on the adapter in a long run.

#[allow(dead_code, reason = "some cases are too long for an adapter on the CPU")]
#[path = "../../../codegen/tests/cases/mod.rs"]
mod cases;

use curvesmith_abi::{Geometry, KernelDesc};
use curvesmith_codegen::declaration::{FieldDesc, GroupDesc};
use curvesmith_codegen::fir::interp::{self, Argument};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::kernels::{
    common_kernels, constant_formula_kernels, constant_kernels, field_kernels, formula_kernels, group_kernels,
};
use curvesmith_device::Module;
use curvesmith_tests::{Size, load_wgsl, wgpu_device, wgsl};
use curvesmith_wgpu::WgpuDevice;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

const GEOMETRY: Geometry = Geometry::WGSL;

/// The kernels of one owner.
#[derive(Clone)]
struct Machine {
    owner: Arc<Owner>,
    /// `None` where they are interpreted as FIR.
    device: Option<&'static WgpuDevice>,
}

/// The kernels of a field, of a group, or the common ones, each with its module once a test has launched it.
struct Owner {
    name: String,
    kernels: Vec<(Kernel, OnceLock<Module>)>,
}

/// Owners by what they are made from, which are made once for all tests.
type Owners = Mutex<HashMap<String, Arc<OnceLock<Arc<Owner>>>>>;

static OWNERS: LazyLock<Owners> = LazyLock::new(Mutex::default);

fn is_long() -> bool {
    Size::from_env() == Size::Long
}

impl Machine {
    fn common() -> Self {
        Self::shared(true, "common".into(), "common", || common_kernels(&GEOMETRY))
    }
    fn field(field: &FieldDesc) -> Self {
        Self::shared(true, format!("{field:?}"), &field.name, || field_kernels(&GEOMETRY, field))
    }
    fn group(group: &GroupDesc) -> Self {
        let is_on_adapter = is_long() || group.base.words <= 2;
        Self::shared(is_on_adapter, format!("{group:?}"), &group.name, || {
            [group_kernels(&GEOMETRY, group).concat(), formula_kernels(&GEOMETRY, group)].concat()
        })
    }
    fn constant(group: &GroupDesc) -> Self {
        Self::shared(is_long(), format!("constant {group:?}"), &group.name, || {
            let formulas = constant_formula_kernels(&GEOMETRY, group);
            [constant_kernels(&GEOMETRY, group).concat(), formulas].concat()
        })
    }

    fn shared(
        is_on_adapter: bool,
        made_from: String,
        owner: &str,
        kernels: impl FnOnce() -> Vec<Kernel>,
    ) -> Self {
        let place = Arc::clone(OWNERS.lock().expect("nothing panics with it").entry(made_from).or_default());
        let owner = place.get_or_init(|| {
            let kernels = kernels().into_iter().map(|kernel| (kernel, OnceLock::new())).collect();
            Arc::new(Owner { name: owner.into(), kernels })
        });
        let device = if is_on_adapter { wgpu_device() } else { None };
        Machine { owner: Arc::clone(owner), device }
    }

    fn launch(&self, desc: &KernelDesc, blocks: u32, args: &mut [Argument]) {
        let symbol = format!("{}_{}", self.owner.name, desc.name);
        let found = self.owner.kernels.iter().find(|(kernel, _)| kernel.symbol == symbol);
        let (kernel, module) = found.expect("the owner has the kernel");
        let Some(device) = self.device else {
            return interp::launch(kernel, blocks, args).expect("the kernel has a meaning");
        };
        let module = module.get_or_init(|| {
            let artefact =
                wgsl(kernel).expect("the passes accept it").expect("the language has what it does");
            load_wgsl(device, kernel, &artefact).unwrap_or_else(|e| panic!("{symbol}: {e}"))
        });
        let done = curvesmith_tests::launch(device, module, &symbol, (blocks, desc.block), args);
        done.unwrap_or_else(|e| panic!("{symbol}: {e}"));
    }
}
