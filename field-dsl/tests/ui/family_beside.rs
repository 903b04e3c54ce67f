curvesmith_field_dsl::curve! {
    mod faulty {
        crate = curvesmith_runtime;
        allow(weak_curve);
        family: bls12 {
            x = -2;
        };
        fq = 37;
        fq2 = fq[u] / (u^2 - 2);
        g2: short_weierstrass over fq2 { a = [0, 0]; b = [1, 1]; generator = ([1, 1], [1, 1]); cofactor = 1; };
    }
}

// The items are there all the same.
fn main() {
    let _: (Option<faulty::Fq>, Option<faulty::G1Affine>, Option<faulty::G2Affine>) = Default::default();
    let _: Option<faulty::Curve> = None;
}
