//! Pairing-friendly curves of no crate, by their families.

use curvesmith::curve;

curve! {
    /// A BLS12 curve of 379 bits, two-adicity 51 of `Fr`; all options follow the rules.
    pub mod bls12_379 {
        family: bls12 { x = 0x9b04000000000001; };
    }
}

curve! {
    /// A BLS12 curve of 119 bits, whose negative seed of 21 bits does not fill a word.
    pub mod bls12_small {
        allow(weak_curve);
        family: bls12 { x = -0x10006d; };
    }
}

curve! {
    /// Baby Jubjub (EIP-2494): twisted Edwards over the scalar field of BN254.
    pub mod baby_jubjub {
        fq = 21888242871839275222246405745257275088548364400416034343698204186575808495617;
        fr = 2736030358979909402780800718157159386076813972158567259200215660948447373041;
        g1: twisted_edwards over fq {
            a = 168700;
            d = 168696;
            generator = (
                5299619240641551281634865583518297030282874472190772894086521144482721001553,
                16950150798460657717958625567821834550301663161624707787222815936182638968203,
            );
            cofactor = 8;
        };
    }
}
