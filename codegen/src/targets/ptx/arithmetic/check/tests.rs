//! The corpus, and edits of the checker that it notices.

mod mutants;

use super::{Bound, Claim, check, corpus};

#[test]
fn the_corpus_is_judged_rightly() {
    let misjudged = corpus::misjudged(&|entry, field| {
        let claim = Claim { field, op: &entry.op, block: &entry.block, operands: &entry.operands };
        let Ok(mut checked) = check(&claim, &entry.certificate) else { return [false; 2] };
        let alone = checked.case(entry.case(), &entry.bounds).is_ok();
        let _ = checked.case((&entry.narrow(), Bound::ANY), &entry.bounds);
        [alone, checked.prepare(&entry.bounds).and_then(|()| checked.prepared_case(entry.case())).is_ok()]
    });
    assert!(misjudged.is_empty(), "{}", misjudged.join("\n"));
}
