//! The prover on every variant; mutants are in `tests/mutants.rs`.

use super::*;
use crate::targets::ptx::choices;
use crate::targets::ptx::tests::{fields::fields, is_long, ops};
use num_bigint::BigUint;

mod mutants;
mod wrong;

/// Bounds that variants distinguish: canonical, any, the largest that narrow products take, `<2p`.
fn bounds(f: &FieldDesc) -> Vec<Bound> {
    let mut bounds = vec![Bound::Canonical, Bound::ANY];
    bounds.extend(Bound::up_to(f, &(f.r() - &f.p)).filter(|b| Bound::Canonical.within(*b, f)));
    bounds.extend(Bound::below(f, &(&f.p * 2u32)));
    bounds
}

/// Proves every variant on offer for all operations of the fields that `of` accepts, or every `step`-th.
fn prove_all(of: impl Fn(&FieldDesc) -> bool, step: usize) {
    let (mut offered, mut proven, mut failures) = (0, 0, Vec::new());
    for f in fields().into_iter().filter(of) {
        for op in ops(&f) {
            for bound in bounds(&f) {
                let operands = vec![bound; op.operands(&f)];
                for choice in choices(&f, &op, &operands) {
                    offered += 1;
                    if offered % step != 0 {
                        continue;
                    }
                    proven += 1;
                    if let Err(error) = prove(&f, &op, &operands, choice.block(), choice.out) {
                        failures.push(format!("{} {op:?} {bound:?} {}: {error}", f.name, choice.variant));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} of {proven}:\n{}", failures.len(), failures.join("\n"));
    assert!(proven > 300 / step, "only {proven} variants of {offered} on offer");
}

/// Moduli of two words whose top word has any number of bits.
#[test]
fn products_in_extensions_are_proven_for_every_top_word() {
    let mut several = 0;
    for bits in 33..=64 {
        let f = FieldDesc::new("f", (BigUint::from(1u32) << (bits - 1)) + 15u32);
        for nonresidue in [-1, 5, -5] {
            let op = FieldOp::DotFq2 { terms: 1, nonresidue };
            for bound in bounds(&f) {
                let operands = vec![bound; 4];
                for choice in choices(&f, &op, &operands) {
                    several += usize::from(choice.variant.contains(".u."));
                    let proof = prove(&f, &op, &operands, choice.block(), choice.out);
                    assert!(proof.is_ok(), "{bits} {nonresidue} {bound:?} {}: {proof:?}", choice.variant);
                }
            }
        }
    }
    assert!(several > 100, "three products for four are on offer {several} times");
}

#[test]
fn variants_of_one_to_three_words_are_proven() {
    prove_all(|f| f.words <= 3, 1);
}

#[test]
fn variants_of_four_to_eight_words_are_proven() {
    prove_all(|f| (4..=8).contains(&f.words), if is_long() { 1 } else { 3 });
}

#[test]
fn variants_of_nine_to_fifteen_words_are_proven() {
    prove_all(|f| (9..=15).contains(&f.words), if is_long() { 1 } else { 5 });
}

#[test]
fn variants_of_sixteen_and_more_words_are_proven() {
    // These take longest. Macros prove what they use of them.
    prove_all(|f| f.words > 15, if is_long() { 1 } else { 11 });
}
