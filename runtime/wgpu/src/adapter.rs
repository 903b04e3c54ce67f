//! What adapters there are, and what a device of them is taken for.

use crate::wait::ready;
use curvesmith_abi::{Features, Flavour, Geometry, Limits};
use curvesmith_device::{DeviceProperties, Result, RuntimeError};

/// The least that a device must have: what WebGPU promises of every one.
const FLOOR: Limits = Limits { threads: 256, shared: 16 << 10, buffers: 8, features: Features::NONE };

/// What wgpu does not tell is assumed: an adapter's memory is its largest buffer, but no more than this.
const MOST_MEMORY: u64 = 16 << 30;

/// Threads that are assumed to be resident at once on a multiprocessor.
pub(crate) const RESIDENT_THREADS: u32 = 512;

/// What an adapter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the host's memory.
    Integrated,
    /// A GPU lent to a virtual machine.
    Virtual,
    /// A program that runs on the CPU, as lavapipe and SwiftShader are.
    Cpu,
    /// Something else.
    Other,
}

/// An adapter, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterInfo {
    /// Its number for [`WgpuDevice::new`](crate::WgpuDevice::new).
    pub ordinal: usize,
    /// Name for the user.
    pub name: String,
    /// What it is.
    pub kind: AdapterKind,
    /// The interface of the system through which it is used: `vulkan`, `metal` or `dx12`.
    pub backend: String,
    /// The driver with its version.
    pub driver: String,
    /// What it can give one launch.
    pub limits: Limits,
    /// Most bytes of an allocation.
    pub buffer_bytes: u64,
    /// Most bytes of an argument of a launch.
    pub binding_bytes: u64,
    /// Bytes that the begin of an argument is aligned down to.
    pub binding_alignment: u32,
    /// Whether times of events are the device's own, and not the host's.
    pub has_timestamps: bool,
    /// Why it cannot be used, if so.
    pub unusable: Option<String>,
}

impl AdapterInfo {
    fn new(ordinal: usize, adapter: &wgpu::Adapter) -> AdapterInfo {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        let kind = match info.device_type {
            wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
            wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
            wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
            wgpu::DeviceType::Cpu => AdapterKind::Cpu,
            wgpu::DeviceType::Other => AdapterKind::Other,
        };
        let own = Limits {
            threads: limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x),
            shared: limits.max_compute_workgroup_storage_size,
            buffers: limits.max_storage_buffers_per_shader_stage.min(limits.max_bindings_per_bind_group - 1),
            features: match adapter.features().contains(wgpu::Features::SHADER_INT64) {
                true => Features::WORDS_64,
                false => Features::NONE,
            },
        };
        AdapterInfo {
            ordinal,
            // A browser may keep it to itself.
            name: if info.name.is_empty() { "a GPU".to_owned() } else { info.name },
            kind,
            backend: info.backend.to_string(),
            driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
            limits: own,
            buffer_bytes: limits.max_buffer_size,
            binding_bytes: limits.max_storage_buffer_binding_size,
            binding_alignment: limits.min_storage_buffer_offset_alignment,
            has_timestamps: adapter.features().contains(timestamps()),
            unusable: below_floor(&own),
        }
    }

    /// What a device of it is asked for beyond WebGPU's floor.
    pub(crate) fn features(&self) -> wgpu::Features {
        let mut features = wgpu::Features::empty();
        features.set(timestamps(), self.has_timestamps);
        features.set(wgpu::Features::SHADER_INT64, self.limits.features.has(Features::WORDS_64));
        features
    }

    /// What launch policies take the adapter for.
    ///
    /// wgpu does not tell the number of multiprocessors, nor the memory. A discrete GPU counts as one of 64
    /// of them, another one as 16, a CPU as 4, which is how policies know devices with few threads; the
    /// memory is the largest buffer, at most 16 GiB. There is no compute capability.
    pub(crate) fn properties(&self) -> DeviceProperties {
        let multiprocessors = match self.kind {
            AdapterKind::Discrete => 64,
            AdapterKind::Integrated | AdapterKind::Virtual | AdapterKind::Other => 16,
            AdapterKind::Cpu => 4,
        };
        DeviceProperties {
            name: format!("{} ({})", self.name, self.backend),
            multiprocessors,
            compute: 0,
            memory: self.buffer_bytes.min(MOST_MEMORY),
            binding: self.binding_bytes,
            flavour: Flavour::WGSL,
            geometry: Geometry::WGSL,
            limits: self.limits,
        }
    }
}

/// What it takes to have the device's own times.
pub(crate) fn timestamps() -> wgpu::Features {
    wgpu::Features::TIMESTAMP_QUERY | wgpu::Features::TIMESTAMP_QUERY_INSIDE_ENCODERS
}

fn below_floor(limits: &Limits) -> Option<String> {
    let Limits { threads, shared, buffers, .. } = *limits;
    let least = [
        ("threads a block", threads, FLOOR.threads),
        ("bytes of shared memory a block", shared, FLOOR.shared),
        ("buffers a launch", buffers, FLOOR.buffers),
    ];
    let (what, has, needed) = least.into_iter().find(|(_, has, needed)| has < needed)?;
    Some(format!("it has {has} {what}, at least {needed} are needed"))
}

/// All adapters that the drivers of this machine show, hardware before what runs on the CPU, else in their
/// order. One GPU may be there once for each interface of the system.
pub fn adapters() -> Vec<AdapterInfo> {
    enumerate().iter().enumerate().map(|(ordinal, adapter)| AdapterInfo::new(ordinal, adapter)).collect()
}

/// The adapter with this ordinal, or [`RuntimeError::NoDevice`].
pub(crate) fn open(ordinal: usize) -> Result<(wgpu::Adapter, AdapterInfo)> {
    let no_device =
        |reason: String| Err(RuntimeError::NoDevice { device: format!("wgpu:{ordinal}"), reason });
    let mut adapters = enumerate();
    match adapters.len() {
        0 if cfg!(target_family = "wasm") => no_device(
            "the browser shows no adapter: it has no WebGPU, or none on this machine, or the page is not of a secure \
             origin"
                .into(),
        ),
        0 => no_device(
            "no adapter of Vulkan, Metal or Direct3D 12 was found; install the driver of the GPU (on Debian and Ubuntu, \
             mesa-vulkan-drivers has those of AMD and Intel, and one that runs on the CPU)"
                .into(),
        ),
        count if count <= ordinal => no_device(format!("there are {count} adapters, counted from 0")),
        _ => {
            let adapter = adapters.swap_remove(ordinal);
            let info = AdapterInfo::new(ordinal, &adapter);
            match info.unusable {
                Some(reason) => no_device(format!("{}: {reason}", info.name)),
                None => Ok((adapter, info)),
            }
        }
    }
}

fn enumerate() -> Vec<wgpu::Adapter> {
    let backends = match cfg!(target_family = "wasm") {
        true => wgpu::Backends::BROWSER_WEBGPU,
        false => wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12,
    };
    // wgpu panics where it was built for none of them.
    if !wgpu::Instance::enabled_backend_features().intersects(backends) {
        return Vec::new();
    }
    let descriptor = wgpu::InstanceDescriptor {
        backends,
        // The driver's own checks are for those who write drivers' clients.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let mut adapters = ready(wgpu::Instance::new(descriptor).enumerate_adapters(backends));
    adapters.sort_by_key(|adapter| adapter.get_info().device_type == wgpu::DeviceType::Cpu);
    adapters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_the_floor_is_named() {
        assert_eq!(below_floor(&FLOOR), None);
        for (limits, reason) in [
            (Limits { threads: 128, ..FLOOR }, "it has 128 threads a block, at least 256 are needed"),
            (
                Limits { shared: 16383, ..FLOOR },
                "it has 16383 bytes of shared memory a block, at least 16384 are needed",
            ),
            (Limits { buffers: 4, ..FLOOR }, "it has 4 buffers a launch, at least 8 are needed"),
        ] {
            assert_eq!(below_floor(&limits).as_deref(), Some(reason));
        }
    }
}
