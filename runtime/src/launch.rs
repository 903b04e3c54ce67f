//! Typed launches: from a kernel's ABI struct to an entry point of a loaded image.
//!
//! An image is decoded and loaded at its first launch, once per device. Loads of
//! different images run in parallel: the only lock held while loading belongs to the
//! image itself.

use crate::device::{KernelDevice, Launch};
use crate::error::{Result, RuntimeError};
use crate::field::Field;
use crate::group::Group;
use curvesmith_abi::{Family, Image, Kernel, KernelEntry};
use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Where the kernels of a field, a group, or of nobody in particular are found.
#[derive(Clone, Copy, Debug)]
pub struct Owner {
    /// Prefix of the kernel symbols.
    pub name: &'static str,
    /// What the owner is; kernels of another family are not asked of it.
    pub family: Family,
    /// Encoded images.
    pub images: &'static [&'static [u8]],
}

impl Owner {
    /// The field-independent kernels.
    pub fn common() -> Owner {
        Owner { name: "common", family: Family::Common, images: crate::common::images() }
    }

    /// The kernels of a field.
    pub fn field<F: Field>() -> Owner {
        Owner { name: F::NAME, family: Family::Field, images: F::images() }
    }

    /// The kernels of a group.
    pub fn group<G: Group>() -> Owner {
        Owner { name: G::NAME, family: Family::Group, images: G::images() }
    }
}

/// The images that a device has loaded, and the entry points in them.
pub struct Modules<D: KernelDevice> {
    catalogs: RwLock<HashMap<ImageList, Arc<Catalog<D>>>>,
}

/// Address and length of an owner's image list: images are statics.
type ImageList = (usize, usize);

struct Catalog<D: KernelDevice> {
    images: Vec<Arc<LazyImage<D>>>,
    entries: HashMap<String, Entry<D>>,
}

struct Entry<D: KernelDevice> {
    kernel: KernelEntry,
    checked: AtomicBool,
    image: Arc<LazyImage<D>>,
}

struct LazyImage<D: KernelDevice> {
    image: Image,
    module: Mutex<Option<Arc<D::Module>>>,
}

impl<D: KernelDevice> Default for Modules<D> {
    fn default() -> Self {
        Modules { catalogs: RwLock::default() }
    }
}

impl<D: KernelDevice> fmt::Debug for Modules<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let catalogs = self.catalogs.read().unwrap_or_else(PoisonError::into_inner);
        f.debug_struct("Modules").field("owners", &catalogs.len()).finish()
    }
}

impl<D: KernelDevice> Modules<D> {
    /// Launches `kernel` of `owner` on `blocks` blocks; nothing for zero blocks.
    pub fn launch<K: Kernel>(
        &self,
        device: &D,
        stream: &D::Stream,
        owner: Owner,
        kernel: &K,
        blocks: u64,
    ) -> Result<()> {
        debug_assert_eq!(K::DESC.family, owner.family, "kernel {} of {}", K::DESC.name, owner.name);
        if blocks == 0 {
            return Ok(());
        }
        // The grid's x dimension is limited to 2^31 - 1 blocks by CUDA.
        let grid = u32::try_from(blocks).ok().filter(|&b| b < 1 << 31).ok_or(RuntimeError::TooLarge {
            what: "number of blocks of a launch",
            found: blocks,
            limit: (1 << 31) - 1,
        })?;
        let catalog = self.catalog(owner)?;
        let symbol = format!("{}_{}", owner.name, K::DESC.name);
        let entry = catalog.entries.get(&symbol).ok_or_else(|| RuntimeError::Image {
            image: owner.name.into(),
            reason: format!("kernel `{symbol}` is in none of its {} images", owner.images.len()),
        })?;
        entry.check::<K>()?;
        let module = entry.image.module(device)?;
        let launch = Launch { symbol: &symbol, grid, block: K::DESC.block, shared: 0, args: &kernel.args() };
        device.launch(stream, &module, launch)
    }

    /// Loads every image of `owner`, in parallel.
    pub fn preload(&self, device: &D, owner: Owner) -> Result<()> {
        use rayon::prelude::*;
        let catalog = self.catalog(owner)?;
        catalog.images.par_iter().try_for_each(|image| image.module(device).map(drop))
    }

    fn catalog(&self, owner: Owner) -> Result<Arc<Catalog<D>>> {
        let key = (owner.images.as_ptr() as usize, owner.images.len());
        if let Some(catalog) = self.catalogs.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return Ok(Arc::clone(catalog));
        }
        let catalog = Arc::new(Catalog::decode(owner)?);
        let mut catalogs = self.catalogs.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster; its catalog may hold loaded modules.
        Ok(Arc::clone(catalogs.entry(key).or_insert(catalog)))
    }
}

impl<D: KernelDevice> Catalog<D> {
    fn decode(owner: Owner) -> Result<Self> {
        let (mut images, mut entries) = (vec![], HashMap::new());
        for bytes in owner.images {
            let image = Image::decode(bytes).map_err(|error| RuntimeError::Image {
                image: owner.name.into(),
                reason: error.to_string(),
            })?;
            let image = Arc::new(LazyImage { image, module: Mutex::new(None) });
            for kernel in &image.image.kernels {
                let entry = Entry {
                    kernel: kernel.clone(),
                    checked: AtomicBool::new(false),
                    image: Arc::clone(&image),
                };
                entries.insert(kernel.symbol.clone(), entry);
            }
            images.push(image);
        }
        Ok(Catalog { images, entries })
    }
}

impl<D: KernelDevice> Entry<D> {
    /// Compares the contract the kernel was generated under with this build's.
    fn check<K: Kernel>(&self) -> Result<()> {
        if self.checked.load(Ordering::Relaxed) {
            return Ok(());
        }
        let expected = K::DESC.signature();
        if self.kernel.signature != expected {
            return Err(RuntimeError::Image {
                image: self.image.image.name.clone(),
                reason: format!(
                    "kernel `{}` was generated as `{}`, this build launches `{expected}`",
                    self.kernel.symbol, self.kernel.signature
                ),
            });
        }
        self.checked.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl<D: KernelDevice> LazyImage<D> {
    fn module(&self, device: &D) -> Result<Arc<D::Module>> {
        let mut slot = self.module.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = &*slot {
            return Ok(Arc::clone(module));
        }
        let compute = device.properties().compute;
        if compute < self.image.min_compute {
            return Err(RuntimeError::Image {
                image: self.image.name.clone(),
                reason: format!(
                    "it needs compute capability {}, the device has {compute}",
                    self.image.min_compute
                ),
            });
        }
        let module = Arc::new(device.load(&self.image)?);
        *slot = Some(Arc::clone(&module));
        Ok(module)
    }
}

/// The PTX text of an image. Refuses a text that is not as long as the image says, and
/// never decompresses more than that.
pub fn decompress(image: &Image) -> Result<Vec<u8>> {
    use std::io::Read;
    /// No image comes near; a larger length is damage, not a reason to allocate.
    const LIMIT: u64 = 1 << 30;
    let bad = |reason: String| RuntimeError::Image { image: image.name.clone(), reason };
    if image.ptx_len > LIMIT {
        return Err(bad(format!("text of {} bytes, at most {LIMIT} are accepted", image.ptx_len)));
    }
    let decoder = zstd::Decoder::new(image.ptx_zstd.as_slice()).map_err(|e| bad(e.to_string()))?;
    let mut text = Vec::new();
    let found = decoder.take(image.ptx_len + 1).read_to_end(&mut text).map_err(|e| bad(e.to_string()))?;
    if found as u64 != image.ptx_len {
        return Err(bad(format!("text is not {} bytes long", image.ptx_len)));
    }
    Ok(text)
}
