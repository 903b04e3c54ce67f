//! The way from safe code to vector instructions, once a processor is known to have them.

#![allow(unsafe_code, reason = "a processor without the instructions must not run them")]

use super::{Block, GroupLanes, LANES, Vector, rows};
use crate::host::tier::Tier;
use std::ops::Deref;

/// The functions of a group, on a processor that has their instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Able(&'static GroupLanes);

impl Deref for Able {
    type Target = GroupLanes;

    fn deref(&self) -> &GroupLanes {
        self.0
    }
}

impl Able {
    /// `None` if this processor lacks the instructions.
    pub(super) fn new(lanes: &'static GroupLanes) -> Option<Able> {
        Tier::Ifma512.is_available().then_some(Able(lanes))
    }

    pub(super) fn gather(self, rows: [&[u64]; LANES], vectors: &mut [Vector]) {
        // SAFETY: `new` has seen that the processor has the instructions.
        unsafe { rows::gather(rows, vectors) }
    }

    pub(super) fn scatter(self, vectors: &[Vector], rows: &mut [u64]) {
        // SAFETY: as in `gather`.
        unsafe { rows::scatter(vectors, rows) }
    }

    pub(super) fn enter(self, elements: &mut [Vector]) {
        // SAFETY: as in `gather`.
        unsafe { (self.enter)(elements) }
    }

    pub(super) fn leave(self, elements: &mut [Vector]) {
        // SAFETY: as in `gather`.
        unsafe { (self.leave)(elements) }
    }

    pub(super) fn distances(self, block: &mut Block<'_>) {
        // SAFETY: as in `gather`.
        unsafe { (self.distances)(block) }
    }

    pub(super) fn chords(self, block: &mut Block<'_>) {
        // SAFETY: as in `gather`.
        unsafe { (self.chords)(block) }
    }

    pub(super) fn any_distances(self, block: &mut Block<'_>) {
        // SAFETY: as in `gather`.
        unsafe { (self.any_distances)(block) }
    }

    pub(super) fn any_chords(self, block: &mut Block<'_>) {
        // SAFETY: as in `gather`.
        unsafe { (self.any_chords)(block) }
    }
}
