//! Linear forms by node.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::poly::Id;
use crate::targets::ptx::arithmetic::num::Num;

/// A form of few nodes.
pub(super) type Sparse = BTreeMap<Id, Num>;

/// A form of many nodes, from which the newest is taken first.
#[derive(Debug, Default)]
pub(super) struct Form {
    /// By node; zero where the bit of the node is not set.
    coefficients: Vec<Num>,
    present: Vec<u64>,
    /// Words of `present` from here on are zero.
    end: usize,
}

impl Form {
    /// Adds `k·c·node`.
    pub(super) fn add(&mut self, id: Id, k: &Num, c: i128) {
        let (word, bit) = place(id);
        self.present[word] |= bit;
        self.end = self.end.max(word + 1);
        let entry = &mut self.coefficients[id as usize];
        match c {
            1 => *entry += k,
            _ => *entry += &k.times(c),
        }
    }

    /// Whether a node was added and not taken.
    pub(super) fn contains(&self, id: Id) -> bool {
        let (word, bit) = place(id);
        self.present[word] & bit != 0
    }

    /// Takes the coefficient of a node.
    pub(super) fn take(&mut self, id: Id) -> Num {
        let (word, bit) = place(id);
        self.present[word] &= !bit;
        std::mem::take(&mut self.coefficients[id as usize])
    }

    /// The newest node.
    pub(super) fn newest(&mut self) -> Option<Id> {
        while self.end > 0 {
            let word = self.present[self.end - 1];
            if word != 0 {
                return Some((64 * self.end - 1 - word.leading_zeros() as usize) as Id);
            }
            self.end -= 1;
        }
        None
    }
}

fn place(id: Id) -> (usize, u64) {
    (id as usize / 64, 1 << (id % 64))
}

/// Forms that were used up, so that none has to be cleared.
#[derive(Debug, Default)]
pub(super) struct Spare(RefCell<Vec<Form>>);

impl Spare {
    /// An empty form with room for so many nodes.
    pub(super) fn take(&self, nodes: usize) -> Form {
        let mut form = self.0.borrow_mut().pop().unwrap_or_default();
        if form.coefficients.len() < nodes {
            // More room than is asked for: nodes are added one by one.
            let room = nodes.next_power_of_two().max(64);
            form.coefficients.resize(room, Num::default());
            form.present.resize(room / 64, 0);
        }
        form
    }

    /// Takes back a form of which nothing is left.
    pub(super) fn give(&self, mut form: Form) {
        if form.newest().is_none() {
            self.0.borrow_mut().push(form);
        }
    }
}
