//! One module per command.

pub(crate) mod bench;
pub(crate) mod check;
pub(crate) mod demo;
pub(crate) mod export;
pub(crate) mod info;
mod jobs;
pub(crate) mod manual;
pub(crate) mod prove;
pub(crate) mod serve;
pub(crate) mod snarkjs;
pub(crate) mod tune;
pub(crate) mod verify;
#[cfg(feature = "worker")]
pub(crate) mod worker;

use curvesmith::{Device, KeyOptions, Weakness};
use std::path::Path;

/// The names that `--device` takes.
#[derive(Clone, Debug)]
pub(crate) struct DeviceName(String);

impl DeviceName {
    /// The device, or why it cannot be used. That `auto` takes the CPU is said on standard error.
    pub(crate) fn open(&self) -> Result<Device, crate::failure::Failure> {
        let device = Device::parse(&self.0)?;
        if let Some(reason) = device.fallback_reason() {
            eprintln!("note: using the CPU, not CUDA: {reason}");
        }
        Ok(device)
    }
}

impl std::str::FromStr for DeviceName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let ordinal = name.strip_prefix("cuda:").or_else(|| name.strip_prefix("wgpu:"));
        match name {
            "auto" | "cpu" | "cuda" | "wgpu" | "emulator" => Ok(Self(name.into())),
            _ if ordinal.is_some_and(|n| n.parse::<u32>().is_ok()) => Ok(Self(name.into())),
            _ => Err("expected auto, cpu, cuda, cuda:N, wgpu, wgpu:N or emulator".into()),
        }
    }
}

impl std::fmt::Display for DeviceName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The warning of a key under which anyone can make proofs; `None` for other keys.
fn warning(key: &Path, weaknesses: &[Weakness]) -> Option<String> {
    let seen: Vec<String> = weaknesses.iter().map(Weakness::to_string).collect();
    let text = || format!("{}: anyone can make proofs under this key: {}", key.display(), seen.join(", "));
    (!seen.is_empty()).then(text)
}

/// Where proofs are made.
#[derive(clap::Args)]
pub(crate) struct DeviceArgument {
    /// auto, cpu, cuda, cuda:N, wgpu, wgpu:N or emulator
    #[arg(long, default_value = "auto")]
    device: DeviceName,
}

/// How far keys are trusted, and what is done for their proofs.
#[derive(clap::Args)]
pub(crate) struct KeyArguments {
    /// Do not verify a proof before it is given out (that its points are in their groups is
    /// checked always); only for keys whose maker you trust
    #[arg(long)]
    no_self_check: bool,
    /// Check that every point of a key has order r: for keys from strangers, slow
    #[arg(long)]
    check_subgroups: bool,
    /// Do not check that a key's points lie on their curves
    #[arg(long)]
    trust_key: bool,
    /// Zero the device memory of a proof before anyone else gets it
    #[arg(long)]
    wipe: bool,
    /// Prove with a key that does not fit on the device too: its points are copied there in parts for every
    /// proof
    #[arg(long)]
    stream_key: bool,
    /// Refuse a key under which anyone can make proofs, as far as its points show it; without this
    /// it is used with a warning
    #[arg(long)]
    strict: bool,
}

impl KeyArguments {
    pub(crate) fn options(&self) -> KeyOptions {
        KeyOptions::default()
            .trust_key(self.trust_key)
            .check_subgroups(self.check_subgroups)
            .self_check(!self.no_self_check)
            .wipe(self.wipe)
            .stream(self.stream_key)
            .refuse_weak(self.strict)
    }
}
