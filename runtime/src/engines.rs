//! The engines that there are: the one place that lists them.

use crate::engine::{
    Call, Copies, Elementwise, Engine, GroupSums, Held, ScalarDigits, SparseProducts, Transforms,
};
use crate::error::Result;
use crate::field::Field;
use crate::gpu::{Gpu, Stream};
use crate::group::Group;
use crate::host::{Host, HostCall};
use crate::job::Cancel;
use crate::vocabulary::{Detail, Report};

/// Any engine.
#[derive(Clone, Debug)]
pub(crate) enum AnyEngine {
    Host(Host),
    Kernels(Gpu),
}

/// A call on any engine.
#[derive(Debug)]
pub(crate) enum AnyCall {
    Host(HostCall),
    Kernels(Stream),
}

impl AnyEngine {
    pub(crate) fn get(&self) -> &dyn Engine {
        match self {
            AnyEngine::Host(engine) => engine,
            AnyEngine::Kernels(engine) => engine,
        }
    }

    /// Begins a call that is watched as closely as `detail` says, and ends early at a wish.
    pub(crate) fn call(&self, detail: Detail, cancel: Cancel) -> Result<AnyCall> {
        match self {
            AnyEngine::Host(_) => Ok(AnyCall::Host(HostCall::new(cancel))),
            AnyEngine::Kernels(gpu) => gpu.stream(detail, cancel).map(AnyCall::Kernels),
        }
    }
}

/// What a call can do, on whichever engine it is.
macro_rules! of_any {
    ($self:expr, $call:ident => $what:expr) => {
        match $self {
            AnyCall::Host($call) => $what,
            AnyCall::Kernels($call) => $what,
        }
    };
}

impl AnyCall {
    pub(crate) fn copies<F: Field>(&self) -> &dyn Copies<F> {
        of_any!(self, call => call)
    }

    pub(crate) fn elementwise<F: Field>(&self) -> &dyn Elementwise<F> {
        of_any!(self, call => call)
    }

    pub(crate) fn transforms<F: Field>(&self) -> &dyn Transforms<F> {
        of_any!(self, call => call)
    }

    pub(crate) fn sparse_products<F: Field>(&self) -> &dyn SparseProducts<F> {
        of_any!(self, call => call)
    }

    pub(crate) fn scalar_digits<F: Field>(&self) -> &dyn ScalarDigits<F> {
        of_any!(self, call => call)
    }

    pub(crate) fn group_sums<G: Group>(&self) -> &dyn GroupSums<G> {
        of_any!(self, call => call)
    }

    /// The stream below, where the engine is one of kernels.
    pub(crate) fn stream(&self) -> Option<&Stream> {
        match self {
            AnyCall::Host(_) => None,
            AnyCall::Kernels(stream) => Some(stream),
        }
    }
}

impl Call for AnyCall {
    fn fork(&self, urgent: bool) -> Result<Self> {
        match self {
            AnyCall::Host(call) => call.fork(urgent).map(AnyCall::Host),
            AnyCall::Kernels(call) => Call::fork(call, urgent).map(AnyCall::Kernels),
        }
    }

    fn join(&self, fork: Self) -> Result<()> {
        match (self, fork) {
            (AnyCall::Host(call), AnyCall::Host(fork)) => call.join(fork),
            (AnyCall::Kernels(call), AnyCall::Kernels(fork)) => call.join(fork),
            _ => crate::engine::other("fork"),
        }
    }

    fn after(&self, other: &Self) -> Result<()> {
        match (self, other) {
            (AnyCall::Host(call), AnyCall::Host(other)) => call.after(other),
            (AnyCall::Kernels(call), AnyCall::Kernels(other)) => call.after(other),
            _ => crate::engine::other("fork"),
        }
    }

    fn finish(self) -> Result<Report> {
        of_any!(self, call => call.finish())
    }

    fn check_cancelled(&self) -> Result<()> {
        of_any!(self, call => call.check_cancelled())
    }

    fn wipe_at_end(&self) {
        of_any!(self, call => call.wipe_at_end());
    }

    fn stage<T>(&self, name: &'static str, part: impl FnOnce() -> Result<T>) -> Result<T> {
        of_any!(self, call => call.stage(name, part))
    }

    fn host_stage<T>(&self, name: &'static str, part: impl FnOnce() -> T) -> T {
        of_any!(self, call => call.host_stage(name, part))
    }

    fn room_for_sums(&self, bytes: usize) -> Result<Held> {
        of_any!(self, call => call.room_for_sums(bytes))
    }

    fn download_sums(&self, room: &Held) -> Result<Vec<u8>> {
        of_any!(self, call => call.download_sums(room))
    }
}
