//! What an image is written in, and what its kernels need of a device.

use std::borrow::Cow;
use std::fmt;

/// The language of an image's text, by name. The set is open: a target names its own flavour, and a
/// device runs images of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flavour(Cow<'static, str>);

impl Flavour {
    /// NVIDIA's PTX, from `sm_75` on.
    pub const PTX: Flavour = Flavour(Cow::Borrowed("ptx"));
    /// WGSL, the language of WebGPU.
    pub const WGSL: Flavour = Flavour(Cow::Borrowed("wgsl"));

    /// The flavour of this name: lower-case letters and digits, as in the names of files.
    pub fn named(name: impl Into<Cow<'static, str>>) -> Flavour {
        Flavour(name.into())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A set of abilities that not every device has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Features(u32);

impl Features {
    /// None of them.
    pub const NONE: Features = Features(0);
    /// Integers of 64 bits.
    pub const WORDS_64: Features = Features(1);
    /// Warps of 32 threads that exchange words and vote.
    pub const WARPS_32: Features = Features(1 << 1);
    /// Blocks that have begun go on, so that others can wait for what they write.
    pub const PROGRESS: Features = Features(1 << 2);
    /// All that this build knows.
    pub const ALL: Features = Features::WORDS_64.union(Features::WARPS_32).union(Features::PROGRESS);

    /// Those of either set.
    #[must_use]
    pub const fn union(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }

    /// Those that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Features) -> Features {
        Features(self.0 & !other.0)
    }

    /// Whether those of `other` are all in the set.
    pub const fn has(self, other: Features) -> bool {
        other.without(self).is_empty()
    }

    /// Whether the set has no element.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One bit a feature, as bundles hold them.
    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    /// The set with these bits, known to this build or not.
    pub(crate) const fn from_bits(bits: u32) -> Features {
        Features(bits)
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [(Features, &str); 3] = [
            (Features::WORDS_64, "64-bit words"),
            (Features::WARPS_32, "warps of 32 threads"),
            (Features::PROGRESS, "blocks that wait for each other"),
        ];
        let mut names: Vec<String> = NAMES
            .iter()
            .filter(|(feature, _)| self.has(*feature))
            .map(|(_, name)| (*name).to_owned())
            .collect();
        let unknown = self.without(Features::ALL).0;
        names.extend((0..32).filter(|bit| unknown >> bit & 1 == 1).map(|bit| format!("feature {bit}")));
        f.write_str(if names.is_empty() { "none".into() } else { names.join(", ") }.as_str())
    }
}

/// What a launch of one kernel takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Needs {
    /// Threads a block.
    pub threads: u32,
    /// Shared memory a block, in bytes.
    pub shared: u32,
    /// Buffers among the arguments.
    pub buffers: u32,
    /// Abilities.
    pub features: Features,
}

/// What a device can give one launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Most threads a block.
    pub threads: u32,
    /// Most shared memory a block, in bytes.
    pub shared: u32,
    /// Most buffers among the arguments.
    pub buffers: u32,
    /// Abilities.
    pub features: Features,
}

impl Limits {
    /// What each device that runs PTX has: 48 KiB of shared memory that a block can declare in the
    /// text, and 4096 bytes of arguments, of which a buffer takes 8 (CUDA C++ Programming Guide,
    /// "Technical Specifications per Compute Capability", and "`__global__` function parameters").
    pub const PTX: Limits =
        Limits { threads: 1024, shared: 48 << 10, buffers: 4096 / 8, features: Features::ALL };

    /// The first of the needs that is not met.
    pub const fn admit(&self, needs: &Needs) -> Result<(), Lack> {
        let missing = needs.features.without(self.features);
        if needs.threads > self.threads {
            Err(Lack::Threads { needed: needs.threads, has: self.threads })
        } else if needs.shared > self.shared {
            Err(Lack::Shared { needed: needs.shared, has: self.shared })
        } else if needs.buffers > self.buffers {
            Err(Lack::Buffers { needed: needs.buffers, has: self.buffers })
        } else if !missing.is_empty() {
            Err(Lack::Features { needed: needs.features, has: self.features })
        } else {
            Ok(())
        }
    }
}

/// What a kernel needs and a device lacks.
#[derive(Clone, Copy, Debug, thiserror::Error, PartialEq, Eq)]
pub enum Lack {
    /// Larger blocks.
    #[error("it needs {needed} threads a block, the device has {has}")]
    Threads {
        /// Threads of the kernel's block.
        needed: u32,
        /// Most threads of a block.
        has: u32,
    },
    /// More shared memory.
    #[error("it needs {needed} bytes of shared memory a block, the device has {has}")]
    Shared {
        /// Bytes that a block of the kernel has.
        needed: u32,
        /// Most bytes of a block.
        has: u32,
    },
    /// More buffers in one launch.
    #[error("it needs {needed} buffers, the device binds {has}")]
    Buffers {
        /// Buffers of the kernel.
        needed: u32,
        /// Most buffers of a launch.
        has: u32,
    },
    /// Other abilities.
    #[error("it needs the features {needed}, the device has {has}")]
    Features {
        /// Those of the kernel.
        needed: Features,
        /// Those of the device.
        has: Features,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_need_is_compared_with_its_limit() {
        let limits = Limits { threads: 256, shared: 16 << 10, buffers: 8, features: Features::WARPS_32 };
        let most = Needs { threads: 256, shared: 16 << 10, buffers: 8, features: Features::WARPS_32 };
        assert_eq!(limits.admit(&most), Ok(()));
        assert_eq!(limits.admit(&Needs::default()), Ok(()));
        for (needs, text) in [
            (Needs { threads: 512, ..most }, "it needs 512 threads a block, the device has 256"),
            (
                Needs { shared: 16385, ..most },
                "it needs 16385 bytes of shared memory a block, the device has 16384",
            ),
            (Needs { buffers: 9, ..most }, "it needs 9 buffers, the device binds 8"),
            (
                Needs { features: Features::ALL, ..most },
                "it needs the features 64-bit words, warps of 32 threads, blocks that wait for each other, the device has warps of 32 threads",
            ),
        ] {
            assert_eq!(limits.admit(&needs).map_err(|lack| lack.to_string()), Err(text.into()));
        }
    }

    #[test]
    fn features_are_named() {
        let unknown = Features::from_bits(1 << 7 | 1);
        assert_eq!(unknown.to_string(), "64-bit words, feature 7");
        assert_eq!(Features::NONE.to_string(), "none");
    }
}
