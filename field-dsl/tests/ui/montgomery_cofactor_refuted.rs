use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 65539;
        fr = 79;
        g1: montgomery over fq { a = 16; b = 1; generator = (22649, 60643); cofactor = 836; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
