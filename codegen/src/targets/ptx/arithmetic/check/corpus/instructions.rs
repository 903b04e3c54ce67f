//! What instructions write.

use super::*;

pub(super) fn instructions() -> Vec<Entry> {
    let lost = |b: &mut Builder, x: Src, y: Src| {
        add(b, x, y, CarryOut::Lost);
    };
    let mul = |b: &mut Builder, x: Src, y: Src| {
        b.mul_wide(x, y);
    };
    let and = |b: &mut Builder, x: Src, y: Src| {
        b.logic(Logic::And, x, y);
    };
    let ge = |b: &mut Builder, x: Src, y: Src| {
        b.setp(Cmp::Ge, x, y);
    };
    let halves = |low, high, uses| Written::Half(Halves { low, high, uses });
    let product = |written| {
        vec![
            Step::Product(vec![1, 2]),
            Step::Divide { value: poly([(3, 1)], 0), sign: 1 },
            Step::Inst(written),
        ]
    };
    let right_product = halves(Val::Node(5), Val::Node(4), vec![once(Fact::Defined(4), -1)]);
    let ends = |k: usize, proof: Proof| {
        let mut steps = compared();
        if let Step::Inst(Written::Compare { range, .. }) = &mut steps[1] {
            range[k] = proof;
        }
        steps
    };
    let not = |mut steps: Vec<Step>| {
        if let Step::Inst(Written::Compare { holds, range, .. }) = &mut steps[1] {
            *holds = poly([(3, -1)], 1);
            range.swap(0, 1);
        }
        steps
    };
    let bits = |word, mask| Step::Inst(Written::Bits(Bits { word, mask, uses: vec![] }));
    let logic = |op| Step::Logic { op, a: Val::Node(1), b: Val::Node(2) };
    let twice = |b: &mut Builder, x: Src, y: Src| {
        lost(b, x, y);
        lost(b, x, y);
    };
    let second = vec![
        Step::Divide { value: poly([(1, 1), (2, 1)], 0), sign: 1 },
        sum(Val::Node(6), poly([(5, 1)], 0), vec![once(Fact::Defined(5), -1)]),
    ];
    let mut again = aside("a word that is written twice", false, twice, [divided(), second].concat());
    if let [Inst::Add { d: first, .. }, Inst::Add { d, .. }] = &mut again.block.insts[..] {
        *d = *first;
    }
    let strict = vec![
        Step::Truth(poly([(1, 1), (2, -1)], -1)),
        Step::Inst(Written::Compare {
            holds: poly([(3, 1)], 0),
            differs: None,
            range: [by([units(Fact::Holds(3), 1)]), by([units(Fact::Fails(3), 1)])],
        }),
    ];
    let all_ones = vec![
        define(poly([(1, -1)], B - 1)),
        Step::Inst(Written::Bits(Bits {
            word: Val::Node(3),
            mask: Some((poly([], 1), true)),
            uses: vec![once(Fact::Defined(3), -1)],
        })),
    ];
    let eq = |cmp| {
        move |b: &mut Builder, x: Src, _| {
            b.setp(cmp, x, Src::Imm(0));
        }
    };
    let is_zero = |sign: i128| {
        let holds = poly([(3, sign)], i128::from(sign < 0));
        let range = [by([units(Fact::Holds(3), 1)]), by([units(Fact::Fails(3), 1)])];
        vec![Step::Truth(poly([(1, 1)], -1)), Step::Inst(Written::Compare { holds, differs: None, range })]
    };
    vec![
        aside("a right sum", true, lost, divided()),
        aside("a right product", true, mul, product(right_product.clone())),
        aside("a right comparison", true, ge, compared()),
        aside("a right bitwise operation", true, and, vec![logic(Logic::And), bits(Val::Node(3), None)]),
        aside("a right test", true, eq(Cmp::Ne), is_zero(1)),
        aside("another right test", true, eq(Cmp::Eq), is_zero(-1)),
        aside("equal for not equal", false, eq(Cmp::Eq), is_zero(1)),
        aside("not equal for equal", false, eq(Cmp::Ne), is_zero(-1)),
        aside(
            "a sum that is no word",
            false,
            lost,
            vec![
                define(poly([(1, 1), (2, 1)], 0)),
                sum(Val::Node(3), poly([], 0), vec![once(Fact::Defined(3), -1)]),
            ],
        ),
        aside("a carry that is dropped", false, |b, x, y| ignore(add(b, x, y, CarryOut::Never)), divided()),
        aside(
            "a sum by an inequality",
            false,
            lost,
            vec![sum(Val::Const(0), poly([], 0), vec![once(Fact::AtLeast(1), 1), once(Fact::AtLeast(2), 1)])],
        ),
        aside(
            "a sum that is one off",
            false,
            lost,
            vec![
                Step::Divide { value: poly([(1, 1), (2, 1)], 1), sign: 1 },
                sum(Val::Node(4), poly([(3, 1)], 0), vec![once(Fact::Defined(3), -1)]),
            ],
        ),
        aside(
            "a carry that is said to be zero",
            false,
            lost,
            [divided(), vec![at_most(3, 0, obvious())]].concat(),
        ),
        aside(
            "a product that is no word",
            false,
            mul,
            vec![Step::Product(vec![1, 2]), Step::Inst(halves(Val::Node(3), Val::Const(0), vec![]))],
        ),
        aside("a product of other words", false, |b, x, _| ignore(b.mul_wide(x, x)), product(right_product)),
        aside(
            "halves the wrong way round",
            false,
            mul,
            product(halves(Val::Node(4), Val::Node(5), vec![once(Fact::Defined(4), -1)])),
        ),
        aside("greater for not less", false, ge, strict),
        aside("a comparison that holds for less", false, ge, ends(0, obvious())),
        aside("a comparison that holds for more", false, ge, ends(1, obvious())),
        aside("the opposite of a comparison", false, ge, not(compared())),
        aside("another bitwise operation", false, and, vec![logic(Logic::Or), bits(Val::Node(3), None)]),
        aside(
            "a mask of what is no boolean",
            false,
            and,
            vec![
                // x0 = (2^32 - 1)·(x0 - (2^32 - 2)·…) has no such form; a constant mask of two has.
                bits(Val::Node(2), Some((poly([], 1), true))),
            ],
        ),
        aside(
            "a mask for an or",
            false,
            |b, x, _| ignore(b.logic(Logic::Or, Src::Imm(u32::MAX), x)),
            all_ones,
        ),
        aside(
            "a right mask",
            true,
            |b, x, _| ignore(b.logic(Logic::And, Src::Imm(u32::MAX), x)),
            vec![bits(Val::Node(1), Some((poly([], 1), true)))],
        ),
        aside(
            "other bits of constants",
            false,
            |b, _, _| ignore(b.logic(Logic::And, Src::Imm(6), Src::Imm(3))),
            vec![bits(Val::Const(7), None)],
        ),
        aside(
            "a shift by nothing",
            false,
            |b, x, _| ignore(b.shl(x, 0)),
            vec![Step::Inst(halves(Val::Node(1), Val::Const(0), vec![]))],
        ),
        aside("one instruction too many", false, |_, _, _| (), divided()),
        again,
    ]
}
