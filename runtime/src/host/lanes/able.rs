//! The way from safe code to vector instructions, once a processor is known to have them.

#![allow(unsafe_code, reason = "a processor without the instructions must not run them")]

use crate::lanes::{Block, FieldLanes, GroupLanes, LANES, Vector};
use crate::tier::Tier;
use std::ops::Deref;

/// The functions of a group or of a field, on a processor that has their instructions.
#[derive(Debug)]
pub(super) struct Able<T: 'static = GroupLanes>(&'static T);

impl<T> Clone for Able<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Able<T> {}

impl<T> Deref for Able<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T> Able<T> {
    /// The functions of a tier, by what finds them. `None` if there are none, or this processor lacks the
    /// instructions.
    pub(super) fn of(tier: Tier, lanes: impl FnOnce(Tier) -> Option<&'static T>) -> Option<Self> {
        if tier.is_available() { lanes(tier).map(Able) } else { None }
    }
}

impl Able<FieldLanes> {
    pub(super) fn load(self, words: &[&[u64]; LANES], element: &mut [Vector]) {
        // SAFETY: `of` has seen that the processor has the instructions.
        unsafe { (self.load)(words, element) }
    }

    pub(super) fn store(self, element: &[Vector], words: &mut [&mut [u64]; LANES]) {
        // SAFETY: as in `load`.
        unsafe { (self.store)(element, words) }
    }

    pub(super) fn enter(self, elements: &mut [Vector]) {
        // SAFETY: as in `load`.
        unsafe { (self.enter)(elements) }
    }

    pub(super) fn multiply(self, elements: &mut [Vector], factors: &[Vector]) {
        // SAFETY: as in `load`.
        unsafe { (self.multiply)(elements, factors) }
    }

    pub(super) fn take(self, elements: &mut [Vector], rows: &[&[Vector]], at: usize) {
        // SAFETY: as in `load`.
        unsafe { (self.take)(elements, rows, at) }
    }

    pub(super) fn give(self, elements: &[Vector], rows: &mut [&mut [Vector]], at: usize) {
        // SAFETY: as in `load`.
        unsafe { (self.give)(elements, rows, at) }
    }

    pub(super) fn turn(self, elements: &mut [Vector]) {
        // SAFETY: as in `load`.
        unsafe { (self.turn)(elements) }
    }

    pub(super) fn levels(self, elements: &mut [Vector], factors: &[Vector]) {
        // SAFETY: as in `load`.
        unsafe { (self.levels)(elements, factors) }
    }

    pub(super) fn first_levels(self, elements: &mut [Vector], factors: &[Vector]) {
        // SAFETY: as in `load`.
        unsafe { (self.first_levels)(elements, factors) }
    }
}

impl Able<GroupLanes> {
    pub(super) fn enter(self, words: &[u64], coordinate: &mut [Vector]) {
        // SAFETY: `of` has seen that the processor has the instructions.
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
