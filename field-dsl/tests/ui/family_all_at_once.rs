curvesmith_field_dsl::curve! {
    mod faulty {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls12 {
            x = 0x8508c00000000001;
            b = 0x1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001;
            fq2_nonresidue = 4;
            seed = 5;
            twist = n;
            b = 1;
        };
    }
}

// The items are there all the same.
fn main() {
    let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
    let _: Option<faulty::Curve> = None;
}
