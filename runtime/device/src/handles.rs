//! Opaque objects of a device.

use crate::error::{Result, RuntimeError};
use curvesmith_abi::{BufferId, ByteRange};
use std::any::Any;
use std::fmt;

macro_rules! handle {
    ($(#[$meta:meta])* $name:ident, $what:literal) => {
        $(#[$meta])*
        pub struct $name(Box<dyn Any + Send + Sync>);

        impl $name {
            /// Hides a device's own object.
            pub fn new(object: impl Any + Send + Sync) -> Self {
                $name(Box::new(object))
            }

            /// The object, if it is of the device that asks.
            pub fn get<T: Any>(&self) -> Result<&T> {
                self.0.downcast_ref().ok_or(RuntimeError::Device {
                    call: $what,
                    reason: "it belongs to another device".into(),
                })
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }
    };
}

handle! {
    /// A loaded image.
    Module, "module"
}
handle! {
    /// An in-order queue.
    Stream, "stream"
}
handle! {
    /// A point in a stream.
    Event, "event"
}

/// An allocation: freed when dropped.
pub struct Memory {
    object: Box<dyn Any + Send + Sync>,
    id: BufferId,
    bytes: u64,
}

impl Memory {
    /// Hides a device's own object for `bytes` bytes, by which number launches know them.
    pub fn new(object: impl Any + Send + Sync, id: BufferId, bytes: u64) -> Self {
        Memory { object: Box::new(object), id, bytes }
    }

    /// The object, if it is of the device that asks.
    pub fn get<T: Any>(&self) -> Result<&T> {
        self.object
            .downcast_ref()
            .ok_or(RuntimeError::Device { call: "memory", reason: "it belongs to another device".into() })
    }

    /// The number by which launches know it.
    pub fn id(&self) -> BufferId {
        self.id
    }

    /// All of it, as launches take it.
    pub fn whole(&self) -> ByteRange {
        ByteRange { buffer: self.id, start: 0, end: self.bytes }
    }

    /// Bytes of the allocation.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The bytes `offset..offset + len`, which must lie inside the allocation.
    pub fn range(&self, call: &'static str, offset: u64, len: u64) -> Result<ByteRange> {
        match offset.checked_add(len) {
            Some(end) if end <= self.bytes => Ok(ByteRange { buffer: self.id, start: offset, end }),
            _ => Err(RuntimeError::Device {
                call,
                reason: format!("{len} bytes at {offset} of an allocation of {} bytes", self.bytes),
            }),
        }
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Memory[{} bytes, {:?}]", self.bytes, self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_maker_sees_the_object() {
        let stream = Stream::new(7u32);
        assert_eq!(*stream.get::<u32>().unwrap(), 7);
        assert!(matches!(stream.get::<u64>(), Err(RuntimeError::Device { call: "stream", .. })));
    }

    #[test]
    fn ranges_stay_inside() {
        let memory = Memory::new((), BufferId(7), 100);
        let end = ByteRange { buffer: BufferId(7), start: 60, end: 100 };
        assert_eq!(memory.range("copy", 60, 40).unwrap(), end);
        assert_eq!(memory.range("copy", 0, 100).unwrap(), memory.whole());
        for (offset, len) in [(61, 40), (101, 0), (u64::MAX, 2)] {
            assert!(memory.range("copy", offset, len).is_err(), "{offset} {len}");
        }
    }
}
