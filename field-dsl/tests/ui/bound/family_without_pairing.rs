curvesmith_field_dsl::curve! {
    mod paired {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls12 { x = -2; };
    }
}
curvesmith_field_dsl::curve! {
    mod without {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls24 { x = -5; };
    }
}

fn prover<C: curvesmith_runtime::group::PairingCurve>() {}

fn main() {
    prover::<paired::Curve>();
    prover::<without::Curve>();
}
