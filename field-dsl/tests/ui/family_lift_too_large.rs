curvesmith_field_dsl::curve! {
    mod faulty {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bw6 {
            x = 0x8508c00000000001;
            h_t = 13;
            h_y = 0x10000000000;
            t_mod_x = 3;
        };
    }
}

// The items are there all the same.
fn main() {
    let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
    let _: Option<faulty::Curve> = None;
}
