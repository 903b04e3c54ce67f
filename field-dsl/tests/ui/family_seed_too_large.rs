curvesmith_field_dsl::curve! {
    mod faulty {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bn {
            x = 0x10000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000;
        };
    }
}

// The items are there all the same.
fn main() {
    let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
    let _: Option<faulty::Curve> = None;
}
