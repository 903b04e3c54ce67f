//! BW6-761 (El Housni and Guillevic, 2020), whose scalars are BLS12-377's coordinates. Both groups are over
//! the prime field: the twist has degree 6.
//!
//! Constants: ark-bw6-761 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// BW6-761: 761-bit coordinates, 24 words; 377-bit scalars, two-adicity 46.
    pub mod bw6_761 {
        crate = curvesmith_runtime;
        fq = 0x122e824fb83ce0ad187c94004faff3eb926186a81d14688528275ef8087be41707ba638e584e91903cebaff25b423048689c8ed12f9fd9071dcd3dc73ebff2e98a116c25667a8f8160cf8aeeaf0a437e6913e6870000082f49d00000000008b {
            generator = 2;
        };
        fr = 0x1ae3a4617c510eac63b05c06ca1493b1a22d9f300f5138f1ef3622fba094800170b5d44300000008508c00000000001 {
            generator = 15;
        };
        g1: short_weierstrass over fq {
            a = 0;
            b = -1;
            generator = (
                0x1075b020ea190c8b277ce98a477beaee6a0cfb7551b27f0ee05c54b85f56fc779017ffac15520ac11dbfcd294c2e746a17a54ce47729b905bd71fa0c9ea097103758f9a280ca27f6750dd0356133e82055928aca6af603f4088f3af66e5b43d,
                0x58b84e0a6fc574e6fd637b45cc2a420f952589884c9ec61a7348d2a2e573a3265909f1af7e0dbac5b8fa1771b5b806cc685d31717a4c55be3fb90b6fc2cdd49f9df141b3053253b2b08119cad0fb93ad1cb2be0b20d2a1bafc8f2db4e95363,
            );
            cofactor = 0xad1972339049ce762c77d5ac34cb12efc856a0853c9db94cc61c554757551c0c832ba4061000003b3de580000000007c;
        };
        g2: short_weierstrass over fq {
            a = 0;
            b = 4;
            generator = (
                0x110133241d9b816c852a82e69d660f9d61053aac5a7115f4c06201013890f6d26b41c5dab3da268734ec3f1f09feb58c5bbcae9ac70e7c7963317a300e1b6bace6948cb3cd208d700e96efbc2ad54b06410cf4fe1bf995ba830c194cd025f1c,
                0x17c3357761369f8179eb10e4b6d2dc26b7cf9acec2181c81a78e2753ffe3160a1d86c80b95a59c94c97eb733293fef64f293dbd2c712b88906c170ffa823003ea96fcd504affc758aa2d3a3c5a02a591ec0594f9eac689eb70a16728c73b61,
            );
            cofactor = 0xad1972339049ce762c77d5ac34cb12efc856a0853c9db94cc61c554757551c0c832ba4061000003b3de5800000000075;
        };
        arkworks {
            fq = ark_bw6_761::Fq;
            fr = ark_bw6_761::Fr;
            g1 = ark_bw6_761::G1Projective;
            g2 = ark_bw6_761::G2Projective;
            engine = ark_bw6_761::BW6_761;
        }
    }
}
