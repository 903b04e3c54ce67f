//! Curves and fields that curvesmith does not carry, declared by their user.

#[cfg(feature = "families")]
pub mod families;
pub mod fields;

use curvesmith::curve;

curve! {
    /// secp256k1 (SEC 2, version 2, section 2.4.1), with generated arkworks types: no spare bit in
    /// either field.
    pub mod secp256k1 {
        fq = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f;
        fr = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        g1: short_weierstrass over fq {
            a = 0;
            b = 7;
            generator = (
                0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798,
                0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8,
            );
            cofactor = 1;
        };
    }
}

curve! {
    /// Nine words without a spare bit, `a` not zero in either group. `4p = t² + 11v²`, so that the curve with
    /// complex multiplication by the integers of `Q(√-11)`, `y² = x³ - 264x + 1694`, has `p + 1 - t` points
    /// over `fq` and `(p + 1 - t)(p + 1 + t)` over `fq2`: t = 21082995596577029683443298671809058735091821.
    /// The second group is its image under `(x, y) -> ((3 + 2u)²·x, (3 + 2u)³·y)`.
    pub mod nine_words {
        fq = 0xc19cc9f34939d6aec43583d179f0ecb24dfb0ff76a3a6e67fcb1cfda88884eb1d74345c7;
        fr = 0x408998a66dbdf23a41672bf07dfaf990c4a8b4a60511952b66b8570a0e1b06aeb40ff1c9;
        fq2 = fq[u] / (u^2 - (-1));
        g1: short_weierstrass over fq {
            a = -264;
            b = 1694;
            generator = (
                0xbbb2d06bd2f46eb1d9f8954d6a24f3809a68dbcdfa86a9fd9783e430917bf5940b9485c5,
                0x2bc58d4556cbeed7b4fb6fb2faed9a3fc593a73417ac21c892a77916308095fb4d7c8dfe,
            );
            cofactor = 3;
        };
        g2: short_weierstrass over fq2 {
            a = [31416, -31680];
            b = [-3447290, -1402632];
            generator = (
                [
                    0xa40aea4df9decebe3104db3d2af50eb9cc200b283bb7985402cc3588b54a911cdcd985bd,
                    0x7aa51799bdf8f6d3c95a55a0bc613e5de3209e062dcd396b3e8ac3e2f3f4214c4b1245af,
                ],
                [
                    0xbae46669ce821e76efc99e299b7859d8f7c04f1169a21b2ace322dc7e513a63fcc68d367,
                    0x4d5f7ef4bc6287eedb16ebfa5348787e74b96bb21aa5c1fa7b25a37361c7e03583c0c9de,
                ],
            );
            cofactor = 0x244d65dd9dbad840c4ca08b746dd2c616e9f405f64fc057e94fafcfc4b43e9c06b704229f;
        };
    }
}
