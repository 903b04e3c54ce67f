//! The interpreter and the builder themselves.

use super::interp::{InterpError, run};
use super::ir::{Block, Builder, CarryOut, Inst, Src};

/// `(hi:lo) = x + y` of one word each.
fn adder(last: CarryOut) -> Block {
    let mut b = Builder::new("adder");
    let (x, y) = (b.input("x", 1), b.input("y", 1));
    let (lo, carry) = b.add(x[0], y[0], None, last);
    let hi = carry.map(|carry| b.add(Src::Imm(0), Src::Imm(0), Some(carry), CarryOut::Never).0);
    b.output("sum", [Some(lo), hi].into_iter().flatten().collect());
    b.finish()
}

#[test]
fn a_carry_is_kept_lost_or_an_error() {
    let inputs = [vec![u32::MAX], vec![1]];
    assert_eq!(run(&adder(CarryOut::Flag), &inputs).unwrap(), [[0, 1]]);
    assert_eq!(run(&adder(CarryOut::Lost), &inputs).unwrap(), [[0]]);
    let lost = InterpError::CarryLost { block: "adder".into(), at: 0 };
    assert_eq!(run(&adder(CarryOut::Never), &inputs), Err(lost));
    assert_eq!(run(&adder(CarryOut::Never), &[vec![7], vec![1]]).unwrap(), [[8]]);
}

/// ptxas keeps the adder's carry, the complement of a borrow: what `addc` after `sub.cc` would read
/// differs between PTX's text and devices.
#[test]
fn an_addition_may_not_read_a_borrow() {
    let mut block = adder(CarryOut::Flag);
    let Inst::Add { d, a, b, cin, out, guard } = block.insts[0] else { panic!("adder starts with add") };
    block.insts[0] = Inst::Sub { d, a, b, cin, out, guard };
    let mixed = InterpError::WrongFlag { block: "adder".into(), at: 1 };
    assert_eq!(run(&block, &[vec![1], vec![1]]), Err(mixed));
}

#[test]
fn a_guard_keeps_the_first_operand_and_the_flag() {
    let mut b = Builder::new("guard");
    let (c, x) = (b.input("c", 1), b.input("x", 2));
    let q = b.setp(super::ir::Cmp::Ne, c[0], Src::Imm(0));
    let r = b.sub_words_if(q, &x, &[Src::Imm(1), Src::Imm(0)]);
    b.output("r", r);
    let block = b.finish();
    assert_eq!(run(&block, &[vec![0], vec![0, 1]]).unwrap(), [[0, 1]]);
    assert_eq!(run(&block, &[vec![5], vec![0, 1]]).unwrap(), [[u32::MAX, 0]]);
}

#[test]
fn an_unset_flag_and_a_wrong_shape_are_errors() {
    let mut block = adder(CarryOut::Never);
    let Inst::Add { cin, .. } = &mut block.insts[0] else { panic!("adder starts with add") };
    *cin = true;
    let unset = InterpError::WrongFlag { block: "adder".into(), at: 0 };
    assert_eq!(run(&block, &[vec![1], vec![1]]), Err(unset));
    let shape = InterpError::Shape { block: "adder".into(), index: 1, got: 2, expected: 1 };
    assert_eq!(run(&block, &[vec![1], vec![1, 2]]), Err(shape));
}
