curvesmith_field_dsl::curve! {
    mod faulty {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bn {
            x = 1;
            g2_generator = (1, 1);
        };
    }
}

// The items are there all the same.
fn main() {
    let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
    let _: Option<faulty::Curve> = None;
}
