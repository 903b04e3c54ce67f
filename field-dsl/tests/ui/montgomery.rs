mod montgomery_b_zero {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = 117; b = 0; generator = (147, 29); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_characteristic_three {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 3;
            fr = 5;
            g1: montgomery over fq { a = 0; b = 1; generator = (1, 1); cofactor = 1; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_cofactor_miscounted {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = 117; b = 159; generator = (147, 29); cofactor = 8; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_cofactor_not_multiple_of_four {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = 117; b = 159; generator = (147, 29); cofactor = 6; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_cofactor_refuted {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 65539;
            fr = 79;
            g1: montgomery over fq { a = 16; b = 1; generator = (22649, 60643); cofactor = 836; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_generator_off_curve {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = 117; b = 159; generator = (147, 28); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_generator_says_b {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = 117; b = 158; generator = (147, 29); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_generator_without_image {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = 117; b = 159; generator = (0, 0); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_generator_wrong_order {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = 117; b = 159; generator = (191, 130); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_singular {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = -2; b = 159; generator = (147, 29); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod montgomery_unknown_option {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199;
            fr = 53;
            g1: montgomery over fq { a = 117; b = 159; d = 22; generator = (147, 29); cofactor = 4; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

fn main() {}
