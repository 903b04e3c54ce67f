//! Assembles every kernel with NVIDIA's own assembler and judges the machine code.
//!
//! The PTX comes from `cargo-curvesmith`, which is made of the macros' own modules and finds the
//! declarations where the macros do, so it is what the built crates embed. `ptxas` and
//! `nvdisasm` need no GPU; they come from PyPI, pinned, into `target/validate`.

mod assemble;
mod emitters;
mod judged;
mod policy;
mod ptxas;
mod rates;
mod report;
mod sass;
mod tables;
mod tools;

use crate::{compiler, setup, shell};
use anyhow::{Context, Result, bail};
use assemble::{Image, assemble_all};
use clap::Args;
use judged::Judged;
use policy::Subject;
use rates::Rates;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
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
    /// Only the emitters: instructions of the kernels as LLVM and as our writer write them, on sm_90
    #[arg(long)]
    emitters: bool,
    /// Images too whose text is the one that was judged when the tables were written
    #[arg(long)]
    all: bool,
    /// Rust files or folders with declarations, instead of the curves that every run judges: their kernels
    /// are assembled and judged, without tables
    #[arg(long)]
    from: Vec<PathBuf>,
    /// Rewrite the committed tables; `cargo xtask bless` sets it
    #[arg(skip)]
    bless: bool,
}

impl ValidateArgs {
    /// A run that rewrites the committed tables instead of comparing with them.
    pub(crate) fn blessing() -> Self {
        let setup = crate::SetupArgs { yes: false };
        ValidateArgs {
            setup,
            json: false,
            arch: 90,
            jobs: None,
            emitters: false,
            all: true,
            from: vec![],
            bless: true,
        }
    }
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

/// A kernel for one compute capability.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) registers: u32,
    pub(crate) instructions: u32,
    /// Cycles per warp and scheduler of the busiest pipe.
    pub(crate) bound: u32,
}

/// Fails where an image does not assemble, a kernel breaks the policy or is slower than its
/// table says.
pub(crate) fn run(args: &ValidateArgs) -> Result<()> {
    if !TARGETS.contains(&args.arch) {
        bail!("--arch {}: images are assembled for {TARGETS:?}", args.arch);
    }
    setup::run(args.setup.yes)?;
    let folder = shell::target("validate");
    let tools = tools::install(&folder)?;
    let sources = if args.from.is_empty() { representatives() } else { args.from.clone() };
    if args.emitters {
        return emitters::run(&tools, &folder.join("emitters"), &sources, args.jobs);
    }
    let images = images("write", &folder.join("images"), &sources)?;
    let (known, wanted) = match args.all || args.json || !args.from.is_empty() {
        true => (vec![], images.iter().collect()),
        false => known(&images)?,
    };
    let start = Instant::now();
    let assembled = assemble_all(&tools, &wanted, &TARGETS, args.jobs)?;
    let mut verdict = policy::judge(&assembled);
    if !args.from.is_empty() {
        println!("{}", report::table(&assembled, args.arch));
        return conclude(args, &verdict, &wanted, start);
    }
    if args.bless {
        tables::write(&assembled, &TARGETS)?;
        Judged::write(&images, &assembled, &verdict)?;
        rates::write(&tools, &folder.join("rates"))?;
    } else {
        tables::check(&assembled, &known, &TARGETS, &mut verdict)?;
        rates::check(&tools, &folder.join("rates"), &mut verdict)?;
    }
    if args.json {
        println!("{:#}", report::json(&assembled, &verdict));
    } else {
        println!("{}", report::table(&assembled, args.arch));
    }
    conclude(args, &verdict, &wanted, start)
}

/// The images whose text was judged before, and the others.
fn known(images: &[Image]) -> Result<(Vec<&Image>, Vec<&Image>)> {
    let judged = Judged::committed()?;
    let (mut known, mut others) = (vec![], vec![]);
    for image in images {
        if judged.knows(image)? { known.push(image) } else { others.push(image) }
    }
    eprintln!("{} of {} images are judged already; --all assembles them too", known.len(), images.len());
    Ok((known, others))
}

/// The files of the curves whose machine code is judged by every run: 1, 8, 10, 12 and 24 words over `Fq`,
/// and all but 24 over `Fq2`. Higher levels and twisted Edwards curves are judged on request.
fn representatives() -> Vec<PathBuf> {
    ["bls12_377", "bls12_381", "bn254", "bw6_761", "mnt4_298", "toy"]
        .map(|curve| PathBuf::from(format!("curves/src/{curve}.rs")))
        .into()
}

/// Says what was found, and fails on failures.
fn conclude(args: &ValidateArgs, verdict: &policy::Verdict, wanted: &[&Image], start: Instant) -> Result<()> {
    verdict.notes.iter().for_each(|note| eprintln!("note: {note}"));
    verdict.failures.iter().for_each(|failure| eprintln!("error: {failure}"));
    // What cannot be blessed fails the next `cargo xtask validate`.
    if !verdict.failures.is_empty() && !args.bless {
        bail!("{} findings", verdict.failures.len());
    }
    let kernels: usize = wanted.iter().map(|i| i.kernels.len()).sum();
    eprintln!(
        "{} images with {kernels} kernels assemble for sm_{TARGETS:?} in {:.1} s",
        wanted.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// What became of some kernels of a folder that `cargo-curvesmith write` filled.
pub(crate) fn counts(folder: &Path, arch: u32, only: &BTreeSet<String>) -> Result<BTreeMap<String, Kernel>> {
    let tools = tools::install(&shell::target("validate"))?;
    let images = read_images(folder)?;
    let wanted: Vec<&Image> =
        images.iter().filter(|image| image.kernels.iter().any(|(symbol, _)| only.contains(symbol))).collect();
    let assembled = assemble_all(&tools, &wanted, &[arch], None)?;
    let kernel = |o: Outcome| {
        let (instructions, bound) = (o.counts.total, o.counts.bound(Rates::of(o.arch)));
        (o.symbol, Kernel { registers: o.resources.registers, instructions, bound })
    };
    Ok(assembled.into_iter().flat_map(|one| one.outcomes).map(kernel).collect())
}

/// Has the images of the curves declared there written to `folder` by a command of `cargo-curvesmith`, and
/// reads their list.
fn images(command: &str, folder: &Path, sources: &[PathBuf]) -> Result<Vec<Image>> {
    crate::files::clear(folder)?;
    let mut write = compiler::program()?;
    shell::run(write.arg(command).arg(folder).args(compiler::from(sources)))?;
    read_images(folder)
}

fn read_images(folder: &Path) -> Result<Vec<Image>> {
    let text = read(&folder.join("images.tsv"))?;
    let rows = compiler::rows::<4>(&text).context("images.tsv: a line is incomplete")?;
    let mut images: Vec<Image> = Vec::new();
    for [name, limbs, kernel, symbol] in rows {
        if images.last().is_none_or(|last| last.name != name) {
            let file = folder.join(format!("{name}.ptx"));
            images.push(Image { name: name.into(), file, limbs: limbs.parse().ok(), kernels: vec![] });
        }
        let image = images.last_mut().expect("one was just pushed");
        image.kernels.push((symbol.into(), kernel.into()));
    }
    if images.is_empty() {
        bail!("no image was written");
    }
    Ok(images)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

impl Outcome {
    fn subject(&self) -> Subject<'_> {
        Subject { kernel: &self.kernel, limbs: self.limbs }
    }
}
