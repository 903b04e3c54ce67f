//! A kernel in four forms that have to agree: FIR as written and FIR as the passes leave it, both on the
//! interpreter, and its PTX by LLVM and by our writer, both on the emulator. All buffers of a launch are
//! compared word by word, those that are only read included.

use curvesmith_abi::{Access, Arg, ByteRange, ParamKind};
use curvesmith_codegen::fir::interp::{Argument, launch};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd;
use curvesmith_codegen::targets::ptx::Ptx;
use curvesmith_codegen::targets::ptx::emit::Emitter;
use curvesmith_device::{KernelDevice, Launch, Memory, Module, Result, Stream, read_bytes, write_bytes};
use curvesmith_emulator::{Emulator, EmulatorOptions};

/// Kernels whose PTX is a module of an emulator for each emitter.
#[derive(Debug)]
pub struct FourWays {
    kernels: Vec<[Kernel; 2]>,
    device: Emulator,
    modules: [(Emitter, Module); 2],
}

/// One buffer that lies within another. Both are read only.
#[derive(Clone, Copy, Debug)]
pub struct Inside {
    /// The parameter whose buffer is the part.
    pub part: usize,
    /// The parameter whose buffer is the whole.
    pub whole: usize,
    /// Words before the part, a multiple of four.
    pub words: usize,
}

/// The options of an emulator that looks for races too, under the schedule of a seed. It ends loops that are
/// lost.
pub fn checked(seed: u64) -> EmulatorOptions {
    EmulatorOptions::default().memory(1 << 28).step_limit(1 << 20).racecheck(true).seed(seed)
}

impl FourWays {
    /// Passes, emission, and the check of the PTX by an emulator; the error says what failed.
    pub fn new(written: &[Kernel], options: EmulatorOptions) -> std::result::Result<FourWays, String> {
        let prepared: Vec<_> = written
            .iter()
            .map(|kernel| prepare::<Ptx>(kernel).map_err(|e| format!("{}: {e}", kernel.symbol)))
            .collect::<std::result::Result<_, _>>()?;
        let kernels = written.iter().zip(&prepared);
        let kernels = kernels.map(|(written, checked)| [written.clone(), checked.kernel().clone()]).collect();
        let device = Emulator::new(options);
        let module = |emitter| {
            let ptx = Ptx::emit(&prepared, emitter).map_err(|e| e.to_string())?.text;
            let module = device.load_ptx(&ptx).map_err(|e| format!("{emitter:?}: {e}\n{ptx}"))?;
            Ok::<_, String>((emitter, module))
        };
        let modules = [module(Emitter::Llvm)?, module(Emitter::Writer)?];
        Ok(FourWays { kernels, device, modules })
    }

    /// The arguments after a launch of `grid` blocks, if the forms agree; else which of them does not, and
    /// where.
    pub fn run(
        &self,
        name: &str,
        grid: u32,
        args: &[Argument],
        inside: Option<Inside>,
    ) -> std::result::Result<Vec<Argument>, String> {
        let forms = self.kernels.iter().find(|[written, _]| written.desc.name == name);
        let [written, prepared] = forms.ok_or_else(|| format!("there is no kernel {name}"))?;
        let interpreted = |kernel: &Kernel| {
            let mut args = args.to_vec();
            launch(kernel, grid, &mut args).map_err(|e| e.to_string()).map(|()| args)
        };
        let expected = interpreted(written).map_err(|e| format!("as written: {e}"))?;
        let found = interpreted(prepared).map_err(|e| format!("after the passes: {e}"))?;
        compare(written, &expected, &found).map_err(|e| format!("after the passes: {e}"))?;
        for (emitter, module) in &self.modules {
            let found = self.emulated(module, written, grid, args, inside);
            let found = found.map_err(|e| format!("as PTX by {emitter:?}: {e}"))?;
            compare(written, &expected, &found).map_err(|e| format!("as PTX by {emitter:?}: {e}"))?;
        }
        Ok(expected)
    }

    fn emulated(
        &self,
        module: &Module,
        kernel: &Kernel,
        grid: u32,
        args: &[Argument],
        inside: Option<Inside>,
    ) -> Result<Vec<Argument>> {
        let device = &self.device;
        let stream = device.stream()?;
        let memory: Vec<Option<Memory>> =
            args.iter().map(|arg| self.upload(&stream, arg)).collect::<Result<_>>()?;
        let mut values: Vec<Arg> = args.iter().zip(&memory).map(value).collect();
        if let Some(Inside { part, whole, words }) = inside
            && let Arg::Buffer(range) = values[whole]
        {
            values[part] = Arg::Buffer(ByteRange { start: range.start + 4 * words as u64, ..range });
        }
        let (symbol, block) = (kernel.symbol.as_str(), kernel.desc.block);
        let launch = Launch { symbol, grid, block, shared: 0, args: &values };
        device.launch(&stream, module, launch)?;
        device.synchronize(&stream)?;
        args.iter().zip(&memory).map(|(arg, memory)| self.download(&stream, arg, memory.as_ref())).collect()
    }

    fn upload(&self, stream: &Stream, arg: &Argument) -> Result<Option<Memory>> {
        let Argument::Buffer(words) = arg else { return Ok(None) };
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let memory = self.device.alloc(bytes.len().max(1) as u64)?;
        write_bytes(&self.device, stream, &memory, 0, &bytes)?;
        Ok(Some(memory))
    }

    fn download(&self, stream: &Stream, arg: &Argument, memory: Option<&Memory>) -> Result<Argument> {
        let (Argument::Buffer(words), Some(memory)) = (arg, memory) else { return Ok(arg.clone()) };
        let bytes = read_bytes(&self.device, stream, memory, 0, 4 * words.len())?;
        let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        Ok(Argument::Buffer(words.collect()))
    }
}

fn value((arg, memory): (&Argument, &Option<Memory>)) -> Arg {
    match arg {
        Argument::Buffer(_) => memory.as_ref().map_or(Arg::U64(0), |memory| Arg::Buffer(memory.whole())),
        Argument::U32(x) => Arg::U32(*x),
        Argument::U64(x) => Arg::U64(*x),
    }
}

/// The first word or element that differs, by the parameter's name.
pub fn compare(
    kernel: &Kernel,
    expected: &[Argument],
    found: &[Argument],
) -> std::result::Result<(), String> {
    for ((param, expected), found) in kernel.desc.params.iter().zip(expected).zip(found) {
        let (Argument::Buffer(expected), Argument::Buffer(found)) = (expected, found) else { continue };
        let ParamKind::Buffer(access, _) = param.kind else { continue };
        let differs = expected.iter().zip(found).position(|(expected, found)| expected != found);
        if let Some(at) = differs {
            let of = if access == Access::In { "the input " } else { "" };
            let (name, expected, found) = (param.name, expected[at], found[at]);
            return Err(format!("word {at} of {of}{name} is {found:#x}, as written {expected:#x}"));
        }
    }
    Ok(())
}
