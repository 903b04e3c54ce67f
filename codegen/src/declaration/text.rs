//! A declaration as a line that tells it from all others: images and their files are known by its hash.

use super::{FieldDesc, GroupDesc};

impl FieldDesc {
    /// Name, modulus in hexadecimal and words.
    pub fn text(&self) -> String {
        format!("field {} p={:x} words={}", self.name, self.p, self.words)
    }
}

impl GroupDesc {
    /// Name, field, the levels above it, and the equation.
    pub fn text(&self) -> String {
        let GroupDesc { name, base, tower, equation } = self;
        format!("group {name} over [{}] tower={:x?} {equation:x?}", base.text(), tower.levels())
    }
}
