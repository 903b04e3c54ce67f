//! Blocks made by hand that look right to a careless reader, and are wrong.

use super::*;
use crate::targets::ptx::Block;
use crate::targets::ptx::arithmetic::interp;
use crate::targets::ptx::arithmetic::ir::{Builder, Cmp, Logic, Src};

/// `2^40 + 15`: two words, 15 and 256.
fn field() -> FieldDesc {
    FieldDesc::new("p40", ((1u64 << 40) + 15).into())
}

/// Whether every word equals its constant, as a word 0 or 1.
fn all_equal(b: &mut Builder, tests: &[(Src, u32)]) -> Src {
    let zero: Vec<Src> = tests
        .iter()
        .map(|&(word, c)| if c == 0 { word } else { b.logic(Logic::Xor, word, Src::Imm(c)) })
        .collect();
    let any = zero[1..].iter().fold(zero[0], |any, &word| b.logic(Logic::Or, any, word));
    let q = b.setp(Cmp::Eq, any, Src::Imm(0));
    b.selp(Src::Imm(1), Src::Imm(0), q)
}

/// A block for `x < 3p/2` that says whether `x` is 0 or passes another test of its words and constants.
fn zero_or(test: &[(usize, u32)]) -> Block {
    let mut b = Builder::new("p40_is_zero_by_hand");
    let x = b.input("x", 2);
    let zero = all_equal(&mut b, &[(x[0], 0), (x[1], 0)]);
    let test: Vec<(Src, u32)> = test.iter().map(|&(k, c)| (x[k], c)).collect();
    let p = all_equal(&mut b, &test);
    let either = b.logic(Logic::Or, zero, p);
    b.output("r", vec![either]);
    b.finish()
}

fn proof(op: &FieldOp, block: &Block) -> Result<Accepted, ProofError> {
    let f = field();
    let below = Bound::below(&f, &(&f.p * 3u32 / 2u32)).expect("two words hold 3p/2");
    prove(&f, op, &[below], block, Bound::Canonical)
}

/// Where a word is compared with two constants the test never holds, whatever the first of them is.
#[test]
fn a_word_compared_with_two_constants_is_no_test() {
    let right = zero_or(&[(0, 15), (1, 256)]);
    assert_eq!(interp::run(&right, &[vec![15, 256]]), Ok(vec![vec![1]]));
    assert!(proof(&FieldOp::IsZero, &right).is_ok());
    for test in [[(0, 15), (1, 256), (0, 5)], [(1, 256), (1, 0), (0, 15)], [(0, 15), (1, 256), (1, 257)]] {
        let wrong = zero_or(&test);
        assert_eq!(interp::run(&wrong, &[vec![15, 256]]), Ok(vec![vec![0]]), "p passes {test:?}");
        for op in [FieldOp::IsZero, FieldOp::MaybeZero] {
            assert!(proof(&op, &wrong).is_err(), "{op:?} by {test:?} is proven");
        }
    }
}

/// A test of some of the words holds for more numbers than multiples of `p`, and one of no multiple never
/// should.
#[test]
fn a_test_of_other_numbers_is_refused() {
    for test in [&[(0, 15)][..], &[(1, 256)], &[(0, 5), (1, 256)], &[(0, 15), (1, 0)]] {
        let wrong = zero_or(test);
        assert!(proof(&FieldOp::IsZero, &wrong).is_err(), "{test:?} is proven");
    }
}
