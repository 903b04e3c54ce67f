//! Every kernel's PTX on the emulator, with all its checks: the cases of the compiler's own
//! tests, under the fixed and a random schedule, and points of real curves against arkworks.

#[allow(dead_code, reason = "some cases are too long for the emulator")]
#[path = "../../codegen/tests/cases/mod.rs"]
mod cases;
#[path = "real_points/mod.rs"]
mod real_points;

use curvesmith_abi::kernels::{BucketScatter, RowOrder};
use curvesmith_abi::{Geometry, Kernel as _, KernelDesc};
use curvesmith_codegen::declaration::{FieldDesc, GroupDesc};
use curvesmith_codegen::fir::interp::Argument;
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::kernels::{
    common_kernels, constant_formula_kernels, constant_kernels, field_kernels, formula_kernels, group_kernels,
};
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd as _;
use curvesmith_codegen::targets::ptx::Ptx;
use curvesmith_codegen::targets::ptx::emit::Emitter;
use curvesmith_device::Module;
use curvesmith_emulator::{Emulator, EmulatorOptions};
use curvesmith_tests::Size;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

const GEOMETRY: Geometry = Geometry::PTX;

/// Schedules that each launch is run under: 0 is the fixed one, the others check for races.
fn seeds() -> &'static [u64] {
    Size::from_env().pick(&[0, 1], &[0, 1, 2, 3])
}

/// Kernels that may write words in any order: pairs of one key, and rows of one class and tile.
const ANY_ORDER: [&str; 2] = [BucketScatter::NAME, RowOrder::NAME];

/// The words of a buffer in ascending order.
fn sorted(argument: &Argument) -> Argument {
    let mut argument = argument.clone();
    if let Argument::Buffer(words) = &mut argument {
        words.sort_unstable();
    }
    argument
}

/// An emulator a schedule with the kernels of one owner. A test has one an owner, which loads a kernel once:
/// the numbers of its launches, which random schedules depend on, are the same in every run.
#[derive(Clone)]
struct Machine(Rc<Emulators>);

struct Emulators {
    owner: Arc<Owner>,
    devices: Vec<(u64, Emulator)>,
    /// By schedule and symbol.
    loaded: RefCell<HashMap<(u64, String), Rc<Module>>>,
}

/// The kernels of a field, of a group, or the common ones, each with its PTX once a test has launched it.
struct Owner {
    name: String,
    kernels: Vec<(Kernel, OnceLock<String>)>,
}

/// Owners by what they are made from, which are made once for all tests.
type Owners = Mutex<HashMap<String, Arc<OnceLock<Arc<Owner>>>>>;

static OWNERS: LazyLock<Owners> = LazyLock::new(Mutex::default);

thread_local! {
    /// The machines of a test, which has a thread of its own, by what their kernels are made from.
    static MACHINES: RefCell<HashMap<String, Machine>> = RefCell::default();
}

impl Machine {
    fn common() -> Self {
        Self::shared("common".into(), "common", || common_kernels(&GEOMETRY))
    }
    fn field(field: &FieldDesc) -> Self {
        Self::shared(format!("{field:?}"), &field.name, || field_kernels(&GEOMETRY, field))
    }
    fn group(group: &GroupDesc) -> Self {
        Self::shared(format!("{group:?}"), &group.name, || {
            [group_kernels(&GEOMETRY, group).concat(), formula_kernels(&GEOMETRY, group)].concat()
        })
    }
    fn constant(group: &GroupDesc) -> Self {
        Self::shared(format!("constant {group:?}"), &group.name, || {
            let formulas = constant_formula_kernels(&GEOMETRY, group);
            [constant_kernels(&GEOMETRY, group).concat(), formulas].concat()
        })
    }

    fn shared(made_from: String, owner: &str, kernels: impl FnOnce() -> Vec<Kernel>) -> Self {
        if let Some(machine) = MACHINES.with_borrow(|machines| machines.get(&made_from).cloned()) {
            return machine;
        }
        let place =
            Arc::clone(OWNERS.lock().expect("nothing panics with it").entry(made_from.clone()).or_default());
        let owner = place.get_or_init(|| {
            let kernels = kernels().into_iter().map(|kernel| (kernel, OnceLock::new())).collect();
            Arc::new(Owner { name: owner.into(), kernels })
        });
        let emulator = |&seed: &u64| {
            let options = EmulatorOptions::default().racecheck(seed != 0).seed(seed).memory(1 << 28);
            (seed, Emulator::new(options))
        };
        let devices = seeds().iter().map(emulator).collect();
        let machine =
            Machine(Rc::new(Emulators { owner: Arc::clone(owner), devices, loaded: RefCell::default() }));
        MACHINES.with_borrow_mut(|machines| machines.insert(made_from, machine.clone()));
        machine
    }

    /// The kernel's module on an emulator.
    fn load(&self, seed: u64, device: &Emulator, symbol: &str) -> Rc<Module> {
        let Emulators { owner, loaded, .. } = &*self.0;
        let load = || {
            let found = owner.kernels.iter().find(|(kernel, _)| kernel.symbol == symbol);
            let (kernel, text) = found.expect("the owner has the kernel");
            let text = text.get_or_init(|| {
                let checked = prepare::<Ptx>(kernel).expect("the passes accept it");
                Ptx::emit(&[checked], Emitter::default()).expect("it compiles").text
            });
            Rc::new(device.load_ptx(text).expect("the module loads"))
        };
        loaded.borrow_mut().entry((seed, symbol.to_owned())).or_insert_with(load).clone()
    }

    /// Runs under every schedule; they must agree. What is left is the last one's.
    fn launch(&self, desc: &KernelDesc, blocks: u32, args: &mut [Argument]) {
        let devices = &self.0.devices;
        let results: Vec<Vec<Argument>> = devices
            .iter()
            .map(|(seed, device)| {
                let mut args = args.to_vec();
                self.launch_once((*seed, device), desc, blocks, &mut args);
                args
            })
            .collect();
        let comparable = |result: &[Argument]| match ANY_ORDER.contains(&desc.name) {
            true => result.iter().map(sorted).collect(),
            false => result.to_vec(),
        };
        let (first, last) = (comparable(&results[0]), &results[results.len() - 1]);
        for (result, (seed, _)) in results.iter().zip(devices) {
            assert!(comparable(result) == first, "{} differs under schedule {seed}", desc.name);
        }
        args.clone_from_slice(last);
    }

    fn launch_once(
        &self,
        (seed, device): (u64, &Emulator),
        desc: &KernelDesc,
        blocks: u32,
        args: &mut [Argument],
    ) {
        let symbol = format!("{}_{}", self.0.owner.name, desc.name);
        let module = self.load(seed, device, &symbol);
        let done = curvesmith_tests::launch(device, &module, &symbol, (blocks, desc.block), args);
        done.unwrap_or_else(|error| panic!("{symbol} under schedule {seed}: {error}"));
        device.clear_launches();
    }
}
