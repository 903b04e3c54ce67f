//! Assembles every embedded kernel with NVIDIA's own assembler and judges the machine code.
//!
//! The PTX comes from the images that the macros embedded in the built crates: a small
//! binary of `curvesmith-tests` writes them out, nothing is emitted again. `ptxas` and
//! `nvdisasm` need no GPU; they come from PyPI, pinned, into `target/validate`.

mod policy;
mod ptxas;
mod report;
mod sass;
mod tools;

use crate::{setup, shell};
use anyhow::{Context, Result, bail};
use clap::Args;
use policy::Subject;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Compute capabilities that every image is assembled for: Turing, Ampere, Hopper, and both Blackwells.
const TARGETS: [u32; 5] = [75, 80, 90, 100, 120];

#[derive(Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    setup: crate::SetupArgs,
    /// Print the report as JSON, for all compute capabilities
    #[arg(long)]
    json: bool,
    /// Compute capability of the printed table
    #[arg(long, default_value_t = 90)]
    arch: u32,
    /// Images assembled at the same time; as many as there are cores by default
    #[arg(long)]
    jobs: Option<usize>,
}

/// An image as the dump binary describes it.
struct Image {
    name: String,
    file: PathBuf,
    min_compute: u32,
    /// Words of a coordinate or element times the extension degree; `None` where there is no field.
    limbs: Option<u32>,
    /// Symbol and kernel name.
    kernels: Vec<(String, String)>,
}

/// What became of one kernel for one compute capability.
struct Outcome {
    kernel: String,
    symbol: String,
    limbs: Option<u32>,
    arch: u32,
    resources: ptxas::Resources,
    counts: sass::Counts,
}

/// One image assembled for one compute capability.
struct Assembled {
    image: String,
    arch: u32,
    seconds: f64,
    outcomes: Vec<Outcome>,
}

/// Fails where an image does not assemble or a kernel breaks the policy.
pub(crate) fn run(args: &ValidateArgs) -> Result<()> {
    if !TARGETS.contains(&args.arch) {
        bail!("--arch {}: images are assembled for {TARGETS:?}", args.arch);
    }
    setup::run(args.setup.yes)?;
    let folder = shell::target("validate");
    let tools = tools::install(&folder)?;
    let images = dump(&folder.join("images"))?;
    let start = Instant::now();
    let assembled = assemble_all(&tools, &images, args.jobs)?;
    let verdict = policy::judge(&assembled);
    if args.json {
        println!("{:#}", report::json(&assembled, &verdict));
    } else {
        print!("{}", report::table(&assembled, args.arch));
    }
    verdict.notes.iter().for_each(|note| eprintln!("note: {note}"));
    verdict.failures.iter().for_each(|failure| eprintln!("error: {failure}"));
    if !verdict.failures.is_empty() {
        bail!("{} kernels break the policy", verdict.failures.len());
    }
    let kernels: usize = images.iter().map(|i| i.kernels.len()).sum();
    eprintln!(
        "{} images with {kernels} kernels assemble for sm_{TARGETS:?} in {:.1} s",
        images.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Has the embedded images written to `folder`, and reads their list.
fn dump(folder: &Path) -> Result<Vec<Image>> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    let mut dump = shell::cargo();
    dump.args(["run", "--quiet", "--package", "curvesmith-tests", "--bin", "dump-images", "--"]);
    shell::run(dump.arg(folder).stdout(Stdio::null()))?;
    let list = folder.join("images.json");
    let text = std::fs::read_to_string(&list).with_context(|| format!("cannot read {}", list.display()))?;
    let list: Value = serde_json::from_str(&text).context("images.json is not JSON")?;
    let images = list.as_array().context("images.json is not a list")?;
    if images.is_empty() {
        bail!("the built crates embed no image");
    }
    images
        .iter()
        .map(|image| read_image(image, folder).context("images.json: an entry is incomplete"))
        .collect()
}

fn read_image(image: &Value, folder: &Path) -> Option<Image> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let number = |value: &Value| value.as_u64().and_then(|v| u32::try_from(v).ok());
    let kernels = image["kernels"].as_array()?.iter();
    Some(Image {
        name: text(&image["name"])?,
        file: folder.join(text(&image["file"])?),
        min_compute: number(&image["min_compute"])?,
        limbs: number(&image["limbs"]),
        kernels: kernels.map(|k| Some((text(&k["symbol"])?, text(&k["name"])?))).collect::<Option<_>>()?,
    })
}

/// Every image for every compute capability it can run on; all errors are reported together.
fn assemble_all(tools: &tools::Tools, images: &[Image], jobs: Option<usize>) -> Result<Vec<Assembled>> {
    let work: Vec<_> =
        TARGETS.iter().flat_map(|&arch| images.iter().map(move |image| (arch, image))).collect();
    let work: Vec<_> = work.into_iter().filter(|(arch, image)| *arch >= image.min_compute).collect();
    let jobs = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(2, usize::from)).max(1);
    let (next, results) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(&(arch, image)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = assemble(tools, image, arch);
                    results.lock().expect("no worker panics").insert((arch, image.name.clone()), result);
                }
            });
        }
    });
    let (mut assembled, mut errors) = (Vec::new(), Vec::new());
    for result in results.into_inner().expect("no worker panics").into_values() {
        match result {
            Ok(one) => assembled.push(one),
            Err(error) => errors.push(format!("{error:#}")),
        }
    }
    if !errors.is_empty() {
        errors.iter().for_each(|error| eprintln!("error: {error}"));
        bail!("{} of {} images do not assemble", errors.len(), work.len());
    }
    Ok(assembled)
}

fn assemble(tools: &tools::Tools, image: &Image, arch: u32) -> Result<Assembled> {
    let cubin = image.file.with_extension(format!("sm_{arch}.cubin"));
    let start = Instant::now();
    let mut ptxas = shell::command(&tools.ptxas);
    ptxas.arg(format!("-arch=sm_{arch}")).args(["-O3", "-v"]).arg(&image.file).arg("-o").arg(&cubin);
    let info = tools::stderr(&mut ptxas).with_context(|| format!("image {} for sm_{arch}", image.name))?;
    let seconds = start.elapsed().as_secs_f64();
    let mut resources = ptxas::parse(&info);
    let code = tools::stdout(shell::command(&tools.nvdisasm).arg("-c").arg(&cubin))?;
    let mut counts = sass::parse(&code);
    let mut outcomes = Vec::new();
    for (symbol, kernel) in &image.kernels {
        let missing = || format!("image {} for sm_{arch} has no entry `{symbol}`", image.name);
        outcomes.push(Outcome {
            kernel: kernel.clone(),
            symbol: symbol.clone(),
            limbs: image.limbs,
            arch,
            resources: resources.remove(symbol).with_context(missing)?,
            counts: counts.remove(symbol).with_context(missing)?,
        });
    }
    if let Some(extra) = resources.keys().next() {
        bail!("image {} has an entry `{extra}` that its list of kernels lacks", image.name);
    }
    Ok(Assembled { image: image.name.clone(), arch, seconds, outcomes })
}

impl Outcome {
    fn subject(&self) -> Subject<'_> {
        Subject { kernel: &self.kernel, limbs: self.limbs }
    }
}
