use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 3;
        fr = 5;
        g1: montgomery over fq { a = 0; b = 1; generator = (1, 1); cofactor = 1; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
