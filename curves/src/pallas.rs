//! Pallas (Hopwood, 2020), which makes a cycle with Vesta.
//!
//! Constants: ark-pallas 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// Pallas: 255-bit coordinates and scalars, two-adicity 32 of both fields.
    pub mod pallas {
        crate = curvesmith_runtime;
        fq = 0x40000000000000000000000000000000224698fc094cf91b992d30ed00000001 {
            generator = 5;
        };
        fr = 0x40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001 {
            generator = 5;
        };
        g1: short_weierstrass over fq {
            a = 0;
            b = 5;
            generator = (
                -1,
                2,
            );
            cofactor = 1;
        };
        arkworks {
            fq = ark_pallas::Fq;
            fr = ark_pallas::Fr;
            g1 = ark_pallas::Projective;
        }
    }
}
