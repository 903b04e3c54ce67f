//! The corpus, and edits of the checker that it notices.

mod mutants;

use super::{Claim, check, corpus};

#[test]
fn the_corpus_is_judged_rightly() {
    let misjudged = corpus::misjudged(&|entry, field| {
        let claim = Claim { field, op: &entry.op, block: &entry.block, operands: &entry.operands };
        let checked = check(&claim, &entry.certificate);
        checked.and_then(|mut checked| checked.case(entry.case(), &entry.bounds)).is_ok()
    });
    assert!(misjudged.is_empty(), "{}", misjudged.join("\n"));
}
