mod binding_missing {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            arkworks { fq = ark_bn254::Fq; }
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod binding_too_long {
    use curvesmith_field_dsl::field;

    field! {
        pub mod toy {
            crate = curvesmith_runtime;
            p = 17;
            arkworks {
                fp =
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    a::a::a::a::a::a::a::a::a::a::
                    Fp;
            }
        }
    }

    fn uses() {
        let _ = toy::FpField;
        let _: Option<toy::Fp> = None;
    }
}

mod binding_undeclared {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
            fr = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
            g1: short_weierstrass over fq { a = 0; b = 3; generator = (1, 2); cofactor = 1; };
            arkworks { fq = ark_bn254::Fq; fr = ark_bn254::Fr; g1 = ark_bn254::G1Projective; g2 = ark_bn254::G2Projective; }
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod binding_unknown {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 199 { generator = 3; };
            fr = 97 { generator = 5; };
            fq2 = fq[u] / (u^2 - (-1));
            g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
            arkworks { fp = ark_bn254::Fq; }
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

mod engine_needs_g2 {
    use curvesmith_field_dsl::curve;

    curve! {
        pub mod toy {
            crate = curvesmith_runtime;
            fq = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
            fr = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
            g1: short_weierstrass over fq { a = 0; b = 3; generator = (1, 2); cofactor = 1; };
            arkworks { fq = ark_bn254::Fq; fr = ark_bn254::Fr; g1 = ark_bn254::G1Projective; engine = ark_bn254::Bn254; }
        }
    }

    fn uses() {
        let _ = (toy::FqField, toy::FrField, toy::G1);
        let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
    }
}

fn main() {}
