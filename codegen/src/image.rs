//! From checked declarations to images: kernels, a text with a header, one compressed text for all.

use crate::compression;
use crate::declaration::{Equation, FieldDesc, GroupDesc};
use crate::dump::computed;
use crate::error::EmitError;
use crate::fir::ir::{Kernel, Local, Type};
use crate::fir::print::{print, type_name};
use crate::kernels::{
    common_kernels, constant_formula_kernels, constant_kernels, field_kernels, formula_kernels, group_kernels,
};
use crate::passes::{Checked, Contract, Library, describe_schemes, multiplication};
use crate::targets::ptx::Ptx;
use crate::targets::ptx::emit::Emitter;
use crate::targets::simd::{Avx2, Ifma512, InstructionSet, Limbs, Simd};
use crate::targets::wgsl::Wgsl;
use crate::targets::{Artefact, BackEnd, Bound as _};
use crate::version;
use curvesmith_abi::{Bundle, Flavour, Geometry, Image, KernelEntry, Needs, Packed, delta};
use std::sync::Arc;

/// Most multiplication in one image, as [`multiplication`] counts it: ptxas 13.5 takes 1.5 to
/// 2.5 s for as much on one core of a server.
const IMAGE_LIMIT: usize = 20_000;

/// What images are made in, and by what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PTX.
    Ptx(Emitter),
    /// WGSL.
    Wgsl,
    /// Rust for a processor's vectors: no kernels, but functions that the host's loops are given when they
    /// are built.
    Lanes(InstructionSet),
}

impl From<Emitter> for Format {
    fn from(emitter: Emitter) -> Format {
        Format::Ptx(emitter)
    }
}

impl Format {
    /// The language.
    pub fn flavour(self) -> Flavour {
        match self {
            Format::Ptx(_) => Flavour::PTX,
            Format::Wgsl => Flavour::WGSL,
            Format::Lanes(set) => Flavour::named(set.name()),
        }
    }

    /// The sizes of blocks that kernels are built for; `None` of what has no kernels.
    pub fn geometry(self) -> Option<Geometry> {
        match self {
            Format::Ptx(_) => Some(Geometry::PTX),
            Format::Wgsl => Some(Geometry::WGSL),
            Format::Lanes(_) => None,
        }
    }

    /// What `of` makes for the sizes of blocks; nothing where there are none.
    fn kernels<K>(self, of: impl FnOnce(&Geometry) -> Vec<K>) -> Vec<K> {
        self.geometry().as_ref().map(of).unwrap_or_default()
    }

    /// Versions of the compiler and of what writes its texts. Two equal texts emit equal images for equal
    /// declarations.
    pub fn version(self) -> String {
        match self {
            Format::Ptx(emitter) => emitter_version(emitter),
            Format::Wgsl => emitter_version(Emitter::Writer),
            Format::Lanes(set) => format!("{} lanes by {}", version::compiler_version(), set.name()),
        }
    }

    /// Whether it can be made in this process.
    pub fn check(self) -> Result<(), EmitError> {
        match self {
            Format::Ptx(emitter) => emitter.check(),
            Format::Wgsl | Format::Lanes(_) => Ok(()),
        }
    }
}

/// What goes into one image: kernels as written and what its header says of them.
#[derive(Clone, Debug)]
pub struct Plan {
    format: Format,
    /// Name of the image.
    name: String,
    /// Name of the declaration: a field, a group, or `common`.
    owner: String,
    /// The declaration in one line.
    declaration: String,
    /// Constants that follow from it.
    constants: Vec<String>,
    kernels: Vec<Kernel>,
}

/// An image with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// The image.
    pub image: Image,
    /// Its text.
    pub text: String,
}

/// The images of a prime field: element-wise operations, digits, NTT and SpMV. In lanes, none of a field
/// without long transforms.
pub fn plan_field(format: impl Into<Format>, field: &FieldDesc) -> Vec<Plan> {
    let format = format.into();
    let (name, kernels) = match format {
        Format::Lanes(set) => (in_lanes(&field.name, set), set.transforms(field)),
        _ => (field.name.clone(), format.kernels(|geometry| field_kernels(geometry, field))),
    };
    if kernels.is_empty() {
        return vec![];
    }
    vec![Plan {
        format,
        name,
        owner: field.name.clone(),
        declaration: field.text(),
        constants: field_lines(format, field),
        kernels,
    }]
}

/// The images of a group, cut so that each assembles in seconds and they can load in parallel. In lanes, one
/// of a group that has functions of points.
pub fn plan_group(format: impl Into<Format>, group: &GroupDesc) -> Vec<Plan> {
    let format = format.into();
    let Format::Lanes(set) = format else {
        return plan_kernels(format, group, format.kernels(|geometry| group_kernels(geometry, group)));
    };
    let functions = set.additions(group);
    if functions.is_empty() {
        return vec![];
    }
    vec![plan(format, group, in_lanes(&group.name, set), functions)]
}

/// The name of an image in lanes.
fn in_lanes(declaration: &str, set: InstructionSet) -> String {
    format!("{declaration}_{}", set.name())
}

/// The images of a group for constant work; the group is [`GroupDesc::constant_work`]'s.
pub fn plan_constant(format: impl Into<Format>, group: &GroupDesc) -> Vec<Plan> {
    let format = format.into();
    plan_kernels(format, group, format.kernels(|geometry| constant_kernels(geometry, group)))
}

/// One image a list, cut where it would take too long to assemble.
fn plan_kernels(format: Format, group: &GroupDesc, lists: Vec<Vec<Kernel>>) -> Vec<Plan> {
    let of_list = |kernels: Vec<Kernel>| {
        let first = kernels.first().map_or("empty", |k| k.desc.name);
        plan(format, group, format!("{}_{first}", group.name), kernels)
    };
    lists.into_iter().flat_map(cut).map(of_list).collect()
}

fn plan(format: Format, group: &GroupDesc, name: String, kernels: Vec<Kernel>) -> Plan {
    let mut constants = field_lines(format, &group.base);
    let hex = |v: &[num_bigint::BigUint]| v.iter().map(|x| format!("{x:#x}")).collect::<Vec<_>>().join(", ");
    for level in group.tower.levels() {
        let (degree, nonresidue) = (level.degree, hex(&level.nonresidue));
        let of = if level.nonresidue.len() == 1 { nonresidue } else { format!("({nonresidue})") };
        constants.push(format!("coordinates: F[u]/(u^{degree} - {of})"));
    }
    constants.push(match &group.equation {
        Equation::ShortWeierstrass { a, b } => {
            format!("curve: y^2 = x^3 + a*x + b, a = ({}), b = ({})", hex(a), hex(b))
        }
        Equation::TwistedEdwards { a, d } => {
            format!("curve: a*x^2 + y^2 = 1 + d*x^2*y^2, a = ({}), d = ({})", hex(a), hex(d))
        }
        Equation::Niels { d } => {
            format!(
                "curve: -x^2 + y^2 = 1 + d*x^2*y^2, d = ({}); affine points are y-x, y+x, 2*d*x*y",
                hex(d)
            )
        }
    });
    Plan { format, name, owner: group.name.clone(), declaration: group.text(), constants, kernels }
}

/// The image of the field-independent kernels; none in lanes.
pub fn plan_common(format: impl Into<Format>) -> Vec<Plan> {
    let (format, common) = (format.into(), || "common".to_owned());
    let kernels = format.kernels(common_kernels);
    if kernels.is_empty() {
        return vec![];
    }
    vec![Plan { format, name: common(), owner: common(), declaration: common(), constants: vec![], kernels }]
}

/// Compiles the images of a prime field.
pub fn compile_field(format: impl Into<Format>, field: &FieldDesc) -> Result<Vec<Emitted>, EmitError> {
    all(&plan_field(format, field))
}

/// Compiles the images of a group.
pub fn compile_group(format: impl Into<Format>, group: &GroupDesc) -> Result<Vec<Emitted>, EmitError> {
    all(&plan_group(format, group))
}

/// Compiles the images of a group for constant work, and the formulas that are in none; see
/// [`plan_constant`].
pub fn compile_constant(format: impl Into<Format>, group: &GroupDesc) -> Result<Vec<Emitted>, EmitError> {
    let format = format.into();
    let formulas = format.kernels(|geometry| constant_formula_kernels(geometry, group));
    all(&[plan_constant(format, group), plan_kernels(format, group, vec![formulas])].concat())
}

/// Compiles [`formula_kernels`], which are in no image of a group.
pub fn compile_formulas(format: impl Into<Format>, group: &GroupDesc) -> Result<Vec<Emitted>, EmitError> {
    let format = format.into();
    all(&plan_kernels(format, group, vec![format.kernels(|geometry| formula_kernels(geometry, group))]))
}

/// Compiles the image of the field-independent kernels.
pub fn compile_common(format: impl Into<Format>) -> Result<Vec<Emitted>, EmitError> {
    all(&plan_common(format))
}

fn all(plans: &[Plan]) -> Result<Vec<Emitted>, EmitError> {
    plans.iter().map(Plan::compile).collect()
}

/// The images of a declaration as programs embed them.
pub fn pack(emitted: Vec<Emitted>) -> Result<Bundle, EmitError> {
    let texts: Vec<Vec<u8>> = emitted.iter().map(|emitted| delta::encode(&emitted.text)).collect();
    let texts_zstd = compression::compress(&texts.concat())?;
    let packed = |(Emitted { image, text }, delta): (Emitted, &Vec<u8>)| Packed {
        image,
        delta_len: delta.len() as u64,
        text_hash: *blake3::hash(text.as_bytes()).as_bytes(),
    };
    Ok(Bundle { images: emitted.into_iter().zip(&texts).map(packed).collect(), texts_zstd })
}

/// Cuts a list so that no image holds more than [`IMAGE_LIMIT`], except a kernel that does alone. What
/// several of an image call is in it once.
fn cut(kernels: Vec<Kernel>) -> Vec<Vec<Kernel>> {
    let mut lists: Vec<Vec<Kernel>> = vec![];
    let (mut held, mut called): (usize, Vec<Arc<Kernel>>) = (0, vec![]);
    for kernel in kernels {
        let own = multiplication::<Ptx>(&kernel);
        let more = |called: &[Arc<Kernel>]| {
            let new = kernel.callees().into_iter().filter(|f| !called.contains(f));
            own + new.map(|f| multiplication::<Ptx>(&f)).sum::<usize>()
        };
        match lists.last_mut() {
            Some(_) if held + more(&called) <= IMAGE_LIMIT => held += more(&called),
            _ => {
                lists.push(vec![]);
                called.clear();
                held = more(&[]);
            }
        }
        called.extend(kernel.callees());
        lists.last_mut().expect("pushed above").push(kernel);
    }
    lists
}

/// Versions of the compiler and of what writes its texts, LLVM or our writer. Two equal texts emit equal
/// images for equal declarations.
pub fn emitter_version(emitter: Emitter) -> String {
    format!("{} {}", version::compiler_version(), emitter.version())
}

/// Hash of a declaration and of the compiler.
fn hash(declaration: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(version::SOURCE_HASH.as_bytes());
    hasher.update(&[0]);
    hasher.update(declaration.as_bytes());
    hasher.finalize().to_hex().to_string()
}

fn field_lines(format: Format, field: &FieldDesc) -> Vec<String> {
    let p = format!("p = {:#x}", field.p);
    if let Format::Lanes(set) = format {
        let Limbs { n, bits, .. } = Limbs::of(set.products(), field);
        return vec![p, format!("{n} limbs of {bits} bits, R = 2^{}", n * bits as usize)];
    }
    vec![
        p,
        format!("R = 2^{}", 32 * field.words),
        format!("R^2 mod p = {:#x}", field.r2()),
        format!("n0 = -1/p mod 2^32 = {:#x}", field.n0()),
    ]
}

impl Plan {
    /// The kernels as written.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// The name of the image.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its text.
    pub fn text(&self) -> Result<String, EmitError> {
        Ok(self.artefact()?.text)
    }

    /// The image.
    pub fn compile(&self) -> Result<Emitted, EmitError> {
        let Artefact { text, needs } = self.artefact()?;
        let entry = |(k, needs): (&Kernel, Needs)| KernelEntry {
            symbol: k.symbol.clone(),
            name: k.desc.name.into(),
            signature: k.signature(),
            needs,
        };
        let image = Image {
            name: self.name.clone(),
            declaration: hash(&self.declaration),
            emitter: self.format.version(),
            flavour: self.format.flavour(),
            kernels: self.kernels.iter().zip(needs).map(entry).collect(),
        };
        Ok(Emitted { image, text })
    }

    fn artefact(&self) -> Result<Artefact, EmitError> {
        match self.format {
            Format::Ptx(emitter) => self.by::<Ptx>(emitter),
            Format::Wgsl => self.by::<Wgsl>(()),
            Format::Lanes(InstructionSet::Ifma512) => self.by::<Simd<Ifma512>>(()),
            Format::Lanes(InstructionSet::Avx2) => self.by::<Simd<Avx2>>(()),
        }
    }

    /// Passes, emission, a header before the text.
    fn by<T: BackEnd>(&self, emitter: T::Emitter) -> Result<Artefact, EmitError> {
        let mut library = Library::default();
        let prepare = |k: &Kernel| {
            library.prepare(k).map_err(|source| EmitError::Pass { kernel: k.symbol.clone(), source })
        };
        let prepared = self.kernels.iter().map(prepare).collect::<Result<Vec<Checked<T>>, _>>()?;
        let artefact = T::emit(&prepared, emitter)?;
        Ok(Artefact { text: self.header(&prepared) + &artefact.text, ..artefact })
    }

    /// What a reader of the text needs to know where it comes from and what holds in it.
    fn header<T: BackEnd>(&self, prepared: &[Checked<T>]) -> String {
        let first = self.kernels.first().map_or("", |k| k.desc.name);
        let mut lines = vec![
            format!("image {}", self.name),
            format!("declaration {}", hash(&self.declaration)),
            self.declaration.clone(),
            self.format.version(),
        ];
        if self.format.geometry().is_some() {
            lines.push(format!("made by: cargo xtask dump {} {first} --after image", self.owner));
        }
        lines.extend(self.constants.iter().cloned());
        lines.extend(self.kernels.first().map(describe_schemes::<T>).into_iter().flatten());
        let mut said: Vec<&str> = vec![];
        for checked in prepared.iter().flat_map(Checked::with_functions) {
            let kernel = checked.kernel();
            if said.contains(&&*kernel.symbol) {
                continue;
            }
            said.push(&kernel.symbol);
            match &kernel.function {
                Some(_) => lines.push(format!("function {}: {}", kernel.symbol, contract(checked))),
                // The signature names the bound of every buffer.
                None => lines.push(format!("kernel {}: {}", kernel.symbol, kernel.signature())),
            }
            lines.extend(widest(checked).map(|bound| format!("  every value in it is {bound}")));
            lines.push(format!("  FIR {}", &blake3::hash(print(kernel).as_bytes()).to_hex()[..16]));
        }
        lines.iter().map(|line| format!("// {line}\n")).collect()
    }
}

/// What a function takes and gives, and under which bounds.
fn contract<T: BackEnd>(checked: &Checked<T>) -> String {
    let (kernel, Contract { arguments, results }) = (checked.kernel(), checked.info().contract());
    let signature = kernel.function.clone().unwrap_or_default();
    let list = |types: &[Type], bounds: &[Option<T::Bound>]| {
        let one = |(ty, bound): (&Type, &Option<T::Bound>)| {
            let limit = bound.zip(kernel.field.as_ref()).map(|(bound, field)| bound.text(field));
            type_name(*ty) + &limit.unwrap_or_default()
        };
        types.iter().zip(bounds).map(one).collect::<Vec<_>>().join(", ")
    };
    format!("({}) -> ({})", list(&signature.arguments, arguments), list(&signature.results, results))
}

/// The weakest bound of a kernel's field values and locals, in multiples of the modulus.
fn widest<T: BackEnd>(checked: &Checked<T>) -> Option<String> {
    let (kernel, info) = (checked.kernel(), checked.info());
    let field = kernel.field.as_ref()?;
    let locals = (0..kernel.locals.len()).filter_map(|l| info.local(Local(l as u32)));
    let bounds = computed(&kernel.body).into_iter().filter_map(|v| info.bound(v)).chain(locals);
    bounds.reduce(|a, b| a.join(b, field)).map(|bound| bound.text(field))
}
