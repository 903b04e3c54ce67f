//! Elements from words of the layout, and back.

use super::bound::{BITS, limbs};
use super::check::check_regrouped;
use super::ir::{Op, Program, Src};
use crate::declaration::FieldDesc;
use crate::targets::Unproven;
use num_bigint::BigInt;
use num_traits::One;

/// Bits of a word.
const WORD: u32 = 32;

/// The words of an element to its limbs. The program is proven.
pub(in crate::targets::wgsl) fn unpacked(field: &FieldDesc) -> Result<Program, Unproven> {
    regrouped(field, (field.words, WORD), (limbs(field), BITS))
}

/// The limbs of a normal element below `R` to its words. The program is proven.
pub(in crate::targets::wgsl) fn packed(field: &FieldDesc) -> Result<Program, Unproven> {
    regrouped(field, (limbs(field), BITS), (field.words, WORD))
}

fn regrouped(field: &FieldDesc, from: (usize, u32), to: (usize, u32)) -> Result<Program, Unproven> {
    let mut program = Program::new(1, from.0);
    program.output = cut(&mut program, from, to);
    check_regrouped(&program, &(BigInt::one() << (WORD as usize * field.words)), from, to)?;
    Ok(program)
}

/// Takes bits from the lowest limb that has some left, until a limb is full.
fn cut(program: &mut Program, from: (usize, u32), to: (usize, u32)) -> Vec<Src> {
    let mut inputs = program.input(from.0, 0).into_iter();
    let (mut rest, mut left) = (inputs.next(), from.1);
    let mut outputs = vec![];
    for _ in 0..to.0 {
        let (mut sum, mut filled) = (Src::Imm(0), 0);
        while let Some(limb) = rest
            && filled < to.1
        {
            let a = program.limb(limb);
            let taken = left.min(to.1 - filled);
            let mut part = a;
            if taken < left {
                part = program.write(Op::Mask { a, bits: taken });
                rest = Some(program.write(Op::Shift { a, bits: taken, signed: false }).into());
                left -= taken;
            } else {
                (rest, left) = (inputs.next(), from.1);
            }
            if filled > 0 {
                part = program.write(Op::Double { a: part, bits: filled });
            }
            sum = program.plus(sum, part.into());
            filled += taken;
        }
        outputs.push(sum);
    }
    outputs
}
