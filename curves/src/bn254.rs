//! BN254: Barreto and Naehrig's curve at t = 4965661367192848881, as in EIP-196 and EIP-197.
//!
//! Constants: ark-bn254 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// BN254, also called BN128 or alt_bn128: 254-bit fields, two-adicity 28 of `Fr`.
    pub mod bn254 {
        crate = curvesmith_runtime;
        fq = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47 { generator = 3; };
        fr = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001 {
            generator = 5;
            small_subgroup = 3^2;
        };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 0; b = 3; generator = (1, 2); cofactor = 1; constant_work; };
        g2: short_weierstrass over fq2 {
            a = [0, 0];
            b = [
                0x2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5,
                0x9713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2,
            ];
            generator = (
                [
                    0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed,
                    0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2,
                ],
                [
                    0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa,
                    0x90689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b,
                ],
            );
            cofactor = 0x30644e72e131a029b85045b68181585e06ceecda572a2489345f2299c0f9fa8d;
            constant_work;
        };
        arkworks {
            fq = ark_bn254::Fq;
            fr = ark_bn254::Fr;
            fq2 = ark_bn254::Fq2;
            g1 = ark_bn254::G1Projective;
            g2 = ark_bn254::G2Projective;
            engine = ark_bn254::Bn254;
        }
    }
}
