//! BLS24-315, which arkworks has no crate for: against the explicit declaration, whose numbers are
//! gnark-crypto's.

use super::{same_bytes, same_fields, same_groups};
use curvesmith_curves::bls24_315 as explicit;
use curvesmith_field_dsl::curve;

curve! {
    pub(crate) mod bls24_315 {
        crate = curvesmith_runtime;
        family: bls24 {
            x = -0xbfcfffff;
            fq2_nonresidue = 13;
            fr { generator = 7; };
            g1_generator = (
                0x41a0a424393988da1b2b117076ef6e4f54b344cc46dde3c983603a832cb638dbf4b721710866097,
                0x2e6f83c55deff20227ecdf0db2bb2ebb5d72c8a29010871d3cce9059e83dfb96f2922d5da4e4e5f,
            );
            g2_generator = (
                [
                    0x2f339ada8942f92aefa14196bfee2552a7c5675f5e5e9da798458f72ff50f96f5c357cf13710f63,
                    0x20b1a8dca4b18842b40079be727cbfd1a16ed134a080b759ae503618e92871697838dc4c689911c,
                    0x16eab1e76670eb9affa1bc77400be688d5cd69566f9325b329b40db85b47f236d5c34e8ffed7536,
                    0x6e8c608261f21c41f2479ca4824deba561b9689a9c03a5b8b36a6cbbed0a7d9468e07e557d8569,
                ],
                [
                    0x3cdd8218baa5276421c9923cde33a45399a1d878d5202fae600a8502a29681f74ccdcc053b278b7,
                    0x3a079c670190bb49b1bd21e10aac3191535e32ce99da592ddfa8bd09d57a7374ed63ad7f25e398d,
                    0x1b38dd0c5ec49a0883a950c631c688eb3b01f45b7c0d2990cd99052005ebf2fa9e7043bbd605ef5,
                    0x495d6de2e4fed6be3e1d24dd724163e01d88643f7e83d31528ab0a80ced619175a1a104574ac83,
                ],
            );
        };
    }
}

#[test]
fn is_the_explicit_declaration() {
    same_fields::<bls24_315::Fq, explicit::Fq>();
    same_fields::<bls24_315::Fr, explicit::Fr>();
    same_groups::<bls24_315::G1Config, explicit::G1Config>();
    same_groups::<bls24_315::G2Config, explicit::G2Config>();
    same_bytes::<bls24_315::G1Config, explicit::G1Config>();
    same_bytes::<bls24_315::G2Config, explicit::G2Config>();
}

ark_algebra_test_templates::test_group!(g2; super::bls24_315::G2Projective; sw);
