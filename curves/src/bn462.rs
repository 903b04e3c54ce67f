//! BN462: the Barreto-Naehrig curve at x = 2^114 + 2^101 - 2^14 - 1 of
//! draft-irtf-cfrg-pairing-friendly-curves.
//!
//! Constants: that draft. arkworks has no crate for it, so its types are generated and there is no pairing.

use curvesmith_field_dsl::curve;

curve! {
    /// BN462: 462-bit coordinates and scalars, 15 words; two-adicity 2 of `Fr`.
    pub mod bn462 {
        crate = curvesmith_runtime;
        fq = 0x240480360120023ffffffffff6ff0cf6b7d9bfca0000000000d812908f41c8020ffffffffff6ff66fc6ff687f640000000002401b00840138013;
        fr = 0x240480360120023ffffffffff6ff0cf6b7d9bfca0000000000d812908ee1c201f7fffffffff6ff66fc7bf717f7c0000000002401b007e010800d;
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq {
            a = 0;
            b = 5;
            generator = (
                0x21a6d67ef250191fadba34a0a30160b9ac9264b6f95f63b3edbec3cf4b2e689db1bbb4e69a416a0b1e79239c0372e5cd70113c98d91f36b6980d,
                0x118ea0460f7f7abb82b33676a7432a490eeda842cccfa7d788c659650426e6af77df11b8ae40eb80f475432c66600622ecaa8a5734d36fb03de,
            );
            cofactor = 1;
        };
        g2: short_weierstrass over fq2 {
            a = [0, 0];
            b = [2, -1];
            generator = (
                [
                    0x257ccc85b58dda0dfb38e3a8cbdc5482e0337e7c1cd96ed61c913820408208f9ad2699bad92e0032ae1f0aa6a8b48807695468e3d934ae1e4df,
                    0x1d2e4343e8599102af8edca849566ba3c98e2a354730cbed9176884058b18134dd86bae555b783718f50af8b59bf7e850e9b73108ba6aa8cd283,
                ],
                [
                    0xa0650439da22c1979517427a20809eca035634706e23c3fa7a6bb42fe810f1399a1f41c9ddae32e03695a140e7b11d7c3376e5b68df0db7154e,
                    0x73ef0cbd438cbe0172c8ae37306324d44d5e6b0c69ac57b393f1ab370fd725cc647692444a04ef87387aa68d53743493b9eba14cc552ca2a93a,
                ],
            );
            cofactor = 0x240480360120023ffffffffff6ff0cf6b7d9bfca0000000000d812908fa1ce0227fffffffff6ff66fc63f5f7f4c0000000002401b008a0168019;
        };
    }
}
