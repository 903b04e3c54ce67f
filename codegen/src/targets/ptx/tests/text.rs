//! Snapshots: text of small blocks, counts of large ones.

use std::fmt::Write;

use super::*;

fn variant(f: &FieldDesc, op: &FieldOp, bound: Bound, name: &str) -> Block {
    let all = choices(f, op, &vec![bound; op.operands(f)]);
    let choice = all.into_iter().find(|choice| choice.variant == name);
    choice.unwrap_or_else(|| panic!("{} has no {name}", f.name)).into_block()
}

#[test]
fn toy_blocks() {
    let f = FieldDesc::new("f13", 13u32.into());
    let mut text = String::new();
    for (op, bound, name) in [
        (FieldOp::Mul, Bound::Canonical, "mul.lazy"),
        (FieldOp::Mul, Bound::Units(26), "mul.canonical"),
        (FieldOp::Add, Bound::Canonical, "add.canonical"),
        (FieldOp::Sub, Bound::Canonical, "sub.borrow"),
        (FieldOp::Sub, Bound::Units(27), "sub.lazy"),
        (FieldOp::Neg, Bound::Canonical, "neg.canonical"),
        (FieldOp::ReduceWeak, Bound::Units(26), "reduce.weak"),
        (FieldOp::IsZero, Bound::Units(26), "is_zero.multiples"),
    ] {
        write!(text, "{}", variant(&f, &op, bound, name)).unwrap();
    }
    insta::assert_snapshot!(text);
}

/// Two limbs: `m61` is the plain scheme (with `p ≡ -1`), Goldilocks has no spare bit and `p ≡ 1`,
/// the third is neither.
#[test]
fn two_limb_products() {
    let fields = [
        (FieldDesc::new("m61", 0x1fff_ffff_ffff_ffffu64.into()), "mul.lazy"),
        (FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into()), "mul.canonical"),
        (FieldDesc::new("above32", 0x1_0000_000fu64.into()), "mul.lazy"),
    ];
    let mut text = String::new();
    for (f, name) in &fields {
        write!(text, "{}", variant(f, &FieldOp::Mul, Bound::Canonical, name)).unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn templates() {
    let f = FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into());
    let mut text = String::new();
    for (op, bound, name) in [
        (FieldOp::Add, Bound::Canonical, "add.canonical"),
        (FieldOp::Sub, Bound::Canonical, "sub.borrow"),
        (FieldOp::MulSmall(0), Bound::Canonical, "mul_small.zero"),
        (FieldOp::ReduceFull, Bound::Canonical, "reduce.copy"),
    ] {
        let block = variant(&f, &op, bound, name);
        writeln!(text, "{}\n{}", block.name(), super::super::emit::text::template(&block)).unwrap();
    }
    insta::assert_snapshot!(text);
}

/// PTX instructions and modelled cycles of every variant on canonical operands.
#[test]
fn counts() {
    let ops = |f: &FieldDesc| {
        [
            FieldOp::Mul,
            FieldOp::Sqr,
            FieldOp::Dot(2),
            FieldOp::DotFq2 { terms: 1, nonresidue: -1 },
            FieldOp::Add,
            FieldOp::Sub,
            FieldOp::Neg,
            FieldOp::MulSmall(3),
            FieldOp::MulConst(&f.p / 3u32),
            FieldOp::MulTable { step: 2, rows: 3 },
            FieldOp::MulTable { step: 4, rows: 4 },
            FieldOp::MulShared(3),
            FieldOp::FromMont,
            FieldOp::IsZero,
        ]
    };
    let mut text = String::new();
    for f in fields::fields().iter().filter(|f| f.words >= 8) {
        writeln!(text, "{} ({} words)", f.name, f.words).unwrap();
        for op in &ops(f) {
            for choice in all_choices(f, op, &vec![Bound::Canonical; op.operands(f)]) {
                let (cost, out) = (choice.cost, choice.out.display(f).to_string());
                let ptx = choice.block().insts().len();
                writeln!(
                    text,
                    "  {:<26} {out:<7} {ptx:>5} ptx {:>5} issue {:>5} fma {:>5} alu {:>5} cycles {:>5} time",
                    choice.variant,
                    cost.issue(),
                    cost.fma(&Pipes::SM_90),
                    cost.alu(&Pipes::SM_90),
                    cost.cycles(&Pipes::SM_90),
                    cost.tenths(&Pipes::SM_90) / 10
                )
                .unwrap();
            }
        }
    }
    insta::assert_snapshot!(text);
}
