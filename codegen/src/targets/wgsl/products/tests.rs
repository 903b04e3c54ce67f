//! Products by the checker, by their meaning on words, and wrong ones.

use super::straight::{program, sizes};
use super::*;
use crate::targets::ptx::tests::is_long;
use crate::targets::tests::trials::{
    Offered, all_operands, field, is_right as is_result, offered_of, solinas, some, usual_fields,
};
use crate::targets::wgsl::columns::tests::{mutants, run};

/// The usual ones, and of three to twenty-four words, some full.
fn fields() -> Vec<FieldDesc> {
    let more = [(96, 17), (160, 47), (192, 237), (416, 435), (640, 305), (768, 825)];
    // The last row of 480 bits has all bits of a limb.
    let full = [FieldDesc::new("wide", (BigUint::one() << 479) - 1u32)];
    usual_fields().into_iter().chain(more.map(|(bits, c)| solinas(bits, c))).chain(full).collect()
}

fn mersenne(bits: u32) -> FieldDesc {
    FieldDesc::new("mersenne", (BigUint::one() << bits) - 1u32)
}

fn ops(f: &FieldDesc) -> Vec<FieldOp> {
    let table = |step: u32, rows: u32| FieldOp::MulTable { step, rows };
    let mut ops = vec![FieldOp::Mul, FieldOp::Sqr, FieldOp::FromMont, FieldOp::MulConst(&f.p - 1u32)];
    ops.extend([1, 2, 3, 5].map(FieldOp::Dot));
    // More than a few times its operand, by the constant below `p`.
    ops.push(FieldOp::MulSmall(u32::MAX));
    ops.extend([table(1, 1), table(f.words as u32, f.words as u32)]);
    if f.words > 2 {
        ops.push(table(2, 3));
    }
    ops
}

/// The lazy products of the language, of canonical operands and of the largest.
fn products(f: &FieldDesc) -> Vec<Offered<Wgsl>> {
    let bounds = [Bound::CANONICAL, Bound::at_most(f, &f.r())];
    let all = offered_of::<Wgsl>(f, &ops(f), &bounds);
    let is_product = |variant: &str| variant.ends_with(".lazy") && variant != "mul_small.lazy";
    all.into_iter().filter(|offered| is_product(offered.choice.variant)).collect()
}

fn lazy(f: &FieldDesc, Offered { op, operands, choice, what }: &Offered<Wgsl>, words: Words) -> Option<Lazy> {
    let product = product(f, op, operands, choice, words).unwrap_or_else(|e| panic!("{what}: {e}"));
    product.map(|product| product.lazy)
}

#[test]
fn every_lazy_product_is_proven() {
    let number: usize =
        fields().iter().map(|f| products(f).iter().filter_map(|of| lazy(f, of, Words::Bits64)).count()).sum();
    let all: usize = fields().iter().map(|f| products(f).len()).sum();
    assert!(number == all && all > 100, "{number} of {all}");
    let f = &usual_fields()[4];
    for op in [FieldOp::Add, FieldOp::ReduceFull, FieldOp::MulSmall(3)] {
        assert!(program(f, &op, op.operands(f)).is_none(), "{op:?}");
    }
}

/// A canonical product is a lazy one that is reduced, where that fits.
#[test]
fn canonical_products_are_reduced() {
    let fields = usual_fields();
    let of = |f: &FieldDesc, bound: Bound, variant: &'static str| {
        let choice = Wgsl::build(f, &FieldOp::Mul, &[bound; 2], variant).expect("it is on offer");
        product(f, &FieldOp::Mul, &[bound; 2], &choice, Words::Bits64).expect("it is proven")
    };
    let [bn254, secp256k1] = [&fields[4], &fields[5]];
    let ladder =
        of(bn254, Bound::CANONICAL, "mul.canonical").expect("it fits").ladder.expect("it is reduced");
    assert_eq!((ladder.variant, ladder.out), ("reduce.ladder", Bound::CANONICAL));
    assert!(of(bn254, Bound::CANONICAL, "mul.lazy").expect("it fits").ladder.is_none());
    assert!(of(secp256k1, Bound::CANONICAL, "mul.canonical").is_none(), "a sum of twice p is beyond R");
}

/// What a program of 254 bits takes: as the text of this module says.
#[test]
fn products_of_limbs_are_few() {
    use crate::targets::wgsl::columns::ir::Op;
    let f = &usual_fields()[4];
    let program = program(f, &FieldOp::Mul, 2).expect("there is one");
    let needed = program.needed();
    let count = |is: fn(&Op) -> bool| needed.iter().filter(|(_, op)| is(op)).count();
    assert_eq!(count(|op| matches!(op, Op::Mul { .. } | Op::Carry { .. })), 162);
    assert!(needed.len() <= 2 * 162, "{}", needed.len());
}

/// Whether a program is right for these operands, and leaves words.
fn is_right(f: &FieldDesc, op: &FieldOp, operands: &[Bound], out: Bound, lazy: &Lazy, x: &[BigUint]) -> bool {
    let mut x = x.to_vec();
    if let FieldOp::MulTable { step, .. } = op {
        // Entries of one table, of which the first is given.
        for i in 2..x.len() {
            x[i] = (&x[1] << (32 * *step as usize * (i - 1))) % &f.p;
        }
    }
    assert_eq!(x.len(), operands.len());
    let given: Vec<i128> = x.iter().flat_map(|x| f.limbs(x)).map(i128::from).collect();
    let Some(words) = run(lazy.program(), &given, lazy.sizes(f).word) else { return false };
    let words: Option<Vec<u32>> = words.into_iter().map(|word| u32::try_from(word).ok()).collect();
    words.is_some_and(|words| is_result(f, op, &f.r(), &out.limit(f), &x, &BigUint::new(words)))
}

/// At the ends of the bound and of `p`, words full of ones, some in between, and all of a toy field.
fn operands_of(f: &FieldDesc, within: &[Bound]) -> Vec<Vec<BigUint>> {
    if f.p.bits() < 8 && within.iter().all(|bound| bound.limit(f) < BigUint::from(100u32)) {
        return all_operands(f, within);
    }
    let some = |bound: &Bound| {
        let limit = bound.limit(f);
        let ones = (BigUint::one() << (f.p.bits() - 1)) - 1u32;
        let any = (BigUint::from(3u32).pow(700) % &limit, BigUint::from(7u32).pow(600) % &limit);
        let all = [BigUint::ZERO, 1u32.into(), &f.p - 1u32, f.p.clone(), ones, &limit - 1u32, any.0, any.1];
        all.into_iter().filter(move |x| *x < limit).collect::<Vec<_>>()
    };
    let (first, second) = (some(&within[0]), within.get(1).map_or(vec![BigUint::ZERO], some));
    let tuple = |x: &BigUint, y: &BigUint| (0..within.len()).map(|k| [x, y][k % 2].clone()).collect();
    first.iter().flat_map(|x| second.iter().map(move |y| tuple(x, y))).collect()
}

/// The checker is not asked.
#[test]
fn products_are_right_at_the_bounds() {
    for f in fields() {
        for offered in some(products(&f), 3) {
            let Offered { op, operands, choice, what } = &offered;
            for words in [Words::Bits32, Words::Bits64] {
                let Some(lazy) = lazy(&f, &offered, words) else { continue };
                for x in operands_of(&f, operands) {
                    let right = is_right(&f, op, operands, choice.out, &lazy, &x);
                    assert!(right, "{what}, {words:?}: {x:?}");
                }
            }
        }
    }
}

/// Rows are written as loops, and those are proven.
#[test]
fn rows_are_loops() {
    use crate::targets::wgsl::emit::rolled::function;
    let mut loops = 0;
    for f in fields() {
        for offered in products(&f) {
            let Offered { op, what, .. } = &offered;
            let rolled = lazy(&f, &offered, Words::Bits32).and_then(|lazy| match lazy {
                Lazy::Rolled(rolled) => function("f", &rolled, f.words),
                Lazy::Straight(_) => panic!("{what}: by words of 64 bits"),
            });
            let is_loop = rolled.is_some_and(|text| text.contains("for (var turn"));
            let has_rows = match *op {
                FieldOp::FromMont => false,
                FieldOp::MulTable { step, rows } => step <= rows,
                _ => true,
            };
            assert_eq!(is_loop, has_rows, "{what}");
            loops += usize::from(is_loop);
        }
    }
    assert!(loops > 30, "{loops}");
}

/// A turn that is not like those before it is none of a loop.
#[test]
fn turns_that_differ_are_not_rolled() {
    use crate::targets::wgsl::emit::rolled::function;
    let rolled = rolled::program(&mersenne(89), &FieldOp::Mul, 2).expect("there is one");
    assert!(rolled.turns > 2 && function("f", &rolled, 3).is_some());
    let written: Vec<_> = rolled.program.written().collect();
    let is_later = |at: usize| {
        let later = |(start, length): &(usize, usize)| start + length..start + length * rolled.turns;
        rolled.kinds.iter().any(|kind| later(kind).contains(&at))
    };
    let mut refused = 0;
    for program in mutants(&rolled.program) {
        let changed = written.iter().zip(program.written()).position(|(one, other)| *one != other);
        let text = function("f", &Rolled { program, ..rolled.clone() }, 3);
        if changed.is_some_and(is_later) {
            assert!(text.is_none(), "{changed:?} of {:?}", rolled.kinds);
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}

/// A changed program is refused, or right for all operands.
#[test]
fn wrong_products_are_refused() {
    let (mut refused, mut right) = (0, 0);
    let fields = [field("three", "3"), field("toy", "d"), solinas(96, 17), mersenne(61), mersenne(89)];
    for (f, words) in fields.iter().flat_map(|f| [(f, Words::Bits32), (f, Words::Bits64)]) {
        for offered in some(products(f), 2) {
            let Offered { op, operands, choice, what } = &offered;
            let Some(lazy) = lazy(f, &offered, words) else { continue };
            let within: Vec<BigUint> = operands.iter().map(|bound| bound.limit(f)).collect();
            // A step that no number of changes of an instruction divides.
            for mutant in some(mutants(lazy.program()), 7) {
                let shown = check::shown(f, lazy.sizes(f), op, &within, &mutant);
                let judged = shown.and_then(|shown| shown.within(&within, &choice.out.limit(f)));
                // In toy fields most limbs are zero whatever is changed.
                let counts = usize::from(f.words > 1);
                if judged.is_err() {
                    refused += counts;
                    continue;
                }
                right += counts;
                let mutant = match &lazy {
                    Lazy::Rolled(rolled) => Lazy::Rolled(Rolled { program: mutant, ..rolled.clone() }),
                    Lazy::Straight(_) => Lazy::Straight(mutant),
                };
                for x in operands_of(f, operands) {
                    assert!(is_right(f, op, operands, choice.out, &mutant, &x), "{what}, {x:?}: {mutant:?}");
                }
            }
        }
    }
    let enough = if is_long() { 1000 } else { 300 };
    assert!(refused > enough && right < refused / 2, "{refused} refused, {right} right");
}

/// A bound that is too small.
#[test]
fn claims_that_are_too_strong_are_refused() {
    let f = &usual_fields()[4];
    let program = program(f, &FieldOp::Mul, 2).expect("there is one");
    let operands = [f.r(), f.r()];
    let shown = check::shown(f, sizes(f), &FieldOp::Mul, &operands, &program).expect("it is right");
    let product = |limit: BigUint| shown.within(&[f.r(), f.p.clone()], &limit);
    assert_eq!(product(&f.p * 2u32), Ok(()));
    assert!(product(&f.p * 2u32 - 10u32).is_err());
    assert!(shown.within(&[f.r()], &f.r()).is_err(), "an operand is missing");
    let [three, five] = [3u32, 5].map(|c| FieldOp::MulConst(c.into()));
    let by_three = super::straight::program(f, &three, 1).expect("there is one");
    let shown = |op: &FieldOp| check::shown(f, sizes(f), op, &operands[..1], &by_three);
    assert!(shown(&three).is_ok());
    let other = shown(&five).expect_err("it is another operation");
    assert!(other.0.contains("not shown to be the operation's"), "{other}");
}
