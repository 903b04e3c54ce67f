use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
        fr = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
        fq2 = fq[u] / (u^2 + 4);
        g1: short_weierstrass over fq { a = 0; b = 3; generator = (1, 2); cofactor = 1; };
        g2: short_weierstrass over fq2 {
            a = [0, 0];
            b = [0x2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5, 0x4b89d81d787f6a669657d6f76c7efa53a7d04272968c2972515e8342e18ae9];
            generator = ([0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed, 0xcc749c9c906a41d39305fdb98fdae92f8d524999ad4f3894bf242dbd7798961], [0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa, 0x1cb56c219cc8c84fd2776fb1f546c5f9a9e64de26c92acc048e6b379d4cfca51]);
            cofactor = 0x30644e72e131a029b85045b68181585e06ceecda572a2489345f2299c0f9fa8d;
        };
        arkworks { fq = ark_bn254::Fq; fr = ark_bn254::Fr; g1 = ark_bn254::G1Projective; g2 = ark_bn254::G2Projective; }
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2);
    let _: Option<(toy::G1Affine, toy::G2Projective, toy::Fq2)> = None;
}
