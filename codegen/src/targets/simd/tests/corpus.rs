//! Lane programs by hand: right ones, and wrong ones that each break one rule of the checker. The tests
//! compile this file also on its own, next to edits of the checker that it has to notice.

use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::simd::arithmetic::bound::{Bound, Limbs, Products};
use crate::targets::simd::arithmetic::ir::{Inst, Limb, Op, Parts, Program, Src};
use num_bigint::{BigInt, BigUint};
use std::str::FromStr;

/// What is so of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is accepted.
    Right,
    /// It is refused: some operands within the bounds show why.
    Wrong,
    /// It is refused: it has no meaning, or one that nobody shows.
    Unfit,
}
use Verdict::{Right, Unfit, Wrong};

/// Name, verdict, claim and program.
type Row = (&'static str, Verdict, &'static str, &'static str);

/// The claim is a modulus, with `whole` before it where products are whole, an operation, the operands'
/// bounds, `->` and the result's. The bound `3~2` is below `3p` on limbs as loose as 2. Operands are the
/// first limbs. `t0 mod 3` is modulo `2^3`, and `t1 ? a b` is `t1 < 0 ? a : b`.
const SHAPES: &[Row] = &[
    ("an operand too many", Unfit, "13 reduce_weak 1 1 -> 1", "out t0"),
    ("an input that is no operand", Unfit, "13 reduce_weak 1 -> 1", "inputs 0; out t0"),
    ("a limb too many", Unfit, "13 reduce_weak 1 -> 1", "out t0 0"),
    ("operands without limbs", Unfit, "13 reduce_weak 1 -> 1", "limbs 0; out t0"),
    (
        "seven signs",
        Unfit,
        "13 reduce_weak 1 -> 1",
        "compared; compared; compared; compared; compared; compared; compared; out t0",
    ),
    ("an even modulus", Unfit, "4 reduce_weak 1 -> 1", "out 0"),
    ("an operation of other targets", Unfit, "13 from_mont 1 -> 1", "out 0"),
    ("p for zero", Wrong, "13 is_zero 2 -> 2", "out t0"),
];

const OPERATIONS: &[Row] = &[
    ("a sum", Right, "13 add 1 1 -> 2", "t2 = t0 + t1; out t2"),
    ("a difference", Right, "13 sub 1 1 -> 2", "t2 = t0 + 13; t3 = t2 - t1; out t3"),
    ("a negative", Right, "13 neg 1 -> 2", "t1 = 13 - t0; out t1"),
    ("twice", Right, "13 dbl 1 -> 2", "t1 = t0 << 1; out t1"),
    ("three times", Right, "13 mul_small 3 1 -> 3", "t1 = t0 << 1; t2 = t1 + t0; out t2"),
    (
        "a product",
        Right,
        "13 mul 1 1 -> 2",
        "t2 = low 0 t0 t1; t3 = quotient t2 by; t4 = carry t2 t3 13; t5 = high t4 t3 13; out t5",
    ),
    (
        "a square",
        Right,
        "13 sqr 1 -> 2",
        "t1 = low 0 t0 t0; t2 = quotient t1 by; t3 = carry t1 t2 13; t4 = high t3 t2 13; out t4",
    ),
    (
        "a sum of products",
        Right,
        "13 dot 2 1 1 1 1 -> 2",
        "t4 = low 0 t0 t1; t5 = low t4 t2 t3
         t6 = quotient t5 by; t7 = carry t5 t6 13; t8 = high t7 t6 13; out t8",
    ),
    (
        "a row of reduction",
        Right,
        "13 mul_const 9 1 -> 2",
        "t1 = quotient t0 by; t2 = carry t0 t1 13; t3 = high t2 t1 13; out t3",
    ),
];

const SIGNS: &[Row] = &[
    (
        "p less where that is not negative",
        Right,
        "13 reduce_full 2 -> 1",
        "t1 = t0 - 13; normal t1; compared t1; t2 = t1 ? t0 t1; out t2",
    ),
    (
        "a case that cannot be",
        Right,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 - 13; normal t1; compared t1; t2 = t1 ? t0 5; out t2",
    ),
    (
        "wrong below zero",
        Wrong,
        "13 reduce_full 2 -> 1",
        "t1 = t0 - 13; normal t1; compared t1; t2 = t1 ? 0 t1; out t2",
    ),
    (
        "wrong from zero on",
        Wrong,
        "13 reduce_weak 2 -> 2",
        "t1 = t0 - 13; normal t1; compared t1; t2 = t1 ? t0 0; out t2",
    ),
    (
        "wrong at zero, of the largest operand",
        Wrong,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 - 12; normal t1; compared t1; t2 = t1 ? t0 0; out t2",
    ),
    (
        "wrong at -1",
        Wrong,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 - 1; normal t1; compared t1; t2 = t1 ? 5 t0; out t2",
    ),
    (
        "a choice that is not written",
        Unfit,
        "13 reduce_weak 1 -> 1",
        "limbs 4; t1 = t0 - 13; normal t1; compared t1; t2 = t1 ? t0 t3; out t2",
    ),
    ("a sign that is not read", Wrong, "13 reduce_weak 2 -> 2", "t1 = t0 - 13; t2 = t1 ? 0 t0; out t2"),
    (
        "the sign of another number",
        Wrong,
        "13 reduce_full 2 -> 1",
        "t1 = t0 - 13; t2 = t0 - 5; normal t1; normal t2; compared t1; t3 = t2 ? t0 t1; out t3",
    ),
    (
        "p below a number that is negative",
        Wrong,
        "13 reduce_full 2 -> 1",
        "t1 = t0 - 14; normal t1; compared t1; t2 = t0 - 13; t3 = t1 ? t0 t2; out t3",
    ),
    (
        "-1 above a number that is not negative",
        Wrong,
        "13 reduce_full 2 -> 1",
        "t1 = t0 - 12; normal t1; compared t1; t2 = t0 - 13; t3 = t1 ? t0 t2; out t3",
    ),
];

/// Of elements of two limbs.
const LIMBS: &[Row] = &[
    ("limbs by their weights", Right, "goldilocks reduce_weak 3~2 -> 3~2", "out t0 t1"),
    ("loose limbs for normal ones", Wrong, "goldilocks reduce_weak 1~1 -> 1", "out t0 t1"),
    ("limbs twice as loose", Wrong, "goldilocks reduce_weak 1~2 -> 1~1", "out t0 t1"),
    ("the highest limb up", Wrong, "goldilocks reduce_weak 1~1 -> 1~1", "t2 = t1 << 51; out t0 t1"),
    ("the highest limb down", Wrong, "goldilocks reduce_weak 1~2 -> 1~2", "t2 = low 0 t1 1; out t0 t1"),
    ("a lower limb up", Wrong, "goldilocks reduce_weak 1 -> 1", "t2 = t0 << 50; out t0 t1"),
    ("a lower limb of few bits", Right, "p49 reduce_weak 1 -> 1", "t2 = t0 << 14; out t0 t1"),
    ("the lowest limb for all", Wrong, "goldilocks reduce_weak 1 -> 1", "out t0 0"),
    ("a limb above 2^52", Wrong, "goldilocks dbl 1 -> 2", "t2 = t0 << 1; t3 = t1 << 1; out t2 t3"),
    ("a limb of 2^52", Wrong, "goldilocks mul_small 0 1 -> 1", "out 2^52 -1"),
    ("a loose limb of 2^52", Wrong, "goldilocks mul_small 0 1 -> 1~1", "out 2^52 -1"),
    ("looser above", Wrong, "goldilocks dbl 1 -> 2~1", "t2 = t0 << 1; t3 = t1 << 1; out t2 t3"),
    ("looser below", Wrong, "goldilocks reduce_weak 1 -> 1~1", "t2 = t0 - 2^53; t3 = t1 + 2; out t2 t3"),
    (
        "limbs that are carried",
        Right,
        "goldilocks reduce_weak 1~2 -> 1",
        "t2 = t0 >> 52; t3 = t0 mod 52; t4 = t1 + t2; normal t3 t4; t5 = t4 << 51; out t3 t4",
    ),
    (
        "a negative limb that is not carried",
        Wrong,
        "goldilocks reduce_weak 1~1 -> 1~1",
        "normal t0 t1; t2 = t1 << 51; out t0 t1",
    ),
    (
        "a large limb that is not carried",
        Wrong,
        "goldilocks reduce_weak 1~2 -> 1~2",
        "t2 = t0 + 2^53; t3 = t1 - 2; normal t2 t3; t4 = low 0 t3 1; out t0 t1",
    ),
    (
        "the least that a highest limb is",
        Wrong,
        "goldilocks reduce_weak 1 -> 1",
        "normal 5 t1; t2 = t1 - 1; t3 = low 0 t2 1; out t0 t1",
    ),
    (
        "the most that a highest limb is",
        Wrong,
        "goldilocks reduce_weak 1 -> 1",
        "normal t0 t1; t2 = t1 + 1; t3 = t2 << 51; out t0 t1",
    ),
    ("a renamed limb for all", Wrong, "goldilocks reduce_weak 1 -> 1", "renamed t0 t1; out t0 0"),
    ("a renamed number", Right, "13 reduce_weak 1 -> 1", "t1 = t0 + 0; renamed t1; out t1"),
    ("the range of a renamed number", Wrong, "13 reduce_weak 2 -> 1", "t1 = t0 + 0; renamed t1; out t1"),
];

const INSTRUCTIONS: &[Row] = &[
    ("a limb that is not written", Unfit, "13 mul_small 0 1 -> 1", "limbs 2; out t1"),
    ("a limb that there is not", Unfit, "13 reduce_weak 1 -> 1", "limbs 1; t1 = t0 + 0; out t0"),
    (
        "a limb written twice",
        Wrong,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 + 0; t2 = t0 >> 1; t0 = 0 + 0; t3 = t0 >> 1; t4 = t1 + t2; t5 = t4 - t3; out t5",
    ),
    (
        "a limb written again after its last read",
        Unfit,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 + 0; t2 = low t1 0 0; t1 = 0 + 0; out t2",
    ),
    ("a difference for a sum", Wrong, "13 add 1 1 -> 2", "t2 = t0 - t1; out t2"),
    ("the range of a sum", Wrong, "13 reduce_weak 1 -> 1", "t1 = t0 << 59; t2 = t1 + t1; out t0"),
    (
        "the range of a difference",
        Wrong,
        "13 add 1 1 -> 2",
        "t2 = t0 - t1; t3 = low 0 t2 1; t4 = t0 + t1; out t4",
    ),
    ("a factor of 53 bits", Wrong, "13 reduce_weak 1 -> 1", "t1 = t0 << 50; t2 = low 0 t1 1; out t0"),
    ("a factor below zero", Wrong, "13 reduce_weak 1 -> 1", "t1 = 0 - t0; t2 = low 0 t1 1; out t0"),
    ("a low half for a product", Wrong, "13 mul_const 2^51 1 -> 2^51", "t1 = low 0 t0 2^51; out t1"),
    ("the range of a low half", Wrong, "13 reduce_weak 1 -> 1", "t1 = low 0 t0 1; t2 = t1 << 60; out t0"),
    ("a high half for none", Wrong, "13 reduce_weak 1 -> 2", "t1 = high t0 t0 2^51; out t1"),
    ("a high half for a low one", Wrong, "13 reduce_weak 1 -> 1", "t1 = high 0 t0 1; out t1"),
    (
        "halves of a product either way",
        Right,
        "p48 mul 1 1 -> 2",
        "t2 = low 0 t0 t1; t3 = high 0 t1 t0; t4 = quotient t2 by48; t5 = carry t2 t4 p48
         t6 = t3 + t5; t7 = high t6 t4 p48; out t7",
    ),
    (
        "like terms of a product",
        Wrong,
        "13 sqr 1 -> 2",
        "t1 = t0 + 1; t2 = low 0 t1 t1; t3 = t2 - t0; t4 = t3 - 1
         t5 = quotient t4 by; t6 = carry t4 t5 13; t7 = high t6 t5 13; out t7",
    ),
    (
        "a product of products",
        Wrong,
        "13 sqr 1 -> 2",
        "t1 = low 0 t0 t0; t2 = low 0 t1 t0
         t3 = quotient t2 by; t4 = carry t2 t3 13; t5 = high t4 t3 13; out t5",
    ),
    (
        "a product of two rows' results",
        Wrong,
        "13 mul_small 0 1 -> 14",
        "t1 = quotient t0 by; t2 = carry t0 t1 13; t3 = high t2 t1 13
         t4 = quotient t3 by; t5 = carry t3 t4 13; t6 = high t5 t4 13; t7 = low 0 t6 t6; out t7",
    ),
    (
        "a shift of what is negative",
        Wrong,
        "13 reduce_weak 2 -> 2",
        "t1 = t0 - 13; t2 = t1 >> 1; t3 = low 0 t2 1; out t0",
    ),
    ("the range of a shift", Wrong, "13 reduce_weak 1 -> 1", "t1 = t0 >> 1; t2 = t1 << 61; out t0"),
    ("bits that a mask takes", Wrong, "13 reduce_weak 1 -> 1", "t1 = t0 mod 3; out t1"),
    ("the range of a mask", Wrong, "13 reduce_weak 1 -> 1", "t1 = t0 mod 1; t2 = t1 << 63; out t0"),
    ("twice for once", Wrong, "13 reduce_weak 1 -> 1", "t1 = t0 << 1; out t1"),
    ("a word too large", Wrong, "13 reduce_weak 1 -> 1", "t1 = t0 << 60; out t0"),
    ("a word too small", Wrong, "13 reduce_weak 1 -> 1", "t1 = 0 - t0; t2 = t1 << 60; out t0"),
    ("a shift by 64", Unfit, "13 reduce_weak 1 -> 1", "t1 = t0 >> 64; out t0"),
    ("a mask of 63 bits", Unfit, "13 reduce_weak 1 -> 1", "t1 = t0 mod 63; out t0"),
    ("a factor of 2^64", Unfit, "13 reduce_weak 1 -> 1", "t1 = 0 + 0; t2 = t1 << 64; out t0"),
];

const ROWS: &[Row] = &[
    ("a quotient of nothing", Unfit, "13 reduce_weak 1 -> 1", "limbs 3; t1 = quotient t2 by; out t0"),
    ("a quotient by 53 bits", Unfit, "13 reduce_weak 1 -> 1", "t1 = quotient t0 2^52; out t0"),
    ("the range of a quotient", Wrong, "13 reduce_weak 1 -> 1", "t1 = quotient t0 by; t2 = t1 << 12; out t0"),
    (
        "a quotient of another limb",
        Wrong,
        "13 mul_const 9 1 -> 2",
        "t1 = t0 + 1; t2 = quotient t1 by; t3 = carry t0 t2 13; t4 = high t3 t2 13; out t4",
    ),
    (
        "a quotient that clears nothing",
        Wrong,
        "13 mul_const 9 1 -> 2",
        "t1 = quotient t0 1; t2 = carry t0 t1 13; t3 = high t2 t1 13; out t3",
    ),
    ("a carry alone", Wrong, "13 mul_const 9 1 -> 2", "t1 = quotient t0 by; t2 = carry t0 t1 13; out t2"),
    (
        "the range of a carry",
        Wrong,
        "13 reduce_weak 1 -> 1",
        "t1 = quotient t0 by; t2 = carry t0 t1 13; t3 = t2 << 63; out t0",
    ),
    (
        "a carry that rounds out of a word",
        Wrong,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 + 9223372036854775795; t2 = quotient t1 by; t3 = carry t1 t2 13; out t0",
    ),
    (
        "more rows than scale",
        Wrong,
        "13 mul_small 0 1 -> 2",
        "t1 = quotient t0 by; t2 = carry t0 t1 13; t3 = high t2 t1 13
         t4 = quotient t3 by; t5 = carry t3 t4 13; t6 = high t5 t4 13
         t7 = quotient t6 by; t8 = carry t6 t7 13; t9 = high t8 t7 13; out t9",
    ),
];

const RANGES: &[Row] = &[
    ("a result below zero", Wrong, "13 reduce_weak 1 -> 1", "t1 = t0 - 13; out t1"),
    ("a result above its bound", Wrong, "13 dbl 1 -> 1", "t1 = t0 << 1; out t1"),
    ("a result at its bound", Wrong, "13 mul_small 0 1 -> 1", "out 13"),
    ("another result", Wrong, "13 reduce_weak 1 -> 1", "out 0"),
    (
        "products of what is negative",
        Wrong,
        "13 mul_small 0 2 -> 151",
        "t1 = t0 - 13; t2 = t1 >> 1; t3 = t2 + 7; t4 = low 0 t0 13
         t5 = low 0 t3 t4; t6 = low 0 t4 7; t7 = t5 - t6; out t7",
    ),
    (
        "parts of a multiple of p less",
        Right,
        "13 reduce_weak 7 -> 2",
        "t1 = high 0 t0 c; t2 = low 0 t1 13; t3 = t0 - t2; parts t3 : t0*3 low t0 c 13; normal t3; out t3",
    ),
    (
        "the range of a part's low half",
        Wrong,
        "13 reduce_full 2 -> 1",
        "t1 = high 0 t0 c; t2 = low 0 t1 13; t3 = t0 - t2; parts t3 : t0*3 low t0 c 13; normal t3; out t3",
    ),
    (
        "parts of what comes later",
        Right,
        "13 reduce_weak 1 -> 1",
        "normal t0; t1 = t0 + 0; parts t1 : t0*2^52 low 0 0 0; out t1",
    ),
    (
        "what parts leave over",
        Wrong,
        "13 reduce_weak 2 -> 2",
        "t1 = t0 + 0; parts t1 : t0*2^52 low 0 0 0; t2 = t0 + 13; out t2",
    ),
    (
        "parts below zero",
        Wrong,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 - 13; parts t1 : t0*2^52 13*-2^52 low 0 0 0; out t1",
    ),
    (
        "parts above the bound",
        Wrong,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 + 13; parts t1 : t0*2^52 13*2^52 low 0 0 0; out t1",
    ),
    (
        "parts that do not add up",
        Wrong,
        "13 reduce_weak 1 -> 1",
        "t1 = t0 + 13; parts t1 : t0*2^52 low 0 0 0; out t1",
    ),
    (
        "a product for its low half in parts",
        Wrong,
        "13 sqr 2 -> 346430740566962",
        "t1 = t0 << 22; t2 = low 0 t1 t1; t3 = high 0 t1 t1; t4 = t3 << 52; t5 = t2 + t4
         parts t5 : low t1 t1 2^52; out t5",
    ),
];

const WHOLE: &[Row] = &[
    (
        "a whole product",
        Right,
        "whole 13 mul 1 1 -> 2",
        "t2 = whole 0 t0 t1; t3 = quotient t2 by29; t4 = carry t2 t3 13; out t4",
    ),
    (
        "a whole product for halves",
        Unfit,
        "13 mul 1 1 -> 2",
        "t2 = whole 0 t0 t1; t3 = quotient t2 by; t4 = carry t2 t3 13; t5 = high t4 t3 13; out t5",
    ),
    (
        "a half for whole products",
        Unfit,
        "whole 13 mul 1 1 -> 2",
        "t2 = low 0 t0 t1; t3 = quotient t2 by29; t4 = carry t2 t3 13; out t4",
    ),
    (
        "a whole factor of 33 bits",
        Wrong,
        "whole 13 reduce_weak 1 -> 1",
        "t1 = t0 << 29; t2 = whole 0 t1 1; out t0",
    ),
    (
        "the range of a whole product",
        Wrong,
        "whole 13 reduce_weak 1 -> 1",
        "t1 = whole 0 t0 1; t2 = t1 << 60; out t0",
    ),
    (
        "a shift of what is negative, by zeros",
        Wrong,
        "whole 13 reduce_weak 1 -> 1",
        "t1 = 0 - t0; t2 = t1 >> 1; out t0",
    ),
    (
        "a whole carry of what is negative",
        Wrong,
        "whole 13 reduce_weak 1 -> 1",
        "t1 = t0 - 6979321856; t2 = quotient t1 by29; t3 = carry t1 t2 13; out t0",
    ),
    (
        "the range of a whole carry",
        Wrong,
        "whole 13 reduce_weak 1 -> 1",
        "t1 = quotient t0 by29; t2 = carry t0 t1 13; t3 = t2 << 60; out t0",
    ),
    (
        "parts of whole products",
        Right,
        "whole 13 reduce_weak 7 -> 2",
        "t1 = whole 0 t0 1321528398; t2 = t1 >> 34; t3 = t1 mod 34; t4 = whole 0 t2 13; t5 = t0 - t4
         parts t5 34 : t0*10 t3*13; normal t5; out t5",
    ),
];

/// A claim.
pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) verdict: Verdict,
    pub(crate) products: Products,
    pub(crate) field: FieldDesc,
    pub(crate) op: FieldOp,
    pub(crate) operands: Vec<Bound>,
    pub(crate) out: Bound,
    pub(crate) program: Program,
}

/// All claims.
pub(crate) fn corpus() -> Vec<Entry> {
    let all = [SHAPES, OPERATIONS, SIGNS, LIMBS, INSTRUCTIONS, ROWS, RANGES, WHOLE];
    all.into_iter().flatten().map(entry).collect()
}

fn entry(&(name, verdict, claim, program): &Row) -> Entry {
    let mut words = claim.split_whitespace();
    let mut next = || words.next().expect("a word of the claim");
    let products = if claim.starts_with("whole ") { Products::Whole } else { Products::Halves };
    if products == Products::Whole {
        next();
    }
    let p = match next() {
        "goldilocks" => BigUint::from(0xffff_ffff_0000_0001u64),
        "p49" => BigUint::from((1u64 << 49) - 81),
        p => number(p),
    };
    let field = FieldDesc { name: "f".into(), words: (p.bits() as usize).div_ceil(32), p };
    let op = match next() {
        "add" => FieldOp::Add,
        "sub" => FieldOp::Sub,
        "neg" => FieldOp::Neg,
        "dbl" => FieldOp::Dbl,
        "mul" => FieldOp::Mul,
        "sqr" => FieldOp::Sqr,
        "mul_small" => FieldOp::MulSmall(number(next())),
        "mul_const" => FieldOp::MulConst(number(next())),
        "dot" => FieldOp::Dot(number(next())),
        "from_mont" => FieldOp::FromMont,
        "reduce_full" => FieldOp::ReduceFull,
        "reduce_weak" => FieldOp::ReduceWeak,
        "is_zero" => FieldOp::IsZero,
        other => panic!("{name}: no operation is {other}"),
    };
    let bound = |text: &str| {
        let (times, loose) = text.split_once('~').unwrap_or((text, "0"));
        Bound { times: number(times), loose: number(loose) }
    };
    let mut bounds: Vec<Bound> = words.filter(|word| *word != "->").map(bound).collect();
    let out = bounds.pop().expect("a bound of the result");
    let program = parsed(program, bounds.len(), Limbs::of(products, &field));
    Entry { name, verdict, products, field, op, operands: bounds, out, program }
}

fn parsed(text: &str, inputs: usize, of: Limbs) -> Program {
    let mut program = Program::new(inputs, of.n);
    let mut limbs = None;
    let term = |term: &&str| {
        let (limb, factor) = term.split_once('*').expect("a limb and a factor");
        (src(limb), number(factor))
    };
    for line in text.split([';', '\n']) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["inputs", count] => program.inputs = number(count),
            ["limbs", count] => limbs = Some(number(count)),
            ["out", ref list @ ..] => program.output = srcs(list),
            ["compared", ref list @ ..] => program.compared.push(srcs(list)),
            ["normal", ref list @ ..] => program.insts.push(Inst::Normal(srcs(list))),
            ["renamed", ref list @ ..] => program.insts.push(Inst::Renamed(srcs(list))),
            ["parts", word, ":", ref terms @ .., "low", a, b, factor] => {
                let limbs = terms.iter().map(term).collect();
                let low = Some((src(a), src(b), number(factor)));
                program.parts.push((vec![src(word)], Parts { bits: of.bits, limbs, low }));
            }
            ["parts", word, bits, ":", ref terms @ ..] => {
                let limbs = terms.iter().map(term).collect();
                program.parts.push((vec![src(word)], Parts { bits: number(bits), limbs, low: None }));
            }
            [out, "=", ref rest @ ..] => {
                program.limbs = program.limbs.max(limb(out).0 + 1);
                program.insts.push(Inst::Write(limb(out), op(rest)));
            }
            _ => panic!("no instruction is {line}"),
        }
    }
    program.limbs = limbs.unwrap_or(program.limbs);
    program
}

fn op(words: &[&str]) -> Op {
    match *words {
        [a, "+", b] => Op::Add(src(a), src(b)),
        [a, "-", b] => Op::Sub(src(a), src(b)),
        ["low", sum, a, b] => Op::Low { sum: src(sum), a: src(a), b: src(b) },
        ["high", sum, a, b] => Op::High { sum: src(sum), a: src(a), b: src(b) },
        ["whole", sum, a, b] => Op::Whole { sum: src(sum), a: src(a), b: src(b) },
        ["quotient", a, by] => Op::Quotient { a: limb(a), by: number(by) },
        ["carry", a, q, p0] => Op::Carry { a: limb(a), q: limb(q), p0: number(p0) },
        [a, ">>", bits] => Op::Shift { a: limb(a), bits: number(bits) },
        [a, "mod", bits] => Op::Mask { a: limb(a), bits: number(bits) },
        [a, "<<", bits] => Op::Double { a: limb(a), bits: number(bits) },
        [sign, "?", a, b] => Op::Select { sign: limb(sign), a: src(a), b: src(b) },
        _ => panic!("no operation is {words:?}"),
    }
}

fn srcs(words: &[&str]) -> Vec<Src> {
    words.iter().map(|word| src(word)).collect()
}

fn src(word: &str) -> Src {
    if word.starts_with('t') { limb(word).into() } else { Src::Imm(number(word)) }
}

fn limb(word: &str) -> Limb {
    Limb(number(word.strip_prefix('t').expect("a limb")))
}

/// A number, in figures, as a power of two, or by its name.
fn number<T: FromStr>(word: &str) -> T {
    let (sign, word) = match word.strip_prefix('-') {
        Some(word) => ("-", word),
        None => ("", word),
    };
    let figures = match word {
        // -1/13 modulo 2^52.
        "by" => "3117876665102651".to_owned(),
        // -1/13 modulo 2^29.
        "by29" => "454275387".to_owned(),
        // ⌊2^52/13⌋
        "c" => "346430740566961".to_owned(),
        // 2^48 - 59, and -1 by it.
        "p48" => "281474976710597".to_owned(),
        "by48" => "2151613805025523".to_owned(),
        _ => match word.strip_prefix("2^") {
            Some(bits) => (BigInt::from(1) << number::<u32>(bits)).to_string(),
            None => word.to_owned(),
        },
    };
    let number = format!("{sign}{figures}").parse().ok();
    number.unwrap_or_else(|| panic!("no number is {word}"))
}
