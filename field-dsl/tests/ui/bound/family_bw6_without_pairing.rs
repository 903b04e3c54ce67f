curvesmith_field_dsl::curve! {
    mod short {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bw6 { x = -2; h_t = -1; h_y = 3; t_mod_x = 3; };
    }
}

fn prover<C: curvesmith_runtime::group::PairingCurve>() {}

fn main() {
    prover::<short::Curve>();
}
