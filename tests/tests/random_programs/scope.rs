//! What a program has at hand at one place, and numbers at the edges.

use curvesmith_codegen::fir::build::{Builder, Fe, Handle, Pred, U32, U64, Var};
use curvesmith_tests::Random;

/// Words where signs, widths and shift amounts change.
pub(crate) const WORDS: [u32; 18] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    0xffff,
    0x1_0000,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
];

/// The same of 64 bits.
pub(crate) const LONGS: [u64; 18] = [
    0,
    1,
    2,
    31,
    32,
    63,
    64,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
];

/// Values of one type, and locals that hold such.
#[derive(Clone)]
pub(crate) struct Pool<'k, T> {
    pub(crate) values: Vec<T>,
    pub(crate) locals: Vec<Var<'k, T>>,
}

/// What may be read at one place. A nested block has a copy: what it adds is gone behind it.
#[derive(Clone)]
pub(crate) struct Scope<'k> {
    pub(crate) words: Pool<'k, U32<'k>>,
    pub(crate) longs: Pool<'k, U64<'k>>,
    pub(crate) preds: Pool<'k, Pred<'k>>,
    /// Empty in kernels without a field.
    pub(crate) elements: Pool<'k, Fe<'k>>,
}

impl<'k, T: Handle<'k>> Pool<'k, T> {
    pub(crate) fn of(values: Vec<T>) -> Self {
        Pool { values, locals: vec![] }
    }

    /// A value, recent ones most often, so that chains grow.
    pub(crate) fn pick(&self, random: &mut Random) -> T {
        let back = random.below(self.values.len().min(4)).min(random.below(self.values.len()));
        self.values[self.values.len() - 1 - back]
    }

    /// Reads, writes or declares a local.
    pub(crate) fn touch_local(&mut self, b: &'k Builder, random: &mut Random) {
        let value = self.pick(random);
        match (random.below(5), self.locals.is_empty()) {
            (0, _) | (_, true) => self.locals.push(b.var(value)),
            (1 | 2, _) => random.one_of(&self.locals).set(value),
            _ => self.values.push(random.one_of(&self.locals).get()),
        }
    }
}

/// Makes locals differ from each other, and from what the passes know of them: none can be left out.
pub(crate) fn stir<'k>(b: &'k Builder, locals: &[Var<'k, Fe<'k>>], first: Fe<'k>) {
    b.for_(b.u32(0), b.u32(2), 1, |_| {
        locals.iter().fold(first, |sum, local| {
            let next = sum + local.get();
            local.set(next);
            next
        });
    });
}
