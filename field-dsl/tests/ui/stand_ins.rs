use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = ;
        fr = 96;
        fq2 = ;
        fq4 = fq2[w] / (w^2 - [2, 1]);
        g1: twisted_edward over fq { };
        g2: short_weierstrass over fq2 { b = [1, 2];
        };
    }
}

use curvesmith_runtime::__private::ark_ec::AffineRepr;
use toy::{Fq, Fq2, Fq4, Fr, G1Affine, G1Config, G1Projective, G2Affine, G2Config, G2Projective};

// An editor shows these types, whatever is wrong with the numbers.
fn types(x: Fq, k: Fr) -> (Fq2, G1Projective, G2Projective) {
    let sum = G2Affine::generator() * (k + k);
    (Fq2::new(x, x), G1Affine::generator() * k, sum)
}

fn main() {
    let _ = (types, toy::FqField, toy::FrField, toy::G1, toy::G2);
    let _: Option<(Fq4, G1Config, G2Config)> = None;
}
