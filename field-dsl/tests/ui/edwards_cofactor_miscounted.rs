use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 199;
        fr = 53;
        g1: twisted_edwards over fq { a = 2; d = 22; generator = (108, 122); cofactor = 8; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
