//! What follows, and what does not.

use super::*;

/// What does not follow.
pub(super) fn conclusions() -> Vec<Entry> {
    let none = |_: &mut Builder, _: Src, _: Src| ();
    let lost = |b: &mut Builder, x: Src, y: Src| ignore(add(b, x, y, CarryOut::Lost));
    let truth = || Step::Truth(poly([(1, 1), (2, -1)], 0));
    let of_word = |proof| vec![at_most(1, 0, proof)];
    let difference = |least: Proof| {
        vec![
            truth(),
            define(poly([(1, 1), (2, -1)], 0)),
            Step::Narrow { var: 4, range: [0, B], proofs: [least, obvious()] },
        ]
    };
    let product =
        |factors: Vec<Var>, most: i128| vec![truth(), Step::Product(factors), at_most(4, most, obvious())];
    // a·(a - b) ≥ 0 by a·v, v = a - b.
    let signed = vec![
        define(poly([(1, 1), (2, -1)], 0)),
        Step::Product(vec![1, 1]),
        Step::Product(vec![1, 2]),
        define(poly([(4, 1), (5, -1)], 0)),
        Step::Narrow {
            var: 6,
            range: [0, 1 << 64],
            proofs: [
                by([
                    units(Fact::Defined(6), 1),
                    Use { fact: Fact::Defined(3), times: -unit(), by: vec![1] },
                    Use { fact: Fact::AtLeast(1), times: unit(), by: vec![3] },
                ]),
                obvious(),
            ],
        },
    ];
    // Where the flag that a mask is made of is 1 the sum need not carry.
    let mask = [
        vec![truth(), define(poly([(1, 1), (3, B - 1)], 0)), define(poly([(4, 1), (3, -B)], 0))],
        vec![Step::Narrow {
            var: 5,
            range: [0, B - 1],
            proofs: [
                cases(3, by([units(Fact::Defined(5), 1), units(Fact::Defined(4), 1)]), obvious()),
                by([units(Fact::Defined(5), -1), units(Fact::Defined(4), -1)]),
            ],
        }],
    ]
    .concat();
    // Where the carry is 1 the sum is its word and 2^32.
    let uses = || by([units(Fact::Defined(5), -1), units(Fact::Defined(3), 1)]);
    let carry =
        [divided(), vec![define(poly([(1, 1), (2, 1)], 0)), at_most(5, B - 1, cases(3, uses(), uses()))]]
            .concat();
    let wrong_case = difference(by([units(Fact::Defined(4), 1), units(Fact::Holds(3), 1)]));
    let wrong_other = vec![
        truth(),
        define(poly([(1, -1), (2, 1)], -1)),
        Step::Narrow {
            var: 4,
            range: [0, B],
            proofs: [by([units(Fact::Defined(4), 1), units(Fact::Fails(3), 1)]), obvious()],
        },
    ];
    let imply = |flag, word, proof| vec![truth(), Step::Imply { flag, word, proof }];
    let remains = vec![
        truth(),
        Step::Narrow { var: 3, range: [0, 0], proofs: [obvious(), cases(3, obvious(), obvious())] },
    ];
    let assumed =
        vec![define(poly([(3, 1)], 0)), Step::Narrow { var: 4, range: [0, 0], proofs: [obvious(), by([])] }];
    let zero = |proof: Proof| {
        vec![truth(), Step::Imply { flag: 3, word: 3, proof: obvious() }, at_most(3, 0, proof)]
    };
    vec![
        aside(
            "a right case",
            true,
            none,
            vec![
                truth(),
                define(poly([(3, 1)], 0)),
                at_most(4, 1, cases(3, by([units(Fact::Defined(4), -1)]), by([units(Fact::Defined(4), -1)]))),
            ],
        ),
        aside("a right square", true, none, product(vec![3, 3], 1)),
        aside("a right implication", true, none, imply(3, 3, obvious())),
        aside("a bound without a reason", false, none, of_word(obvious())),
        aside(
            "a least value without a reason",
            false,
            none,
            vec![Step::Narrow { var: 1, range: [1, B], proofs: [obvious(), obvious()] }],
        ),
        aside("a largest value that is not counted", false, none, of_word(by([units(Fact::AtMost(1), 1)]))),
        aside(
            "a largest value that is not multiplied",
            false,
            none,
            vec![
                Step::Product(vec![1, 2]),
                at_most(3, B - 1, by([Use { fact: Fact::AtMost(1), times: unit(), by: vec![2] }])),
            ],
        ),
        aside(
            "a bound that is not counted",
            false,
            none,
            vec![Step::Bound { words: vec![1, 2], max: 0.into(), proof: by([units(Fact::Bounded(0), 1)]) }],
        ),
        aside("an inequality times minus one", false, none, of_word(by([units(Fact::AtLeast(1), -1)]))),
        aside("an inequality times what is negative", false, none, signed),
        aside(
            "cases of what is no boolean",
            false,
            none,
            vec![at_most(1, 1, cases(1, obvious(), obvious()))],
        ),
        aside("one of two cases", false, none, mask),
        aside("a known carry without its weight", false, lost, carry),
        aside("a fact in the wrong case", false, none, wrong_case),
        aside("a fact in the other wrong case", false, none, wrong_other),
        aside("a product of three that is dropped", false, none, product(vec![1, 2, 3], 0)),
        aside("a word that is its own square", false, none, product(vec![1, 1], B - 1)),
        aside("a word that vanishes with a word", false, none, imply(1, 1, obvious())),
        aside("a word that does not vanish", false, none, imply(3, 1, obvious())),
        aside("one case for both", false, none, remains),
        aside("what was assumed before", false, none, [imply(3, 3, obvious()), assumed].concat()),
        aside(
            "an implication for a fact",
            false,
            none,
            zero(by([Use { fact: Fact::Implied(1), times: unit(), by: vec![] }])),
        ),
        aside(
            "a sum that is not bounded",
            false,
            none,
            vec![Step::Bound { words: vec![1, 2], max: (BigInt::from(1) << 64) - 2, proof: obvious() }],
        ),
        aside("a fact that is none", false, none, of_word(by([units(Fact::Defined(1), -1)]))),
        aside(
            "a computation of what is not known",
            false,
            none,
            vec![
                Step::Logic { op: Logic::And, a: Val::Node(1), b: Val::Node(2) },
                at_most(3, 0, by([units(Fact::Computed(3), -1)])),
            ],
        ),
    ]
}

/// Definitions that define nothing.
pub(super) fn definitions() -> Vec<Entry> {
    let none = |_: &mut Builder, _: Src, _: Src| ();
    let lost = |b: &mut Builder, x: Src, y: Src| ignore(add(b, x, y, CarryOut::Lost));
    let both = || poly([(1, 1), (2, 1)], 0);
    let quotient = |low| Step::Quotient { value: poly([(1, B)], 5), sign: 1, low, uses: vec![] };
    let rename = |to: Poly| {
        let mut steps = divided();
        let word = 2;
        let uses = vec![once(Fact::Defined(3), 1), once(Fact::Defined(5), -1)];
        steps.extend([define(to), Step::Rename { word, to: Val::Node(5), uses }]);
        steps
    };
    // x0 is 0 where [x0 ≥ 1] is.
    let used = vec![
        Step::Truth(poly([(1, 1)], -1)),
        Step::Imply { flag: 3, word: 1, proof: by([units(Fact::Fails(3), 1)]) },
        Step::Product(vec![1, 3]),
        define(poly([(4, 1), (1, -1)], 0)),
        Step::Narrow {
            var: 5,
            range: [-(1 << 70), 0],
            proofs: [obvious(), by([units(Fact::Defined(5), -1), units(Fact::Implied(0), 1)])],
        },
    ];
    let logic =
        |a, most| vec![Step::Logic { op: Logic::Or, a, b: Val::Const(5) }, at_most(3, most, obvious())];
    vec![
        aside(
            "a right quotient",
            true,
            none,
            vec![
                quotient(5),
                define(poly([(3, B), (1, -B)], 0)),
                Step::Narrow {
                    var: 4,
                    range: [-(1 << 70), 0],
                    proofs: [obvious(), by([units(Fact::Defined(4), -1), units(Fact::Defined(3), -1)])],
                },
            ],
        ),
        aside("a right implication that is used", true, none, used),
        aside("right bits", true, none, logic(Val::Const(9), 15)),
        aside("a quotient with a remainder", false, none, vec![quotient(4)]),
        aside(
            "a division by nothing",
            false,
            lost,
            vec![
                Step::Divide { value: both(), sign: 0 },
                sum(Val::Node(4), poly([], 0), vec![once(Fact::Defined(3), -1)]),
            ],
        ),
        aside("what is not defined", false, none, vec![define(poly([(3, 1)], 0))]),
        aside(
            "a product of what is negative",
            false,
            none,
            vec![define(poly([(1, 1), (2, -1)], 0)), Step::Product(vec![3, 3])],
        ),
        aside(
            "bits of what is no word",
            false,
            none,
            [vec![define(both())], vec![Step::Logic { op: Logic::Or, a: Val::Node(3), b: Val::Const(5) }]]
                .concat(),
        ),
        aside("bits that are too few", false, none, logic(Val::Const(9), 14)),
        aside("another name that is no word", false, lost, rename(both())),
        aside("another name of something else", false, lost, {
            let mut steps = rename(poly([(1, 1)], 0));
            steps.truncate(4);
            steps
        }),
    ]
}
