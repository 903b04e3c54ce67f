//! What the search hands to the checker: plain data.
//!
//! A certificate is a list of [`Step`]s. A step either defines the next variable, or shows something of those
//! that are defined, or says what the next instruction of the block writes. Variable 0 is none; the words of
//! the operands are the next ones, in order.

use num_bigint::{BigInt, BigUint};

use crate::targets::ptx::arithmetic::ir::Logic;
use crate::targets::ptx::arithmetic::num::Num;

/// A variable: an integer that the operands determine.
pub(in crate::targets::ptx) type Var = u32;

/// `constant + Σ coefficient·variable`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::targets::ptx) struct Poly {
    pub(in crate::targets::ptx) terms: Vec<(Var, i128)>,
    pub(in crate::targets::ptx) constant: i128,
}

/// A word: a constant or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::targets::ptx) enum Val {
    Const(u32),
    Node(Var),
}

/// What an argument may rest on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) enum Fact {
    /// The equation by which a variable is defined: `x - poly = 0`, or `low + sign·2^32·x - value = 0`.
    Defined(Var),
    /// `most - x ≥ 0`.
    AtMost(Var),
    /// `x - least ≥ 0`.
    AtLeast(Var),
    /// Where `x` is 1 its fact is not negative.
    Holds(Var),
    /// Where `x` is 0 its fact is negative.
    Fails(Var),
    /// `a + b - x ≥ 0` of `x = a op b`.
    Both(Var),
    /// What the first operand of a bitwise operation says: `a - x`, `x - a` or `x - a + b`, not negative.
    Left(Var),
    /// The same of the second operand.
    Right(Var),
    /// `x = a op b` where both are assumed to be constants.
    Computed(Var),
    /// The sum of some words is at most what was shown.
    Bounded(usize),
    /// `word - flag·word = 0`.
    Implied(usize),
}

/// A fact times a number and some variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) struct Use {
    pub(in crate::targets::ptx) fact: Fact,
    pub(in crate::targets::ptx) times: Num,
    pub(in crate::targets::ptx) by: Vec<Var>,
}

/// Why a polynomial is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) enum Proof {
    /// What is left of it without these facts, times the certificate's unit, is more than minus one unit.
    Sum(Vec<Use>),
    /// In either case of a boolean.
    Cases(Var, Box<[Proof; 2]>),
}

/// The two words of a product or of a shifted word: `low + 2^32·high`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) struct Halves {
    pub(in crate::targets::ptx) low: Val,
    pub(in crate::targets::ptx) high: Val,
    pub(in crate::targets::ptx) uses: Vec<Use>,
}

/// The word of a bitwise operation: one that is defined so, or that of a mask `(2^32 - 1)·q`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) struct Bits {
    pub(in crate::targets::ptx) word: Val,
    /// `q`, and whether the mask is the first operand.
    pub(in crate::targets::ptx) mask: Option<(Poly, bool)>,
    pub(in crate::targets::ptx) uses: Vec<Use>,
}

/// What an instruction writes, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) enum Written {
    /// An addition, subtraction or multiplication with addition.
    Sum { product: Option<Halves>, word: Val, carry: Poly, uses: Vec<Use> },
    /// The same under a guard: the sum where the guard holds, and the word that is kept.
    Guarded { sum: Poly, carry: Poly, uses: Vec<Use>, range: [Proof; 2], word: Val, kept: Vec<Use> },
    /// One half of a product or shifted word, or both.
    Half(Halves),
    /// A funnel shift: the halves of the high and of the low word shifted.
    Funnel { upper: Halves, lower: Halves, word: Val, uses: Vec<Use> },
    /// A bitwise operation.
    Bits(Bits),
    /// A comparison: the predicate, for (in)equality the word that is zero where the operands are equal, and
    /// why the predicate holds where it is said to, and does not elsewhere.
    Compare { holds: Poly, differs: Option<Bits>, range: [Proof; 2] },
    /// A selection.
    Select { word: Val, uses: Vec<Use> },
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) enum Step {
    /// Defines a polynomial of what is defined; `inline` where it is an abbreviation only.
    Let { value: Poly, inline: bool },
    /// Defines a product.
    Product(Vec<Var>),
    /// Defines `high`, and then `low` in `[0, 2^32)`, by `low + sign·2^32·high = value`.
    Divide { value: Poly, sign: i128 },
    /// Defines `high` by `low + sign·2^32·high = value`, which has to be possible.
    Quotient { value: Poly, sign: i128, low: u32, uses: Vec<Use> },
    /// Defines the truth value of `value ≥ 0`.
    Truth(Poly),
    /// Defines the result of a bitwise operation.
    Logic { op: Logic, a: Val, b: Val },
    /// Shows the range of a variable: not below, not above.
    Narrow { var: Var, range: [i128; 2], proofs: [Proof; 2] },
    /// Shows `Σ wordᵢ·2^(32i) ≤ max`.
    Bound { words: Vec<Var>, max: BigInt, proof: Proof },
    /// Shows that a word is 0 where a flag is.
    Imply { flag: Var, word: Var, proof: Proof },
    /// Shows that a word of the block is another value, congruent and in the range of words.
    Rename { word: u32, to: Val, uses: Vec<Use> },
    /// The next instruction.
    Inst(Written),
}

/// Why one of the tests of a comparison with multiples of `p` says nothing else: where `flag` is `value`, the
/// words are those of `number`; not below, not above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) struct Test {
    pub(in crate::targets::ptx) flag: Var,
    pub(in crate::targets::ptx) value: u32,
    pub(in crate::targets::ptx) number: BigUint,
    pub(in crate::targets::ptx) words: Vec<[Proof; 2]>,
}

/// Why the block computes its operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) enum Reason {
    /// Each output is its definition modulo `p`.
    Congruent(Vec<Vec<Use>>),
    /// The words of a bound, congruent to the operand, are a multiple of `p` exactly where the output is 1.
    Zero { bound: usize, same: Vec<Use>, tests: Vec<Test>, none: Proof, found: Vec<Proof> },
    /// The output is 1 for each multiple of `p`; for a single proof, always.
    MaybeZero { always: bool, found: Vec<Proof> },
}

/// The whole argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::targets::ptx) struct Certificate {
    /// The unit of the proofs is `2^(32·scale)`.
    pub(in crate::targets::ptx) scale: usize,
    pub(in crate::targets::ptx) steps: Vec<Step>,
    pub(in crate::targets::ptx) reason: Reason,
}
