//! secp256r1, NIST P-256 (SEC 2, version 2, section 2.4.2).
//!
//! Its types are generated, not bound to ark-secp256r1 0.6: the generators that it names for its fields, 2
//! and 11, do not generate their units (2 is a square), so that its roots of unity are not what they say.

use curvesmith_field_dsl::curve;

curve! {
    /// secp256r1: 256-bit coordinates without a spare bit, a = -3.
    pub mod secp256r1 {
        crate = curvesmith_runtime;
        fq = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff;
        fr = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551;
        g1: short_weierstrass over fq {
            a = -3;
            b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b;
            generator = (
                0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296,
                0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5,
            );
            cofactor = 1;
        };
    }
}
