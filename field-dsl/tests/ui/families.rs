mod family_a_and_b_exchanged {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt4 { p = 13; r = 17; a = 4; b = 2; fq2_nonresidue = 2; };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_all_at_once {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = 0x8508c00000000001;
                b = 0x1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001;
                fq2_nonresidue = 4;
                seed = 5;
                twist = n;
                b = 1;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_b_not_below_modulus {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -2;
                b = 37;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_b_of_another_order {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -0xd201000000010000;
                b = 1;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_b_of_generator {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt4 { p = 13; r = 17; a = 2; b = 5; fq2_nonresidue = 2; g1_generator = (0, 2); };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_beside {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -2;
            };
            fq = 37;
            fq2 = fq[u] / (u^2 - 2);
            g2: short_weierstrass over fq2 { a = [0, 0]; b = [1, 1]; generator = ([1, 1], [1, 1]); cofactor = 1; };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_binding_missing {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 { x = -2; };
            arkworks { fq = ark_bn254::Fq; fr = ark_bn254::Fr; g1 = ark_bn254::G1Projective; };
        }
    }

    fn uses() {
        let _: Option<(toy::G1Affine, toy::G2Affine)> = None;
    }
}

mod family_field_as_a_number {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bn {
                x = 1;
                fq = 103;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_generator_coordinates {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bn {
                x = 1;
                g2_generator = (1, 1);
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_generator_off_curve {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bn {
                x = 1;
                g1_generator = (1, 1);
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_nonresidue_in_another_field {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -2;
                fq6_nonresidue = 2;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_nonresidue_is_cube {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -2;
                fq2_nonresidue = 2;
                fq6_nonresidue = [0, 2];
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_nonresidue_is_square {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -2;
                fq2_nonresidue = 4;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_nonresidue_missing {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt6 {
                p = 37;
                r = 31;
                a = 2;
                b = 8;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_option_missing {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bw6 {
                x = 0x8508c00000000001;
                h_y = 9;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_option_repeated {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -2;
                x = 4;
                fq2_nonresidue = 2;
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

mod family_option_unknown {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt4 {
                p = 13;
                r = 17;
                a = 2;
                b = 4;
                fq2_nonresidue = 2;
                twist = m;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_order_outside_hasse {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt4 {
                p = 13;
                r = 101;
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

mod family_p_and_r_exchanged {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: mnt4 { p = 17; r = 13; a = 2; b = 4; fq2_nonresidue = 2; };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_repeated {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 { x = -2; };
            family: bls12 { x = 4; };
        }
    }
}

mod family_twist_of_another_order {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -0xd201000000010000;
                twist = d;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_twist_unknown {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls12 {
                x = -2;
                twist = x;
            };
        }
    }

    // The items are there all the same.
    fn uses() {
        let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
        let _: Option<faulty::Curve> = None;
    }
}

mod family_unknown {
    curvesmith_field_dsl::curve! {
        mod faulty {
            crate = curvesmith_runtime;
            allow(weak_curve);
            family: bls48 {
                x = -2;
            };
        }
    }
}

fn main() {}
