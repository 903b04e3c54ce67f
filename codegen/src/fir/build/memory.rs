//! Buffers, shared arrays, and tables of constants in buffers.

use super::{Builder, Fe, U32};
use crate::fir::ir::*;
use curvesmith_abi::{Element, ParamKind, TableShape, padded_words};

/// Words that a prefetch brings at least: two sectors of a line. Elements of buffers begin at multiples of
/// four words.
const FETCHED_WORDS: usize = 16;

/// A buffer parameter.
#[derive(Clone, Copy, Debug)]
pub struct Buffer<'k> {
    pub(super) b: &'k Builder,
    id: ParamId,
}

/// A shared-memory array of words.
#[derive(Clone, Copy, Debug)]
pub struct Shared<'k> {
    b: &'k Builder,
    id: SharedId,
}

/// A shared-memory array of elements of the prime field.
#[derive(Clone, Copy, Debug)]
pub struct SharedElements<'k> {
    b: &'k Builder,
    id: SharedId,
    below: Below,
}

/// The table of a constant, for [`Fe::mul_table`].
#[derive(Clone, Debug)]
pub struct Table<'k> {
    /// The elements whose Montgomery words are the entries.
    pub entries: Vec<Fe<'k>>,
    /// What the entries are.
    pub shape: TableShape,
}

impl Builder {
    /// The buffer parameter of that name.
    pub fn buffer(&self, name: &str) -> Buffer<'_> {
        let (id, kind) = self.param(name);
        assert!(matches!(kind, ParamKind::Buffer(..)), "{name}");
        Buffer { b: self, id }
    }

    /// A new shared array of words.
    pub fn shared(&self, words: u32) -> Shared<'_> {
        Shared { b: self, id: self.shared_array(SharedDecl { length: words, holds: Holds::Words }) }
    }

    /// A new shared array of elements that are below a multiple of `p`, or the largest that the words of the
    /// field hold.
    pub fn shared_elements(&self, length: u32, below: Below) -> SharedElements<'_> {
        let below = below.fit(&self.field_desc());
        let id = self.shared_array(SharedDecl { length, holds: Holds::Elements(below) });
        SharedElements { b: self, id, below }
    }

    fn shared_array(&self, array: SharedDecl) -> SharedId {
        let shared = &mut self.state.borrow_mut().kernel.shared;
        shared.push(array);
        SharedId(shared.len() as u32 - 1)
    }

    fn load<'k>(&'k self, place: Place, count: usize) -> Vec<U32<'k>> {
        let results: Vec<U32<'k>> = (0..count).map(|_| self.result()).collect();
        self.stmt(Stmt::Load { results: results.iter().map(|r| r.id).collect(), place });
        results
    }

    fn store(&self, place: Place, words: &[U32<'_>]) {
        self.stmt(Stmt::Store { place, words: words.iter().map(|w| w.id).collect() });
    }

    fn atomic(&self, op: AtomicOp, place: Place, value: U32<'_>, order: Order, scope: Scope) -> U32<'_> {
        let result = self.result();
        self.stmt(Stmt::Atomic { result: result.id, op, place, value: value.id, order, scope });
        result
    }
}

impl<'k> Buffer<'k> {
    fn place(self, index: U32<'k>, word: u32) -> Place {
        Place::Global { buffer: self.id, index: index.id, word }
    }

    /// The word at `index`, in a buffer of u32.
    pub fn word(self, index: U32<'k>) -> U32<'k> {
        self.b.load(self.place(index, 0), 1)[0]
    }

    /// Writes the word at `index`, in a buffer of u32.
    pub fn set_word(self, index: U32<'k>, value: U32<'k>) {
        self.b.store(self.place(index, 0), &[value]);
    }

    /// Has the second cache fetch element `index`: it is loaded later, by then from there. It must exist, as
    /// for a load.
    pub fn prefetch(self, index: U32<'k>) {
        for word in (0..self.element_words()).step_by(FETCHED_WORDS) {
            self.b.stmt(Stmt::Prefetch { place: self.place(index, word as u32) });
        }
    }

    /// Words of an element, padding included.
    fn element_words(self) -> usize {
        let state = self.b.state.borrow();
        let ParamKind::Buffer(_, element) = state.kernel.desc.params[self.id.0 as usize].kind else {
            unreachable!("a buffer is a buffer parameter")
        };
        let words = state.kernel.field.as_ref().map_or(1, |field| field.words);
        element.bytes(state.kernel.form, words, state.kernel.tower.degree()) / 4
    }

    /// The raw words of field element `part` of element `index`, without padding.
    pub fn part_words(self, index: U32<'k>, part: usize) -> Vec<U32<'k>> {
        let words = self.b.field_desc().words;
        self.b.load(self.place(index, (part * padded_words(words)) as u32), words)
    }

    /// What the buffer's field elements are under.
    fn below(self) -> Below {
        let kind = self.b.state.borrow().kernel.desc.params[self.id.0 as usize].kind;
        let ParamKind::Buffer(_, element) = kind else { unreachable!("a buffer is a buffer parameter") };
        element.below().map_or(Below::CANONICAL, |times| Below(times).fit(&self.b.field_desc()))
    }

    /// Field element `part` of element `index`: a coordinate of a point, or 0 in a field vector.
    pub fn part(self, index: U32<'k>, part: usize) -> Fe<'k> {
        let words = self.part_words(index, part);
        self.b.from_words_below(&words, self.below())
    }

    /// Writes field element `part` of element `index`, padding included.
    pub fn set_part(self, index: U32<'k>, part: usize, value: Fe<'k>) {
        let mut words = value.words_below(self.below());
        words.resize_with(padded_words(words.len()), || self.b.u32(0));
        self.set_part_words(index, part, &words);
    }

    /// Writes the raw words of field element `part` of element `index`, padding included.
    pub fn set_part_words(self, index: U32<'k>, part: usize, words: &[U32<'k>]) {
        self.b.store(self.place(index, (part * words.len()) as u32), words);
    }

    /// Element `index` of a field vector.
    pub fn field(self, index: U32<'k>) -> Fe<'k> {
        self.part(index, 0)
    }

    /// The constant at `index`, in a buffer of tables.
    pub fn table(self, index: U32<'k>) -> Table<'k> {
        let (id, kind) = (self.id, self.b.state.borrow().kernel.desc.params[self.id.0 as usize].kind);
        let ParamKind::Buffer(_, Element::Table(shape)) = kind else { panic!("{id} holds no tables") };
        let words = self.b.field_desc().words;
        let shape = shape.fit(words);
        Table { entries: (0..shape.entries(words)).map(|i| self.part(index, i)).collect(), shape }
    }

    /// Writes element `index` of a field vector.
    pub fn set_field(self, index: U32<'k>, value: Fe<'k>) {
        self.set_part(index, 0, value);
    }

    /// Atomic operation on the word at `index`, in a buffer of u32; the word before.
    pub fn atomic(self, op: AtomicOp, index: U32<'k>, value: U32<'k>, order: Order) -> U32<'k> {
        self.b.atomic(op, self.place(index, 0), value, order, Scope::Device)
    }

    /// The word at `index`, which other threads may write meanwhile; by [`Order::AcquireRelease`] ordered
    /// after the release it reads from.
    pub fn load_ordered(self, index: U32<'k>, order: Order) -> U32<'k> {
        let result = self.b.result();
        let place = self.place(index, 0);
        self.b.stmt(Stmt::LoadOrdered { result: result.id, place, order, scope: Scope::Device });
        result
    }

    /// Writes the word at `index`, which other threads may read meanwhile; by [`Order::AcquireRelease`] after
    /// all earlier accesses of this thread.
    pub fn store_ordered(self, index: U32<'k>, value: U32<'k>, order: Order) {
        let place = self.place(index, 0);
        self.b.stmt(Stmt::StoreOrdered { place, value: value.id, order, scope: Scope::Device });
    }
}

impl<'k> Shared<'k> {
    fn place(self, index: U32<'k>) -> Place {
        Place::Shared { array: self.id, index: index.id }
    }

    /// The word at `index`.
    pub fn word(self, index: U32<'k>) -> U32<'k> {
        self.b.load(self.place(index), 1)[0]
    }

    /// Writes the word at `index`.
    pub fn set_word(self, index: U32<'k>, value: U32<'k>) {
        self.b.store(self.place(index), &[value]);
    }

    /// Atomic operation on the word at `index`; the word before.
    pub fn atomic(self, op: AtomicOp, index: U32<'k>, value: U32<'k>) -> U32<'k> {
        self.b.atomic(op, self.place(index), value, Order::Relaxed, Scope::Block)
    }
}

impl<'k> SharedElements<'k> {
    /// The element at `index`.
    pub fn get(self, index: U32<'k>) -> Fe<'k> {
        let place = Place::Shared { array: self.id, index: index.id };
        let words = self.b.load(place, self.b.field_desc().words);
        self.b.from_words_below(&words, self.below)
    }

    /// Writes the element at `index`.
    pub fn set(self, index: U32<'k>, value: Fe<'k>) {
        let place = Place::Shared { array: self.id, index: index.id };
        self.b.store(place, &value.words_below(self.below));
    }
}
