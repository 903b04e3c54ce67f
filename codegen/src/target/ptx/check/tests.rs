//! The corpus, and edits of the checker that it notices.

mod mutants;

use super::{Claim, check, corpus};

#[test]
fn the_corpus_is_judged_rightly() {
    let misjudged = corpus::misjudged(&|entry, field| {
        let cases = [(&entry.operands[..], entry.out)];
        let claim =
            Claim { field, op: &entry.op, block: &entry.block, operands: &entry.operands, cases: &cases };
        check(&claim, &entry.certificate).is_ok_and(|cases| cases.iter().all(Option::is_some))
    });
    assert!(misjudged.is_empty(), "{}", misjudged.join("\n"));
}
