//! What the tests of targets share.

pub(in crate::targets) mod edits;
pub(in crate::targets) mod trials;
