//! MNT4-298 (Ben-Sasson, Chiesa, Tromer and Virza, 2014): a curve of Miyaji, Nakabayashi and Takano with
//! embedding degree 4, which makes a cycle with MNT6-298.
//!
//! Constants: ark-mnt4-298 0.6 (the const assertions compare them).

use curvesmith_field_dsl::curve;

curve! {
    /// MNT4-298: 298-bit coordinates, 10 words; two-adicity 34 of `Fr`.
    pub mod mnt4_298 {
        crate = curvesmith_runtime;
        fq = 0x3bcf7bcd473a266249da7b0548ecaeec9635d1330ea41a9e35e51200e12c90cd65a71660001 {
            generator = 17;
            small_subgroup = 7^2;
        };
        fr = 0x3bcf7bcd473a266249da7b0548ecaeec9635cf44194fb494c07925d6ad3bb4334a400000001 {
            generator = 10;
        };
        fq2 = fq[u] / (u^2 - 17);
        g1: short_weierstrass over fq {
            a = 2;
            b = 0x3545a27639415585ea4d523234fc3edd2a2070a085c7b980f4e9cd21a515d4b0ef528ec0fd5;
            generator = (
                0x7a2caf82a1ba85213fe6ca3875aee86aba8f73d69060c4079492b948dea216b5b9c8d2af46,
                0x2db619461cc82672f7f159fec2e89d0148dcc9862d36778c1afd96a71e29cba48e710a48ab2,
            );
            cofactor = 1;
        };
        g2: short_weierstrass over fq2 {
            a = [34, 0];
            b = [0, 0x87788d2a0ee6e223b5540063ee1ecd2ff0038ab06a5c24b1b1a912ec4d6a3b6efb12b30d16];
            generator = (
                [
                    0x371780491c5660571ff542f2ef89001f205151e12a72cb14f01a931e72dba7903df6c09a9a4,
                    0x4ba59a3f72da165def838081af697c851f002f576303302bb6c02c712c968be32c0ae0a989,
                ],
                [
                    0x4b471f33ffaad868a1c47d6605d31e5c4b3b2e0b60ec98f0f610a5aafd0d9522bca4e79f22,
                    0x355d05a1c69a5031f3f81a5c100cb7d982f78ec9cfc3b5168ed8d75c7c484fb61a3cbf0e0f1,
                ],
            );
            cofactor = 0x3bcf7bcd473a266249da7b0548ecaeec9635d32203f880a7ab50fe2b151d6d67810e2cc0001;
        };
        arkworks {
            fq = ark_mnt4_298::Fq;
            fr = ark_mnt4_298::Fr;
            fq2 = ark_mnt4_298::Fq2;
            g1 = ark_mnt4_298::G1Projective;
            g2 = ark_mnt4_298::G2Projective;
            engine = ark_mnt4_298::MNT4_298;
        }
    }
}
