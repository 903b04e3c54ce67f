//! Draws the book's plots anew from its tables.

use anyhow::{Context, Result};
use curvesmith_benches::plots;

fn main() -> Result<()> {
    let folder = plots::folder();
    for (name, svg) in plots::draw(&folder)? {
        let path = folder.join(name);
        std::fs::write(&path, svg).with_context(|| format!("could not write {}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}
