//! Images to machine code, several at a time.

use super::{Assembled, Outcome, ptxas, sass, tools};
use crate::shell;
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// A file of PTX and the kernels in it.
pub(super) struct Image {
    pub(super) name: String,
    pub(super) file: PathBuf,
    /// Words of a coordinate or element times the extension degree; `None` where there is no field.
    pub(super) limbs: Option<u32>,
    /// Symbol and kernel name.
    pub(super) kernels: Vec<(String, String)>,
}

/// Every image for every compute capability; all errors are reported together.
pub(super) fn assemble_all(
    tools: &tools::Tools,
    images: &[&Image],
    arches: &[u32],
    jobs: Option<usize>,
) -> Result<Vec<Assembled>> {
    let size = |image: &Image| std::fs::metadata(&image.file).map_or(0, |meta| meta.len());
    let mut work: Vec<(u32, &Image)> =
        arches.iter().flat_map(|&arch| images.iter().map(move |&image| (arch, image))).collect();
    // The longest first, so that no core waits for one of them at the end.
    work.sort_by_key(|(_, image)| std::cmp::Reverse(size(image)));
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
    let Machine { cubin, info, seconds } =
        machine(tools, image, arch).with_context(|| format!("image {} for sm_{arch}", image.name))?;
    let mut resources = ptxas::parse(&info);
    let code = tools::stdout(shell::command(&tools.nvdisasm).arg("-c").arg(&cubin))?;
    let mut counts = sass::counts(&code);
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

/// What `ptxas` made of an image.
struct Machine {
    cubin: PathBuf,
    /// The output of `-v`.
    info: String,
    seconds: f64,
}

/// Assembles, or finds what an earlier run assembled from the same text with the same assembler.
fn machine(tools: &tools::Tools, image: &Image, arch: u32) -> Result<Machine> {
    let text = std::fs::read_to_string(&image.file)
        .with_context(|| format!("cannot read {}", image.file.display()))?;
    let folder = shell::target("validate").join("machine");
    let stem = format!("{}.sm_{arch}", image.name);
    let key = format!("{stem}.{:016x}", key(&text));
    let path = |ending: &str| folder.join(format!("{key}.{ending}"));
    let (cubin, kept) = (path("cubin"), path("txt"));
    if let Some((seconds, info)) = cubin.exists().then(|| remembered(&kept)).flatten() {
        return Ok(Machine { cubin, info, seconds });
    }
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    forget(&folder, &format!("{stem}."))?;
    let start = Instant::now();
    let mut ptxas = shell::command(&tools.ptxas);
    ptxas.arg(format!("-arch=sm_{arch}")).args(["-O3", "-v"]).arg(&image.file).arg("-o").arg(&cubin);
    let info = tools::stderr(&mut ptxas)?;
    let seconds = start.elapsed().as_secs_f64();
    std::fs::write(&kept, format!("{seconds:.3}\n{info}"))
        .with_context(|| format!("cannot write {}", kept.display()))?;
    Ok(Machine { cubin, info, seconds })
}

/// Of the assembler's version and the text without comments: headers name versions of ours.
fn key(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(tools::VERSION.as_bytes());
    for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
        hasher.write(line.as_bytes());
        hasher.write_u8(0);
    }
    hasher.finish()
}

/// Seconds and the output of an earlier run.
fn remembered(path: &Path) -> Option<(f64, String)> {
    let text = std::fs::read_to_string(path).ok()?;
    let (seconds, info) = text.split_once('\n')?;
    Some((seconds.parse().ok()?, info.to_owned()))
}

/// Deletes what was assembled from other texts of the same image.
fn forget(folder: &Path, stem: &str) -> Result<()> {
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry?.path();
        if path.file_name().and_then(|n| n.to_str()).is_some_and(|name| name.starts_with(stem)) {
            std::fs::remove_file(&path).with_context(|| format!("cannot delete {}", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_do_not_make_another_text() {
        assert_eq!(key("// a\nadd;\n"), key("// b\nadd;\n"));
        assert_ne!(key("add;\n"), key("sub;\n"));
        assert_ne!(key("a\nb"), key("ab"));
    }
}
