//! A device that runs kernels on FIR's big-integer interpreter, the definition of the IR.
//!
//! What the runtime composes can be judged on it with neither emitted code nor an
//! emulator in between. It also checks what a kernel's contract says of its buffers: an
//! input does not share an allocation with an output.

use ark_ff::{Field as _, Fp, MontBackend, MontConfig};
use curvesmith_abi::{
    Access, Arg, BufferId, Bundle, ByteRange, Flavour, Form, Geometry, Image, KernelEntry, Limits, Needs,
    Packed, ParamKind,
};
use curvesmith_codegen::declaration::{Equation, FieldDesc, GroupDesc, Tower};
use curvesmith_codegen::fir::interp::{Argument, launch};
use curvesmith_codegen::fir::ir::Kernel;
use curvesmith_codegen::kernels::{constant_kernels, field_kernels, group_kernels};
use curvesmith_device::{
    DeviceProperties, Event, KernelDevice, Launch, Memory, Module, Result, RuntimeError, Source, Staging,
    Stream,
};
use curvesmith_runtime::field::{ElementOf, Field};
use curvesmith_runtime::group::{ConstantWork, CoordinateOf, EdwardsForm, Group, Points as _};
use num_bigint::BigUint;
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A field marker whose kernels are FIR; `F` gives everything else.
#[derive(Clone, Copy, Debug)]
pub struct FirField<F>(PhantomData<F>);

/// A group marker whose kernels are FIR; `G` gives everything else.
#[derive(Clone, Copy, Debug)]
pub struct FirGroup<G>(PhantomData<G>);

impl<F, T, const N: usize> ElementOf<FirField<F>> for Fp<MontBackend<T, N>, N>
where
    F: Field<Ark = Self>,
    T: MontConfig<N>,
{
}

impl<F: Field> Field for FirField<F>
where
    F::Ark: ElementOf<Self>,
{
    type Ark = F::Ark;
    const NAME: &'static str = F::NAME;
    const WORDS: usize = F::WORDS;
    fn images() -> &'static [u8] {
        images(F::NAME, || field_kernels(&Geometry::PTX, &field_desc::<F>()))
    }
}

impl<G: Group> Group for FirGroup<G>
where
    <G::Base as Field>::Ark: ElementOf<FirField<G::Base>>,
    <G::Scalar as Field>::Ark: ElementOf<FirField<G::Scalar>>,
{
    type Projective = G::Projective;
    type Base = FirField<G::Base>;
    type Scalar = FirField<G::Scalar>;
    const NAME: &'static str = G::NAME;
    const DEGREE: usize = G::DEGREE;
    fn images() -> &'static [u8] {
        images(G::NAME, || group_kernels(&Geometry::PTX, &group_desc::<G>()).concat())
    }
    fn edwards_form() -> Option<EdwardsForm<CoordinateOf<Self>>> {
        let form = G::edwards_form()?;
        let equation = Equation::Niels { d: numbers::<G>(form.d) };
        let desc = GroupDesc { name: form.name.into(), equation, ..group_desc::<G>() };
        Some(EdwardsForm {
            images: images(form.name, || group_kernels(&Geometry::PTX, &desc).concat()),
            ..form
        })
    }
    fn constant_work() -> Option<ConstantWork> {
        let work = G::constant_work()?;
        let desc = group_desc::<G>().constant_work();
        Some(ConstantWork {
            images: images(work.name, || constant_kernels(&Geometry::PTX, &desc).concat()),
            ..work
        })
    }
}

fn field_desc<F: Field>() -> FieldDesc {
    FieldDesc::new(F::NAME, <F::Ark as ark_ff::PrimeField>::MODULUS.into())
}

fn group_desc<G: Group>() -> GroupDesc {
    let numbers = numbers::<G>;
    GroupDesc {
        name: G::NAME.into(),
        base: field_desc::<G::Base>(),
        tower: tower::<G>(),
        equation: match (G::Projective::FORM, G::Projective::COEFFICIENTS.map(numbers)) {
            (Form::Xyzz, [a, b]) => Equation::ShortWeierstrass { a, b },
            (Form::Extended, [a, d]) => Equation::TwistedEdwards { a, d },
            (Form::Niels, _) => unreachable!("no group is declared by its form"),
        },
    }
}

fn numbers<G: Group>(x: CoordinateOf<G>) -> Vec<BigUint> {
    x.to_base_prime_field_elements().map(Into::into).collect()
}

/// The levels of the coordinates, by products of their basis: what generates a level is the first basis
/// element above the one below.
fn tower<G: Group>() -> Tower {
    let mut tower = Tower::prime();
    while tower.degree() < G::DEGREE {
        let below = tower.degree();
        let coordinates = (0..G::DEGREE).map(|i| <G::Base as Field>::Ark::from(u64::from(i == below)));
        let u = CoordinateOf::<G>::from_base_prime_field_elems(coordinates);
        let u = u.expect("DEGREE is the extension degree of the coordinates");
        let lies_below = |x: &Vec<BigUint>| x[below..].iter().all(|x| *x == BigUint::ZERO);
        let square = Some(numbers::<G>(u.square())).filter(lies_below).map(|square| (2, square));
        let (degree, mut nonresidue) = square.unwrap_or_else(|| (3, numbers::<G>(u.square() * u)));
        nonresidue.truncate(below);
        tower = tower.extended(degree, nonresidue);
    }
    tower
}

/// Kernels by symbol, for all declarations seen so far.
static KERNELS: Mutex<BTreeMap<String, Arc<Kernel>>> = Mutex::new(BTreeMap::new());
/// Encoded images by owner.
static IMAGES: Mutex<BTreeMap<&'static str, &'static [u8]>> = Mutex::new(BTreeMap::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn register(kernels: Vec<Kernel>) -> Vec<KernelEntry> {
    let mut registered = lock(&KERNELS);
    kernels
        .into_iter()
        .map(|kernel| {
            let entry = KernelEntry {
                symbol: kernel.symbol.clone(),
                name: kernel.desc.name.into(),
                signature: kernel.signature(),
                needs: Needs::default(),
            };
            registered.insert(kernel.symbol.clone(), Arc::new(kernel));
            entry
        })
        .collect()
}

/// An image that names the kernels but has no text; made once an owner.
fn images(owner: &'static str, kernels: impl FnOnce() -> Vec<Kernel>) -> &'static [u8] {
    lock(&IMAGES).entry(owner).or_insert_with(|| {
        let image = Image {
            name: owner.into(),
            declaration: String::new(),
            emitter: "fir".into(),
            flavour: Flavour::PTX,
            kernels: register(kernels()),
        };
        let images = vec![Packed { image, delta_len: 0, text_hash: [0; 32] }];
        Box::leak(Bundle { images, texts_zstd: vec![] }.encode().into_boxed_slice())
    })
}

/// The device. Work is done when it is submitted, and what fails is refused.
#[derive(Clone, Debug)]
pub struct Interpreter {
    properties: DeviceProperties,
    memory: Arc<Mutex<Allocations>>,
}

#[derive(Debug, Default)]
struct Allocations {
    /// By address; each is as long as its present owner asked for.
    words: BTreeMap<u64, Vec<u32>>,
    next: u64,
    launches: HashMap<String, u64>,
}

/// An allocation, freed on drop.
#[derive(Debug)]
struct Words {
    memory: Arc<Mutex<Allocations>>,
    address: u64,
}

/// What streams, events and modules are here.
struct Nothing;

/// Host memory for copies.
#[derive(Debug)]
struct HostBytes(Vec<u8>);

impl Drop for Words {
    fn drop(&mut self) {
        lock(&self.memory).words.remove(&self.address);
    }
}

impl Staging for HostBytes {
    fn bytes(&mut self) -> Result<&mut [u8]> {
        Ok(&mut self.0)
    }

    fn capacity(&self) -> usize {
        self.0.len()
    }
}

impl Default for Interpreter {
    fn default() -> Self {
        let properties = DeviceProperties {
            name: "interpreter".into(),
            multiprocessors: 1,
            compute: 90,
            memory: 1 << 40,
            binding: u64::MAX,
            // It takes kernels by their names, and reads no text.
            flavour: Flavour::PTX,
            geometry: Geometry::PTX,
            limits: Limits::PTX,
        };
        Interpreter { properties, memory: Arc::default() }
    }
}

impl Interpreter {
    /// Launches so far, by symbol.
    pub fn launches(&self) -> HashMap<String, u64> {
        lock(&self.memory).launches.clone()
    }

    /// Allocations alive.
    pub fn allocations(&self) -> usize {
        lock(&self.memory).words.len()
    }

    /// Hands the words of a range to `use_words`; the range is in use.
    fn with_words(
        &self,
        call: &'static str,
        memory: &Memory,
        (offset, len): (u64, u64),
        use_words: impl FnOnce(&mut [u32]),
    ) -> Result<()> {
        let bad = |reason: &str| RuntimeError::Device { call, reason: reason.into() };
        let inside: &Words = memory.get()?;
        if !Arc::ptr_eq(&inside.memory, &self.memory) {
            return Err(bad("the memory belongs to another interpreter"));
        }
        if !offset.is_multiple_of(4) || !len.is_multiple_of(4) {
            return Err(bad("not a range of words"));
        }
        let range = offset as usize / 4..(offset + len) as usize / 4;
        let mut all = lock(&self.memory);
        let words = all.words.get_mut(&inside.address).and_then(|words| words.get_mut(range));
        use_words(words.ok_or_else(|| bad("out of bounds"))?);
        Ok(())
    }
}

/// The first `len` bytes of staging memory.
fn staged(staging: &mut dyn Staging, len: usize) -> Result<&mut [u8]> {
    let object: &mut dyn Any = staging;
    let bytes = object.downcast_mut::<HostBytes>().and_then(|host| host.0.get_mut(..len));
    bytes.ok_or(RuntimeError::Device { call: "staging", reason: "of another device, or too short".into() })
}

fn undefined(bytes: u64) -> Vec<u32> {
    // A value that is canonical in no field.
    vec![0xdead_beef; bytes.div_ceil(4) as usize]
}

impl Allocations {
    /// The words of a range, which begins at one.
    fn words(&mut self, range: ByteRange) -> std::result::Result<&mut [u32], String> {
        let words = self.words.get_mut(&range.buffer.0).ok_or("no such buffer")?;
        let whole = range.start as usize / 4..range.end.div_ceil(4) as usize;
        words.get_mut(whole).ok_or_else(|| format!("{range} are not in its buffer"))
    }

    fn launch(&mut self, kernel: &Kernel, launch_: Launch<'_>) -> std::result::Result<(), String> {
        assert_eq!(launch_.block, kernel.desc.block, "{}", kernel.symbol);
        let mut written = vec![];
        let mut args = vec![];
        for (param, arg) in kernel.desc.params.iter().zip(launch_.args) {
            args.push(match (param.kind, *arg) {
                (ParamKind::U32, Arg::U32(x)) => Argument::U32(x),
                (ParamKind::U64, Arg::U64(x)) => Argument::U64(x),
                (ParamKind::Buffer(access, _), Arg::Buffer(range)) => {
                    if access == Access::InOut {
                        written.push((args.len(), range));
                    }
                    Argument::Buffer(self.words(range).map_err(|e| format!("{}: {e}", param.name))?.to_vec())
                }
                (kind, arg) => return Err(format!("{}: {arg:?} for {kind:?}", param.name)),
            });
        }
        if let Some(overlap) = kernel.desc.overlap(launch_.args) {
            return Err(overlap.to_string());
        }
        launch(kernel, launch_.grid, &mut args).map_err(|e| e.to_string())?;
        for (i, range) in written {
            let Argument::Buffer(words) = &args[i] else { unreachable!("a buffer was pushed") };
            self.words(range)?.copy_from_slice(words);
        }
        Ok(())
    }
}

impl KernelDevice for Interpreter {
    fn properties(&self) -> &DeviceProperties {
        &self.properties
    }

    fn load(&self, source: &Source) -> Result<Module> {
        if source.image().name == "common" {
            register(curvesmith_codegen::kernels::common_kernels(&Geometry::PTX));
        }
        Ok(Module::new(Nothing))
    }

    fn resident_blocks(&self, module: &Module, _symbol: &str, _block: u32) -> Result<u32> {
        module.get::<Nothing>()?;
        Ok(2)
    }

    fn alloc(&self, bytes: u64) -> Result<Memory> {
        let mut memory = lock(&self.memory);
        memory.next += 1 << 32;
        let address = memory.next;
        memory.words.insert(address, undefined(bytes));
        Ok(Memory::new(Words { memory: Arc::clone(&self.memory), address }, BufferId(address), bytes))
    }

    fn reuse(&self, stream: &Stream, memory: &Memory, bytes: u64) -> Result<()> {
        stream.get::<Nothing>()?;
        memory.range("reuse", 0, bytes)?;
        let inside: &Words = memory.get()?;
        lock(&self.memory).words.insert(inside.address, undefined(bytes));
        Ok(())
    }

    fn staging(&self, bytes: usize) -> Result<Box<dyn Staging>> {
        Ok(Box::new(HostBytes(vec![0; bytes])))
    }

    fn stream(&self) -> Result<Stream> {
        Ok(Stream::new(Nothing))
    }

    fn upload(
        &self,
        stream: &Stream,
        dst: &Memory,
        offset: u64,
        src: &mut dyn Staging,
        len: usize,
    ) -> Result<()> {
        stream.get::<Nothing>()?;
        let src = staged(src, len)?;
        self.with_words("upload", dst, (offset, len as u64), |words| {
            for (word, bytes) in words.iter_mut().zip(src.as_chunks::<4>().0) {
                *word = u32::from_le_bytes(*bytes);
            }
        })
    }

    fn download(
        &self,
        stream: &Stream,
        src: &Memory,
        offset: u64,
        dst: &mut dyn Staging,
        len: usize,
    ) -> Result<()> {
        stream.get::<Nothing>()?;
        let dst = staged(dst, len)?;
        self.with_words("download", src, (offset, len as u64), |words| {
            for (word, bytes) in words.iter().zip(dst.as_chunks_mut::<4>().0) {
                *bytes = word.to_le_bytes();
            }
        })
    }

    fn fill(&self, stream: &Stream, dst: &Memory, offset: u64, len: u64, byte: u8) -> Result<()> {
        stream.get::<Nothing>()?;
        self.with_words("fill", dst, (offset, len), |words| words.fill(u32::from_le_bytes([byte; 4])))
    }

    fn launch(&self, stream: &Stream, module: &Module, launch: Launch<'_>) -> Result<()> {
        stream.get::<Nothing>()?;
        module.get::<Nothing>()?;
        let kernel = lock(&KERNELS).get(launch.symbol).cloned();
        let kernel = kernel.expect("the image of the kernel was loaded");
        let mut memory = lock(&self.memory);
        *memory.launches.entry(launch.symbol.into()).or_default() += 1;
        memory.launch(&kernel, launch).map_err(|reason| RuntimeError::Launch {
            symbol: launch.symbol.into(),
            grid: launch.grid,
            block: launch.block,
            call: "interpreter",
            reason,
        })
    }

    fn record(&self, stream: &Stream, _timed: bool) -> Result<Event> {
        stream.get::<Nothing>()?;
        Ok(Event::new(Nothing))
    }

    fn wait(&self, stream: &Stream, event: &Event) -> Result<()> {
        stream.get::<Nothing>()?;
        event.get::<Nothing>()?;
        Ok(())
    }

    fn elapsed(&self, _from: &Event, _to: &Event) -> Result<f64> {
        Ok(0.0)
    }

    fn synchronize(&self, stream: &Stream) -> Result<()> {
        stream.get::<Nothing>().map(drop)
    }
}
