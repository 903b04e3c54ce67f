use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 199 { generator = 3; };
        fr = 97 { generator = 5; };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        g2: short_weierstrass over fq2 { a = [2, 5]; b = [16, 45]; generator = ([39, 184], [104, 90]); cofactor = 406;
            generator = ([39, 184], [104, 90]); };
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq { a = 2; b = 16; generator = (112, 167); cofactor = 2; };
        allow(weak_curve);
        allow(weak_curve);
        arkworks { fq = ark_bn254::Fq; fq = ark_bn254::Fq; fr = ark_bn254::Fr; g1 = ark_bn254::G1Projective; g2 = ark_bn254::G2Projective; }
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1, toy::G2);
    let _: Option<(toy::G1Affine, toy::G2Projective, toy::Fq2)> = None;
}
