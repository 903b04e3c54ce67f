//! Field operations through loops and branches.

use super::scope::stir;
use super::{MOST, Trial, check};
use curvesmith_abi::kernels::FieldMulSub;
use curvesmith_abi::{Geometry, Kernel as _, TableShape, padded_words};
use curvesmith_codegen::declaration::{FieldDesc, Tower};
use curvesmith_codegen::fir::build::{Builder, Fe, Handle, Pred, Table, U32, U64, Var};
use curvesmith_codegen::fir::interp::{Argument, to_words};
use curvesmith_codegen::fir::ir::{Below, Kernel, Type};
use curvesmith_tests::{Random, Size};
use num_bigint::BigUint;
use std::cell::RefCell;

/// Threads with data.
const N: usize = 40;

/// Writes a random program over values and locals in scope.
struct Writer<'k> {
    b: &'k Builder,
    random: &'k mut Random,
    locals: Vec<Var<'k, Fe<'k>>>,
    counter: U32<'k>,
    /// Functions that may call each other.
    nesting: usize,
}

impl<'k> Writer<'k> {
    fn pick(&mut self, values: &[Fe<'k>]) -> Fe<'k> {
        // Recent values most often, so that chains grow.
        let back = self.random.below(values.len().min(4)).min(self.random.below(values.len()));
        values[values.len() - 1 - back]
    }

    fn condition(&mut self, values: &[Fe<'k>]) -> Pred<'k> {
        match self.random.below(3) {
            0 => self.pick(values).is_zero(),
            1 => (self.pick(values) - self.pick(values)).is_zero(),
            _ => (self.counter & (1 << self.random.below(3))).is(0),
        }
    }

    fn value(&mut self, values: &[Fe<'k>]) -> Fe<'k> {
        let (x, y) = (self.pick(values), self.pick(values));
        match self.random.below(25) {
            0..=2 => x + y,
            3..=5 => x - y,
            6 => -x,
            7 => x.dbl(),
            8 | 9 => x * y,
            10 => x.sqr(),
            11 => x.mul_small([0, 1, 3, 8, 12, 255][self.random.below(6)]),
            12 => x.mul_const(&BigUint::from(self.random.word())),
            13 => {
                let terms: Vec<_> =
                    (0..2 + self.random.below(2)).map(|_| (self.pick(values), self.pick(values))).collect();
                self.b.dot(&terms)
            }
            14 => {
                let condition = self.condition(values);
                condition.select(x, y)
            }
            15 => {
                let count = 1 + self.random.below(4);
                let xs: Vec<_> = (0..count).map(|_| self.pick(values)).collect();
                let products = self.b.mul_shared(&xs, y);
                // Sometimes not all of them are needed.
                let used = products.into_iter().skip(self.random.below(2).min(count - 1));
                used.reduce(|sum, product| sum - product).unwrap()
            }
            16 => x.mul_table(&self.table()),
            17 | 18 => self.signed_sum(values),
            21 => {
                let terms: Vec<_> = (0..1 + self.random.below(3))
                    .map(|_| ([x, self.pick(values)], [y, self.pick(values)]))
                    .collect();
                let nonresidue = [-1, 1, -5, 5, 16][self.random.below(5)];
                let [c0, c1] = self.b.dot_fq2(&terms, nonresidue);
                // Sometimes one of them is needed only.
                [c0, c1, c0 - c1, c0 * c1][self.random.below(4)]
            }
            19 => {
                // By one operand, and each needed by itself.
                let xs: Vec<_> = (0..3 + self.random.below(3)).map(|_| self.pick(values) * y).collect();
                xs[1..].iter().fold(xs[0], |sum, product| sum * *product + *product)
            }
            20 => x.from_mont(),
            22 if self.nesting > 0 => self.call(values),
            23 => self.by_words(x, y),
            _ => self.extension(values),
        }
    }

    /// What a random function makes of elements, a word, a long word and a truth, of which it gives one each.
    /// It has locals, branches and loops, and may call another.
    fn call(&mut self, values: &[Fe<'k>]) -> Fe<'k> {
        const OTHERS: [Type; 3] = [Type::U32, Type::U64, Type::Pred];
        let given: Vec<Fe<'k>> = (0..1 + self.random.below(3)).map(|_| self.pick(values)).collect();
        let (word, truth) = (self.counter, self.condition(values));
        let types: Vec<Type> = given.iter().map(|_| Type::Field).chain(OTHERS).collect();
        let f = self.b.function(&format!("function_{:x}", self.random.word()), &types);
        let arguments = f.arguments();
        let (elements, others) = arguments.split_at(given.len());
        let results = {
            let elements: Vec<Fe<'_>> = elements.iter().map(|v| Fe::wrap(&f, *v)).collect();
            let (word, long) = (U32::wrap(&f, others[0]), U64::wrap(&f, others[1]));
            let locals: Vec<_> = elements.iter().map(|x| f.var(*x)).collect();
            let nesting = self.nesting - 1;
            let random = &mut *self.random;
            let mut inner = Writer { b: &f, random, locals: locals.clone(), counter: word, nesting };
            // Enough work that some are called and not copied.
            let count = 8 + inner.random.below(16);
            inner.statements(count, 1, &elements);
            let truth = inner.condition(&elements) ^ Pred::wrap(&f, others[2]);
            let elements = locals.iter().map(|local| local.get().id());
            elements.chain([(word + 1).id(), (long >> 1).id(), truth.id()]).collect::<Vec<_>>()
        };
        let function = self.b.declare(f.finish_function(&results));
        let args = given.iter().map(|x| x.id()).chain([word.id(), (word.widen() << 33).id(), truth.id()]);
        let args: Vec<_> = args.collect();
        let results = self.b.call(function, &args);
        // From a second place, on what it gave: one of a single place may be copied there.
        let results = match self.random.one_in(4) {
            true => results,
            false => {
                let (elements, _) = results.split_at(given.len());
                self.b.call(function, &[elements, &args[given.len()..]].concat())
            }
        };
        let (elements, others) = results.split_at(given.len());
        let elements: Vec<Fe<'k>> = elements.iter().map(|v| Fe::wrap(self.b, *v)).collect();
        // The long word came in as an even number above 32 bits.
        let high = (U64::wrap(self.b, others[1]) >> 32).narrow();
        let same = (U32::wrap(self.b, others[0]) - 1).eq(high) ^ Pred::wrap(self.b, others[2]);
        let sum = elements[1..].iter().fold(elements[0], |sum, x| sum - *x);
        same.select(sum, elements[0])
    }

    /// An element by way of words under a bound, of which not all are read at once.
    fn by_words(&mut self, x: Fe<'k>, y: Fe<'k>) -> Fe<'k> {
        let field = self.b.field_desc();
        let [read, taken] = [0, 0].map(|_| 1 + self.random.below(6) as u32);
        let (read, taken) = (Below(read.min(taken)).fit(&field), Below(read.max(taken)).fit(&field));
        let words = x.words_below(read);
        let between = (x - y).is_zero();
        let other = self.b.from_words_below(&words, taken);
        // The same words once more, behind what may have reduced the element.
        let again = self.b.from_words_below(&x.words_below(read), read);
        between.select(again, other) + x
    }

    /// A coordinate of what elements of the highest level of the kernel's tower are computed to.
    fn extension(&mut self, values: &[Fe<'k>]) -> Fe<'k> {
        let degree = self.b.tower().degree();
        let [x, y, z] = [0; 3].map(|_| {
            let coordinates: Vec<_> = (0..degree).map(|_| self.pick(values)).collect();
            self.b.compose(&coordinates)
        });
        let local = self.b.var(x);
        let result = match self.random.below(7) {
            0 => x * y - z,
            1 => x.sqr() + y,
            2 => self.b.dot(&[(x, y), (y, z)]),
            3 => -(x - y).mul_small(3),
            4 => (x - y).is_zero().select(z, x.dbl()),
            5 => x.mul_base(self.pick(values)) * z,
            _ => {
                local.set(y * z);
                local.get() + x
            }
        };
        let coordinates = result.coordinates();
        coordinates[self.random.below(degree)]
    }

    /// Products that nobody else needs, joined two by two to one sum of either sign each.
    fn signed_sum(&mut self, values: &[Fe<'k>]) -> Fe<'k> {
        let mut terms: Vec<_> = (0..2 + self.random.below(4)).map(|_| self.product(values)).collect();
        while terms.len() > 1 {
            let (x, y) = (self.take(&mut terms), self.take(&mut terms));
            terms.push(if self.random.one_in(2) { x - y } else { x + y });
        }
        terms[0]
    }

    fn take(&mut self, terms: &mut Vec<Fe<'k>>) -> Fe<'k> {
        terms.swap_remove(self.random.below(terms.len()))
    }

    fn product(&mut self, values: &[Fe<'k>]) -> Fe<'k> {
        let (x, y) = (self.pick(values), self.pick(values));
        match self.random.below(4) {
            0 => x.sqr(),
            1 => self.b.dot(&[(x, y), (self.pick(values), self.pick(values))]),
            _ => x * y,
        }
    }

    /// The table of a random constant, in a random shape.
    fn table(&mut self) -> Table<'k> {
        let field = self.b.field_desc();
        let (step, rows) = [(1, 1), (1, 2), (2, 2), (2, 3), (4, 5)][self.random.below(5)];
        let shape = TableShape { step, rows }.fit(field.words);
        let w = BigUint::new((0..field.words).map(|_| self.random.word() as u32).collect());
        // The element whose Montgomery words are those of an entry.
        let r_inv = field.r_mod_p().modinv(&field.p).unwrap();
        let entry = |i: u32| self.b.constant(&((&w << (32 * (shape.rows + shape.step * i))) * &r_inv));
        Table { entries: (0..shape.entries(field.words) as u32).map(entry).collect(), shape }
    }

    fn statements(&mut self, count: usize, depth: usize, values: &[Fe<'k>]) {
        let mut values = values.to_vec();
        for _ in 0..count {
            let l = self.random.one_of(&self.locals);
            match self.random.below(10) {
                0..=4 => values.push(self.value(&values)),
                5 | 6 => l.set(self.pick(&values)),
                7 | 8 => values.push(l.get()),
                _ if depth == 0 => {}
                _ => self.nested(depth - 1, &values),
            }
        }
        let l = self.random.one_of(&self.locals);
        l.set(self.pick(&values));
    }

    fn nested(&mut self, depth: usize, values: &[Fe<'k>]) {
        let (b, inner) = (self.b, 2 + self.random.below(6));
        if self.random.one_in(2) {
            let condition = self.condition(values);
            // Both arms are written by one closure each; the state is shared.
            let this = RefCell::new(self);
            b.if_else(
                condition,
                || this.borrow_mut().statements(inner, depth, values),
                || this.borrow_mut().statements(inner / 2, depth, values),
            );
        } else {
            let rounds = b.u32(1 + self.random.below(4) as u32);
            b.for_(b.u32(0), rounds, 1, |_| self.statements(inner, depth, values));
        }
    }
}

/// One or two levels of random degrees. What they are extended by has roots in some of them, and no operation
/// minds.
fn tower(field: &FieldDesc, random: &mut Random) -> Tower {
    let (mut tower, levels) = (Tower::prime(), 1 + usize::from(random.one_in(4)));
    for _ in 0..levels {
        let mut nonresidue = vec![BigUint::ZERO; tower.degree()];
        let at = random.below(nonresidue.len());
        let small = BigUint::from(1 + random.below(2) as u32);
        nonresidue[at] = match random.below(3) {
            0 => small,
            1 => &field.p - small,
            _ => BigUint::from(random.word()) % (&field.p - 1u32) + 1u32,
        };
        tower = tower.extended(2 + random.below(2), nonresidue);
    }
    tower
}

fn program(field: &FieldDesc, random: &mut Random, most: usize) -> Kernel {
    // In kernels over extensions, products are calls.
    let tower = if random.one_in(3) { tower(field, random) } else { Tower::prime() };
    let b = Builder::new(
        format!("{}_program", field.name),
        FieldMulSub::desc(&Geometry::PTX),
        Some(field.clone()),
        tower,
    );
    let i = b.global_index();
    b.return_if(i.ge(b.scalar("n")));
    let inputs = ["a", "b", "c"].map(|name| b.buffer(name).field(i));
    // Every third program has more locals than registers are meant for, at eight words and more.
    let many = random.one_in(3);
    let locals: Vec<_> = (0..if many { 24 } else { 3 }).map(|l| b.var(inputs[l % 3])).collect();
    if many {
        stir(&b, &locals, inputs[0]);
    }
    let count = (8 + random.below(MOST - 8)).min(most);
    let mut writer = Writer { b: &b, random, locals: locals.clone(), counter: i, nesting: 2 };
    writer.statements(count, 3, &inputs);
    let sum = locals.iter().fold(b.zero(), |sum, l| sum + l.get());
    b.buffer("out").set_field(i, sum);
    b.finish()
}

fn inputs(field: &FieldDesc, random: &mut Random) -> Vec<BigUint> {
    let r_inv = field.r_mod_p().modinv(&field.p).unwrap();
    (0..N)
        .map(|i| {
            let x: Vec<u32> = (0..field.words).map(|_| random.word() as u32).collect();
            let words = match i % 4 {
                0 => BigUint::from(random.below(3)),
                1 => &field.p - 1u32 - random.below(2),
                _ => BigUint::new(x),
            };
            words % &field.p * &r_inv % &field.p
        })
        .collect()
}

pub(super) fn trial(field: &FieldDesc, seed: u64, most: usize) -> Trial {
    let kernel = program(field, &mut Random(seed), most);
    let mut random = Random(!seed);
    let out = vec![0; N * padded_words(field.words)];
    let mut args: Vec<Argument> =
        (0..3).map(|_| Argument::Buffer(to_words(field, &inputs(field, &mut random)))).collect();
    args.extend([Argument::Buffer(out), Argument::U32(N as u32)]);
    Trial { kernel, grid: 1, args, inside: None }
}

/// Programs of `count` seeds from `first` on, more in a long run.
fn fields(list: &[(&str, &str)], first: u64, count: u64) {
    let seeds = first..first + Size::from_env().pick(count, 20 * count);
    for (name, hex) in list {
        let p = BigUint::parse_bytes(hex.as_bytes(), 16).unwrap();
        let field = FieldDesc::new(*name, p);
        seeds.clone().for_each(|seed| check(seed, |most| trial(&field, seed, most)));
    }
}

#[test]
fn toy_fields() {
    let list = [
        ("toy3", "3"),
        ("toy13", "d"),
        ("toy8191", "1fff"),
        ("toy_babybear", "78000001"),
        ("toy_mersenne31", "7fffffff"),
        ("toy_full32", "fffffffb"),
        ("toy_33_bits", "10000000f"),
        ("goldilocks", "ffffffff00000001"),
    ];
    fields(&list, 0, 12);
}

#[test]
fn real_fields_with_spare_bits() {
    let list = [
        ("bn254_fq", "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"),
        ("bls12_381_fr", "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"),
        (
            "bls12_381_fq",
            "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab",
        ),
    ];
    fields(&list, 100, 8);
}

#[test]
fn real_fields_without() {
    let list = [
        ("secp256k1_fq", "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f"),
        ("p256_fq", "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"),
    ];
    fields(&list, 200, 8);
}
