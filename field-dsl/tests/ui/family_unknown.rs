curvesmith_field_dsl::curve! {
    mod faulty {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls48 {
            x = -2;
        };
    }
}

fn main() {}
