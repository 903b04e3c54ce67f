//! Proofs of all blocks of a kernel, made once in a process.
//!
//! Operations with other bounds often have the same block. Such a block is proven once, for the weakest
//! bounds of its operands in the kernel; that proof holds for the narrower ones too, and what is left
//! is to bound the results by them. Nothing depends on what was proven before, or on the order: what is
//! remembered is found by the block itself, not by its name.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::{ProofError, prove, prove_cases};
use crate::spec::FieldDesc;
use crate::target;

type Claim<'a> = target::Claim<'a, Ptx>;
use crate::target::ptx::check::Accepted;
use crate::target::ptx::{Block, Bound, Ptx};

type Proof = Result<Accepted, ProofError>;

/// By bounds of operands and results.
type Known = BTreeMap<String, Proof>;

/// Results by modulus, operation and the weakest operand bounds of the kernel, and then by block.
static MADE: Mutex<BTreeMap<String, Vec<(Block, Known)>>> = Mutex::new(BTreeMap::new());

/// As [`prove`] for every claim, in order.
pub fn prove_all(field: &FieldDesc, claims: &[Claim<'_>]) -> Vec<Proof> {
    let mut proofs: Vec<Option<Proof>> = vec![None; claims.len()];
    for same in of_equal_blocks(claims) {
        let weakest = weakest(field, claims, &same);
        let Claim { op, choice, .. } = &claims[same[0]];
        let (what, block) = (format!("{:x} {op:?} {weakest:?}", field.p), choice.block());
        let known = known(&what, block);
        let mut open = BTreeMap::new();
        for &i in &same {
            let key = format!("{:?} {:?}", claims[i].operands, claims[i].choice.out);
            match known.get(&key) {
                Some(proof) => proofs[i] = Some(proof.clone()),
                None => open.entry(key).or_insert_with(Vec::new).push(i),
            }
        }
        if open.is_empty() {
            continue;
        }
        let first: Vec<&Claim<'_>> = open.values().map(|equal| &claims[equal[0]]).collect();
        // Not under the lock: two threads may prove the same, and find the same.
        let made = prove_equal(field, &weakest, &first);
        let mut new = Known::new();
        for ((key, equal), proof) in open.into_iter().zip(made) {
            for i in equal {
                proofs[i] = Some(proof.clone());
            }
            new.insert(key, proof);
        }
        remember(what, block, new);
    }
    proofs.into_iter().map(|proof| proof.expect("every claim is in a group")).collect()
}

fn known(what: &str, block: &Block) -> Known {
    let made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let same = made.get(what).and_then(|blocks| blocks.iter().find(|(other, _)| other == block));
    same.map(|(_, known)| known.clone()).unwrap_or_default()
}

fn remember(what: String, block: &Block, new: Known) {
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let blocks = made.entry(what).or_default();
    match blocks.iter_mut().find(|(other, _)| other == block) {
        Some((_, known)) => known.extend(new),
        None => blocks.push((block.clone(), new)),
    }
}

/// Claims of one operation and block each, by index.
fn of_equal_blocks(claims: &[Claim<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, claim) in claims.iter().enumerate() {
        let equal = |group: &&mut Vec<usize>| {
            let first = &claims[group[0]];
            first.choice.variant == claim.choice.variant
                && first.op == claim.op
                && first.choice.block() == claim.choice.block()
        };
        match groups.iter_mut().find(equal) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// Operand by operand the weakest bound.
fn weakest(field: &FieldDesc, claims: &[Claim<'_>], group: &[usize]) -> Vec<Bound> {
    let mut weakest = claims[group[0]].operands.to_vec();
    for &i in &group[1..] {
        for (bound, other) in weakest.iter_mut().zip(claims[i].operands) {
            *bound = bound.join(*other, field);
        }
    }
    weakest
}

/// Proves claims of one block together, and each alone that is not proven so.
fn prove_equal(field: &FieldDesc, weakest: &[Bound], claims: &[&Claim<'_>]) -> Vec<Proof> {
    let Some(Claim { op, choice, .. }) = claims.first() else { return Vec::new() };
    let cases: Vec<(&[Bound], Bound)> =
        claims.iter().map(|claim| (claim.operands, claim.choice.out)).collect();
    let together = prove_cases(field, op, weakest, choice.block(), &cases);
    let alone = |claim: &Claim<'_>| prove(field, &claim.op, claim.operands, claim.choice);
    match together {
        Ok(proofs) => {
            let again = |(proof, claim): (Proof, &&Claim<'_>)| proof.or_else(|_| alone(claim));
            proofs.into_iter().zip(claims).map(again).collect()
        }
        Err(error) => {
            let alone = |claim: &&Claim<'_>| match claim.operands == weakest {
                true => Err(error.clone()),
                false => alone(claim),
            };
            claims.iter().map(alone).collect()
        }
    }
}
