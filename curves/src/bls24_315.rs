//! BLS24-315 (El Housni and Guillevic, 2021): the curve of the Barreto-Lynn-Scott family of embedding degree
//! 24 at x = -0xbfcfffff.
//!
//! Constants: gnark-crypto, `ecc/bls24-315`; the cofactors are `(x - 1)²/3` and the order of the twist over
//! `r`. arkworks has no crate for it, so its types are generated and there is no pairing.

use curvesmith_field_dsl::curve;

curve! {
    /// BLS24-315: 315-bit coordinates, 10 words; 253-bit scalars, two-adicity 22. The second group is over
    /// two levels.
    pub mod bls24_315 {
        crate = curvesmith_runtime;
        fq = 0x4c23a02b586d650d3f7498be97c5eafdec1d01aa27a1ae0421ee5da52bde5026fe802ff40300001;
        fr = 0x196deac24a9da12b25fc7ec9cf927a98c8c480ece644e36419d0c5fd00c00001 {
            generator = 7;
        };
        fq2 = fq[u] / (u^2 - 13);
        fq4 = fq2[v] / (v^2 - [0, 1]);
        g1: short_weierstrass over fq {
            a = 0;
            b = 1;
            generator = (
                0x41a0a424393988da1b2b117076ef6e4f54b344cc46dde3c983603a832cb638dbf4b721710866097,
                0x2e6f83c55deff20227ecdf0db2bb2ebb5d72c8a29010871d3cce9059e83dfb96f2922d5da4e4e5f,
            );
            cofactor = 0x2fe8030000000000;
        };
        g2: short_weierstrass over fq4 {
            a = [0, 0, 0, 0];
            b = [
                0,
                0,
                0,
                0xbb6b62e0d9aad15bafe3ee23ebbfcc49a7a9dcb688f071453fd497bdf5d476875ec56258a4ec4f,
            ];
            generator = (
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
            cofactor = 0x142a76791a4ecf9c5e2d1e9744e1a3d20ecd4e893c629f9a3e8f21811c01446602b3ec97c88db0069213228615137a0dded7e599b628469c774cb87cd287bf73a8d2cc439ffffe00fe2b41efdc3698dd4b373acdeee183eb09e6f58e9055cd34eace3e7e701215b52c02797e31a2c6fe9ac0018b940adf101e0000000001;
        };
    }
}
