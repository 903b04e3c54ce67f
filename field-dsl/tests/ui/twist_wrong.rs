use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
        fr = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 0; b = 3; generator = (1, 2); cofactor = 1; };
        g2: short_weierstrass over fq2 {
            a = [0, 0];
            b = [27, 3];
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
        };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2);
    let _: Option<(toy::G1Affine, toy::G2Projective, toy::Fq2)> = None;
}
