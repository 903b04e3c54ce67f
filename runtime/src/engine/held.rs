//! Values of an engine.

use crate::error::{Result, RuntimeError};
use crate::vocabulary::{CurveForm, DigitShape};
use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A value of which only the engine that made it knows what it is.
pub(crate) struct Held(Box<dyn Any + Send + Sync>);

impl fmt::Debug for Held {
    // Values can be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Held")
    }
}

/// The refusal of a value of another engine.
pub(crate) fn other<T>(what: &'static str) -> Result<T> {
    Err(RuntimeError::OtherDevice { what })
}

impl Held {
    pub(crate) fn new<T: Send + Sync + 'static>(value: T) -> Self {
        Held(Box::new(value))
    }

    /// The value, if it is of this type.
    ///
    /// Errors: [`RuntimeError::OtherDevice`], which names it as `what`.
    pub(crate) fn get<T: 'static>(&self, what: &'static str) -> Result<&T> {
        self.0.downcast_ref().map_or_else(|| other(what), Ok)
    }

    /// As [`Held::get`], to be changed.
    pub(crate) fn get_mut<T: 'static>(&mut self, what: &'static str) -> Result<&mut T> {
        self.0.downcast_mut().map_or_else(|| other(what), Ok)
    }

    /// As [`Held::get`], for whoever has it alone.
    pub(crate) fn into<T: 'static>(self, what: &'static str) -> Result<T> {
        self.0.downcast().map_or_else(|_| other(what), |value| Ok(*value))
    }
}

/// Affine points of an engine, and what plans have to know of them.
#[derive(Debug)]
pub(crate) struct Bases {
    pub(crate) held: Held,
    /// Points, without their multiples.
    pub(crate) len: usize,
    /// The form of the curve that they are in.
    pub(crate) form: CurveForm,
    /// Of the digits that their multiples ask for, where there are any.
    pub(crate) shape: Option<DigitShape>,
    /// Bytes of the engine's memory, multiples included; those of the host are not counted.
    pub(crate) bytes: u64,
}

/// Room for several sums, which come to the host together.
#[derive(Debug)]
pub(crate) struct Room {
    pub(crate) held: Held,
    used: AtomicUsize,
}

impl Room {
    pub(crate) fn new(held: Held) -> Self {
        Room { held, used: AtomicUsize::new(0) }
    }

    /// The offset of so many bytes that nobody else gets.
    pub(crate) fn reserve(&self, bytes: usize) -> usize {
        self.used.fetch_add(bytes, Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_other_engines_are_refused_by_name() {
        let mut held = Held::new(5u32);
        assert_eq!(held.get::<u32>("vector").ok(), Some(&5));
        let refusals = [
            held.get::<u64>("vector").map(drop),
            held.get_mut::<u64>("vector").map(drop),
            held.into::<u64>("vector").map(drop),
        ];
        for refusal in refusals {
            assert!(matches!(refusal, Err(RuntimeError::OtherDevice { what: "vector" })), "{refusal:?}");
        }
        assert_eq!(Held::new(6u32).into::<u32>("vector").ok(), Some(6));
    }

    #[test]
    fn places_in_a_room_do_not_overlap() {
        let room = Room::new(Held::new(()));
        assert_eq!([8, 4, 0, 12].map(|bytes| room.reserve(bytes)), [0, 8, 12, 12]);
    }
}
