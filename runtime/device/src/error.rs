//! What can go wrong on a device.

use curvesmith_abi::{Flavour, Lack, Overlap};

/// Why an operation on a device failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// The requested device is not usable here; the reason says what to install or change.
    #[error("{device}: {reason}")]
    NoDevice {
        /// The device asked for.
        device: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// The device has no room; make the input smaller or use another device.
    #[error("out of device memory: {requested} bytes requested")]
    OutOfMemory {
        /// Bytes of the allocation that failed.
        requested: u64,
    },
    /// The work takes more device memory than there is, which was found out before any of it was begun; make
    /// the input smaller, give up what else is on the device, or see `StreamedMsm`.
    #[error("{what}: at least {needed} bytes of device memory are needed, {available} are available")]
    InsufficientMemory {
        /// What would take it.
        what: &'static str,
        /// Bytes that it takes at least.
        needed: u64,
        /// Bytes that the device has free, or that the caller's limit allows.
        available: u64,
    },
    /// A buffer of a launch is larger than kernels of this device reach, which is less than its memory on
    /// devices of wgpu. Make the input smaller, take bases with fewer multiples or a narrower window, or
    /// another device: CUDA has no such limit.
    #[error(
        "{what}: {bytes} bytes of one buffer, launches on this device reach {limit}: take a smaller input, fewer multiples or \
         another device"
    )]
    Binding {
        /// The buffer, or the kernel that takes it.
        what: String,
        /// Its bytes, as far as the kernel takes them.
        bytes: u64,
        /// [`DeviceProperties::binding`](crate::DeviceProperties::binding).
        limit: u64,
    },
    /// The driver, or the emulator's checks, refused a launch: a bug in a kernel or a failing device.
    #[error("kernel `{symbol}` (grid {grid}, block {block}): {call}: {reason}")]
    Launch {
        /// Kernel symbol.
        symbol: String,
        /// Blocks.
        grid: u32,
        /// Threads a block.
        block: u32,
        /// The API call that failed.
        call: &'static str,
        /// What it said.
        reason: String,
    },
    /// A launch writes what another of its buffers has too, all or in part, which its kernel does not
    /// allow: a bug of the caller.
    #[error("kernel `{symbol}`: {overlap}")]
    Overlap {
        /// Kernel symbol.
        symbol: String,
        /// The parameters, with their ranges.
        overlap: Overlap,
    },
    /// The machine starts no more threads; one ends, or the limit of them is raised.
    #[error("no thread can be started: {reason}")]
    Thread {
        /// What the system said.
        reason: String,
    },
    /// Another call to the device failed.
    #[error("{call}: {reason}")]
    Device {
        /// The API call that failed.
        call: &'static str,
        /// What it said.
        reason: String,
    },
    /// A kernel image does not fit this build; rebuild the crate that declares it.
    #[error("image `{image}`: {reason}")]
    Image {
        /// Image name.
        image: String,
        /// What does not fit.
        reason: String,
    },
    /// An image is written in what the device does not run; take the images of its flavour.
    #[error("image `{image}` is of flavour {found}, the device runs {expected}")]
    Flavour {
        /// Image name.
        image: String,
        /// Its flavour.
        found: Flavour,
        /// The flavour of the device.
        expected: Flavour,
    },
    /// A kernel needs what the device lacks, which was found out before it was launched; use another
    /// device.
    #[error("kernel `{symbol}`: {lack}")]
    Lacks {
        /// Kernel symbol.
        symbol: String,
        /// What is lacking.
        lack: Lack,
    },
    /// The caller's slices do not fit each other or the plan.
    #[error("{what}: expected {expected}, got {found}")]
    Length {
        /// Which argument.
        what: &'static str,
        /// Expected length.
        expected: usize,
        /// Given length.
        found: usize,
    },
    /// A value breaks a precondition of the call that its documentation states.
    #[error("{what}: {reason}")]
    Input {
        /// Which argument.
        what: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// The size is beyond what the algorithm or the field allows.
    #[error("{what} is {found}, at most {limit} is supported")]
    TooLarge {
        /// Which size.
        what: &'static str,
        /// Given size.
        found: u64,
        /// Largest supported size.
        limit: u64,
    },
    /// The NTT root of unity does not have the order that the size needs.
    #[error("omega does not have order {size}")]
    NotARoot {
        /// The size.
        size: u64,
    },
    /// A batch of transforms has a stride of zero: strides are 1 or more.
    #[error("a stride of the batch is zero")]
    ZeroStride,
    /// Vectors of a batch of transforms have elements in common; take larger strides.
    #[error("vectors that begin {vector} elements apart and whose elements are {element} apart overlap")]
    OverlappingVectors {
        /// Elements from the begin of a vector to that of the next.
        vector: usize,
        /// Elements from one of a vector to the next of it.
        element: usize,
    },
    /// The device is gone: a kernel broke it, or it was taken away. All its memory is lost, and CUDA
    /// refuses every further call of this process to it. Start a new process, or go on with another
    /// device: plans and keys have to be made again there.
    #[error("the device is lost: {call}: {reason}")]
    DeviceLost {
        /// The API call that noticed.
        call: &'static str,
        /// What it said.
        reason: String,
    },
    /// The call was cancelled through its `Job`.
    #[error("the call was cancelled")]
    Cancelled,
    /// The value lives on another device than the plan; upload it there.
    #[error("{what} is on another device than the plan")]
    OtherDevice {
        /// Which argument.
        what: &'static str,
    },
}

/// Result of a device operation.
pub type Result<T> = std::result::Result<T, RuntimeError>;
