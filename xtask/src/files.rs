//! Files and folders of tasks.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Our own licences, beside the workspace's manifest and in all that is packed.
pub(crate) const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Makes an empty folder.
pub(crate) fn clear(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    create(folder)
}

/// Makes a folder, and those above.
pub(crate) fn create(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))
}

/// Copies a file, or a folder and all below; folders above it are made.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<()> {
    if from.is_dir() {
        create(to)?;
        return names(from)?.iter().try_for_each(|name| copy(&from.join(name), &to.join(name)));
    }
    to.parent().map_or(Ok(()), create)?;
    let copied =
        fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()));
    copied.map(drop)
}

/// Names in a folder, in order.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut names = entries
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}
