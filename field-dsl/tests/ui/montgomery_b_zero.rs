use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 199;
        fr = 53;
        g1: montgomery over fq { a = 117; b = 0; generator = (147, 29); cofactor = 4; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
