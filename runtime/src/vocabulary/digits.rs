//! Signed digits of scalars, and which of them share buckets.

/// Which digits share a bucket of a set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DigitMap {
    /// Those of one absolute value.
    #[default]
    Signed,
    /// Those of one odd absolute value, once factors of two are elsewhere.
    Odd(OddDigits),
}

/// What makes digits odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddDigits {
    /// Digits are `±m·2^e`, for bases that are stored times `2^0` to `2^tau` (Chen et al., §3.1): `e` is at
    /// most `tau`, and `m` odd unless `e = tau`. `1 ≤ tau ≤ window - 1`.
    Stored {
        /// The largest stored exponent.
        tau: u32,
    },
    /// The regular recoding of Joye and Tunstall: all digits are odd, below `2^window` in absolute value, and
    /// none is 0. For scalars of all lengths, and bases in the group: even scalars are taken less the order.
    Regular,
}

/// How scalars are cut into signed digits, and which of these share a set of buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigitShape {
    /// Window width `c` in bits, 2 to 24.
    pub window: u32,
    /// Sets of buckets: windows whose numbers differ by a multiple of this share one.
    pub sets: u32,
    /// Multiples of each base, the base itself among them: `2^(window·sets·j)` times the base for the windows
    /// from `j·sets` on.
    pub multiples: u32,
    /// Which digits share a bucket.
    pub map: DigitMap,
}

impl DigitShape {
    /// Every window with buckets of its own, for scalars of `bits` bits; windows of 2 to 17 bits.
    pub fn new(bits: u32, window: u32) -> Self {
        Self::with_multiples(bits, window, 1)
    }

    /// With at most so many multiples of a base, and no fewer than the fewest sets of buckets need.
    pub fn with_multiples(bits: u32, window: u32, most: u32) -> Self {
        Self::of_windows(window, windows_of(bits, window.max(1)), most)
    }

    /// Of the regular recoding, whose digits carry nothing out of the last window; with multiples as
    /// [`DigitShape::with_multiples`].
    pub fn regular(bits: u32, window: u32, most: u32) -> Self {
        let window_count = bits.div_ceil(window.max(1));
        Self { map: DigitMap::Odd(OddDigits::Regular), ..Self::of_windows(window, window_count, most) }
    }

    /// So many windows of signed digits, with at most so many multiples of a base.
    fn of_windows(window: u32, windows: u32, most: u32) -> Self {
        let sets = windows.div_ceil(most.max(1));
        Self { window, sets, multiples: windows.div_ceil(sets.max(1)), map: DigitMap::Signed }
    }

    /// As it is, with bases that are stored times `2^0` to `2^tau`, or to `2^(window-1)`, the largest that
    /// digits have; with 0, as it is.
    pub fn with_doublings(self, tau: u32) -> Self {
        let tau = tau.min(self.window.saturating_sub(1));
        let odd = DigitMap::Odd(OddDigits::Stored { tau });
        Self { map: if tau == 0 { DigitMap::Signed } else { odd }, ..self }
    }

    /// Digits of a scalar.
    pub fn windows(&self) -> u32 {
        self.sets.saturating_mul(self.multiples)
    }

    /// Buckets of a set that digits can have: `2^(c-1)` of signed digits of `c` bits and of regular ones, and
    /// of those with stored doublings `2^(c-2)` and `2^(c-2-tau)`, of which there are none with the largest
    /// `tau`.
    pub fn buckets(&self) -> u64 {
        let signed = 1u64 << (self.window.clamp(1, 63) - 1);
        match self.map {
            DigitMap::Signed | DigitMap::Odd(OddDigits::Regular) => signed,
            DigitMap::Odd(OddDigits::Stored { tau }) => signed / 2 + (signed >> 1 >> tau.min(63)),
        }
    }

    /// The logarithm of the places of buckets that a set has.
    pub(crate) fn log_buckets(&self) -> u32 {
        match self.map {
            DigitMap::Odd(OddDigits::Stored { tau }) if tau.saturating_add(1) >= self.window => {
                self.window.saturating_sub(2)
            }
            _ => self.window.saturating_sub(1),
        }
    }

    /// Points that are stored of each base.
    pub(crate) fn stored(&self) -> u32 {
        self.multiples.saturating_mul(self.exponents())
    }

    /// Points that are stored of each multiple of a base.
    pub(crate) fn exponents(&self) -> u32 {
        match self.map {
            DigitMap::Signed | DigitMap::Odd(OddDigits::Regular) => 1,
            DigitMap::Odd(OddDigits::Stored { tau }) => tau.saturating_add(1),
        }
    }

    /// Whether the work on the digits is the same for all scalars.
    pub(crate) fn is_constant(&self) -> bool {
        self.map == DigitMap::Odd(OddDigits::Regular)
    }

    /// Sums by which an MSM gives the sum of one set: of all its buckets, and for each bit of their numbers.
    pub(crate) fn sums_of_set(&self) -> usize {
        self.log_buckets() as usize + 1
    }

    /// Sums by which an MSM gives the sum of each set.
    pub(crate) fn sums(&self) -> usize {
        self.sets as usize * self.sums_of_set()
    }

    /// Doublings from one multiple of a base to the next.
    pub(crate) fn doublings(&self) -> u32 {
        self.window.saturating_mul(self.sets)
    }
}

/// The narrowest window of odd digits with stored doublings: below it there would be no bits of buckets to
/// sort by.
pub(crate) const LEAST_ODD_WINDOW: u32 = 3;

/// The widest window, in bits, for bases with at most `most` multiples each. From 18 bits on the sort takes a
/// third pass, and buckets are many: only fewer sets of them than windows make up for that.
pub fn widest_window(most: u32) -> u32 {
    if most > 1 { 24 } else { 17 }
}

/// Windows of `window` bits that hold every signed-digit form of a scalar of `bits` bits:
/// the carry out of the top digit needs one bit more than the scalar.
pub fn windows_of(bits: u32, window: u32) -> u32 {
    (bits + 1).div_ceil(window)
}
