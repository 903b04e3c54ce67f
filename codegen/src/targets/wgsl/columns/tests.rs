//! What programs compute, changes of them, and how limbs are cut.

use super::ir::{Inst, Limb, Op, Program, Src};
use super::rows;
use std::collections::BTreeSet;

/// What a program computes; nothing where a word does not hold a limb.
pub(in crate::targets::wgsl) fn run(program: &Program, inputs: &[i128], word: u32) -> Option<Vec<i128>> {
    let mut limbs = inputs.to_vec();
    limbs.resize(program.limbs as usize, 0);
    let get = |limbs: &[i128], src: Src| match src {
        Src::Limb(limb) => limbs[limb.0 as usize],
        Src::Imm(value) => value.into(),
    };
    let words = 0..1i128 << word;
    for (out, op) in program.needed() {
        let at = |limb: Limb| limbs[limb.0 as usize];
        let value = match op {
            Op::Add(a, b) => get(&limbs, a) + get(&limbs, b),
            Op::Mul { sum, a, b } => {
                get(&limbs, sum).checked_add(get(&limbs, a).checked_mul(get(&limbs, b))?)?
            }
            Op::Quotient { a, by, bits } => at(a).checked_mul(by.into())?.rem_euclid(1 << bits),
            Op::Carry { a, q, p0, bits } => {
                let all = at(a).checked_add(at(q).checked_mul(p0.into())?)?;
                if !words.contains(&all) || all % (1 << bits) != 0 {
                    return None;
                }
                all >> bits
            }
            Op::Shift { a, bits } => at(a) >> bits,
            Op::Mask { a, bits } => at(a).rem_euclid(1 << bits),
            Op::Double { a, bits } => at(a) << bits,
        };
        if !words.contains(&value) {
            return None;
        }
        limbs[out.0 as usize] = value;
    }
    Some(program.output.iter().map(|src| get(&limbs, *src)).collect())
}

/// The program with one thing changed, in every place that its result needs.
pub(in crate::targets::wgsl) fn mutants(program: &Program) -> Vec<Program> {
    let mut all = vec![];
    let before = |Limb(limb): Limb| Limb(limb.saturating_sub(1));
    let other = |src: Src| match src {
        Src::Imm(value) => Src::Imm(value ^ 1),
        Src::Limb(Limb(0)) => Src::Imm(0),
        Src::Limb(limb) => before(limb).into(),
    };
    let needed: BTreeSet<Limb> = program.needed().into_iter().map(|(limb, _)| limb).collect();
    for (at, inst) in program.insts.iter().enumerate() {
        let Inst::Write(out, op) = inst else {
            let mut without = program.clone();
            without.insts.remove(at);
            all.push(without);
            continue;
        };
        if !needed.contains(out) {
            continue;
        }
        let changed = match *op {
            // A carry or borrow that is dropped, among others.
            Op::Add(a, b) => vec![Op::Add(other(a), b), Op::Add(a, other(b)), Op::Add(a, Src::Imm(0))],
            Op::Mul { sum, a, b } => vec![
                Op::Mul { sum: other(sum), a, b },
                Op::Mul { sum, a: other(a), b },
                Op::Mul { sum, a, b: other(b) },
            ],
            Op::Quotient { a, by, bits } => vec![
                Op::Quotient { a: before(a), by, bits },
                Op::Quotient { a, by: by ^ 2, bits },
                Op::Quotient { a, by, bits: bits - 1 },
            ],
            Op::Carry { a, q, p0, bits } => vec![
                Op::Carry { a: before(a), q, p0, bits },
                Op::Carry { a, q: before(q), p0, bits },
                Op::Carry { a, q, p0: p0 ^ 2, bits },
                Op::Carry { a, q, p0, bits: bits - 1 },
                Op::Shift { a, bits },
            ],
            Op::Shift { a, bits } => vec![Op::Shift { a: before(a), bits }, Op::Shift { a, bits: bits - 1 }],
            Op::Mask { a, bits } => vec![
                Op::Mask { a: before(a), bits },
                Op::Mask { a, bits: bits - 1 },
                Op::Mask { a, bits: bits + 1 },
            ],
            Op::Double { a, bits } => {
                vec![Op::Double { a: before(a), bits }, Op::Double { a, bits: bits + 1 }]
            }
        };
        for op in changed {
            let mut mutant = program.clone();
            mutant.insts[at] = Inst::Write(*out, op);
            all.push(mutant);
        }
    }
    for k in 0..program.output.len() {
        let mut mutant = program.clone();
        mutant.output[k] = other(mutant.output[k]);
        all.push(mutant);
    }
    all
}

#[test]
fn the_last_row_has_what_is_left() {
    assert_eq!([rows(256, 13), rows(32, 13), rows(26, 13)], [(19, 9), (2, 6), (1, 13)]);
    assert_eq!([rows(256, 29), rows(928, 29)], [(8, 24), (31, 29)]);
}
