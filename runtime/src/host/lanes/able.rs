//! The way from safe code to vector instructions, once a processor is known to have them.

#![allow(unsafe_code, reason = "a processor without the instructions must not run them")]

use crate::host::tier::Tier;
use crate::lanes::{Block, GroupLanes, Vector};
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

    pub(super) fn enter(self, words: &[u64], coordinate: &mut [Vector]) {
        // SAFETY: `new` has seen that the processor has the instructions.
        unsafe { (self.enter)(words, coordinate) }
    }

    pub(super) fn leave(self, coordinate: &[Vector], words: &mut [u64]) {
        // SAFETY: as in `enter`.
        unsafe { (self.leave)(coordinate, words) }
    }

    pub(super) fn write(self, points: &[Vector], rows: &mut [u64]) {
        // SAFETY: as in `enter`.
        unsafe { (self.write)(points, rows) }
    }

    pub(super) fn read(self, block: &mut Block<'_>) {
        // SAFETY: as in `enter`.
        unsafe { (self.read)(block) }
    }

    pub(super) fn distances(self, block: &mut Block<'_>) {
        // SAFETY: as in `enter`.
        unsafe { (self.distances)(block) }
    }

    pub(super) fn chords(self, block: &mut Block<'_>) {
        // SAFETY: as in `enter`.
        unsafe { (self.chords)(block) }
    }

    pub(super) fn any_distances(self, block: &mut Block<'_>) {
        // SAFETY: as in `enter`.
        unsafe { (self.any_distances)(block) }
    }

    pub(super) fn any_chords(self, block: &mut Block<'_>) {
        // SAFETY: as in `enter`.
        unsafe { (self.any_chords)(block) }
    }
}
