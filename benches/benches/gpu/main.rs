//! What a GPU does per clock: issue rates of single instructions, and the generated field, point
//! and transform kernels against the bounds of their machine code.
//!
//! Not a Criterion benchmark: times come from the device's own clock register, or from launches that are
//! long against their overhead. Without a GPU it says so and measures nothing.
//!
//! `cargo bench -p curvesmith-benches --bench gpu`, with `-- ntt` for one of `rates`, `fields`, `points`,
//! `ntt`

mod device;
mod fields;
mod ntt;
mod points;
mod rates;

use curvesmith_runtime::cuda::Cuda;
use device::Gpu;

fn main() -> anyhow::Result<()> {
    let cuda = match Cuda::new(0) {
        Ok(cuda) => cuda,
        Err(error) => {
            println!("no measurement: {error}");
            return Ok(());
        }
    };
    let gpu = Gpu::new(cuda.clone())?;
    println!(
        "{}, {} multiprocessors, {:.0} MHz under load\n",
        gpu.name(),
        gpu.multiprocessors(),
        gpu.megahertz()
    );
    let only: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let wanted = |part: &str| only.is_empty() || only.iter().any(|name| name == part);
    if wanted("rates") {
        rates::report(&gpu)?;
    }
    if wanted("fields") {
        fields::report(&gpu)?;
    }
    if wanted("points") {
        points::report(&gpu)?;
    }
    if wanted("ntt") {
        ntt::report(&cuda, &gpu)?;
    }
    Ok(())
}
