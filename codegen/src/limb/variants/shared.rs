//! Several Montgomery products with one shared operand.

use num_bigint::BigUint;

use super::acc::terms;
use super::product::{Rows, montgomery_max};
use super::{Offers, reduce};
use crate::limb::Bound;
use crate::limb::ir::{Builder, Src};
use crate::spec::FieldDesc;

/// `shared.apart.*`: one product after another, each as `mul`.
pub(super) fn mul_shared(offers: &mut Offers<'_>, operands: &[Bound]) {
    let f = offers.field;
    let maxima: Vec<BigUint> = operands.iter().map(|x| x.max(f)).collect();
    apart(offers, f, &maxima);
}

fn apart(offers: &mut Offers<'_>, f: &FieldDesc, operands: &[BigUint]) {
    let (y, xs) = operands.split_last().expect("a well-formed op has a shared operand");
    let results: Vec<BigUint> = xs.iter().map(|x| montgomery_max(f, &(x * y))).collect();
    let max = results.iter().max().expect("a well-formed op has a product");
    let product = |b: &mut Builder, i: usize, x: &[Src], shared: &[Src]| -> Vec<Src> {
        let (row, row_max, column) = if xs[i] <= *y { (x, &xs[i], shared) } else { (shared, y, x) };
        let mut rows = Rows::new(f);
        let row = terms(row);
        for &word in column {
            rows.mac(b, &row, row_max, word);
            rows.reduce(b);
        }
        rows.finish(b, &results[i])
    };
    if *max < f.r() {
        let out = Bound::up_to(f, max).expect("it fits");
        offers.push_outputs("shared.apart.lazy", out, |b| {
            each(b, f, xs.len(), |b, i, x, y| product(b, i, x, y));
        });
    }
    if *max >= f.p {
        offers.push_outputs("shared.apart.canonical", Bound::Canonical, |b| {
            each(b, f, xs.len(), |b, i, x, y| {
                let words = product(b, i, x, y);
                reduce::ladder(b, f, words, &results[i])
            });
        });
    }
}

/// Takes the operands and adds a result for each product.
fn each(
    b: &mut Builder,
    f: &FieldDesc,
    products: usize,
    product: impl Fn(&mut Builder, usize, &[Src], &[Src]) -> Vec<Src>,
) {
    let xs: Vec<Vec<Src>> = (0..products).map(|i| b.input(format!("x{i}"), f.words)).collect();
    let y = b.input("y", f.words);
    for (i, x) in xs.iter().enumerate() {
        let words = product(b, i, x, &y);
        b.output(format!("r{i}"), words);
    }
}
