//! Whether a kernel's products, and the functions it uses, are inlined or called.
//!
//! In line a block costs nothing besides itself. A call moves operands and results to where the function has
//! them, which is 4 to 8 % of a kernel's instructions, but the block stands in an image once. What that is
//! worth is measured with ptxas 13.5 (`docs/log/experiments.md`, "Calls or in line"): up to 8 words the
//! instruction cache and the assembler's time set the limit, above them registers do. The decision is for a
//! kernel as a whole: where only its most frequent products are called, kernels of 12 words spill.
//!
//! It is made by the instructions of the products as the cost model counts them, before variants are chosen,
//! since products that run one after another have other variants than products side by side.

use crate::declaration::FieldDesc;
use crate::fir::ir::{Kernel, Op, Type};
use crate::targets::Machine;
use crate::targets::ptx::{Bound, FieldOp, Ptx, choose};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Instructions of a kernel's products up to which they are inlined: with what stands around them about
/// the 8192 that the instruction cache of 128 kB holds.
const SHORT: u32 = 7000;
/// The same for fields above [`SHORT_WORDS`]. One mixed addition of 12 words has 3700 and is better in line;
/// a doubling and an addition in a loop have 5300, and in line take 255 registers and 136 bytes of stack,
/// called 242 and none.
const LONG: u32 = 4800;
/// Words of an element up to which [`SHORT`] is the limit.
const SHORT_WORDS: usize = 8;

/// Whether the products of a kernel are functions of their own, run one after another. Those of extension
/// fields always are: what in line they would save or spill depends on the kernel.
pub(super) fn calls(kernel: &Kernel) -> bool {
    let Some(field) = &kernel.field else { return false };
    let limit = if field.words <= SHORT_WORDS { SHORT } else { LONG };
    kernel.tower.top() > 0 || kernel.values().map(|v| instructions(field, &kernel[v])).sum::<u32>() > limit
}

/// A function is called where so many times the words that go in and out are no more than the instructions of
/// its products: a word is moved by one instruction.
const MOVES: u32 = 20;

/// Instructions of the products of a function from which on it is called even from one place: it is compiled
/// once for all kernels of an image. Below, a kernel with a single place is faster with a copy there
/// (`docs/log/experiments.md`, "Functions").
const LARGE: u32 = 16_000;
/// The same over extension fields: a copy has its point in shared memory, a call both in registers, and the
/// rest on the stack. An addition over Fq2 of 12 words has 17 000, and in line a third of the local memory
/// (`docs/log/experiments.md`, "Sums by bits in short launches").
const LARGE_IN_EXTENSIONS: u32 = 20_000;

/// Whether a function of FIR is called from so many places of a kernel.
pub(super) fn calls_function(function: &Kernel, sites: usize) -> bool {
    let Some(field) = &function.field else { return false };
    let signature = function.function.clone().unwrap_or_default();
    let words = |types: &[Type]| types.iter().map(|ty| Ptx::registers(function, *ty).max(1)).sum::<u32>();
    let products: u32 = function.values().map(|v| instructions(field, &function[v])).sum();
    let moved = words(&signature.arguments) + words(&signature.results);
    let large = if function.tower.top() > 0 { LARGE_IN_EXTENSIONS } else { LARGE };
    MOVES * moved <= products && (sites > 1 || products >= large)
}

/// Machine instructions of a product, by the variant that is cheapest for canonical operands; 0 of other
/// operations.
fn instructions(field: &FieldDesc, op: &Op) -> u32 {
    if op.field().is_none_or(|(op, _)| op.products() == 0) {
        return 0;
    }
    let op = match op.field() {
        // Of all constants alike.
        Some((FieldOp::MulConst(_), _)) => FieldOp::MulConst(&field.p / 3u32),
        Some((op, _)) => op.clone(),
        None => return 0,
    };
    /// By modulus and operation, which determine them.
    static KNOWN: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());
    let key = format!("{:x} {op:?}", field.p);
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
    known.unwrap_or_else(|| {
        let operands = vec![Bound::Canonical; op.operands(field)];
        let count = choose(field, &op, &operands).map_or(0, |choice| choice.cost.issue());
        KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(key, count);
        count
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fir::build::{Builder, Fe, Handle};
    use curvesmith_abi::Geometry;
    use curvesmith_abi::kernels::FieldMulSub;
    use num_bigint::BigUint;

    /// Whether so many products in a row are called, for a modulus `2^bits - less`.
    fn called(bits: u32, less: u32, products: usize) -> bool {
        let field = FieldDesc::new("f", (BigUint::from(1u32) << bits) - less);
        let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &field);
        let i = b.global_index();
        let (x, y) = (b.buffer("a").field(i), b.buffer("b").field(i));
        b.buffer("out").set_field(i, (0..products).fold(x, |product, _| product * y));
        calls(&b.finish())
    }

    #[test]
    fn a_kernel_calls_its_products_beyond_its_budget() {
        // Eight words, of 226 instructions a product; nine, which reach the registers sooner.
        assert!(!called(254, 127, 30) && called(254, 127, 40));
        assert!(!called(279, 69, 12) && called(279, 69, 30));
    }

    /// Whether a function of so many products in a row is called from so many places.
    fn function_called(bits: u32, less: u32, products: usize, sites: usize) -> bool {
        let field = FieldDesc::new("f", (BigUint::from(1u32) << bits) - less);
        let b = Builder::for_field::<FieldMulSub>(&Geometry::PTX, &field);
        let f = b.function("f", &[Type::Field, Type::Field]);
        let [x, y] = [0, 1].map(|i| Fe::wrap(&f, f.arguments()[i]));
        let power = (0..products).fold(x, |product, _| product * y).id();
        calls_function(&f.finish_function(&[power]), sites)
    }

    #[test]
    fn a_function_is_called_where_that_is_small_beside_its_work() {
        // Three elements of eight words go in and out, which is a twentieth of three products.
        assert!(!function_called(254, 127, 2, 2) && function_called(254, 127, 4, 2));
        // From a single place a large one alone.
        assert!(!function_called(254, 127, 40, 1) && function_called(254, 127, 100, 1));
        // Of two words, a product is few instructions.
        assert!(!function_called(61, 1, 2, 2));
    }

    #[test]
    fn long_elements_call_few_products_and_short_ones_none() {
        assert!(called(1024, 105, 2) && !called(61, 1, 200));
    }
}
