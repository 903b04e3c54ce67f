//! Sums of products in quadratic extensions: four operands apart from each other.

use super::fields::{Bits, classes, fields};
use super::*;

/// All operands below the bounds, which are not those of one another.
#[test]
fn every_operand_of_toy_products() {
    for (p, limits) in [(3u32, [3u32, 6, 4, 7]), (5, [5, 5, 6, 10]), (7, [7, 9, 7, 8])] {
        let f = FieldDesc::new(format!("f{p}"), p.into());
        let bounds = limits.map(|limit| Bound::below(&f, &limit.into()).unwrap());
        let mut values: Vec<Vec<BigUint>> = vec![vec![]];
        for limit in limits {
            let longer = |value: &Vec<BigUint>| {
                (0..limit).map(|x| [&value[..], &[x.into()]].concat()).collect::<Vec<_>>()
            };
            values = values.iter().flat_map(longer).collect();
        }
        for nonresidue in [-1, 1, 2, -3, 5, 16, -16] {
            let op = FieldOp::DotFq2 { terms: 1, nonresidue };
            assert!(check(&f, &op, &bounds, &values) > 1, "{p} {nonresidue}");
        }
    }
}

/// Operands of every class against each other, at bounds of their own: 1 to 24 words, odd numbers of them,
/// with one spare bit and with none.
#[test]
fn operands_of_all_classes() {
    const SEED: u64 = 0x6c62_272e_07bb_0142;
    println!("seed {SEED:#x}");
    let mut bits = Bits(SEED);
    for f in fields() {
        let twice = Bound::below(&f, &(&f.p * 2u32)).unwrap_or(Bound::ANY);
        let some = [Bound::Canonical, twice, Bound::ANY];
        for (i, x) in some.into_iter().enumerate() {
            let bounds = [x, Bound::Canonical, some[(i + 1) % 3], x];
            let all = bounds.map(|bound| classes(&f, bound, &mut bits));
            let pick = |at: usize| -> Vec<BigUint> {
                // Steps without a common factor, so that classes meet in every combination; the largest
                // first.
                let value = |(k, class): (usize, &Vec<BigUint>)| {
                    let back = at * [1, 5, 7, 11][k] / [1, 2, 3, 4][k] % class.len();
                    class[class.len() - 1 - back].clone()
                };
                all.iter().enumerate().map(value).collect()
            };
            let values: Vec<Vec<BigUint>> = (0..60).map(pick).collect();
            for nonresidue in [-1, -5, 3] {
                let op = FieldOp::DotFq2 { terms: 1, nonresidue };
                assert!(check(&f, &op, &bounds, &values) > 0, "{} {op:?} {bounds:?}", f.name);
                let op = FieldOp::DotFq2 { terms: 3, nonresidue };
                let wide: Vec<Vec<BigUint>> = values.chunks_exact(3).map(|three| three.concat()).collect();
                let bounds = [bounds; 3].concat();
                assert!(check(&f, &op, &bounds, &wide) > 0, "{} {op:?} {bounds:?}", f.name);
            }
        }
    }
}

/// Three products for four are on offer where there is a spare bit, and are what is cheapest.
#[test]
fn karatsuba_is_cheaper_where_sums_fit() {
    for f in fields() {
        let op = FieldOp::DotFq2 { terms: 1, nonresidue: -1 };
        let all = choices(&f, &op, &[Bound::Canonical; 4]);
        let fits = &f.p * 2u32 < f.r();
        assert_eq!(all.iter().any(|choice| choice.variant.contains(".u.")), fits, "{}", f.name);
        assert!(all.iter().any(|choice| choice.variant.contains(".dots.")), "{}", f.name);
        assert!(!(fits && f.words >= 4) || all[0].variant.contains(".u."), "{}", f.name);
        let any = choices(&f, &op, &[Bound::ANY; 4]);
        assert!(any.iter().all(|choice| choice.variant == "dot_fq2.dots.canonical"), "{}", f.name);
    }
}

#[test]
fn malformed_products_have_no_choice() {
    let f = FieldDesc::new("f13", 13u32.into());
    for (terms, nonresidue, operands) in
        [(1, 0, 4), (1, 17, 4), (1, -17, 4), (0, -1, 0), (1, -1, 3), (2, -1, 4)]
    {
        let op = FieldOp::DotFq2 { terms, nonresidue };
        assert_eq!(choose(&f, &op, &vec![Bound::Canonical; operands]), None, "{op:?}");
    }
}
