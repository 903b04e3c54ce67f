curvesmith_field_dsl::curve! {
    mod paired {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls12 { x = -2; };
    }
}

fn prover<C: curvesmith_runtime::group::PairingCurve>() {}

// Each of them is another kind of thing.
fn main() {
    prover::<ark_bn254::Bn254>();
    prover::<paired::Engine>();
    prover::<paired::G1>();
    prover::<paired::Curve>();
}
