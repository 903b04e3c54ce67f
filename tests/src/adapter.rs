//! The adapter of wgpu that tests run on, and kernels in WGSL on it.

use crate::launch;
use curvesmith_abi::{Flavour, Image, KernelEntry};
use curvesmith_codegen::fir::interp::Argument;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::wgsl::Wgsl;
use curvesmith_codegen::targets::{Artefact, BackEnd};
use curvesmith_codegen::{EmitError, PassError};
use curvesmith_device::{KernelDevice, Module, Source};
use curvesmith_wgpu::{WgpuDevice, adapters};
use std::sync::OnceLock;

/// Environment variable with which a test that finds no adapter fails.
const NEED: &str = "CURVESMITH_NEED_WGPU";

/// What the language does not have, as the emitter says it.
const LACKS: [&str; 2] = ["not uniform", "quotients of 64-bit words"];

/// Operations that passes make for PTX alone, which has them, and tables of more rows than an element has
/// words.
const PTX_ONLY: [&str; 3] = ["DotFq2", "MulShared", "MulTable"];

/// The first adapter that can be used, opened once; `None`, said loudly, where there is none.
pub fn wgpu_device() -> Option<&'static WgpuDevice> {
    static DEVICE: OnceLock<Option<WgpuDevice>> = OnceLock::new();
    let open = || match adapters().iter().find(|adapter| adapter.unusable.is_none()) {
        Some(adapter) => Some(WgpuDevice::new(adapter.ordinal).expect("it can be used")),
        None if std::env::var_os(NEED).is_some() => panic!("{NEED} is set, and there is no adapter"),
        None => {
            eprintln!("SKIPPED: no adapter for wgpu; mesa-vulkan-drivers has one for the CPU");
            None
        }
    };
    DEVICE.get_or_init(open).as_ref()
}

/// The text of a kernel alone in a module; `None` where the language does not have what it does.
pub fn wgsl(kernel: &Kernel) -> Result<Option<Artefact>, String> {
    let checked = match prepare::<Wgsl>(kernel) {
        Err(PassError::Unsupported(_)) => return Ok(None),
        Err(PassError::NoVariant { op, .. }) if PTX_ONLY.iter().any(|only| op.starts_with(only)) => {
            return Ok(None);
        }
        checked => checked.map_err(|e| e.to_string())?,
    };
    match Wgsl::emit(&[checked], ()) {
        Err(EmitError::Kernel { reason, .. }) if LACKS.iter().any(|lack| reason.contains(lack)) => Ok(None),
        artefact => artefact.map(Some).map_err(|e| e.to_string()),
    }
}

/// The module of a kernel whose text is `artefact`.
pub fn load_wgsl(
    device: &WgpuDevice,
    kernel: &Kernel,
    artefact: &Artefact,
) -> curvesmith_device::Result<Module> {
    let entry = KernelEntry {
        symbol: kernel.symbol.clone(),
        name: kernel.desc.name.into(),
        signature: kernel.signature(),
        needs: artefact.needs[0],
    };
    let image = Image {
        name: kernel.symbol.clone(),
        declaration: String::new(),
        emitter: String::new(),
        flavour: Flavour::WGSL,
        kernels: vec![entry],
    };
    device.load(&Source::new(image, artefact.text.clone()))
}

/// The arguments after a launch of a kernel whose text is `artefact`.
pub fn on_adapter(
    device: &WgpuDevice,
    kernel: &Kernel,
    artefact: &Artefact,
    grid: u32,
    args: &[Argument],
) -> curvesmith_device::Result<Vec<Argument>> {
    let module = load_wgsl(device, kernel, artefact)?;
    let mut args = args.to_vec();
    launch(device, &module, &kernel.symbol, (grid, kernel.desc.block), &mut args)?;
    Ok(args)
}
