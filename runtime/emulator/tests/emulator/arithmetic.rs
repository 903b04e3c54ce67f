//! Every arithmetic opcode against Rust integers, on awkward and random values.

use crate::support::*;
use num_bigint::BigUint;

/// Values crossed with each other, then random ones.
fn operands() -> Vec<[u32; 4]> {
    let awkward =
        [0, 1, 2, 31, 32, 33, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, u32::MAX - 1, u32::MAX, 0x0001_8003];
    let mut out = Vec::new();
    for a in awkward {
        for b in awkward {
            out.push([a, b, a ^ 0x5555, b.wrapping_add(a)]);
            out.push([a, b, b, 7]);
        }
    }
    let mut x = 0x1234_5678_9abc_def1u64;
    let mut next = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        (x >> 16) as u32
    };
    while out.len() < 512 {
        out.push([next(), next(), next(), next()]);
    }
    out
}

/// Runs `body` with the operands in `%r10 .. %r13` and, paired, in `%rd10`, `%rd11`; it leaves its
/// results in `%r20`, `%r21` and `%rd20`. Compares with `expect(a, b, c, d) -> (r20, r21, rd20)`.
fn check(body: &str, expect: impl Fn([u32; 4]) -> (u32, u32, u64)) {
    let ptx = kernel(&format!(
        "ld.global.v4.u32 {{%r10, %r11, %r12, %r13}}, [%rd2];
         mov.b64 %rd10, {{%r10, %r11}};
         mov.b64 %rd11, {{%r12, %r13}};
         mov.u32 %r20, 0; mov.u32 %r21, 0; mov.u64 %rd20, 0;
         {body}
         mov.b64 {{%r22, %r23}}, %rd20;
         st.global.v4.u32 [%rd3], {{%r20, %r21, %r22, %r23}};"
    ));
    let input = operands();
    let flat: Vec<u32> = input.iter().flatten().copied().collect();
    let got = run(&emulator(), &ptx, 4, 128, &flat, flat.len()).unwrap();
    for (i, x) in input.iter().enumerate() {
        let (r20, r21, rd20) = expect(*x);
        let wanted = [r20, r21, rd20 as u32, (rd20 >> 32) as u32];
        assert_eq!(got[4 * i..4 * i + 4], wanted, "{body} of {x:x?}");
    }
}

fn check32(op: &str, expect: impl Fn(u32, u32, u32) -> u32) {
    check(op, |[a, b, c, _]| (expect(a, b, c), 0, 0));
}

fn check64(op: &str, expect: impl Fn(u64, u64) -> u64) {
    check(op, |[a, b, c, d]| {
        (0, 0, expect(u64::from(a) | u64::from(b) << 32, u64::from(c) | u64::from(d) << 32))
    });
}

#[test]
fn add_sub_mul_32() {
    check32("add.s32 %r20, %r10, %r11;", |a, b, _| a.wrapping_add(b));
    check32("add.u32 %r20, %r10, -5;", |a, _, _| a.wrapping_sub(5));
    check32("add.u32 %r20, %r10, 4294967291;", |a, _, _| a.wrapping_sub(5));
    check32("sub.s32 %r20, %r10, %r11;", |a, b, _| a.wrapping_sub(b));
    check32("neg.s32 %r20, %r10;", |a, _, _| a.wrapping_neg());
    check32("abs.s32 %r20, %r10;", |a, _, _| (a as i32).wrapping_abs() as u32);
    check32("mul.lo.u32 %r20, %r10, %r11;", |a, b, _| a.wrapping_mul(b));
    check32("mul.hi.u32 %r20, %r10, %r11;", |a, b, _| ((u64::from(a) * u64::from(b)) >> 32) as u32);
    check32("mul.hi.s32 %r20, %r10, %r11;", |a, b, _| {
        ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
    });
    check32("mad.lo.s32 %r20, %r10, %r11, %r12;", |a, b, c| a.wrapping_mul(b).wrapping_add(c));
    check32("mad.hi.u32 %r20, %r10, %r11, %r12;", |a, b, c| {
        (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
    });
    check32("mad.hi.s32 %r20, %r10, %r11, %r12;", |a, b, c| {
        (((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32).wrapping_add(c)
    });
}

#[test]
fn wide_products() {
    check("mul.wide.u32 %rd20, %r10, %r11;", |[a, b, ..]| (0, 0, u64::from(a) * u64::from(b)));
    check("mul.wide.s32 %rd20, %r10, %r11;", |[a, b, ..]| {
        (0, 0, (i64::from(a as i32) * i64::from(b as i32)) as u64)
    });
    check("mul.wide.s32 %rd20, %r10, 4;", |[a, ..]| (0, 0, (i64::from(a as i32) * 4) as u64));
    check("mad.wide.u32 %rd20, %r10, %r11, %rd11;", |[a, b, c, d]| {
        (0, 0, (u64::from(a) * u64::from(b)).wrapping_add(u64::from(c) | u64::from(d) << 32))
    });
    check("mad.wide.s32 %rd20, %r10, %r11, %rd11;", |[a, b, c, d]| {
        let product = (i64::from(a as i32) * i64::from(b as i32)) as u64;
        (0, 0, product.wrapping_add(u64::from(c) | u64::from(d) << 32))
    });
    check(
        "cvt.u16.u32 %rs1, %r10; cvt.u16.u32 %rs2, %r11; mul.wide.u16 %r20, %rs1, %rs2; mul.wide.s16 %r21, %rs1, %rs2;",
        |[a, b, ..]| {
            let (s, t) = (i32::from(a as i16), i32::from(b as i16));
            ((a & 0xffff) * (b & 0xffff), (s * t) as u32, 0)
        },
    );
}

#[test]
fn carries_are_per_lane_and_survive_other_instructions() {
    check(
        "add.cc.u32 %r20, %r10, %r11; xor.b32 %r30, %r10, %r11; addc.u32 %r21, %r12, %r13;",
        |[a, b, c, d]| {
            let (s, carry) = a.overflowing_add(b);
            (s, c.wrapping_add(d).wrapping_add(carry.into()), 0)
        },
    );
    check("sub.cc.u32 %r20, %r10, %r11; subc.u32 %r21, %r12, %r13;", |[a, b, c, d]| {
        let (s, borrow) = a.overflowing_sub(b);
        (s, c.wrapping_sub(d).wrapping_sub(borrow.into()), 0)
    });
    check(
        "add.cc.u32 %r20, %r10, %r11; addc.cc.u32 %r21, %r12, %r13; addc.u32 %r30, 0, 0; cvt.u64.u32 %rd20, %r30;",
        |[a, b, c, d]| {
            let s = (u64::from(a) | u64::from(c) << 32) as u128 + (u64::from(b) | u64::from(d) << 32) as u128;
            (s as u32, (s >> 32) as u32, (s >> 64) as u64)
        },
    );
    check(
        "mad.lo.cc.u32 %r20, %r10, %r11, %r12; madc.hi.cc.u32 %r21, %r10, %r11, %r13; addc.u32 %r30, 0, 0; cvt.u64.u32 %rd20, %r30;",
        |[a, b, c, d]| {
            let s = u128::from(a) * u128::from(b) + u128::from(c) + (u128::from(d) << 32);
            (s as u32, (s >> 32) as u32, (s >> 64) as u64)
        },
    );
    check(
        "add.cc.u32 %r20, %r10, %r11; madc.lo.cc.u32 %r21, %r10, %r12, %r13; addc.u32 %r30, 0, 0; cvt.u64.u32 %rd20, %r30;",
        |[a, b, c, d]| {
            let (s, carry) = a.overflowing_add(b);
            let t = u64::from(a.wrapping_mul(c)) + u64::from(d) + u64::from(carry);
            (s, t as u32, t >> 32)
        },
    );
    check(
        "sub.cc.u32 %r20, %r10, %r11; subc.cc.u32 %r21, %r12, %r13; subc.u32 %r30, 0, 0; cvt.u64.u32 %rd20, %r30;",
        |[a, b, c, d]| {
            let x = u64::from(a) | u64::from(c) << 32;
            let y = u64::from(b) | u64::from(d) << 32;
            let s = x.wrapping_sub(y);
            (s as u32, (s >> 32) as u32, if x < y { 0xffff_ffff } else { 0 })
        },
    );
    check(
        "add.cc.u64 %rd20, %rd10, %rd11; addc.u32 %r20, 0, 0; sub.cc.u64 %rd30, %rd10, %rd11; subc.u64 %rd31, 0, 0; cvt.u32.u64 %r21, %rd31;",
        |[a, b, c, d]| {
            let (x, y) = (u64::from(a) | u64::from(b) << 32, u64::from(c) | u64::from(d) << 32);
            let (s, carry) = x.overflowing_add(y);
            (carry.into(), if x < y { u32::MAX } else { 0 }, s)
        },
    );
    check(
        "mad.lo.cc.u64 %rd20, %rd10, %rd11, %rd10; madc.hi.u64 %rd21, %rd10, %rd11, 0; cvt.u32.u64 %r20, %rd21;",
        |[a, b, c, d]| {
            let (x, y) = (u64::from(a) | u64::from(b) << 32, u64::from(c) | u64::from(d) << 32);
            let s = u128::from(x) * u128::from(y) + u128::from(x);
            ((s >> 64) as u32, 0, s as u64)
        },
    );
}

#[test]
fn logic_and_shifts_32() {
    check32("and.b32 %r20, %r10, %r11;", |a, b, _| a & b);
    check32("or.b32 %r20, %r10, %r11;", |a, b, _| a | b);
    check32("xor.b32 %r20, %r10, 0x0f0f0f0f;", |a, _, _| a ^ 0x0f0f_0f0f);
    check32("not.b32 %r20, %r10;", |a, _, _| !a);
    check32("shl.b32 %r20, %r10, %r11;", |a, b, _| a.checked_shl(b).unwrap_or(0));
    check32("shr.u32 %r20, %r10, %r11;", |a, b, _| a.checked_shr(b).unwrap_or(0));
    check32("shr.s32 %r20, %r10, %r11;", |a, b, _| ((a as i32) >> b.min(31)) as u32);
    let joined = |a: u32, b: u32| u64::from(a) | u64::from(b) << 32;
    check32("shf.l.wrap.b32 %r20, %r10, %r11, %r12;", |a, b, c| ((joined(a, b) << (c & 31)) >> 32) as u32);
    check32("shf.l.clamp.b32 %r20, %r10, %r11, %r12;", |a, b, c| {
        ((u128::from(joined(a, b)) << c.min(32)) >> 32) as u32
    });
    check32("shf.r.wrap.b32 %r20, %r10, %r11, %r12;", |a, b, c| (joined(a, b) >> (c & 31)) as u32);
    check32("shf.r.clamp.b32 %r20, %r10, %r11, %r12;", |a, b, c| (joined(a, b) >> c.min(32)) as u32);
    check32("prmt.b32 %r20, %r10, %r11, 0x0123;", |a, _, _| a.swap_bytes());
    check32("prmt.b32 %r20, %r10, %r11, 0xc765;", |a, b, _| {
        let sign = if b & 0x80 != 0 { 0xff } else { 0 };
        let _ = a;
        u32::from_le_bytes([(b >> 8) as u8, (b >> 16) as u8, (b >> 24) as u8, sign])
    });
    check32("lop3.b32 %r20, %r10, %r11, %r12, 0xe8;", |a, b, c| (a & b) | (b & c) | (a & c));
    check32("lop3.b32 %r20, %r10, %r11, %r12, 0x96;", |a, b, c| a ^ b ^ c);
    check32("popc.b32 %r20, %r10;", |a, _, _| a.count_ones());
    check32("clz.b32 %r20, %r10;", |a, _, _| a.leading_zeros());
    check32("brev.b32 %r20, %r10;", |a, _, _| a.reverse_bits());
    check32("bfind.u32 %r20, %r10;", |a, _, _| a.checked_ilog2().unwrap_or(u32::MAX));
    check32("bfind.s32 %r20, %r10;", |a, _, _| {
        let a = if (a as i32) < 0 { !a } else { a };
        a.checked_ilog2().unwrap_or(u32::MAX)
    });
    check32("bfind.shiftamt.u32 %r20, %r10;", |a, _, _| if a == 0 { u32::MAX } else { a.leading_zeros() });
    check32("bfe.u32 %r20, %r10, 5, 9;", |a, _, _| (a >> 5) & 0x1ff);
    check32("bfe.s32 %r20, %r10, 5, 9;", |a, _, _| (((a << 18) as i32) >> 23) as u32);
    check32("bfe.u32 %r20, %r10, 28, 9;", |a, _, _| a >> 28);
    check32("bfe.s32 %r20, %r10, 28, 9;", |a, _, _| ((a as i32) >> 28) as u32);
}

/// Bit by bit, as the manual of PTX has it.
fn bit_field(a: u64, bits: u32, position: u32, length: u32, signed: bool) -> u64 {
    let (position, length) = (position & 0xff, length & 0xff);
    let bit = |at: u32| a >> at & 1;
    let sign = if signed && length > 0 { bit((position + length - 1).min(bits - 1)) } else { 0 };
    let inside = |i: u32| i < length && position + i < bits;
    (0..bits).map(|i| if inside(i) { bit(position + i) } else { sign } << i).sum()
}

#[test]
fn bit_fields_of_every_position_and_length() {
    for signed in [false, true] {
        let s = if signed { "s" } else { "u" };
        check32(&format!("bfe.{s}32 %r20, %r10, %r11, %r12;"), |a, b, c| {
            bit_field(a.into(), 32, b, c, signed) as u32
        });
        check(&format!("bfe.{s}64 %rd20, %rd10, %r12, %r13;"), |[a, b, c, d]| {
            (0, 0, bit_field(u64::from(a) | u64::from(b) << 32, 64, c, d, signed))
        });
        for (position, length) in (0..70).step_by(3).flat_map(|p| [0, 1, 16, 31, 32, 33, 64].map(|l| (p, l)))
        {
            check64(&format!("bfe.{s}64 %rd20, %rd10, {position}, {length};"), |a, _| {
                bit_field(a, 64, position, length, signed)
            });
        }
    }
}

#[test]
fn compare_select_divide_32() {
    check32("min.u32 %r20, %r10, %r11;", |a, b, _| a.min(b));
    check32("max.u32 %r20, %r10, %r11;", |a, b, _| a.max(b));
    check32("min.s32 %r20, %r10, %r11;", |a, b, _| (a as i32).min(b as i32) as u32);
    check32("max.s32 %r20, %r10, %r11;", |a, b, _| (a as i32).max(b as i32) as u32);
    check32("div.u32 %r20, %r10, %r11;", |a, b, _| a.checked_div(b).unwrap_or(u32::MAX));
    check32("rem.u32 %r20, %r10, %r11;", |a, b, _| a.checked_rem(b).unwrap_or(a));
    check32("or.b32 %r30, %r11, 1; div.s32 %r20, %r10, %r30;", |a, b, _| {
        (a as i32).wrapping_div((b | 1) as i32) as u32
    });
    check32("or.b32 %r30, %r11, 1; rem.s32 %r20, %r10, %r30;", |a, b, _| {
        (a as i32).wrapping_rem((b | 1) as i32) as u32
    });
    type Test = (&'static str, fn(u32, u32) -> bool);
    let tests: [Test; 12] = [
        ("eq.s32", |a, b| a == b),
        ("ne.b32", |a, b| a != b),
        ("lt.u32", |a, b| a < b),
        ("le.u32", |a, b| a <= b),
        ("gt.u32", |a, b| a > b),
        ("ge.u32", |a, b| a >= b),
        ("lt.s32", |a, b| (a as i32) < b as i32),
        ("le.s32", |a, b| a as i32 <= b as i32),
        ("gt.s32", |a, b| a as i32 > b as i32),
        ("ge.s32", |a, b| a as i32 >= b as i32),
        ("lo.u32", |a, b| a < b),
        ("hs.u32", |a, b| a >= b),
    ];
    for (name, test) in tests {
        check32(&format!("setp.{name} %p1, %r10, %r11; selp.b32 %r20, 7, %r12, %p1;"), |a, b, c| {
            if test(a, b) { 7 } else { c }
        });
        check32(&format!("setp.{name} %p1, %r10, %r11; @!%p1 mov.u32 %r20, 9;"), |a, b, _| {
            if test(a, b) { 0 } else { 9 }
        });
    }
    check(
        "setp.lt.u32 %p2, %r12, %r13; setp.lt.and.u32 %p1|%p3, %r10, %r11, %p2; selp.u32 %r20, 1, 0, %p1; selp.u32 %r21, 1, 0, %p3;",
        |[a, b, c, d]| (u32::from(a < b && c < d), u32::from(a >= b && c < d), 0),
    );
    check(
        "setp.lt.u32 %p2, %r12, %r13; setp.lt.xor.u32 %p1, %r10, %r11, !%p2; selp.u32 %r20, 1, 0, %p1;",
        |[a, b, c, d]| (u32::from((a < b) ^ (c >= d)), 0, 0),
    );
    check(
        "setp.lt.u32 %p1, %r10, %r11; setp.lt.u32 %p2, %r12, %r13; and.pred %p3, %p1, %p2; or.pred %p4, %p1, !%p2; xor.pred %p5, %p3, %p4; not.pred %p6, %p5; mov.pred %p7, -1; and.pred %p7, %p7, %p6; selp.u32 %r20, 1, 0, %p5; selp.u32 %r21, 1, 0, %p7;",
        |[a, b, c, d]| {
            let (p, q) = (a < b, c < d);
            let x = (p && q) ^ (p || !q);
            (x.into(), (!x).into(), 0)
        },
    );
}

#[test]
fn arithmetic_64() {
    check64("add.s64 %rd20, %rd10, %rd11;", u64::wrapping_add);
    check64("sub.s64 %rd20, %rd10, %rd11;", u64::wrapping_sub);
    check64("mul.lo.s64 %rd20, %rd10, %rd11;", u64::wrapping_mul);
    check64("mul.hi.u64 %rd20, %rd10, %rd11;", |a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64);
    check64("mul.hi.s64 %rd20, %rd10, %rd11;", |a, b| {
        ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
    });
    check64("mad.lo.s64 %rd20, %rd10, %rd11, 3;", |a, b| a.wrapping_mul(b).wrapping_add(3));
    check64("and.b64 %rd20, %rd10, %rd11;", |a, b| a & b);
    check64("or.b64 %rd20, %rd10, %rd11;", |a, b| a | b);
    check64("xor.b64 %rd20, %rd10, %rd11;", |a, b| a ^ b);
    check64("not.b64 %rd20, %rd10;", |a, _| !a);
    check64("neg.s64 %rd20, %rd10;", |a, _| a.wrapping_neg());
    check64("min.u64 %rd20, %rd10, %rd11;", u64::min);
    check64("max.s64 %rd20, %rd10, %rd11;", |a, b| (a as i64).max(b as i64) as u64);
    check64("brev.b64 %rd20, %rd10;", |a, _| a.reverse_bits());
    check64("div.u64 %rd20, %rd10, %rd11;", |a, b| a.checked_div(b).unwrap_or(u64::MAX));
    check64("rem.u64 %rd20, %rd10, %rd11;", |a, b| a.checked_rem(b).unwrap_or(a));
    check64("shl.b64 %rd20, %rd10, %r12;", |a, b| a.checked_shl(b as u32).unwrap_or(0));
    check64("shr.u64 %rd20, %rd10, %r12;", |a, b| a.checked_shr(b as u32).unwrap_or(0));
    check64("shr.s64 %rd20, %rd10, %r12;", |a, b| ((a as i64) >> (b as u32).min(63)) as u64);
    check64("popc.b64 %r30, %rd10; cvt.u64.u32 %rd20, %r30;", |a, _| a.count_ones().into());
    check64("clz.b64 %r30, %rd10; cvt.u64.u32 %rd20, %r30;", |a, _| a.leading_zeros().into());
    check64("setp.lt.u64 %p1, %rd10, %rd11; selp.b64 %rd20, %rd10, %rd11, %p1;", u64::min);
    check64("setp.lt.s64 %p1, %rd10, %rd11; selp.b64 %rd20, %rd10, %rd11, %p1;", |a, b| {
        (a as i64).min(b as i64) as u64
    });
}

#[test]
fn conversions() {
    check("cvt.u64.u32 %rd20, %r10; cvt.u32.u64 %r20, %rd11;", |[a, _, c, _]| (c, 0, a.into()));
    check("cvt.s64.s32 %rd20, %r10;", |[a, ..]| (0, 0, i64::from(a as i32) as u64));
    check("cvt.s32.s8 %r20, %r10; cvt.u32.u8 %r21, %r10;", |[a, ..]| {
        (i32::from(a as i8) as u32, a & 0xff, 0)
    });
    check("cvt.u16.u32 %rs1, %r10; cvt.u32.u16 %r20, %rs1; cvt.s32.s16 %r21, %rs1;", |[a, ..]| {
        (a & 0xffff, i32::from(a as i16) as u32, 0)
    });
    check("cvt.s64.s16 %rd20, %r10; cvt.s32.s8 %r20, %rd10;", |[a, ..]| {
        (i32::from(a as i8) as u32, 0, i64::from(a as i16) as u64)
    });
    check(
        "mov.b32 {%rs1, %rs2}, %r10; mov.b32 %r20, {%rs2, %rs1}; mov.b64 {_, %r21}, %rd11;",
        |[a, _, _, d]| (a.rotate_left(16), d, 0),
    );
}

#[test]
fn sixteen_bits() {
    let load = "cvt.u16.u32 %rs1, %r10; cvt.u16.u32 %rs2, %r11;";
    let op = |text: &str, f: &dyn Fn(u16, u16) -> u16| {
        check(&format!("{load} {text} cvt.u32.u16 %r20, %rs3;"), |[a, b, ..]| {
            (f(a as u16, b as u16).into(), 0, 0)
        });
    };
    op("add.s16 %rs3, %rs1, %rs2;", &u16::wrapping_add);
    op("sub.s16 %rs3, %rs1, 1;", &|a, _| a.wrapping_sub(1));
    op("mul.lo.s16 %rs3, %rs1, %rs2;", &u16::wrapping_mul);
    op("mad.lo.s16 %rs3, %rs1, %rs2, %rs1;", &|a, b| a.wrapping_mul(b).wrapping_add(a));
    op("and.b16 %rs3, %rs1, %rs2;", &|a, b| a & b);
    op("xor.b16 %rs3, %rs1, -1;", &|a, _| !a);
    op("not.b16 %rs3, %rs1;", &|a, _| !a);
    op("shl.b16 %rs3, %rs1, 3;", &|a, _| a << 3);
    op("shr.u16 %rs3, %rs1, 3;", &|a, _| a >> 3);
    op("shr.s16 %rs3, %rs1, 3;", &|a, _| ((a as i16) >> 3) as u16);
    op("min.s16 %rs3, %rs1, %rs2;", &|a, b| (a as i16).min(b as i16) as u16);
    op("max.u16 %rs3, %rs1, %rs2;", &u16::max);
    op("setp.lt.s16 %p1, %rs1, %rs2; selp.b16 %rs3, %rs1, %rs2, %p1;", &|a, b| {
        (a as i16).min(b as i16) as u16
    });
}

#[test]
fn a_product_of_eight_words_in_one_asm_block() {
    // Schoolbook rows with carry chains, as the compiler emits them.
    let n = 8;
    let mut text = String::from("{ .reg .u32 t<17>; .reg .u32 x<8>; .reg .u32 y<8>;\n");
    for (v, at) in [("x", 0), ("y", 32)] {
        for k in 0..n {
            text += &format!("ld.global.u32 {v}{k}, [%rd2+{}];\n", at + 4 * k);
        }
    }
    for i in 0..2 * n {
        text += &format!("mov.u32 t{i}, 0;\n");
    }
    for i in 0..n {
        for j in 0..n {
            let lo = if j == 0 { "mad.lo.cc" } else { "madc.lo.cc" };
            text += &format!("{lo}.u32 t{}, x{j}, y{i}, t{};\n", i + j, i + j);
        }
        text += &format!("addc.u32 t{}, t{}, 0;\n", i + n, i + n);
        for j in 0..n {
            let hi = if j == 0 {
                "mad.hi.cc"
            } else if j == n - 1 {
                "madc.hi"
            } else {
                "madc.hi.cc"
            };
            text += &format!("{hi}.u32 t{}, x{j}, y{i}, t{};\n", i + j + 1, i + j + 1);
        }
    }
    for k in 0..2 * n {
        text += &format!("st.global.u32 [%rd3+{}], t{k};\n", 4 * k);
    }
    text += "}";
    let ptx = kernel(&format!(
        "mul.wide.u32 %rd2, %r0, 64; add.s64 %rd3, %rd1, %rd2; add.s64 %rd2, %rd0, %rd2;\n{text}"
    ));
    let words: Vec<u32> = operands().into_iter().flatten().cycle().take(64 * 16).collect();
    let got = run(&emulator(), &ptx, 1, 64, &words, words.len()).unwrap();
    for t in 0..64 {
        let x = BigUint::from_slice(&words[16 * t..16 * t + 8]);
        let y = BigUint::from_slice(&words[16 * t + 8..16 * t + 16]);
        assert_eq!(BigUint::from_slice(&got[16 * t..16 * t + 16]), x * y, "thread {t}");
    }
}
