mod all_at_once {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 4; };
            fr = 99;
            fq2 = fq[u] / (u^2 - 199);
            g1: short_weierstrass over fq { a = ; b = 16; generator = (112, 167); cofactor = 2; };
            nonsense = 1;
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod common_takes_nothing {
    static IMAGES: &[u8] = curvesmith_field_dsl::common_images!(1);

    fn uses() {
        let _ = IMAGES;
    }
}

mod expected_equals {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq: 199;
            fr = 97 { generator = 5; };
            fq2 fq[u] / (u^2 + 1);
            g1: short_weierstrass over fq { a 2; b = 16; generator = (112 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod expected_item {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            5 = 3;
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            arkworks { = 3; }
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod expected_option {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); 2 = cofactor; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod expected_over {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass in fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod field_repeated {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 17;
            p = 17;
            generator = 3;
            generator = 3;
            crate = curvesmith_runtime;
            two_adic_root = 3;
            two_adic_root = 3;
            small_subgroup = 3^1;
            small_subgroup = 3^1;
            order = 16;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod missing_items {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod module_name {
    use curvesmith_field_dsl::field;

    field! {
        pub mod größe {
            crate = curvesmith_runtime;
            p = 13;
        }
    }
}

mod module_name_too_long {
    use curvesmith_field_dsl::field;

    field! {
        pub mod mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm {
            crate = curvesmith_runtime;
            p = 13;
        }
    }

    fn uses() {
    }
}

mod no_module {
    use curvesmith_field_dsl::field;

    field! {
        p = 13;
    }
}

mod over {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq5 { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod repeated {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; generator = 7; };
            fr = 97;
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod repeated_everywhere {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = ([39, 184], [104, 90]); cofactor = 406;
                generator = ([39, 184], [104, 90]); };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            allow(weak_curve);
            allow(weak_curve);
            arkworks { fq = ark_bn254::Fq; fq = ark_bn254::Fq; fr = ark_bn254::Fr; g1 = ark_bn254::G1Projective; g2 = ark_bn254::G2Projective; }
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2);
        let _: Option<(toy::G1Affine, toy::G2Projective, toy::Fq2)> = None;
    }
}

mod semicolon_missing {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3 }
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2 b = 16; generator = (112, 167); cofactor = 3 };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod semicolon_other_token {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 : 1;
            g1: short_weierstrass over fq { a = 2; b = 16, generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod stand_ins {
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

    fn uses() {
        let _ = (types, toy::FqField, toy::FrField, toy::G1, toy::G2);
        let _: Option<(Fq4, G1Config, G2Config)> = None;
    }
}

mod trailing {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        } ;
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod unknown_item {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            fq5 = 3;
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

fn main() {}
