use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 65609;
        fr = 53;
        g1: twisted_edwards over fq { a = 1; d = 13; generator = (13242, 59736); cofactor = 1240; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
