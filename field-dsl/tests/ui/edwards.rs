mod allow_form {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            allow weak_curve;
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_a_zero {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 0; d = 22; generator = (108, 122); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_characteristic_three {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 3;
            fr = 5;
            g1: twisted_edwards over fq { a = 1; d = -1; generator = (0, 1); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_cofactor_miscounted {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 2; d = 22; generator = (108, 122); cofactor = 8; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_cofactor_not_multiple_of_four {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 2; d = 22; generator = (108, 122); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_cofactor_outside_hasse {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 65609;
            fr = 53;
            g1: twisted_edwards over fq { a = 1; d = 13; generator = (13242, 59736); cofactor = 1264; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_cofactor_refuted {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 65609;
            fr = 53;
            g1: twisted_edwards over fq { a = 1; d = 13; generator = (13242, 59736); cofactor = 1240; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_d_zero {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 2; d = 0; generator = (108, 122); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_form_without_root {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 101;
            fr = 29;
            g1: short_weierstrass over fq { a = 1; b = 3; generator = (4, 24); cofactor = 3; edwards_form; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_form_without_square {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 109;
            fr = 47;
            g1: short_weierstrass over fq { a = 1; b = 19; generator = (102, 66); cofactor = 2; edwards_form; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_generator_identity {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 2; d = 22; generator = (0, 1); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_generator_off_curve {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 2; d = 22; generator = (108, 121); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_generator_wrong_order {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 2; d = 22; generator = (91, 77); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_missing_parts {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 2; generator = (108, 122); };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_singular {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 22; d = 22; generator = (108, 122); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod edwards_unknown_option {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: twisted_edwards over fq { a = 2; b = 22; generator = (108, 122); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod model {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: hessian over fq { a = -1; d = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod small_subgroup_form {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 2013265921;
            generator = 31;
            small_subgroup = 3^-1;
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

fn main() {}
