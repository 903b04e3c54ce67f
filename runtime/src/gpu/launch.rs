//! Typed launches: from a kernel's ABI struct to an entry point of a loaded image.
//!
//! An image is decoded and loaded at its first launch, once per device. Loads of
//! different images run in parallel: the only lock held while loading belongs to the
//! image itself.

use crate::error::{Result, RuntimeError};
use crate::owner::Owner;
use crate::parallel::try_each;
use curvesmith_abi::{Bundle, Features, Flavour, Form, KernelDesc, KernelEntry};
use curvesmith_device::{DeviceProperties, KernelDevice, Module, Source};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

/// The images that a device has loaded, and the entry points in them.
#[derive(Default)]
pub(super) struct Modules {
    catalogs: RwLock<HashMap<ImageList, Arc<Catalog>>>,
}

/// Address and length of an owner's encoded images.
type ImageList = (usize, usize);

struct Catalog {
    encoded: &'static [u8],
    images: Vec<Arc<LazyImage>>,
    /// By the kernel's name in the ABI.
    entries: HashMap<String, Arc<Entry>>,
}

/// A kernel of an owner.
pub(super) struct Entry {
    kernel: KernelEntry,
    /// Whether the contract it was generated under is this build's, and the device can run it.
    checked: OnceLock<()>,
    resident: OnceLock<u32>,
    image: Arc<LazyImage>,
}

struct LazyImage {
    source: Source,
    module: Mutex<Option<Arc<Module>>>,
}

impl fmt::Debug for Modules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let catalogs = self.catalogs.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("Modules").field("owners", &catalogs.len()).finish()
    }
}

impl Modules {
    /// The kernel of `owner` under the contract `desc`, which the device can run.
    pub(super) fn entry(
        &self,
        device: &DeviceProperties,
        owner: &Owner,
        desc: &KernelDesc,
    ) -> Result<Arc<Entry>> {
        debug_assert_eq!(desc.family, owner.family, "kernel {} of {}", desc.name, owner.name);
        let catalog = self.catalog(&device.flavour, owner)?;
        let entry = catalog.entries.get(desc.name).ok_or_else(|| RuntimeError::Image {
            image: owner.name.into(),
            reason: format!("kernel `{}` is in none of its {} images", desc.name, catalog.images.len()),
        })?;
        entry.check(device, desc, owner.form)?;
        Ok(Arc::clone(entry))
    }

    /// Loads every image of `owners`, in parallel, and then has the device prepare the kernels that are
    /// `taken` by their names; none if the device cannot run all of their kernels. Those whose blocks wait
    /// for each other are none of them where the device has no [`Features::PROGRESS`]: others do without what
    /// they do.
    pub(super) fn preload(
        &self,
        device: &dyn KernelDevice,
        owners: &[Owner],
        taken: &dyn Fn(&str) -> bool,
    ) -> Result<()> {
        let flavour = &device.properties().flavour;
        let catalogs = owners.iter().map(|owner| self.catalog(flavour, owner));
        let catalogs: Vec<_> = catalogs.collect::<Result<_>>()?;
        let images: Vec<_> = catalogs.iter().flat_map(|catalog| &catalog.images).collect();
        let features = device.properties().limits.features;
        let waits = |kernel: &KernelEntry| kernel.needs.features.has(Features::PROGRESS);
        let mut kernels = Vec::new();
        for image in &images {
            image.source.expect(flavour)?;
            let own = image.source.image().kernels.iter();
            let own = own.filter(|kernel| features.has(Features::PROGRESS) || !waits(kernel));
            kernels.extend(own.map(|kernel| (image, kernel)));
        }
        kernels.iter().try_for_each(|(_, kernel)| device.properties().admit(kernel))?;
        try_each(images.len(), &|i| images[i].module(device).map(drop))?;
        kernels.retain(|(_, kernel)| taken(&kernel.name));
        try_each(kernels.len(), &|i| {
            let (image, kernel) = kernels[i];
            device.prepare(&*image.module(device)?, &kernel.symbol);
            Ok(())
        })
    }

    fn catalog(&self, flavour: &Flavour, owner: &Owner) -> Result<Arc<Catalog>> {
        let key = (owner.images.as_ptr() as usize, owner.images.len());
        if let Some(catalog) = self.catalogs.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(catalog));
        }
        let catalog = Arc::new(Catalog::decode(flavour, owner)?);
        let mut catalogs = self.catalogs.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster, or the compiler have copied the images; that catalog may hold
        // loaded modules.
        let same = catalogs.values().find(|other| other.encoded == owner.images).map(Arc::clone);
        Ok(Arc::clone(catalogs.entry(key).or_insert(same.unwrap_or(catalog))))
    }
}

impl Catalog {
    fn decode(flavour: &Flavour, owner: &Owner) -> Result<Self> {
        let (mut images, mut entries) = (vec![], HashMap::new());
        let damaged = |error: curvesmith_abi::ImageError| RuntimeError::Image {
            image: owner.name.into(),
            reason: error.to_string(),
        };
        let sources = match owner.images {
            [] => vec![],
            encoded => Source::unpack(Bundle::select(encoded, flavour).map_err(damaged)?),
        };
        for source in sources {
            let image = Arc::new(LazyImage { source, module: Mutex::new(None) });
            for kernel in &image.source.image().kernels {
                let entry = Entry {
                    kernel: kernel.clone(),
                    checked: OnceLock::new(),
                    resident: OnceLock::new(),
                    image: Arc::clone(&image),
                };
                entries.insert(kernel.name.clone(), Arc::new(entry));
            }
            images.push(image);
        }
        Ok(Catalog { encoded: owner.images, images, entries })
    }
}

impl Entry {
    /// Symbol in the module.
    pub(super) fn symbol(&self) -> &str {
        &self.kernel.symbol
    }

    /// The loaded module.
    pub(super) fn module(&self, device: &dyn KernelDevice) -> Result<Arc<Module>> {
        self.image.module(device)
    }

    /// Blocks that are resident at once on one multiprocessor.
    pub(super) fn resident_blocks(&self, device: &dyn KernelDevice, block: u32) -> Result<u32> {
        if let Some(blocks) = self.resident.get() {
            return Ok(*blocks);
        }
        let module = self.module(device)?;
        let blocks = device.resident_blocks(&module, self.symbol(), block)?.max(1);
        Ok(*self.resident.get_or_init(|| blocks))
    }

    /// Compares the contract the kernel was generated under with this build's, and what it needs
    /// with the device.
    fn check(&self, device: &DeviceProperties, desc: &KernelDesc, form: Form) -> Result<()> {
        if self.checked.get().is_some() {
            return Ok(());
        }
        self.image.source.expect(&device.flavour)?;
        let expected = desc.signature(form);
        if self.kernel.signature != expected {
            return Err(RuntimeError::Image {
                image: self.image.source.image().name.clone(),
                reason: format!(
                    "kernel `{}` was generated as `{}`, this build launches `{expected}`",
                    self.kernel.symbol, self.kernel.signature
                ),
            });
        }
        device.admit(&self.kernel)?;
        self.checked.get_or_init(|| ());
        Ok(())
    }
}

impl LazyImage {
    fn module(&self, device: &dyn KernelDevice) -> Result<Arc<Module>> {
        let mut slot = self.module.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*slot {
            return Ok(Arc::clone(module));
        }
        let module = Arc::new(device.load(&self.source)?);
        *slot = Some(Arc::clone(&module));
        Ok(module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_images_are_one_catalog() {
        let modules = Modules::default();
        let copy = || Owner { images: crate::common::images().to_vec().leak(), ..Owner::common() };
        let [first, second] = [copy(), copy()];
        assert_ne!(first.images.as_ptr(), second.images.as_ptr());
        let [a, b] = [&first, &second].map(|owner| modules.catalog(&Flavour::PTX, owner).unwrap());
        assert!(Arc::ptr_eq(&a, &b));
        assert!(Arc::ptr_eq(&a, &modules.catalog(&Flavour::PTX, &second).unwrap()));
    }
}
