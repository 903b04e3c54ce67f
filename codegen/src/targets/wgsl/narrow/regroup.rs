//! Elements from words of the layout, and back.

use super::bound::{BITS, limbs};
use crate::declaration::FieldDesc;
use crate::targets::Unproven;
use crate::targets::wgsl::columns::check::check_regrouped;
use crate::targets::wgsl::columns::ir::Program;
use crate::targets::wgsl::columns::regrouped;
use num_bigint::BigInt;
use num_traits::One;

/// Bits of a word.
const WORD: u32 = 32;

/// The words of an element to its limbs. The program is proven.
pub(in crate::targets::wgsl) fn unpacked(field: &FieldDesc) -> Result<Program, Unproven> {
    proven(field, (field.words, WORD), (limbs(field), BITS))
}

/// The limbs of a normal element below `R` to its words. The program is proven.
pub(in crate::targets::wgsl) fn packed(field: &FieldDesc) -> Result<Program, Unproven> {
    proven(field, (limbs(field), BITS), (field.words, WORD))
}

fn proven(field: &FieldDesc, from: (usize, u32), to: (usize, u32)) -> Result<Program, Unproven> {
    let mut program = Program::new(1, from.0);
    let input: Vec<_> = program.input(from.0, 0).into_iter().map(|limb| (limb, from.1)).collect();
    program.output = regrouped(&mut program, &input, to);
    check_regrouped(&program, &(BigInt::one() << (WORD as usize * field.words)), from, to)?;
    Ok(program)
}
