//! The accumulation kernel of the runtime, one long run of mixed additions a thread.

use super::device::Gpu;
use anyhow::{Context, Result};
use ark_std::rand::{Rng, SeedableRng, rngs::StdRng};
use curvesmith::{Field, Group, bls12_381, bn254};
use curvesmith_abi::kernels::Accumulate;
use curvesmith_abi::{Arg, Bundle, Element, Flavour, Form, Geometry, Kernel, padded_words};
use curvesmith_device::Source;

/// Different bases.
const BASES: usize = 1 << 16;
/// Additions a thread.
const LENGTH: u32 = 256;
/// Blocks a multiprocessor, more than are resident at once.
const BLOCKS: u32 = 8;

pub(crate) fn report(gpu: &Gpu) -> Result<()> {
    println!(
        "accumulation: cycles per mixed addition, warp and scheduler; loads, digits and special cases included"
    );
    measure::<bn254::G1>(gpu)?;
    measure::<bls12_381::G1>(gpu)?;
    measure::<bn254::G2>(gpu)?;
    measure::<bls12_381::G2>(gpu)
}

fn measure<G: Group>(gpu: &Gpu) -> Result<()> {
    let symbol = format!("{}_{}", G::NAME, Accumulate::NAME);
    let images = Source::unpack(Bundle::select(G::images(), &Flavour::PTX)?);
    let image = images.iter().find(|source| source.image().kernels.iter().any(|k| k.symbol == symbol));
    let module = gpu.load_image(image.with_context(|| format!("no image holds {symbol}"))?)?;

    let block = Accumulate::desc(&Geometry::PTX).of_width(G::Base::WORDS, G::DEGREE).block;
    let grid = gpu.multiprocessors() * BLOCKS;
    let (slices, total) = (grid * block, grid * block * LENGTH);
    let mut rng = StdRng::seed_from_u64(1);
    // Any pair of coordinates costs what a point costs: the formulas do not look at the curve.
    let words = padded_words(G::Base::WORDS);
    let coordinate = |rng: &mut StdRng| {
        (0..words).map(|k| if k < G::Base::WORDS { rng.r#gen::<u32>() >> 8 } else { 0 }).collect::<Vec<_>>()
    };
    let bases: Vec<u32> = (0..2 * G::DEGREE * BASES)
        .flat_map(|_| {
            let mut words = coordinate(&mut rng);
            // Below every modulus here.
            words[G::Base::WORDS - 1] >>= 8;
            words
        })
        .collect();
    let entries: Vec<u32> =
        (0..total).map(|_| rng.gen_range(0..BASES as u32) | (rng.r#gen::<u32>() & 1 << 31)).collect();
    let xyzz = Element::Point.bytes(Form::Xyzz, G::Base::WORDS, G::DEGREE) as u64;
    let inputs = [bases, vec![0; total as usize], entries, vec![0, total]];
    let mut buffers = Vec::new();
    for words in &inputs {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let buffer = gpu.alloc(bytes.len() as u64)?;
        gpu.write(&buffer, &bytes)?;
        buffers.push(buffer);
    }
    buffers.push(gpu.alloc(xyzz)?);
    buffers.push(gpu.alloc(xyzz * u64::from(slices))?);
    let mut args: Vec<Arg> = buffers.iter().map(|m| Arg::Buffer(m.whole())).collect();
    args.extend([Arg::U32(1), Arg::U32(slices)]);
    let time = gpu.time(&module, &symbol, grid, block, &args)?;
    let warps = f64::from(slices) / 32.0 / f64::from(4 * gpu.multiprocessors());
    let cycles = gpu.cycles(time, warps, f64::from(LENGTH));
    let rate = f64::from(total) / time.as_secs_f64() / 1e9;
    println!("  {:14} {cycles:9.0}  {rate:6.2} G additions/s", G::NAME);
    Ok(())
}
