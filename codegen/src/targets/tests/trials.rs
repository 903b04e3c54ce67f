//! What the tests of targets of functions share: fields, operations, and every variant on offer for a few
//! bounds.

use crate::declaration::{FieldDesc, FieldOp};
use crate::targets::ptx::tests::is_long;
use crate::targets::{Arithmetic, Bound, Choice, Claim, Rules};
use num_bigint::BigUint;
use num_traits::ToPrimitive;

pub(in crate::targets) fn field(name: &str, p: &str) -> FieldDesc {
    FieldDesc::new(name, BigUint::parse_bytes(p.as_bytes(), 16).expect("hexadecimal"))
}

/// Toy fields, no spare bit at a word of 64 bits and at four, and the usual ones.
pub(in crate::targets) fn usual_fields() -> Vec<FieldDesc> {
    vec![
        field("three", "3"),
        field("toy", "d"),
        field("goldilocks", "ffffffff00000001"),
        field("m127", "7fffffffffffffffffffffffffffffff"),
        field("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
        field("secp256k1_fq", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
        field(
            "bls12_381_fq",
            "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
        ),
    ]
}

/// `2^bits - c`
pub(in crate::targets) fn solinas(bits: u32, c: u32) -> FieldDesc {
    FieldDesc::new(format!("p{bits}"), (BigUint::from(1u32) << bits) - c)
}

pub(in crate::targets) fn ops(f: &FieldDesc) -> Vec<FieldOp> {
    let mut ops = vec![FieldOp::Add, FieldOp::Sub, FieldOp::Neg, FieldOp::Dbl, FieldOp::Mul, FieldOp::Sqr];
    ops.extend([0, 1, 2, 3, 8, 13, u32::MAX].map(FieldOp::MulSmall));
    ops.extend([BigUint::ZERO, BigUint::from(2u32), &f.p - 1u32].map(FieldOp::MulConst));
    ops.extend([1, 2, 3].map(FieldOp::Dot));
    ops.extend([FieldOp::ReduceFull, FieldOp::ReduceWeak, FieldOp::IsZero]);
    ops
}

/// A variant that is on offer, and for what.
pub(in crate::targets) struct Offered<T: Arithmetic> {
    pub(in crate::targets) op: FieldOp,
    pub(in crate::targets) operands: Vec<T::Bound>,
    pub(in crate::targets) choice: Choice<T>,
    /// All of it, for messages.
    pub(in crate::targets) what: String,
}

impl<T: Arithmetic> Offered<T> {
    /// What the checker says of it with another program or bound.
    pub(in crate::targets) fn judged(&self, f: &FieldDesc, choice: &Choice<T>) -> Result<(), String> {
        let claim = Claim { op: self.op.clone(), operands: &self.operands, choice };
        let [verdict] = T::prove(f, &[claim]).try_into().expect("there is one claim");
        verdict.map(drop).map_err(|error| error.0)
    }
}

/// The choices of all operations for operands of these bounds.
pub(in crate::targets) fn offered<T: Arithmetic>(f: &FieldDesc, bounds: &[T::Bound]) -> Vec<Offered<T>> {
    offered_of(f, &ops(f), bounds)
}

/// The choices of some operations for operands of these bounds.
pub(in crate::targets) fn offered_of<T: Arithmetic>(
    f: &FieldDesc,
    ops: &[FieldOp],
    bounds: &[T::Bound],
) -> Vec<Offered<T>> {
    let mut all = vec![];
    for op in ops {
        let n = op.operands(f);
        for x in bounds {
            for y in if n > 1 { bounds } else { &bounds[..1] } {
                let operands: Vec<T::Bound> = (0..n).map(|k| if k % 2 == 0 { *x } else { *y }).collect();
                let choices = T::choices(f, op, &operands);
                let what = format!("{} {op:?} of {operands:?}", f.name);
                assert!(!choices.is_empty(), "{what}");
                let weak = *op == FieldOp::ReduceWeak || op.tests_zero();
                assert!(weak || choices.iter().any(|c| c.out == T::Bound::CANONICAL), "{what}");
                all.extend(choices.into_iter().map(|choice| {
                    let what = format!("{what} by {}", choice.variant);
                    Offered { op: op.clone(), operands: operands.clone(), choice, what }
                }));
            }
        }
    }
    all
}

/// All of them in a long run, else one in so many, which ones by their number; none of fewer.
pub(in crate::targets) fn some<T>(all: Vec<T>, one_in: usize) -> Vec<T> {
    let step = if is_long() { 1 } else { one_in };
    let first = all.len() % step;
    all.into_iter().skip(first).step_by(step).collect()
}

/// Every variant is proven, one in six in a short run, and the certificate's rules are those that it was made
/// by: as strong, and no stronger. How many there are.
pub(in crate::targets) fn proven_by_their_rules<T: Arithmetic>(
    f: &FieldDesc,
    ops: &[FieldOp],
    bounds: &[T::Bound],
) -> usize {
    let rules = T::rules(f);
    let all = offered_of::<T>(f, ops, bounds);
    let number = all.len();
    for offered in &some(all, 6) {
        let Offered { op, operands, choice, what } = offered;
        assert_eq!(offered.judged(f, choice), Ok(()), "{what}");
        let maxima: Vec<BigUint> = operands.iter().map(|bound| bound.limit(f) - 1u32).collect();
        let outcome = rules.outcome(op, choice.variant, &maxima).expect(what);
        let units =
            |(left, right): &(BigUint, BigUint)| ((right - left) / rules.unit()).to_u64().expect("small");
        let slack: Vec<u64> = outcome.conditions.iter().map(units).collect();
        assert_eq!(slack, T::slack(f, choice, operands), "{what}");
        let least = outcome.max.and_then(|max| T::Bound::below(f, &(max + 1u32)));
        assert!(least.is_none_or(|least| least.limit(f) == choice.out.limit(f)), "{what}: {least:?}");
    }
    number
}

/// All operands within the bounds, of up to two operands; the rest repeats them.
pub(in crate::targets) fn all_operands<B: Bound>(f: &FieldDesc, bounds: &[B]) -> Vec<Vec<BigUint>> {
    let all = |bound: &B| bound.limit(f).to_u64().expect("a toy field");
    let (x, y) = (all(&bounds[0]), bounds.get(1).map_or(1, all));
    let tuple = |x: u64, y: u64| (0..bounds.len()).map(|k| [x, y][k % 2].into()).collect();
    (0..x).flat_map(|x| (0..y).map(move |y| tuple(x, y))).collect()
}

/// Whether `found` is the result of an operation on elements in Montgomery form by `r`, below `limit`.
pub(in crate::targets) fn is_right(
    f: &FieldDesc,
    op: &FieldOp,
    r: &BigUint,
    limit: &BigUint,
    x: &[BigUint],
    found: &BigUint,
) -> bool {
    let inverse = (r % &f.p).modinv(&f.p).expect("p is odd");
    let values: Vec<BigUint> = x.iter().map(|x| x * &inverse % &f.p).collect();
    if op.tests_zero() {
        return (*found == BigUint::ZERO) == (values[0] == BigUint::ZERO);
    }
    let wanted = &op.values(f, &values.iter().collect::<Vec<_>>())[0];
    found < limit && (found * &inverse) % &f.p == *wanted
}
