use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls12 { x = -2; };
        arkworks {
            fq = ark_bn254::Fq;
            fr = ark_bn254::Fr;
            g1 = ark_bn254::G1Projective;
            g2 = ark_bn254::G2Projective;
            engine = ark_bn254::Bn254;
        };
    }
}

fn main() {
    let _: Option<(toy::G1Affine, toy::G2Affine, toy::Engine)> = None;
}
