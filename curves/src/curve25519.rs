//! Curve25519 (Bernstein, 2006) in the twisted Edwards form of Ed25519 (RFC 8032, section 5.1).
//!
//! Constants: ark-ed25519 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// Curve25519 as edwards25519: 255-bit coordinates, 253-bit scalars, a = -1; the addition law is
    /// complete.
    pub mod curve25519 {
        crate = curvesmith_runtime;
        fq = 0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed {
            generator = 2;
        };
        fr = 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed {
            generator = 2;
        };
        g1: twisted_edwards over fq {
            a = -1;
            d = 0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3;
            generator = (
                0x216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a,
                0x6666666666666666666666666666666666666666666666666666666666666658,
            );
            cofactor = 8;
        };
        arkworks {
            fq = ark_ed25519::Fq;
            fr = ark_ed25519::Fr;
            g1 = ark_ed25519::EdwardsProjective;
        }
    }
}
