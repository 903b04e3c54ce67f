mod family_embedding_degree {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt4 {
                p = 13;
                r = 11;
                a = 2;
                b = 4;
                fq2_nonresidue = 2;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_lift_parity {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bw6 {
                x = 0x8508c00000000001;
                h_t = 12;
                h_y = 9;
                t_mod_x = 3;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_lift_too_large {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bw6 {
                x = 0x8508c00000000001;
                h_t = 13;
                h_y = 0x10000000000;
                t_mod_x = 3;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_p_modulo_3 {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt6 {
                p = 17;
                r = 13;
                a = 2;
                b = 4;
                fq3_nonresidue = 3;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_p_modulo_4 {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt4 {
                p = 7;
                r = 5;
                a = 2;
                b = 4;
                fq2_nonresidue = 3;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_p_not_prime {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt4 {
                p = 21;
                r = 25;
                a = 2;
                b = 4;
                fq2_nonresidue = 2;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_seed_gives_no_prime {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = 7;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_seed_gives_no_prime_of_any_length {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = 0x8508c00000000004;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_seed_modulo_3 {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls24 {
                x = 3;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_seed_of_a_long_modulus {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bn {
                x = 0x10000000000000000000000000000000000000000000000000000000000000000;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_seed_sign {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bn { x = -4965661367192848881; };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_seed_sign_modulo_3 {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 { x = 0xd201000000010000; };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_seed_too_large {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bn {
                x = 0x10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_seed_zero {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bn {
                x = 0;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_t_mod_x {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bw6 {
                x = 0x8508c00000000001;
                h_t = 13;
                h_y = 9;
                t_mod_x = 1;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

fn main() {}
