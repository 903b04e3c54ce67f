//! Loaded images.

use crate::contract::{Contract, all_written};
use crate::cost::Cost;
use crate::gpu::Gpu;
use crate::words::LEAST;
use curvesmith_abi::wgsl::by_words_64;
use curvesmith_abi::{Flavour, KernelEntry};
use curvesmith_device::{Launch, Result, RuntimeError, Source};
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

/// A loaded image.
pub(crate) struct WgpuModule {
    source: Source,
    /// By [`Variant`].
    shaders: [OnceLock<Result<wgpu::ShaderModule>>; 2],
    kernels: HashMap<String, Kernel>,
}

/// A kernel of an image.
pub(crate) struct Kernel {
    pub(crate) entry: KernelEntry,
    pub(crate) contract: Contract,
    pub(crate) cost: Arc<Cost>,
    /// By [`Variant`]; made when they are first asked for, once.
    pipelines: [OnceLock<Result<Pipeline>>; 2],
}

/// A compiled kernel.
pub(crate) struct Pipeline {
    pub(crate) raw: wgpu::ComputePipeline,
    pub(crate) layout: wgpu::BindGroupLayout,
}

/// What bindings of a text may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// What the signature says.
    AsDeclared,
    /// All are written, for launches whose ranges have a buffer in common.
    AllWritten,
}

impl WgpuModule {
    /// Parses and validates the text.
    pub(crate) fn load(gpu: &Gpu, source: &Source) -> Result<WgpuModule> {
        source.expect(&Flavour::WGSL)?;
        let image = source.image();
        let kernel = |entry: &KernelEntry| {
            let contract = Contract::parse(&entry.signature).ok_or_else(|| RuntimeError::Image {
                image: image.name.clone(),
                reason: format!("kernel `{}` has the signature `{}`", entry.symbol, entry.signature),
            })?;
            let (pipelines, cost) = (Default::default(), Arc::default());
            Ok((entry.symbol.clone(), Kernel { entry: entry.clone(), contract, cost, pipelines }))
        };
        let kernels = image.kernels.iter().map(kernel).collect::<Result<_>>()?;
        let module = WgpuModule { source: source.clone(), shaders: Default::default(), kernels };
        module.shader(gpu, Variant::AsDeclared)?;
        Ok(module)
    }

    pub(crate) fn kernel(&self, symbol: &str) -> Result<&Kernel> {
        self.kernels.get(symbol).ok_or_else(|| RuntimeError::Device {
            call: "module",
            reason: format!("kernel `{symbol}` is not in the module"),
        })
    }

    fn shader(&self, gpu: &Gpu, variant: Variant) -> Result<&wgpu::ShaderModule> {
        let make = || {
            let text = self.source.text()?;
            let text = match gpu.device.features().contains(wgpu::Features::SHADER_INT64) {
                true => by_words_64(&text),
                false => text,
            };
            let text = match variant {
                Variant::AsDeclared => text,
                Variant::AllWritten => all_written(&text),
            };
            let name = &self.source.image().name;
            let descriptor = wgpu::ShaderModuleDescriptor {
                label: Some(name),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            };
            let made = gpu.caught(|| gpu.device.create_shader_module(descriptor));
            let refused = |reason| RuntimeError::Image { image: name.clone(), reason };
            made.map_err(|refusal| refusal.or("Device::create_shader_module", refused))
        };
        self.shaders[variant as usize].get_or_init(make).as_ref().map_err(Clone::clone)
    }

    /// The kernel, compiled. Who asks meanwhile waits for it.
    pub(crate) fn pipeline<'a>(
        &'a self,
        gpu: &Gpu,
        kernel: &'a Kernel,
        variant: Variant,
        launch: &Launch<'_>,
    ) -> Result<&'a Pipeline> {
        let make = || {
            let shader = self.shader(gpu, variant)?;
            let made = gpu.caught(|| kernel.compile(gpu, shader, variant));
            gpu.compiled.fetch_add(1, Ordering::Relaxed);
            let refused = |reason| refused(launch, "Device::create_compute_pipeline", reason);
            made.map_err(|refusal| refusal.or("Device::create_compute_pipeline", refused))
        };
        kernel.pipelines[variant as usize].get_or_init(make).as_ref().map_err(Clone::clone)
    }
}

impl Kernel {
    fn compile(&self, gpu: &Gpu, shader: &wgpu::ShaderModule, variant: Variant) -> Pipeline {
        let entry = |binding, ty, least| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                // Judged here, and not when all work of a submission would fail with it.
                min_binding_size: wgpu::BufferSize::new(least),
            },
            count: None,
        };
        let storage = |written: bool| wgpu::BufferBindingType::Storage {
            read_only: !written && variant == Variant::AsDeclared,
        };
        let buffers = (0u32..).zip(self.contract.buffers());
        let mut entries: Vec<_> =
            buffers.map(|(number, written)| entry(number, storage(written), LEAST)).collect();
        let uniform = wgpu::BufferBindingType::Uniform;
        entries.push(entry(entries.len() as u32, uniform, self.contract.uniform_bytes()));
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries };
        let layout = gpu.device.create_bind_group_layout(&descriptor);
        let descriptor = wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        };
        let pipeline_layout = gpu.device.create_pipeline_layout(&descriptor);
        let raw = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&self.entry.symbol),
            layout: Some(&pipeline_layout),
            module: shader,
            entry_point: Some(&self.entry.symbol),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Kernels write shared memory before they read it.
                zero_initialize_workgroup_memory: false,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        });
        Pipeline { raw, layout }
    }
}

/// The error of a launch.
pub(crate) fn refused(launch: &Launch<'_>, call: &'static str, reason: String) -> RuntimeError {
    RuntimeError::Launch {
        symbol: launch.symbol.into(),
        grid: launch.grid,
        block: launch.block,
        call,
        reason,
    }
}
