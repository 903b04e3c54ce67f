curvesmith_field_dsl::curve! {
    mod faulty {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls12 { x = -2; };
        family: bls12 { x = 4; };
    }
}

fn main() {}
