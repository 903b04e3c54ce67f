//! One module per command.

pub(crate) mod bench;
pub(crate) mod demo;
pub(crate) mod info;
pub(crate) mod prove;
pub(crate) mod verify;

use curvesmith::Device;

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
        let ordinal = name.strip_prefix("cuda:").is_some_and(|n| n.parse::<u32>().is_ok());
        match name {
            "auto" | "cpu" | "cuda" | "emulator" => Ok(Self(name.into())),
            _ if ordinal => Ok(Self(name.into())),
            _ => Err("expected auto, cpu, cuda, cuda:N or emulator".into()),
        }
    }
}
