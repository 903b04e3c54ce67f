//! Flags and guards.

use super::*;

/// What may be read as a flag.
pub(super) fn flags() -> Vec<Entry> {
    // x0 + x1 sets the flag 3, then x0 ± x1 ± flag reads it.
    let chain = |next: fn(&mut Builder, Src, Src)| {
        move |b: &mut Builder, x: Src, y: Src| {
            let (_, carry) = b.add(x, y, None, CarryOut::Flag);
            b.ignore(carry);
            next(b, x, y);
        }
    };
    let second = |sign: i128, cin: i128| {
        let value = poly([(1, 1), (2, sign), (3, cin)], 0);
        [
            divided(),
            vec![
                Step::Divide { value, sign },
                sum(Val::Node(6), poly([(5, 1)], 0), vec![once(Fact::Defined(5), -1)]),
            ],
        ]
        .concat()
    };
    let reads = |mut entry: Entry| {
        if let Some(Inst::Add { cin, .. } | Inst::Sub { cin, .. }) = entry.block.insts.last_mut() {
            *cin = true;
        }
        entry
    };
    let plus = |b: &mut Builder, x: Src, y: Src| ignore(add(b, x, y, CarryOut::Lost));
    let minus = |b: &mut Builder, x: Src, y: Src| ignore(b.sub(x, y, None, CarryOut::Lost));
    let unset = |b: &mut Builder, x: Src, y: Src| ignore(add(b, x, y, CarryOut::Lost));
    vec![
        reads(aside("a right flag", true, chain(plus), second(1, 1))),
        reads(aside("a carry read as a borrow", false, chain(minus), second(-1, -1))),
        reads(aside("a flag that is not added", false, chain(plus), second(1, 0))),
        reads(aside("a flag that is not set", false, unset, divided())),
    ]
}

/// `q ? x0 + x1 : x0`, `q` being `x0 ≥ x1`: the flag 4 and the word 5 of the sum, the word 8 that is kept.
pub(super) fn guards() -> Vec<Entry> {
    let steps = |holds: Poly, range: [Proof; 2]| {
        let mut steps = compared();
        if let (Step::Inst(Written::Compare { holds, range, .. }), [(_, -1)]) =
            (&mut steps[1], &holds.terms[..])
        {
            *holds = poly([(3, -1)], 1);
            range.swap(0, 1);
        }
        steps.extend([
            Step::Divide { value: poly([(1, 1), (2, 1)], 0), sign: 1 },
            Step::Product(vec![3, 5]),
            Step::Product(vec![1, 3]),
            define(poly([(1, 1), (6, 1), (7, -1)], 0)),
            Step::Inst(Written::Guarded {
                sum: poly([(5, 1)], 0),
                carry: poly([(4, 1)], 0),
                uses: vec![once(Fact::Defined(4), -1)],
                range,
                word: Val::Node(8),
                kept: vec![once(Fact::Defined(8), -1)],
            }),
        ]);
        steps
    };
    let guarded = |out: CarryOut, sub: bool, after: fn(&mut Builder, Src, Src, Pred)| {
        move |b: &mut Builder, x: Src, y: Src| {
            let q = b.setp(Cmp::Ge, x, y);
            match sub {
                true => ignore(b.sub_words_if(q, &[x], &[y])),
                false => ignore(b.add_words_if(q, &[x], &[y])),
            }
            let _ = out;
            after(b, x, y, q);
        }
    };
    let q = || poly([(3, 1)], 0);
    let words = || [obvious(), obvious()];
    let plain = |b: &mut Builder, x: Src, y: Src| guarded(CarryOut::Lost, false, |_, _, _, _| ())(b, x, y);
    // The difference is in [0, 2^32) where the guard holds.
    let difference = |kept: i128, least: Proof| {
        let mut steps = compared();
        steps.extend([
            Step::Product(vec![2, 3]),
            define(poly([(1, 1), (4, kept)], 0)),
            Step::Inst(Written::Guarded {
                sum: poly([(1, 1), (2, -1)], 0),
                carry: poly([], 0),
                uses: vec![],
                range: [least, obvious()],
                word: Val::Node(5),
                kept: vec![once(Fact::Defined(5), -1)],
            }),
        ]);
        steps
    };
    let minus = |b: &mut Builder, x: Src, y: Src| guarded(CarryOut::Lost, true, |_, _, _, _| ())(b, x, y);
    let holds = || by([units(Fact::Holds(3), 1)]);
    // The guard as the opposite of x1 > x0.
    let opposite = vec![
        Step::Truth(poly([(2, 1), (1, -1)], -1)),
        Step::Inst(Written::Compare {
            holds: poly([(3, -1)], 1),
            differs: None,
            range: [by([units(Fact::Fails(3), 1)]), by([units(Fact::Holds(3), 1)])],
        }),
        Step::Product(vec![2, 3]),
        define(poly([(1, 1), (2, -1), (4, 1)], 0)),
        Step::Inst(Written::Guarded {
            sum: poly([(1, 1), (2, -1)], 0),
            carry: poly([], 0),
            uses: vec![],
            range: [by([units(Fact::Fails(3), 1)]), obvious()],
            word: Val::Node(5),
            kept: vec![once(Fact::Defined(5), -1)],
        }),
    ];
    let mut wrong_guard = difference(-1, holds());
    if let Step::Inst(Written::Compare { holds, range, .. }) = &mut wrong_guard[1] {
        *holds = poly([(3, -1)], 1);
        range.swap(0, 1);
    }
    // A flag set under the guard, read by an addition without one.
    let after = |b: &mut Builder, x: Src, y: Src, _: Pred| ignore(add(b, x, y, CarryOut::Lost));
    let mut survives = aside(
        "a flag that survives a guarded chain",
        false,
        move |b, x, y| {
            guarded(CarryOut::Flag, false, after)(b, x, y);
        },
        [
            steps(q(), words()),
            vec![
                Step::Divide { value: poly([(1, 1), (2, 1), (4, 1)], 0), sign: 1 },
                sum(Val::Node(10), poly([(9, 1)], 0), vec![once(Fact::Defined(9), -1)]),
            ],
        ]
        .concat(),
    );
    if let [_, Inst::Add { out, .. }, Inst::Add { cin, .. }] = &mut survives.block.insts[..] {
        (*out, *cin) = (CarryOut::Flag, true);
    }
    let sums = |range: [Proof; 2]| {
        let mut steps = difference(1, obvious());
        if let Some(Step::Inst(Written::Guarded { sum, range: shown, .. })) = steps.last_mut() {
            (*sum, *shown) = (poly([(1, 1), (2, 1)], 0), range);
        }
        steps
    };
    vec![
        aside("a right guarded sum", true, plain, steps(q(), words())),
        aside("a right guarded difference", true, minus, difference(-1, holds())),
        aside("a right guarded difference by an opposite", true, minus, opposite),
        aside("a guarded difference that is no word", false, minus, difference(-1, obvious())),
        aside("a guarded sum that is no word", false, plain, sums(words())),
        aside("a word that is not kept", false, minus, difference(-2, holds())),
        aside("the wrong guard", false, minus, wrong_guard),
        survives,
    ]
}
