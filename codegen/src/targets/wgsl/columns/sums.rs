//! Columns of products, and limbs cut anew.

use super::Sizes;
use super::ir::{Inst, Op, Program, Src};
use crate::declaration::FieldDesc;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

const ZERO: Src = Src::Imm(0);

/// Rows of `limb` bits that divide by `2^bits`, but for the last, and the bits of that, `1..=limb`.
pub(in crate::targets::wgsl) fn rows(bits: usize, limb: u32) -> (usize, u32) {
    let full = (bits - 1) / limb as usize;
    (full, (bits - full * limb as usize) as u32)
}

/// `-p⁻¹ mod 2^bits`, `bits` below 32.
fn n0(field: &FieldDesc, bits: u32) -> u32 {
    let limb = BigUint::one() << bits;
    let inverse = field.p.modinv(&limb).unwrap_or_default();
    (&limb - inverse % &limb).to_u32().expect("at most 2^31") % (1 << bits)
}

/// Bits of a limb that has all that is left.
const ALL: u32 = 1 << 16;

/// The number that sums make, each with the bits between its weight and that of the next one: limbs of so
/// many bits, of which the last has what is left. All but the first have the bits of a limb.
pub(in crate::targets::wgsl) fn carried_up(program: &mut Program, sums: &[(Src, u32)]) -> Vec<(Src, u32)> {
    let (mut limbs, mut above) = (vec![], ZERO);
    for (i, &(sum, bits)) in sums.iter().enumerate() {
        let all = program.plus(sum, above);
        let a = program.limb(all);
        if i + 1 == sums.len() {
            limbs.push((a.into(), ALL));
            break;
        }
        limbs.push((program.write(Op::Mask { a, bits }).into(), bits));
        above = program.write(Op::Shift { a, bits }).into();
    }
    if let Some((_, lowest)) = sums.first() {
        let limbs = limbs.iter().map(|(limb, _)| *limb).collect();
        program.insts.push(Inst::Normal { limbs, lowest: *lowest });
    }
    limbs
}

/// A number on `count` limbs of `bits` bits; it is given as limbs and their bits, the lowest first. Bits are
/// taken from the lowest limb that has some left until one is full. The last one takes whole limbs, of those
/// that begin within its bits.
pub(in crate::targets::wgsl) fn regrouped(
    program: &mut Program,
    from: &[(Src, u32)],
    (count, bits): (usize, u32),
) -> Vec<Src> {
    let mut inputs = from.iter().copied();
    let mut rest = inputs.next();
    let mut outputs = vec![];
    for i in 0..count {
        let (mut sum, mut filled) = (ZERO, 0);
        while let Some((limb, left)) = rest
            && filled < bits
        {
            let a = program.limb(limb);
            let taken = if i + 1 == count { left } else { left.min(bits - filled) };
            let mut part = a;
            if taken < left {
                part = program.write(Op::Mask { a, bits: taken });
                let above = program.write(Op::Shift { a, bits: taken });
                rest = Some((above.into(), left - taken));
            } else {
                rest = inputs.next();
            }
            if filled > 0 {
                part = program.write(Op::Double { a: part, bits: filled });
            }
            sum = program.plus(sum, part.into());
            filled += taken;
        }
        outputs.push(sum);
    }
    outputs
}

/// A product of limbs in a column, and the most that it is.
pub(in crate::targets::wgsl) struct Term {
    /// The row that needs it.
    row: usize,
    column: usize,
    factors: (Src, Src),
    most: u128,
}

/// All products of two numbers, row by row.
pub(in crate::targets::wgsl) fn rectangle(x: &[Src], most_x: &[u64], y: &[Src], most_y: &[u64]) -> Vec<Term> {
    let term = |i: usize, j: usize| Term {
        row: i,
        column: i + j,
        factors: (x[i], y[j]),
        most: u128::from(most_x[i]) * u128::from(most_y[j]),
    };
    (0..x.len()).flat_map(|i| (0..y.len()).map(move |j| (i, j))).map(|(i, j)| term(i, j)).collect()
}

/// The products of a square: of different limbs once, by twice one of them.
pub(in crate::targets::wgsl) fn squares(program: &mut Program, x: &[Src], most: &[u64]) -> Vec<Term> {
    let twice: Vec<Src> = x
        .iter()
        .map(|limb| {
            let a = program.limb(*limb);
            program.write(Op::Double { a, bits: 1 }).into()
        })
        .collect();
    let term = |i: usize, j: usize| Term {
        row: i,
        column: i + j,
        factors: (x[i], if i == j { x[j] } else { twice[j] }),
        most: u128::from(most[i]) * u128::from(most[j]) * if i == j { 1 } else { 2 },
    };
    (0..x.len()).flat_map(|i| (i..x.len()).map(move |j| (i, j))).map(|(i, j)| term(i, j)).collect()
}

/// Sums of products of limbs, by weight, and the most that each is.
pub(in crate::targets::wgsl) struct Columns<'a> {
    program: &'a mut Program,
    sums: Vec<(Src, u128)>,
    sizes: Sizes,
}

/// `columns(0) + 2^by·Σ columns(i+1)·2^(b·i)` for limbs of `b` bits.
pub(in crate::targets::wgsl) struct Reduced {
    /// `columns`
    pub(in crate::targets::wgsl) columns: Vec<Src>,
    /// Below `b`.
    pub(in crate::targets::wgsl) by: u32,
}

impl<'a> Columns<'a> {
    /// That begin with limbs, each with the most that it is.
    pub(in crate::targets::wgsl) fn new(
        program: &'a mut Program,
        sizes: Sizes,
        start: Vec<(Src, u64)>,
    ) -> Columns<'a> {
        let sums = start.into_iter().map(|(limb, most)| (limb, most.into())).collect();
        Columns { program, sums, sizes }
    }

    /// The most that a limb is.
    fn limb(&self) -> u128 {
        (1 << self.sizes.limb) - 1
    }

    /// Whether a word does not hold it.
    fn is_beyond(&self, most: u128) -> bool {
        most >= 1 << self.sizes.word
    }

    /// Adds a product; what is carried goes on where a word would not hold the sum.
    pub(in crate::targets::wgsl) fn add(&mut self, column: usize, (a, b): (Src, Src), most: u128) {
        if self.sums.len() <= column {
            self.sums.resize(column + 1, (ZERO, 0));
        }
        if most == 0 {
            return;
        }
        if self.is_beyond(self.sums[column].1 + most) {
            self.carry(column);
        }
        let (sum, before) = self.sums[column];
        self.sums[column] = (self.program.write(Op::Mul { sum, a, b }).into(), before + most);
    }

    /// What a column has above a limb goes to the next.
    fn carry(&mut self, column: usize) {
        if self.sums.len() == column + 1 {
            self.sums.push((ZERO, 0));
        }
        let (sum, most) = self.sums[column];
        let (a, bits) = (self.program.limb(sum), self.sizes.limb);
        let high = self.program.write(Op::Shift { a, bits });
        self.sums[column] = (self.program.write(Op::Mask { a, bits }).into(), most.min(self.limb()));
        self.plus(column + 1, high.into(), most >> bits);
    }

    /// Carries `count - 1` columns from one on to the next ones, each with those before it. Each is then
    /// taken for what it may be at most.
    pub(in crate::targets::wgsl) fn carry_from(
        &mut self,
        start: usize,
        count: usize,
        most: impl Fn(usize) -> u64,
    ) {
        self.sums.resize(self.sums.len().max(start + count - 1), (ZERO, 0));
        for column in start..start + count - 1 {
            self.carry(column);
        }
        for (j, (_, known)) in self.sums[start..start + count].iter_mut().enumerate() {
            *known = most(j).into();
        }
    }

    /// Adds what is carried.
    fn plus(&mut self, column: usize, carry: Src, most: u128) {
        if self.is_beyond(self.sums[column].1 + most) {
            self.carry(column);
        }
        let (sum, before) = self.sums[column];
        self.sums[column] = (self.program.plus(sum, carry), before + most);
    }

    /// The program, for what is written between columns.
    pub(in crate::targets::wgsl) fn program(&mut self) -> &mut Program {
        self.program
    }

    /// The sum of the terms, divided by so many words.
    pub(in crate::targets::wgsl) fn divided(
        mut self,
        field: &FieldDesc,
        p: &[u64],
        words: usize,
        terms: &[Term],
    ) -> Reduced {
        let (full, _) = rows(32 * words, self.sizes.limb);
        for row in 0..=full {
            let own = terms.iter().filter(|term| term.row == row || row == full && term.row > row);
            own.for_each(|term| self.add(term.column, term.factors, term.most));
            self.reduce(field, p, words, row);
        }
        self.reduced(words)
    }

    /// Row `row` of a division by so many words: the multiple of `p`, whose limbs are given, is added that
    /// clears the lowest column, in the last row only the bits that are left to divide by.
    pub(in crate::targets::wgsl) fn reduce(
        &mut self,
        field: &FieldDesc,
        p: &[u64],
        words: usize,
        row: usize,
    ) {
        let limb = self.sizes.limb;
        let (full, last) = rows(32 * words, limb);
        let bits = if row == full { last } else { limb };
        self.sums.resize(self.sums.len().max(row + 2), (ZERO, 0));
        let most_q = (1u128 << bits) - 1;
        // A word holds the sum.
        if self.is_beyond(self.sums[row].1 + most_q * u128::from(p[0])) {
            self.carry(row);
        }
        let a = self.program.limb(self.sums[row].0);
        let q = self.program.write(Op::Quotient { a, by: n0(field, bits), bits });
        let carry = self.program.write(Op::Carry { a, q, p0: p[0] as u32, bits });
        let most = (self.sums[row].1 + most_q * u128::from(p[0])) >> bits;
        for (j, &p) in p.iter().enumerate().skip(1).filter(|(_, p)| **p != 0) {
            self.add(row + j, (q.into(), Src::Imm(p as u32)), most_q * u128::from(p));
        }
        self.sums[row] = (carry.into(), most);
        if row < full {
            self.plus(row + 1, carry.into(), most);
        }
    }

    /// What is left after the last row of a division by so many words.
    pub(in crate::targets::wgsl) fn reduced(self, words: usize) -> Reduced {
        let limb = self.sizes.limb;
        let (full, last) = rows(32 * words, limb);
        Reduced { columns: self.sums[full..].iter().map(|(sum, _)| *sum).collect(), by: limb - last }
    }
}
