//! Writes a synthetic `.zkey` of SHA-256-2048's shape: `synthetic-zkey <file> [seed]`.

use anyhow::{Context, Result, bail};
use curvesmith_benches::synthetic::{Shape, write_zkey};
use std::fs::File;
use std::io::{BufWriter, Write};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, seed) = match arguments.as_slice() {
        [path] => (path, 0),
        [path, seed] => (path, seed.parse().context("the seed is not a number")?),
        _ => bail!("usage: synthetic-zkey <file> [seed]"),
    };
    let mut out = BufWriter::new(File::create(path).with_context(|| path.clone())?);
    write_zkey(&Shape::SHA256_2048, seed, &mut out)?;
    Ok(out.flush()?)
}
