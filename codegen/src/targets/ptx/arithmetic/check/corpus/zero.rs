//! Tests for zero.

use super::*;

/// Of the tests, the proof that there are no others, and those of what is found.
type Change<'c> = dyn Fn(&mut Vec<Test>, &mut Proof, &mut Vec<Proof>) + 'c;

/// `[x = 0]`, or with the second also `[x = c]`, below 7 or 14.
pub(super) fn tests_for_zero() -> Vec<Entry> {
    // Why the output is 1 where x is 0 (x = c, by the word 5 that is then 0), in units.
    let yes = |extra: Vec<Use>| {
        let mut uses = vec![part(Fact::Holds(2), 1)];
        uses.extend(extra);
        Proof::Sum(uses)
    };
    let single = |op: FieldOp| {
        let mut b = Builder::new("zero");
        let x = b.input("x", 1)[0];
        let q = b.setp(Cmp::Eq, x, Src::Imm(0));
        let d = b.selp(Src::Imm(1), Src::Imm(0), q);
        b.output("r", vec![d]);
        let holds = poly([(2, -1)], 1);
        let steps = vec![
            Step::Truth(poly([(1, 1)], -1)),
            Step::Inst(Written::Compare {
                holds: holds.clone(),
                differs: None,
                range: [by([units(Fact::Holds(2), 1)]), by([units(Fact::Fails(2), 1)])],
            }),
            Step::Let { value: holds, inline: true },
            Step::Inst(Written::Select { word: Val::Node(3), uses: vec![] }),
        ];
        let reason = match op {
            FieldOp::IsZero => Reason::Zero {
                bound: 0,
                same: vec![],
                tests: vec![Test {
                    flag: 2,
                    value: 0,
                    number: BigUint::ZERO,
                    words: vec![[obvious(), by([units(Fact::Fails(2), 1)])]],
                }],
                none: obvious(),
                found: vec![yes(vec![])],
            },
            _ => Reason::MaybeZero { always: false, found: vec![yes(vec![])] },
        };
        entry(op, 7, b.finish(), 1, steps, reason)
    };
    let double = |c: u32| {
        let mut b = Builder::new("either");
        let x = b.input("x", 1)[0];
        let q = b.setp(Cmp::Eq, x, Src::Imm(0));
        let first = b.selp(Src::Imm(1), Src::Imm(0), q);
        let differs = b.logic(Logic::Xor, x, Src::Imm(c));
        let q = b.setp(Cmp::Eq, differs, Src::Imm(0));
        let second = b.selp(Src::Imm(1), Src::Imm(0), q);
        let d = b.logic(Logic::Or, first, second);
        b.output("r", vec![d]);
        let mut steps = single(FieldOp::IsZero).certificate.steps;
        let bits = |word| Step::Inst(Written::Bits(Bits { word: Val::Node(word), mask: None, uses: vec![] }));
        let holds = poly([(5, -1)], 1);
        steps.extend([
            Step::Logic { op: Logic::Xor, a: Val::Node(1), b: Val::Const(c) },
            bits(4),
            Step::Truth(poly([(4, 1)], -1)),
            Step::Inst(Written::Compare {
                holds: holds.clone(),
                differs: None,
                range: [by([units(Fact::Holds(5), 1)]), by([units(Fact::Fails(5), 1)])],
            }),
            Step::Let { value: holds, inline: true },
            Step::Inst(Written::Select { word: Val::Node(6), uses: vec![] }),
            Step::Logic { op: Logic::Or, a: Val::Node(3), b: Val::Node(6) },
            bits(7),
        ]);
        let test = |flag, number: u32, words| Test { flag, value: 0, number: number.into(), words };
        let fails = |side: Fact| by([units(Fact::Fails(5), 1), units(side, 1)]);
        let second =
            Proof::Sum(vec![units(Fact::Right(7), 1), part(Fact::Holds(5), 1), part(Fact::Computed(4), -1)]);
        let reason = Reason::Zero {
            bound: 0,
            same: vec![],
            tests: vec![
                test(2, 0, vec![[obvious(), by([units(Fact::Fails(2), 1)])]]),
                test(5, c, vec![[fails(Fact::Right(4)), fails(Fact::Left(4))]]),
            ],
            none: by([units(Fact::Both(7), 1)]),
            found: vec![yes(vec![units(Fact::Left(7), 1)]), second],
        };
        let mut entry = entry(FieldOp::IsZero, 7, b.finish(), 1, steps, reason);
        entry.operands = vec![Bound::Units(14)];
        entry
    };
    // `[x = 0]`, or also where x has no bit that differs from 7 nor one that differs from c.
    let twice = |c: u32| {
        let mut b = Builder::new("twice");
        let x = b.input("x", 1)[0];
        let q = b.setp(Cmp::Eq, x, Src::Imm(0));
        let first = b.selp(Src::Imm(1), Src::Imm(0), q);
        let (seven, other) = (b.logic(Logic::Xor, x, Src::Imm(7)), b.logic(Logic::Xor, x, Src::Imm(c)));
        let differs = b.logic(Logic::Or, seven, other);
        let q = b.setp(Cmp::Eq, differs, Src::Imm(0));
        let second = b.selp(Src::Imm(1), Src::Imm(0), q);
        let d = b.logic(Logic::Or, first, second);
        b.output("r", vec![d]);
        let mut steps = single(FieldOp::IsZero).certificate.steps;
        let bits = |word| Step::Inst(Written::Bits(Bits { word: Val::Node(word), mask: None, uses: vec![] }));
        let holds = poly([(7, -1)], 1);
        steps.extend([
            Step::Logic { op: Logic::Xor, a: Val::Node(1), b: Val::Const(7) },
            bits(4),
            Step::Logic { op: Logic::Xor, a: Val::Node(1), b: Val::Const(c) },
            bits(5),
            Step::Logic { op: Logic::Or, a: Val::Node(4), b: Val::Node(5) },
            bits(6),
            Step::Truth(poly([(6, 1)], -1)),
            Step::Inst(Written::Compare {
                holds: holds.clone(),
                differs: None,
                range: [by([units(Fact::Holds(7), 1)]), by([units(Fact::Fails(7), 1)])],
            }),
            Step::Let { value: holds, inline: true },
            Step::Inst(Written::Select { word: Val::Node(8), uses: vec![] }),
            Step::Logic { op: Logic::Or, a: Val::Node(3), b: Val::Node(8) },
            bits(9),
        ]);
        let test = |flag, number: u32, words| Test { flag, value: 0, number: number.into(), words };
        let fails = |side: Fact| by([units(Fact::Fails(7), 1), units(Fact::Left(6), 1), units(side, 1)]);
        let computed = [4, 5].map(|word| part(Fact::Computed(word), -1));
        let second = [units(Fact::Right(9), 1), part(Fact::Holds(7), 1), part(Fact::Both(6), 1)];
        let reason = Reason::Zero {
            bound: 0,
            same: vec![],
            tests: vec![
                test(2, 0, vec![[obvious(), by([units(Fact::Fails(2), 1)])]]),
                test(7, 7, vec![[fails(Fact::Right(4)), fails(Fact::Left(4))]]),
            ],
            none: by([units(Fact::Both(9), 1)]),
            found: vec![yes(vec![units(Fact::Left(9), 1)]), Proof::Sum([&second[..], &computed].concat())],
        };
        let mut entry = entry(FieldOp::IsZero, 7, b.finish(), 1, steps, reason);
        entry.operands = vec![Bound::Units(14)];
        entry
    };
    let edit = |mut entry: Entry, name, change: &Change<'_>| {
        if let Reason::Zero { tests, none, found, .. } = &mut entry.certificate.reason {
            change(tests, none, found);
        }
        entry.wrong(name)
    };
    let with = |mut entry: Entry, operands, name| {
        entry.operands = vec![operands];
        entry.wrong(name)
    };
    let other = edit(double(3), "a test for a number that is no multiple", &|_, _, found| found.truncate(1));
    let mut hidden = single(FieldOp::MaybeZero);
    hidden.certificate.reason = Reason::MaybeZero { always: true, found: vec![obvious()] };
    let mut empty = single(FieldOp::MaybeZero);
    empty.certificate.reason = Reason::MaybeZero { always: false, found: vec![] };
    let mut foreign = single(FieldOp::IsZero);
    foreign.certificate.reason = Reason::MaybeZero { always: false, found: vec![yes(vec![])] };
    let mut elsewhere = double(7);
    if let Reason::Zero { bound, .. } = &mut elsewhere.certificate.reason {
        elsewhere.certificate.steps.push(Step::Bound { words: vec![3], max: 1.into(), proof: obvious() });
        *bound = 1;
    }
    vec![
        single(FieldOp::IsZero),
        single(FieldOp::MaybeZero),
        double(7),
        twice(7),
        twice(5).wrong("a word that is compared with two constants"),
        with(single(FieldOp::IsZero), Bound::Units(8), "a multiple that is left out"),
        with(single(FieldOp::MaybeZero), Bound::Units(8), "a multiple that may be missed"),
        with(other, Bound::Canonical, "a test for a number that is no multiple"),
        edit(double(7), "a test that nothing is said of", &|tests, _, _| tests.truncate(1)),
        edit(double(7), "a multiple that is not found", &|_, _, found| found[1] = obvious()),
        edit(double(7), "a test for something else", &|tests, _, _| tests[1].number = 14u32.into()),
        edit(double(7), "a test that holds for less", &|tests, _, _| tests[1].words[0][0] = obvious()),
        edit(double(7), "a test that holds for more", &|tests, _, _| tests[1].words[0][1] = obvious()),
        edit(double(7), "a test of no words", &|tests, _, _| tests[1].words.clear()),
        edit(double(7), "an output for no reason", &|_, none, _| *none = obvious()),
        hidden.wrong("never sure, and not always"),
        empty.wrong("no multiple is found"),
        foreign.wrong("the reason of another operation"),
        elsewhere.wrong("a test of another number"),
    ]
}
