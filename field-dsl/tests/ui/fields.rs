mod generator_is_power {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265921;
            generator = 0x745f;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod generator_is_square {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265921;
            generator = 4;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod generator_not_below_modulus {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265921;
            generator = 2013265921;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod generator_or_r {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 101;
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod generator_zero {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265921;
            generator = 0;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod missing_p {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            generator = 31;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod misspelt {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            Fq = 199;
            fr = 97 { genrator = 5; };
            g1: short_weierstras over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            g2: short_weierstrass over fp2 { a = 2; };
            arkwork { }
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod modulus_carmichael {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 0x51000000000000003a7946c0000000000e1218c4f54000000120ed683cb59d9;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_even {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 0x1_0000;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_fools_fixed_bases {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            // Product of three primes, a strong pseudoprime to every base below 101.
            p = 1866016805086802510678768170917022806386919115600666624570325141774703792134934020291430297836162811261750667215939057851271947933753256286149134978311505641827401963092404209428145315128361119692576496595321277988604971584630978854689276545000162300768426962370656940902820075277726177097615341074883;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_has_factor {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265923;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_has_large_factor {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 18446743979220271189;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_is_composite {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 0xffffffffffffffffffffff7ffffffffe0000000000000000000001;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_negative {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = -13;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_of_1025_bits {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 0x10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_one {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 1;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_strong_pseudoprime {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            // To the first nine prime bases.
            p = 3825123056546413051;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_too_large {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            // 10 000 bits.
            p = 0x8000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_too_small {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod modulus_zero {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 0;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod scalars_below_5 {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13;
            fr = 3;
            g1: short_weierstrass over fq { a = 2; b = 2; generator = (12, 8); cofactor = 5; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod signs {
    use curvesmith_field_dsl::{curve, field};

    field! {
        pub mod fe {
            crate = curvesmith_runtime;
            p = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
            generator = -3;
        }
    }

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = -1; };
            fr = 97 { generator = -1; };
            fq2 = fq[u] / (u^2 - (-3));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (fe::FpField, toy::FqField, toy::FrField, toy::G1);
    }
}

mod small_subgroup {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265921;
            generator = 31;
            small_subgroup = 7^1;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod two_adic_root {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265921;
            two_adic_root = 31;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod unknown_field_item {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265921;
            q = 3;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod unknown_field_option {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generatr = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

fn main() {}
