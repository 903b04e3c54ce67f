//! Snapshots: text of small blocks, counts of large ones.

use std::fmt::Write;

use super::*;

fn variant(f: &FieldDesc, op: &LimbOp, bound: Bound, name: &str) -> Block {
    let all = choices(f, op, &vec![bound; op.operands(f)]);
    let choice = all.into_iter().find(|choice| choice.variant == name);
    choice.unwrap_or_else(|| panic!("{} has no {name}", f.name)).into_block()
}

#[test]
fn toy_blocks() {
    let f = FieldDesc::new("f13", 13u32.into());
    let mut text = String::new();
    for (op, bound, name) in [
        (LimbOp::Mul, Bound::Canonical, "mul.lazy"),
        (LimbOp::Mul, Bound::Units(26), "mul.canonical"),
        (LimbOp::Add, Bound::Canonical, "add.canonical"),
        (LimbOp::Sub, Bound::Canonical, "sub.borrow"),
        (LimbOp::Sub, Bound::Units(27), "sub.lazy"),
        (LimbOp::Neg, Bound::Canonical, "neg.canonical"),
        (LimbOp::ReduceWeak, Bound::Units(26), "reduce.weak"),
        (LimbOp::IsZero, Bound::Units(26), "is_zero.multiples"),
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
        write!(text, "{}", variant(f, &LimbOp::Mul, Bound::Canonical, name)).unwrap();
    }
    insta::assert_snapshot!(text);
}

#[test]
fn templates() {
    let f = FieldDesc::new("goldilocks", 0xffff_ffff_0000_0001u64.into());
    let mut text = String::new();
    for (op, bound, name) in [
        (LimbOp::Add, Bound::Canonical, "add.canonical"),
        (LimbOp::Sub, Bound::Canonical, "sub.borrow"),
        (LimbOp::MulSmall(0), Bound::Canonical, "mul_small.zero"),
        (LimbOp::ReduceFull, Bound::Canonical, "reduce.copy"),
    ] {
        let block = variant(&f, &op, bound, name);
        writeln!(text, "{}\n{}", block.name(), ptx::template(&block)).unwrap();
    }
    insta::assert_snapshot!(text);
}

/// PTX instructions and modelled cycles of every variant on canonical operands.
#[test]
fn counts() {
    let ops = |f: &FieldDesc| {
        [
            LimbOp::Mul,
            LimbOp::Sqr,
            LimbOp::Dot(2),
            LimbOp::Add,
            LimbOp::Sub,
            LimbOp::Neg,
            LimbOp::MulSmall(3),
            LimbOp::MulConst(&f.p / 3u32),
            LimbOp::MulTable { step: 2, rows: 3 },
            LimbOp::MulTable { step: 4, rows: 4 },
            LimbOp::MulShared(3),
            LimbOp::FromMont,
            LimbOp::IsZero,
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
