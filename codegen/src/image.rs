//! From checked declarations to images: kernels, PTX with a header, compression.

use crate::error::EmitError;
use crate::fir::ir::Kernel;
use crate::kernels::{common_kernels, field_kernels, group_kernels};
use crate::llvm;
use crate::passes::prepare;
use crate::spec::{FieldDesc, GroupDesc};
use crate::version;
use curvesmith_abi::{Image, KernelEntry};
use std::fmt::Write as _;

pub use crate::llvm::check_llvm;

/// Compression level of the payload: 15 to 21 times smaller than the text.
// On all images of two curves (10.2 MB of PTX): level 17 gives 549 kB in 5.8 s, 19 gives 536 kB in 13.2 s.
const ZSTD_LEVEL: i32 = 17;

/// Most multiplication in one image, as [`llvm::multiplication`] counts it: ptxas 13.5 takes 1.5 to
/// 2.5 s for as much on one core of a server.
const IMAGE_LIMIT: usize = 20_000;

/// The images of a prime field: element-wise operations, digits, NTT and SpMV.
pub fn compile_field(field: &FieldDesc) -> Result<Vec<Image>, EmitError> {
    let declaration = declaration(&describe_field(field));
    let kernels = field_kernels(field);
    Ok(vec![image(field.name.clone(), declaration, &field_lines(field), &kernels)?])
}

/// The images of a group, cut so that each assembles in seconds and they can load in parallel.
pub fn compile_group(group: &GroupDesc) -> Result<Vec<Image>, EmitError> {
    let declaration = declaration(&describe_group(group));
    let mut lines = field_lines(&group.base);
    if let Some(nonresidue) = &group.nonresidue {
        lines.push(format!("coordinates: F[u]/(u^2 - {nonresidue:#x})"));
    }
    let hex = |v: &[num_bigint::BigUint]| v.iter().map(|x| format!("{x:#x}")).collect::<Vec<_>>().join(", ");
    lines.push(format!("curve: y^2 = x^3 + a*x + b, a = ({}), b = ({})", hex(&group.a), hex(&group.b)));
    group_kernels(group)
        .into_iter()
        .flat_map(cut)
        .map(|kernels| {
            let first = kernels.first().map_or("empty", |k| k.desc.name);
            image(format!("{}_{first}", group.name), declaration.clone(), &lines, &kernels)
        })
        .collect()
}

/// Cuts a list so that no image holds more than [`IMAGE_LIMIT`], except a kernel that does alone.
fn cut(kernels: Vec<Kernel>) -> Vec<Vec<Kernel>> {
    let mut lists: Vec<Vec<Kernel>> = vec![];
    let mut held = 0;
    for kernel in kernels {
        let more = llvm::multiplication(&kernel);
        match lists.last_mut() {
            Some(list) if held + more <= IMAGE_LIMIT => {
                list.push(kernel);
                held += more;
            }
            _ => {
                lists.push(vec![kernel]);
                held = more;
            }
        }
    }
    lists
}

/// The image of the field-independent kernels.
pub fn compile_common() -> Result<Vec<Image>, EmitError> {
    let declaration = declaration("common");
    Ok(vec![image("common".into(), declaration, &[], &common_kernels())?])
}

/// Versions of the emitter: crate, LLVM, and the hash of the compiler's own source. Two equal
/// texts emit equal images for equal declarations.
pub fn emitter_version() -> String {
    format!("curvesmith {} {} source {}", version::CRATE, llvm::llvm_version(), version::SOURCE_HASH)
}

/// Hash of a declaration and of the compiler.
fn declaration(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(version::SOURCE_HASH.as_bytes());
    hasher.update(&[0]);
    hasher.update(text.as_bytes());
    hasher.finalize().to_hex().to_string()
}

fn describe_field(field: &FieldDesc) -> String {
    format!("field {} p={:x} words={}", field.name, field.p, field.words)
}

fn describe_group(group: &GroupDesc) -> String {
    format!(
        "group {} over [{}] nonresidue={:x?} a={:x?} b={:x?}",
        group.name,
        describe_field(&group.base),
        group.nonresidue,
        group.a,
        group.b
    )
}

fn field_lines(field: &FieldDesc) -> Vec<String> {
    vec![
        format!("p = {:#x}", field.p),
        format!("R = 2^{}", 32 * field.words),
        format!("R^2 mod p = {:#x}", field.r2()),
        format!("n0 = -1/p mod 2^32 = {:#x}", field.n0()),
    ]
}

fn image(
    name: String,
    declaration: String,
    lines: &[String],
    kernels: &[Kernel],
) -> Result<Image, EmitError> {
    let prepared: Result<Vec<_>, _> = kernels
        .iter()
        .map(|k| prepare(k).map_err(|source| EmitError::Pass { kernel: k.symbol.clone(), source }))
        .collect();
    let body = llvm::emit(&prepared?)?;
    let emitter = emitter_version();
    let mut ptx = String::new();
    let mut line = |text: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(ptx, "// {text}");
    };
    line(&format!("image {name}"));
    line(&format!("declaration {declaration}"));
    line(&emitter);
    lines.iter().for_each(|l| line(l));
    kernels.iter().for_each(|k| line(&format!("kernel {}: {}", k.symbol, contract(k))));
    ptx.push_str(&body);
    let ptx_zstd = zstd::bulk::compress(ptx.as_bytes(), ZSTD_LEVEL).map_err(EmitError::Compress)?;
    let entry = |k: &Kernel| KernelEntry {
        symbol: k.symbol.clone(),
        name: k.desc.name.into(),
        signature: k.desc.signature(),
    };
    Ok(Image {
        name,
        declaration,
        emitter,
        min_compute: llvm::MIN_COMPUTE,
        kernels: kernels.iter().map(entry).collect(),
        ptx_len: ptx.len() as u64,
        ptx_zstd,
    })
}

/// The signature, which names the bound of every buffer.
fn contract(kernel: &Kernel) -> String {
    kernel.desc.signature()
}
