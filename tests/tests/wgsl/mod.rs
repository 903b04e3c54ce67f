//! Every kernel in WGSL on an adapter of wgpu: the cases of the compiler's own tests. Those of real groups and of constant work, which
//! a driver compiles for minutes, are on the adapter in a long run.

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
use curvesmith_codegen::{
    Emitted, Format, compile_common, compile_constant, compile_field, compile_formulas, compile_group,
};
use curvesmith_device::{KernelDevice as _, Module, Source};
use curvesmith_tests::{Size, wgpu_device};
use curvesmith_wgpu::WgpuDevice;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

const GEOMETRY: Geometry = Geometry::WGSL;
const FORMAT: Format = Format::Wgsl;

/// The kernels of one owner.
#[derive(Clone)]
enum Machine {
    /// In images on a device.
    Device { owner: String, device: WgpuDevice, images: Images },
    /// As FIR, where there is no adapter.
    Interpreter(Vec<Kernel>),
}

type Images = Arc<Vec<(Emitted, Module)>>;

/// The images of all owners, compiled and loaded once for all tests.
static LOADED: LazyLock<Mutex<HashMap<String, Arc<OnceLock<Images>>>>> = LazyLock::new(Mutex::default);

fn is_long() -> bool {
    Size::from_env() == Size::Long
}

impl Machine {
    fn common() -> Self {
        let images = || compile_common(FORMAT).expect("the common kernels compile");
        Self::shared("common".into(), "common", images, || common_kernels(&GEOMETRY))
    }
    fn field(field: &FieldDesc) -> Self {
        let images = || compile_field(FORMAT, field).expect("the field compiles");
        Self::shared(format!("{field:?}"), &field.name, images, || field_kernels(&GEOMETRY, field))
    }
    fn group(group: &GroupDesc) -> Self {
        let images = || {
            let mut images = compile_group(FORMAT, group).expect("the group compiles");
            images.extend(compile_formulas(FORMAT, group).expect("the formulas compile"));
            images
        };
        let kernels =
            || [group_kernels(&GEOMETRY, group).concat(), formula_kernels(&GEOMETRY, group)].concat();
        if !is_long() && group.base.words > 2 {
            return Machine::Interpreter(kernels());
        }
        Self::shared(format!("{group:?}"), &group.name, images, kernels)
    }
    fn constant(group: &GroupDesc) -> Self {
        let images = || compile_constant(FORMAT, group).expect("the group compiles");
        let kernels = || {
            let formulas = constant_formula_kernels(&GEOMETRY, group);
            [constant_kernels(&GEOMETRY, group).concat(), formulas].concat()
        };
        if !is_long() {
            return Machine::Interpreter(kernels());
        }
        Self::shared(format!("constant {group:?}"), &group.name, images, kernels)
    }

    fn shared(
        made_from: String,
        owner: &str,
        images: impl FnOnce() -> Vec<Emitted>,
        kernels: impl FnOnce() -> Vec<Kernel>,
    ) -> Self {
        let Some(device) = wgpu_device() else { return Machine::Interpreter(kernels()) };
        let place = Arc::clone(LOADED.lock().expect("nothing panics with it").entry(made_from).or_default());
        let load = |emitted: Emitted| {
            let source = Source::new(emitted.image.clone(), emitted.text.clone());
            let module = device.load(&source).unwrap_or_else(|e| panic!("{}: {e}", emitted.image.name));
            (emitted, module)
        };
        let images = place.get_or_init(|| Arc::new(images().into_iter().map(load).collect()));
        Machine::Device { owner: owner.into(), device: device.clone(), images: Arc::clone(images) }
    }

    fn launch(&self, desc: &KernelDesc, blocks: u32, args: &mut [Argument]) {
        match self {
            Machine::Device { owner, device, images } => {
                let symbol = format!("{owner}_{}", desc.name);
                let has = |emitted: &Emitted| emitted.image.kernels.iter().any(|k| k.symbol == symbol);
                let image = images.iter().find(|(emitted, _)| has(emitted));
                let (_, module) = image.expect("some image has the kernel");
                let done = curvesmith_tests::launch(device, module, &symbol, (blocks, desc.block), args);
                done.unwrap_or_else(|e| panic!("{symbol}: {e}"));
            }
            Machine::Interpreter(kernels) => {
                let kernel = kernels.iter().find(|k| k.desc == *desc).expect("every contract has a kernel");
                interp::launch(kernel, blocks, args).expect("the kernel has a meaning");
            }
        }
    }
}
