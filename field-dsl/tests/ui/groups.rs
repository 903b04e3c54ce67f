mod allow_unknown {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            allow(weak_curves);
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod coefficient_not_below_modulus {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 199; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod cofactor_g2_miscounted {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = ([39, 184], [104, 90]); cofactor = 405; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod cofactor_miscounted {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 3; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod cofactor_negative {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = -2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod cofactor_not_invertible {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 7;
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 4; b = 2; generator = (136, 29); cofactor = 28; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod cofactor_outside_hasse {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f;
            fr = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
            g1: short_weierstrass over fq { a = 0; b = 7; generator = (
                0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
                0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8,
            ); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod cofactor_refuted {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 65609;
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 35; b = 4; generator = (55902, 15152); cofactor = 679; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod cofactor_zero {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 0; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod fields_exchanged {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 97 { generator = 5; };
            fr = 199 { generator = 3; };
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod generator_exchanged {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (167, 112); cofactor = 2; };
            g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = ([184, 39], [90, 104]); cofactor = 406; };
        }
    }

    curve! {
        pub mod both {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = ([90, 104], [184, 39]); cofactor = 406; };
        }
    }

    // On this curve both are points, and one has another order.
    curve! {
        pub mod symmetric {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 1; d = 11; generator = (191, 5); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::G1, toy::G2, both::G1, symmetric::G1);
    }
}

mod generator_off_curve {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 166); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod generator_says_b {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f;
            fr = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
            g1: short_weierstrass over fq { a = 0; b = 8; generator = (0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798, 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8); cofactor = 1; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod generator_wrong_order {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (0, 4); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod generator_y {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 168); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod generator_y_of_256_bits {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f;
            fr = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
            g1: short_weierstrass over fq { a = 0; b = 7; generator = (
                0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
                0x483ada7726a3c4655da4fbfc0e1108a8fd17b449a68554199c47d08ffb10d4b8,
            ); cofactor = 1; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod generators_exchanged {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = ([39, 184], [104, 90]); cofactor = 2; };
            g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = (112, 167); cofactor = 406; };
        }
    }

    // Both groups are over the same field.
    curve! {
        pub mod same {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (50, 142); cofactor = 2; };
            g2: short_weierstrass over fq { a = 32; b = 29; generator = (112, 167); cofactor = 2; };
        }
    }

    // One generator is written twice.
    curve! {
        pub mod twice {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = (112, 167); cofactor = 406; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2, same::G1, twice::G2);
    }
}

mod missing_group_parts {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; generator = (112, 167); };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod misspelt_option {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2; b = 16; generater = (112, 167); cofator = 2; };
            arkworks { fq = ark_bn254::Fq; fr = ark_bn254::Fr; g1 = ark_bn254::G1Projective; enginee = ark_bn254::Bn254; }
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod singular {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = -3; b = 2; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod twist_cofactor {
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
                cofactor = 0x30644e72e131a029b85045b68181585e06ceecda572a2489345f2299c0f9fa8c;
            };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2);
        let _: Option<(toy::G1Affine, toy::G2Projective, toy::Fq2)> = None;
    }
}

mod twist_wrong {
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

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2);
        let _: Option<(toy::G1Affine, toy::G2Projective, toy::Fq2)> = None;
    }
}

mod twist_wrong_kind {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
            fr = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
            fq2 = fq[u] / (u^2 - (-1));
            fq6 = fq2[v] / (v^3 - [9, 1]);
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

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2);
        let _: Option<(toy::G1Affine, toy::G2Projective, toy::Fq2)> = None;
    }
}

mod unknown_group_option {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; d = 1; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod weak_anomalous {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 103;
            fr = 103;
            g1: short_weierstrass over fq { a = 1; b = 4; generator = (0, 2); cofactor = 1; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod weak_embedding_degree {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 167;
            fr = 83;
            g1: short_weierstrass over fq { a = 3; b = 2; generator = (22, 23); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod weak_supersingular {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 787;
            fr = 197;
            g1: short_weierstrass over fq { a = 1; b = 0; generator = (472, 33); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

fn main() {}
