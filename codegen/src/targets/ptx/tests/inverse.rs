//! Which inversion is cheaper, by the prices of this target.

use super::super::{Bound, Cost, FieldOp, Ptx, choose};
use crate::declaration::FieldDesc;
use crate::kernels::inverse::{POWER_WORDS, STEPS, division_steps, power_products};
use crate::targets::Machine;
use num_bigint::BigUint;

/// ALU instructions of one division step and its share of the loop.
const STEP_ALU: u32 = 28;
/// Rows of words that a matrix is multiplied by: two each for `f` and `g`, three each for `d` and `e`.
const ROWS: u32 = 10;
/// ALU instructions for each word: one a row for the sign, and the shift.
const WORD_ALU: u32 = ROWS + 4;

/// Time of a warp for `x^(p-2)`.
fn of_power(field: &FieldDesc) -> u64 {
    let (squarings, products) = power_products(&(&field.p - 2u32));
    let time = |op: &FieldOp, operands: &[Bound]| {
        Ptx::time(&choose(field, op, operands).expect("every operation has a legal variant").cost)
    };
    let square = time(&FieldOp::Sqr, &[Bound::Canonical]);
    let product = time(&FieldOp::Mul, &[Bound::Canonical; 2]);
    squarings as u64 * square + products as u64 * product
}

/// Time of a warp for division steps. Of 32 inputs one comes near the worst.
fn of_division_steps(field: &FieldDesc) -> u64 {
    let batches = division_steps(field.p.bits()).div_ceil(u64::from(STEPS));
    let words = field.words as u32 + 1;
    let (wide, alu) = (ROWS * words, STEPS * STEP_ALU + WORD_ALU * words);
    batches * Ptx::time(&Cost { wide, sums: alu, ..Cost::default() })
}

#[test]
fn short_fields_are_inverted_by_powers() {
    for bits in [2u32, 3, 31, 61, 89, 127, 521, 607] {
        // 2^bits - 1 is a prime.
        let field = FieldDesc::new("mersenne", (BigUint::from(1u32) << bits) - 1u32);
        let (power, steps) = (of_power(&field), of_division_steps(&field));
        println!("{bits} bits: a power {power}, division steps {steps}");
        assert_eq!(power <= steps, field.words <= POWER_WORDS, "{bits} bits");
    }
}
