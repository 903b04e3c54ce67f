//! Lane-wise execution of one instruction for a warp.
//!
//! Loops run over all 32 lanes and blend at the end, so that the compiler turns them into vector
//! code; lanes outside the mask compute values that are thrown away.

use super::program::*;

/// Registers of a warp: windows of the current frame on growing stacks.
#[derive(Default)]
pub(super) struct Registers {
    r32: Vec<Lanes32>,
    r64: Vec<Lanes64>,
    pred: Vec<u32>,
    base: Slots,
    /// Carry flag of each lane: all ones or zero.
    cc: Lanes32,
}

/// Bit of each lane.
const BIT: Lanes32 = {
    let mut out = [0; LANES];
    let mut i = 0;
    while i < LANES {
        out[i] = 1 << i;
        i += 1;
    }
    out
};

/// Constants of a module.
#[derive(Clone, Copy)]
pub(super) struct Constants<'p> {
    pub(super) c32: &'p [Lanes32],
    pub(super) c64: &'p [Lanes64],
}

impl Registers {
    /// Opens a zeroed frame; returns the old window for [`Registers::pop`].
    pub(super) fn push(&mut self, slots: Slots) -> Slots {
        let old = self.base;
        self.base = Slots { r32: self.r32.len(), r64: self.r64.len(), pred: self.pred.len() };
        self.r32.resize(self.base.r32 + slots.r32, [0; LANES]);
        self.r64.resize(self.base.r64 + slots.r64, [0; LANES]);
        self.pred.resize(self.base.pred + slots.pred, 0);
        old
    }

    /// Closes the frame and makes `old` current.
    pub(super) fn pop(&mut self, old: Slots) {
        self.r32.truncate(self.base.r32);
        self.r64.truncate(self.base.r64);
        self.pred.truncate(self.base.pred);
        self.base = old;
    }

    /// The current window.
    pub(super) fn window(&self) -> Slots {
        self.base
    }

    /// Copies a register between windows in the lanes of `mask`.
    pub(super) fn copy32(&mut self, mask: u32, to: (Slots, u32), from: (Slots, u32)) {
        let value = self.r32[from.0.r32 + from.1 as usize];
        blend(&mut self.r32[to.0.r32 + to.1 as usize], mask, &value);
    }

    #[inline(always)]
    pub(super) fn get32<'a>(&'a self, k: Constants<'a>, r: u32) -> &'a Lanes32 {
        if r & CONSTANT != 0 {
            &k.c32[(r ^ CONSTANT) as usize]
        } else {
            &self.r32[self.base.r32 + r as usize]
        }
    }

    #[inline(always)]
    pub(super) fn get64<'a>(&'a self, k: Constants<'a>, r: u32) -> &'a Lanes64 {
        if r & CONSTANT != 0 {
            &k.c64[(r ^ CONSTANT) as usize]
        } else {
            &self.r64[self.base.r64 + r as usize]
        }
    }

    #[inline(always)]
    pub(super) fn get_pred(&self, r: u32) -> u32 {
        if r & CONSTANT != 0 { (r & 1).wrapping_neg() } else { self.pred[self.base.pred + r as usize] }
    }

    #[inline(always)]
    pub(super) fn set32(&mut self, mask: u32, d: u32, value: &Lanes32) {
        if d != SINK {
            blend(&mut self.r32[self.base.r32 + d as usize], mask, value);
        }
    }

    #[inline(always)]
    pub(super) fn set64(&mut self, mask: u32, d: u32, value: &Lanes64) {
        if d != SINK {
            blend(&mut self.r64[self.base.r64 + d as usize], mask, value);
        }
    }

    #[inline(always)]
    pub(super) fn set_pred(&mut self, mask: u32, d: u32, value: u32) {
        if d != SINK {
            let p = &mut self.pred[self.base.pred + d as usize];
            *p = (*p & !mask) | (value & mask);
        }
    }
}

#[inline(always)]
fn blend<T: Copy>(to: &mut [T; LANES], mask: u32, value: &[T; LANES]) {
    if mask == u32::MAX {
        *to = *value;
    } else {
        for i in 0..LANES {
            to[i] = if mask & BIT[i] != 0 { value[i] } else { to[i] };
        }
    }
}

#[inline(always)]
fn lanes<T: Copy + Default>(f: impl Fn(usize) -> T) -> [T; LANES] {
    let mut out = [T::default(); LANES];
    for (i, o) in out.iter_mut().enumerate() {
        *o = f(i);
    }
    out
}

#[inline(always)]
fn mask_of(f: impl Fn(usize) -> bool) -> u32 {
    let mut m = 0;
    for (i, bit) in BIT.iter().enumerate() {
        m |= if f(i) { *bit } else { 0 };
    }
    m
}

#[inline(always)]
fn compare<T: Ord>(cmp: Cmp, a: impl Fn(usize) -> T, b: impl Fn(usize) -> T) -> u32 {
    match cmp {
        Cmp::Eq => mask_of(|i| a(i) == b(i)),
        Cmp::Ne => !mask_of(|i| a(i) == b(i)),
        Cmp::Lt => mask_of(|i| a(i) < b(i)),
        Cmp::Ge => !mask_of(|i| a(i) < b(i)),
        Cmp::Gt => mask_of(|i| b(i) < a(i)),
        Cmp::Le => !mask_of(|i| b(i) < a(i)),
    }
}

/// All ones where the top bit is set: the majority of the top bits is the carry out of a full adder.
#[inline(always)]
fn sign_mask(x: u32) -> u32 {
    ((x as i32) >> 31) as u32
}

/// `a + b`, plus 1 where `cin` is all ones, and the carry in the same form.
#[inline(always)]
fn add_carry(a: &Lanes32, b: &Lanes32, cin: &Lanes32) -> (Lanes32, Lanes32) {
    let (mut sum, mut carry) = ([0; LANES], [0; LANES]);
    for i in 0..LANES {
        let t = a[i].wrapping_add(b[i]).wrapping_sub(cin[i]);
        sum[i] = t;
        carry[i] = sign_mask((a[i] & b[i]) | ((a[i] | b[i]) & !t));
    }
    (sum, carry)
}

impl Registers {
    /// Adds `x`, computed from the operands, to register `c` with carries as asked.
    #[inline(always)]
    fn accumulate(&mut self, mask: u32, d: u32, x: &Lanes32, c: &Lanes32, carry: Carry) {
        match (carry.cin, carry.cout) {
            (false, false) => {
                let out = lanes(|i| x[i].wrapping_add(c[i]));
                self.set32(mask, d, &out);
            }
            (true, false) => {
                let out = lanes(|i| x[i].wrapping_add(c[i]).wrapping_sub(self.cc[i]));
                self.set32(mask, d, &out);
            }
            (false, true) => {
                let (out, cc) = add_carry(x, c, &[0; LANES]);
                self.set32(mask, d, &out);
                blend(&mut self.cc, mask, &cc);
            }
            (true, true) => {
                let (out, cc) = add_carry(x, c, &self.cc);
                self.set32(mask, d, &out);
                blend(&mut self.cc, mask, &cc);
            }
        }
    }

    /// Executes `op` in the lanes of `mask`.
    #[inline(always)]
    pub(super) fn alu(&mut self, k: Constants<'_>, mask: u32, op: Op, [d, ra, rb, rc]: [u32; 4]) {
        macro_rules! a32 {
            ($a:ident => $e:expr) => {{
                let $a = self.get32(k, ra);
                let out = lanes(|i| {
                    let $a = $a[i];
                    $e
                });
                self.set32(mask, d, &out)
            }};
            ($a:ident, $b:ident => $e:expr) => {{
                let ($a, $b) = (self.get32(k, ra), self.get32(k, rb));
                let out = lanes(|i| {
                    let ($a, $b) = ($a[i], $b[i]);
                    $e
                });
                self.set32(mask, d, &out)
            }};
            ($a:ident, $b:ident, $c:ident => $e:expr) => {{
                let ($a, $b, $c) = (self.get32(k, ra), self.get32(k, rb), self.get32(k, rc));
                let out = lanes(|i| {
                    let ($a, $b, $c) = ($a[i], $b[i], $c[i]);
                    $e
                });
                self.set32(mask, d, &out)
            }};
        }
        macro_rules! a64 {
            ($a:ident => $e:expr) => {{
                let $a = self.get64(k, ra);
                let out = lanes(|i| {
                    let $a = $a[i];
                    $e
                });
                self.set64(mask, d, &out)
            }};
            ($a:ident, $b:ident => $e:expr) => {{
                let ($a, $b) = (self.get64(k, ra), self.get64(k, rb));
                let out = lanes(|i| {
                    let ($a, $b) = ($a[i], $b[i]);
                    $e
                });
                self.set64(mask, d, &out)
            }};
        }
        macro_rules! shift64 {
            ($a:ident, $b:ident => $e:expr) => {{
                let ($a, $b) = (self.get64(k, ra), self.get32(k, rb));
                let out = lanes(|i| {
                    let ($a, $b) = ($a[i], $b[i]);
                    $e
                });
                self.set64(mask, d, &out)
            }};
        }
        macro_rules! from64 {
            ($a:ident => $e:expr) => {{
                let $a = self.get64(k, ra);
                let out = lanes(|i| {
                    let $a = $a[i];
                    $e
                });
                self.set32(mask, d, &out)
            }};
        }
        macro_rules! setp {
            ($get:ident, $t:ty, $cmp:expr, $combine:expr) => {{
                let (a, b) = (self.$get(k, ra), self.$get(k, rb));
                let r = compare($cmp, |i| a[i] as $t, |i| b[i] as $t);
                let out = match $combine {
                    Combine::None => r,
                    Combine::And => r & self.get_pred(rc),
                    Combine::Or => r | self.get_pred(rc),
                    Combine::Xor => r ^ self.get_pred(rc),
                };
                self.set_pred(mask, d, out)
            }};
        }
        match op {
            Op::MadLo32(carry) => {
                let (a, b, c) = (self.get32(k, ra), self.get32(k, rb), *self.get32(k, rc));
                let x = lanes(|i| a[i].wrapping_mul(b[i]));
                self.accumulate(mask, d, &x, &c, carry);
            }
            Op::MadHiU32(carry) => {
                let (a, b, c) = (self.get32(k, ra), self.get32(k, rb), *self.get32(k, rc));
                let x = lanes(|i| high_u32(a[i], b[i]));
                self.accumulate(mask, d, &x, &c, carry);
            }
            Op::MadHiS32(carry) => {
                let (a, b, c) = (self.get32(k, ra), self.get32(k, rb), *self.get32(k, rc));
                let x = lanes(|i| high_s32(a[i], b[i]));
                self.accumulate(mask, d, &x, &c, carry);
            }
            Op::Add32(carry) => {
                let (a, b) = (*self.get32(k, ra), *self.get32(k, rb));
                self.accumulate(mask, d, &a, &b, carry);
            }
            Op::Sub32(Carry { cin: false, cout: false }) => a32!(a, b => a.wrapping_sub(b)),
            Op::Sub32(carry) => {
                let (a, b) = (self.get32(k, ra), self.get32(k, rb));
                let cin = if carry.cin { self.cc } else { [0; LANES] };
                let (mut out, mut borrow) = ([0; LANES], [0; LANES]);
                for i in 0..LANES {
                    let t = a[i].wrapping_sub(b[i]).wrapping_add(cin[i]);
                    out[i] = t;
                    borrow[i] = sign_mask((!a[i] & b[i]) | ((!a[i] | b[i]) & t));
                }
                self.set32(mask, d, &out);
                if carry.cout {
                    blend(&mut self.cc, mask, &borrow);
                }
            }
            Op::Mov32 => a32!(a => a),
            Op::MulLo32 => a32!(a, b => a.wrapping_mul(b)),
            Op::MulHiU32 => a32!(a, b => high_u32(a, b)),
            Op::MulHiS32 => a32!(a, b => high_s32(a, b)),
            Op::And32 => a32!(a, b => a & b),
            Op::Or32 => a32!(a, b => a | b),
            Op::Xor32 => a32!(a, b => a ^ b),
            Op::Not32 => a32!(a => !a),
            Op::Neg32 => a32!(a => a.wrapping_neg()),
            Op::Abs32 => a32!(a => (a as i32).wrapping_abs() as u32),
            Op::Shl32 => a32!(a, b => if b < 32 { a << (b & 31) } else { 0 }),
            Op::ShrU32 => a32!(a, b => if b < 32 { a >> (b & 31) } else { 0 }),
            Op::ShrS32 => a32!(a, b => ((a as i32) >> b.min(31)) as u32),
            Op::ShfL { wrap } => a32!(a, b, c => {
                let n = if wrap { c & 31 } else { c.min(32) };
                ((join(a, b) << n) >> 32) as u32
            }),
            Op::ShfR { wrap } => a32!(a, b, c => {
                let n = if wrap { c & 31 } else { c.min(32) };
                (join(a, b) >> n) as u32
            }),
            Op::MinU32 => a32!(a, b => a.min(b)),
            Op::MaxU32 => a32!(a, b => a.max(b)),
            Op::MinS32 => a32!(a, b => (a as i32).min(b as i32) as u32),
            Op::MaxS32 => a32!(a, b => (a as i32).max(b as i32) as u32),
            Op::Popc32 => a32!(a => a.count_ones()),
            Op::Clz32 => a32!(a => a.leading_zeros()),
            // The position of the highest set bit; all ones for none.
            Op::BfindU32 => a32!(a => 31u32.wrapping_sub(a.leading_zeros())),
            Op::BfindS32 => a32!(a => {
                let a = if (a as i32) < 0 { !a } else { a };
                31u32.wrapping_sub(a.leading_zeros())
            }),
            Op::Brev32 => a32!(a => a.reverse_bits()),
            Op::Prmt => a32!(a, b, c => permute(a, b, c)),
            // Division by zero is unspecified in PTX; all ones and the dividend are what GPUs give.
            Op::DivU32 => a32!(a, b => a.checked_div(b).unwrap_or(u32::MAX)),
            Op::RemU32 => a32!(a, b => a.checked_rem(b).unwrap_or(a)),
            Op::DivS32 => {
                a32!(a, b => if b == 0 { u32::MAX } else { (a as i32).wrapping_div(b as i32) as u32 })
            }
            Op::RemS32 => a32!(a, b => if b == 0 { a } else { (a as i32).wrapping_rem(b as i32) as u32 }),
            Op::Lop3(t) => a32!(a, b, c => lop3(a, b, c, t)),
            Op::BfeU32 => a32!(a, b, c => bit_field(a.into(), 32, [b, c], false) as u32),
            Op::BfeS32 => a32!(a, b, c => bit_field(a.into(), 32, [b, c], true) as u32),
            Op::ZeroExtend32(n) => {
                let s = 32 - u32::from(n);
                a32!(a => (a << s) >> s)
            }
            Op::SignExtend32(n) => {
                let s = 32 - u32::from(n);
                a32!(a => (((a << s) as i32) >> s) as u32)
            }
            Op::Selp32 => {
                let (a, b, p) = (self.get32(k, ra), self.get32(k, rb), self.get_pred(rc));
                let out = lanes(|i| if p & BIT[i] != 0 { a[i] } else { b[i] });
                self.set32(mask, d, &out);
            }

            Op::Mov64 => a64!(a => a),
            Op::Add64(Carry { cin: false, cout: false }) => a64!(a, b => a.wrapping_add(b)),
            Op::Sub64(Carry { cin: false, cout: false }) => a64!(a, b => a.wrapping_sub(b)),
            Op::Add64(carry) => {
                let (a, b) = (*self.get64(k, ra), *self.get64(k, rb));
                self.accumulate64(mask, d, &a, &b, carry);
            }
            Op::Sub64(carry) => {
                let (a, b) = (self.get64(k, ra), self.get64(k, rb));
                let mut borrow = [0; LANES];
                let mut out = [0; LANES];
                for i in 0..LANES {
                    let cin = if carry.cin { u64::from(self.cc[i] & 1) } else { 0 };
                    let (s, c1) = a[i].overflowing_sub(b[i]);
                    let (t, c2) = s.overflowing_sub(cin);
                    out[i] = t;
                    borrow[i] = u32::from(c1 | c2).wrapping_neg();
                }
                self.set64(mask, d, &out);
                if carry.cout {
                    blend(&mut self.cc, mask, &borrow);
                }
            }
            Op::MadLo64(carry) => {
                let (a, b, c) = (self.get64(k, ra), self.get64(k, rb), *self.get64(k, rc));
                let x = lanes(|i| a[i].wrapping_mul(b[i]));
                self.accumulate64(mask, d, &x, &c, carry);
            }
            Op::MadHiU64(carry) => {
                let (a, b, c) = (self.get64(k, ra), self.get64(k, rb), *self.get64(k, rc));
                let x = lanes(|i| high_u64(a[i], b[i]));
                self.accumulate64(mask, d, &x, &c, carry);
            }
            Op::MulLo64 => a64!(a, b => a.wrapping_mul(b)),
            Op::MulHiU64 => a64!(a, b => high_u64(a, b)),
            Op::MulHiS64 => a64!(a, b => ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64),
            Op::And64 => a64!(a, b => a & b),
            Op::Or64 => a64!(a, b => a | b),
            Op::Xor64 => a64!(a, b => a ^ b),
            Op::Not64 => a64!(a => !a),
            Op::Neg64 => a64!(a => a.wrapping_neg()),
            Op::Abs64 => a64!(a => (a as i64).wrapping_abs() as u64),
            Op::Shl64 => shift64!(a, b => if b < 64 { a << (b & 63) } else { 0 }),
            Op::ShrU64 => shift64!(a, b => if b < 64 { a >> (b & 63) } else { 0 }),
            Op::ShrS64 => shift64!(a, b => ((a as i64) >> b.min(63)) as u64),
            Op::MinU64 => a64!(a, b => a.min(b)),
            Op::MaxU64 => a64!(a, b => a.max(b)),
            Op::MinS64 => a64!(a, b => (a as i64).min(b as i64) as u64),
            Op::MaxS64 => a64!(a, b => (a as i64).max(b as i64) as u64),
            Op::Popc64 => from64!(a => a.count_ones()),
            Op::Clz64 => from64!(a => a.leading_zeros()),
            Op::BfeU64 | Op::BfeS64 => {
                let (a, b, c) = (self.get64(k, ra), self.get32(k, rb), self.get32(k, rc));
                let out = lanes(|i| bit_field(a[i], 64, [b[i], c[i]], op == Op::BfeS64));
                self.set64(mask, d, &out)
            }
            Op::BfindU64 => from64!(a => 63u32.wrapping_sub(a.leading_zeros())),
            Op::Brev64 => a64!(a => a.reverse_bits()),
            Op::DivU64 => a64!(a, b => a.checked_div(b).unwrap_or(u64::MAX)),
            Op::RemU64 => a64!(a, b => a.checked_rem(b).unwrap_or(a)),
            Op::DivS64 => {
                a64!(a, b => if b == 0 { u64::MAX } else { (a as i64).wrapping_div(b as i64) as u64 })
            }
            Op::RemS64 => a64!(a, b => if b == 0 { a } else { (a as i64).wrapping_rem(b as i64) as u64 }),
            Op::ZeroExtend64(n) => {
                let s = 64 - u32::from(n);
                a64!(a => (a << s) >> s)
            }
            Op::SignExtend64(n) => {
                let s = 64 - u32::from(n);
                a64!(a => (((a << s) as i64) >> s) as u64)
            }
            Op::Selp64 => {
                let (a, b, p) = (self.get64(k, ra), self.get64(k, rb), self.get_pred(rc));
                let out = lanes(|i| if p & BIT[i] != 0 { a[i] } else { b[i] });
                self.set64(mask, d, &out);
            }

            Op::MulWideU => {
                let (a, b) = (self.get32(k, ra), self.get32(k, rb));
                let out = lanes(|i| u64::from(a[i]) * u64::from(b[i]));
                self.set64(mask, d, &out);
            }
            Op::MulWideS => {
                let (a, b) = (self.get32(k, ra), self.get32(k, rb));
                let out = lanes(|i| (i64::from(a[i] as i32) * i64::from(b[i] as i32)) as u64);
                self.set64(mask, d, &out);
            }
            Op::MadWideU => {
                let (a, b, c) = (self.get32(k, ra), self.get32(k, rb), self.get64(k, rc));
                let out = lanes(|i| (u64::from(a[i]) * u64::from(b[i])).wrapping_add(c[i]));
                self.set64(mask, d, &out);
            }
            Op::MadWideS => {
                let (a, b, c) = (self.get32(k, ra), self.get32(k, rb), self.get64(k, rc));
                let out = lanes(|i| {
                    (i64::from(a[i] as i32) * i64::from(b[i] as i32)).wrapping_add(c[i] as i64) as u64
                });
                self.set64(mask, d, &out);
            }
            Op::Low => from64!(a => a as u32),
            Op::High => from64!(a => (a >> 32) as u32),
            Op::Pack => {
                let (a, b) = (self.get32(k, ra), self.get32(k, rb));
                let out = lanes(|i| join(a[i], b[i]));
                self.set64(mask, d, &out);
            }

            Op::SetpU32(cmp, combine) => setp!(get32, u32, cmp, combine),
            Op::SetpS32(cmp, combine) => setp!(get32, i32, cmp, combine),
            Op::SetpU64(cmp, combine) => setp!(get64, u64, cmp, combine),
            Op::SetpS64(cmp, combine) => setp!(get64, i64, cmp, combine),
            Op::MovP => self.set_pred(mask, d, self.get_pred(ra)),
            Op::NotP => self.set_pred(mask, d, !self.get_pred(ra)),
            Op::AndP => self.set_pred(mask, d, self.get_pred(ra) & self.get_pred(rb)),
            Op::OrP => self.set_pred(mask, d, self.get_pred(ra) | self.get_pred(rb)),
            Op::XorP => self.set_pred(mask, d, self.get_pred(ra) ^ self.get_pred(rb)),
        }
    }

    fn accumulate64(&mut self, mask: u32, d: u32, x: &Lanes64, c: &Lanes64, carry: Carry) {
        let (mut out, mut cc) = ([0; LANES], [0; LANES]);
        for i in 0..LANES {
            let cin = if carry.cin { u64::from(self.cc[i] & 1) } else { 0 };
            let (s, c1) = x[i].overflowing_add(c[i]);
            let (t, c2) = s.overflowing_add(cin);
            out[i] = t;
            cc[i] = u32::from(c1 | c2).wrapping_neg();
        }
        self.set64(mask, d, &out);
        if carry.cout {
            blend(&mut self.cc, mask, &cc);
        }
    }
}

fn high_u32(a: u32, b: u32) -> u32 {
    ((u64::from(a) * u64::from(b)) >> 32) as u32
}

fn high_s32(a: u32, b: u32) -> u32 {
    ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32
}

fn high_u64(a: u64, b: u64) -> u64 {
    ((u128::from(a) * u128::from(b)) >> 64) as u64
}

fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | (u64::from(high) << 32)
}

/// `prmt` in its default mode: nibble `j` of `c` picks byte `j`; its top bit replicates the sign.
fn permute(a: u32, b: u32, c: u32) -> u32 {
    let bytes = join(a, b).to_le_bytes();
    let pick = |j: u32| {
        let n = (c >> (4 * j)) & 0xf;
        let byte = bytes[(n & 7) as usize];
        if n & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte }
    };
    u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)])
}

fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut out = 0;
    for row in 0..8 {
        if table & (1 << row) != 0 {
            let pick = |x: u32, bit: u32| if row & bit != 0 { x } else { !x };
            out |= pick(a, 4) & pick(b, 2) & pick(c, 1);
        }
    }
    out
}

/// `bfe` of 32 or 64 bits: position and length are bytes; bits past the top read as zero, or as the sign.
/// What is above `bits` in the result has no meaning.
fn bit_field(a: u64, bits: u32, [position, length]: [u32; 2], signed: bool) -> u64 {
    let (pos, len) = (position & 0xff, length & 0xff);
    if len == 0 {
        return 0;
    }
    let above = 64 - bits;
    let wide = if signed { i128::from((a << above) as i64 >> above) } else { i128::from(a) };
    let shifted = (wide >> pos.min(127)) as u64;
    if len >= bits {
        return shifted;
    }
    // The sign is bit `min(pos + len, bits) - 1` of the source.
    let sign = signed && (a >> ((pos + len).min(bits) - 1)) & 1 != 0;
    let low = shifted & ((1 << len) - 1);
    if sign { low | (u64::MAX << len) } else { low }
}
