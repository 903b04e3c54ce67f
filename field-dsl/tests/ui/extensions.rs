mod cubic_type {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 17 { generator = 3; };
            fr = 19;
            fq2 = fq[u] / (u^2 - 3);
            fq6 = fq2[v] / (v^3 - [1, 1]);
            g1: short_weierstrass over fq { a = 2; b = 2; generator = (0, 6); cofactor = 1; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod extension {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^5 - 2);
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod fq2_undeclared {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = ([39, 184], [104, 90]); cofactor = 406; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod level_below {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq3 = fq[v] / (v^3 - 2);
            fq6 = fq5[w] / (w^2 - [0, 1, 0]);
            g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod level_coordinates {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - [2]);
            fq3 = fq[v] / (v^3 - 2);
            fq6 = fq3[w] / (w^2 - [0, 1]);
            fq12 = fq6[w] / (w^2 - 5);
            g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod level_degree {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - 2);
            fq3 = fq[v] / (v^3 - 2);
            fq4 = fq2[w] / (w^3 - [0, 1]);
            g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod level_repeated {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq3 = fq[v] / (v^3 - 2);
            fq3 = fq[v] / (v^3 - 4);
            g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod level_undeclared {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq3 = fq[v] / (v^3 - 2);
            fq6 = fq2[w] / (w^3 - [0, 1]);
            g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod level_variable {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq3 = fq[v] / (u^3 - 2);
            g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod nonresidue_is_cube {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 19;
            fq3 = fq[v] / (v^3 - 5);
            g1: short_weierstrass over fq { a = 0; b = 2; generator = (1, 4); cofactor = 1; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod nonresidue_is_square {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - 4);
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod nonresidue_is_square_above {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - 2);
            fq3 = fq[v] / (v^3 - 2);
            fq4 = fq2[w] / (w^2 - [3, 0]);
            g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod nonresidue_not_below_modulus {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - 2);
            fq3 = fq[v] / (v^3 - 2);
            fq4 = fq2[w] / (w^2 - [13, 1]);
            g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod one_coordinate {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = [2, 0]; b = 16; generator = (112, 167); cofactor = 2; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod only_cubes {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 17 { generator = 3; };
            fr = 19;
            fq3 = fq[v] / (v^3 - 3);
            g1: short_weierstrass over fq { a = 2; b = 2; generator = (0, 6); cofactor = 1; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod three_coordinates {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 13 { generator = 2; };
            fr = 97 { generator = 5; };
            fq3 = fq[v] / (v^3 - 2);
            g1: short_weierstrass over fq3 { a = [2, 9]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3, 0]); cofactor = 22; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod two_coordinates {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            g2: short_weierstrass over fq2 { a = 2; b = [16, 45]; generator = ([39, 184], [104, 90]); cofactor = 406; };
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

fn main() {}
