//! The rewrites by name.

macro_rules! simplifications {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// What [`simplify`](super::simplify) does, one rewrite at a time.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Simplification {
            $($(#[$doc])* $variant,)*
        }

        impl Simplification {
            /// All of them.
            pub const ALL: &[Simplification] = &[$(Simplification::$variant,)*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Simplification::$variant => $name,)* }
            }
        }
    };
}

simplifications! {
    /// `¬c` of a constant.
    NotConstant = "not-constant",
    /// `¬¬x = x`, of truth values.
    NotTwice = "not-twice",
    /// Bits counted or reversed of a constant.
    BitConstant = "bit-constant",
    /// A comparison of a value with itself.
    CompareSame = "compare-same",
    /// A comparison of constants.
    CompareConstants = "compare-constants",
    /// A wider constant.
    WidenConstant = "widen-constant",
    /// A narrower constant.
    NarrowConstant = "narrow-constant",
    /// What was widened before it is narrowed.
    NarrowWidened = "narrow-widened",
    /// A choice whose condition is constant.
    SelectKnown = "select-known",
    /// A choice between a value and itself.
    SelectSame = "select-same",
    /// Arithmetic on constant integers.
    IntConstants = "int-constants",
    /// `x + 0`, `x << 0`, `x·1` and the like.
    IntNeutral = "int-neutral",
    /// `0 + x`, `1·x` and the like.
    IntNeutralLeft = "int-neutral-left",
    /// `x·0` and `x & 0`.
    IntTimesZero = "int-times-zero",
    /// `x & x`, `min(x, x)` and the like.
    IntIdempotent = "int-idempotent",
    /// `x - x` and `x ^ x`.
    IntCancels = "int-cancels",
    /// `x + 0` and `x - 0` in the field.
    PlusZero = "plus-zero",
    /// `0 + x`.
    ZeroPlus = "zero-plus",
    /// `x + x = 2x`.
    PlusSame = "plus-same",
    /// `x - x = 0`.
    MinusSame = "minus-same",
    /// `0 - x = -x`.
    ZeroMinus = "zero-minus",
    /// A sum, square or multiple of zero.
    OfZero = "of-zero",
    /// `-(-x) = x`.
    NegTwice = "neg-twice",
    /// `x·0` and `0·x`.
    TimesZero = "times-zero",
    /// `x·1`.
    TimesOne = "times-one",
    /// `1·x`.
    OneTimes = "one-times",
    /// `x·x = x²`.
    TimesSame = "times-same",
    /// `0·x`, 0 being a small number.
    SmallZero = "small-zero",
    /// `1·x`, 1 being a small number.
    SmallOne = "small-one",
    /// `2·x`, 2 being a small number: a doubling.
    SmallTwo = "small-two",
    /// `c·x` where the constant is 0.
    ConstantZero = "constant-zero",
    /// `c·x` where the constant is 1.
    ConstantOne = "constant-one",
    /// A sum of products, one of them by zero.
    DotWithZero = "dot-with-zero",
    /// A sum of products by zero.
    DotOfZeros = "dot-of-zeros",
    /// A sum of one product.
    DotOfOne = "dot-of-one",
    /// `0·w` by a table.
    TableTimesZero = "table-times-zero",
    /// A test of a constant.
    IsZeroConstant = "is-zero-constant",
    /// A test of `-x` is one of `x`.
    IsZeroNeg = "is-zero-neg",
    /// Of products by one operand, one by zero.
    PartTimesZero = "part-times-zero",
    /// Of products by one operand, one by 1.
    PartTimesOne = "part-times-one",
    /// A product by a shared operand that only one has.
    PartAlone = "part-alone",
    /// A word of an element that was made of words.
    WordOfWords = "word-of-words",
    /// What was computed before.
    Share = "share",
    /// What a local holds, where that is known.
    ReadSet = "read-set",
    /// A branch whose condition is constant.
    KnownBranch = "known-branch",
    /// A value that nothing needs.
    DeadValue = "dead-value",
    /// A write to a local that is not read.
    DeadSet = "dead-set",
    /// A load whose results nothing needs.
    DeadLoad = "dead-load",
    /// A call whose results nothing needs.
    DeadCall = "dead-call",
    /// A branch that does nothing.
    DeadBranch = "dead-branch",
    /// Of products by one operand, one that nothing needs.
    DeadProduct = "dead-product",
    /// Of products by one operand, the only one that is needed.
    LoneProduct = "lone-product",
    /// The same, where it is a square.
    LoneSquare = "lone-square",
    /// Of a product in an extension, the second coordinate alone.
    LoneCoordinate = "lone-coordinate",
}
