use curvesmith_field_dsl::curve;

curve! {
    pub mod toy {
        crate = curvesmith_runtime;
        fq = 13 { generator = 2; };
        fr = 97 { generator = 5; };
        fq3 = fq[v] / (v^3 - 2);
        fq3 = fq[v] / (v^3 - 4);
        g1: short_weierstrass over fq3 { a = [2, 9, 8]; b = [9, 0, 1]; generator = ([11, 3, 8], [11, 5, 3]); cofactor = 22; };
    }
}

fn main() {
    let _ = (toy::FqField, toy::FrField, toy::G1);
    let _: Option<(toy::G1Affine, toy::G1Projective)> = None;
}
