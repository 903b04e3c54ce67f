//! Both groups of a curve with `a` not zero and an odd number of words, against points computed on integers.

#[path = "integers/points.rs"]
mod points;
#[path = "integers/sums.rs"]
mod sums;

use num_bigint::BigUint;
use outside::nine_words::{Fq, G1, G1Config, G2, G2Config};
use points::Coordinates;

#[test]
fn the_first_group() {
    let coordinates = Coordinates { p: sums::modulus::<Fq>(), nonresidue: BigUint::ZERO };
    sums::weierstrass::<G1, G1Config>(&coordinates);
    sums::formulas::<G1, G1Config>(&coordinates);
}

#[test]
fn the_second_group() {
    let p = sums::modulus::<Fq>();
    let coordinates = Coordinates { nonresidue: &p - 1u32, p };
    sums::weierstrass::<G2, G2Config>(&coordinates);
    sums::formulas::<G2, G2Config>(&coordinates);
}
