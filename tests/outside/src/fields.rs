//! Fields that curvesmith does not carry, one of each awkward kind.

use curvesmith::field;

field! {
    /// KoalaBear, `2^31 - 2^24 + 1`: one word.
    pub mod koalabear {
        p = 0x7f000001;
        generator = 3;
    }
}

field! {
    /// Coordinates of SM2 (GB/T 32918): 256 bits, no spare bit.
    pub mod sm2_fq {
        p = 0xfffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff;
    }
}

field! {
    /// Scalars of BN462: 15 words, so the device's `R` is not that of arkworks' 64-bit words.
    pub mod bn462_fr {
        p = 0x240480360120023ffffffffff6ff0cf6b7d9bfca0000000000d812908ee1c201f7fffffffff6ff66fc7bf717f7c0000000002401b007e010800d;
    }
}

field! {
    /// Coordinates of P-521, `2^521 - 1`: 17 words.
    pub mod p521_fq {
        p = 0x1ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff;
    }
}

field! {
    /// Coordinates of Vesta: `p = 1 mod 2^32`.
    pub mod vesta_fq {
        p = 0x40000000000000000000000000000000224698fc0994a8dd8c46eb2100000001;
        generator = 5;
    }
}
