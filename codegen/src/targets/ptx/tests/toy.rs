//! Toy fields, exhaustively.

use super::*;

#[test]
fn every_operand_below_the_bounds() {
    for p in [3u32, 5, 7, 13, 31] {
        let f = FieldDesc::new(format!("f{p}"), p.into());
        let limits = [p, p + 1, 2 * p, 2 * p + 3];
        let bound = |limit: u32| Bound::below(&f, &limit.into()).unwrap();
        for op in ops(&f) {
            for x in limits {
                for y in limits.into_iter().take(if op.operands(&f) > 1 { 4 } else { 1 }) {
                    let bounds: Vec<Bound> =
                        (0..op.operands(&f)).map(|k| bound(if k % 2 == 0 { x } else { y })).collect();
                    let ys = if op.operands(&f) > 1 { 0..y } else { 0..1 };
                    let pairs = (0..x).flat_map(|a| ys.clone().map(move |b| (a, b)));
                    let tuple = |(a, b)| (0..op.operands(&f)).map(|k| BigUint::from([a, b][k % 2])).collect();
                    let values: Vec<Vec<BigUint>> = pairs.map(tuple).collect();
                    assert!(check(&f, &op, &bounds, &values) > 0, "{} {op:?} {bounds:?}", f.name);
                }
            }
        }
    }
}
