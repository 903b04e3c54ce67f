//! Every kernel's PTX on the emulator, with all its checks: the cases of the compiler's own
//! tests, under the fixed and a random schedule, and points of real curves against arkworks.

#[allow(dead_code, reason = "some cases are too long for the emulator")]
#[path = "../../codegen/tests/cases/mod.rs"]
mod cases;
#[path = "real_points/mod.rs"]
mod real_points;

use curvesmith_abi::kernels::{BucketScatter, RowOrder};
use curvesmith_abi::{Arg, Geometry, Kernel as _, KernelDesc};
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
use curvesmith_device::{KernelDevice, Launch, Memory, Module, read_bytes, write_bytes};
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

/// An emulator a schedule with the kernels of one owner. A test has one an owner, which loads a kernel once: the numbers of its launches,
/// which random schedules depend on, are the same in every run.
#[derive(Clone)]
struct Machine(Rc<Emulators>);

struct Emulators {
    owner: Arc<Owner>,
    devices: Vec<(u64, Emulator)>,
    /// By schedule and symbol.
    loaded: RefCell<HashMap<(u64, String), Rc<Module>>>,
}

/// Kernels with the same symbols' prefix, each with its PTX once some test has launched it.
struct Owner {
    name: String,
    kernels: Vec<(Kernel, OnceLock<String>)>,
}

/// All owners by what they are made from, for all tests.
static OWNERS: LazyLock<Mutex<HashMap<String, Arc<Owner>>>> = LazyLock::new(Mutex::default);

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
        let mut owners = OWNERS.lock().expect("nothing panics with it");
        let owner = owners.entry(made_from.clone()).or_insert_with(|| {
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
        let stream = device.stream().expect("a stream");
        let memory: Vec<Option<Memory>> = args
            .iter()
            .map(|arg| {
                let Argument::Buffer(words) = arg else { return None };
                let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                let memory = device.alloc(bytes.len().max(1) as u64).expect("memory");
                write_bytes(device, &stream, &memory, 0, &bytes).expect("upload");
                Some(memory)
            })
            .collect();
        let values: Vec<Arg> = args
            .iter()
            .zip(&memory)
            .map(|(arg, memory)| match (arg, memory) {
                (Argument::U32(x), _) => Arg::U32(*x),
                (Argument::U64(x), _) => Arg::U64(*x),
                (Argument::Buffer(_), Some(memory)) => Arg::Buffer(memory.whole()),
                (Argument::Buffer(_), None) => unreachable!("every buffer has memory"),
            })
            .collect();
        let launch = Launch { symbol: &symbol, grid: blocks, block: desc.block, shared: 0, args: &values };
        let done = device.launch(&stream, &module, launch).and_then(|()| device.synchronize(&stream));
        if let Err(error) = done {
            panic!("{symbol} under schedule {seed}: {error}");
        }
        device.clear_launches();
        for (arg, memory) in args.iter_mut().zip(&memory) {
            let (Argument::Buffer(words), Some(memory)) = (arg, memory) else { continue };
            let bytes = read_bytes(device, &stream, memory, 0, words.len() * 4).expect("download");
            for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
                *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
            }
        }
    }
}
