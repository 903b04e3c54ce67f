//! Chained field operations, everything in registers, against the pipe model's bound.

use super::device::Gpu;
use anyhow::{Context, Result};
use curvesmith_abi::kernels::FieldMulSub;
use curvesmith_abi::{Arg, Geometry, Kernel, padded_words};
use curvesmith_codegen::declaration::FieldDesc;
use curvesmith_codegen::fir::build::{Builder, Fe};
use curvesmith_codegen::passes::prepare;
use curvesmith_codegen::targets::BackEnd;
use curvesmith_codegen::targets::ptx::Ptx;
use curvesmith_codegen::targets::ptx::emit::Emitter;
use num_bigint::BigUint;

/// Rounds of the loop.
const ROUNDS: u32 = 256;
/// Operations on the chain in one round.
const CHAIN: u32 = 8;
/// The same of operations on two elements: four times as long, and no loop of more instructions than are
/// fetched in time.
const LINKS_OF_TWO: u32 = 2;
/// Warps a scheduler, of blocks of 128 threads.
const WARPS: u32 = 4;

/// `(x, y, z) → x'`, one link of the chain.
type Link = for<'k> fn(&'k Builder, Fe<'k>, Fe<'k>, Fe<'k>) -> Fe<'k>;

const LINKS: &[(&str, Link)] = &[
    ("mul", |_, x, y, _| x * y),
    ("sqr", |_, x, _, _| x.sqr()),
    ("a*b + c*d", |b, x, y, z| b.dot(&[(x, y), (z, x)])),
    ("constant * x", |_, x, _, _| x.mul_const(&BigUint::from(0x1234_5678_9abc_def1_u64).pow(3))),
    ("x + y", |_, x, y, _| x + y),
    ("x - y", |_, x, y, _| x - y),
];

/// `(x, y) → x'` in a quadratic extension, one link of the chain.
type Link2 = for<'k> fn(&'k Builder, [Fe<'k>; 2], [Fe<'k>; 2]) -> [Fe<'k>; 2];

/// Products with `u² = -1`: as the compiler makes them, and a dot product for each coordinate.
const LINKS2: &[(&str, Link2)] = &[
    ("Fq2 x*y", |b, x, y| b.dot_fq2(&[(x, y)], -1)),
    ("Fq2 x*y, dots", |b, [x0, x1], [y0, y1]| [b.dot(&[(x0, y0), (-x1, y1)]), b.dot(&[(x0, y1), (x1, y0)])]),
    ("Fq2 x*y + y*x", |b, x, y| b.dot_fq2(&[(x, y), (y, x)], -1)),
];

const FIELDS: &[(&str, &str)] = &[
    ("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
    ("bls12_381_fr", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
    (
        "bls12_381_fq",
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
    ),
    (
        "bls12_377_fq",
        "01ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001",
    ),
];

pub(crate) fn report(gpu: &Gpu) -> Result<()> {
    println!(
        "field operations in a chain: cycles per operation, warp and scheduler, {WARPS} warps a scheduler"
    );
    for (name, hex) in FIELDS {
        let p = BigUint::parse_bytes(hex.as_bytes(), 16).context("a modulus in hexadecimal")?;
        let field = FieldDesc::new(*name, p);
        for (op, link) in LINKS {
            let cycles = measure(gpu, &field, *link)?;
            let rate = f64::from(gpu.multiprocessors()) * 128.0 * gpu.megahertz() * 1e6 / cycles / 1e9;
            println!("  {name:14} {op:14} {cycles:8.1}  {rate:7.1} G/s");
        }
        for (op, link) in LINKS2 {
            let cycles = measure2(gpu, &field, *link)?;
            let rate = f64::from(gpu.multiprocessors()) * 128.0 * gpu.megahertz() * 1e6 / cycles / 1e9;
            println!("  {name:14} {op:14} {cycles:8.1}  {rate:7.1} G/s");
        }
    }
    println!();
    Ok(())
}

fn measure(gpu: &Gpu, field: &FieldDesc, link: Link) -> Result<f64> {
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let [x, y, z] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
    let acc = b.var(x);
    b.for_(b.u32(0), b.u32(ROUNDS), 1, |_| {
        let end = (0..CHAIN).fold(acc.get(), |x, _| link(&b, x, y, z));
        acc.set(end);
    });
    b.buffer("out").set_field(i, acc.get());
    time(gpu, field, b, CHAIN)
}

/// As [`measure`] in a quadratic extension.
fn measure2(gpu: &Gpu, field: &FieldDesc, link: Link2) -> Result<f64> {
    let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, field);
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let [x0, x1, y0] = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
    // Other operands in every link: what two have in common is computed once.
    let (acc, y) = ([x0, x1].map(|x| b.var(x)), [y0, x0].map(|y| b.var(y)));
    b.for_(b.u32(0), b.u32(ROUNDS), 1, |_| {
        let (mut x, mut last) = (acc.map(|x| x.get()), y.map(|y| y.get()));
        for _ in 0..LINKS_OF_TWO {
            (x, last) = (link(&b, x, last), x);
        }
        acc.iter().zip(x).for_each(|(acc, x)| acc.set(x));
        y.iter().zip(last).for_each(|(y, last)| y.set(last));
    });
    b.buffer("out").set_field(i, acc[0].get() + acc[1].get());
    time(gpu, field, b, LINKS_OF_TWO)
}

/// Cycles of a link of a kernel's chain, of so many in one round.
fn time(gpu: &Gpu, field: &FieldDesc, b: Builder, links: u32) -> Result<f64> {
    let kernel = b.finish();
    let module = gpu.load(&Ptx::emit(&[prepare(&kernel)?], Emitter::Llvm)?.text, &kernel.symbol)?;
    let block = FieldMulSub::desc(&Geometry::PTX).block;
    let grid = gpu.multiprocessors() * 4 * WARPS * 32 / block;
    let bytes = u64::from(grid * block) * 4 * padded_words(field.words) as u64;
    let buffers = [gpu.alloc(bytes)?, gpu.alloc(bytes)?, gpu.alloc(bytes)?, gpu.alloc(bytes)?];
    for (k, buffer) in buffers.iter().take(3).enumerate() {
        gpu.write(buffer, &vec![k as u8 + 1; bytes as usize])?;
    }
    let mut args: Vec<Arg> = buffers.iter().map(|m| Arg::Buffer(m.whole())).collect();
    args.push(Arg::U32(grid * block));
    let time = gpu.time(&module, &kernel.symbol, grid, block, &args)?;
    Ok(gpu.cycles(time, f64::from(WARPS), f64::from(ROUNDS * links)))
}
