//! Random numbers of tests.

/// A deterministic stream of words; splitmix64, the seed is in the test.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Any word.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }

    /// One of several.
    pub fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())].clone()
    }

    /// Whether one of `n` equally likely things happens.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}
