//! A sort of codes by counting: counts and places by atomics, a thread a code. No block waits for another, so
//! it runs where nothing says that blocks go on. In return the pairs of one key come in any order, and codes
//! of one key wait for each other's atomics.
//!
//! Counts stand one place behind their keys. After an exclusive scan key `k` begins at what stands at
//! `k + 1`. The scatter moves that on to the end of the key, where the next one begins: what was places is
//! where buckets begin, and nothing is copied.

use super::radix::{KEY, base_of_code};
use crate::fir::build::{Builder, Pred, U32};
use crate::fir::ir::{AtomicOp, Kernel, Order};
use curvesmith_abi::Geometry;
use curvesmith_abi::kernels::{BucketCounts, BucketScatter, NO_DIGIT};

pub(super) fn bucket_counts(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<BucketCounts>(geometry);
    let code = Code::of_thread(&b);
    b.if_(code.is_digit(), || {
        add_one(&b, "counts", code.key());
    });
    b.finish()
}

pub(super) fn bucket_scatter(geometry: &Geometry) -> Kernel {
    let b = Builder::common::<BucketScatter>(geometry);
    let code = Code::of_thread(&b);
    b.if_(code.is_digit(), || {
        let in_segment = code.at % b.scalar("n");
        let base = base_of_code(&b)(in_segment);
        let exponent = (code.word & KEY) >> b.scalar("key_bits");
        let entry = base * b.scalar("doublings") + exponent;
        let key = code.key();
        let place = add_one(&b, "places", key);
        b.buffer("keys_out").set_word(place, key);
        b.buffer("entries_out").set_word(place, entry | (code.word & !KEY));
    });
    b.finish()
}

/// What stands one behind a key in a buffer, which one is added to.
fn add_one<'k>(b: &'k Builder, buffer: &str, key: U32<'k>) -> U32<'k> {
    b.buffer(buffer).atomic(AtomicOp::Add, key + 1, b.u32(1), Order::Relaxed)
}

/// A thread's code.
struct Code<'k> {
    b: &'k Builder,
    at: U32<'k>,
    word: U32<'k>,
}

impl<'k> Code<'k> {
    /// Threads past the last code end here.
    fn of_thread(b: &'k Builder) -> Self {
        let at = b.global_index();
        b.return_if(at.ge(b.scalar("segments") * b.scalar("n")));
        Code { b, at, word: b.buffer("codes").word(at) }
    }

    fn is_digit(&self) -> Pred<'k> {
        self.word.ne(self.b.u32(NO_DIGIT))
    }

    fn key(&self) -> U32<'k> {
        self.word & ((self.b.u32(1) << self.b.scalar("key_bits")) - 1)
    }
}
