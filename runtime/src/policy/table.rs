//! Tables of measured windows in the user's cache directory, one for each device and kind of its products.
//!
//! A table is named by the device's name, compute capability and driver, and by what products are made of
//! where a device has the choice. Its rows name the kernels that were measured. One that is damaged, of
//! another device or unreadable is as good as none, with a line in the log.

use super::MeasuredWindows;
use crate::cache::UserCache;
use crate::error::{Result, RuntimeError};
use curvesmith_abi::{Features, Flavour};
use curvesmith_device::KernelDevice;
use std::path::{Path, PathBuf};

/// The first lines of a device's table.
fn header(device: &dyn KernelDevice) -> String {
    let limits = device.properties().limits;
    header_of(
        device,
        device.properties().flavour == Flavour::WGSL && !limits.features.has(Features::WORDS_64),
    )
}

/// Those of the table of a device whose kernels multiply words of 32 bits only, or those of another one.
fn header_of(device: &dyn KernelDevice, by_words_32: bool) -> String {
    let properties = device.properties();
    // Text of a driver is not trusted to be a line.
    let line = |text: &str| text.replace(|c: char| c.is_control(), " ");
    format!(
        "curvesmith windows 1\ndevice {}\nmultiprocessors {}\ncompute {}\ndriver {}\n{}",
        line(&properties.name),
        properties.multiprocessors,
        properties.compute,
        line(device.driver()),
        if by_words_32 { "products of 32 bits\n" } else { "" }
    )
}

fn name(header: &str) -> String {
    format!("windows-{}.txt", &blake3::hash(header.as_bytes()).to_hex()[..32])
}

/// The table with such first lines; an empty one where there is none that can be used.
fn load(cache: &UserCache, header: &str) -> MeasuredWindows {
    let text = match cache.get(&name(header)) {
        Ok(None) => return MeasuredWindows::default(),
        Ok(Some(bytes)) => String::from_utf8(bytes).ok(),
        Err(error) => {
            tracing::warn!("measured windows are not used: {error}");
            return MeasuredWindows::default();
        }
    };
    let rows = text.as_deref().and_then(|text| text.strip_prefix(header)).and_then(MeasuredWindows::parse);
    rows.unwrap_or_else(|| {
        tracing::warn!("measured windows are not used: their table is of another device or version");
        MeasuredWindows::default()
    })
}

/// The user's table of a device.
pub(crate) fn of_user(device: &dyn KernelDevice) -> MeasuredWindows {
    load(&UserCache::of_user(), &header(device))
}

/// Whether, of a device that has words of 64 bits, the same one without them took less time for what the
/// user has measured on both.
#[cfg(feature = "wgpu")]
pub(crate) fn is_faster_by_words_32(device: &dyn KernelDevice) -> bool {
    let cache = UserCache::of_user();
    let [other, own] = [true, false].map(|by_words_32| load(&cache, &header_of(device, by_words_32)));
    other.take_less_than(&own)
}

impl MeasuredWindows {
    /// What is kept of a device in this directory instead of the user's.
    pub fn load(directory: &Path, device: &dyn KernelDevice) -> MeasuredWindows {
        load(&UserCache::at(directory), &header(device))
    }
}

/// Puts rows into the table of a device in the user's cache directory, or in `directory`, beside those that
/// are there, and tells where that is.
pub(crate) fn keep(
    device: &dyn KernelDevice,
    windows: &MeasuredWindows,
    directory: Option<&Path>,
) -> Result<PathBuf> {
    let cache = directory.map_or_else(UserCache::of_user, UserCache::at);
    let header = header(device);
    let mut all = load(&cache, &header);
    windows.rows().iter().for_each(|row| all.insert(row.clone()));
    let text = format!("{header}{}", all.print());
    cache
        .put(&name(&header), text.as_bytes())
        .map_err(|error| RuntimeError::Input { what: "measured windows", reason: error.to_string() })
}
