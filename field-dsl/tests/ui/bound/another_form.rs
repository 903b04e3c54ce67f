use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47;
        fr = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001;
        g1: short_weierstrass over fq { a = 0; b = 3; generator = (1, 2); cofactor = 1; };
        arkworks { fq = ark_bn254::Fq; fr = ark_bn254::Fr; g1 = ark_ed_on_bls12_381::EdwardsProjective; }
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
